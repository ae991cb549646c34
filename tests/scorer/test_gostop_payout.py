"""Settlement against an independent second formula, over every combination of multipliers; house variants; public reports."""
from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from scorer.games.gostop import GAME, judge
from scorer.games.gostop.house import House
from scorer.games.gostop.pack import CUP
from scorer.games.gostop.payout import Claim, chips, nagari_factor, paid, settle

JUNK = [f"{m:02d}-junk-{c}" for m in range(1, 12) for c in "ab"]
BRIGHT3 = ["01-bright", "03-bright", "08-bright"]
BIRDS = ["02-animal", "04-animal", "08-animal"]
MORE = ["05-animal", "06-animal", "07-animal", "10-animal"]


def house(ruleset: str = "classic", **rules: Any) -> House:
    return House(GAME.rules(ruleset, rules))


def plain_score(cards: list[str], v: dict[str, Any]) -> tuple[int, int, int, int]:
    """(points, junk, animals, bright points) by the prose of the sheet, on names and lists only."""
    brights = [c for c in cards if c.endswith("bright")]
    bright = {3: v["bright_three_rain"] if "12-bright" in brights else v["bright_three"],
              4: v["bright_four_rain"] if "12-bright" in brights else v["bright_four"], 5: v["bright_five"]}.get(len(brights), 0)
    animals = [c for c in cards if c.endswith("animal")]
    ribbons = [c for c in cards if c.endswith("ribbon")]
    junk = sum(v["double_junk"] if c.endswith("double") else int(c[-1]) if c.startswith("joker") else 1
               for c in cards if "junk" in c or c.startswith("joker"))
    points = bright + max(0, len(animals) - 4) + max(0, len(ribbons) - 4) + max(0, junk - 9)
    for worth, months, kind in ((5, "02 04 08", "animal"), (3, "01 02 03", "ribbon"), (3, "06 09 10", "ribbon"), (3, "04 05 07", "ribbon")):
        points += worth * all(f"{m}-{kind}" in cards for m in months.split())
    return points, junk, len(animals), bright


def second_formula(v: dict[str, Any], caps: list[list[str]], goes: list[int], shakes: int, bombs: int, streak: int,
                   first: int) -> list[int]:
    """Chips that each player pays to player 0, written from the payment list without a look at the engine."""
    points, junk, animals, bright = plain_score(caps[0], v)
    g = goes[0]
    base = points + v["go_add"] * g
    multiple = v["shake"] ** shakes * v["bomb"] ** bombs
    if g >= v["go_double_from"]:
        multiple *= 2 ** (g - v["go_double_from"] + 1) if v["progressive"] else 2
    if streak:
        dead = 2 ** streak if v["nagari_stacking"] else 2
        multiple *= min(dead, v["nagari_max"]) if v["nagari_max"] else dead
    if animals >= 7:
        multiple *= 2
    pays = [0]
    for i in range(1, len(caps)):
        _, low, _, _ = plain_score(caps[i], v)
        own = base * multiple
        if bright and not any(c.endswith("bright") for c in caps[i]):
            own *= 2
        if junk >= 10 and low <= v["pibak_max"] and not (low == 0 and v["zero_exempt"]):
            own *= 2
        if v["gobak"] == "double" and goes[i]:
            own *= 2
        pays.append(own)
    callers = [i for i in range(1, len(caps)) if goes[i]]
    if v["gobak"] == "liability" and callers and len(caps) == 3:
        who = first if first in callers else callers[0]
        pays = [sum(pays) if i == who else 0 for i in range(3)]
    return pays


WINNERS = {
    "birds": BIRDS, "brights": BRIGHT3, "rain": ["01-bright", "03-bright", "12-bright"], "junk": [*JUNK[:10], "11-junk-double"],
    "seven": BIRDS + MORE, "all": BRIGHT3 + BIRDS + MORE + JUNK[:11],
}
LOSERS = {"none": [], "five": JUNK[11:16], "six": JUNK[11:17], "bright": ["11-bright", *JUNK[11:13]], "eight": JUNK[11:19]}
SECOND = {"none": [], "bright": ["12-animal", "11-bright"], "two": ["12-junk-double"], "many": [*JUNK[19:22], "12-junk-double", "joker-3"]}


