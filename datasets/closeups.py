"""Close-ups of one card of a scene, as OutlineNet sees it: warped by a rough guess at its outline, with a dot on a place where it shows."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.scene import HAND, Scene, quad_frames
from vision.outline import MIDDLE, SIDE_PX, dotted

LEAST_VISIBLE = 0.03
STRAY = 0.1  # share of dots that lie on no card

Rng = np.random.Generator


@dataclass(frozen=True)
class CloseUp:
    """image (H, W, 4) uint8: BGR and the dot; mine (H, W) bool: where the card shows; frame (8,) as `quad_frames` gives it, px of the close-up."""

    image: NDArray[np.uint8]
    mine: NDArray[np.bool_]
    frame: NDArray[np.float32]


def _place(rng: Rng, mask: NDArray[np.bool_]) -> tuple[float, float]:
    """A point of the mask, oftener far from its edge."""
    deep = cv2.distanceTransform(mask.astype(np.uint8), cv2.DIST_L2, 3)
    weight = np.minimum(deep, 6.0).ravel()
    k = int(np.searchsorted(np.cumsum(weight), rng.uniform(0, weight.sum() * 0.9999)))
    return float(k % mask.shape[1]), float(k // mask.shape[1])


def _guess(rng: Rng, quad: NDArray[np.float32], dot: tuple[float, float]) -> NDArray[np.float64]:
    """A guess at a card's outline: mostly near it, now and then with no more knowledge than its rough size."""
    c = quad.mean(0).astype(np.float64)
    side = np.linalg.norm(quad - np.roll(quad, 1, 0), axis=1)
    w, h = (side[1] + side[3]) / 2, (side[0] + side[2]) / 2
    size = np.sqrt(w * h)
    if rng.random() < 0.75:
        spread = float(rng.choice([0.4, 1.0, 2.0]))  # as wrong as after a fit, as a detector is, as it is at worst
        a = rng.normal(0, 0.13) * spread
        k = np.exp(rng.normal(0, 0.1) * spread)
        stretch = np.exp(rng.normal(0, 0.08) * spread)
        at = quad.astype(np.float64) - c + rng.normal(0, 0.035, (4, 2)) * spread * size
        along = (quad[1] - quad[0] + quad[2] - quad[3]).astype(np.float64)
        along /= max(float(np.linalg.norm(along)), 1e-6)
        to_card = np.array([along, [-along[1], along[0]]])
        axis = to_card.T @ np.diag([stretch, 1 / stretch]) @ to_card  # along the card's own sides
        r = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) * k
        return at @ axis.T @ r.T + c + rng.normal(0, 0.11, 2) * spread * size
    a = rng.uniform(0, 2 * np.pi)
    k = size * np.exp(rng.normal(0, 0.2))
    box = np.array([[-1, -1.43], [1, -1.43], [1, 1.43], [-1, 1.43]]) / 2 / np.sqrt(1.43) * k
    r = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    return box @ r.T + np.array(dot) + rng.normal(0, 0.18, 2) * size


def close_up(rng: Rng, scene: Scene, card: int | None) -> CloseUp | None:
    """A close-up of the scene's card `card` (of something else where None); None where it cannot be had."""
    mask = (scene.ids == 0) | (scene.ids == HAND) if card is None else scene.ids == card + 1
    if not mask.any():
        return None
    dot = _place(rng, mask)
    if card is None:
        near = scene.quads[int(rng.integers(len(scene.quads)))] if len(scene.quads) else np.array([[0, 0], [40, 0], [40, 57], [0, 57]], np.float32)
        guess = _guess(rng, near - near.mean(0) + np.array(dot, np.float32), dot)
    else:
        guess = _guess(rng, scene.quads[card], dot)
    if not cv2.isContourConvex(guess.astype(np.float32)):
        return None
    start = np.roll(guess, 2 * int(rng.integers(2)), 0)  # either end up
    m = cv2.getPerspectiveTransform(start.astype(np.float32), MIDDLE)
    w, h = SIDE_PX
    x, y = cv2.perspectiveTransform(np.array([[dot]], np.float64), m)[0, 0]
    if not (2 <= x < w - 2 and 2 <= y < h - 2):
        return None
    far = cv2.perspectiveTransform(np.array([[[0, 0], [w, 0], [w, h], [0, h]]], np.float64), np.linalg.inv(m))[0]
    if not cv2.isContourConvex(far.astype(np.float32)):
        return None
    shrink = np.sqrt(abs(cv2.contourArea(far.astype(np.float32))) / (w * h))
    image, whole = scene.image, m
    if shrink > 1.5:
        image = cv2.resize(image, None, fx=1 / shrink, fy=1 / shrink, interpolation=cv2.INTER_AREA)
        fx, fy = scene.image.shape[1] / image.shape[1], scene.image.shape[0] / image.shape[0]
        whole = m @ np.array([[fx, 0, (fx - 1) / 2], [0, fy, (fy - 1) / 2], [0, 0, 1.0]])
    close = cv2.warpPerspective(image, whole, (w, h), flags=cv2.INTER_LINEAR, borderValue=(114, 114, 114))
    ids = cv2.warpPerspective(scene.ids, m, (w, h), flags=cv2.INTER_NEAREST)
    frame = np.zeros(8, np.float32)
    mine = np.zeros((h, w), bool)
    if card is not None:
        quad = cv2.perspectiveTransform(scene.quads[card][None].astype(np.float64), m)[0].astype(np.float32)
        if not np.isfinite(quad).all() or not cv2.isContourConvex(quad) or np.abs(quad).max() > 500:
            return None
        mine = ids == card + 1
        frame = quad_frames(quad[None])[0]
        if mine.sum() < 12:
            return None
    if rng.random() < 0.3:
        close = np.ascontiguousarray(close[..., rng.permutation(3)])
    lut = np.clip((np.linspace(0, 1, 256)[:, None] ** np.exp(rng.normal(0, 0.25, 3))) * 255 * rng.uniform(0.75, 1.12, 3), 0, 255).astype(np.uint8)
    return CloseUp(dotted(cv2.LUT(close, lut[None]), x, y), mine, frame)
