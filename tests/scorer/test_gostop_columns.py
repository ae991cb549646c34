"""The table of house rules read across: one position, its answer under each of the four rulesets (RULES.md 6 and 6.1)."""
from __future__ import annotations

from typing import Any

import pytest

from scorer.games.gostop import judge

RULESETS = ("classic", "international", "korean-3p", "matgo-2p")
JUNK = [f"{m:02d}-junk-{x}" for m in range(1, 12) for x in "ab"]
HONGDAN = ["01-ribbon", "02-ribbon", "03-ribbon"]
BRIGHTS = ["01-bright", "03-bright", "08-bright"]
STACK5 = ["05-ribbon", "05-animal", "05-junk-a"]
GIVER = {"B": ["07-junk-a", "07-junk-b", "09-junk-b"]}
SAFE_B, SAFE_C = [*JUNK[:8], "12-bright"], [*JUNK[8:14], "11-bright"]


def play(card: str) -> dict[str, Any]:
    return {"type": "play", "card": card}


def asked(ruleset: str, kind: str, **case: Any) -> dict[str, Any]:
    return judge({"game": "gostop", "kind": kind, "ruleset": ruleset, **case})


# what the winner's three points become: case -> chips of B (and C where three play) per ruleset, matgo with B alone
PAYOUTS: list[tuple[str, dict[str, Any], tuple[Any, Any, Any, Any]]] = [
    ("H4: one go", {"goes": 1}, ((4, 4), (4, 4), (4, 4), (4,))),
    ("H4: two goes", {"goes": 2}, ((5, 5), (5, 5), (5, 5), (5,))),
    ("H5: three goes", {"goes": 3}, ((6, 6), (12, 12), (12, 12), (12,))),
    ("H5: four goes", {"goes": 4}, ((14, 14), (28, 28), (28, 28), (28,))),
    ("H5: six goes", {"goes": 6}, ((18, 18), (144, 144), (144, 144), (144,))),
    ("H41: one dead deal", {"prev_nagari": True}, ((6, 6), (6, 6), (6, 6), (6,))),
    ("H41: two", {"nagari_streak": 2}, ((6, 6), (12, 12), (12, 12), (12,))),
    ("H41: four", {"nagari_streak": 4}, ((6, 6), (48, 48), (24, 24), (24,))),
    ("H23, H24: a triple shown and a bomb", {"shakes": 1, "bombs": 1}, ((6, 6), (12, 12), (12, 12), (12,))),
    ("H24: two bombs", {"bombs": 2}, ((3, 3), (12, 12), (12, 12), (12,))),
    ("H14: B said go", {"losers_goes": {"B": 1}}, ((3, 3), (6, 0), (6, 0), (6,))),
    ("H15: so had the winner, first", {"goes": 1, "losers_goes": {"B": 2}, "first_caller": "A"}, ((4, 4), (8, 0), (8, 0), (8,))),
    ("H14: before what B can pay", {"losers_goes": {"B": 1}, "wallet": {"B": 4}}, ((3, 3), (4, 0), (4, 0), (4,))),
    ("H45: nothing in front of B", {"wallet": {"B": 0}}, ((0, 3), (0, 3), (0, 3), (0,))),
]


@pytest.mark.parametrize("column", range(4), ids=RULESETS)
@pytest.mark.parametrize(("rule", "case", "right"), PAYOUTS, ids=lambda v: v if isinstance(v, str) else "")
def test_payment(rule: str, case: dict[str, Any], right: tuple[Any, ...], column: int) -> None:
    captured = {"A": HONGDAN, "B": SAFE_B} | ({"C": SAFE_C} if column < 3 else {})
    got = asked(RULESETS[column], "payout", players=list(captured), captured=captured, winner="A", **case)
    assert tuple(got["payout"].values()) == right[column], rule


# the loser's captures against ten junk of the winner's -> what it pays for the one point; C is safe
PIBAK: list[tuple[str, list[str], tuple[int, int, int]]] = [
    ("H8: five", JUNK[10:15], (2, 2, 2)),
    ("H8: six", JUNK[10:16], (1, 1, 1)),
    ("H9: none", [], (2, 2, 1)),
    ("H16: three and a double", [*JUNK[10:13], "11-junk-double"], (2, 2, 2)),
    ("H19: three and the joker of three", [*JUNK[10:13], "joker-3"], (1, 1, 1)),
    ("H17, H18: four and the cup", [*JUNK[10:14], "09-animal"], (2, 1, 1)),
    ("H18: three and the cup", [*JUNK[10:13], "09-animal"], (2, 2, 2)),
    ("H18: the cup alone stays an animal where none is exempt", ["09-animal"], (2, 2, 1)),
]