@pytest.mark.parametrize("ruleset", ["classic", "international", "matgo-2p"])
def test_every_combination_for_two(ruleset: str) -> None:
    h = house(ruleset)
    values = dict(h.rules.values)
    n = 0
    for won, lost, goes, theirs, shakes, bombs, streak in product(
            WINNERS.values(), LOSERS.values(), range(6), (0, 1, 2), (0, 1, 2), (0, 1), (0, 1, 2, 5)):
        caps = (h.pack.mask(won), h.pack.mask(lost))
        claim = Claim(caps, 0, (goes, theirs), 1, 1, shakes, bombs, 0, streak)
        assert list(paid(h, claim)) == second_formula(values, [won, lost], [goes, theirs], shakes, bombs, streak, 1), claim
        n += 1
    assert n == 6 * 5 * 6 * 3 * 3 * 2 * 4


@pytest.mark.parametrize("ruleset", ["classic", "international", "korean-3p"])
def test_every_combination_for_three(ruleset: str) -> None:
    h = house(ruleset)
    values = dict(h.rules.values)
    for won, b, c, goes, of_b, of_c, first, shakes, bombs, streak in product(
            WINNERS.values(), LOSERS.values(), SECOND.values(), (0, 2, 3, 4), (0, 1), (0, 1), (1, 2), (0, 1), (0, 1), (0, 1, 4)):
        if set(b) & set(c):
            continue
        caps = tuple(h.pack.mask(x) for x in (won, b, c))
        claim = Claim(caps, 0, (goes, of_b, of_c), first, 3 - first, shakes, bombs, 0, streak)
        assert list(paid(h, claim)) == second_formula(values, [won, b, c], [goes, of_b, of_c], shakes, bombs, streak, first), claim


@pytest.mark.parametrize("ruleset", ["classic", "international", "korean-3p", "matgo-2p"])
def test_lines_add_up_and_agree_with_the_fast_path(ruleset: str) -> None:
    players = ("A", "B") if ruleset == "matgo-2p" else ("A", "B", "C")
    h = house(ruleset)
    for won, lost, goes, theirs, streak in product(WINNERS.values(), LOSERS.values(), (0, 1, 3, 5), (0, 2), (0, 3)):
        caps = tuple(h.pack.mask(x) for x in (won, lost, SECOND["two"])[:len(players)])
        claim = Claim(caps, 0, (goes, theirs, 0)[:len(players)], 1, 1, 1, 1, 0, streak)
        result = settle(h, claim, players)
        assert result.amounts == paid(h, claim)
        assert [p.amount for p in result.payments] == [result.amounts[i] for i in range(1, len(players))]
        for pay in result.payments:
            assert sum(t.amount for t in pay.terms) == pay.amount
            assert pay.to == "A"


def payout(**case: Any) -> dict[str, int]:
    case = {"game": "gostop", "kind": "payout", "players": ["A", "B", "C"], "winner": "A", "captured": {"A": BIRDS}, **case}
    chips_paid: dict[str, int] = judge(case)["payout"]
    return chips_paid


SIX = {"B": JUNK[0:6], "C": JUNK[6:12]}


