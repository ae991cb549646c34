"""The blanket on which a simulated family plays: woven, bordered, sometimes with flowers, seldom quite flat."""

from __future__ import annotations

import math
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[Any]
Rng = np.random.Generator

COLOURS = (
    (58, 88, 44),
    (92, 58, 40),
    (44, 36, 108),
    (74, 74, 78),
    (112, 104, 60),
    (60, 92, 120),
    (40, 52, 64),
    (96, 110, 132),
    (128, 132, 140),
)


def blanket(rng: Rng, h: int, w: int) -> Image:
    """A blanket as a picture (h, w, 3) uint8 BGR, border and all."""
    base = np.array(COLOURS[int(rng.integers(len(COLOURS)))], np.float32) * float(rng.uniform(0.8, 1.2))
    im = np.empty((h, w, 3), np.float32)
    im[:] = base
    accent = np.clip(base * rng.uniform(1.2, 1.5) + rng.normal(0, 14, 3), 0, 235)
    dark = base * 0.72
    style = int(rng.integers(3))
    if style == 0:
        _flowers(rng, im, tuple(float(v) for v in accent), tuple(float(v) for v in dark))
    elif style == 1:
        step = int(rng.integers(46, 90))
        for k in range(-h, w + h, step):  # a quilted lattice
            cv2.line(im, (k, 0), (k + h, h), tuple(float(v) for v in dark), 2, cv2.LINE_AA)
            cv2.line(im, (k + h, 0), (k, h), tuple(float(v) for v in dark), 2, cv2.LINE_AA)
    inset, band = int(min(h, w) * 0.055), int(min(h, w) * 0.02)
    for i, ink in enumerate((accent, dark)):
        a = inset + i * 2 * band
        cv2.rectangle(im, (a, a), (w - a, h - a), tuple(float(v) for v in ink), band, cv2.LINE_AA)
    weave = rng.normal(0, 4.5, (h, w, 1)).astype(np.float32)
    weave += cv2.resize(rng.normal(0, 4.0, (h // 3 + 1, w // 3 + 1)).astype(np.float32), (w, h))[..., None]
    fold = cv2.resize(rng.normal(0, 1, (5, 7)).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)[..., None]
    return np.clip((im + weave) * (1 + 0.05 * fold), 0, 255).astype(np.uint8)


def _flowers(rng: Rng, im: Image, accent: tuple[float, ...], dark: tuple[float, ...]) -> None:
    h, w = im.shape[:2]
    step = int(rng.integers(150, 230))
    for y in range(step // 2, h, step):
        for x in range(step // 2 + (y // step % 2) * step // 2, w, step):
            cx, cy = x + int(rng.normal(0, 8)), y + int(rng.normal(0, 8))
            r = int(step * rng.uniform(0.16, 0.22))
            spin = float(rng.uniform(0, 72))
            for k in range(5):
                a = math.radians(spin + k * 72)
                at = (int(cx + math.cos(a) * r), int(cy + math.sin(a) * r))
                cv2.ellipse(im, at, (r, max(2, r * 2 // 3)), math.degrees(a), 0, 360, accent, -1, cv2.LINE_AA)
                cv2.ellipse(im, at, (r, max(2, r * 2 // 3)), math.degrees(a), 0, 360, dark, 1, cv2.LINE_AA)
            cv2.circle(im, (cx, cy), max(3, r // 2), dark, -1, cv2.LINE_AA)
