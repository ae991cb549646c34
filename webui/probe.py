"""Trying a camera before it is used: does it answer, how big and how often are its pictures, how late."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from vision.source import open_source

SECONDS = 3.0


def probe(spec: str, *, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic) -> Mapping[str, Any]:
    """Open the source, read for some seconds, close it.

    `first_ms`: from asking to the first picture; `gap_ms`: the longest wait between two pictures, which is what a player feels
    as delay. Raises KibitzError in one plain line where the source does not answer.
    """
    began = clock()
    source = open_source(spec, paced=True)
    try:
        first: float | None = None
        last, gap, count = began, 0.0, 0
        while clock() - began < seconds:
            frame = source.read(0.5)
            if frame is None:
                if source.status().state == "ended":
                    break
                continue
            now = clock()
            if first is None:
                first = now - began
            else:
                gap = max(gap, now - last)
            last, count = now, count + 1
        status = source.status()
    finally:
        source.close()
    return {
        "kind": status.kind, "size": list(status.size) if status.size else None, "frames": count, "dropped": status.dropped,
        "torn": status.torn, "fps": status.fps or round(count / seconds, 1),
        "first_ms": None if first is None else round(first * 1000), "gap_ms": round(gap * 1000), "problem": status.problem,
    }  # fmt: skip
