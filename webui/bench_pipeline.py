"""How the live pipeline keeps up: on the bundled clip as fast as it can, at the clip's own pace, and on a table where nothing moves."""

from __future__ import annotations

import resource
import sys
import time
from dataclasses import replace
from typing import Any

from vision.frame import Frame, SourceState
from vision.source import demo_clip, open_source

from .replay import read_table, settings_of
from .sight import Sights

PACED_S = 15.0  # of the clip looked at at its own pace
STILL_S, STILL_FPS = 6.0, 30.0


class _Still:
    """A source whose picture never changes: a table nobody touches."""

    live = False

    def __init__(self, frame: Frame, count: int, fps: float) -> None:
        self._frame, self._left, self._gap = frame, count, 1000 / fps
        self._clip = open_source(str(demo_clip()))
        self._clip.close()

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        if self._left <= 0:
            return None
        self._left -= 1
        self._frame = Frame(self._frame.index + 1, self._frame.t_ms + self._gap, self._frame.image)
        return self._frame

    def status(self) -> Any:
        status = self._clip.status()
        return replace(status, state=SourceState.LIVE if self._left > 0 else SourceState.ENDED)

    def close(self) -> None:
        self._left = 0


def pipeline() -> dict[str, Any]:
    """Frames a second unpaced, processor seconds a second at the clip's pace and when idle, frames dropped, peak memory."""
    settings = settings_of(read_table(demo_clip().parent / "table.json"))
    sights = Sights()

    source = open_source(str(demo_clip()))
    count, last = 0, None
    start = time.perf_counter()
    for sight in sights(settings, source)(source):
        if sight is not None:
            count, last = count + 1, sight.frame
    fps = count / (time.perf_counter() - start)
    assert last is not None
    seconds = last.t_ms / 1000

    source = open_source(str(demo_clip()), paced=True)
    cpu, begun = time.process_time(), time.perf_counter()
    for _ in sights(settings, source)(source):
        if time.perf_counter() - begun >= PACED_S:
            break
    paced = (time.process_time() - cpu) / (time.perf_counter() - begun)
    dropped = source.status().dropped
    source.close()

    still = _Still(last, round(STILL_S * STILL_FPS), STILL_FPS)
    look = sights(settings, still)
    sight_iterator = look(still)
    for _ in range(round(STILL_FPS * 2)):  # the first seconds are spent reading the cards
        next(sight_iterator, None)
    cpu = time.process_time()
    left = sum(1 for _ in sight_iterator)
    idle = (time.process_time() - cpu) / (left / STILL_FPS)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "pipeline_fps": round(fps, 1), "clip_fps": round(count / seconds, 1), "cpu_s_per_s": round(paced, 2), "dropped": dropped,
        "idle_cpu_s_per_s": round(idle, 2), "rss_mb": round(peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)),
    }  # fmt: skip
