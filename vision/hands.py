"""Whose hand came down on which pile, and when: touches for the photo finish.

Every arm over the table is followed along the way it moves, frame by frame, by its own silhouette and print, so that it is not lost
where two hands meet over a pile. When one that came quickly has stopped, its first touch is fitted (`vision.touch_fit`). A hand
that comes to rest softly may hover: it is a *reach*, which may have laid a card but never slaps.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.table import Zone
from vision.frame import Frame
from vision.plane import Plane
from vision.silhouette import MARGIN_MM, Arm, Silhouette, Silhouettes
from vision.touch_fit import Contact, fit_contact

Floats = NDArray[np.float64]
Image = NDArray[Any]  # uint8
Strip = NDArray[Any]  # uint8

PILES = ("spit-pile", "side-pile", "stock-pile")
READOUT_MS = 12.0  # from the first row to the last: what most webcams take; it hardly matters, as rivals meet in the same rows
LEAST_SPEED, USUAL_PEAK, HASTE = 0.25, 1.95, 6.0  # m/s at contact; between hands that hover and that hit; how much it says
QUICK = 0.45  # m/s: slower movements are not followed
STIR_MM = 4.0  # a tip that moved less may be noise
REST_SHARE = 0.1  # at rest: slower than this share of its greatest speed
BEHIND_MM, AHEAD_MM, BESIDE_MM = 150.0, 12.0, 63.0  # what of a hand is followed, from its tip
FASTEST = 5.0  # m/s
LEAST_LENGTH_MM = 85.0  # of an arm whose print can be followed
ASIDE_MM = 30.0  # how far it may slide across its way
TONE, OUTLINE, SOFT, MOST_OFF = 0.35, 90.0, 1.6, 60.0  # what counts in a print; cells; an obstacle counts no more
FINE = 2  # steps of a print's levels in one of grey
SPURT = 0.055  # mm/ms²: how quickly a hand can start
HIDDEN_MS = 700.0  # so long a hand that has just come down keeps its place under another
STAYS = 14.0  # a print that fits so well where it was has not moved
AGREE_MM = 21.0  # how far print and outline may differ
KEPT_MS = 240.0  # places kept for a fit
LEAST_SHARE = 0.12  # of a pile that a hand must cover
FINGER_MM = 15.0  # behind the tip
FOOT_MM = 72.0  # of a hand, from its tip, that comes down on a pile
AFTER_MS = 28.0  # how long a stop is watched before it is fitted
SURE = 0.75  # the fit is so much surer than its noise allows for: measured on simulated slaps
JITTER_MS = 0.8  # of a camera's time stamps


@dataclass(frozen=True, slots=True)
class Touch:
    """A hand came down on a pile's zone. `kind`: `touch`, or `reach` (it stopped over the zone and may hover). `under`: the player whose hand
    lies beneath, where two lie on one pile and it can be seen."""

    kind: str
    t_ms: float
    sigma_ms: float
    player: str
    zone: str
    hand: int
    seen_ms: float
    speed: float = 0.0
    hit: float = 1.0
    peak: float = 0.0


@dataclass(slots=True, eq=False)
class _Print:
    """What a hand looks like along its axis: `features` (rows along it, columns across) of colour where it covers the table, and cover,
    softened; `weight`: where they count."""

    features: Strip
    weight: Strip
    axis: Floats


@dataclass(slots=True, eq=False)
class _Hand:
    """One arm being followed. `place`: mm along `axis` since `origin`."""

    id: int
    player: str
    side: str
    tip: Floats
    axis: Floats
    label: int = 0
    print: _Print | None = None
    outline: Floats | None = None  # the tip of its silhouette in the frame before, None where it was shared
    seen_ms: float = 0.0
    path: deque[tuple[float, float, float, float]] = field(default_factory=deque)  # t, x, y of the tip, deviation in mm
    speed: float = 0.0
    peak: float = 0.0
    moving: bool = False
    stopped: int = 0  # frames at rest since it moved
    stop_ms: float = 0.0


class HandWatch:
    """Fed with every frame at the source's full rate. `zones`: those of kinds `PILES` are watched; `seats`: {player: edge}."""

    def __init__(self, plane: Plane, image_size: tuple[int, int], zones: Sequence[Zone], seats: Mapping[str, str], readout_ms: float = READOUT_MS) -> None:
        self._eye = Silhouettes(plane, image_size)
        self._height = image_size[1]
        self._seats = {edge: player for player, edge in seats.items()}
        self._readout_ms = readout_ms
        self._hands: list[_Hand] = []
        self._count = 0
        self._stack: Image | None = None
        self._t_ms = 0.0
        self._step_ms = 33.0
        self._plane = plane
        self.set_zones(zones)

    def set_zones(self, zones: Sequence[Zone]) -> None:
        """A person moved the zones."""
        self._zones = [(z, self._eye.polygon(z.polygon_mm)) for z in zones if z.kind in PILES and len(z.polygon_mm) >= 3]

    def place(self, plane: Plane) -> None:
        """The table lies elsewhere in the picture."""
        self._plane = plane
        self._eye.place(plane)
        self._hands = []

    def see(self, frame: Frame) -> tuple[Touch, ...]:
        """Take a frame; the touches that are certain now, oldest first."""
        t = float(frame.t_ms)
        if self._t_ms and 0 < t - self._t_ms < 150:
            self._step_ms = 0.9 * self._step_ms + 0.1 * (t - self._t_ms)
        elif self._hands:
            self._hands = []
        seen = self._eye.see(frame.image, t)
        self._stack = None
        found: list[Touch] = []
        for hand, arm, shared in self._match(seen, t):
            self._follow(hand, arm, shared, seen, t)
            touch = self._judge(hand, t)
            if touch is not None:
                found.append(touch)
        self._t_ms = t
        return tuple(sorted(found, key=lambda touch: touch.t_ms))

    def over(self) -> tuple[str, ...]:
        """Players whose hands are over the table."""
        return tuple(sorted({h.player for h in self._hands}))

    def tips(self) -> tuple[tuple[str, float, float], ...]:
        """(player, x, y) of every hand's tip in pixels of the picture."""
        px = [self._plane.to_px(h.tip) for h in self._hands]
        return tuple((h.player, float(x), float(y)) for h, (x, y) in zip(self._hands, px, strict=True))

    def busy(self) -> bool:
        """Whether a hand moves, or has just come to rest."""
        return any(h.moving or abs(h.speed) > 0.1 or self._t_ms - h.stop_ms < 200 for h in self._hands)

    # -- whose arm is it -------------------------------------------------------------------------------------------------

    def _match(self, seen: Silhouette, t: float) -> Iterable[tuple[_Hand, Arm, bool]]:
        """Arms and the hands that they are; `shared`: hands of two arms have met in one silhouette."""
        room = 70.0 + FASTEST * max(1.0, t - self._t_ms)
        around = {h.id: self._around(h, seen) for h in self._hands}
        pairs = []
        for arm in seen.arms:
            seats = self._seats_of(arm)
            if len(seats) > 1:
                continue
            side = seats[0] if seats else arm.sides[:1]
            for h in self._hands:
                far = float(np.hypot(*(h.tip - arm.tip)))
                where = around[h.id]
                elsewhere = far > 60 and where is not None and where.label != arm.label  # this one is a sleeve's or another hand's
                if far < room and not elsewhere and (h.side == side or not side or not h.side):
                    pairs.append((far, h, arm))
        arm_of: dict[int, Arm] = {}
        taken: set[int] = set()
        for _, hand, arm in sorted(pairs, key=lambda p: p[0]):
            if hand.id not in arm_of and arm.label not in taken:
                arm_of[hand.id] = arm
                taken.add(arm.label)
        lone = set(arm_of)
        for hand in self._hands:  # inside a silhouette that others reach into as well
            inside = around[hand.id] if hand.print is not None else None
            if hand.id not in arm_of and inside is not None:
                arm_of[hand.id] = inside
                taken.add(inside.label)
        hands = [h for h in self._hands if h.id in arm_of]
        for arm in seen.arms:
            if arm.label in taken or len(self._seats_of(arm)) > 1:
                continue
            side = (self._seats_of(arm) or [arm.sides[:1]])[0]
            self._count += 1
            hands.append(_Hand(self._count, self._seats.get(side, "?"), side, arm.tip, arm.axis, seen_ms=t))
            arm_of[self._count] = arm
            lone.add(self._count)
        owners: dict[int, int] = {}
        for arm in arm_of.values():
            owners[arm.label] = owners.get(arm.label, 0) + 1
        self._hands = hands
        out = []
        for h in hands:
            arm = arm_of[h.id]
            seats = self._seats_of(arm)
            if h.id in lone and not h.side and arm.sides:
                h.side = seats[0] if seats else arm.sides[0]
                h.player = self._seats.get(h.side, "?")
            out.append((h, arm, h.id not in lone or owners[arm.label] > 1 or len(seats) > 1))
        return out

    def _seats_of(self, arm: Arm) -> list[str]:
        return [s for s in arm.sides if s in self._seats]

    def _around(self, hand: _Hand, seen: Silhouette) -> Arm | None:
        """The silhouette that a hand that was there must be part of: one that reaches over its own side of the table, or a rival's that its
        own has joined where its sleeve looks like the table."""
        back = hand.tip - hand.axis * 60
        x, y = (int((v + MARGIN_MM) / self._eye.cell_mm) for v in back)
        rows, cols = self._eye.shape
        box = seen.labels[max(0, y - 8) : min(rows, y + 9), max(0, x - 8) : min(cols, x + 9)]
        there = [(hand.side not in arm.sides, -int((box == arm.label).sum()), i) for i, arm in enumerate(seen.arms) if (box == arm.label).any()]
        return seen.arms[min(there)[2]] if there else None

    # -- where is it -----------------------------------------------------------------------------------------------------

    def _follow(self, hand: _Hand, arm: Arm, shared: bool, seen: Silhouette, t: float) -> None:
        gap = t - self._t_ms
        before = hand.tip
        moved = hand.axis * hand.speed * gap if shared else arm.tip - (before if hand.outline is None else hand.outline)
        far = float(np.linalg.norm(moved))
        if not shared:
            hand.axis = arm.axis
            if far > max(STIR_MM * 2, 0.4 * gap) and float(moved @ arm.axis) > 0.8 * far:
                hand.axis = moved / far
        hand.outline = None if shared else arm.tip
        long = shared or arm.length_mm > LEAST_LENGTH_MM
        sigma = 1.2 if long else 7.0
        if hand.print is not None and (shared or far > STIR_MM) and long:
            axis = hand.print.axis
            guess = float(moved @ axis)
            along, aside, sigma = self._displaced(hand, seen, shared, gap, guess)
            if shared or (along, aside) == (0.0, 0.0) or abs(along - guess) < AGREE_MM - 3:
                hand.tip = before + axis * along + _across(axis) * aside
            else:
                hand.tip, sigma = arm.tip, 4.0
        elif not shared:
            hand.tip = before + moved if far > STIR_MM and long else arm.tip if far > STIR_MM or not hand.path else before
        hand.speed = float((hand.tip - before) @ hand.axis) / gap if gap > 0 and hand.path else 0.0
        hand.label = arm.label
        hand.path.append((self._row_time(t, hand.tip), float(hand.tip[0]), float(hand.tip[1]), sigma))
        while hand.path and t - hand.path[0][0] > KEPT_MS + 200:
            hand.path.popleft()
        if not shared and (far > STIR_MM or hand.moving or hand.print is None or len(hand.path) < 4):
            hand.print = self._printed(hand, seen, arm.label) if long else None

    def _row_time(self, t: float, tip: Floats) -> float:
        """When the row of the tip was read."""
        y = float(self._plane.to_px(tip)[1])
        return t + (min(max(y / self._height, 0.0), 1.0) - 0.5) * self._readout_ms

    def _strip(self, picture: Image, tip: Floats, axis: Floats, behind: float, ahead: float, wider: int = 0) -> Image:
        """The picture of cells along an axis: rows along it, the last one foremost; columns across."""
        c = self._eye.cell_mm
        rows, cols = int((behind + ahead) / c), int(2 * BESIDE_MM / c) + 2 * wider
        start = (tip + MARGIN_MM) / c - 0.5 - axis * behind / c
        across = _across(axis)
        first = start - across * (cols - 1) / 2
        m = np.array([[across[0], axis[0], first[0]], [across[1], axis[1], first[1]]])
        return cv2.warpAffine(picture, m, (cols, rows), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)

    def _stacked(self, seen: Silhouette) -> Image:
        if self._stack is None:
            self._stack = cv2.merge([*cv2.split(seen.cells), (seen.labels > 0).astype(np.uint8) * 255])
        return self._stack

    def _printed(self, hand: _Hand, seen: Silhouette, label: int) -> _Print:
        strip = self._strip(self._stacked(seen), hand.tip, hand.axis, BEHIND_MM, AHEAD_MM)
        own = self._strip((seen.labels == label).astype(np.uint8) * 255, hand.tip, hand.axis, BEHIND_MM, AHEAD_MM)
        near = cv2.dilate(own, np.ones((5, 5), np.uint8))
        return _Print(_features(strip), (near > 127).astype(np.uint8), hand.axis)

    def _displaced(self, hand: _Hand, seen: Silhouette, shared: bool, gap: float, guess: float) -> tuple[float, float, float]:
        """How far along its axis and across it a hand went since its print was taken, and the deviation along it, mm."""
        c = self._eye.cell_mm
        p = hand.print
        assert p is not None
        if shared:  # wherever it can have got to
            low = -12.0 if hand.speed > -0.3 else -FASTEST * gap
            most = FASTEST * max(gap, 8.0)
            high = max(24.0, min(most, 1.35 * hand.speed * gap + 25 + SPURT * gap * gap)) if len(hand.path) > 2 else most
            slide = min(ASIDE_MM, 6 + 0.3 * high)
        else:
            low, high, slide = guess - AGREE_MM, guess + AGREE_MM, 9.0
        first, last, wide = int(np.floor(low / c)), int(np.ceil(high / c)), int(np.ceil(slide / c))
        strip = self._strip(self._stacked(seen), hand.tip + p.axis * first * c, p.axis, BEHIND_MM, AHEAD_MM + (last - first) * c, wide)
        rows = len(p.weight)
        there = 1e9
        if len(hand.path) > 2 and (not hand.moving or hand.stopped):  # partly hidden by another hand, or taken for longer than it is, it lies still
            there = _costs(_features(self._strip(self._stacked(seen), hand.tip, p.axis, BEHIND_MM, AHEAD_MM)), p, 1, range(1), range(1))[0, 0]
            if there < STAYS:
                return 0.0, 0.0, 0.9
            if guess >= STIR_MM * 3 or not hand.stop_ms or self._t_ms - hand.stop_ms > HIDDEN_MS:
                there = 1e9
        n, m = last - first + 1, 2 * wide + 1
        features = _features(strip[: rows + n - 1])
        k, j = 0, wide
        if n * m > 60:  # coarsely first
            costs = _costs(features[::2, ::2], p, 2, range(0, (n + 1) // 2), range(0, (m + 1) // 2))
            a, b = np.unravel_index(int(np.argmin(costs)), costs.shape)
            k, j = 2 * int(a), 2 * int(b)
            near, beside = range(max(0, k - 2), min(n, k + 3)), range(max(0, j - 2), min(m, j + 3))
        else:
            near, beside = range(n), range(m)
        costs = _costs(features, p, 1, near, beside)
        a, b = np.unravel_index(int(np.argmin(costs)), costs.shape)
        if costs[a, b] > 0.65 * there:
            return 0.0, 0.0, 2.0
        line = costs[:, b]
        along = (first + near[int(a)]) * c
        bend = 0.0
        if 0 < a < len(line) - 1:
            bend = float(line[a - 1] - 2 * line[a] + line[a + 1])
            if bend > 1e-6:
                along += 0.5 * c * float(line[a - 1] - line[a + 1]) / bend
        edge = shared and near[int(a)] in (0, n - 1)
        sigma = 15.0 if edge else min(6.0, 0.9 + 1.0 / max(0.2, bend))
        return along, (beside[int(b)] - wide) * c, sigma

    # -- did it touch ----------------------------------------------------------------------------------------------------

    def _judge(self, hand: _Hand, t: float) -> Touch | None:
        if hand.speed > QUICK and len(hand.path) > 1:
            hand.moving, hand.stopped = True, 0
            hand.peak = max(hand.peak, hand.speed)
            return None
        if hand.moving:
            if hand.speed > max(0.09, REST_SHARE * hand.peak):
                return None
            hand.stopped += 1
            if hand.stopped == 1:
                hand.stop_ms = t
            if hand.stopped < 2 or t - hand.stop_ms < AFTER_MS:
                return None
            return self._stopped(hand, t)
        return None

    def _stopped(self, hand: _Hand, t: float) -> Touch | None:
        """It came quickly and is at rest: fit, and tell a hit from a hand that stopped by itself."""
        peak, hand.moving, hand.peak = hand.peak, False, 0.0
        path = np.array(hand.path)
        path = path[path[:, 0] > t - KEPT_MS]
        place = (path[:, 1:3] - path[-1, 1:3]) @ hand.axis
        contact = fit_contact(path[:, 0], place, path[:, 3])
        zone = self._zone(hand)
        if contact is None or not zone:
            return None
        return self._touch("touch" if stopped_by_table(contact, peak) else "reach", hand, contact, zone, t, peak)

    def _touch(self, kind: str, hand: _Hand, contact: Contact, zone: str, t: float, peak: float) -> Touch:
        sigma = float(np.hypot(SURE * contact.sigma_ms, JITTER_MS))
        return Touch(kind, contact.t_ms, sigma, hand.player, zone, hand.id, t, contact.speed, contact.hit, peak)

    def _zone(self, hand: _Hand) -> str:
        """The pile that the fingers lie on, else the one that the front of the hand covers most of, "" for none."""
        x, y = (hand.tip - hand.axis * FINGER_MM).tolist()
        for zone, _ in self._zones:
            if zone.kind == "spit-pile" and cv2.pointPolygonTest(np.asarray(zone.polygon_mm, np.float32), (x, y), False) >= 0:
                return zone.name
        across = _across(hand.axis) * 38
        front, back = hand.tip + hand.axis * 6, hand.tip - hand.axis * FOOT_MM
        foot = self._eye.polygon(np.array([front - across, front + across, back + across, back - across]))
        best, name = LEAST_SHARE, ""
        for zone, cells in self._zones:
            share = float((foot & cells).sum()) / max(1, int(cells.sum()))
            if share > best:
                best, name = share, zone.name
        return name


def stopped_by_table(contact: Contact, peak: float) -> bool:
    """Whether a hand hit the table, and did not come to rest over it by itself: by how it stopped, and by its greatest speed in m/s, for a
    hand that only gets ready is slower."""
    odds = (contact.hit + 0.002) / (1.002 - contact.hit)
    return contact.speed > LEAST_SPEED and odds * math.exp(HASTE * (peak - USUAL_PEAK)) > 1


def _across(axis: Floats) -> Floats:
    return np.array([-axis[1], axis[0]])


_ALL = np.ones((1, 4), np.float32)


def _features(strip: Image) -> Strip:
    """A strip (rows, columns, BGR and cover) as it is compared: softened, since hands turn a little and come nearer. In whole numbers,
    FINE to a level of grey, which compare several times as quickly; colours about 128."""
    *colours, cover = cv2.split(strip.astype(np.float32))
    cover *= 1 / 255
    tones = [(colour - 128) * cover * (TONE * FINE) + 128 for colour in colours]
    return cv2.GaussianBlur(cv2.merge([*tones, cover * (OUTLINE * FINE)]), (0, 0), SOFT).round().astype(np.uint8)


def _costs(strip: Strip, p: _Print, every: int, along: range, aside: range) -> Floats:
    """How badly a print fits at shifts along and across a strip of features, of which every `every`-th cell is given."""
    weight, features = p.weight[::every, ::every], p.features[::every, ::every]
    (rows, cols), (height, width) = weight.shape, strip.shape[:2]
    out = np.full((len(along), len(aside)), 1e9)
    at = [(i, j) for i, a in enumerate(along) for j, b in enumerate(aside) if a + rows <= height and b + cols <= width]
    ys, xs = np.nonzero(weight)
    if not at or not len(ys):
        return out
    # all shifts at once: a cell's four bytes are one word
    words = np.ascontiguousarray(strip).view(np.uint32).ravel()
    starts = np.array([along[i] * width + aside[j] for i, j in at])
    seen = words[starts[:, None] + (ys * width + xs)[None]].view(np.uint8).reshape(len(at), len(ys), 4)
    off = cv2.transform(cv2.absdiff(seen, np.ascontiguousarray(np.broadcast_to(features[ys, xs], seen.shape))), _ALL)
    sums = cv2.reduce(np.minimum(off, np.uint8(MOST_OFF * FINE)), 1, cv2.REDUCE_SUM, dtype=cv2.CV_32S)
    out[tuple(np.array(at).T)] = sums[:, 0] / (FINE * len(ys))
    return out
