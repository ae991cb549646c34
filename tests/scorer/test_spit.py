"""Spit: the piles' rule, layouts, races and slaps within the measuring error, the log; public bug reports as rows."""
from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import permutations, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_cases import cases, recoloured, renamed, wrong

from scorer.cards import FRENCH
from scorer.errors import InputError
from scorer.events import Event, make
from scorer.games.simulate import play_game, policy
from scorer.games.spit import GAME, audit, judge, sight
from scorer.games.spit.layout import centre, deadlock, full_layout, gather, layout, may_spit_on, new_layout_due, played_out
from scorer.games.spit.piles import RANKS, PileRules, adjacent, any_fits, fits, rank_of
from scorer.games.spit.state import SpitState, Stock
from scorer.games.spit.touch import SlapRules, Touch, TouchRules, race, slap, smaller_pile
from scorer.match import Match
from scorer.ruleset import preset_names

SAME_COLOURS = [{"c": "s", "s": "c"}, {"d": "h", "h": "d"}, {"c": "d", "d": "c", "h": "s", "s": "h"}]


@pytest.mark.parametrize("case", cases("cases-spit.jsonl", "spit"), ids=lambda c: c["id"])
def test_worked_cases(case: dict[str, Any]) -> None:
    """As given, with the players exchanged, and with suits exchanged that leave the colours alike or apart."""
    assert wrong(case, judge) == {}
    assert wrong(renamed(case, {"A": "B", "B": "A"}), judge) == {}
    for suits in SAME_COLOURS:
        assert wrong(recoloured(case, suits), judge) == {}


# -- what goes on what -----------------------------------------------------------------------------------------------


def test_every_pair_of_ranks() -> None:
    """All 169 pairs: each rank has exactly two neighbours, the ring is closed, nothing else fits."""
    ring = [{RANKS[i], RANKS[(i + 1) % 13]} for i in range(13)]
    for a, b in product(RANKS, RANKS):
        assert adjacent(a, b) == ({a, b} in ring and a != b)
        assert fits(a, b) == fits(b, a) == adjacent(a, b)
        assert fits(a, b, PileRules(equal_ranks=True)) == (adjacent(a, b) or a == b)
    assert {r for r in RANKS if fits("A", r)} == {"2", "K"}
    assert {r for r in RANKS if fits("K", r)} == {"A", "Q"}
    assert {r for r in RANKS if fits("2", r)} == {"A", "3"}


def test_every_pair_of_cards_in_alternating_colours() -> None:
    rules = PileRules(alternate_colours=True)
    for top, card in product(FRENCH, FRENCH):
        red = [c[1] in "dh" for c in (top, card)]
        assert fits(top, card, rules) == (adjacent(top[0], card[0]) and red[0] != red[1])
        assert fits(top, card) == adjacent(top, card)
    assert fits("7", "8", rules)  # a bare rank has no colour to break the rule


def test_names() -> None:
    assert (rank_of("10"), rank_of("10h"), rank_of("Td")) == ("T", "T", "T")
    for name in ("", "1", "11", "Zd", "8x", "joker", "8dd"):
        with pytest.raises(InputError):
            rank_of(name)
    assert not any_fits([], ["8"])
    assert any_fits(["7", "K"], ["3", "A"])


# -- layouts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("piles", [4, 5])
def test_every_layout(piles: int) -> None:
    """0 to 52 cards: none is lost, pile n has at most n + 1 cards, spit cards only beside a full layout."""
    for cards in range(53):
        dealt = layout(cards, piles)
        assert sum(dealt.stock_piles) + dealt.spit_cards == cards
        assert len(dealt.stock_piles) <= piles
        assert all(n == i + 1 for i, n in enumerate(dealt.stock_piles[:-1]))
        assert dealt.opens_spit_pile == (dealt.spit_cards > 0) == (cards > full_layout(piles))
        both = centre({"A": cards, "B": 52 - cards}, piles)
        assert both == tuple(p for p, n in (("A", cards), ("B", 52 - cards)) if n > full_layout(piles))
        assert both  # one of two players always has a spit card


def test_who_spits_and_where() -> None:
    stuck = {"A": ["2", "3"], "B": ["4", "5"]}
    tops = ["8", "J"]
    assert [deadlock(tops, stuck, {"A": a, "B": b}) for a, b in ((1, 1), (0, 1), (1, 0), (0, 0))] == [
        "both-spit", "one-spit", "one-spit", "new-layout"]
    assert deadlock(tops, {"A": ["7"], "B": ["2"]}, {"A": 0, "B": 0}) == "continue"
    assert deadlock(tops, stuck, {"A": 1, "B": 1}, face_down_tops=["B"]) == "continue"
    assert deadlock(tops, stuck, {"A": 1, "B": 1}, useful_empty_space=["A"]) == "continue"
    assert deadlock(tops, {"A": [], "B": ["7"]}, {"A": 1, "B": 1}) == "new-layout"
    assert deadlock(["8d"], {"A": ["7h"], "B": ["2c"]}, {"A": 1, "B": 1}, rules=PileRules(alternate_colours=True)) == "both-spit"
    assert may_spit_on("L", ("L", "R"))
    assert not may_spit_on("X", ("L", "R"))
    assert [may_spit_on(p, ("L", "R"), "R") for p in "LR"] == [False, True]
    assert new_layout_due({"A": 0, "B": 4})
    assert not new_layout_due({"A": 1, "B": 4}, {"A": 0, "B": 1}, stuck=True)


