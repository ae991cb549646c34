"""Following cards: each physical card is in one place, a covered one stays where it was last seen, hands freeze what they hide.

The tracker takes *looks*: what a detector saw, in table millimetres, with masks of what was hidden and of what had changed since the look
before. It knows nothing of pictures, so it runs as well on recorded or simulated looks. Time is the look's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from scorer.cards import Deck
from vision.belief import Belief
from vision.card import Card, Cells, angle_of, record
from vision.dating import CLEAR, Dating
from vision.grid import CELL_MM, Grid, Mask, grown, share
from vision.look import Floats, Hand, Look, Sightings, Track
from vision.names import Votes
from vision.pairing import CHANGED_SHARE, TOUCHED_SHARE, pair
from vision.twins import laid_twins, note_twins

__all__ = ["Hand", "Look", "Sightings", "Track", "Tracker"]

LOW, HIGH = 0.15, 0.42  # a sighting keeps a track from LOW on, founds one from HIGH on
SETTLE_HITS, SETTLE_MS = 2, 90.0
LEAVE_MISSES, LEAVE_MS = 2, 60.0
VEILED = 0.15  # a sighting with so much of it under a hand may be of a card that is being laid
HIDDEN_SHARE = 0.25  # a track with so much of it under a hand is not judged
COVER_SHARE = 0.8  # so much of it under other cards: covered
WHOLLY = 0.03  # a covered card of which less shows: nothing of it shows
STRIP = 0.6  # of a card that never showed more
LEAST = 0.01  # what a covered card shows at least: 0 is for one that was never seen where it is presumed
NAME_WAIT_MS = 450.0  # a settled card without a sure name is shown all the same after this
HIDDEN_WAIT_MS = 2000.0  # the same while a hand half covers it: it will soon be seen better
CARRIED_MS = 2500.0  # a card that left is taken to be in a hand for so long
CALM_MS = 120.0
AFTER_HAND_MS = 300.0  # what a hand has uncovered is looked at for so long before the table counts as settled
STILL_MM = 5.0  # a card that lies still is not seen to move more than this
MISSED = 0.3  # of a card lies under an outline that may have taken its place
AS_IT_WAS = 0.6  # of an outline: too much for a card that has just been laid
ONE_VIEW = 1.7  # readings of one and the same view weigh no more than this
SAME_PLACE_MM, SAME_TURN_DEG = 5.0, 8.0  # two outlines so close may be of one and the same card
WHOLE = 0.85  # a card of which so much shows is seen whole
CONTRADICTED = 0.15  # of a new outline lies on parts of other cards that have not changed
CONTESTED = 8  # looks in which a card that something happened to, and that read as another then, is read again
MISREAD, MISREAD_ONCE = 3.0, 1.5  # contradictions that tell that a name was misread; … where it was read otherwise in the hand
SAME_VIEW, SAME_VIEWS = 0.25, 0.5  # readings of one and the same view err alike: so much more of a contradiction each is, and all are
KNOWN_HITS, LIKELY = 4, 0.5  # a card lying face down, or with a name so probable, that was seen so often is one
UNKNOWN_MISSES = 5  # looks in which a card whose name was never sure may be overlooked
AFRESH_MS = 3000.0  # what a hand was over is read anew for so long
FLICKER_MS, FLICKER_MM, FLICKER_HITS = 6000.0, 8.0, 4
NEIGHBOUR_MM = 25.0  # of an outline upon other cards the centres are nearer than this
MOSTLY = 0.5  # a card so far covered is taken to lie there until it is seen elsewhere or what covers it goes
OPEN_MM2 = 1000.0  # … where no more of it than this shows
REACH_MM = 130.0  # centres farther apart than this cannot overlap


class Tracker(Belief):
    """Keeps the cards of one deck. `zone_of(x, y, before)` names the zone of a point in mm."""

    def __init__(
        self,
        deck: Deck,
        size_mm: tuple[float, float],
        zone_of: Callable[[float, float, str], str] | None = None,
        crowded: Callable[[str], bool] | None = None,
    ) -> None:
        super().__init__(deck, zone_of, crowded)
        self.grid = Grid(size_mm)
        self._next_id, self._next_order = 1, 1
        self._flickers: list[tuple[float, float, float]] = []  # where and when an outline upon other cards came and went
        self._changed_ms = np.full(self.grid.shape, -1e9)  # when a cell was last seen to have changed
        self._seen_ms = -1e9  # of the last look for cards
        self._veils: list[Floats] = []
        self._dating = Dating(self.grid, self._zone_of, self._home)
        self._hand_there = self._dating.last_over

    # what others ask ---------------------------------------------------------------------------------------------------------

    @property
    def pending(self) -> bool:
        """True while another look is needed to settle, name or drop a card."""
        return any(
            (c.state == "new" and not c.hidden)
            or ((c.misses or c.doubt or c.contested > 0) and not c.hidden)
            or (not c.sure and not c.face_down and c.votes.view < 4 and not c.hidden)
            for c in self._cards
            if c.state != "covered"
        )

    def cells(self) -> Mask:
        """Cells on which some card lies."""
        out = self.grid.empty()
        for c in self._cards:
            out[c.cells] = True
        return out

    def resting(self) -> list[Card]:
        """Cards that lie still and are seen (each with its `cells`)."""
        return [c for c in self._cards if c.state == "settled" and c.visible > 0.4]

    @property
    def restless(self) -> bool:
        """True while time alone may change something: a card to settle, to show, or in a hand."""
        return (
            self.pending
            or any(not c.shown or c.hidden or not c.sure for c in self._cards)
            or any(self._carried(g) for g in self._gone)
            or (self.t_ms - max(self._last_change, self._hands_ms) < 2500)
        )

    def pass_time(self, t_ms: float) -> None:
        """A frame in which nothing stirred."""
        self.t_ms, self._hands = t_ms, ()

    @property
    def stable(self) -> bool:
        """True where no card moves and nothing has changed for the settling time."""
        if self.t_ms - self._last_change < CALM_MS or (not self._hands and self.t_ms - self._hands_ms < AFTER_HAND_MS):
            return False
        if any(c.misses for c in self._cards) or any(c.state == "new" and c.hits >= SETTLE_HITS for c in self._cards):
            return False
        return not any(self._carried(c) for c in self._gone)

    def _carried(self, card: Card) -> bool:
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
            better = visible[i] > c.votes.best_visible + 0.15 or (self._handled(c) and self.t_ms - c.t_hidden < AFRESH_MS)
            out[i] = better or c.contested > 0 or (not c.sure and c.votes.view < 4 and not c.face_down)
        return out

    def tracks(self) -> tuple[Track, ...]:
        """All cards on the table, and those just taken up (state moving)."""
        out = [record(c, c.state, self.names) for c in self._cards]
        out += [
            record(c, "covered" if c.under >= 0 else "moving" if self._carried(c) else "gone", self.names) for c in self._gone if c.shown
        ]
        return tuple(out)

    # a look ------------------------------------------------------------------------------------------------------------------

    def update(self, look: Look) -> None:
        """Take in one frame."""
        self.t_ms = look.t_ms
        self._hands = look.players
        if self._hands:
            self._hands_ms = look.t_ms
        self._dating.note(look)
        if look.blocked is not None:
            for c in self._cards:
                c.hidden = share(look.blocked, c.cells) > HIDDEN_SHARE
                if c.hidden:
                    c.t_hidden = look.t_ms
        else:
            for c in self._cards:
                c.hidden = False
        if look.sightings is not None:
            for c in self._cards:
                c.doubt = c.doubt or (c.hidden and look.changed is not None and share(look.changed, c.cells) > 0.1)
            self._see(look, look.sightings)
            for top in laid_twins(self._cards, self._gone, self.names, look.t_ms):
                top.id, top.hits = self._next_id, SETTLE_HITS
                self._next_id += 1
                self._cards.append(top)
                self._dirty = True
        self._settle(look)
        if self._dirty:
            self._name()
        self._show()
        self._presume()
        self._forget()

    def _see(self, look: Look, s: Sightings) -> None:
        self._changed_ms[look.changed if look.changed is not None else ...] = look.t_ms
        self._seen_ms = look.t_ms
        good = np.flatnonzero(s.confidence >= LOW)
        cells = [self.grid.cells(s.quads[i]) for i in good]
        blocked = np.array([share(look.blocked, x) if look.blocked is not None else 0.0 for x in cells])
        fresh = np.array([share(look.changed, x) if look.changed is not None else 1.0 for x in cells])
        likelihood = [self.names.likelihood(s.names[i]) if s.names[i] else None for i in good]
        note_twins(s, good, likelihood, self._cards, self.names, look.t_ms)
        took = pair(self._cards, s, good, likelihood, fresh, blocked, look.changed, self.names, self.grid, look.t_ms)
        seen: list[tuple[Card, int]] = []
        free = set(range(len(good)))
        stirred = (fresh > CHANGED_SHARE) | (blocked > TOUCHED_SHARE)
        self._dating.glimpse(s, good, likelihood, stirred, self._cards, {k: c for c, k in took}, self.names, look.t_ms)
        for card, k in took:
            free.discard(k)
            self._hit(card, s, int(good[k]), cells[k], likelihood[k], fresh[k] > CHANGED_SHARE, blocked[k], look.t_ms)
            seen.append((card, k))
        matched = {id(card) for card, _ in seen}
        for card, k in took:
            if s.visible[good[k]] > WHOLE and blocked[k] <= TOUCHED_SHARE and card.t_read == look.t_ms:
                self._misread_there(card, matched)
        for k in sorted(free):
            i = int(good[k])
            plain = s.confidence[i] >= HIGH and blocked[k] < 0.35
            if plain and not self._contradicted(cells[k], likelihood[k]):
                card = self._found(s, i, cells[k], likelihood[k], look.t_ms)
                seen.append((card, k))
                matched.add(id(card))
                free.discard(k)
        # what a hand still half hides is no card yet, but the one that it lies on did not leave
        self._veils = [s.quads[good[k]] for k in free if blocked[k] > VEILED]
        tops = [(card, s.quads[good[k]]) for card, k in seen]
        for card in sorted(self._cards, key=lambda c: -c.order):  # from the top: what was overlooked and still lies there covers, too
            if id(card) not in matched and not card.hidden:
                self._unseen(card, tops, look)
            wholly = card.state == "covered" and card.visible < WHOLLY  # what lies on it covers all that it would
            if id(card) not in matched and not card.misses and card.state in ("settled", "covered") and not wholly:
                tops.append((card, card.quad))

    def _misread_there(self, card: Card, matched: set[int]) -> None:
        """What seems to lie exactly on a card that is seen whole now, and was itself seen whole in one view at most, was that card,
        misread: most often under the hand that went by."""
        for c in [o for o in self._cards if id(o) not in matched and (o.state == "new" or o.order > card.order)]:
            there = np.linalg.norm(c.centre - card.centre) < SAME_PLACE_MM and self._turned(c, card) < SAME_TURN_DEG
            came = c.t_left > 0 or c.face_down  # it is known to have lain elsewhere
            once = c.votes.weight < ONE_VIEW and c.t_hidden < c.t_settled and c.state != "new"  # nobody can have taken it up since
            if there and not came and (c.votes.best_visible < WHOLE or once) and not self.names.same(c.votes.frozen, card.votes.frozen):
                self._cards.remove(c)
                self._dirty = True

    @staticmethod
    def _turned(a: Card, b: Card) -> float:
        """Degrees between two cards, whichever way up each was seen."""
        turn = angle_of(np.stack([a.quad, b.quad]))
        return float(abs((turn[0] - turn[1] + 90) % 180 - 90))

    def _contradicted(self, cells: Cells, like: Floats | None) -> bool:
        """Whether an outline takes in parts of cards that are as they were: what comes later lies on top. A clear reading overrules it,
        for white on white changes little either; but not where next to nothing has changed since two cards were seen in its place: it
        mistakes them for one."""
        asis, outline = self.grid.empty(), self.grid.empty()
        outline[cells] = True
        missed = []
        for c in self._cards:
            if c.state == "settled" and not c.hidden:
                asis[c.cells] |= self._changed_ms[c.cells] <= c.t_settled
            if c.state != "new" and not c.hidden and c.t_hit < self.t_ms and share(outline, c.cells) > MISSED:
                missed.append((c, self._changed_ms[c.cells] <= c.t_hit))
        missed = [(c, still) for c, still in missed if float(still.mean()) > AS_IT_WAS]
        if len(missed) >= 2:
            for c, still in missed:
                asis[c.cells] |= still
        same = share(asis, cells)
        clear = like is not None and like.max() >= math.log(CLEAR)
        return same > (CONTRADICTED if not clear else AS_IT_WAS if len(missed) >= 2 else 1.0)

    def _hit(
        self,
        c: Card,
        s: Sightings,
        i: int,
        cells: Cells,
        like: Floats | None,
        fresh: bool,
        blocked: float,
        t: float,
    ) -> None:
        moved = float(np.linalg.norm(s.quads[i].mean(axis=0) - c.centre))
        quad = s.quads[i]
        plain = s.visible[i] >= 0.35 and s.confidence[i] >= HIGH and blocked < 0.3
        if moved > STILL_MM and (plain or c.state == "new"):
            c.quad, c.cells, c.t_still, c.zone = quad.copy(), cells, t, ""
            c.hits = 0
            self._last_change = t if c.state == "settled" else self._last_change
        elif moved <= STILL_MM:  # a glimpse between fingers does not move a card
            w = 0.25 if s.visible[i] > 0.4 else 0.08
            if np.abs(quad - c.quad).max() > 40:  # the same card read the other way up
                quad = np.roll(quad, 2, axis=0)
            c.quad = c.quad + w * (quad - c.quad)
        c.hits += 1
        c.misses, c.t_hit, c.doubt = 0, t, False
        c.visible = float(s.visible[i])
        if blocked <= TOUCHED_SHARE:
            c.bare = c.visible
        if c.state == "covered" and c.visible > 0.15:
            c.state = "settled"
        if like is None or blocked > 0.3:
            return
        self._vote(c, like, float(s.visible[i]), float(s.back[i]), fresh)

    def _vote(self, c: Card, like: Floats, visible: float, back: float, fresh: bool) -> None:
        p = min(max(back, 0.02), 0.98)
        c.back = float(np.clip(c.back * (0.3 if fresh else 1.0) + math.log(p / (1 - p)), -6, 6))
        if c.face_down:
            self._dirty = True
            return
        if c.votes.frozen >= 0:
            best = int(np.argmax(like))
            if self.names.same(best, c.votes.frozen):
                c.contested, c.t_read = 0, self.t_ms
            elif visible > 0.6:
                c.contested = CONTESTED if fresh else max(0, c.contested - 1)
            agrees = self.names.same(best, c.votes.frozen)
            if not agrees and not self._free(c, best):
                return  # a misreading: that card lies elsewhere
            if visible > 0.6 and like.max() > math.log(CLEAR):
                if agrees:
                    c.conflicts = 0.0
                else:
                    anew = c.votes.anew(visible, fresh) or not c.conflicts
                    c.conflicts += 1.0 if anew else SAME_VIEW if c.conflicts % 1 < SAME_VIEWS else 0.0
                    if c.conflicts >= (MISREAD_ONCE if best in c.glimpsed else MISREAD):  # it was misread when it was first seen
                        c.votes = Votes(len(self.names))
                        c.conflicts = 0.0
        c.votes.add(like, visible, fresh)
        self._dirty = True

    def _free(self, c: Card, name: int) -> bool:
        """Whether a card may have this name: not every card of that print is known to lie elsewhere."""
        return any(all(o is c or o.votes.frozen != n for o in self._cards) for n in self.names.prints(name))

    def _found(self, s: Sightings, i: int, cells: Cells, like: Floats | None, t: float) -> Card:
        c = Card(self._next_id, s.quads[i].copy(), Votes(len(self.names)), t, t_hit=t, t_still=t, visible=float(s.visible[i]), cells=cells)
        self._next_id += 1
        if like is not None:
            self._vote(c, like, float(s.visible[i]), float(s.back[i]), True)
        self._cards.append(c)
        self._dirty = True
        return c

    def _unseen(self, c: Card, tops: list[tuple[Card, Floats]], look: Look) -> None:
        """A card that the detector did not report: covered, overlooked, or gone."""
        rows, cols = c.cells
        under, beside = np.zeros(len(rows), bool), np.zeros(len(rows), bool)
        x, y = c.centre
        strip = c.votes.best_visible < STRIP and self._home(c.zone)  # it was made out late, from under what lies there whole
        above = [  # only what came later lies above it
            quad for top, quad in tops
            if (top.state == "new" or top.order > c.order or (strip and top.visible > WHOLE and top.t_hit == look.t_ms))
            and np.abs(quad.mean(axis=0) - (x, y)).max() < REACH_MM
        ]
        for quad in above:
            under |= self.grid.inside(c.cells, quad)
        cover = float(under.mean()) if len(under) else 0.0
        if cover >= COVER_SHARE:
            if c.state == "new":
                self._drop(c)
                return
            c.state, c.misses, c.doubt = "covered", 0, False
            c.visible = c.bare = max(LEAST, round(1 - cover, 2))
            return
        for quad in above:
            beside |= self.grid.inside(c.cells, grown(quad, CELL_MM))
        plain = ~beside if cover > 0 else ~under  # a cell beside the upper card changes with it
        likely = cover > 0 and bool(c.choice.names) and c.choice.names[0][1] >= LIKELY  # a strip; what lies on top is seen, if it is there
        known = c.votes.frozen >= 0 or (c.hits >= KNOWN_HITS and (c.face_down or likely))
        little = cover > MOSTLY and np.count_nonzero(~under) * CELL_MM**2 < OPEN_MM2
        still = known and (little or share(self._changed_ms > c.t_hit, (rows[plain], cols[plain])) < CHANGED_SHARE)
        if still and c.state != "new":  # too little shows to see that it went, or what shows is as it was when it was last seen
            c.visible = c.bare = max(LEAST, round(1 - cover, 2))
            c.misses, c.doubt = 0, False
            if cover > MOSTLY:
                c.state = "covered"
            return
        if known and c.state != "new" and self._veiled(c, under, look.blocked):
            c.doubt = True
            return
        if not c.misses:
            c.miss_since = look.t_ms
        c.misses += 1
        patience = LEAVE_MISSES + (1 if cover > 0.45 else 0) + (1 if c.votes.best_visible < 0.4 else 0)
        if c.state == "new":
            patience = 1 if c.hits < SETTLE_HITS else LEAVE_MISSES
        elif not known:
            patience = UNKNOWN_MISSES
        if c.misses >= patience and (c.state == "new" or look.t_ms - c.miss_since >= LEAVE_MS):
            self._drop(c)

    def _veiled(self, c: Card, under: NDArray[np.bool_], blocked: Mask | None) -> bool:
        """Whether what lies on it, a hand, and what the hand is about to leave there, cover a card."""
        if not self._veils or blocked is None:
            return False
        over = under | blocked[c.cells]
        for quad in self._veils:
            over |= self.grid.inside(c.cells, quad)
        return len(over) > 0 and float(over.mean()) >= COVER_SHARE

    def _drop(self, c: Card) -> None:
        self._cards.remove(c)
        self._dirty = True
        if c.state == "new":
            if any(o.state in ("settled", "covered") and np.abs(o.centre - c.centre).max() < NEIGHBOUR_MM for o in self._cards):
                self._flickers = [f for f in self._flickers if self.t_ms - f[2] < FLICKER_MS] + [(*c.centre, self.t_ms)]
            return
        c.state, c.t_gone, c.misses = "gone", self.t_ms, 0
        self._last_change = self.t_ms
        likely = c.choice.names and c.choice.names[0][1] >= LIKELY
        if not c.face_down and c.choice.card and (c.sure or likely):
            c.guessed = not c.sure
            c.votes.frozen = c.votes.frozen if c.votes.frozen >= 0 else self.names.index(c.choice.card)
            self._gone.append(c)

    # between looks -----------------------------------------------------------------------------------------------------------

    def _settle(self, look: Look) -> None:
        for c in self._cards:
            seen = c.t_hit >= self._seen_ms and c.hits >= (SETTLE_HITS + FLICKER_HITS if self._flickers and self._flickered(c) else SETTLE_HITS)
            if c.state == "new" and not c.hidden and seen and look.t_ms - c.t_still >= SETTLE_MS and not c.misses:
                c.state, c.t_settled = "settled", look.t_ms
                c.by = self._dating.brought_by(c)
                c.glimpsed = self._dating.glimpsed_at(c)
                c.order = self._next_order
                self._next_order += 1
                self._last_change = look.t_ms
                self._dirty = True
            x, y = c.centre
            if c.state != "new":
                c.zone = self._zone_of(float(x), float(y), c.zone)

    def _flickered(self, c: Card) -> bool:
        """Whether an outline came and went there a moment ago: two cards of a pile that now and then are taken for one."""
        x, y = c.centre
        return any(self.t_ms - t < FLICKER_MS and math.hypot(u - x, v - y) < FLICKER_MM for u, v, t in self._flickers)

    def _show(self) -> None:
        for c in self._cards:
            wait = HIDDEN_WAIT_MS if self._hands and (c.hidden or c.visible < 0.6) else NAME_WAIT_MS
            if c.state in ("settled", "covered") and not c.shown and (c.face_down or c.sure or self.t_ms - c.t_settled >= wait):
                c.shown = True
                self._last_change = self.t_ms
                self._dating.first_seen(c, c.votes.frozen if c.votes.frozen >= 0 else self.names.index(c.choice.card))

    def reset(self) -> None:
        """Forget every card: a new deck is dealt."""
        self._cards.clear()
        self._gone.clear()
        self._last_change = self.t_ms
