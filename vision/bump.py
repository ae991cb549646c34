"""A bumped camera or a dragged blanket: noticed, waited out, and the plane registered anew.

A grey key-frame of the table is kept. A few times a second its features are looked for in the newest frame (pyramidal Lucas-Kanade,
checked forwards and backwards; after a big jolt phase correlation for a first guess, then ORB). Cards are moved all the time, so a
motion counts only if most features share it and they are spread over the table: what moved then is the camera, or the blanket
with all that lies on it. Two thresholds: a motion begins at `MOVED_PX`, it is over when the picture has stood still within
`STILL_PX` for `STILL_MS`; then the plane follows. Commits stop in between.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.plane import Array, Plane
from vision.plane_fit import apply, fit_homography

Grey = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Points = npt.NDArray[np.float32]  # (N, 1, 2), as OpenCV wants them

MOVED_PX = 3.0  # pixels of the camera's picture
MOVED_DEG = 1.5
STILL_PX = 1.0  # between two looks
STILL_MS = 140.0
_LOOK_MS = 240.0
_LOOK_UNSURE_MS = 120.0
_LOOK_MOVING_MS = 60.0
_STIRRED = 0.012  # share of the pixels that changed
_UNSURE_MS = 350.0  # the table was not recognised for so long: no longer sure that it is where it was
_QUIET_MS = 400.0  # an unrecognised table is taken as it is after so long a rest
_LOST_MS = 1500.0
_RENEW_MS = 20_000.0
_WIDTH = 640
_FEATURES = 160
_FEWEST = 8
_REST_PX = 1.0  # of the work picture: a feature that moved less may be at rest
_SPREAD = 0.3  # the agreeing features span at least this share of the table's width or height…
_CELLS = 3  # …and lie in at least so many of its 4 × 4 cells


class TableMotion(StrEnum):
    STEADY = "steady"
    MOVING = "moving"
    LOST = "lost"


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """`plane` holds for this frame while `state` is steady; `registered`: it came into force with this frame.

    `shift_px`, `turned_deg`: the motion since the key-frame, in pixels of the camera's picture; NaN where it is not known.
    """

    state: TableMotion
    plane: Plane
    registered: bool = False
    shift_px: float = 0.0
    turned_deg: float = 0.0


class BumpWatch:
    """Fed with every frame; looks at a few of them."""

    def __init__(self, plane: Plane) -> None:
        self._orb = cv2.ORB.create(600)
        self.reset(plane)

    def reset(self, plane: Plane) -> None:
        """A person set the table anew: the next frame becomes the key-frame."""
        self._plane = plane
        self._state = TableMotion.STEADY
        self._key: _Key | None = None
        self._next_ms = self._looked_ms = -math.inf
        self._glimpse: Grey | None = None
        self._unsure_ms: float | None = None
        self._quiet_ms: float | None = None
        self._still_ms: float | None = None
        self._before: Array | None = None  # the motion at the look before, as a homography of the work picture
        self._last = Look(TableMotion.STEADY, plane)

    @property
    def plane(self) -> Plane:
        """The plane in force."""
        return self._plane

    def update(self, image: Image, t_ms: float, busy: Mask | None = None) -> Look:
        """Takes a frame (H, W, 3) and its time. `busy`: (h, w) of any size, true where hands are or cards move now."""
        if self._key is not None and t_ms < self._next_ms and not self._stirred(image, t_ms):
            self._last = Look(self._state, self._plane, False, self._last.shift_px, self._last.turned_deg)
            return self._last
        grey, scale = _work_picture(image)
        free: Grey | None = None
        if busy is not None:
            free = np.asarray(cv2.resize((~busy).astype(np.uint8), grey.shape[::-1], interpolation=cv2.INTER_NEAREST), np.uint8)
        if self._key is None or self._key.grey.shape != grey.shape:
            self._renew(grey, scale, t_ms, free)
            self._last = Look(self._state, self._plane)
        else:
            self._last = self._look(self._key, grey, scale, t_ms, free)
        self._looked_ms, self._glimpse = t_ms, image[::8, ::8, 1].copy()
        unsure = self._unsure_ms is not None
        self._next_ms = t_ms + (_LOOK_UNSURE_MS if unsure else _LOOK_MOVING_MS if self._state is TableMotion.MOVING else _LOOK_MS)
        return self._last

    def _stirred(self, image: Image, t_ms: float) -> bool:
        """Whether much of the picture changed since the last look: a reason not to wait for the next."""
        if t_ms - self._looked_ms < _LOOK_MOVING_MS or self._glimpse is None or self._unsure_ms is not None:
            return False
        glimpse = image[::8, ::8, 1]
        return glimpse.shape != self._glimpse.shape or float((cv2.absdiff(glimpse.copy(), self._glimpse) > 20).mean()) > _STIRRED

    def _look(self, key: _Key, grey: Grey, scale: float, t_ms: float, free: Grey | None) -> Look:
        quiet = key.quiet(grey)
        motion = key.by_table(grey, free, self._orb)
        if motion is None:
            return self._unsure(key, grey, scale, t_ms, free, quiet)
        self._unsure_ms = self._quiet_ms = None
        shift, turned = _size(motion, key.points, scale)
        if self._state is TableMotion.STEADY:
            if shift < max(MOVED_PX, 0.8 / scale) and turned < MOVED_DEG:
                if t_ms - key.t_ms > _RENEW_MS or key.worn:
                    self._follow(motion, scale)  # what crept below the threshold is not lost
                    self._renew(grey, scale, t_ms, free)
                return Look(self._state, self._plane, False, shift, turned)
            self._still_ms = self._before = None
        self._state = TableMotion.MOVING
        step = None if self._before is None else motion @ np.linalg.inv(self._before)
        still = step is not None and _size(step, apply(motion, key.points), scale)[0] < STILL_PX
        self._before = motion
        if not still:
            self._still_ms = None
        elif self._still_ms is None:
            self._still_ms = t_ms
        elif t_ms - self._still_ms >= STILL_MS:
            return self._register(motion, grey, scale, t_ms, free, shift, turned)
        return Look(self._state, self._plane, False, shift, turned)

    def _unsure(self, key: _Key, grey: Grey, scale: float, t_ms: float, free: Grey | None, quiet: bool) -> Look:
        """The table is not recognised: an arm over it, blur in a jolt, all its cards swept away, or quite another view.

        Only when the picture has come to rest can it be told: what lies around the table says whether the camera moved, and a
        table without detail has nothing that could have moved.
        """
        self._before = self._still_ms = None
        self._unsure_ms = t_ms if self._unsure_ms is None else self._unsure_ms
        self._quiet_ms = (t_ms if self._quiet_ms is None else self._quiet_ms) if quiet else None
        if self._quiet_ms is not None and t_ms - self._quiet_ms >= _QUIET_MS:
            around = key.by_around(grey, free, self._orb)
            if around is not None:
                return self._register(around, grey, scale, t_ms, free, *_size(around, key.points, scale))
            if len(_features(grey, key.area)) < _FEWEST:
                return self._register(np.eye(3), grey, scale, t_ms, free, 0.0, 0.0)
        if t_ms - self._unsure_ms >= _LOST_MS:
            self._state = TableMotion.LOST
        elif t_ms - self._unsure_ms >= _UNSURE_MS and self._state is TableMotion.STEADY:
            self._state = TableMotion.MOVING
        return Look(self._state, self._plane, False, math.nan, math.nan)

    def _register(self, motion: Array, grey: Grey, scale: float, t_ms: float, free: Grey | None, shift: float, turned: float) -> Look:
        moved = shift >= max(MOVED_PX, 0.8 / scale) or turned >= MOVED_DEG
        if self._key is not None:
            motion = self._key.refined(motion, grey, free, self._orb)
        self._follow(motion, scale)
        self._state = TableMotion.STEADY
        self._renew(grey, scale, t_ms, free)
        return Look(self._state, self._plane, moved, shift, turned)

    def _follow(self, motion: Array, scale: float) -> None:
        """The plane moves with the picture; the motion was measured on the work picture."""
        size = np.diag([scale, scale, 1.0])
        self._plane = self._plane.moved(np.linalg.inv(size) @ motion @ size)

    def _renew(self, grey: Grey, scale: float, t_ms: float, free: Grey | None) -> None:
        self._key = _Key(grey, self._plane.resized(scale), t_ms, free, self._orb)
        self._before = self._still_ms = self._unsure_ms = self._quiet_ms = None


class _Key:
    """A key-frame: what is to be recognised on the table, and around it."""

    def __init__(self, grey: Grey, plane: Plane, t_ms: float, free: Grey | None, orb: cv2.ORB) -> None:
        self.grey = grey
        self.t_ms = t_ms
        self._before = grey
        self.area = np.zeros_like(grey)
        cv2.fillConvexPoly(self.area, np.clip(plane.corners_px(), -4000, 4000).round().astype(np.int32), 255)
        beside = np.asarray(cv2.bitwise_not(cv2.dilate(self.area, np.ones((9, 9), np.uint8))), np.uint8)
        if free is not None:
            self.area[free == 0] = 0
            beside[free == 0] = 0
        self._table = _Group(grey, self.area, orb)
        self._around = _Group(grey, beside, orb)

    @property
    def points(self) -> Array:
        """Where the motion is measured: the features that tell it."""
        return self._table.points if len(self._table.points) >= _FEWEST else self._around.points

    @property
    def worn(self) -> bool:
        """Half of the table's features are gone: its cards have changed."""
        return len(self._table.points) >= _FEWEST and self._table.found < 0.5 * len(self._table.points)

    def quiet(self, grey: Grey) -> bool:
        """Whether the table's picture is as it was at the look before."""
        change = cv2.absdiff(grey, self._before)[self.area > 0]
        self._before = grey
        return len(change) == 0 or float((change > 24).mean()) < 0.01

    def by_table(self, now: Grey, free: Grey | None, orb: cv2.ORB) -> Array | None:
        """The homography from this frame to `now` on which most of the table agrees; by its surroundings where it is bare."""
        if len(self._table.points) >= _FEWEST:
            return self._table.motion(self.grey, now, free, orb)
        if len(self._around.points) >= _FEWEST:
            return self._around.motion(self.grey, now, free, orb)
        return _by_phase(self.grey, now, 0.2)

    def refined(self, motion: Array, now: Grey, free: Grey | None, orb: cv2.ORB) -> Array:
        """A motion that was found across a turn or a tilt, measured once more on the key-frame laid over the new picture by it."""
        size = self.grey.shape[::-1]
        over = np.asarray(cv2.warpPerspective(self.grey, motion, size), np.uint8)
        seen = np.asarray(cv2.warpPerspective(self.area, motion, size, flags=cv2.INTER_NEAREST), np.uint8)
        rest = _Group(over, np.asarray(cv2.erode(seen, np.ones((5, 5), np.uint8)), np.uint8), orb).motion(over, now, free, orb)
        return motion if rest is None or _size(rest, self.points, 1.0)[0] > 4 else rest @ motion

    def by_around(self, now: Grey, free: Grey | None, orb: cv2.ORB) -> Array | None:
        """The same from what lies around the table."""
        return self._around.motion(self.grey, now, free, orb) if len(self._around.points) >= _FEWEST else None


