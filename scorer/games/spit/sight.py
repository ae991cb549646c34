"""What the camera sees at a table of Spit, as events: layouts, spits, plays.

Called on every table state: nobody waits for the hands to leave the table. Slaps are told in `slaps`, cards that nobody saw lie in `unseen`,
those that were taken back in `undone`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...events import Event, make
from ...game import Explanation, Problem, problem
from ...table import Seen, TableState
from ..evidence import clearness, shows
from .fold import apply
from .layout import layout
from .middle import HELD_MS, PILES, Arrival, arrivals, at, find, known, pile_rules
from .piles import fits
from .referee import check
from .ruling import Reader, land
from .shown import open_card, stock_tops
from .slaps import slapped
from .state import SpitState, next_step
from .undone import taken_back, withdrawn
from .unseen import PATIENCE_MS, beneath, lost, play_unseen

AT_ONCE_MS = 30
"""Two spits closer together than this have no order."""

TOGETHER_MS = 700
"""Two who spit at once are seen within so long."""


def observe(state: SpitState, before: TableState, after: TableState) -> tuple[Explanation, ...]:
    """Readings of what changed since the last look."""
    if after.lost or state.winner is not None:
        return ()
    if state.phase == "layout":
        return _layout(state, after)
    if state.phase == "slap":
        return slapped(state, before, after)
    return _cards(state, before, after)


def _layout(state: SpitState, after: TableState) -> tuple[Explanation, ...]:
    """A new layout lies there: as many open cards as the players' numbers of cards ask for, and the middle is cleared."""
    if not after.stable or (state.layouts and any(shows(s) for s in after.by_kind("spit-pile"))):
        return ()
    counts: list[int] = []
    seen: list[Seen] = []
    for player, n, stocks in zip(state.players, state.owned, state.stocks, strict=True):
        row = [s for _, s in sorted(stock_tops(after, player).items())]
        old = {s.top for s in stocks if s.top}
        if len(row) != len(layout(n, state.rules.stock_piles).stock_piles) or (old and old == {s.card for s in row}):
            return ()  # not all dealt yet, or still the old layout
        counts.append(len(row))
        seen += row
    names = [s.card for s in seen]
    if len(set(names)) != len(names):
        return ()
    return (Explanation((make("layout", None, names, margin=clearness(seen), counts=counts),)),)


def _cards(state: SpitState, before: TableState, after: TableState) -> tuple[Explanation, ...]:
    reader = Reader(state, check, apply)
    taken_back(reader, before, after)
    came = arrivals(state.piles, before, after, state.rules.race_window_ms)
    opened = _opened(state, before, after, {a.card for a in came})
    spits = [a for a in came if state.source(a.card) is None and len(state.due) > 1]
    if len(spits) == 1 and after.t_ms - spits[0].since < TOGETHER_MS:
        return ()  # both spit at once: the other one's card is about to show
    owners = {name: p for p, name in state.own}
    landed = {a.card: _when(state, a, owners) for a in came}
    spat = [landed[a.card] for a in spits]
    at_once = len(spat) > 1 and max(spat) - min(spat) < AT_ONCE_MS

    def turn(item: Arrival | Opened) -> tuple[float, float]:
        """By time; a place shows its next card after the one that lay there has gone; of two who spit at once the left one is told first."""
        if isinstance(item, Arrival):
            return (min(spat), PILES.index(item.pile)) if at_once and item in spits else (landed[item.card], item.seen.order)
        top = state.stocks[state.seat(item.player)][item.index].top
        return max(item.t_ms, landed.get(top or "", 0)), item.seen.order

    items: list[Arrival | Opened] = [*came, *opened]
    for item in sorted(items, key=turn):
        if isinstance(item, Arrival):
            first, wait = beneath(reader.now, item, after)
            wait = wait or (not item.seen.sure and after.t_ms - item.since < PATIENCE_MS)
            if wait or (first is None and after.t_ms - item.since < PATIENCE_MS and _odd(reader.now, item, after)):
                return ()
            _arrive(reader, item, after)
        elif reader.now.phase in ("spit", "play"):
            _open(reader, item, after)
    withdrawn(reader, before, after, state.refused)
    lost(reader, after)
    return reader.explanations()


