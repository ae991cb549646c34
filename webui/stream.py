"""The picture as motion JPEG, encoded once for everybody and only while somebody looks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.finish import Instant

BOUNDARY = "frame"
Quad = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class View:
    """One processed frame as the pages see it.

    image: (H, W, 3) uint8 BGR; cards: dicts {id, card, others, quad, state, zone, player} with `quad` in pixels of the
    image, clockwise from the card's own top-left corner; hidden: quads or polygons in pixels whose content is a player's
    secret, blurred before anything leaves the house; instants: pictures around a hand's touch, kept as evidence.
    """

    index: int
    t_ms: float
    image: npt.NDArray[np.uint8]
    cards: tuple[dict[str, Any], ...] = ()
    hidden: tuple[Quad, ...] = ()
    instants: tuple[Instant, ...] = ()


def blur_hidden(image: npt.NDArray[np.uint8], polygons: Sequence[Quad]) -> npt.NDArray[np.uint8]:
    """A copy in which the polygons (pixels) show only a few coarse blocks: a card's number cannot be read from them."""
    if not polygons:
        return image
    height, width = image.shape[:2]
    small = cv2.resize(image, (max(1, width // 40), max(1, height // 40)), interpolation=cv2.INTER_AREA)
    coarse = cv2.resize(small, (width, height), interpolation=cv2.INTER_NEAREST)
    mask = np.zeros((height, width), np.uint8)
    for polygon in polygons:
        cv2.fillPoly(mask, [np.round(np.asarray(polygon, np.float64)).astype(np.int32)], 255)
    out = image.copy()
    out[mask > 0] = coarse[mask > 0]
    return out


class Stream:
    """The newest processed frame, and its JPEG for whoever looks at it.

    The pipeline calls `show` for every frame, which costs a pointer; encoding happens in a viewer's thread, once a frame,
    at most `fps` times a second.
    """

    def __init__(self, *, width: int = 960, quality: int = 72, fps: float = 12.0, max_viewers: int = 64) -> None:
        self._width, self._quality, self._gap = width, quality, 1.0 / fps
        self._max_viewers = max_viewers
        self._view: View | None = None
        self._jpeg: tuple[int, bytes] | None = None
        self._shown = 0
        self._viewers = 0
        self._closed = False
        self._changed = threading.Condition()
        self._encoding = threading.Lock()
        self.on_enter: Callable[[], None] = lambda: None  # somebody began to look

    @property
    def viewers(self) -> int:
        return self._viewers

    @property
    def view(self) -> View | None:
        return self._view

    def show(self, view: View) -> None:
        with self._changed:
            self._view = view
            self._shown += 1
            if self._viewers:
                self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def picture(self, *, width: int | None = None, quality: int | None = None) -> tuple[View, bytes] | None:
        """The newest frame as one JPEG, at full size unless told otherwise; None before the first frame."""
        view = self._view
        return None if view is None else (view, self._encode(view, width, quality or 85))

    def _encode(self, view: View, width: int | None, quality: int) -> bytes:
        image = blur_hidden(view.image, view.hidden)
        if width and image.shape[1] > width:
            height = round(image.shape[0] * width / image.shape[1])
            image = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA).astype(np.uint8)
        ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
        if not ok:
            raise ValueError(f"a frame of shape {view.image.shape} does not encode as JPEG")
        return data.tobytes()

    def _shared_jpeg(self, shown: int, view: View) -> bytes:
        with self._encoding:
            if self._jpeg is None or self._jpeg[0] != shown:
                self._jpeg = (shown, self._encode(view, self._width, self._quality))
            return self._jpeg[1]

    def enter(self) -> Iterator[bytes] | None:
        """The parts of a multipart/x-mixed-replace answer, or None when too many look already."""
        with self._changed:
            if self._viewers >= self._max_viewers:
                return None
            self._viewers += 1
        self.on_enter()
        return _Viewer(self, self._parts())

    def _parts(self) -> Iterator[bytes]:
        seen, earliest = 0, 0.0
        while True:
            with self._changed:
                while self._shown == seen and not self._closed:
                    # A page that is gone is noticed only by writing to it, so the last picture is repeated now and then.
                    if not self._changed.wait(1.0):
                        break
                if self._closed:
                    return
            pause = earliest - time.monotonic()
            if pause > 0:
                time.sleep(pause)
            earliest = time.monotonic() + self._gap
            with self._changed:
                seen, view = self._shown, self._view
            if view is None:
                yield f"--{BOUNDARY}\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n\r\n".encode()
                continue
            jpeg = self._shared_jpeg(seen, view)
            height, width = view.image.shape[:2]
            head = (
                f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n"
                f"X-Frame: {view.index}\r\nX-Time-Ms: {view.t_ms:.1f}\r\nX-Size: {width}x{height}\r\n\r\n"
            )
            yield head.encode() + jpeg + b"\r\n"

    def _left(self) -> None:
        with self._changed:
            self._viewers -= 1


class _Viewer(Iterator[bytes]):
    def __init__(self, stream: Stream, parts: Iterator[bytes]) -> None:
        self._stream, self._parts, self._open = stream, parts, True

    def __next__(self) -> bytes:
        return next(self._parts)

    def close(self) -> None:
        if self._open:
            self._open = False
            self._stream._left()

    def __del__(self) -> None:
        self.close()