@pytest.mark.parametrize("column", range(3), ids=RULESETS[:3])
@pytest.mark.parametrize(("rule", "held", "right"), PIBAK, ids=lambda v: v if isinstance(v, str) else "")
def test_pi_bak(rule: str, held: list[str], right: tuple[int, ...], column: int) -> None:
    captured = {"A": JUNK[:10], "B": held, "C": JUNK[16:22]}
    got = asked(RULESETS[column], "payout", players=["A", "B", "C"], captured=captured, winner="A")
    assert got["payout"] == {"B": right[column], "C": 1}, rule


@pytest.mark.parametrize(("junk", "right"), [(7, 14), (8, 7)])
def test_pi_bak_of_two(junk: int, right: int) -> None:
    """H8: seven with two players."""
    got = asked("matgo-2p", "payout", players=["A", "B"], captured={"A": [*JUNK[:14], "joker-2"], "B": JUNK[14:14 + junk]}, winner="A")
    assert got["payout"] == {"B": right}


ANIMALS = ["02-animal", "04-animal", "08-animal", "06-animal", "07-animal", "10-animal", "09-animal"]


@pytest.mark.parametrize(("why", "junk", "loser", "forced", "points", "pays"), [
    ("the seventh animal doubles", 0, JUNK[:8], None, 8, 16),
    ("forced to junk it does not", 0, JUNK[:8], "junk", 7, 7),
    ("as junk it brings pi-bak, and more", 9, JUNK[10:15], None, 9, 18),
    ("unless the loser is safe from that", 9, JUNK[10:18], None, 8, 16),
])
def test_the_winners_cup(why: str, junk: int, loser: list[str], forced: str | None, points: int, pays: int) -> None:
    """H17: chosen by what is paid, after the multipliers."""
    got = asked("matgo-2p", "payout", players=["A", "B"], captured={"A": [*ANIMALS, *JUNK[:junk]], "B": loser}, winner="A", sake_cup=forced)
    assert (got["points"]["total"], got["payout"]) == (points, {"B": pays}), why


# override -> what B and C pay for three points (the base is `korean-3p`)
OVERRIDES: list[tuple[str, dict[str, Any], dict[str, Any], tuple[int, int]]] = [
    ("H6: double only", {"go_add_always": False}, {"goes": 3}, (6, 6)),
    ("H5: times the goes", {"go_times": True}, {"goes": 3}, (18, 18)),
    ("H7", {"order": "multiply-first"}, {"goes": 1, "shakes": 1}, (7, 7)),
    ("H13", {"redbak": 2}, {}, (6, 6)),
    ("H14: off", {"gobak": "off"}, {"losers_goes": {"B": 1}}, (3, 3)),
    ("H14: each for itself", {"gobak": "double"}, {"losers_goes": {"B": 1}}, (6, 3)),
    ("H14: and its own part doubled", {"gobak": "liability-double"}, {"losers_goes": {"B": 1}}, (9, 0)),
    ("H14: the last caller", {"gobak_caller": "last"}, {"losers_goes": {"B": 1, "C": 1}, "first_caller": "B"}, (0, 6)),
    ("H41", {"nagari_max": 16}, {"nagari_streak": 6}, (48, 48)),
    ("H44", {"mission_max": 8}, {"mission": 4}, (12, 12)),
    ("H45", {"payout_max": 4}, {"shakes": 1}, (4, 4)),
]


@pytest.mark.parametrize(("rule", "override", "case", "right"), OVERRIDES, ids=lambda v: v if isinstance(v, str) else "")
def test_override(rule: str, override: dict[str, Any], case: dict[str, Any], right: tuple[int, int]) -> None:
    got = asked("korean-3p", "payout", players=["A", "B", "C"], captured={"A": HONGDAN, "B": SAFE_B, "C": SAFE_C}, winner="A",
                override=override, **case)
    assert tuple(got["payout"].values()) == right, rule


@pytest.mark.parametrize(("rule", "override", "right"), [
    ("A-17: per opponent", {}, (3, 6)),
    ("A-17: only where none has a bright", {"gwangbak_all": True}, (3, 3)),
    ("H11: the rain does not protect", {"gwangbak_rain": False}, (6, 6)),
    ("H11: off", {"gwangbak": 1}, (3, 3)),
])
def test_gwang_bak(rule: str, override: dict[str, Any], right: tuple[int, int]) -> None:
    got = asked("classic", "payout", players=["A", "B", "C"], captured={"A": BRIGHTS, "B": [*JUNK[:6], "12-bright"], "C": JUNK[6:12]},
                winner="A", override=override)
    assert tuple(got["payout"].values()) == right, rule


