"""What the camera sees at a table of Speed, as events. Hands are nobody's business: who played is told by whose hand touched."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...events import Event, make
from ...game import Explanation, Problem, Question, problem
from ...table import Change, Seen, TableState
from ..evidence import clearness, news, shows
from ..spit.middle import PILES, Arrival, arrivals, at, find, pile_rules
from ..spit.piles import fits
from ..spit.ruling import Reader, land, lies, race_question, refusal
from .referee import check
from .rules import new_side_piles
from .state import SpeedState, apply

SAME_MOVE_MS = 1500
"""A hand on a side pile within so long before a card arrived beside it slid that card over."""


def observe(state: SpeedState, before: TableState, after: TableState) -> tuple[Explanation, ...]:
    """Readings of what changed since the last look; two where it cannot be told whose hand it was."""
    if after.lost or state.phase == "over":
        return ()
    if state.phase == "layout":
        return _layout(state, before, after)
    return _cards(state, before, after)


def _cards(state: SpeedState, before: TableState, after: TableState) -> tuple[Explanation, ...]:
    """Cards that arrived, and draws."""
    first = _read(state, before, after, state.players[0])
    if first is None or not first.guessed:
        return first.reader.explanations() if first is not None else ()
    second = _read(state, before, after, state.players[1])
    found = [e for r in (first, second) if r is not None for e in r.reader.explanations(label="who-played")]
    return tuple(found)


@dataclass(slots=True)
class Look:
    """A reading, and whether a player had to be guessed for it."""

    reader: Reader
    guessed: bool = False


def open_cards(table: TableState, lowest: bool = False) -> dict[str, Seen]:
    """The open card of each spit pile (or the lowest one that is known)."""
    out = {}
    for name in PILES:
        cards = [s for s in table.cards_in(name) if shows(s)]
        if cards:
            out[name] = cards[0] if lowest else cards[-1]
    return out


def _layout(state: SpeedState, before: TableState, after: TableState) -> tuple[Explanation, ...]:
    """Both middle cards are turned up; what lies on them already was played since."""
    tops = open_cards(after, lowest=True)
    if len(tops) != len(PILES) or len({s.card for s in tops.values()}) != len(PILES):
        return ()
    event = make("layout", None, (tops[name].card for name in PILES), margin=clearness(tops.values()))
    return tuple(replace(e, events=(event, *e.events)) for e in _cards(apply(state, event), before, after)) or (Explanation((event,)),)


def _read(state: SpeedState, before: TableState, after: TableState, guess: str) -> Look | None:
    """One reading, unknown players taken to be `guess`; None where a side card is still on its way."""
    look = Look(Reader(state, check, apply))
    changes = news(before, after)
    _taken_back(look.reader, after)
    tops_only = tuple(replace(pile, cards=pile.cards[-1:]) for pile in state.piles)  # the rest may come back from new side piles
    came = arrivals(state.piles if any(state.sides) else tops_only, before, after, state.rules.race_window_ms)
    sides = {a.pile for a in came if _from_side(a, changes, before, after)}
    if not sides and len({a.pile for a in came}) == len(PILES) == len(came) and not any(_fits(state, a) for a in came):
        sides = set(PILES)  # a strange card on each pile at once: nobody could play
    if sides and state.phase == "play" and sides != _both(state):
        return None  # both turn at once: wait for the other one
    items: list[tuple[float, int, Arrival | Change]] = [(a.t_ms, a.seen.order, a) for a in came]
    stocks = {z.name: z.player for z in after.zones_of("stock-pile")}
    items += [(c.t_ms, 0, c) for c in changes if c.kind in ("touch", "reach") and c.player is not None and stocks.get(c.to_zone) == c.player]
    for _, _, item in sorted(items, key=lambda i: i[:2]):
        if isinstance(item, Change):
            event = at(make("refill", item.player), item.t_ms)
            if check(look.reader.now, event) is None:
                look.reader.log(event)
        elif item.pile in sides or item.pile in look.reader.now.due:
            sides.discard(item.pile)
            _flip(look.reader, item)
        else:
            _card(look, item, after, guess)
    return look


def _both(state: SpeedState) -> set[str]:
    """Spit piles that get a side card in a flip, after new side piles were made if there are none."""
    together = state.rules.new_side_piles == "together"
    sizes = state.sides if any(state.sides) else new_side_piles([pile.count for pile in state.piles], together)
    return {name for name, n in zip(PILES, sizes, strict=True) if n}


def _fits(state: SpeedState, arrival: Arrival) -> bool:
    pile = find(state.piles, arrival.pile)
    return pile is not None and pile.top is not None and fits(pile.top, arrival.card, pile_rules(state.rules))


def _from_side(arrival: Arrival, changes: tuple[Change, ...], before: TableState, after: TableState) -> bool:
    """Did the card come from the side pile beside this spit pile? Its track tells, or the hand that was there just before."""
    beside = [z.name for z in after.zones_of("side-pile") if z.index == PILES.index(arrival.pile)]
    if arrival.came_from in beside or any(s.track == arrival.seen.track for s in before.cards_in(beside)):
        return True
    hands = [c for c in changes if c.kind in ("touch", "reach") and c.to_zone in beside and 0 <= arrival.t_ms - c.t_ms <= SAME_MOVE_MS]
    laid = [c.player for c in arrival.touches if hands and hands[-1].t_ms <= c.t_ms <= arrival.t_ms]
    return bool(hands) and (not laid or hands[-1].player in (laid[0], None, "?"))


def _flip(reader: Reader, arrival: Arrival) -> None:
    t_ms = max((c.t_ms for c in arrival.touches if c.t_ms <= arrival.t_ms), default=arrival.t_ms)  # when a hand laid it down
    if reader.now.phase == "play":
        reader.log(at(make("stall"), t_ms))
    if not any(reader.now.sides):
        reader.log(at(make("reshuffle"), t_ms))
    reader.log(at(make("side-flip", None, (arrival.card,), margin=clearness((arrival.seen,)), pile=arrival.pile), t_ms))


def _card(look: Look, arrival: Arrival, after: TableState, guess: str) -> None:
    """A card from somebody's hand."""
    able = [p for p in look.reader.now.players if look.reader.now.left(p)]
    pile = find(look.reader.now.piles, arrival.pile)
    who = arrival.toucher(able, pile.last if pile is not None else None, look.reader.now.rules.race_window_ms)
    if who is None:
        over = [p for p in after.hands if p in able]
        who = over[0] if len(over) == 1 else able[0] if len(able) == 1 else None
    if who is None:
        look.guessed = True
        who = guess if guess in able or not able else able[0]
    land(look.reader, arrival, who, None, after)


