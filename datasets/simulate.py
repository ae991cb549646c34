"""A table in motion: cards and hands with their places at every moment, in table millimetres.

A *script* (`simulate_gostop` and its neighbours) drives a `Stage`: hands reach, pick up, carry and lay cards, and the stage keeps every
movement. `World.at(t_ms)` then says where everything is. The renderer draws it, `simulate_detections` looks at it through a noisy eye.

Frame: millimetres from the table rectangle's top-left corner, x to the right, y down, z up. Angles are in degrees, clockwise as seen
in the picture; at angle 0 a card's own top edge points to the top of the table (north).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field, replace

import numpy as np

Rng = np.random.Generator
EDGES = ("N", "E", "S", "W")


@dataclass(frozen=True, slots=True)
class Pose:
    """Centre of a card in mm, its angle in degrees and its height above the table."""

    x: float
    y: float
    angle: float = 0.0
    z: float = 0.0

    def moved(self, dx: float, dy: float, turn: float = 0.0) -> Pose:
        return Pose(self.x + dx, self.y + dy, self.angle + turn, self.z)


@dataclass(frozen=True, slots=True)
class Leg:
    """One stretch of a card's life: from `start` at t0 to `end` at t1, then at rest there until the next leg."""

    t0: float
    t1: float
    start: Pose
    end: Pose
    lift: float = 0.0  # mm above the table in the middle of the way
    bow: float = 0.0  # sideways bulge of the path, share of its length
    up0: bool = True  # face up at the start
    up1: bool = True
    order: float = 0.0  # stacking order once at rest: higher lies on top
    gone: bool = False  # leaves the table at the end
    shown: bool = True  # not inside a closed hand
    share: float = 1.0  # of the reach that was gone through: below 1 the table stopped it


@dataclass(frozen=True, slots=True)
class Key:
    """A hand's fingertip at a moment. `grip` is 0 for an open hand, 1 for one that holds cards; `share`: how much was gone through of the
    reach that brought it here, below 1 where the table stopped it."""

    t: float
    x: float
    y: float
    z: float
    grip: float = 0.0
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Placed:
    """A card at a moment. `turn` is -1 … 1: the share of its width that shows while it is being flipped (1 flat)."""

    card: str
    pose: Pose
    up: bool
    order: float
    moving: bool
    flat: float = 1.0

    @property
    def face(self) -> str:
        """Its print: of several copies of a card, `n1#0` and `n1#1`, the name they share."""
        return self.card.partition("#")[0]


@dataclass(frozen=True, slots=True)
class HandAt:
    """A hand on or over the table at a moment; `x, y` is the fingertip and `anchor` where the arm comes from."""

    hand: str
    player: str
    x: float
    y: float
    z: float
    anchor: tuple[float, float]
    grip: float


@dataclass(frozen=True, slots=True)
class Felt:
    """A hand that came down on a zone: `touch` where the table stopped it, `reach` where it stopped by itself."""

    t_ms: float
    zone: str
    player: str
    kind: str = "touch"


@dataclass(frozen=True, slots=True)
class Moment:
    """Everything at one time, cards from the lowest to the topmost."""

    t_ms: float
    cards: tuple[Placed, ...]
    hands: tuple[HandAt, ...]


def ease(u: float) -> float:
    """Share of the way at share u of the time: the minimum-jerk curve that human reaches follow (Flash and Hogan 1985)."""
    u = min(1.0, max(0.0, u))
    return u * u * u * (10 + u * (6 * u - 15))


def way(u: float, share: float) -> float:
    """Share of the way at share u of the time, of a reach that something stopped at `share` of its time."""
    return ease(u) if share >= 1 else ease(min(1.0, u) * share) / ease(share)


def card_quad(pose: Pose, size: tuple[float, float]) -> np.ndarray:
    """Corners (4, 2) in mm, clockwise from the card's own top-left."""
    a = math.radians(pose.angle)
    c, s = math.cos(a), math.sin(a)
    w, h = size[0] / 2, size[1] / 2
    box = np.array([[-w, -h], [w, -h], [w, h], [-w, h]])
    return box @ np.array([[c, s], [-s, c]]) + (pose.x, pose.y)


