"""Spit and Speed as the camera sees them: whole games read off a table, races, slaps, refusals, what nobody saw."""
from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from tabletop import Tabletop, speed_stage, speed_zones, spit_stage, spit_zones

from scorer.events import Event, make
from scorer.games.simulate import play_game, policy
from scorer.games.speed import GAME as SPEED
from scorer.games.spit import GAME as SPIT
from scorer.games.spit import audit
from scorer.games.spit.state import Stock
from scorer.match import Match
from scorer.ruleset import preset_names

TOPS = ("8c", "2c", "3c", "4c", "Ac", "8d", "2d", "4d", "5d", "Ad")


def contract(game: Any, steps: list[Any]) -> list[tuple[str, str | None, tuple[str, ...]]]:
    return [(s.event.kind, s.event.player, s.event.cards) for s in steps if s.event.kind not in game.meta]


def record(match: Match) -> list[tuple[str, str | None, tuple[str, ...]]]:
    return [(e["event"], e["player"], tuple(e["cards"])) for e in match.record()]


def spit_game(ruleset: str, seed: int, every: int) -> None:
    """Look at the table after every so many events; all the same, the game is read."""
    rules = SPIT.rules(ruleset)
    steps = list(play_game(SPIT, rules, ("A", "B"), seed, policy("spit", "sensible")))
    match, top = Match("spit", ruleset, ("A", "B")), Tabletop(spit_zones())
    match.observe(top.look())
    before = SPIT.start(rules, ("A", "B"), "A", {"seed": str(seed)})
    for n, step in enumerate(steps):
        spit_stage(top, step.event, before, step.state)
        before = step.state
        if n % every == 0 or step.event.kind in ("layout", "slap") or step.state.phase == "slap":
            match.observe(top.look(step.event.kind == "layout"))
        if step.event.kind == "slap":
            match.observe(top.look(wait=1000))
        if step.event.kind == "gather" and step.event.source == "human":  # a single pile that nobody has won is asked about
            question = match.snapshot()["questions"][0]
            taker = next(iter(step.event.arg("gets")))
            assert match.command({"command": "answer", "question": question["id"], "key": f"{taker}:{before.gets[0][1]}"}).ok
        assert audit(match.evening.state) == ""
    wanted, given = contract(SPIT, steps), record(match)
    assert given == wanted if every == 1 else Counter(given) == Counter(wanted)
    assert match.final()["final"]["winner"] == steps[-1].result.winner
    assert match.snapshot()["flags"] == []


@pytest.mark.parametrize("ruleset", preset_names("spit"))
@pytest.mark.parametrize("seed", range(2))
def test_whole_games_of_spit(ruleset: str, seed: int) -> None:
    spit_game(ruleset, seed, 1)


@pytest.mark.parametrize("every", [2, 3, 4])
def test_whole_games_of_spit_seen_now_and_then(every: int) -> None:
    for seed in range(2):
        spit_game("classic", seed, every)


@pytest.mark.parametrize("ruleset", preset_names("speed"))
@pytest.mark.parametrize("every", [1, 2])
def test_whole_games_of_speed(ruleset: str, every: int) -> None:
    for seed in range(3):
        steps = list(play_game(SPEED, SPEED.rules(ruleset), ("A", "B"), seed, policy("speed", "sensible")))
        match, top = Match("speed", ruleset, ("A", "B")), Tabletop(speed_zones())
        match.observe(top.look())
        for n, step in enumerate(steps):
            speed_stage(top, step.event)
            if n % every == 0:
                match.observe(top.look(False))
        for _ in range(3):
            match.observe(top.look(wait=300))
        wanted, given = contract(SPEED, steps), record(match)
        assert given == wanted if every == 1 else Counter(given) == Counter(wanted)
        assert match.final()["final"]["winner"] == steps[-1].result.winner
        assert match.snapshot()["flags"] == []


# -- spit, moment by moment ------------------------------------------------------------------------------------------


