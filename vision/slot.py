"""A slot that holds the newest item only: late readers lose old items, never time."""

from __future__ import annotations

import threading
from typing import Generic, TypeVar

T = TypeVar("T")


class NewestSlot(Generic[T]):
    """One writer, one reader; `put` never blocks and counts what it overwrites, `take` waits for something new."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._item: T | None = None
        self._dropped = 0
        self._closed = False

    def put(self, item: T) -> None:
        with self._condition:
            if self._item is not None:
                self._dropped += 1
            self._item = item
            self._condition.notify_all()

    def take(self, timeout_s: float | None = None) -> T | None:
        """The newest item, removed from the slot; None when none came in time or the slot is closed and empty."""
        with self._condition:
            self._condition.wait_for(lambda: self._item is not None or self._closed, timeout_s)
            item, self._item = self._item, None
            return item

    def close(self) -> None:
        """Wakes the reader; what is still in the slot can be taken."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()

    @property
    def dropped(self) -> int:
        """How many items were overwritten before anyone took them."""
        with self._condition:
            return self._dropped
