"""The referee on tables: whole deals watched, planted mistakes with their codes, what is made good late, declarations, resync."""
from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from gostop_table import Table, play_out

from scorer.events import make
from scorer.games.gostop import GAME
from scorer.games.gostop.house import House
from scorer.games.gostop.sight import look
from scorer.match import Match
from scorer.table import Change, Seen, TableState

FLOOR = ("01-ribbon", "02-junk-a", "03-ribbon", "04-junk-a", "06-junk-a", "08-bright", "09-junk-a", "10-junk-a")
TRIPLE = ("01-ribbon", "01-junk-a", "01-junk-b", "04-junk-a", "06-junk-a", "08-bright", "09-junk-a", "10-junk-a")


def told(match: Match, skip: int = 1) -> list[tuple[Any, ...]]:
    """The record after the deal: (kind, player, cards…), a flag's problem in front of its cards."""
    return [(e["event"], e["player"], *([e["problem"]] if e["event"] == "flag" else []), *e["cards"]) for e in match.record()[skip:]]


def begin(ruleset: str = "classic", players: tuple[str, ...] = ("A", "B"), floor: tuple[str, ...] = FLOOR,
          **options: Any) -> tuple[Match, Table]:
    match, table = Match("gostop", ruleset, players, players[0], options), Table(players)
    table.put(floor, "floor")
    table.show(match)
    assert [e["event"] for e in match.record()] == ["deal"]
    return match, table


def turn(match: Match, table: Table, player: str, hand: str, stock: str, gain: tuple[str, ...] = (), by: str | None = None) -> None:
    table.put(hand, "floor", by)
    table.show(match, 1)
    table.put(stock, "floor", by)
    table.show(match, 1)
    if gain:
        table.put(gain, f"cap-{player}", by)
        table.show(match, 1)


def wait(match: Match, table: Table) -> None:
    table.wait(1500)
    table.show(match)


# whole deals --------------------------------------------------------------------------------------------------------


def key(event: dict[str, Any], merge: bool) -> tuple[Any, ...]:
    cards = [c[:-2] if merge and c[2:8] == "-junk-" and c[-2] == "-" else c for c in event["cards"]]
    return event["event"], event.get("player"), tuple(sorted(cards)), event.get("from")


@pytest.mark.parametrize(("ruleset", "players"), [("classic", 2), ("classic", 3), ("matgo-2p", 2), ("korean-3p", 3), ("international", 3)])
@pytest.mark.parametrize(("merge", "tap", "look_often"), [(False, True, 1.0), (True, False, 1.0), (True, True, 0.0), (False, False, 0.4)],
                         ids=["told-apart", "nobody-says-go", "seen-once-a-turn", "seen-now-and-then"])
def test_watched_deals(ruleset: str, players: int, merge: bool, tap: bool, look_often: float) -> None:
    """The record of a watched deal is the true one, event by event, with nothing asked and nothing flagged."""
    names = ("A", "B", "C")[:players]
    watched = 0
    for seed in range(9):
        rng = random.Random(f"{ruleset}{seed}")
        match = Match("gostop", ruleset, names, names[seed % players])
        house: House = match.evening.state.house
        truth, deal = play_out(match, house, names, seed % players, rng, Table(names, merge), tap=tap, look=look_often)
        if not truth:
            continue
        assert [key(e, merge) for e in match.record()] == [key(e, merge) for e in truth], seed
        final = match.final()["final"]
        assert (final["asked"], final["flags"]) == (0, 0)
        gains = deal.paid()
        assert {p: match.snapshot()["players"][i]["running"] for i, p in enumerate(names)} == dict(zip(names, gains, strict=True))
        watched += 1
    assert watched > 6


def test_a_turn_is_read_in_a_few_milliseconds() -> None:
    match, table = begin("korean-3p", ("A", "B", "C"), floor=FLOOR[:6])
    table.put(["01-bright", "joker-2", "02-ribbon"], "floor")
    state, seen = match.evening.state, table.state()
    start = time.perf_counter()
    for _ in range(20):
        GAME.observe(state, seen, seen)
    assert (time.perf_counter() - start) / 20 < 0.02


# planted mistakes -----------------------------------------------------------------------------------------------------


