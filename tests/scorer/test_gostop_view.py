"""What is shown and what a person may say: multipliers with their reasons, ranges, questions, commands, every legal event."""
from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.errors import InputError
from scorer.events import Event, make
from scorer.games.gostop import GAME, legality
from scorer.games.gostop.captures import Partly, junk_range, total_range
from scorer.games.gostop.house import House
from scorer.games.gostop.pack import ALL
from scorer.games.gostop.state import State
from scorer.match import Match

FLOOR2 = ("01-ribbon", "02-junk-a", "03-ribbon", "04-junk-a", "06-junk-a", "08-bright", "09-junk-a", "10-junk-a")
FLOOR3 = FLOOR2[:6]
BIRDS = ("02-animal", "04-animal", "08-animal")
JUNK = tuple(f"{m:02d}-junk-b" for m in range(1, 12))


def match_of(ruleset: str = "classic", players: tuple[str, ...] = ("A", "B", "C"), floor: tuple[str, ...] | None = None,
             overrides: dict[str, Any] | None = None, **options: Any) -> Match:
    match = Match("gostop", ruleset, players, players[0], options, overrides=overrides)
    out = match.command({"command": "deal", "cards": list(floor or (FLOOR2 if len(players) == 2 else FLOOR3))})
    assert out.ok, out
    return match


def give(match: Match, **cards: tuple[str, ...]) -> Match:
    for player, held in cards.items():
        match.append([make("capture", player, held)], 10)
    return match


def said(match: Match, **command: Any) -> str:
    """"ok", or the code of the problem."""
    out = match.command(command)
    return "ok" if out.problem is None else out.problem.code


def entry(match: Match, key: str, player: str = "A", against: str | None = None) -> dict[str, Any]:
    found = [m for m in match.snapshot()["multipliers"] if (m["key"], m["player"], m["against"]) == (key, player, against)]
    assert len(found) == 1, found
    return found[0]


# multipliers ---------------------------------------------------------------------------------------------------------


def test_gwang_bak_by_its_steps() -> None:
    match = match_of()
    first = entry(match, "gwang-bak", "A", "B")
    assert (first["state"], first["reason"]["code"]) == ("not-yet", "needs-brights")
    give(match, A=("01-bright", "03-bright"))
    assert entry(match, "gwang-bak", "A", "B")["state"] == "possible"
    give(match, A=("08-bright",), C=("12-bright",))
    earned, safe = entry(match, "gwang-bak", "A", "B"), entry(match, "gwang-bak", "A", "C")
    assert (earned["state"], earned["factor"], earned["cards"]) == ("earned", 2, ["01-bright", "03-bright", "08-bright"])
    assert (safe["state"], safe["reason"], safe["cards"]) == ("not-yet", {"code": "has-bright", "args": {"n": 1}}, ["12-bright"])


def test_pi_bak_by_its_steps() -> None:
    match = give(match_of(), A=JUNK[:7], B=("10-junk-b",))
    assert entry(match, "pi-bak", "A", "B")["state"] == "possible"
    give(match, A=("11-junk-double", "10-junk-a"), C=("12-junk-double", "01-junk-a", "05-junk-a", "07-junk-a", "joker-2"))
    earned = entry(match, "pi-bak", "A", "B")
    assert earned["state"] == "earned"
    assert earned["reason"] == {"code": "little-junk", "args": {"n": 1, "limit": 5, "winner": 10, "need": 10}}
    assert entry(match, "pi-bak", "A", "C")["reason"]["code"] == "enough-junk"
    korean = give(match_of("korean-3p"), A=JUNK[:10])
    exempt = entry(korean, "pi-bak", "A", "B")
    assert (exempt["state"], exempt["reason"]["code"]) == ("possible", "no-junk-exempt")