def _taken_back(reader: Reader, after: TableState) -> None:
    """A contested card that no longer lies there: the players settled it."""
    contest = reader.now.contest
    if contest is None:
        return
    here = {card: lies(after, card, contest.pile) for card in (contest.first.card, contest.second.card)}
    if here[contest.first.card] and not here[contest.second.card]:
        reader.log(refusal(contest.second.player, contest.second.card, contest.pile, "beaten", after.t_ms))
    elif here[contest.second.card] and not here[contest.first.card]:
        reader.log(refusal(contest.first.player, contest.first.card, contest.pile, "beaten", after.t_ms))
        reader.log(at(make("play", contest.second.player, (contest.second.card,), pile=contest.pile), contest.second.t_ms))


def questions(state: SpeedState) -> tuple[Question, ...]:
    """A race too close to call."""
    return (race_question(state.contest, state.rules),) if state.contest is not None else ()


def expected(state: SpeedState, after: TableState) -> tuple[Problem, ...]:
    """Spit piles whose open card is not the log's (a card refused or contested may still lie there)."""
    if not after.stable or after.lost or state.phase not in ("play", "flip"):
        return ()
    excused = {state.refused[1] if state.refused else None, state.contest.second.card if state.contest else None}
    out = []
    for name, seen in open_cards(after).items():
        pile = find(state.piles, name)
        if pile is not None and seen.sure and seen.card != pile.top and seen.card not in excused:
            out.append(problem("pile-differs", (seen.card,), pile=name, table=seen.card, log=pile.top))
    return tuple(out)


def adopt(state: SpeedState, table: TableState) -> tuple[Event, ...]:
    """Take the spit piles as they lie."""
    event = make("resync", source="human", piles={name: seen.card for name, seen in open_cards(table).items()})
    return (event,) if apply(state, event) != state else ()
