"""A key-frame of the table: what is to be recognised in later frames, and how all of it moved.

Features are followed by pyramidal Lucas-Kanade, forwards and backwards; after a jolt with a first guess by phase correlation; after
a big one by ORB descriptors. Where neither helps (all the cards were swept away) edges at rest tell that nothing moved. All of it
works on a grey picture 640 pixels wide, softened against noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.plane import Array, Plane
from vision.plane_fit import apply, fit_homography
from vision.shrink import shrink

Grey = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Array32 = npt.NDArray[np.float32]
Points = npt.NDArray[np.float32]  # (N, 1, 2), as OpenCV wants them

WIDTH = 640
FEWEST = 8
_CELLS = 4  # features are sought in 4 × 4 cells, so that a few bright cards do not take them all
_IN_CELL = 14
_CORNER = 3e-4  # least eigenvalue of a feature: noise of σ 8 grey levels stays below 5e-5, a blurred cloth below 3e-4
_REST_PX = 1.0  # a feature that moved less may be at rest
_REST = 0.33  # …and if so many of those in view do, all are
_SHARED = 0.5  # a motion that so many of those in view share is that of all
_SPREAD = 0.3  # they span at least this share of the area's width or height…
_SPREAD_CELLS = 3  # …and lie in so many of its cells
_FIRM = 24  # from so many features in six cells on, a full homography is fitted
_FIRM_CELLS = 6
_EDGE = 6.0  # grey levels a pixel


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """`matrix` (3, 3): key-frame pixels → pixels of the other frame. `firm`: from enough evidence to tell a slow creep."""

    matrix: Array
    firm: bool


def work_picture(image: Image) -> tuple[Grey, float]:
    """Grey, at most `WIDTH` wide, softened; and its scale."""
    scale = min(1.0, WIDTH / image.shape[1])
    size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
    grey = shrink(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), size) if scale < 1 else cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.GaussianBlur(grey, (5, 5), 1.0), np.uint8), scale


class KeyFrame:
    """`free`: 255 where features may be taken (no hand, nothing in motion), None for everywhere."""

    def __init__(self, grey: Grey, plane: Plane, t_ms: float, free: Grey | None, orb: cv2.ORB) -> None:
        self.grey = grey
        self.t_ms = t_ms
        self._orb = orb
        self.area = np.zeros_like(grey)
        cv2.fillConvexPoly(self.area, np.clip(plane.corners_px(), -4000, 4000).round().astype(np.int32), 255)
        beside = np.asarray(cv2.bitwise_not(cv2.dilate(self.area, np.ones((9, 9), np.uint8))), np.uint8)
        taken = self.area if free is None else np.asarray(cv2.bitwise_and(self.area, free), np.uint8)
        around = beside if free is None else np.asarray(cv2.bitwise_and(beside, free), np.uint8)
        self._table = _Features(grey, taken, orb)
        self._around = _Features(grey, around, orb)
        self._edges = _Edges(grey, np.asarray(cv2.erode(self.area, np.ones((17, 17), np.uint8)) == 0, np.bool_))

    @property
    def points(self) -> Array:
        """(N, 2): where a motion is measured."""
        for group in (self._table, self._around):
            if len(group.points) >= FEWEST:
                return group.points
        return np.array([(WIDTH * x, WIDTH * y) for x in (0.3, 0.7) for y in (0.2, 0.4)])

    @property
    def bare(self) -> bool:
        """Nothing lies on the table that could tell a motion."""
        return len(self._table.points) < FEWEST

    @property
    def worn(self) -> bool:
        """Half of the table's features were gone when last looked for: its cards have changed."""
        return not self.bare and self._table.found < 0.5 * len(self._table.points)

    def by_table(self, now: Grey, free: Grey | None) -> Motion | None:
        """How the table moved; told by its surroundings where it is bare. None where most of it is not recognised."""
        if not self.bare:
            return self._table.motion(self.grey, now, free, self._orb)
        return self.by_around(now, free) or (Motion(np.eye(3), False) if self.edges_rest(now) else None)

    def by_around(self, now: Grey, free: Grey | None) -> Motion | None:
        """How what lies around the table moved."""
        return self._around.motion(self.grey, now, free, self._orb) if len(self._around.points) >= FEWEST else None

    def edges_rest(self, now: Grey) -> bool:
        """Whether the edges that are still there (the table's own, the room's) stand where they stood."""
        return self._edges.at_rest(now)

    def bare_now(self, now: Grey) -> bool:
        """Whether the table shows nothing any more that could have moved."""
        return len(_corners(now, self.area)) < FEWEST

    def refined(self, motion: Motion, now: Grey, free: Grey | None) -> Motion:
        """A motion found across a turn or a tilt, measured once more on the key-frame laid over the new picture by it."""
        size = self.grey.shape[::-1]
        over = np.asarray(cv2.warpPerspective(self.grey, motion.matrix, size), np.uint8)
        seen = np.asarray(cv2.warpPerspective(self.area, motion.matrix, size, flags=cv2.INTER_NEAREST), np.uint8)
        group = _Features(over, np.asarray(cv2.erode(seen, np.ones((5, 5), np.uint8)), np.uint8), self._orb)
        rest = group.motion(over, now, free, self._orb) if len(group.points) >= FEWEST else None
        if rest is None or not rest.firm or magnitude(rest.matrix, self.points)[0] > 4:
            return motion
        return Motion(rest.matrix @ motion.matrix, True)