def test_the_other_multipliers() -> None:
    match = give(match_of("korean-3p", nagari_streak=2), A=("02-animal", "04-animal", "05-animal", "06-animal", "07-animal"))
    assert entry(match, "meong-tta")["state"] == "possible"
    give(match, A=("10-animal", "12-animal"))
    assert (entry(match, "meong-tta")["state"], entry(match, "meong-tta")["reason"]["args"]) == ("earned", {"n": 7, "need": 7})
    assert (entry(match, "nagari")["state"], entry(match, "nagari")["factor"]) == ("earned", 4)
    assert entry(match, "shake")["state"] == "possible"
    assert entry(match, "bomb")["state"] == "possible"
    assert (entry(match, "go-double")["state"], entry(match, "go-double")["reason"]["args"]) == ("not-yet", {"n": 0, "need": 3})
    assert entry(match, "go-bak", "A", "B")["reason"]["code"] == "no-go"
    match.append([make("shake", "A", ("12-bright", "12-ribbon", "12-junk-double"))], 20)
    assert (entry(match, "shake")["state"], entry(match, "shake")["cards"]) == ("earned", ["12-bright", "12-ribbon", "12-junk-double"])
    match.append([make("go", "B")], 30)
    assert (entry(match, "go-bak", "A", "B")["state"], entry(match, "go-bak", "A", "B")["reason"]["code"]) == ("earned", "pays-for-all")
    assert entry(match, "go-double", "B")["state"] == "not-yet"
    match.append([make("go", "B")], 40)
    assert entry(match, "go-double", "B")["state"] == "possible"
    match.append([make("go", "B"), make("go", "B")], 50)
    assert (entry(match, "go-double", "B")["state"], entry(match, "go-double", "B")["factor"]) == ("earned", 4)


def test_variant_multipliers_show_only_where_they_are_in_force() -> None:
    plain = {m["key"] for m in match_of().snapshot()["multipliers"]}
    assert plain == {"go-double", "shake", "meong-tta", "gwang-bak", "pi-bak"}
    rules = {"ribbonbak": 2, "redbak": 2, "bluebak": 2, "meongtta_none": True, "gobak": "double", "gwangbak_all": True, "mission_max": 4,
             "go_times": True}
    match = give(match_of(overrides=rules, mission=3), A=("01-ribbon", "02-ribbon", "03-ribbon"), B=("05-animal", "06-ribbon"))
    assert entry(match, "red-bak", "A", "B")["state"] == "earned"
    assert entry(match, "blue-bak", "A", "B")["state"] == "not-yet"
    assert entry(match, "ribbon-bak", "A", "C")["state"] == "not-yet"
    assert entry(match, "meong-tta", "A", "B")["reason"]["code"] == "opponent-has-animal"
    assert entry(match, "mission")["factor"] == 3
    assert entry(match, "go-bak", "A", "B")["state"] == "not-yet"
    match.append([make("go", "B")] * 4, 5)
    assert entry(match, "go-bak", "A", "B")["state"] == "earned"
    assert entry(match, "go-double", "B")["factor"] == 4


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 10**6), ruleset=st.sampled_from(["classic", "international", "korean-3p"]))
def test_earned_is_what_is_paid(seed: int, ruleset: str) -> None:
    """Every multiplier that is shown as earned is a line of what would be paid now, and the other way round."""
    rng = random.Random(seed)
    cards = list(House(GAME.rules(ruleset)).pack.cards(ALL))
    rng.shuffle(cards)
    match = match_of(ruleset, floor=tuple(cards[:6]))
    if match.state == "over":
        return
    at = 6
    for p in "ABC":
        n = rng.choice((0, 4, 12, 18))
        if n:
            match.append([make("capture", p, cards[at:at + n])], 5)
        at += n
    for p, n in (("A", rng.choice((0, 1, 3, 5))), ("B", rng.choice((0, 0, 1)))):
        if n:
            match.append([make("go", p)] * n, 6)
    shot = match.snapshot()
    stopped = shot["if_stopped"]
    if not stopped:
        return
    winner = stopped["winner"]
    state: State = match.evening.state
    if state.house.flexible and any(c == "09-animal" for p in shot["players"] for c in p["captured"]):
        return                                   # where the cup lies is decided by what is paid
    for pay in stopped["payments"]:
        lines = {t["label"]: t for t in pay["terms"]}
        if "score" not in lines:
            continue
        earned = {m["key"]: m["factor"] for m in shot["multipliers"]
                  if m["player"] == winner and m["state"] == "earned" and m["against"] in (None, pay["from"]) and m["factor"] > 1}
        assert earned == {k: t["args"]["factor"] for k, t in lines.items() if "factor" in t["args"]}


