"""Server-sent events: one publisher, many readers, and no reader ever slows the publisher or another reader.

There is no queue per client that could fill. The hub keeps the newest message of every *state* type (a snapshot is
absolute, so an older one is worth nothing) and a short ring of *log* messages (each matters once). A client is only a
cursor into them: whoever is slow skips to the newest state and, when the ring has moved on, is told so by the state itself.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

HEARTBEAT_S = 5.0
RING = 256


def encode(data: object) -> bytes:
    """JSON as UTF-8 on one line; strict, so that no NaN reaches a browser that cannot parse it."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


class HubFull(RuntimeError):
    """Every place for a long-lived reader is taken."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `private` holds what one seat alone may read, in place of `data`."""

    number: int
    type: str
    data: bytes
    private: Mapping[str, bytes]

    def wire(self, epoch: str, seat: str | None, *, with_id: bool) -> bytes:
        body = self.private.get(seat, self.data) if seat is not None else self.data
        head = f"id: {epoch}-{self.number}\n" if with_id else ""
        return f"{head}event: {self.type}\ndata: ".encode() + body + b"\n\n"


class Hub:
    """Publish from one thread (or several); read from as many as `max_clients`.

    Message ids are `<epoch>-<number>`; the epoch is new at every start of the programme, so that a browser that kept
    an id from before a restart gets a snapshot and not a gap.
    """

    def __init__(self, *, ring: int = RING, max_clients: int = 96, heartbeat_s: float = HEARTBEAT_S) -> None:
        self.epoch = secrets.token_hex(4)
        self._ring: deque[Message] = deque(maxlen=ring)
        self._latest: dict[str, Message] = {}
        self._volatile: set[str] = set()
        self._number = 0
        self._clients = 0
        self._max_clients = max_clients
        self._heartbeat_s = heartbeat_s
        self._closed = False
        self._changed = threading.Condition()

    @property
    def clients(self) -> int:
        return self._clients

    @property
    def number(self) -> int:
        """The number of the newest message."""
        return self._number

    def state(self, type: str, data: object, private: Mapping[str, object] | None = None, *, volatile: bool = False) -> int:
        """Replace the state of this type. `volatile`: it carries no id, since nobody goes on from it (outlines of one frame)."""
        return self._publish(type, data, private or {}, is_state=True, volatile=volatile)

    def log(self, type: str, data: object) -> int:
        """Something that happened once. Kept in the ring, replayed after a lost connection."""
        return self._publish(type, data, {}, is_state=False, volatile=False)

    def _publish(self, type: str, data: object, private: Mapping[str, object], *, is_state: bool, volatile: bool) -> int:
        body = encode(data)
        own = {seat: encode(value) for seat, value in private.items()}
        with self._changed:
            self._number += 1
            message = Message(self._number, type, body, own)
            if is_state:
                self._latest[type] = message
                if volatile:
                    self._volatile.add(type)
            else:
                self._ring.append(message)
            self._changed.notify_all()
            return self._number

    def close(self) -> None:
        """End every stream; the readers' generators return."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _cursor(self, last_id: str | None) -> int:
        """Where a reader who last saw `last_id` goes on. A stranger starts with the state and no old log."""
        epoch, _, number = (last_id or "").rpartition("-")
        if epoch == self.epoch and number.isascii() and number.isdigit() and int(number) <= self._number:
            return int(number)
        return -1

    def _after(self, cursor: int, newest_log: int, want: frozenset[str] | None) -> list[Message]:
        fresh = []
        for m in reversed(self._ring):
            if m.number <= newest_log:
                break
            if want is None or m.type in want:
                fresh.append(m)
        fresh += [m for m in self._latest.values() if m.number > cursor and (want is None or m.type in want)]
        fresh.sort(key=lambda m: m.number)
        return fresh

    def subscribe(
        self, last_id: str | None = None, *, types: frozenset[str] | None = None, seat: str | None = None
    ) -> Iterator[bytes]:
        """Bytes for the wire until the hub closes or the reader goes away. Raises HubFull at once, not on the first read."""
        with self._changed:
            if self._clients >= self._max_clients:
                raise HubFull
            self._clients += 1
        return _Reader(self, self._read(last_id, types, seat))

    def _read(self, last_id: str | None, types: frozenset[str] | None, seat: str | None) -> Iterator[bytes]:
        yield b"retry: 1000\n\n"
        with self._changed:
            start = self._cursor(last_id)
            log_from = start if start >= 0 else self._number
            # Always the full state on connect, even where the browser says that it has seen it: redraw, never patch.
            batch = self._after(-1, log_from, types)
            cursor = self._number
        while True:
            for message in batch:
                yield message.wire(self.epoch, seat, with_id=message.type not in self._volatile)
            silent_until = time.monotonic() + self._heartbeat_s
            with self._changed:
                batch = self._after(cursor, cursor, types)
                while not batch and not self._closed and (left := silent_until - time.monotonic()) > 0:
                    cursor = self._number
                    self._changed.wait(left)
                    batch = self._after(cursor, cursor, types)
                cursor = self._number
                if self._closed:
                    return
            if not batch:
                yield b"event: beat\ndata: {}\n\n"

    def _left(self) -> None:
        with self._changed:
            self._clients -= 1


class _Reader(Iterator[bytes]):
    """Gives the client's place back exactly once, whether the stream was read or never started."""

    def __init__(self, hub: Hub, messages: Iterator[bytes]) -> None:
        self._hub, self._messages, self._open = hub, messages, True

    def __next__(self) -> bytes:
        return next(self._messages)

    def close(self) -> None:
        if self._open:
            self._open = False
            self._hub._left()

    def __del__(self) -> None:
        self.close()
