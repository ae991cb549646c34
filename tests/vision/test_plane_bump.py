"""A bumped camera and a dragged blanket, filmed with a pinhole camera over a drawn table; hands, moved cards and lamps are neither."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
import pytest

from tests.vision.cameras import Camera
from vision.bump import BumpWatch, Look, TableMotion
from vision.keyframe import KeyFrame, simplest, work_picture
from vision.plane import plane_from_corners
from vision.plane_fit import apply, fit_homography

SIZE = (800.0, 600.0)
AROUND = 400  # mm of room around the table
CAMERA = Camera(size_mm=SIZE, tilt=0.6, distance_mm=1150, focal_px=1100)
FRAME_MS = 1000 / 30


@dataclass(frozen=True)
class World:
    """A cloth with cards in a room. `cards`: (x, y, angle in degrees, seed) in mm; the blanket carries cloth and cards."""

    camera: Camera = CAMERA
    cards: tuple[tuple[float, float, float, int], ...] = ()
    blanket: tuple[float, float, float] = (0.0, 0.0, 0.0)  # shift in mm and turn in degrees
    pattern: float = 0.0  # contrast of the cloth
    room: float = 25.0  # contrast of what lies around
    gain: float = 1.0
    arm: float | None = None  # x in mm where an arm reaches in
    seed: int = 0

    def film(self) -> np.ndarray:
        """(720, 1280, 3), with noise."""
        w, h = (int(v) + 2 * AROUND for v in SIZE)
        flat = _texture(w, h, 2, self.pattern, 80.0).copy()
        for x, y, angle, seed in self.cards:
            _draw_card(flat, x + AROUND, y + AROUND, angle, seed)
        mask = np.zeros((h, w), np.uint8)
        mask[AROUND:-AROUND, AROUND:-AROUND] = 255
        a = np.radians(self.blanket[2])
        c, s = np.cos(a), np.sin(a)
        middle = np.array([w / 2, h / 2])
        shift = middle + self.blanket[:2] - np.array([[c, -s], [s, c]]) @ middle
        turn = np.array([[c, -s, shift[0]], [s, c, shift[1]]])
        scene = np.where(cv2.warpAffine(mask, turn, (w, h)) > 127, cv2.warpAffine(flat, turn, (w, h)), _texture(w, h, 1, self.room, 110.0))
        if self.arm is not None:
            cv2.line(scene, (int(self.arm) + AROUND, h), (int(self.arm) + AROUND + 120, h // 2 - 60), 170, 90)
            cv2.circle(scene, (int(self.arm) + AROUND + 120, h // 2 - 60), 60, 165, -1)
        corners = np.array([(0, 0), (w, 0), (w, h), (0, h)], np.float64) - AROUND
        view = fit_homography(corners + AROUND, self.camera.project(corners))
        picture = cv2.warpPerspective(scene, view, self.camera.picture, flags=cv2.INTER_LINEAR, borderValue=90)
        lit = cv2.convertScaleAbs(picture, alpha=self.gain)
        return cv2.cvtColor(cv2.add(lit, np.roll(_noise(), 1009 * self.seed)), cv2.COLOR_GRAY2BGR)


@lru_cache
def _noise() -> np.ndarray:
    return np.random.default_rng(8).integers(0, 6, (720, 1280), np.uint8)


@lru_cache
def _texture(w: int, h: int, seed: int, contrast: float, mean: float) -> np.ndarray:
    rng = np.random.default_rng(seed)
    grain = cv2.resize(rng.normal(0, 1, (h // 12, w // 12)).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)
    return np.clip(mean + contrast * grain, 0, 255).astype(np.uint8)


def _draw_card(flat: np.ndarray, x: float, y: float, angle: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    card = np.full((88, 63), 235, np.uint8)
    for _ in range(7):
        cv2.circle(card, (int(rng.integers(8, 55)), int(rng.integers(8, 80))), int(rng.integers(4, 10)), int(rng.integers(0, 200)), -1)
    turn = cv2.getRotationMatrix2D((31.5, 44), angle, 1.0)
    turn[:, 2] += (x - 31.5, y - 44)
    low = (max(0, int(x) - 60), max(0, int(y) - 60))
    turn[:, 2] -= low
    part = flat[low[1] : low[1] + 120, low[0] : low[0] + 120]
    mask = cv2.warpAffine(np.full_like(card, 255), turn, part.shape[::-1])
    part[mask > 127] = cv2.warpAffine(card, turn, part.shape[::-1])[mask > 127]


def laid(n: int, seed: int = 5) -> tuple[tuple[float, float, float, int], ...]:
    rng = np.random.default_rng(seed)
    return tuple((float(rng.uniform(60, 740)), float(rng.uniform(60, 540)), float(rng.uniform(0, 360)), k) for k in range(n))


WORLD = World(cards=laid(14))


def watch(worlds: Iterator[World] | list[World], plane_of: Camera = CAMERA) -> list[Look]:
    """One look for each frame of the film, 30 a second; equal neighbours are filmed once."""
    bump = BumpWatch(plane_from_corners(plane_of.corners(), SIZE))
    looks, before, picture = [], None, np.zeros(0)
    for n, world in enumerate(worlds):
        if world != before:
            picture, before = world.film(), world
        looks.append(bump.update(picture, n * FRAME_MS))
    return looks


def still(world: World, frames: int) -> list[World]:
    return [world] * frames


def between(before: World, after: World, frames: int) -> list[World]:
    """The camera and the blanket on their way."""
    out = []
    for k in range(1, frames + 1):
        t = k / frames
        a, b = before.camera, after.camera
        way = {name: getattr(a, name) + (getattr(b, name) - getattr(a, name)) * t for name in ("tilt", "yaw", "roll", "distance_mm")}
        pan = (a.pan_px[0] + (b.pan_px[0] - a.pan_px[0]) * t, a.pan_px[1] + (b.pan_px[1] - a.pan_px[1]) * t)
        x, y, turn = (p + (q - p) * t for p, q in zip(before.blanket, after.blanket, strict=True))
        out.append(replace(after, camera=replace(a, pan_px=pan, **way), blanket=(x, y, turn)))
    return out


def corner_error(look: Look, world: World) -> float:
    """Largest distance in pixels between where the plane puts the blanket's cards and where they are."""
    a = np.radians(world.blanket[2])
    points = np.array([(100.0, 100), (700, 100), (700, 500), (100, 500), (400, 300)])
    middle = np.array(SIZE) / 2
    moved = (points - middle) @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) + middle + world.blanket[:2]
    return float(np.hypot(*(look.plane.to_px(points) - world.camera.project(moved)).T).max())


