"""Where the table is: the homography that takes picture pixels to table millimetres.

Table frame: origin at the table rectangle's top left corner, x to the right, y down, millimetres. Picture frame: pixels, x to the
right, y down, of the picture as stored. A plane comes from four clicked corners, from four printed markers, or from the cards.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from scorer.errors import KibitzError
from vision.plane_fit import apply, fit_homography, fit_rectangles, solve_size

Array = npt.NDArray[np.float64]

_SMALLEST_PX = 24.0  # a table side shorter than this in the picture says nothing
_BEYOND_CARDS_MM = 250.0  # how far a table found from its cards reaches beyond them, where the picture does


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """`homography` (3, 3): pixels → millimetres. `size_mm`: width, height of the table rectangle.

    `quality` 0 to 1: how much evidence agrees and how well; `error_px`: root mean square distance of that evidence.
    """

    homography: Array
    size_mm: tuple[float, float]
    quality: float = 1.0
    error_px: float = 0.0
    source: Literal["corners", "markers", "cards"] = "corners"
    inverse: Array = field(init=False)
    _side: float = field(init=False)

    def __post_init__(self) -> None:
        h = np.array(self.homography, np.float64)
        if h.shape != (3, 3) or not np.isfinite(h).all() or abs(np.linalg.det(h)) < 1e-18:
            raise ValueError(f"a homography is a finite, regular (3, 3) matrix, not {h.tolist()}")
        if min(self.size_mm) <= 0:
            raise ValueError(f"a table has a width and a height, not {self.size_mm}")
        inverse = np.linalg.inv(h)
        h.flags.writeable = inverse.flags.writeable = False
        middle = inverse @ np.array([self.size_mm[0] / 2, self.size_mm[1] / 2, 1.0])
        object.__setattr__(self, "homography", h)
        object.__setattr__(self, "inverse", inverse)
        # The sign of the homogeneous coordinate on the table's side of the horizon.
        object.__setattr__(self, "_side", float(np.sign(h[2] @ (middle / middle[2]))))

    def to_mm(self, points_px: npt.ArrayLike) -> Array:
        """(…, 2) pixels → (…, 2) millimetres; NaN for pixels beyond the horizon."""
        points = np.asarray(points_px, np.float64)
        out = apply(self.homography, points)
        beyond = (points @ self.homography[2, :2] + self.homography[2, 2]) * self._side <= 0
        if beyond.any():
            out[beyond] = np.nan
        return out

    def to_px(self, points_mm: npt.ArrayLike) -> Array:
        """(…, 2) millimetres → (…, 2) pixels."""
        return apply(self.inverse, np.asarray(points_mm, np.float64))

    def px_per_mm(self, at_mm: tuple[float, float] | None = None) -> float:
        """Scale at a point of the table (its middle by default): the side in pixels of a square millimetre's image."""
        x, y = at_mm or (self.size_mm[0] / 2, self.size_mm[1] / 2)
        image = self.to_px([(x - 0.5, y - 0.5), (x + 0.5, y - 0.5), (x + 0.5, y + 0.5), (x - 0.5, y + 0.5)])
        return float(np.sqrt(abs(_area(image))))

    def corners_px(self) -> Array:
        """(4, 2): the table rectangle's top left, top right, bottom right, bottom left in the picture."""
        return self.to_px(_rectangle(*self.size_mm))

    def moved(self, motion: npt.ArrayLike) -> Plane:
        """The plane after the picture moved: `motion` (3, 3) takes old pixels to new ones."""
        back = np.linalg.inv(np.asarray(motion, np.float64))
        return Plane(self.homography @ back, self.size_mm, self.quality, self.error_px, self.source)

    def resized(self, factor: float) -> Plane:
        """The plane for the same picture, `factor` times as large."""
        return self.moved(np.diag([factor, factor, 1.0]))


def plane_from_corners(corners_px: npt.ArrayLike, size_mm: tuple[float, float]) -> Plane:
    """The plane from a table rectangle's corners (4, 2): top left, top right, bottom right, bottom left.

    Raises KibitzError `corners-bad` where they are no such rectangle's image, `size-bad` for an impossible size.
    """
    if not all(np.isfinite(size_mm)) or min(size_mm) < 50 or max(size_mm) > 10_000:
        raise KibitzError("size-bad", f"a table of {size_mm[0]:g} × {size_mm[1]:g} mm: give its size in millimetres, e.g. 800 × 600")
    corners = _four(corners_px)
    return Plane(fit_homography(corners, _rectangle(*size_mm)), (float(size_mm[0]), float(size_mm[1])))


def _four(corners_px: npt.ArrayLike) -> Array:
    corners = np.asarray(corners_px, np.float64)
    if corners.shape != (4, 2) or not np.isfinite(corners).all():
        raise KibitzError("corners-bad", "the table needs four corners, each [x, y] in pixels: set them again")
    edges = np.roll(corners, -1, axis=0) - corners
    turns = _cross(edges, np.roll(edges, -1, axis=0))
    if (turns < 0).all():
        raise KibitzError("corners-bad", "the corners run anticlockwise: give top left, top right, bottom right, bottom left")
    if (turns <= 0).any() or np.hypot(*edges.T).min() < _SMALLEST_PX:
        raise KibitzError("corners-bad", "the corners are no rectangle's: give top left, top right, bottom right, bottom left")
    return corners


