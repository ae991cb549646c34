"""Folding Spit's events: the state after each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ...cards import FRENCH
from ...events import Event
from .layout import gather, layout
from .middle import Contest, Last, counts, find, known, last_of, put, take
from .state import Hidden, SpitState, Stock, dealt, next_step, tops_of


def _at(rows: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    return (*rows[:index], value, *rows[index + 1 :])


def _with_stock(state: SpitState, seat: int, index: int, pile: Stock) -> SpitState:
    return replace(state, stocks=_at(state.stocks, seat, _at(state.stocks[seat], index, pile)))


def _unsee(state: SpitState, card: str) -> SpitState:
    """The card lies elsewhere for sure: where it was thought to lie open, an unknown card lies."""
    found = state.source(card)
    if found is None:
        return state
    seat = state.seat(found[0])
    pile = state.stocks[seat][found[1]]
    return _with_stock(state, seat, found[1], Stock(pile.down + 1, pile.up[:-1]))


def _layout(state: SpitState, event: Event) -> SpitState:
    if state.phase != "layout":
        return state
    tops = tops_of(event, state.players)
    hidden = state.hidden
    if hidden is not None:
        hidden, tops = dealt(state)
    else:
        shown = [card for row in tops for card in row]
        tops = tuple(tuple(card if card in FRENCH and shown.count(card) == 1 else "" for card in row) for row in tops)
    stocks, spits = [], []
    for seat, n in enumerate(state.owned):
        plan = layout(n, state.rules.stock_piles)
        seen = (*tops[seat], *("",) * len(plan.stock_piles))
        row = [Stock(size - 1, (top,)) if top else Stock(size) for size, top in zip(plan.stock_piles, seen, strict=False)]
        stocks.append((*row, *(Stock(),) * (state.rules.stock_piles - len(row))))
        spits.append(plan.spit_cards)
    due = tuple(p for p, n in zip(state.players, spits, strict=True) if n)
    return SpitState(state.rules, state.players, state.owned, "spit" if due else "play", tuple(stocks), tuple(spits), due=due,
                     layouts=state.layouts + 1, hidden=hidden)


def _spit(state: SpitState, event: Event) -> SpitState:
    player, name = event.player, event.arg("pile")
    if player not in state.players or not isinstance(name, str) or len(event.cards) != 1 or state.phase not in ("spit", "play"):
        return state
    seat = state.seat(player)
    if not state.spit_cards[seat]:
        return state
    card, hidden = event.cards[0], state.hidden
    if hidden is not None:
        if not hidden.spit[seat]:
            return state
        card = hidden.spit[seat][-1]
        hidden = replace(hidden, spit=_at(hidden.spit, seat, hidden.spit[seat][:-1]))
    if card in known(state.piles) or card not in FRENCH:
        return state
    own = state.own if player in dict(state.own) else (*state.own, (player, name))
    due = tuple(p for p in state.due if p != player)
    fixed = name if state.stuck == "one-spit" else state.fixed
    state = _unsee(state, card)
    left = _at(state.spit_cards, seat, state.spit_cards[seat] - 1)
    piles = tuple(replace(p, spat_ms=event.t_ms) if p.name == name else p for p in put(state.piles, name, card))
    return replace(state, piles=piles, spit_cards=left, own=own, due=due, fixed=fixed,
                   stuck=None, phase="spit" if due else "play", contest=None, refused=None, hidden=hidden)


def _take_from_stock(state: SpitState, seat: int, card: str, index: object) -> tuple[SpitState, int]:
    """The state without that stock card, and the pile it lay on (-1 where it can have come from nowhere)."""
    stocks = state.stocks[seat]
    at = next((i for i, pile in enumerate(stocks) if pile.top == card), -1)
    if at >= 0:
        return _with_stock(state, seat, at, Stock(stocks[at].down, stocks[at].up[:-1])), at
    blind = [i for i, pile in enumerate(stocks) if not pile.up and pile.down]  # turned and played before anybody saw it
    blind = blind or [i for i, pile in enumerate(stocks) if pile.down]
    if not blind:
        return state, -1
    at = index if isinstance(index, int) and index in blind else blind[0]
    return _with_stock(state, seat, at, Stock(stocks[at].down - 1, stocks[at].up)), at


def _play(state: SpitState, event: Event) -> SpitState:
    player, name = event.player, event.arg("pile")
    pile = find(state.piles, name)
    if player not in state.players or pile is None or len(event.cards) != 1 or state.phase not in ("spit", "play"):
        return state
    card = event.cards[0]
    if card in known(state.piles) or card not in FRENCH:
        return state
    seat = state.seat(player)
    if state.hidden is not None and not any(s.top == card for s in state.stocks[seat]):
        return state
    after, index = _take_from_stock(state, seat, card, event.arg("index"))
    if index < 0:
        return state
    after = replace(_unsee(after, card), piles=put(state.piles, pile.name, card, last_of(event, pile.top, index)), stuck=None, contest=None,
                    refused=None if state.refused and state.refused[2] == name else state.refused)
    if state.stuck is not None:  # somebody could play after all
        after = replace(after, phase="play", due=())
    if not after.stock(player):
        after = replace(after, phase="slap", emptied_by=player, due=())
    return after


def _refused(state: SpitState, event: Event) -> SpitState:
    """A card that does not count; one that had been logged as played goes back where it came from."""
    player, name = event.player, event.arg("pile")
    pile = find(state.piles, name)
    if player not in state.players or pile is None or len(event.cards) != 1 or state.phase not in ("spit", "play", "slap"):
        return state
    card, last = event.cards[0], pile.last
    contest = None if state.contest is not None and card in (state.contest.first.card, state.contest.second.card) else state.contest
    if last is None or last.player != player or last.card != card or pile.top != card:
        return replace(state, refused=(player, card, pile.name), contest=contest)
    seat = state.seat(player)
    back = state.stocks[seat][last.index]
    after = _with_stock(state, seat, last.index, Stock(back.down, (*back.up, card)))
    return replace(after, piles=take(state.piles, pile.name, card), phase="play" if state.phase == "slap" else state.phase,
                   emptied_by=None if state.emptied_by == player else state.emptied_by, refused=(player, card, pile.name), contest=contest)


def _race(state: SpitState, event: Event) -> SpitState:
    """A race too close to call waits for the players' word."""
    pile, second = find(state.piles, event.arg("pile")), event.arg("second")
    if event.arg("verdict") != "too-close" or pile is None or pile.last is None or not isinstance(second, Mapping):
        return state
    player, t_ms = second.get("player"), second.get("t_ms")
    if player not in state.players or len(event.cards) != 2 or event.cards[1] not in FRENCH or not isinstance(t_ms, int):
        return state
    waiting = Last(player, event.cards[1], t_ms, None, pile.last.before)
    return replace(state, contest=Contest(pile.name, pile.last, waiting), refused=(player, event.cards[1], pile.name))


