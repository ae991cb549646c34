"""Speed: deal, draws, side cards, reshuffles, points; by events and in whole simulated games."""
from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_cases import cases, recoloured, renamed, wrong

from scorer.cards import FRENCH
from scorer.errors import InputError
from scorer.events import Event, make
from scorer.games.simulate import play_game, policy
from scorer.games.speed import GAME, audit, judge
from scorer.games.speed import rules as r
from scorer.games.speed.state import SpeedState
from scorer.games.spit.middle import MiddlePile
from scorer.match import Match
from scorer.ruleset import preset_names


@pytest.mark.parametrize("case", cases("cases-spit.jsonl", "speed"), ids=lambda c: c["id"])
def test_worked_cases(case: dict[str, Any]) -> None:
    """As given, with the players exchanged, and with suits exchanged."""
    assert wrong(case, judge) == {}
    assert wrong(renamed(case, {"A": "B", "B": "A"}), judge) == {}
    assert wrong(recoloured(case, {"c": "s", "s": "c", "d": "h", "h": "d"}), judge) == {}


# -- pure rules ------------------------------------------------------------------------------------------------------


def test_every_deal_uses_52_cards() -> None:
    for side in range(1, 21):
        each, hand, stock = r.deal_sizes(side)
        assert 2 * (side + each) + 2 == 52
        assert (hand + stock, hand) == (each, min(5, each))
    assert r.deal_sizes(10) == (15, 5, 10)
    assert r.deal_sizes(5) == (20, 5, 15)


def test_every_draw() -> None:
    for hand in range(7):
        for stock in range(7):
            after = r.draw(hand, stock)
            if hand >= 5:
                assert after is None  # a sixth card is refused
            else:
                assert after is not None
                assert (sum(after), after[0]) == (hand + stock, min(5, hand + stock))


NEXT = [  # hands, stock, side piles, cards under the tops, what comes next; tops 9 and 3
    ("A56JQ 566QK", (10, 10), (10, 10), None, "flip-both"), ("A56J 566QK", (10, 10), (10, 10), None, "draw-first"),
    ("A56J 566QK", (0, 10), (10, 10), None, "flip-both"), ("A56JT 566QK", (10, 10), (10, 10), None, "continue"),
    ("T 566QK", (10, 10), (10, 10), None, "continue"), ("A56JQ 566QK", (10, 10), (0, 0), None, "reshuffle"),
    ("A56JQ 566QK", (10, 10), (0, 0), 20, "reshuffle"), ("A56JQ 566QK", (10, 10), (0, 0), 0, "stuck"),
    ("A56JQ 566QK", (10, 10), (1, 0), 0, "flip-both"),
]


@pytest.mark.parametrize(("hands", "stock", "sides", "under", "step"), NEXT)
def test_what_comes_next(hands: str, stock: tuple[int, int], sides: tuple[int, int], under: int | None, step: str) -> None:
    held = dict(zip("AB", map(list, hands.split()), strict=True))
    assert r.next_step(["9", "3"], held, dict(zip("AB", stock, strict=True)), sides, under) == step


def test_new_side_piles_lose_no_card() -> None:
    for a in range(1, 20):
        for b in range(1, 20):
            assert sum(r.new_side_piles([a, b])) == sum(r.new_side_piles([a, b], together=False)) == a + b - 2
            left, right = r.new_side_piles([a, b])
            assert 0 <= left - right <= 1
            assert r.new_side_piles([a, b], together=False) == (a - 1, b - 1)
    assert r.flipped([3, 0]) == [2, 0]


def test_winning_and_points() -> None:
    assert r.winner({"A": 0, "B": 1}, {"A": 0, "B": 0}) == "A"
    assert r.winner({"A": 0, "B": 1}, {"A": 1, "B": 0}) is None
    assert r.winner({"A": 0, "B": 0}, {"A": 0, "B": 0}) is None
    assert r.points("A", {"A": 0, "B": 2}, {"A": 0, "B": 7}) == 7
    assert r.points("A", {"A": 0, "B": 2}, {"A": 0, "B": 7}, count_hand=True) == 9
    assert r.add_points({"A": 10, "B": 12}, {"A": 3}, 20) == ({"A": 13, "B": 12}, None)
    assert r.add_points({"A": 17, "B": 12}, {"A": 3}, 20) == ({"A": 20, "B": 12}, "A")
    assert r.add_points({"A": 20, "B": 12}, {"B": 8}, 20) == ({"A": 20, "B": 20}, None)
    assert r.add_points({}, {"A": 3}, None) == ({"A": 3}, None)
    assert r.fewer({"A": 3, "B": 5}) == "A"
    assert r.fewer({"A": 3, "B": 3}) is None


