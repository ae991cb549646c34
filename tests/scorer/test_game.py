"""The records of the interface, and what every game must keep to."""

from __future__ import annotations

from typing import Any

import pytest
from toy import GAME

from scorer.errors import InputError, KibitzError, did_you_mean
from scorer.events import make
from scorer.frozen import FrozenDict
from scorer.game import Payment, PlayerScore, Problem, ScoreSheet, Term, find_game, game_names, problem


def test_terms_must_add_up() -> None:
    with pytest.raises(ValueError, match="do not add up"):
        PlayerScore("A", 5, (Term("bright", 3),))
    with pytest.raises(ValueError, match="do not add up"):
        Payment("A", "B", 5, (Term("base", 3),))


def test_sheet() -> None:
    sheet = ScoreSheet(
        (PlayerScore("A", 4, (Term("bright", 3), Term("junk", 1))), PlayerScore("B", 0)),
        (Payment("B", "A", 6, (Term("base", 4, ("01-bright",)), Term("shake", 2, (), FrozenDict(n=1)))),),
        "A",
    )
    assert sheet.of("A").points == {"bright": 3, "junk": 1}
    assert sheet.net() == {"A": 6, "B": -6}
    assert sheet.payments[0].to_dict() == {
        "from": "B",
        "to": "A",
        "amount": 6,
        "terms": [
            {"label": "base", "amount": 4, "cards": ["01-bright"], "args": {}},
            {"label": "shake", "amount": 2, "cards": [], "args": {"n": 1}},
        ],
    }
    with pytest.raises(KeyError):
        sheet.of("Z")


def test_problems() -> None:
    assert problem("out-of-turn", ["n1"], turn="A").to_dict() == {"problem": "out-of-turn", "args": {"turn": "A"}, "cards": ["n1"]}
    assert problem("x") == Problem("x")


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("Go-Stop", "gostop"),
        ("고스톱", "gostop"),
        (" matgo ", "gostop"),
        ("The Game", "thegame"),
        ("stop-the-bus", "stopbus"),
        ("speed", "speed"),
        ("spit", "spit"),
    ],
)
def test_aliases(alias: str, name: str) -> None:
    assert find_game(alias).name == name


def test_unknown_game() -> None:
    with pytest.raises(InputError, match="did you mean 'gostop'"):
        find_game("gostpo")


def test_did_you_mean_lists_when_nothing_is_near() -> None:
    assert "alpha" in did_you_mean("zzz", ["alpha", "beta"])
    assert isinstance(InputError("c", "what", "where", "mend"), KibitzError)
    assert str(InputError("c", "what", "where", "mend")) == "where: what; mend"


def test_defaults_of_the_interface() -> None:
    """What a game need not write itself."""
    from scorer.game import Game
    from scorer.table import TableState

    table: Any = TableState(0)
    state: Any = GAME.start(GAME.rules(), ("A", "B"), "A", {})
    assert Game.observe(GAME, state, table, table) == ()
    assert Game.follow(GAME, state) == Game.legal(GAME, state) == Game.questions(GAME, state) == ()
    assert Game.expected(GAME, state, table) == Game.adopt(GAME, state, table) == ()
    assert Game.result(GAME, state) is None
    assert Game.essence(GAME, state) is state
    assert Game.command(GAME, state, {"command": "lay", "player": "A", "cards": ["n5"], "id": "q", "pile": "L"}) == (
        make("lay", "A", ["n5"], "human", pile="L"),
    )
    assert Game.command(GAME, state, {"command": "lay", "cards": 5}) == problem("bad-command")


@pytest.mark.parametrize("name", game_names())
def test_every_game_has_a_schema_that_its_presets_fill(name: str) -> None:
    game = find_game(name)
    assert game.name == name
    assert game.deck in ("hwatu", "french", "numbers")
    keys = [k.name for k in game.schema]
    assert len(keys) == len(set(keys)) > 0
    assert set(game.rules("classic").values) == set(keys)
    for key in game.schema:
        assert key.h, f"{name}.{key.name} does not say which rule it is"
        key.check(key.default, "schema")
