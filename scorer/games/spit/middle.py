"""The spit piles in the middle of the table, for Spit and Speed: what lies there, what arrives, whose touch was first."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ...events import Event, make
from ...ruleset import Rules
from ...table import Change, Seen, TableState
from ..evidence import news, shows, tracks
from .piles import PileRules, fits
from .touch import Race, SlapRules, Touch, TouchRules, race

PILES = ("L", "R")
ARRIVAL_SLACK_MS = 150
"""A card's track may be reported so much after the hand that brought it touched down."""
HELD_MS = 2500
"""A hand stays on a card that it has laid no longer than this."""


@dataclass(frozen=True, slots=True)
class Last:
    """The newest card played onto a pile, with what a rival's touch is to be compared with."""

    player: str
    card: str
    t_ms: int
    sigma_ms: float | None
    before: str
    index: int = -1
    """Stock pile it came from, -1 where it has none (Speed)."""


@dataclass(frozen=True, slots=True)
class MiddlePile:
    """A spit pile: the cards seen to land on it, bottom to top, above `under` cards that nobody knows."""

    name: str
    cards: tuple[str, ...] = ()
    under: int = 0
    last: Last | None = None
    spat_ms: int = 0
    """When the newest spit card was turned onto it: older touches bring nothing."""
    laid: tuple[tuple[str, int], ...] = ()
    """When each player last laid a card onto it: that player's older touches are accounted for."""

    def spent(self, player: str | None) -> int:
        """Touches of a player up to this time bring nothing any more."""
        return max(self.spat_ms, dict(self.laid).get(player or "", 0))

    @property
    def top(self) -> str | None:
        """The open card."""
        return self.cards[-1] if self.cards else None

    @property
    def count(self) -> int:
        """All its cards."""
        return len(self.cards) + self.under


@dataclass(frozen=True, slots=True)
class Contest:
    """Two touches too close to put in order: `first` is the card that was logged, `second` waits for the players' word."""

    pile: str
    first: Last
    second: Last


Middle = tuple[MiddlePile, ...]


def pile_rules(rules: Rules) -> PileRules:
    """What may go on a pile."""
    return PileRules(rules.alternate_colours, rules.equal_ranks)


def touch_rules(rules: Rules) -> TouchRules:
    """How exact a touch is known."""
    return TouchRules(rules.measuring_error_ms, rules.too_close_sigmas)


def slap_rules(rules: Rules) -> SlapRules:
    """How the piles are shared out (Spit)."""
    return SlapRules(rules.winner_chooses, touch_rules(rules))


def find(piles: Middle, name: object) -> MiddlePile | None:
    """The pile of that name."""
    return next((pile for pile in piles if pile.name == name), None)


def put(piles: Middle, name: str, card: str, last: Last | None = None) -> Middle:
    """The piles with a card laid on `name`; a pile that is not there yet is started."""
    if find(piles, name) is None:
        return tuple(sorted((*piles, MiddlePile(name, (card,), 0, last)), key=lambda pile: pile.name))
    def laid(pile: MiddlePile) -> tuple[tuple[str, int], ...]:
        return pile.laid if last is None else tuple(({**dict(pile.laid), last.player: last.t_ms}).items())

    return tuple(replace(pile, cards=(*pile.cards, card), last=last, laid=laid(pile)) if pile.name == name else pile for pile in piles)


def take(piles: Middle, name: str, card: str) -> Middle:
    """The piles without the card on top of `name`."""
    return tuple(replace(pile, cards=pile.cards[:-1], last=None) if pile.name == name and pile.top == card else pile for pile in piles)


def known(piles: Middle) -> frozenset[str]:
    """All cards known to lie in the middle."""
    return frozenset(card for pile in piles for card in pile.cards)


