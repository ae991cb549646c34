"""A turn's rules: the sheet's table row by row, the house variants, and what went wrong for others (section B of the reports)."""
from __future__ import annotations

from typing import Any

import pytest

from scorer.errors import InputError
from scorer.games.gostop import judge


def turn(**case: Any) -> dict[str, Any]:
    case = {"game": "gostop", "kind": "turn", "players": ["A", "B"], "turn": "A", "floor": [], "stacks": [], "captured_before": {}, **case}
    return judge(case)


def play(card: str) -> dict[str, Any]:
    return {"type": "play", "card": card}


GIVER = {"B": ["07-junk-a", "08-junk-a", "09-junk-b"]}
STACK5 = ["05-ribbon", "05-animal", "05-junk-a"]

# hand card, stock, floor, stacks made by -> captured, junk given, floor afterwards, events (the table of RULES.md 1.4)
SHEET: list[tuple[str, str, list[str], list[str], str | None, list[str], int, list[str], list[str]]] = [
    ("none, none", "02-junk-a", ["03-junk-a"], ["01-ribbon"], None, [], 0, ["01-ribbon", "02-junk-a", "03-junk-a"], []),
    ("none, one", "02-junk-a", ["01-junk-a"], ["01-ribbon"], None, ["01-ribbon", "01-junk-a"], 0, ["02-junk-a"], []),
    ("none, stack", "02-junk-a",
     ["05-junk-b"], ["08-bright"], "B", [*STACK5, "05-junk-b"], 1, ["08-bright", "02-junk-a"], ["stack-capture"]),
    ("none, itself", "02-junk-a", ["02-animal"], ["08-bright"], None, ["02-junk-a", "02-animal"], 1, ["08-bright"], ["jjok"]),
    ("one, none", "01-junk-a", ["03-junk-a"], ["01-ribbon"], None, ["01-ribbon", "01-junk-a"], 0, ["03-junk-a"], []),
    ("one, another", "01-junk-a", ["08-junk-b"], ["01-ribbon", "08-bright", "04-ribbon"], None,
     ["01-ribbon", "01-junk-a", "08-bright", "08-junk-b"], 0, ["04-ribbon"], []),
    ("stack, none", "05-junk-b",
     ["03-junk-a"], ["08-bright"], "B", [*STACK5, "05-junk-b"], 1, ["08-bright", "03-junk-a"], ["stack-capture"]),
    ("stack, one", "05-junk-b", ["08-junk-b"], ["08-bright", "04-ribbon"], "B", [*STACK5, "05-junk-b", "08-bright", "08-junk-b"], 1,
     ["04-ribbon"], ["stack-capture"]),
    ("own stack", "05-junk-b", ["03-junk-a"], ["08-bright"], "A", [*STACK5, "05-junk-b"], 2, ["08-bright", "03-junk-a"], ["ja-ppuk"]),
]


@pytest.mark.parametrize("row", SHEET, ids=lambda r: r[0])
def test_the_sheets_table(row: Any) -> None:
    _, hand, stock, floor, maker, captured, given, after, events = row
    stacks = [{"month": 5, "cards": STACK5, "made_by": maker}] if any("05-junk-b" in (hand, *stock) for _ in (0,)) and maker else []
    got = turn(floor=floor, stacks=stacks, captured_before=GIVER, action=play(hand), stock=stock)
    assert sorted(got["captured"]) == sorted(captured)
    assert len(got["stolen"].get("B", [])) == given
    assert sorted(got["floor_after"]) == sorted(after)
    assert got["events"] == events
    assert got["hand_added"] == []
    assert got["turn_continues"] is False


def test_two_stacks_in_one_turn_both_count() -> None:
    """RULES 1.5: two moments in one turn, each counts."""
    got = turn(floor=["08-bright"], captured_before=GIVER, action=play("05-junk-b"), stock=["06-junk-b"], stacks=[
        {"month": 5, "cards": STACK5, "made_by": "B"}, {"month": 6, "cards": ["06-animal", "06-ribbon", "06-junk-a"], "made_by": "A"}])
    assert got["events"] == ["stack-capture", "ja-ppuk"]
    assert len(got["stolen"]["B"]) == 3
    only = turn(floor=["08-bright"], captured_before=GIVER, action=play("05-junk-b"), stock=["06-junk-b"], override={"moments_add": False},
                stacks=[{"month": 5, "cards": STACK5, "made_by": "B"}, {"month": 6, "cards": ["06-animal", "06-ribbon", "06-junk-a"],
                                                                         "made_by": "A"}])
    assert len(only["stolen"]["B"]) == 2