@pytest.mark.parametrize(("why", "case", "right"), [
    ("H5: once more than three times", {"goes": 5}, {"B": 20, "C": 20}),
    ("H5: × the number of goes", {"goes": 4, "override": {"go_double_from": 3, "go_times": True}}, {"B": 36, "C": 36}),
    ("H6: no addition once goes double", {"goes": 3, "override": {"go_double_from": 3, "go_add_always": False}}, {"B": 10, "C": 10}),
    ("A-20: chips added after the doubling", {"goes": 1, "shakes": 1, "override": {"order": "multiply-first"}}, {"B": 11, "C": 11}),
    ("H5: never doubles", {"goes": 9, "override": {"go_double_from": 0}}, {"B": 14, "C": 14}),
    ("H8: pi-bak off", {"captured": {"A": JUNK[:12], "B": JUNK[12:13]}, "override": {"pibak": 1}}, {"B": 3, "C": 3}),
    ("H10: winner needs more junk", {"captured": {"A": JUNK[:12], "B": JUNK[12:13]}, "override": {"pibak_min": 13}}, {"B": 3, "C": 3}),
    ("A-17: all-or-nothing gwang-bak", {"captured": {"A": BRIGHT3, "B": ["12-bright", *JUNK[:6]], "C": JUNK[6:12]},
                                        "override": {"gwangbak_all": True}}, {"B": 3, "C": 3}),
    ("H11: the rain does not protect", {"captured": {"A": BRIGHT3, "B": ["12-bright", *JUNK[:6]], "C": ["11-bright"]},
                                        "override": {"gwangbak_rain": False}}, {"B": 6, "C": 3}),
    ("H12: only against who has none", {"captured": {"A": BIRDS + MORE, "B": ["12-animal"], "C": []}, "override": {"meongtta_none": True}},
     {"B": 8, "C": 16}),
    ("H13: ribbon-bak", {"captured": {"A": ["01-ribbon", "02-ribbon", "04-ribbon", "06-ribbon", "12-ribbon", *BIRDS], "B": ["05-ribbon"]},
                         "override": {"ribbonbak": 2}}, {"B": 6, "C": 12}),
    ("H13: red-bak", {"captured": {"A": ["01-ribbon", "02-ribbon", "03-ribbon"], "B": ["05-ribbon"]}, "override": {"redbak": 2}},
     {"B": 6, "C": 6}),
    ("H13: blue-bak", {"captured": {"A": ["06-ribbon", "09-ribbon", "10-ribbon"]}, "override": {"bluebak": 2}}, {"B": 6, "C": 6}),
    ("H14: own part doubled as well", {"losers_goes": {"B": 1}, "override": {"gobak": "liability-double"}}, {"B": 15, "C": 0}),
    ("H14: ×2 on who said go", {"losers_goes": {"B": 1}, "override": {"gobak": "double"}}, {"B": 10, "C": 5}),
    ("H14: the last caller is liable", {"losers_goes": {"B": 1, "C": 1}, "first_caller": "B", "last_caller": "C",
                                        "override": {"gobak": "liability", "gobak_caller": "last"}}, {"B": 0, "C": 10}),
    ("H15: only the other caller is known", {"losers_goes": {"B": 1, "C": 1}, "last_caller": "B", "override": {"gobak": "liability"}},
     {"B": 0, "C": 10}),
    ("H15: who said it more often said it first", {"losers_goes": {"B": 1, "C": 2}, "override": {"gobak": "liability"}}, {"B": 0, "C": 10}),
    ("H15: reverse go", {"goes": 1, "losers_goes": {"B": 1}, "override": {"gobak": "double", "reverse_go": 2}}, {"B": 24, "C": 6}),
    ("H16: double junk read literally",
     {"captured": {"A": [*JUNK[:9], "11-junk-double"]}, "override": {"double_junk": 1}}, {"B": 2, "C": 2}),
    ("H24: two bombs", {"bombs": 2, "override": {"bomb": 2}}, {"B": 20, "C": 20}),
    ("H26: a small bomb doubles", {"small_bombs": 1, "override": {"small_bomb": "double"}}, {"B": 10, "C": 10}),
    ("H41: a limit on the carry", {"nagari_streak": 6, "override": {"nagari_stacking": True, "nagari_max": 16}}, {"B": 80, "C": 80}),
    ("H44: a mission", {"mission": 4, "override": {"mission_max": 8}}, {"B": 20, "C": 20}),
    ("H44: no missions here", {"mission": 4}, {"B": 5, "C": 5}),
    ("H45: most that one pays", {"shakes": 3, "override": {"payout_max": 30}}, {"B": 30, "C": 30}),
    ("H45: no more than the winner holds",
     {"shakes": 2, "wallet": {"A": 12, "B": 50}, "override": {"wallet_winner": True}}, {"B": 12, "C": 12}),
    ("H50: who captured nothing pays nothing",
     {"captured": {"A": BIRDS, "B": JUNK[:6]}, "override": {"nothing_exempt": True}}, {"B": 5, "C": 0}),
    ("H47: four with rain", {"captured": {"A": [*BRIGHT3, "12-bright"], "B": ["11-bright"], "C": []}, "override": {"bright_four_rain": 3}},
     {"B": 3, "C": 6}),
    ("H48: four dry brights", {"captured": {"A": [*BRIGHT3, "11-bright"], "B": ["12-bright"], "C": []}, "override": {"bright_four": 5}},
     {"B": 5, "C": 10}),
    ("H49: ten ribbons",
     {"captured": {"A": [f"{m:02d}-ribbon" for m in (1, 2, 3, 4, 5, 6, 7, 9, 10, 12)]}, "override": {"ten_ribbons": 15}},
     {"B": 30, "C": 30}),
    ("H49: all animals", {"captured": {"A": BIRDS + MORE + ["09-animal", "12-animal"]}, "override": {"nine_animals": 10, "meongtta": 1}},
     {"B": 20, "C": 20}),
    ("A-13: sheet 000 read literally", {"captured": {"A": ["04-ribbon", "05-ribbon", "12-ribbon"]}, "override": {"chodan_rain": True}},
     {"B": 3, "C": 3}),
    ("H17: the bridge as junk", {"captured": {"A": [*JUNK[:10], "05-animal"], **{"B": JUNK[10:16], "C": JUNK[16:22]}},
                                 "override": {"may_bridge": "best"}}, {"B": 3, "C": 3}),
    ("H17: the cup as both", {"captured": {"A": [*JUNK[:8], "05-animal", "06-animal", "07-animal", "10-animal", "09-animal"],
                                           "B": JUNK[8:14], "C": JUNK[14:20]}, "override": {"sake_cup": "both"}}, {"B": 2, "C": 2}),
    ("H18: the loser may not switch", {"captured": {"A": JUNK[:12], "B": ["09-animal", *JUNK[12:16]], "C": JUNK[16:22]},
                                       "override": {"sake_cup": "best", "loser_switch": False}}, {"B": 6, "C": 3}),
])
def test_house_rules(why: str, case: dict[str, Any], right: dict[str, int]) -> None:
    held = dict(case.get("captured", {"A": BIRDS}))
    if "captured" not in case:
        held |= SIX
    assert payout(**{**case, "captured": held}) == right, why


