"""The table looked at from above: the network that the pipeline runs, on one drawn table under perspective."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from datasets.art import WornDeck, load_deck
from datasets.scene import Laid, compose, from_above, project, random_scene
from datasets.surfaces import Surfaces
from vision.above import TableDetector
from vision.detect import Detector, overlap
from vision.identify import Identifier
from vision.plane import plane_from_corners

HWATU = Path(__file__).parents[2] / "datasets" / "decks" / "hwatu"


@pytest.fixture(scope="module")
def deck() -> WornDeck:
    return WornDeck(load_deck(HWATU), 1, plain=True)


def test_cards_apart_are_found_and_named_under_perspective(deck: WornDeck) -> None:
    names = ["01-bright", "02-animal", "03-ribbon", "08-bright", "11-bright", "12-bright", "06-junk-a", "09-animal"]
    cards = [Laid(n, 90 + 95 * (i % 4), 90 + 110 * (i // 4), 0.2 * i) for i, n in enumerate(names)]
    corners = np.array([[260, 90], [930, 120], [1060, 640], [120, 610]], float)
    plane = plane_from_corners(corners, (480, 300))
    background = np.full((720, 1280, 3), (70, 95, 60), np.uint8)
    scene = compose(np.random.default_rng(0), background, deck, cards, np.linalg.inv(plane.homography))
    found = TableDetector(Detector()).on_table(scene.image, plane, deck.size_mm)
    readings = Identifier("hwatu").identify(scene.image, found)
    right = 0
    for quad, name in zip(scene.quads, names, strict=True):
        at = max(range(len(found)), key=lambda i: overlap(quad, found.quad[i]))
        right += overlap(quad, found.quad[at]) > 0.6 and readings[at].card == name.removesuffix("-a")
    assert right >= 7


def test_from_above_every_card_has_one_size(deck: WornDeck) -> None:
    """The warp undoes the camera: quads become equal rectangles, and truth and picture move together."""
    surfaces = Surfaces(1, size=2, side=200)
    for seed in range(12):
        rng = np.random.default_rng(seed)
        scene = random_scene(rng, deck, surfaces, 300, 380, (24, 60))
        above = from_above(rng, scene, 0.8, 192, 256)
        for q in above.quads:
            side = np.linalg.norm(q - np.roll(q, 1, 0), axis=1)
            assert side[[1, 3]] == pytest.approx([0.8 * deck.size_mm[0]] * 2, rel=0.01)
            assert side[[0, 2]] == pytest.approx([0.8 * deck.size_mm[1]] * 2, rel=0.01)
        assert above.view is not None
        assert scene.view is not None
        if len(scene.quads):
            there = project(above.view @ np.linalg.inv(scene.view), scene.quads[0].astype(float))
            assert np.abs(there - above.quads[0]).max() < 0.1
