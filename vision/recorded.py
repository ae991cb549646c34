"""Sources that wait: clips and pictures. Every frame comes, in order, with the time it was taken at."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from scorer.errors import KibitzError
from vision.camera import Image
from vision.frame import Frame, SourceState, SourceStatus

Clock = Callable[[], float]

_PICTURE_FPS = 10.0
_LATE_S = 0.25  # a reader that falls further behind is not chased


class _Waiting:
    """The waiting side of files: every frame in order, handed over at its own pace when `paced`."""

    live = False

    def __init__(self, kind: str, name: str, paced: bool, clock: Clock) -> None:
        self.kind = kind
        self.name = name
        self._paced = paced
        self._clock = clock
        self._lock = threading.Lock()
        self._given = 0
        self._torn = 0
        self._fps: float | None = None
        self._size: tuple[int, int] | None = None
        self._ahead: Frame | None = None  # decoded, not yet due
        self._due_s: float | None = None
        self._last_t_ms = 0.0
        self._ended = False

    def _next(self) -> Frame | None:
        raise NotImplementedError

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        with self._lock:
            if self._ended:
                return None
            if self._ahead is None:
                self._ahead = self._next()
                if self._ahead is None:
                    self._end()
                    return None
                self._schedule(self._ahead)
            if self._due_s is not None:
                wait = self._due_s - self._clock()
                if wait > timeout_s:
                    time.sleep(max(0.0, timeout_s))
                    return None
                if wait > 0:
                    time.sleep(wait)
            frame, self._ahead = self._ahead, None
            self._given += 1
            self._size = (frame.image.shape[1], frame.image.shape[0])
            return frame

    def _schedule(self, frame: Frame) -> None:
        """When this frame is due: as long after the last as the clip says."""
        if not self._paced:
            return
        now = self._clock()
        step = (frame.t_ms - self._last_t_ms) / 1000 if self._due_s is not None else 0.0
        due = (self._due_s if self._due_s is not None else now) + step
        self._due_s = due if now - due < _LATE_S else now
        self._last_t_ms = frame.t_ms

    def status(self) -> SourceStatus:
        state = SourceState.ENDED if self._ended else SourceState.LIVE if self._given else SourceState.OPENING
        return SourceStatus(self.kind, self.name, state, self._given, 0, self._torn, 0, self._fps, self._size)

    def _end(self) -> None:
        self._ended = True

    def close(self) -> None:
        with self._lock:
            self._end()


class ClipSource(_Waiting):
    """A video file. Time is the container's time stamp of each frame, index / fps where there is none."""

    def __init__(self, path: Path, *, name: str | None = None, paced: bool = False, clock: Clock = time.monotonic) -> None:
        """Raises KibitzError `video-unreadable`."""
        super().__init__("clip", name or str(path), paced, clock)
        self._capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
        self._index = 0
        self._stamp = 0.0
        fps = float(self._capture.get(cv2.CAP_PROP_FPS)) if self._capture.isOpened() else 0.0
        self._rate = fps if math.isfinite(fps) and 0 < fps < 1000 else 30.0
        self._fps = self._rate
        self._ahead = self._next()
        if self._ahead is None:
            self._capture.release()
            why = "is empty" if path.stat().st_size == 0 else "cannot be read as a video (cut off, or of another kind)"
            raise KibitzError("video-unreadable", f"{path} {why}: record or copy it again, as MP4 or WebM", path=str(path))
        self._schedule(self._ahead)

    def _next(self) -> Frame | None:
        while True:
            try:
                ok, image = self._capture.read()
            except cv2.error:
                ok, image = False, None
            if not ok:
                return None
            if image is not None and image.ndim == 3:
                break
        index, self._index = self._index, self._index + 1
        stamp = float(self._capture.get(cv2.CAP_PROP_POS_MSEC))
        known = math.isfinite(stamp) and (stamp > self._stamp if index else stamp >= 0)
        self._stamp = stamp if known else (self._stamp + 1000 / self._rate if index else 0.0)
        return Frame(index, self._stamp, np.asarray(image, np.uint8))

    def _end(self) -> None:
        super()._end()
        self._capture.release()


class PictureSource(_Waiting):
    """Pictures, each shown for `hold_ms` at ten frames a second, so that a tracker made for video can settle on each."""

    def __init__(
        self, paths: tuple[Path, ...], *, name: str, hold_ms: float = 2000.0, paced: bool = False, clock: Clock = time.monotonic
    ) -> None:
        """Raises KibitzError `picture-unreadable` where not one of them can be read."""
        super().__init__("pictures", name, paced, clock)
        self._fps = _PICTURE_FPS
        self._repeat = max(1, round(hold_ms * _PICTURE_FPS / 1000))
        self._frames = self._all(paths)
        self._ahead = self._next()
        if self._ahead is None:
            if len(paths) == 1:
                read_picture(paths[0])
            raise KibitzError("picture-unreadable", f"none of the {len(paths)} pictures in {name} can be read: copy them again", path=name)
        self._schedule(self._ahead)

    def _all(self, paths: tuple[Path, ...]) -> Iterator[Frame]:
        index = 0
        for path in paths:
            try:
                image = read_picture(path, as_stored=False)
            except KibitzError:
                self._torn += 1
                continue
            for _ in range(self._repeat):
                yield Frame(index, index * 1000 / _PICTURE_FPS, image)
                index += 1

    def _next(self) -> Frame | None:
        return next(self._frames, None)


def read_picture(path: Path | str, *, as_stored: bool = True) -> Image:
    """A picture as (H, W, 3) uint8 BGR, without regard to its rotation mark when `as_stored`, upright otherwise.

    Raises KibitzError `file-missing` or `picture-unreadable`.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise KibitzError("file-missing", f"{path} is not there: check the name", path=str(path)) from error
    except OSError as error:
        raise KibitzError("picture-unreadable", f"{path} cannot be read ({error.strerror}): check its rights", path=str(path)) from error
    image: Any = None
    if data:
        try:
            flags = cv2.IMREAD_COLOR | (cv2.IMREAD_IGNORE_ORIENTATION if as_stored else 0)
            image = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
        except cv2.error:  # larger than OpenCV takes
            image = None
    if image is None:
        why = "is empty" if not data else "is no whole picture of a kind that is read here"
        mend = "copy it again, or save it as JPEG or PNG"
        if data[4:12] in (b"ftypheic", b"ftypheix", b"ftypmif1"):
            why, mend = "is a HEIC picture", "save it as JPEG (iPhone: Settings, Camera, Formats, Most Compatible)"
        raise KibitzError("picture-unreadable", f"{path} {why}: {mend}", path=str(path))
    return np.asarray(image, np.uint8)
