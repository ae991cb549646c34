"""The Game at a table: what the rules allow, and what the camera saw as events."""

from __future__ import annotations

from dataclasses import replace

from ...events import Event, make
from ...game import Explanation, Problem, problem
from ...table import Change, Seen, TableState, Zone
from ..evidence import clearness, news, reachers, seen_open, shows, tracks, when
from .piles import FOUNDATIONS, NUMBER_CARDS, fits, is_trick
from .state import TheGameState, apply, number, pile_of

UNSURE_MS = 1500  # so long is waited for a surer name
HAND_MS = 1500  # so long a hand over the table may keep hidden what else it laid
DRAW_MS = 2000  # from a turn's last card laid to the hand at the draw pile, where nothing is seen to change there
PASS_MS = 500  # the same where there is nothing left to draw
BURIED = 0.5  # a card of a pile of which less shows lies under another


def check(state: TheGameState, event: Event) -> Problem | None:
    """Why the rules do not allow the event now, None where they do."""
    kind, player = event.kind, event.player
    if kind == "resync":
        return None
    if state.outcome is not None:
        return problem("game-over")
    if player is not None and player not in state.players:
        return problem("no-such-player", player=player)
    if kind == "play":
        return _check_play(state, event)
    if kind == "turn":
        if player is not None and player != state.turn:
            return problem("out-of-turn", player=player, turn=state.turn)
        missing = state.missing
        return problem("too-few-cards", played=len(state.plays), missing=missing, player=state.turn) if missing else None
    if kind == "take-back":
        last = state.plays[-1:] and (f"n{state.plays[-1][0]}",)
        return None if last == event.cards else problem("illegal-play", event.cards, reason="not-last")
    if kind == "first":
        return problem("already-begun") if state.begun else None if player is not None else problem("no-such-player", player=None)
    if kind == "over":
        return problem("can-still-play", player=state.turn) if state.stuck is False or (state.begun and not state.missing) else None
    if kind == "win":
        return None if len(state.played) == NUMBER_CARDS else problem("not-won", left=NUMBER_CARDS - len(state.played))
    return problem("unknown-event", kind=kind)


def _check_play(state: TheGameState, event: Event) -> Problem | None:
    index, card = pile_of(event), number(event.cards[0]) if len(event.cards) == 1 else None
    if index is None or card is None:
        return problem("wrong-count", event.cards, want=1)
    seat = state.players.index(event.player) if event.player is not None else state.seat
    if state.begun and event.player not in (None, state.turn):
        return problem("out-of-turn", event.cards, player=event.player, turn=state.turn)
    if card in state.played:
        return problem("illegal-play", event.cards, reason="played-before")
    if not state.hands[seat] or (state.hidden is not None and card not in state.hidden[seat]):
        return problem("illegal-play", event.cards, reason="not-in-hand")
    pile = state.piles[index]
    if not fits(pile.dir, pile.top, card, state.rules.trick):
        return problem("illegal-play", event.cards, reason="does-not-fit", pile=index, dir=pile.dir, top=pile.top)
    return None


def pile_zones(table: TableState) -> dict[int, Zone]:
    """The zone of each pile index: rising ones 0 and 1, falling ones 2 and 3, each in the zones' own order."""
    out: dict[int, Zone] = {}
    for zone in table.zones_of("pile"):
        way = zone.dir or FOUNDATIONS[zone.index % 4][0]
        free = [n for n, (direction, _) in enumerate(FOUNDATIONS) if direction == way and n not in out]
        if free:
            out[free[0]] = zone
    return out


