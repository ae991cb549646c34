"""The soak itself, a short one: `make soak` plays 100,000 games and kills 200 players."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from scorer import play


@pytest.fixture
def soak() -> ModuleType:
    spec = importlib.util.spec_from_file_location("soak", Path(__file__).parents[2] / "tools" / "soak.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_random_games_hold(soak: ModuleType) -> None:
    assert soak.play_games(600, seed=11) == 600


def test_killed_players_lose_nothing(soak: ModuleType) -> None:
    assert soak.kill_games(3, seed=5) > 3


@pytest.mark.parametrize("table", [("spit", "classic", 2), ("gostop", "matgo-2p", 2), ("stopbus", "schwimmen", 5)])
def test_corrected_play(soak: ModuleType, table: tuple[str, str, int]) -> None:
    assert table in soak.tables()
    for seed in range(5):
        soak.corrected(*table, seed)


def test_a_fault_is_named_with_its_seed(soak: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(*_: object) -> None:
        raise AssertionError("a card is lost")

    monkeypatch.setattr(play, "evening", broken)
    with pytest.raises(AssertionError):
        soak.play_games(10, seed=1)
    assert capsys.readouterr().err.startswith("fault: ")
