"""The one writer: it alone touches the match and the database. Persist first, then publish."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scorer.errors import KibitzError
from scorer.events import Event
from scorer.match import Match
from scorer.store import Session, Store

from .desk import Desk, Order, Sighting
from .house import Reply
from .hub import Hub

REMEMBERED = 4096
TICK_S = 0.5
GAP_MS = 1000  # between the last event of a resumed game and the first frame seen after it

OWN_FAULT = "own-fault"
LOG = logging.getLogger("kibitz")

Extras = Callable[[], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Published:
    """What readers see: never changed once it is here."""

    snapshot: Mapping[str, Any]
    session: int


class Keeper:
    """Runs in its own thread (`start`, `stop`).

    `extras` gives the web's own keys beside the match's snapshot (camera, session); `more` handles commands that concern the
    house and not the game (a new game, another camera), called in the writer's thread.
    """

    def __init__(
        self,
        store: Path,
        hub: Hub,
        desk: Desk,
        *,
        extras: Extras,
        on_events: Callable[[int, Sequence[Event]], None] = lambda session, events: None,
        wall_ms: Callable[[], int] = lambda: int(time.time() * 1000),
    ) -> None:
        self._path, self._hub, self._desk = store, hub, desk
        self._extras, self._on_events, self._wall_ms = extras, on_events, wall_ms
        self._answers: OrderedDict[str, Reply] = OrderedDict()
        self._mark: object = None
        self._fault: str | None = None
        self._offset_ms = 0
        self._match: Match | None = None
        self._session = 0
        self._store: Store | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="keeper", daemon=True)
        self._first: Callable[[Keeper], None] = lambda keeper: None
        self._failed: BaseException | None = None
        self.published = Published({}, 0)
        self.delay_ms = 0.0

    # -- from other threads ------------------------------------------------------------------------------------------

    def start(self, first: Callable[[Keeper], None]) -> None:
        """Start the writer; `first` opens the first match, in the writer's thread. Raises what that raises."""
        self._first = first
        self._thread.start()
        self._ready.wait()
        if self._failed is not None:
            raise self._failed

    def stop(self, timeout_s: float = 5.0) -> None:
        """Finish what waits on the desk, close the database."""
        self._desk.close()
        self._thread.join(timeout_s)

    # -- in the writer's thread --------------------------------------------------------------------------------------

    @property
    def match(self) -> Match:
        assert self._match is not None
        return self._match

    @property
    def session(self) -> int:
        return self._session

    def open_new(self, match: Match, title: str = "") -> None:
        """Begin a session with a match of its own."""
        assert self._store is not None
        self._session = self._store.create(match, self._wall_ms(), title)
        self._adopt(match)

    def open_stored(self, session: int) -> None:
        """Go on with a stored session. Raises KibitzError where there is none, or it is damaged."""
        assert self._store is not None
        match = self._store.resume(session, self._wall_ms())
        self._session = session
        self._adopt(match)

    def sessions(self) -> Sequence[Session]:
        """Stored sessions, the newest first."""
        assert self._store is not None
        return self._store.sessions()

    def now_ms(self) -> int:
        """The wall clock, as the database stores it."""
        return self._wall_ms()

    def add(self, events: Sequence[Event], title: str) -> int:
        """Store an imported log as a session of its own."""
        assert self._store is not None
        return self._store.add(events, self._wall_ms(), title)

    def _adopt(self, match: Match) -> None:
        self._match = match
        self._offset_ms = match.events[-1].t_ms + GAP_MS if len(match.events) > 1 else 0

    def new_clock(self) -> None:
        """The source starts again from zero: go on from where the match's clock stands."""
        if self._match is not None:
            self._offset_ms = self._match.t_ms + GAP_MS

    def _run(self) -> None:
        try:
            self._store = Store(self._path, now_ms=self._wall_ms())
            self._first(self)
            self._publish()
        except BaseException as error:  # handed to whoever started us
            self._failed = error
            if self._store is not None:
                self._store.close()
            return
        finally:
            self._ready.set()
        house_commands = self.house_commands
        try:
            while not self._desk.closed:
                job = self._desk.take(TICK_S)
                if isinstance(job, Order):
                    job.answer(self._obey(job.command, house_commands))
                elif isinstance(job, Sighting):
                    self.look(job)
                self._publish()
        finally:
            self._store.close()

    house_commands: Mapping[str, Callable[[Keeper, Mapping[str, Any]], Reply]] = {}

    def _obey(self, command: Mapping[str, Any], house: Mapping[str, Callable[[Keeper, Mapping[str, Any]], Reply]]) -> Reply:
        ident = str(command.get("id", ""))
        if ident and ident in self._answers:
            return self._answers[ident]
        try:
            own = house.get(str(command.get("command")))
            reply = own(self, command) if own else self.tell(command)
        except KibitzError as error:
            reply = Reply.refused(error.code, message=error.message)
        except Exception:
            self._recover()
            return Reply(500, {"ok": False, "problem": {"code": OWN_FAULT, "args": {}, "cards": []}})
        if ident and reply.status != 503:
            self._answers[ident] = reply
            while len(self._answers) > REMEMBERED:
                self._answers.popitem(last=False)
        return reply

    def tell(self, command: Mapping[str, Any]) -> Reply:
        """Give the match a command, and store what it adds."""
        outcome = self.match.command({k: v for k, v in command.items() if k != "t_ms"})
        if outcome.problem is not None:
            problem = outcome.problem.to_dict()
            return Reply(409, {"ok": False, "problem": {"code": problem["problem"], "args": problem["args"], "cards": problem["cards"]}})
        if not self._persist(outcome.events):
            return Reply(503, {"ok": False, "problem": {"code": "store-unwritable", "args": {}, "cards": []}})
        return Reply.done(seq=self.match.seq, events=[e.to_dict() for e in outcome.events])

    def look(self, sighting: Sighting) -> None:
        """Show the match a table, and store what it makes of it."""
        table = sighting.table
        if self._offset_ms:
            table = replace(
                table, t_ms=table.t_ms + self._offset_ms, changes=tuple(replace(c, t_ms=c.t_ms + self._offset_ms) for c in table.changes)
            )
        try:
            events = self.match.observe(table)
        except Exception:
            self._recover()
            return
        if events and self._persist(events):
            self.delay_ms = (time.monotonic() - sighting.seen_s) * 1000

    def _persist(self, events: Sequence[Event]) -> bool:
        """On disk first. Where the disk refuses, the match goes back to what is stored, so that nobody sees what could be lost."""
        assert self._store is not None
        if not events:
            return True
        try:
            self._store.append(self._session, events, self._wall_ms())
        except KibitzError as error:
            self._fault = error.code
            paused = self.match.paused
            self._match = Match.resume(self._store.events(self._session))
            self._match.paused = paused
            return False
        self._fault = None
        self._on_events(self._session, events)
        self._hub.log("log", {"session": self._session, "events": [e.to_dict() for e in events]})
        return True

    def _recover(self) -> None:
        """A fault of our own: said on standard error, and the match is what is stored again. The camera is paused, so that the
        same table does not bring the same fault thirty times a second; people can go on by hand."""
        assert self._store is not None
        LOG.exception("a fault of Kibitz itself; the game goes back to what is stored")
        self._match = Match.resume(self._store.events(self._session))
        self._match.paused = True
        self._fault = OWN_FAULT

    def _publish(self) -> None:
        """A new snapshot when anything but the time has changed. What can change it is compared first: it is asked 30 times a second."""
        match, watch, extras = self.match, self.match.watch, self._extras()
        mark = (
            self._session, match.seq, match.state, watch.asked.id if watch.asked else None, watch.wrong if watch.out_of_sync else (),
            self._fault, extras,
        )  # fmt: skip
        if mark == self._mark:
            return
        self._mark = mark
        full = {**match.snapshot(), **extras, "session": self._session, "fault": self._fault}
        self.published = Published(full, self._session)
        self._hub.state("snapshot", full)
