"""What is read from the table before and after the play: the deal, hands laid open, the cards swept together, the next deal."""
from __future__ import annotations

from dataclasses import replace

from ...events import make
from ...game import Explanation
from .pack import MONTH, N_MONTH_CARDS, indices
from .sight import Sight
from .state import State
from .timing import dated

SWEPT_MS = 1500
_PLAIN = (1 << N_MONTH_CARDS) - 1


def layout_size(state: State) -> int:
    """Cards that the deal lays in the centre."""
    return int(state.house.floor_two if state.n == 2 else state.house.floor_three)


def deal(state: State, sight: Sight) -> tuple[Explanation, ...]:
    """The layout lies complete and no joker is left in it."""
    taken = [held for p, held in enumerate(sight.caps) if p != state.dealer]
    jokers = sight.caps[state.dealer]
    if sight.floor.bit_count() != layout_size(state) or sight.floor & ~_PLAIN or any(taken) or jokers & _PLAIN:
        return ()
    names = state.house.pack.cards
    who, lying = state.players[state.dealer], names(sight.floor)
    return (Explanation((make("deal", who, lying, jokers=names(jokers)) if jokers else make("deal", who, lying),)),)


def fresh_deal(state: State, sight: Sight) -> tuple[Explanation, ...]:
    """The deal is over and the cards lie dealt anew."""
    if sight.floor.bit_count() != layout_size(state) or any(held & _PLAIN for held in sight.caps) or sight.floor == state.on_floor:
        return ()
    return (Explanation((make("next-deal", source="auto"),)),)


def declared(state: State, sight: Sight) -> tuple[Explanation, ...]:
    """Three or four of a month laid open: a declared triple, or four of a month in hand."""
    pack = state.house.pack
    for player, held in enumerate(sight.reveal):
        for month in MONTH:
            cards = held & month & state.unseen
            if cards.bit_count() == 4 and not state.turns[player] and player not in state.fours:
                return (Explanation((dated(make("chongtong", state.players[player], pack.cards(cards)), sight, cards),)),)
            if cards.bit_count() == 3 and not cards & state.shown[player]:
                return (Explanation((dated(make("shake", state.players[player], pack.cards(cards)), sight, cards),)),)
    for month in MONTH:                  # shown without a place of its own, and already taken up again
        cards = sight.glimpsed & month & state.unseen
        others = any(sight.by.get(i, state.turn) != state.turn for i in indices(cards))      # its turn is still to come
        if cards.bit_count() == 3 and not any(shown & month for shown in state.shown) and state.hands[state.turn] >= 3 and not others:
            shown = max(sight.came[i][1] for i in indices(cards))
            return (Explanation((replace(make("shake", state.players[state.turn], pack.cards(cards)), t_ms=shown),)),)
    new = sight.floor & state.unseen
    for month in MONTH:
        cards = new & month
        if cards != new or cards.bit_count() < 3:
            continue
        if cards.bit_count() == 4 and not any(state.turns):      # laid on the floor by someone: whose is it?
            return tuple(Explanation((make("chongtong", p, pack.cards(cards)),), 0.0 if sight.by.get(cards.bit_length() - 1) == i else 1.0
                                     if sight.by else 0.0, label="chongtong", cards=pack.cards(cards)) for i, p in enumerate(state.players))
        me = state.turn
        if cards.bit_count() == 3 and not state.on_floor & month and not cards & state.shown[me] and state.hands[me] >= 3:
            return (Explanation((dated(make("shake", state.players[me], pack.cards(cards)), sight, cards),)),)
    return ()


def swept(state: State, sight: Sight) -> tuple[Explanation, ...]:
    """The cards were swept together while someone could stop: a stop is proposed, not taken for granted."""
    p = state.to_decide
    lay = state.seen.bit_count()
    if p < 0 or sight.still_ms < SWEPT_MS or lay < 12 or sight.missing.bit_count() * 10 < lay * 7:
        return ()
    return (Explanation((make("stop", state.players[p], source="auto"),), label="swept-stop"),
            Explanation((make("deal-void", state.players[p], source="auto", abandoned=True),), 0.5, label="swept-void"))
