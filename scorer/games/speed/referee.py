"""What Speed's rules allow at a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...cards import FRENCH
from ...events import Event
from ...game import Problem, problem
from ..spit.middle import PILES, find, known, pile_rules
from ..spit.piles import fits
from . import rules as r
from .state import SpeedState, pile_cards


def check(state: SpeedState, event: Event) -> Problem | None:
    """Why the rules do not allow the event now, None where they do."""
    test = _CHECKS.get(event.kind)
    if test is None:
        return problem("unknown-event", kind=event.kind)
    if state.phase == "over":
        return problem("game-over")
    if event.player is not None and event.player not in state.players:
        return problem("no-such-player", player=event.player)
    if state.phase == "layout" and event.kind != "layout":
        return problem("not-started", event.cards)
    return test(state, event)


def _layout(state: SpeedState, event: Event) -> Problem | None:
    if state.phase != "layout":
        return problem("layout-not-due", phase=state.phase)
    cards = pile_cards(event)
    good = tuple(sorted(cards)) == PILES and len(set(cards.values())) == len(PILES) and all(c in FRENCH for c in cards.values())
    return None if good else problem("wrong-count", event.cards, want=len(PILES))


def _play(state: SpeedState, event: Event) -> Problem | None:
    player, pile = event.player, find(state.piles, event.arg("pile"))
    if player is None or len(event.cards) != 1 or pile is None or pile.top is None:
        return problem("wrong-count", event.cards, want=1)
    card = event.cards[0]
    if card in known(state.piles) or card not in FRENCH:
        return problem("illegal-play", event.cards, reason="lies-elsewhere")
    if not state.left(player):
        return problem("illegal-play", event.cards, reason="not-in-hand", player=player)
    if state.hidden is not None and card not in state.hidden.hands[state.seat(player)]:
        return problem("illegal-play", event.cards, reason="not-in-hand", player=player)
    if not fits(pile.top, card, pile_rules(state.rules)):
        return problem("illegal-play", event.cards, reason="does-not-fit", top=pile.top, pile=pile.name)
    return None


def _refill(state: SpeedState, event: Event) -> Problem | None:
    if event.player is None:
        return problem("no-such-player", player=None)
    seat = state.seat(event.player)
    if state.hands[seat] >= state.rules.hand_size:
        return problem("hand-full", player=event.player, most=state.rules.hand_size)
    return problem("stock-empty", player=event.player) if not state.stocks[seat] else None


def _refused(state: SpeedState, event: Event) -> Problem | None:
    if event.player is None or len(event.cards) != 1 or find(state.piles, event.arg("pile")) is None:
        return problem("wrong-count", event.cards, want=1)
    return None


def _race(state: SpeedState, event: Event) -> Problem | None:
    return None if find(state.piles, event.arg("pile")) is not None else problem("not-started", event.cards)


def _stall(state: SpeedState, event: Event) -> Problem | None:
    if state.phase != "play":
        return problem("stalled-already")
    step = state.next_step
    return problem("can-still-play", next=step) if step in ("continue", "draw-first") else None


def _side_flip(state: SpeedState, event: Event) -> Problem | None:
    name = event.arg("pile")
    if name not in PILES or len(event.cards) != 1:
        return problem("wrong-count", event.cards, want=1)
    if state.phase != "flip" or name not in state.due:
        return problem("not-stuck", event.cards, pile=name, next=state.next_step)
    if state.hidden is None and (event.cards[0] in known(state.piles) or event.cards[0] not in FRENCH):
        return problem("illegal-play", event.cards, reason="lies-elsewhere")
    return None


def _reshuffle(state: SpeedState, event: Event) -> Problem | None:
    if any(state.sides):
        return problem("side-cards-left", sides=state.sides)
    return None if state.under else problem("nothing-to-shuffle")


def _over(state: SpeedState, event: Event) -> Problem | None:
    """The players end a round in which nothing is left to turn."""
    return problem("side-cards-left", sides=state.sides) if any(state.sides) or state.under else None


def _win(state: SpeedState, event: Event) -> Problem | None:
    return None if event.player is not None and event.player == won(state) else problem("not-won", player=event.player)


def won(state: SpeedState) -> str | None:
    """Who has no card left in hand and stock."""
    return r.winner(dict(zip(state.players, state.hands, strict=True)), dict(zip(state.players, state.stocks, strict=True)))


_CHECKS: Mapping[str, Callable[[SpeedState, Event], Problem | None]] = {
    "layout": _layout, "play": _play, "refill": _refill, "refused": _refused, "race": _race, "stall": _stall, "side-flip": _side_flip,
    "reshuffle": _reshuffle, "over": _over, "win": _win,
}