def junk_not_given() -> Match:
    match, table = begin()
    turn(match, table, "A", "01-bright", "02-ribbon", ("01-bright", "01-ribbon", "02-ribbon", "02-junk-a"))
    turn(match, table, "B", "05-junk-a", "05-junk-b", ("05-junk-a", "05-junk-b"))
    table.put("11-junk-a", "floor")
    table.show(match)
    table.put("03-bright", "floor")
    table.put(("03-bright", "03-ribbon"), "cap-A")
    table.show(match)
    table.put("02-junk-a", "cap-B")
    table.show(match)
    return match


def junk_too_many() -> Match:
    match, table = begin()
    turn(match, table, "A", "02-ribbon", "04-junk-b", ("02-ribbon", "02-junk-a", "04-junk-b", "04-junk-a"))
    turn(match, table, "B", "05-junk-a", "05-junk-b", ("05-junk-a", "05-junk-b"))
    table.put(("02-junk-a", "04-junk-a"), "cap-B")
    table.show(match)
    wait(match, table)
    table.put("04-junk-a", "cap-A")
    table.show(match)
    turn(match, table, "A", "12-animal", "11-junk-b")
    return match


def junk_for_nothing() -> Match:
    match, table = begin()
    turn(match, table, "A", "02-ribbon", "04-junk-b", ("02-ribbon", "02-junk-a", "04-junk-b", "04-junk-a"))
    turn(match, table, "B", "11-junk-a", "12-animal")
    table.put("02-junk-a", "cap-B")
    wait(match, table)
    return match


def pair_not_taken() -> Match:
    match, table = begin()
    turn(match, table, "A", "01-bright", "11-junk-a")
    table.show(match)
    table.put("12-animal", "floor")
    wait(match, table)
    table.put("03-bright", "floor")
    table.put(("03-bright", "03-ribbon"), "cap-B")
    table.show(match)
    table.put(("01-bright", "01-ribbon"), "cap-A")
    table.show(match)
    return match


def wrong_month() -> Match:
    match, table = begin()
    turn(match, table, "A", "01-bright", "11-junk-a", ("01-bright", "03-ribbon"))
    wait(match, table)
    table.put("03-ribbon", "floor")
    table.show(match)
    table.put("01-ribbon", "cap-A")
    table.show(match)
    turn(match, table, "B", "12-animal", "04-ribbon", ("04-ribbon", "04-junk-a"))
    return match


def stack_split() -> Match:
    match, table = begin(floor=TRIPLE)
    turn(match, table, "A", "01-bright", "11-junk-a", ("01-bright", "01-ribbon"))
    wait(match, table)
    turn(match, table, "B", "12-animal", "04-ribbon", ("04-ribbon", "04-junk-a"))
    wait(match, table)
    return match


def stack_split_by_another_month() -> Match:
    match, table = begin(floor=TRIPLE)
    turn(match, table, "A", "04-ribbon", "11-junk-a", ("04-ribbon", "01-ribbon"))
    wait(match, table)
    return match


def out_of_turn() -> Match:
    match, table = begin()
    turn(match, table, "B", "01-bright", "11-junk-a", ("01-bright", "01-ribbon"))
    wait(match, table)
    turn(match, table, "A", "03-bright", "12-animal", ("03-bright", "03-ribbon"))
    return match


def flip_missing() -> Match:
    match, table = begin()
    table.put("11-junk-a", "floor")
    table.show(match)
    turn(match, table, "B", "01-bright", "12-animal", ("01-bright", "01-ribbon"))
    wait(match, table)
    return match


def two_plays() -> Match:
    match, table = begin()
    for card in ("11-junk-a", "01-bright", "12-animal"):
        table.put(card, "floor", "A")
        table.show(match)
    table.put(("01-bright", "01-ribbon"), "cap-A", "A")
    wait(match, table)
    turn(match, table, "B", "03-bright", "05-junk-a", ("03-bright", "03-ribbon"), "B")
    return match


def taken_without_a_card() -> Match:
    match, table = begin()
    table.put("01-ribbon", "cap-A")
    wait(match, table)
    return match


