"""A frame, the state of what it came from, and what every source offers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from vision.camera import Image


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """`index` counts the source's frames from 0 (dropped ones too); `t_ms` is its time; `image` is (H, W, 3) uint8 BGR."""

    index: int
    t_ms: float
    image: Image


class SourceState(StrEnum):
    OPENING = "opening"
    LIVE = "live"
    LOST = "lost"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """What a page shows of a source. `problem` is the code of the last fault while lost; `words` say it in English, with the mend."""

    kind: str  # usb, mjpeg, rtsp, phone, clip, pictures
    name: str
    state: SourceState
    frames: int = 0  # captured so far
    dropped: int = 0  # captured, but overtaken by a newer one before anyone took it
    torn: int = 0  # cut off or unreadable
    losses: int = 0  # how often it went away
    fps: float | None = None
    size: tuple[int, int] | None = None  # width, height of the last frame in pixels
    problem: str | None = None
    words: str | None = None


class Source(Protocol):
    """What the pipeline reads from. `live` says whether frames may be dropped (a camera) or wait (a file)."""

    live: bool

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """The next frame; None when none came in time or the source has ended (see `status().state`)."""

    def status(self) -> SourceStatus: ...

    def close(self) -> None: ...


def frames(source: Source) -> Iterator[Frame]:
    """Every frame until the source ends or is closed; waits through losses of a camera."""
    while True:
        frame = source.read(1.0)
        if frame is not None:
            yield frame
        elif source.status().state is SourceState.ENDED:
            return
