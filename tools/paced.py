"""The bundled clip as a camera would give it: at a camera's rate, the newest frame only, each with the moment it was handed over."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.frame import Frame, SourceState, SourceStatus
from vision.slot import JITTER_S, NewestSlot
from vision.source import demo_clip
from webui.replay import read_table, settings_of
from webui.settings import Settings

FPS = 30.0


def every_capture_scores() -> Settings:
    """The clip's table under house rules in which each captured card is worth a point at once and nobody may stop: a changed number
    for every capture, as many as a clip can give."""
    rules = {"junk_from": 1, "animal_from": 1, "ribbon_from": 1, "target_two": 99}
    return replace(settings_of(read_table(demo_clip().parent / "table.json")), overrides=rules)


def images(clip: Path, fps: float) -> Iterator[np.ndarray[Any, Any]]:
    """The clip's pictures at `fps`, at the clip's own speed: shown twice where a camera is twice as fast."""
    capture = cv2.VideoCapture(str(clip))
    own, due, index = capture.get(cv2.CAP_PROP_FPS), 0.0, -1
    image = None
    try:
        while True:
            while index < int(due):
                ok, image = capture.read()
                index += 1
                if not ok:
                    return
            assert image is not None
            yield image.astype(np.uint8, copy=False)
            due += own / fps
    finally:
        capture.release()


class Paced:
    """A live source. `handed` holds, per frame, when it was there to be taken (seconds of `time.time`, the page's own clock)."""

    live = True

    def __init__(self, clip: Path, fps: float = FPS, *, loop: bool = False) -> None:
        self._clip, self._fps, self._loop = clip, fps, loop
        self._slot: NewestSlot[Frame] = NewestSlot(JITTER_S)
        self._stop = threading.Event()
        self._state = SourceState.LIVE
        self.handed: list[float] = []
        self.taken = 0
        self.begin = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        self.begin.wait()
        start = time.monotonic()
        while not self._stop.is_set():
            for image in images(self._clip, self._fps):
                n = len(self.handed)
                if self._stop.wait(max(0.0, start + n / self._fps - time.monotonic())):
                    return
                self.handed.append(time.time())
                self._slot.put(Frame(n, n * 1000 / self._fps, image))
            if not self._loop:
                break
        self._state = SourceState.ENDED
        self._slot.close()

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        frame = self._slot.take(timeout_s)
        self.taken += frame is not None
        return frame

    def status(self) -> SourceStatus:
        return SourceStatus("clip", self._clip.name, self._state, frames=len(self.handed), dropped=self._slot.dropped)

    def close(self) -> None:
        self._stop.set()
        self.begin.set()
        self._slot.close()