# -- by events -------------------------------------------------------------------------------------------------------


def table(ruleset: str = "classic", **options: Any) -> SpeedState:
    return after(GAME.start(GAME.rules(ruleset), ("A", "B"), "A", options), make("layout", None, ("7s", "Js")))


def after(state: SpeedState, *events: Event) -> SpeedState:
    for event in events:
        assert GAME.check(state, event) is None, (event, GAME.check(state, event))
        state = GAME.apply(state, event)
        assert audit(state) == ""
    return state


def lay(player: str, card: str, pile: str) -> Event:
    return make("play", player, (card,), pile=pile)


CHECKS = [
    (lay("A", "8c", "L"), None), (lay("A", "8c", "R"), "illegal-play"), (lay("A", "7s", "R"), "illegal-play"),
    (lay("Z", "8c", "L"), "no-such-player"),
    (lay("A", "xx", "L"), "illegal-play"), (make("play", "A", (), pile="L"), "wrong-count"), (make("refill", "A"), "hand-full"),
    (make("refill"), "no-such-player"), (make("side-flip", None, ("2c",), pile="L"), "not-stuck"),
    (make("side-flip", None, (), pile="L"), "wrong-count"),
    (make("reshuffle"), "side-cards-left"), (make("over"), "side-cards-left"), (make("win", "A"), "not-won"), (make("stall"), None),
    (make("layout", None, ("2c", "3c")), "layout-not-due"), (make("refused", "A", ("8c",), pile="L"), None),
    (make("refused", "A", (), pile="L"), "wrong-count"), (make("race", None, (), pile="X"), "not-started"), (make("hop"), "unknown-event"),
]


@pytest.mark.parametrize(("tried", "code"), CHECKS)
def test_what_is_allowed(tried: Event, code: str | None) -> None:
    found = GAME.check(table(), tried)
    assert (found.code if found else None) == code


def test_before_the_start() -> None:
    state = GAME.start(GAME.rules(), ("A", "B"), "A", {})
    assert GAME.check(state, lay("A", "8c", "L")).code == "not-started"  # type: ignore[union-attr]
    assert GAME.check(state, make("layout", None, ("8c", "8c"))).code == "wrong-count"  # type: ignore[union-attr]
    assert (state.total, GAME.follow(state), GAME.legal(state)) == (52, (), ())
    for players in (("A",), ("A", "B", "C")):
        with pytest.raises(InputError):
            GAME.start(GAME.rules(), players, "A", {})


def test_plays_and_draws() -> None:
    state = after(table(), lay("A", "8c", "L"), lay("A", "9c", "L"))
    assert (state.hands, GAME.view(state)["players"][0]["refill"]) == ((3, 5), 2)
    state = after(state, make("refill", "A"))
    assert (state.hands, state.stocks) == ((5, 5), (8, 10))
    empty = replace(state, hands=(0, 5), stocks=(13, 10))
    assert GAME.apply(empty, lay("A", "Tc", "L")).hands == (4, 5)  # drew unseen before


def test_side_cards() -> None:
    state = after(table(), make("stall"))
    assert state.due == ("L", "R")
    state = after(state, make("side-flip", None, ("2c",), pile="L"))
    assert GAME.check(state, make("side-flip", None, ("3c",), pile="L")).code == "not-stuck"  # type: ignore[union-attr]
    state = after(state, make("side-flip", None, ("3c",), pile="R"))
    assert (state.phase, state.sides, [p.top for p in state.piles]) == ("play", (9, 9), ["2c", "3c"])
    called_off = after(after(table(), make("stall")), lay("A", "8c", "L"))
    assert (called_off.phase, called_off.due) == ("play", ())  # somebody could play after all


@pytest.mark.parametrize(("how", "sides"), [("together", (12, 12)), ("pile-by-pile", (16, 8))])
def test_new_side_piles(how: str, sides: tuple[int, int]) -> None:
    state = replace(table(), rules=GAME.rules("classic", {"new_side_piles": how}), sides=(0, 0), hands=(5, 5), stocks=(8, 8))
    state = replace(state, piles=(MiddlePile("L", ("7s",), 16), MiddlePile("R", ("Js",), 8)))
    assert state.total == 52
    state = GAME.apply(state, make("stall"))
    assert [e.kind for e in GAME.follow(state)] == ["reshuffle"]
    state = after(state, *GAME.follow(state))
    assert (state.sides, [p.count for p in state.piles], state.due) == (sides, [1, 1], ("L", "R"))


