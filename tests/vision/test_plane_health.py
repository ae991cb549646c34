"""Picture health: the codes for spoilt pictures of a drawn table, none for a good one, and no flicker in between."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from tests.vision.cameras import Camera
from vision.health import CODES, Health, Measures, measure
from vision.plane import plane_from_corners


def table(seed: int = 0) -> np.ndarray:
    """Cards with fine print on a cloth, 1280 × 720."""
    rng = np.random.default_rng(seed)
    picture = np.full((720, 1280, 3), (60, 90, 50), np.uint8)
    picture = np.clip(picture + rng.normal(0, 2, picture.shape), 0, 255).astype(np.uint8)
    for _ in range(24):
        x, y = int(rng.integers(20, 1150)), int(rng.integers(20, 560))
        cv2.rectangle(picture, (x, y), (x + 90, y + 130), (225, 230, 228), -1)
        for _ in range(8):
            cv2.circle(picture, (x + int(rng.integers(8, 82)), y + int(rng.integers(8, 122))), 7, rng.integers(0, 200, 3).tolist(), -1)
        cv2.putText(picture, "7", (x + 4, y + 24), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (20, 20, 180), 2)
    return picture


def glare(picture: np.ndarray) -> np.ndarray:
    spot = np.zeros(picture.shape[:2], np.uint8)
    cv2.ellipse(spot, (600, 350), (190, 90), 20, 0, 360, 255, -1)
    return np.maximum(picture, cv2.GaussianBlur(spot, (0, 0), 9)[..., None])


SPOILT: list[tuple[str, Callable[[np.ndarray], np.ndarray], tuple[str, ...]]] = [
    ("good", lambda p: p, ()),
    ("a little soft", lambda p: cv2.GaussianBlur(p, (0, 0), 0.8), ()),
    ("dim but readable", lambda p: (p * 0.5).astype(np.uint8), ()),
    ("dark", lambda p: (p * 0.2).astype(np.uint8), ("dark",)),
    ("over-exposed", lambda p: np.clip(p * 2.5, 0, 255).astype(np.uint8), ("bright",)),
    ("glare", glare, ("glare",)),
    ("out of focus", lambda p: cv2.GaussianBlur(p, (0, 0), 3), ("blur",)),
    ("shaken", lambda p: cv2.blur(p, (15, 1)), ("blur",)),
    ("too dark to tell whether it is sharp", lambda p: cv2.GaussianBlur((p * 0.2).astype(np.uint8), (0, 0), 3), ("dark",)),
    ("out of focus in glare", lambda p: glare(cv2.GaussianBlur(p, (0, 0), 3)), ("glare", "blur")),
    ("a dark red cloth in good light", lambda p: np.full_like(p, (34, 27, 109)), ()),
    ("the same cloth in a fifth of the light", lambda p: np.full_like(p, (7, 5, 22)), ("dark",)),
    ("empty cloth", lambda p: np.full_like(p, 120), ()),
    ("black", lambda p: np.zeros_like(p), ("dark",)),
]


@pytest.mark.parametrize(("name", "spoil", "codes"), SPOILT, ids=[row[0] for row in SPOILT])
@pytest.mark.parametrize("seed", [0, 1])
def test_what_is_wrong_is_named(name: str, spoil: Callable[[np.ndarray], np.ndarray], codes: tuple[str, ...], seed: int) -> None:
    assert Health().update(measure(spoil(table(seed)))) == codes


@pytest.mark.parametrize("size", [(40, 30), (100, 100), (95, 300), (8, 8), (1, 1)])
def test_any_picture_can_be_measured(size: tuple[int, int]) -> None:
    picture = cv2.resize(table(), size)
    assert 0 <= measure(picture).lights <= 1


def test_only_the_tables_part_counts() -> None:
    camera = Camera(tilt=0.2, distance_mm=1500)
    plane = plane_from_corners(camera.corners(), camera.size_mm)
    low, high = plane.corners_px().min(axis=0).astype(int), plane.corners_px().max(axis=0).astype(int)
    picture = table()
    window = np.full_like(picture, 255)  # a bright window beside the table
    window[low[1] : high[1], low[0] : high[0]] = picture[low[1] : high[1], low[0] : high[0]]
    assert Health().update(measure(window)) == ("bright",)
    assert Health().update(measure(window, plane)) == ()


@pytest.mark.parametrize(("distance", "codes"), [(900.0, ()), (3000.0, ("low-resolution",))])
def test_small_cards_are_named(distance: float, codes: tuple[str, ...]) -> None:
    camera = Camera(tilt=0.5, distance_mm=distance, size_mm=(600.0, 400.0))
    plane = plane_from_corners(camera.corners(), camera.size_mm)
    measures = measure(table(), plane, (35.0, 54.0))
    assert measures.card_px == pytest.approx(35 * 1100 / distance, rel=0.35)
    assert Health().update(measures) == codes


def test_two_thresholds_for_every_code() -> None:
    between = {
        "dark": Measures(0.29, 0.0, 0.3, 60),
        "bright": Measures(0.9, 0.10, 0.3, 60),
        "glare": Measures(0.9, 0.02, 0.3, 60),
        "blur": Measures(0.9, 0.0, 0.57, 60),
        "low-resolution": Measures(0.9, 0.0, 0.3, 24),
    }
    wrong = {
        "dark": Measures(0.1, 0.0, 0.3, 60),
        "bright": Measures(0.9, 0.5, 0.3, 60),
        "glare": Measures(0.9, 0.05, 0.3, 60),
        "blur": Measures(0.9, 0.0, 0.8, 60),
        "low-resolution": Measures(0.9, 0.0, 0.3, 10),
    }
    good = Measures(0.9, 0.0, 0.3, 60)
    assert set(between) == set(CODES)
    for code in CODES:
        health = Health()
        assert code not in health.update(between[code]), code
        assert health.update(wrong[code]) == (code,)
        assert code in health.update(between[code]), code
        assert health.update(good) == ()
        assert code not in health.update(between[code]), code
