"""A pinhole camera that looks at the table. World: table millimetres (x right, y down, z up from the table)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Camera:
    """Where the camera stands. `right`, `down`, `ahead` are its axes in the world; `focal` is in pixels."""

    width: int
    height: int
    focal: float
    centre: Array  # (3,) mm
    right: Array
    down: Array
    ahead: Array

    def homography(self, z: float = 0.0) -> Array:
        """(3, 3): table mm at height z to picture pixels."""
        rows = np.stack([self.right, self.down, self.ahead])
        m = np.column_stack([rows[:, 0], rows[:, 1], rows[:, 2] * z - rows @ self.centre])
        k = np.array([[self.focal, 0, self.width / 2], [0, self.focal, self.height / 2], [0, 0, 1]])
        h = k @ m
        return h / h[2, 2]

    def project(self, points: Array) -> Array:
        """Pixels (N, 2) of world points (N, 3)."""
        p = np.asarray(points, float) - self.centre
        d = p @ self.ahead
        return np.stack([p @ self.right / d * self.focal + self.width / 2, p @ self.down / d * self.focal + self.height / 2], axis=1)

    def nudged(self, shift_mm: tuple[float, float, float], turn_deg: float) -> Camera:
        """The camera after someone bumped into the tripod: moved and rolled."""
        a = math.radians(turn_deg)
        c, s = math.cos(a), math.sin(a)
        return Camera(
            self.width,
            self.height,
            self.focal,
            self.centre + np.array(shift_mm),
            c * self.right + s * self.down,
            c * self.down - s * self.right,
            self.ahead,
        )


def look(
    size_mm: tuple[float, float],
    width: int = 1280,
    height: int = 720,
    tilt: float = 30.0,
    azimuth: float = 0.0,
    roll: float = 0.0,
    fov: float = 62.0,
    margin: float = 0.05,
) -> Camera:
    """A camera that sees the whole table rectangle.

    tilt: degrees from straight down; azimuth: 0 stands at the S edge, 90 at E; fov: horizontal, degrees; margin: share of the picture
    left free around the table.
    """
    t, a = math.radians(tilt), math.radians(azimuth)
    right = np.array([math.cos(a), -math.sin(a), 0.0])
    ahead = np.array([-math.sin(t) * math.sin(a), -math.sin(t) * math.cos(a), -math.cos(t)])
    down = np.array([math.sin(a) * math.cos(t), math.cos(a) * math.cos(t), -math.sin(t)])
    r = math.radians(roll)
    right, down = math.cos(r) * right + math.sin(r) * down, math.cos(r) * down - math.sin(r) * right
    focal = width / 2 / math.tan(math.radians(fov) / 2)
    w, h = size_mm
    corners = np.array([[0, 0, 0], [w, 0, 0], [w, h, 0], [0, h, 0]], float)
    target = np.array([w / 2, h / 2, 0.0])
    box = np.array([width, height]) * margin
    low, high = 200.0, 6000.0
    camera = Camera(width, height, focal, target, right, down, ahead)
    for _ in range(40):
        distance = (low + high) / 2
        camera = Camera(width, height, focal, target - ahead * distance, right, down, ahead)
        px = camera.project(corners)
        span = px.max(axis=0) - px.min(axis=0)
        if (span <= np.array([width, height]) - 2 * box).all():
            high = distance
        else:
            low = distance
    # centre the table in the picture by shifting the camera along its own axes
    for _ in range(4):
        px = camera.project(corners)
        off = (px.max(axis=0) + px.min(axis=0)) / 2 - np.array([width, height]) / 2
        depth = float(np.linalg.norm(camera.centre - target))
        camera = Camera(width, height, focal, camera.centre + (right * off[0] + down * off[1]) * depth / focal, right, down, ahead)
    return camera
