"""What a hand looks like along its axis, and where in a frame that fits best: a print.

A print is compared with the frame at shifts along the hand's way and across it. Cells that another hand covers tell nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.silhouette import MARGIN_MM, Silhouette, Silhouettes

Floats = NDArray[np.float64]
Image = NDArray[Any]  # uint8
Strip = NDArray[Any]  # uint8

BEHIND_MM, AHEAD_MM, BESIDE_MM = 150.0, 12.0, 63.0  # what of a hand is followed, from its tip
TONE, OUTLINE, SOFT, MOST_OFF = 0.35, 90.0, 1.6, 60.0  # what counts in a print; cells; an obstacle counts no more
NO_WORD = 20.0  # what a cell counts that another hand covers
FINE = 2  # steps of a print's levels in one of grey
HURRY = 0.08  # what a place costs for every mm beyond what the hand's speed explains: it may stop dead, but gains speed in time only
COARSE = 60  # from so many shifts on, every other one is tried first


@dataclass(frozen=True, slots=True, eq=False)
class Print:
    """What a hand looks like along its axis: `features` (rows along it, columns across) of colour where it covers the table, and cover,
    softened; `weight`: where they count."""

    features: Strip
    weight: Strip
    axis: Floats


@dataclass(frozen=True, slots=True)
class Place:
    """Where a print fits: mm along its axis and across it from where the hand was, deviation along it in mm, how badly it fits (0: perfectly),
    and whether it is at an end of what was searched."""

    along: float
    aside: float
    sigma: float
    cost: float
    edge: bool = False


class Prints:
    """Takes prints from one frame, `seen` by `eye`, and finds them there."""

    def __init__(self, eye: Silhouettes, seen: Silhouette) -> None:
        self._eye, self._seen = eye, seen
        self._stack: Image | None = None

    def take(self, tip: Floats, axis: Floats, label: int) -> Print:
        """The print of a hand with its tip there (mm), whose silhouette has that label."""
        strip = self._strip(self._stacked(), tip, axis, BEHIND_MM, AHEAD_MM)
        own = self._strip((self._seen.labels == label).astype(np.uint8) * 255, tip, axis, BEHIND_MM, AHEAD_MM)
        near = cv2.dilate(own, np.ones((5, 5), np.uint8))
        return Print(_features(strip), (near > 127).astype(np.uint8), axis)

    def footprint(self, p: Print, tip: Floats, place: Place) -> Image:
        """The cells (255) that a hand covers that went from `tip` to a place."""
        at = tip + p.axis * place.along + across(p.axis) * place.aside
        m = self._to_cells(at, p.axis, BEHIND_MM, p.weight.shape[1])
        return cv2.warpAffine(p.weight * np.uint8(255), m, self._eye.shape[::-1], flags=cv2.INTER_NEAREST)

    def cost(self, p: Print, tip: Floats, hidden: Image | None = None) -> float:
        """How badly a print fits with the tip there. `hidden`: cells (255) that another hand covers."""
        here = (tip, p.axis, BEHIND_MM, AHEAD_MM)
        veil = None if hidden is None else self._strip(hidden, *here)
        return float(_costs(_features(self._strip(self._stacked(), *here)), p, 1, range(1), range(1), veil)[0, 0])

    def fit(self, p: Print, tip: Floats, span: tuple[float, float], slide: float, hidden: Image | None = None, due: float = math.inf) -> Place:
        """Where a print fits best, between `span` mm along its axis from `tip` and `slide` mm to either side. `due`: mm that it would go
        at the speed it had; places beyond are believed less."""
        c = self._eye.cell_mm
        first, last, wide = int(np.floor(span[0] / c)), int(np.ceil(span[1] / c)), int(np.ceil(slide / c))
        where = (tip + p.axis * first * c, p.axis, BEHIND_MM, AHEAD_MM + (last - first) * c, wide)
        n, m = last - first + 1, 2 * wide + 1
        features = _features(self._strip(self._stacked(), *where)[: len(p.weight) + n - 1])
        veil = None if hidden is None else self._strip(hidden, *where)
        pull = HURRY * np.maximum(0.0, (first + np.arange(n)) * c - max(0.0, due))[:, None]
        near, beside = range(n), range(m)
        if n * m > COARSE:
            rough = None if veil is None else veil[::2, ::2]
            costs = _costs(features[::2, ::2], p, 2, range(0, (n + 1) // 2), range(0, (m + 1) // 2), rough)
            costs += pull[::2]
            a, b = np.unravel_index(int(np.argmin(costs)), costs.shape)
            k, j = 2 * int(a), 2 * int(b)
            near, beside = range(max(0, k - 2), min(n, k + 3)), range(max(0, j - 2), min(m, j + 3))
        costs = _costs(features, p, 1, near, beside, veil)
        a, b = np.unravel_index(int(np.argmin(costs + pull[near.start : near.stop])), costs.shape)
        line = costs[:, b]
        along = (first + near[int(a)]) * c
        bend = 0.0
        if 0 < a < len(line) - 1:
            bend = float(line[a - 1] - 2 * line[a] + line[a + 1])
            if bend > 1e-6:
                along += 0.5 * c * float(line[a - 1] - line[a + 1]) / bend
        sigma = min(6.0, 0.9 + 1.0 / max(0.2, bend))
        return Place(along, (beside[int(b)] - wide) * c, sigma, float(costs[a, b]), near[int(a)] in (0, n - 1))

    def _strip(self, picture: Image, tip: Floats, axis: Floats, behind: float, ahead: float, wider: int = 0) -> Image:
        """The picture of cells along an axis: rows along it, the last one foremost; columns across."""
        c = self._eye.cell_mm
        rows, cols = int((behind + ahead) / c), int(2 * BESIDE_MM / c) + 2 * wider
        return cv2.warpAffine(picture, self._to_cells(tip, axis, behind, cols), (cols, rows), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)

    def _to_cells(self, tip: Floats, axis: Floats, behind: float, cols: int) -> Floats:
        """From a strip's columns and rows to those of the picture of cells."""
        c = self._eye.cell_mm
        side = across(axis)
        first = (tip + MARGIN_MM) / c - 0.5 - axis * behind / c - side * (cols - 1) / 2
        return np.array([[side[0], axis[0], first[0]], [side[1], axis[1], first[1]]])

    def _stacked(self) -> Image:
        if self._stack is None:
            self._stack = cv2.merge([*cv2.split(self._seen.cells), (self._seen.labels > 0).astype(np.uint8) * 255])
        return self._stack