def test_gathering_and_winning() -> None:
    assert gather({"A": 10}, {"A": 0, "B": 8}, {"A": 7, "B": 27}) == {"A": 17, "B": 35}
    assert played_out({"A": 0, "B": 4}, {"A": 0, "B": 4}) == "A"
    assert played_out({"A": 0, "B": 4}, {"A": 1, "B": 4}) is None
    assert played_out({"A": 0, "B": 0}, {"A": 0, "B": 0}) is None


# -- races -----------------------------------------------------------------------------------------------------------


def touches(*rows: tuple[str, str, float], sigma: float | None = None) -> list[Touch]:
    return [Touch(p, t, card, "L", sigma) for p, card, t in rows]


RACES = [  # top, touches, verdict, accepted, refused, top after
    ("7", (("A", "8", 0), ("B", "6", 40)), "decided", "A", "B", "8"),
    ("7", (("A", "8", 40), ("B", "6", 0)), "decided", "B", "A", "6"),
    ("7", (("A", "8", 0), ("B", "6", 33)), "too-close", "", "", None),
    ("7", (("A", "8", 0), ("B", "6", 34)), "decided", "A", "B", "8"),
    ("7", (("A", "8", 0), ("B", "9", 40)), "decided", "AB", "", "9"),
    ("7", (("A", "8", 0), ("B", "9", 10)), "too-close", "", "", None),       # the other way round the nine would not fit
    ("7", (("A", "8", 0), ("B", "3", 10)), "decided", "A", "B", "8"),        # the three fits in no order: nothing hangs on it
    ("7", (("A", "3", 0), ("B", "4", 10)), "decided", "", "AB", "7"),
    ("7", (("A", "8", 0), ("B", "8", 100)), "decided", "A", "B", "8"),
    ("K", (("A", "A", 0), ("B", "2", 50)), "decided", "AB", "", "2"),
    ("7", (("A", "8", 0), ("B", "6", 50), ("A", "9", 100)), "decided", "AA", "B", "9"),
    ("7", (("A", "8", 0),), "decided", "A", "", "8"),
    ("7", (), "decided", "", "", "7"),
]


@pytest.mark.parametrize(("top", "rows", "verdict", "accepted", "refused", "after"), RACES)
def test_races(top: str, rows: tuple[Any, ...], verdict: str, accepted: str, refused: str, after: str | None) -> None:
    for order in permutations(touches(*rows)):
        ruling = race(top, order)
        told = ruling.verdict, "".join(ruling.accepted), "".join(sorted(ruling.refused)), ruling.top
        assert told == (verdict, accepted, refused, after)


def test_a_known_deviation_replaces_the_flat_error() -> None:
    """|gap| < 2σ of the difference: σ 5 ms each makes 14.1 ms."""
    verdicts = [race("7", touches(("A", "8", 0), ("B", "6", gap), sigma=5)).verdict for gap in (0, 14, 15)]
    assert verdicts == ["too-close", "too-close", "decided"]
    assert race("7", touches(("A", "8", 0), ("B", "6", 60)), sigma_ms=40).verdict == "too-close"
    assert race("7", touches(("A", "8", 0), ("B", "6", 80)), sigma_ms=40).verdict == "decided"
    assert race("7", touches(("A", "8", 0), ("B", "6", 0), sigma=0)).verdict == "too-close"
    assert race("7", touches(("A", "8", 0), ("B", "6", 20)), TouchRules(measuring_error_ms=10)).verdict == "decided"


touch_rows = st.lists(st.tuples(st.sampled_from("AB"), st.sampled_from(RANKS), st.integers(0, 200)), max_size=5)


@given(st.sampled_from(RANKS), touch_rows, st.integers(0, 60))
def test_a_decided_race_is_right_in_every_order_left_open(top: str, rows: list[tuple[str, str, int]], error: int) -> None:
    """Whatever the true times within the error, a decided ruling is the one that the true order gives."""
    ruling = race(top, touches(*rows), TouchRules(measuring_error_ms=error))
    if ruling.verdict == "too-close":
        assert any(abs(a[2] - b[2]) <= error for i, a in enumerate(rows) for b in rows[:i])
        return
    now, accepted = top, []
    for player, card, _ in sorted(rows, key=lambda r: r[2]):
        if fits(now, card):
            now = card
            accepted.append(player)
    assert (ruling.top, sorted(ruling.accepted)) == (now, sorted(accepted))
    assert len(ruling.accepted) + len(ruling.refused) == len(rows)


# -- slaps -----------------------------------------------------------------------------------------------------------


def hands(*rows: tuple[str, str, float], sigma: float | None = None) -> list[Touch]:
    return [Touch(p, t, pile=pile, sigma_ms=sigma) for p, pile, t in rows]