def watched(ruleset: str = "classic", **overrides: Any) -> tuple[Match, Tabletop]:
    """A first layout with known tops; seven and jack in the middle."""
    match, top = Match("spit", ruleset, ("A", "B"), overrides=overrides), Tabletop(spit_zones())
    match.observe(top.look())
    for player, cards in (("A", TOPS[:5]), ("B", TOPS[5:])):
        for n, card in enumerate(cards):
            if n:
                top.put("back", f"{player}{n}", face_up=False)
            top.put(card, f"{player}{n}")
    match.observe(top.look())
    for player, card, pile in (("A", "7s", "L"), ("B", "Js", "R")):
        top.touch(player, pile)
        top.put(card, pile)
    match.observe(top.look())
    assert match.evening.state.phase == "play"
    return match, top


def lay(top: Tabletop, player: str, card: str, pile: str, sigma: float | None = None, wait: int = 400) -> None:
    top.touch(player, pile, sigma, wait=wait)
    top.move(top.find(card), pile)


def kinds(events: tuple[Event, ...]) -> list[str]:
    return [e.kind for e in events]


def test_a_card_that_does_not_fit_is_refused_with_the_reason_and_taken_back() -> None:
    match, top = watched()
    lay(top, "B", "2d", "L")
    events = match.observe(top.look())
    assert kinds(events) == ["refused"]
    assert (events[0].player, events[0].arg("problem"), events[0].arg("reason")) == ("B", "illegal-play", "does-not-fit")
    assert match.snapshot()["flags"] == []
    top.move(top.find("2d"), "B1")
    assert match.observe(top.look()) == ()
    lay(top, "A", "8c", "L")
    assert kinds(match.observe(top.look())) == ["play"]


def test_a_refused_card_that_stays_is_marked_and_play_goes_on() -> None:
    match, top = watched()
    lay(top, "B", "2d", "L")
    match.observe(top.look())
    lay(top, "A", "3c", "L")
    assert kinds(match.observe(top.look())) == ["play", "play", "flag"]
    snap = match.snapshot()
    assert [(f["problem"], f["cards"]) for f in snap["flags"]] == [("illegal-play", ["2d"])]
    assert snap["piles"][0]["cards"] == ["7s", "2d", "3c"]


@pytest.mark.parametrize("together", [True, False])
def test_a_race_is_decided_by_the_first_touch(together: bool) -> None:
    match, top = watched()
    lay(top, "A", "8c", "L")
    got = () if together else match.observe(top.look(wait=0))
    lay(top, "B", "8d", "L", wait=60)
    got = (*got, *match.observe(top.look()))
    assert kinds(got) == ["play", "race", "refused"]
    race = got[1]
    assert (race.arg("verdict"), race.arg("gap_ms"), race.arg("order"), race.arg("accepted")) == ("decided", 60, ("A", "B"), ("A",))
    assert match.snapshot()["piles"][0]["top"] == "8c"


def test_the_card_seen_second_may_have_touched_first() -> None:
    """The touches decide, not the order in which cards came to lie."""
    match, top = watched()
    top.touch("B", "L", 4, wait=400)
    top.touch("A", "L", 4, wait=50)
    top.move(top.find("8c"), "L")
    match.observe(top.look(wait=0))
    top.move(top.find("8d"), "L")
    got = match.observe(top.look())
    assert kinds(got) == ["race", "refused", "play"]
    assert [(e.kind, e.player) for e in got[1:]] == [("refused", "A"), ("play", "B")]
    assert match.snapshot()["piles"][0]["top"] == "8d"
    assert match.evening.state.stock("A") == 15


@pytest.mark.parametrize("first", ["A", "B"])
def test_a_race_too_close_is_left_to_the_players(first: str) -> None:
    match, top = watched()
    lay(top, "A", "8c", "L", 8)
    lay(top, "B", "8d", "L", 8, wait=12)
    got = match.observe(top.look())
    assert kinds(got) == ["play", "race"]
    assert (got[1].arg("verdict"), round(got[1].arg("sigma_ms"), 1)) == ("too-close", 11.3)
    question = match.snapshot()["questions"][0]
    assert match.command({"command": "answer", "question": question["id"], "key": first}).ok
    assert match.snapshot()["piles"][0]["top"] == ("8c" if first == "A" else "8d")


@pytest.mark.parametrize("loser", ["A", "B"])
def test_players_who_settle_a_race_themselves_are_not_asked(loser: str) -> None:
    match, top = watched()
    lay(top, "A", "8c", "L")
    lay(top, "B", "8d", "L", wait=10)
    match.observe(top.look())
    assert match.snapshot()["questions"]
    top.move(top.find("8c" if loser == "A" else "8d"), f"{loser}0")
    match.observe(top.look())
    assert match.snapshot()["questions"] == []
    assert match.snapshot()["piles"][0]["top"] == ("8d" if loser == "A" else "8c")


