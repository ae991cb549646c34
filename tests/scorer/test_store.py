"""The store: what SQLite refuses, resume, import and export, kill -9."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from toy import GAME

from scorer import game as game_module
from scorer import store as store_module
from scorer.errors import InputError
from scorer.events import Event
from scorer.match import Match
from scorer.store import Store, csv_rows, read_jsonl, read_jsonl_file, to_jsonl, write_csv

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _toy_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Logs name their game; here that is the small one of the tests."""
    import toy

    monkeypatch.setattr(game_module, "game_module", lambda alias: toy)


def played() -> Match:
    m = Match(GAME, players=("A", "B"), names={"A": "=SUM(A1)", "B": 'Bo "b", Jr'})
    for player, card in (("A", "n5"), ("B", "n9")):
        m.command({"command": "lay", "player": player, "cards": [card]})
    m.command({"command": "next-deal"})
    m.command({"command": "lay", "player": "B", "cards": ["n1"]})
    m.command({"command": "undo"})
    return m


def test_a_session_is_kept_and_resumed(tmp_path: Path) -> None:
    m = played()
    with Store(tmp_path / "log.db", now_ms=1) as store:
        first = store.create(m, 1000, "evening")
        done = m.command({"command": "redo"})
        store.append(first, done.events, 2000)
        second = store.create(Match(GAME, players=("A", "B")), 3000)
    with Store(tmp_path / "log.db") as store:
        assert store.events(first) == m.events
        assert store.events(first, after=m.seq - 1) == m.events[-1:]
        again = store.resume(first, 4000)
        assert again.evening == m.evening
        found = {s.id: s for s in store.sessions()}
        assert (found[first].title, found[first].events, found[first].last_ms, found[first].created_ms) == ("evening", m.seq, 2000, 1000)
        assert list(found) == [second, first]
        store.rename(second, "late")
        assert store.sessions()[0].title == "late"
    with Store(tmp_path / "log.db", readonly=True) as reader:
        assert reader.events(first) == m.events
        with pytest.raises(InputError):
            reader.append(first, [Event("note", seq=m.seq + 1)], 0)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE event SET json = '{}'",
        "UPDATE event SET seq = seq + 1",
        "UPDATE OR REPLACE event SET json = '{}' WHERE seq = 1",
        "DELETE FROM event",
        "DELETE FROM event WHERE seq = 99 OR seq = 2",
        "INSERT OR REPLACE INTO event VALUES (1, 2, 0, 'go', '{}')",
        "REPLACE INTO event VALUES (1, 1, 0, 'go', '{}')",
        "INSERT INTO event VALUES (1, 99, 0, 'go', '{}')",
        "INSERT INTO event VALUES (1, 0, 0, 'go', '{}')",
        "INSERT INTO event VALUES (1, NULL, 0, 'go', '{}')",
        "INSERT INTO event VALUES (2, 1, 0, 'go', '{}')",
        "INSERT INTO event (rowid, session, seq, wall_ms, kind, json) VALUES (1, 1, 8, 0, 'go', '{}')",
        "DELETE FROM session",
        "UPDATE session SET id = 9",
        "UPDATE session SET game = 'x'",
        "REPLACE INTO session VALUES (1, 0, 'x', 'y', '')",
        "INSERT INTO event SELECT 1, seq, wall_ms, kind, json FROM event ON CONFLICT DO UPDATE SET json = 'x'",
    ],
)
def test_the_database_refuses_to_rewrite(tmp_path: Path, sql: str) -> None:
    with Store(tmp_path / "log.db") as store:
        store.create(played(), 0)
    db = sqlite3.connect(tmp_path / "log.db", isolation_level=None)
    db.execute("PRAGMA foreign_keys = ON")
    before = db.execute("SELECT * FROM event").fetchall(), db.execute("SELECT * FROM session").fetchall()
    with pytest.raises(sqlite3.Error):
        db.execute(sql)
    assert (db.execute("SELECT * FROM event").fetchall(), db.execute("SELECT * FROM session").fetchall()) == before


def test_refusals_are_coded(tmp_path: Path) -> None:
    with Store(tmp_path / "log.db") as store:
        session = store.create(played(), 0)
        for bad in (Event("go", seq=3), Event("go", seq=99)):
            with pytest.raises(InputError) as e:
                store.append(session, [bad], 0)
            assert e.value.code == "store-refused"
        with pytest.raises(InputError) as e:
            store.append(77, [Event("start", seq=1)], 0)
        assert e.value.code == "store-refused"
        for call in (lambda: store.events(77), lambda: store.rename(77, "x"), lambda: store.resume(77, 0)):
            with pytest.raises(InputError) as e:
                call()
            assert e.value.code == "no-such-session"


