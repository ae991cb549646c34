"""What waits for the writer: people's commands, none of which is ever dropped, and the newest table state only."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scorer.table import TableState

from .house import Reply

CAPACITY = 64


@dataclass(frozen=True, slots=True)
class Sighting:
    """A table state on the match's clock, and when its frame was handed over (for the latency that `/api/health` shows)."""

    table: TableState
    frame: int
    seen_s: float


@dataclass(slots=True)
class Order:
    """A command and the answer its sender waits for."""

    command: Mapping[str, Any]
    _answered: threading.Event = field(default_factory=threading.Event)
    _reply: Reply | None = None

    def answer(self, reply: Reply) -> None:
        self._reply = reply
        self._answered.set()

    def wait(self, timeout_s: float) -> Reply | None:
        """The answer, or None when the writer did not get to it in time (it still will: ask again with the same id)."""
        return self._reply if self._answered.wait(timeout_s) else None


class Desk:
    """Many senders, one taker. What was seen before a command was given is looked at before it; after that commands come
    first, since a person waits for each."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._orders: deque[Order] = deque()
        self._sighting: Sighting | None = None
        self._capacity = capacity
        self._nudged = False
        self._looked = False
        self._closed = False
        self._changed = threading.Condition()

    def order(self, command: Mapping[str, Any]) -> Order | None:
        """Put a command in the queue; None when it is full or the desk is closed."""
        with self._changed:
            if self._closed or len(self._orders) >= self._capacity:
                return None
            order = Order(command)
            self._orders.append(order)
            self._changed.notify()
            return order

    def see(self, sighting: Sighting) -> None:
        """Leave the newest table state. An older one that nobody took is worth nothing: states are absolute."""
        with self._changed:
            self._sighting = sighting
            self._changed.notify()

    def nudge(self) -> None:
        """Something beside the table changed (the camera's state): publish."""
        with self._changed:
            self._nudged = True
            self._changed.notify()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify()

    def take(self, timeout_s: float) -> Order | Sighting | None:
        """The next thing to do; None when there is only a nudge, nothing in time, or the desk is closed and empty."""
        with self._changed:
            until = time.monotonic() + timeout_s
            while not (self._orders or self._sighting or self._nudged or self._closed):
                left = until - time.monotonic()
                if left <= 0:
                    return None
                self._changed.wait(left)
            self._nudged = False
            if self._orders and (self._looked or self._sighting is None):
                self._looked = False
                return self._orders.popleft()
            sighting, self._sighting = self._sighting, None
            self._looked = sighting is not None
            return sighting

    @property
    def closed(self) -> bool:
        return self._closed and not self._orders and self._sighting is None
