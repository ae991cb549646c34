"""Simulated play: every game, ruleset and policy, with the invariants on; the same seed plays the same games."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import Any

import pytest

from scorer import play
from scorer.errors import InputError
from scorer.game import find_game, game_names
from scorer.games import stopbus
from scorer.ruleset import preset_names

TABLES = [(g, r, p) for g in game_names() for r in preset_names(g) for p in play.policies(g)]


@pytest.mark.parametrize(("game", "ruleset", "policy"), TABLES)
def test_every_table_plays_to_its_end(game: str, ruleset: str, policy: str) -> None:
    told = play.evening(game, ruleset, games=3, policy=policy, seed=5)
    assert sum(told["ends"].values()) == 3
    assert sum(told["chips"]) == 0
    assert play.evening(game, ruleset, games=3, policy=policy, seed=5) == told
    assert "every invariant held" in play.in_words(told)


@pytest.mark.parametrize("game", game_names())
def test_every_number_of_players(game: str) -> None:
    fewest, most = find_game(game).rules().players
    for n in range(fewest, min(most, 7) + 1):
        assert sum(play.evening(game, players=n, games=2)["ends"].values()) == 2
    for n in (most + 1, 20):
        with pytest.raises(InputError):
            play.evening(game, players=n)


@pytest.mark.parametrize("bad", [{"game": "tarot"}, {"ruleset": "none"}, {"policy": "lucky"}, {"game": "spit", "policy": "lucky"}])
def test_what_is_not_known(bad: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        play.evening(**{"game": "gostop", **bad})


def args(**more: Any) -> Namespace:
    usual = {"game": "stopbus", "ruleset": None, "players": None, "games": 2, "policy": "random", "seed": 1, "json": False}
    return Namespace(**{**usual, **more})


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert play.main(args()) == 0
    assert capsys.readouterr().out.startswith("stopbus · classic: 2 deals, 2 players")
    assert play.main(args(json=True)) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 2


def test_a_failed_invariant_is_said_with_its_seed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(stopbus, "audit", lambda state: "a card is lost")
    assert play.main(args(seed=77)) == 1
    err = capsys.readouterr().err
    assert "a card is lost" in err
    assert "seed 77" in err
    assert len(err.splitlines()) == 1
