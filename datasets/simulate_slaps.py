"""Slaps and races as a camera sees them: hands that rush at the spit piles, and what must not be taken for them.

A hand follows the minimum-jerk curve of human reaches towards a point beyond the pile, as people do who mean to hit: it is stopped
by the table at 2 to 4 m/s, and slides a few millimetres more while the flesh gives way. Frames go straight to whoever watches; the
shutter opens for a while, row by row. Frame: table millimetres as in `datasets.simulate`; times in ms.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.art import DeckArt, WornDeck, load_deck
from datasets.simulate import HandAt, Moment, Placed, Pose, World, ease
from datasets.simulate_camera import Camera, look
from datasets.simulate_cloth import blanket
from datasets.simulate_hands import Person
from datasets.simulate_render import Image, Look, Renderer, _clip, _darken, _over
from datasets.surfaces import surface
from scorer.table import Zone
from vision.frame import Frame
from vision.plane import Plane
from vision.plane_fit import fit_homography
from vision.zones import preset

Rng = np.random.Generator
SIZE_MM = (820.0, 560.0)
SEATS = {"A": "S", "B": "N"}
OWN_ART = Path(__file__).parent / "decks" / "french-classic"
GAP_MS = 90.0  # standard deviation of the gap between two players' slaps
FLESH_MM = 22.0  # a hand that lies on another lies so high
STEP_MS = 2.5  # between two moments that a picture is blended from
LIGHTS = {  # shutter ms, noise, brightness
    "good": ((4.0, 10.0), (0.8, 2.2), (0.9, 1.08)),
    "dim": ((20.0, 30.0), (4.0, 7.0), (0.42, 0.6)),
}
RANKS = "23456789TJQKA"


@dataclass(frozen=True)
class Reach:
    """One hand's movement. It is at `start` (x, y, z) until t0, then moves for `span` ms on the curve to `share` of a reach, which
    takes it to `end`; from there it is stopped at once (`hit`) or has come to rest by itself."""

    hand: str
    player: str
    anchor: tuple[float, float]
    start: tuple[float, float, float]
    end: tuple[float, float, float]
    t0: float
    span: float  # of the whole curve
    share: float = 1.0  # of its time, at which the hand is stopped; 1: it stops by itself
    dive: float = 1.5  # how late it comes down
    flesh_ms: float = 5.0
    tremor: float = 0.0  # mm: a hand in the air is never still
    back_ms: float = math.inf  # when it withdraws to `start`
    grip: float = 0.0
    card: str = ""
    only_shadow: bool = False

    @property
    def stop_ms(self) -> float:
        """When it stops: of a hand that hits, the first touch."""
        return self.t0 + self.span * self.share

    def speed(self) -> float:
        """mm per ms along the table just before the stop."""
        u = self.share
        way = math.hypot(self.end[0] - self.start[0], self.end[1] - self.start[1])
        return way / ease(u) * 30 * u * u * (1 - u) ** 2 / self.span

    def at(self, t: float) -> HandAt:
        (x0, y0, z0), (x1, y1, z1) = self.start, self.end
        s = min(1.0, ease((t - self.t0) / self.span) / ease(self.share)) if t < self.stop_ms else 1.0
        over = 0.0
        if self.share < 1 and t >= self.stop_ms:
            over = self.speed() * self.flesh_ms * (1 - math.exp((self.stop_ms - t) / self.flesh_ms))
        if t > self.back_ms:
            back = ease((t - self.back_ms) / 450.0)
            s, over = s * (1 - back), over * (1 - back)
        way = math.hypot(x1 - x0, y1 - y0) or 1.0
        x, y = x0 + (x1 - x0) * (s + over / way), y0 + (y1 - y0) * (s + over / way)
        z = z1 + (z0 - z1) * (1 - s**self.dive)
        if self.tremor and (s < 1 or self.share >= 1):
            x += self.tremor * (math.sin(t / 61 + x0) + 0.7 * math.sin(t / 143))
            y += self.tremor * (math.sin(t / 77 + y0) + 0.8 * math.sin(t / 190 + 1))
        return HandAt(self.hand, self.player, x, y, max(0.0, z), self.anchor, self.grip)


class SlapWorld(World):
    """Cards at rest, and hands that follow their reaches."""

    def __init__(self, size_mm: tuple[float, float], card_mm: tuple[float, float]) -> None:
        super().__init__(size_mm, card_mm)
        self.still: dict[str, Placed] = {}
        self.reaches: tuple[Reach, ...] = ()
        self.shown = False

    def at(self, t: float) -> Moment:
        hands = tuple(r.at(t) for r in self.reaches) if self.shown else ()
        return Moment(t, tuple(sorted(self.still.values(), key=lambda p: p.order)), hands)


class SlapRenderer(Renderer):
    """Blends what moves over the exposure of each row. `readout_ms`: the last row is read so much later than the first; the frame's
    time is the middle of the exposure of the middle row."""

    readout_ms = 0.0
    world: SlapWorld

    def draw(self, moment: Moment) -> Image:
        self._rest({p.card: p for p in moment.cards}, list(moment.cards))
        image = self._layer.copy()
        reaches = self.world.reaches if self.world.shown else ()
        if reaches:
            shadow = np.zeros((self.camera.height // 4, self.camera.width // 4), np.uint8)
            for r in reaches:
                hand = r.at(moment.t_ms)
                maps = self._hand_map(hand)
                if maps is not None:
                    self._shadow(shadow, self.people[r.player].sprite(r.hand.endswith("l"), r.grip > 0.5).alpha, maps[1], 2.0)
            if shadow.any():
                part = cv2.resize(shadow, (self.camera.width, self.camera.height), interpolation=cv2.INTER_LINEAR)
                _darken(image, (0, 0, self.camera.width, self.camera.height), cv2.convertScaleAbs(part, alpha=self.look.shadow))
        for r in sorted(reaches, key=lambda r: r.stop_ms):  # a later hand lies on an earlier one
            if not r.only_shadow:
                self._blend(image, r, moment.t_ms)
        return self._sensor(image, moment.t_ms)

    def _blend(self, image: Image, reach: Reach, t_ms: float) -> None:
        c, shutter = self.camera, max(0.5, self.look.shutter_ms)
        first, last = t_ms - shutter / 2 - self.readout_ms / 2, t_ms + shutter / 2 + self.readout_ms / 2
        quiet = abs(reach.at(first).x - reach.at(last).x) + abs(reach.at(first).y - reach.at(last).y) < 0.6
        n = 1 if quiet else max(2, math.ceil((last - first) / STEP_MS))
        times = [t_ms] if quiet else [first + (last - first) * (i + 0.5) / n for i in range(n)]
        layers = [layer for t in times if (layer := self._layer_of(reach, t)) is not None]
        if not layers:
            return
        if quiet:
            _over(image, *layers[0][1:])
            return
        boxes = np.array([box for _, box, _, _ in layers])
        x0, y0, x1, y1 = int(boxes[:, 0].min()), int(boxes[:, 1].min()), int(boxes[:, 2].max()), int(boxes[:, 3].max())
        read = t_ms + ((np.arange(y0, y1) + 0.5) / c.height - 0.5) * self.readout_ms
        step = (last - first) / n
        ink, alpha = np.zeros((y1 - y0, x1 - x0, 3), np.float32), np.zeros((y1 - y0, x1 - x0), np.float32)
        total = np.zeros(y1 - y0, np.float32)
        for t in times:  # every moment weighs as much as it lies in the row's exposure
            total += np.clip((shutter + step) / 2 - np.abs(t - read), 0, step).astype(np.float32)
        for t, box, one, cover in layers:
            bx, by, ex, ey = box
            weight = np.clip((shutter + step) / 2 - np.abs(t - read), 0, step).astype(np.float32) / total
            w = weight[by - y0 : ey - y0, None]
            if w.any():
                ink[by - y0 : ey - y0, bx - x0 : ex - x0] += one * w[..., None]
                alpha[by - y0 : ey - y0, bx - x0 : ex - x0] += cover * w
        _over(image, (x0, y0, x1, y1), ink.astype(np.uint8), np.minimum(alpha + 0.5, 255).astype(np.uint8))

    def _layer_of(self, reach: Reach, t: float) -> tuple[float, tuple[int, int, int, int], Image, Image] | None:
        """A hand, and the card in it, at one moment: premultiplied colour and alpha in a box of the picture."""
        hand, c = reach.at(t), self.camera
        maps = self._hand_map(hand)
        if maps is None:
            return None
        sprite = self.people[reach.player].sprite(reach.hand.endswith("l"), reach.grip > 0.5)
        h, w = sprite.alpha.shape
        m = maps[0] / maps[0][2, 2]
        if m[2, 1] < 0:
            h = min(h, int(0.8 / -m[2, 1]))
        corners = cv2.perspectiveTransform(np.array([[[0, 0]], [[w, 0]], [[w, h]], [[0, h]]], np.float32), m).reshape(-1, 2)
        box = _clip(corners, c.width, c.height)
        patch = self._patch(_carried(reach, hand)) if reach.card else None
        if box is not None and patch is not None:
            box = (min(box[0], patch.box[0]), min(box[1], patch.box[1]), max(box[2], patch.box[2]), max(box[3], patch.box[3]))
        if box is None:
            return None
        m = np.array([[1, 0, -box[0]], [0, 1, -box[1]], [0, 0, 1]], float) @ m
        size = (box[2] - box[0], box[3] - box[1])
        ink = cv2.warpPerspective(sprite.image[:h], m, size, flags=cv2.INTER_LINEAR)
        alpha = cv2.warpPerspective(sprite.alpha[:h], m, size, flags=cv2.INTER_LINEAR)
        if patch is not None:  # the card lies under the fingers
            px0, py0, px1, py1 = patch.box
            under, cover = np.zeros_like(ink), np.zeros_like(alpha)
            under[py0 - box[1] : py1 - box[1], px0 - box[0] : px1 - box[0]] = patch.ink
            cover[py0 - box[1] : py1 - box[1], px0 - box[0] : px1 - box[0]] = patch.alpha
            keep = cv2.cvtColor(cv2.bitwise_not(alpha), cv2.COLOR_GRAY2BGR)
            ink = cv2.add(ink, cv2.multiply(under, keep, scale=1 / 255))
            alpha = cv2.add(alpha, cv2.multiply(cover, cv2.bitwise_not(alpha), scale=1 / 255))
        return t, box, ink, alpha


def _carried(reach: Reach, hand: HandAt) -> Placed:
    """The card under a hand's fingers: a third of it reaches out before them."""
    dx, dy = hand.x - reach.anchor[0], hand.y - reach.anchor[1]
    n = math.hypot(dx, dy) or 1.0
    pose = Pose(hand.x + dx / n * 12, hand.y + dy / n * 12, math.degrees(math.atan2(dx, -dy)), max(1.0, hand.z))
    return Placed(reach.card, pose, True, 0.0, True)


