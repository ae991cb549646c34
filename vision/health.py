"""Is the picture good enough to read cards from: light, glare, sharpness, and how large the cards are in it.

Problems are codes (`CODES`); words belong to the page. Every code has two thresholds, so that none flickers.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.plane import Plane

CODES = ("dark", "bright", "glare", "blur", "low-resolution")

# code → (comes at, goes at). Measured on labelled photographs of real tables: sharp ones have a blur of 0.16 to 0.47, the same
# softened by a Gaussian of σ 2 px 0.57 to 0.75; the darkest that was still read has its lights at 0.39, a fifth of ordinary
# light puts them at 0.11 to 0.20; ordinary light saturates no pixel, full sun on white cards 8 %.
_LIMITS = {
    "dark": (0.26, 0.31),  # lights (95th percentile), below
    "bright": (0.12, 0.09),  # share of saturated pixels
    "glare": (0.03, 0.015),  # the same, while not too bright as a whole
    "blur": (0.60, 0.54),
    "low-resolution": (22.0, 26.0),  # pixels along a card's short side, below
}
_BELOW = frozenset(("dark", "low-resolution"))
_SATURATED = 250
_TILE = 96
_TILES = 12
_FLAT = 2.0  # mean grey step of a tile with nothing on it: there is nothing to be sharp


@dataclass(frozen=True, slots=True)
class Measures:
    """Of one picture, inside the table: `lights` 0 to 1 (95th percentile), `saturated` share, `blur` 0 to 1 (None: nothing to
    judge by), `card_px`: short side of a card at the table's far edge (None: not known)."""

    lights: float
    saturated: float
    blur: float | None
    card_px: float | None = None


def measure(image: Image, plane: Plane | None = None, card_mm: tuple[float, float] | None = None) -> Measures:
    """Measures a picture (H, W, 3), or the table's part of it where a plane is given. About 3 ms at 1280 × 720."""
    height, width = image.shape[:2]
    part = image
    if plane is not None:
        corners = plane.corners_px()
        low = np.clip(corners.min(axis=0), 0, (width, height)).astype(int)
        high = np.clip(corners.max(axis=0), 0, (width, height)).astype(int)
        if (high - low).min() >= 32:
            part = image[low[1] : high[1], low[0] : high[0]]
    small = part[::2, ::2]
    grey = cv2.cvtColor(part, cv2.COLOR_BGR2GRAY)
    return Measures(
        # The strongest channel, not grey: a dark red or blue cloth in good light is no dark picture.
        lights=float(np.percentile(part[::4, ::4].max(axis=2), 95)) / 255,
        saturated=float((small.min(axis=2) >= _SATURATED).mean()),
        blur=_blur(np.asarray(grey, np.uint8)),
        card_px=_far_card_px(plane, card_mm) if plane is not None and card_mm is not None else None,
    )


def _far_card_px(plane: Plane, card_mm: tuple[float, float]) -> float:
    w, h = plane.size_mm
    inset = (min(card_mm[0], w / 4), min(card_mm[1], h / 4))
    spots = [(x, y) for x in (inset[0], w - inset[0]) for y in (inset[1], h - inset[1])]
    return min(plane.px_per_mm(spot) for spot in spots) * min(card_mm)


def _blur(grey: npt.NDArray[np.uint8]) -> float | None:
    """Blur without a reference (Crété et al. 2007): softening a sharp picture changes it much, a soft one little. 0 to 1.

    Judged on the tiles with most detail, so that an empty cloth does not count; None where there is no detail.
    """
    tiles = _busiest(grey)
    if not tiles:
        return None
    return float(np.median([max(_softness(tile, (9, 1), 1), _softness(tile, (1, 9), 0)) for tile in tiles]))


def _busiest(grey: npt.NDArray[np.uint8]) -> list[npt.NDArray[np.uint8]]:
    rows, columns = grey.shape[0] // _TILE, grey.shape[1] // _TILE
    if not rows or not columns:
        return [grey] if min(grey.shape) >= 16 and np.abs(np.diff(grey.astype(np.int16), axis=1)).mean() > _FLAT else []
    step = cv2.absdiff(grey[::2, 2::2], grey[::2, :-2:2])[: rows * _TILE // 2, : columns * _TILE // 2 - 1]
    detail = cv2.resize(step, (columns, rows), interpolation=cv2.INTER_AREA).astype(float)
    order = np.argsort(-detail.ravel())[:_TILES]
    spots = [(int(n) // columns * _TILE, int(n) % columns * _TILE) for n in order if detail.ravel()[n] > _FLAT]
    return [grey[y : y + _TILE, x : x + _TILE] for y, x in spots]


def _softness(tile: npt.NDArray[np.uint8], kernel: tuple[int, int], axis: int) -> float:
    sharp = tile.astype(np.float32)
    steps = np.abs(np.diff(sharp, axis=axis))
    soft = np.abs(np.diff(cv2.blur(sharp, kernel), axis=axis))
    total = float(steps.sum())
    return (total - float(np.maximum(0, steps - soft).sum())) / total if total > 0 else 1.0


class Health:
    """The codes in force, from one measured picture after another."""

    def __init__(self) -> None:
        self._on: frozenset[str] = frozenset()

    def update(self, measures: Measures) -> tuple[str, ...]:
        """Takes a picture's measures; returns the problems in force, in the order of CODES."""
        values = {
            "dark": measures.lights,
            "bright": measures.saturated,
            "glare": measures.saturated,
            "blur": measures.blur,
            "low-resolution": measures.card_px,
        }
        on = {code for code in CODES if self._holds(code, values[code])}
        if "bright" in on:
            on.discard("glare")
        self._on = frozenset(on)
        return tuple(code for code in CODES if code in on)

    def _holds(self, code: str, value: float | None) -> bool:
        if value is None:
            return False
        comes, goes = _LIMITS[code]
        limit = goes if code in self._on else comes
        return value < limit if code in _BELOW else value > limit
