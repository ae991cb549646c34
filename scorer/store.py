"""The log on disk: append-only SQLite with a write-ahead log, one transaction an event.

The database itself refuses UPDATE, DELETE and REPLACE of events and any number but the next, so no bug of ours can
rewrite what happened. (REPLACE fires no delete trigger; the rule "next number only" and a table without rowid catch it.)
Clock values come in as arguments. One Store belongs to one thread; readers open their own with `readonly`.
"""
from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .errors import InputError
from .events import Event
from .match import Match

MAX_EVENTS = 200_000           # of one imported file
MAX_LINE = 100_000             # characters

# name, SQL: applied once each, in order, each in its own transaction
MIGRATIONS: tuple[tuple[str, str], ...] = (
    ("0001-log", """
        CREATE TABLE session (
            id INTEGER PRIMARY KEY,
            created_ms INTEGER NOT NULL,
            game TEXT NOT NULL,
            ruleset TEXT NOT NULL,
            title TEXT NOT NULL DEFAULT ''
        );
        CREATE TABLE event (
            session INTEGER NOT NULL REFERENCES session (id),
            seq INTEGER NOT NULL CHECK (seq > 0),
            wall_ms INTEGER NOT NULL,
            kind TEXT NOT NULL,
            json TEXT NOT NULL,
            PRIMARY KEY (session, seq)
        ) WITHOUT ROWID;
        CREATE TRIGGER event_no_update BEFORE UPDATE ON event
            BEGIN SELECT RAISE (ABORT, 'the log is append-only: no UPDATE'); END;
        CREATE TRIGGER event_no_delete BEFORE DELETE ON event
            BEGIN SELECT RAISE (ABORT, 'the log is append-only: no DELETE'); END;
        CREATE TRIGGER event_next_only BEFORE INSERT ON event
            WHEN NEW.seq IS NOT (SELECT COALESCE (MAX (seq), 0) + 1 FROM event WHERE session = NEW.session)
            BEGIN SELECT RAISE (ABORT, 'the log is append-only: the next seq only'); END;
        CREATE TRIGGER session_no_delete BEFORE DELETE ON session
            BEGIN SELECT RAISE (ABORT, 'sessions are kept'); END;
        CREATE TRIGGER session_fixed BEFORE UPDATE OF id, created_ms, game ON session
            BEGIN SELECT RAISE (ABORT, 'a session keeps its number, time and game'); END;
        CREATE TRIGGER session_new_only BEFORE INSERT ON session
            WHEN EXISTS (SELECT 1 FROM session WHERE id = NEW.id)
            BEGIN SELECT RAISE (ABORT, 'a session is not replaced'); END;
    """),
)


@dataclass(frozen=True, slots=True)
class Session:
    """One evening in the store; `last_ms` is when its newest event was written, `events` how many it has."""

    id: int
    created_ms: int
    game: str
    ruleset: str
    title: str
    events: int
    last_ms: int


