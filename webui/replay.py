"""`kibitz replay`: the live pipeline over a recorded clip, as fast as it can, losing no frame; then the game's record.

Nobody is asked anything: what a person would have had to answer is only counted. Other people's commands are given at their times.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from scorer.errors import InputError, KibitzError
from scorer.events import Event
from scorer.game import find_game
from scorer.match import Match
from scorer.table import TableState, zone_from
from vision.frame import Frame
from vision.source import open_source

from .settings import Settings
from .sight import Sights

Seen = Callable[[Frame, TableState, tuple[Event, ...]], None]
_TABLE_KEYS = (
    "game", "ruleset", "players", "dealer", "deck", "deck_name", "size_mm", "corners_px", "seats", "zones", "jokers", "bonus",
    "nagari_streak", "target", "tokens", "options",
)  # fmt: skip
_DEAL_KEYS = ("jokers", "bonus", "nagari_streak", "target", "tokens")


def read_table(path: Path | None) -> dict[str, Any]:
    """A table.json, its keys checked. Raises InputError naming file and key; {} for None."""
    if path is None:
        return {}
    where = str(path)
    data = _json(path)
    if not isinstance(data, dict):
        raise InputError("bad-table", "is no JSON object", where, "see table.json in the documentation")
    for key in data:
        if key not in _TABLE_KEYS:
            raise InputError("unknown-key", f"unknown key {key!r}", where, f"use {', '.join(_TABLE_KEYS)}")
    players = data.get("players", ["A", "B"])
    if not isinstance(players, list) or not players or any(not isinstance(p, str) for p in players) or len(set(players)) != len(players):
        raise _bad("players", players, where, 'give a list of ids such as ["A", "B"]')
    if data.get("dealer") is not None and data["dealer"] not in players:
        raise _bad("dealer", data["dealer"], where, f"name one of {', '.join(players)}")
    for key, least in (("size_mm", 2), ("corners_px", 4)):
        value = data.get(key)
        if value is not None and not (isinstance(value, list) and len(value) == least and all(_number(v, key) for v in value)):
            raise _bad(key, value, where, "give [width, height]" if least == 2 else "give four corners, each [x, y]")
    for seat in data.get("seats") or ():
        if not isinstance(seat, dict) or seat.get("player") not in players or seat.get("edge") not in ("N", "E", "S", "W"):
            raise _bad("seats", seat, where, 'give {"player", "edge"} with an edge N, E, S or W')
    for zone in data.get("zones") or ():
        zone_from(zone, where)
    return data


def _number(value: Any, key: str) -> bool:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return plain if key == "size_mm" else isinstance(value, list) and len(value) == 2 and all(_number(v, "size_mm") for v in value)


def _bad(key: str, value: Any, where: str, mend: str) -> InputError:
    return InputError("bad-table", f"key {key!r} is {json.dumps(value)[:80]}", where, mend)


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("no-such-file", "there is no such file", str(path), "check the path") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("unreadable-file", f"cannot be read ({error.__class__.__name__})", str(path), "check the file") from None
    except ValueError as error:
        raise InputError("bad-json", f"is no JSON: {error}", str(path), "mend it there") from None


def read_commands(path: Path | None) -> list[dict[str, Any]]:
    """A commands.jsonl by time. Raises InputError naming file and line; [] for None."""
    if path is None:
        return []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise InputError("no-such-file", "there is no such file", str(path), "check the path") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("unreadable-file", f"cannot be read ({error.__class__.__name__})", str(path), "check the file") from None
    out = []
    for n, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            command = json.loads(line)
            if not isinstance(command, dict) or not isinstance(command.get("command"), str) or not _number(command.get("t_ms"), "size_mm"):
                raise ValueError("a command needs t_ms and command")
        except ValueError as error:
            raise InputError("bad-command", f"line {n}: {error}", str(path), "mend or leave out that line") from None
        out.append(command)
    return sorted(out, key=lambda c: float(c["t_ms"]))


def settings_of(table: Mapping[str, Any], ruleset: str | None = None) -> Settings:
    """What table.json sets up. Raises InputError for an unknown game, ruleset or option."""
    game = find_game(str(table.get("game", "gostop")))
    players = tuple(table.get("players") or ("A", "B"))
    named = {key.name for key in game.schema}
    overrides = {}
    for option in table.get("options") or ():
        key = str(option).replace("-", "_")
        if key not in named:
            raise InputError("unknown-key", f"there is no option {option!r} in {game.name}", "table.json", "see `kibitz rules`")
        overrides[key] = True
    return Settings(
        game=game.name, ruleset=ruleset or str(table.get("ruleset") or "classic"), players=players, names=tuple("" for _ in players),
        dealer=table.get("dealer") or players[0], options={k: table[k] for k in _DEAL_KEYS if table.get(k) is not None},
        overrides=overrides or None, deck_name=table.get("deck_name"),
        table={k: table[k] for k in ("size_mm", "corners_px", "seats", "zones") if table.get(k)},
    )  # fmt: skip


def replay(clip: str, settings: Settings, commands: Iterable[Mapping[str, Any]] = (), seen: Seen | None = None) -> Match:
    """Run a clip to its end. `seen` is told of every frame with the table state and the events that it added."""
    source = open_source(clip)
    try:
        look = Sights()(settings, source)
        match = Match(
            settings.game, settings.ruleset, settings.players, settings.dealer, dict(settings.options or {}), overrides=settings.overrides
        )
        waiting = list(commands)
        for sight in look(source):
            if sight is None:
                continue
            while waiting and float(waiting[0]["t_ms"]) <= sight.frame.t_ms:
                match.command(waiting.pop(0))
            if sight.table is not None:
                added = match.observe(sight.table)
                if seen is not None:
                    seen(sight.frame, sight.table, added)
        for command in waiting:
            match.command(command)
        return match
    finally:
        source.close()


def beside(clip: str, name: str, given: str | None) -> Path | None:
    """The file that was named, else that of the case: beside the clip, or in the folder named like it (demo.mp4, demo/table.json)."""
    if given:
        return Path(given)
    if clip == "demo":
        from vision.source import demo_clip

        path = demo_clip()
    else:
        path = Path(clip)
        try:
            if not path.is_file():  # a camera, an address, a folder of pictures: no case lies beside it
                return None
        except OSError:  # a name longer than any file's
            return None
    for folder in (path.with_suffix(""), path.parent):
        if folder != path and (folder / name).is_file():
            return folder / name
    return None


def main(args: argparse.Namespace) -> int:
    """The command `kibitz replay`. Raises KibitzError for what a person can mend."""
    table = read_table(beside(args.clip, "table.json", args.table))
    commands = read_commands(beside(args.clip, "commands.jsonl", args.commands))
    match = replay(args.clip, settings_of(table, args.ruleset), commands)
    final = match.final()
    if args.json:
        for event in match.record():
            print(json.dumps(event, ensure_ascii=False))
        print(json.dumps(final, ensure_ascii=False))
        return 0
    for event in match.record():
        seconds = event["t_ms"] / 1000
        print(f"{int(seconds // 60):02d}:{seconds % 60:04.1f}  {event['player'] or '-':2s} {event['event']:14s} {' '.join(event['cards'])}")
    end = final["final"]
    for player, score in end["players"].items():
        print(f"{player}: {score['total']} points, {len(score['captured'])} cards")
    print(f"winner {end['winner'] or 'nobody'}, payout {json.dumps(end['payout'])}, {end['asked']} asked, {end['flags']} flags")
    return 0


__all__ = ["KibitzError", "main", "read_commands", "read_table", "replay", "settings_of"]

if __name__ == "__main__":
    sys.exit("use `kibitz replay`")
