"""The four rulesets against the parameter table (RULES.md 6.1), and every row of the house-rule table against the schema."""
from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from scorer.errors import InputError
from scorer.games.gostop import GAME
from scorer.games.gostop.house import SCHEMA, House
from scorer.ruleset import RULES_DIR, preset_names

PRESETS = ("classic", "international", "korean-3p", "matgo-2p")

# parameter, then its value in classic, international, korean-3p, matgo-2p
TABLE: list[tuple[str, Any, Any, Any, Any]] = [
    ("double_junk", 2, 2, 2, 2),
    ("sake_cup", "animal", "best", "best", "best"),
    ("go_add", 1, 1, 1, 1),
    ("go_double_from", 4, 3, 3, 3),
    ("progressive", False, True, True, True),
    ("pibak_max", 5, 5, 5, 7),
    ("zero_exempt", False, False, True, True),
    ("gwangbak", 2, 2, 2, 2),
    ("gwangbak_all", False, False, False, False),
    ("meongtta", 2, 2, 2, 2),
    ("gobak", "off", "liability", "liability", "double"),
    ("gobak_caller", "first", "first", "first", "first"),
    ("shake", 2, 2, 2, 2),
    ("bomb", 1, 2, 2, 2),
    ("bomb_steal", 0, 1, 1, 1),
    ("joker_steal", 0, 0, 0, 1),
    ("joker_buried", False, False, True, True),
    ("joker_from_hand", "substitute", "substitute", "draw", "draw"),
    ("sweep", "two-singles", "empty", "empty", "empty"),
    ("last_turn_exception", False, True, True, True),
    ("last_turn_stack", 1, 1, 1, 0),
    ("nagari", 2, 2, 2, 2),
    ("nagari_stacking", False, True, True, True),
    ("nagari_max", 0, 0, 8, 8),
    ("chongtong", 5, 5, 3, 10),
    ("first_ppuk", 0, 0, 3, 7),
    ("second_ppuk", 0, 0, 6, 14),
    ("third_ppuk", 0, 0, 12, 21),
    ("three_ppuk", 0, 0, 3, 7),
    ("first_ttadak", 0, 0, 3, 7),
    ("order", "add-first", "add-first", "add-first", "add-first"),
    ("bomb_skips", 2, 2, 2, 2),
    ("jappuk_steal", 2, 2, 2, 2),
    ("jappuk_by_worth", False, False, False, True),
    ("quad_floor", "redeal", "redeal", "redeal", "nagari"),
]


@pytest.mark.parametrize("row", TABLE, ids=lambda r: r[0])
def test_parameter_table(row: tuple[str, Any, Any, Any, Any]) -> None:
    for preset, value in zip(PRESETS, row[1:], strict=True):
        assert GAME.rules(preset)[row[0]] == value, preset


def test_targets_and_players() -> None:
    assert [House(GAME.rules(p)).target_for(n) for p in PRESETS[:2] for n in (2, 3)] == [7, 3, 7, 3]
    assert House(GAME.rules("korean-3p")).target_for(3) == 3
    assert House(GAME.rules("matgo-2p")).target_for(2) == 7
    assert House(GAME.rules("classic", {"target": 5})).target_for(2) == 5
    assert [GAME.rules(p).players for p in PRESETS] == [(2, 3), (2, 3), (3, 3), (2, 2)]


def test_presets_are_these() -> None:
    assert set(preset_names("gostop")) == set(PRESETS)


def test_classic_names_every_key() -> None:
    told = tomllib.loads((RULES_DIR / "gostop.classic.toml").read_text(encoding="utf-8"))["rules"]
    assert set(told) == {k.name for k in SCHEMA}
    assert list(told) == [k.name for k in SCHEMA], "in the schema's order"


def test_defaults_are_classic() -> None:
    """A user's file without `extends` plays the customer's sheets."""
    for key in SCHEMA:
        value = GAME.rules("classic")[key.name]
        assert value == (dict(key.default) if isinstance(key.default, dict) else key.default), key.name


# rows whose content is a way of counting or of dealing with hands that has no variant among the sources
NO_SWITCH = {"H27": "bomb_skips", "H47": "bright_four_rain"}


def test_every_row_of_the_house_rule_table_has_a_key() -> None:
    rows = {k.h for k in SCHEMA}
    assert {f"H{i}" for i in range(1, 51)} - rows == set()
    assert NO_SWITCH.items() <= {(k.h, k.name) for k in SCHEMA}


def test_a_users_file_extends_a_preset(tmp_path: Path) -> None:
    file = tmp_path / "ours.toml"
    file.write_text('game = "gostop"\nextends = "korean-3p"\nname = "ours"\nplayers = [2, 3]\n[rules]\npibak_max = 6\n'
                    'bonus = { "joker-2" = 2, "tiger" = 4 }\n', encoding="utf-8")
    rules = GAME.rules(file)
    assert (rules.name, rules.pibak_max, rules.zero_exempt, rules.players) == ("ours", 6, True, (2, 3))
    pack = House(rules).pack
    assert pack.names[-2:] == ("joker-2", "tiger")
    assert pack.worth == (2, 4)


@pytest.mark.parametrize(("text", "message"), [
    ("pibak_mx = 6", "did you mean 'pibak_max'"),
    ("pibak_max = -1", "give 0 to 30"),
    ('gobak = "on"', "give one of off, liability"),
    ("bonus = { a = 1, b = 1, c = 1, d = 1, e = 1, f = 1 }", "at most 5"),
    ("bonus = { tiger = 10 }", "give 0 to 9"),
    ("zero_exempt = 1", "true or false"),
])
def test_wrong_keys_are_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(f"[rules]\n{text}\n", encoding="utf-8")
    with pytest.raises(InputError) as e:
        GAME.rules(file)
    assert message in str(e.value)
    assert str(file) in str(e.value)


def test_houses_are_equal_when_their_rules_are() -> None:
    a, b = House(GAME.rules("classic")), House(GAME.rules("classic"))
    assert a == b
    assert hash(a) == hash(b)
    assert a != House(GAME.rules("international"))
    assert a != "classic"
    assert "classic" in repr(a)
