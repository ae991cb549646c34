"""Touches told by camera, on simulated slaps whose truth is exact; every fault that was found is a row."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import cache
from typing import Any

import cv2
import numpy as np
import pytest

from datasets import simulate_slaps as sim
from datasets.art import load_deck
from scorer.games.spit.touch import Touch, TouchRules, in_order
from scorer.table import Zone
from vision.finish import EveryFrame, Finish, has_piles
from vision.frame import Frame, SourceState, SourceStatus
from vision.hands import HandWatch, stopped_by_table
from vision.plane import plane_from_corners
from vision.silhouette import Silhouettes
from vision.table_state import TableView
from vision.touch_fit import fit_contact, reach

cv2.setNumThreads(1)


@cache
def place(seed: int, light: str) -> sim.Scene:
    return sim.scene(seed, light, art=load_deck(sim.OWN_ART))


def touches(clip: sim.Clip) -> list[Any]:
    camera = clip.scene.renderer.camera
    eye = HandWatch(clip.scene.plane, (camera.width, camera.height), clip.scene.zones, sim.SEATS)
    return [t for frame in clip.frames() for t in eye.see(frame) if t.zone in ("L", "R")]


# scene, clip, frames a second, gap (None: as the seed has it), verdict
SLAPS = [
    pytest.param(100003, 100003, 30, 60.0, "A", id="clear"),
    pytest.param(100003, 100014, 30, 2.0, "too-close", id="together"),
    pytest.param(100003, 100011, 60, 40.0, "A", id="60 frames"),
    pytest.param(100006, 100041, 30, None, None, id="bare arms of one colour meet: the hand is not taken for its own forearm"),
    pytest.param(100004, 100017, 30, None, None, id="a grey sleeve on grey cloth is no shadow that parts a hand from its arm"),
    pytest.param(80102436, 80102733, 30, None, None, id="a hand whose sleeve looks like cloth joins the rival's silhouette, and is no rival's"),
    pytest.param(80102452, 80102893, 30, None, None, id="the same where the rival comes later"),
    pytest.param(80102433, 80102703, 30, None, None, id="a hand at rest is not carried off by the rival's that joins its silhouette"),
    pytest.param(710121314, 710121414, 30, None, None, id="brown skin on yellow wood is no shadow"),
    pytest.param(711121336, 711121368, 30, None, None, id="a short reach, whose two frames show half of its speed, does not hover"),
    pytest.param(711121343, 711121435, 30, None, None, id="the same on the other pile"),
    pytest.param(80102416, 80102534, 30, None, None, id="a sleeve is not taken for the dark hand before it that is hardly seen"),
    pytest.param(900227027, 900227027, 30, None, None, id="light skin on a peach cloth hides its weave"),
]


@pytest.mark.parametrize(("table", "seed", "fps", "gap", "verdict"), SLAPS)
def test_slaps_are_seen_and_put_in_order(table: int, seed: int, fps: float, gap: float | None, verdict: str | None) -> None:
    clip = sim.slap(place(table, "good"), seed, fps, gap_ms=gap)
    found = {t.player: t for t in reversed([t for t in touches(clip) if t.kind == "touch"])}
    truth = {t.player: t for t in clip.touches}
    assert set(found) == set(truth)
    for player, touch in truth.items():
        assert found[player].zone == touch.pile
        assert abs(found[player].t_ms - touch.t_ms) < 3.5 * found[player].sigma_ms
        assert found[player].sigma_ms < 14
    if verdict is not None:
        a, b = (Touch(p, found[p].t_ms, sigma_ms=found[p].sigma_ms) for p in "AB")
        assert {True: "A", False: "B", None: "too-close"}[in_order(a, b, TouchRules())] == verdict


# scene, clip, frames a second
RACES = [
    pytest.param(500115006, 500115037, 30, id="a parted sleeve joins the fingers on the pile to a hand that waits",
                 marks=pytest.mark.xfail(reason="a hand that loses its front over the pile is timed 22 ms early, 3.7 deviations where 3.5 are allowed")),
    pytest.param(80302425, 80302569, 60, id="two hands that are hardly seen meet"),
    pytest.param(730221916, 730271948, 30, id="a hand is looked for where it was going, and is not the sleeve that came off it"),
    pytest.param(730221916, 730271947, 30, id="a hand that nothing stopped is not timed to four milliseconds"),
    pytest.param(80302409, 80302411, 60, id="the front of a hand joins the rival's silhouette, which jumps"),
]


@pytest.mark.parametrize(("table", "seed", "fps"), RACES)
def test_races_are_timed(table: int, seed: int, fps: float) -> None:
    clip = sim.race(place(table, "good"), seed, fps)
    found = {t.player: t for t in reversed(touches(clip))}
    for touch in clip.touches:
        assert found[touch.player].zone == touch.pile
        assert abs(found[touch.player].t_ms - touch.t_ms) < 3.5 * found[touch.player].sigma_ms


@pytest.mark.parametrize("cause", ["hover", "shadow", "sleeve", "third"])
def test_what_is_no_slap_gives_none(cause: str) -> None:
    found = touches(sim.nothing(place(100003, "good"), 100011, cause))
    assert not [t for t in found if t.kind == "touch" and t.player in sim.SEATS]
    if cause == "third":
        assert [t.player for t in found if t.kind == "touch"] == ["?"]
    if cause == "shadow":
        assert not found


def _path(share: float, span: float, contact: float, fps: float, way: float = 250.0) -> tuple[np.ndarray, np.ndarray]:
    """Times and places of a reach that is stopped at `share` of its time (1: by itself), and lies still after."""
    t = np.arange(contact - 200 + 7.0, contact + 75, 1000 / fps)
    place = way * reach(np.minimum(share, share + (t - contact) / span)) / float(reach(np.array(share)))
    if share < 1:
        place = np.where(t > contact, way + 12 * (1 - np.exp((contact - t) / 5.0)), place)
    return t, place


@pytest.mark.parametrize("fps", [30, 60, 120])
@pytest.mark.parametrize("share", [0.5, 0.6, 0.7])
def test_a_hit_is_timed_between_frames(fps: float, share: float) -> None:
    t, place_mm = _path(share, 210.0, 1000.0, fps)
    found = fit_contact(t, place_mm)
    assert found is not None
    assert abs(found.t_ms - 1000) < 2 * found.sigma_ms + 1
    assert found.sigma_ms < (11 if fps == 30 else 6)
    assert stopped_by_table(found)


@pytest.mark.parametrize("span", [240.0, 300.0, 400.0])
def test_a_hand_that_stops_by_itself_is_no_hit(span: float) -> None:
    t, place_mm = _path(1.0, span, 1000.0, 30, 200.0)
    found = fit_contact(t, place_mm)
    assert found is None or not stopped_by_table(found)


# scene, clip, cause
STILL = [
    pytest.param(742522276, 742522287, "hover", id="a quick hand that slows down by itself"),
    pytest.param(742522282, 742522345, "sleeve", id="a hand whose start was not seen"),
    pytest.param(920127604, 920127607, "hover", id="an outline left over where an arm drew back is no hand that moved"),
]


@pytest.mark.parametrize(("table", "seed", "cause"), STILL)
def test_speed_alone_makes_no_slap(table: int, seed: int, cause: str) -> None:
    found = touches(sim.nothing(place(table, "good"), seed, cause))
    assert not [t for t in found if t.kind == "touch" and t.player in sim.SEATS]


def test_too_little_is_no_contact() -> None:
    assert fit_contact(np.array([0.0, 33.0]), np.array([0.0, 50.0])) is None
    assert fit_contact(np.arange(6) * 33.0, np.zeros(6)) is None


PLANE = plane_from_corners([(20, 20), (620, 20), (620, 340), (20, 340)], (800.0, 427.0))


def _cloth(seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.clip(110 + cv2.GaussianBlur(rng.normal(0, 30, (360, 640, 3)).astype(np.float32), (0, 0), 1.2), 0, 255).astype(np.uint8)


def _see(*pictures: np.ndarray) -> Any:
    eye = Silhouettes(PLANE, (640, 360))
    return [eye.see(picture, n * 33.0) for n, picture in enumerate(pictures)][-1]


def test_an_arm_belongs_to_the_edge_it_reaches_over_whatever_its_colour() -> None:
    for colour in ((40, 60, 98), (200, 221, 247), (60, 200, 60)):
        cloth = _cloth()
        picture = cloth.copy()
        cv2.rectangle(picture, (300, 200), (350, 359), colour, -1)
        seen = _see(cloth, cloth, picture)
        assert [arm.sides for arm in seen.arms] == ["S"]
        assert np.allclose(seen.arms[0].tip, PLANE.to_mm((325, 200)), atol=12)


def test_a_shadow_is_no_arm_and_slow_light_is_followed() -> None:
    cloth = _cloth()
    dark = np.zeros((360, 640, 1), np.float32)
    dark[150:, 280:360] = 0.45
    shadow = np.clip(cloth * (1 - cv2.GaussianBlur(dark, (0, 0), 4)[..., None]), 0, 255).astype(np.uint8)
    assert not _see(cloth, cloth, shadow).arms
    fading = [np.clip(cloth * (1 - 0.004 * k), 0, 255).astype(np.uint8) for k in range(60)]
    assert not _see(*fading).arms


def test_a_card_laid_down_is_background_soon() -> None:
    cloth = _cloth()
    card = cloth.copy()
    cv2.rectangle(card, (300, 150), (350, 220), (245, 245, 245), -1)
    assert _see(cloth, cloth, card).arms
    assert not _see(cloth, cloth, *[card] * 9).arms


def test_touches_go_into_the_journal_at_once() -> None:
    view = TableView((Zone("L", "spit-pile"),))
    view.touch(1234.4, "L", "A", 5.126)
    view.touch(1240.0, "L", "B", 6.0, "reach")
    state = view.tick(1300, ("A",), False)
    assert [(c.kind, c.t_ms, c.player, c.to_zone, c.sigma_ms) for c in state.changes] == [
        ("touch", 1234, "A", "L", 5.13), ("reach", 1240, "B", "L", 6.0)]  # fmt: skip


@pytest.mark.parametrize(("light", "dark"), [("good", False), ("dim", True)])
def test_a_picture_too_dark_to_rule_on_slaps_is_told(light: str, dark: bool) -> None:
    clip = sim.slap(place(100003, light), 100003, 30)
    finish = Finish(clip.scene.plane, clip.scene.zones, sim.SEATS)
    assert not finish.too_dark()
    for frame in clip.frames():
        finish.see(frame)
    assert finish.too_dark() == dark


def test_every_frame_around_a_touch_is_kept() -> None:
    clip = sim.slap(place(100003, "good"), 100003, 30, gap_ms=60.0)
    finish = Finish(clip.scene.plane, clip.scene.zones, sim.SEATS)
    times, kept, found = [], [], []
    for frame in clip.frames():
        finish.see(frame)
        times.append(frame.t_ms)
        touches_, instants = finish.take()
        found += touches_
        kept += instants
    first, last = (f(t.t_ms for t in clip.touches) for f in (min, max))
    around = [t for t in times if first - 90 <= t <= last + 150]
    assert set(around) <= {i.t_ms for i in kept}
    assert len(kept) == len({i.t_ms for i in kept})
    assert {p for p, _, _ in kept[-1].touches} == {"A", "B"}
    assert len(kept[-1].piles) == 2
    assert has_piles(clip.scene.zones)
    assert not has_piles((Zone("floor", "floor"),))


class Camera:
    """Gives twenty frames as fast as they are asked for."""

    live = True

    def __init__(self) -> None:
        self._left: Iterator[int] = iter(range(20))
        self._ended = threading.Event()

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        n = next(self._left, None)
        if n is None:
            self._ended.set()
            return None
        return Frame(n, n * 8.0, np.zeros((4, 4, 3), np.uint8))

    def status(self) -> SourceStatus:
        return SourceStatus("usb", "test", SourceState.ENDED if self._ended.is_set() else SourceState.LIVE)

    def close(self) -> None: ...


def test_hands_see_every_frame_of_a_camera_and_the_pipeline_the_newest() -> None:
    seen: list[int] = []
    camera = Camera()
    every = EveryFrame(camera, lambda frame: seen.append(frame.index))
    assert camera._ended.wait(5.0)
    got = [frame.index for frame in iter(lambda: every.read(0.5), None)]
    every.stop()
    assert seen == list(range(20))
    assert got == sorted(got)
    assert got[-1] == 19
