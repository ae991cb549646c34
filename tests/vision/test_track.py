"""Rows for faults seen on clips: what a tracker must make of glimpses, strips, twins and outlines that cannot be."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from scorer.cards import standard_deck
from vision.grid import Mask
from vision.look import Hand, Look, Sightings
from vision.track import Tracker

W, H = 35.0, 54.0
STEP_MS = 70.0

Spot = tuple[str, float, float, float, float]  # name as read, its probability, x, y in mm, visible share


def quad(x: float, y: float) -> np.ndarray:
    return np.array([[x - W / 2, y - H / 2], [x + W / 2, y - H / 2], [x + W / 2, y + H / 2], [x - W / 2, y + H / 2]])


def seen(*spots: Spot, confidence: float = 0.9) -> Sightings:
    n = len(spots)
    return Sightings(
        np.array([quad(x, y) for _, _, x, y, _ in spots]).reshape(n, 4, 2), np.full(n, confidence), np.array([v for *_, v in spots]),
        tuple(((name, p),) for name, p, *_ in spots), np.zeros(n),
    )  # fmt: skip


class Table:
    """A tracker and its clock; after the first look nothing has changed but where a look says so."""

    def __init__(self) -> None:
        self.tracker = Tracker(standard_deck("hwatu"), (400.0, 300.0))
        self.t = 0.0

    def cells(self, *places: tuple[float, float]) -> Mask:
        out = self.tracker.grid.empty()
        for x, y in places:
            out[self.tracker.grid.cells(quad(x, y))] = True
        return out

    def look(self, what: Sightings, changed: Sequence[tuple[float, float]] = (), hand: Sequence[tuple[float, float]] = (), times: int = 1) -> None:
        for n in range(times):
            self.t += STEP_MS
            blocked = self.cells(*hand) if hand else None
            self.tracker.update(Look(self.t, what, blocked, self.cells(*changed if n == 0 else ())))

    def first_ms(self, name: str) -> float:
        """When a card of this name was first made out."""
        return next(t.first_ms for t in self.tracker.tracks() if t.card == name)

    def lies(self) -> dict[str, tuple[int, int]]:
        return {t.card: tuple(np.mean(t.quad, axis=0).round().astype(int)) for t in self.tracker.tracks() if t.state in ("settled", "covered")}


@pytest.fixture
def table() -> Table:
    return Table()


def laid(table: Table, *spots: Spot) -> None:
    table.look(seen(*spots), changed=[(x, y) for _, _, x, y, _ in spots], times=6)
    assert len(table.lies()) == len(spots)


RIBBON = ("05-ribbon", 0.99, 200.0, 150.0, 1.0)


def test_a_glimpse_between_fingers_does_not_move_a_card(table: Table) -> None:
    laid(table, RIBBON)
    table.look(seen(("04-junk", 0.27, 202.0, 137.0, 0.17), confidence=0.26), hand=[(200, 130)])
    table.look(seen(("05-ribbon", 0.99, 200.0, 150.0, 0.95)), changed=[(200, 150)], times=4)
    assert table.lies() == {"05-ribbon": (200, 150)}


def test_an_outline_that_was_never_sure_and_is_not_seen_again_goes_though_nothing_changes(table: Table) -> None:
    laid(table, RIBBON)
    table.look(seen(RIBBON, ("02-junk", 0.13, 300.0, 100.0, 0.22)), changed=[(300, 100)], times=9)
    assert len(table.lies()) == 2
    table.look(seen(RIBBON), times=12)
    assert table.lies() == {"05-ribbon": (200, 150)}


def test_what_takes_in_a_part_that_has_not_changed_is_no_card(table: Table) -> None:
    """Two cards side by side, seen as two lying across them."""
    laid(table, RIBBON)
    table.look(seen(RIBBON), times=2)
    table.look(seen(("03-bright", 0.33, 188.0, 155.0, 0.73)), changed=[(170, 150)], times=6)
    assert set(table.lies()) == {"05-ribbon"}


def test_a_strip_of_a_card_is_that_card_however_its_outline_was_guessed(table: Table) -> None:
    junk, over = ("02-junk", 1.0, 200.0, 150.0, 1.0), ("12-junk-double", 0.99, 220.0, 150.0, 1.0)
    laid(table, junk)
    table.look(seen(("02-junk", 0.95, 217.0, 146.0, 0.29), over), changed=[(220, 150)], times=10)
    assert table.lies() == {"02-junk-a": (200, 150), "12-junk-double": (220, 150)}


@pytest.mark.parametrize(("off", "want"), [(7.0, 7.0), (0.5, 0.0)], ids=["beside it", "exactly"])
def test_a_twin_laid_on_its_twin_is_another_card(table: Table, off: float, want: float) -> None:
    first: Callable[[float, float], Spot] = lambda x, y: ("03-junk", 0.99, x, y, 1.0)  # noqa: E731
    laid(table, first(200, 150))
    table.look(seen(first(200, 150), first(300, 60)), hand=[(300, 60)], times=2)  # on its way
    table.look(seen(), hand=[(200, 150), (200, 120)], times=3)
    table.look(seen(first(200 + off, 150 - off)), changed=[(200 + off, 150 - off)], times=8)
    assert table.lies() == {"03-junk-a": (200, 150), "03-junk-b": (200 + want, 150 - want)}


def test_a_card_mostly_covered_lies_there_until_it_is_seen_elsewhere(table: Table) -> None:
    junk, over = ("09-junk", 0.99, 200.0, 150.0, 1.0), ("06-junk", 0.99, 211.0, 150.0, 1.0)
    laid(table, junk)
    table.look(seen(over), changed=[(200, 150), (211, 150)], times=8)
    assert table.lies() == {"09-junk-a": (200, 150), "06-junk-a": (211, 150)}
    table.look(seen(over, ("09-junk", 0.99, 330.0, 250.0, 1.0), ("09-junk", 0.99, 280.0, 250.0, 1.0)), changed=[(330, 250), (280, 250)], times=20)
    assert sorted(at for name, at in table.lies().items() if name.startswith("09")) == [(280, 250), (330, 250)]


STACK = [("05-ribbon", 0.99, 200.0, 150.0, 1.0), ("09-junk", 0.99, 203.0, 152.0, 1.0), ("01-bright", 0.99, 201.0, 151.0, 1.0)]


def test_what_is_laid_on_a_pile_is_no_strip_of_a_card_within_it(table: Table) -> None:
    """Of a covered card a strip shows; a card of another name that shows far more, seen first half under the hand, is another card."""
    low, over, top = STACK
    laid(table, low)
    table.look(seen((*low[:4], 0.12), over), changed=[over[2:4]], times=8)
    for share in (0.65, 0.72, 0.66, 0.73):
        table.look(seen((*top[:4], share), (*over[:4], 0.31)), changed=[top[2:4]], hand=[(201, 196)])
    table.look(seen(top), changed=[top[2:4]], times=8)
    assert set(table.lies()) == {"05-ribbon", "09-junk-a", "01-bright"}


def test_a_card_that_a_hand_lays_another_on_has_not_left(table: Table) -> None:
    """What the hand lays is not yet made out while the hand half hides it; the card under it is hidden, not gone."""
    low, over, _ = STACK
    laid(table, low)
    ids = {t.card: t.id for t in table.tracker.tracks()}
    laying = seen((over[0], 0.87, 203.0, 150.0, 0.8))
    table.look(laying, changed=[over[2:4]], hand=[(203, 190), (232, 150)], times=4)
    assert [t.id for t in table.tracker.tracks() if t.state in ("settled", "covered")] == [ids["05-ribbon"]]
    table.look(seen(over), changed=[over[2:4]], times=8)
    assert set(table.lies()) == {"05-ribbon", "09-junk-a"}


def test_one_view_that_contradicts_a_name_is_one_contradiction_however_long_it_lasts(table: Table) -> None:
    laid(table, RIBBON)
    wrong = ("07-ribbon", 0.9, 200.0, 150.0, 1.0)
    table.look(seen(wrong), times=6)
    assert set(table.lies()) == {"05-ribbon"}
    for share in (0.8, 0.62, 0.8, 1.0):
        table.look(seen((*wrong[:4], share)), times=2)
    assert set(table.lies()) == {"07-ribbon"}


def test_a_card_laid_on_another_and_read_doubtfully_at_first_is_told_apart_later(table: Table) -> None:
    laid(table, RIBBON)
    first = ("03-ribbon", 0.73, 202.0, 151.0, 0.7)
    table.look(seen(first), changed=[(202, 151)], times=2)
    assert table.tracker.pending  # it is read again
    table.look(seen(("01-ribbon", 0.97, *first[2:])), changed=[(202, 151)], times=6)
    assert "05-ribbon" in table.lies()


def test_two_cards_of_a_pile_that_are_now_and_then_taken_for_one_stay_two(table: Table) -> None:
    left, right = ("01-junk", 0.95, 190.0, 150.0, 0.57), ("06-junk", 0.95, 210.0, 150.0, 1.0)
    laid(table, left)
    table.look(seen(left, right), changed=[(210, 150)], times=6)
    one = seen(("10-junk", 0.9, 200.0, 150.0, 1.0))
    for _ in range(4):
        table.look(one, times=2)
        table.look(seen(left, right))
    table.look(one, times=4)
    assert set(table.lies()) == {"01-junk-a", "06-junk-a"}


def test_a_card_pulled_out_of_one_pile_and_laid_into_another_is_no_unseen_twin() -> None:
    table = Table()
    table.tracker = Tracker(
        standard_deck("hwatu"), (400.0, 300.0), lambda x, y, before: "captures-A" if y < 100 else "captures-B" if y > 200 else "floor",
        lambda zone: zone.startswith("captures"),
    )  # fmt: skip
    strip, top = ("05-junk", 0.95, 100.0, 60.0, 0.25), ("08-animal", 0.97, 112.0, 60.0, 1.0)
    laid(table, (*strip[:4], 1.0))
    table.look(seen(strip, top), changed=[(112, 60)], times=6)
    place = (106.0, 60.0)
    table.look(seen(), hand=[place], times=4)
    table.look(seen(top), changed=[place], times=3)
    given = ("05-junk", 0.97, 300.0, 250.0, 1.0)
    table.look(seen(top, given), changed=[(300, 250)], times=10)
    tracks = {t.card: t for t in table.tracker.tracks() if t.state in ("settled", "covered")}
    assert set(tracks) == {"05-junk-a", "08-animal"}
    assert np.mean(tracks["05-junk-a"].quad, axis=0).round().tolist() == [300, 250]


@pytest.mark.parametrize(("brings", "pulled"), [("B", True), ("A", False)], ids=["the same hand", "another's hand"])
def test_a_card_is_pulled_out_of_a_pile_by_the_hand_that_brings_it(brings: str, pulled: bool) -> None:
    """The bundled clip: B laid a card on a pile of B's, and A gathered the twin of what lies in it."""
    table = Table()
    table.tracker = Tracker(
        standard_deck("hwatu"), (400.0, 300.0), lambda x, y, before: "captures-A" if y < 100 else "captures-B" if y > 200 else "floor",
        lambda zone: zone.startswith("captures"),
    )  # fmt: skip
    strip, top, given = ("06-junk", 0.95, 100.0, 250.0, 0.25), ("08-animal", 0.97, 112.0, 250.0, 1.0), ("06-junk", 0.97, 300.0, 50.0, 1.0)
    laid(table, (*strip[:4], 1.0))
    table.look(seen(strip, top), changed=[(112, 250)], times=6)
    for player, what, place in (("B", seen(), (106.0, 250.0)), (brings, seen(top), (300.0, 50.0))):
        mask = table.cells(place)
        for _ in range(4):
            table.t += STEP_MS
            table.tracker.update(Look(table.t, what, mask, table.cells(), (Hand(player, mask, place),)))
    table.look(seen(top, given), changed=[(300, 50)], times=10)
    assert len([t for t in table.tracker.tracks() if t.card.startswith("06-junk")]) == (1 if pulled else 2)