def bumped(**change: float) -> World:
    return replace(WORLD, camera=replace(CAMERA, **{k: getattr(CAMERA, k) + v for k, v in change.items()}))


def shift_px(a: World, b: World) -> float:
    corners = np.array([(100.0, 100), (700, 500)])
    return float(np.hypot(*(a.camera.project(corners) - b.camera.project(corners)).T).max())


MOVES: list[tuple[str, World, int]] = [
    ("5 px to the side", replace(WORLD, camera=replace(CAMERA, pan_px=(5.0, 0.0))), 3),
    ("5 px down, at once", replace(WORLD, camera=replace(CAMERA, pan_px=(0.0, 5.0))), 1),
    ("3 degrees of roll", bumped(roll=np.radians(3)), 4),
    ("a nod", bumped(tilt=0.03), 3),
    ("a big jolt", bumped(tilt=-0.08, roll=0.06, distance_mm=40), 4),
    ("nearer by 8 %", bumped(distance_mm=-90), 5),
    ("at once, far", bumped(roll=0.2, tilt=0.05), 1),
    ("blanket dragged 12 mm", replace(WORLD, blanket=(12.0, -6.0, 0.0)), 6),
    ("blanket turned 4 degrees", replace(WORLD, blanket=(0.0, 10.0, 4.0)), 8),
    ("blanket dragged far", replace(WORLD, blanket=(70.0, 30.0, -6.0)), 12),
]


@pytest.mark.parametrize(("name", "after", "frames"), MOVES, ids=[m[0] for m in MOVES])
def test_moved_table_is_noticed_and_registered_within_a_second(name: str, after: World, frames: int) -> None:
    start = 12
    looks = watch(still(WORLD, start) + between(WORLD, after, frames) + still(after, 33))
    assert all(look.state is TableMotion.STEADY for look in looks[:start])
    assert any(look.state is TableMotion.MOVING for look in looks), "nothing was noticed"
    done = [n for n, look in enumerate(looks) if look.registered]
    assert done, "never registered"
    assert (done[-1] - (start + frames)) * FRAME_MS <= 1000
    assert looks[-1].state is TableMotion.STEADY
    assert corner_error(looks[-1], after) < 1.6
    # From two frames after it moved until the plane is right, nothing may be committed.
    for look in looks[start + frames + 2 : done[0]]:
        assert look.state is not TableMotion.STEADY


def play(world: World) -> list[World]:
    """An ordinary turn: an arm comes in, a card is moved, two are taken away."""
    cards = list(world.cards)
    arms = [replace(world, arm=float(x)) for x in np.linspace(80, 420, 9)]
    cards[2] = (*cards[2][:2], cards[2][2] + 20, cards[2][3])
    later = replace(world, cards=tuple(cards[:-2]))
    return still(world, 10) + arms + [replace(later, arm=float(x)) for x in np.linspace(420, 80, 9)] + still(later, 12)