# partly known captures -------------------------------------------------------------------------------------------------


def test_unknown_junk_makes_a_range_until_it_is_known() -> None:
    match = give(match_of(), A=JUNK[:8])
    assert said(match, command="unknown-junk", player="A", n=3) == "ok"
    player = match.snapshot()["players"][0]
    assert (player["total"], player["range"], player["unknown_junk"]) == (2, [2, 6], 3)
    assert said(match, command="unknown-junk", player="A", n=-3) == "ok"
    assert match.snapshot()["players"][0]["range"] is None
    assert said(match, command="unknown-junk", player="A", n=-1) == "wrong-count"


def test_it_is_asked_about_only_where_it_decides() -> None:
    match = give(match_of(), B=JUNK[:3])
    assert said(match, command="unknown-junk", player="B", n=2) == "ok"
    assert match.snapshot()["questions"] == []
    give(match, A=(*JUNK[3:], "11-junk-double", "12-junk-double", "10-junk-a", "05-junk-a"))
    assert match.snapshot()["questions"] == []           # nobody may stop yet
    assert said(match, command="play", player="A", cards=["07-ribbon"], flip=["12-ribbon"]) == "ok"
    asked = match.snapshot()["questions"]
    assert [(q["kind"], q["player"]) for q in asked] == [("unknown-junk", "B")]
    assert said(match, command="answer", question=asked[0]["id"], key="4") == "ok"
    assert match.snapshot()["players"][1]["unknown_junk"] == 4
    assert match.snapshot()["questions"] == []
    low = give(match_of(), A=(*BIRDS[:2], *JUNK[:9]))
    assert said(low, command="unknown-junk", player="A", n=2) == "ok"
    assert said(low, command="play", player="A", cards=["07-ribbon"], flip=["12-ribbon"]) == "ok"
    assert [q["player"] for q in low.snapshot()["questions"]] == ["A"]      # 2 or more: may it stop?


def test_ranges() -> None:
    house = House(GAME.rules("korean-3p"))
    held = house.pack.mask(["09-animal", *JUNK[:9]])
    unseen = house.pack.all & ~held
    assert total_range(house, Partly(held), unseen) == (2, 2)
    assert total_range(house, Partly(held, 1, 1), unseen) == (3, 5)
    assert junk_range(house, Partly(held), unseen) == (9, 9)
    assert junk_range(house, Partly(held, 1, 2), unseen) == (10, 14)
    assert Partly(held).known


# the snapshot --------------------------------------------------------------------------------------------------------


def test_the_snapshot_is_json_and_names_what_matters() -> None:
    match = give(match_of(), A=BIRDS)
    assert said(match, command="play", player="A", cards=["05-animal"], flip=["12-ribbon"]) == "ok"
    shot = match.snapshot()
    json.dumps(shot)
    assert (shot["to_decide"], shot["turn"], shot["target"], shot["stock"]) == ("A", "B", 3, 50 - 21 - 6 - 1)
    a = shot["players"][0]
    assert (a["points"], a["total"], a["hand"], a["eligible"]) == ({"godori": 5}, 5, 6, True)
    assert shot["if_stopped"]["winner"] == "A"
    assert [(p["from"], p["amount"]) for p in shot["if_stopped"]["payments"]] == [("B", 5), ("C", 5)]
    assert said(match, command="stop") == "ok"
    over = match.snapshot()
    assert (over["state"], over["turn"], over["result"]["payout"], over["players"][0]["stops"]) == ("over", None, {"B": 5, "C": 5}, 1)


