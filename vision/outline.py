"""The outline of one card, fitted closely: the picture is warped so that the card should lie upright in the middle, a dot is set on a place
where it shows, and OutlineNet tells which cells are that card's and what its whole outline is."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect import SHOWN_H, SHOWN_W, STRIDE, UNIT, Detections, Detector, distinct, join, quads_of
from vision.identify import Pyramid
from vision.net import Net, load_net

SIDE_PX = (128, 160)  # width and height of a close-up
SHORT_PX, LONG_PX = 56, 80  # the card in it, if the guess is right
DOT_SIGMA = 3.0  # px
BATCH = 16
LEAST_MINE = 3  # cells
SPREAD = 0.2  # error that its votes expect, in half sides, at which an outline is half as sure
LEAST = 0.2  # confidence of an outline
SURE = 0.3  # of one whose size and turn the cards beside it may have
FILL_SHORT_PX = 44.0  # a card's short side in the picture that shows where card is left over
FILL_ROUNDS, FILL_MOST = 2, 64  # how often what is left over is looked at, and how many places each time
DEEP = 1.2  # cells of that picture from a place left over to the nearest that is not
APART = 0.35  # of a card's short side between two such places

F32 = NDArray[np.float32]
_X, _Y = (SIDE_PX[0] - SHORT_PX) / 2, (SIDE_PX[1] - LONG_PX) / 2
MIDDLE = np.array([[_X, _Y], [_X + SHORT_PX, _Y], [_X + SHORT_PX, _Y + LONG_PX], [_X, _Y + LONG_PX]], np.float32)
_DOT = (255 * np.exp(-((np.arange(-12, 13)[:, None] ** 2 + np.arange(-12, 13)[None] ** 2) / (2 * DOT_SIGMA**2)))).astype(np.uint8)
_SHOWN = np.array([[0, 0], [SHOWN_W, 0], [SHOWN_W, SHOWN_H], [0, SHOWN_H]], np.float32) - 0.5


def places(found: Detections) -> F32:
    """A point (N, 2) px of each card that shows, as far as may be from what covers it."""
    out = np.zeros((len(found), 2), np.float32)
    for i in range(len(found)):
        mask = np.pad((found.shown[i] > 127).astype(np.uint8), 1)
        deep = cv2.distanceTransform(mask, cv2.DIST_L2, 5)[1:-1, 1:-1]
        y, x = np.unravel_index(int(np.argmax(deep)), deep.shape)
        m = cv2.getPerspectiveTransform(_SHOWN, found.quad[i].astype(np.float32))
        out[i] = cv2.perspectiveTransform(np.array([[[x, y]]], np.float32), m)[0, 0]
    return out


def dotted(image: NDArray[np.uint8], x: float, y: float) -> NDArray[np.uint8]:
    """The picture (H, W, 3) with a fourth plane: a dot at x, y px, or at the edge nearest to it."""
    h, w = image.shape[:2]
    plane = np.zeros((h + 24, w + 24), np.uint8)
    i, j = int(np.clip(round(y), 0, h - 1)), int(np.clip(round(x), 0, w - 1))
    plane[i : i + 25, j : j + 25] = _DOT
    return np.dstack([image, plane[12:-12, 12:-12]])


class Outliner:
    """OutlineNet on pictures."""

    def __init__(self, net: Net | None = None) -> None:
        self.net = net or load_net("outline")

    def fit(self, image: NDArray[np.uint8], found: Detections, rounds: int = 2, sides_known: bool = False) -> Detections:
        """The detections of a BGR picture (H, W, 3) with outlines fitted anew; those that cannot be fitted get confidence 0.

        `sides_known`: the first side of each outline is the card's short one, however long it looks; else the shorter one is taken for it.
        """
        dots = places(found)
        levels = Pyramid(image)
        for _ in range(rounds):
            found = self._once(image, levels, found, dots, sides_known)
        return found

    def fill(self, image: NDArray[np.uint8], detector: Detector, found: Detections) -> Detections:
        """The detections and, where card shows that none of them explains, the cards that lie there."""
        for _ in range(FILL_ROUNDS):
            good = found.take(np.flatnonzero(found.confidence > SURE))
            if not len(good):
                return found
            short = float(np.median(_short(good.quad)))
            card, cell = detector.card_map(image, min(FILL_SHORT_PX / short, 1.6))
            left = (card > 0.5) & ~_explained(found, card.shape, cell)
            dots = _deepest(left, FILL_SHORT_PX / STRIDE * APART) * np.float32(cell)
            if not len(dots):
                return found
            centres = good.quad.mean(1)
            near = np.argmin(np.linalg.norm(dots[:, None] - centres[None], axis=2), axis=1)
            new = self.at(image, good.quad[near] - centres[near][:, None] + dots[:, None], dots)
            more = distinct(join([found, new.take(np.flatnonzero(new.confidence > LEAST))]))
            if len(more) <= len(found):
                return more
            found = more
        return found

    def at(self, image: NDArray[np.uint8], guesses: F32, dots: F32, sides_known: bool = False) -> Detections:
        """The cards that show at the points `dots` (N, 2) px; `guesses` (N, 4, 2): outlines of about a card's size and turn there; see `fit`."""
        n = len(dots)
        found = Detections(guesses.astype(np.float32), np.ones(n, np.float32), np.zeros(n, np.float32),
                           np.zeros((n, SHOWN_H, SHOWN_W), np.uint8), _short(guesses.astype(np.float32)))  # fmt: skip
        levels = Pyramid(image)
        for _ in range(3):
            found = self._once(image, levels, found, dots, sides_known)
        return found

    def _once(self, image: NDArray[np.uint8], levels: Pyramid, found: Detections, dots: F32, sides_known: bool) -> Detections:
        quads, shown = found.quad.copy(), found.shown.copy()
        visible, confidence = found.visible.copy(), np.zeros(len(found), np.float32)
        views = {i: v for i, v in enumerate(_view(q, d, sides_known) for q, d in zip(quads, dots, strict=True)) if v is not None}
        index = list(views)
        for k in range(0, len(index), BATCH):
            part = index[k : k + BATCH]
            batch = np.stack([_close_up(image, levels, views[i], dots[i]) for i in part])
            out = self.net(closeups=batch)[0]
            for i, votes in zip(part, out, strict=True):
                got = _outline(votes)
                if got is None:
                    continue
                quad, mine, sure = got
                back = cv2.perspectiveTransform(quad[None].astype(np.float64), np.linalg.inv(views[i]))[0]
                if not np.isfinite(back).all() or not cv2.isContourConvex(back.astype(np.float32)) or cv2.contourArea(back.astype(np.float32)) < 60:
                    continue
                quads[i], confidence[i] = back, sure
                m = cv2.getPerspectiveTransform((quad / STRIDE - 0.5).astype(np.float32), _SHOWN)
                shown[i] = cv2.warpPerspective((mine * 255).astype(np.uint8), m, (SHOWN_W, SHOWN_H), flags=cv2.INTER_LINEAR)
                visible[i] = float((shown[i] > 127).mean())
        return replace(found, quad=quads, shown=shown, visible=visible, confidence=confidence)


