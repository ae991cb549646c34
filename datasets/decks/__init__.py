"""The decks that the project draws for itself: hwatu, number cards and playing cards, as SVG made by code.

The folders beside this file are data (`deck.toml`, `<card>.svg`, hwatu also `<card>.png`); `python -m datasets.decks` writes them again.
"""
from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.decks import draw_french, draw_numbers

PNG_HEIGHT = 300


def raster(svg: str, height: int = PNG_HEIGHT) -> bytes:
    """An SVG text as PNG bytes, `height` pixels high, transparent where nothing is drawn. Needs resvg-py, of the `train` extra."""
    import resvg_py

    return bytes(resvg_py.svg_to_bytes(svg_string=svg, height=height, skip_system_fonts=True))


def picture(svg: str, height: int) -> NDArray[np.uint8]:
    """An SVG text as a BGRA array (height, w, 4)."""
    image = cv2.imdecode(np.frombuffer(raster(svg, height), np.uint8), cv2.IMREAD_UNCHANGED)
    return np.asarray(image, np.uint8)


def random_number_deck(seed: int, height: int = 420) -> dict[str, NDArray[np.uint8]]:
    """n1 to n100 and the back in a design that follows from the seed, as BGRA arrays: training data in ever new type."""
    design = draw_numbers.random_design(seed)
    return {name: picture(svg, height) for name, svg in draw_numbers.draw_deck(design)}


def random_french_deck(seed: int, height: int = 420) -> dict[str, NDArray[np.uint8]]:
    """52 playing cards, two jokers and the back in a design that follows from the seed, as BGRA arrays."""
    design = draw_french.random_design(seed)
    return {name: picture(svg, height) for name, svg in draw_french.draw_deck(design)}
