"""What the camera side believes of names: what was logged, what just left, what is nothing at all."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scorer.cards import same, standard_deck
from scorer.table import Change, Seen, TableState, Zone
from scorer.watch import GHOST_MS, RENAME_AFTER_MS, Watch, prepare, renamed, variants

DECK = standard_deck("hwatu").merged_counter()
ZONES = (Zone("floor", "floor"), Zone("hand-A", "hand", "A"))


def table(*seen: Seen, t: int = 5000, changes: tuple[Change, ...] = ()) -> TableState:
    return TableState(t, seen, changes=changes, zones=ZONES)


def card(track: int, name: str, sure: bool = True, visible: float = 1.0, zone: str = "floor", names: tuple[tuple[str, float], ...] = ()) -> Seen:
    return Seen(track, name, names, sure, zone, visible=visible)


@pytest.mark.parametrize(
    ("what", "seen", "name"),
    [
        ("as logged", card(1, "10-ribbon"), "10-ribbon"),
        ("under another name, unsure", card(1, "08-junk-b", sure=False), "10-ribbon"),
        ("under another name, sure", card(1, "08-junk-b"), "10-ribbon"),
        ("a card never logged", card(2, "08-junk-b"), "08-junk-b"),
        ("taken for nothing, still unsure", card(3, "04-animal", sure=False), ""),
        ("taken for nothing, sure by now", card(3, "04-animal"), "04-animal"),
        ("in a hand", card(2, "08-junk-b", zone="hand-A"), ""),
    ],
)
def test_a_logged_name_stays_until_a_surer_one_has_stood(what: str, seen: Seen, name: str) -> None:
    watch = Watch(taken={1: "10-ribbon"}, ghosts={3})
    assert prepare(table(seen), watch, DECK).seen[0].card == name


@pytest.mark.parametrize(
    ("what", "clear", "now", "others", "found"),
    [
        ("seen as well as before", 0.9, card(1, "08-junk-b", visible=0.8), (), True),
        ("a strip of a card that was seen whole", 0.9, card(1, "08-junk-b", visible=0.3), (), False),
        ("a strip, but its name is another card's", 0.9, card(1, "08-junk-b", visible=0.3), (card(2, "10-ribbon"),), True),
        ("never seen better", 0.0, card(1, "08-junk-b", visible=0.3), (), True),
        ("not sure", 0.0, card(1, "08-junk-b", sure=False), (), False),
        ("no card of this deck", 0.0, card(1, "joker-2"), (), False),
    ],
)
def test_when_a_card_is_read_anew(what: str, clear: float, now: Seen, others: tuple[Seen, ...], found: bool) -> None:
    watch = Watch(taken={1: "10-ribbon"}, clear={1: clear}, deck=DECK)
    assert renamed(watch, table(now, *others, t=1000), same) == []
    assert bool(renamed(watch, table(now, *others, t=1000 + RENAME_AFTER_MS), same)) is found


def test_an_unsure_card_may_be_one_that_just_left_its_place_or_none() -> None:
    before = table(card(1, "11-junk-a"), card(2, "11-animal"))
    unsure = card(7, "09-junk-b", sure=False, names=(("09-junk-b", 0.4),))
    came = (Change(1, 1000, "appear", 7, "09-junk-b", "", "floor"),)

    def names(t: int) -> list[str]:
        return [t_.seen[-1].card for _, t_ in variants(before, table(card(2, "11-animal"), unsure, t=t, changes=came), {}, DECK)]

    assert names(2000) == ["09-junk-b", "11-junk-a"]
    assert names(1000 + GHOST_MS) == ["09-junk-b", "", "11-junk-a"]


def test_an_unsure_card_may_be_one_that_left_unseen_from_under_others() -> None:
    lying = card(1, "02-junk-a"), replace(card(2, "02-junk-b", visible=0.0), state="covered")
    unsure = card(7, "05-ribbon", sure=False, names=(("05-ribbon", 0.4), ("02-junk-a", 0.3)))
    tables = [t for _, t in variants(table(*lying), table(*lying, unsure), {}, DECK)]
    assert [[s.card for s in t.seen] for t in tables] == [["02-junk-a", "02-junk-b", "05-ribbon"], ["02-junk-a", "", "02-junk-a"]]


@pytest.mark.parametrize(("sure", "told", "known"), [(True, (), True), (False, (), False), (False, ("12-bright",), True)],
                         ids=["sure", "unsure, of no event", "unsure, logged"])  # fmt: skip
def test_an_unsure_card_is_known_once_the_log_tells_of_it(sure: bool, told: tuple[str, ...], known: bool) -> None:
    watch = Watch()
    watch.take(table(card(1, "12-bright", sure=sure)), 5, told)
    assert (1 in watch.taken) is known
