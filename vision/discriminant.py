"""Linear discriminant analysis: the directions in which the cards of one deck differ, against those in which one card's views do.

The network's vectors were shaped by the decks it was trained on. On another deck, light and covers move a card's vector along some
directions more than its print does; these are measured on views of the deck itself and weighted down (Fisher 1936).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.identify import F32

SHRINK = 0.2  # of the mean variance, added in every direction: a deck has few views for so many directions
SCALES = np.geomspace(6, 45, 13)
MODEST = 0.7  # of the likeliest scale: made views are kinder than a table


@dataclass(frozen=True, slots=True, eq=False)
class Discriminant:
    """`transform` (D, D) for a network's vectors, `means` (C, D) of length 1 after it, and the softmax's `scale`."""

    transform: F32
    means: F32
    scale: float

    def place(self, vectors: F32) -> F32:
        """Vectors (N, D) of length 1 in the deck's own space."""
        return unit(vectors @ self.transform)


def unit(vectors: F32) -> F32:
    """Vectors (…, D) of length 1."""
    return (vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9)).astype(np.float32)


def fit(vectors: F32, card: NDArray[np.intp], rivals: F32) -> Discriminant:
    """Learn from views (N, D) of cards 0 … C - 1, each with several, and `rivals` (R, D): what is none of them."""
    n = int(card.max()) + 1
    within = vectors - _means(vectors, card, n)[card]
    scatter = within.T @ within / len(vectors)
    scatter += np.eye(len(scatter)) * SHRINK * np.trace(scatter) / len(scatter)
    values, axes = np.linalg.eigh(scatter)
    transform = ((axes / np.sqrt(values)) @ axes.T).astype(np.float32)
    placed = unit(vectors @ transform)
    means = unit(_means(placed, card, n))
    cosine = placed @ np.concatenate([means, unit(rivals @ transform)]).T
    right = np.take_along_axis(cosine, card[:, None], 1)[:, 0]
    cost = [float(np.mean(np.log(np.exp(k * (cosine - cosine.max(1, keepdims=True))).sum(1)) - k * (right - cosine.max(1)))) for k in SCALES]
    return Discriminant(transform, means, MODEST * float(SCALES[int(np.argmin(cost))]))


def confusion(found: Discriminant, vectors: F32, card: NDArray[np.intp]) -> NDArray[np.float64]:
    """(C, C): the share of a card's views nearest to each card, told from its other views (every second one learns, the rest ask)."""
    n = int(card.max()) + 1
    placed = found.place(vectors)
    turn = np.zeros(len(card), int)
    for c in range(n):
        turn[card == c] = np.arange((card == c).sum()) % 2
    out = np.zeros((n, n))
    for ask in (0, 1):
        means = unit(_means(placed[turn != ask], card[turn != ask], n))
        nearest = (placed[turn == ask] @ means.T).argmax(1)
        np.add.at(out, (card[turn == ask], nearest), 1)
    return out / np.maximum(out.sum(1, keepdims=True), 1)


def _means(vectors: F32, card: NDArray[np.intp], n: int) -> F32:
    total = np.zeros((n, vectors.shape[1]), np.float64)
    np.add.at(total, card, vectors)
    return (total / np.maximum(np.bincount(card, minlength=n), 1)[:, None]).astype(np.float32)
