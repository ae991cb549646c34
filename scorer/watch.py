"""From the camera's table states to one reading: names ranked by what the rules allow, then log, ask, or out of sync.

The only mutable record of the scorer beside `Match`, which owns it. Time is the table state's own.
"""
from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product, zip_longest
from typing import TYPE_CHECKING

from .cards import BACK, merged
from .evening import Evening, fold
from .events import RIVAL, Event, names_card
from .frozen import FrozenDict
from .game import Explanation, Game, Option, Problem
from .table import Seen, TableState

if TYPE_CHECKING:
    from .retell import Search

ASK_AFTER_MS = 1200        # an ambiguity that settles by itself within this time is not asked about
DESYNC_AFTER_MS = 3000     # a contradiction must stand this long before it is called out of sync
LESS_CLEAR = 0.2           # a card that so much less of shows than before is not read anew
RENAME_AFTER_MS = 1000     # a surer name for a logged card must stand this long
CATCH_UP_MS = 3000         # how much longer a table is taken to have lain when a person speaks of a turn not yet logged
REPEAT_MS = 200            # an unchanged table is looked at again this often
RETELL_MS = 1500           # the last turns are told anew no more often than this
RESYNC_MS = 9000           # a contradiction that stood this long, whatever was told anew: the table is taken as true
WAVER_MS = 4000            # so long is waited where two ways to tell the last turns, or two readings without anyone's answer, are about as likely
PIECES = 800               # pieces of work a look that the last turns are told anew with
STUCK_MS = 8000            # so long after the last event a table that is not explained is taken for a contradiction
LEAD = 1.0                 # cost by which the best reading must lead
PROBLEM_COST = 3.0         # a ruling is believed only where no legal reading is about as likely
GONE_COST = 2.5            # cost of an unsure card's being one that just left its place, where no reading says so
LEFT_UNSEEN_COST = 1.0     # cost of an unsure card's being one that nobody sees where it is presumed to lie under others
GHOST_COST = 2.0           # cost of an unsure card's being no card at all ...
GHOST_MS = 2500            # ... once it has stayed unsure for so long
WELL_SEEN = 0.6            # a card of which so much was seen was not misread for another that is seen now
MAX_UNSURE = 3
MAX_VARIANTS = 12
MAX_GONE = 4


@dataclass(frozen=True, slots=True)
class Reading:
    """One explanation with the table (names chosen) that it explains and its whole cost."""

    cost: float
    explanation: Explanation
    table: TableState


@dataclass(frozen=True, slots=True)
class Asked:
    """The camera's open question: rivals, best first."""

    id: str
    since_ms: int
    readings: tuple[Reading, ...]

    def options(self) -> tuple[Option, ...]:
        """The rivals as options, keyed "0", "1", …"""
        return tuple(Option(str(i), r.explanation.label, r.explanation.cards or r.explanation.events[0].cards, r.explanation.events)
                     for i, r in enumerate(self.readings))