@dataclass(frozen=True)
class Scene:
    """A table ready to be played at: the renderer, where the table lies in the picture, its zones, and the camera's own."""

    world: SlapWorld
    renderer: SlapRenderer
    corners_px: NDArray[np.float64]
    zones: tuple[Zone, ...]
    light: str

    @property
    def plane(self) -> Plane:
        """Where the table lies in the picture. Its corners start at the table's own top left, wherever the camera stands."""
        w, h = SIZE_MM
        return Plane(fit_homography(self.corners_px, np.array([[0, 0], [w, 0], [w, h], [0, h]], float)), SIZE_MM)

    def pile(self, name: str) -> tuple[float, float]:
        """Centre of a spit pile in mm."""
        zone = next(z for z in self.zones if z.name == name)
        x, y = np.mean(zone.polygon_mm, axis=0)
        return float(x), float(y)


@dataclass(frozen=True)
class Touched:
    """The truth of one touch."""

    player: str
    hand: str
    pile: str
    t_ms: float


@dataclass(frozen=True)
class Clip:
    """What happens: reaches, and the truth. `cause` says why nothing was slapped, "" where something was."""

    scene: Scene
    reaches: tuple[Reach, ...]
    touches: tuple[Touched, ...]
    fps: float
    start_ms: float
    end_ms: float
    cause: str = ""
    kind: str = "slap"
    jitter_ms: float = 0.0
    seed: int = 0
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def gap_ms(self) -> float:
        """B's touch after A's."""
        t = {touch.player: touch.t_ms for touch in self.touches}
        return t["B"] - t["A"]

    @property
    def under(self) -> str | None:
        """Whose hand lies underneath, None where they lie on different piles."""
        first = sorted(self.touches, key=lambda t: t.t_ms)
        return first[0].player if len(first) == 2 and first[0].pile == first[1].pile else None

    def frames(self) -> Iterator[Frame]:
        """The clip's frames: a few of the table alone, then the hands."""
        rng = np.random.default_rng([self.seed, 7])
        step = 1000 / self.fps
        world = self.scene.world
        world.reaches, world.shown = self.reaches, False
        phase = float(rng.uniform(0, step))
        empty = max(4, round(130 / step))
        for k in range(empty + math.ceil((self.end_ms - self.start_ms) / step)):
            t = self.start_ms + phase + (k - empty) * step
            world.shown = k >= empty
            image = self.scene.renderer.frame(t)
            yield Frame(k, t + float(rng.normal(0, self.jitter_ms)) if self.jitter_ms else t, image)
        world.reaches = ()