def test_nobody_leads_before_a_point() -> None:
    assert match_of().snapshot()["if_stopped"] is None


def test_owed_junk_is_shown() -> None:
    match = give(match_of(), B=("07-junk-a",))
    assert said(match, command="play", player="A", cards=["05-animal"], flip=[]) == "ok"
    match.append([make("flip", "A", ("05-ribbon",)), make("jjok", "A", ("05-animal", "05-ribbon")),
                  make("capture", "A", ("05-animal", "05-ribbon"))], 5)
    assert match.snapshot()["owed"] == [{"from": "B", "to": "A", "count": 1}, {"from": "C", "to": "A", "count": 1}]
    assert said(match, command="steal") == "ok"
    assert match.snapshot()["players"][0]["captured"] == ["05-animal", "05-ribbon", "07-junk-a"]
    assert said(match, command="steal") == "junk-too-many"


# commands -----------------------------------------------------------------------------------------------------------


def test_a_turn_is_told_whole_or_card_by_card() -> None:
    for whole in (True, False):
        match = match_of()
        if whole:
            assert said(match, command="play", player="A", cards=["01-bright"], flip=["03-bright"]) == "ok"
        else:
            assert said(match, command="play", player="A", cards=["01-bright"]) == "ok"
            assert said(match, command="flip", player="A", cards=["03-bright"]) == "ok"
        kinds = [e["event"] for e in match.record()[1:]]
        assert kinds == ["play", "flip", "capture"]
        assert sorted(match.snapshot()["players"][0]["captured"]) == ["01-bright", "01-ribbon", "03-bright", "03-ribbon"]


def test_a_choice_must_be_named_where_it_matters() -> None:
    match = match_of(players=("A", "B"), floor=("05-ribbon", "05-junk-a", *FLOOR2[2:]))
    out = match.command({"command": "play", "player": "A", "cards": ["05-animal"], "flip": ["12-ribbon"]})
    assert out.problem is not None
    assert (out.problem.code, out.problem.cards) == ("choose-card", ("05-junk-a", "05-ribbon"))
    assert said(match, command="play", player="A", cards=["05-animal"], flip=["12-ribbon"], choose=["05-ribbon"]) == "ok"
    assert match.snapshot()["players"][0]["captured"] == ["05-animal", "05-ribbon"]
    equal = match_of(players=("A", "B"), floor=("05-junk-b", "05-junk-a", *FLOOR2[2:]))
    assert said(equal, command="play", player="A", cards=["05-animal"], flip=["12-ribbon"]) == "ok"


def test_going_on_without_a_word() -> None:
    match = give(match_of(), A=BIRDS)
    assert said(match, command="play", player="A", cards=["05-animal"], flip=["12-ribbon"]) == "ok"
    assert said(match, command="play", player="B", cards=["07-animal"], flip=["11-bright"]) == "ok"
    go = next(e for e in match.record() if e["event"] == "go")
    assert (go["player"], go["source"]) == ("A", "auto")