def _when(state: SpitState, arrival: Arrival, owners: Mapping[str, str]) -> float:
    """When a card came, by the touch of whoever it must be from."""
    source = state.source(arrival.card)
    last = find(state.piles, arrival.pile)
    hand = arrival.toucher(state.players, last.last if last is not None else None, state.rules.race_window_ms)
    return arrival.by(source[0] if source is not None else owners.get(arrival.pile) or hand or "").t_ms if source or state.due or hand else arrival.t_ms


def _fitting(state: SpitState, arrival: Arrival) -> bool:
    """Does the card fit what lies there, or what lay there before a rival's card came?"""
    pile = find(state.piles, arrival.pile)
    if pile is None or pile.top is None:
        return False
    tops = [pile.top] if pile.last is None else [pile.top, pile.last.before]
    return any(fits(top, arrival.card, pile_rules(state.rules)) for top in tops)


def _all_there(state: SpitState, arrival: Arrival, after: TableState) -> bool:
    """Is the arrived card surely read, and does every other open stock card lie in plain view? Then none can lie beneath it."""
    lying = {s.card for s in after.seen if s.lies and s.visible}
    tops = [s.top for row in state.stocks for s in row if s.top and s.top != arrival.card]
    return arrival.seen.sure and all(top in lying for top in tops)


def _odd(state: SpitState, arrival: Arrival, after: TableState) -> bool:
    """Is it hard to believe that this very card came to lie there? It still lies in its stock place, or it lay nowhere while somebody
    could have played: a misread card is soon read better."""
    source = state.source(arrival.card)
    if source is not None:
        shown = stock_tops(after, source[0]).get(source[1])
        return (shown is not None and shown.card == arrival.card) or not (_fitting(state, arrival) or _all_there(state, arrival, after))
    if arrival.seen.sure and _fitting(state, arrival) and any(s.down and not s.up for row in state.stocks for s in row):
        return False  # turned and played at once
    return not state.due and next_step(state) == "continue"


@dataclass(frozen=True, slots=True)
class Opened:
    """A stock place that shows another card than before."""

    player: str
    index: int
    seen: Seen
    t_ms: int


def _opened(state: SpitState, before: TableState, after: TableState, arriving: set[str]) -> list[Opened]:
    found = []
    for player in state.players:
        if _hides(state, after, player):
            continue  # it may have laid the card that was turned before
        stocks = state.stocks[state.seat(player)]
        old = stock_tops(before, player)
        for index, seen in stock_tops(after, player).items():
            if index >= len(stocks) or seen.card == stocks[index].top or seen.card in known(state.piles):
                continue
            there = old.get(index)
            if there is not None and there.track == seen.track and stocks[index].up:
                continue  # the same card read anew: an amendment's business
            top = stocks[index].top
            if top and top not in arriving and not _moved(state, after, player, index) and not _went(after, top, seen):
                continue  # the card that lay here is still on its way
            came = [c.t_ms for c in after.changes if c.track == seen.track and c.to_zone == seen.zone and c.kind in ("appear", "move", "turn")]
            found.append(Opened(player, index, seen, max(came, default=after.t_ms)))
    return found


def _hides(state: SpitState, after: TableState, player: str) -> bool:
    """Did the player's hand come down on a pile that cannot be seen since, or on which the rival's card came to lie after it?"""
    for pile in state.piles:
        spent = pile.spent(player)
        hand = max((c.t_ms for c in after.changes if c.kind in ("touch", "reach") and c.player == player and c.to_zone == pile.name
                    and spent < c.t_ms and after.t_ms - c.t_ms < HELD_MS), default=0)
        top = open_card(after, after.zone(pile.name))
        if hand and top is not None and (not top.visible or (pile.last is not None and pile.last.player != player and hand < pile.last.t_ms)):
            return True
    return False


def _went(after: TableState, card: str, seen: Seen) -> bool:
    """Where a stock card lay another one lies open (`seen`), and has for a while: did the card go, though nobody saw where to?"""
    since = max([c.t_ms for c in after.changes if c.track == seen.track and c.kind in ("appear", "move", "turn")], default=after.t_ms)
    return seen.sure and after.t_ms - since >= PATIENCE_MS and not any(s.card == card and s.lies for s in after.seen)


def _moved(state: SpitState, after: TableState, player: str, index: int) -> bool:
    """Does the card that lay open in this place lie open in another place of the same player?"""
    top = state.stocks[state.seat(player)][index].top
    return any(s.card == top and i != index for i, s in stock_tops(after, player).items())


