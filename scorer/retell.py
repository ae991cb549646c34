"""The last turns told anew, where the table contradicts the log or the referee would rule: what came to light since may say that one of
them was read wrongly. They are taken back in the log, which keeps both, and told again."""
from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from .commands import flag_event
from .evening import BOOKKEEPING, fold
from .events import Event, make
from .game import Retold
from .table import TableState
from .watch import clearness, doubted, prepare, variants

if TYPE_CHECKING:
    from .match import Match

MOST_BACK = 4              # turns that are taken back
TAKEN_BACK = 0.5           # cost of taking a turn back; what it cost when it was logged is saved
TABLES = 3                 # of the likeliest names
DEAREST = 3.0              # what costs more is no explanation
ORDER_MS = 3000            # a card may have come to light so much later than another that was laid after it
CLEAR = 0.5                # cost by which the likeliest must lead


@dataclass(frozen=True, slots=True)
class Better:
    """The likeliest way to tell the last turns: `roots` are taken back, newest first. `lead`: by how much the next one, which ends
    otherwise, costs more; infinite where none is about as likely."""

    told: Retold
    roots: tuple[int, ...]
    lead: float

    @property
    def clear(self) -> bool:
        """No other way is about as likely."""
        return self.lead >= CLEAR


@dataclass(slots=True)
class Search:
    """A search under way, which rests between looks at the table: `cause` and number of the log's last event when it began."""

    cause: str
    seq: int
    ways: Iterator[Retold | None]
    roots: list[int]
    below: float
    found: list[Retold] = field(default_factory=list)

    def go_on(self, pieces: int) -> bool:
        """So many pieces of work further; True once it is done."""
        for way in self.ways:
            if way is not None:
                self.found.append(way)
            else:
                pieces -= 1
                if pieces <= 0:
                    return False
        return True


def search(match: Match, raw: TableState, cause: str, instead: float) -> Search:
    """Begin to look for ways to tell the last turns that cost less than `instead`. `raw` is the table as vision gave it."""
    roots: list[int] = []
    below = min(instead - CLEAR, DEAREST)
    return Search(cause, match.seq, match.game.retell(_history(match, raw, roots), below + CLEAR), roots, below)


def _history(match: Match, raw: TableState, roots: list[int]) -> Iterator[tuple[Any, float, list[tuple[float, TableState]]]]:
    """The log as it is, and with its last steps taken back, which are added to `roots`."""
    price, turns = 0.0, 0
    seq, log, w = match.seq, match.log, match.watch
    for batch in [(), *_batches(match)]:
        if batch:
            turns += batch[0].kind in match.game.passing
            if turns > MOST_BACK or batch[0].kind == "deal" or any(e.source == "human" for e in batch):
                break
            roots.append(batch[0].seq)
            price += (TAKEN_BACK if batch[0].kind in match.game.passing else 0.0) - w.costs.get(batch[0].seq, 0.0)
        since = roots[-1] if roots else seq + 1
        yield log.before(since).state, price, _tables(match, raw, since)


def best(match: Match, done: Search) -> Better | None:
    """The likeliest way to tell the last turns otherwise; None where none is likely enough, or things are likeliest as they are."""
    roots = done.roots
    found = [way for way in done.found if not _out_of_order(match, roots, way) and not _needless(match, roots[:way.back], way)]
    if not found or found[0].cost >= done.below:
        return None
    first = found[0]
    if not (first.back or first.turns or first.none):
        return None
    ways = [_way(match, roots, first)]       # what leads to the same end, or only part of the way there, is no rival
    lead = math.inf
    for rival in found[1:]:
        if rival.cost >= first.cost + CLEAR:
            break
        other = _way(match, roots, rival)
        if other[-1] == ways[0][-1]:
            ways.append(other)
        if ways[0][-1] not in other and not any(other[-1] in w for w in ways):
            lead = min(lead, rival.cost - first.cost)
    if _as_logged(match, roots[:first.back], first):     # nothing is taken back but what is none
        return Better(replace(first, back=0, turns=()), (), lead) if first.none else None
    return Better(first, tuple(roots[:first.back]), lead)