A01 = ("capture", "A", "01-bright", "01-ribbon")
MISTAKES: list[tuple[Callable[[], Match], list[tuple[Any, ...]]]] = [
    (junk_not_given, [
        ("play", "A", "01-bright"), ("flip", "A", "02-ribbon"), ("capture", "A", "01-bright", "01-ribbon", "02-ribbon", "02-junk-a"),
        ("play", "B", "05-junk-a"), ("flip", "B", "05-junk-b"), ("jjok", "B", "05-junk-a", "05-junk-b"),
        ("capture", "B", "05-junk-a", "05-junk-b"), ("flag", "B", "junk-not-given", "02-junk-a"),
        ("play", "A", "11-junk-a"), ("flip", "A", "03-bright"), ("capture", "A", "03-bright", "03-ribbon"), ("steal", "B", "02-junk-a")]),
    (junk_too_many, [
        ("play", "A", "02-ribbon"), ("flip", "A", "04-junk-b"), ("capture", "A", "02-ribbon", "02-junk-a", "04-junk-a", "04-junk-b"),
        ("play", "B", "05-junk-a"), ("flip", "B", "05-junk-b"), ("jjok", "B", "05-junk-a", "05-junk-b"),
        ("capture", "B", "05-junk-a", "05-junk-b"), ("steal", "B", "02-junk-a", "04-junk-a"), ("flag", "B", "junk-too-many", "04-junk-a"),
        ("play", "A", "12-animal"), ("flip", "A", "11-junk-b")]),
    (junk_for_nothing, [
        ("play", "A", "02-ribbon"), ("flip", "A", "04-junk-b"), ("capture", "A", "02-ribbon", "02-junk-a", "04-junk-a", "04-junk-b"),
        ("play", "B", "11-junk-a"), ("flip", "B", "12-animal"), ("steal", "B", "02-junk-a"), ("flag", "B", "junk-too-many", "02-junk-a")]),
    (pair_not_taken, [
        ("play", "A", "01-bright"), ("flip", "A", "11-junk-a"), ("flag", "A", "pair-not-taken", "01-bright", "01-ribbon"),
        ("play", "B", "12-animal"), ("flip", "B", "03-bright"), ("capture", "B", "03-bright", "03-ribbon"), A01]),
    (wrong_month, [
        ("play", "A", "01-bright"), ("flip", "A", "11-junk-a"), ("capture", "A", "01-bright", "03-ribbon"),
        ("flag", "A", "wrong-month", "03-ribbon"), ("capture", "A", "01-ribbon"),
        ("play", "B", "12-animal"), ("flip", "B", "04-ribbon"), ("capture", "B", "04-ribbon", "04-junk-a")]),
    (stack_split, [
        ("play", "A", "01-bright"), ("flip", "A", "11-junk-a"), A01, ("flag", "A", "stack-split", "01-junk-a", "01-junk-b"),
        ("play", "B", "12-animal"), ("flip", "B", "04-ribbon"), ("capture", "B", "04-ribbon", "04-junk-a")]),
    (stack_split_by_another_month, [
        ("play", "A", "04-ribbon"), ("flip", "A", "11-junk-a"), ("capture", "A", "01-ribbon", "04-ribbon"),
        ("flag", "A", "stack-split", "01-ribbon")]),
    (out_of_turn, [
        ("play", "B", "01-bright"), ("flip", "B", "11-junk-a"), ("capture", "B", "01-bright", "01-ribbon"),
        ("flag", "B", "out-of-turn", "01-bright", "11-junk-a"),
        ("play", "A", "03-bright"), ("flip", "A", "12-animal"), ("capture", "A", "03-bright", "03-ribbon")]),
    (flip_missing, [
        ("play", "A", "11-junk-a"), ("flag", "A", "flip-missing"),
        ("play", "B", "01-bright"), ("flip", "B", "12-animal"), ("capture", "B", "01-bright", "01-ribbon")]),
    (two_plays, [
        ("play", "A", "11-junk-a"), ("play", "A", "01-bright"), ("flip", "A", "12-animal"), A01, ("flag", "A", "two-plays", "01-bright"),
        ("play", "B", "03-bright"), ("flip", "B", "05-junk-a"), ("capture", "B", "03-bright", "03-ribbon")]),
    (taken_without_a_card, [("capture", "A", "01-ribbon"), ("flag", "A", "illegal-play", "01-ribbon")]),
]


@pytest.mark.parametrize(("play", "right"), MISTAKES, ids=lambda x: getattr(x, "__name__", ""))
def test_planted_mistakes(play: Callable[[], Match], right: list[tuple[Any, ...]]) -> None:
    match = play()
    assert told(match) == right
    assert match.state == "watching"
    assert Match.resume(match.events).record() == match.record()