class _Features:
    """Features of one part of a key-frame, found again in another frame."""

    def __init__(self, grey: Grey, area: Grey, orb: cv2.ORB) -> None:
        self.points = _corners(grey, area)
        self.found = len(self.points)
        self._area = area
        rows, columns = np.nonzero(area)
        self._low = np.array([columns.min(), rows.min()]) if len(rows) else np.zeros(2)
        self._extent = np.array([np.ptp(columns), np.ptp(rows)]) + 1 if len(rows) else np.ones(2)
        self._keypoints, self._descriptors = orb.detectAndCompute(grey, area)

    def motion(self, grey: Grey, now: Grey, free: Grey | None, orb: cv2.ORB) -> Motion | None:
        """None where most of it is not found, or what is found does not move as one."""
        lit = _like(now, grey, self._area)
        # Few pyramid levels first: on high ones a fine pattern averages out, and what changed on the table leads astray.
        found = self._track(grey, lit, free, None, 1) or self._track(grey, lit, free, None, 4)
        if found is None:
            guess = _shift(grey, lit)
            found = None if guess is None else self._track(grey, lit, free, guess, 1)
        return found or self._match(now, free, orb)

    def _track(self, grey: Grey, now: Grey, free: Grey | None, guess: Array | None, levels: int) -> Motion | None:
        start = self.points.astype(np.float32)[:, None]
        to, ok = _flow(grey, now, start, start if guess is None else apply(guess, self.points).astype(np.float32)[:, None], levels)
        back, ok_back = _flow(now, grey, to, start, levels)
        good = ok & ok_back & (np.abs(back - start).max(axis=(1, 2)) < 0.6)
        there = np.asarray(to[:, 0], np.float64)
        visible = np.ones(len(good), bool) if free is None else _at(free, self.points)
        if free is not None:
            good &= _at(free, there)
        self.found = int(good.sum())
        return self._agree(self.points[good], there[good], int(visible.sum()))

    def _match(self, now: Grey, free: Grey | None, orb: cv2.ORB) -> Motion | None:
        points, descriptors = orb.detectAndCompute(now, free)
        if self._descriptors is None or descriptors is None or min(len(points), len(self._keypoints)) < 2 * FEWEST:
            return None
        matches = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True).match(self._descriptors, descriptors)
        if len(matches) < 2 * FEWEST:
            return None
        here = np.array([self._keypoints[m.queryIdx].pt for m in matches], np.float64)
        there = np.array([points[m.trainIdx].pt for m in matches], np.float64)
        return self._agree(here, there, 4 * FEWEST)

    def _agree(self, here: Array, there: Array, of: int) -> Motion | None:
        """The motion that enough of the `of` features in view share: rest, else one that is spread over the area."""
        if len(here) < FEWEST:
            return None
        rest = np.hypot(*(there - here).T) < _REST_PX
        if rest.sum() >= max(FEWEST, _REST * of):
            return self._crept(here[rest], there[rest])
        similar, inside = cv2.estimateAffinePartial2D(here, there, method=cv2.RANSAC, ransacReprojThreshold=3.0, maxIters=500)
        if similar is None:
            return None
        near = np.asarray(inside.ravel() == 1, np.bool_)
        if near.sum() < max(FEWEST, _SHARED * of) or not self._spread(here[near]):
            return None  # a pile that was pushed aside is no blanket
        return self._closest(here, there, np.vstack([np.asarray(similar, np.float64), [0, 0, 1.0]]), near)

    def _crept(self, here: Array, there: Array) -> Motion:
        """At rest, or nearly: a shift that all share. Anything more would be invented."""
        x, y = np.median(there - here, axis=0)
        firm = len(here) >= _FIRM and len(np.unique(self._cells(here))) >= _FIRM_CELLS
        return Motion(np.array([[1, 0, x], [0, 1, y], [0, 0, 1.0]]), firm)

    def _closest(self, here: Array, there: Array, matrix: Array, near: Mask) -> Motion:
        """A bump also tilts the camera: the richest motion for which there is evidence, and none that has to be invented."""
        if near.sum() < _FIRM or len(np.unique(self._cells(here[near]))) < _FIRM_CELLS:
            return Motion(matrix, False)
        for _ in range(3):
            matrix = simplest(here[near], there[near])
            error = np.hypot(*(apply(matrix, here) - there).T)
            near = np.asarray(error < max(0.7, 2.5 * float(np.median(error[near]))), np.bool_)
        return Motion(matrix, True)

    def _cells(self, points: Array) -> npt.NDArray[np.int64]:
        cells = np.floor((points - self._low) / self._extent * _CELLS).astype(np.int64).clip(0, _CELLS - 1)
        return np.asarray(cells @ np.array([1, _CELLS]), np.int64)

    def _spread(self, points: Array) -> bool:
        span = np.ptp(points, axis=0) / self._extent
        return bool(span.max() >= _SPREAD and len(np.unique(self._cells(points))) >= _SPREAD_CELLS)


