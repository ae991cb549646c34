"""Go-Stop as it looks on a table: turns of a game laid out as movements of hands and cards, with the truth of what happened when.

The rules live in `scorer`: a *turn* arrives here as the list of events that the rules engine logged for it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from datasets.simulate import Felt, Pose, Stage, World
from datasets.simulate_deal import PlayedDeal
from scorer.cards import info, is_card, merged
from scorer.match import Match

Rng = np.random.Generator
Event = Mapping[str, Any]  # a contract event: event, player, cards, …
GROUPS = ("bright", "animal", "ribbon", "junk")


@dataclass(frozen=True)
class Habits:
    """How this table plays. Millimetres and milliseconds."""

    fan: float = 17.0  # step between captured cards of a kind
    junk_fan: float = 14.0
    junk_by: int = 5  # junk in groups of so many; 0: one long fan
    think: tuple[float, float] = (350.0, 1300.0)
    slam: float = 0.0  # chance that a played card pushes its neighbours
    fumble: float = 0.0  # chance that a card is laid, then put straight
    jitter: float = 2.0  # mm
    turn: float = 4.0  # degrees
    sloppy_overlap: tuple[float, float] = (9.0, 16.0)  # how far a card lands from the one it takes
    leave_between: float = 0.35  # chance that the hand goes off the table between flip and capture


def group_of(card: str) -> str:
    """Which fan of the capture area a card goes to."""
    kind = info(card).kind if is_card(card) else "junk"
    return kind if kind in ("bright", "animal", "ribbon") else "junk"


@dataclass
class Side:
    """One player's capture area: the cards of each fan in the order in which they were laid."""

    edge: str
    fans: dict[str, list[str]] = field(default_factory=lambda: {g: [] for g in GROUPS})


