"""`kibitz run` as a person starts it: what is wrong is one line and status 2; it serves, and ends when it is told to."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


def free_port() -> int:
    """A port with its neighbour free too, which --lan wants for the phone's camera."""
    while True:
        with socket.socket() as a, socket.socket() as b:
            a.bind(("127.0.0.1", 0))
            port = int(a.getsockname()[1])
            try:
                b.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    cv2.imwrite(str(folder / "blank.png"), np.full((240, 320, 3), 90, np.uint8))
    return folder


def start(*args: str, data: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "webui.cli", "run", "--data", str(data), *args]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "KIBITZ_HOME": str(data), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--source", "/no/such/clip.mp4"], "no source"),
        (["--source", "gopher://table"], "not known"),
        (["--ruleset", "nobody-plays-this"], "nobody-plays-this"),
        (["--players", "1"], "people"),
        (["--table", "/no/such/table.json"], "no such file"),
        (["--port", "BUSY"], "in use"),
    ],
)
def test_what_is_wrong_is_one_line_with_the_mend(pictures: Path, tmp_path: Path, args: list[str], says: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        args = [str(taken.getsockname()[1]) if a == "BUSY" else a for a in args]
        given = args if "--source" in args else ["--source", str(pictures), *args]
        with start(*given, data=tmp_path / "data") as running:
            try:
                out, err = running.communicate(timeout=30)
            finally:
                running.kill()
    assert running.returncode == 2, err
    assert err.count("\n") == 1
    assert says in err
    assert "Traceback" not in out + err


@pytest.fixture
def served(pictures: Path, tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], int, str]]:
    """A running kibitz --lan, its port, and what it printed."""
    port = free_port()
    running = start("--source", str(pictures), "--lan", "--port", str(port), data=tmp_path / "data")
    assert running.stdout is not None
    said = ""
    while "Ctrl-C" not in said:
        line = running.stdout.readline()
        assert line, running.communicate(timeout=5)
        said += line
    yield running, port, said
    if running.poll() is None:
        running.kill()
    running.communicate(timeout=5)


def test_it_serves_with_links_and_ends_when_told(served: tuple[subprocess.Popen[str], int, str]) -> None:
    running, port, said = served
    tokens = re.findall(r"\?t=([\w-]+)", said)
    assert len(set(tokens)) == 2
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/api/state", timeout=5)
    assert refused.value.code == 401
    refused.value.close()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/state?t={tokens[0]}", timeout=5) as answer:
        assert json.load(answer)["game"] == "gostop"
    began = time.monotonic()
    running.send_signal(signal.SIGTERM)
    assert running.wait(10) == 0
    assert time.monotonic() - began < 8
    assert running.stderr is not None
    assert "Traceback" not in running.stderr.read()
