"""Pictures kept as evidence: around a slap every frame, with hands and piles marked; players' own cards stay secret."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from scorer.events import make
from vision.finish import Instant
from webui.evidence import Evidence, drawn
from webui.stream import View

PILE = ((100.0, 60.0), (160.0, 60.0), (160.0, 140.0), (100.0, 140.0))
TOUCHES = (("A", 500.0, 5.0), ("B", 540.0, 6.0))


def instant(t_ms: float) -> Instant:
    return Instant(t_ms, np.full((180, 320, 3), 90, np.uint8), 0.5, (("A", 120.0, 100.0), ("?", 20.0, 20.0)), (PILE,), TOUCHES)


def view(n: int, t_ms: float, *instants: Instant) -> View:
    return View(n, t_ms, np.full((360, 640, 3), 90, np.uint8), (), (), instants)


def frames(folder: Path, kind: str) -> list[int]:
    """Times of the pictures in the strip of an event, after a second of play with three instants about a touch."""
    now = [0.0]
    evidence = Evidence(folder, clock=lambda: now[0])
    for n in range(31):
        now[0] = n / 30
        evidence.note(view(n, n * 1000 / 30, *([instant(467.0), instant(500.0), instant(533.0)] if n == 20 else [])))
    evidence.keep(1, [replace(make(kind, None, (), verdict="decided"), seq=9, t_ms=1000)])
    evidence.close()
    found = evidence.clip(1, 9)
    assert found is not None
    assert evidence.picture(1, 9, 0)
    return [frame["t_ms"] for frame in found["frames"]]


def test_a_slap_keeps_every_frame_about_the_touch(tmp_path: Path) -> None:
    times = frames(tmp_path, "slap")
    assert times[-3:] == [467, 500, 533]
    assert all(t < 467 for t in times[:-3])
    assert len(times) > 3


def test_other_events_keep_the_seconds_before_as_ever(tmp_path: Path) -> None:
    times = frames(tmp_path, "layout")
    assert 500 not in times
    assert times[-1] > 533


def test_a_kept_picture_marks_hands_and_piles_and_hides_what_is_secret() -> None:
    started = time.monotonic()
    image = cv2.imdecode(np.frombuffer(drawn(instant(520.0), (), TOUCHES).jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    plain = np.abs(image.astype(int) - 90).max(axis=2) < 12
    assert not plain[55:65, 110:150].all()  # the pile's outline
    assert not plain[92:108, 112:128].all()  # the hand's tip
    assert not plain[5:45, 5:120].all()  # the time before and after each touch
    assert plain[150:175, 200:310].all()
    rng = np.random.default_rng(1)
    noisy = Instant(0.0, rng.integers(0, 255, (180, 320, 3), np.uint8), 0.5, (), ())
    hidden = cv2.imdecode(np.frombuffer(drawn(noisy, ([[400, 200], [600, 200], [600, 340], [400, 340]],), ()).jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert hidden is not None
    assert hidden[110:160, 210:290].std() < 0.5 * hidden[10:60, 20:100].std()
    assert time.monotonic() - started < 5
