"""One round of Stop the Bus, folded from its events."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...cards import FRENCH
from ...errors import InputError
from ...events import Event
from ...ruleset import Rules
from .hands import HandRules, first_dealer, lowest

HAND = 3
CLEAR = 0.6  # lead of a name over the next one from which it says what a hand must hold


@dataclass(frozen=True, slots=True)
class BusState:
    """A round.

    players  all seats in turn order (clockwise); `tokens` (left), `paid` (lost: they lie in the pot) and `known` go with them
    inside   who plays this round, the player left of the dealer first
    centre   the three open cards, () until they were seen
    known    cards that a player took from the centre and still holds: everybody saw them
    doubtful cards of the centre that were read with little lead over the next name
    turns    who has had a turn, in order
    caller   who stopped the bus, after the first `called_at` of the turns
    shown    (player, hand) in the order of the showdown
    draws    cards drawn for the first deal; `drawing` who draws again after a tie, () for everybody
    lost     who paid a token for this round; `out` who lost the last one
    hidden   all hands by seat, in simulated play only
    """

    rules: Rules
    players: tuple[str, ...]
    dealer: str
    tokens: tuple[int, ...]
    paid: tuple[int, ...]
    inside: tuple[str, ...]
    deciding: bool = False
    centre: tuple[str, ...] = ()
    known: tuple[tuple[str, ...], ...] = ()
    doubtful: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    caller: str | None = None
    called_at: int = 0
    draws: tuple[tuple[str, str], ...] = ()
    drawing: tuple[str, ...] = ()
    shown: tuple[tuple[str, tuple[str, ...]], ...] = ()
    lost: tuple[str, ...] = ()
    out: tuple[str, ...] = ()
    winner: str | None = None
    hidden: tuple[tuple[str, ...], ...] | None = None
    seed: str = ""

    @property
    def pot(self) -> int:
        """Tokens in the middle."""
        return sum(self.paid)

    def token(self, player: str) -> int:
        """Tokens that a player has left."""
        return self.tokens[self.players.index(player)]

    def hand_known(self, player: str) -> tuple[str, ...]:
        """Cards of the player's hand that everybody has seen."""
        return self.known[self.players.index(player)]

    def since(self, player: str) -> int:
        """Turns that others have had since this player's last one (all turns where there was none)."""
        return self.turns[::-1].index(player) if player in self.turns else len(self.turns)

    def waiting(self) -> tuple[str, ...]:
        """After the call: who still has the one last turn."""
        if self.caller is None:
            return ()
        had = self.turns[self.called_at :]
        return tuple(p for p in self.inside if p != self.caller and p not in had)

    @property
    def showdown(self) -> bool:
        """Have all had their last turn?"""
        return self.caller is not None and not self.waiting()

    @property
    def turn(self) -> str | None:
        """Whose turn it is, None once the showdown has come."""
        last = self.turns[-1] if self.turns else None
        start = self.inside.index(last) + 1 if last in self.inside else 0
        order = self.inside[start:] + self.inside[:start]
        if self.caller is None:
            return order[0]
        left = self.waiting()
        return next((p for p in order if p in left), None)

    @property
    def losers(self) -> tuple[str, ...]:
        """Once all hands are shown: who holds the lowest hand and owes a token; nobody where all left would go out together."""
        if {p for p, _ in self.shown} != set(self.inside):
            return ()
        low = lowest({p: dict(self.shown)[p] for p in self.inside}, hand_rules(self.rules))
        if len(low) == len(self.inside) and all(self.token(p) + (p in self.lost) == 1 for p in low):
            return ()
        return low

    @property
    def tied(self) -> bool:
        """All hands shown, and every player left would lose the last token together: a deciding round follows."""
        return {p for p, _ in self.shown} == set(self.inside) and not self.losers


def hand_rules(rules: Rules) -> HandRules:
    """The ranking in force."""
    return HandRules(rules.ace_low_run, rules.threes_top, rules.kickers)


def seats_from(players: tuple[str, ...], dealer: str, tokens: tuple[int, ...]) -> tuple[str, ...]:
    """Who plays, the player left of the dealer first."""
    first = players.index(dealer) + 1
    return tuple(p for p in players[first:] + players[:first] if tokens[players.index(p)] > 0)


def _count(given: Any, player: str, usual: int) -> int:
    n = given.get(player, usual) if isinstance(given, Mapping) else usual
    return n if isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= 1000 else usual


