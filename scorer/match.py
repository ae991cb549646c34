"""One evening at one table: the log, what it folds to, and the snapshot that every page is drawn from.

    match = Match(game="gostop", ruleset="classic", players=("A", "B"), dealer="A")
    new = match.observe(table_state)          # events that the camera's state added; store them, then publish
    out = match.command({"command": "go", "player": "A"})
    match.snapshot()
    Match.resume(events)                      # the same match from its stored log

`Match` is the single owner of the log and is used from one thread; snapshots are plain dicts of their own.
"""
from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from . import cards as card_names
from . import commands, retell, snapshot
from .commands import Outcome, flag_event
from .errors import InputError
from .evening import BOOKKEEPING, Evening, begin, step
from .events import Event, make, resolve
from .frozen import freeze
from .game import Game, Question, ScoreSheet, find_game
from .log import Log
from .table import TableState
from .watch import (
    ASK_AFTER_MS,
    CATCH_UP_MS,
    DESYNC_AFTER_MS,
    LEAD,
    PIECES,
    REPEAT_MS,
    RESYNC_MS,
    RETELL_MS,
    STUCK_MS,
    WAVER_MS,
    WELL_SEEN,
    Asked,
    Reading,
    Watch,
    clearness,
    doubted,
    mentions,
    prepare,
    readings,
    renamed,
    signature,
)

__all__ = ["Match", "Outcome"]