# event of player B -> chips from each opponent, by ruleset; none: nobody pays
EVENTS: list[tuple[str, dict[str, Any], tuple[int, int, int, int]]] = [
    ("H28", {"kind": "ppuk-streak", "turns": [1]}, (0, 0, 3, 7)),
    ("H29", {"kind": "ppuk-streak", "turns": [1, 2]}, (0, 0, 6, 14)),
    ("H29, H30: the third in a row wins as well", {"kind": "ppuk-streak", "turns": [1, 2, 3]}, (0, 0, 15, 28)),
    ("H29: not from the first turn on", {"kind": "ppuk-streak", "turns": [2, 3]}, (0, 0, 0, 0)),
    ("H30: three, not from the first turn on", {"kind": "ppuk-streak", "turns": [2, 3, 4]}, (0, 0, 3, 7)),
    ("H30", {"kind": "three-ppuk"}, (0, 0, 3, 7)),
    ("H31", {"kind": "first-ttadak"}, (0, 0, 3, 7)),
    ("H38", {"kind": "chongtong", "players": ["B"]}, (5, 5, 3, 10)),
    ("H39", {"kind": "quad-floor"}, (0, 0, 0, 0)),
    ("H42", {"kind": "nagari", "go_by": "B", "score_at_go": 7, "score_at_end": 6}, (0, 0, 0, 0)),
]


@pytest.mark.parametrize("column", range(4), ids=RULESETS)
@pytest.mark.parametrize(("rule", "event", "right"), EVENTS, ids=lambda v: v if isinstance(v, str) else "")
def test_event(rule: str, event: dict[str, Any], right: tuple[int, ...], column: int) -> None:
    players = ["A", "B"] if column == 3 else ["A", "B", "C"]
    whole = event if event["kind"] in ("chongtong", "quad-floor", "nagari") else {**event, "player": "B"}
    for streak in (0, 2):               # A-21: dead deals multiply no fixed award
        got = asked(RULESETS[column], "event", players=players, event=whole, nagari_streak=streak)
        assert got["payout"] == ({p: right[column] for p in players if p != "B"} if right[column] else {}), rule


@pytest.mark.parametrize(("ruleset", "holders", "right"), [
    ("classic", ["A", "B"], {"A": -5, "B": -5, "C": 10}), ("international", ["C", "A"], {"A": -5, "C": -5, "B": 10}),
    ("korean-3p", ["A", "B"], {}), ("classic", ["A", "B", "C"], {}), ("korean-3p", ["A", "B", "C"], {}),
])
def test_several_hold_four_of_a_month(ruleset: str, holders: list[str], right: dict[str, int]) -> None:
    """H40, A-04."""
    assert asked(ruleset, "event", players=["A", "B", "C"], event={"kind": "chongtong", "players": holders})["payout"] == right


@pytest.mark.parametrize(("ruleset", "event", "right"), [
    ("classic", {"player": "D", "brights": 2, "unit": 2}, {}),
    ("international", {"player": "D", "brights": 2, "unit": 2}, {"B": 4, "C": 4}),
    ("korean-3p", {"player": "B", "brights": 3, "unit": 2}, {"C": 6, "D": 6}),
    ("korean-3p", {"player": "D", "brights": 1}, {"B": 2, "C": 2}),
    ("korean-3p", {"player": "D", "brights": 2, "unit": 100, "triple": True}, {"B": 400, "C": 400}),
    ("korean-3p", {"player": "D", "brights": 0, "unit": 2}, {}),
])
def test_selling(ruleset: str, event: dict[str, Any], right: dict[str, int]) -> None:
    """H43: the two who do not deal pay; A deals."""
    assert asked(ruleset, "event", players=["A", "B", "C", "D"], event={"kind": "sell", **event})["payout"] == right


FIVE = [{"month": 5, "cards": STACK5, "made_by": "B"}]
OWN = [{"month": 5, "cards": STACK5, "made_by": "A"}]
BURIED = [{"month": 5, "cards": [*STACK5, "joker-2"], "made_by": "A"}]
BOMB = {"type": "bomb", "month": 5}