@pytest.mark.parametrize(("report", "case", "right"), [
    ("ZeroFriends/GoStopCalculator#24: two players ×2",
     {"players": ["A", "B"], "ruleset": "matgo-2p", "captured": {"A": BIRDS + MORE[:3]}, "losers_goes": {"B": 1}}, {"B": 14}),
    ("ZeroFriends/GoStopCalculator#24: three players, the share moves", {"ruleset": "korean-3p", "losers_goes": {"B": 1}},
     {"B": 10, "C": 0}),
    ("ZeroFriends/GoStopCalculator commit 8b23bcc: baks multiply",
     {"captured": {"A": BRIGHT3, "C": ["11-bright", *JUNK[:6]]}, "shakes": 2}, {"B": 24, "C": 12}),
    ("ZeroFriends/GoStopCalculator commit 02e7095: other baks on the other loser",
     {"ruleset": "korean-3p", "captured": {"A": [*BRIGHT3, *BIRDS], "C": ["12-bright"]}, "losers_goes": {"B": 1}},
     {"B": 24, "C": 0}),
    ("konlo/GoStop_antigravity commit a67c8e8: no junk, Korean",
     {"ruleset": "korean-3p", "captured": {"A": JUNK[:12], "B": [], "C": JUNK[12:18]}}, {"B": 3, "C": 3}),
    ("konlo/GoStop_antigravity commit a67c8e8: no junk, the sheet", {"captured": {"A": JUNK[:12], "B": [], "C": JUNK[12:18]}},
     {"B": 6, "C": 3}),
    ("konlo/GoStop_antigravity commit ab58fa5: a bomb counts once", {"ruleset": "korean-3p", "bombs": 1}, {"B": 10, "C": 10}),
    ("tscz/gostop: four goes are no factorial", {"ruleset": "korean-3p", "goes": 4}, {"B": 36, "C": 36}),
    ("yubyunghun/hwatu-gostop-rl: exactly five junk", {"captured": {"A": JUNK[:12], "B": JUNK[12:17], "C": JUNK[17:18]}}, {"B": 6, "C": 6}),
    ("nightsky30/koikoi#44: nobody called", {}, {"B": 5, "C": 5}),
    ("1Computer1/riichi-tracker#3: carry whoever wins", {"winner": "C", "captured": {"C": BIRDS}, "prev_nagari": True}, {"A": 10, "B": 10}),
    ("shinkuan/Akagi#115: as many payers as losers", {"players": ["A", "B"]}, {"B": 5}),
])
def test_public_reports(report: str, case: dict[str, Any], right: dict[str, int]) -> None:
    held = dict(case.get("captured") or {"A": BIRDS, **({} if case.get("players") == ["A", "B"] else SIX)})
    assert payout(**{**case, "captured": held}) == right, report