def test_what_was_once_taken_for_a_second_card_is_gone_when_it_is_seen_no_more(table: Table) -> None:
    """The bundled clip, at the deal: one card under the fingers seen as two, from then on as one."""
    halves = Sightings(
        np.array([quad(200, 150), quad(206, 151)]), np.array([0.88, 0.79]), np.array([0.54, 0.63]),
        ((("03-ribbon", 0.98),), (("03-ribbon", 0.91), ("03-bright", 0.07))), np.zeros(2),
    )  # fmt: skip
    table.look(halves, changed=[(200, 150), (206, 151)], times=5)
    table.look(seen(("03-ribbon", 0.99, 201.0, 150.0, 1.0)), times=12)
    assert set(table.lies()) == {"03-ribbon"}


def test_a_view_whose_name_is_open_is_no_card_laid_on_another(table: Table) -> None:
    """It may be a misreading of what lies there: cards are not laid exactly on one another where it matters."""
    laid(table, RIBBON)
    n = len(table.tracker.tracks())
    over = Sightings(np.array([quad(201, 151)]), np.array([0.9]), np.array([1.0]), ((("06-animal", 0.52), ("09-animal", 0.45)),), np.zeros(1))
    table.look(over, changed=[(201, 151)], times=10)
    assert "05-ribbon" in table.lies()
    assert len(table.tracker.tracks()) == n


