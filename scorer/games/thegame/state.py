"""A game of The Game, folded from its events."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...cards import info, is_card
from ...events import Event
from ...ruleset import Rules
from .piles import HIGHEST, LOWEST, Pile, Piles, can_play, deal_sizes, needed, play, refill, start_piles


@dataclass(frozen=True, slots=True)
class TheGameState:
    """The table.

    hands      cards in hand by seat (numbers only: what they are is nobody's business)
    draw_pile  cards left to draw
    turn       who plays now; `turn_hand` is the hand at the start of that turn
    plays      (card, pile index) of the turn so far; `laid_ms`: when the last of them came
    begun      False until the first card lies: until then anybody may begin
    outcome    None, `over` or `won`
    hidden     the hands, and `deck` the draw pile in order, in simulated play only
    """

    rules: Rules
    players: tuple[str, ...]
    piles: Piles
    hands: tuple[int, ...]
    draw_pile: int
    turn: str
    turn_hand: int
    plays: tuple[tuple[int, int], ...] = ()
    begun: bool = False
    outcome: str | None = None
    hidden: tuple[tuple[int, ...], ...] | None = None
    deck: tuple[int, ...] = ()
    laid_ms: int = 0

    @property
    def seat(self) -> int:
        """Index of the player on turn."""
        return self.players.index(self.turn)

    @property
    def played(self) -> frozenset[int]:
        """All numbers that lie on the piles."""
        return frozenset(card for pile in self.piles for card in pile.cards)

    @property
    def missing(self) -> int:
        """How many more cards the turn must play."""
        return max(0, needed(self.rules, self.turn_hand, self.draw_pile) - len(self.plays))

    @property
    def stuck(self) -> bool | None:
        """Can the turn not be completed? None where the hand is not known."""
        if self.hidden is None:
            return None
        return not can_play(self.piles, self.hidden[self.seat], self.missing, self.rules.trick)


def number(card: str) -> int | None:
    """The number of a card 2..99, None for anything else (foundations too)."""
    value = info(card).number if is_card(card) else None
    return value if value is not None and LOWEST <= value <= HIGHEST else None


def start(rules: Rules, players: tuple[str, ...], dealer: str, options: Mapping[str, Any]) -> TheGameState:
    """A fresh game; the dealer begins unless somebody else plays first. Option `seed` deals the cards."""
    size, left = deal_sizes(len(players), rules)
    turn = dealer if dealer in players else players[0]
    state = TheGameState(rules, players, start_piles(), (size,) * len(players), left, turn, size)
    seed = options.get("seed")
    if seed is None:
        return state
    deck = list(range(LOWEST, HIGHEST + 1))
    random.Random(str(seed)).shuffle(deck)
    hands = tuple(tuple(deck[n * size : (n + 1) * size]) for n in range(len(players)))
    return replace(state, hidden=hands, deck=tuple(deck[len(players) * size :]))


def _at(rows: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    return (*rows[:index], value, *rows[index + 1 :])


def pile_of(event: Event) -> int | None:
    """The pile index 0..3 that an event names, else None."""
    index = event.arg("pile")
    return index if isinstance(index, int) and not isinstance(index, bool) and 0 <= index < 4 else None


def _begin(state: TheGameState, player: str | None) -> TheGameState:
    """Before the first card anybody may be the first player."""
    if state.begun or player not in state.players:
        return state
    return replace(state, turn=player, turn_hand=state.hands[state.players.index(player)])


def _play(state: TheGameState, event: Event) -> TheGameState:
    index, card = pile_of(event), number(event.cards[0]) if len(event.cards) == 1 else None
    if index is None or card is None or card in state.played or state.outcome:
        return state
    state = _begin(state, event.player)
    seat = state.players.index(event.player) if event.player in state.players else state.seat
    if state.hidden is not None:
        if card not in state.hidden[seat]:
            return state
        state = replace(state, hidden=_at(state.hidden, seat, tuple(c for c in state.hidden[seat] if c != card)))
    state = _spend(state, seat, 1)
    plays = (*state.plays, (card, index)) if seat == state.seat else state.plays
    return replace(state, piles=play(state.piles, index, card), plays=plays, begun=True, laid_ms=event.t_ms or 0)


def _spend(state: TheGameState, seat: int, cards: int) -> TheGameState:
    """Cards leave a hand; what it does not hold was drawn unseen, or came from another hand. Negative: they go back to it."""
    hands, draw_pile = list(state.hands), state.draw_pile
    own = min(cards, hands[seat])
    hands[seat] -= own
    drawn = min(cards - own, draw_pile)
    draw_pile -= drawn
    rest = cards - own - drawn
    for other in range(len(hands)):
        taken = min(rest, hands[other])
        hands[other] -= taken
        rest -= taken
    return replace(state, hands=tuple(hands), draw_pile=draw_pile)


def _take_back(state: TheGameState, event: Event) -> TheGameState:
    """The last card of the turn goes back into the hand."""
    if not state.plays or event.cards != (f"n{state.plays[-1][0]}",):
        return state
    card, index = state.plays[-1]
    pile = state.piles[index]
    if not pile.cards or pile.cards[-1] != card:
        return state
    cards = pile.cards[:-1]
    top = cards[-1] if cards else start_piles()[index].top
    hidden = _at(state.hidden, state.seat, (*state.hidden[state.seat], card)) if state.hidden is not None else None
    return replace(state, piles=_at(state.piles, index, Pile(pile.dir, top, cards)), plays=state.plays[:-1], hidden=hidden,
                   hands=_at(state.hands, state.seat, state.hands[state.seat] + 1))


def _turn(state: TheGameState, event: Event) -> TheGameState:
    """The turn ends: the player draws, the next one with cards is on turn."""
    seat = state.players.index(event.player) if event.player in state.players else state.seat
    size = deal_sizes(len(state.players), state.rules)[0]
    hand, left = refill(state.hands[seat], state.draw_pile, size)
    hidden, deck = state.hidden, state.deck
    if hidden is not None:
        drawn = state.draw_pile - left
        hidden, deck = _at(hidden, seat, hidden[seat] + deck[:drawn]), deck[drawn:]
    hands = _at(state.hands, seat, hand)
    order = [*range(seat + 1, len(hands)), *range(seat + 1)]
    following = next((n for n in order if hands[n]), seat)  # who has no card is skipped: nothing is left to draw then
    return replace(state, hands=hands, draw_pile=left, turn=state.players[following], turn_hand=hands[following], plays=(), begun=True,
                   hidden=hidden, deck=deck)


def _resync(state: TheGameState, event: Event) -> TheGameState:
    """Take the tops as they lie: a card that nobody saw played came out of some hand or was missed before."""
    tops = event.arg("tops")
    if not isinstance(tops, tuple) or len(tops) != 4 or not all(isinstance(t, int) and 1 <= t <= 100 for t in tops):
        return state
    if state.hidden is not None:
        return state
    piles = state.piles
    for n, (pile, top) in enumerate(zip(state.piles, tops, strict=True)):
        if top == pile.top:
            continue
        if top in pile.cards:
            cards = pile.cards[: pile.cards.index(top) + 1]
        elif top == start_piles()[n].top:
            cards = ()
        elif number(f"n{top}") is not None and all(top not in other.cards for other in piles):
            cards = (*pile.cards, top)
        else:
            continue
        piles = _at(piles, n, Pile(pile.dir, top, cards))
    more = sum(len(pile.cards) for pile in piles) - sum(len(pile.cards) for pile in state.piles)
    return replace(_spend(state, state.seat, more), piles=piles, plays=())


def apply(state: TheGameState, event: Event) -> TheGameState:
    """The state after an event; what makes no sense leaves it as it is."""
    kind = event.kind
    if kind == "play":
        return _play(state, event)
    if kind == "take-back":
        return _take_back(state, event)
    if kind == "first":
        return _begin(state, event.player)
    if kind == "resync":
        return _resync(state, event)
    if state.outcome is None:
        if kind == "turn":
            return _turn(state, event)
        if kind in ("over", "win"):
            return replace(state, outcome="won" if kind == "win" else "over")
    return state
