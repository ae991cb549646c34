"""A look at a frame with a detector and a reader that say what the table says: what is a card, and what is a pattern of the cloth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from scorer.cards import standard_deck
from vision.detect import SHOWN_H, SHOWN_W, Detections
from vision.gate import Scene
from vision.grid import Grid
from vision.identify import Reading
from vision.plane import Plane, plane_from_corners
from vision.search import CardSearch
from vision.track import HIGH

SIZE = (600.0, 400.0)
IMAGE = np.zeros((400, 600, 3), np.uint8)  # a millimetre is a pixel
AT = (200.0, 200.0)


class Seen:
    """One outline of a card's size at `AT`."""

    def __init__(self, confidence: float) -> None:
        w, h = 35 / 2, 54 / 2
        quad = np.array([[[-w, -h], [w, -h], [w, h], [-w, h]]], np.float32) + np.array(AT, np.float32)
        one = np.ones(1, np.float32)
        self.found = Detections(quad, one * confidence, one, np.full((1, SHOWN_H, SHOWN_W), 255, np.uint8), one * 35)

    def on_table(self, image: np.ndarray, plane: Plane, card_mm: tuple[float, float]) -> Detections:
        return self.found

    def detect(self, image: np.ndarray, scale: float = 1.0) -> Detections:
        return Detections.none()

    def again(self, image: np.ndarray, found: Detections) -> Detections:
        return found

    def there(self, image: np.ndarray, guesses: np.ndarray, dots: np.ndarray) -> Detections:
        none = np.zeros(len(dots), np.float32)
        return Detections(guesses, none, none, np.zeros((len(dots), SHOWN_H, SHOWN_W), np.uint8), none)


class Said:
    """Reads every outline as told, and counts what it was asked."""

    def __init__(self, names: Sequence[tuple[str, float]]) -> None:
        self.reading, self.asked = Reading(tuple(names), False, False), 0

    def identify(self, image: np.ndarray, found: Detections) -> list[Reading]:
        self.asked += len(found)
        return [self.reading] * len(found)


READINGS = [
    # (name, probability)…, the outline's confidence, a card may be founded on it
    ("a petal", (("other", 0.55), ("back", 0.42), ("08-junk", 0.01)), 0.54, False),
    ("a leaf, likelier a back", (("back", 0.56), ("other", 0.39), ("01-junk", 0.01)), 0.5, False),
    ("a petal plainly none", (("other", 0.8), ("back", 0.1)), 0.6, False),
    ("a back", (("back", 0.98), ("other", 0.01), ("12-junk-double", 0.0)), 0.52, True),
    ("a card in glare, plainly outlined", (("other", 0.5), ("back", 0.2), ("08-junk", 0.1)), 0.7, True),
    ("a card half read", (("08-junk", 0.4), ("other", 0.3), ("01-junk", 0.2)), 0.5, True),
]


@pytest.mark.parametrize(("what", "names", "confidence", "card"), READINGS, ids=[r[0] for r in READINGS])
def test_a_pattern_of_the_cloth_founds_no_card_and_is_read_twice_only(
    what: str, names: tuple[tuple[str, float], ...], confidence: float, card: bool
) -> None:
    grid, reader = Grid(SIZE), Said(names)
    plane = plane_from_corners([(0, 0), (SIZE[0], 0), SIZE, (0, SIZE[1])], SIZE)
    search = CardSearch(Seen(confidence), reader, standard_deck("hwatu"), grid, lambda: 0.0, lambda stage, ms: None)
    still, everything = grid.empty(), np.ones(grid.shape, bool)

    def look(changed: np.ndarray) -> float:
        scene = Scene(still, changed, (), False, True, False)
        found, quads = search.find(IMAGE, plane, scene, still)
        s = search.read(IMAGE, found, quads, np.ones(len(found), bool))
        return float(s.confidence.max(initial=0.0))

    assert (look(everything) >= HIGH) is card
    for _ in range(4):
        look(still)
    assert reader.asked == (5 if card else 2)
    before = reader.asked
    look(everything)  # something was laid there: it is read again
    assert reader.asked == before + 1