def test_a_card_seen_where_it_lies_dates_no_other(table: Table) -> None:
    """Neither its twin, nor, misread, the card that it was taken for."""
    twin, strip, over = ("09-junk-a", 0.99, 100.0, 60.0, 1.0), ("05-junk-a", 0.9, 100.0, 200.0, 0.4), ("08-animal", 0.99, 115.0, 200.0, 1.0)
    laid(table, twin, (*strip[:4], 1.0))
    table.look(seen(twin, strip, over), changed=[(115, 200)], times=6)
    table.look(seen(twin, ("12-bright", 0.64, *strip[2:]), over), times=8)
    came = table.t
    table.look(seen(twin, strip, over, ("09-junk-b", 0.99, 300.0, 60.0, 1.0), ("12-bright", 0.99, 300.0, 200.0, 1.0)), changed=[(300, 60), (300, 200)], times=8)
    assert table.first_ms("09-junk-b") > came
    assert table.first_ms("12-bright") > came


def test_a_card_gathered_at_once_came_when_it_was_glimpsed_under_the_hand(table: Table) -> None:
    glimpse = seen(("02-animal", 0.9, 200.0, 150.0, 0.5))
    table.look(glimpse, changed=[(200, 150)], hand=[(200, 190), (220, 150)], times=4)
    first = table.t - 3 * STEP_MS
    table.look(seen(), hand=[(200, 150), (200, 190)], times=20)  # the hand hides it for longer than glimpses of one moment are apart
    table.look(seen(("02-animal", 0.98, 60.0, 60.0, 1.0)), changed=[(60, 60)], times=8)
    assert table.first_ms("02-animal") == first


