"""What lies on top of the piles of Spit, Speed and The Game, by looks made here: every fault that was found is a row."""

from __future__ import annotations

import numpy as np
import pytest

from datasets.game_clip import simulated
from datasets.simulate import Pose, card_quad
from datasets.simulate_watch import compare, watch
from scorer.cards import standard_deck
from vision.look import Hand, Look, Sightings
from vision.tops import TopsTracker
from vision.zones import ZoneMap, preset

SIZE, CARD = (820.0, 560.0), (63.0, 88.0)
ZONES = ZoneMap(preset("spit", SIZE, {"A": "S", "B": "N"}, CARD))
PILES = ZoneMap(preset("thegame", SIZE, {"A": "S", "B": "N"}, CARD))
Seen = tuple[str, str, float]  # zone, card ("back": face down), mm aside


def centre(zone: str) -> tuple[float, float]:
    x, y = np.mean(next(z for z in (*ZONES.zones, *PILES.zones) if z.name == zone).polygon_mm, axis=0)
    return float(x), float(y)


class Table:
    """A tracker, and looks at cards that lie in zones."""

    def __init__(self, kind: str = "french", zones: ZoneMap = ZONES) -> None:
        self.tracker = TopsTracker(standard_deck(kind), SIZE, lambda: zones)
        self.t_ms = 0.0

    def look(self, *seen: Seen, times: int = 4, over: str = "", by: str = "", fresh: bool = True, sure: float = 0.95) -> None:
        """So many looks at these cards, a hand (of the player `by`) over the zone `over`; `sure`: probability of the names."""
        for k in range(times):
            self.t_ms += 66
            quads = [card_quad(Pose(centre(z)[0] + aside, centre(z)[1]), CARD) for z, _, aside in seen]
            blocked = self.tracker.grid.empty()
            if over:
                blocked[self.tracker.grid.cells(card_quad(Pose(*centre(over)), (90.0, 120.0)))] = True
            shown = [i for i, (z, _, _) in enumerate(seen) if z != over]
            names = tuple(() if seen[i][1] == "back" else ((seen[i][1], sure),) for i in shown)
            names = tuple(n or (("2c", 0.0),) for n in names)
            s = Sightings(np.array([quads[i] for i in shown]).reshape(-1, 4, 2), np.full(len(shown), 0.9), np.full(len(shown), 1.0), names,
                          np.array([0.98 if seen[i][1] == "back" else 0.01 for i in shown]))  # fmt: skip
            changed = self.tracker.grid.full() if fresh and k == 0 else self.tracker.grid.empty()
            hands = (Hand(by, blocked, centre(over)),) if by else ()
            self.tracker.update(Look(self.t_ms, s, blocked, changed & ~blocked, hands))

    def tops(self) -> dict[str, str]:
        """Zone → card on top."""
        return {t.zone: t.card for t in self.tracker.tracks() if t.state == "settled"}

    def id(self, card: str) -> int:
        return next(t.id for t in self.tracker.tracks() if t.card == card)


def test_a_card_keeps_its_number_on_its_way_and_shows_what_lay_under_it() -> None:
    table = Table()
    table.look(("stock-A-2", "7h", 0), ("L", "8c", 0))
    number = table.id("7h")
    table.look(("stock-A-2", "back", 2), ("L", "7h", 5))
    assert table.tops() == {"stock-A-2": "back", "L": "7h"}
    assert table.id("7h") == number
    assert [t.card for t in table.tracker.tracks() if t.state == "covered"] == ["8c"]


def test_a_card_laid_exactly_on_another_under_a_hand_is_another() -> None:
    table = Table()
    table.look(("L", "8c", 0))
    table.look(over="L", times=3, fresh=False)
    table.look(("L", "9d", 0.5), fresh=False)
    assert table.tops() == {"L": "9d"}


def test_a_card_that_may_have_come_to_lie_just_as_another_did_is_read_again() -> None:
    table = Table()
    table.look(("L", "7c", 0))
    quad = np.array([card_quad(Pose(*centre("L")), CARD)])
    unchanged = table.tracker.grid.empty()
    assert not table.tracker.to_read(quad, np.ones(1), unchanged)[0]
    table.look(over="L", times=2, fresh=False)
    assert table.tracker.to_read(quad, np.ones(1), unchanged)[0]
    table.look(("L", "6h", 2.0), times=1, fresh=False)
    assert table.tracker.to_read(quad, np.ones(1), unchanged)[0]