def order_corners(points_px: npt.ArrayLike) -> Array:
    """Four points tapped in any order → (4, 2) clockwise in the picture, the one nearest its top left first."""
    points = np.asarray(points_px, np.float64)
    middle = points - points.mean(axis=0)
    ring = points[np.argsort(np.arctan2(middle[:, 1], middle[:, 0]))]
    return np.roll(ring, -int(np.argmin(ring.sum(axis=1))), axis=0)


def table_size_from_cards(corners_px: npt.ArrayLike, quads_px: npt.ArrayLike, card_mm: tuple[float, float]) -> tuple[float, float]:
    """Width and height in mm of a table whose corners are known, from cards (N, 4, 2) of known size seen on it.

    On the table scaled to a unit square, a card's edge (dx, dy) has w² dx² + h² dy² = length²: linear in w² and h², solved with
    outlying cards weighted down. Raises KibitzError `corners-bad` or `too-few-cards`.
    """
    unit = fit_homography(_four(corners_px), _rectangle(1.0, 1.0))
    size = solve_size(apply(unit, np.asarray(quads_px, np.float64).reshape(-1, 4, 2)), card_mm)
    if size is None:
        raise KibitzError("too-few-cards", "the cards seen do not tell the table's size: lay a few more cards, not all one way round")
    return size


def aspect_from_corners(corners_px: npt.ArrayLike, image_size: tuple[int, int]) -> float:
    """Width ÷ height of the rectangle whose corners are seen, for a camera with square pixels that looks along the picture's middle.

    Zhang and He, "Whiteboard scanning and image enhancement" (2007), section 3. Near-parallel views fall back on side lengths.
    """
    corners = _four(corners_px) - np.asarray(image_size, np.float64) / 2
    m1, m2, m4, m3 = (np.append(c, 1.0) for c in corners)
    k2 = (np.cross(m1, m4) @ m3) / (np.cross(m2, m4) @ m3)
    k3 = (np.cross(m1, m4) @ m2) / (np.cross(m3, m4) @ m2)
    n2, n3 = k2 * m2 - m1, k3 * m3 - m1
    sides = np.hypot(*(np.roll(corners, -1, axis=0) - corners).T)
    plain = float((sides[0] + sides[2]) / (sides[1] + sides[3]))
    if min(abs(k2 - 1), abs(k3 - 1)) < 0.02:
        return plain
    focal2 = -(n2[0] * n3[0] + n2[1] * n3[1]) / (n2[2] * n3[2])
    if focal2 < (0.2 * max(image_size)) ** 2:
        return plain
    scale = np.array([1 / focal2, 1 / focal2, 1.0])
    return float(np.sqrt((n2 * n2 @ scale) / (n3 * n3 @ scale)))


def plane_from_cards(quads_px: npt.ArrayLike, card_mm: tuple[float, float], image_size: tuple[int, int]) -> Plane:
    """The plane from the cards themselves: quads (N, 4, 2), each clockwise from its card's own top left, all of `card_mm`.

    One homography makes them all equal rectangles; cards that do not agree are left out. The table frame is turned as the picture
    is at its cards; the table reaches 250 mm beyond the cards or to the picture's edge. Raises KibitzError `too-few-cards`.
    """
    quads = np.asarray(quads_px, np.float64).reshape(-1, 4, 2)
    fit = fit_rectangles(quads, card_mm)
    if fit is None:
        raise KibitzError("too-few-cards", "no card is seen well enough to find the table from: lay out some cards, or set the corners")
    seen = apply(fit.homography, quads[fit.agree])
    low, high = seen.min(axis=(0, 1)) - _BEYOND_CARDS_MM, seen.max(axis=(0, 1)) + _BEYOND_CARDS_MM
    border = _border(image_size)
    side = np.sign(fit.homography[2] @ np.append(quads[fit.agree].mean(axis=(0, 1)), 1.0))
    visible = border[(border @ fit.homography[2, :2] + fit.homography[2, 2]) * side > 0]
    if len(visible):
        edge = apply(fit.homography, visible)
        low, high = np.maximum(low, edge.min(axis=0)), np.minimum(high, edge.max(axis=0))
    shift = np.array([[1.0, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1]])
    width, height = (float(v) for v in high - low)
    return Plane(shift @ fit.homography, (width, height), fit.quality, fit.error_px, "cards")


def _border(image_size: tuple[int, int]) -> Array:
    """Points along the picture's edge."""
    w, h = image_size
    t = np.linspace(0, 1, 33)
    return np.concatenate([np.stack(p, axis=1) for p in ((t * w, t * 0), (t * w, t * 0 + h), (t * 0, t * h), (t * 0 + w, t * h))])


def _rectangle(width: float, height: float) -> Array:
    return np.array([(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)])


def _cross(a: Array, b: Array) -> Array:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0], np.float64)


def _area(polygon: Array) -> float:
    return float(_cross(polygon, np.roll(polygon, -1, axis=0)).sum() / 2)