def test_files_that_are_no_store(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("a shopping list, long enough to be no database at all" * 20)
    for path in (tmp_path / "text.db", tmp_path / "none" / "log.db", tmp_path):
        with pytest.raises(InputError) as e:
            Store(path)
        assert e.value.code == "store-unreadable"
        assert str(path) in str(e.value)
    with pytest.raises(InputError):
        Store(tmp_path / "absent.db", readonly=True)
    assert not (tmp_path / "absent.db").exists()


def test_migrations_run_once_and_a_newer_store_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.db"
    with Store(path, now_ms=5) as store:
        session = store.create(played(), 0)
    monkeypatch.setattr(store_module, "MIGRATIONS", (*store_module.MIGRATIONS, ("0002-mood", "ALTER TABLE session ADD COLUMN mood TEXT")))
    with Store(path, now_ms=6) as store:
        assert store.events(session) == played().events
    with Store(path, now_ms=7):
        pass
    rows = sqlite3.connect(path).execute("SELECT name, applied_ms FROM migration ORDER BY name").fetchall()
    assert rows == [("0001-log", 5), ("0002-mood", 6)]
    monkeypatch.undo()
    with pytest.raises(InputError) as e:
        Store(path)
    assert e.value.code == "store-newer"


def test_a_failed_migration_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store(tmp_path / "log.db").close()
    monkeypatch.setattr(store_module, "MIGRATIONS", (*store_module.MIGRATIONS, ("0002-bad", "CREATE TABLE mood (x); CREATE TABEL y (z)")))
    with pytest.raises(InputError):
        Store(tmp_path / "log.db")
    monkeypatch.undo()
    Store(tmp_path / "log.db").close()
    assert not sqlite3.connect(tmp_path / "log.db").execute("SELECT 1 FROM sqlite_master WHERE name = 'mood'").fetchall()


def test_damaged_content_is_coded(tmp_path: Path) -> None:
    with Store(tmp_path / "log.db") as store:
        m = played()
        session = store.create(m, 0)
        sqlite3.connect(tmp_path / "log.db", isolation_level=None).execute(
            "INSERT INTO event VALUES (?, ?, 0, 'go', '{broken')", (session, m.seq + 1)
        )
        with pytest.raises(InputError) as e:
            store.events(session)
        assert e.value.code == "store-damaged"


def test_jsonl_round_trip_and_going_on(tmp_path: Path) -> None:
    m = played()
    file = tmp_path / "game.jsonl"
    file.write_text("\n".join(to_jsonl(m.events)) + "\n\n", encoding="utf-8")
    events = read_jsonl_file(file)
    assert events == m.events
    with Store(tmp_path / "log.db") as store:
        session = store.add(events, 9, "imported")
        again = store.resume(session, 10)
        assert again.evening == m.evening
        done = again.command({"command": "lay", "player": "B", "cards": ["n3"]})
        store.append(session, done.events, 11)
        assert store.events(session)[-1].cards == ("n3",)


GOOD = list(to_jsonl(played().events))


@pytest.mark.parametrize(
    ("line", "text", "code"),
    [
        (3, "{", "bad-json"),
        (3, "[1]", "bad-event"),
        (3, "{}", "bad-event"),
        (3, '{"event":"lay","seq":9}', "bad-log"),
        (3, GOOD[1], "bad-log"),
        (3, '{"event":"undo","seq":3,"ref":7}', "bad-log"),
        (3, '{"event":"lay","seq":3,"cause":3}', "bad-log"),
        (1, GOOD[1], "bad-log"),
        (3, '{"event":"start","seq":3}', "bad-log"),
        (3, "x" * 100_001, "too-long"),
        (3, "[" * 50_000, "bad-json"),
        (1, '{"event":"start","seq":1,"game":"highcard","players":["A"]}', "players"),
        (1, '{"event":"start","seq":1,"players":[]}', "bad-start"),
        (1, '{"event":"start","seq":1,"players":["A","B"],"rules":{"stake":"all"}}', "wrong-type"),
    ],
)
def test_malformed_logs_name_file_and_line_and_write_nothing(tmp_path: Path, line: int, text: str, code: str) -> None:
    lines = [*GOOD[: line - 1], text, *GOOD[line:]]
    file = tmp_path / "game.jsonl"
    file.write_text("\n".join(lines))
    with pytest.raises(InputError) as e:
        read_jsonl_file(file)
    assert e.value.code == code
    assert str(file) in str(e.value)
    assert str(line) in e.value.where.replace(str(file), "")
    assert "\n" not in str(e.value)


def test_empty_missing_and_binary_logs(tmp_path: Path) -> None:
    (tmp_path / "bin").write_bytes(b"\xff\xfe\x00\x01")
    (tmp_path / "empty").write_text("\n\n")
    for name, code in (("bin", "unreadable-file"), ("empty", "bad-log"), ("none", "no-such-file")):
        with pytest.raises(InputError) as e:
            read_jsonl_file(tmp_path / name)
        assert e.value.code == code


def test_half_characters_are_kept(tmp_path: Path) -> None:
    """JSON may hold half a surrogate pair, which no file of text can: it is stored escaped and comes back."""
    m = played()
    done = m.command({"command": "note", "text": "\ud83c"})
    with Store(tmp_path / "log.db") as store:
        session = store.create(m, 0, "\ud83c title")
        assert store.events(session)[-1] == done.events[-1]
        assert store.sessions()[0].title == "? title"
        assert read_jsonl(to_jsonl(m.events), "x") == m.events


def test_import_of_a_cut_off_log_is_completed(tmp_path: Path) -> None:
    m = Match(GAME, players=("A", "B"))
    for player, card in (("A", "n5"), ("B", "n9")):
        m.command({"command": "lay", "player": player, "cards": [card]})
    with Store(tmp_path / "log.db") as store:
        session = store.add(read_jsonl(list(to_jsonl(m.events))[:-1], "cut.jsonl"), 0)
        assert store.events(session) == m.events


def test_csv_has_a_row_for_everyone_and_no_formulas() -> None:
    m = played()
    rows = list(csv.DictReader(io.StringIO(write_csv(m))))
    assert [(r["deal"], r["player"], r["net"], r["running"]) for r in rows] == [
        ("1", "A", "-1", "-1"),
        ("1", "B", "1", "1"),
        ("2", "A", "0", "-1"),
        ("2", "B", "0", "1"),
    ]
    assert rows[0]["name"] == "'=SUM(A1)"
    assert rows[1]["name"] == 'Bo "b", Jr'
    assert rows[1]["terms"] == "laid:9"
    assert len(list(csv_rows(m))) == 5


CHILD = """
import sys
sys.path[:0] = [{root!r}, {here!r}]
import toy
from scorer.match import Match
from scorer.store import Store
store = Store(sys.argv[1])
m = Match(toy.GAME, players=("A", "B"))
session = store.create(m, 0)
n = 0
while True:
    n += 1
    done = m.command({{"command": "lay", "player": m.evening.state.now, "cards": [f"n{{n % 97 + 1}}"]}})
    if not done.ok:
        done = m.command({{"command": "next-deal"}})
    store.append(session, done.events, n)
    print(m.seq, flush=True)
"""


def test_kill_9_loses_no_committed_event(tmp_path: Path) -> None:
    """A player that says every number it has written is killed; everything said is there, and play goes on."""
    for n in range(5):
        path = tmp_path / f"{n}.db"
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD.format(root=str(ROOT), here=str(Path(__file__).parent)), str(path)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdout is not None
        said = [int(child.stdout.readline()) for _ in range(3 + 7 * n)]
        time.sleep(0.003 * n)
        os.kill(child.pid, signal.SIGKILL)
        said += [int(x) for x in child.stdout.read().split("\n")[:-1]]
        child.wait()
        child.stdout.close()
        with Store(path) as store:
            stored = store.events(1)
            assert len(stored) >= said[-1]
            m = store.resume(1, 0)
            assert m.log.refold() == m.evening
            assert [json.loads(e.to_json())["seq"] for e in store.events(1)] == list(range(1, m.seq + 1))
            if m.game.result(m.evening.state):
                store.append(1, m.command({"command": "next-deal"}).events, 0)
            done = m.command({"command": "lay", "player": m.evening.state.now, "cards": ["n2"]})
            store.append(1, done.events, 0)
            assert done.ok
