"""What lies on top: the tracker of games that are played onto piles.

In Spit and Speed nobody waits for the other, and cards come, go and come to light faster than cards can be followed; in The Game dozens of
cards lie square upon each other. But only what lies on top counts, every place has its zone, and every card is there once (but for The
Game's foundations). So each zone is asked one question: which card lies open on it? What was laid on another stays known under it.
A place is left as it was while a hand is over it. Takes the same looks as `vision.track.Tracker` and answers the same questions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scorer.cards import BACK, Deck
from scorer.table import Zone
from vision.card import Cells, angle_of
from vision.grid import Grid, Mask, share
from vision.look import Floats, Look, Sightings, Track
from vision.names import SURE, Choice, Names, Votes
from vision.zones import ZoneMap

TOPS = ("spit-pile", "stock-pile", "side-pile", "pile")  # kinds of zones that are asked
LEAST, WHOLE = 0.4, 0.55  # confidence and visible share from which a sighting can be what lies on top
HIDDEN_SHARE = 0.2  # of a card's cells under a hand: it is not judged
CHANGED_SHARE = 0.2
SAME_MM, SAME_DEG = 3.2, 3.5  # farther off than this it is another card, or it was moved
EXACT_MM = 1.5  # an undisturbed card is seen no farther off than this
LIKE, LIKE_PILED = math.log(8.0), math.log(3.0)  # by so much another name may be likelier than the card's own … of a card on a `pile`
STILL_MM = 6.0  # what comes to rest does not move more between two looks
HITS, SETTLE_MS = 2, 55.0  # looks in which something must be seen so, and for how long
BURIES = {"spit-pile": 4, "pile": 100}  # how many cards are remembered under the top, by kind of zone
RETURNS = 4  # of them may come to light again as they lay
LEAST_SHOWN = 0.01  # of a card covered on a `pile`: it was seen where it lies, and is news even there
MISSES, EMPTY_MS = 3, 180.0  # looks in which a place must be seen empty, and for how long
NAME_WAIT_MS = 350.0  # a card without a sure name is told all the same after this
OPEN_ELSEWHERE, BURIED = -6.0, -3.0  # log prior of a card that lies open on another place, and of one that lies in a pile
CALM_MS, AFTER_HAND_MS = 150.0, 250.0
HANDS_MS, BOTH_MS = 1500.0, 300.0  # a card was brought by a hand that was there so lately, by none where another was there within this


@dataclass(eq=False)
class Top:
    """What lies on top of a place. `id`: the physical card's, 0 until it is shown; `under`: cards that it covers, where they are known."""

    quad: Floats
    cells: Cells
    votes: Votes
    t_ms: float
    down: bool
    order: int = 0
    id: int = 0
    hits: int = 1
    choice: Choice = field(default_factory=lambda: Choice("", 0.0, ()))
    visible: float = 1.0
    name: str = ""  # under which it was shown
    seen_ms: float = 0.0
    came_ms: float | None = None  # when it came, where that was before it came to light
    by: str = ""  # whose hand brought it, "" where that is not clear

    @property
    def sure(self) -> bool:
        return self.down or (self.choice.lead >= SURE and self.votes.weight >= 0.9)

    @property
    def card(self) -> str:
        return BACK if self.down else self.choice.card


@dataclass(eq=False)
class Place:
    """A zone, and what is known to lie on it. `next`: what may lie there now; `buried`: tops that others were laid on, oldest first."""

    zone: Zone
    cells: Cells
    top: Top | None = None
    next: Top | None = None
    buried: list[Top] = field(default_factory=list)
    misses: int = 0
    miss_ms: float = 0.0
    hidden: bool = False  # a hand was over it since it was last seen
    glimpsed: dict[int, float] = field(default_factory=dict)  # names that were read there under a hand, and when first
    hands_ms: dict[str, float] = field(default_factory=dict)  # when each player's hand was last over it