def test_what_a_hand_hid_and_what_reads_otherwise_then_is_no_card_laid_on_top(table: Table) -> None:
    low, over = ("09-animal", 0.9, 200.0, 150.0, 0.42), ("05-animal", 0.98, 185.0, 150.0, 1.0)
    laid(table, (*low[:4], 1.0))
    table.look(seen(low, over), changed=[(185, 150)], times=8)
    table.look(seen(("09-animal", 0.42, 199.0, 150.0, 0.05), (*over[:4], 0.3)), hand=[(195, 140)], times=2)
    table.look(seen(("12-bright", 0.85, 200.0, 150.0, 0.4), over), times=8)
    assert set(table.lies()) == {"09-animal", "05-animal"}


def test_half_a_card_that_looks_like_a_back_is_that_card(table: Table) -> None:
    low, over = ("12-animal", 0.99, 200.0, 150.0, 1.0), ("05-animal", 0.98, 217.0, 150.0, 1.0)
    laid(table, low)
    quads = np.array([quad(200, 150), quad(217, 150)])
    back = Sightings(quads, np.full(2, 0.9), np.array([0.5, 1.0]), ((("back", 0.98),), ((over[0], 0.98),)), np.array([0.98, 0.01]))
    table.look(back, changed=[(200, 150), (217, 150)], times=4)
    table.look(seen((*low[:4], 0.5), over), times=8)
    assert set(table.lies()) == {"12-animal", "05-animal"}


def test_a_name_that_another_card_has_contradicts_nothing(table: Table) -> None:
    first, other = ("12-animal", 0.99, 200.0, 150.0, 1.0), ("04-ribbon", 0.99, 60.0, 60.0, 1.0)
    laid(table, first, other)
    for share in (0.8, 0.62, 0.8, 1.0):
        table.look(seen(("04-ribbon", 0.9, 200.0, 150.0, share), other), times=3)
    assert table.lies() == {"12-animal": (200, 150), "04-ribbon": (60, 60)}


def test_a_card_read_now_as_it_was_in_the_hand_that_laid_it_was_misread_meanwhile(table: Table) -> None:
    table.look(seen(("04-animal", 0.92, 200.0, 150.0, 0.5)), hand=[(200, 190), (220, 150)], times=3)
    table.look(seen(("11-bright", 0.9, 200.0, 150.0, 1.0)), changed=[(200, 150)], times=8)
    assert set(table.lies()) == {"11-bright"}
    table.look(seen(("04-animal", 0.99, 201.0, 151.0, 1.0)), changed=[(200, 150)], times=8)
    assert set(table.lies()) == {"04-animal"}