def test_three_loose_cards_are_a_stack_of_the_deal() -> None:
    got = turn(floor=["05-ribbon", "05-animal", "05-junk-a", "08-bright"], captured_before=GIVER, action=play("05-junk-b"),
               stock=["01-ribbon"])
    assert got["events"] == ["stack-capture"]
    assert sorted(got["captured"]) == sorted([*STACK5, "05-junk-b"])
    less = turn(floor=["05-ribbon", "05-animal", "05-junk-a"], captured_before=GIVER, action=play("05-junk-b"), stock=["01-ribbon"],
                override={"deal_stack_steal": 0})
    assert less["stolen"] == {}


@pytest.mark.parametrize(("report", "case", "right"), [
    ("tscz/gostop#7: only a double to give",
     {"floor": ["08-bright"], "action": play("02-junk-a"), "stock": ["02-animal"], "captured_before": {"B": ["11-junk-double"]}},
     {"stolen": {"B": ["11-junk-double"]}}),
    ("tscz/gostop#6: ttadak takes junk",
     {"floor": ["03-junk-a", "03-junk-b", "08-bright"], "action": play("03-ribbon"), "stock": ["03-bright"], "captured_before": GIVER},
     {"stolen": {"B": ["07-junk-a"]}, "events": ["ttadak"], "floor_after": ["08-bright"]}),
    ("tscz/gostop#5: the player's choice",
     {"floor": ["04-ribbon", "04-junk-a"], "action": play("04-junk-b"), "stock": ["01-ribbon"], "choose": {"hand": "04-junk-a"}},
     {"captured": ["04-junk-a", "04-junk-b"], "floor_after": ["01-ribbon", "04-ribbon"]}),
    ("tscz/gostop: a stock card with two matches makes no stack",
     {"floor": ["05-ribbon", "05-junk-b"], "action": play("01-ribbon"), "stock": ["05-animal"], "choose": {"stock": "05-junk-b"}},
     {"captured": ["05-animal", "05-junk-b"], "stacks_after": []}),
    ("cs470-2020f-team36/go-stop-python commit 0778503: ttadak by its month",
     {"floor": ["05-ribbon", "06-ribbon", "08-bright"], "action": play("05-animal"), "stock": ["06-animal"], "captured_before": GIVER},
     {"events": [], "stolen": {}}),
    ("konlo/GoStop_antigravity commit 5b824a6: jjok is no ttadak as well",
     {"floor": ["08-bright"], "action": play("02-junk-a"), "stock": ["02-animal"], "captured_before": GIVER},
     {"events": ["jjok"], "stolen": {"B": ["07-junk-a"]}}),
    ("konlo/GoStop_antigravity commit a67c8e8: a bomb that sweeps, Korean",
     {"ruleset": "matgo-2p", "floor": ["05-junk-b", "08-bright"], "hand": ["05-animal", "05-ribbon", "05-junk-a"], "captured_before": GIVER,
      "action": {"type": "bomb", "month": 5}, "stock": ["08-junk-b"]},
     {"events": ["bomb", "sweep"], "stolen": {"B": ["07-junk-a", "08-junk-a"]}}),
    ("konlo/GoStop_antigravity commit a67c8e8: no sweep on the last turn, Korean",
     {"ruleset": "matgo-2p", "floor": ["05-ribbon"], "action": play("05-animal"), "stock": [], "last_turn": True, "captured_before": GIVER},
     {"events": [], "stolen": {}, "floor_after": []}),
    ("konlo/GoStop_antigravity commit cf832bb: only the stock card appears after a bomb",
     {"floor": ["08-bright"], "action": {"type": "flip-only"}, "stock": ["01-ribbon"]},
     {"captured": [], "floor_after": ["01-ribbon", "08-bright"]}),
    ("yubyunghun/hwatu-gostop-rl: two loose matches do not capture three",
     {"floor": ["05-ribbon", "05-junk-b"], "action": play("05-animal"), "stock": ["01-ribbon"]},
     {"captured": ["05-animal", "05-ribbon"], "floor_after": ["01-ribbon", "05-junk-b"]}),
    ("bipark/gostop-ts: ja-ppuk follows the player, not the last turn",
     {"stacks": [{"month": 5, "cards": STACK5, "made_by": "A"}], "action": play("05-junk-b"), "stock": ["01-ribbon"],
      "captured_before": GIVER},
     {"events": ["ja-ppuk"], "stolen": {"B": ["07-junk-a", "08-junk-a"]}}),
    ("kywoo26/p2p-gostop M1-review F-2: a cup placed as junk may be taken, after the doubles",
     {"ruleset": "matgo-2p", "floor": ["08-bright"], "action": play("02-junk-a"), "stock": ["02-animal"], "sake_cup": "junk",
      "captured_before": {"B": ["09-animal", "joker-3", "12-junk-double"]}}, {"stolen": {"B": ["12-junk-double"]}}),
    ("kywoo26/p2p-gostop M1-review F-2: ... and before the bonus cards",
     {"ruleset": "international", "floor": ["08-bright"], "action": play("02-junk-a"), "stock": ["02-animal"], "sake_cup": "junk",
      "captured_before": {"B": ["09-animal", "joker-3"]}}, {"stolen": {"B": ["09-animal"]}}),
    ("kywoo26/p2p-gostop M1-review F-2: kept as an animal it may not",
     {"ruleset": "matgo-2p", "floor": ["08-bright"], "action": play("02-junk-a"), "stock": ["02-animal"],
      "captured_before": {"B": ["09-animal", "joker-3"]}}, {"stolen": {"B": ["joker-3"]}}),
])
def test_public_reports(report: str, case: dict[str, Any], right: dict[str, Any]) -> None:
    got = turn(**case)
    for field, value in right.items():
        have = got[field]
        assert (sorted(have) if isinstance(have, list) and have and isinstance(have[0], str) else have) == value, (report, field)