@dataclass(slots=True)
class Watch:
    """What the camera side remembers between states.

    before   the last table that was explained; None until the first settled one
    latest   the newest table
    given    names that a person gave to tracks, over everything
    taken    names under which tracks went into the log
    ghosts   tracks that were taken for nothing: they say nothing until they are sure
    none     tracks of cards that are none, with the name and the zone that each was seen under: what is seen otherwise is a card again
    clear    the largest share of each of them that was seen while it was read so
    deck     the cards in play (`Game.copies`) by the deal and rules `deck_of`
    ambiguous_since, ambiguous_of    when a reading became ambiguous, and of how many events it was then
    retold_ms, in_vain    when the last turns were told anew without need of a ruling, and how often that was in vain
    wavered_ms  since when two ways to tell the last turns are about as likely
    search   the last turns being told anew: it goes on at the next look
    costs    by number of a turn's root, the cost of the reading that was logged
    since    number of the first event that a track can be named in
    """

    before: TableState | None = None
    latest: TableState | None = None
    given: dict[int, str] = field(default_factory=dict)
    taken: dict[int, str] = field(default_factory=dict)
    clear: dict[int, float] = field(default_factory=dict)
    ghosts: set[int] = field(default_factory=set)
    none: dict[int, tuple[str, str]] = field(default_factory=dict)
    since: dict[int, int] = field(default_factory=dict)
    asked: Asked | None = None
    ambiguous_since: int | None = None
    ambiguous_of: int = 0
    wrong_since: int | None = None
    wrong: tuple[Problem, ...] = ()
    excused: tuple[Problem, ...] = ()
    out_of_sync: bool = False
    doubted: dict[int, tuple[str, int]] = field(default_factory=dict)
    looked_at: tuple[object, ...] = ()
    looked_ms: int = -REPEAT_MS
    deck: Mapping[str, int] = field(default_factory=dict)
    deck_of: tuple[object, ...] = ()
    questions: int = 0
    retold_ms: int = -REPEAT_MS
    in_vain: int = 0
    wavered_ms: int | None = None
    search: Search | None = None
    costs: dict[int, float] = field(default_factory=dict)

    def take(self, table: TableState, seq: int, told: Collection[str] = ()) -> None:
        """The table is explained by the events from number `seq` on, which tell of the cards `told`: it is what the next one is
        compared with. Of an unsure card that they do not tell of nothing is known yet."""
        named = {s.track for s in self.latest.seen if s.card} if self.latest else set()
        self.ghosts |= {s.track for s in table.seen if not s.card and s.track in named}
        self.before = table
        for s in table.seen:
            if s.lies and s.face_up and s.card and (s.sure or s.card in told or s.track in self.taken):
                self.taken[s.track] = s.card
                self.since.setdefault(s.track, seq)
        self.asked = self.ambiguous_since = self.wrong_since = None
        self.wrong = self.excused = ()
        self.out_of_sync = False
        self.in_vain = 0
        self.wavered_ms = None
        self.search = None

    def is_none(self, s: Seen) -> bool:
        """Whether it was found to be no card, and is seen as it was then: a name that is not settled says nothing new."""
        card, zone = self.none.get(s.track, ("", ""))
        return s.track in self.none and s.zone == zone and (s.card == card or not s.sure)

    def forget(self) -> None:
        """A new deal: tracks mean other cards now."""
        self.given.clear()
        self.taken.clear()
        self.clear.clear()
        self.ghosts.clear()
        self.none.clear()
        self.since.clear()
        self.costs.clear()
        self.doubted.clear()


def prepare(table: TableState, watch: Watch, deck: Mapping[str, int]) -> TableState:
    """The table as the scorer may know it: cards in hands are nobody's business, names given by a person or already logged win,
    and a name that is no card of the deck in play says nothing."""
    hands = {z.name for z in table.zones if z.kind == "hand"}
    changed = False
    seen: list[Seen] = []
    for s in table.seen:
        new = s
        if s.zone in hands:
            if s.card or s.names:
                new = replace(s, card="", names=(), sure=False, face_up=False)
        elif s.track in watch.given:
            if s.card != watch.given[s.track] or not s.sure:
                new = replace(s, card=watch.given[s.track], names=(), sure=True)
        elif (not s.sure and s.track in watch.ghosts) or watch.is_none(s):
            new = replace(s, card="", names=(), sure=False)
        elif s.track in watch.taken and s.face_up and s.card != watch.taken[s.track]:     # until a surer name has stood for a while
            new = replace(s, card=watch.taken[s.track], sure=False)
        if (new.card and new.card != BACK and merged(new.card) not in deck) or any(merged(n) not in deck for n, _ in new.names):
            names = tuple((n, p) for n, p in new.names if merged(n) in deck)
            card = new.card if new.card == BACK or merged(new.card) in deck else names[0][0] if names else ""
            new = replace(new, card=card, names=names, sure=new.sure and card == new.card)
        changed = changed or new is not s
        seen.append(new)
    return replace(table, seen=tuple(seen)) if changed else table


