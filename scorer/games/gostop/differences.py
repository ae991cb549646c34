"""Where log and table differ though nobody played: cards that changed places, and what stays unexplained."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...events import make
from ...game import Explanation, Problem, problem
from .declarations import layout_size
from .pack import N_MONTH_CARDS
from .referee import MAX_NEW, candidates, moved_junk, new_cards, overpaid
from .sight import Sight
from .state import State, add, due_cards, next_player
from .timing import dated

SETTLED_MS = 1000        # cards that changed places must lie still so long before it is ruled on
_PLAIN = (1 << N_MONTH_CARDS) - 1


def taken(state: State, sight: Sight) -> int:
    """Cards that changed hands or were gathered since the log."""
    return sum(now & ~held & state.seen for now, held in zip(sight.caps, state.caps, strict=True))


def moved(state: State, sight: Sight) -> tuple[Explanation, ...]:
    """Cards that changed places although nobody played: junk that was not due, or a capture without a card."""
    if sight.lain(taken(state, sight)) < SETTLED_MS:
        return ()
    pack = state.house.pack
    for giver, taker, cards in moved_junk(state, sight):
        due = due_cards(state, tuple(d for d in state.debts if d.taker == taker))[giver] if state.debts else 0
        much = overpaid(state.house, cards, due)
        event = dated(make("steal", state.players[taker], pack.cards(cards), from_=state.players[giver]), sight, cards)
        back = make("wrongly-taken", state.players[taker], pack.cards(much), "auto", from_=state.players[giver])
        return (Explanation((event, back), problem=problem("junk-too-many", pack.cards(much), due=pack.cards(due))),)
    for player, now in enumerate(sight.caps):
        cards = now & state.on_floor
        if cards:
            event = dated(make("capture", state.players[player], pack.cards(cards)), sight, cards)
            whole = any(cards & s[1] and s[1] & ~cards for s in state.stacks)
            after = state.begun is not None and state.begun.over and player == state.begun.player != state.turn     # swept in with what the turn had gained
            code = "stack-split" if whole else "wrong-month" if after else "illegal-play"
            back = make("wrongly-taken", state.players[player], pack.cards(cards), "auto")
            return (Explanation((event, back), problem=problem(code, pack.cards(cards))),)
    return ()


def differences(state: State, sight: Sight) -> tuple[Problem, ...]:
    """Cards that lie elsewhere than the log has them, though the table may not become a legal turn; () where they agree."""
    pack = state.house.pack
    if not state.dealt:
        lying = sight.all.bit_count()
        late_start = lying > layout_size(state) or any(held & _PLAIN for held in sight.caps)
        return (problem("not-dealt", (), n=lying),) if late_start else ()
    if state.end:
        return ()
    new = new_cards(state, sight)
    if new and new.bit_count() <= MAX_NEW:
        found = candidates(state, sight, state.turn, new)
        if any(c.legal for c in found):
            return ()
    wrong: list[Problem] = []
    places: Sequence[tuple[str, int, int]] = [("floor", sight.floor, state.on_floor)] + [
        (p, sight.caps[i], state.caps[i]) for i, p in enumerate(state.players)]
    for name, now, logged in places:
        stray = now & state.seen & ~logged & ~new
        if stray:
            wrong.append(problem("lies-elsewhere", pack.cards(stray), place=name))
    if new.bit_count() > MAX_NEW or (new and not wrong):
        wrong.append(problem("not-explained", pack.cards(new)))
    return tuple(wrong)


def went_on(state: State, sight: Sight) -> tuple[int, tuple[int, ...]]:
    """Who is likeliest to be on where the log has lost count, and the cards in hand: two new cards are a turn."""
    state = replace(state, turn=state.turn if state.hands[state.turn] or state.credits[state.turn] else next_player(state, state.turn))
    if state.dealt:
        for _ in range((sight.all & state.unseen).bit_count() // 2):
            if state.hands[state.turn]:
                state = replace(state, hands=add(state.hands, state.turn, -1))
            state = replace(state, turn=next_player(state, state.turn))
    return state.turn, state.hands if state.dealt else ()