class Table:
    """The layout of a Go-Stop table: where the next card goes."""

    def __init__(
        self, size_mm: tuple[float, float], card_mm: tuple[float, float], seats: Mapping[str, str], habits: Habits, rng: Rng
    ) -> None:
        self.size, self.card, self.habits, self.rng = size_mm, card_mm, habits, rng
        self.sides = {p: Side(e) for p, e in seats.items()}
        w, h = size_mm
        self.depth = min(card_mm[1] * 2 + 40, min(w, h) * 0.27)
        edges = set(seats.values())
        x0, x1 = (self.depth if "W" in edges else 12.0), w - (self.depth if "E" in edges else 12.0)
        y0, y1 = (self.depth if "N" in edges else 12.0), h - (self.depth if "S" in edges else 12.0)
        self.stock = Pose((x0 + x1) / 2, (y0 + y1) / 2, float(rng.normal(0, 3)))
        self.slots: list[Pose] = []
        cw, ch = card_mm
        rows = max(1, int((y1 - y0) // (ch + 12)))
        cols = max(3, int((x1 - x0) // (cw + 24)))
        for r in range(rows):
            for c in range(cols):
                x, y = x0 + (c + 0.5) * (x1 - x0) / cols, y0 + (r + 0.5) * (y1 - y0) / rows
                if abs(x - self.stock.x) > cw + 16 or abs(y - self.stock.y) > ch + 10:
                    self.slots.append(Pose(x, y))
        self.slots.sort(key=lambda p: math.hypot((p.x - self.stock.x) * 0.75, p.y - self.stock.y) + float(rng.uniform(0, 40)))
        self.floor: dict[str, Pose] = {}

    def jitter(self, pose: Pose, share: float = 1.0) -> Pose:
        h = self.habits
        n = self.rng.normal
        return pose.moved(float(n(0, h.jitter * share)), float(n(0, h.jitter * share)), float(n(0, h.turn * share)))

    def free(self) -> Pose:
        """A place on the floor where nothing lies."""
        for slot in self.slots:
            if all(math.hypot(slot.x - p.x, slot.y - p.y) > self.card[1] * 0.98 for p in self.floor.values()):
                return self.jitter(slot)
        return self.jitter(self.slots[int(self.rng.integers(len(self.slots)))], 3)

    def onto(self, card: str, n: int = 0) -> Pose:
        """A place that partly covers a card on the floor; `n` counts cards already laid on it."""
        base = self.floor[card]
        a = float(self.rng.uniform(0.15 * math.pi, 0.85 * math.pi)) + n * 0.3
        d = float(self.rng.uniform(*self.habits.sloppy_overlap)) * (1 + 0.6 * n)
        return self.jitter(base.moved(math.cos(a) * d, math.sin(a) * d, float(self.rng.normal(0, 5))), 0.5)

    def _local(self, edge: str, u: float, v: float) -> Pose:
        w, h = self.size
        depth = self.depth
        if edge == "S":
            return Pose(u, h - v, 0.0)
        if edge == "N":
            return Pose(w - u, v, 180.0)
        edges = {s.edge for s in self.sides.values()}
        top, bottom = (depth if "N" in edges else 0.0), (h - depth if "S" in edges else h)
        return Pose(w - v, bottom - u, -90.0) if edge == "E" else Pose(v, top + u, 90.0)

    def _length(self, edge: str) -> float:
        if edge in "NS":
            return self.size[0]
        edges = {s.edge for s in self.sides.values()}
        return self.size[1] - (self.depth if "N" in edges else 0.0) - (self.depth if "S" in edges else 0.0)

    def fan_pose(self, player: str, group: str, i: int) -> Pose:
        """Place of the i-th card of a fan."""
        side, h = self.sides[player], self.habits
        length = self._length(side.edge)
        cw, ch = self.card
        near, far = ch / 2 + 8, self.depth - ch / 2 - 4
        if group == "junk":
            room = length - cw - 30
            if h.junk_by:
                per = cw + (h.junk_by - 1) * h.junk_fan + 8
                scale = min(1.0, room / (per * 5))
                u = 15 + cw / 2 + (i // h.junk_by) * per * scale + (i % h.junk_by) * h.junk_fan * scale
            else:
                u = 15 + cw / 2 + i * min(h.junk_fan, room / 24)
            return self.jitter(self._local(side.edge, u, near), 0.45)
        start = {"bright": 0.0, "animal": 0.28, "ribbon": 0.64}[group] * (length - 20) + 12 + cw / 2
        step = min(h.fan, (0.26 if group == "bright" else 0.34) * length / 9)
        return self.jitter(self._local(side.edge, start + i * step, far), 0.45)

    def capture(self, player: str, card: str) -> Pose:
        """Take a card into the player's area: where it goes."""
        group = group_of(card)
        fan = self.sides[player].fans[group]
        fan.append(card)
        return self.fan_pose(player, group, len(fan) - 1)

    def lose(self, player: str, card: str) -> None:
        """A card leaves the player's area."""
        for fan in self.sides[player].fans.values():
            if card in fan:
                fan.remove(card)


def plain(event: Event, t: float) -> dict[str, Any]:
    """An event as truth: its own keys with the time at which it is seen to have happened."""
    out = {k: v for k, v in event.items() if k not in ("seq", "cause", "ref", "margin")}
    out["t_ms"] = round(t)
    return out


class GoStopScene:
    """Plays logged turns on a stage. `truth` and `commands` are lists of dicts in the contract's form."""

    def __init__(self, stage: Stage, habits: Habits, dealer: str, stock: Sequence[str]) -> None:
        self.stage, self.habits, self.rng = stage, habits, stage.rng
        self.table = Table(stage.world.size_mm, stage.world.card_mm, stage.seats, habits, stage.rng)
        self.dealer, self.stock = dealer, list(stock)
        self.truth: list[dict[str, Any]] = []
        self.commands: list[dict[str, Any]] = []
        self.now = 400.0
        self._laid: dict[str, list[str]] = {}  # card on the floor -> cards laid on it this turn
        self._owner: dict[str, str] = {}  # captured card -> player

    # the deal --------------------------------------------------------------------------------------------------------------

    def deal(self, floor: Sequence[str], joker_swaps: Sequence[tuple[str, str]] = ()) -> None:
        """The dealer puts the stock down and lays the floor cards one by one. `joker_swaps`: (joker, card that replaces it)."""
        st, t = self.stage, self.table
        hand = self.dealer + "r"
        st.wait(hand, self.now)
        for i, card in enumerate(reversed(self.stock)):
            pose = t.jitter(t.stock, 0.25)
            self._stack(card, Pose(pose.x, pose.y, pose.angle, i * 1.0), i)
        lowest = self.stock[::-1]
        poses = [self._stock_pose[c] for c in lowest]
        st.bring(hand, lowest, poses, up=False)
        for card in floor:
            stay = t.free()
            t.floor[card] = stay
            st.bring(hand, [card], [stay])
        end = st.leave(hand)
        for joker, card in joker_swaps:
            st.wait(hand, end + 300)
            st.pick(hand, [joker])
            t.floor.pop(joker)
            st.carry(hand, [joker], [t.capture(self.dealer, joker)])
            self._own(self.dealer, [joker])
            stay = t.free()
            t.floor[card] = stay
            self._flip(hand, card, stay)
            end = st.leave(hand)
        self._deal_stacks(hand)
        self.now = st.leave(hand)
        self.dealt_ms = self.now - 300

    _stock_pose: dict[str, Pose]
    dealt_ms = 0.0

    def _stack(self, card: str, pose: Pose, i: int) -> None:
        if i == 0:
            self._stock_pose = {}
        self._stock_pose[card] = pose

    def _deal_stacks(self, hand: str) -> None:
        months: dict[int, list[str]] = {}
        for card in self.table.floor:
            if is_card(card) and (m := info(card).month):
                months.setdefault(m, []).append(card)
        for cards in months.values():
            if len(cards) == 3:
                base, *rest = cards
                for i, card in enumerate(rest):
                    self.stage.pick(hand, [card])
                    pose = self.table.onto(base, i)
                    self.stage.carry(hand, [card], [pose])
                    self.table.floor[card] = pose

    # a turn ----------------------------------------------------------------------------------------------------------------

    def turn(self, events: Sequence[Event]) -> None:
        """One turn: the events that the rules engine logged for it, in order."""
        st = self.stage
        player = next(e["player"] for e in events if e["event"] in ("play", "flip", "bomb", "joker", "shake"))
        hand = player + "r"
        start = self.now + float(self.rng.uniform(*self.habits.think)) * st.pace
        st.wait(hand, start)
        gained = [c for e in events if e["event"] == "capture" for c in e["cards"]]
        buried = [c for e in events if e["event"] == "ppuk" for c in e["cards"]]
        done: set[int] = set()
        lay = start
        for i, e in enumerate(events):
            kind = e["event"]
            if kind == "shake":
                lay = self._show(hand, list(e["cards"]))
                self.truth.append(plain(e, lay))
                done.add(i)
            elif kind == "play":
                lay = self._play(hand, list(e["cards"]), gained)
                self.truth.append(plain(e, lay))
                done.add(i)
            elif kind == "flip":
                for card in e["cards"]:
                    if self._months(card) is None and card in gained:  # a joker goes to its owner at once
                        lay = self._flip(hand, card, self.table.capture(player, card))
                        self._own(player, [card])
                    else:
                        lay = self._flip(hand, card, self._landing(card, gained, buried))
                self.truth.append(plain(e, lay))
                done.add(i)
            elif kind == "ppuk":
                self.truth.append(plain(e, lay))
                done.add(i)
        end = lay
        if gained:
            end = self._gather(hand, player, gained)
        for i, e in enumerate(events):
            if i in done or e["event"] in ("go", "stop", "settle", "nagari", "steal"):
                continue
            self.truth.append(plain(e, end))
        out = st.leave(hand)
        for e in events:
            if e["event"] == "steal":
                end = self._steal(player, str(e["from"]), list(e["cards"]), max(end, out - 350))
                self.truth.append(plain(e, end))
        self.now = max(out, end)
        for e in events:
            if e["event"] in ("go", "stop"):
                t = self.now + float(self.rng.uniform(500, 1100))
                self.truth.append(plain(e, t))
                self.commands.append({"t_ms": round(t), "command": e["event"], "player": e["player"]})
                self.now = t
            elif e["event"] in ("settle", "nagari"):
                self.truth.append(plain(e, self.now))
        self._laid.clear()

    def _months(self, card: str) -> int | None:
        return info(card).month if is_card(card) else None

    def _landing(self, card: str, gained: Sequence[str], buried: Sequence[str] = ()) -> Pose:
        """Where a card goes on the floor: on the one it takes (or on its month's stack), else to a free place."""
        t = self.table
        month = self._months(card)
        same = [c for c in t.floor if self._months(c) == month and month is not None]
        if month is None and card in buried:
            same = [c for c in t.floor if c in buried]
        taken = [c for c in same if c in gained and c not in self._covered()]
        base = (taken or [c for c in same if c in gained] or (same if card not in gained or len(same) >= 2 else []))[:1]
        if not base:
            pose = t.free()
        else:
            pose = t.onto(base[0], len(self._laid.get(base[0], ())))
            self._laid.setdefault(base[0], []).append(card)
        t.floor[card] = pose
        return pose

    def _covered(self) -> set[str]:
        return set(self._laid)

    def _play(self, hand: str, cards: list[str], gained: Sequence[str]) -> float:
        st = self.stage
        if self._months(cards[0]) is None:  # a joker is laid straight into the player's own area
            player = st.world.owner[hand]
            self._own(player, cards)
            return st.bring(hand, cards, [self.table.capture(player, c) for c in cards])
        poses = [self._landing(c, gained) for c in cards]
        end = st.bring(hand, cards, poses)
        if self.rng.random() < self.habits.slam:
            self._slam(cards, poses[-1], end)
        return end

    def _slam(self, cards: Sequence[str], at: Pose, t: float) -> None:
        """A card slammed down pushes its loose neighbours by up to 20 mm."""
        for card, pose in list(self.table.floor.items()):
            d = math.hypot(pose.x - at.x, pose.y - at.y)
            if card in cards or card in self._laid or not 20 < d < 85 or self.rng.random() < 0.5:
                continue
            k = float(self.rng.uniform(5, 20)) / d
            dx, dy, turn = (pose.x - at.x) * k, (pose.y - at.y) * k, float(self.rng.normal(0, 8))
            self.stage.push(card, t, dx, dy, turn)
            self.table.floor[card] = pose.moved(dx, dy, turn)

    def _flip(self, hand: str, card: str, pose: Pose) -> float:
        st = self.stage
        st.pick(hand, [card])
        self.stock.remove(card)
        return st.carry(hand, [card], [pose], up=True, lift=45.0)

    def _show(self, hand: str, cards: list[str]) -> float:
        """A declared triple: laid open at the player's edge for two seconds, then taken back."""
        st, t = self.stage, self.table
        edge = self.table.sides[self.stage.world.owner[hand]].edge
        w, h = t.size
        mid = {
            "S": Pose(w / 2, h - t.depth - 35, 0),
            "N": Pose(w / 2, t.depth + 35, 180),
            "E": Pose(w - t.depth - 35, h / 2, -90),
            "W": Pose(t.depth + 35, h / 2, 90),
        }[edge]
        along = (1, 0) if edge in "NS" else (0, 1)
        row = [tuple((i - 1) * 40 * v for v in along) for i in range(len(cards))]
        shifts = sorted(range(-6, 7), key=abs)

        def clear(k: int) -> float:  # least distance to a card on the floor when shifted by k steps
            spots = [(mid.x + dx + k * 30 * along[0], mid.y + dy + k * 30 * along[1]) for dx, dy in row]
            return min((math.hypot(p.x - x, p.y - y) for x, y in spots for p in (*t.floor.values(), t.stock)), default=1e9)

        k = next((k for k in shifts if clear(k) > 62), max(shifts, key=clear))
        poses = [mid.moved(dx + k * 30 * along[0], dy + k * 30 * along[1]) for dx, dy in row]
        end = st.bring(hand, cards, poses)
        st.leave(hand)
        st.wait(hand, st.now(hand) + 1300)
        st.pick(hand, cards)
        st.take(hand, cards)
        return end

    def _gather(self, hand: str, player: str, gained: Sequence[str]) -> float:
        """Carry all that the turn gained into the player's area, month by month."""
        st, t = self.stage, self.table
        end = st.now(hand)
        if self.rng.random() < self.habits.leave_between:
            end = st.leave(hand)
            st.wait(hand, end + float(self.rng.uniform(100, 400)))
        groups: dict[object, list[str]] = {}
        for card in gained:
            groups.setdefault(self._months(card) or card, []).append(card)
        for cards in groups.values():
            lying = [c for c in cards if c in t.floor]
            fresh = [c for c in cards if c not in t.floor]  # a joker from the hand goes there at once
            if fresh:
                continue
            lying.sort(key=lambda c: st.world.cards[c].legs[-1].order)
            self._together(hand, lying)
            lying.sort(key=lambda c: (GROUPS.index(group_of(c)), c))
            for c in lying:
                t.floor.pop(c)
            end = st.carry(hand, lying, [t.capture(player, c) for c in lying])
            self._own(player, lying)
        return end

    def _together(self, hand: str, cards: list[str]) -> None:
        """Bring the hand over cards, first sliding those that lie apart onto the last one."""
        st = self.stage
        base = st.where(cards[-1])
        for card in cards[:-1]:
            pose = st.where(card)
            if math.hypot(pose.x - base.x, pose.y - base.y) > 40:
                st.pick(hand, [card])
                st.carry(hand, [card], [base.moved(float(self.rng.normal(0, 4)), float(self.rng.normal(0, 4)), 3)], lift=10)
        st.pick(hand, cards)

    def _own(self, player: str, cards: Sequence[str]) -> None:
        for card in cards:
            self._owner[card] = player

    def _steal(self, player: str, giver: str, cards: list[str], after: float) -> float:
        """The giver hands over junk, or the taker takes it."""
        st, t = self.stage, self.table
        hand = (giver if self.rng.random() < 0.7 else player) + "r"
        st.wait(hand, after + float(self.rng.uniform(150, 500)))
        end = after
        for card in cards:
            t.lose(giver, card)
        self._together(hand, cards)
        end = st.carry(hand, cards, [t.capture(player, card) for card in cards])
        self._own(player, cards)
        st.leave(hand)
        return end

    def captured(self) -> dict[str, list[str]]:
        """Cards in each player's area, junk letters merged."""
        out: dict[str, list[str]] = {p: [] for p in self.table.sides}
        for card, player in self._owner.items():
            out[player].append(merged(card))
        return {p: sorted(c) for p, c in out.items()}


@dataclass
class Case:
    """A game acted out: its world, what a person said, and the truth in the contract's form (the last line is the final one)."""

    world: World
    commands: list[dict[str, Any]]
    truth: list[dict[str, Any]]
    table: dict[str, Any]
    scene: GoStopScene | None = None
    felt: list[Felt] = field(default_factory=list)  # hands that came down on piles, in a game with a photo finish


def act_out(
    deal: PlayedDeal,
    size_mm: tuple[float, float],
    card_mm: tuple[float, float],
    seats: Mapping[str, str],
    ruleset: str = "classic",
    habits: Habits = Habits(),
    pace: float = 1.0,
    options: Mapping[str, Any] | None = None,
    say_go: bool = True,
) -> Case:
    """The deal as movements on a table. `say_go` False: nobody says or taps "go"; the table simply plays on."""
    rng = np.random.default_rng([deal.seed, 31])
    world = World(size_mm, card_mm)
    scene = GoStopScene(Stage(world, dict(seats), rng, pace), habits, deal.dealer, (*deal.replaced, *deal.stock))
    jokers = [c for c in deal.floor if not info(c).month]
    scene.deal(deal.floor, list(zip(jokers, deal.replaced, strict=False)))
    match = Match("gostop", ruleset, deal.players, deal.dealer, dict(options or {}))
    scene.truth += [plain(e.to_dict(), scene.dealt_ms) for e in deal.opening]
    match.append(deal.opening, round(scene.dealt_ms))
    for turn in deal.turns:
        scene.turn([e.to_dict() for e in turn])
        for part in _batches(turn):
            match.append(part, round(scene.now))
    if not say_go:
        scene.commands = [c for c in scene.commands if c["command"] != "go"]
    table = {
        "game": "gostop",
        "ruleset": ruleset,
        "players": list(deal.players),
        "dealer": deal.dealer,
        "deck": "hwatu",
        "size_mm": list(size_mm),
        "seats": [{"player": p, "edge": e} for p, e in seats.items()],
        **dict(options or {}),
    }
    final = match.final()
    final["final"] |= {"asked": 0, "flags": 0}
    return Case(world, scene.commands, [*scene.truth, final], table, scene)


def _batches(turn: Sequence[Any]) -> list[list[Any]]:
    """A turn's events as the log takes them: declarations, the turn, the decision; what follows of itself left out."""
    out: list[list[Any]] = []
    for e in turn:
        if e.kind in ("settle", "nagari", "deal-void"):
            continue
        if e.kind in ("shake", "go", "stop") or not out or out[-1][0].kind in ("shake", "go", "stop"):
            out.append([e])
        else:
            out[-1].append(e)
    return out