SLAPS = [  # hands, under, verdict, who gets L, by
    ((("A", "L", 0), ("B", "R", 120)), None, "decided", "A", "own-pile"),
    ((("A", "R", 0), ("B", "L", 0)), None, "decided", "B", "own-pile"),         # no order needed
    ((("A", "L", 0), ("B", "L", 60)), "B", "decided", "B", "under-hand"),       # what lies beneath beats the clock
    ((("A", "L", 0), ("B", "L", 60)), None, "decided", "A", "first-touch"),
    ((("B", "R", 0), ("A", "R", 60)), None, "decided", "A", "first-touch"),
    ((("A", "L", 0), ("B", "L", 33)), None, "too-close", None, ""),
    ((("A", "L", 0), ("B", "L", 5)), "A", "decided", "A", "under-hand"),
    ((("A", "R", 10),), None, "decided", "B", "other-pile"),
    ((("A", "R", 0), ("A", "L", 90), ("B", "L", 200)), None, "decided", "B", "own-pile"),  # a hand's first touch counts
    ((), None, "waiting", None, ""),
    ((("A", "X", 0),), None, "waiting", None, ""),
]


@pytest.mark.parametrize(("rows", "under", "verdict", "left", "by"), SLAPS)
def test_slaps(rows: tuple[Any, ...], under: str | None, verdict: str, left: str | None, by: str) -> None:
    for order in permutations(hands(*rows)):
        ruling = slap({"L": 9, "R": 15}, order, under=under)
        assert (ruling.verdict, ruling.by) == (verdict, by)
        assert ruling.gets == ({} if left is None else {left: "L", "AB".replace(left, ""): "R"})


def test_slap_with_deviation_and_variations() -> None:
    """`decided` unless |gap| < 2σ; early slaps, single piles and the choosing variation."""
    for gap, sigma, verdict in ((20, 5, "decided"), (13, 5, "too-close"), (60, 30, "too-close"), (90, 30, "decided")):
        assert slap({"L": 1, "R": 2}, hands(("A", "L", 0), ("B", "L", gap), sigma=sigma)).verdict == verdict
    ruling = slap({"L": 1, "R": 2}, hands(("A", "L", 0), ("B", "L", 20), sigma=3))
    assert (ruling.order, ruling.gap_ms, round(ruling.sigma_ms or 0, 2)) == (("A", "B"), 20, 4.24)
    assert slap({"L": 1, "R": 2}, hands(("A", "L", 0)), early=True).verdict == "void"
    assert slap({"R": 20}, [], emptied_by="A").gets == {"B": "R"}
    assert slap({"R": 20}, hands(("A", "R", 0)), emptied_by="A").gets == {"B": "R"}
    assert slap({"R": 20}, []).verdict == "waiting"
    chooses = SlapRules(winner_chooses=True)
    assert slap({"L": 9, "R": 5}, [], chooses, emptied_by="B", choice="L").gets == {"B": "L", "A": "R"}
    assert slap({"L": 9, "R": 5}, hands(("A", "R", 0), ("B", "L", 50)), chooses, emptied_by="B").gets == {"B": "L", "A": "R"}
    assert slap({"L": 9, "R": 5}, [], chooses, emptied_by="B").gets == {"B": "R", "A": "L"}
    assert slap({"L": 9, "R": 5}, [], chooses, emptied_by="B", choice="X").verdict == "waiting"
    assert smaller_pile({"L": 9, "R": 5}) == "R"
    assert smaller_pile({"L": 5, "R": 5}) is smaller_pile({"L": 5}) is None


@given(st.lists(st.tuples(st.sampled_from("AB"), st.sampled_from("LR"), st.floats(0, 500)), max_size=6), st.sampled_from(["A", "B", None]))
def test_no_pile_is_given_twice(rows: list[tuple[str, str, float]], under: str | None) -> None:
    ruling = slap({"L": 9, "R": 15}, hands(*rows), under=under)
    assert len(set(ruling.gets.values())) == len(ruling.gets) in (0, 2)
    assert (ruling.verdict == "decided") == bool(ruling.gets)


# -- the log ---------------------------------------------------------------------------------------------------------

TOPS = ("8c", "2c", "3c", "4c", "Ac", "8d", "2d", "4d", "5d", "Ad")


OPENING = (make("layout", None, TOPS, counts=[5, 5]), make("spit", "A", ("7s",), pile="L"), make("spit", "B", ("Js",), pile="R"))


def table(ruleset: str = "classic", **options: Any) -> SpitState:
    """A first layout with known tops, piles 7 (L, A's) and J (R, B's)."""
    state = GAME.start(GAME.rules(ruleset), ("A", "B"), "A", options)
    return after(state, *OPENING)


def after(state: SpitState, *events: Event) -> SpitState:
    for event in events:
        assert GAME.check(state, event) is None, (event, GAME.check(state, event))
        state = GAME.apply(state, event)
        assert audit(state) == ""
    return state


def lay(player: str, card: str, pile: str, t_ms: int = 0) -> Event:
    return Event("play", player, (card,), "camera", make("x", pile=pile).args, t_ms=t_ms)


