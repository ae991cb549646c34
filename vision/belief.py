"""Which physical card each outline is, and where those are that nobody sees: a belief over places for every card of the deck.

A name is frozen at the first clear sight and kept under cover; a card seen elsewhere has left its old place; what left in one stroke
with another that lies somewhere now lies under it. `Tracker` feeds it with looks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import chain

import numpy as np

from scorer.cards import Deck
from vision.card import Card, Cells
from vision.look import Floats
from vision.names import ELSEWHERE, FROZEN, LIMBO, LONG_AGO, SURE, UNSEEN, Names

RETURN_MS = 6000.0  # a card that was carried off lies elsewhere by then
CARRIED, CARRIED_MS = 1.5, 3000.0  # log prior of a card that was taken up so lately, beside `LIMBO`: it is in the hand
PULLED_MS = 5000.0  # a card taken out of a pile lies elsewhere by then


class Belief:
    """The cards that lie somewhere, and those that left. `zone_of(x, y, before)` names the zone of a point in mm; `crowded` tells the
    zones where cards are gathered. Times are those of the newest look."""

    def __init__(
        self,
        deck: Deck,
        zone_of: Callable[[float, float, str], str] | None = None,
        crowded: Callable[[str], bool] | None = None,
    ) -> None:
        self.names = Names(deck)
        self._zone_of = zone_of or (lambda x, y, before: "")
        self._home = crowded or (lambda zone: False)  # zones in which cards seldom appear that were never seen elsewhere
        self._hand_there: Callable[[str, Cells], float] = lambda player, cells: math.inf  # when that player's hand was last over cells
        self._cards: list[Card] = []
        self._gone: list[Card] = []
        self._dirty = False  # names are to be chosen anew
        self._last_change = -1e9
        self._crowd: tuple[float, ...] = ()
        self._hands: tuple[str, ...] = ()
        self._hands_ms = -1e9
        self.t_ms = 0.0

    def _prior(self, cards: list[Card]) -> Floats:
        """Log prior (tracks, names): what just left somewhere is likeliest to have come here."""
        base = np.full(len(self.names), UNSEEN)
        for g in self._gone:
            if g.votes.frozen >= 0:
                ago = self.t_ms - g.t_gone
                base[g.votes.frozen] = max(base[g.votes.frozen], CARRIED if ago < CARRIED_MS else LIMBO if ago < 10000 else LONG_AGO)
        floor = base.copy()
        for g in self._gone:
            if g.votes.frozen >= 0 and self._home(g.zone):
                floor[g.votes.frozen] = UNSEEN - 1.5  # what was gathered seldom comes back
        out = np.tile(base, (len(cards), 1))
        elsewhere = [(o.votes.frozen, o.t_hit) for o in (*self._cards, *self._gone) if o.votes.frozen >= 0]
        for i, c in enumerate(cards):
            if c.votes.frozen >= 0:
                out[i] = 0.0
                continue
            if self._home(c.zone or self._zone_of(float(c.centre[0]), float(c.centre[1]), "")):
                out[i] = np.where(base <= UNSEEN, UNSEEN - 1.0, base)
            else:
                out[i] = floor
            for name, seen_ms in elsewhere:
                if seen_ms > c.t_first + 200 and self.names.of_group[self.names.group[name]] == 1:
                    out[i, name] = ELSEWHERE  # it was seen in another place while this card already lay here
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
                if any(o.state == "new" and self.names.index(o.choice.card) == c.votes.frozen for o in cards):
                    continue  # it may be this very card: that is seen when it lies still
                c.votes.frozen, c.doubt = -1, True
                c.votes.log *= 0.5

    def _hold(self, c: Card) -> float:
        """How much it takes to leave a card nameless: least for one that may be elsewhere, most for one that is clearly seen now."""
        if c.votes.frozen < 0:
            return 6.0 if c.votes.best_visible > 0.6 and c.votes.weight >= 1.2 else 0.0
        if c.state == "covered" or c.hidden or c.doubt or c.misses:
            return 1.0
        return 8.0 if c.t_hit >= self.t_ms - 400 else 4.0

    def _freeze(self, c: Card) -> None:
        v = c.votes
        if v.frozen >= 0 or not c.choice.card or c.state == "new" or c.misses:  # what is not there gets no name by what is left over
            return
        clear = v.best_visible >= 0.55 and v.weight >= 1.3 and c.choice.lead >= SURE
        patient = self.t_ms - c.t_settled > 1200 and c.choice.lead >= SURE and v.weight >= 0.5
        if clear or patient:
            v.frozen = self.names.index(c.choice.card)

    def _reunite(self, c: Card) -> None:
        """A card that was elsewhere before is the same physical card: it keeps its number, and its old place is empty."""
        name = c.votes.frozen if c.votes.frozen >= 0 else self.names.index(c.choice.card)
        if name < 0 or c not in self._cards:
            return
        there = [o for o in self._cards if o is not c and o.votes.frozen == name]
        if len(there) >= self.names.copies[self.names.names[name]]:
            old = min(
                (o for o in there if o.order < c.order and (c.votes.frozen >= 0 or o.state == "covered" or o.hidden or o.misses or o.doubt)),
                key=lambda o: (not (o.state == "covered" or o.hidden or o.misses), o.t_hit),
                default=None,
            )
            twin = next((n for n in self.names.prints(name) if all(o.votes.frozen != n for o in (*self._cards, *self._gone))), -1)
            if old is not None and twin >= 0 and not (self._handled(old) and old.t_hidden > c.t_first - PULLED_MS):
                old.votes.frozen = twin  # nobody touched it: it is the other of the two
                return
            if old is not None:
                self._cards.remove(old)
                self._inherit(c, old)
                return
        if not c.shown:
            pulled = self._pulled_out(c, name)
            if pulled is not None:
                c.votes.frozen = pulled.votes.frozen
                c.choice = replace(c.choice, card=self.names.names[pulled.votes.frozen])
                self._cards.remove(pulled)
                self._inherit(c, pulled)
                return
            late = [g for g in self._gone if self.t_ms - g.t_gone < RETURN_MS]
            twins = (g for g in late if self.names.same(g.votes.frozen, name) and c.votes.log[name] - c.votes.log[g.votes.frozen] < 2.0)
            doubtful = (g for g in late if g.guessed and self.names.names[name] in dict(g.choice.names))
            old = next(chain((g for g in self._gone if g.votes.frozen == name), twins, doubtful), None)
            if old is not None and old.votes.frozen == name:
                c.votes.frozen = name  # taken up there, and seen to lie here
        else:  # its name took a while
            old = next((g for g in self._gone if not g.guessed and g.votes.frozen == name == c.votes.frozen), None)
        if old is not None:
            self._gone.remove(old)
            self._inherit(c, old)

    def _handled(self, c: Card) -> bool:
        """Whether a hand was over it since it was last read as what it is known to be."""
        return c.votes.frozen >= 0 and c.t_hidden > c.t_read

    def _pulled_out(self, c: Card, name: int) -> Card | None:
        """The card that was taken out from under others in one pile and is this one, which came to light in another: its print, hardly
        seen, and not read since a hand was there. A twin that nobody has seen yet hardly comes straight into a pile."""
        if not self._home(c.zone) or any(o is not c and o.votes.frozen == name for o in (*self._cards, *self._gone)):
            return None
        return max(
            (
                o
                for o in self._cards
                if o is not c and self._handled(o) and self.names.same(o.votes.frozen, name) and o.zone != c.zone and self._home(o.zone)
                and (o.state == "covered" or o.misses or o.visible < 0.5) and o.t_hidden > c.t_first - PULLED_MS
                and (not c.by or self._hand_there(c.by, o.cells) > c.t_first - PULLED_MS)  # the very hand that brought it
            ),
            key=lambda o: o.t_hidden,
            default=None,
        )  # fmt: skip

    def _inherit(self, c: Card, old: Card) -> None:
        self._last_change = self.t_ms
        c.id = old.id
        c.t_left = old.t_gone if old.state == "gone" else self.t_ms
        c.shown = c.shown or old.shown

    def _presume(self) -> None:
        """A card that left in the same stroke as one that now lies somewhere, and is seen nowhere, lies under it."""
        for g in self._gone:
            if g.under >= 0 or not g.shown or self._hands or self.t_ms - self._hands_ms < 700 or not 1500 < self.t_ms - g.t_gone < 9000:
                continue
            if any(c.state == "new" or not c.sure for c in self._cards if not c.face_down and c.t_first > g.t_gone - 500):
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