@pytest.mark.parametrize(("command", "code"), [
    ({"command": "stop", "player": "A"}, "stop-below-target"),
    ({"command": "go", "player": "A"}, "stop-below-target"),
    ({"command": "stop"}, "no-such-player"),
    ({"command": "play", "player": "B", "cards": ["05-animal"], "flip": ["12-ribbon"]}, "out-of-turn"),
    ({"command": "play", "player": "A", "cards": ["01-ribbon"], "flip": ["12-ribbon"]}, "illegal-play"),
    ({"command": "play", "player": "A", "cards": ["05-animal", "07-animal"]}, "two-plays"),
    ({"command": "play", "player": "A", "cards": ["13-bright"]}, "unknown-card"),
    ({"command": "play", "player": "A", "cards": []}, "illegal-play"),
    ({"command": "flip", "player": "A", "cards": ["12-ribbon"]}, "illegal-play"),
    ({"command": "flip", "player": "B", "cards": ["12-ribbon"]}, "out-of-turn"),
    ({"command": "flip", "player": "A", "cards": ["01-ribbon"]}, "illegal-play"),
    ({"command": "shake", "player": "A", "cards": ["12-ribbon", "12-bright"]}, "illegal-play"),
    ({"command": "shake", "player": "A", "cards": ["12-ribbon", "12-bright", "11-bright"]}, "illegal-play"),
    ({"command": "chongtong", "player": "A", "cards": ["12-ribbon", "12-bright", "12-animal", "01-junk-a"]}, "illegal-play"),
    ({"command": "chongtong", "player": "A", "cards": ["12-ribbon", "12-bright", "12-animal", "12-junk-double"], "play_on": True},
     "illegal-play"),
    ({"command": "deal", "cards": list(FLOOR3)}, "already-dealt"),
    ({"command": "nagari"}, "illegal-play"),
    ({"command": "steal", "player": "A", "from": "B", "cards": ["07-junk-a"]}, "illegal-play"),
    ({"command": "steal", "player": "A", "from": "Z", "cards": ["07-junk-a"]}, "no-such-player"),
    ({"command": "cup", "player": "A"}, "illegal-play"),
    ({"command": "sell", "player": "A", "brights": 2}, "illegal-play"),
    ({"command": "call", "player": "A"}, "unknown-command"),
    ({"command": "play", "player": "A", "cards": ["05-animal"], "flip": 5}, "bad-command"),
    ({"command": "play", "player": "A", "cards": ["05-animal"], "choose": {"a": 1}}, "bad-command"),
])
def test_refused(command: dict[str, Any], code: str) -> None:
    """kywoo26/p2p-gostop and others: say why something is refused."""
    match = match_of()
    before = match.events
    assert said(match, **command) == code
    assert match.events == before


def test_order_of_a_turn() -> None:
    match = match_of()
    assert said(match, command="play", player="A", cards=["05-animal"]) == "ok"
    assert said(match, command="play", player="A", cards=["07-animal"]) == "two-plays"
    assert said(match, command="flip", player="B", cards=["12-ribbon"]) == "out-of-turn"
    assert said(match, command="go", player="A") == "stop-below-target"
    assert said(match, command="flip", player="A", cards=["12-ribbon"]) == "ok"
    before = match_of()
    assert said(before, command="play", player="A", cards=["01-bright"]) == "ok"
    state: State = GAME.apply(before.evening.state, make("flip", "A", ("12-ribbon",)))
    for event, code in ((make("play", "B", ("07-animal",)), "pair-not-taken"), (make("capture", "A", ("01-bright",)), "pair-not-taken"),
                        (make("capture", "A", ("01-bright", "03-ribbon")), "wrong-month"),
                        (make("capture", "B", ("01-bright",)), "out-of-turn"),
                        (make("capture", "A", ("11-bright",)), "illegal-play"), (make("jjok", "A", ("01-bright",)), "illegal-play")):
        why = GAME.check(state, event)
        assert why is not None
        assert why.code == code, event
    assert GAME.check(state, make("capture", "A", ("01-bright", "01-ribbon"))) is None


def test_a_stack_may_not_be_split() -> None:
    match = match_of(players=("A", "B"), floor=("01-ribbon", "01-junk-a", "01-junk-b", *FLOOR2[3:]))
    state: State = GAME.apply(GAME.apply(match.evening.state, make("play", "A", ("01-bright",))), make("flip", "A", ("12-ribbon",)))
    why = GAME.check(state, make("capture", "A", ("01-bright", "01-ribbon")))
    assert why is not None
    assert why.code == "stack-split"


