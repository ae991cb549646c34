"""A bumped camera or a dragged blanket: noticed, waited out, and the plane registered anew.

A key-frame of the table is looked for in the newest frame a few times a second. Cards are moved all the time, so a motion counts
only if most of the table shares it: what moved then is the camera, or the blanket with all that lies on it. Two thresholds: a
motion begins at `MOVED_PX`, it is over when the picture has stood still within `STILL_PX` for `STILL_MS`; then the plane follows.
Commits stop in between.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np

from vision.camera import Image
from vision.keyframe import Grey, KeyFrame, Mask, Motion, magnitude, work_picture
from vision.plane import Array, Plane
from vision.plane_fit import apply

MOVED_PX = 3.0  # pixels of the camera's picture
MOVED_DEG = 1.5
CREPT_PX = 1.0
STILL_PX = 1.0  # between two looks
STILL_MS = 140.0
_LOOK_MS = 240.0
_LOOK_UNSURE_MS = 120.0
_LOOK_MOVING_MS = 60.0
_STIRRED = 0.012  # share of the pixels that changed: look at once
_UNSURE_MS = 350.0  # the table was not recognised for so long: no longer sure that it is where it was
_QUIET_MS = 400.0  # an unrecognised table can be judged after so long a rest
_LOST_MS = 1500.0
_RENEW_MS = 6_000.0


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
        self._key: KeyFrame | None = None
        self._next_ms = self._looked_ms = -math.inf
        self._glimpse: Grey | None = None
        self._grey: Grey | None = None  # at the look before
        self._scale = 1.0
        self._crept: Array = np.zeros(2)  # of the work picture
        self._forget()
        self._last = Look(TableMotion.STEADY, plane)
        self._stands: Callable[[], bool] = lambda: False

    def _forget(self) -> None:
        self._unsure_ms: float | None = None
        self._quiet_ms: float | None = None
        self._still_ms: float | None = None
        self._before: Array | None = None  # the motion at the look before

    @property
    def plane(self) -> Plane:
        """The plane in force."""
        return self._plane

    def update(self, image: Image, t_ms: float, busy: Mask | None = None, stands: Callable[[], bool] = lambda: False) -> Look:
        """Takes a frame (H, W, 3) and its time. `busy`: (h, w) of any size, true where hands are or cards move now; `stands`: whether
        others know that the table is where it was, asked where its picture alone does not tell."""
        self._stands = stands
        if self._key is not None and t_ms < self._next_ms and not self._stirred(image, t_ms):
            self._last = Look(self._state, self._plane, False, self._last.shift_px, self._last.turned_deg)
            return self._last
        grey, self._scale = work_picture(image)
        free: Grey | None = None
        if busy is not None:
            free = np.asarray(cv2.resize((~busy).astype(np.uint8) * 255, grey.shape[::-1], interpolation=cv2.INTER_NEAREST), np.uint8)
        if self._key is None or self._key.grey.shape != grey.shape:
            self._renew(grey, t_ms, free)
            self._last = Look(self._state, self._plane)
        else:
            self._last = self._look(self._key, grey, t_ms, free)
        self._looked_ms, self._glimpse, self._grey = t_ms, image[::8, ::8, 1].copy(), grey
        unsure = self._unsure_ms is not None
        self._next_ms = t_ms + (_LOOK_UNSURE_MS if unsure else _LOOK_MOVING_MS if self._state is TableMotion.MOVING else _LOOK_MS)
        return self._last

    def _stirred(self, image: Image, t_ms: float) -> bool:
        """Whether much of the picture changed since the last look: a reason not to wait for the next."""
        if t_ms - self._looked_ms < _LOOK_MOVING_MS or self._glimpse is None or self._unsure_ms is not None:
            return False
        glimpse = image[::8, ::8, 1]
        return glimpse.shape != self._glimpse.shape or float((cv2.absdiff(glimpse.copy(), self._glimpse) > 20).mean()) > _STIRRED

    def _look(self, key: KeyFrame, grey: Grey, t_ms: float, free: Grey | None) -> Look:
        motion = key.by_table(grey, free)
        if motion is None:
            return self._unsure(key, grey, t_ms, free)
        self._unsure_ms = self._quiet_ms = None
        shift, turned = self._size(motion.matrix, key.points)
        if self._state is TableMotion.STEADY:
            if not self._moved(shift, turned):
                if t_ms - key.t_ms > _RENEW_MS or key.worn or key.bare:
                    self._creep(motion)
                    self._renew(grey, t_ms, free)
                return Look(self._state, self._plane, False, shift, turned)
            self._still_ms = self._before = None
        self._state = TableMotion.MOVING
        step = None if self._before is None else motion.matrix @ np.linalg.inv(self._before)
        still = step is not None and self._size(step, apply(motion.matrix, key.points))[0] < STILL_PX
        self._before = motion.matrix
        if not still:
            self._still_ms = None
        elif self._still_ms is None:
            self._still_ms = t_ms
        elif t_ms - self._still_ms >= STILL_MS:
            return self._settle(key, motion, grey, t_ms, free)
        return Look(self._state, self._plane, False, shift, turned)

    def _creep(self, motion: Motion) -> None:
        """A tripod that sinks slowly: shifts too small to be told from noise are summed from key-frame to key-frame."""
        if motion.firm:
            self._crept = self._crept + motion.matrix[:2, 2]
            if float(np.hypot(*self._crept)) / self._scale >= CREPT_PX:
                self._follow(np.array([[1, 0, self._crept[0]], [0, 1, self._crept[1]], [0, 0, 1.0]]))
                self._crept = np.zeros(2)

    def _unsure(self, key: KeyFrame, grey: Grey, t_ms: float, free: Grey | None) -> Look:
        """The table is not recognised: an arm over it, blur in a jolt, all its cards swept away, or quite another view.

        What lies around it, or edges that stand where they stood, say whether the camera moved. While it did not, hands are at work
        and nothing is wrong. Judged anew, and the key-frame renewed, only when the picture has come to rest: a table without detail
        has nothing that could have moved.
        """
        self._before = self._still_ms = None
        self._unsure_ms = t_ms if self._unsure_ms is None else self._unsure_ms
        self._quiet_ms = (t_ms if self._quiet_ms is None else self._quiet_ms) if self._quiet(key, grey, free) else None
        rest_ms = 0.0 if self._quiet_ms is None else t_ms - self._quiet_ms
        around = None if key.bare else key.by_around(grey, free)  # a bare one was just told by what lies around it
        if around is None and not key.bare and key.edges_rest(grey):
            around = Motion(np.eye(3), False)
        if rest_ms >= _QUIET_MS:
            found = around if around is not None or not (self._stands() or key.bare_now(grey)) else Motion(np.eye(3), False)
            if found is not None:
                return self._settle(key, found, grey, t_ms, free)
        at_rest = around is not None and not self._moved(*self._size(around.matrix, key.points))
        if rest_ms >= _LOST_MS:
            self._state = TableMotion.LOST
        elif self._state is TableMotion.STEADY and not at_rest and t_ms - self._unsure_ms >= _UNSURE_MS:
            self._state = TableMotion.MOVING
        return Look(self._state, self._plane, False, math.nan, math.nan)

    def _quiet(self, key: KeyFrame, grey: Grey, free: Grey | None) -> bool:
        """Whether the table's picture, where no hand is, is as it was at the look before."""
        if self._grey is None or self._grey.shape != grey.shape:
            return False
        area = key.area > 0 if free is None else (key.area > 0) & (free > 0)
        change = cv2.absdiff(grey, self._grey)[area]
        return len(change) == 0 or float((change > 24).mean()) < 0.01

    def _settle(self, key: KeyFrame, motion: Motion, grey: Grey, t_ms: float, free: Grey | None) -> Look:
        """At rest again: the plane follows if it moved, and the frame becomes the key-frame."""
        shift, turned = self._size(motion.matrix, key.points)
        moved = self._moved(shift, turned)
        if moved:
            self._follow(key.refined(motion, grey, free).matrix)
            self._crept = np.zeros(2)
        self._state = TableMotion.STEADY
        self._renew(grey, t_ms, free)
        return Look(self._state, self._plane, moved, shift, turned)

    def _moved(self, shift: float, turned: float) -> bool:
        return shift >= max(MOVED_PX, 0.8 / self._scale) or turned >= MOVED_DEG

    def _size(self, matrix: Array, points: Array) -> tuple[float, float]:
        """Pixels of the camera's picture, degrees."""
        shift, turned = magnitude(matrix, points)
        return shift / self._scale, turned

    def _follow(self, matrix: Array) -> None:
        """The plane moves with the picture; the motion was measured on the work picture."""
        size = np.diag([self._scale, self._scale, 1.0])
        self._plane = self._plane.moved(np.linalg.inv(size) @ matrix @ size)

    def _renew(self, grey: Grey, t_ms: float, free: Grey | None) -> None:
        """A new key-frame, of what did not move since the look before."""
        if self._grey is not None and self._grey.shape == grey.shape:
            still = (cv2.dilate(cv2.absdiff(grey, self._grey), np.ones((15, 15), np.uint8)) < 16).astype(np.uint8) * 255
            free = np.asarray(still if free is None else cv2.bitwise_and(still, free), np.uint8)
        self._key = KeyFrame(grey, self._plane.resized(self._scale), t_ms, free, self._orb)
        self._forget()