def simplest(here: Array, there: Array) -> Array:
    """Similarity, affine map or homography from here (N, 2) to there: a richer one must pay for its freedom (Schwarz's criterion,
    its price doubled, since what it invents shows where there are no points)."""
    (x, y), one, zero = here.T, np.ones(len(here)), np.zeros(len(here))
    target = there.T.ravel()
    rows = np.concatenate([np.stack([x, -y, one, zero], axis=1), np.stack([y, x, zero, one], axis=1)])
    c, s, e, f = np.linalg.lstsq(rows, target, rcond=None)[0]
    similar = np.array([[c, -s, e], [s, c, f], [0, 0, 1.0]])
    affine = np.vstack([np.linalg.lstsq(np.stack([x, y, one], axis=1), there, rcond=None)[0].T, [0, 0, 1.0]])
    n = 2 * len(here)

    def cost(matrix: Array, freedom: int) -> float:
        return n * math.log(max(float(((apply(matrix, here) - there) ** 2).sum()) / n, 1e-4)) + 2 * freedom * math.log(n)

    return min((similar, 4), (affine, 6), (fit_homography(here, there), 8), key=lambda m: cost(*m))[0]


class _Edges:
    """The edges of a key-frame. They tell rest even where all that had corners has been taken away."""

    def __init__(self, grey: Grey, outside: Mask) -> None:
        """`outside`: the picture without the table's inside, whose edges come and go."""
        self._outside = outside
        self._grey = grey.astype(np.float32)
        self._gx, self._gy = _gradient(grey)
        self._strength = np.hypot(self._gx, self._gy)
        self._on = self._strength > _EDGE

    def at_rest(self, now: Grey) -> bool:
        """Half of those outside must still be there; the brightness of all that are there tells a shift to a part of a pixel."""
        gx, gy = _gradient(now)
        strength = np.hypot(gx, gy)
        along = self._gx * gx + self._gy * gy
        same = self._on & (strength > 0.5 * self._strength) & (strength < 2 * self._strength) & (along > 0.9 * strength * self._strength)
        if same.sum() < 150 or (same & self._outside).sum() < 0.5 * (self._on & self._outside).sum():
            return False
        rows = np.column_stack([self._gx[same], self._gy[same], np.ones(int(same.sum())), self._grey[same]]).astype(np.float64)
        change = (now.astype(np.float32) - self._grey)[same].astype(np.float64)
        axes = np.linalg.eigvalsh(rows[:, :2].T @ rows[:, :2])
        if axes[0] < 0.03 * axes[1]:
            return False  # all edges run one way: a shift along them does not show
        weights: Array = np.ones(len(rows))
        found: Array = np.zeros(4)
        for _ in range(5):
            found = np.asarray(np.linalg.lstsq(rows * weights[:, None], change * weights, rcond=None)[0], np.float64)
            weights = np.asarray(np.sqrt(1 / (1 + (np.abs(rows @ found - change) / 4) ** 2)), np.float64)
        return bool(np.hypot(found[0], found[1]) < _REST_PX)