@dataclass
class CardLife:
    legs: list[Leg] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)

    def add(self, leg: Leg) -> None:
        assert not self.starts or leg.t0 >= self.starts[-1] - 1e-6, "a card cannot be in two places"
        self.legs.append(leg)
        self.starts.append(leg.t0)

    def at(self, t: float) -> tuple[Leg, float] | None:
        i = bisect_right(self.starts, t) - 1
        if i < 0:
            return None
        leg = self.legs[i]
        if t >= leg.t1:
            return None if leg.gone else (leg, 1.0)
        return (leg, (t - leg.t0) / max(1e-6, leg.t1 - leg.t0)) if leg.shown else None


class World:
    """Where cards and hands are at any time."""

    def __init__(self, size_mm: tuple[float, float], card_mm: tuple[float, float]) -> None:
        self.size_mm, self.card_mm = size_mm, card_mm
        self.cards: dict[str, CardLife] = {}
        self.hands: dict[str, list[Key]] = {}
        self.owner: dict[str, str] = {}
        self.anchor: dict[str, tuple[float, float]] = {}
        self.end_ms = 0.0

    def at(self, t: float) -> Moment:
        """All cards and hands at time t (ms)."""
        cards = []
        for name, life in self.cards.items():
            got = life.at(t)
            if got is None:
                continue
            leg, u = got
            if u >= 1.0:
                cards.append(Placed(name, leg.end, leg.up1, leg.order, False))
                continue
            e = way(u, leg.share)
            a, b = leg.start, leg.end
            dx, dy = b.x - a.x, b.y - a.y
            arc = 4 * e * (1 - e)
            turn = (b.angle - a.angle + 180) % 360 - 180
            pose = Pose(
                a.x + dx * e - dy * leg.bow * arc,
                a.y + dy * e + dx * leg.bow * arc,
                a.angle + turn * e,
                a.z + (b.z - a.z) * e + leg.lift * arc,
            )
            up, flat = leg.up0, 1.0
            if leg.up0 != leg.up1:
                flip = ease((u - 0.15) / 0.5)
                up, flat = (leg.up0, math.cos(math.pi * flip)) if flip < 0.5 else (leg.up1, -math.cos(math.pi * flip))
            cards.append(Placed(name, pose, up, 1e6 + leg.order, True, max(0.06, flat)))
        cards.sort(key=lambda p: p.order)
        hands = []
        for hand, keys in self.hands.items():
            i = bisect_right(keys, t, key=lambda k: k.t) - 1
            if i < 0 or i + 1 >= len(keys):
                continue
            a, b = keys[i], keys[i + 1]
            if a.z < -1 and b.z < -1:
                continue
            e = way((t - a.t) / max(1e-6, b.t - a.t), b.share)
            x, y = a.x + (b.x - a.x) * e, a.y + (b.y - a.y) * e
            hands.append(
                HandAt(hand, self.owner[hand], x, y, max(0.0, a.z + (b.z - a.z) * e), self.anchor[hand], a.grip + (b.grip - a.grip) * e)
            )
        return Moment(t, tuple(cards), tuple(hands))


AWAY = -2.0  # z of a hand that is off the table