def stocked(state: SpitState, a: list[Stock], b: list[Stock], spit: tuple[int, int] = (0, 0), **fields: Any) -> SpitState:
    """The state with other stocks; the spit piles hold what is missing to 52."""
    pad = [Stock()] * 5
    rows = (tuple((a + pad)[:5]), tuple((b + pad)[:5]))
    left = sum(s.count for row in rows for s in row) + sum(spit)
    piles = (replace(state.piles[0], under=52 - left - 2, last=None), replace(state.piles[1], last=None))
    return replace(state, stocks=rows, spit_cards=spit, piles=piles, **fields)


def test_a_play_and_what_lies_under_it() -> None:
    state = after(table(), lay("A", "8c", "L"))
    assert (state.piles[0].cards, state.stocks[0][0], state.stock("A")) == (("7s", "8c"), Stock(0, ()), 14)
    assert GAME.view(state)["players"][0]["cards"] == 24
    state = after(state, make("move", "A", ("2c",), index=0), make("turn-up", "A", ("9c",), index=1), lay("A", "9c", "L"))
    assert state.stocks[0][:2] == (Stock(0, ("2c",)), Stock(0, ()))


CHECKS = [
    (lay("A", "8c", "L"), None, None), (lay("A", "8c", "R"), "illegal-play", "does-not-fit"),
    (lay("A", "8d", "L"), "illegal-play", "not-yours"),
    (lay("A", "7s", "L"), "illegal-play", "lies-elsewhere"), (lay("A", "9h", "L"), "illegal-play", "face-down"),
    (make("play", "A", (), pile="L"), "wrong-count", None), (lay("A", "8c", "X"), "not-started", None),
    (lay("C", "8c", "L"), "no-such-player", None),
    (make("spit", "A", ("9h",), pile="L"), "not-stuck", None), (make("spit", "A", ("9h",), pile="X"), "wrong-count", None),
    (make("move", "A", ("8c",), index=1), "no-empty-space", None), (make("move", "A", ("8d",), index=1), "illegal-play", "not-on-top"),
    (make("move", "A", ("8c",), index=9), "no-empty-space", None), (make("turn-up", "A", ("9h",), index=1), "nothing-to-turn", None),
    (make("stall"), "can-still-play", None), (make("slap", None, (), gets={"A": "L", "B": "R"}), "layout-not-over", None),
    (make("layout", None, TOPS, counts=[5, 5]), "layout-not-due", None), (make("win", "A"), "not-won", None),
    (make("refused", "A", ("8c",), pile="L"), None, None), (make("refused", "A", (), pile="L"), "wrong-count", None),
    (make("jump", "A"), "unknown-event", None),
]


@pytest.mark.parametrize(("tried", "code", "reason"), CHECKS)
def test_what_is_allowed(tried: Event, code: str | None, reason: str | None) -> None:
    found = GAME.check(table(), tried)
    assert (found.code if found else None) == code
    if reason:
        assert found is not None
        assert found.args["reason"] == reason


def test_stalls_and_the_lone_spitter() -> None:
    state = stocked(table(), [Stock(0, ("2c",))], [Stock(0, ("4d",))], (0, 3))
    assert [(e.kind, e.arg("next")) for e in GAME.follow(state)] == [("stall", "one-spit")]
    state = GAME.apply(state, GAME.follow(state)[0])
    assert (state.due, state.phase) == (("B",), "spit")
    assert GAME.check(state, make("spit", "A", ("9h",), pile="L")).code == "no-spit-cards"  # type: ignore[union-attr]
    state = after(state, make("spit", "B", ("9h",), pile="L"))  # the choice is B's
    assert state.fixed == "L"
    state = GAME.apply(state, GAME.follow(state)[0])
    found = GAME.check(state, make("spit", "B", ("6h",), pile="R"))
    assert found is not None
    assert (found.code, found.args["pile"]) == ("fixed-pile", "L")
    state = after(state, make("spit", "B", ("Qh",), pile="L"))
    state = GAME.apply(state, GAME.follow(state)[0])
    state = after(state, make("spit", "B", ("5h",), pile="L"))
    assert GAME.follow(state) == ()  # the four of diamonds goes on the five
    assert after(state, lay("B", "4d", "L")).phase == "slap"


def test_a_space_that_uncovers_a_card_comes_before_the_stall() -> None:
    state = stocked(table(), [Stock(1, ("2c",))], [Stock(0, ("4d",))], (1, 1))
    assert GAME.follow(state) == ()
    assert GAME.follow(after(state, make("move", "A", ("2c",), index=1))) == ()  # now a card lies face down
    rules = GAME.rules("classic", {"space_before_stuck": False})
    assert [e.kind for e in GAME.follow(replace(state, rules=rules))] == ["stall"]