class _Group:
    """Features of one part of a key-frame, found again in another frame."""

    def __init__(self, grey: Grey, area: Grey, orb: cv2.ORB) -> None:
        self.points = _features(grey, area)
        self.found = len(self.points)
        self._area = area
        rows, columns = np.nonzero(area)
        self._low = np.array([columns.min(), rows.min()]) if len(rows) else np.zeros(2)
        self._extent = np.array([np.ptp(columns), np.ptp(rows)]) + 1 if len(rows) else np.ones(2)
        self._keypoints, self._descriptors = orb.detectAndCompute(grey, area)

    def motion(self, grey: Grey, now: Grey, free: Grey | None, orb: cv2.ORB) -> Array | None:
        """By tracking; after a jolt with a first guess; after a big one by descriptors. None where most of it is not found."""
        lit = _like(now, grey, self._area)
        # Few pyramid levels first: on high ones a fine pattern averages out, and what changed on the table leads astray.
        found = self._track(grey, lit, free, None, 1)
        if found is None:
            found = self._track(grey, lit, free, None, 4)
        if found is None:
            guess = _by_phase(grey, lit, 0.03)
            found = self._track(grey, lit, free, guess, 1) if guess is not None else None
        return self._by_orb(now, free, orb) if found is None else found

    def _track(self, grey: Grey, now: Grey, free: Grey | None, guess: Array | None, levels: int) -> Array | None:
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

    def _by_orb(self, now: Grey, free: Grey | None, orb: cv2.ORB) -> Array | None:
        points, descriptors = orb.detectAndCompute(now, free)
        if self._descriptors is None or descriptors is None or min(len(points), len(self._keypoints)) < 2 * _FEWEST:
            return None
        matches = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True).match(self._descriptors, descriptors)
        here = np.array([self._keypoints[m.queryIdx].pt for m in matches], np.float64)
        there = np.array([points[m.trainIdx].pt for m in matches], np.float64)
        return self._agree(here, there, 4 * _FEWEST) if len(matches) >= 2 * _FEWEST else None

    def _agree(self, here: Array, there: Array, of: int) -> Array | None:
        """The motion that the features agree on, of `of` that should be seen.

        At rest: a third of them did not move. Else a homography that half of them share, if those are spread over the area.
        """
        if len(here) < _FEWEST:
            return None
        rest = np.hypot(*(there - here).T) < _REST_PX
        if rest.sum() >= max(_FEWEST, 0.33 * of):
            if not self._spread(here[rest]):
                x, y = np.median(there[rest] - here[rest], axis=0)
                return np.array([[1, 0, x], [0, 1, y], [0, 0, 1.0]])
            return self._closest(here, there, fit_homography(here[rest], there[rest]), rest)
        similar, inside = cv2.estimateAffinePartial2D(here, there, method=cv2.RANSAC, ransacReprojThreshold=3.0, maxIters=500)
        if similar is None:
            return None
        near = np.asarray(inside.ravel() == 1, np.bool_)
        if near.sum() < max(_FEWEST, 0.5 * of) or not self._spread(here[near]):
            return None
        return self._closest(here, there, np.vstack([np.asarray(similar, np.float64), [0, 0, 1.0]]), near)

    @staticmethod
    def _closest(here: Array, there: Array, motion: Array, near: Mask) -> Array:
        """A bump also tilts the camera: the full homography, from all that the first guess explains to a pixel or so."""
        for _ in range(3):
            error = np.hypot(*(apply(motion, here) - there).T)
            near = error < max(1.0, 2.5 * float(np.median(error[near])))
            if near.sum() < 2 * _FEWEST:
                break
            motion = fit_homography(here[near], there[near], 1 / (1 + error[near]))
        return motion

    def _spread(self, points: Array) -> bool:
        """Whether they lie all over the area: a pile that was pushed aside is no blanket."""
        span = np.ptp(points, axis=0) / self._extent
        cells = np.floor((points - self._low) / self._extent * 4).astype(int).clip(0, 3)
        return bool(span.max() >= _SPREAD and len(np.unique(cells @ np.array([1, 4]))) >= _CELLS)