def scene(seed: int, light: str = "good", size: tuple[int, int] = (640, 360), art: DeckArt | None = None) -> Scene:
    """A table of Spit in the middle of a game: blanket or wood, two people, cards, camera, light."""
    rng = np.random.default_rng([seed, 61])
    deck = WornDeck(art or load_deck(OWN_ART), int(rng.integers(1 << 31)), 0.5, plain=rng.random() < 0.5)
    world = SlapWorld(SIZE_MM, deck.size_mm)
    zones = preset("spit", SIZE_MM, SEATS, deck.size_mm)
    azimuth = float(rng.choice([0.0, 90.0, 180.0], p=[0.4, 0.3, 0.3])) + float(rng.uniform(-14, 14))
    camera: Camera = look(SIZE_MM, *size, tilt=float(rng.uniform(4, 36)), azimuth=azimuth, roll=float(rng.normal(0, 1.2)),
                          fov=float(rng.uniform(55, 72)), margin=0.03)  # fmt: skip
    shutter, noise, gain = (float(rng.uniform(*span)) for span in LIGHTS[light])
    lamp = (float(rng.uniform(-600, 600)), float(rng.uniform(-600, 600)), 900.0)
    view = Look(noise=noise, blur=0.5, shutter_ms=shutter, gain=gain, flicker=0.01, shadow=float(rng.uniform(0.25, 0.5)), lamp=lamp)
    top = surface(rng, 550, 750) if rng.random() < 0.3 else blanket(rng, 550, 750)
    w, h = SIZE_MM
    people = {p: Person(np.random.default_rng([seed, 63, i])) for i, p in enumerate(("A", "B", "C"))}
    renderer = SlapRenderer(world, camera, deck, people, top, (-w * 0.35, -h * 0.35, w * 1.35, h * 1.35), view, seed)
    renderer.readout_ms = float(rng.uniform(0, 25))
    names = [r + s for r in RANKS for s in "cdhs"]
    rng.shuffle(names)
    order = 0.0
    for zone in zones:
        if zone.kind not in ("spit-pile", "stock-pile"):
            continue
        cx, cy = np.mean(zone.polygon_mm, axis=0)
        for _ in range(3 if zone.kind == "spit-pile" else int(rng.random() < 0.5)):
            order += 1
            pose = Pose(float(cx + rng.normal(0, 4)), float(cy + rng.normal(0, 4)), float(rng.normal(0, 6)))
            card = names.pop()
            world.still[card] = Placed(card, pose, True, order, False)
    corners = camera.project(np.array([[0, 0, 0], [w, 0, 0], [w, h, 0], [0, h, 0]], float))
    world.end_ms = order
    return Scene(world, renderer, corners, zones, light)


