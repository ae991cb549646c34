"""Finding cards: every pixel of a card votes for its own whole card; votes that agree are one card.

The picture goes through PoseNet at one scale (live, where the plane is known) or at several (any photograph).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.net import Net, load_net

STRIDE = 4
UNIT = 32.0
SHOWN_W, SHOWN_H = 24, 36
SHORT_BEST = (18.0, 62.0)  # px of a card's short side at which the network sees best
ONE_OUTLINE = 0.85  # overlap from which two outlines are one card whatever shows
MORE_THAN_ONE = 1.15  # of a card's area: two cards
LEVELS = (96, 192, 384, 768, 1152)  # long side of the picture at each level of `Detector.search`
_UNIT_CARD = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32)

F32 = NDArray[np.float32]


@dataclass(frozen=True)
class Detections:
    """Cards found in a picture, as a struct of arrays of length N.

    quad (N, 4, 2) float32 px of the picture, clockwise from the card's own top left (the top may be the bottom until identity says),
    the whole card even where part is covered; confidence (N,) in 0..1; visible (N,) share that shows;
    shown (N, 36, 24) uint8: where in the card's own frame it shows, 0..255; short (N,) px of the short side at the network's scale.
    hand (h, w) bool at `hand_scale` px a cell, or None: where a hand is.
    """

    quad: F32
    confidence: F32
    visible: F32
    shown: NDArray[np.uint8] = field(repr=False)
    short: F32 = field(repr=False)
    hand: NDArray[np.bool_] | None = field(default=None, repr=False)
    hand_scale: float = 1.0

    def __post_init__(self) -> None:
        n = len(self.quad)
        if self.quad.shape != (n, 4, 2) or self.shown.shape != (n, SHOWN_H, SHOWN_W):
            raise ValueError(f"quad must be (N, 4, 2) and shown (N, {SHOWN_H}, {SHOWN_W}), not {self.quad.shape} and {self.shown.shape}")

    def __len__(self) -> int:
        return len(self.quad)

    def take(self, index: NDArray[np.intp] | list[int]) -> Detections:
        """The detections at these indices."""
        i = np.asarray(index, np.intp)
        return replace(self, quad=self.quad[i], confidence=self.confidence[i], visible=self.visible[i], shown=self.shown[i], short=self.short[i])

    @staticmethod
    def none() -> Detections:
        z = np.zeros(0, np.float32)
        return Detections(np.zeros((0, 4, 2), np.float32), z, z, np.zeros((0, SHOWN_H, SHOWN_W), np.uint8), z)


def join(parts: list[Detections]) -> Detections:
    """Several sets of detections as one; the hand of the first that has one."""
    parts = [p for p in parts if len(p)] or parts[:1]
    if not parts:
        return Detections.none()
    hand = next((p for p in parts if p.hand is not None), parts[0])
    return Detections(
        np.concatenate([p.quad for p in parts]), np.concatenate([p.confidence for p in parts]), np.concatenate([p.visible for p in parts]),
        np.concatenate([p.shown for p in parts]), np.concatenate([p.short for p in parts]), hand.hand, hand.hand_scale,
    )


def _half_axis(c: F32, s: F32) -> tuple[F32, F32]:
    """x and y of a half axis given as length · (cos 2θ, sin 2θ); its sign is free."""
    length = np.hypot(c, s)
    angle = np.arctan2(s, c) / 2
    return length * np.cos(angle), length * np.sin(angle)


def quads_of(poses: F32) -> F32:
    """Corners (N, 4, 2) of poses (N, 8): centre, half axes as length · (cos 2θ, sin 2θ), projective part."""
    cx, cy = poses[:, 0], poses[:, 1]
    ux, uy = _half_axis(poses[:, 2], poses[:, 3])
    vx, vy = _half_axis(poses[:, 4], poses[:, 5])
    flip = np.where(ux * vy - uy * vx < 0, -1.0, 1.0)  # clockwise in a picture whose y points down
    ux, uy = ux * flip, uy * flip
    d = np.sqrt(np.maximum(np.abs(ux * vy - uy * vx), 1e-6))
    gx, gy = np.clip(poses[:, 6], -0.45, 0.45) / d, np.clip(poses[:, 7], -0.45, 0.45) / d
    p, q = gx * ux + gy * uy, gx * vx + gy * vy
    s, t = _UNIT_CARD[:, 0][None], _UNIT_CARD[:, 1][None]
    den = np.maximum(1 + s * p[:, None] + t * q[:, None], 0.3)
    x = cx[:, None] + (s * ux[:, None] + t * vx[:, None]) / den
    y = cy[:, None] + (s * uy[:, None] + t * vy[:, None]) / den
    return np.stack([x, y], -1).astype(np.float32)


def _components(mask: NDArray[np.bool_], right: NDArray[np.bool_], down: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Labels (h, w), 0 for none, of cells joined to their right or lower neighbour: cells and joints are laid on a grid of twice the size."""
    h, w = mask.shape
    grid = np.zeros((2 * h - 1, 2 * w - 1), np.uint8)
    grid[::2, ::2] = mask
    grid[::2, 1::2] = right
    grid[1::2, ::2] = down
    _, labels = cv2.connectedComponents(grid, connectivity=4)
    return (labels[::2, ::2] * mask).astype(np.int32)


