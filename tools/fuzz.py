#!/usr/bin/env python3
"""Thousands of generated requests against a running house, from webui/openapi.yaml; no answer may be a fault of our own (500 and above).

usage: fuzz.py [--requests 10000] [--seed 1]

The house is a real one without a camera, in a folder of its own. Requests come from schemathesis (`pip install
-e ".[test]"`), valid ones and broken ones. Streams without end are left out. Prints what schemathesis counted; exits 1 at a 5xx answer
or when fewer requests than asked for were sent.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import webui
from webui import create_app
from webui.auth import Gate, allowed_hosts
from webui.house import House
from webui.probe import probe
from webui.runtime import Runtime
from webui.server import Server
from webui.settings import Settings
from webui.sight import Sights

MOST_TURNS = 6
WITHOUT_END = ("/api/events", "/video.mjpg")


class Hasty(Runtime):
    """A house that tries a source for a moment only: ten thousand requests would else wait for cameras all day."""

    def probe(self, source: str) -> Mapping[str, Any]:
        return probe(source, seconds=0.05)


def operations() -> int:
    """How many operations the description has, streams left out."""
    paths = yaml.safe_load((Path(webui.__file__).parent / "openapi.yaml").read_text(encoding="utf-8"))["paths"]
    return sum(len(methods) for path, methods in paths.items() if path not in WITHOUT_END)


def fuzz(house: House, requests: int, seed: int) -> tuple[int, str]:
    """(exit status of schemathesis, what it said)."""
    server = Server(create_app(house, Gate(allowed_hosts())), "127.0.0.1", 0, threads=24)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    left_out = [x for path in WITHOUT_END for x in ("--exclude-path", path)]
    try:
        done = subprocess.run(
            [
                str(Path(sys.executable).parent / "schemathesis"), "run", f"http://127.0.0.1:{server.port}/api/openapi.yaml",
                "--checks", "not_a_server_error", "--phases", "examples,coverage,fuzzing", "--mode", "all", "--seed", str(seed),
                "--max-examples", str(requests // operations() + 1), "--request-timeout", "20", "--suppress-health-check", "all", *left_out,
            ],
            capture_output=True, text=True, timeout=3600, check=False,
            env={**os.environ, "SCHEMATHESIS_HOOKS": "tools.fuzz_hooks"}, cwd=Path(__file__).resolve().parents[1],
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr
    finally:
        server.stop()
        thread.join(5)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        house = Hasty(Path(folder), Settings(), Sights())
        house.start(None)
        try:
            status = sent = 0
            for turn in range(MOST_TURNS):  # operations without parameters have but one request to send: others make up for them
                status, said = fuzz(house, asked.requests - sent, asked.seed + turn)
                sent += sum(int(n.replace(",", "")) for n in re.findall(r"([\d,]+) generated", said))
                if status or sent >= asked.requests:
                    break
        finally:
            house.stop()
    print(said[-12000:])
    print(f"{sent} requests, status {status}")
    return 0 if status == 0 and sent >= asked.requests else 1


if __name__ == "__main__":
    sys.exit(main())
