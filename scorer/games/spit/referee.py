"""What Spit's rules allow at a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...cards import FRENCH
from ...events import Event
from ...game import Problem, problem
from .layout import centre, layout, played_out
from .middle import PILES, find, known, pile_rules
from .piles import fits
from .state import SpitState, next_step, tops_of


def check(state: SpitState, event: Event) -> Problem | None:
    """Why the rules do not allow the event now, None where they do."""
    test = _CHECKS.get(event.kind)
    if test is None:
        return problem("unknown-event", kind=event.kind)
    if state.winner is not None:
        return problem("game-over")
    if event.player is not None and event.player not in state.players:
        return problem("no-such-player", player=event.player)
    return test(state, event)


def _layout(state: SpitState, event: Event) -> Problem | None:
    if state.phase != "layout":
        return problem("layout-not-due", phase=state.phase)
    tops = tops_of(event, state.players)
    want = tuple(len(layout(n, state.rules.stock_piles).stock_piles) for n in state.owned)
    cards = [card for row in tops for card in row]
    if tuple(map(len, tops)) != want or len(set(cards)) != len(cards) or any(card not in FRENCH for card in cards):
        return problem("wrong-count", cards, want=want)
    return None


def starters(state: SpitState) -> tuple[str, ...]:
    """Who starts a spit pile in this layout."""
    return centre(dict(zip(state.players, state.owned, strict=True)), state.rules.stock_piles)


def _spit(state: SpitState, event: Event) -> Problem | None:
    player, name = event.player, event.arg("pile")
    if player is None or name not in PILES or len(event.cards) != 1:
        return problem("wrong-count", event.cards, want=1)
    if state.phase not in ("spit", "play"):
        return problem("layout-over" if state.phase == "slap" else "not-started", event.cards)
    if not state.spit_cards[state.seat(player)]:
        return problem("no-spit-cards", event.cards, player=player)
    if player not in state.due:
        return problem("not-stuck", event.cards, player=player, next=next_step(state))
    if event.cards[0] not in FRENCH or event.cards[0] in known(state.piles) or state.source(event.cards[0]) is not None:
        return problem("illegal-play", event.cards, reason="lies-elsewhere")
    if state.stuck == "one-spit" and state.fixed is not None and name != state.fixed:
        return problem("fixed-pile", event.cards, player=player, pile=state.fixed)
    taken = {pile: who for who, pile in state.own}
    if find(state.piles, name) is None:
        if len(starters(state)) < 2 and state.piles:
            return problem("one-pile-only", event.cards)
    elif not (player in dict(state.own) or state.stuck):
        return problem("pile-taken", event.cards, pile=name, player=taken.get(name))
    return None


def _play(state: SpitState, event: Event) -> Problem | None:
    player, name = event.player, event.arg("pile")
    if player is None or len(event.cards) != 1:
        return problem("wrong-count", event.cards, want=1)
    if state.phase not in ("spit", "play"):
        return problem("layout-over" if state.phase == "slap" else "not-started", event.cards)
    card, pile = event.cards[0], find(state.piles, name)
    if pile is None or pile.top is None:
        return problem("not-started", event.cards)
    stocks = state.stocks[state.seat(player)]
    if not any(s.top == card for s in stocks):
        owner = state.source(card)
        if owner is not None or card in known(state.piles) or card not in FRENCH:
            return problem("illegal-play", event.cards, reason="not-yours" if owner else "lies-elsewhere")
        if any(card in s.up for s in stocks):
            return problem("illegal-play", event.cards, reason="under-top")
        if state.hidden is not None or not any(s.down and not s.up for s in stocks):
            return problem("illegal-play", event.cards, reason="face-down" if any(s.down for s in stocks) else "not-in-stock")
    if not fits(pile.top, card, pile_rules(state.rules)):
        return problem("illegal-play", event.cards, reason="does-not-fit", top=pile.top, pile=pile.name)
    return None


def _turn_up(state: SpitState, event: Event) -> Problem | None:
    index = event.arg("index")
    if event.player is None or not isinstance(index, int) or not 0 <= index < len(state.stocks[0]) or len(event.cards) != 1:
        return problem("wrong-count", event.cards, want=1)
    if state.phase not in ("spit", "play"):
        return problem("layout-over", event.cards)
    pile = state.stocks[state.seat(event.player)][index]
    if pile.up or not pile.down:
        return problem("nothing-to-turn", event.cards, index=index)
    if event.cards[0] in known(state.piles) or state.source(event.cards[0]) is not None:
        return problem("illegal-play", event.cards, reason="lies-elsewhere")
    return None


def _move(state: SpitState, event: Event) -> Problem | None:
    index = event.arg("index")
    if event.player is None or not isinstance(index, int) or not 0 <= index < len(state.stocks[0]) or len(event.cards) != 1:
        return problem("no-empty-space", event.cards)
    if state.phase not in ("spit", "play"):
        return problem("layout-over", event.cards)
    found = state.source(event.cards[0])
    if found is None or found[0] != event.player:
        return problem("illegal-play", event.cards, reason="not-on-top")
    return problem("no-empty-space", event.cards, index=index) if state.stocks[state.seat(event.player)][index].count else None


def _refused(state: SpitState, event: Event) -> Problem | None:
    if event.player is None or len(event.cards) != 1 or find(state.piles, event.arg("pile")) is None:
        return problem("wrong-count", event.cards, want=1)
    return None


def _race(state: SpitState, event: Event) -> Problem | None:
    return None if find(state.piles, event.arg("pile")) is not None else problem("not-started", event.cards)


def _stall(state: SpitState, event: Event) -> Problem | None:
    if state.phase != "play":
        return problem("not-started" if state.phase == "layout" else "layout-over")
    found = next_step(state)
    return problem("can-still-play", next=found) if found == "continue" and _all_open(state) else None


def _all_open(state: SpitState) -> bool:
    """Is the top of every stock pile known? Only then can the rules say that somebody can still play."""
    return all(s.up or not s.down for row in state.stocks for s in row)


def _slap(state: SpitState, event: Event) -> Problem | None:
    if state.phase != "slap":
        return problem("layout-not-over", event.cards, phase=state.phase)
    if event.arg("verdict") in ("too-close", "void"):
        return None
    gets = event.arg("gets")
    names = {pile.name for pile in state.piles}
    if not isinstance(gets, Mapping) or not set(gets) <= set(state.players) or sorted(map(str, gets.values())) != sorted(names):
        return problem("wrong-count", piles=sorted(names))
    return None


def _gather(state: SpitState, event: Event) -> Problem | None:
    return problem("slap-first", piles=sorted(p.name for p in state.piles)) if len(state.piles) > 1 else _slap(state, event)


def _win(state: SpitState, event: Event) -> Problem | None:
    return None if event.player is not None and event.player == won(state) else problem("not-won", player=event.player)


def won(state: SpitState) -> str | None:
    """Who has played everything: no stock card and no spit card left, or nothing to lay out again."""
    if state.phase == "layout" and state.layouts:
        nothing = [p for p, n in zip(state.players, state.owned, strict=True) if n == 0]
        return nothing[0] if len(nothing) == 1 else None
    if state.phase != "slap" or not (state.rules.win_with_two_piles or len(state.piles) < 2):
        return None
    return played_out({p: state.stock(p) for p in state.players}, dict(zip(state.players, state.spit_cards, strict=True)))


_CHECKS: Mapping[str, Callable[[SpitState, Event], Problem | None]] = {
    "layout": _layout, "spit": _spit, "play": _play, "turn-up": _turn_up, "move": _move, "refused": _refused, "race": _race,
    "stall": _stall, "slap": _slap, "gather": _gather, "win": _win,
}