def test_the_slap_the_gathering_and_the_next_layout() -> None:
    state = stocked(table(), [Stock(0, ("8c",))], [Stock(3, ("4d",)), Stock(0, ("5d",))], (2, 11))
    state = after(state, lay("A", "8c", "L"))
    assert (state.phase, state.emptied_by) == ("slap", "A")
    small = GAME.view(state)["smaller_pile"]
    assert small == "R"
    state = after(state, make("slap", None, (), verdict="decided", gets={"A": "R", "B": "L"}))
    assert (state.phase, state.owned) == ("layout", (1 + 2, 49))
    assert GAME.check(state, make("layout", None, ("2c", "3c"), counts=[1, 1])).code == "wrong-count"  # type: ignore[union-attr]
    tops = ("2c", "3c", "2d", "3d", "4d", "5d", "6d")
    state = after(state, make("layout", None, tops, counts=[2, 5]))
    assert [s.count for s in state.stocks[0]] == [1, 2, 0, 0, 0]
    assert (state.due, state.spit_cards) == (("B",), (0, 34))  # fewer than fifteen: only B starts a pile
    state = after(state, make("spit", "B", ("9s",), pile="R"))
    assert GAME.check(state, make("spit", "B", ("Ts",), pile="L")).code == "not-stuck"  # type: ignore[union-attr]


def test_with_a_single_pile_who_empties_first_takes_nothing() -> None:
    state = stocked(table(), [Stock(0, ("8c",))], [Stock(3, ("4d",))], (0, 5))
    state = replace(state, piles=(replace(state.piles[0], under=52 - 11),), rules=GAME.rules("classic", {"win_with_two_piles": False}))
    assert state.total == 52
    state = GAME.apply(state, lay("A", "8c", "L"))
    kinds = []
    while more := GAME.follow(state):
        kinds.append(more[0].kind)
        state = GAME.apply(state, more[0])
    assert kinds == ["win"]
    assert (state.winner, state.total) == ("A", 52)


def test_emptying_the_single_pile_with_spit_cards_left() -> None:
    state = stocked(table(), [Stock(3, ("4c",))], [Stock(0, ("8d",))], (0, 5))
    state = replace(state, piles=(replace(state.piles[0], under=52 - 11),))
    state = GAME.apply(state, lay("B", "8d", "L"))
    events = GAME.follow(state)
    assert [(e.kind, dict(e.arg("gets"))) for e in events] == [("gather", {"A": "L"})]
    assert GAME.apply(state, events[0]).owned == (4 + 43, 5)


def test_rid_of_everything_wins_and_the_switch() -> None:
    """The sheet: all spit and layout cards played wins, two spit piles or not."""
    for ruleset, kinds in (({}, ["win"]), ({"win_with_two_piles": False}, [])):
        state = stocked(table(), [Stock(0, ("8c",))], [Stock(3, ("4d",))], (0, 11), rules=GAME.rules("classic", ruleset))
        assert [e.kind for e in GAME.follow(GAME.apply(state, lay("A", "8c", "L")))] == kinds


def test_a_refused_card_goes_back() -> None:
    state = after(table(), lay("A", "8c", "L"))
    back = GAME.apply(state, make("refused", "A", ("8c",), pile="L", reason="beaten"))
    assert (back.piles[0].top, back.stocks[0][0].top) == ("7s", "8c")
    other = GAME.apply(state, make("refused", "B", ("8d",), pile="L", reason="beaten"))
    assert (other.piles, other.stocks) == (state.piles, state.stocks)


def test_a_race_too_close_is_asked_and_either_answer_fits() -> None:
    for first, top, owner in (("A", "8c", 14), ("B", "8d", 15)):
        match = Match("spit", players=("A", "B"))
        for event in [*OPENING, lay("A", "8c", "L", 5000)]:
            match.append([event], 4000)
        match.append([make("race", None, ("8c", "8d"), "auto", pile="L", verdict="too-close", order=["A", "B"], gap_ms=8, sigma_ms=6,
                           second={"player": "B", "t_ms": 5008})], 5008)
        question = match.snapshot()["questions"][0]
        assert (question["kind"], [o["key"] for o in question["options"]]) == ("race-order", ["A", "B"])
        assert match.snapshot()["prompt"] == "answer"
        assert match.command({"command": "answer", "question": question["id"], "key": first}).ok
        state = match.evening.state
        assert (state.piles[0].top, state.stock("A"), state.contest) == (top, owner, None)
        assert not match.snapshot()["questions"]


def test_a_slap_too_close_is_asked_and_can_be_overruled() -> None:
    state = stocked(table(), [Stock(0, ("8c",))], [Stock(3, ("4d",))], (2, 11))
    state = GAME.apply(state, lay("A", "8c", "L"))
    close = sight.slap_event(state, hands(("A", "L", 1000), ("B", "L", 1010)))
    assert (close.arg("verdict"), dict(close.arg("gets"))) == ("too-close", {})
    waiting = GAME.apply(state, close)
    asked = GAME.questions(waiting)[0]
    assert (asked.kind, [o.key for o in asked.options]) == ("slap-order", ["A:L", "B:L"])
    assert GAME.apply(waiting, asked.options[1].events[0]).gets == (("A", "R"), ("B", "L"))
    plain = sight.slap_event(state, hands(("A", "L", 1000), ("B", "L", 1060)))
    assert (plain.arg("verdict"), plain.arg("gap_ms"), plain.arg("order"), plain.t_ms) == ("decided", 60, ("A", "B"), 1000)


# -- public reports --------------------------------------------------------------------------------------------------


