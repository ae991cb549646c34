"""Masks of the table in cells of a few millimetres: where a hand is, where something changed, where a card lies."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]

CELL_MM = 6.0
MARGIN_MM = 120.0
KEPT = 512  # outlines whose cells are remembered


class Grid:
    """Cells over the table rectangle and a margin around it; masks are (rows, columns) bool."""

    def __init__(self, size_mm: tuple[float, float]) -> None:
        self.size_mm = size_mm
        self._known: dict[bytes, tuple[NDArray[np.intp], NDArray[np.intp]]] = {}
        self.shape = (int(np.ceil((size_mm[1] + 2 * MARGIN_MM) / CELL_MM)), int(np.ceil((size_mm[0] + 2 * MARGIN_MM) / CELL_MM)))

    def empty(self) -> Mask:
        return np.zeros(self.shape, bool)

    def full(self) -> Mask:
        return np.ones(self.shape, bool)

    def homography(self, picture_to_mm: NDArray) -> NDArray:
        """(3, 3) picture pixels to cells."""
        return np.array([[1 / CELL_MM, 0, MARGIN_MM / CELL_MM], [0, 1 / CELL_MM, MARGIN_MM / CELL_MM], [0, 0, 1]]) @ picture_to_mm

    def cells(self, quad_mm: NDArray) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Indices (rows, columns) of the cells whose centre lies in a convex quad (4, 2)."""
        key = np.asarray(quad_mm, np.float64).tobytes()
        if key not in self._known:  # each outline of a look is asked for three times
            if len(self._known) >= KEPT:
                self._known.clear()
            self._known[key] = self._cells(quad_mm)
        return self._known[key]

    def _cells(self, quad_mm: NDArray) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        q = (np.asarray(quad_mm, np.float64) + MARGIN_MM) / CELL_MM
        low = np.floor(q.min(axis=0)).astype(int)
        high = np.ceil(q.max(axis=0)).astype(int)
        x = np.arange(max(0, low[0]), min(self.shape[1], high[0] + 1))
        y = np.arange(max(0, low[1]), min(self.shape[0], high[1] + 1))
        if not len(x) or not len(y):
            return np.zeros(0, np.intp), np.zeros(0, np.intp)
        cx, cy = x + 0.5, y[:, None] + 0.5
        inside = np.ones((len(y), len(x)), bool)
        for i in range(4):
            (ax, ay), (bx, by) = q[i], q[(i + 1) % 4]
            inside &= (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) >= 0
        rows, cols = np.nonzero(inside)
        return y[rows], x[cols]

    def inside(self, cells: tuple[NDArray[np.intp], NDArray[np.intp]], quad_mm: NDArray) -> Mask:
        """Which of the cells lie in a convex quad (4, 2), clockwise."""
        q = (np.asarray(quad_mm, np.float64) + MARGIN_MM) / CELL_MM
        y, x = cells[0] + 0.5, cells[1] + 0.5
        out = np.ones(len(y), bool)
        for i in range(4):
            (ax, ay), (bx, by) = q[i], q[(i + 1) % 4]
            out &= (bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0
        return out

    def polygon(self, points_mm: NDArray) -> Mask:
        """Mask of the cells in a polygon (N, 2)."""
        out = np.zeros(self.shape, np.uint8)
        q = np.round((np.asarray(points_mm, np.float64) + MARGIN_MM) / CELL_MM * 16).astype(np.int32)
        cv2.fillPoly(out, [q], 1, cv2.LINE_8, 4)
        return out.astype(bool)


def share(mask: Mask, cells: tuple[NDArray[np.intp], NDArray[np.intp]]) -> float:
    """Share of the cells that the mask holds; 0 of none."""
    n = len(cells[0])
    return np.count_nonzero(mask[cells]) / n if n else 0.0


def grown(quad: NDArray[np.float64], by_mm: float) -> NDArray[np.float64]:
    """A card's outline (4, 2) with every side moved outwards."""
    out = quad.astype(np.float64).copy()
    for side in (0, 1):  # along the upper edge, then along the left one
        d = quad[1] - quad[0] if side == 0 else quad[3] - quad[0]
        step = by_mm * d / max(float(np.linalg.norm(d)), 1e-6)
        near, far = ((0, 3), (1, 2)) if side == 0 else ((0, 1), (3, 2))
        out[list(near)] -= step
        out[list(far)] += step
    return out
