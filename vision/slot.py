"""A slot for the newest items only: late readers lose old items, never time."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

JITTER_S = 0.05  # of a reader whose every third frame takes longer than a frame's time: none is lost, and none is noticed late


class NewestSlot(Generic[T]):
    """One writer, one reader; `put` never blocks and counts what it drops, `take` waits for something new.

    patience_s: items that came so shortly before the newest are kept, in order, so that a reader which is quick enough on average
    loses nothing; 0 keeps the newest alone.
    """

    def __init__(self, patience_s: float = 0.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._condition = threading.Condition()
        self._items: deque[tuple[float, T]] = deque()
        self._patience_s, self._clock = patience_s, clock
        self._dropped = 0
        self._closed = False

    def put(self, item: T) -> None:
        with self._condition:
            now = self._clock()
            while self._items and now - self._items[0][0] >= self._patience_s:
                self._items.popleft()
                self._dropped += 1
            self._items.append((now, item))
            self._condition.notify_all()

    def take(self, timeout_s: float | None = None) -> T | None:
        """The next item, removed from the slot; None when none came in time or the slot is closed and empty."""
        with self._condition:
            self._condition.wait_for(lambda: self._items or self._closed, timeout_s)
            return self._items.popleft()[1] if self._items else None

    def close(self) -> None:
        """Wakes the reader; what is still in the slot can be taken."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()

    @property
    def dropped(self) -> int:
        """How many items were dropped before anyone took them."""
        with self._condition:
            return self._dropped
