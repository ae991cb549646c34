"""Fitting the outlines of cards that lie apart to their edges in the picture.

A single card's edge may be faint or drowned in print. But all cards of a deck are equally wide and high, so one common size is
sought that puts an edge on both sides of as many cards as possible, and then each card's own place.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect import F32

ACROSS, ALONG = 64, 96  # px of a card's quad in the patch that is looked at
MARGIN = 0.3  # of the quad's side, looked at beyond it
BLOCKS = 6  # parts of a side whose edges are measured each for itself: a true edge runs through all of them
SIZES = np.linspace(0.82, 1.1, 29)  # of the quad's size
BELIEF = 0.09  # how far (in the logarithm) the detector's size may be off
OFF = 0.12  # of a side: how far a card's middle may be off
COARSE, FINE = (0.0, -4.0, 4.0), (0.0, -1.5, 1.5)  # degrees: how far its turn may be off

Image = NDArray[np.uint8]


def fit_outlines(image: Image, quads: F32, usual: F32 | None = None) -> tuple[F32, F32]:
    """The quads (N, 4, 2) moved, turned and scaled so that their sides lie on edges of the picture (H, W, 3), and how strong those
    edges are (N,), as the square root of the step in grey levels.

    `usual`: (4, 2) or (N, 4, 2), the shape of a card there about its middle, tried too where a card's own turn is doubtful.
    """
    strength = np.zeros(len(quads), np.float32)
    if not len(quads):
        return quads, strength
    size = _Size(1.0, 1.0)
    for turns in (COARSE, FINE):
        tried = [_turned(quads, a) for a in turns]
        if usual is not None:
            tried += [_turned((usual - usual.mean(-2, keepdims=True) + quads.mean(1, keepdims=True)).astype(np.float32), a) for a in turns[:3]]
        profiles = [_profiles(image, q) for q in tried]
        size = _Size(_common(profiles[0][0]), _common(profiles[0][1]))
        fits = [_place(q, *p, size) for q, p in zip(tried, profiles, strict=True)]
        best = np.argmax([f[1] for f in fits], axis=0)
        quads = np.stack([fits[k][0][i] for i, k in enumerate(best)])
        strength = np.array([fits[k][1][i] for i, k in enumerate(best)], np.float32)
    return quads, strength


@dataclass(frozen=True, slots=True)
class _Size:
    """Width and height of a card in shares of its quad."""

    width: float
    height: float


def _turned(quads: F32, degrees: float) -> F32:
    middle = quads.mean(1, keepdims=True)
    c, s = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
    return ((quads - middle) @ np.array([[c, s], [-s, c]]) + middle).astype(np.float32)


def _profiles(image: Image, quads: F32) -> tuple[F32, F32]:
    patches = np.stack([_patch(image, q) for q in quads])
    return _profile(patches, 2), _profile(patches, 1)


def _place(quads: F32, across: F32, along: F32, size: _Size) -> tuple[F32, F32]:
    """Each card's quad of the given size where its own edges are strongest, and their strength."""
    x, strong_x, _ = _sides(across, size.width)
    y, strong_y, _ = _sides(along, size.height)
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    out = np.empty_like(quads)
    for i, q in enumerate(quads):
        to_picture = cv2.getPerspectiveTransform(unit, q.astype(np.float32))
        box = np.array([[x[i, 0], y[i, 0]], [x[i, 1], y[i, 0]], [x[i, 1], y[i, 1]], [x[i, 0], y[i, 1]]], np.float32)
        out[i] = cv2.perspectiveTransform(box[None], to_picture)[0]
    return out, ((strong_x + strong_y) / 2).astype(np.float32)


def _patch(image: Image, quad: F32) -> Image:
    """The quad and a margin about it, upright."""
    mx, my = MARGIN * ACROSS, MARGIN * ALONG
    dst = np.array([[mx, my], [mx + ACROSS, my], [mx + ACROSS, my + ALONG], [mx, my + ALONG]], np.float32)
    m = cv2.getPerspectiveTransform(quad.astype(np.float32), dst)
    size = (round(ACROSS + 2 * mx), round(ALONG + 2 * my))
    return cv2.warpPerspective(image, m, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE).astype(np.uint8, copy=False)


def _profile(patches: Image, axis: int) -> F32:
    """How strong an edge runs straight across each patch at each place along an axis (2: x, 1: y): (N, L)."""
    p = patches.astype(np.float32)
    p = p if axis == 2 else p.transpose(0, 2, 1, 3)  # (N, across the edge's run, along the profile, 3)
    n, run, length, _ = p.shape
    step = np.zeros((n, run, length, 3), np.float32)
    step[:, :, 1:-1] = p[:, :, 2:] - p[:, :, :-2]
    first = round(run * (MARGIN + 0.08) / (1 + 2 * MARGIN))  # corners are round and neighbours lie beside
    inner = step[:, first:run - first]
    blocks = np.stack([b.mean(1) for b in np.array_split(inner, BLOCKS, axis=1)], 1)
    return np.sqrt(np.minimum(np.abs(blocks).max(-1), 60.0)).mean(1)


def _common(profile: F32) -> float:
    """The one size, in shares of the quad, that puts strong edges on both sides of most cards."""
    profile = profile / np.maximum(profile.mean(1, keepdims=True), 1e-3)  # every card counts alike
    found = np.array([_sides(profile, k)[2].mean() for k in SIZES])
    return float(SIZES[int(np.argmax(found - 0.5 * (np.log(SIZES) / BELIEF) ** 2 * found.std()))])


def _sides(profile: F32, size: float) -> tuple[NDArray[np.float64], F32, F32]:
    """Both sides (N, 2) of every card in shares of its quad, for a size; the mean strength (N,) of the edges there, and how good
    that is (N,) where a card rather lies where it was said to lie."""
    n, length = profile.shape
    unit = length / (1 + 2 * MARGIN)
    shifts = np.arange(-round(OFF * unit), round(OFF * unit) + 1)
    middle = (length - 1) / 2 + shifts
    both = (_at(profile, middle - size * unit / 2) + _at(profile, middle + size * unit / 2)) / 2
    good = both * (1 - 0.35 * np.abs(shifts) / (OFF * unit))
    k = good.argmax(1)
    half = size * unit / 2
    at = np.stack([middle[k] - half, middle[k] + half], 1)
    return (at + 0.5) / unit - MARGIN, both[np.arange(n), k], good[np.arange(n), k]


def _at(profile: F32, places: NDArray[np.float64]) -> F32:
    """Values (N, P) of the profiles between their samples."""
    p = np.clip(places, 0, profile.shape[1] - 1.001)
    i = p.astype(int)
    f = (p - i).astype(np.float32)
    return profile[:, i] * (1 - f) + profile[:, i + 1] * f