def _open(reader: Reader, opened: Opened, after: TableState) -> None:
    """A card turned up, or moved to an empty space, or both before anybody looked."""
    now: SpitState = reader.now
    lay = now.stocks[now.seat(opened.player)][opened.index].top
    if lay and lay != opened.seen.card and not _moved(now, after, opened.player, opened.index):
        play_unseen(reader, after, opened.player, opened.index)
        now = reader.now
    card, margin = (opened.seen.card,), clearness((opened.seen,))
    source = now.source(opened.seen.card)
    stocks = now.stocks[now.seat(opened.player)]
    if source is not None and source[0] == opened.player:
        steps = [make("move", opened.player, card, margin=margin, index=opened.index)]
    elif stocks[opened.index].count:
        steps = [make("turn-up", opened.player, card, margin=margin, index=opened.index)]
    else:
        blind = [i for i, s in enumerate(stocks) if s.down and not s.up]
        steps = [make("turn-up", opened.player, card, margin=margin, index=i) for i in blind[:1]]
        steps += [make("move", opened.player, card, index=opened.index)]
    for event in steps:
        if check(reader.now, event) is not None:
            return
        reader.log(at(event, opened.t_ms))


def _arrive(reader: Reader, arrival: Arrival, after: TableState) -> None:
    """A card landed on a spit pile: a spit card, or a play of whoever's stock shows it."""
    now = reader.now
    source = now.source(arrival.card)
    if source is not None:
        first, _ = beneath(now, arrival, after)
        if first is not None:
            reader.log(first)
        land(reader, arrival, source[0], source[1], after)
        return
    pile = find(now.piles, arrival.pile)
    last, window = pile.last if pile is not None else None, now.rules.race_window_ms
    blind = [p for p, row in zip(now.players, now.stocks, strict=True) if any(s.down and not s.up for s in row)]
    fitting = _fitting(now, arrival)
    hand = arrival.toucher(blind, last, window)
    wrongly = hand is not None and next_step(now) == "continue"  # somebody else may play, so it is no spit card
    if not now.due and blind and (fitting or wrongly or not any(now.spit_cards)):
        who = hand or blind[0]
        land(reader, arrival, who, None, after)  # turned and played before anybody saw it lie open
        return
    if not any(now.spit_cards):
        return
    if not now.due and now.phase == "play":
        reader.log(make("stall"))
        now = reader.now
    able = now.due or tuple(p for p, n in zip(now.players, now.spit_cards, strict=True) if n)
    owner = {name: p for p, name in now.own}.get(arrival.pile)
    usual = owner or now.players[PILES.index(arrival.pile)]
    both = owner in able and len(able) > 1  # each spits on the own pile, whoever's sleeve was seen there
    who = usual if both else arrival.toucher(able, last, window) or (usual if usual in able else able[0])
    reader.log(at(make("spit", who, (arrival.card,), margin=clearness((arrival.seen,)), pile=arrival.pile), arrival.by(who).t_ms))


def expected(state: SpitState, after: TableState) -> tuple[Problem, ...]:
    """Spit piles whose open card is not the log's (a card refused or contested may still lie there)."""
    if not after.stable or after.lost or state.phase not in ("spit", "play"):
        return ()
    out = []
    for pile in state.piles:
        top = open_card(after, after.zone(pile.name))
        excused = {state.refused[1] if state.refused else None, state.contest.second.card if state.contest else None}
        if top is not None and top.sure and top.card != pile.top and top.card not in excused:
            out.append(problem("pile-differs", (top.card,), pile=pile.name, table=top.card, log=pile.top))
    return tuple(out)


def adopt(state: SpitState, table: TableState) -> tuple[Event, ...]:
    """Take the table as it lies."""
    if state.phase not in ("spit", "play"):
        return ()
    tops = {p.name: s.card for p in state.piles if (s := open_card(table, table.zone(p.name))) is not None}
    stocks = {}
    for player, row in zip(state.players, state.stocks, strict=True):
        seen = stock_tops(table, player)
        stocks[player] = [seen[i].card if i in seen else "" for i in range(len(row))]
    event = make("resync", source="human", piles=tops, stocks=stocks)
    return (event,) if apply(state, event) != state else ()
