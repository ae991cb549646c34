"""Following cards: each physical card is in one place, a covered one stays where it was last seen, hands freeze what they hide.

The tracker takes *looks*: what a detector saw, in table millimetres, with masks of what was hidden and of what had changed since the look
before. It knows nothing of pictures, so it runs as well on recorded or simulated looks. Time is the look's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scorer.cards import BACK, Deck
from vision.assign import assign
from vision.grid import Grid, Mask, share
from vision.names import FROZEN, LIMBO, LONG_AGO, SURE, UNSEEN, Choice, Names, Votes

Floats = NDArray[np.float64]

LOW, HIGH = 0.25, 0.45  # a sighting keeps a track from LOW on, founds one from HIGH on
SIGMA_MM, SIGMA_DEG = 3.0, 6.0  # how far a card that lies still seems to move
NEAR_MM, NEAR_MORE_MM = 9.0, 5.0  # a card that lies still is seen no farther away than this (more where little of it shows)
GATE = 13.0  # cost at which two poses are not the same card
SLIDE_MM = 55.0  # a card pushed aside is the same card up to here
SETTLE_HITS, SETTLE_MS = 2, 90.0
LEAVE_MISSES, LEAVE_MS = 2, 60.0
HIDDEN_SHARE = 0.25  # a track with so much of it under a hand is not judged
COVER_SHARE = 0.8  # so much of it under other cards: covered
CHANGED_SHARE = 0.2
NAME_WAIT_MS = 450.0  # a settled card without a sure name is shown all the same after this
HIDDEN_WAIT_MS = 2000.0  # the same while a hand half covers it: it will soon be seen better
CARRIED_MS = 2500.0  # a card that left is taken to be in a hand for so long
CALM_MS = 120.0
REACH_MM = 130.0  # centres farther apart than this cannot overlap
CLEAR = 0.8  # probability of a name from which a reading contradicts another


@dataclass(frozen=True)
class Sightings:
    """What a detector and a reader saw, N cards.

    quads (N, 4, 2) mm, clockwise from the card's own top left; confidence, visible (N,) 0 to 1; names: for each card what was read,
    (name, probability) likeliest first, () where it was not read; back (N,) probability that it lies face down (0 where not read).
    """

    quads: Floats
    confidence: Floats
    visible: Floats
    names: tuple[tuple[tuple[str, float], ...], ...]
    back: Floats

    def __post_init__(self) -> None:
        n = len(self.quads)
        if self.quads.shape != (n, 4, 2) or not n == len(self.confidence) == len(self.visible) == len(self.names) == len(self.back):
            raise ValueError(f"quads must be (N, 4, 2) with N of all else, not {self.quads.shape} and {len(self.names)} names")

    def __len__(self) -> int:
        return len(self.quads)

    @staticmethod
    def none() -> Sightings:
        z = np.zeros(0)
        return Sightings(np.zeros((0, 4, 2)), z, z, (), z)


@dataclass(frozen=True)
class Look:
    """One frame as the tracker takes it. `sightings` is None where the detector did not run; `blocked`: cells under a hand or in motion;
    `changed`: cells that differ from the last look at them (None: all may)."""

    t_ms: float
    sightings: Sightings | None
    blocked: Mask | None = None
    changed: Mask | None = None
    hands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Track:
    """A physical card as it is known now. state: new, moving, settled, covered, gone; `quad` (4, 2) mm."""

    id: int
    card: str
    names: tuple[tuple[str, float], ...]
    sure: bool
    face_up: bool
    quad: tuple[tuple[float, float], ...]
    visible: float
    state: str
    zone: str
    order: int
    since_ms: float
    shown: bool


@dataclass(eq=False)
class _Card:
    id: int
    quad: Floats
    votes: Votes
    t_first: float
    state: str = "new"
    visible: float = 1.0
    hits: int = 1
    misses: int = 0
    miss_since: float = 0.0
    t_hit: float = 0.0
    t_still: float = 0.0
    t_settled: float = 0.0
    t_gone: float = 0.0
    order: int = 0
    zone: str = ""
    back: float = 0.0  # log odds that it lies face down
    hidden: bool = False
    doubt: bool = False  # something changed there while a hand hid it
    conflicts: int = 0
    choice: Choice = field(default_factory=lambda: Choice("", 0.0, ()))
    shown: bool = False
    t_left: float = -1e9  # when it left its former place
    under: int = -1  # id of the card that it is presumed to lie under
    cells: tuple[NDArray[np.intp], NDArray[np.intp]] = (np.zeros(0, np.intp), np.zeros(0, np.intp))

    @property
    def centre(self) -> Floats:
        return self.quad.mean(axis=0)

    @property
    def face_down(self) -> bool:
        return self.back > 0

    @property
    def sure(self) -> bool:
        return self.votes.frozen >= 0 or (self.choice.lead >= SURE and self.votes.weight >= 0.9)


def angle_of(quads: Floats) -> Floats:
    """Direction in degrees of the long axis of quads (N, 4, 2)."""
    d = (quads[:, 3] + quads[:, 2] - quads[:, 0] - quads[:, 1]) / 2
    return np.degrees(np.arctan2(d[:, 1], d[:, 0]))


class Tracker:
    """Keeps the cards of one deck. `zone_of(x, y, before)` names the zone of a point in mm."""

    def __init__(
        self,
        deck: Deck,
        size_mm: tuple[float, float],
        zone_of: Callable[[float, float, str], str] | None = None,
        crowded: Callable[[str], bool] | None = None,
    ) -> None:
        self.names = Names(deck)
        self.grid = Grid(size_mm)
        self._zone_of = zone_of or (lambda x, y, before: "")
        self._home = crowded or (lambda zone: False)  # zones in which cards seldom appear that were never seen elsewhere
        self._cards: list[_Card] = []
        self._gone: list[_Card] = []
        self._next_id, self._next_order = 1, 1
        self._dirty = False
        self._last_change = -1e9
        self._crowd: tuple[float, ...] = ()
        self._hands: tuple[str, ...] = ()
        self.t_ms = 0.0

    # what others ask ---------------------------------------------------------------------------------------------------------

    @property
    def pending(self) -> bool:
        """True while another look is needed to settle, name or drop a card."""
        return any(
            (c.state == "new" and not c.hidden)
            or ((c.misses or c.doubt) and not c.hidden)
            or (not c.sure and not c.face_down and c.votes.view < 4 and not c.hidden)
            for c in self._cards
            if c.state != "covered"
        )

    @property
    def stable(self) -> bool:
        """True where no card moves and nothing has changed for the settling time."""
        if self.t_ms - self._last_change < CALM_MS:
            return False
        if any(c.misses for c in self._cards) or any(c.state == "new" and c.hits >= SETTLE_HITS for c in self._cards):
            return False
        return not any(self._carried(c) for c in self._gone)

    def _carried(self, card: _Card) -> bool:
        return card.shown and card.under < 0 and self.t_ms - card.t_gone < (CARRIED_MS if self._hands else CARRIED_MS / 2)

    def to_read(self, quads: Floats, visible: Floats, changed: Mask | None) -> NDArray[np.bool_]:
        """Which sightings (quads (N, 4, 2) mm) need a reading: those of no known card, of one not yet sure, or where something changed."""
        out = np.ones(len(quads), bool)
        known = [c for c in self._cards if c.state in ("settled", "covered")]
        if not known:
            return out
        centres = np.stack([c.centre for c in known])
        for i, q in enumerate(quads):
            d = np.linalg.norm(centres - q.mean(axis=0), axis=1)
            c = known[int(np.argmin(d))]
            if d.min() > 6 or (changed is not None and share(changed, self.grid.cells(q)) > 0.1) or changed is None:
                continue
            better = visible[i] > c.votes.best_visible + 0.15
            out[i] = better or (not c.sure and c.votes.view < 4 and not c.face_down)
        return out

    def tracks(self) -> tuple[Track, ...]:
        """All cards on the table, and those just taken up (state moving)."""
        out = [self._record(c, "settled" if c.state == "settled" else c.state) for c in self._cards]
        out += [self._record(c, "covered" if c.under >= 0 else "moving" if self._carried(c) else "gone") for c in self._gone if c.shown]
        return tuple(out)

    def _record(self, c: _Card, state: str) -> Track:
        name = BACK if c.face_down else (self.names.names[c.votes.frozen] if c.votes.frozen >= 0 else c.choice.card)
        quad = tuple((round(float(x), 1), round(float(y), 1)) for x, y in c.quad)
        return Track(
            c.id,
            name,
            () if c.face_down else c.choice.names,
            c.sure and c.under < 0 if not c.face_down else True,
            not c.face_down,
            quad,
            round(c.visible, 2),
            state,
            c.zone,
            c.order,
            c.t_settled,
            c.shown,
        )

    # a look ------------------------------------------------------------------------------------------------------------------

    def update(self, look: Look) -> None:
        """Take in one frame."""
        self.t_ms = look.t_ms
        self._hands = look.hands
        if look.blocked is not None:
            for c in self._cards:
                c.hidden = share(look.blocked, c.cells) > HIDDEN_SHARE
        else:
            for c in self._cards:
                c.hidden = False
        if look.sightings is not None:
            for c in self._cards:
                c.doubt = c.doubt or (c.hidden and look.changed is not None and share(look.changed, c.cells) > 0.1)
            self._see(look, look.sightings)
        self._settle(look)
        if self._dirty:
            self._name()
        self._show()
        self._presume()
        self._forget()

    def _see(self, look: Look, s: Sightings) -> None:
        good = np.flatnonzero(s.confidence >= LOW)
        cells = [self.grid.cells(s.quads[i]) for i in good]
        blocked = np.array([share(look.blocked, x) if look.blocked is not None else 0.0 for x in cells])
        fresh = np.array([share(look.changed, x) if look.changed is not None else 1.0 for x in cells])
        likelihood = [self.names.likelihood(s.names[i]) if s.names[i] else None for i in good]
        took = self._match(s, good, likelihood, fresh, blocked, look.changed)
        seen: list[tuple[_Card, int]] = []
        free = set(range(len(good)))
        for card, k in took:
            free.discard(k)
            self._hit(card, s, int(good[k]), cells[k], likelihood[k], fresh[k] > CHANGED_SHARE, blocked[k], look.t_ms)
            seen.append((card, k))
        matched = {id(card) for card, _ in seen}
        for k in sorted(free):
            i = int(good[k])
            if s.confidence[i] >= HIGH and blocked[k] < 0.35:
                card = self._found(s, i, cells[k], likelihood[k], look.t_ms)
                seen.append((card, k))
                matched.add(id(card))
        tops = [(card, s.quads[good[k]]) for card, k in seen]
        for card in list(self._cards):
            if id(card) not in matched and not card.hidden:
                self._unseen(card, tops, look)

    def _match(
        self, s: Sightings, good: NDArray[np.intp], likelihood: list[Floats | None], fresh: Floats, blocked: Floats, changed: Mask | None
    ) -> list[tuple[_Card, int]]:
        """Pairs (card, index into good): the same card where it was, then cards that slid aside."""
        cards = self._cards
        if not cards or not len(good):
            return []
        quads = s.quads[good]
        at, a_now = quads.mean(axis=1), angle_of(quads)
        was, a_was = np.stack([c.centre for c in cards]), angle_of(np.stack([c.quad for c in cards]))
        d = np.linalg.norm(was[:, None] - at[None], axis=2)
        turn = np.abs((a_was[:, None] - a_now[None] + 90) % 180 - 90)
        same = np.zeros_like(d)
        for j, like in enumerate(likelihood):
            if like is None:
                continue
            clear = s.visible[good[j]] > 0.45 and like.max() > math.log(CLEAR)
            best = int(np.argmax(like))
            for i, c in enumerate(cards):
                if d[i, j] > SLIDE_MM:
                    continue
                down = s.back[good[j]] > 0.5
                if down != c.face_down:
                    same[i, j] = 20.0 if fresh[j] > CHANGED_SHARE and max(s.back[good[j]], 1 - s.back[good[j]]) > CLEAR else 4.0
                elif not down and c.votes.frozen >= 0 and not self.names.same(c.votes.frozen, best):
                    same[i, j] = 20.0 if clear and fresh[j] > CHANGED_SHARE else min(6.0, like.max() - like[c.votes.frozen])
        cost = (d / SIGMA_MM) ** 2 / 2 + np.minimum(turn / SIGMA_DEG, 6) ** 2 / 8 + same
        cost[d > NEAR_MM + NEAR_MORE_MM * (1 - s.visible[good])[None]] = np.inf
        out = []
        took = assign(cost, GATE)
        used = set()
        for i, j in enumerate(took):
            if j >= 0:
                out.append((cards[i], int(j)))
                used.add(int(j))
        left = [j for j in range(len(good)) if j not in used and blocked[j] < 0.35]
        rest = [
            i
            for i, c in enumerate(cards)
            if took[i] < 0 and not c.hidden and c.state in ("settled", "new") and not self._stays(c, [quads[j] for j in left], changed)
        ]
        if rest and left:
            slide = np.full((len(rest), len(left)), np.inf)
            for a, i in enumerate(rest):
                for b, j in enumerate(left):
                    if d[i, j] < SLIDE_MM and turn[i, j] < 35 and self._alike(cards[i], likelihood[j], s.back[good[j]]):
                        slide[a, b] = d[i, j]
            for a, b in enumerate(assign(slide, SLIDE_MM)):
                if b >= 0:
                    out.append((cards[rest[a]], left[b]))
        return out

    def _stays(self, card: _Card, over: list[Floats], changed: Mask | None) -> bool:
        """Whether what shows of a card beside those that may lie on it is as it was: then it did not slide away."""
        if changed is None:
            return False
        under = np.zeros(len(card.cells[0]), bool)
        for quad in over:
            under |= self.grid.inside(card.cells, quad)
        opened = (card.cells[0][~under], card.cells[1][~under])
        return len(opened[0]) >= 4 and share(changed, opened) < CHANGED_SHARE

    def _alike(self, card: _Card, like: Floats | None, back: float) -> bool:
        """Whether a sighting elsewhere may be this very card."""
        if like is None:
            return False
        if card.face_down or back > 0.5:
            return card.face_down and back > 0.5
        if card.votes.frozen < 0:
            return False
        return bool(self.names.same(int(np.argmax(like)), card.votes.frozen) and like.max() > math.log(0.5))

    def _hit(
        self,
        c: _Card,
        s: Sightings,
        i: int,
        cells: tuple[NDArray[np.intp], NDArray[np.intp]],
        like: Floats | None,
        fresh: bool,
        blocked: float,
        t: float,
    ) -> None:
        moved = float(np.linalg.norm(s.quads[i].mean(axis=0) - c.centre))
        quad = s.quads[i]
        if moved > 5 and not (s.visible[i] < 0.35 and moved < 12):
            c.quad, c.cells, c.t_still, c.zone = quad.copy(), cells, t, ""
            self._last_change = t if c.state == "settled" else self._last_change
        else:
            w = 0.25 if s.visible[i] > 0.4 else 0.08
            if np.abs(quad - c.quad).max() > 40:  # the same card read the other way up
                quad = np.roll(quad, 2, axis=0)
            c.quad = c.quad + w * (quad - c.quad)
        c.hits += 1
        c.misses, c.t_hit, c.doubt = 0, t, False
        c.visible = float(s.visible[i])
        if c.state == "covered" and c.visible > 0.15:
            c.state = "settled"
        if like is None or blocked > 0.3:
            return
        self._vote(c, like, float(s.visible[i]), float(s.back[i]), fresh)

    def _vote(self, c: _Card, like: Floats, visible: float, back: float, fresh: bool) -> None:
        p = min(max(back, 0.02), 0.98)
        c.back = float(np.clip(c.back * (0.3 if fresh else 1.0) + math.log(p / (1 - p)), -6, 6))
        if c.face_down:
            self._dirty = True
            return
        if c.votes.frozen >= 0:
            best = int(np.argmax(like))
            if visible > 0.6 and like.max() > math.log(CLEAR):
                if self.names.same(best, c.votes.frozen):
                    c.conflicts = 0
                else:
                    c.conflicts += 1
                    if c.conflicts >= 3:  # it was misread when it was first seen
                        c.votes = Votes(len(self.names))
                        c.conflicts = 0
        c.votes.add(like, visible, fresh)
        self._dirty = True

    def _found(self, s: Sightings, i: int, cells: tuple[NDArray[np.intp], NDArray[np.intp]], like: Floats | None, t: float) -> _Card:
        c = _Card(self._next_id, s.quads[i].copy(), Votes(len(self.names)), t, t_hit=t, t_still=t, visible=float(s.visible[i]), cells=cells)
        self._next_id += 1
        if like is not None:
            self._vote(c, like, float(s.visible[i]), float(s.back[i]), True)
        self._cards.append(c)
        self._dirty = True
        return c

    def _unseen(self, c: _Card, tops: list[tuple[_Card, Floats]], look: Look) -> None:
        """A card that the detector did not report: covered, overlooked, or gone."""
        rows, cols = c.cells
        under = np.zeros(len(rows), bool)
        for top, quad in tops:  # only what came later lies above it
            if (top.state == "new" or top.order > c.order) and np.abs(top.centre - c.centre).max() < REACH_MM:
                under |= self.grid.inside(c.cells, quad)
        cover = float(under.mean()) if len(under) else 0.0
        if cover >= COVER_SHARE:
            if c.state == "new":
                self._drop(c)
                return
            c.state, c.visible, c.misses, c.doubt = "covered", round(1 - cover, 2), 0, False
            return
        opened = (rows[~under], cols[~under])
        still = look.changed is not None and share(look.changed, opened) < CHANGED_SHARE
        if still and not c.misses and not c.doubt and c.state != "new":
            c.visible = round(1 - cover, 2)
            return
        if not c.misses:
            c.miss_since = look.t_ms
        c.misses += 1
        patience = LEAVE_MISSES + (1 if cover > 0.45 else 0) + (1 if c.votes.best_visible < 0.4 else 0)
        if c.state == "new":
            patience = 1 if c.hits < SETTLE_HITS else LEAVE_MISSES
        if c.misses >= patience and (c.state == "new" or look.t_ms - c.miss_since >= LEAVE_MS):
            self._drop(c)

    def _drop(self, c: _Card) -> None:
        self._cards.remove(c)
        self._dirty = True
        if c.state == "new":
            return
        c.state, c.t_gone, c.misses = "gone", self.t_ms, 0
        self._last_change = self.t_ms
        if not c.face_down and c.sure:
            c.votes.frozen = c.votes.frozen if c.votes.frozen >= 0 else self.names.index(c.choice.card)
            self._gone.append(c)

    # between looks -----------------------------------------------------------------------------------------------------------

    def _settle(self, look: Look) -> None:
        for c in self._cards:
            if c.state == "new" and not c.hidden and c.hits >= SETTLE_HITS and look.t_ms - c.t_still >= SETTLE_MS and not c.misses:
                c.state, c.t_settled = "settled", look.t_ms
                c.order = self._next_order
                self._next_order += 1
                self._last_change = look.t_ms
                self._dirty = True
            x, y = c.centre
            if c.state != "new":
                c.zone = self._zone_of(float(x), float(y), c.zone)

    def _show(self) -> None:
        for c in self._cards:
            wait = HIDDEN_WAIT_MS if self._hands and (c.hidden or c.visible < 0.6) else NAME_WAIT_MS
            if c.state in ("settled", "covered") and not c.shown and (c.face_down or c.sure or self.t_ms - c.t_settled >= wait):
                c.shown = True
                self._last_change = self.t_ms

    def _prior(self, cards: list[_Card]) -> Floats:
        """Log prior (tracks, names): what just left somewhere is likeliest to have come here."""
        base = np.full(len(self.names), UNSEEN)
        for g in self._gone:
            if g.votes.frozen >= 0:
                base[g.votes.frozen] = max(base[g.votes.frozen], LIMBO if self.t_ms - g.t_gone < 10000 else LONG_AGO)
        out = np.tile(base, (len(cards), 1))
        for i, c in enumerate(cards):
            if c.votes.frozen >= 0:
                out[i] = 0.0
            elif self._home(c.zone or self._zone_of(float(c.centre[0]), float(c.centre[1]), "")):
                out[i] = np.where(base <= UNSEEN, UNSEEN - 1.0, base)
        return out

    def _name(self) -> None:
        self._dirty = False
        cards = [c for c in self._cards if not c.face_down and (c.votes.weight > 0 or c.votes.frozen >= 0)]
        firm = {
            i: FROZEN + (3.0 if c.t_hit >= self.t_ms - 400 and not c.hidden else 0.0) - (2.0 if c.state == "covered" else 0.0)
            for i, c in enumerate(cards)
            if c.votes.frozen >= 0
        }
        hold = np.array([self._hold(c) for c in cards])
        for c, choice in zip(cards, self.names.choose([c.votes for c in cards], self._prior(cards), firm, hold), strict=True):
            c.choice = choice
        for c in cards:
            self._freeze(c)
        for c in cards:
            if c.state != "new" and c.sure:
                self._reunite(c)
        for c in cards:  # another card turned out to have the name that this one was given
            if c in self._cards and c.votes.frozen >= 0 and not self.names.same(self.names.index(c.choice.card), c.votes.frozen):
                c.votes.frozen, c.doubt = -1, True
                c.votes.log *= 0.5

    def _hold(self, c: _Card) -> float:
        """How much it takes to leave a card nameless: least for one that may be elsewhere, most for one that is clearly seen now."""
        if c.votes.frozen < 0:
            return 6.0 if c.votes.best_visible > 0.6 and c.votes.weight >= 1.2 else 0.0
        if c.state == "covered" or c.hidden or c.doubt or c.misses:
            return 1.0
        return 8.0 if c.t_hit >= self.t_ms - 400 else 4.0

    def _freeze(self, c: _Card) -> None:
        v = c.votes
        if v.frozen >= 0 or not c.choice.card or c.state == "new":
            return
        clear = v.best_visible >= 0.55 and v.weight >= 1.3 and c.choice.lead >= SURE
        patient = self.t_ms - c.t_settled > 1200 and c.choice.lead >= SURE and v.weight >= 0.5
        if clear or patient:
            v.frozen = self.names.index(c.choice.card)

    def _reunite(self, c: _Card) -> None:
        """A card that was elsewhere before is the same physical card: it keeps its number, and its old place is empty."""
        name = c.votes.frozen if c.votes.frozen >= 0 else self.names.index(c.choice.card)
        if name < 0 or c not in self._cards:
            return
        if sum(1 for o in self._cards if o.votes.frozen == name) > self.names.copies[self.names.names[name]]:
            old = min(
                (o for o in self._cards if o is not c and o.votes.frozen == name and o.order < c.order),
                key=lambda o: (not (o.state == "covered" or o.hidden or o.misses), o.t_hit),
                default=None,
            )
            if old is not None:
                self._cards.remove(old)
                self._inherit(c, old)
                return
        if not c.shown:
            old = next((g for g in self._gone if g.votes.frozen == name), None) or next(
                (
                    g
                    for g in self._gone
                    if self.names.same(g.votes.frozen, name)
                    and self.t_ms - g.t_gone < 6000
                    and c.votes.log[name] - c.votes.log[g.votes.frozen] < 2.0
                ),
                None,
            )
            if old is not None:
                self._gone.remove(old)
                self._inherit(c, old)

    def _inherit(self, c: _Card, old: _Card) -> None:
        self._last_change = self.t_ms
        c.id = old.id
        c.t_left = old.t_gone if old.state == "gone" else self.t_ms
        c.shown = c.shown or old.shown

    def _presume(self) -> None:
        """A card that left in the same stroke as one that now lies somewhere, and is seen nowhere, lies under it."""
        for g in self._gone:
            if g.under >= 0 or not g.shown or self._hands or not 700 < self.t_ms - g.t_gone < 6000:
                continue
            mates = [
                c
                for c in self._cards
                if c.state == "settled" and c.shown and c.order > g.order and c.t_settled > g.t_gone and abs(c.t_left - g.t_gone) < 200
            ]
            if mates:
                top = max(mates, key=lambda c: c.order)
                g.under, g.quad, g.zone, g.visible = top.id, top.quad.copy(), top.zone, 0.0
                g.order = top.order
                self._last_change = self.t_ms

    def _forget(self) -> None:
        on_table = {c.id for c in self._cards}
        for g in self._gone:
            if g.under >= 0 and g.under not in on_table:
                g.under, g.t_gone = -1, self.t_ms
        if self._gone and self._crowd != (crowd := (len(self._cards), len(self._gone), self._last_change)):
            self._crowd = crowd
            self._spare()

    def _spare(self) -> None:
        """Forget cards in hands of which every copy lies on the table after all."""
        held: dict[int, int] = {}
        for c in self._cards:
            if c.votes.frozen >= 0:
                held[int(self.names.group[c.votes.frozen])] = held.get(int(self.names.group[c.votes.frozen]), 0) + 1
        for g in sorted(self._gone, key=lambda g: -g.t_gone):
            group = int(self.names.group[g.votes.frozen])
            held[group] = held.get(group, 0) + 1
            if held[group] > self.names.of_group[group]:
                self._gone.remove(g)

    def reset(self) -> None:
        """Forget every card: a new deck is dealt."""
        self._cards.clear()
        self._gone.clear()
        self._last_change = self.t_ms