def test_two_cards_that_follow_each_other_are_no_race() -> None:
    match, top = watched()
    lay(top, "A", "8c", "L")
    match.observe(top.look(wait=0))
    top.clear("B1")
    top.put("9d", "B1")  # the two of diamonds was a nine
    match.command({"command": "correct", "card": "2d", "to": "9d"})
    lay(top, "B", "9d", "L", wait=60)
    assert kinds(match.observe(top.look())) == ["play"]  # it never fitted the seven


def test_a_counted_card_taken_back_is_flagged() -> None:
    match, top = watched()
    lay(top, "A", "8c", "L")
    match.observe(top.look())
    top.move(top.find("8c"), "A0")
    match.observe(top.look())
    snap = match.snapshot()
    assert [f["problem"] for f in snap["flags"]] == ["taken-back"]
    assert (snap["piles"][0]["top"], snap["players"][0]["stock"]) == ("7s", 15)


def emptied(match: Match, top: Tabletop) -> None:
    """A is rid of all stock cards but the eight, and plays it."""
    state = match.evening.state
    last = (Stock(0, ("8c",)), *(Stock(),) * 4)
    pile = replace(state.piles[1], under=state.piles[1].under + 14)
    match.log.evening = replace(match.evening, state=replace(state, stocks=(last, state.stocks[1]), piles=(state.piles[0], pile)))
    lay(top, "A", "8c", "L")
    match.observe(top.look())
    assert match.evening.state.phase == "slap"


def slaps(match: Match, top: Tabletop, *rows: tuple[str, str, int], sigma: float | None = None) -> Event | None:
    for player, pile, wait in rows:
        top.touch(player, pile, sigma, wait=wait)
    for wait in (20, 300, 400):
        for event in match.observe(top.look(False, wait=wait)):
            return event
    return None


def test_a_slap_of_two_piles_and_of_one() -> None:
    match, top = watched()
    emptied(match, top)
    event = slaps(match, top, ("A", "L", 500), ("B", "R", 4))
    assert event is not None
    assert (event.kind, event.arg("verdict"), dict(event.arg("gets"))) == ("slap", "decided", {"A": "L", "B": "R"})
    assert match.snapshot()["prompt"] == "layout"
    match, top = watched()
    emptied(match, top)
    event = slaps(match, top, ("B", "L", 500), ("A", "L", 80), sigma=10)
    assert event is not None
    assert (event.arg("order"), event.arg("gap_ms"), dict(event.arg("gets"))) == (("B", "A"), 80, {"B": "L", "A": "R"})


def test_a_lone_slap_is_waited_out() -> None:
    match, top = watched()
    emptied(match, top)
    top.touch("B", "L", wait=300)
    assert match.observe(top.look(False, wait=100)) == ()
    events = match.observe(top.look(False, wait=600))
    assert kinds(events) == ["slap"]
    assert (events[0].arg("by"), dict(events[0].arg("gets"))) == ("other-pile", {"A": "R", "B": "L"})


def test_a_lone_slap_beside_a_hand_that_nobody_saw_come_down_asks() -> None:
    match, top = watched()
    emptied(match, top)
    top.hands = ("A", "B")
    top.touch("B", "L", wait=300)
    events = match.observe(top.look(False, wait=700))
    assert (kinds(events), events[0].arg("verdict"), dict(events[0].arg("gets"))) == (["slap"], "too-close", {})
    assert match.snapshot()["questions"][0]["kind"] == "slap-order"


def test_a_race_whose_first_card_lies_beneath_is_judged_by_the_touches() -> None:
    match, top = watched()
    top.touch("A", "L", 5.0, wait=400)
    top.take(top.find("8c"))  # A's card flies to L; B's lands on it before anybody saw it
    top.touch("B", "L", 5.0, wait=120)
    top.move(top.find("8d"), "L")
    events = match.observe(top.look(False))
    assert [(e.kind, e.player, e.cards) for e in events] == [
        ("play", "A", ("8c",)), ("race", None, ("8c", "8d")), ("refused", "B", ("8d",))]  # fmt: skip
    assert match.evening.state.piles[0].top == "8c"


