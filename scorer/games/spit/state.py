"""A game of Spit, layout after layout: its state, its start, what comes next when nobody can play."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...cards import FRENCH
from ...errors import InputError
from ...events import Event
from ...ruleset import Rules
from .layout import DECK, deadlock, layout
from .middle import Contest, Middle, pile_rules


@dataclass(frozen=True, slots=True)
class Stock:
    """A stock pile: `down` cards face down and, above them, the open ones, bottom to top (at most one in the sheet's rules)."""

    down: int = 0
    up: tuple[str, ...] = ()

    @property
    def top(self) -> str | None:
        """The open card, None where the top lies face down or nothing lies there."""
        return self.up[-1] if self.up else None

    @property
    def count(self) -> int:
        """All its cards."""
        return self.down + len(self.up)


Stocks = tuple[Stock, ...]


@dataclass(frozen=True, slots=True)
class Hidden:
    """The cards that nobody sees, in simulated play only: by player, each stock pile's face-down cards (the next one last),
    the spit cards (the next one last), and before a layout is dealt the player's whole pack."""

    seed: str
    packs: tuple[tuple[str, ...], ...]
    down: tuple[tuple[tuple[str, ...], ...], ...] = ((), ())
    spit: tuple[tuple[str, ...], ...] = ((), ())


@dataclass(frozen=True, slots=True)
class SpitState:
    """The table.

    phase      layout (to be dealt), spit (both or one turn a spit card), play, slap (the layout is over), over
    owned      cards of each player when the layout is dealt; they add up to 52
    stocks     stock piles by player, always as many as the rules have places
    spit_cards spit cards left by player
    piles      the spit piles
    own        which pile a player started, as (player, pile)
    due        who has to spit now
    fixed      the pile on which the lone spitter has spat
    stuck      what the stall was logged as (`both-spit`, `one-spit`, `new-layout`), None while somebody can play
    emptied_by who got rid of all stock cards
    contest    a race too close to call; `undecided` a slap too close to call, `likely` who then takes which pile by the earlier touch
    clock_ms   when the newest card was laid: earlier touches are no slaps
    refused    the last card refused, as (player, card, pile): it may still lie on the pile
    gets       who took which pile, () until the slap is decided
    layouts    layouts dealt so far
    """

    rules: Rules
    players: tuple[str, ...]
    owned: tuple[int, ...]
    phase: str = "layout"
    stocks: tuple[Stocks, ...] = ((), ())
    spit_cards: tuple[int, ...] = (0, 0)
    piles: Middle = ()
    own: tuple[tuple[str, str], ...] = ()
    due: tuple[str, ...] = ()
    fixed: str | None = None
    stuck: str | None = None
    emptied_by: str | None = None
    contest: Contest | None = None
    undecided: bool = False
    likely: tuple[tuple[str, str], ...] = ()
    clock_ms: int = 0
    refused: tuple[str, str, str] | None = None
    gets: tuple[tuple[str, str], ...] = ()
    layouts: int = 0
    winner: str | None = None
    hidden: Hidden | None = None

    def seat(self, player: str) -> int:
        """Index of a player."""
        return self.players.index(player)

    def stock(self, player: str) -> int:
        """Stock cards that a player has left."""
        return sum(pile.count for pile in self.stocks[self.seat(player)])

    def left(self, player: str) -> int:
        """Stock and spit cards that a player has still to play."""
        if self.phase == "layout":
            return self.owned[self.seat(player)]
        return self.stock(player) + self.spit_cards[self.seat(player)]

    def other(self, player: str) -> str:
        """The opponent."""
        return self.players[1 - self.seat(player)]

    def source(self, card: str) -> tuple[str, int] | None:
        """Whose stock pile shows this card on top, and which."""
        for player, stocks in zip(self.players, self.stocks, strict=True):
            for index, pile in enumerate(stocks):
                if pile.top == card:
                    return player, index
        return None

    @property
    def total(self) -> int:
        """All cards of the table: 52, whatever happens."""
        if self.phase == "layout":
            return sum(self.owned)
        return sum(self.left(p) for p in self.players) + sum(pile.count for pile in self.piles)


def start(rules: Rules, players: tuple[str, ...], options: Mapping[str, Any]) -> SpitState:
    """A fresh game, 26 cards each; options `cards` {player: n} (a game under way), `seed` (shuffles a pack)."""
    if len(players) != 2:
        raise InputError("wrong-players", f"Spit is for two players, not {len(players)}", mend="name two")
    given = options.get("cards")
    first = given.get(players[0]) if isinstance(given, Mapping) else None
    mine = first if isinstance(first, int) and not isinstance(first, bool) and 1 <= first < DECK else DECK // 2
    state = SpitState(rules, players, (mine, DECK - mine), stocks=((Stock(),) * rules.stock_piles,) * 2)
    seed = options.get("seed")
    if seed is None:
        return state
    pack = list(FRENCH)
    random.Random(str(seed)).shuffle(pack)
    return replace(state, hidden=Hidden(str(seed), (tuple(pack[:mine]), tuple(pack[mine:]))))


def dealt(state: SpitState) -> tuple[Hidden, tuple[tuple[str, ...], ...]]:
    """The next layout of simulated play: hidden cards, and the open cards of each player's piles."""
    assert state.hidden is not None
    down, spit, tops = [], [], []
    for seat, pack in enumerate(state.hidden.packs):
        cards = list(pack)
        random.Random(f"{state.hidden.seed}:{state.layouts}:{seat}").shuffle(cards)
        piles = []
        for size in layout(len(cards), state.rules.stock_piles).stock_piles:
            piles.append(tuple(cards[:size]))
            cards = cards[size:]
        tops.append(tuple(pile[-1] for pile in piles))
        down.append((*(pile[:-1] for pile in piles), *((),) * (state.rules.stock_piles - len(piles))))
        spit.append(tuple(cards))
    return Hidden(state.hidden.seed, ((), ()), tuple(down), tuple(spit)), tuple(tops)


def tops_of(event: Event, players: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The open cards by player that a layout event tells: its cards, `counts` [n, n] of them each player's."""
    counts = event.arg("counts")
    first = counts[0] if isinstance(counts, tuple) and counts and isinstance(counts[0], int) else len(event.cards) // len(players)
    return event.cards[:first], event.cards[first:]


def next_step(state: SpitState) -> str:
    """`deadlock` for this table."""
    tops = {p: [s.top for s in row if s.top] for p, row in zip(state.players, state.stocks, strict=True)}
    hidden = [p for p, row in zip(state.players, state.stocks, strict=True) if any(not s.up and s.down for s in row)]
    spaces = [
        p for p, row in zip(state.players, state.stocks, strict=True)
        if state.rules.space_before_stuck and any(not s.count for s in row) and any(s.up and s.count > 1 for s in row)
    ]
    spit = dict(zip(state.players, state.spit_cards, strict=True))
    return deadlock([p.top for p in state.piles if p.top], tops, spit, hidden, spaces, pile_rules(state.rules))