def stretched(quads: F32, k: float) -> F32:
    """Outlines (N, 4, 2) made longer by `k` along one side and shorter along the other."""
    c = quads.mean(1, keepdims=True)
    u = (quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3])[:, None] / 4
    v = (quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1])[:, None] / 4
    s, t = np.array([-1, 1, 1, -1])[None, :, None], np.array([-1, -1, 1, 1])[None, :, None]
    return (c + s * u * k + t * v / k + (quads - c - s * u - t * v)).astype(np.float32)


def _short(quads: F32) -> F32:
    side = np.linalg.norm(quads - np.roll(quads, 1, 1), axis=2)
    return (np.minimum(side[:, 0] + side[:, 2], side[:, 1] + side[:, 3]) / 2).astype(np.float32)


def _explained(found: Detections, shape: tuple[int, ...], cell: float) -> NDArray[np.bool_]:
    """Where the cards found show, and a cell about it; cells of `cell` px."""
    out = np.zeros(shape, np.uint8)
    for quad, shown in zip(found.quad, found.shown, strict=True):
        m = cv2.getPerspectiveTransform(_SHOWN, (quad / cell - 0.5).astype(np.float32))
        out |= (cv2.warpPerspective(shown, m, shape[::-1], flags=cv2.INTER_LINEAR) > 110).astype(np.uint8)
    return cv2.dilate(out, np.ones((3, 3), np.uint8)) > 0