def _turn_up(state: SpitState, event: Event) -> SpitState:
    player, index = event.player, event.arg("index")
    if player not in state.players or not isinstance(index, int) or not 0 <= index < len(state.stocks[0]):
        return state
    seat = state.seat(player)
    pile = state.stocks[seat][index]
    if pile.up or not pile.down or len(event.cards) != 1 or state.phase not in ("spit", "play"):
        return state
    card, hidden = event.cards[0], state.hidden
    if hidden is not None:
        card = hidden.down[seat][index][-1]
        hidden = replace(hidden, down=_at(hidden.down, seat, _at(hidden.down[seat], index, hidden.down[seat][index][:-1])))
    if card in known(state.piles) or card not in FRENCH:
        return state
    return replace(_with_stock(_unsee(state, card), seat, index, Stock(pile.down - 1, (card,))), stuck=None, hidden=hidden)


def _move(state: SpitState, event: Event) -> SpitState:
    player, target = event.player, event.arg("index")
    if player not in state.players or not isinstance(target, int) or not 0 <= target < len(state.stocks[0]) or len(event.cards) != 1:
        return state
    seat = state.seat(player)
    found = state.source(event.cards[0])
    if found is None or found[0] != player or found[1] == target or state.phase not in ("spit", "play"):
        return state
    here = state.stocks[seat][found[1]]
    if state.stocks[seat][target].count:
        return state  # not a space: the card would hide another
    state = _with_stock(state, seat, found[1], Stock(here.down, here.up[:-1]))
    return replace(_with_stock(state, seat, target, Stock(0, event.cards)), stuck=None)


def _stall(state: SpitState, event: Event) -> SpitState:
    if state.phase != "play":
        return state
    what = event.arg("next")
    if what not in ("both-spit", "one-spit", "new-layout"):
        what = next_step(state)
        what = what if what != "continue" else "both-spit"
    spitters = tuple(p for p, n in zip(state.players, state.spit_cards, strict=True) if n)
    if what == "new-layout" or not spitters:
        return replace(state, phase="slap", stuck="new-layout", due=(), contest=None)
    return replace(state, phase="spit", stuck="one-spit" if len(spitters) == 1 else "both-spit", due=spitters, contest=None)


def gathered(state: SpitState) -> dict[str, int]:
    """Cards of each player once the piles are shared out as `gets` says."""
    sizes = counts(state.piles)
    taken = {p: sizes.get(name, 0) for p, name in state.gets}
    return gather(taken, {p: state.stock(p) for p in state.players}, dict(zip(state.players, state.spit_cards, strict=True)))


def _likely(state: SpitState, event: Event) -> tuple[tuple[str, str], ...]:
    """Who takes which pile if the earlier touch was the earlier one."""
    order, pile = event.arg("order"), event.arg("pile")
    rest = [p.name for p in state.piles if p.name != pile]
    if not isinstance(order, tuple) or not order or order[0] not in state.players or len(rest) != 1 or find(state.piles, pile) is None:
        return ()
    return ((str(order[0]), str(pile)), (state.other(str(order[0])), rest[0]))