def observe(state: TheGameState, before: TableState, after: TableState) -> tuple[Explanation, ...]:
    """Cards taken back and played since the last look, the ends of turns that they imply, and a turn ended by drawing."""
    if not after.stable or after.lost or state.outcome:
        return ()
    changes = news(before, after)
    zones = pile_zones(after)
    stocks = {z.name for z in after.zones_of("stock")}
    events: list[Event] = []
    wrong: list[Problem] = []
    now = state

    def log(event: Event, until_ms: int = after.t_ms, came_ms: int = 0) -> None:
        nonlocal now
        t_ms = came_ms or (when(changes, event.cards) if event.cards else _drawn_ms(now, after, stocks, until_ms))
        event = replace(event, t_ms=t_ms)
        found = check(now, event)
        events.append(event)
        if found is not None:
            if wrong:  # the first problem is the explanation's own, further ones are flagged here
                events.append(make("flag", event.player, found.cards, "auto", problem=found.code, args=dict(found.args)))
            wrong.append(found)
        now = apply(now, event)

    fresh = _new_cards(now, before, after, zones)
    for index in _taken_back(now, before, after, zones):
        if not _covers(now, index, fresh):
            log(make("take-back", now.turn, (f"n{now.piles[index].top}",), pile=index))
            fresh = _new_cards(now, before, after, zones)  # the card may lie on another pile now
    if after.hands and fresh and after.t_ms - max(_came(changes, seen) for _, seen in fresh) < HAND_MS:
        return ()  # the hand that lies over the pile may hide another card that came before
    if any(not seen.sure and after.t_ms - _came(changes, seen) < UNSURE_MS for _, seen in fresh):
        return ()  # its name may become sure yet
    passing = _passed(now, after, changes, zones)
    while fresh:
        index, seen = fresh.pop(0)
        came = _came(changes, seen) or after.t_ms
        hands = set(reachers(changes, {zones[index].name}, now.players))
        if len(hands) != 1:
            hands = {str(c.player) for c in changes if c.track == seen.track and c.player in now.players}
        actor = hands.pop() if len(hands) == 1 else now.turn
        if actor != now.turn and now.begun:
            ended = check(now, make("turn", now.turn))
            if ended is not None and now.plays:
                late = next((n for n, (i, s) in enumerate(fresh) if _fitting(now, i, s.card)), None)
                if late is not None:  # of two cards that lie there one may be the last of the turn that lacks it: it came to light late
                    fresh = [fresh[late], (index, seen), *fresh[:late], *fresh[late + 1 :]]
                    index, seen = fresh.pop(0)
                    actor = now.turn
            if actor != now.turn and (ended is None or (now.plays and _after(now) == actor)):  # the next player plays: the turn before is over
                log(make("turn", now.turn, source="auto"), came)
        if not now.hands[now.players.index(actor)] and actor == now.turn:
            log(make("turn", now.turn, source="auto"), came)
            actor = now.turn
        under = next((c for c in passing.get(index, ()) if _fitting(now, index, c) and fits(now.piles[index].dir, number(c) or 0, number(seen.card) or 0,
                      now.rules.trick)), None)  # fmt: skip
        for name in (under, seen.card) if under is not None and not _fitting(now, index, seen.card) else (seen.card,):
            pile, card = now.piles[index], number(name)
            trick = card is not None and is_trick(pile.dir, pile.top, card, now.rules.trick)
            log(make("play", actor, (name,), margin=clearness((seen,)), pile=index, trick=trick), came_ms=0 if name == under else came)
    if _drew(now, after, changes, zones) and now.plays and not now.missing:
        log(make("turn", now.turn))
    if not events and _again(now, before, after, zones):
        return ()
    return (Explanation(tuple(events), 0.0, wrong[0] if wrong else None, "plays"),)  # with no events: nothing has come, as read so


def _again(state: TheGameState, before: TableState, after: TableState, zones: dict[int, Zone]) -> bool:
    """Is a card that came onto a pile read as one that was played before? Then it may be another, and says nothing yet."""
    piles = {zone.name for zone in zones.values()}
    old = tracks(before.seen)
    return any(s.zone in piles and s.track not in old and seen_open(s) and number(s.card) in state.played for s in after.seen)


def _came(changes: tuple[Change, ...], seen: Seen) -> int:
    """When a card came to lie where it lies, whatever it is called, ms; 0 where the journal does not tell."""
    return max((c.t_ms for c in changes if c.track == seen.track and c.kind in ("appear", "move", "turn")), default=0)


def _fitting(state: TheGameState, index: int, name: str) -> bool:
    """Would the rules let the card onto the pile now?"""
    value = number(name)
    pile = state.piles[index]
    return value is not None and value not in state.played and fits(pile.dir, pile.top, value, state.rules.trick)


def _passed(state: TheGameState, after: TableState, changes: tuple[Change, ...], zones: dict[int, Zone]) -> dict[int, list[str]]:
    """By pile: number cards that came onto it and are out of sight again: another may have been laid on them at once."""
    lying = {s.card for s in after.seen if s.lies}
    there = tracks(s for s in after.seen if s.lies)  # a card that lies there, by whatever name it came, has not passed
    names = {zone.name: index for index, zone in zones.items()}
    out: dict[int, list[str]] = {}
    for c in changes:
        if c.kind == "appear" and c.to_zone in names and c.track not in there and c.card not in lying and number(c.card) not in (None, *state.played):
            out.setdefault(names[c.to_zone], []).append(c.card)
    return out