@pytest.mark.parametrize(("why", "case", "right"), [
    ("H33: a double first is all, by worth", {"ruleset": "matgo-2p", "captured_before": {"B": ["11-junk-double", "12-junk-double"]}},
     ["11-junk-double"]),
    ("H33: two cards by count", {"captured_before": {"B": ["11-junk-double", "12-junk-double"]}}, ["11-junk-double", "12-junk-double"]),
    ("A-08: any time in the deal", {"captured_before": GIVER}, ["07-junk-a", "08-junk-a"]),
    ("H33: nothing for one's own", {"captured_before": GIVER, "override": {"jappuk_steal": 0}}, []),
    ("H36: the last turn, matgo", {"ruleset": "matgo-2p", "captured_before": GIVER, "last_turn": True}, []),
    ("H36: the last turn, the sheet", {"captured_before": GIVER, "last_turn": True}, ["07-junk-a", "08-junk-a"]),
])
def test_own_stack(why: str, case: dict[str, Any], right: list[str]) -> None:
    got = turn(**{"stacks": [{"month": 5, "cards": STACK5, "made_by": "A"}], "floor": ["08-bright"], "action": play("05-junk-b"),
                  "stock": ["01-ribbon"], **case})
    assert sorted(got["stolen"].get("B", [])) == right, why
    assert got["events"] == ["ja-ppuk"]


def test_jokers_in_a_row() -> None:
    got = turn(ruleset="matgo-2p", floor=["05-ribbon"], action=play("05-animal"), stock=["joker-2", "joker-3", "01-ribbon"],
               captured_before=GIVER)
    assert got["events"] == ["joker", "joker"]
    assert sorted(got["captured"]) == ["05-animal", "05-ribbon", "joker-2", "joker-3"]
    assert len(got["stolen"]["B"]) == 2
    buried = turn(ruleset="korean-3p", players=["A", "B", "C"], floor=["05-ribbon"], action=play("05-animal"),
                  stock=["joker-2", "joker-3", "05-junk-a"])
    assert buried["stacks_after"] == [{"month": 5, "cards": ["05-ribbon", "05-animal", "05-junk-a", "joker-2", "joker-3"], "made_by": "A"}]
    assert buried["captured"] == []


def test_a_buried_joker_takes_junk_on_the_last_turn_too() -> None:
    """H21, H36: the last turn's exceptions are ppuk, jjok, ttadak, sweep and the stack; no joker is among them."""
    for maker, event in (("B", "stack-capture"), ("A", "ja-ppuk")):
        got = turn(ruleset="matgo-2p", floor=["08-bright"], stacks=[{"month": 5, "cards": [*STACK5, "joker-2"], "made_by": maker}],
                   action=play("05-junk-b"), stock=["01-ribbon"], captured_before=GIVER, last_turn=True)
        assert (got["events"], got["stolen"]) == ([event], {"B": ["07-junk-a"]})


