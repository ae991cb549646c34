"""A hand's cards never leave on the wire: not in events, not in the state, not in the log, not in the picture."""

from __future__ import annotations

import socket
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import cv2
import numpy as np
import pytest
from rig import Rig, wait
from scripted import deal_turns

from scorer.table import Seen, TableState

SECRET = "08-bright"


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    made.house.stop()


class Tap:
    """Everything that one address sends, as long as it is open."""

    def __init__(self, address: str, path: str) -> None:
        parts = urlsplit(address)
        self.data = b""
        self._socket = socket.create_connection((parts.hostname, parts.port), 5)
        self._socket.sendall(f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        try:
            while data := self._socket.recv(1 << 16):
                self.data += data
        except OSError:
            pass

    def close(self) -> bytes:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._socket.close()
        return self.data


def test_a_hands_cards_are_not_on_the_wire(rig: Rig, serve: Callable[..., str], tmp_path: Path) -> None:
    address = serve(rig.house)
    table = next(t for t, _ in deal_turns(1) if SECRET not in t.where)
    quad = [[20, 10], [80, 10], [80, 80], [20, 80]]
    place = {"zone": "hand-A", "zone_kind": "hand", "player": "A", "quad": quad}
    rig.look.cards = ({"id": 99, "card": SECRET, "others": [[SECRET, 0.9]], "state": "settled", **place},)
    events, video = Tap(address, "/api/events?outlines=1"), Tap(address, "/video.mjpg")
    assert wait(lambda: rig.house.stream.viewers == 1)
    noise = np.random.default_rng(1).integers(0, 255, (90, 160, 3), dtype=np.uint8)
    for _ in range(4):
        state = table.state()
        held = Seen(99, SECRET, ((SECRET, 0.9),), zone="hand-A", quad=((0, 0), (35, 0), (35, 53), (0, 53)))
        rig.look.tables.put(TableState(state.t_ms, (*state.seen, held), changes=state.changes, zones=state.zones))
        rig.source.hand(state.t_ms, noise)
        time.sleep(0.1)
    assert wait(lambda: b"outlines" in events.data and b"X-Frame: 3" in video.data)
    sent = events.close()
    for path in ("/api/state?outlines=1", "/api/history", "/api/history/1", "/api/history/1/1", "/export/1.jsonl", "/"):
        with urllib.request.urlopen(address + path, timeout=5) as answer:
            sent += answer.read()
    assert b"hand-A" in sent
    assert SECRET.encode() not in sent.replace(b"motif.08-bright", b"")
    assert SECRET.encode() not in b"".join(f.read_bytes() for f in tmp_path.rglob("*") if f.is_file())
    pictures = [p for p in video.close().split(b"\r\n\r\n") if p[:2] == b"\xff\xd8"]
    assert pictures
    with urllib.request.urlopen(address + "/frame.jpg", timeout=5) as answer:
        pictures.append(answer.read())
    for jpeg in pictures:
        image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
        if image is not None:
            inside = image[14:76, 24:76].astype(int)
            assert np.abs(np.diff(inside, axis=1)).mean() < 8, "the print of a held card can be seen"
            assert np.abs(np.diff(image[:, 90:].astype(int), axis=1)).mean() > 30