def _means(label: NDArray[np.int64], weight: F32, votes: F32, n: int) -> F32:
    total = np.bincount(label, weight, n)
    return (np.stack([np.bincount(label, weight * v, n) for v in votes], 1) / np.maximum(total, 1e-9)[:, None]).astype(np.float32)


def decode(out: F32, least_cells: int = 4, threshold: float = 0.4) -> tuple[F32, F32, F32, NDArray[np.int32], F32]:
    """Cards from PoseNet's output (13, h, w).

    Returns poses (N, 8) in px of the network's input, confidence (N,), spread (N,) the relative error a card's votes expect,
    labels (h, w) with card i at i + 1, and cells (N,).
    """
    card = 1 / (1 + np.exp(-out[0]))
    mask = card > threshold
    h, w = mask.shape
    votes = out[2:10] * UNIT
    votes[6:8] /= UNIT
    votes[0] += np.arange(w, dtype=np.float32) * STRIDE + STRIDE / 2
    votes[1] += (np.arange(h, dtype=np.float32) * STRIDE + STRIDE / 2)[:, None]
    size = np.sqrt(np.maximum(np.hypot(votes[2], votes[3]) * np.hypot(votes[4], votes[5]), 4.0))  # half of the middling side
    near = 0.22
    dx = np.abs(votes[:6, :, 1:] - votes[:6, :, :-1]).max(0) / np.minimum(size[:, 1:], size[:, :-1])
    dy = np.abs(votes[:6, 1:] - votes[:6, :-1]).max(0) / np.minimum(size[1:], size[:-1])
    right = mask[:, 1:] & mask[:, :-1] & (out[11, :, :-1] > 0) & (dx < 2 * near)
    down = mask[1:] & mask[:-1] & (out[12, :-1] > 0) & (dy < 2 * near)
    labels = _components(mask, right, down)
    n = int(labels.max()) + 1
    flat = labels.ravel().astype(np.int64)
    on = flat > 0
    lab = flat[on]
    v = votes.reshape(8, -1)[:, on]
    sigma = np.exp(np.clip(out[10], -4, 2)).ravel()[on]
    weight = card.ravel()[on] / sigma**2
    means = _means(lab, weight, v, n)
    off = np.abs(v[:6] - means[lab, :6].T).max(0) / size.ravel()[on]
    means = _means(lab, weight / (1 + (off / 0.1) ** 2), v, n)
    cells = np.bincount(lab, minlength=n).astype(np.float32)
    spread = np.bincount(lab, sigma, n) / np.maximum(cells, 1) * UNIT / np.maximum(
        np.sqrt(np.hypot(means[:, 2], means[:, 3]) * np.hypot(means[:, 4], means[:, 5])), 2)
    conf = np.bincount(lab, card.ravel()[on], n) / np.maximum(cells, 1)
    # Parts of one card that something lies across: join components whose poses agree, the larger first.
    parent = np.arange(n)
    order = [i for i in np.argsort(-cells) if i > 0 and cells[i] >= 2]
    half = np.sqrt(np.hypot(means[:, 2], means[:, 3]) * np.hypot(means[:, 4], means[:, 5]))
    kept: list[int] = []
    for i in order:
        if kept:
            k = np.array(kept)
            d = np.abs(means[k, :6] - means[i, :6]).max(1) / np.maximum(half[k], 2)
            j = int(np.argmin(d))
            if d[j] < 0.14 + 0.25 * min(spread[i], 0.6):
                parent[i] = k[j]
                continue
        kept.append(int(i))
    lab = parent[lab]
    labels = parent[labels].astype(np.int32)
    cells = np.bincount(lab, minlength=n).astype(np.float32)
    off = np.abs(v[:6] - means[lab, :6].T).max(0) / size.ravel()[on]
    means = _means(lab, weight / (1 + (off / 0.1) ** 2), v, n)
    good = [i for i in kept if cells[i] >= least_cells]
    renumber = np.zeros(n, np.int32)
    renumber[good] = np.arange(1, len(good) + 1)
    return means[good].astype(np.float32), conf[good].astype(np.float32), spread[good].astype(np.float32), renumber[labels], cells[good]