# position -> (events, junk cards taken from B) by ruleset; B holds three singles
TURNS: list[tuple[str, dict[str, Any], tuple[tuple[str, int], ...]]] = [
    ("H34: one card cleared", {"floor": ["05-ribbon"], "action": play("05-animal"), "stock": []},
     (("", 0), ("sweep", 1), ("sweep", 1), ("sweep", 1))),
    ("H34: two of one month cleared", {"floor": ["05-ribbon", "05-junk-b"], "action": play("05-animal"), "stock": ["05-junk-a"]},
     (("ttadak", 1), ("ttadak sweep", 2), ("ttadak sweep", 2), ("ttadak sweep", 2))),
    ("H34, H35: a stack and a card", {"floor": ["08-bright"], "stacks": FIVE, "action": play("05-junk-b"), "stock": ["08-junk-a"]},
     (("stack-capture", 1), *(("stack-capture sweep", 2),) * 3)),
    ("H25: a bomb", {"floor": ["05-junk-b", "08-bright"], "hand": STACK5, "action": BOMB, "stock": ["01-ribbon"]},
     (("bomb", 0), ("bomb", 1), ("bomb", 1), ("bomb", 1))),
    ("H25, H34: a bomb that clears", {"floor": ["05-junk-b", "08-bright"], "action": BOMB, "stock": ["08-junk-a"]},
     (("bomb sweep", 1), *(("bomb sweep", 2),) * 3)),
    ("H33: one's own stack, from the stock", {"floor": ["08-bright"], "stacks": OWN, "action": play("01-ribbon"), "stock": ["05-junk-b"]},
     (("ja-ppuk", 2),) * 4),
    ("H36: ... on the last turn",
     {"floor": ["08-bright"], "stacks": OWN, "action": play("01-ribbon"), "stock": ["05-junk-b"], "last_turn": True},
     (("ja-ppuk", 2), ("ja-ppuk", 2), ("ja-ppuk", 2), ("ja-ppuk", 0))),
    ("H21: ... with a joker beneath", {"floor": ["08-bright"], "stacks": BURIED, "action": play("05-junk-b"), "stock": ["01-ribbon"]},
     (("ja-ppuk", 2), ("ja-ppuk", 2), ("ja-ppuk", 2), ("ja-ppuk", 3))),
    ("H36: ppuk on the last turn",
     {"floor": ["05-ribbon", "08-bright"], "action": play("05-animal"), "stock": ["05-junk-a"], "last_turn": True},
     (("ppuk", 0), ("", 0), ("", 0), ("", 0))),
    ("H36: ttadak on the last turn",
     {"floor": ["05-ribbon", "05-junk-b", "08-bright"], "action": play("05-animal"), "stock": ["05-junk-a"], "last_turn": True},
     (("ttadak", 1), ("", 0), ("", 0), ("", 0))),
    ("H21: jjok with a joker between", {"floor": ["08-bright"], "action": play("05-animal"), "stock": ["joker-3", "05-junk-a"]},
     (("jjok joker", 1), ("jjok joker", 1), ("jjok joker", 1), ("jjok joker", 2))),
    ("H22: ppuk with a joker between", {"floor": ["05-ribbon", "08-bright"], "action": play("05-animal"), "stock": ["joker-3", "05-junk-a"]},
     (("joker ppuk", 0), ("joker ppuk", 0), ("ppuk", 0), ("ppuk", 0))),
    ("H20: a joker from the hand", {"floor": ["08-bright"], "action": {"type": "joker", "card": "joker-2"},
                                    "stock": ["05-animal", "01-ribbon"]}, (("joker", 0), ("joker", 0), ("joker", 0), ("joker", 1))),
    ("H27: the stock card alone, on a stack of the deal",
     {"floor": ["08-bright"], "stacks": [{**FIVE[0], "made_by": None}], "action": {"type": "flip-only"}, "stock": ["05-junk-b"]},
     (("stack-capture", 1),) * 4),
]


@pytest.mark.parametrize("column", range(4), ids=RULESETS)
@pytest.mark.parametrize(("rule", "case", "right"), TURNS, ids=lambda v: v if isinstance(v, str) else "")
def test_turn(rule: str, case: dict[str, Any], right: tuple[tuple[str, int], ...], column: int) -> None:
    got = asked(RULESETS[column], "turn", players=["A", "B"], turn="A", **{"stacks": [], "captured_before": GIVER, **case})
    events, taken = right[column]
    assert (sorted(got["events"]), len(got["stolen"].get("B", []))) == (sorted(events.split()), taken), rule
    assert got["turn_continues"] == (case["action"]["type"] == "joker" and column >= 2)