def signature(table: TableState) -> tuple[object, ...]:
    """What must change before a table is worth another look."""
    return (table.stable, table.lost, tuple((s.track, s.card, s.sure, s.zone, s.state, s.face_up) for s in table.seen),
            table.changes[-1].n if table.changes else 0)


def variants(before: TableState | None, after: TableState, taken: Mapping[int, str],
             deck: Mapping[str, int]) -> Iterable[tuple[float, TableState]]:
    """The table with the likeliest names of newly seen unsure cards put in, cheapest first; cost is the log of how much
    likelier the best name is. A name whose copies all lie elsewhere for sure is left out, but for one that is covered there and may have
    left unseen; a card that is missing where it lay before may be any of them, and one that stays unsure may be none."""
    old = {s.track for s in before.seen if s.sure} if before else set()
    new = [s for s in after.seen if s.lies and s.face_up and s.track not in old and s.track not in taken]
    unsure = [s for s in new if not s.sure and s.names][:MAX_UNSURE]
    if not unsure:
        yield 0.0, after
        return
    doubtful = {s.track for s in unsure}
    fixed = Counter(merged(s.card) for s in after.seen if s.track not in doubtful and s.card and s.lies)
    there = {s.track for s in after.seen if s.lies}
    covered = {merged(s.card): s.track for s in after.seen if s.track not in doubtful and s.card and s.lies and s.state == "covered"}
    gone = [s.card for s in before.seen if s.lies and s.face_up and s.card and s.track not in there][:MAX_GONE] if before else []
    since: dict[int | None, int] = {}
    for change in after.changes:
        if change.kind == "appear":
            since.setdefault(change.track, change.t_ms)
    choices: list[list[tuple[float, str]]] = []
    for s in unsure:
        best = max(p for _, p in s.names)
        named = {merged(n) for n, _ in s.names}
        ghost = [(GHOST_COST, "")] if after.t_ms - since.get(s.track, after.t_ms) >= GHOST_MS else []
        choices.append([(math.log(max(best, 1e-6) / max(p, 1e-6)), name) for name, p in s.names]
                       + [(GONE_COST, name) for name in gone if merged(name) not in named] + ghost)
    ranked = sorted((sum(c for c, _ in combo), [n for _, n in combo]) for combo in product(*choices))
    given = 0
    options = []
    for cost, names in ranked:
        count = fixed + Counter(merged(n) for n in names if n)
        over = {n: count[n] - deck.get(n, 0) for n in map(merged, names) if n and count[n] > deck.get(n, 0)}
        if all(more == 1 and n in covered for n, more in over.items()):
            options.append((cost + LEFT_UNSEEN_COST * len(over), names, [covered[n] for n in over]))
    for cost, names, left in sorted(options, key=lambda o: o[0]):
        chosen = dict(zip([s.track for s in unsure], names, strict=True)) | dict.fromkeys(left, "")
        yield cost, replace(after, seen=tuple(replace(s, card=chosen[s.track]) if s.track in chosen else s for s in after.seen))
        given += 1
        if given >= MAX_VARIANTS:
            return
    if not given:
        yield 0.0, after


def readings(game: Game, evening: Evening, before: TableState, after: TableState, taken: Mapping[int, str],
             deck: Mapping[str, int]) -> list[Reading]:
    """Every reading of what changed, cheapest first; of those that come to the same essence only the cheapest."""
    found: list[Reading] = []
    calm = math.inf     # cost of the likeliest names under which there is nothing to add, or nothing yet
    for cost, table in variants(before, after, taken, deck):
        for explanation in game.observe(evening.state, before, table):
            extra = PROBLEM_COST if explanation.problem else 0.0
            if explanation.events or explanation.problem:
                found.append(Reading(cost + explanation.cost + extra, explanation, table))
            else:
                calm = min(calm, cost)
    found.sort(key=lambda r: r.cost)
    if found and calm < found[0].cost:
        return []
    if len(found) < 2:
        return found
    seen: list[object] = []
    kept: list[Reading] = []
    for reading in found:
        if kept and reading.cost >= kept[0].cost + LEAD:
            break
        key = _shape(game, reading, before, taken)
        if key is None:
            end = fold(game, evening, reading.explanation.events)
            key = (end.deal, game.essence(end.state), reading.explanation.problem)
        if key not in seen:
            seen.append(key)
            kept.append(reading)
    return kept