def _shown(labels: NDArray[np.int32], quads: F32) -> NDArray[np.uint8]:
    """Where each card shows, in its own frame: (N, 36, 24)."""
    out = np.zeros((len(quads), SHOWN_H, SHOWN_W), np.uint8)
    dst = np.array([[0, 0], [SHOWN_W, 0], [SHOWN_W, SHOWN_H], [0, SHOWN_H]], np.float32) - 0.5
    for i, q in enumerate(quads):
        mask = (labels == i + 1).astype(np.uint8) * 255
        m = cv2.getPerspectiveTransform((q / STRIDE - 0.5).astype(np.float32), dst)
        out[i] = cv2.warpPerspective(mask, m, (SHOWN_W, SHOWN_H), flags=cv2.INTER_LINEAR)
    return out


class Detector:
    """PoseNet on pictures."""

    def __init__(self, net: Net | None = None) -> None:
        self.net = net or load_net("pose")
        self.detect(np.zeros((64, 64, 3), np.uint8))  # the first run is slow: not on a real frame

    def detect(self, image: NDArray[np.uint8], scale: float = 1.0, pad: int = 0) -> Detections:
        """Cards of a BGR picture (H, W, 3), looked at once with both sides scaled by `scale` and a grey border of `pad` px."""
        h, w = image.shape[:2]
        nw, nh = max(8, round(w * scale)), max(8, round(h * scale))
        if pad == 0 and min(nw, nh) >= 256:  # a stretch of a few per cent is cheaper than a border
            nw, nh = round(nw / 32) * 32, round(nh / 32) * 32
        out = self._votes(image, nw, nh, scale < 1, pad)
        poses, conf, spread, labels, cells = decode(out)
        hand = out[1] > 0
        sx, sy = w / nw, h / nh
        if not len(poses):
            none = Detections.none()
            return replace(none, hand=hand[pad // STRIDE:, pad // STRIDE:], hand_scale=STRIDE * sx)
        quads = quads_of(poses)
        area = np.array([abs(cv2.contourArea(q)) for q in quads], np.float32)
        side = np.linalg.norm(quads - np.roll(quads, 1, 1), axis=2)
        short = np.minimum(side[:, 0] + side[:, 2], side[:, 1] + side[:, 3]) / 2
        visible = np.clip(cells * STRIDE**2 / np.maximum(area, 1), 0, 1)
        confidence = conf / (1 + (spread / 0.35) ** 2)
        good = (area > 60) & (short > 6) & np.isfinite(quads).all((1, 2))
        shown = _shown(labels, quads)
        quads = (quads - pad) * np.array([sx, sy], np.float32)
        d = Detections(quads, confidence.astype(np.float32), visible.astype(np.float32), shown, short.astype(np.float32),
                       hand[pad // STRIDE:, pad // STRIDE:], STRIDE * sx)
        return d.take(np.flatnonzero(good))

    def _votes(self, image: NDArray[np.uint8], nw: int, nh: int, smaller: bool, pad: int = 0) -> F32:
        """The network's output (13, h, w) for the picture at nw × nh px (`smaller`: shrunk to it), in a grey border of `pad` px and up to multiples of 32."""
        h, w = image.shape[:2]
        small = cv2.resize(image, (nw, nh), interpolation=cv2.INTER_AREA if smaller else cv2.INTER_LINEAR) if (nw, nh) != (w, h) else image
        canvas = np.full((1, -(-(nh + 2 * pad) // 32) * 32, -(-(nw + 2 * pad) // 32) * 32, 3), 114, np.uint8)
        canvas[0, pad:pad + nh, pad:pad + nw] = small
        return self.net(image=canvas)[0][0]

    def card_map(self, image: NDArray[np.uint8], scale: float) -> tuple[F32, float]:
        """How surely some card shows in each cell (h, w) 0..1 of the picture looked at with both sides scaled by `scale`; px of a cell's side."""
        h, w = image.shape[:2]
        nw, nh = max(8, round(w * scale)), max(8, round(h * scale))
        out = self._votes(image, nw, nh, scale < 1)[0, : -(-nh // STRIDE), : -(-nw // STRIDE)]
        return (1 / (1 + np.exp(-out))).astype(np.float32), STRIDE * w / nw

    def search(self, image: NDArray[np.uint8], levels: tuple[int, ...] = LEVELS, same: float = 0.55) -> Detections:
        """Cards of any size in any photograph: several scales, each card kept from the scale that sees it best; `same`: see `distinct`."""
        long = max(image.shape[:2])
        parts = []
        for size in levels:
            if size > 1.6 * long and size > levels[0]:
                break
            d = self.detect(image, min(size / long, 1.6), pad=32)
            low, high = SHORT_BEST
            fit = np.clip(d.short / low, 0, 1) ** 2 * np.clip(high / np.maximum(d.short, 1), 0, 1) ** 2
            parts.append(replace(d, confidence=d.confidence * fit.astype(np.float32)))
        d = join(parts)
        return distinct(d.take(np.flatnonzero(d.confidence > 0.12)), same)


def overlap(a: F32, b: F32) -> float:
    """Intersection over union of two convex quads."""
    area, _ = cv2.intersectConvexConvex(a.astype(np.float32), b.astype(np.float32))
    return float(area / max(abs(cv2.contourArea(a)) + abs(cv2.contourArea(b)) - area, 1e-6))


def distinct(d: Detections, same: float = 0.55, one_look: bool = False) -> Detections:
    """Each card once: of detections with nearly the same outline the surest, and none whose shown part another already explains.

    `one_look`: all were found at one scale, where no pixel is given to two cards: what shows together of two that nearly coincide
    tells two cards, one almost upon the other, from one of which two parts show.
    """
    keep: list[int] = []
    centre = d.quad.mean(1)
    reach = np.sqrt(np.array([abs(cv2.contourArea(q)) for q in d.quad], np.float32))
    for i in np.argsort(-d.confidence * np.sqrt(0.15 + d.visible)):
        clash = False
        for j in keep:
            if np.abs(centre[i] - centre[j]).max() > 0.6 * (reach[i] + reach[j]):
                continue
            iou = overlap(d.quad[i], d.quad[j])
            two = one_look and iou < ONE_OUTLINE and d.visible[i] + d.visible[j] > MORE_THAN_ONE
            if (iou > same and not two) or _explained(d, int(i), j):
                clash = True
                break
        if not clash:
            keep.append(int(i))
    return d.take(keep)


def _explained(d: Detections, i: int, j: int) -> bool:
    """Whether what shows of i lies where j shows too: the same pixels cannot be two cards."""
    src = np.array([[0, 0], [SHOWN_W, 0], [SHOWN_W, SHOWN_H], [0, SHOWN_H]], np.float32) - 0.5
    to_picture = cv2.getPerspectiveTransform(src, d.quad[i])
    to_j = cv2.getPerspectiveTransform(d.quad[j], src)
    ys, xs = np.nonzero(d.shown[i] > 127)
    if not len(xs):
        return True
    p = cv2.perspectiveTransform(np.stack([xs, ys], -1).astype(np.float32)[None], to_j @ to_picture)[0]
    x, y = np.rint(p[:, 0]).astype(int), np.rint(p[:, 1]).astype(int)
    inside = (x >= 0) & (x < SHOWN_W) & (y >= 0) & (y < SHOWN_H)
    hit = np.zeros(len(x), bool)
    hit[inside] = d.shown[j][y[inside], x[inside]] > 127
    return bool(hit.mean() > 0.6)
