"""Fifty viewers and ten commands a second; one viewer that never reads. `KIBITZ_LOAD=60` runs it for a minute."""

from __future__ import annotations

import json
import os
import selectors
import socket
import statistics
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from rig import Rig

SECONDS = float(os.environ.get("KIBITZ_LOAD", "4"))
VIEWERS, PER_SECOND = 50, 10


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    made.house.stop()


class Viewers:
    """Many event streams read by one thread; notes when each first sees a sequence number."""

    def __init__(self, address: str, count: int) -> None:
        self.seen: list[dict[int, float]] = [{} for _ in range(count)]
        self.stop = threading.Event()
        self._selector = selectors.DefaultSelector()
        self._sockets = [self._connect(address) for _ in range(count)]
        self._rest = [b""] * count
        for n, connection in enumerate(self._sockets):
            self._selector.register(connection, selectors.EVENT_READ, n)
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    @staticmethod
    def _connect(address: str) -> socket.socket:
        parts = urlsplit(address)
        connection = socket.create_connection((parts.hostname, parts.port), 5)
        connection.sendall(f"GET /api/events HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
        return connection

    def _read(self) -> None:
        while not self.stop.is_set():
            for key, _ in self._selector.select(0.2):
                n = key.data
                data = self._rest[n] + self._sockets[n].recv(1 << 16)
                now = time.monotonic()
                *whole, self._rest[n] = data.split(b"\n\n")
                for message in whole:
                    head, _, body = message.partition(b"data: ")
                    if b"event: snapshot" in head:
                        self.seen[n].setdefault(json.loads(body)["seq"], now)

    def close(self) -> None:
        self.stop.set()
        self._thread.join()
        for connection in self._sockets:
            connection.close()


def test_fifty_viewers_and_ten_commands_a_second(rig: Rig, serve: Callable[..., str]) -> None:
    address = serve(rig.house, threads=80)
    stuck = Viewers._connect(address)  # asks and never reads
    viewers = Viewers(address, VIEWERS)
    sent: dict[int, float] = {}
    try:
        began = time.monotonic()
        for n in range(int(SECONDS * PER_SECOND)):
            time.sleep(max(0.0, began + n / PER_SECOND - time.monotonic()))
            body = json.dumps({"command": "note", "id": f"load-{n}", "player": "A", "name": f"Mina {n}"}).encode()
            request = urllib.request.Request(f"{address}/api/commands", body, {"Content-Type": "application/json"})
            before = time.monotonic()
            with urllib.request.urlopen(request, timeout=5) as answer:
                sent[json.load(answer)["seq"]] = before
        time.sleep(0.5)
    finally:
        viewers.close()
        stuck.close()
    assert sorted(sent) == list(range(2, 2 + int(SECONDS * PER_SECOND)))
    assert rig.snapshot["seq"] == max(sent)
    late = [seen[seq] - at for seen in viewers.seen for seq, at in sent.items() if seq in seen]
    assert all(max(sent) in seen for seen in viewers.seen), "a viewer did not get the newest snapshot"
    assert len(late) > 0.5 * VIEWERS * len(sent)
    p95 = statistics.quantiles(late, n=20)[-1] * 1000
    print(f"\n{len(sent)} commands, {VIEWERS} viewers: p50 {statistics.median(late) * 1000:.0f} ms, p95 {p95:.0f} ms")
    if SECONDS >= 30:  # the promise, on a machine that does nothing else; a short run beside other work only shows that it stands
        assert p95 < 200