def clearness(lead: float) -> float:
    """The margin of what leads by so much cost: its share of the likelihood less that of the next."""
    return round(math.tanh(max(0.0, lead) / 2), 3)


def doubted(events: Sequence[Event], margin: float, rival: Sequence[Event] = ()) -> list[Event]:
    """The events, none clearer than `margin`; where a `rival` reading differs in the name of a card, that is kept (`RIVAL`)."""
    out = []
    for e, other in zip_longest(events, rival[:len(events)]):
        args = e.args
        if other and other.kind == e.kind and len(e.cards) == len(other.cards) == 1 and e.cards != other.cards:
            args = FrozenDict({**args, RIVAL: other.cards[0]})
        out.append(replace(e, args=args, margin=min(margin, 1.0 if e.margin is None else e.margin)))
    return out


def _shape(game: Game, reading: Reading, before: TableState, taken: Mapping[int, str]) -> object | None:
    """What a reading says but for the names of cards that are in doubt, where those matter to nothing yet (`Game.passing`);
    None where they do, or where no name is in doubt."""
    old = {s.track for s in before.seen if s.sure}
    doubtful = {s.card: f"?{s.track}" for s in reading.table.seen if s.lies and s.face_up and not s.sure and s.track not in old
                and s.track not in taken}
    events = reading.explanation.events
    touched = [e for e in events if any(c in doubtful for c in e.cards)]
    if not touched or any(e.kind not in game.passing for e in touched):
        return None
    return (tuple((e.kind, e.player, tuple(sorted(doubtful.get(c, c) for c in e.cards)), e.args) for e in events),
            reading.explanation.problem)


def renamed(watch: Watch, table: TableState, same: Callable[[str, str], bool]) -> list[tuple[int, str, str]]:
    """Tracks that vision is now sure of under another name than the one logged, once that has stood for RENAME_AFTER_MS: seen about
    as well as when they were read as logged. Covered ones too whose logged name another card bears for all to see: then the likeliest
    other name must do. `table` is as vision gave it."""
    hands = {z.name for z in table.zones if z.kind == "hand"}
    out: list[tuple[int, str, str]] = []
    for s in table.seen:
        old = watch.taken.get(s.track)
        lost = old is not None and s.state == "covered" and not s.sure and bool(s.card) and not same(old, s.card) and any(
            o.track != s.track and o.sure and o.lies and o.card == old and o.visible >= WELL_SEEN for o in table.seen)
        if old is None or not (s.sure or lost) or not s.face_up or not s.lies or not s.card or s.card == BACK or s.zone in hands or s.track in watch.given:
            watch.doubted.pop(s.track, None)
            continue
        if same(old, s.card):
            watch.doubted.pop(s.track, None)
            watch.clear[s.track] = max(watch.clear.get(s.track, 0.0), s.visible)
            continue
        if watch.deck and merged(s.card) not in watch.deck:
            continue
        elsewhere = lost or any(o.track != s.track and o.sure and o.lies and o.card == old for o in table.seen)
        if not elsewhere and s.visible + LESS_CLEAR < watch.clear.get(s.track, 0.0):
            continue
        name, since = watch.doubted.get(s.track, ("", table.t_ms))
        if name != s.card:
            watch.doubted[s.track] = (s.card, table.t_ms)
        elif table.t_ms - since >= RENAME_AFTER_MS:
            watch.doubted.pop(s.track)
            out.append((s.track, old, s.card))
    return out


def mentions(events: Iterable[Event], card: str, since: int = 0) -> Event | None:
    """The first of the events, from number `since` on, that names the card."""
    return next((e for e in events if e.seq >= since and names_card(e, card)), None)