def test_a_dearer_junk_card_than_due_is_ruled_on_unless_the_giver_chooses() -> None:
    for rules, flags in (({}, ["junk-too-many"]), ({"given": "giver-chooses"}, [])):
        match, table = Match("gostop", "classic", ("A", "B"), "A", overrides=rules), Table(("A", "B"))
        table.put(("11-junk-a", "02-junk-a", *FLOOR[2:]), "floor")
        table.show(match)
        turn(match, table, "A", "11-junk-double", "02-junk-b", ("11-junk-double", "11-junk-a", "02-junk-a", "02-junk-b"))
        turn(match, table, "B", "05-junk-a", "05-junk-b", ("05-junk-a", "05-junk-b"))
        table.put("11-junk-double", "cap-B")
        wait(match, table)
        assert [f.arg("problem") for f in match.evening.flags] == flags
        assert ("steal", "B", "11-junk-double") in told(match)


def test_play_that_runs_ahead_of_the_eye_is_no_mistake() -> None:
    """The next player lays a card before the last capture was seen."""
    match, table = begin()
    table.put(("01-bright", "12-animal"), "floor")
    table.put(("01-bright", "01-ribbon"), "cap-A")
    table.put("03-bright", "floor")
    table.show(match)
    table.put("11-junk-a", "floor")
    table.put(("03-bright", "03-ribbon"), "cap-B")
    table.show(match)
    assert [e[0] for e in told(match)] == ["play", "flip", "capture"] * 2
    assert not match.evening.flags


def test_a_bombs_cards_may_show_one_after_another() -> None:
    match, table = begin(floor=("05-junk-b", *FLOOR[1:]))
    table.put("05-animal", "floor")
    table.t -= 500
    table.put("05-ribbon", "floor")
    table.show(match, 1)
    assert told(match) == []
    table.t -= 500
    table.put("05-junk-a", "floor")
    table.show(match, 1)
    table.put("11-junk-a", "floor")
    table.put(("05-animal", "05-ribbon", "05-junk-a", "05-junk-b"), "cap-A")
    table.show(match)
    assert [e[0] for e in told(match)] == ["play", "flip", "bomb", "capture"]
    assert match.evening.state.credits == (2, 0)


def test_a_turn_without_a_hand_card_after_a_bomb() -> None:
    match, table = begin(floor=("05-junk-b", *FLOOR[1:]))
    table.put(("05-animal", "05-ribbon", "05-junk-a"), "floor")
    table.put("11-junk-a", "floor")
    table.put(("05-animal", "05-ribbon", "05-junk-a", "05-junk-b"), "cap-A")
    table.show(match)
    turn(match, table, "B", "03-bright", "12-animal", ("03-bright", "03-ribbon"))
    table.put("07-animal", "floor")
    table.show(match, 1)
    assert len(told(match)) == 7, "it might still be a card from the hand"
    table.wait(3000)
    table.show(match)
    assert told(match)[7:] == [("flip", "A", "07-animal")]
    assert match.evening.state.credits == (1, 0)


def test_a_choice_of_equal_worth_is_read_from_the_table() -> None:
    match, table = begin(floor=("05-junk-a", "05-junk-b", *FLOOR[2:]))
    turn(match, table, "A", "05-animal", "11-junk-a", ("05-animal", "05-junk-b"))
    assert told(match)[-1] == ("capture", "A", "05-animal", "05-junk-b")
    assert "05-junk-a" in match.snapshot()["floor"]


def test_a_twin_turned_exactly_onto_the_card_played_may_never_be_seen() -> None:
    match, table = begin()
    table.put("05-junk-a", "floor", "A")
    table.show(match, 1)
    table.put("05-junk-a", "cap-A", "A")
    for _ in range(4):
        wait(match, table)
    assert told(match) == [("play", "A", "05-junk-a"), ("flip", "A", "05-junk-b"), ("jjok", "A", "05-junk-a", "05-junk-b"),
                           ("capture", "A", "05-junk-a", "05-junk-b")]


def test_of_two_that_look_alike_in_one_place_the_one_that_lay_open_before_came_first() -> None:
    match, table = begin()
    changes = tuple(Change(n, t, kind, track, name, before, after) for n, (t, kind, track, name, before, after) in enumerate([
        (2000, "appear", 30, "02-junk-b", "", "floor"), (20000, "appear", 31, "02-junk-a", "", "floor"),
        (22000, "move", 30, "02-junk-b", "floor", "cap-A"), (22000, "move", 31, "02-junk-a", "floor", "cap-A")], 1))
    seen = (Seen(30, "02-junk-b", zone="cap-A"), Seen(31, "02-junk-a", zone="cap-A"))
    sight = look(match.evening.state, TableState(23000, seen, changes=changes, zones=table.zones))
    a, b = (match.evening.state.house.pack.names.index(name) for name in ("02-junk-a", "02-junk-b"))
    assert (sight.came[a][1], sight.came[b][1]) == (2000, 20000)