def _flow(here: Grey, there: Grey, points: Points, first: Points, levels: int) -> tuple[Points, Mask]:
    """Pyramidal Lucas-Kanade from a first guess: points (N, 1, 2) in the other picture, and which were found."""
    to, ok, _ = cv2.calcOpticalFlowPyrLK(
        here, there, points, first.copy(), winSize=(21, 21), maxLevel=levels, flags=cv2.OPTFLOW_USE_INITIAL_FLOW,
        criteria=(cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 20, 0.02),
    )  # fmt: skip
    return np.asarray(to, np.float32), np.asarray(ok.ravel() == 1, np.bool_)


def _by_phase(grey: Grey, now: Grey, needed: float) -> Array | None:
    """A shift of the whole picture by phase correlation; None where the pictures have too little in common."""
    (x, y), response = cv2.phaseCorrelate(
        grey.astype(np.float32), now.astype(np.float32), cv2.createHanningWindow(grey.shape[::-1], cv2.CV_32F)
    )
    return np.array([[1, 0, x], [0, 1, y], [0, 0, 1.0]]) if response >= needed else None


def _work_picture(image: Image) -> tuple[Grey, float]:
    """Grey, `_WIDTH` wide, and its scale."""
    scale = min(1.0, _WIDTH / image.shape[1])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8), scale


def _features(grey: Grey, mask: Grey) -> Array:
    found = cv2.goodFeaturesToTrack(grey, _FEATURES, 0.02, 8, mask=mask)
    return np.zeros((0, 2)) if found is None else np.asarray(found[:, 0], np.float64)


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


def _size(motion: Array, points: Array, scale: float) -> tuple[float, float]:
    """How far a motion carries most of the points (80th percentile), in pixels of the camera's picture, and how far it turns them."""
    if not len(points):
        points = np.array([[_WIDTH / 2, _WIDTH / 4]])
    moved = apply(motion, points)
    a, b = points - points.mean(axis=0), moved - moved.mean(axis=0)
    turned = math.degrees(math.atan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum()))
    return float(np.percentile(np.hypot(*(moved - points).T), 80)) / scale, abs(turned)