def test_a_card_that_came_and_went_under_the_hand_is_refused() -> None:
    match, top = watched()
    track = top.find("4d")
    card = top.seen[track]
    top.take(track)
    top.touch("B", "L", 5.0, wait=200)
    match.observe(top.look(False))
    top.t_ms += 600
    top.seen[track] = card
    top._change("appear", track=track, card="4d", to_zone=card.zone)
    events = match.observe(top.look(False))
    assert [(e.kind, e.player, e.cards, e.arg("reason")) for e in events] == [("refused", "B", ("4d",), "does-not-fit")]


def test_a_slap_too_close_asks_and_the_answer_is_logged_as_a_persons() -> None:
    match, top = watched()
    emptied(match, top)
    event = slaps(match, top, ("A", "L", 500), ("B", "L", 10), sigma=9)
    assert event is not None
    assert (event.arg("verdict"), dict(event.arg("gets"))) == ("too-close", {})
    question = match.snapshot()["questions"][0]
    assert question["kind"] == "slap-order"
    assert match.command({"command": "answer", "question": question["id"], "key": "B:L"}).ok
    assert (match.live[-1].source, dict(match.live[-1].arg("gets"))) == ("human", {"B": "L", "A": "R"})
    assert match.evening.state.phase == "layout"


def test_who_empties_the_layout_chooses() -> None:
    match, top = watched("winner-chooses")
    emptied(match, top)
    assert match.snapshot()["prompt"] == "choose"
    top.touch("B", "L", wait=300)
    assert match.observe(top.look(False, wait=900)) == ()  # the other one has no say
    assert match.command({"command": "choose", "player": "A", "pile": "R"}).ok
    assert match.evening.state.gets == (("A", "R"), ("B", "L"))


def test_a_slap_before_the_layout_is_over_is_void() -> None:
    match, _ = watched()
    refused = match.command({"command": "slap", "player": "A", "pile": "L"})
    assert refused.problem is not None
    assert refused.problem.code == "layout-not-over"


def test_a_spoken_spit_is_a_stall_only_where_nobody_can_play() -> None:
    match, top = watched(space_before_stuck=False)
    refused = match.command({"command": "spit", "player": "A"})
    assert refused.problem is not None
    assert refused.problem.code == "can-still-play"  # the eight goes on the seven
    lay(top, "A", "8c", "L")
    match.observe(top.look())
    assert match.live[-1].kind == "stall"  # and now nobody can: noticed by itself
    assert match.snapshot()["prompt"] == "spit"
    assert match.command({"command": "spit", "player": "A"}).ok


def test_a_misread_card_is_corrected_all_the_way() -> None:
    match, top = watched()
    lay(top, "A", "8c", "L")
    match.observe(top.look())
    assert match.command({"command": "correct", "card": "2c", "to": "6c"}).ok
    assert match.evening.state.stocks[0][1].top == "6c"
    assert match.log.refold() == match.evening
    json.dumps(match.snapshot())


def test_out_of_sync_and_back_by_the_table() -> None:
    match, top = watched()
    top.move(top.find("8c"), "L")
    top.put("9h", "L")
    match.watch.before = top.look()  # the camera was covered
    for _ in range(40):
        match.observe(top.look(wait=100))
    assert match.state == "out-of-sync"
    assert match.command({"command": "resync", "use": "table"}).ok
    state = match.evening.state
    assert (state.piles[0].top, state.stocks[0][0].count, audit(state)) == ("9h", 0, "")
    assert match.state == "watching"


# -- speed, moment by moment -----------------------------------------------------------------------------------------


def speed_watched() -> tuple[Match, Tabletop]:
    match, top = Match("speed", players=("A", "B")), Tabletop(speed_zones())
    match.observe(top.look())
    speed_stage(top, make("layout", None, ("7s", "Js")))
    assert kinds(match.observe(top.look())) == ["layout"]
    return match, top


def test_speed_races_and_refusals() -> None:
    match, top = speed_watched()
    for player, card, wait in (("A", "8c", 400), ("B", "8d", 60)):
        top.touch(player, "L", wait=wait)
        top.put(card, "L")
    got = match.observe(top.look())
    assert kinds(got) == ["play", "race", "refused"]
    assert [p["hand"] for p in match.snapshot()["players"]] == [4, 5]
    top.touch("B", "R", wait=400)
    top.put("2d", "R")
    assert kinds(match.observe(top.look())) == ["refused"]