class Store:
    """A file of sessions. Opening makes the file and brings an older one up to date.

    Raises InputError: `store-unreadable` (no database, no permission), `store-newer` (written by a later Kibitz).
    """

    def __init__(self, path: str | Path, *, now_ms: int = 0, readonly: bool = False) -> None:
        self.path = str(path)
        try:
            if readonly:
                self._db = sqlite3.connect(Path(path).absolute().as_uri() + "?mode=ro", uri=True, isolation_level=None, timeout=5)
            else:
                self._db = sqlite3.connect(self.path, isolation_level=None, timeout=5)
            self._db.execute("PRAGMA foreign_keys = ON")
            if not readonly:
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.execute("PRAGMA synchronous = FULL")
                self._migrate(now_ms)
            else:
                self._applied()
        except sqlite3.Error as e:
            raise InputError("store-unreadable", f"cannot be opened as a log store ({e})", self.path,
                             "name another file, or move this one away and start afresh") from None

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _applied(self) -> set[str]:
        names = {row[0] for row in self._db.execute("SELECT name FROM migration")}
        newer = names - {name for name, _ in MIGRATIONS}
        if newer:
            raise InputError("store-newer", f"was written by a later Kibitz ({min(newer)})", self.path,
                             "update Kibitz or name another file")
        return names

    def _migrate(self, now_ms: int) -> None:
        self._db.execute("CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY, applied_ms INTEGER NOT NULL)")
        done = self._applied()
        for name, sql in MIGRATIONS:
            if name not in done:
                # one script, so that a crash leaves all of a migration or nothing; the name is a literal of this file
                self._db.executescript(f"BEGIN IMMEDIATE; {sql}; INSERT INTO migration VALUES ('{name}', {int(now_ms)}); COMMIT;")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    # -- sessions ----------------------------------------------------------------------------------------------------

    def create(self, match: Match, now_ms: int, title: str = "") -> int:
        """A new session holding the match's whole log so far, in one transaction; its number."""
        events = match.events
        with self._transaction():
            cursor = self._db.execute("INSERT INTO session (created_ms, game, ruleset, title) VALUES (?, ?, ?, ?)",
                                      (now_ms, match.game.name, _whole_text(match.evening.rules.name), _whole_text(title)))
            session = int(cursor.lastrowid or 0)
            self._insert(session, events, now_ms)
        return session

    def append(self, session: int, events: Iterable[Event], now_ms: int) -> None:
        """Write events, each in its own transaction: once this returns they are on disk. Raises InputError `store-refused`
        where the log refuses one (unknown session, a number that is not the next)."""
        for event in events:
            try:
                with self._transaction():
                    self._insert(session, (event,), now_ms)
            except sqlite3.IntegrityError as e:
                raise InputError("store-refused", f"event {event.seq} of session {session} was refused ({e})", self.path,
                                 "only one Kibitz may write a session: close the other one") from None
            except sqlite3.Error as e:
                raise InputError("store-unwritable", f"event {event.seq} could not be written ({e})", self.path,
                                 "free some disk space or close what holds the file") from None

    def _insert(self, session: int, events: Sequence[Event], now_ms: int) -> None:
        self._db.executemany("INSERT INTO event (session, seq, wall_ms, kind, json) VALUES (?, ?, ?, ?, ?)",
                             [(session, e.seq, now_ms, e.kind, e.to_json()) for e in events])

    def rename(self, session: int, title: str) -> None:
        """Give a session a title. Raises InputError `no-such-session`."""
        if self._db.execute("UPDATE session SET title = ? WHERE id = ?", (_whole_text(title), session)).rowcount == 0:
            raise self._unknown(session)

    def sessions(self) -> tuple[Session, ...]:
        """Every session, the newest first."""
        rows = self._db.execute("""
            SELECT s.id, s.created_ms, s.game, s.ruleset, s.title, COUNT (e.seq), COALESCE (MAX (e.wall_ms), s.created_ms)
            FROM session s LEFT JOIN event e ON e.session = s.id GROUP BY s.id ORDER BY s.id DESC""")
        return tuple(Session(*row) for row in rows)

    def events(self, session: int, after: int = 0) -> tuple[Event, ...]:
        """The stored events numbered above `after`. Raises InputError `no-such-session`."""
        rows = self._db.execute("SELECT seq, json FROM event WHERE session = ? AND seq > ? ORDER BY seq", (session, after)).fetchall()
        if not rows and not self._db.execute("SELECT 1 FROM session WHERE id = ?", (session,)).fetchone():
            raise self._unknown(session)
        try:
            return tuple(Event.from_dict(json.loads(text), f"{self.path}, session {session}, event {seq}") for seq, text in rows)
        except ValueError:
            raise InputError("store-damaged", f"session {session} holds what is no event", self.path,
                             "restore the file from a copy") from None

    def resume(self, session: int, now_ms: int) -> Match:
        """The match that a session folds to; what a cut-off turn still lacked is worked out and written."""
        stored = self.events(session)
        match = Match.resume(stored)
        self.append(session, match.events[len(stored):], now_ms)
        return match

    def _unknown(self, session: int) -> InputError:
        known = [s.id for s in self.sessions()][:12]
        return InputError("no-such-session", f"there is no session {session}", self.path,
                          "known: " + ", ".join(map(str, known)) if known else "none is stored yet")

    # -- in and out --------------------------------------------------------------------------------------------------

    def add(self, events: Sequence[Event], now_ms: int, title: str = "") -> int:
        """A new session from a whole imported log (see `read_jsonl`), all of it in one transaction; its number."""
        return self.create(Match.resume(events), now_ms, title)