def across(axis: Floats) -> Floats:
    """The unit vector at a right angle to an axis."""
    return np.array([-axis[1], axis[0]])


_ALL = np.ones((1, 4), np.float32)


def _features(strip: Image) -> Strip:
    """A strip (rows, columns, BGR and cover) as it is compared: softened, since hands turn a little and come nearer. In whole numbers,
    FINE to a level of grey, which compare several times as quickly; colours about 128."""
    *colours, cover = cv2.split(strip.astype(np.float32))
    cover *= 1 / 255
    tones = [(colour - 128) * cover * (TONE * FINE) + 128 for colour in colours]
    return cv2.GaussianBlur(cv2.merge([*tones, cover * (OUTLINE * FINE)]), (0, 0), SOFT).round().astype(np.uint8)


def _costs(strip: Strip, p: Print, every: int, along: range, aside: range, veil: Image | None = None) -> Floats:
    """How badly a print fits at shifts along and across a strip of features, of which every `every`-th cell is given. `veil`: cells of the
    strip (255) that tell nothing."""
    weight, features = p.weight[::every, ::every], p.features[::every, ::every]
    (rows, cols), (height, width) = weight.shape, strip.shape[:2]
    out = np.full((len(along), len(aside)), 1e9)
    at = [(i, j) for i, a in enumerate(along) for j, b in enumerate(aside) if a + rows <= height and b + cols <= width]
    ys, xs = np.nonzero(weight)
    if not at or not len(ys):
        return out
    # all shifts at once: a cell's four bytes are one word
    words = np.ascontiguousarray(strip).view(np.uint32).ravel()
    starts = np.array([along[i] * width + aside[j] for i, j in at])
    where = starts[:, None] + (ys * width + xs)[None]
    seen = words[where].view(np.uint8).reshape(len(at), len(ys), 4)
    off = cv2.transform(cv2.absdiff(seen, np.ascontiguousarray(np.broadcast_to(features[ys, xs], seen.shape))), _ALL)
    off = np.minimum(off, np.uint8(MOST_OFF * FINE))
    if veil is not None:
        off[np.ascontiguousarray(veil[:height]).ravel()[where] > 127] = NO_WORD * FINE
    sums = cv2.reduce(off, 1, cv2.REDUCE_SUM, dtype=cv2.CV_32S)
    out[tuple(np.array(at).T)] = sums[:, 0] / (FINE * len(ys))
    return out