class TopsTracker:
    """Follows the tops of the zones of kinds `TOPS`. `zones` gives the zones in force."""

    def __init__(self, deck: Deck, size_mm: tuple[float, float], zones: Callable[[], ZoneMap]) -> None:
        self.names = Names(deck)
        self.grid = Grid(size_mm)
        self._zones = zones
        self._map: ZoneMap | None = None
        self._places: dict[str, Place] = {}
        self._ids: dict[str, int] = {}
        self._next_id, self._next_order = 1, 1
        self._hands: tuple[str, ...] = ()
        self._hands_ms = self._change_ms = -1e9
        self.t_ms = 0.0

    # what others ask ---------------------------------------------------------------------------------------------------------

    def _in_force(self) -> dict[str, Place]:
        now = self._zones()
        if now is not self._map:  # a person moved the zones, or the first look
            old, self._map = self._places, now
            self._places = {z.name: self._place(z, old.get(z.name)) for z in now.zones if z.kind in TOPS and len(z.polygon_mm) >= 3}
        return self._places

    def _place(self, zone: Zone, old: Place | None) -> Place:
        x, y = np.mean(zone.polygon_mm, axis=0)
        inner = np.array([[x - 22, y - 22], [x + 22, y - 22], [x + 22, y + 22], [x - 22, y + 22]])
        place = Place(zone, self.grid.cells(inner))
        if old is not None:
            place.top, place.next, place.buried, place.hands_ms = old.top, old.next, old.buried, old.hands_ms
        return place

    @property
    def pending(self) -> bool:
        """True while another look is needed to settle or name a card."""
        return any(p.next is not None or p.misses or (p.top is not None and not p.top.sure and p.top.votes.view < 4) for p in self._in_force().values())

    @property
    def restless(self) -> bool:
        """True while time alone may change something."""
        untold = any(p.top is not None and not p.top.name for p in self._in_force().values())
        return self.pending or untold or self.t_ms - max(self._change_ms, self._hands_ms) < 1500

    @property
    def stable(self) -> bool:
        """True where no hand is over the table and nothing has changed for the settling time."""
        if self._hands or self.t_ms - self._hands_ms < AFTER_HAND_MS or self.t_ms - self._change_ms < CALM_MS:
            return False
        return not any(p.next is not None or p.misses for p in self._in_force().values())

    def pass_time(self, t_ms: float) -> None:
        """A frame in which nothing stirred."""
        self.t_ms, self._hands = t_ms, ()

    def cells(self) -> Mask:
        """Cells on which some card lies."""
        out = self.grid.empty()
        for top in self.resting():
            out[top.cells] = True
        return out

    def resting(self) -> list[Top]:
        """Cards that lie open or face down on top (each with its `cells`)."""
        return [p.top for p in self._in_force().values() if p.top is not None]

    def to_read(self, quads: Floats, visible: Floats, changed: Mask | None) -> NDArray[np.bool_]:
        """Which sightings (quads (N, 4, 2) mm) need a reading: all but those that lie as a card did that is known, where nothing changed, no
        hand has been since, and no other card may have come to lie just so."""
        out = np.ones(len(quads), bool)
        known = [p.top for p in self._in_force().values() if p.top is not None and p.top.sure and p.next is None and not p.hidden]
        for i, quad in enumerate(quads):
            if changed is not None and share(changed, self.grid.cells(quad)) < 0.1:
                out[i] = not any(_as_it_lay(t.quad, quad) for t in known)
        return out

    def tracks(self) -> tuple[Track, ...]:
        """What lies on the places, and what is known to lie under it."""
        out = []
        for name, place in self._in_force().items():
            for t in place.buried:
                out.append(self._record(t, name, "covered"))
            if place.top is not None and place.top.name:
                out.append(self._record(place.top, name, "settled", place.hidden))
        return tuple(out)

    def _record(self, t: Top, zone: str, state: str, hidden: bool = False) -> Track:
        quad = tuple((round(float(x), 1), round(float(y), 1)) for x, y in t.quad)
        visible = 0.0 if hidden else round(t.visible, 2)
        if state == "covered":
            visible = LEAST_SHOWN if self._zones().kind[zone] == "pile" else 0.0
        came_ms = t.t_ms if t.came_ms is None else t.came_ms
        return Track(t.id, t.card or t.name, () if t.down else t.choice.names, t.sure, not t.down, quad, visible, state, zone, t.order, came_ms,
                     True, came_ms, zone, t.by)  # fmt: skip

    # a look ------------------------------------------------------------------------------------------------------------------

    def update(self, look: Look) -> None:
        """Take in one frame."""
        self.t_ms, self._hands = look.t_ms, look.players
        if self._hands:
            self._hands_ms = look.t_ms
        places = self._in_force()
        if look.blocked is not None and look.blocked.any():
            for place in places.values():
                place.hidden = place.hidden or share(look.blocked, place.cells) > 0.05
        for hand in look.hands:
            for place in places.values():
                if share(hand.mask, place.cells) > 0.05:
                    place.hands_ms[hand.player] = look.t_ms
        if look.sightings is not None:
            self._see(look, look.sightings, places)
        self._name(places)
        for place in places.values():
            self._tell(place, places)

    def _see(self, look: Look, s: Sightings, places: dict[str, Place]) -> None:
        best: dict[str, int] = {}
        assert self._map is not None
        for i in range(len(s)):
            if s.confidence[i] < LEAST or s.visible[i] < WHOLE:
                continue
            x, y = s.quads[i].mean(axis=0)
            zone = self._map.at(float(x), float(y), "")
            if zone not in places:
                continue
            if look.blocked is not None and share(look.blocked, self.grid.cells(s.quads[i])) > HIDDEN_SHARE:
                if s.names[i] and s.back[i] < 0.5:  # a card in the hand, or one that it has just laid
                    places[zone].glimpsed.setdefault(int(np.argmax(self.names.likelihood(s.names[i]))), look.t_ms)
                continue
            if zone not in best or self._above(s, i, best[zone], places[zone]):
                best[zone] = i
        for name, place in places.items():
            hidden = look.blocked is not None and share(look.blocked, place.cells) > 0.05
            if name in best:
                place.misses = 0
                self._seen(place, s, best[name], look)
                if place.next is None:
                    place.glimpsed.clear()  # nothing came, or it lies there now
            elif not hidden and (place.hidden or place.misses or self._stirred(place, look)):
                self._bare(place, look.t_ms)  # what lies undisturbed and is not seen was overlooked

    def _stirred(self, place: Place, look: Look) -> bool:
        """Did something change where the top lies?"""
        return place.top is not None and (look.changed is None or share(look.changed, place.top.cells) > CHANGED_SHARE)

    def _above(self, s: Sightings, i: int, j: int, place: Place) -> bool:
        """Of two sightings on a place, does i lie on j? The one that shows more does; of two whole ones the one that was not there before."""
        if abs(s.visible[i] - s.visible[j]) > 0.12 or place.top is None:
            return bool(s.visible[i] > s.visible[j])
        return not _as_it_lay(place.top.quad, s.quads[i]) and _as_it_lay(place.top.quad, s.quads[j])

    def _seen(self, place: Place, s: Sightings, i: int, look: Look) -> None:
        """A card is seen on top of a place: the one that is known, the one that may have come, or another."""
        quad, t = s.quads[i], look.t_ms
        fresh = look.changed is None or share(look.changed, self.grid.cells(quad)) > CHANGED_SHARE
        like = self.names.likelihood(s.names[i]) if s.names[i] else None
        down = bool(s.back[i] > 0.5)
        top, coming = place.top, place.next
        stirred = fresh or place.hidden or coming is not None  # else the card is read better, or worse
        upon = place.zone.kind == "pile"  # a hand that goes there most often lays a card, nearly square upon the last
        aside = top is not None and upon and not _as_it_lay(top.quad, quad, EXACT_MM)
        doubt = 0.0 if aside else LIKE_PILED if upon else LIKE
        other = stirred and like is not None and not top_reads(top, like, self.names, doubt)
        place.hidden = False
        if top is not None and like is not None and not down and not top.down and self.names.index(top.card) == int(np.argmax(like)):
            place.next = None  # there is no other one of that name: it was pushed, or its outline is found anew
            self._moved(top, quad)
            self._hit(top, quad, like, s, i, fresh, t)
            return
        if top is not None and _as_it_lay(top.quad, quad) and (like is None or down == top.down) and not other:
            place.next = None  # as it was, or read better
            self._hit(top, quad, like, s, i, fresh, t)
            return
        if like is None:
            return
        if coming is not None and down == coming.down and float(np.abs(quad.mean(axis=0) - coming.quad.mean(axis=0)).max()) < STILL_MM:
            self._hit(coming, quad, like, s, i, fresh, t)
            if coming.hits >= HITS and t - coming.t_ms >= SETTLE_MS:
                self._lies(place, coming)
            return
        coming = Top(quad.copy(), self.grid.cells(quad), Votes(len(self.names)), t, down, seen_ms=t)
        self._vote(coming, like, s, i, True)
        place.next = coming

    def _moved(self, top: Top, quad: Floats) -> None:
        if not _as_it_lay(top.quad, quad):
            top.quad, top.cells = quad.copy(), self.grid.cells(quad)

    def _hit(self, top: Top, quad: Floats, like: Floats | None, s: Sightings, i: int, fresh: bool, t: float) -> None:
        if np.abs(quad - top.quad).max() > 40:  # the same card read the other way up
            quad = np.roll(quad, 2, axis=0)
        top.quad = top.quad + 0.25 * (quad - top.quad)
        top.hits += 1
        top.visible, top.seen_ms = float(s.visible[i]), t
        if like is not None:
            self._vote(top, like, s, i, fresh)

    def _vote(self, top: Top, like: Floats, s: Sightings, i: int, fresh: bool) -> None:
        if not top.down:
            top.votes.add(like, float(s.visible[i]), fresh)

    def _lies(self, place: Place, coming: Top) -> None:
        """It has come to rest on the place."""
        late = range(max(0, len(place.buried) - RETURNS), len(place.buried))
        doubt = 0.0 if place.zone.kind == "pile" else LIKE
        back = next((k for k in late if _as_it_lay(place.buried[k].quad, coming.quad)
                     and top_reads(place.buried[k], coming.votes.log, self.names, doubt)), None)  # fmt: skip
        if back is not None:  # what lay on it was taken away again
            place.top, place.next, place.buried = place.buried[back], None, place.buried[:back]
            self._change_ms = self.t_ms
            return
        if place.top is not None and place.top.id and not place.top.down and place.zone.kind in BURIES:
            place.buried = [*place.buried, place.top][-BURIES[place.zone.kind] :]
        place.top, place.next = coming, None
        if place.zone.kind == "pile":  # elsewhere the touches of the photo finish tell
            coming.by = _brought_by(place, coming.t_ms)
            coming.came_ms = place.glimpsed.get(int(np.argmax(coming.votes.log)), coming.t_ms)
            place.glimpsed.clear()
        coming.order = self._next_order
        self._next_order += 1
        self._change_ms = self.t_ms

    def _bare(self, place: Place, t: float) -> None:
        """Nothing is seen where something lay."""
        place.next = None
        if place.top is None:
            return
        if not place.misses:
            place.miss_ms = t
        place.misses += 1
        if place.misses >= MISSES and t - place.miss_ms >= EMPTY_MS:
            place.top, place.buried, place.misses = None, [], 0
            self._change_ms = t

    # names ---------------------------------------------------------------------------------------------------------------------

    def _name(self, places: dict[str, Place]) -> None:
        """Which card each top is; none is in two places, and what was seen last is believed."""
        tops = [t for p in places.values() for t in (p.top, p.next) if t is not None and not t.down and t.votes.weight > 0]
        buried = sorted({self.names.index(t.card) for p in places.values() for t in p.buried if self._single(t.card)})
        for top in tops:
            score = top.votes.log.copy()
            score[buried] += BURIED
            for other in tops:
                if other is not top and other.name and other.seen_ms > top.t_ms and other.sure and self._single(other.card):
                    score[self.names.index(other.card)] += OPEN_ELSEWHERE
            order = np.argsort(-score)
            p = np.exp(np.clip(score - score.max(), -30, 0))
            p /= p.sum()
            names = tuple((self.names.names[k], round(float(p[k]), 4)) for k in order[:3] if p[k] > 0.02)
            top.choice = Choice(self.names.names[order[0]], float(score[order[0]] - score[order[1]]), names)

    def _tell(self, place: Place, places: dict[str, Place]) -> None:
        """Show what lies on a place under its name; a card that lay elsewhere keeps its number, and lies there no more."""
        top = place.top
        if top is None or (top.name and (top.down or top.card == top.name or not top.sure)):
            return
        if not top.sure and self.t_ms - top.t_ms < NAME_WAIT_MS:
            return
        renamed = bool(top.name)
        top.name = top.card
        if renamed:
            self._change_ms = self.t_ms
            return
        single = not top.down and top.sure and self._single(top.name)
        top.id = self._ids.get(top.name, 0) if single else 0
        if top.id:
            for other in places.values():
                other.buried = [t for t in other.buried if t.id != top.id]
                if other.top is not None and other.top is not top and other.top.id == top.id:
                    other.top, other.misses = None, 0
        else:
            top.id = self._next_id
            self._next_id += 1
            if single:
                self._ids[top.name] = top.id
        self._change_ms = self.t_ms

    def _single(self, name: str) -> bool:
        """Whether there is but one card of this name."""
        return self.names.copies.get(name, 0) == 1


