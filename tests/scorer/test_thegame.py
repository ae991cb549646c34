"""The Game: piles, the backwards trick, turns, the end, talk; live on a table; any events."""
from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_cases import cases, renamed, wrong
from tabletop import Tabletop, game_stage, game_zones

from scorer.errors import InputError
from scorer.events import Event, make
from scorer.games.simulate import play_game, policy
from scorer.games.thegame import GAME, audit, judge, referee
from scorer.games.thegame.piles import Pile, can_play, check_turn, deal_sizes, fits, is_trick, rating, refill, start_piles, status
from scorer.games.thegame.state import TheGameState
from scorer.games.thegame.talk import allowed, numbers_told
from scorer.match import Match
from scorer.ruleset import preset_names

CLASSIC, OFFICIAL = GAME.rules(), GAME.rules("official")


@pytest.mark.parametrize("case", cases("cases-thegame.jsonl"), ids=lambda c: c["id"])
def test_worked_cases(case: dict[str, Any]) -> None:
    """As given, and with the players exchanged."""
    assert wrong(case, judge) == {}
    assert wrong(renamed(case, {"A": "B", "B": "A"}), judge) == {}


@pytest.mark.parametrize("case", cases("cases-thegame.jsonl"), ids=lambda c: c["id"])
def test_worked_cases_upside_down(case: dict[str, Any]) -> None:
    """Every card n as 101 − n on piles of the other direction is the same game."""
    if case["kind"] not in ("play", "turn", "state"):
        return

    def turned(value: Any, field: str = "") -> Any:
        if isinstance(value, dict):
            return {k: turned(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [turned(v, field or "card") for v in value]
        if isinstance(value, int) and not isinstance(value, bool) and field in ("top", "tops", "card", "hand", "hands", "A", "B"):
            return 101 - value
        return {"up": "down", "down": "up"}.get(value, value) if field == "dir" else value

    same = ("id", "draw_pile", "min_cards", "score_left")
    assert wrong({k: v if k in same else turned(v, k) for k, v in case.items()}, judge) == {}


def test_every_card_on_every_top() -> None:
    """All 2 × 99 × 98 plays against the two sentences of the rule."""
    for top in range(1, 101):
        for card in range(2, 100):
            assert fits("up", top, card) == (card > top or card + 10 == top)
            assert fits("down", top, card) == (card < top or card - 10 == top)
            assert fits("up", top, card) == fits("down", 101 - top, 101 - card)
            assert is_trick("up", top, card) == (top - card == 10)
    assert not any(fits(way, 50, card) for way in ("up", "down") for card in (1, 100, 0, 101, 50))
    assert not fits("up", 16, 6, trick=0)
    assert fits("up", 16, 11, trick=5)


numbers = st.integers(2, 99)


@given(st.lists(numbers, min_size=1, max_size=6, unique=True), st.lists(numbers, min_size=4, max_size=4), st.integers(1, 3))
def test_whether_enough_can_be_played_is_found_by_trying_all(hand: list[int], tops: list[int], count: int) -> None:
    piles = tuple(Pile(p.dir, t) for p, t in zip(start_piles(), tops, strict=True))

    def brute(now: tuple[Pile, ...], left: tuple[int, ...], due: int) -> bool:
        if not due:
            return True
        tries = [(c, check_turn(now, [c], 1, [(c, i)], CLASSIC, min_cards=1)) for c in left for i in range(4)]
        return any(brute(then, tuple(x for x in left if x != c), due - 1) for c, (problem, then) in tries if problem is None)

    assert can_play(piles, hand, min(count, len(hand))) == brute(piles, tuple(hand), min(count, len(hand)))


STATES = [  # hands, draw pile, ruleset, min_cards, outcome; piles at 90 95 10 5
    ({"A": [91, 60], "B": [92]}, 0, OFFICIAL, None, "play-on"),
    ({"A": [91, 60], "B": [92]}, 1, OFFICIAL, None, "over"),
    ({"A": [91, 60], "B": [92]}, 0, CLASSIC, None, "over"),
    ({"A": [91], "B": [92]}, 0, CLASSIC, None, "play-on"),
    ({"A": [60], "B": [92]}, 0, CLASSIC, None, "over"),
    ({"A": [], "B": [92]}, 0, CLASSIC, None, "skip"),
    ({"A": [], "B": []}, 0, CLASSIC, None, "won"),
    ({"A": [], "B": []}, 3, CLASSIC, None, "not-won"),
    ({"A": [80, 81], "B": []}, 0, CLASSIC, None, "play-on"),   # the trick opens the way: 80 on 90, then 81
    ({"A": [80, 20], "B": []}, 0, CLASSIC, None, "play-on"),   # two tricks on two piles
    ({"A": [91, 92, 93], "B": []}, 5, CLASSIC, 3, "play-on"),
]


@pytest.mark.parametrize(("hands", "draw", "rules", "least", "outcome"), STATES)
def test_where_a_game_stands(hands: dict[str, list[int]], draw: int, rules: Any, least: int | None, outcome: str) -> None:
    piles = (Pile("up", 90), Pile("up", 95), Pile("down", 10), Pile("down", 5))
    assert status(piles, hands, draw, "A", rules, least) == outcome


def test_deal_refill_and_result() -> None:
    assert [deal_sizes(n, CLASSIC) for n in range(1, 6)] == [(8, 90), (7, 84), (6, 80), (6, 74), (6, 68)]
    for n in (0, 6, -1):
        with pytest.raises(InputError):
            deal_sizes(n, CLASSIC)
    for hand in range(9):
        for pile in range(9):
            after, left = refill(hand, pile, 6)
            assert (after + left, after) == (hand + pile, max(hand, min(6, hand + pile)))
    assert [rating(n, CLASSIC) for n in (0, 10, 11, 98)] == ["good", "good", "none", "none"]
    piles = [{"dir": "up", "top": 90}]
    left = {"ruleset": "official", "kind": "state", "piles": piles, "hands": {"A": [2, 3]}, "draw_pile": 9, "turn": "A"}
    assert judge(left)["score_left"] == 11
    assert judge({**left, "ruleset": "classic"})["score_left"] == 2


SAID = [  # what is said, the numbers that it tells
    ("I have a 47", [47]), ("I've got forty-seven", [47]), ("something in the forties", [40]), ("my hand is 3, 5 and 9", [3, 5, 9]),
    ("I hold the number 5", [5]), ("between 40 and 50", [40, 50]), ("my card is exactly 10 lower", [10]), ("card 47 is mine", [47]),
    ("I can play the 48 on the 47", [48]), ("마흔일곱 있어", [47]), ("사십칠이 있어요", [47]), ("47이 있어", [47]), ("tengo el 47", [47]),
    ("please nothing on the first pile", []), ("don't put anything on the first pile", []),
    ("I have some great cards for the second pile", []),
    ("nothing on the 100 pile", []), ("leave pile 2 to me", []), ("keep the 2nd pile free", []), ("I can play three cards", []),
    ("I have two good ones", []), ("play at least 2", []), ("I can do the backwards trick on pile 3", []), ("don't cover the 47", []),
    ("one of us should stop", []), ("let me go second", []), ("두 장 낼 수 있어", []), ("첫 번째 더미에 놓지 마", []),
    ("이 카드 좋아", []), ("", []),
]


@pytest.mark.parametrize(("said", "told"), SAID)
def test_talk(said: str, told: list[int]) -> None:
    assert list(numbers_told(said)) == told
    assert allowed(said) == (not told)


def test_talk_knows_the_hand_and_the_tops() -> None:
    assert allowed("47 is a nuisance", tops={47})
    assert not allowed("47 is a nuisance", held={47}, tops={47})
    match = Match("thegame", players=("A", "B"), options={"seed": 4})
    held = match.evening.state.hidden[0][0]
    refused = match.command({"command": "talk", "player": "A", "text": f"I have {held}"})
    assert refused.problem is not None
    assert (refused.problem.code, refused.problem.args["numbers"]) == ("number-told", (held,))
    assert match.command({"command": "talk", "player": "A", "text": "not the first pile please"}).ok
    assert not match.command({"command": "talk", "player": "A"}).ok
    assert match.seq == 1  # what is said is never logged


@given(st.integers(2, 99), st.sampled_from(["I have {}", "mine is {}", "{}!", "I could play {} next", "{} 있어"]))
def test_every_number_is_caught(number: int, sentence: str) -> None:
    assert numbers_told(sentence.format(number)) == (number,)


# -- by events -------------------------------------------------------------------------------------------------------


def after(state: TheGameState, *events: Event) -> TheGameState:
    for event in events:
        assert GAME.check(state, event) is None, event
        state = GAME.apply(state, event)
        assert audit(state) == ""
    return state


def fresh(players: str = "AB", ruleset: str = "classic", **options: Any) -> TheGameState:
    return GAME.start(GAME.rules(ruleset), tuple(players), players[0], options)


def lay(player: str, card: int, pile: int) -> Event:
    return make("play", player, (f"n{card}",), pile=pile)


def test_a_turn() -> None:
    state = after(fresh(), lay("A", 5, 0), lay("A", 90, 2))
    assert (state.hands, state.missing, GAME.view(state)["refill"]) == ((5, 7), 0, 2)
    state = after(state, make("turn", "A"))
    assert (state.hands, state.draw_pile, state.turn, state.plays) == ((7, 7), 82, "B", ())
    assert [p.top for p in state.piles] == [5, 1, 90, 100]


CHECKS = [
    (lay("B", 7, 0), "out-of-turn"), (lay("A", 4, 0), "illegal-play"), (lay("A", 5, 1), "illegal-play"), (make("win"), "not-won"),
    (make("turn", "A"), "too-few-cards"), (make("turn", "B"), "out-of-turn"), (make("first", "B"), "already-begun"),
    (make("play", "A", ()), "wrong-count"),
    (make("play", "A", ("n7",)), "wrong-count"), (make("play", "A", ("7h",), pile=0), "wrong-count"), (lay("C", 7, 0), "no-such-player"),
    (make("take-back", "A", ("n6",)), "illegal-play"), (make("take-back", "A", ("n5",)), None), (make("over", "A"), None),
    (make("sing", "A"), "unknown-event"), (lay("A", 6, 0), None),
]


@pytest.mark.parametrize(("tried", "code"), CHECKS)
def test_what_is_allowed(tried: Event, code: str | None) -> None:
    found = GAME.check(after(fresh(), lay("A", 5, 0)), tried)
    assert (found.code if found else None) == code


def test_anybody_may_begin_and_a_card_may_be_taken_back_within_the_turn() -> None:
    state = after(fresh("ABC"), lay("B", 50, 0))
    assert (state.turn, state.missing) == ("B", 1)
    state = after(state, make("take-back", "B", ("n50",)), lay("B", 40, 0))
    assert (state.piles[0].top, state.hands) == (40, (6, 5, 6))
    assert after(fresh("ABC"), make("first", "C")).turn == "C"


def test_who_has_no_card_is_skipped_once_nothing_is_left_to_draw() -> None:
    state = fresh("ABC")
    object.__setattr__(state, "draw_pile", 0)
    object.__setattr__(state, "hands", (1, 0, 2))
    object.__setattr__(state, "turn_hand", 1)
    state = GAME.apply(state, lay("A", 5, 0))
    assert [e.kind for e in GAME.follow(state)] == ["turn"]  # an empty hand ends the turn
    assert GAME.apply(state, GAME.follow(state)[0]).turn == "C"


def test_the_end_is_said_by_a_person_and_counted() -> None:
    match = Match("thegame", "official", ("A", "B"))
    for card, pile in ((50, 0), (51, 0)):
        assert match.command({"command": "play", "cards": [f"n{card}"], "pile": pile}).ok
    assert match.command({"command": "over"}).ok  # A's turn is complete, so it is B who is stuck
    snap = match.snapshot()
    assert (snap["outcome"], snap["left"], snap["rating"], snap["turn"]) == ("over", 96, "none", None)
    assert [e["event"] for e in match.record()] == ["play", "play", "turn", "over"]
    assert not match.command({"command": "play", "cards": ["n52"], "pile": 0}).ok
    assert match.command({"command": "undo"}).ok
    assert match.snapshot()["outcome"] is None


def test_all_cards_played_is_the_win() -> None:
    match = Match("thegame", players=("A",))
    for card in range(2, 100):
        assert match.command({"command": "play", "cards": [f"n{card}"], "pile": 0}).ok, card
        if card % 4 == 1:
            assert match.command({"command": "turn"}).ok
    assert (match.snapshot()["outcome"], match.snapshot()["left"], match.state) == ("won", 0, "over")


# -- on the table ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", ["AB", "ABC", "ABCDE"])
@pytest.mark.parametrize("ruleset", preset_names("thegame"))
def test_whole_games_read_off_a_table(players: str, ruleset: str) -> None:
    for seed in range(2):
        steps = list(play_game(GAME, GAME.rules(ruleset), tuple(players), seed, policy("thegame", "sensible")))
        match, top, draw = Match("thegame", ruleset, tuple(players)), Tabletop(game_zones()), 1
        for n, card in enumerate(("n1", "n1", "n100", "n100")):
            top.put(card, f"pile-{n}")
        match.observe(top.look())
        for n, step in enumerate(steps):
            if step.event.kind == "over":
                assert match.command({"command": "over"}).ok
            game_stage(top, step.event, drew=draw > 0)
            draw = step.state.draw_pile
            if n % (1 + seed) == 0:  # every look, or every other one
                match.observe(top.look())
                match.observe(top.look(wait=300))
        wanted = [(s.event.kind, s.event.player, s.event.cards) for s in steps]
        assert [(e["event"], e["player"], tuple(e["cards"])) for e in match.record()] == wanted
        final = steps[-1].state
        snap = match.snapshot()
        assert (snap["outcome"], [p["top"] for p in snap["piles"]], snap["flags"]) == (final.outcome, [p.top for p in final.piles], [])


def watched(players: str = "AB") -> tuple[Match, Tabletop]:
    match, top = Match("thegame", players=tuple(players)), Tabletop(game_zones())
    match.observe(top.look())
    return match, top


def see(match: Match, top: Tabletop, *events: Event) -> list[str]:
    for event in events:
        game_stage(top, event)
    return [e.kind for e in match.observe(top.look())]


def test_an_illegal_card_is_flagged_and_stays() -> None:
    match, top = watched()
    see(match, top, lay("A", 50, 0), lay("A", 45, 0))
    snap = match.snapshot()
    assert [(f["problem"], f["cards"]) for f in snap["flags"]] == [("illegal-play", ["n45"])]
    assert snap["flags"][0]["args"]["top"] == 50
    assert snap["piles"][0]["top"] == 45


def test_the_trick_is_named() -> None:
    match, top = watched()
    see(match, top, lay("A", 50, 0), lay("A", 40, 0))
    assert [e.arg("trick") for e in match.live if e.kind == "play"] == [False, True]
    assert match.snapshot()["piles"][0]["trick"] == "n30"


def test_the_next_hand_ends_a_turn_and_too_few_cards_are_flagged() -> None:
    match, top = watched()
    assert see(match, top, lay("A", 50, 0), lay("A", 51, 0)) == ["play", "play"]
    assert see(match, top, lay("B", 60, 0)) == ["turn", "play"]  # nobody saw A draw
    assert see(match, top, lay("A", 70, 0)) == ["turn", "play", "flag"]
    assert [f["problem"] for f in match.snapshot()["flags"]] == ["too-few-cards"]


def test_a_card_out_of_turn() -> None:
    match, top = watched("ABC")
    see(match, top, lay("A", 50, 0))
    see(match, top, lay("C", 60, 0))
    assert [(f["problem"], f["player"]) for f in match.snapshot()["flags"]] == [("out-of-turn", "C")]


def test_a_card_moved_to_another_pile_within_the_turn() -> None:
    match, top = watched()
    see(match, top, lay("A", 50, 0))
    top.move(top.find("n50"), "pile-1")
    assert [e.kind for e in match.observe(top.look())] == ["take-back", "play"]
    assert [p["top"] for p in match.snapshot()["piles"]] == [1, 50, 100, 100]
    top.take(top.find("n50"))
    assert [e.kind for e in match.observe(top.look())] == ["take-back"]
    assert match.snapshot()["players"][0]["hand"] == 7


def test_a_name_that_the_rules_do_not_allow_loses() -> None:
    match, top = watched()
    see(match, top, lay("A", 50, 0))
    top.touch("A", "pile-0")
    top.put("n19", "pile-0", names=(("n19", 0.5), ("n61", 0.4)), sure=False)
    assert match.observe(top.look()) == ()  # its name may become sure yet, whichever it is
    assert match.observe(top.look(wait=400)) == ()
    match.observe(top.look(wait=1600))
    assert match.snapshot()["piles"][0]["top"] == 61
    assert match.snapshot()["flags"] == []


def plays(match: Match) -> list[tuple[str, ...]]:
    return [e.cards for e in match.live if e.kind == "play"]


@pytest.mark.parametrize("again", [False, True], ids=["4 s passed", "play went on"])
def test_a_name_that_stays_unsure_does_not_stop_the_record(again: bool) -> None:
    match, top = watched()
    top.touch("A", "pile-0")
    track = top.put("n6", "pile-0", names=(("n6", 0.47), ("n9", 0.44)), sure=False)
    for _ in range(6):
        match.observe(top.look(wait=500))
    assert plays(match) == []  # it may become sure yet, or somebody may say it
    assert match.state == "unsure"
    if not again:
        for _ in range(6):
            match.observe(top.look(wait=500))
        assert plays(match) == [("n6",)]
    see(match, top, lay("A", 70, 2))
    see(match, top, lay("B", 20, 1))
    see(match, top, lay("B", 50, 3), lay("A", 40, 3))
    assert plays(match) == [("n6",), ("n70",), ("n20",), ("n50",), ("n40",)]
    assert match.state == "watching"
    assert match.snapshot()["flags"] == []
    doubtful = next(e for e in match.snapshot()["events"] if e["cards"] == ["n6"])
    assert doubtful["margin"] < 0.1
    assert doubtful["instead"] == "n9"
    top.read(track, card="n9", names=(("n9", 0.9), ("n6", 0.1)), sure=True)
    for _ in range(4):
        match.observe(top.look(wait=500))
    assert plays(match)[0] == ("n9",)
    assert not match.events[-1].arg("swap")  # n9 was no card of the game before
    assert match.snapshot()["piles"][0]["top"] == 9


def test_out_of_sync_and_back_by_the_table() -> None:
    match, top = watched()
    see(match, top, lay("A", 50, 0))
    top.put("n60", "pile-0")
    top.put("n70", "pile-2")
    match.watch.before = top.look()  # laid while the camera was bumped
    for _ in range(40):
        match.observe(top.look(wait=100))
    assert match.state == "out-of-sync"
    assert {p["problem"] for p in match.snapshot()["out_of_sync"]} == {"pile-differs"}
    assert match.command({"command": "resync", "use": "table"}).ok
    assert [p["top"] for p in match.snapshot()["piles"]] == [60, 1, 70, 100]


def test_no_hand_is_ever_told() -> None:
    match = Match("thegame", players=("A", "B"), options={"seed": 1})
    told = json.dumps(match.snapshot())
    assert all(f'"n{card}"' not in told for hand in match.evening.state.hidden for card in hand)


# -- any events ------------------------------------------------------------------------------------------------------

some_event = st.builds(
    lambda kind, player, cards, pile, tops: make(kind, player, cards, "human", pile=pile, tops=tops),
    st.sampled_from(["play", "turn", "take-back", "first", "over", "win", "resync"]), st.sampled_from(["A", "B", "Z", None]),
    st.lists(st.sampled_from(["n1", "n100", "back", "5h", *(f"n{n}" for n in range(2, 30))]), max_size=2),
    st.sampled_from([0, 1, 2, 3, 4, -1, None, "0", True]), st.lists(st.integers(-1, 101), max_size=5))


@settings(max_examples=150)
@given(st.lists(some_event, max_size=40), st.sampled_from(["classic", "official"]))
def test_98_cards_whatever_is_logged(events: list[Event], ruleset: str) -> None:
    state = fresh("AB", ruleset)
    for event in events:
        GAME.check(state, event)
        state = GAME.apply(state, event)
        assert audit(state) == ""
        GAME.follow(state)
        json.dumps(GAME.view(state))


@settings(max_examples=30)
@given(st.integers(0, 1000), st.sampled_from(["random", "sensible"]), st.integers(1, 5))
def test_simulated_games_end_where_the_rules_say(seed: int, how: str, players: int) -> None:
    steps = list(play_game(GAME, CLASSIC, tuple("ABCDE"[:players]), seed, policy("thegame", how)))
    end = steps[-1].state
    hands = dict(zip(end.players, end.hidden, strict=True))
    assert (end.outcome == "won") == (len(end.played) == 98)
    if end.outcome == "over":
        assert not can_play(end.piles, hands[end.turn], end.missing)


def test_simulated_play_knows_its_hands() -> None:
    state = fresh("AB", seed=3)
    held = state.hidden[0]  # type: ignore[index]
    other = next(n for n in range(2, 100) if n not in held)
    found = GAME.check(state, lay("A", other, 0))
    assert found is not None
    assert (found.code, found.args["reason"]) == ("illegal-play", "not-in-hand")
    assert GAME.apply(state, lay("A", other, 0)).piles == state.piles


def test_two_problems_in_one_look_are_both_flagged() -> None:
    match, top = watched()
    see(match, top, lay("A", 50, 0), lay("A", 45, 0), lay("A", 40, 0))
    assert sorted((f["problem"], *f["cards"]) for f in match.snapshot()["flags"]) == [("illegal-play", "n40"), ("illegal-play", "n45")]


def test_an_empty_hand_ends_the_turn_before_the_next_card() -> None:
    match, top = watched("AB")
    see(match, top, *(lay("A", 50 + n, 0) for n in range(8)))  # eight cards from a hand of seven: one was drawn in between
    kinds = [e.kind for e in match.live if e.kind in ("play", "turn")]
    assert kinds == ["play"] * 7 + ["turn"] + ["play"]
    assert audit(match.evening.state) == ""


def test_resync_of_every_kind() -> None:
    state = after(fresh(), lay("A", 50, 0), lay("A", 60, 0))
    rows = (((50, 1, 100, 100), 1), ((1, 1, 100, 100), 0), ((60, 1, 70, 100), 3), ((60, 60, 100, 100), 2), ((60, 100, 1, 100), 2))
    for tops, cards in rows:
        now = GAME.apply(state, make("resync", source="human", tops=tops))
        assert (len(now.played), audit(now)) == (cards, ""), tops
    for bad in (None, (1, 2, 3), (0, 1, 2, 3), ("a", 1, 2, 3)):
        assert GAME.apply(state, make("resync", source="human", tops=bad)) == state


def test_a_case_of_no_kind() -> None:
    with pytest.raises(InputError) as e:
        judge({"game": "thegame", "kind": "shuffle"})
    assert e.value.code == "unknown-kind"
    assert judge({"game": "thegame", "kind": "deal-error", "players": 3}) == {"expect": "deal"}


def test_audit_tells_what_is_wrong() -> None:
    state = fresh()
    assert audit(replace(state, draw_pile=1)) == "there are 15 cards"
    assert audit(replace(state, piles=(Pile("up", 5, (5,)), Pile("up", 5, (5,)), *state.piles[2:]))) == "a card lies in two places"
    assert audit(replace(fresh(seed=1), deck=())) == "the cards are not 2 to 99"


@pytest.mark.parametrize(("card", "want"), [(60, ["play"]), (30, ["take-back", "play"])], ids=["covered", "taken back"])
def test_a_top_out_of_sight_under_a_card_that_fits_was_not_taken_back(card: int, want: list[str]) -> None:
    match, top = watched()
    see(match, top, lay("A", 50, 0))
    top.take(top.find("n50"))
    top.touch("A", "pile-0")
    top.put(f"n{card}", "pile-0")
    assert [e.kind for e in match.observe(top.look()) if e.kind != "flag"] == want


def test_the_end_of_a_turn_is_dated_by_the_draw_not_by_the_next_card() -> None:
    match, top = watched()
    see(match, top, lay("A", 50, 0), lay("A", 51, 0))
    last = top.t_ms
    top.t_ms += 6000
    see(match, top, lay("B", 52, 0))
    turn = next(e for e in match.live if e.kind == "turn")
    assert last < turn.t_ms <= last + 2000 < top.t_ms


def test_a_game_called_over_ends_the_turn_that_lies_there() -> None:
    match, top = watched()
    see(match, top, lay("A", 50, 0))
    game_stage(top, lay("A", 51, 0))
    match.observe(top.look(stable=False))
    out = match.command({"command": "over"})
    assert [e.kind for e in out.events] == ["play", "turn", "over"]


def test_the_turn_before_a_game_called_over_is_dated_by_its_last_card() -> None:
    match, top = watched()
    see(match, top, lay("A", 50, 0), lay("A", 51, 0))
    last = next(e.t_ms for e in match.live if e.cards == ("n51",))
    out = match.command({"command": "over", "t_ms": last + 9000})
    assert [(e.kind, e.t_ms) for e in out.events] == [("turn", last + 2000), ("over", last + 9000)]


def test_a_top_that_is_out_of_sight_while_nothing_else_shows_was_not_taken_back() -> None:
    match, top = watched()
    foundation = top.put("n1", "pile-0")
    see(match, top, lay("A", 50, 0))
    top.read(foundation, state="covered", visible=0.1)
    top.take(top.find("n50"))
    assert match.observe(top.look()) == ()
    top.read(foundation, state="settled", visible=1.0)
    assert [e.kind for e in match.observe(top.look())] == ["take-back"]


def test_a_card_laid_on_another_at_once_tells_of_it() -> None:
    """The trick: 50, then 60 over it, 50 again; the 60 was seen but for a moment."""
    match, top = watched()
    see(match, top, lay("A", 61, 0))
    top.touch("A", "pile-0")
    top.take(top.put("n70", "pile-0"))
    game_stage(top, lay("A", 60, 0))
    match.observe(top.look())
    assert [e.cards[0] for e in match.live if e.kind == "play"] == ["n61", "n70", "n60"]
    assert match.snapshot()["flags"] == []


def test_a_card_read_in_two_ways_is_one_card_of_which_the_fitting_name_is_believed() -> None:
    """A 6 or a 9 on the 16: the name that it came by tells of no second card under it."""
    match, top = watched()
    see(match, top, lay("A", 16, 0))
    top.touch("A", "pile-0")
    top.put("n6", "pile-0", names=(("n6", 0.52), ("n9", 0.46)), sure=False)
    top.t_ms += 2000
    match.observe(top.look())
    assert [e.cards[0] for e in match.live if e.kind == "play"] == ["n16", "n6"]
    assert match.asked == 0


def test_a_foundation_that_may_be_read_as_a_number_is_no_card_played() -> None:
    match, top = watched()
    top.put("n1", "pile-0", names=(("n1", 0.93), ("n4", 0.06)), sure=False)
    for _ in range(8):
        assert match.observe(top.look(wait=500)) == ()
    see(match, top, lay("A", 50, 0))
    assert [e.cards[0] for e in match.live if e.kind == "play"] == ["n50"]


def test_a_turn_is_over_at_once_where_nothing_is_left_to_draw() -> None:
    match, top = watched()
    state = replace(match.evening.state, draw_pile=0, plays=((50, 0), (51, 0)))
    top.put("n51", "pile-0")
    last = top.t_ms
    top.t_ms += 6000
    assert referee._drawn_ms(state, top.look(), {"stock"}, top.t_ms) <= last + 700


def test_a_card_that_came_to_light_late_is_the_one_that_the_turn_lacks() -> None:
    match, top = watched()
    see(match, top, lay("A", 50, 0))
    for card, pile in ((90, 2), (40, 0)):
        top._change("touch", to_zone=f"pile-{pile}", player="B")
        top.put(f"n{card}", f"pile-{pile}")
    match.observe(top.look())
    assert [(e.player, e.cards[0]) for e in match.live if e.kind == "play"] == [("A", "n50"), ("A", "n40"), ("B", "n90")]
    assert match.snapshot()["flags"] == []