def _deepest(mask: NDArray[np.bool_], apart: float) -> F32:
    """The points (N, 2) in cells farthest from the mask's edge, no two closer than `apart`."""
    deep = cv2.distanceTransform(np.pad(mask.astype(np.uint8), 1), cv2.DIST_L2, 3)[1:-1, 1:-1]
    out: list[tuple[float, float]] = []
    while len(out) < FILL_MOST:
        y, x = np.unravel_index(int(np.argmax(deep)), deep.shape)
        if deep[y, x] < DEEP:
            break
        out.append((x + 0.5, y + 0.5))
        cv2.circle(deep, (int(x), int(y)), max(1, int(apart)), 0.0, -1)
    return np.array(out, np.float32).reshape(-1, 2)


def _view(quad: F32, dot: F32, sides_known: bool) -> NDArray[np.float64] | None:
    """Picture px → close-up px, or None where the guess will not do."""
    side = np.linalg.norm(quad - np.roll(quad, 1, 0), axis=1)
    wide = not sides_known and side[1] + side[3] > side[0] + side[2]
    start = np.roll(quad, 1, 0) if wide else quad
    m = np.asarray(cv2.getPerspectiveTransform(start.astype(np.float32), MIDDLE), np.float64)
    if not np.isfinite(m).all() or abs(np.linalg.det(m)) < 1e-12:
        return None
    x, y = cv2.perspectiveTransform(dot[None, None].astype(np.float64), m)[0, 0]
    w, h = SIDE_PX
    return m if -8 <= x < w + 8 and -8 <= y < h + 8 else None


def _close_up(image: NDArray[np.uint8], levels: Pyramid, view: NDArray[np.float64], dot: F32) -> NDArray[np.uint8]:
    w, h = SIDE_PX
    back = np.linalg.inv(view)
    far = cv2.perspectiveTransform(np.array([[[0, 0], [w, 0], [w, h], [0, h]]], np.float64), back)[0]
    step = float(np.sqrt(abs(cv2.contourArea(far.astype(np.float32))) / (w * h)))
    level = levels[int(np.clip(np.floor(np.log2(max(step, 1.0)) + 0.3), 0, 5))]
    kx, ky = image.shape[1] / level.shape[1], image.shape[0] / level.shape[0]
    whole = np.array([[kx, 0, (kx - 1) / 2], [0, ky, (ky - 1) / 2], [0, 0, 1.0]])
    close = cv2.warpPerspective(level, view @ whole, (w, h), flags=cv2.INTER_LINEAR, borderValue=(114, 114, 114))
    x, y = cv2.perspectiveTransform(dot[None, None].astype(np.float64), view)[0, 0]
    return dotted(close.astype(np.uint8, copy=False), x, y)


def _outline(out: F32) -> tuple[F32, F32, float] | None:
    """Outline (4, 2) in px of the close-up, how surely each cell is the card's (h, w) 0..1, confidence; None where no card has the dot."""
    mine = 1 / (1 + np.exp(-out[0]))
    cells = mine > 0.5
    if cells.sum() < LEAST_MINE:
        return None
    h, w = mine.shape
    votes = out[1:9].astype(np.float64) * UNIT
    votes[6:8] /= UNIT
    votes[0] += np.arange(w) * STRIDE + STRIDE / 2
    votes[1] += (np.arange(h) * STRIDE + STRIDE / 2)[:, None]
    sigma = np.exp(np.clip(out[9], -4, 2)).astype(np.float64)
    weight = mine / sigma**2
    pose = (votes * weight).sum((1, 2)) / weight.sum()
    half = max(float(np.sqrt(np.hypot(pose[2], pose[3]) * np.hypot(pose[4], pose[5]))), 2.0)
    off = np.abs(votes[:6] - pose[:6, None, None]).max(0) / half
    weight = weight / (1 + (off / 0.1) ** 2)
    pose = (votes * weight).sum((1, 2)) / weight.sum()
    spread = float((sigma * cells).sum() / cells.sum()) * UNIT / half
    sure = float(mine[cells].mean()) / (1 + (spread / SPREAD) ** 2)
    return quads_of(pose[None].astype(np.float32))[0], mine.astype(np.float32), sure
