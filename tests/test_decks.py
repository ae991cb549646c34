"""The drawn decks: whole, self-contained, made again byte for byte, and told apart at the size of a thumbnail."""
from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.decks import __main__ as make
from datasets.decks import draw_hwatu
from scorer.cards import load_deck, standard_deck

DECKS = Path(make.__file__).parent
HWATU = DECKS / "hwatu"
NAMES = [*draw_hwatu.CARDS, "back"]
ELEMENTS = {"svg", "title", "g", "path", "clipPath"}
MAX_BYTES = 12 * 1024  # a table of cards is sent to a phone
LEAST_DISTANCE = 12.0  # mean grey levels a pixel at 40 px; the twins of month 8 are at 7


def test_the_hwatu_deck_is_whole():
    deck = load_deck(HWATU)
    usual = {card for card, _ in standard_deck("hwatu").copies}
    drawn = {card for card, _ in deck.copies}
    assert usual <= drawn
    assert drawn - usual == {"joker-2", "joker-3"}
    assert dict(deck.worth) == {"joker-2": 2, "joker-3": 3}
    assert deck.size_mm == (35, 54)
    for kind in ("svg", "png"):
        assert {f.stem for f in HWATU.glob(f"*.{kind}")} == drawn | {"back"}


@pytest.mark.parametrize("name", NAMES)
def test_a_drawing_stands_alone(name):
    text = (HWATU / f"{name}.svg").read_text(encoding="utf-8")
    assert len(text.encode()) < MAX_BYTES
    root = ET.fromstring(text)
    assert {e.tag.removeprefix("{http://www.w3.org/2000/svg}") for e in root.iter()} <= ELEMENTS
    assert root.get("viewBox") == "0 0 350 540"
    values = [v for e in root.iter() for k, v in e.attrib.items() if "href" in k or "url(" in v or k == "style"]
    assert set(values) <= {"url(#panel)"}
    assert re.findall(r"https?://[^\"]+", text) == ["http://www.w3.org/2000/svg"]


@pytest.mark.parametrize("name", NAMES)
def test_a_raster_has_its_size_and_round_corners(name):
    image = cv2.imread(str(HWATU / f"{name}.png"), cv2.IMREAD_UNCHANGED)
    assert image.shape == (300, 195, 4)
    alpha = image[..., 3]
    assert all(alpha[y, x] == 0 for y in (0, -1) for x in (0, -1))
    assert alpha[150, 97] == 255
    assert (alpha == 255).mean() > 0.97


def test_drawing_again_gives_the_committed_bytes():
    for name, svg in draw_hwatu.draw_deck():
        assert (HWATU / f"{name}.svg").read_text(encoding="utf-8") == svg, f"{name}: run python -m datasets.decks"


def test_the_rasters_and_the_deck_file_are_made_again(tmp_path):
    pytest.importorskip("resvg_py")
    make.write_hwatu(tmp_path)
    assert (tmp_path / "deck.toml").read_bytes() == (HWATU / "deck.toml").read_bytes()
    for name in NAMES:
        fresh, kept = (cv2.imread(str(folder / f"{name}.png"), cv2.IMREAD_UNCHANGED) for folder in (tmp_path, HWATU))
        # Another release of resvg may smooth an edge differently; the picture must be the same.
        assert np.abs(fresh.astype(int) - kept.astype(int)).mean() < 0.5, f"{name}: run python -m datasets.decks"


def thumbnails(folder: Path, size: tuple[int, int]) -> dict[str, np.ndarray]:
    out = {}
    for file in sorted(folder.glob("*.png")):
        image = cv2.imread(str(file), cv2.IMREAD_UNCHANGED).astype(np.float32)
        alpha = image[..., 3:] / 255
        out[file.stem] = cv2.resize(image[..., :3] * alpha + 128 * (1 - alpha), size, interpolation=cv2.INTER_AREA)
    return out


def test_cards_differ_at_forty_pixels_unless_declared_twins():
    twins = {frozenset(pair) for group in load_deck(HWATU).twins for pair in itertools.combinations(group, 2)}
    small = thumbnails(HWATU, (26, 40))
    close = {frozenset((a, b)) for a, b in itertools.combinations(small, 2) if np.abs(small[a] - small[b]).mean() < LEAST_DISTANCE}
    assert close == twins
