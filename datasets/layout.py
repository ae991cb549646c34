"""A deck laid out in rows for its photograph, as a user lays it to enrol it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from datasets import optics
from datasets.art import WornDeck
from datasets.scene import Image, Laid, Rng, Scene, compose, corners_mm, project
from datasets.surfaces import Surfaces


def rows(rng: Rng, deck: WornDeck, names: Sequence[str], columns: int, gap: float = 0.18, careless: float = 1.0) -> list[Laid]:
    """The cards in rows from the top left, as a person lays them: `gap` a share of a card's width apart, and not quite straight.

    Positions are in mm about the middle of the layout.
    """
    w, h = deck.size_mm
    lines = -(-len(names) // columns)
    out = []
    for i, name in enumerate(names):
        x = (i % columns - (columns - 1) / 2) * w * (1 + gap) + careless * float(rng.normal(0, 1.0))
        y = (i // columns - (lines - 1) / 2) * (h + w * gap) + careless * float(rng.normal(0, 1.0))
        out.append(Laid(name, x, y, careless * float(rng.normal(0, 0.02))))
    return out


def whole_deck(rng: Rng, deck: WornDeck, surfaces: Surfaces, size: tuple[int, int], columns: int = 12) -> Scene:
    """The photograph (`size`: width and height in px) from which a deck is enrolled: every face once, in no order, on one of the tabletops."""
    names = list(rng.permutation(sorted(deck.art.faces)))
    top = surfaces.take(rng, size[1], size[0]).copy()
    return photograph(rng, deck, rows(rng, deck, names, columns), top, tilt=float(rng.uniform(5, 25)), strength=0.4)


def photograph(
    rng: Rng, deck: WornDeck, cards: Sequence[Laid], background: Image, tilt: float = 15.0, margin: float = 0.06, strength: float = 0.0
) -> Scene:
    """A photograph (the size of `background`) in which all the cards can be seen, from `tilt` degrees off the vertical.

    `strength` of uneven light, blur and noise; 0 leaves the picture clean.
    """
    h, w = background.shape[:2]
    corners = corners_mm(list(cards), deck.size_mm).reshape(-1, 2)
    t = np.deg2rad(tilt)
    # The table seen by a pinhole camera two picture widths away, then zoomed and moved until everything fits.
    span = float(np.ptp(corners, axis=0).max())
    away = 2.0 * span
    view = np.column_stack([[1, 0, 0], [0, np.cos(t), np.sin(t) / -away], [0, 0, 1]]).astype(np.float64)
    px = project(view, corners)
    low, high = px.min(0), px.max(0)
    k = float(min((1 - 2 * margin) * w / (high[0] - low[0]), (1 - 2 * margin) * h / (high[1] - low[1])))
    middle = (low + high) / 2
    fit = np.array([[k, 0, w / 2 - k * middle[0]], [0, k, h / 2 - k * middle[1]], [0, 0, 1]])
    scene = compose(rng, background, deck, list(cards), fit @ view)
    if strength > 0:
        glossy = np.where(scene.ids > 0, 255, 0).astype(np.uint8)
        scene.image = optics.camera(rng, optics.light(rng, scene.image, glossy, strength), float(k * deck.size_mm[0]), strength)
    return scene
