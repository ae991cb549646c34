"""House rules are data: a TOML preset, a user's own file, overrides → one frozen Rules object.

A preset is ``scorer/rules/<game>.<ruleset>.toml``; a user's file has the same form and may build on a preset:

    game = "gostop"
    name = "our-house"
    extends = "korean-3p"
    [rules]
    pibak_max = 6

Every key is declared once by its game (`Key`: type, bounds, default, the row of the house-rule table it implements).
An unknown key, a wrong type or a value out of range is an InputError naming file and key.
"""
from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import InputError, did_you_mean
from .frozen import FrozenDict, freeze, thaw

RULES_DIR = Path(__file__).parent / "rules"
_TOP_KEYS = ("game", "name", "extends", "players", "title", "note", "rules")
_MAX_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Key:
    """One rule of a game.

    name     snake_case, as in the preset files
    type     "bool", "int", "choice" (one of `choices`), "ints" (a list of whole numbers), "worths" ({bonus card: junk})
    default  value where neither preset nor user says anything
    low, high  bounds of an int, of every number of "ints" and "worths"
    choices  for "choice"
    h        row of the house-rule table ("H8"), or the sheet's ambiguity ("A-52")
    most     greatest length of "ints" and "worths"
    """

    name: str
    type: str
    default: Any
    low: int = 0
    high: int = 1000
    choices: tuple[str, ...] = ()
    h: str = ""
    most: int = 16

    def check(self, value: Any, where: str) -> Any:
        """The value, frozen. Raises InputError `wrong-type` or `out-of-range` naming `where` and the key."""
        def wrong(what: str) -> InputError:
            return InputError("wrong-type", f"key {self.name!r} is {value!r}", where, f"give {what}")

        def number(n: Any) -> int:
            if not isinstance(n, int) or isinstance(n, bool):
                raise wrong("a whole number" if self.type == "int" else "whole numbers")
            if not self.low <= n <= self.high:
                raise InputError("out-of-range", f"key {self.name!r} is {n}", where, f"give {self.low} to {self.high}")
            return n

        if self.type == "bool":
            if not isinstance(value, bool):
                raise wrong("true or false")
            return value
        if self.type == "int":
            return number(value)
        if self.type == "choice":
            if not isinstance(value, str):
                raise wrong("one of " + ", ".join(self.choices))
            if value not in self.choices:
                raise InputError("out-of-range", f"key {self.name!r} is {value!r}", where, "give one of " + ", ".join(self.choices))
            return value
        if self.type == "ints":
            if not isinstance(value, list | tuple):
                raise wrong("a list of whole numbers")
            return self._length(tuple(number(n) for n in value), where)
        if not isinstance(value, Mapping):
            raise wrong("{card = number}")
        return self._length(FrozenDict({str(k): number(v) for k, v in value.items()}), where)

    def _length(self, value: Any, where: str) -> Any:
        if len(value) > self.most:
            raise InputError("out-of-range", f"key {self.name!r} has {len(value)} entries", where, f"give at most {self.most}")
        return value


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules in force: values by key, as `rules["pibak_max"]` or `rules.pibak_max`; hashable, equal when all values are."""

    game: str
    name: str
    values: FrozenDict
    players: tuple[int, int] = (2, 3)      # fewest and most active players

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def __getattr__(self, key: str) -> Any:
        try:
            return self.values[key]
        except KeyError:
            raise AttributeError(f"{self.game} has no rule {key!r}") from None

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {"game": self.game, "name": self.name, "players": list(self.players), "rules": thaw(self.values)}


def preset_names(game: str) -> tuple[str, ...]:
    """Names of the rulesets that ship for a game, `classic` first."""
    found = sorted(p.name.split(".")[1] for p in RULES_DIR.glob(f"{game}.*.toml"))
    return tuple(sorted(found, key=lambda n: n != "classic"))


def load_rules(game: str, schema: tuple[Key, ...], ruleset: str | Path = "classic",
               overrides: Mapping[str, Any] | None = None) -> Rules:
    """The rules of a game: `ruleset` is a preset's name or the path of a user's TOML file; `overrides` win over both.

    Raises InputError `unknown-ruleset`, `unknown-key`, `wrong-type`, `out-of-range`, `bad-toml`, `no-such-file`, naming
    the file (or "override") and the key.
    """
    name, players, values = _read(game, schema, ruleset, 0)
    return build_rules(game, schema, name, {**values, **_checked(schema, overrides or {}, "override")}, players)


def build_rules(game: str, schema: tuple[Key, ...], name: str, values: Mapping[str, Any], players: tuple[int, int] = (2, 3)) -> Rules:
    """Rules from values already checked, the rest from the schema's defaults, in the schema's order."""
    return Rules(game, name, FrozenDict({k.name: values.get(k.name, freeze(k.default)) for k in schema}), players)


def _read(game: str, schema: tuple[Key, ...], ruleset: str | Path, depth: int) -> tuple[str, tuple[int, int], dict[str, Any]]:
    file = _find(game, ruleset)
    where = str(file)
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("no-such-file", "there is no such ruleset file", where, "give a preset's name or an existing file") from None
    except (OSError, UnicodeDecodeError) as e:
        raise InputError("unreadable-file", f"cannot be read ({e.__class__.__name__})", where,
                         "check its permissions and encoding") from None
    except (tomllib.TOMLDecodeError, RecursionError) as e:
        raise InputError("bad-toml", f"is no TOML: {e}", where, "mend that line") from None
    for key in data:
        if key not in _TOP_KEYS:
            inside = key in {k.name for k in schema}
            raise InputError("unknown-key", f"unknown key {key!r}", where,
                             "put it under [rules]" if inside else did_you_mean(key, (*_TOP_KEYS, *(k.name for k in schema))))
    if data.get("game", game) != game:
        raise InputError("wrong-game", f"key 'game' is {data['game']!r}", where, f"give a ruleset of {game}")
    name = data.get("name", file.stem.split(".")[-1])
    if not isinstance(name, str) or not name or len(name) > 64:
        raise InputError("wrong-type", f"key 'name' is {name!r}", where, "give a short name")
    players: Any = data.get("players")
    if players is not None and not (
            isinstance(players, list) and len(players) == 2 and
            all(isinstance(n, int) and not isinstance(n, bool) and 1 <= n <= 16 for n in players) and players[0] <= players[1]):
        raise InputError("wrong-type", f"key 'players' is {players!r}", where, "give [fewest, most]")
    rules = data.get("rules", {})
    if not isinstance(rules, dict):
        raise InputError("wrong-type", "key 'rules' is no table", where, "write [rules] and the keys below it")
    values: dict[str, Any] = {}
    base_players: tuple[int, int] = (2, 3)
    base = data.get("extends")
    if base is not None:
        if not isinstance(base, str):
            raise InputError("wrong-type", f"key 'extends' is {base!r}", where, "give a preset's name")
        if depth >= _MAX_DEPTH:
            raise InputError("extends-loop", "key 'extends' leads in a circle", where, "extend a preset")
        _, base_players, values = _read(game, schema, base, depth + 1)
    return name, (players[0], players[1]) if players else base_players, {**values, **_checked(schema, rules, where)}


def _find(game: str, ruleset: str | Path) -> Path:
    text = str(ruleset)
    preset = RULES_DIR / f"{game}.{text}.toml"
    if isinstance(ruleset, str) and "/" not in text and "\\" not in text and "\0" not in text and len(text) <= 64 and preset.is_file():
        return preset
    if isinstance(ruleset, Path) or text.endswith(".toml"):
        return Path(ruleset)
    raise InputError("unknown-ruleset", f"there is no ruleset {text[:64]!r} for {game}",
                     mend=did_you_mean(text, preset_names(game)) + " (or give a .toml file)")


def _checked(schema: tuple[Key, ...], values: Mapping[str, Any], where: str) -> dict[str, Any]:
    if not isinstance(values, Mapping):
        raise InputError("wrong-type", f"rules are {values!r}", where, "give {key: value}")
    keys = {k.name: k for k in schema}
    out = {}
    for name, value in values.items():
        if name not in keys:
            raise InputError("unknown-key", f"unknown rule {name!r}", where, did_you_mean(str(name), keys))
        out[name] = keys[name].check(value, where)
    return out
