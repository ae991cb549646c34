"""Arms over the table, by what hides the table: a background model, no skin colour.

The table is looked at in cells of a few millimetres. A cell is covered where it differs from the background; an evenly darker
version of the same cloth is a shadow. What is covered and reaches over an edge of the table is an arm, and belongs to whoever sits
at that edge. Slow changes of the light are followed; what was laid down and lies still becomes background.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.plane import Plane

Image = NDArray[Any]  # uint8
Floats = NDArray[np.float64]

CELL_MM = 3.0
MOST_CELLS = 90_000
MARGIN_MM = 30.0  # beyond the table's edges
LEAST_MM2 = 600.0  # smaller is no hand
COVERED = (6.0, 0.04, 0.05, 2.2)  # grey levels, shares of the table's brightness, of its contrast from cell to cell, and of the noise
EVERY = 6  # frames after which the limit of what differs is set anew
NOISY, SOFTENED = 2.6, 0.38  # grey levels: a picture with more noise is softened; what is left of it then
SHADOW = (0.42, 0.99, 0.09)  # darkest and lightest ratio, how far the channels may differ
RUFFLE = 0.11  # how far a shadow's ratio may differ from that around it: the cloth's texture shows through a shadow
FINE_CELLS, AROUND_CELLS = 5, 9  # texture is what differs from the mean of so many cells each way; it is compared over so many
BOLD = 6.0  # grey levels: bolder texture, a print's or an outline's, counts no more
THROUGH = (0.45, 1.8)  # a shadow shows the cloth's texture times its own ratio: less or more than this share of that is no shadow's
UNSURE = 0.16  # deviation of that share from which on texture tells nothing: the cloth is too plain, or the picture too noisy
HIDES = 160  # how surely a cell is covered whose texture is gone
GRAINY = 0.36  # noise of a cell's grey beside that of its channel which differs most
STILL_MS = 180.0  # what was laid down is background after so long
ARM_STILL_MS = 8000.0  # an arm that did not stir for so long is none
FOREMOST, FRONT_MM = 14, 75.0  # cells whose mean is the tip; of a hand's front
ELBOW_MM = 120.0  # behind the edge: an arm that shows little of itself points from there
_INWARD = {"N": np.array([0.0, 1.0]), "E": np.array([-1.0, 0.0]), "S": np.array([0.0, -1.0]), "W": np.array([1.0, 0.0])}
TREND = 0.06  # how quickly the background follows the light, a frame


@dataclass(frozen=True, slots=True, eq=False)
class Arm:
    """A silhouette. `sides`: edges of the table ("NESW") that it reaches over, most of it first, "" where it does not; `tip`: its
    foremost point in mm, `axis`: unit vector along it towards the tip; `label`: its number in the picture of labels."""

    label: int
    sides: str
    tip: Floats
    axis: Floats
    area_mm2: float
    length_mm: float  # from the edge to the tip


@dataclass(frozen=True, slots=True, eq=False)
class Silhouette:
    """One frame: `cover` (rows, columns) uint8, how surely a cell is covered; `labels` int32, 0 where no arm is."""

    t_ms: float
    cover: Image
    labels: NDArray[Any]
    arms: tuple[Arm, ...]
    cells: Image  # (rows, columns, 3) the table as it looks


def _most(image: Image) -> Image:
    a, b, c = cv2.split(image)
    return cv2.max(cv2.max(a, b), c)


def _sum(image: NDArray[np.float32]) -> NDArray[np.float32]:
    """Of the three channels (NumPy's sum over a short axis is slow)."""
    out: NDArray[np.float32] = image[..., 0] + image[..., 1] + image[..., 2]
    return out


class Silhouettes:
    """Fed with every frame of one camera. `plane`: where the table lies in a picture of `image_size` (width, height)."""

    def __init__(self, plane: Plane, image_size: tuple[int, int]) -> None:
        self._size = image_size
        w, h = plane.size_mm
        area = (w + 2 * MARGIN_MM) * (h + 2 * MARGIN_MM)
        self.cell_mm = max(CELL_MM, math.sqrt(area / MOST_CELLS))
        self.shape = (math.ceil((h + 2 * MARGIN_MM) / self.cell_mm), math.ceil((w + 2 * MARGIN_MM) / self.cell_mm))
        self._table_mm = plane.size_mm
        self.place(plane)

    def place(self, plane: Plane) -> None:
        """The table lies elsewhere in the picture: start afresh."""
        pixels = plane.px_per_mm() * self.cell_mm  # of a cell
        self._reduce = max(1, int(pixels / 1.1))
        w, h = self._size
        self._work = (max(8, w // self._reduce), max(8, h // self._reduce))
        k = np.diag([float(self._reduce), float(self._reduce), 1.0])
        half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])  # pixel centres lie on whole numbers in OpenCV
        self._to_cells = np.linalg.inv(half) @ self._cells_of_mm() @ plane.homography @ k @ half
        rows, cols = self.shape
        seen = cv2.warpPerspective(np.full(self._work[::-1], 255, np.uint8), self._to_cells, (cols, rows), flags=cv2.INTER_NEAREST) > 0
        inner = cv2.erode(seen.astype(np.uint8), np.ones((5, 5), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0) > 0
        self._seen, self._rim = seen, seen & ~inner
        self._open: Image = seen.astype(np.uint8) * 255
        y, x = np.mgrid[0:rows, 0:cols]
        tw, th = self._table_mm
        px, py = self.mm_of(x, y)
        self._side = np.argmin(np.stack([py, tw - px, th - py, px]), axis=0)
        self._background: NDArray[np.float32] | None = None
        self._before: Image | None = None
        self._stirred = np.zeros(self.shape, np.float64)
        self._frames = 0  # since the first
        self._limit: Image = np.zeros(self.shape, np.uint8)
        self._grain = self._noise = 2.0  # grey levels between a cell and itself a frame later, as seen and as softened

    def _cells_of_mm(self) -> Floats:
        c = 1 / self.cell_mm
        return np.array([[c, 0, MARGIN_MM * c], [0, c, MARGIN_MM * c], [0, 0, 1]])

    def mm_of(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Millimetres of cell centres (columns, rows)."""
        return (x + 0.5) * self.cell_mm - MARGIN_MM, (y + 0.5) * self.cell_mm - MARGIN_MM

    def polygon(self, points_mm: Any) -> NDArray[np.bool_]:
        """Cells inside a polygon (N, 2) in mm."""
        out = np.zeros(self.shape, np.uint8)
        q = (np.asarray(points_mm, np.float64) + MARGIN_MM) / self.cell_mm - 0.5
        cv2.fillPoly(out, [np.round(q * 16).astype(np.int32)], 1, cv2.LINE_8, 4)
        return out > 0

    def see(self, image: Image, t_ms: float) -> Silhouette:
        """Take a frame (H, W, 3) uint8."""
        cells = self._cells(image)
        if self._background is None or self._before is None:
            self._background, self._before = cells.astype(np.float32), cells
            self._stirred[:] = t_ms
            nothing = np.zeros(self.shape, np.uint8)
            return Silhouette(t_ms, nothing, nothing.astype(np.int32), (), cells)
        step = _most(cv2.absdiff(cells, self._before))
        self._before = cells
        self._frames += 1
        late = max(0.1, 1 / self._frames)
        grain = self._grain = (1 - late) * self._grain + late * float(np.median(step[self._seen][::11]))
        if grain > NOISY:
            if self._frames == 1:
                self._background = np.asarray(cv2.blur(self._background, (3, 3)), np.float32)
            cells, step, grain = cv2.blur(cells, (3, 3)), cv2.blur(step, (3, 3)), grain * SOFTENED
        self._noise = grain
        background = self._levelled(cells)
        if self._frames % EVERY == 1:  # it changes slowly
            self._limit = self._least(background)
        least = self._limit
        self._stirred[cv2.compare(step, least, cv2.CMP_GT) > 0] = t_ms
        cover, differs = self._cover(cells, background, least)
        labels, arms, kept = self._arms(cover, differs, t_ms)
        self._follow(cells, cover, kept, t_ms)
        return Silhouette(t_ms, cover, labels, arms, cells)

    def graininess(self) -> float:
        """The noise of one frame beside the table's brightness: 0.01 to 0.04 in good light."""
        if self._background is None:
            return 0.0
        return self._grain / (float(self._background[::7, ::7][self._seen[::7, ::7]].mean()) + 1.0)

    def _least(self, background: Image) -> Image:
        """From how many grey levels on a cell differs from the background: the light flickers by a share of the brightness, a shaken camera
        by a share of the contrast."""
        base, bright, contrast, noise = COVERED
        level = _most(background)
        uneven = cv2.morphologyEx(level, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
        return cv2.addWeighted(level, bright, uneven, contrast, base + noise * self._noise)

    def _cells(self, image: Image) -> Image:
        """The table in a picture, seen from above."""
        w, h = (side * self._reduce for side in self._work)  # a whole ratio is several times as quick to resize by
        small = image if self._reduce == 1 else cv2.resize(image[:h, :w], self._work, interpolation=cv2.INTER_AREA)
        return cv2.warpPerspective(small, self._to_cells, self.shape[::-1], flags=cv2.INTER_LINEAR)

    def _levelled(self, cells: Image) -> Image:
        """The background at this frame's brightness."""
        assert self._background is not None
        seen = self._seen[::5, ::5]
        now, then = _sum(cells[::5, ::5].astype(np.float32))[seen], _sum(self._background[::5, ::5])[seen]
        gain = float(np.median((now + 6) / (then + 6))) if len(now) else 1.0
        return cv2.convertScaleAbs(self._background, alpha=min(1.6, max(0.6, gain)))

    def _cover(self, cells: Image, background: Image, least: Image) -> tuple[Image, Image]:
        """How surely each cell is covered, shadows left out: 0 to 255, 128 at the border; and which differ, shadows and all."""
        off = _most(cv2.absdiff(cells, background))
        cover = cv2.bitwise_and(cv2.divide(off, least, scale=128.0), self._open)
        at = np.flatnonzero(cv2.bitwise_and(cv2.compare(off, least // 2, cv2.CMP_GT), self._open))
        if len(at):  # only what differs is asked whether it is a shadow, and the cloth's texture only about what may be one
            a, b = ([plane.ravel()[at].astype(np.float32) + 8 for plane in cv2.split(v)] for v in (cells, background))
            blue, green, red = (u / v for u, v in zip(a, b, strict=True))
            top, bottom = np.maximum(np.maximum(blue, green), red), np.minimum(np.minimum(blue, green), red)
            low, high, spread = SHADOW
            loose = np.float32(self._noise) / np.minimum(np.minimum(b[0], b[1]), b[2])
            dark = np.flatnonzero((bottom > low) & (top < high) & (top - bottom < spread + 2 * loose))
            if len(dark):
                at, loose = at[dark], loose[dark]
                ys, xs = np.divmod(at, self.shape[1])
                y0, x0 = max(0, int(ys[0]) - 6), max(0, int(xs.min()) - 6)
                box = (slice(y0, int(ys[-1]) + 7), slice(x0, int(xs.max()) + 7))
                now, then = (cv2.cvtColor(v[box], cv2.COLOR_BGR2GRAY) for v in (cells, background))
                grey = (now.astype(np.float32) + 8) / (then + np.float32(8))
                ruffle = cv2.absdiff(grey, cv2.blur(grey, (5, 5)))
                mask: Image = np.zeros(grey.shape, np.uint8)
                mask[ys - y0, xs - x0] = ruffle[ys - y0, xs - x0] < RUFFLE + loose
                gone = self._texture_gone(now, then, grey)
                mask[gone > 0] = 0
                mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))  # specks of a dark print are no shadow
                cover[box][mask > 0] = 0
                hides = (gone > 0) & (off[box] > least[box] // 2)  # of the cloth's own tone
                cover[box][hides] = np.maximum(cover[box][hides], HIDES)
        return cover, cv2.bitwise_and(cv2.compare(off, least, cv2.CMP_GT), self._open)

    def _texture_gone(self, now: Image, then: Image, ratio: NDArray[np.float32]) -> Image:
        """Where the cloth's texture does not show (255): what is there is no shadow, whatever its colour. `now`, `then`: grey levels of the
        frame and of the background, `ratio` of the two."""
        fine, around = (FINE_CELLS, FINE_CELLS), (AROUND_CELLS, AROUND_CELLS)
        a, b = (np.clip(g - cv2.blur(g, fine), -BOLD, BOLD) for g in (now.astype(np.float32), then.astype(np.float32)))
        noise = (GRAINY * self._noise) ** 2
        own = noise * max(TREND / 2, 1 / (self._frames + 1)) + 0.08  # what of the background's is noise, and rounding
        texture = np.maximum(cv2.blur(b * b, around) - np.float32(own), np.float32(1e-3))
        share = cv2.blur(a * b, around) / (texture * np.maximum(cv2.blur(ratio, around), np.float32(0.3)))
        clear = texture > (noise + 0.08) / (AROUND_CELLS * UNSURE * SHADOW[0]) ** 2
        low, high = THROUGH
        gone: Image = (((share < low) | (share > high)) & clear).astype(np.uint8) * 255
        gone = cv2.morphologyEx(gone, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
        return cv2.erode(gone, np.ones((3, 3), np.uint8))  # half of what is compared may lie beside the hand

    def _arms(self, cover: Image, differs: Image, t_ms: float) -> tuple[NDArray[Any], tuple[Arm, ...], NDArray[np.bool_]]:
        """Silhouettes, and the cells that must not become background."""
        mask: Image = (cover >= 128).astype(np.uint8)
        if cv2.countNonZero(mask) * self.cell_mm**2 < LEAST_MM2:
            return np.zeros(self.shape, np.int32), (), np.zeros(self.shape, bool)
        mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
        mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
        count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
        arms = []
        kept = np.zeros(self.shape, bool)
        for i in range(1, count):
            size = float(stats[i, cv2.CC_STAT_AREA]) * self.cell_mm**2
            x0, y0, w, h = (int(v) for v in stats[i, :4])
            box = (slice(y0, y0 + h), slice(x0, x0 + w))
            part = labels[box] == i
            if size < LEAST_MM2:
                labels[box][part] = 0
                continue
            rim = part & self._rim[box]
            quiet = t_ms - float(self._stirred[box][part].max())
            if quiet > (ARM_STILL_MS if rim.any() else STILL_MS):
                labels[box][part] = 0  # a card that was laid, or a ghost
                continue
            kept[box] |= part
            if rim.any():
                ry, rx = np.nonzero(rim)
                edge: tuple[NDArray[Any], ...] = (ry + y0, rx + x0)
            else:
                edge = np.nonzero(self._rim_of(labels == i, differs))
            arms.append(self._arm(i, part, edge, (x0, y0), size))
        return labels, tuple(arms), kept

    def _rim_of(self, hand: NDArray[np.bool_], differs: Image) -> NDArray[np.bool_]:
        """Where the arm of a hand reaches in whose sleeve looks like a shadow."""
        _, whole = cv2.connectedComponents(cv2.morphologyEx(differs, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), connectivity=8)
        own = np.unique(whole[hand & (whole > 0)])
        rim = self._rim & np.isin(whole, own[own > 0])
        if rim.any():
            ys, xs = np.nonzero(rim)
            hy, hx = (float(v.mean()) for v in np.nonzero(hand))
            far = np.hypot(ys - hy, xs - hx)
            cut = far > far.min() + 80 / self.cell_mm
            rim[ys[cut], xs[cut]] = False
        return rim

    def _arm(self, label: int, part: NDArray[np.bool_], rim: tuple[NDArray[Any], ...], corner: tuple[int, int], size: float) -> Arm:
        """`part`: its cells from `corner` on; `rim`: rows and columns of the cells of the table's rim over which it reaches."""
        x0, y0 = corner
        ys, xs = np.nonzero(part)
        px, py = self.mm_of(xs + x0, ys + y0)
        sides = ""
        ry, rx = rim
        if len(ry):
            votes = np.bincount(self._side[ry, rx], minlength=4)
            sides = "".join("NESW"[j] for j in np.argsort(-votes) if votes[j] > 4)
            first = self._side[ry, rx] == int(np.argmax(votes))
            bx, by = self.mm_of(rx[first], ry[first])
            base = np.array([float(bx.mean()), float(by.mean())])
        else:
            base = np.array([float(px.mean()), float(py.mean())])
        points = np.stack([px, py], axis=1)
        elbow = base - _INWARD[sides[0]] * ELBOW_MM if sides else base - np.array([0.0, 1.0])
        axis = points.mean(axis=0) - elbow
        for _ in range(2):  # from well behind the edge to the fingers
            axis = axis / max(1e-6, float(np.linalg.norm(axis)))
            along = points @ axis
            most = float(np.partition(along, -min(len(along), FOREMOST))[-min(len(along), FOREMOST) :].mean())
            front = points[along > most - FRONT_MM].mean(axis=0)
            axis = front - elbow
        axis = axis / max(1e-6, float(np.linalg.norm(axis)))
        tip = front + axis * (most - float(front @ axis))
        return Arm(label, sides, tip, axis, size, float(np.linalg.norm(tip - base)) if sides else 0.0)

    def _follow(self, cells: Image, cover: Image, kept: NDArray[np.bool_], t_ms: float) -> None:
        """Bring the background up to date."""
        assert self._background is not None
        free = cv2.bitwise_not(cv2.dilate(kept.astype(np.uint8) * 255, np.ones((7, 7), np.uint8)))
        open_table = cv2.threshold(cover, 99, 255, cv2.THRESH_BINARY_INV)[1]
        cv2.accumulateWeighted(cells, self._background, max(TREND, 1 / (self._frames + 1)), cv2.bitwise_and(open_table, free))
        at = np.flatnonzero(cv2.bitwise_and(cv2.bitwise_not(open_table), free))
        at = at[self._stirred.ravel()[at] < t_ms - STILL_MS]  # laid down
        if len(at):
            self._background.reshape(-1, 3)[at] = cells.reshape(-1, 3)[at]