def test_reported_bugs() -> None:
    # 57 ekzhang/setwithfriends#2: two claim one top; the first counts, the second is judged against the new top
    ruling = race("7", touches(("A", "8", 1000), ("B", "6", 1050)))
    assert (ruling.accepted, ruling.refused) == (("A",), ("B",))
    # 58 ekzhang/setwithfriends#5: the end is looked for after every accepted card
    state = stocked(table(), [Stock(0, ("8c",))], [Stock(0, ("Th",))], (0, 0))
    state = GAME.apply(state, lay("A", "8c", "L"))
    assert [e.player for e in GAME.follow(state)] == ["A"]
    assert GAME.check(state, lay("B", "Th", "R")).code == "layout-over"  # type: ignore[union-attr]
    # 59 ekzhang/setwithfriends#114: equal within the error is undecided, never guessed
    assert slap({"L": 9, "R": 15}, hands(("A", "L", 0), ("B", "L", 0))).verdict == "too-close"
    # 60 dozingcat/MousePounce#31: only the spit piles are slapped
    assert slap({"L": 9, "R": 15}, hands(("A", "A0", 0), ("B", "L", 500))).gets == {"B": "L", "A": "R"}
    # 61 dozingcat/MousePounce#6: a repeated touch does not reset the first one's time
    assert slap({"L": 9, "R": 15}, hands(("A", "L", 0), ("B", "L", 60), ("A", "L", 90))).gets == {"A": "L", "B": "R"}
    # 62 benjamintd/codegame.cards#24: one card is played once
    state = after(table(), lay("A", "8c", "L"))
    assert GAME.apply(state, lay("A", "8c", "L")) == state
    # 63 OWASP/cornucopia#2502: a second press deals nothing
    state = table()
    assert GAME.check(state, make("layout", None, TOPS, counts=[5, 5])).code == "layout-not-due"  # type: ignore[union-attr]
    assert GAME.apply(state, make("layout", None, TOPS, counts=[5, 5])) == state
    # 64 shlomif/PySolFC#369: a refusal says why
    found = GAME.check(state, make("move", "A", ("8c",), index=1))
    assert found is not None
    assert found.code == "no-empty-space"


# -- whole games, any events -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", preset_names("spit"))
@pytest.mark.parametrize("how", ["random", "sensible"])
def test_simulated_games_keep_every_invariant(ruleset: str, how: str) -> None:
    winners: Counter[str] = Counter()
    for seed in range(4):
        steps = list(play_game(GAME, GAME.rules(ruleset), ("A", "B"), seed, policy("spit", how)))
        end = steps[-1].state
        assert end.left(end.winner) == 0
        winners[end.winner] += 1
        tops: dict[str, list[str]] = {}
        for step in steps:  # every play fits what lay there
            if step.event.kind == "layout":
                tops = {}
            if step.event.kind in ("spit", "play"):
                pile = tops.setdefault(step.event.arg("pile"), [])
                rules = PileRules(ruleset == "alternate-colours")
                assert step.event.kind == "spit" or fits(pile[-1], step.event.cards[0], rules)
                pile.append(step.event.cards[0])
    assert sum(winners.values()) == 4


def event_of(kind: str, player: str | None, cards: list[str], args: dict[str, Any], t_ms: int) -> Event:
    return Event(kind, player, tuple(cards), "human", make("x", verdict="decided", counts=[5, 5], **args).args, t_ms=t_ms)


some_cards = st.sampled_from([*FRENCH[:16], "back", ""])
some_args = st.fixed_dictionaries({
    "pile": st.sampled_from(["L", "R", "X", None, 3]), "index": st.sampled_from([0, 1, 4, 5, -1, None]),
    "gets": st.sampled_from([{}, {"A": "L", "B": "R"}, {"B": "L"}, {"A": "R", "B": "R"}, "L"]),
    "stocks": st.dictionaries(st.sampled_from("ABZ"), st.lists(some_cards, max_size=6)),
    "piles": st.dictionaries(st.sampled_from("LRX"), some_cards)})
KINDS = ["layout", "spit", "play", "play", "play", "turn-up", "move", "refused", "race", "stall", "slap", "gather", "win", "resync"]
somebody = st.sampled_from(["A", "B", "Z", None])
some_event = st.builds(event_of, st.sampled_from(KINDS), somebody, st.lists(some_cards, max_size=2), some_args, st.integers(0, 9))


@settings(max_examples=200)
@given(st.lists(some_event, max_size=40), st.sampled_from(preset_names("spit")))
def test_52_cards_whatever_is_logged(events: list[Event], ruleset: str) -> None:
    rules = GAME.rules(ruleset)
    state = GAME.start(rules, ("A", "B"), "A", {})
    tops = TOPS if rules.stock_piles == 5 else (*TOPS[:4], *TOPS[5:9])
    for event in [make("layout", None, tops, counts=[rules.stock_piles] * 2), *events]:
        GAME.check(state, event)
        state = GAME.apply(state, event)
        assert audit(state) == ""
        for more in GAME.follow(state):
            assert GAME.check(state, more) is None
        GAME.questions(state)
        json.dumps(GAME.view(state))
        assert sum(t.amount for p in GAME.score(state).players for t in p.terms) == sum(state.left(p) for p in "AB")


