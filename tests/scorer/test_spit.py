"""Spit: the piles' rule, layouts, races and slaps within the measuring error; the worked cases and more."""
from __future__ import annotations

from itertools import permutations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_cases import cases, recoloured, renamed, wrong

from scorer.cards import FRENCH
from scorer.errors import InputError
from scorer.games.spit import judge
from scorer.games.spit.layout import centre, deadlock, full_layout, gather, layout, may_spit_on, new_layout_due, played_out
from scorer.games.spit.piles import RANKS, PileRules, adjacent, any_fits, fits, rank_of
from scorer.games.spit.touch import SlapRules, Touch, TouchRules, race, slap, smaller_pile

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


# -- cases of the kinds' forms beyond the given ones; the rule of the sheet (S4) that decides each -----------------------


def _stuck(a: list[str], b: list[str], **more: Any) -> dict[str, Any]:
    return {"kind": "deadlock", "pile_tops": ["7", "J"], "stock_tops": {"A": a, "B": b}, "spit_cards": {"A": 3, "B": 2}, **more}


@pytest.mark.parametrize(("case", "answer", "rule"), [
    (_stuck([], ["2"], face_down_tops=["B"]), {"next": "new-layout"}, "new layout (a): a player has got rid of all stock cards"),
    (_stuck([], ["8"]), {"next": "new-layout"}, "new layout (a), though the other could play on"),
    (_stuck([], ["2"], face_down_tops=["A"]), {"next": "continue"}, "A-33: all of A's tops lie face down, they can be turned"),
    (_stuck(["*", "3"], ["2"]), {"next": "continue"}, "A-33: a face-down top among the tops"),
    ({"kind": "move", "stock_piles": 4, "target": "new sixth place"}, {"legal": False}, "never more than five stock piles"),
    ({"kind": "move", "empty_spaces": 1, "target": "new sixth place"}, {"legal": False}, "never more than five stock piles"),
    ({"kind": "move", "empty_spaces": 1, "target": "new fifth place", "option": "four-piles"}, {"legal": False}, "A-39: four places"),
    ({"kind": "move", "stock_piles": 4, "target": "fifth place"}, {"legal": True}, "empty space: the fifth place of five"),
    ({"kind": "move", "empty_spaces": 1, "target": "occupied space"}, {"legal": False}, "empty space: nothing on another pile"),
    ({"kind": "slap", "piles": {"L": 15, "R": 9}, "emptied_by": "B", "option": "winner-chooses", "choice": "smaller"},
     {"gets": {"B": "R", "A": "L"}}, "variation: who empties the layout chooses the pile"),
    ({"kind": "slap", "piles": {"L": 15, "R": 9}, "choice": {"B": "R"}}, {"gets": {"B": "R", "A": "L"}}, "the same, by name"),
])
def test_cases_that_the_text_decides(case: dict[str, Any], answer: dict[str, Any], rule: str) -> None:
    given = judge({"game": "spit", **case})
    assert {key: given.get(key) for key in answer} == answer, rule