def test_a_joker_as_the_jokers_substitute() -> None:
    got = turn(floor=["05-ribbon", "08-bright"], action={"type": "joker", "card": "joker-2"}, stock=["joker-3", "05-animal", "05-junk-a"])
    assert sorted(got["captured"]) == ["joker-2", "joker-3"]
    assert got["events"] == ["joker", "joker", "ppuk"]
    assert got["stacks_after"][0]["cards"] == ["05-ribbon", "05-animal", "05-junk-a"]


def test_the_substitute_may_make_jjok_and_ttadak() -> None:
    got = turn(floor=["08-bright"], action={"type": "joker", "card": "joker-2"}, stock=["05-animal", "05-junk-a"], captured_before=GIVER)
    assert got["events"] == ["joker", "jjok"]
    got = turn(floor=["05-ribbon", "05-junk-b"], action={"type": "joker", "card": "joker-2"}, stock=["05-animal", "05-junk-a"],
               captured_before=GIVER)
    assert got["events"] == ["joker", "ttadak"]


def test_the_stock_may_be_empty() -> None:
    assert turn(floor=["05-ribbon"], action=play("05-animal"), stock=[])["captured"] == ["05-animal", "05-ribbon"]
    assert turn(floor=["05-ribbon"], action=play("05-animal"), stock=["joker-2"])["events"] == ["joker"]
    drawn = turn(ruleset="matgo-2p", action={"type": "joker", "card": "joker-2"}, stock=[])
    assert (drawn["hand_added"], drawn["turn_continues"]) == ([], True)


def test_bonus_cards_of_the_users_naming() -> None:
    case = {"floor": ["08-bright"], "action": play("02-junk-a"), "stock": ["tiger", "02-animal"],
            "override": {"bonus": {"tiger": 4, "fox": 1}}, "captured_before": {"B": ["fox", "11-junk-double"]}}
    got = turn(**case)
    assert sorted(got["captured"]) == ["02-animal", "02-junk-a", "tiger"]
    assert got["stolen"] == {"B": ["fox"]}


def test_a_small_bomb() -> None:
    got = turn(floor=["05-ribbon", "05-junk-b"], hand=["05-animal", "05-junk-a"], action={"type": "bomb", "month": 5}, stock=["01-ribbon"],
               override={"small_bomb": "plain"})
    assert sorted(got["captured"]) == ["05-animal", "05-junk-a", "05-junk-b", "05-ribbon"]


def test_names_come_back_as_they_were_given() -> None:
    got = turn(floor=["05-junk", "08-bright"], action=play("05-junk"), stock=["01-junk"], captured_before={"B": ["01-junk"]})
    assert got["captured"] == ["05-junk", "05-junk"]
    assert sorted(got["floor_after"]) == ["01-junk", "08-bright"]