class Match:
    """See the module's docstring. Raises InputError for an unknown game, ruleset or rule, or a set-up the game cannot seat.

    game, ruleset   names (or a ruleset file); `overrides` {rule key: value} win over the file
    players         ids in seat order (order of turns); `active` those who play the first deal, all where absent
    options         what the game's `start` takes: jokers, bonus {card: worth}, target, nagari_streak, tokens, seed …
    names           {player id: name}
    t_ms            time of the start event, on the source's clock
    """

    def __init__(self, game: str | Game = "gostop", ruleset: str | Path = "classic", players: Sequence[str] = ("A", "B"),
                 dealer: str | None = None, options: Mapping[str, Any] | None = None, *, overrides: Mapping[str, Any] | None = None,
                 names: Mapping[str, str] | None = None, active: Sequence[str] | None = None, t_ms: int = 0) -> None:
        self.game: Game = find_game(game) if isinstance(game, str) else game
        rules = self.game.rules(ruleset, overrides)
        args: dict[str, Any] = {"game": self.game.name, "ruleset": rules.name, "rules": rules.values, "players": tuple(players),
                                "dealer": dealer if dealer is not None else (players[0] if players else ""), "options": dict(options or {})}
        if names:
            args["names"] = dict(names)
        if active:
            args["active"] = tuple(active)
        try:
            start = Event("start", source="human", args=freeze(args), seq=1, t_ms=t_ms)
        except TypeError as e:
            raise InputError("bad-start", f"the options cannot be kept: {e}", mend="use numbers, words, lists and objects") from None
        self._open([start])

    @classmethod
    def resume(cls, events: Iterable[Event], game: Game | None = None) -> Match:
        """The match that a stored log folds to. What follows of itself and is missing at the end (a log cut off within a turn)
        is appended: store `events` beyond those given. Raises InputError `bad-log` for a log without start or with gaps."""
        log = list(events)
        if not log or log[0].kind != "start":
            raise InputError("bad-log", "the log does not begin with a start event", mend="give a whole log")
        for n, event in enumerate(log, 1):
            if event.seq != n:
                raise InputError("bad-log", f"event {n} has the number {event.seq}", mend="give a log without gaps")
        match = cls.__new__(cls)
        match.game = game or find_game(str(log[0].args.get("game", "")))
        match._open(log)
        return match

    def _open(self, events: list[Event]) -> None:
        self.log = Log(self.game, events)
        self.watch = Watch()
        self.paused = False

    @property
    def events(self) -> tuple[Event, ...]:
        """The whole log, corrections included."""
        return tuple(self.log.events)

    @property
    def live(self) -> tuple[Event, ...]:
        """The live events, corrections resolved."""
        return tuple(self.log.live)

    @property
    def evening(self) -> Evening:
        """What the log folds to."""
        return self.log.evening

    @property
    def seq(self) -> int:
        """Number of the last event."""
        return self.log.seq

    @property
    def t_ms(self) -> int:
        """Time of the newest table, else of the last event."""
        return self.watch.latest.t_ms if self.watch.latest else self.log.events[-1].t_ms

    @property
    def untouched(self) -> bool:
        """True where the present deal has no event yet."""
        return self.log.live[-1].kind in BOOKKEEPING

    def append(self, batch: Sequence[Event], t_ms: int) -> tuple[Event, ...]:
        """Log one turn as it is, without a check: the first event is the root. What follows of itself is logged with it."""
        if any(e.kind == "next-deal" for e in batch):
            self.watch.forget()
        return self.log.append(batch, t_ms)

    def command(self, command: Mapping[str, Any]) -> Outcome:
        """Take a person's command (see `scorer.commands`): {"command", "player", "cards", "t_ms", …}. Never raises."""
        return commands.run(self, command)

    def observe(self, table: TableState) -> tuple[Event, ...]:
        """What a table state adds to the log: a turn that has one clear reading, a surer name. Ambiguity becomes a question,
        a table that no reading explains "out of sync"; neither changes the score."""
        w = self.watch
        playing = (self.evening.deal, self.evening.rules)
        if w.deck_of != playing:
            w.deck, w.deck_of = self.game.copies(self.evening.state), playing
        raw, table = table, prepare(table, w, w.deck)
        w.latest = table
        if self.paused or table.lost or not (table.stable or self.game.live):
            return ()
        now = signature(raw)
        if now == w.looked_at and 0 <= table.t_ms - w.looked_ms < REPEAT_MS and w.search is None:
            return ()
        w.looked_at, w.looked_ms = now, table.t_ms
        added: tuple[Event, ...] = ()
        for track, old, new in renamed(w, raw, card_names.same):
            if self._breaks(old, new, track, raw):
                continue
            w.taken[track] = new
            w.clear.pop(track, None)
            if not any(n == new and t != track and w.clear.get(t, 0.0) >= WELL_SEEN for t, n in w.taken.items()):
                added += self.misread(old, new, table.t_ms, "camera", track)
        if added:
            table = w.latest = prepare(raw, w, w.deck)
        if w.before is None:
            w.before = TableState(table.t_ms, zones=table.zones) if self.untouched else table
        found = readings(self.game, self.log.evening, w.before, table, w.taken, w.deck)
        again = self._retell(raw, found)
        if again is not None:
            return added + again
        if not found:
            w.asked = w.ambiguous_since = None
            self._compare(table)
            return added
        if len(found) > 1 and found[1].cost < found[0].cost + LEAD:
            return added + self._ask(found, table.t_ms)
        return added + self.take(found[0], table.t_ms)

    def _retell(self, raw: TableState, found: list[Reading]) -> tuple[Event, ...] | None:
        """Before a ruling or a doubtful turn, and where log and table have not met for a while: the last turns told otherwise, where that
        is likelier. () where two ways are about as likely, and time may tell; None where things are as they are read. Where the table
        goes on contradicting the log and nothing explains it, it is taken as true, and flagged."""
        if not self.game.retells:
            return None
        w = self.watch
        ruled = bool(found) and found[0].explanation.problem is not None
        stuck = not found and (w.out_of_sync or raw.t_ms - self.log.events[-1].t_ms >= STUCK_MS)
        doubtful = bool(found) and not ruled and found[0].cost >= LEAD
        lost = w.out_of_sync and w.wrong_since is not None and raw.t_ms - w.wrong_since >= RESYNC_MS
        if stuck and lost and w.in_vain > 1 and not raw.hands:
            return retell.resync(self, raw.t_ms) or None
        cause = "ruled" if ruled else "stuck" if stuck else "doubtful" if doubtful else ""
        if w.search is not None and (w.search.cause != cause or w.search.seq != self.seq):
            w.search = None
        if not cause or (stuck and w.search is None and 0 <= raw.t_ms - w.retold_ms < RETELL_MS << w.in_vain):
            return None
        if w.search is None:
            if stuck:
                w.retold_ms = raw.t_ms
            w.search = retell.search(self, raw, cause, found[0].cost if found else math.inf)
        if not w.search.go_on(PIECES):
            return None if stuck else ()     # nothing is ruled, and nothing doubtful logged, before it is known what else it may be
        better, w.search = retell.best(self, w.search), None
        if stuck:
            w.in_vain = min(w.in_vain + 1, 3)
        if doubtful and better and better.told.cost > found[0].cost - (LEAD if better.roots else LEAD / 2 if better.told.none else math.inf):
            return None
        if better and not better.clear and not doubtful:
            w.wavered_ms = raw.t_ms if w.wavered_ms is None else w.wavered_ms
            if raw.t_ms - w.wavered_ms < WAVER_MS:
                return () if ruled else None
        if better and (better.clear or not doubtful):
            return retell.take(self, better, raw.t_ms)
        return None

    def due(self) -> Reading | None:
        """The turn that the camera still waits with, as if the newest table had lain long enough: where it has one clear and legal
        reading. For a person who speaks of that turn already; nothing is logged."""
        w = self.watch
        if w.latest is None or w.before is None or self.paused or w.latest.lost or w.asked:
            return None
        patient = replace(w.latest, t_ms=w.latest.t_ms + CATCH_UP_MS, stable=True, hands=())
        found = readings(self.game, self.log.evening, w.before, patient, w.taken, w.deck)
        if not found or found[0].explanation.problem or (len(found) > 1 and found[1].cost < found[0].cost + LEAD):
            return None
        return replace(found[0], table=replace(found[0].table, t_ms=w.latest.t_ms))

    def take(self, reading: Reading, t_ms: int, human: bool = False) -> tuple[Event, ...]:
        """Log a reading of the table; `human`: a person chose it."""
        explanation = reading.explanation
        batch = [replace(e, source="human") if human and e.source == "camera" else e for e in explanation.events]
        if explanation.problem:
            batch.append(flag_event(explanation.problem, batch[0].player if batch else None, "auto"))
        self.watch.costs[self.seq + 1] = reading.cost
        self.watch.take(reading.table, self.seq + 1, {c for e in explanation.events for c in e.cards})
        return self.append(batch, t_ms) if batch else ()

    def _ask(self, found: list[Reading], t_ms: int) -> tuple[Event, ...]:
        """Wait, then ask. Where the last turns can be told anew a question stands until it is answered; elsewhere the likeliest reading
        is taken with its low margin once play went on or a while has passed, since everything after it would be lost."""
        w, best = self.watch, found[0]
        if w.ambiguous_since is None:
            w.ambiguous_since, w.ambiguous_of = t_ms, len(best.explanation.events)
        if not self.game.retells and (t_ms - w.ambiguous_since >= WAVER_MS or len(best.explanation.events) > w.ambiguous_of):
            events = doubted(best.explanation.events, clearness(found[1].cost - best.cost), found[1].explanation.events)
            return self.take(replace(best, explanation=replace(best.explanation, events=tuple(events))), t_ms)
        if w.asked:
            same = [r.explanation.events for r in w.asked.readings] == [r.explanation.events for r in found]
            w.asked = Asked(w.asked.id if same else f"turn-{self.seq + 1}-{t_ms}", w.asked.since_ms, tuple(found))
        elif t_ms - w.ambiguous_since >= ASK_AFTER_MS:
            w.asked = Asked(f"turn-{self.seq + 1}-{t_ms}", t_ms, tuple(found))
        return ()

    def _compare(self, table: TableState) -> None:
        """Out of sync once the table has contradicted the log for a while; back in step as soon as it no longer does."""
        w = self.watch
        wrong = self.game.expected(self.log.evening.state, table) if table.stable else w.wrong
        if not wrong or wrong == w.excused:
            w.wrong_since, w.wrong, w.out_of_sync = None, (), False
            return
        if w.wrong_since is None:
            w.wrong_since = table.t_ms
        w.wrong = wrong
        w.out_of_sync = w.out_of_sync or table.t_ms - w.wrong_since >= DESYNC_AFTER_MS

    def misread(self, old: str, new: str, t_ms: int, source: str, track: int | None = None) -> tuple[Event, ...]:
        """Amend: what was logged as `old` was `new`, from where `track` came in (the whole deal where that is not known). Where
        `new` is in the deal as well the two were exchanged: a card is in one place. () where `old` was not logged."""
        event = self._amend(old, new, source, track)
        return () if event is None else self.log.correct(event, t_ms)

    def _amend(self, old: str, new: str, source: str, track: int | None) -> Event | None:
        deal = self.log.deal()
        first = mentions(deal, old, self.watch.since.get(track, 0) if track is not None else 0)
        if first is None:
            return None
        other = mentions(deal, new)
        ref = first.seq if other is None else min(first.seq, other.seq)
        args: dict[str, Any] = {"card": old, "to": new, "swap": other is not None}
        if track is not None:
            args["track"] = track
        return make("amend", None, (), source, ref=ref, **args)

    def _breaks(self, old: str, new: str, track: int, table: TableState) -> bool:
        """Whether a name read from a part of a card makes illegal what was legal under the one logged: then it is no surer."""
        strip = any(s.track == track and s.visible < WELL_SEEN for s in table.seen)
        event = self._amend(old, new, "camera", track) if strip else None
        if event is None:
            return False
        live = resolve([*self.events, replace(event, seq=self.log.seq + 1)]).events
        return self._faults(live) > self._faults(self.live)

    def _faults(self, live: Sequence[Event]) -> int:
        """How many events the rules did not allow when they were logged."""
        evening, faults = begin(self.game, live[0]), 0
        for event in live[1:]:
            if event.kind not in BOOKKEEPING:
                faults += self.game.check(evening.state, event) is not None
            evening = step(self.game, evening, event)
        return faults

    def questions(self) -> list[tuple[str, Question]]:
        """The game's own open questions, with their ids."""
        e = self.log.evening
        return [(f"{q.kind}-{q.player or ''}-{e.deal}", q) for q in self.game.questions(e.state)]

    @property
    def asked(self) -> int:
        """Questions that a person answered, or would have to answer now."""
        return self.watch.questions + (1 if self.watch.asked else 0) + len(self.questions())

    @property
    def state(self) -> str:
        """watching, hand, unsure, out-of-sync, paused or over."""
        w = self.watch
        if self.paused:
            return "paused"
        if w.out_of_sync:
            return "out-of-sync"
        if w.asked:
            return "unsure"
        if w.latest and w.latest.hands:
            return "hand"
        return "over" if self.game.result(self.log.evening.state) is not None else "watching"

    def sheet(self) -> ScoreSheet:
        """The present deal's score."""
        return self.game.score(self.log.evening.state)

    def snapshot(self) -> dict[str, Any]:
        """Enough to redraw every page; the form is in docs/design.md. A fresh dict at every call."""
        return snapshot.snapshot(self)

    def history(self) -> list[dict[str, Any]]:
        """The deals of the evening, the present one last: who dealt, who won, everyone's lines and payments."""
        return snapshot.history(self)

    def record(self) -> list[dict[str, Any]]:
        """The live events that the contract knows (no bookkeeping), as dicts in order."""
        return snapshot.record(self)

    def final(self) -> dict[str, Any]:
        """The contract's last line of a replay: {"final": {"players", "winner", "payout", "asked", "flags"}}."""
        return snapshot.final(self)