def sweep(world: World) -> list[World]:
    """The end of a deal: every card is gathered, then dealt anew elsewhere."""
    bare = replace(world, cards=())
    return still(world, 10) + still(replace(world, cards=laid(14, 77)), 3) + still(bare, 20) + still(replace(world, cards=laid(10, 6)), 30)


def dealt(world: World) -> list[World]:
    """A deal: cards come to lie on an empty table one by one, each under an arm."""
    out = still(replace(world, cards=()), 8)
    for n in range(1, len(world.cards) + 1):
        out += [replace(world, cards=world.cards[:n], arm=world.cards[n - 1][0] - 100)] * 3 + [replace(world, cards=world.cards[:n])] * 3
    return out + still(world, 10)


def pushed_pile(world: World) -> list[World]:
    """Only a pile lies there, and someone pushes it 60 mm."""
    before = replace(world, cards=((300.0, 300.0, 0.0, 1), (302.0, 302.0, 5.0, 2)))
    after = replace(world, cards=((360.0, 300.0, 0.0, 1), (362.0, 302.0, 5.0, 2)))
    return still(before, 32) + still(after, 40)


QUIET: list[tuple[str, World, Callable[[World], list[World]]]] = [
    ("a turn is played", WORLD, play),
    ("a turn on a patterned cloth", replace(WORLD, pattern=18.0), play),
    ("a turn in a bare room", replace(WORLD, room=0.0), play),
    ("a deal ends", WORLD, sweep),
    ("a deal ends on a patterned cloth", replace(WORLD, pattern=18.0), sweep),
    ("a pile is pushed", WORLD, pushed_pile),
    ("cards are dealt on a plain cloth", WORLD, dealt),
    ("cards are dealt on a blurred cloth in a bare room", replace(WORLD, room=0.0, pattern=4.0), dealt),
    ("the lamp is dimmed", WORLD, lambda w: still(w, 10) + still(replace(w, gain=0.6), 25)),
    ("the lamp is turned up", WORLD, lambda w: still(w, 10) + still(replace(w, gain=1.25), 25)),
    ("nothing lies there", replace(WORLD, cards=(), room=0.0), lambda w: still(w, 30)),
]


@pytest.mark.parametrize(("name", "world", "film"), QUIET, ids=[q[0] for q in QUIET])
def test_what_is_no_bump_leaves_the_plane_alone(name: str, world: World, film: Callable[[World], list[World]]) -> None:
    worlds = film(world)
    looks = watch(worlds)
    assert not any(look.registered for look in looks)
    assert looks[-1].state is TableMotion.STEADY
    for look, shown in zip(looks, worlds, strict=True):
        assert corner_error(look, replace(shown, camera=CAMERA)) < 1.2


def test_a_single_pile_on_a_bare_table_is_at_rest() -> None:
    world = replace(WORLD, room=0.0, cards=((300.0, 300.0, 0.0, 1), (302.0, 302.0, 5.0, 2)))
    looks = watch(still(world, 60))
    assert all(look.state is TableMotion.STEADY and not look.registered for look in looks)


SHIFTS = [((0.0, 0.0), True), ((0.4, 0.3), True), ((3.0, 0.0), False), ((0.0, -4.0), False), ((25.0, 9.0), False)]


@pytest.mark.parametrize(("shift", "rest"), SHIFTS)
def test_edges_tell_rest_where_every_card_was_taken_away(shift: tuple[float, float], rest: bool) -> None:
    world = replace(WORLD, room=0.0)
    grey, scale = work_picture(world.film())
    plane = plane_from_corners(CAMERA.corners(), SIZE).resized(scale)
    key = KeyFrame(grey, plane, 0.0, None, cv2.ORB.create(600))
    pan = (shift[0] / scale, shift[1] / scale)
    other = replace(world, cards=laid(5, 31), gain=0.9, camera=replace(CAMERA, pan_px=pan))
    assert key.edges_rest(work_picture(other.film())[0]) is rest


@pytest.mark.parametrize(("kind", "limit"), [("similarity", 1.0), ("affine", 1.2), ("homography", 2.5)])
def test_no_more_motion_is_fitted_than_there_is_evidence_for(kind: str, limit: float) -> None:
    true = np.array([[1.01, -0.03, 5.0], [0.03, 1.01, -3.0], [0, 0, 1.0]])
    if kind != "similarity":
        true[0, 1] += 0.05
    if kind == "homography":
        true[2, :2] = (1e-4, -1.5e-4)
    corners = np.array([(0.0, 0), (640, 0), (640, 360), (0, 360)])  # far outside the evidence
    invented, errors = 0, []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        here = rng.uniform((200, 100), (440, 260), (40, 2))
        found = simplest(here, apply(true, here) + rng.normal(0, 0.15, here.shape))
        sheared = abs(found[0, 0] - found[1, 1]) + abs(found[0, 1] + found[1, 0]) > 1e-9
        invented += (kind == "similarity" and sheared) or (kind != "homography" and bool(np.abs(found[2, :2]).max() > 0))
        errors.append(np.abs(apply(found, corners) - apply(true, corners)).max())
    assert invented == 0
    assert np.percentile(errors, 95) < limit