def _drawn_ms(state: TheGameState, after: TableState, stocks: set[str], until_ms: int) -> int:
    """When the player on turn drew: the draw pile stirred after the turn's last card lay, else about as late as a hand needs."""
    last = when(after.changes, {f"n{card}" for card, _ in state.plays})
    if not last:
        return until_ms
    stirred = (c.t_ms for c in after.changes if last + DRAW_MS // 2 < c.t_ms < until_ms and (c.from_zone in stocks or c.to_zone in stocks))
    return min(next(stirred, last + draw_ms(state)), until_ms)


def draw_ms(state: TheGameState) -> int:
    """How long after the turn's last card it is usually over, ms."""
    return DRAW_MS if state.draw_pile else PASS_MS


def _after(state: TheGameState) -> str:
    """Who is on turn after the present player."""
    return apply(state, make("turn", state.turn)).turn


def _taken_back(state: TheGameState, before: TableState, after: TableState, zones: dict[int, Zone]) -> list[int]:
    """Piles whose top card of this turn lay there before and lies there no more, so that what was under it shows."""
    if not state.plays:
        return []
    card, index = state.plays[-1]
    if index not in zones:
        return []
    was = [s for s in before.cards_in(zones[index].name) if s.card == f"n{card}"]
    there = after.cards_in(zones[index].name)
    gone = bool(was) and not (tracks(was) & tracks(there)) and all(s.card != f"n{card}" for s in there)
    if there and not (there[-1].sure and there[-1].visible >= BURIED):
        return []  # it is hidden, or what lies on it is not made out yet
    return [index] if gone else []


def _covers(state: TheGameState, index: int, fresh: list[tuple[int, Seen]]) -> bool:
    """Does a new card lie on a pile whose top is out of sight, and fit on it? Then the top lies under it and was not taken back."""
    pile = state.piles[index]
    first = next((number(seen.card) for n, seen in fresh if n == index), None)
    return first is not None and fits(pile.dir, pile.top, first, state.rules.trick)


def _new_cards(state: TheGameState, before: TableState, after: TableState, zones: dict[int, Zone]) -> list[tuple[int, Seen]]:
    """Number cards that came onto a pile and are not in the log, in the order in which they came."""
    found = []
    for index, zone in zones.items():
        old = tracks(before.cards_in(zone.name))
        for seen in after.cards_in(zone.name):
            value = number(seen.card) if seen_open(seen) else None
            if value is not None and value not in state.played and seen.track not in old:
                found.append((index, seen))
    found.sort(key=lambda item: item[1].order)
    for index in zones:  # of two on one pile the one that lies under the other came first, though it may have come to light later
        here = [n for n, (i, _) in enumerate(found) if i == index]
        if any(found[n][1].visible < BURIED for n in here):
            for n, item in zip(here, sorted((found[n] for n in here), key=lambda item: item[1].visible >= BURIED), strict=True):
                found[n] = item
    return found


def _drew(state: TheGameState, after: TableState, changes: tuple[Change, ...], zones: dict[int, Zone]) -> bool:
    """Did a hand go to the draw pile after the last hand on a pile?"""
    stocks = {z.name for z in after.zones_of("stock")}
    piles = {z.name for z in zones.values()}
    touches = [c for c in changes if c.kind in ("touch", "reach") and (c.to_zone in stocks or c.to_zone in piles)]
    return bool(touches) and touches[-1].to_zone in stocks and touches[-1].player in (state.turn, "?", None)


def tops(table: TableState) -> dict[int, int]:
    """The number that lies open on each pile, as far as it is seen; a pile without number cards shows its foundation."""
    found = {}
    for index, zone in pile_zones(table).items():
        numbers = [number(s.card) for s in table.cards_in(zone.name) if shows(s) and s.sure]
        known = [n for n in numbers if n is not None]
        if known:
            found[index] = known[-1]
    return found


def expected(state: TheGameState, after: TableState) -> tuple[Problem, ...]:
    """Piles whose open card is not the log's."""
    if not after.stable or after.lost:
        return ()
    return tuple(
        problem("pile-differs", (f"n{top}",), pile=index, table=top, log=state.piles[index].top)
        for index, top in tops(after).items()
        if top != state.piles[index].top
    )


def adopt(state: TheGameState, table: TableState) -> tuple[Event, ...]:
    """Take the piles as they lie."""
    seen = tops(table)
    new = tuple(seen.get(n, pile.top) for n, pile in enumerate(state.piles))
    if new == tuple(pile.top for pile in state.piles):
        return ()
    return (make("resync", source="human", tops=new),)