def test_nothing_left_to_turn_ends_by_agreement() -> None:
    """A-45: the stocks are compared."""
    for stocks, winner in (((20, 18), "B"), ((19, 19), None)):
        state = replace(table(), sides=(0, 0), hands=(5, 5), stocks=stocks)
        state = replace(state, piles=(MiddlePile("L", ("7s",)), MiddlePile("R", ("Js",))), hands=(6, 6))
        state = GAME.apply(state, make("stall"))
        events = GAME.follow(state)
        assert [e.kind for e in events] == ["over"]
        end = GAME.apply(state, events[0])
        result = GAME.result(end)
        assert result is not None
        assert result.winner == winner


def test_rounds_to_a_target() -> None:
    match = Match("speed", players=("A", "B"), options={"target": 12, "seed": 5})
    rounds = 0
    while True:
        rounds += 1
        for step in _played(match):
            match.append([step], 0)
        snap = match.snapshot()
        result = match.game.result(match.evening.state)
        assert result is not None
        points = {p["id"]: p["match_points"] for p in snap["players"]}
        assert dict(result.options["totals"]) == points
        if result.over:
            break
        assert match.command({"command": "next-deal"}).ok
        assert [p["match_points"] for p in match.snapshot()["players"]] == list(points.values())
    assert max(points.values()) >= 12
    assert snap["match_winner"] == max(points, key=points.__getitem__)
    assert rounds > 1


def _played(match: Match) -> Any:
    rng = random.Random(match.evening.deal)
    choose = policy("speed", "random")
    while match.game.result(match.evening.state) is None:
        yield choose(match.evening.state, match.game.legal(match.evening.state), rng)


def test_the_word_and_the_hands_secret() -> None:
    match = Match("speed", players=("A", "B"))
    assert match.command({"command": "layout", "cards": ["7s", "Js"]}).ok
    assert match.command({"command": "spit", "player": "A"}).ok
    assert match.snapshot()["prompt"] == "flip"
    assert match.command({"command": "spit", "player": "B"}).ok  # both say it: one stall
    assert [e["event"] for e in match.record()] == ["layout", "stall"]
    secret = Match("speed", players=("A", "B"), options={"seed": 2})
    told = json.dumps(secret.snapshot())
    assert all(f'"{card}"' not in told for hand in secret.evening.state.hidden.hands for card in hand)


@pytest.mark.parametrize("ruleset", preset_names("speed"))
@pytest.mark.parametrize("how", ["random", "sensible"])
def test_simulated_games_keep_every_invariant(ruleset: str, how: str) -> None:
    shuffled = 0
    for seed in range(12):
        steps = list(play_game(GAME, GAME.rules(ruleset), ("A", "B"), seed, policy("speed", how)))
        end = steps[-1].state
        shuffled += end.reshuffles
        if steps[-1].event.kind == "win":
            assert end.left(end.winner) == 0
            loser = next(p for p in "AB" if p != end.winner)
            assert steps[-1].event.arg("points") == end.stocks[end.seat(loser)]
    assert shuffled or ruleset == "classic"


def event_of(kind: str, player: str | None, cards: list[str], pile: Any, piles: dict[str, str]) -> Event:
    return make(kind, player, cards, "human", pile=pile, piles=piles)


some_cards = st.sampled_from([*FRENCH[:16], "back", ""])
KINDS = ["layout", "play", "play", "play", "refill", "refused", "race", "stall", "side-flip", "side-flip", "reshuffle", "over", "win",
         "resync"]
somebody = st.sampled_from(["A", "B", "Z", None])
some_event = st.builds(event_of, st.sampled_from(KINDS), somebody, st.lists(some_cards, max_size=3),
                       st.sampled_from(["L", "R", "X", None, 3]), st.dictionaries(st.sampled_from("LRX"), some_cards))


@settings(max_examples=200)
@given(st.lists(some_event, max_size=40), st.sampled_from(preset_names("speed")))
def test_52_cards_whatever_is_logged(events: list[Event], ruleset: str) -> None:
    state = GAME.start(GAME.rules(ruleset), ("A", "B"), "A", {})
    for event in [make("layout", None, ("7s", "Js")), *events]:
        GAME.check(state, event)
        state = GAME.apply(state, event)
        assert audit(state) == ""
        for more in GAME.follow(state):
            assert GAME.check(state, more) is None
        GAME.questions(state)
        json.dumps(GAME.view(state))
        assert [p.total for p in GAME.score(state).players] == [state.left(p) for p in "AB"]


