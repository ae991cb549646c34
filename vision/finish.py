"""The photo finish of a live table: hands watched at the source's full rate, and the pictures around every touch kept.

Looking for cards takes longer than a frame; hands must not wait for it. `Finish.see` is called for every frame, from the thread that
reads the source or from the pipeline's own; what it found is fetched with `take`.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.table import Zone
from vision.frame import Frame, Source, SourceState
from vision.hands import HandWatch, Touch
from vision.plane import Plane
from vision.slot import JITTER_S, NewestSlot

BEFORE_MS, AFTER_MS = 260.0, 170.0  # pictures kept around a touch
WIDTH = 640  # px of a kept picture
MOST = 90  # pictures kept at once


@dataclass(frozen=True, slots=True, eq=False)
class Instant:
    """A kept picture: `image` (h, w, 3) uint8, `scale` of it to the camera's; `tips`: (player, x, y) of hands in its pixels; `piles`: outlines in
    its pixels; `touches`: (player, t_ms, sigma_ms) known when it was handed over."""

    t_ms: float
    image: NDArray[np.uint8]
    scale: float
    tips: tuple[tuple[str, float, float], ...]
    piles: tuple[tuple[tuple[float, float], ...], ...]
    touches: tuple[tuple[str, float, float], ...] = ()


def has_piles(zones: Sequence[Zone]) -> bool:
    """Whether a game is played that needs a photo finish."""
    return any(z.kind == "spit-pile" for z in zones)


class Finish:
    """One table's hands. Calls may come from two threads."""

    def __init__(self, plane: Plane, zones: Sequence[Zone], seats: Mapping[str, str]) -> None:
        self._plane, self._zones, self._seats = plane, tuple(zones), dict(seats)
        self._lock = threading.Lock()
        self._watch: HandWatch | None = None
        self._ring: deque[Instant] = deque(maxlen=MOST)
        self._touches: list[Touch] = []
        self._kept: list[Instant] = []
        self._said: list[tuple[str, float, float]] = []
        self._until_ms = self._kept_ms = -1.0
        self._blind = False

    def place(self, plane: Plane) -> None:
        """The table lies elsewhere in the picture, or a person set it anew."""
        with self._lock:
            self._plane = plane
            if self._watch is not None:
                self._watch.place(plane)

    def set_zones(self, zones: Sequence[Zone]) -> None:
        """A person moved the zones."""
        with self._lock:
            self._zones = tuple(zones)
            if self._watch is not None:
                self._watch.set_zones(zones)

    def close_eyes(self, shut: bool) -> None:
        """The camera moves: nothing that is seen counts."""
        with self._lock:
            self._blind = shut

    def see(self, frame: Frame) -> None:
        """Take a frame."""
        with self._lock:
            if self._watch is None:
                h, w = frame.image.shape[:2]
                self._watch = HandWatch(self._plane, (w, h), self._zones, self._seats)
            touches = self._watch.see(frame)
            if self._blind:
                return
            if self._watch.busy():
                self._keep(frame)
            shown = [t for t in touches if t.player in self._seats]
            self._touches += touches
            for touch in shown:
                self._add(i for i in self._ring if i.t_ms >= touch.t_ms - BEFORE_MS)
                self._until_ms = max(self._until_ms, touch.t_ms + AFTER_MS)

    def _keep(self, frame: Frame) -> None:
        assert self._watch is not None
        scale = min(1.0, WIDTH / frame.image.shape[1])
        image = frame.image if scale == 1 else cv2.resize(frame.image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        tips = tuple((player, x * scale, y * scale) for player, x, y in self._watch.tips())
        piles = tuple(
            tuple((float(x) * scale, float(y) * scale) for x, y in self._plane.to_px(np.array(z.polygon_mm)))
            for z in self._zones
            if z.kind == "spit-pile" and z.polygon_mm
        )
        instant = Instant(float(frame.t_ms), np.asarray(image, np.uint8), scale, tips, piles)
        self._ring.append(instant)
        if frame.t_ms <= self._until_ms:
            self._add((instant,))

    def _add(self, instants: Iterable[Instant]) -> None:
        """Keep these, each once and in order."""
        for instant in instants:
            if instant.t_ms > self._kept_ms:
                self._kept.append(instant)
                self._kept_ms = instant.t_ms

    def too_dark(self) -> bool:
        """Whether the picture is too dark to rule on slaps and races."""
        with self._lock:
            return self._watch is not None and self._watch.too_dark()

    def take(self) -> tuple[tuple[Touch, ...], tuple[Instant, ...]]:
        """The touches since the last call, and the pictures around them."""
        with self._lock:
            touches, self._touches = tuple(self._touches), []
            said = [(t.player, round(t.t_ms, 1), round(t.sigma_ms, 1)) for t in touches if t.kind == "touch" and t.player in self._seats]
            self._said = [s for s in self._said if not self._kept or s[1] > self._kept[-1].t_ms - 1000] + said
            kept, self._kept = tuple(replace(i, touches=tuple(self._said)) for i in self._kept[-MOST:]), []
            return touches, kept


class EveryFrame:
    """A camera of which every frame is seen by `see`, in a thread of its own; whoever reads gets the newest few, as from the camera itself."""

    def __init__(self, source: Source, see: Callable[[Frame], None]) -> None:
        self._source, self._see = source, see
        self._slot: NewestSlot[Frame] = NewestSlot(JITTER_S)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="every frame", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        try:
            while not self._stop.is_set():
                frame = self._source.read(0.25)
                if frame is not None:
                    self._see(frame)
                    self._slot.put(frame)
                elif self._source.status().state is SourceState.ENDED:
                    return
        finally:
            self._slot.close()

    def read(self, timeout_s: float) -> Frame | None:
        """The newest frame, None where none came in time."""
        return self._slot.take(timeout_s)

    def stop(self) -> None:
        """Leave the camera to others. It stays open."""
        self._stop.set()
        self._thread.join(2.0)
