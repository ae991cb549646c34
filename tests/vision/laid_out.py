"""Our own decks photographed as a user lays them out, and other tables with the same cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from datasets.art import DeckArt, WornDeck, load_deck
from datasets.layout import photograph, rows
from datasets.scene import Scene
from datasets.surfaces import Surfaces

DECKS = Path(__file__).parents[2] / "datasets" / "decks"


def own_deck(folder: str = "hwatu", same: dict[str, str] | None = None) -> WornDeck:
    """A drawn deck as new; `same`: {card: card whose picture it has}."""
    art: DeckArt = load_deck(DECKS / folder)
    faces = {**art.faces, **{card: art.faces[of] for card, of in (same or {}).items()}}
    return WornDeck(replace(art, faces=faces), 1, plain=True)


def picture_of(
    deck: WornDeck, names: Sequence[str], columns: int = 10, seed: int = 1, size: tuple[int, int] = (1000, 1333), careless: float = 1.0, strength: float = 0.0,
) -> Scene:  # fmt: skip
    """These cards in rows on a cloth of its own."""
    rng = np.random.default_rng(seed)
    cloth = Surfaces(seed, size=1, side=max(size)).take(rng, *size).copy()
    return photograph(rng, deck, rows(rng, deck, names, columns, careless=careless), cloth, tilt=15, strength=strength)


def shuffled(names: Sequence[str], seed: int = 1) -> list[str]:
    return [names[i] for i in np.random.default_rng(seed).permutation(len(names))]