def _anchor(rng: Rng, edge: str, side: str) -> tuple[float, float]:
    """Where the arm comes from, as `simulate.Stage` has it."""
    w, h = SIZE_MM
    along = (1 if side == "r" else -1) * float(rng.uniform(60, 150))
    reach = 330.0
    return {"S": (w / 2 + along, h + reach), "N": (w / 2 - along, -reach), "E": (w + reach, h / 2 - along), "W": (-reach, h / 2 + along)}[edge]


def _wait(rng: Rng, anchor: tuple[float, float], pile: tuple[float, float], near: float = 110.0, far: float = 330.0) -> tuple[float, float, float]:
    """A place where a hand waits before a slap: on the way from the arm to the pile."""
    dx, dy = anchor[0] - pile[0], anchor[1] - pile[1]
    n = math.hypot(dx, dy)
    d = float(rng.uniform(near, far))
    return pile[0] + dx / n * d + float(rng.normal(0, 12)), pile[1] + dy / n * d, float(rng.uniform(15, 90))


def hit(rng: Rng, player: str, edge: str, pile: tuple[float, float], t_ms: float, z: float = 0.0, side: str | None = None,
        quick: tuple[float, float] = (2.0, 4.0), card: str = "") -> Reach:  # fmt: skip
    """A reach whose first touch is at `t_ms`: the fingertips land past the pile's middle, the palm on it."""
    side = side or str(rng.choice(["r", "l"]))
    anchor = _anchor(rng, edge, side)
    start = _wait(rng, anchor, pile)
    beyond = float(rng.uniform(-5, 45)) if not card else float(rng.uniform(-14, -4))
    dx, dy = pile[0] - anchor[0], pile[1] - anchor[1]
    n = math.hypot(dx, dy)
    end = (pile[0] + dx / n * beyond + float(rng.normal(0, 9)), pile[1] + dy / n * beyond, z)
    share = float(rng.uniform(0.5, 0.75))
    way = math.hypot(end[0] - start[0], end[1] - start[1])
    span = way / ease(share) * 1.875 / float(rng.uniform(*quick))
    return Reach(player + side, player, anchor, start, end, t_ms - span * share, span, share, float(rng.uniform(1, 2.5)),
                 float(rng.uniform(3, 8)), float(rng.uniform(0, 0.8)), grip=1.0 if card else 0.0, card=card)  # fmt: skip


