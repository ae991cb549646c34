"""Outlines fitted closely to cards of rendered scenes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from datasets.art import WornDeck, load_deck
from datasets.closeups import close_up
from datasets.scene import Laid, Scene, compose
from datasets.targets import outline_targets
from vision.detect import SHOWN_H, SHOWN_W, UNIT, Detections, Detector, overlap, quads_of
from vision.outline import MIDDLE, Outliner, places

DECKS = Path(__file__).parents[2] / "datasets" / "decks"
TABLE = np.array([[1.7, 0.1, 60.0], [-0.08, 1.6, 50.0], [0.0, 0.0002, 1.0]])  # mm → px


@pytest.fixture(scope="module")
def outliner() -> Outliner:
    return Outliner()


@pytest.fixture(scope="module")
def scene() -> Scene:
    """Two cards apart, and a fan of four of which each covers two thirds of the one before."""
    deck = WornDeck(load_deck(DECKS / "french-classic"), 2, plain=True)
    cards = [Laid("Kd", 80, 80, 0.3), Laid("7c", 190, 90, -0.5)]
    cards += [Laid(name, 260 + 22 * i, 190 + 2 * i, 0.08 * i) for i, name in enumerate(("Ah", "9s", "Jc", "4d"))]
    background = np.full((560, 760, 3), (60, 100, 70), np.uint8)
    return compose(np.random.default_rng(0), background, deck, cards, TABLE)


def rough(scene: Scene, cards: list[int], off: float, seed: int) -> Detections:
    """What a detector says that errs by `off` of a card's short side, but knows where the cards show."""
    rng = np.random.default_rng(seed)
    quads = scene.quads[cards] + rng.normal(0, off * 90, (len(cards), 1, 2)).astype(np.float32)
    shown = np.zeros((len(cards), SHOWN_H, SHOWN_W), np.uint8)
    for k, i in enumerate(cards):  # a disc at a place where it shows
        ys, xs = np.nonzero(scene.ids == i + 1)
        at = np.argmin(np.hypot(xs - np.median(xs), ys - np.median(ys)))
        m = np.linalg.lstsq(np.column_stack([quads[k], np.ones(4)]), np.array([[0, 0], [SHOWN_W, 0], [SHOWN_W, SHOWN_H], [0, SHOWN_H]]), rcond=None)[0]
        x, y = np.clip(np.array([xs[at], ys[at], 1.0]) @ m, 1, [SHOWN_W - 2, SHOWN_H - 2]).astype(int)
        shown[k, y - 1 : y + 2, x - 1 : x + 2] = 255
    one = np.ones(len(cards), np.float32)
    return Detections(quads, one, one, shown, one * 90)


def _within(quad: np.ndarray, x: float, y: float) -> bool:
    """Whether a point lies in a clockwise outline, or a pixel beside it."""
    along, to = np.roll(quad, -1, 0) - quad, np.array([x, y]) - quad
    return bool((along[:, 0] * to[:, 1] - along[:, 1] * to[:, 0]).min() > -60)


def worst(quad: np.ndarray, truth: np.ndarray) -> float:
    """Distance of the worst corner as a share of the card's size; either end may be called its top."""
    size = np.sqrt(np.linalg.norm(truth[1] - truth[0]) * np.linalg.norm(truth[2] - truth[1]))
    return float(min(np.linalg.norm(np.roll(quad, k, 0) - truth, axis=1).max() for k in range(4)) / size)


@pytest.mark.parametrize("card", range(6))
def test_a_guess_a_tenth_off_is_fitted(outliner: Outliner, scene: Scene, card: int) -> None:
    errors = []
    for seed in range(4):
        found = outliner.fit(scene.image, rough(scene, [card], 0.1, seed))
        assert found.confidence[0] > 0.2
        errors.append(worst(found.quad[0], scene.quads[card]))
    assert np.median(errors) < 0.08, errors


def test_cards_that_no_outline_explains_are_found(outliner: Outliner, scene: Scene) -> None:
    """Only two cards are known; card shows elsewhere too."""
    known = outliner.fit(scene.image, rough(scene, [0, 5], 0.05, 1))
    found = outliner.fill(scene.image, Detector(), known)
    there = [max(overlap(quad, f) for f in found.quad) for quad in scene.quads]
    assert there[0] > 0.8
    assert sum(o > 0.6 for o in there) >= 5, there


def test_what_is_no_card_gets_no_confidence(outliner: Outliner, scene: Scene) -> None:
    """A guess on the bare cloth, and one that is no outline at all."""
    cloth = rough(scene, [0, 0], 0.0, 0)
    cloth.quad[0] += [420, 330]
    cloth.quad[1] = 50
    found = outliner.fit(scene.image, cloth)
    assert found.confidence[0] < 0.2
    assert found.confidence[1] == 0
    assert len(outliner.fit(scene.image, Detections.none())) == 0


def test_the_place_is_where_most_shows() -> None:
    shown = np.zeros((1, SHOWN_H, SHOWN_W), np.uint8)
    shown[0, 2:4, 1:20] = 255
    shown[0, 20:32, 3:15] = 255
    one = np.ones(1, np.float32)
    quad = np.array([[[0, 0], [SHOWN_W, 0], [SHOWN_W, SHOWN_H], [0, SHOWN_H]]], np.float32)
    x, y = places(Detections(quad, one, one, shown, one))[0]
    assert 8 <= x <= 10
    assert 25 <= y <= 27


def test_close_ups_carry_their_truth() -> None:
    """What a close-up's targets say is where its card lies: the votes of its cells give one outline, which holds all cells but a few at its edge."""
    deck = WornDeck(load_deck(DECKS / "hwatu"), 3, plain=True)
    scene = compose(
        np.random.default_rng(1), np.full((288, 384, 3), 90, np.uint8), deck, [Laid("01-bright", 40, 60, 0.4), Laid("08-bright", 60, 70, 1.2)],
        np.diag([2.2, 2.2, 1.0]),
    )  # fmt: skip
    seen = 0
    for seed in range(30):
        got = close_up(np.random.default_rng(seed), scene, seed % 2)
        if got is None:
            continue
        seen += 1
        mine, votes, whole = outline_targets(got.mine, got.frame)
        assert got.image[..., 3].max() == 255
        pose = whole * np.array([UNIT] * 6 + [1, 1], np.float32)
        quad = quads_of(pose[None])[0]
        ys, xs = np.nonzero(got.mine)
        inside = [_within(quad, x, y) for x, y in zip(xs[::37], ys[::37], strict=True)]
        assert np.mean(inside) > 0.95
        k = np.argwhere(mine > 0)[0]
        assert votes[0, k[0], k[1]] * UNIT + k[1] * 4 + 2 == pytest.approx(pose[0], abs=1e-3)
    assert seen > 15
    assert MIDDLE.shape == (4, 2)
    strays = [close_up(np.random.default_rng(seed), scene, None) for seed in range(8)]
    assert any(s is not None for s in strays)
    assert not any(s.mine.any() for s in strays if s is not None)