def _whole_text(text: str) -> str:
    """Text that a file can hold: half characters become question marks."""
    return text.encode(errors="replace").decode()


def to_jsonl(events: Iterable[Event]) -> Iterator[str]:
    """The log as lines of JSON (without the line ends)."""
    for event in events:
        yield event.to_json()


def read_jsonl(lines: Iterable[str], where: str) -> tuple[Event, ...]:
    """A whole log from lines of JSON, checked: numbers without gaps, references backwards, a start that can be folded.

    Raises InputError naming `where` and the line.
    """
    events: list[Event] = []
    start = 1                                  # line of the start event, which is what can still be wrong once all have a form
    for number, line in enumerate(lines, 1):
        at = f"{where}, line {number}"
        if not line.strip():
            continue
        if len(line) > MAX_LINE or len(events) >= MAX_EVENTS:
            raise InputError("too-long", "is longer than any log", at, "give a file that `kibitz export` wrote")
        try:
            data = json.loads(line)
        except (ValueError, RecursionError) as e:
            raise InputError("bad-json", f"is no JSON ({str(e)[:80]})", at, "mend or leave out that line") from None
        event = Event.from_dict(data, at)
        if event.seq != len(events) + 1:
            raise InputError("bad-log", f"has the number {event.seq} where {len(events) + 1} is due", at, "give the whole log in order")
        for key, ref in (("ref", event.ref), ("cause", event.cause)):
            if ref is not None and ref >= event.seq:
                raise InputError("bad-log", f"key {key!r} is {ref}, which is no earlier event", at, "mend that number")
        if (event.kind == "start") != (not events):
            raise InputError("bad-log", "a log begins with its only start event", at, "give the whole log of one session")
        if not events:
            start = number
        events.append(event)
    if not events:
        raise InputError("bad-log", "holds no event", where, "give a file that `kibitz export --jsonl` wrote")
    try:
        Match.resume(events)
    except InputError as e:
        raise InputError(e.code, e.what, f"{where}, line {start}", e.mend) from None
    return tuple(events)


def read_jsonl_file(path: str | Path) -> tuple[Event, ...]:
    """`read_jsonl` of a file. Raises InputError `no-such-file`, `unreadable-file` and what `read_jsonl` raises."""
    try:
        with Path(path).open(encoding="utf-8") as file:
            return read_jsonl(file, str(path))
    except FileNotFoundError:
        raise InputError("no-such-file", "there is no such file", str(path), "name a file that `kibitz export --jsonl` wrote") from None
    except (OSError, UnicodeDecodeError) as e:
        raise InputError("unreadable-file", f"cannot be read ({e.__class__.__name__})", str(path),
                         "check the file and its permissions") from None


CSV_COLUMNS = ("deal", "dealer", "winner", "player", "name", "points", "net", "running", "terms")


def csv_rows(match: Match) -> Iterator[tuple[str, ...]]:
    """The evening as rows of text, the header first: one row for every deal and player, zeros for who sat out."""
    yield CSV_COLUMNS
    running = dict.fromkeys(match.evening.seats, 0)
    for deal in match.history():
        for player in match.evening.seats:
            score = deal["scores"].get(player, {"total": 0, "terms": []})
            net = deal["net"].get(player, 0)
            running[player] += net
            yield (str(deal["deal"]), deal["dealer"], deal["winner"] or "", player, _plain_cell(str(match.evening.names.get(player, ""))),
                   str(score["total"]), str(net), str(running[player]), " ".join(f"{t['label']}:{t['amount']}" for t in score["terms"]))


def _plain_cell(text: str) -> str:
    """A name that a spreadsheet would take for a formula, made text."""
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def write_csv(match: Match) -> str:
    """`csv_rows` as a CSV file's text (RFC 4180, lines ended by CR LF)."""
    def cell(text: str) -> str:
        return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\r\n') else text
    return "".join(",".join(map(cell, row)) + "\r\n" for row in csv_rows(match))
