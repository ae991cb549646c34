"""Simulated games: whole, legal, with their truth; planted mistakes of every kind; the intervals of what is measured with them."""

from __future__ import annotations

import pytest

from datasets.game_clip import simulated
from datasets.simulate_mistakes import KINDS, mistaken
from datasets.simulate_watch import compare, watch
from tools.statistics import wilson


@pytest.mark.parametrize(("game", "players", "last"), [("gostop", 2, {"settle", "nagari"}), ("stopbus", 3, {"win"}), ("thegame", 2, {"over", "win"})])
def test_a_whole_game_is_acted_out_to_its_end(game: str, players: int, last: set[str]) -> None:
    case = simulated(game, 3, players)
    assert case.truth[-2]["event"] in last
    times = [e["t_ms"] for e in case.truth[:-1]]
    assert min(times) > 0
    assert times[-1] <= case.world.end_ms + 3500  # a word may be said after the last hand has gone
    assert {c["t_ms"] for c in case.commands} <= set(range(round(case.world.end_ms) + 5000))
    assert case.truth[-1]["final"]["asked"] == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_mistake_of_every_kind_can_be_planted(kind: str) -> None:
    case = mistaken(kind, 1, 2)
    assert [e["problem"] for e in case.truth if e["event"] == "flag"] == [kind]
    with pytest.raises(ValueError, match="no mistake is called"):
        mistaken("cheating", 1)


@pytest.mark.parametrize(("hits", "n", "low", "high"), [(0, 0, 0.0, 1.0), (10, 10, 0.7225, 1.0), (95, 100, 0.8882, 0.9785), (0, 400, 0.0, 0.0095)])
def test_wilson(hits: int, n: int, low: float, high: float) -> None:
    assert wilson(hits, n) == pytest.approx((low, high), abs=5e-4)


@pytest.mark.parametrize("seed", [30000, 30106, 30100], ids=["drawn from under the new card", "called at once", "swaps in a row"])
def test_a_short_game_of_stop_the_bus_is_followed_to_its_winner(seed: int) -> None:
    case = simulated("stopbus", seed, 2)
    match, _, _ = watch(case, seed=seed, fps=15.0)
    final = match.final()["final"]
    result = compare(case.truth, match.record(), final)
    assert result.exact, (result.missing, result.wrong)
    assert (result.asked, result.flags) == (0, 0)