def test_a_card_overlooked_for_a_moment_keeps_the_time_when_it_came() -> None:
    """It is followed under another number from then on; that it has lain there for long does not make it another card."""
    match, table = begin()
    changes = (Change(1, 2000, "appear", 30, "02-junk-a", "", "floor"), Change(2, 9500, "leave", 30, "02-junk-a", "floor"),
               Change(3, 10000, "appear", 40, "02-junk-a", "", "floor"))
    sight = look(match.evening.state, TableState(11000, (Seen(40, "02-junk-a", zone="floor"),), changes=changes, zones=table.zones))
    assert sight.came[match.evening.state.house.pack.names.index("02-junk-a")][1] == 2000


@pytest.mark.parametrize(("visible", "name"), [(0.4, "01-bright"), (1.0, "11-bright")], ids=["a strip", "whole"])
def test_a_name_read_from_a_strip_makes_no_wrong_turn_of_a_right_one(visible: float, name: str) -> None:
    match, table = begin()
    turn(match, table, "A", "01-bright", "12-ribbon", ("01-bright", "01-ribbon"))
    wait(match, table)
    assert told(match)[0] == ("play", "A", "01-bright")
    match.watch.clear.clear()                    # it was never seen better
    for _ in range(4):
        table.wait(800)
        state = table.state()
        match.observe(replace(state, seen=tuple(replace(s, card="11-bright", visible=visible) if s.card == "01-bright" else s for s in state.seen)))
    assert told(match)[0] == ("play", "A", name)


def test_a_joker_from_the_hand_and_one_from_the_stock() -> None:
    match, table = begin()
    table.put("joker-2", "cap-A")
    table.show(match)
    assert told(match) == []                     # its substitute and the flip are still to come
    turn(match, table, "A", "05-animal", "11-junk-a")
    table.show(match)
    assert told(match) == [("play", "A", "joker-2"), ("flip", "A", "05-animal"), ("flip", "A", "11-junk-a"), ("joker", "A", "joker-2"),
                           ("capture", "A", "joker-2")]
    table.put("12-animal", "floor")
    table.put("joker-3", "cap-B")
    table.put("12-ribbon", "floor")
    table.show(match, 2)
    table.put(("12-animal", "12-ribbon"), "cap-B")
    table.show(match)
    assert told(match)[5:] == [("play", "B", "12-animal"), ("flip", "B", "joker-3"), ("flip", "B", "12-ribbon"),
                               ("jjok", "B", "12-animal", "12-ribbon"), ("joker", "B", "joker-3"),
                               ("capture", "B", "12-animal", "12-ribbon", "joker-3")]


# declarations ---------------------------------------------------------------------------------------------------------


def test_a_triple_shown_in_its_place() -> None:
    match, table = begin()
    table.put(("12-bright", "12-animal", "12-ribbon"), "reveal-A")
    table.show(match)
    assert told(match) == [("shake", "A", "12-bright", "12-animal", "12-ribbon")]
    table.take(("12-bright", "12-animal", "12-ribbon"))
    turn(match, table, "A", "12-animal", "11-junk-a")
    assert told(match)[1:] == [("play", "A", "12-animal"), ("flip", "A", "11-junk-a")]
    assert match.snapshot()["players"][0]["shakes"] == 1


def test_a_triple_shown_on_the_floor_or_in_passing() -> None:
    match, table = begin()
    table.put(("12-bright", "12-animal", "12-ribbon"), "floor")
    table.show(match)
    assert [e[0] for e in told(match)] == ["shake"]
    table.take(("12-bright", "12-animal", "12-ribbon"))
    table.show(match)
    assert [e[0] for e in told(match)] == ["shake"]
    match, table = begin()
    table.put(("12-bright", "12-animal", "12-ribbon"), "floor")
    table.take(("12-bright", "12-animal", "12-ribbon"))
    table.show(match)
    table.show(match)
    assert told(match) == [("shake", "A", "12-bright", "12-animal", "12-ribbon")]


