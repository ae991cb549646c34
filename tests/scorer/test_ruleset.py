"""Rulesets: presets whole and loadable, users' files, errors that name file and key."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from scorer.errors import InputError
from scorer.frozen import FrozenDict
from scorer.ruleset import RULES_DIR, Key, Rules, load_rules, preset_names

SCHEMA = (
    Key("pibak_max", "int", 5, 0, 30, h="H8"),
    Key("zero_exempt", "bool", False, h="H9"),
    Key("gobak", "choice", "off", choices=("off", "liability", "double")),
    Key("hands", "ints", (8, 7), 1, 12, most=3),
    Key("bonus", "worths", {"joker-2": 2}, 0, 9, most=5),
)


def house(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "house.toml"
    file.write_text(text, encoding="utf-8")
    return file


def load(tmp_path: Path, text: str, **overrides: Any) -> Rules:
    return load_rules("gostop", SCHEMA, house(tmp_path, text), overrides)


def test_values_come_from_file_then_overrides_then_defaults(tmp_path: Path) -> None:
    rules = load(
        tmp_path, 'name = "ours"\nplayers = [2, 4]\n[rules]\npibak_max = 6\nbonus = { dragon = 3 }\nhands = [1, 2, 3]', zero_exempt=True
    )
    assert (rules.name, rules.players) == ("ours", (2, 4))
    assert rules.pibak_max == rules["pibak_max"] == 6
    assert (rules.zero_exempt, rules.gobak, rules.hands, rules.bonus) == (True, "off", (1, 2, 3), {"dragon": 3})
    assert hash(rules) == hash(
        load(tmp_path, 'name="ours"\nplayers=[2, 4]\n[rules]\npibak_max=6\nbonus={dragon=3}\nhands=[1,2,3]', zero_exempt=True)
    )
    assert rules.to_dict()["rules"]["hands"] == [1, 2, 3]
    with pytest.raises(AttributeError):
        _ = rules.pibak_maximum
    with pytest.raises(KeyError):
        rules["pibak_maximum"]


def test_a_users_file_builds_on_a_preset_of_the_house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gostop.classic.toml").write_text('game = "gostop"\n[rules]\npibak_max = 7\n')
    (tmp_path / "gostop.loop.toml").write_text('extends = "loop"\n')
    monkeypatch.setattr("scorer.ruleset.RULES_DIR", tmp_path)
    rules = load(tmp_path, 'extends = "classic"\n[rules]\ngobak = "double"')
    assert (rules.pibak_max, rules.gobak, rules.name) == (7, "double", "house")
    with pytest.raises(InputError) as e:
        load(tmp_path, 'extends = "loop"')
    assert e.value.code == "extends-loop"
    assert preset_names("gostop") == ("classic", "loop")


BAD = [
    ("pibak_max = 3", "unknown-key", "put it under [rules]"),
    ('nmae = "x"', "unknown-key", "did you mean 'name'"),
    ("[rules]\npibak_mx = 3", "unknown-key", "did you mean 'pibak_max'"),
    ('[rules]\npibak_max = "five"', "wrong-type", "pibak_max"),
    ("[rules]\npibak_max = true", "wrong-type", "pibak_max"),
    ("[rules]\npibak_max = 5.0", "wrong-type", "pibak_max"),
    ("[rules]\npibak_max = 99", "out-of-range", "0 to 30"),
    ("[rules]\nzero_exempt = 1", "wrong-type", "true or false"),
    ("[rules]\ngobak = 3", "wrong-type", "liability"),
    ('[rules]\ngobak = "on"', "out-of-range", "liability"),
    ("[rules]\nhands = 3", "wrong-type", "list"),
    ('[rules]\nhands = ["x"]', "wrong-type", "hands"),
    ("[rules]\nhands = [1, 2, 3, 4]", "out-of-range", "at most 3"),
    ("[rules]\nhands = [13]", "out-of-range", "1 to 12"),
    ("[rules]\nbonus = 3", "wrong-type", "card = number"),
    ("[rules]\nbonus = { a = 10 }", "out-of-range", "0 to 9"),
    ("[rules]\nbonus = { a=1, b=1, c=1, d=1, e=1, f=1 }", "out-of-range", "at most 5"),
    ("rules = 3", "wrong-type", "rules"),
    ('game = "spit"', "wrong-game", "gostop"),
    ("name = 3", "wrong-type", "name"),
    ("players = [3, 2]", "wrong-type", "players"),
    ("players = 2", "wrong-type", "players"),
    ("extends = 3", "wrong-type", "extends"),
    ('extends = "klassic"', "unknown-ruleset", "did you mean 'classic'"),
    ("= 3", "bad-toml", "TOML"),
    ("a = " + "[" * 5000, "bad-toml", "TOML"),
]


@pytest.mark.parametrize(("text", "code", "named"), BAD)
def test_errors_name_file_and_key(tmp_path: Path, text: str, code: str, named: str) -> None:
    with pytest.raises(InputError) as e:
        load(tmp_path, text)
    assert e.value.code == code
    assert named in str(e.value)
    assert "\n" not in str(e.value)
    if code != "unknown-ruleset":
        assert "house.toml" in str(e.value)


def test_overrides_are_checked_as_files_are(tmp_path: Path) -> None:
    for overrides, code in (({"pibak_max": -1}, "out-of-range"), ({"pibk": 1}, "unknown-key"), (5, "wrong-type")):
        with pytest.raises(InputError) as e:
            load_rules("gostop", SCHEMA, house(tmp_path, ""), overrides)  # type: ignore[arg-type]
        assert e.value.code == code


def test_unknown_rulesets_and_files() -> None:
    with pytest.raises(InputError) as e:
        load_rules("nogame", SCHEMA, "classic")
    assert e.value.code == "unknown-ruleset"
    with pytest.raises(InputError) as e:
        load_rules("nogame", SCHEMA, Path("/nonexistent/rules.toml"))
    assert e.value.code == "no-such-file"


@pytest.mark.parametrize("name", ["../secret", "a/b.toml", "x\0y", "x" * 5000, "", "."])
def test_odd_names_are_coded(name: str) -> None:
    with pytest.raises(InputError):
        load_rules("gostop", SCHEMA, name)


def test_unreadable_file(tmp_path: Path) -> None:
    (tmp_path / "bin.toml").write_bytes(b"\xff\x00")
    with pytest.raises(InputError) as e:
        load_rules("gostop", SCHEMA, tmp_path / "bin.toml")
    assert e.value.code == "unreadable-file"
    with pytest.raises(InputError):
        load_rules("gostop", SCHEMA, str(tmp_path) + "/.toml")


def test_frozen_default_of_a_table_key() -> None:
    rules = Rules("g", "n", FrozenDict(a=1))
    assert rules == Rules("g", "n", FrozenDict(a=1))


PRESETS = sorted(p for p in RULES_DIR.glob("*.toml") if not p.name.startswith("words."))


@pytest.mark.parametrize("file", PRESETS, ids=[p.name for p in PRESETS])
def test_every_preset_is_named_for_its_game_and_itself(file: Path) -> None:
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    game, ruleset, _ = file.name.split(".")
    assert (data["game"], data["name"]) == (game, ruleset)
    assert file.read_text(encoding="utf-8").startswith("#"), "says what it is"