def _share(state: SpitState, event: Event) -> SpitState:
    """A slap, a choice or a single pile: the piles change hands and the cards are gathered for the next layout."""
    gets = event.arg("gets")
    if state.phase != "slap" or not isinstance(gets, Mapping):
        return state
    pairs = tuple((p, name) for p in state.players if isinstance(name := gets.get(p), str) and find(state.piles, name))
    if len({name for _, name in pairs}) != len(state.piles):  # a pile would lie there unclaimed, or go to both
        return replace(state, undecided=True, likely=_likely(state, event)) if event.arg("verdict") == "too-close" else state
    state = replace(state, gets=pairs, undecided=False)
    owned = gathered(state)
    hidden = state.hidden
    if hidden is not None:
        packs = []
        for seat, player in enumerate(state.players):
            pile = find(state.piles, dict(pairs).get(player))
            open_cards = tuple(card for s in state.stocks[seat] for card in s.up)
            down = tuple(card for row in hidden.down[seat] for card in row)
            packs.append((*(pile.cards if pile else ()), *open_cards, *down, *hidden.spit[seat]))
        hidden = Hidden(hidden.seed, tuple(packs))
    return SpitState(state.rules, state.players, tuple(owned[p] for p in state.players), stocks=state.stocks, piles=state.piles, gets=pairs,
                     layouts=state.layouts, emptied_by=state.emptied_by, hidden=hidden)


def _resync(state: SpitState, event: Event) -> SpitState:
    """Take the table as it lies: a stock top that is gone was played, a strange card on a spit pile was spat or turned unseen."""
    stocks, piles = event.arg("stocks"), event.arg("piles")
    if state.hidden is not None or state.phase not in ("spit", "play") or not isinstance(stocks, Mapping) or not isinstance(piles, Mapping):
        return state
    for player in state.players:
        row = stocks.get(player)
        for index, shown in enumerate(row if isinstance(row, tuple) else ()):
            state = _resync_stock(state, player, index, shown)
    for name, top in piles.items():
        state = _resync_pile(state, name, top)
    state = replace(state, stuck=None, contest=None, refused=None)
    if not state.piles:
        return state
    empty = next((p for p in state.players if not state.stock(p)), None)
    return replace(state, phase="slap" if empty else "play", due=(), emptied_by=empty)


def _resync_stock(state: SpitState, player: str, index: int, shown: object) -> SpitState:
    seat = state.seat(player)
    if index >= len(state.stocks[seat]):
        return state
    pile = state.stocks[seat][index]
    if shown == pile.top or (shown == "" and not pile.up):
        return state
    if pile.up and state.piles and pile.up[-1] not in known(state.piles):  # what lay open is in the middle, below what lies open there
        lowest, under = state.piles[0].name, pile.up[-1]
        middle = tuple(replace(p, cards=(under, *p.cards)) if p.name == lowest else p for p in state.piles)
        state = replace(_with_stock(state, seat, index, Stock(pile.down, pile.up[:-1])), piles=middle)
    else:
        state = _with_stock(state, seat, index, Stock(pile.count))  # it was misread: an unknown card
    pile = state.stocks[seat][index]
    if isinstance(shown, str) and shown in FRENCH and pile.down and shown not in known(state.piles):
        state = _with_stock(_unsee(state, shown), seat, index, Stock(pile.down - 1, (*pile.up, shown)))
    return state


def _resync_pile(state: SpitState, name: str, top: object) -> SpitState:
    pile = find(state.piles, name)
    if pile is None or not isinstance(top, str) or top not in FRENCH or top == pile.top:
        return state
    if top in known(state.piles):
        middle = tuple(replace(p, cards=tuple(c for c in p.cards if c != top)) for p in state.piles)
        if all(p.cards for p in middle if p.name != name):
            state = replace(state, piles=put(middle, name, top))
        return state
    found = state.source(top)
    if found is not None:
        after, _ = _take_from_stock(state, state.seat(found[0]), top, found[1])
        return replace(after, piles=put(after.piles, name, top))
    for seat, n in enumerate(state.spit_cards):
        if n:
            return replace(state, spit_cards=_at(state.spit_cards, seat, n - 1), piles=put(state.piles, name, top))
    for seat in range(len(state.players)):
        after, index = _take_from_stock(state, seat, top, None)
        if index >= 0:
            return replace(after, piles=put(after.piles, name, top))
    return state


def apply(state: SpitState, event: Event) -> SpitState:
    """The state after an event; what makes no sense leaves it as it is."""
    kind = event.kind
    if state.winner is not None or kind not in _FOLDS:
        return state
    after = _FOLDS[kind](state, event)
    if kind in ("spit", "play", "turn-up", "move") and after is not state and event.t_ms > after.clock_ms:
        return replace(after, clock_ms=event.t_ms)
    return after


def _win(state: SpitState, event: Event) -> SpitState:
    return replace(state, winner=event.player, phase="over") if event.player in state.players else state


_FOLDS: Mapping[str, Callable[[SpitState, Event], SpitState]] = {
    "layout": _layout, "spit": _spit, "play": _play, "refused": _refused, "race": _race, "turn-up": _turn_up, "move": _move,
    "stall": _stall, "slap": _share, "gather": _share, "resync": _resync, "win": _win,
}