class Stage:
    """Directs a world: every verb of a hand moves that hand's own clock on.

    `pace` stretches all durations (1 is a relaxed table). All verbs return the time at which they end.
    """

    def __init__(self, world: World, seats: dict[str, str], rng: Rng, pace: float = 1.0) -> None:
        self.world, self.seats, self.rng, self.pace = world, seats, rng, pace
        self._order = 0.0
        self._hand: dict[str, Key] = {}
        for player, edge in seats.items():
            for side in "rl":
                self._enrol(player, edge, side)

    def _enrol(self, player: str, edge: str, side: str) -> None:
        hand = player + side
        w, h = self.world.size_mm
        along = (1 if side == "r" else -1) * float(self.rng.uniform(90, 150))
        reach = 330.0  # the elbow: how far outside the edge the arm starts
        cx, cy = {
            "S": (w / 2 + along, h + reach),
            "N": (w / 2 - along, -reach),
            "E": (w + reach, h / 2 - along),
            "W": (-reach, h / 2 + along),
        }[edge]
        self.world.anchor[hand] = (cx, cy)
        self.world.owner[hand] = player
        rest = self.rest(hand)
        self._hand[hand] = Key(0.0, *rest, AWAY)
        self.world.hands[hand] = [self._hand[hand]]

    def rest(self, hand: str) -> tuple[float, float]:
        """Where the fingertip waits, outside the table's edge."""
        ax, ay = self.world.anchor[hand]
        w, h = self.world.size_mm
        out = 150.0
        return (min(max(ax, -out), w + out), min(max(ay, -out), h + out))

    def next_order(self) -> float:
        self._order += 1
        return self._order

    def now(self, hand: str) -> float:
        return self._hand[hand].t

    def wait(self, hand: str, until: float) -> float:
        """Stay where the hand is until a time."""
        k = self._hand[hand]
        if until > k.t:
            self._key(replace(k, t=until), hand)
        return self._hand[hand].t

    def _key(self, key: Key, hand: str) -> None:
        self._hand[hand] = key
        keys = self.world.hands[hand]
        if keys and keys[-1].t == key.t:
            keys[-1] = key
        else:
            keys.append(key)
        self.world.end_ms = max(self.world.end_ms, key.t)

    def _time(self, dist: float) -> float:
        """Duration in ms of a reach over `dist` mm (Fitts-like: a base and a part that grows with the way)."""
        return float((150 + 62 * math.sqrt(max(0.0, dist) / 10)) * self.rng.uniform(0.9, 1.15) * self.pace)

    def grip_point(self, hand: str, pose: Pose) -> tuple[float, float]:
        """Where the fingertip sits on a card: a third in from the player's side."""
        ax, ay = self.world.anchor[hand]
        d = math.hypot(pose.x - ax, pose.y - ay) or 1.0
        return pose.x - (pose.x - ax) / d * 12, pose.y - (pose.y - ay) / d * 12

    def move(self, hand: str, x: float, y: float, z: float = 12.0, grip: float | None = None, slow: float = 1.0, share: float = 1.0,
             takes: float | None = None) -> float:  # fmt: skip
        """Move the fingertip to a point, in `takes` ms where that is given; `share` below 1: it hits the table."""
        k = self._hand[hand]
        if k.z <= AWAY + 0.5:  # comes onto the table
            rest = self.rest(hand)
            self._key(Key(k.t, *rest, AWAY, k.grip), hand)
            self._key(Key(k.t + 1, *rest, 30.0, k.grip if grip is None else grip), hand)
            k = self._hand[hand]
        t = k.t + (self._time(math.hypot(x - k.x, y - k.y)) * slow if takes is None else takes)
        self._key(Key(t, x, y, z, k.grip if grip is None else grip, share), hand)
        return t

    def leave(self, hand: str) -> float:
        """Draw the hand back off the table."""
        k = self._hand[hand]
        if k.z <= AWAY + 0.5:
            return k.t
        rest = self.rest(hand)
        t = k.t + self._time(math.hypot(rest[0] - k.x, rest[1] - k.y)) * 0.85
        self._key(Key(t, *rest, 30.0, 0.0), hand)
        self._key(Key(t + 1, *rest, AWAY, 0.0), hand)
        return t

    # cards ------------------------------------------------------------------------------------------------------------------

    def life(self, card: str) -> CardLife:
        return self.world.cards.setdefault(card, CardLife())

    def put(self, card: str, t: float, pose: Pose, up: bool = True) -> None:
        """A card is simply there from time t on."""
        self.life(card).add(Leg(t, t, pose, pose, up0=up, up1=up, order=self.next_order()))

    def where(self, card: str) -> Pose:
        return self.world.cards[card].legs[-1].end

    def is_up(self, card: str) -> bool:
        return self.world.cards[card].legs[-1].up1

    def remove(self, card: str, t: float) -> None:
        pose = self.where(card)
        self.life(card).add(Leg(t, t, pose, pose, gone=True))

    def bring(self, hand: str, cards: list[str], poses: list[Pose], up: bool = True, drop: float = 90.0, share: float = 1.0,
              takes: float | None = None) -> float:  # fmt: skip
        """Bring cards from the player's own hand (off the table) and lay them at poses, all in one stroke. Returns when they lie."""
        sx, sy = self.rest(hand)
        k = self._hand[hand]
        if k.z > AWAY + 0.5:
            sx, sy = k.x, k.y
        tx, ty = self.grip_point(hand, poses[-1])
        start = k.t + 1
        t = self.move(hand, tx, ty, 6.0, grip=1.0, share=share, takes=takes)
        bow = float(self.rng.normal(0, 0.04))
        for card, pose in zip(cards, poses, strict=True):
            facing = self._facing(hand)
            a = Pose(sx + (pose.x - tx), sy + (pose.y - ty), facing + float(self.rng.normal(0, 8)), 30.0)
            self.life(card).add(Leg(start, t, a, pose, 30.0 if share >= 1 else 0.0, bow, up, up, self.next_order(), share=share))
        self.wait(hand, t + drop * self.pace)
        self._key(replace(self._hand[hand], grip=0.0), hand)
        return t

    def carry(
        self, hand: str, cards: list[str], poses: list[Pose], up: bool | None = None, lift: float = 35.0, hold: float = 70.0,
        share: float = 1.0, takes: float | None = None,
    ) -> float:  # fmt: skip
        """Pick up cards from where they lie (the hand must be there) and lay them one after the other, the first first.

        All travel together to the first pose; those still in the hand then go on to theirs. Poses closer than 60 mm to the one
        before are laid in the same stroke. `up` turns the cards on the way. Returns when the last one lies.
        """
        self.wait(hand, self.now(hand) + hold * self.pace)
        self._key(replace(self._hand[hand], grip=1.0), hand)
        held = list(zip(cards, poses, strict=True))
        end = self.now(hand)
        while held:
            x, y = held[0][1].x, held[0][1].y
            n = next((i for i, (_, p) in enumerate(held) if math.hypot(p.x - x, p.y - y) > 60), len(held))
            now, later = held[:n], held[n:]
            lead = now[-1][1]
            gx, gy = self.grip_point(hand, lead)
            t0 = self.now(hand)
            end = self.move(hand, gx, gy, 6.0, grip=1.0, slow=1.05 if end == t0 else 1.0, share=share, takes=takes)
            bow = float(self.rng.normal(0, 0.05))
            for card, pose in now:
                self._leg(card, t0, end, pose, lift, bow, up, share)
            for card, _ in later:
                self._leg(
                    card,
                    t0,
                    end,
                    Pose(lead.x + float(self.rng.normal(0, 2)), lead.y + float(self.rng.normal(0, 2)), lead.angle, 8.0),
                    lift,
                    bow,
                    up,
                )
            held = later
            if held:
                self.wait(hand, end + 60 * self.pace)
                for card, _ in held:  # stays in the fingers meanwhile
                    pose = self.where(card)
                    self._leg(card, end, self.now(hand), pose, 0.0, 0.0, None)
            lift = 14.0
        self.wait(hand, end + 50 * self.pace)
        self._key(replace(self._hand[hand], grip=0.0), hand)
        return end

    def _leg(self, card: str, t0: float, t1: float, to: Pose, lift: float, bow: float, up: bool | None, share: float = 1.0) -> None:
        was = self.is_up(card)
        self.life(card).add(Leg(t0, t1, self.where(card), to, lift, bow, was, was if up is None else up, self.next_order(), share=share))

    def pick(self, hand: str, cards: list[str]) -> float:
        """Reach for cards that lie on the table: the fingertip goes to the last one."""
        x, y = self.grip_point(hand, self.where(cards[-1]))
        return self.move(hand, x, y, 8.0, grip=0.3)

    def take(self, hand: str, cards: list[str]) -> float:
        """Take cards that the hand holds off the table, into the player's own hand."""
        rest = self.rest(hand)
        self.wait(hand, self.now(hand) + 70 * self.pace)
        t0 = self.now(hand)
        k = self._hand[hand]
        t1 = t0 + self._time(math.hypot(rest[0] - k.x, rest[1] - k.y))
        for card in cards:
            a = self.where(card)
            was = self.is_up(card)
            self.life(card).add(Leg(t0, t1, a, a.moved(rest[0] - k.x, rest[1] - k.y), 25.0, 0.0, was, was, self.next_order(), gone=True))
        self._key(Key(t1, *rest, 30.0, 1.0), hand)
        self._key(Key(t1 + 1, *rest, AWAY, 0.0), hand)
        return t1

    def push(self, card: str, t: float, dx: float, dy: float, turn: float, dur: float = 60.0) -> None:
        """A card is knocked aside (a neighbour slammed down); it keeps its place in the stack."""
        leg = self.world.cards[card].legs[-1]
        a = leg.end
        self.life(card).add(Leg(t, t + dur, a, a.moved(dx, dy, turn), 0.0, 0.0, leg.up1, leg.up1, leg.order))

    def _facing(self, hand: str) -> float:
        return {"S": 0.0, "N": 180.0, "E": -90.0, "W": 90.0}[self.seats[self.world.owner[hand]]]