def slap(place: Scene, seed: int, fps: float = 30.0, *, gap_ms: float | None = None, same: float = 0.7) -> Clip:
    """Two players slap: at the same pile (`same`: how likely) or one each."""
    rng = np.random.default_rng([seed, 67])
    gap = float(rng.normal(0, GAP_MS)) if gap_ms is None else gap_ms
    piles = dict.fromkeys("AB", str(rng.choice(["L", "R"])))
    if rng.random() >= same:
        piles["B"] = "L" if piles["A"] == "R" else "R"
    times = {"A": 500.0 + max(0.0, -gap), "B": 500.0 + max(0.0, gap)}
    later = max(times, key=lambda p: times[p])
    together = piles["A"] == piles["B"]
    reaches = []
    for player, edge in SEATS.items():
        z = FLESH_MM if together and player == later else 0.0
        reaches.append(hit(rng, player, edge, place.pile(piles[player]), times[player], z))
        if rng.random() < 0.3:  # the other hand waits beside
            reaches.append(_idle(rng, reaches[-1], edge))
    touches = tuple(Touched(r.player, r.hand, piles[r.player], r.stop_ms) for r in reaches if r.share < 1)
    begin = min(r.t0 for r in reaches if r.share < 1) - 120
    return Clip(place, tuple(reaches), touches, fps, begin, max(times.values()) + 330, jitter_ms=0.0, seed=seed)


