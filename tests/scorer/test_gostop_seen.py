"""What a camera saw too late, in part or wrongly: each a case that a simulated game with hard detections brought up (its seed in brackets)."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from gostop_table import STEP_MS, Table

from scorer import retell
from scorer.events import make
from scorer.game import Retold
from scorer.games.gostop.referee import new_cards
from scorer.games.gostop.sight import look
from scorer.games.gostop.state import Debt
from scorer.games.gostop.telling import command
from scorer.match import Match
from scorer.table import Change, Seen
from scorer.watch import Watch

FLOOR = ("01-ribbon", "02-junk-a", "03-ribbon", "04-junk-a", "06-junk-a", "08-bright", "09-junk-a", "10-junk-a")


def begin() -> tuple[Match, Table]:
    match, table = Match("gostop", "classic", ("A", "B"), "A"), Table(("A", "B"))
    table.put(FLOOR, "floor")
    table.show(match)
    return match, table


def told(match: Match) -> list[tuple[Any, ...]]:
    return [(e["event"], e["player"], *e["cards"]) for e in match.record()[1:]]


def rest(match: Match, table: Table, seconds: int = 2) -> None:
    for _ in range(seconds):
        table.wait(1000)
        table.show(match, 1)


def two_at_once(match: Match, table: Table) -> None:
    """Junk for one turn came to light card by card (810009)."""
    for event in (make("capture", "B", ("02-junk-a", "01-junk-a", "04-junk-a")), make("steal", "A", ("02-junk-a",), from_="B"),
                  make("steal", "A", ("04-junk-a",), from_="B")):
        match.append([event], table.t)


def of_a_later_turn(match: Match, table: Table) -> None:
    """… but not that of another turn."""
    match.append([make("capture", "B", ("02-junk-a", "01-junk-a", "04-junk-a"))], table.t)
    match.append([make("steal", "A", ("02-junk-a",), from_="B")], table.t)
    match.append([make("play", "B", ("12-bright",))], table.t)
    match.append([make("steal", "A", ("04-junk-a",), from_="B")], table.t)


@pytest.mark.parametrize(("play", "steals"), [
    (two_at_once, [("steal", "A", "02-junk-a", "04-junk-a")]),
    (of_a_later_turn, [("steal", "A", "02-junk-a"), ("steal", "A", "04-junk-a")]),
], ids=lambda x: getattr(x, "__name__", ""))
def test_junk_for_one_turn_is_one_steal_of_the_record(play: Callable[[Match, Table], None], steals: list[tuple[Any, ...]]) -> None:
    match, table = begin()
    play(match, table)
    assert [t for t in told(match) if t[0] == "steal"] == steals


def test_junk_still_due_to_who_stops_counts() -> None:
    """The stolen card went under others and nobody saw it there, or the stop was said before it was (810002, 820011)."""
    match, table = begin()
    brights = ("01-bright", "03-bright", "08-bright", "11-bright", "12-bright")
    match.append([make("capture", "A", brights), make("capture", "B", ("02-junk-a",))], table.t)
    state = match.evening.state
    owing = replace(state, debts=(Debt(1, 0, 1),), undecided=0)
    said = command(owing, {"command": "stop", "player": "A"})
    assert isinstance(said, tuple)
    assert [(e.kind, e.player, e.cards, e.source) for e in said] == [("steal", "A", ("02-junk-a",), "auto"), ("stop", "A", (), "human")]
    go = command(owing, {"command": "go", "player": "A"})
    assert isinstance(go, tuple)
    assert [e.kind for e in go] == ["go"]


LAID = Change(90, 9000, "appear", 99, "", "", "floor")


@pytest.mark.parametrize(("journal", "came", "blind"), [
    ((LAID, Change(91, 9300, "rename", 99, "01-bright", "", "floor"), Change(92, 12000, "move", 99, "01-bright", "floor", "cap-A", "A")), 9000, False),
    ((Change(91, 9300, "uncover", 99, "01-bright", "", "floor"), Change(92, 12000, "move", 99, "01-bright", "floor", "cap-A", "A")), 9300, False),
    ((Change(92, 12000, "move", 99, "01-bright", "stock", "cap-A", "A"),), 12000, True),
    ((Change(92, 12000, "appear", 99, "01-bright", "", "cap-B", "A"),), 12000, False),
], ids=["laid, named later (810003)", "lay there unnamed", "not seen before it was gathered", "passed another's captures (810005)"])
def test_when_a_card_came_that_was_made_out_late(journal: tuple[Change, ...], came: int, blind: bool) -> None:
    match, table = begin()
    seen = table.state()
    card = Seen(99, "01-bright", zone="cap-A", order=99)
    changed = replace(seen, t_ms=13000, seen=(*seen.seen, card), changes=(*seen.changes, *journal))
    sight = look(match.evening.state, changed)
    index = match.evening.state.house.pack.names.index("01-bright")
    assert sight.came[index][1] == came
    assert bool(sight.blind >> index & 1) is blind


def test_which_of_two_of_one_print_was_gathered_is_tried_both_ways() -> None:
    """The junk card that lay open came to light in the pile as its twin (820006)."""
    match, table = begin()
    table.put("12-animal", "floor", "A")
    table.put("02-ribbon", "floor", "A")
    table.show(match, 1)
    table.put("02-ribbon", "cap-A", "A")
    table.take(("02-junk-a",))
    table.put("02-junk-b", "cap-A", "A")
    rest(match, table, 3)
    assert told(match) == [("play", "A", "12-animal"), ("flip", "A", "02-ribbon"), ("capture", "A", "02-ribbon", "02-junk-a")]
    assert match.snapshot()["flags"] == []


@pytest.mark.parametrize(("gap", "new"), [(100, {"10-ribbon"}), (900, {"10-ribbon", "12-bright", "12-animal", "12-ribbon"})],
                         ids=["laid together", "one by one"])
def test_three_of_a_month_laid_open_at_once_are_no_part_of_the_turn_before(gap: int, new: set[str]) -> None:
    """The next player showed a triple while the turn before still looked unfinished (830003)."""
    match, table = begin()
    table.put("10-ribbon", "floor", "A")
    table.show(match, 1)
    table.wait(700)
    for card in ("12-bright", "12-animal", "12-ribbon"):
        table.t -= STEP_MS - gap
        table.put(card, "floor", "B")
    state = match.evening.state
    cards = new_cards(state, look(state, table.state()))
    assert set(state.house.pack.cards(cards)) == new
    table.show(match, 1)
    table.take(("12-bright", "12-animal", "12-ribbon"))
    table.show(match, 2)
    assert ("shake", "A") not in [t[:2] for t in told(match)]


def test_what_only_says_again_what_it_takes_back_takes_nothing_back() -> None:
    """A strip read as a card, named now so, now so, had the same turn taken back and told again at every look (820016)."""
    match, table = begin()
    table.put("12-animal", "floor", "A")
    table.put("11-bright", "floor", "A")
    rest(match, table, 2)
    assert told(match) == [("play", "A", "12-animal"), ("flip", "A", "11-bright")]
    before = match.watch.latest
    assert before is not None
    again = Retold(1, (tuple(e for e in match.live if e.kind in ("play", "flip")),), before, 1.0, (77,))
    root = next(e.seq for e in match.live if e.kind == "play")
    done = retell.Search("ruled", match.seq, iter(()), [root], 2.5, [again])
    better = retell.best(match, done)
    assert better is not None
    assert (better.roots, better.told.turns, better.told.none) == ((), (), (77,))
    assert retell.best(match, retell.Search("ruled", match.seq, iter(()), [root], 2.5, [replace(again, none=())])) is None


@pytest.mark.parametrize(("name", "sure", "zone", "none"), [
    ("04-junk-a", False, "cap-A", True), ("09-ribbon", False, "cap-A", True), ("09-ribbon", True, "cap-A", False), ("04-junk-a", False, "floor", False),
])
def test_what_is_none_stays_none_while_its_name_is_not_settled(name: str, sure: bool, zone: str, none: bool) -> None:
    watch = Watch(none={5: ("04-junk-a", "cap-A")})
    assert watch.is_none(Seen(5, name, zone=zone, sure=sure)) is none
    assert not watch.is_none(Seen(6, name, zone=zone, sure=sure))
