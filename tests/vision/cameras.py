"""Pinhole cameras over a table, for the tests: an independent derivation of the same geometry."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Camera:
    """Looks at the middle of the table, tilted by `tilt` from straight down and turned by `yaw` and `roll` (radians)."""

    size_mm: tuple[float, float] = (800.0, 600.0)
    focal_px: float = 1100.0
    distance_mm: float = 1000.0
    tilt: float = 0.6
    yaw: float = 0.0
    roll: float = 0.0
    picture: tuple[int, int] = (1280, 720)
    pan_px: tuple[float, float] = (0.0, 0.0)  # a small turn of the camera shifts the picture

    def project(self, points_mm: npt.ArrayLike) -> Array:
        """(…, 2) table millimetres → (…, 2) pixels, by turning points in space: no homography in sight."""
        flat = np.asarray(points_mm, np.float64)
        p = np.concatenate([flat - np.array(self.size_mm) / 2, np.zeros((*flat.shape[:-1], 1))], axis=-1)
        p = p @ _turn(2, self.yaw).T @ _turn(0, -self.tilt).T @ _turn(2, self.roll).T
        depth = p[..., 2] + self.distance_mm
        assert (depth > 0).all()
        return np.stack([p[..., n] / depth * self.focal_px + self.picture[n] / 2 + self.pan_px[n] for n in (0, 1)], axis=-1)

    def corners(self) -> Array:
        w, h = self.size_mm
        return self.project([(0, 0), (w, 0), (w, h), (0, h)])

    def cards(self, poses: npt.ArrayLike, card_mm: tuple[float, float]) -> Array:
        """Poses (N, 3): centre x, y in mm and angle in rad → quads (N, 4, 2) in pixels."""
        return self.project(rectangles(poses, card_mm))


def rectangles(poses: npt.ArrayLike, card_mm: tuple[float, float]) -> Array:
    """(N, 3) poses → (N, 4, 2) corners in mm, clockwise from the card's own top left."""
    x, y, a = np.asarray(poses, np.float64).reshape(-1, 3).T
    own = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * np.array(card_mm) / 2
    turn = np.stack([np.stack([np.cos(a), -np.sin(a)], -1), np.stack([np.sin(a), np.cos(a)], -1)], -2)
    return np.stack([x, y], -1)[:, None] + np.einsum("nij,kj->nki", turn, own)


def _turn(axis: int, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    i, j = [n for n in range(3) if n != axis]
    m = np.eye(3)
    m[i, i], m[i, j], m[j, i], m[j, j] = c, -s, s, c
    return m