def test_what_lies_undisturbed_and_is_overlooked_still_lies_there() -> None:
    table = Table()
    table.look(("stock-B-0", "9c", 0))
    table.look(times=12, fresh=False)
    assert table.tops() == {"stock-B-0": "9c"}
    table.look(over="stock-B-0", times=2, fresh=False)
    assert table.tops() == {"stock-B-0": "9c"}
    table.look(times=6, fresh=False)  # a hand has been there: now it is gone
    assert table.tops() == {}


def test_a_card_taken_off_a_pile_brings_back_what_lay_under_it() -> None:
    table = Table()
    table.look(("L", "8c", 0))
    table.look(("L", "7h", 6))
    table.look(("L", "8c", 0), ("stock-A-1", "7h", 0))
    assert table.tops() == {"L": "8c", "stock-A-1": "7h"}


def test_cards_laid_on_a_pile_lie_there_in_order_whoever_brought_them() -> None:
    table = Table("numbers", PILES)
    table.look(("pile-0", "n1", 0), ("pile-1", "n1", 0))
    for by, card, sure in (("A", "n45", 0.95), ("A", "n43", 0.7), ("B", "n67", 0.95)):
        table.look(over="pile-0", by=by, times=3, fresh=False)
        table.look(("pile-0", card, 0.5), ("pile-1", "n1", 0), sure=sure, times=8)
    tracks = sorted((t for t in table.tracker.tracks() if t.zone == "pile-0"), key=lambda t: t.order)
    assert [(t.card, t.by) for t in tracks] == [("n1", ""), ("n45", "A"), ("n43", "A"), ("n67", "B")]
    assert all(t.visible > 0 for t in tracks)  # each was seen where it lies, its name sure or not
    assert table.tops()["pile-1"] == "n1"  # there are two of them


@pytest.mark.parametrize(("under", "card", "rival", "aside"), [("n74", "n71", 0.11, 3.0), ("n69", "n59", 0.2, 1.0)])
def test_a_card_much_like_the_one_below_is_another(under: str, card: str, rival: float, aside: float) -> None:
    """71 laid on 74, and 59 on 69 with a doubtful 65 under that: what it is mistaken for lies there."""
    table = Table("numbers", PILES)
    table.look(("pile-0", "n65", aside), sure=0.7)
    table.look(("pile-0", under, 0))
    table.look(over="pile-0", times=3, fresh=False)
    quad = np.array([card_quad(Pose(centre("pile-0")[0] + aside, centre("pile-0")[1]), CARD)])
    still = table.tracker.grid.empty()
    for k in range(6):
        read = ((card, 0.7), ("n65" if card == "n59" else under, rival))
        s = Sightings(quad, np.array([0.9]), np.ones(1), (read,), np.zeros(1))
        table.tracker.update(Look(table.t_ms + 66 * (k + 1), s, still, still, ()))
    assert table.tops() == {"pile-0": card}


def test_a_card_glimpsed_under_the_hand_that_laid_it_is_dated_by_that() -> None:
    table = Table("numbers", PILES)
    table.look(("pile-0", "n1", 0))
    quad = np.array([card_quad(Pose(*centre("pile-0")), CARD)])
    hand = table.tracker.grid.full()
    s = Sightings(quad, np.array([0.8]), np.array([0.9]), ((("n45", 0.8),),), np.zeros(1))
    table.tracker.update(Look(1000.0, s, hand, ~hand, (Hand("A", hand, centre("pile-0")),)))
    table.t_ms = 4000
    table.look(("pile-0", "n45", 1.0))
    assert next(t.since_ms for t in table.tracker.tracks() if t.card == "n45") == 1000.0


@pytest.mark.parametrize(("game", "seed", "least"), [("spit", 6, 0.97), ("speed", 3, 0.9), ("thegame", 6, 0.97)])
def test_whole_games_from_simulated_detections(game: str, seed: int, least: float) -> None:
    case = simulated(game, seed, 2)
    match, _, _ = watch(case, seed=seed)
    final = match.final()["final"]
    found = compare(case.truth, match.record(), final)
    assert found.right >= least * found.true
    assert found.exact
