"""An evening of deals, folded from the live events: what `Match` knows that the log alone decides.

``start`` opens the evening and its first deal; ``next-deal`` closes a deal and opens the next. Dealer, carry (nagari,
tokens, totals) and running totals come out of the fold, so they follow when a past deal is amended.
"""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from .errors import InputError, KibitzError
from .events import Event
from .frozen import EMPTY, FrozenDict
from .game import Game, Result, ScoreSheet
from .ruleset import Rules, build_rules

BOOKKEEPING = ("start", "next-deal", "note")
_FOLLOW_LIMIT = 64      # a game whose follow never ends is broken: stop rather than hang


@dataclass(frozen=True, slots=True)
class DealRecord:
    """A finished (or abandoned: `result` None) deal."""

    number: int
    start_seq: int
    players: tuple[str, ...]
    dealer: str
    options: FrozenDict
    state: Any
    result: Result | None
    net: FrozenDict           # chips that each player gained


@dataclass(frozen=True, slots=True)
class Evening:
    """Everything folded so far.

    seats    everyone of the evening, in seat order; `players` those who play this deal
    options  options that this deal started with
    fresh    options of the first deal, used again when a whole game is over
    running  chips gained by each seat over the finished deals
    flags    live flag events of this deal
    last     index of the last live event plus one
    """

    rules: Rules
    seats: tuple[str, ...]
    players: tuple[str, ...]
    dealer: str
    options: FrozenDict
    fresh: FrozenDict
    state: Any
    deal: int = 1
    start_seq: int = 1
    past: tuple[DealRecord, ...] = ()
    running: FrozenDict = EMPTY
    names: FrozenDict = EMPTY
    flags: tuple[Event, ...] = ()


def begin(game: Game, start: Event) -> Evening:
    """The evening that a ``start`` event opens. Raises InputError where the event does not hold a game's set-up."""
    args = start.args
    players = args.get("players")
    if not _ids(players):
        raise InputError("bad-start", "key 'players' must be a list of different ids", f"event {start.seq}")
    values = args.get("rules", EMPTY)
    if not isinstance(values, FrozenDict):
        raise InputError("bad-start", "key 'rules' must be an object", f"event {start.seq}")
    keys = {k.name: k for k in game.schema}
    known = {name: keys[name].check(v, f"event {start.seq}") for name, v in values.items() if name in keys}
    rules = build_rules(game.name, game.schema, str(args.get("ruleset", "classic")), known, game.players)
    options = args.get("options", EMPTY)
    if not isinstance(options, FrozenDict):
        raise InputError("bad-start", "key 'options' must be an object", f"event {start.seq}")
    dealer = args.get("dealer") or players[0]
    if dealer not in players:
        raise InputError("bad-start", f"key 'dealer' is {dealer!r}, who does not sit here", f"event {start.seq}", "name one of the players")
    active = args.get("active", players)
    if not _ids(active) or not set(active) <= set(players):
        raise InputError("bad-start", "key 'active' must be some of the players", f"event {start.seq}")
    names = args.get("names", EMPTY)
    try:
        state = game.start(rules, active, dealer, options)
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as e:
        raise InputError("bad-start", f"the options do not fit ({type(e).__name__})", f"event {start.seq}",
                         "see the game's options") from None
    return Evening(rules, players, active, dealer, options, options, state, start_seq=start.seq,
                   running=FrozenDict(dict.fromkeys(players, 0)), names=names if isinstance(names, FrozenDict) else EMPTY)


def _ids(players: Any) -> TypeGuard[tuple[str, ...]]:
    return (isinstance(players, tuple) and 0 < len(players) == len(set(players)) and
            all(isinstance(p, str) and 0 < len(p) <= 64 and p.isprintable() for p in players))


def step(game: Game, evening: Evening, event: Event) -> Evening:
    """The evening after one live event. Never raises."""
    kind = event.kind
    if kind == "next-deal":
        return next_deal(game, evening, event)
    if kind == "flag":
        return replace(evening, flags=(*evening.flags, event))
    if kind == "note":
        named = event.args.get("name")
        if event.player and isinstance(named, str):
            return replace(evening, names=FrozenDict({**evening.names, event.player: named}))
        return evening
    return replace(evening, state=game.apply(evening.state, event))