def test_go_needs_a_gain() -> None:
    match = give(match_of(), A=BIRDS)
    assert said(match, command="play", player="A", cards=["05-animal"], flip=["12-ribbon"]) == "ok"
    assert said(match, command="go") == "ok"
    assert said(match, command="play", player="B", cards=["07-animal"], flip=["11-bright"]) == "ok"
    assert said(match, command="play", player="C", cards=["07-junk-a"], flip=["10-bright"]) == "unknown-card"
    assert said(match, command="play", player="C", cards=["07-junk-a"], flip=["10-animal"]) == "ok"
    assert said(match, command="play", player="A", cards=["07-ribbon"], flip=["09-ribbon"]) == "ok"
    assert said(match, command="stop", player="A") == "go-without-gain"
    assert match.snapshot()["to_decide"] is None


def test_a_forced_event_is_taken_and_flagged() -> None:
    match = match_of()
    assert said(match, command="stop", player="A", force=True) == "ok"
    assert [f["problem"] for f in match.snapshot()["flags"]] == ["stop-below-target"]
    assert match.state == "over"


def test_the_winner_may_carry_where_the_house_allows_it() -> None:
    match = give(match_of(overrides={"push": True}), A=BIRDS)
    assert said(match, command="play", player="A", cards=["05-animal"], flip=["12-ribbon"]) == "ok"
    assert said(match, command="stop", push=True) == "ok"
    assert match.final()["final"] | {"players": {}} == {"players": {}, "winner": "A", "payout": {}, "asked": 0, "flags": 0}
    assert said(match, command="next-deal") == "ok"
    assert (match.evening.state.nagari, match.evening.dealer) == (1, "A")
    plain = give(match_of(), A=BIRDS)
    assert said(plain, command="play", player="A", cards=["05-animal"], flip=["12-ribbon"]) == "ok"
    assert said(plain, command="stop", push=True) == "illegal-play"


def test_selling_brights() -> None:
    match = Match("gostop", "korean-3p", ("A", "B", "C", "D"), "A", active=("A", "B", "C"))
    assert said(match, command="deal", cards=list(FLOOR3)) == "ok"
    assert said(match, command="sell", player="D", brights=11) == "wrong-count"
    assert said(match, command="sell", player="D", brights=2) == "ok"
    assert said(match, command="sell", player="D", brights=2) == "no-such-player"
    match.append([make("capture", "A", BIRDS), make("play", "A", ("05-animal",)), make("flip", "A", ("12-ribbon",))], 5)
    assert said(match, command="stop") == "ok"
    net = match.sheet().net()
    assert (net["D"], net["B"], net["C"], net["A"]) == (8, -9, -9, 10)
    assert said(match_of("classic"), command="sell", player="A", brights=1) == "illegal-play"


def test_the_cup_can_be_moved_among_the_junk() -> None:
    match = give(match_of("korean-3p"), A=("09-animal", "07-junk-a"))
    assert said(match, command="cup", player="A", junk=True) == "ok"
    assert match.snapshot()["players"][0]["junk"] == 3
    assert said(match, command="cup", player="A", junk=False) == "ok"
    assert match.snapshot()["players"][0]["junk"] == 1
    assert said(match, command="cup", player="B") == "illegal-play"
    alone = give(match_of("matgo-2p", ("A", "B")), A=("09-animal",))
    assert said(alone, command="cup", player="A") == "illegal-play"


def test_several_hold_four() -> None:
    match = match_of()
    assert said(match, command="chongtong", players=["A", "B"]) == "ok"
    assert match.final()["final"]["payout"] == {"A": -5, "B": -5, "C": 10}
    korean = match_of("korean-3p")
    assert said(korean, command="chongtong", players=["A", "B"]) == "ok"
    assert [e["event"] for e in korean.record()] == ["deal", "chongtong", "chongtong", "nagari"]
    assert korean.game.result(korean.evening.state).options["nagari_streak"] == 1