def test_slow_creep_is_followed() -> None:
    # A tripod that sinks by 20 px over 80 s, half a pixel at a time: in the end the plane is where the table is.
    bump = BumpWatch(plane_from_corners(CAMERA.corners(), SIZE))
    for k in range(41):
        world = replace(WORLD, camera=replace(CAMERA, pan_px=(0.0, 0.5 * k)), seed=k)
        look = bump.update(world.film(), k * 2000.0)
        assert look.state is not TableMotion.LOST
        if look.state is TableMotion.STEADY:
            assert corner_error(look, world) < 3.6
    picture = world.film()
    for n in range(8):
        look = bump.update(picture, 82_000.0 + n * 150)
    assert look.state is TableMotion.STEADY
    assert corner_error(look, world) < 3.6


def test_quite_another_view_is_said_to_be_lost_and_found_again() -> None:
    other = np.random.default_rng(4).integers(0, 255, (24, 40, 3), np.uint8)
    box = cv2.resize(other, (1280, 720), interpolation=cv2.INTER_CUBIC)
    bump = BumpWatch(plane_from_corners(CAMERA.corners(), SIZE))
    picture = WORLD.film()
    states = []
    for n in range(150):
        t = n * FRAME_MS
        states.append(bump.update(box if 15 <= n < 100 else picture, t).state)
    assert states[14] is TableMotion.STEADY
    assert states[40] is TableMotion.MOVING
    assert states[95] is TableMotion.LOST
    assert states[-1] is TableMotion.STEADY
    assert corner_error(bump.update(picture, 6000.0), WORLD) < 1.0


@pytest.mark.parametrize("told", [True, False])
def test_cards_laid_on_a_table_without_any_mark_become_its_key_frame_once_others_say_that_it_stands(told: bool) -> None:
    # Nothing on the bare cloth or about it could tell a motion, an arm hides it and the light goes down: its cards must do from now on.
    bare = replace(WORLD, room=0.0, cards=())
    dealt = replace(bare, cards=laid(12, 7), gain=0.45)
    bump = BumpWatch(plane_from_corners(CAMERA.corners(), SIZE))
    shown = [bare] * 6 + [replace(dealt, arm=250.0)] * 12 + [dealt] * 45
    after = replace(dealt, camera=replace(CAMERA, pan_px=(9.0, 4.0)))
    looks = [bump.update(w.film(), n * FRAME_MS, None, lambda: told) for n, w in enumerate([*shown, *[after] * 30])]
    assert (looks[len(shown) - 1].state is TableMotion.STEADY) is told
    assert any(look.registered for look in looks[len(shown) :]) is told
    assert (corner_error(looks[-1], after) < 1.5) is told


def test_busy_regions_are_not_looked_at() -> None:
    # An arm that lies still over a third of the table, with a busy mask over it, and then a bump.
    after = bumped(roll=0.02)
    bump = BumpWatch(plane_from_corners(CAMERA.corners(), SIZE))
    look, before, picture = None, None, np.zeros(0)
    for n, world in enumerate(still(WORLD, 10) + still(replace(WORLD, arm=100.0), 10) + still(replace(after, arm=110.0), 30)):
        busy = np.zeros((72, 128), bool)
        busy[20:, 20:60] = n >= 10
        if world != before:
            picture, before = world.film(), world
        look = bump.update(picture, n * FRAME_MS, busy)
    assert look is not None
    assert look.state is TableMotion.STEADY
    assert corner_error(look, after) < 2.0


def test_a_person_can_set_the_table_anew() -> None:
    plane = plane_from_corners(CAMERA.corners(), SIZE)
    bump = BumpWatch(plane)
    picture = WORLD.film()
    bump.update(picture, 0.0)
    other = plane.moved(np.array([[1, 0, 5], [0, 1, 5], [0, 0, 1.0]]))
    bump.reset(other)
    assert bump.update(picture, 33.0).plane is other
    assert bump.update(picture, 400.0).state is TableMotion.STEADY


def test_looking_costs_little() -> None:
    bump = BumpWatch(plane_from_corners(CAMERA.corners(), SIZE))
    picture = WORLD.film()
    bump.update(picture, 0.0)
    cpu = time.process_time()
    for n in range(1, 61):
        bump.update(picture, n * FRAME_MS)
    assert (time.process_time() - cpu) / 2.0 < 0.2, "more than a fifth of a core for a table at rest"