def test_options_and_players() -> None:
    assert GAME.start(GAME.rules(), ("A", "B"), "A", {"cards": {"A": 20}}).owned == (20, 32)
    for cards in ({"A": 0}, {"A": 52}, {"A": "x"}, 5):
        assert GAME.start(GAME.rules(), ("A", "B"), "A", {"cards": cards}).owned == (26, 26)
    for players in (("A",), ("A", "B", "C")):
        with pytest.raises(InputError):
            GAME.start(GAME.rules(), players, "A", {})


# -- the judge beyond the worked cases -------------------------------------------------------------------------------

MORE = [  # case, answer fields
    ({"kind": "legal", "top": "7", "card": "8", "from": "spit-cards"}, {"legal": False}),
    ({"kind": "legal", "top": "10", "card": "J"}, {"legal": True}),
    ({"kind": "legal", "top": "7h", "card": "8d", "option": "alternate-colours"}, {"legal": False}),
    ({"kind": "legal", "top": "7h", "card": "8d", "ruleset": "alternate-colours"}, {"legal": False}),
    ({"kind": "source", "stock": ["5", "9"], "play": "9"}, {"legal": True}),
    ({"kind": "source", "stock": ["5", "9"], "play": "5"}, {"legal": False}),
    ({"kind": "source", "stock": ["5", "9"], "play_index": "top"}, {"legal": True}),
    ({"kind": "source", "stock": ["5", "9*"], "play_index": "top"}, {"legal": False}),
    ({"kind": "source", "stock": [], "play": "5"}, {"legal": False}),
    ({"kind": "flip", "stock_top_face_down": False}, {"legal": False}),
    ({"kind": "move", "empty_spaces": 1, "card_face_up": False}, {"legal": False}),
    ({"kind": "move", "stock_piles": 4, "card_face_up": True}, {"legal": True}),
    ({"kind": "move", "stock_piles": 4, "card_face_up": True, "option": "four-piles"}, {"legal": False}),
    ({"kind": "move", "stock_tops": ["8", "8"], "target": "stock pile with an eight"}, {"legal": False}),
    ({"kind": "move", "stock_tops": ["8", None], "target": "empty space"}, {"legal": True}),
    ({"kind": "retract", "played": "9 on 7", "request": "take back"}, {"allowed": True}),   # it never counted
    ({"kind": "retract", "played": "6 on 7"}, {"allowed": False}),
    ({"kind": "race", "pile_top": "7", "touches": [{"player": "A", "card": "8", "t_ms": 1000}, {"player": "B", "card": "6", "t_ms": 1020}]},
     {"accepted": [], "refused": [], "pile_after": None, "result": "undecided"}),
    ({"kind": "race", "pile_top": "7", "sigma_ms": 40,
      "touches": [{"player": "A", "card": "8", "t_ms": 1000}, {"player": "B", "card": "6", "t_ms": 1060}]},
     {"accepted": [], "refused": [], "pile_after": None, "result": "undecided"}),
    ({"kind": "one-spit", "spitter": "B", "piles": ["L", "R"], "fixed_pile": None, "choice": "L"}, {"legal": True}),
    ({"kind": "one-spit", "spitter": "B", "piles": ["L", "R"], "fixed_pile": "R", "choice": "L"}, {"legal": False}),
    ({"kind": "layout", "cards": 0}, {"stock_piles": [], "spit_cards": 0, "opens_spit_pile": False}),
    ({"kind": "layout", "cards": 14}, {"stock_piles": [1, 2, 3, 4, 4], "spit_cards": 0, "opens_spit_pile": False}),
    ({"kind": "centre", "cards": {"A": 12, "B": 40}}, {"spit_piles": 1, "started_by": "B"}),
    ({"kind": "centre", "cards": {"A": 12, "B": 40}, "option": "four-piles"}, {"spit_piles": 2}),
    ({"kind": "slap", "piles": {"L": 9, "R": 15}, "hands": [{"player": "A", "pile": "L", "t_ms": 0}], "early": True},
     {"gets": {}, "result": "void"}),
    ({"kind": "slap", "piles": {"L": 9, "R": 15}, "emptied_by": "A", "choice": "R", "option": "winner-chooses"},
     {"gets": {"A": "R", "B": "L"}}),
    ({"kind": "slap", "piles": {"L": 9, "R": 15}, "choice": {"B": "L"}, "option": "winner-chooses"}, {"gets": {"B": "L", "A": "R"}}),
    ({"kind": "slap", "smaller": "R", "emptied_by": "A", "option": "winner-chooses"}, {"gets": {"A": "R", "B": "L"}}),
    ({"kind": "slap", "piles": {"L": 9, "R": 15}, "emptied_by": "A"}, {"gets": {}, "result": "undecided"}),
    ({"kind": "redeal", "pile_taken": {"A": 3, "B": 9}, "stock_left": {"A": 0, "B": 20}, "spit_left": {"A": 0, "B": 20}},
     {"new_total": {"A": 3, "B": 49}, "winner": None}),
    ({"kind": "end", "stock": {"A": 0, "B": 5}, "spit_cards": {"A": 0, "B": 3}}, {"winner": "A", "next": "over"}),
    ({"kind": "end", "stock": {"A": 2, "B": 5}, "spit_cards": {"A": 0, "B": 0}}, {"winner": None, "next": "continue"}),
]