def _said(events: Sequence[Event]) -> list[object]:
    return [(e.kind, e.player, e.cards) for e in events]


def _as_logged(match: Match, roots: Sequence[int], way: Retold) -> bool:
    """Whether a way only says again what it takes back."""
    logged = [e for b in _batches(match)[: len(roots)][::-1] for e in b]
    return bool(roots) and _said(logged) == _said([e for turn in way.turns for e in turn])


def _needless(match: Match, roots: Sequence[int], way: Retold) -> bool:
    """Whether a way takes more back than it tells otherwise: what the oldest of those turns cost when it was logged is no gain."""
    oldest = _batches(match)[len(roots) - 1] if roots else ()
    return len(way.turns) > 1 and _said(oldest) == _said(way.turns[0]) and not _as_logged(match, roots, way)


def _out_of_order(match: Match, roots: Sequence[int], way: Retold) -> bool:
    """Whether a way lets a card be played turns after one that was seen to come long after it: the times in the log are evidence, too."""
    back = set(roots[: way.back])
    seen = {c: e.t_ms for b in _batches(match) if b[0].seq in back for e in b if e.kind in ("play", "flip") and e.source == "camera" for c in e.cards}
    latest = -math.inf
    for turn in way.turns:
        times = [seen[c] for e in turn if e.kind in ("play", "flip") for c in e.cards if c in seen]
        if times and min(times) < latest - ORDER_MS:
            return True
        latest = max([latest, *times])
    return False


def take(match: Match, better: Better, t_ms: int) -> tuple[Event, ...]:
    """Log it: what is taken back, newest first, and the turns."""
    w, retold, roots = match.watch, better.told, better.roots
    margin = None if better.clear else clearness(better.lead)      # what was decided unclearly says so
    added: list[Event] = []
    for seq in roots:
        added += match.log.correct(make("undo", source="auto", ref=seq, margin=margin), t_ms)
    if roots:
        for track in [t for t, since in w.since.items() if since >= roots[-1]]:
            w.taken.pop(track, None)
            w.since.pop(track)
    for s in retold.table.seen:
        if s.track in retold.none:
            w.none[s.track] = (s.card, s.zone)
    seen = tuple(s for s in retold.table.seen if s.track not in retold.none)
    w.take(replace(retold.table, seen=seen), match.seq + 1, {c for turn in retold.turns for e in turn for c in e.cards})
    for turn in retold.turns:
        added += match.append(turn if margin is None else doubted(turn, margin), t_ms)
    return tuple(added)


def resync(match: Match, t_ms: int) -> tuple[Event, ...]:
    """The table is taken as true, and that is flagged: what happened meanwhile is lost."""
    w = match.watch
    if w.latest is None or not w.wrong:
        return ()
    batch = [replace(e, source="auto") for e in match.game.adopt(match.log.evening.state, w.latest)]
    if not batch:
        return ()
    batch.append(flag_event(w.wrong[0], None, "auto"))
    w.take(w.latest, match.seq + 1)
    return match.append(batch, t_ms)


def _batches(match: Match) -> list[tuple[Event, ...]]:
    """The turns of the deal, newest first."""
    out: list[list[Event]] = []
    for event in match.log.deal():
        if event.kind in BOOKKEEPING:
            continue
        if event.cause is None or not out:
            out.append([event])
        else:
            out[-1].append(event)
    return [tuple(b) for b in reversed(out)]


def _tables(match: Match, raw: TableState, since: int) -> list[tuple[float, TableState]]:
    """The table under its likeliest names, those forgotten that were logged from number `since` on."""
    w = match.watch
    known = {t: n for t, n in w.taken.items() if w.since.get(t, 0) < since}
    table = prepare(raw, replace(w, taken=known), w.deck)
    return list(islice(variants(w.before, table, known, w.deck), TABLES))


def _way(match: Match, roots: Sequence[int], retold: Retold) -> list[object]:
    """What matters of the states that it leads through."""
    evening = match.log.before(roots[retold.back - 1]) if retold.back else match.log.evening
    out = [match.game.essence(evening.state)]
    for turn in retold.turns:
        evening = fold(match.game, evening, turn)
        out.append(match.game.essence(evening.state))
    return out