def test_a_cap_is_a_line_of_its_own() -> None:
    """klen/mahjong.horneds.com#12: a silent limit looked like a wrong sum."""
    h = house()
    claim = Claim((h.pack.mask(BIRDS), 0, 0), 0, (0, 0, 0), shakes=1, wallets=(None, 7, None))
    first, second = settle(h, claim, ("A", "B", "C")).payments
    assert (first.amount, [(t.label, t.amount) for t in first.terms]) == (7, [("score", 5), ("shake", 5), ("wallet", -3)])
    assert second.amount == 10
    capped = settle(house(payout_max=8), claim, ("A", "B", "C")).payments[1]
    assert capped.terms[-1].label == "payout-max"


def test_liability_lines_say_for_whom() -> None:
    """nissymori/mahjax#94: the whole share moves to the liable player."""
    h = house("korean-3p")
    claim = Claim((h.pack.mask(BIRDS), 0, 0), 0, (0, 1, 0), 1, 1)
    b, c = settle(h, claim, ("A", "B", "C")).payments
    assert (b.amount, c.amount) == (10, 0)
    assert [(t.label, t.amount, dict(t.args)) for t in b.terms][-1] == ("go-bak-share", 5, {"for": "C"})
    assert [(t.label, t.amount, dict(t.args)) for t in c.terms][-1] == ("go-bak-share", -5, {"by": "B"})


def test_the_cup_is_placed_where_it_pays_most() -> None:
    """bipark/gostop-ts: placed where the score is highest, before the multipliers."""
    h = house("matgo-2p")
    held = h.pack.mask([*BIRDS, "06-animal", "07-animal", "10-animal", "09-animal", *JUNK[:7], "11-junk-double"])
    claim = Claim((held, h.pack.mask(JUNK[10:20])), 0, (0, 0), target=7)
    result = settle(h, claim, ("A", "B"))
    assert result.tally.as_junk == 0
    assert result.amounts == (0, 16)
    richer = Claim((held | h.pack.mask(JUNK[7:10]), h.pack.mask(JUNK[11:12])), 0, (0, 0), target=7)
    assert settle(h, richer, ("A", "B")).tally.as_junk in (0, CUP)


def test_a_stop_must_stand_on_the_use_that_is_paid() -> None:
    """Six points with the cup among seven animals would be doubled; the target of seven is only reached with it as junk."""
    h = house("matgo-2p", target=7)
    held = h.pack.mask(["04-animal", "05-animal", "06-animal", "07-animal", "10-animal", "12-animal", "09-animal", "01-ribbon", "02-ribbon",
                        "03-ribbon", *JUNK[:8], "11-junk-double"])
    as_animal, as_junk = h.points(held, 0), h.points(held, CUP)
    assert (as_animal, as_junk) == (7, 8)
    claim = Claim((held, h.pack.mask(JUNK[10:20])), 0, (0, 0), target=8)
    assert settle(h, claim, ("A", "B")).tally.as_junk == CUP