def test_a_card_carried_off_before_its_name_was_settled_is_the_one_that_comes_to_lie(table: Table) -> None:
    either = Sightings(np.array([quad(200, 150)]), np.array([0.9]), np.array([1.0]), ((("05-junk-b", 0.52), ("05-animal", 0.4)),), np.zeros(1))
    table.look(either, changed=[(200, 150)], times=10)
    (track,) = table.tracker.tracks()
    assert not track.sure
    table.look(seen(), hand=[(200, 150)], times=2)
    table.look(seen(), changed=[(200, 150)], times=4)
    table.look(seen(("05-animal", 0.99, 60.0, 60.0, 1.0)), changed=[(60, 60)], times=8)
    assert [(t.id, t.card) for t in table.tracker.tracks() if t.state == "settled"] == [(track.id, "05-animal")]


def test_a_card_whose_name_takes_a_while_is_still_the_one_that_was_taken_up(table: Table) -> None:
    card = ("12-bright", 0.99, 200.0, 150.0, 1.0)
    laid(table, card)
    (track,) = table.tracker.tracks()
    table.look(seen(), hand=[(200, 150)], times=2)
    table.look(seen(), changed=[(200, 150)], times=4)
    table.look(seen(("08-junk-a", 0.3, 60.0, 60.0, 0.3)), changed=[(60, 60)], times=14)
    assert next(t for t in table.tracker.tracks() if t.state == "settled").id != track.id  # shown, and nobody knows what it is
    for share in (0.5, 0.3, 0.5, 0.3, 0.5):
        table.look(seen(("12-bright", 0.99, 60.0, 60.0, share)), times=4)
    assert [(t.id, t.card) for t in table.tracker.tracks() if t.state == "settled"] == [(track.id, "12-bright")]


@pytest.mark.parametrize("carried", [True, False], ids=["a twin that was taken up", "a card misread where it lies"])
def test_no_twin_is_laid_where_none_is_on_its_way(table: Table, carried: bool) -> None:
    lying, other = ("09-junk-a", 0.99, 200.0, 150.0, 1.0), ("09-junk-b", 0.99, 320.0, 60.0, 1.0) if carried else ("07-ribbon", 0.99, 320.0, 60.0, 1.0)
    laid(table, lying, other)
    if carried:
        table.look(seen(lying), hand=[(320, 60)], times=1)
        table.look(seen(lying, ("09-junk-b", 0.98, 260.0, 100.0, 0.8)), changed=[(320, 60)], hand=[(260, 130)], times=4)
    else:
        table.look(seen(lying, ("09-junk-b", 0.98, *other[2:])), times=2)
    table.look(seen(), hand=[(200, 150), (200, 120)], times=4)
    table.look(seen(lying, *(() if carried else (other,))), times=8)
    assert [name for name, at in table.lies().items() if at == (200, 150)] == ["09-junk-a"]


@pytest.mark.parametrize(("share", "views", "two"), [(0.79, 1, False), (1.0, 1, False), (1.0, 3, True)], ids=["half under a hand", "once", "whole, thrice"])
def test_a_card_misread_at_its_own_place_does_not_become_two(table: Table, share: float, views: int, two: bool) -> None:
    """What lies on a card that is itself seen whole now was that card, misread, unless several whole views say otherwise."""
    laid(table, RIBBON)
    for _ in range(views):
        hand = [(201, 199)] if share < 1 else ()
        table.look(seen(("11-bright", 0.85, 201.0, 150.0, share)), changed=[(201, 150)], hand=hand, times=3)
    table.look(seen(RIBBON), times=3)
    assert ("11-bright" in table.lies()) is two
    assert "05-ribbon" in table.lies()


def test_a_covered_card_that_comes_out_and_is_misread_is_itself(table: Table) -> None:
    low, over = ("09-animal", 0.99, 200.0, 150.0, 1.0), ("05-animal", 0.98, 188.0, 150.0, 1.0)
    laid(table, low)
    table.look(seen((*low[:4], 0.3), over), changed=[(188, 150)], times=8)
    table.look(seen(), hand=[(188, 150)], times=2)
    table.look(seen(("12-bright", 0.65, 201.0, 151.0, 1.0)), changed=[(188, 150)], times=6)
    assert set(table.lies()) == {"09-animal"}


def test_a_part_that_lies_beside_a_covered_card_and_reads_as_another_is_another(table: Table) -> None:
    low, over = ("03-junk", 0.99, 200.0, 150.0, 1.0), ("03-junk-a", 0.99, 201.0, 165.0, 1.0)
    laid(table, low)
    table.look(seen(("03-ribbon", 0.7, 208.0, 154.0, 0.4), over), changed=[(208, 154), (201, 165)], times=10)
    assert len(table.lies()) == 3