def seating(evening: Evening, result: Result | None, event: Event) -> tuple[tuple[str, ...], str, FrozenDict]:
    """Players, dealer and options of the deal that a ``next-deal`` event opens: what it says itself, else what follows."""
    args = event.args
    players = args.get("players", evening.players)
    if not _ids(players):
        players = evening.players
    dealer = args.get("dealer") or (result.dealer if result else None) or evening.dealer
    if dealer not in players:       # whoever should deal sits out: the next seat deals
        order = [*evening.seats, *(p for p in players if p not in evening.seats)]
        at = order.index(dealer) if dealer in order else -1
        dealer = next((p for p in (*order[at + 1:], *order) if p in players), players[0])
    carried = FrozenDict({**evening.options, **(result.options if result else EMPTY)})
    options = evening.fresh if result and result.over else carried
    given = args.get("options")
    return players, dealer, FrozenDict({**options, **given}) if isinstance(given, FrozenDict) else options


def next_deal(game: Game, evening: Evening, event: Event) -> Evening:
    """Close the present deal and open the next; a set-up that the game cannot seat leaves the evening as it is."""
    record = close(game, evening)
    players, dealer, options = seating(evening, record.result, event)
    try:
        state = game.start(evening.rules, players, dealer, options)
    except (KibitzError, LookupError, TypeError, ValueError, ArithmeticError, AttributeError):
        return evening
    seats = (*evening.seats, *(p for p in players if p not in evening.seats))
    running = {p: evening.running.get(p, 0) + record.net.get(p, 0) for p in seats}
    return replace(evening, seats=seats, players=players, dealer=dealer, options=options, state=state, deal=evening.deal + 1,
                   start_seq=event.seq, past=(*evening.past, record), running=FrozenDict(running), flags=())


def close(game: Game, evening: Evening) -> DealRecord:
    """The present deal as a record, with what everyone gained by it (nothing while it is not over)."""
    result = game.result(evening.state)
    net = FrozenDict(game.score(evening.state).net()) if result else EMPTY
    return DealRecord(evening.deal, evening.start_seq, evening.players, evening.dealer, evening.options, evening.state, result, net)


def totals(game: Game, evening: Evening, sheet: ScoreSheet | None = None) -> dict[str, int]:
    """Chips gained by each seat, the present deal included once it is over."""
    out = {p: evening.running.get(p, 0) for p in evening.seats}
    if game.result(evening.state):
        for p, n in (sheet or game.score(evening.state)).net().items():
            out[p] = out.get(p, 0) + n
    return out


def fold(game: Game, evening: Evening, events: Iterable[Event]) -> Evening:
    """The evening after the live events."""
    for event in events:
        evening = step(game, evening, event)
    return evening


def followers(game: Game, evening: Evening) -> tuple[tuple[Event, ...], Evening]:
    """What follows of itself now, and the evening after it."""
    out: list[Event] = []
    while len(out) < _FOLLOW_LIMIT:
        more = game.follow(evening.state)
        if not more:
            break
        for event in more:
            event = replace(event, source="auto")
            out.append(event)
            evening = step(game, evening, event)
    return tuple(out), evening


def batches(live: Sequence[Event]) -> Iterable[tuple[Event, ...]]:
    """The live events by turn: a root and what it caused."""
    group: list[Event] = []
    for event in live:
        if group and (event.cause is None or event.cause != group[0].seq):
            yield tuple(group)
            group = []
        group.append(event)
    if group:
        yield tuple(group)


def is_derived(game: Game, event: Event) -> bool:
    """True for what `follow` gave: it must be worked out again when something before it is corrected."""
    return event.source == "auto" and event.kind in game.derived and event.cause is not None


def _content(event: Event) -> tuple[Any, ...]:
    return (event.kind, event.player, event.cards, event.args)


def reconcile(game: Game, evening: Evening, live: Sequence[Event]) -> list[tuple[str, Event, Event | None]]:
    """What follows of itself, worked out again over `live` (which starts where `evening` ends).

    Returns the corrections to append: ("undo", stale event, None) or ("amend", event to follow, new event).
    """
    wanted: list[tuple[str, Event, Event | None]] = []
    for group in batches(live):
        kept = [e for e in group if not is_derived(game, e)]
        logged = [e for e in group if is_derived(game, e)]
        evening = fold(game, evening, kept)
        if not kept or kept[-1].kind in BOOKKEEPING:
            evening = fold(game, evening, logged)
            continue
        fresh, evening = followers(game, evening)
        if [_content(e) for e in logged] != [_content(e) for e in fresh]:
            wanted += [("undo", e, None) for e in logged]
            wanted += [("amend", kept[-1], e) for e in fresh]
    return wanted