@pytest.mark.parametrize("loser", ["A", "B"])
def test_a_speed_race_too_close(loser: str) -> None:
    match, top = speed_watched()
    for player, card, wait in (("A", "8c", 400), ("B", "8d", 10)):
        top.touch(player, "L", wait=wait)
        top.put(card, "L")
    assert kinds(match.observe(top.look())) == ["play", "race"]
    assert match.snapshot()["questions"][0]["kind"] == "race-order"
    top.take(top.find("8c" if loser == "A" else "8d"))
    match.observe(top.look())
    assert match.snapshot()["questions"] == []
    assert [p["hand"] for p in match.snapshot()["players"]] == ([5, 4] if loser == "A" else [4, 5])


def test_a_play_by_nobody_knows_who_is_asked_about() -> None:
    match, top = speed_watched()
    top.put("8c", "L")
    for _ in range(20):
        match.observe(top.look(False, wait=100))
    assert match.state == "unsure"
    question = match.snapshot()["questions"][0]
    assert len(question["options"]) == 2
    assert match.command({"command": "answer", "question": question["id"], "key": "1"}).ok
    assert [p["hand"] for p in match.snapshot()["players"]] == [5, 4]
    match, top = speed_watched()
    top.hands = ("B",)  # the only hand over the table
    top.put("8c", "L")
    assert [(e.kind, e.player) for e in match.observe(top.look(False))] == [("play", "B")]


def test_a_side_card_alone_is_waited_for() -> None:
    match, top = speed_watched()
    speed_stage(top, make("side-flip", None, ("7d",), pile="L"))
    assert match.observe(top.look(False)) == ()
    speed_stage(top, make("side-flip", None, ("Jd",), pile="R"))
    assert kinds(match.observe(top.look(False))) == ["stall", "side-flip", "side-flip"]
    assert match.snapshot()["side_piles"] == {"L": 9, "R": 9}


def test_speed_out_of_sync_and_back_by_the_table() -> None:
    match, top = speed_watched()
    top.put("8c", "L")
    match.watch.before = top.look()
    for _ in range(40):
        match.observe(top.look(wait=100))
    assert match.state == "out-of-sync"
    assert match.command({"command": "resync", "use": "table"}).ok
    assert match.snapshot()["piles"][0]["top"] == "8c"
    assert match.evening.state.total == 52


def test_two_strange_cards_at_once_are_side_cards() -> None:
    match, top = speed_watched()
    for pile, card in (("L", "2d"), ("R", "4d")):
        top.put(card, pile)
    assert kinds(match.observe(top.look(False))) == ["stall", "side-flip", "side-flip"]


def test_a_track_that_came_from_a_side_pile_is_a_side_card() -> None:
    match, top = speed_watched()
    tracks = [top.put("back", f"side-{pile}", face_up=False) for pile in "LR"]
    match.observe(top.look(False))
    for track, pile, card in zip(tracks, "LR", ("8d", "Qd"), strict=True):  # both would fit: only the track tells
        top.read(track, card=card, face_up=True)
        top.move(track, pile)
    assert kinds(match.observe(top.look(False))) == ["stall", "side-flip", "side-flip"]


def test_a_lost_picture_says_nothing() -> None:
    match, top = watched()
    lay(top, "A", "8c", "L")
    table = top.look()
    for game, state in ((SPIT, match.evening.state), (SPEED, speed_watched()[0].evening.state)):
        assert game.observe(state, table, replace(table, lost=True)) == ()
        assert game.expected(state, replace(table, lost=True)) == ()


def test_two_wrong_cards_in_one_look_are_both_refused() -> None:
    match, top = watched()
    for player, card in (("A", "3c"), ("B", "5d")):
        lay(top, player, card, "L")
    match.observe(top.look())
    assert kinds(match.live[-2:]) == ["refused", "refused"]


def test_the_new_layout_is_not_taken_from_the_old_cards() -> None:
    match, top = watched()
    emptied(match, top)
    slaps(match, top, ("A", "L", 500), ("B", "R", 80))
    top.clear("L", "R")
    for _ in range(3):
        assert match.observe(top.look(wait=300)) == ()  # B's old cards still lie there
    assert match.snapshot()["prompt"] == "layout"