@pytest.mark.parametrize(("event", "extra", "right"), [
    ({"kind": "chongtong", "players": ["A", "B"]}, {}, {"A": -5, "B": -5, "C": 10}),
    ({"kind": "chongtong", "players": ["B"]}, {"prev_nagari": True}, {"A": 5, "C": 5}),
    ({"kind": "chongtong", "players": ["B"]}, {"nagari_streak": 2, "override": {"awards_carry": True}}, {"A": 10, "C": 10}),
    ({"kind": "chongtong", "players": ["A", "B"]}, {"players": ["A", "B"]}, {}),
    ({"kind": "chongtong", "players": ["A", "B"]}, {"ruleset": "korean-3p"}, {}),
    ({"kind": "chongtong", "players": ["A", "B"]}, {"override": {"several_chongtong": "cancel"}}, {}),
    ({"kind": "quad-floor"}, {"override": {"quad_floor": "dealer-wins"}}, {"B": 10, "C": 10}),
    ({"kind": "quad-floor"}, {"override": {"quad_floor": "dealer-wins"}, "dealer": "C"}, {"A": 10, "B": 10}),
    ({"kind": "quad-floor"}, {"ruleset": "matgo-2p", "players": ["A", "B"]}, {}),
    ({"kind": "nagari", "go_by": "A", "score_at_go": 10, "score_at_end": 10}, {}, {}),
    ({"kind": "nagari", "go_by": "A", "score_at_go": 5, "score_at_end": 4}, {}, {}),
    ({"kind": "ppuk-streak", "player": "B", "turns": [1]}, {}, {}),
    ({"kind": "ppuk-streak", "player": "B", "turns": [2]}, {"ruleset": "korean-3p"}, {}),
    ({"kind": "ppuk-streak", "player": "B", "turns": [2, 3]}, {"ruleset": "korean-3p"}, {}),
    ({"kind": "ppuk-streak", "player": "B", "turns": [2, 3, 4]}, {"ruleset": "korean-3p"}, {"A": 3, "C": 3}),
    ({"kind": "ppuk-streak", "player": "B", "turns": [1, 2, 3]}, {"ruleset": "korean-3p"}, {"A": 15, "C": 15}),
    ({"kind": "three-ppuk", "player": "A"}, {}, {}),
    ({"kind": "three-ppuk", "player": "A"}, {"ruleset": "matgo-2p", "players": ["A", "B"], "nagari_streak": 2,
                                             "override": {"awards_carry": True}}, {"B": 28}),
    ({"kind": "first-ttadak", "player": "C"}, {}, {}),
    ({"kind": "sell", "player": "D", "brights": 2, "unit": 2}, {"ruleset": "korean-3p"}, {"B": 4, "C": 4}),
    ({"kind": "sell", "player": "D", "brights": 2, "unit": 3}, {"ruleset": "korean-3p", "players": ["A", "B", "C", "D"]}, {"B": 6, "C": 6}),
    ({"kind": "sell", "player": "D", "brights": 1, "unit": 2, "triple": True}, {"ruleset": "korean-3p"}, {"B": 4, "C": 4}),
    ({"kind": "sell", "player": "D", "brights": 1, "unit": 2}, {"ruleset": "korean-3p", "override": {"sell_payers": "all"}},
     {"A": 2, "B": 2, "C": 2}),
    ({"kind": "sell", "player": "D", "brights": 2, "unit": 2}, {}, {}),
    ({"kind": "sell", "player": "D", "brights": 0, "unit": 2}, {"ruleset": "korean-3p"}, {}),
])
def test_events(event: dict[str, Any], extra: dict[str, Any], right: dict[str, int]) -> None:
    case = {"game": "gostop", "kind": "event", "players": ["A", "B", "C"], "event": event, **extra}
    assert judge(case)["payout"] == right


def test_carry_stacks_to_its_limit() -> None:
    assert [nagari_factor(house("korean-3p"), n) for n in range(6)] == [1, 2, 4, 8, 8, 8]
    assert [nagari_factor(house("classic"), n) for n in range(4)] == [1, 2, 2, 2]
    assert [nagari_factor(house("international"), n) for n in range(5)] == [1, 2, 4, 8, 16]


def test_an_improved_go_caller_is_paid_when_the_cards_run_out() -> None:
    """Koi-koi players reported the opposite (nightsky30/koikoi#41): without improvement nobody is paid."""
    case = {"game": "gostop", "kind": "event", "players": ["A", "B"], "nagari_streak": 1,
            "event": {"kind": "nagari", "go_by": "A", "score_at_go": 7, "score_at_end": 8}}
    assert judge(case)["payout"] == {"B": 18}
    case["event"] = {"kind": "nagari", "go_by": "A", "score_at_go": 7, "score_at_end": 7}
    assert judge(case)["payout"] == {}
    assert judge({**case, "override": {"go_caller_wins": True}})["payout"] == {"B": 16}


def test_nobody_pays_is_an_empty_payout() -> None:
    assert chips(()) == {}