def _gradient(grey: Grey) -> tuple[Array32, Array32]:
    """Grey levels a pixel, to the right and down."""
    across, down = (cv2.Sobel(grey, cv2.CV_32F, dx, 1 - dx, scale=1 / 8) for dx in (1, 0))
    return np.asarray(across, np.float32), np.asarray(down, np.float32)


def _corners(grey: Grey, area: Grey) -> Array:
    """(N, 2) features inside `area`, strong enough not to be noise, from all over it."""
    rows, columns = np.nonzero(area)
    if not len(rows):
        return np.zeros((0, 2))
    strength = cv2.cornerMinEigenVal(grey, 5)
    strength[area == 0] = 0
    peaks = (strength >= cv2.dilate(strength, np.ones((9, 9), np.uint8))) & (strength > _CORNER)
    y, x = np.nonzero(peaks)
    low, extent = np.array([columns.min(), rows.min()]), np.array([np.ptp(columns), np.ptp(rows)]) + 1
    cell = np.floor((np.column_stack([x, y]) - low) / extent * _CELLS).astype(int).clip(0, _CELLS - 1) @ np.array([1, _CELLS])
    best = np.argsort(-strength[y, x], kind="stable")
    kept = np.concatenate([best[cell[best] == k][:_IN_CELL] for k in range(_CELLS * _CELLS)])
    return np.column_stack([x[kept], y[kept]]).astype(np.float64)


def _flow(here: Grey, there: Grey, points: Points, first: Points, levels: int) -> tuple[Points, Mask]:
    """Pyramidal Lucas-Kanade from a first guess: points (N, 1, 2) in the other picture, and which were found."""
    to, ok, _ = cv2.calcOpticalFlowPyrLK(
        here, there, points, first.copy(), winSize=(21, 21), maxLevel=levels, flags=cv2.OPTFLOW_USE_INITIAL_FLOW,
        criteria=(cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 20, 0.02),
    )  # fmt: skip
    return np.asarray(to, np.float32), np.asarray(ok.ravel() == 1, np.bool_)


def _shift(grey: Grey, now: Grey) -> Array | None:
    """A first guess by phase correlation; None where the pictures have nothing in common."""
    window = cv2.createHanningWindow(grey.shape[::-1], cv2.CV_32F)
    (x, y), response = cv2.phaseCorrelate(grey.astype(np.float32), now.astype(np.float32), window)
    return np.array([[1, 0, x], [0, 1, y], [0, 0, 1.0]]) if response >= 0.03 else None


def _like(grey: Grey, key: Grey, area: Grey) -> Grey:
    """The picture in the key-frame's light, by the area's: lamps are switched, cameras adjust themselves."""
    (mean, deviation), (wanted, spread) = (
        (float(m[0, 0]), float(d[0, 0])) for m, d in (cv2.meanStdDev(picture, mask=area) for picture in (grey, key))
    )
    if deviation < 1:
        return grey
    gain = spread / deviation
    table = np.clip((np.arange(256) - mean) * gain + wanted, 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(grey, table), np.uint8)


def _at(free: Grey, points: Array) -> Mask:
    rows, columns = free.shape
    x, y = points.round().astype(int).clip(0, (columns - 1, rows - 1)).T
    return np.asarray(free[y, x] > 0, np.bool_)


def magnitude(matrix: Array, points: Array) -> tuple[float, float]:
    """How far a motion carries most of the points (80th percentile), in pixels, and how far it turns them, in degrees."""
    moved = apply(matrix, points)
    a, b = points - points.mean(axis=0), moved - moved.mean(axis=0)
    turned = math.degrees(math.atan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum()))
    return float(np.percentile(np.hypot(*(moved - points).T), 80)), abs(turned)