@pytest.mark.parametrize(("case", "message"), [
    ({"action": {"type": "fold"}}, "no action"),
    ({"action": "play"}, "must be an object"),
    ({"action": {"type": "bomb", "month": 13}}, "give 1 to 12"),
    ({"action": play("05-tiger")}, "no card"),
    ({"action": play("05-animal"), "floor": ["05-animal"]}, "two places"),
    ({"action": play("05-animal"), "floor": "05-ribbon"}, "list of cards"),
    ({"action": play("05-animal"), "turn": "Z"}, "does not play"),
    ({"action": play("05-animal"), "stacks": [{"month": 4, "cards": STACK5[:1], "made_by": None}]}, "cards of its month"),
    ({"action": play("05-animal"), "stacks": ["05"]}, "must be an object"),
    ({"action": play("05-animal"), "ruleset": "mine"}, "no ruleset"),
    ({"action": play("05-animal"), "override": {"pibak_mx": 1}}, "did you mean"),
    ({"action": play("05-animal"), "captured_before": {"Z": []}}, "does not play"),
    ({"action": play("05-animal"), "players": ["A", "A"]}, "different names"),
    ({"action": play("05-animal"), "sake_cup": "soup"}, "animal or junk"),
    ({"kind": "tea"}, "no kind"),
    ({"action": {"type": "joker", "card": "05-animal"}}, "no bonus card"),
    ({"action": play("05-animal"), "floor": {"05-ribbon": 1}}, "list of cards"),
    ({"action": play("05-animal"), "floor": None}, "list of cards"),
    ({"action": play("05-animal"), "floor": ["joker-2"]}, "has a bonus card"),
    ({"action": play("05-animal"), "floor": ["08-bright", "08-animal", "08-junk-a", "08-junk-b"]}, "all four cards of month 8"),
    ({"action": play("05-animal"), "stacks": {"month": 5}}, "list of stacks"),
    ({"action": play("01-bright"), "stacks": [{"month": 5, "cards": STACK5[:2], "made_by": None}]}, "three cards of its month"),
    ({"action": play("01-bright"), "stacks": [{"month": 5, "made_by": None}]}, "list of cards"),
    ({"action": play("01-bright"), "stacks": [{"month": 6, "cards": STACK5, "made_by": None}]}, "three cards of its month"),
    ({"action": play("01-bright"), "stacks": [{"month": 5, "cards": STACK5, "made_by": None}], "floor": ["05-junk-b"]}, "all four"),
    ({"action": play("05-animal"), "stock": 5}, "list of cards"),
    ({"action": play("05-animal"), "last_turn": "no"}, "true or false"),
    ({"action": play("05-animal"), "players": ["A", "B", "C", "D"]}, "two or three"),
    ({"action": play("05-animal"), "hand": ["01-bright"]}, "not in the hand"),
    ({"action": play("05-animal"), "hand": ["05-animal", "05-animal"]}, "two places"),
    ({"action": play("05-animal"), "hand": ["05-animal", "05-ribbon"], "floor": ["05-ribbon"]}, "two places"),
    ({"action": play("05-animal"), "choose": ["05-ribbon"]}, "'choose' is"),
    ({"action": play("05-animal"), "choose": {"had": "05-ribbon"}}, "'choose' is"),
    ({"action": play("05-animal"), "floor": ["05-ribbon", "05-junk-a"], "choose": {"hand": "05-junk-b"}}, "not lie in the centre"),
    ({"action": play("05-animal"), "floor": ["05-ribbon", "05-junk-a", "08-bright"], "choose": {"hand": "08-bright"}}, "does not match"),
    ({"action": {"type": "bomb", "month": True}}, "give 1 to 12"),
    ({"action": {"type": "bomb", "month": 5}}, "no bomb of month 5"),
    ({"action": {"type": "bomb", "month": 5}, "floor": ["05-ribbon"], "captured_before": {"B": ["05-animal"]}}, "no bomb"),
    ({"action": {"type": "bomb", "month": 5}, "floor": ["05-ribbon"], "hand": ["05-animal", "05-junk-a"]}, "no bomb"),
    ({"action": {"type": "bomb", "month": 5}, "floor": ["05-ribbon", "05-junk-b"], "hand": ["05-animal", "05-junk-a"]}, "no bomb"),
    ({"kind": "score"}, "object of players and their cards"),
    ({"kind": "score", "captured": {"A": {"01-bright": 1}}}, "list of cards"),
    ({"kind": "eligible", "captured": {"A": []}}, "'winner' is None"),
    ({"kind": "payout", "captured": {"A": []}, "winner": "A", "players": ["A"]}, "two or three"),
    ({"kind": "payout", "captured": {}, "winner": "A", "players": None}, "'players' is missing"),
    ({"kind": "payout", "captured": {"A": []}, "winner": "A", "prev_nagari": "yes"}, "true or false"),
    ({"kind": "payout", "captured": {"A": []}, "winner": "A", "losers_goes": {"A": 1}}, "who won"),
    ({"kind": "event", "event": {"kind": "chongtong"}}, "different names"),
    ({"kind": "event", "event": {"kind": "chongtong", "players": ["A", "A"]}}, "different names"),
    ({"kind": "event", "event": {"kind": "nagari", "go_by": "Z"}}, "does not play"),
    ({"kind": "event", "event": {"kind": "ppuk-streak", "player": "A", "turns": []}}, "one to three"),
    ({"kind": "event", "event": {"kind": "ppuk-streak", "player": "A", "turns": [2, 1]}}, "one to three"),
    ({"kind": "event", "event": {"kind": "ppuk-streak", "player": "A", "turns": [True]}}, "one to three"),
    ({"kind": "event", "event": {"kind": "sell", "player": "D", "unit": 2}}, "'brights' is missing"),
])
def test_unusable_cases_say_why(case: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        turn(**{"stock": [], **case})