@pytest.mark.parametrize(("case", "answer"), MORE)
def test_more_cases(case: dict[str, Any], answer: dict[str, Any]) -> None:
    assert judge({"game": "spit", **case}) == answer


def test_a_case_of_no_kind() -> None:
    for kind in ("slaps", None, 5):
        with pytest.raises(InputError) as e:
            judge({"game": "spit", "kind": kind})
        assert e.value.code == "unknown-kind"


# -- taking the table as it lies -------------------------------------------------------------------------------------

RESYNCS = [  # stocks told, piles told, tops of the piles after, cards left of A and B
    ({"A": ["", "2c", "3c", "4c", "Ac"]}, {"L": "8c"}, ["8c", "Js"], (24, 25)),              # the eight was played
    ({"A": ["8c", "6h", "3c", "4c", "Ac"]}, {"L": "2c"}, ["2c", "Js"], (24, 25)),            # the two, and the next was turned up
    ({}, {"L": "Js"}, ["7s", "Js"], (25, 25)),  # the right pile would be left bare: not believed
    ({}, {"R": "9h"}, ["7s", "9h"], (24, 25)),                                               # a strange card was spat
    ({"A": ["8c", "2c", "3c", "4c", "9h"]}, {}, ["7s", "Js"], (24, 25)),
    ({"A": ["8c"], "B": 5}, {"X": "2c", "L": "joker", "R": None}, ["7s", "Js"], (25, 25)),
]


@pytest.mark.parametrize(("stocks", "piles", "tops", "left"), RESYNCS)
def test_resync(stocks: dict[str, Any], piles: dict[str, Any], tops: list[str], left: tuple[int, int]) -> None:
    state = GAME.apply(table(), make("resync", None, (), "human", stocks=stocks, piles=piles))
    assert ([p.top for p in state.piles], (state.left("A"), state.left("B"))) == (tops, left)
    assert audit(state) == ""


def test_resync_without_spit_cards_takes_a_card_that_nobody_saw() -> None:
    state = stocked(table(), [Stock(1, ("2c",))], [Stock(0, ("4d",))], (0, 0))
    state = GAME.apply(state, make("resync", None, (), "human", stocks={}, piles={"L": "9h"}))
    assert (state.piles[0].top, state.stocks[0][0], audit(state)) == ("9h", Stock(0, ("2c",)), "")
    last = stocked(table(), [Stock(0, ("8c",))], [Stock(0, ("4d",))], (1, 0))
    emptied = GAME.apply(last, make("resync", None, (), "human", stocks={"A": [""]}, piles={"L": "8c"}))
    assert (emptied.phase, emptied.emptied_by) == ("slap", "A")


def test_more_refusals() -> None:
    state = table()
    one = stocked(state, [Stock(0, ("2c",))], [Stock(0, ("4d",))], (0, 3), owned=(14, 38), own=(("B", "R"),), due=("B",))
    one = replace(one, piles=(replace(one.piles[1], under=one.piles[0].count + one.piles[1].under),), phase="spit")
    codes = [GAME.check(one, make("spit", "B", ("9h",), pile=p)) for p in "LR"]
    assert [c.code if c else None for c in codes] == ["one-pile-only", None]
    under = replace(state, stocks=((Stock(0, ("9c", "8c")), *state.stocks[0][1:]), state.stocks[1]))
    for tried, code in ((lay("A", "9c", "L"), "under-top"), (make("turn-up", "A", ("8d",), index=0), None)):
        found = GAME.check(under, tried)
        assert found is not None
        assert code in (None, found.args.get("reason"))
    over = GAME.apply(stocked(state, [Stock(0, ("8c",))], [Stock(3, ("4d",))], (2, 11)), lay("A", "8c", "L"))
    tries = (lay("B", "4d", "L"), make("spit", "B", ("9h",), pile="L"), make("turn-up", "B", ("9h",), index=0),
             make("move", "B", ("4d",), index=3), make("slap", None, (), gets={"A": "L"}), make("slap", None, (), verdict="void"),
             make("gather", None, (), gets={"A": "L"}))
    codes = [GAME.check(over, tried) for tried in tries]
    assert [c.code if c else None for c in codes] == ["layout-over"] * 4 + ["wrong-count", None, "slap-first"]
    final = GAME.apply(over, make("win", "A"))
    assert GAME.check(final, make("stall")).code == "game-over"  # type: ignore[union-attr]
    assert GAME.apply(final, make("stall")) == final


def test_audit_tells_what_is_wrong() -> None:
    state = table()
    assert audit(replace(state, spit_cards=(9, 10))) == "51 cards lie on the table"
    twice = replace(state, piles=(replace(state.piles[0], cards=("8c",)), state.piles[1]))
    assert audit(twice) == "a card lies in two places"
