#!/usr/bin/env python3
"""Fifty viewers and ten commands a second beside the running pipeline: is a command lost, how late is a score, how much slower does sight get?

usage: load.py [--seconds 60] [--viewers 50] [--commands 10] [--fps 30]

The house looks at the bundled clip as at a camera (newest frame only, over and over). Spans without and with the load take turns, so
that whatever else the machine does hits both alike; viewers and commands come from a process of their own. A score's delay is from the
command's sending to its arrival at each viewer. Prints one JSON object; exits 1 where a command is lost.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import selectors
import socket
import statistics
import sys
import tempfile
import threading
import time
import urllib.request
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

SPANS = 4  # with the load, and as many without
SETTLE_S = 8.0  # until the clip's cards are read


def crowd(address: str, viewers: int, per_second: int, seconds: float, name: str, out: Connection) -> None:
    """The people: event streams read by one thread, commands sent by another; what was sent and seen when goes to `out`."""
    parts = urlsplit(address)
    selector = selectors.DefaultSelector()
    seen: list[dict[int, float]] = [{} for _ in range(viewers)]
    rest = [b""] * viewers
    for n in range(viewers):
        connection = socket.create_connection((parts.hostname, parts.port), 10)
        connection.sendall(f"GET /api/events HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
        selector.register(connection, selectors.EVENT_READ, (n, connection))
    ended = threading.Event()

    def read() -> None:
        while not ended.is_set():
            for key, _ in selector.select(0.2):
                n, connection = key.data
                data = rest[n] + connection.recv(1 << 16)
                now = time.monotonic()
                *whole, rest[n] = data.split(b"\n\n")
                for message in whole:
                    head, _, body = message.partition(b"data: ")
                    if b"event: snapshot" in head:
                        seen[n].setdefault(json.loads(body)["seq"], now)

    reader = threading.Thread(target=read)
    reader.start()
    time.sleep(1.0)
    sent: dict[int, float] = {}
    lost = 0
    began = time.monotonic()
    for n in range(int(seconds * per_second)):
        time.sleep(max(0.0, began + n / per_second - time.monotonic()))
        body = json.dumps({"command": "note", "id": f"{name}-{n}", "player": "A", "name": f"Mina {name} {n}"}).encode()
        request = urllib.request.Request(f"{address}/api/commands", body, {"Content-Type": "application/json"})
        before = time.monotonic()
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                sent[json.load(answer)["seq"]] = before
        except OSError:
            lost += 1
    time.sleep(1.0)
    ended.set()
    reader.join()
    late = [viewer[seq] - at for viewer in seen for seq, at in sent.items() if seq in viewer]
    out.send((len(sent), lost, late, all(max(sent) in viewer or max(viewer, default=0) >= max(sent) for viewer in seen)))


def measure(seconds: float, viewers: int, per_second: int, fps: float) -> dict[str, Any]:
    from tools.paced import Paced, every_capture_scores
    from vision.source import demo_clip
    from webui import create_app
    from webui.auth import Gate, allowed_hosts
    from webui.runtime import Runtime
    from webui.server import Server
    from webui.sight import Sights

    source = Paced(demo_clip(), fps, loop=True)
    rates: dict[str, list[float]] = {"alone": [], "loaded": []}
    sent, lost, newest, late = 0, 0, True, []
    with tempfile.TemporaryDirectory() as folder:
        house = Runtime(Path(folder), every_capture_scores(), Sights(), keep=False)
        house.start(source, name="clip")
        server = Server(create_app(house, Gate(allowed_hosts())), "127.0.0.1", 0)
        thread = threading.Thread(target=server.serve, daemon=True)
        thread.start()
        source.begin.set()
        time.sleep(SETTLE_S)
        fork = multiprocessing.get_context("spawn")
        try:
            for span in range(SPANS):
                taken, began = source.taken, time.monotonic()
                time.sleep(seconds / SPANS)
                rates["alone"].append((source.taken - taken) / (time.monotonic() - began))
                here, there = fork.Pipe()
                people = fork.Process(target=crowd, args=(f"http://127.0.0.1:{server.port}", viewers, per_second, seconds / SPANS, f"s{span}", there))
                people.start()
                while house.hub.clients < viewers and people.is_alive():  # their own start is no load of ours
                    time.sleep(0.05)
                time.sleep(1.0)
                taken, began = source.taken, time.monotonic()
                time.sleep(max(1.0, seconds / SPANS - 1.0))
                rates["loaded"].append((source.taken - taken) / (time.monotonic() - began))
                count, missed, delays, all_newest = here.recv()
                people.join()
                sent, lost, newest, late = sent + count, lost + missed, newest and all_newest, late + delays
        finally:
            house.stop()
            server.stop()
            thread.join(5)
    alone, loaded = statistics.fmean(rates["alone"]), statistics.fmean(rates["loaded"])
    cuts = statistics.quantiles(late, n=20)
    return {
        "viewers": viewers, "commands": sent, "lost": lost, "newest_everywhere": newest, "p50_ms": round(statistics.median(late) * 1000),
        "p95_ms": round(cuts[-1] * 1000), "fps_alone": round(alone, 2), "fps_loaded": round(loaded, 2), "kept": round(loaded / alone, 3),
        "camera_fps": fps, "load_average": round(os.getloadavg()[0], 1), "cores": os.cpu_count(), "when": time.strftime("%Y-%m-%d %H:%M"),
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--viewers", type=int, default=50)
    parser.add_argument("--commands", type=int, default=10)
    parser.add_argument("--fps", type=float, default=30.0)
    asked = parser.parse_args()
    found = measure(asked.seconds, asked.viewers, asked.commands, asked.fps)
    print(json.dumps(found))
    return 1 if found["lost"] or not found["newest_everywhere"] else 0


if __name__ == "__main__":
    sys.exit(main())