def test_four_in_hand_wins_and_the_winner_deals_next() -> None:
    match, table = begin("korean-3p", ("A", "B", "C"), floor=FLOOR[:6])
    table.put(("12-bright", "12-animal", "12-ribbon", "12-junk-double"), "reveal-B")
    table.show(match)
    assert [e[:2] for e in told(match)] == [("chongtong", "B"), ("settle", "B")]
    assert match.final()["final"]["payout"] == {"A": 3, "C": 3}
    assert match.game.result(match.evening.state).dealer == "B"


def test_four_laid_on_the_floor_asks_whose_they_are() -> None:
    match, table = begin()
    table.put(("12-bright", "12-animal", "12-ribbon", "12-junk-double"), "floor")
    table.show(match)
    table.wait(1500)
    table.show(match)
    assert match.state == "unsure"
    question = match.snapshot()["questions"][0]
    assert [o["events"][0] for o in question["options"]] == ["chongtong"] * 2
    assert match.command({"command": "answer", "question": question["id"], "key": "1"}).ok
    assert [e["event"] for e in match.record()] == ["deal", "chongtong", "settle"]


# the deal -------------------------------------------------------------------------------------------------------------


def test_the_deal_waits_for_jokers_to_be_replaced() -> None:
    match, table = Match("gostop", "classic", ("A", "B"), "B"), Table(("A", "B"))
    table.put((*FLOOR[:7], "joker-3"), "floor")
    table.show(match)
    assert match.record() == []
    table.put("joker-3", "cap-B")
    table.show(match)
    assert match.record() == []
    table.put(FLOOR[7], "floor")
    table.show(match)
    assert [(e["event"], e["player"], e["jokers"]) for e in match.record()] == [("deal", "B", ["joker-3"])]
    assert match.evening.state.stock == 50 - 20 - 8 - 1
    assert match.snapshot()["players"][1]["junk"] == 3


def test_four_in_the_centre_void_the_deal_and_the_same_dealer_deals_again() -> None:
    match, table = Match("gostop", "classic", ("A", "B"), "B"), Table(("A", "B"))
    table.put(("01-bright", "01-ribbon", "01-junk-a", "01-junk-b", *FLOOR[4:]), "floor")
    table.show(match)
    assert [e["event"] for e in match.record()] == ["deal", "deal-void"]
    assert match.state == "over"
    table.take(list(table.where))
    table.put(FLOOR, "floor")
    table.show(match, 5)
    assert [e["event"] for e in match.record()] == ["deal", "deal-void", "deal"]
    assert (match.evening.deal, match.evening.dealer, match.evening.state.nagari) == (2, "B", 0)
    korean = Match("gostop", "matgo-2p", ("A", "B"), "B")
    again = Table(("A", "B"))
    again.put(("01-bright", "01-ribbon", "01-junk-a", "01-junk-b", *FLOOR[4:]), "floor")
    again.show(korean)
    assert [e["event"] for e in korean.record()] == ["deal", "nagari"]
    assert korean.command({"command": "next-deal"}).ok
    assert korean.evening.state.nagari == 1
    wins = Match("gostop", "classic", ("A", "B"), "B", overrides={"quad_floor": "dealer-wins"})
    third = Table(("A", "B"))
    third.put(("01-bright", "01-ribbon", "01-junk-a", "01-junk-b", *FLOOR[4:]), "floor")
    third.show(wins)
    assert wins.final()["final"]["payout"] == {"A": 10}


def test_a_deal_of_three_in_the_centre_makes_a_stack() -> None:
    match, _ = begin(floor=TRIPLE)
    assert match.snapshot()["stacks"] == [{"month": 1, "cards": ["01-ribbon", "01-junk-a", "01-junk-b"], "made_by": None}]


# out of step ----------------------------------------------------------------------------------------------------------


