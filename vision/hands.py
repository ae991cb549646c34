"""Whose hand came down on which pile, and when: touches for the photo finish.

Every arm over the table is followed along the way it moves, frame by frame, by its own silhouette and print, so that it is not lost
where two hands meet over a pile. When one that came quickly has stopped, its first touch is fitted (`vision.touch_fit`). A hand
that comes to rest softly may hover: it is a *reach*, which may have laid a card but never slaps.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.table import Zone
from vision.frame import Frame
from vision.hand_print import Place, Print, Prints, across
from vision.plane import Plane
from vision.silhouette import MARGIN_MM, Arm, Silhouette, Silhouettes
from vision.touch_fit import Contact, fit_contact

Floats = NDArray[np.float64]
Image = NDArray[Any]  # uint8

PILES = ("spit-pile", "side-pile", "stock-pile")
READOUT_MS = 12.0  # from the first row to the last: what most webcams take; it hardly matters, as rivals meet in the same rows
LEAST_SPEED, USUAL_PEAK = 0.25, 1.88  # m/s at contact; between hands that hover and that hit
HASTE, TARRY = 6.0, 14.0  # how much a m/s more says for a hit, and one less against it
LEAST_SEEN = 5  # frames
QUICK = 0.45  # m/s: slower movements are not followed
STIR_MM = 4.0  # a tip that moved less may be noise
REST_SHARE = 0.1  # at rest: slower than this share of its greatest speed
FASTEST = 5.0  # m/s
LEAST_LENGTH_MM = 85.0  # of an arm whose print can be followed
ASIDE_MM = 30.0  # how far it may slide across its way
FAR_SIGMA_MM = 15.0  # deviation of a place at the end of what was searched
FLAT_MM = 5.5  # deviation of a place that is no better than those around it
SPURT = 0.055  # mm/ms²: how quickly a hand can start
HIDDEN = 16.0  # a print that fits worse may lie beneath another hand
DOUBTFUL = 8.0  # one that fits worse, where its outline halts, is looked for farther on
LIKELIER = 0.75  # a print that fits so much better elsewhere is believed before the outline
LOST = 22.0  # a print that fits worse shows nowhere in a silhouette
MISFIT_MM = 9.0  # deviation of the place of a print that fits so badly
HIDDEN_MS = 700.0  # so long a hand that has just come down keeps its place under another
STAYS = 14.0  # a print that fits so well where it was has not moved
AGREE_MM = 21.0  # how far print and outline may differ
KEPT_MS = 240.0  # places kept for a fit
LEAST_SHARE = 0.12  # of a pile that a hand must cover
FINGER_MM = 15.0  # behind the tip
FOOT_MM = 72.0  # of a hand, from its tip, that comes down on a pile
AFTER_MS = 28.0  # how long a stop is watched before it is fitted
SURE = 0.75  # the fit is so much surer than its noise allows for: measured on simulated slaps
SOFTER = 2.3  # and so much less sure where nothing stopped the hand, as the moment of its touch then hardly shows
DIM = 1.4  # and so much less sure where the picture is dark
DARK = (0.056, 0.046)  # noise beside the table's brightness: too dark from the first on, until it is less than the second
JITTER_MS = 0.8  # of a camera's time stamps


@dataclass(frozen=True, slots=True)
class Touch:
    """A hand came down on a pile's zone. `kind`: `touch`, or `reach` (it stopped over the zone and may hover). `speed`: m/s at contact, `peak`:
    the greatest before, of the curve that fits; `hit`: how likely it was stopped by something; `seen_ms`: when it was known."""

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
class _Hand:
    """One arm being followed: its tip in mm, and the unit vector along it."""

    id: int
    player: str
    side: str
    tip: Floats
    axis: Floats
    label: int = 0
    at_ms: float = 0.0  # when it was last there
    lost: bool = False  # its print fits nowhere in the silhouette that it shares
    print: Print | None = None
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
        self._prints: Prints
        self._hands: list[_Hand] = []
        self._count = 0
        self._t_ms = 0.0
        self._step_ms = 33.0
        self._dark = False
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
        self._dark = self._eye.graininess() > DARK[self._dark]
        self._prints = Prints(self._eye, seen)
        found: list[Touch] = []
        matched = list(self._match(seen, t))
        places = self._untangled([(h, arm.label) for h, arm, shared in matched if shared and h.print is not None], t)
        matched = self._without_ghosts(matched, places)
        for hand, arm, shared in matched:
            self._follow(hand, arm, shared, places.get(hand.id), t)
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

    def too_dark(self) -> bool:
        """Whether the picture is so dark that hands are lost in the noise, and times of touches tell little."""
        return self._dark

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
                ahead = h.tip + h.axis * max(0.0, h.speed) * (t - self._t_ms)  # where it was, or where it was going
                far = min(float(np.hypot(*(h.tip - arm.tip))), float(np.hypot(*(ahead - arm.tip))))
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

    def _without_ghosts(self, matched: list[tuple[_Hand, Arm, bool]], places: Mapping[int, Place]) -> list[tuple[_Hand, Arm, bool]]:
        """Of hands of one player that share an arm those that show in it; where none does, the one nearest its tip. Others came of a blot
        that was parted from it, and would keep its outline from being followed; the one that is kept without showing starts afresh."""
        gone: set[int] = set()
        alone: set[int] = set()
        for label in {arm.label for _, arm, shared in matched if shared}:
            own = [(h, arm) for h, arm, _ in matched if arm.label == label]
            if len(own) < 2 or len(self._seats_of(own[0][1])) > 1 or len({h.side for h, _ in own}) > 1:
                continue
            cost = {h.id: places[h.id].cost if h.id in places else math.inf for h, _ in own}
            shown = {h.id for h, _ in own if cost[h.id] < LOST}
            if not shown:
                nearest, arm = min(own, key=lambda o: float(np.hypot(*(o[0].tip - o[1].tip))))
                nearest.path.clear()  # what it did before tells nothing of the arm that is seen now
                nearest.tip, nearest.print, nearest.outline, nearest.speed, nearest.moving = arm.tip, None, arm.tip, 0.0, False
                shown = {nearest.id}
                alone.add(nearest.id)
            gone |= cost.keys() - shown
        self._hands = [h for h in self._hands if h.id not in gone]
        return [(h, arm, shared and h.id not in alone) for h, arm, shared in matched if h.id not in gone]

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

    def _untangled(self, shared: Sequence[tuple[_Hand, int]], t: float) -> dict[int, Place]:
        """Where hands are that share a silhouette, by its label: what the hand that is seen best covers tells nothing of one beneath it."""
        gap = t - self._t_ms
        out = {h.id: self._displaced(h, True, gap, h.speed * gap) for h, _ in shared}
        for hand, label in shared:
            above = [h for h, its in shared if its == label and out[h.id].cost < out[hand.id].cost]
            if out[hand.id].cost > HIDDEN and above:
                hidden = np.zeros(self._eye.shape, np.uint8)
                for h in above:
                    assert h.print is not None
                    hidden |= self._prints.footprint(h.print, h.tip, out[h.id])
                beneath = self._displaced(hand, True, gap, hand.speed * gap, hidden)
                if beneath.sigma < FLAT_MM:  # wholly beneath the other it fits everywhere, which tells nothing
                    out[hand.id] = beneath
        return out

    def _follow(self, hand: _Hand, arm: Arm, shared: bool, place: Place | None, t: float) -> None:
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
        apart = False
        # its outline stops as that of a hand does that hits, or of one that comes over what looks like it
        halts = hand.moving and float(moved @ hand.axis) < hand.speed * gap - AGREE_MM
        if hand.print is not None and (shared or far > STIR_MM or halts) and (long or not arm.sides):
            axis = hand.print.axis
            guess = float(moved @ axis)
            place = place or self._displaced(hand, False, gap, guess)
            if not shared and (place.cost > HIDDEN or (place.cost > DOUBTFUL and (place.edge or halts))):
                # another's silhouette may have joined its own, or its own lost its front
                wide = self._displaced(hand, True, gap, hand.speed * gap)
                apart = wide.cost < min(LIKELIER * place.cost, LOST)
                place = wide if apart else place
            sigma = place.sigma if place.cost < LOST else max(place.sigma, MISFIT_MM)
            if shared or apart or (place.along, place.aside) == (0.0, 0.0) or abs(place.along - guess) < AGREE_MM - 3:
                hand.tip = before + axis * place.along + across(axis) * place.aside
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
            hand.print = self._prints.take(hand.tip, hand.axis, arm.label) if long else None

    def _row_time(self, t: float, tip: Floats) -> float:
        """When the row of the tip was read."""
        y = float(self._plane.to_px(tip)[1])
        return t + (min(max(y / self._height, 0.0), 1.0) - 0.5) * self._readout_ms

    def _displaced(self, hand: _Hand, shared: bool, gap: float, guess: float, hidden: Image | None = None) -> Place:
        """How far a hand went since its print was taken. `hidden`: cells (255) that another hand covers."""
        p = hand.print
        assert p is not None
        if shared:  # wherever it can have got to
            low = -12.0 if hand.speed > -0.3 else -FASTEST * gap
            most = FASTEST * max(gap, 8.0)
            high = max(24.0, min(most, 1.35 * hand.speed * gap + 25 + SPURT * gap * gap)) if len(hand.path) > 2 else most
            slide = min(ASIDE_MM, 6 + 0.3 * high)
        else:
            low, high, slide = guess - AGREE_MM, guess + AGREE_MM, 9.0
        there = math.inf
        if len(hand.path) > 2 and (not hand.moving or hand.stopped):  # partly hidden by another hand, or taken for longer than it is, it lies still
            there = self._prints.cost(p, hand.tip, hidden)
            if there < STAYS:
                return Place(0.0, 0.0, 0.9, there)
            if guess >= STIR_MM * 3 or not hand.stop_ms or self._t_ms - hand.stop_ms > HIDDEN_MS:
                there = math.inf
        place = self._prints.fit(p, hand.tip, (low, high), slide, hidden, hand.speed * gap if shared and len(hand.path) > 2 else math.inf)
        if place.cost > 0.65 * there:
            return Place(0.0, 0.0, 2.0, there)
        return replace(place, sigma=FAR_SIGMA_MM) if shared and place.edge else place

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
        if len(path) < LEAST_SEEN:  # its start was not seen: any curve fits, a quick one too
            contact = replace(contact, peak=min(contact.peak, peak))
        return self._touch("touch" if stopped_by_table(contact) else "reach", hand, contact, zone, t)

    def _touch(self, kind: str, hand: _Hand, contact: Contact, zone: str, t: float) -> Touch:
        sure = (DIM if self._dark else SURE) * (1 + SOFTER * (1 - contact.hit) ** 4)
        sigma = float(np.hypot(sure * contact.sigma_ms, JITTER_MS))
        return Touch(kind, contact.t_ms, sigma, hand.player, zone, hand.id, t, contact.speed, contact.hit, contact.peak)

    def _zone(self, hand: _Hand) -> str:
        """The pile that the fingers lie on, else the one that the front of the hand covers most of, "" for none."""
        x, y = (hand.tip - hand.axis * FINGER_MM).tolist()
        for zone, _ in self._zones:
            if zone.kind == "spit-pile" and cv2.pointPolygonTest(np.asarray(zone.polygon_mm, np.float32), (x, y), False) >= 0:
                return zone.name
        half = across(hand.axis) * 38
        front, back = hand.tip + hand.axis * 6, hand.tip - hand.axis * FOOT_MM
        foot = self._eye.polygon(np.array([front - half, front + half, back + half, back - half]))
        best, name = LEAST_SHARE, ""
        for zone, cells in self._zones:
            share = float((foot & cells).sum()) / max(1, int(cells.sum()))
            if share > best:
                best, name = share, zone.name
        return name


def stopped_by_table(contact: Contact) -> bool:
    """Whether a hand hit the table, and did not come to rest over it by itself: by how it stopped, and by its greatest speed, for a hand
    that only gets ready is slower."""
    more = contact.peak - USUAL_PEAK
    odds = (contact.hit + 0.002) / (1.002 - contact.hit)
    return contact.speed > LEAST_SPEED and odds * math.exp(min(HASTE * more, TARRY * more)) > 1