def _idle(rng: Rng, other: Reach, edge: str) -> Reach:
    side = "l" if other.hand.endswith("r") else "r"
    anchor = _anchor(rng, edge, side)
    w, h = SIZE_MM
    x = float(np.clip(anchor[0], 60, w - 60)) + (120 if side == "r" else -120) * (1 if edge == "S" else -1)
    at = (x, h - 60.0 if edge == "S" else 60.0, float(rng.uniform(0, 60)))
    return Reach(other.player + side, other.player, anchor, at, at, 0.0, 1.0, 1.0, tremor=float(rng.uniform(0, 1.0)))


def race(place: Scene, seed: int, fps: float = 30.0, *, gap_ms: float | None = None) -> Clip:
    """Two players lay a card on the same pile."""
    rng = np.random.default_rng([seed, 71])
    gap = float(rng.normal(0, GAP_MS)) if gap_ms is None else gap_ms
    pile = str(rng.choice(["L", "R"]))
    times = {"A": 500.0 + max(0.0, -gap), "B": 500.0 + max(0.0, gap)}
    later = max(times, key=lambda p: times[p])
    free = [r + s for r in RANKS for s in "cdhs" if r + s not in place.world.still]
    cards = rng.choice(free, 2, replace=False)
    reaches = tuple(
        hit(rng, p, SEATS[p], place.pile(pile), times[p], FLESH_MM if p == later else 2.0, card=str(card), quick=(1.4, 3.2))
        for p, card in zip("AB", cards, strict=True)
    )
    touches = tuple(Touched(r.player, r.hand, pile, r.stop_ms) for r in reaches)
    return Clip(place, reaches, touches, fps, min(r.t0 for r in reaches) - 120, max(times.values()) + 330, kind="race", seed=seed)


def nothing(place: Scene, seed: int, cause: str, fps: float = 30.0) -> Clip:
    """Something moves at the piles, and nobody slaps: `hover`, `shadow`, `sleeve` or `third` (a hand of nobody who plays)."""
    rng = np.random.default_rng([seed, 73])
    pile = place.pile(str(rng.choice(["L", "R"])))
    if cause == "third":
        reaches = (hit(rng, "C", str(rng.choice(["E", "W"])), pile, 500.0),)
    elif cause == "shadow":
        player = str(rng.choice(["A", "B"]))
        reaches = (replace(hit(rng, player, SEATS[player], pile, 500.0, 60.0), only_shadow=True),)
    else:
        player = str(rng.choice(["A", "B"]))
        side = str(rng.choice(["r", "l"]))
        anchor = _anchor(rng, SEATS[player], side)
        start = _wait(rng, anchor, pile, 150, 330)
        dx, dy = pile[0] - anchor[0], pile[1] - anchor[1]
        n = math.hypot(dx, dy)
        if cause == "hover":  # ready to slap, or drawing back from a feint
            end = (pile[0] + dx / n * float(rng.uniform(-20, 40)), pile[1] + dy / n * float(rng.uniform(-20, 40)), float(rng.uniform(45, 130)))
            way = math.hypot(end[0] - start[0], end[1] - start[1])
            span = max(230.0, way * 1.875 / float(rng.uniform(0.5, 1.7)))
        else:  # reaches over the pile for something beyond: the sleeve passes over it
            beyond = float(rng.uniform(170, 260))
            end = (pile[0] + dx / n * beyond, pile[1] + dy / n * beyond, float(rng.uniform(5, 60)))
            way = math.hypot(end[0] - start[0], end[1] - start[1])
            span = max(260.0, way * 1.875 / float(rng.uniform(0.8, 2.0)))
        t0 = 200.0
        stay = float(rng.uniform(250, 700))
        reaches = (Reach(player + side, player, anchor, start, end, t0, span, 1.0, float(rng.uniform(1, 2)), tremor=float(rng.uniform(0.3, 1.2)),
                         back_ms=t0 + span + stay),)  # fmt: skip
    end_ms = max((r.back_ms + 300 if r.back_ms < math.inf else r.stop_ms + 600) for r in reaches)
    return Clip(place, reaches, (), fps, min(r.t0 for r in reaches) - 120, end_ms, cause=cause, kind="no-slap", seed=seed)