def start(rules: Rules, players: tuple[str, ...], dealer: str, options: Mapping[str, Any]) -> BusState:
    """A fresh round; options `tokens` and `paid` (lost so far) {player: n}, `deciding`, `seed`."""
    low, high = rules.players
    most = min(high, (len(FRENCH) - HAND) // HAND)
    if not low <= len(players) <= most:
        raise InputError("wrong-players", f"Stop the Bus is for {low} to {most} players, not {len(players)}", mend="change the players")
    tokens = tuple(_count(options.get("tokens"), p, rules.tokens) for p in players)
    if sum(1 for n in tokens if n) < 2:
        raise InputError("wrong-tokens", "fewer than two players have a token left", mend="give tokens to at least two players")
    paid = tuple(_count(options.get("paid"), p, max(0, rules.tokens - n)) for p, n in zip(players, tokens, strict=True))
    dealer = dealer if dealer in players else players[0]
    state = BusState(rules, players, dealer, tokens, paid, seats_from(players, dealer, tokens),
                     deciding=options.get("deciding") is True, known=((),) * len(players))
    seed = options.get("seed")
    if seed is None:
        return state
    rng = random.Random(str(seed))
    deck = list(FRENCH)
    rng.shuffle(deck)
    hands = tuple(tuple(deck[HAND * n : HAND * n + HAND]) if p in state.inside else () for n, p in enumerate(players))
    return replace(state, hidden=hands, seed=str(seed))


def swapped(event: Event) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(taken from the centre, given to it) of a swap event: the first and the second half of its cards."""
    half = len(event.cards) // 2
    return event.cards[:half], event.cards[half:]


def _without(cards: tuple[str, ...], gone: tuple[str, ...]) -> tuple[str, ...]:
    left = list(cards)
    for card in gone:
        if card in left:
            left.remove(card)
    return tuple(left)


def _seat(rows: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    return (*rows[:index], value, *rows[index + 1 :])


def _swap(state: BusState, event: Event) -> BusState:
    took, gave = swapped(event)
    if event.player not in state.players or not took or len(took) != len(gave):
        return state
    index = state.players.index(event.player)
    centre = list(state.centre)
    for out, into in zip(took, gave, strict=True):  # the new card lies in the old one's place
        if out in centre:
            centre[centre.index(out)] = into
        elif len(centre) < HAND and into not in centre:
            centre.append(into)
    known = _without(state.known[index], gave) + took
    hidden = state.hidden
    if hidden is not None:
        hidden = _seat(hidden, index, _without(hidden[index], gave) + took)
    return replace(state, centre=tuple(centre), known=_seat(state.known, index, known[-HAND:]), turns=(*state.turns, event.player),
                   hidden=hidden)


def _doubt(state: BusState, event: Event, cards: tuple[str, ...]) -> BusState:
    """Note cards whose names are not clear."""
    if event.margin is None or event.margin >= CLEAR:
        return state
    return replace(state, doubtful=tuple(dict.fromkeys((*state.doubtful, *cards))))


def _call(state: BusState, event: Event) -> BusState:
    player = event.player
    if player not in state.inside or state.caller is not None:
        return state
    if state.turn == player or player not in state.turns:  # instead of a turn
        return replace(state, caller=player, turns=(*state.turns, player), called_at=len(state.turns) + 1)
    return replace(state, caller=player, called_at=len(state.turns) - state.since(player))


def _show(state: BusState, event: Event) -> BusState:
    three = len(event.cards) == len(set(event.cards)) == HAND and all(c in FRENCH for c in event.cards)
    if event.player not in state.inside or not three:
        return state
    others = tuple((p, h) for p, h in state.shown if p != event.player)
    return replace(state, shown=(*others, (event.player, event.cards)))


def _lose(state: BusState, event: Event) -> BusState:
    if event.player not in state.inside or event.player in state.lost or state.token(event.player) == 0:
        return state
    index = state.players.index(event.player)
    return replace(state, tokens=_seat(state.tokens, index, state.tokens[index] - 1), paid=_seat(state.paid, index, state.paid[index] + 1),
                   lost=(*state.lost, event.player))


def _draw(state: BusState, event: Event) -> BusState:
    """Drawing for the first deal: the lowest card deals; who ties draws again."""
    if event.player not in (state.drawing or state.inside) or len(event.cards) != 1 or event.cards[0] not in FRENCH or state.centre:
        return state
    draws = {**dict(state.draws), event.player: event.cards[0]}
    if not set(draws) >= set(state.drawing or state.inside):
        return replace(state, draws=tuple(draws.items()))
    low = first_dealer(draws)
    if len(low) > 1:
        return replace(state, draws=(), drawing=low)
    return replace(state, draws=(), drawing=(), dealer=low[0], inside=seats_from(state.players, low[0], state.tokens))


def apply(state: BusState, event: Event) -> BusState:
    """The state after an event; what makes no sense leaves it as it is."""
    kind = event.kind
    if kind in ("deal", "resync"):
        return _doubt(replace(state, centre=event.cards), event, event.cards) if len(set(event.cards)) == HAND else state
    if kind == "swap":
        return _doubt(_swap(state, event), event, swapped(event)[1])
    if kind == "call":
        return _call(state, event)
    if kind == "show":
        return _show(state, event)
    if kind == "lose_token":
        return _lose(state, event)
    if kind == "draw":
        return _draw(state, event)
    if kind == "out" and event.player in state.inside and event.player not in state.out and state.token(event.player) == 0:
        return replace(state, out=(*state.out, event.player))
    if kind == "win" and event.player in state.inside:
        return replace(state, winner=event.player)
    return state
