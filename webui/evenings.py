"""`kibitz rules`, `kibitz export` and `kibitz import`: what is kept in words and in files."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from scorer.errors import KibitzError
from scorer.match import Match
from scorer.store import Store, read_jsonl, read_jsonl_file, to_jsonl, write_csv
from scorer.words import as_text, listing
from webui.archive import games_file


def rules_main(args: argparse.Namespace) -> int:
    """Prints a ruleset in words, or what games and rulesets there are."""
    sys.stdout.write(as_text(args.game, args.ruleset or "classic", args.lang) if args.game else listing(args.lang))
    return 0


def export_main(args: argparse.Namespace) -> int:
    """Writes a session's log, or its totals as CSV."""
    match = _match(args.session, games_file(args.data))
    text = write_csv(match) if args.csv else "".join(f"{line}\n" for line in to_jsonl(match.events))
    if args.out is None:
        sys.stdout.write(text)
    else:
        Path(args.out).write_text(text, encoding="utf-8", newline="")
    return 0


def import_main(args: argparse.Namespace) -> int:
    """Takes a log in as a session of its own and prints its number."""
    if args.file == "-":
        events, title = read_jsonl(sys.stdin, "standard input"), ""
    else:
        events, title = read_jsonl_file(args.file), Path(args.file).stem
    now_ms = int(time.time() * 1000)
    with Store(games_file(args.data), now_ms=now_ms) as store:
        session = store.add(events, now_ms, title)
    print(f"session {session}: {len(events)} events; `kibitz run` shows it under past evenings, `kibitz export {session}` writes it out")
    return 0


def _match(named: str, database: Path) -> Match:
    """The session by its number, `last`, or a file of its own (.jsonl, or another database's newest)."""
    file = Path(named).expanduser()
    if file.suffix == ".jsonl":
        return Match.resume(read_jsonl_file(file))
    if file.suffix in (".sqlite", ".db"):
        database, named = file, "last"
    if named != "last" and not named.isdecimal():
        raise KibitzError("no-such-session", f"{named!r} is no session: give a number, `last`, or a .jsonl or .sqlite file", session=named)
    if not database.is_file():
        raise KibitzError("no-such-session", f"no game is kept in {database} yet: play one with `kibitz run`, or name a folder with --data")
    with Store(database, readonly=True) as store:
        if named == "last":
            kept = store.sessions()
            if not kept:
                raise KibitzError("no-such-session", f"no game is kept in {database} yet: play one with `kibitz run`")
            return Match.resume(store.events(kept[0].id))
        return Match.resume(store.events(int(named)))
