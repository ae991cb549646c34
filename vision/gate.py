"""What moves and what changed, frame by frame, at a fraction of the cost of looking for cards: the pipeline's motion gate.

A reference holds how the table looked when it was last looked at. Hands are regions that differ from it, move, and reach in from
outside; no skin colour is assumed, and a shadow (the same cloth, evenly darker) is no hand. All masks are in cells of the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.grid import CELL_MM, MARGIN_MM, Grid, Mask
from vision.look import Hand
from vision.plane import Plane
from vision.shrink import shrink

Image = NDArray[Any]  # uint8

WORK_W = 320  # px: width of the picture that is compared
CHANGED, MOVING = 15.0, 9.0  # grey levels (more where the picture is noisy)
STILL_MS = 60.0  # nothing moved there for so long: worth a look
REST_MS = 8000.0  # an arm may rest over the table for so long
SAME_ARM = 0.5  # of both outlines together: a region is the arm of the frame before
ALL_CARDS = 0.65  # of a region at rest on which cards are seen: it is no arm but what one left there
AT_REST_MS = 150.0
FORMER = 0.6  # of a region that looks as it did before an arm was taken for the table: the arm has gone
SHADOW = (0.5, 0.98, 0.1)  # darkest and lightest ratio of a shadow, and how far its colours may differ
LIGHTING = 0.55  # so much of the table changed at once: the light did
LEAST_CELLS = 3


@dataclass(frozen=True)
class Scene:
    """A frame as the gate sees it. `blocked`: under a hand or moving; `changed`: differs from the reference, at rest; `ready`: some of it
    has been at rest long enough to be looked at; `light`: the light changed over the whole table."""

    blocked: Mask
    changed: Mask
    hands: tuple[Hand, ...]
    moving: bool
    ready: bool
    light: bool


def _most(image: Image) -> Image:
    """The greatest of the three channels (NumPy's max over a short axis is slow)."""
    a, b, c = cv2.split(image)
    return cv2.max(cv2.max(a, b), c)


class Gate:
    """Compares frames of one camera. `seats`: {player: edge}, to tell whose hand reaches in."""

    def __init__(self, grid: Grid, plane: Plane, image_size: tuple[int, int], seats: dict[str, str]) -> None:
        self.grid, self._seats = grid, {edge: player for player, edge in seats.items()}
        self._size = image_size
        self.place(plane)

    def place(self, plane: Plane) -> None:
        """The table lies elsewhere in the picture: start afresh."""
        w, h = self._size
        k = WORK_W / w
        self._work = (WORK_W, max(8, round(h * k)))
        to_cells = self.grid.homography(plane.homography) @ np.diag([1 / k, h / self._work[1], 1.0])
        self._to_cells = to_cells
        rows, cols = self.grid.shape
        seen = cv2.warpPerspective(np.full(self._work[::-1], 255, np.uint8), to_cells, (cols, rows), flags=cv2.INTER_NEAREST) > 0
        self._seen = seen
        inner = cv2.erode(seen.astype(np.uint8), np.ones((5, 5), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0) > 0
        self._rim = seen & ~inner  # the outermost cells in view: what reaches them comes from outside
        self._edge = self._edges()
        inside = cv2.warpPerspective(seen.astype(np.uint8), np.linalg.inv(to_cells), self._work, flags=cv2.INTER_NEAREST) > 0
        self._area = inside
        self._reference: NDArray[np.float32] | None = None
        self._before: Image | None = None
        self._moved = np.full(self.grid.shape, -1e9)
        self._former: NDArray[np.float32] | None = None  # the reference before its last plain change
        self._arms: list[tuple[Mask, float]] = []  # of the frame before: cells, and when it last stirred
        self._shade = np.zeros(self._work[::-1], bool)  # of the newest frame
        self._noise = 2.0
        self._frames = 0

    def _edges(self) -> NDArray[np.uint8]:
        """For every cell the number of the nearest table edge, by "NESW"."""
        rows, cols = self.grid.shape
        w, h = self.grid.size_mm
        x = (np.arange(cols) + 0.5) * CELL_MM - MARGIN_MM
        y = ((np.arange(rows) + 0.5) * CELL_MM - MARGIN_MM)[:, None]
        d = np.stack([y + 0 * x, (w - x) + 0 * y, (h - y) + 0 * x, x + 0 * y])
        self._depth = d.min(axis=0)  # mm from the nearest edge
        return np.argmin(d, axis=0).astype(np.uint8)

    def _cells(self, mask: Image) -> Mask:
        rows, cols = self.grid.shape
        soft = cv2.blur(mask, (3, 3))
        return (cv2.warpPerspective(soft, self._to_cells, (cols, rows), flags=cv2.INTER_LINEAR) > 100) & self._seen

    def see(self, image: Image, t_ms: float) -> Scene:
        """Take a frame (H, W, 3)."""
        small = shrink(image, self._work)
        if self._reference is None or self._before is None:
            self._reference, self._before = small.astype(np.float32), small
            self._former = self._reference.copy()
            everything = self._seen.copy()
            return Scene(self.grid.empty(), everything, (), False, True, True)
        reference, before = self._levelled(small)
        step, off = _most(cv2.absdiff(small, before)), _most(cv2.absdiff(small, reference))
        self._noise = 0.95 * self._noise + 0.05 * float(np.median(step[self._area][::7]) if self._area.any() else 0)
        moving = self._cells((step > MOVING + 3 * self._noise).astype(np.uint8) * 255)
        differs = off > CHANGED + 3 * self._noise
        self._shade = self._shadow(small, reference, differs)
        differs &= ~self._shade
        changed = self._cells(differs.astype(np.uint8) * 255)
        self._before = small
        self._frames += 1
        if self._frames % 4 == 0:
            calm = (off < CHANGED).astype(np.uint8)
            cv2.accumulateWeighted(small, self._reference, 0.08, calm)
        light = float(changed[self._seen].mean()) > LIGHTING if self._seen.any() else False
        self._moved[moving] = t_ms
        return self._sort(changed, moving, t_ms, light, small)

    def _levelled(self, small: Image) -> tuple[Image, Image]:
        """Reference and last frame at this frame's brightness."""
        assert self._reference is not None
        assert self._before is not None
        out = []
        for old in (self._reference, self._before):
            a, b = small[::6, ::6][self._area[::6, ::6]].astype(np.float32), old[::6, ::6][self._area[::6, ::6]].astype(np.float32)
            gain = float(np.median((a.sum(axis=1) + 6) / (b.sum(axis=1) + 6))) if len(a) else 1.0
            out.append(cv2.convertScaleAbs(old, alpha=min(2.0, max(0.5, gain))))
        return out[0], out[1]

    def _shadow(self, small: Image, reference: Image, where: Mask) -> Mask:
        """Pixels that are an evenly darker version of what lay there."""
        low, high, spread = SHADOW
        if not where.any():
            return np.zeros(where.shape, bool)
        ys, xs = np.nonzero(where)
        ratio = (small[ys, xs].astype(np.float32) + 10) / (reference[ys, xs].astype(np.float32) + 10)
        top, bottom = ratio.max(axis=1), ratio.min(axis=1)
        out = np.zeros(where.shape, bool)
        out[ys, xs] = (bottom > low) & (top < high) & (top - bottom < spread)
        # a shadow is large and even; specks of a dark print are none
        return cv2.morphologyEx(out.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)) > 0

    def _arm(self, part: Mask, rim: bool, stirs: bool, t_ms: float, small: Image) -> float | None:
        """When the arm that this region is last stirred; None where it is no arm. An arm stirs and reaches in from outside; one that
        was there in the frame before may rest, even where a sleeve as dark as the cloth hides that it reaches in."""
        since = max((stirred for arm, stirred in self._arms if self._same(part, arm)), default=None)
        if stirs:
            return t_ms if rim or since is not None else None
        if since is None or t_ms - since > REST_MS or self._uncovered(part, small):
            return None
        return since

    @staticmethod
    def _same(part: Mask, arm: Mask) -> bool:
        both = int((part & arm).sum())
        return both > SAME_ARM * (int(part.sum()) + int(arm.sum()) - both)

    def _uncovered(self, part: Mask, small: Image) -> bool:
        """Whether a region looks as it did before its reference was last overwritten."""
        assert self._former is not None
        where = self.to_picture(part)
        if not where.any():
            return False
        off = np.abs(small[where].astype(np.float32) - self._former[where]).max(axis=1)
        return float((off < CHANGED + 3 * self._noise).mean()) > FORMER

    def _sort(self, changed: Mask, moving: Mask, t_ms: float, light: bool, small: Image) -> Scene:
        """Tell hands, other movement and changes at rest apart."""
        recent = t_ms - self._moved < STILL_MS
        fore = cv2.morphologyEx((changed | moving).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
        count, labels = cv2.connectedComponents(fore, connectivity=8)
        blocked = self.grid.empty()
        hands: list[Hand] = []
        arms: list[tuple[Mask, float]] = []
        for i in range(1, count):
            part = labels == i
            size = int(part.sum())
            if size < LEAST_CELLS:
                changed &= ~part
                continue
            stirs = bool((part & recent).any())
            rim = part & self._rim
            since = self._arm(part, bool(rim.any()), stirs, t_ms, small) if size > 25 else None
            if not stirs and since is None:
                continue
            blocked |= cv2.dilate(part.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
            if since is not None:
                arms.append((part, since))
                hands.append(self._hand(part, rim))
        self._arms = arms
        rest = changed & ~blocked
        settled = rest & (t_ms - self._moved >= STILL_MS)
        return Scene(blocked, rest, tuple(hands), bool(recent.any()), int(settled.sum()) >= LEAST_CELLS, light)

    def _hand(self, part: Mask, rim: Mask) -> Hand:
        """A hand's owner, by the edge over which most of it reaches in, and its fingertips: what is farthest from there."""
        if not rim.any():
            rim = part & (self._depth[part].min() == self._depth)
        votes = np.bincount(self._edge[rim], minlength=4)
        player = self._seats.get("NESW"[int(np.argmax(votes))], "?")
        y, x = np.nonzero(part)
        ry, rx = np.nonzero(rim)
        far = np.hypot(x - rx.mean(), y - ry.mean())
        tips = far >= np.percentile(far, 96)
        tx = (float(x[tips].mean()) + 0.5) * CELL_MM - MARGIN_MM
        ty = (float(y[tips].mean()) + 0.5) * CELL_MM - MARGIN_MM
        return Hand(player, part, (tx, ty))

    def left_behind(self, cards: Mask, t_ms: float) -> None:
        """Cards are seen on these cells: what was taken for an arm at rest, does not reach in and is all cards was left by one."""
        self._arms = [
            (arm, since) for arm, since in self._arms
            if (arm & self._rim).any() or t_ms - since < AT_REST_MS or float(cards[arm].mean()) < ALL_CARDS
        ]  # fmt: skip

    def to_picture(self, mask: Mask) -> Mask:
        """A mask of cells as a (small) mask of the picture."""
        return cv2.warpPerspective(mask.astype(np.uint8), np.linalg.inv(self._to_cells), self._work, flags=cv2.INTER_NEAREST) > 0

    def looked(self, scene: Scene) -> None:
        """The table was looked at in the newest frame: what is free of hands is from now on how it should be."""
        assert self._before is not None
        assert self._reference is not None
        if scene.light:
            self._reference = self._before.astype(np.float32)
            self._former = self._reference.copy()
            return
        hidden = cv2.warpPerspective(scene.blocked.astype(np.uint8), np.linalg.inv(self._to_cells), self._work, flags=cv2.INTER_NEAREST)
        free = cv2.dilate(hidden, np.ones((5, 5), np.uint8)) == 0
        if scene.hands:  # their shadows go when they go, and what is lighter then would look like something new
            free &= cv2.dilate(self._shade.astype(np.uint8), np.ones((5, 5), np.uint8)) == 0
        assert self._former is not None
        plainly = free & (_most(cv2.absdiff(self._reference, self._before.astype(np.float32))) > CHANGED)
        self._former[plainly] = self._reference[plainly]
        self._reference[free] = self._before[free]