@dataclass(frozen=True, slots=True)
class Arrival:
    """A card that came to lie on a spit pile since the last look."""

    pile: str
    card: str
    seen: Seen
    t_ms: int
    touches: tuple[Change, ...]
    """Hands of known owners that came down on the pile and may have brought the card, oldest first."""
    came_from: str
    """Zone that the track came from, "" where it is not known."""

    @property
    def since(self) -> int:
        """When it can first have been seen to lie there, ms."""
        return max([self.t_ms, *(c.t_ms for c in self.touches)])

    def by(self, player: str) -> Touch:
        """The touch that brought the card, `player` being who laid it; without one, the moment the card was there."""
        own = [c for c in self.touches if c.player == player]
        before = [c for c in own if c.t_ms <= self.t_ms]
        touch = before[-1] if before else own[0] if own else None
        return Touch(player, touch.t_ms if touch else self.t_ms, self.card, self.pile, touch.sigma_ms if touch else None)

    def toucher(self, players: Collection[str], last: Last | None, window_ms: float) -> str | None:
        """Whose hand brought it: the first to touch of those that came down together, the hand that brought the card before
        (`last`) left out; None where no hand was seen."""
        own = [c for c in self.touches if c.player in players and not (last and c.player == last.player and c.t_ms <= last.t_ms)]
        return next((c.player for c in own if own[-1].t_ms - c.t_ms <= window_ms), None)


def arrivals(piles: Middle, before: TableState, after: TableState, window_ms: float) -> tuple[Arrival, ...]:
    """New open cards on the spit piles, in the order in which they came. A touch that brought the newest card there brings no other, and none
    older than that does, but those that raced with it (within `window_ms`)."""
    changes = news(before, after)
    there = known(piles)
    found: list[Arrival] = []
    for zone in after.zones_of("spit-pile"):
        if zone.name not in PILES:
            continue
        pile = find(piles, zone.name)
        last = pile.last if pile is not None else None
        old = tracks(s for s in before.cards_in(zone.name) if shows(s))
        touches = [
            c for c in after.changes
            if c.kind in ("touch", "reach") and c.to_zone == zone.name and c.player is not None
            and (pile is None or c.t_ms > pile.spent(c.player))
            and (last is None or c.t_ms >= last.t_ms - window_ms)
        ]
        for seen in after.cards_in(zone.name):
            if not shows(seen) or seen.card in there or seen.track in old:
                continue
            own = [c for c in changes if c.track == seen.track and c.kind in ("appear", "move", "turn")]
            came = next((c.from_zone for c in own if c.from_zone and c.from_zone != zone.name), "")
            t_ms = own[-1].t_ms if own else after.t_ms
            bringing = tuple(c for c in touches if t_ms - HELD_MS <= c.t_ms <= t_ms + ARRIVAL_SLACK_MS)
            found.append(Arrival(zone.name, seen.card, seen, t_ms, bringing, came))
    return tuple(sorted(found, key=lambda a: a.seen.order))


def at(event: Event, t_ms: float) -> Event:
    """The event at the moment of the touch."""
    return replace(event, t_ms=round(t_ms))


def contested(piles: Middle, touch: Touch, rules: Rules) -> tuple[Last, Race] | None:
    """Did this touch race for the same top as the newest card there? Then that card and the ruling, else None.

    It is no race where the later card only fits what the earlier one left.
    """
    pile = find(piles, touch.pile)
    last = pile.last if pile is not None else None
    if last is None or last.player == touch.player or abs(touch.t_ms - last.t_ms) > rules.race_window_ms:
        return None
    if not fits(last.before, touch.card, pile_rules(rules)):
        return None
    first = Touch(last.player, last.t_ms, last.card, touch.pile, last.sigma_ms)
    return last, race(last.before, (first, touch), touch_rules(rules), pile_rules(rules))


def race_event(pile: str, ruling: Race, cards: Sequence[str], t_ms: float) -> Event:
    """The log's entry of a race."""
    return at(make("race", None, cards, "auto", pile=pile, order=ruling.order, gap_ms=ruling.gap_ms, sigma_ms=ruling.sigma_ms,
                   verdict=ruling.verdict, accepted=ruling.accepted, refused=ruling.refused), t_ms)


def last_of(event: Event, before: str | None, index: int = -1) -> Last | None:
    """What a play leaves to compare a rival's touch with."""
    if event.player is None or before is None:
        return None
    sigma = event.arg("sigma_ms")
    return Last(event.player, event.cards[0], event.t_ms, sigma if isinstance(sigma, int | float) else None, before, index)


def counts(piles: Middle) -> Mapping[str, int]:
    """Cards of each pile."""
    return {pile.name: pile.count for pile in piles}


def pile_view(piles: Middle) -> list[dict[str, object]]:
    """The piles as the snapshot shows them."""
    return [{"name": pile.name, "top": pile.top, "count": pile.count, "cards": list(pile.cards)} for pile in piles]