def by_tops(zones: Sequence[Zone]) -> bool:
    """Whether a game is followed by what lies on top: there are piles onto which all play."""
    return any(z.kind in BURIES for z in zones)


def _brought_by(place: Place, t_ms: float) -> str:
    """The player whose hand was last over a place when a card came to lie there, where no other's was there at about the same time."""
    last = sorted(((t, p) for p, t in place.hands_ms.items() if t_ms - HANDS_MS < t), reverse=True)
    if not last or last[0][1] == "?" or (len(last) > 1 and last[0][0] - last[1][0] < BOTH_MS):
        return ""
    return last[0][1]


def top_reads(top: Top | None, like: Floats, names: Names, doubt: float) -> bool:
    """Whether a reading may be of the card that lies there: no other name is likelier by more than `doubt` nats."""
    return top is None or top.down or not top.choice.card or bool(like[names.index(top.choice.card)] >= like.max() - doubt)


def _as_it_lay(a: Floats, b: Floats, far_mm: float = SAME_MM) -> bool:
    """Whether two outlines (4, 2) are of a card that did not move."""
    if math.dist(a.mean(axis=0), b.mean(axis=0)) > far_mm:
        return False
    turned = float(angle_of(np.stack([a]))[0] - angle_of(np.stack([b]))[0])
    return abs((turned + 90) % 180 - 90) < SAME_DEG