def test_joining_a_game_under_way() -> None:
    match, table = Match("gostop", "classic", ("A", "B"), "A"), Table(("A", "B"))
    table.put(("01-ribbon", "03-ribbon", "08-bright"), "floor")
    table.put(("02-animal", "04-animal", "08-animal", "05-junk-a"), "cap-A")
    table.put(("06-junk-a", "06-junk-b"), "cap-B")
    for _ in range(8):
        table.wait(1000)
        table.show(match, 1)
    assert match.state == "out-of-sync"
    assert match.snapshot()["out_of_sync"][0]["problem"] == "not-dealt"
    assert match.command({"command": "resync", "use": "table"}).ok
    shot = match.snapshot()
    assert shot["players"][0]["total"] == 5
    assert sorted(shot["floor"]) == ["01-ribbon", "03-ribbon", "08-bright"]
    assert match.state == "watching"
    turn(match, table, "A", "01-bright", "11-junk-a", ("01-bright", "01-ribbon"))
    assert [e[0] for e in told(match, 0)] == ["play", "flip", "capture"]


def test_a_table_that_contradicts_the_log_is_said_to_and_resolved_either_way() -> None:
    for use in ("table", "log"):
        match, table = begin()
        turn(match, table, "A", "01-bright", "11-junk-a", ("01-bright", "01-ribbon"))
        table.put("01-ribbon", "floor")
        for _ in range(6):
            table.wait(1000)
            table.show(match, 1)
        assert match.state == "out-of-sync"
        assert match.snapshot()["out_of_sync"][0]["cards"] == ["01-ribbon"]
        assert match.command({"command": "resync", "use": use}).ok
        assert match.state == "watching"
        assert ("01-ribbon" in match.snapshot()["floor"]) is (use == "table")
    assert GAME.adopt(match.evening.state, table.state()) != ()


def test_nothing_to_adopt_where_table_and_log_agree() -> None:
    match, table = begin()
    assert GAME.adopt(match.evening.state, table.state()) == ()
    assert GAME.expected(match.evening.state, table.state()) == ()


def test_many_new_cards_at_once_are_no_turn() -> None:
    match, table = begin()
    table.put([f"{m:02d}-junk-b" for m in range(1, 10)], "floor")
    for _ in range(6):
        table.wait(1000)
        table.show(match, 1)
    assert told(match) == []
    assert match.snapshot()["out_of_sync"][0]["problem"] == "not-explained"


def test_cards_swept_together_propose_a_stop() -> None:
    match, table = begin("classic", ("A", "B", "C"), floor=FLOOR[:6])
    match.append([make("capture", "A", ("02-animal", "04-animal", "08-animal", "05-junk-a", "05-junk-b", "06-junk-b"))], table.t)
    table.put(("02-animal", "04-animal", "08-animal", "05-junk-a", "05-junk-b", "06-junk-b"), "cap-A")
    turn(match, table, "A", "01-bright", "11-junk-a", ("01-bright", "01-ribbon"))
    assert match.snapshot()["to_decide"] == "A"
    table.take(list(table.where))
    table.wait(2000)
    table.show(match)
    table.wait(1500)
    table.show(match)
    assert match.state == "unsure"
    question = match.snapshot()["questions"][0]
    assert [o["label"] for o in question["options"]] == ["swept-stop", "swept-void"]
    assert match.command({"command": "answer", "question": question["id"], "key": "0"}).ok
    assert match.final()["final"]["winner"] == "A"


# sight ----------------------------------------------------------------------------------------------------------------


def test_two_cards_of_one_name_are_told_apart_by_where_they_lay() -> None:
    match, table = begin()
    state = match.evening.state
    seen = table.state()
    ghost = Seen(999, "01-ribbon", zone="cap-A", order=99, sure=False)
    sight = look(state, TableState(seen.t_ms, (*seen.seen, ghost), zones=seen.zones))
    assert sight.floor == state.floor
    assert sight.caps == (0, 0)
    twin = Seen(998, "02-junk-a", zone="cap-A", order=98)
    sight = look(state, TableState(seen.t_ms, (*seen.seen, twin), zones=seen.zones))
    assert state.house.pack.cards(sight.caps[0]) == ("02-junk-b",)


def test_what_is_not_a_card_of_the_pack_is_passed_over() -> None:
    match, table = begin()
    seen = table.state()
    more = (Seen(900, "Td", zone="floor"), Seen(901, "back", zone="floor", face_up=False), Seen(902, "", zone="floor"),
            Seen(903, "12-bright", zone="hand-A"), Seen(904, "12-bright", zone="floor", state="moving"),
            Seen(905, "01-junk-a", zone="nowhere"))
    sight = look(match.evening.state, TableState(seen.t_ms, (*seen.seen, *more), zones=seen.zones))
    assert sight.floor & ~match.evening.state.floor == match.evening.state.house.pack.mask(["01-junk-a"])