# options ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "options", "message"), [
    (("A",), {}, "seat 2 or 3"), (("A", "B", "C", "D"), {}, "others watch or sell"), (("A", "B"), {"target": "x"}, "whole number"),
    (("A", "B"), {"bonus": {"tiger": 12}}, "0 to 9"), (("A", "B"), {"bonus": ["tiger"]}, "0 to 9"),
    (("A", "B"), {"nagari_streak": -1}, "whole number"), (("A", "B"), {"wallets": {"A": -2}}, "whole number"),
])
def test_set_ups_that_do_not_fit(players: tuple[str, ...], options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Match("gostop", "classic", players, players[0], options)


def test_options() -> None:
    match = match_of(target=5, jokers=0, wallets={"B": 3, "C": 50})
    state: State = match.evening.state
    assert (state.target, len(state.house.pack.names), state.wallets) == (5, 48, (None, 3, 50))
    named = match_of(bonus={"tiger": 4, "fox": 1, "owl": 0})
    assert named.evening.state.house.pack.worth == (4, 1, 0)
    assert match_of(bonus={"tiger": 4, "fox": 1}, jokers=1).evening.state.house.pack.names[-1] == "tiger"


# every legal event ------------------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), kind=st.sampled_from([("classic", 2), ("classic", 3), ("korean-3p", 3), ("matgo-2p", 2)]))
def test_any_walk_over_legal_events_ends(seed: int, kind: tuple[str, int]) -> None:
    """Hands are secret, so any unseen card may be next: whatever is played, every card stays in one place and payments add up."""
    rng = random.Random(seed)
    players = ("A", "B", "C")[:kind[1]]
    house = House(GAME.rules(kind[0]))
    state: State = GAME.start(house.rules, players, "A", {})
    floor = rng.sample(house.pack.cards(ALL), 8 if kind[1] == 2 else 6)
    state = GAME.apply(state, make("deal", "A", floor))
    for _ in range(400):
        follows = GAME.follow(state)
        options = follows or GAME.legal(state)
        if not options:
            break
        event = rng.choice(options)
        if not follows:
            assert GAME.check(state, event) is None, (event, GAME.check(state, event))
        state = GAME.apply(state, event)
        assert sum(h.bit_count() for h in (state.on_floor, *state.caps)) == state.seen.bit_count()
        assert sum(GAME.score(state).net().values()) == 0
    assert state.end
    assert GAME.legal(state) == ()


@settings(max_examples=200, deadline=None)
@given(kind=st.sampled_from([*legality._TESTS, "adopt", "overdue", "sell", "handed-back", "tea"]),
       player=st.sampled_from(["A", "B", "Z", None]),
       cards=st.lists(st.sampled_from(["01-bright", "01-ribbon", "02-junk", "joker-2", "99-cat", "12-junk-double"]), max_size=5),
       args=st.dictionaries(st.sampled_from(["from", "n", "jokers", "table", "junk", "brights", "hands", "push", "play_on"]),
                            st.one_of(st.none(), st.integers(-5, 50), st.text(max_size=3), st.lists(st.integers(), max_size=2),
                                      st.dictionaries(st.text(max_size=2), st.integers(), max_size=2)), max_size=4),
       dealt=st.booleans())
def test_no_event_breaks_a_state(kind: str, player: str | None, cards: list[str], args: dict[str, Any], dealt: bool) -> None:
    state: State = GAME.start(GAME.rules("korean-3p"), ("A", "B", "C"), "A", {})
    if dealt:
        state = GAME.apply(state, make("deal", "A", FLOOR3))
    event = Event.from_dict({"event": kind, "player": player, "cards": cards, **args})
    GAME.check(state, event)
    after = GAME.apply(state, event)
    assert sum(h.bit_count() for h in (after.on_floor, *after.caps)) == after.seen.bit_count()
    assert sum(GAME.score(after).net().values()) == 0
    json.dumps(GAME.view(after))
    GAME.legal(after)
    GAME.questions(after)
    GAME.result(after)
