"""Cards laid out in rows: rows, empty places, outlines. Geometry only; no network."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.edges import fit_outlines
from vision.layout import quad_at, rows_of, vacant

W, H = 40.0, 60.0


def grid(columns: int, lines: int, without: set[int] = frozenset(), turn: float = 0.0, tilt: float = 0.0) -> np.ndarray:
    """Quads (N, 4, 2) of cards in rows, turned by degrees; `tilt` makes the far rows smaller."""
    base = np.array([[-W, -H], [W, -H], [W, H], [-W, H]]) / 2
    at = np.array([(i % columns * 48, i // columns * 68) for i in range(columns * lines) if i not in without])
    quads = base + at[:, None]
    middle = quads.reshape(-1, 2).mean(0)
    quads = quads - middle
    quads = quads / (1 - tilt * quads[..., 1:] / 1000)
    a = np.deg2rad(turn)
    return (quads @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) + 400).astype(np.float32)


@pytest.mark.parametrize("turn", [0, 8, -17, 30])
@pytest.mark.parametrize("tilt", [0.0, 0.6])
def test_rows_are_read_from_the_top_and_from_the_left_however_the_picture_is_turned(turn: float, tilt: float) -> None:
    quads = grid(10, 5, turn=turn, tilt=tilt)
    order = np.random.default_rng(1).permutation(50)
    rows = rows_of(quads[order])
    assert [order[row].tolist() for row in rows] == np.arange(50).reshape(5, 10).tolist()


@pytest.mark.parametrize("gone", [{4}, {23, 24}, {0}, {9, 49}, {12, 20, 37}])
@pytest.mark.parametrize("turn", [0, 8, -17])
def test_a_place_where_a_card_was_missed_is_found_within_a_row_and_at_its_ends(gone: set[int], turn: float) -> None:
    whole, quads = grid(10, 5, turn=turn), grid(10, 5, gone, turn)
    shift = grid(10, 5, turn=turn).mean((0, 1)) - 400  # the grid is centred on what is left of it
    places = vacant(quads)
    wanted = np.array([q.mean(0) - 400 - shift for i, q in enumerate(whole) if i in gone])
    offset = np.array([q.mean(0) for i, q in enumerate(whole) if i not in gone]).mean(0) - quads.mean((0, 1))
    found = places.mean(1) - 400 + offset - shift
    assert len(found) >= len(wanted)
    assert all(np.linalg.norm(found - w, axis=1).min() < 0.15 * W for w in wanted)


def test_a_short_last_row_is_asked_about_and_full_rows_are_not() -> None:
    assert len(vacant(grid(10, 5))) == 0
    assert len(vacant(grid(10, 5, {48, 49}))) == 2


def test_a_card_added_by_hand_is_as_large_and_as_turned_as_its_neighbours() -> None:
    quads = grid(10, 5, turn=8)
    made = quad_at(np.delete(quads, 23, axis=0), tuple(quads[23].mean(0) + 3))
    assert np.abs(made - 3 - quads[23]).max() < 2


@pytest.mark.parametrize("error", [0.0, 0.04])
@pytest.mark.parametrize("size", [0.92, 1.0, 1.08])
def test_outlines_are_put_on_the_cards_edges(size: float, error: float) -> None:
    rng = np.random.default_rng(3)
    true = grid(10, 4, turn=3)
    image = np.full((800, 800, 3), 60, np.uint8)
    image += rng.integers(0, 12, image.shape, dtype=np.uint8)
    for q in true:
        cv2.fillConvexPoly(image, np.rint(q).astype(np.int32), tuple(int(v) for v in rng.integers(150, 250, 3)), cv2.LINE_AA)
        inner = q.mean(0) + (q - q.mean(0)) * rng.uniform(0.3, 0.7)
        cv2.fillConvexPoly(image, np.rint(inner).astype(np.int32), tuple(int(v) for v in rng.integers(20, 120, 3)), cv2.LINE_AA)
    middle = true.mean(1, keepdims=True)
    told = ((true - middle) * size + middle + rng.normal(0, error, (len(true), 1, 2)) * W).astype(np.float32)
    fitted, strength = fit_outlines(image, told)
    assert np.abs(fitted - true).max(axis=(1, 2)).mean() < 2.0
    assert (strength > 3).all()