def test_an_unsure_name_is_waited_for() -> None:
    match, table = begin()
    turn(match, table, "A", "07-junk-a", "11-junk-a")
    assert len(told(match)) == 2
    table.put(("12-animal", "05-animal"), "floor")
    seen = table.state()
    cards = tuple(Seen(s.track, s.card, zone=s.zone, order=s.order, sure=s.card != "05-animal") for s in seen.seen)
    doubtful = TableState(seen.t_ms, cards, changes=seen.changes, zones=seen.zones)
    assert [e.events for e in GAME.observe(match.evening.state, seen, doubtful)] == [()]
    assert all(e.events for e in GAME.observe(match.evening.state, seen, table.state()))


def test_a_likelier_name_under_which_the_turn_is_not_over_yet_is_waited_for() -> None:
    match, table = begin()
    table.put(("07-junk-a", "08-animal"), "floor")
    table.wait(2000)
    seen = table.state()
    names = (("08-animal", 0.7), ("12-animal", 0.3))
    cards = tuple(replace(s, names=names, sure=False) if s.card == "08-animal" else s for s in seen.seen)
    for _ in range(3):
        assert match.observe(replace(seen, t_ms=table.state().t_ms, seen=cards)) == ()
    table.put(("08-animal", "08-bright"), "cap-A")
    table.show(match)
    assert told(match) == [("play", "A", "07-junk-a"), ("flip", "A", "08-animal"), ("capture", "A", "08-bright", "08-animal")]


def test_a_card_that_nobody_saw_is_not_guessed_while_the_hand_may_carry_it() -> None:
    match, table = begin()
    table.put("12-animal", "floor")
    table.put("02-junk-a", "cap-A")
    table.show(match, 1)
    assert told(match) == []
    table.put("02-animal", "cap-A")     # and not the twin that nobody can see exactly upon the other
    table.show(match)
    assert [e[:2] for e in told(match)] == [("play", "A"), ("flip", "A"), ("capture", "A")]


def test_a_card_seen_on_the_stock_came_when_it_was_laid_in_the_centre() -> None:
    match, table = begin()
    table.put("12-animal", "stock")
    table.put("07-junk-a", "floor")
    table.put("12-animal", "floor")
    table.show(match)
    assert told(match) == [("play", "A", "07-junk-a"), ("flip", "A", "12-animal")]


def test_a_stop_that_is_said_before_the_eye_has_settled() -> None:
    """The capture lies, its name is not settled yet: the word counts, and the turn is logged before it."""
    match, table = begin("classic", ("A", "B", "C"), floor=FLOOR[:6])
    match.append([make("capture", "A", ("02-animal", "04-animal", "08-animal"))], table.t)
    table.put(("02-animal", "04-animal", "08-animal"), "cap-A")
    table.put(("01-bright", "11-junk-a"), "floor")
    table.put(("01-bright", "01-ribbon"), "cap-A")
    seen = table.state()
    cards = tuple(Seen(s.track, s.card, zone=s.zone, order=s.order, sure=s.card != "11-junk-a") for s in seen.seen)
    doubtful = TableState(seen.t_ms, cards, changes=seen.changes, zones=seen.zones)
    assert match.observe(doubtful) == ()
    assert match.command({"command": "stop", "player": "B"}).problem is not None
    assert match.command({"command": "stop", "player": "A"}).ok
    assert [e["event"] for e in match.record()][-5:] == ["play", "flip", "capture", "stop", "settle"]
    assert match.final()["final"]["payout"] == {"B": 5, "C": 5}


# what came under an arm, or to light late -----------------------------------------------------------------------------


def test_a_triple_shown_counts_once_though_its_twins_are_not_told_apart() -> None:
    match, table = begin()
    table.put(("05-ribbon", "05-animal", "05-junk-b"), "floor", "A")
    table.show(match)
    table.take(("05-ribbon", "05-animal", "05-junk-b"))
    for _ in range(6):
        table.show(match)
    assert [e["event"] for e in match.record()].count("shake") == 1


def test_swept_in_after_the_capture_is_a_card_of_another_month() -> None:
    match, table = begin()
    turn(match, table, "A", "01-bright", "11-junk-a", ("01-bright", "01-ribbon"))
    wait(match, table)
    table.put("03-ribbon", "cap-A")
    wait(match, table)
    assert [f["problem"] for f in match.snapshot()["flags"]] == ["wrong-month"]