MORE = [
    ({"kind": "deal", "players": [15, 15], "middle": 2, "side_piles": [10, 10]}, {"hand": 5, "stock": 10}),
    ({"kind": "deal", "option": "five-card-side-piles"}, {"hand": 5, "stock": 15}),
    ({"kind": "deal"}, {"hand": 5, "stock": 10}),
    ({"kind": "legal", "top": "A", "card": "K"}, {"legal": True}),
    ({"kind": "legal", "top": "A", "card": "K", "from": "hand"}, {"legal": True}),
    ({"kind": "hand", "hand": 5, "stock": 9, "action": "play"}, {"legal": True, "hand_after": 4, "stock_after": 9}),
    ({"kind": "hand", "hand": 3, "stock": 9, "action": "draw"}, {"legal": True, "hand_after": 5, "stock_after": 7}),
    ({"kind": "deadlock", "after_flip": True, "still_stuck": False}, {"next": "continue"}),
    ({"kind": "deadlock", "pile_tops": ["9", "3"], "hands": {"A": ["5"], "B": ["6"]}, "stock": {"A": 0, "B": 0}, "side_piles": [1, 1]},
     {"next": "flip-both", "side_after": [0, 0]}),
    ({"kind": "deadlock", "pile_tops": ["9", "3"], "hands": {"A": ["5"], "B": ["6"]}, "side_piles": [0, 0], "spit_piles": [1, 1]},
     {"next": "stuck"}),
    ({"kind": "refill-side", "spit_piles": [13, 11], "side_piles": [2, 2]}, {"next": "flip-both", "spit_after": [13, 11], "side_total": 4}),
    ({"kind": "refill-side", "spit_piles": [2, 1], "side_piles": [0, 0]}, {"next": "reshuffle", "spit_after": [1, 1], "side_total": 1}),
    ({"kind": "score", "hand": {"A": 0, "B": 5}, "stock": {"A": 0, "B": 7}}, {"points": {"A": 7}}),
    ({"kind": "score", "target": 20, "totals": {"A": 18, "B": 12}, "round_points": {"A": 3}},
     {"totals_after": {"A": 21, "B": 12}, "match_winner": "A"}),
    ({"kind": "score", "hand": {"A": 0, "B": 1}, "stock": {"A": 0, "B": 4}, "totals": {"A": 1, "B": 2}, "target": 5},
     {"points": {"A": 4}, "totals_after": {"A": 5, "B": 2}, "match_winner": "A"}),
]


@pytest.mark.parametrize(("case", "answer"), MORE)
def test_more_cases(case: dict[str, Any], answer: dict[str, Any]) -> None:
    assert judge({"game": "speed", **case}) == answer


def test_a_case_of_no_kind() -> None:
    with pytest.raises(InputError) as e:
        judge({"game": "speed", "kind": "race"})
    assert e.value.code == "unknown-kind"


def test_audit_tells_what_is_wrong() -> None:
    state = table()
    assert audit(replace(state, stocks=(9, 10))) == "51 cards lie on the table"
    assert audit(replace(state, hands=(6, 5), stocks=(9, 10))) == "a hand is too large"
    assert audit(replace(state, piles=(state.piles[0], replace(state.piles[1], cards=("7s",))))) == "a card lies in two places"


def test_resync() -> None:
    state = after(table(), lay("A", "8c", "L"))
    back = GAME.apply(state, make("resync", None, (), "human", piles={"L": "7s", "R": "back", "X": "2c"}))
    assert (back.piles[0].cards, back.total) == (("8c", "7s"), 52)
    assert GAME.apply(state, make("resync", None, (), "human", piles={"L": "8c"})).piles == state.piles


def test_a_deal_may_name_its_players() -> None:
    """S4: 15 cards each with side piles of ten, 20 with five; who the two are changes nothing."""
    assert judge({"kind": "deal", "players": ["A", "B"]}) == {"hand": 5, "stock": 10}
    assert judge({"kind": "deal", "players": ["A", "B"], "option": "five-card-side-piles"}) == {"hand": 5, "stock": 15}
    assert judge({"kind": "deal", "players": 2}) == {"hand": 5, "stock": 10}
