"""The drawn decks: whole, self-contained, made again byte for byte, and told apart at the size of a thumbnail."""
from __future__ import annotations

import dataclasses
import itertools
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.decks import __main__ as make
from datasets.decks import draw_french, draw_hwatu, draw_numbers, picture, random_french_deck, random_number_deck
from scorer.cards import load_deck, standard_deck

DECKS = Path(make.__file__).parent
HWATU = DECKS / "hwatu"
NAMES = [*draw_hwatu.CARDS, "back"]
ALL = list(make.decks())
SIZES = {"hwatu": "0 0 350 540", "numbers": "0 0 630 880", "french": "0 0 630 880"}
ELEMENTS = {"svg", "title", "g", "path", "clipPath"}
MAX_BYTES = {"hwatu": 12 * 1024, "numbers": 12 * 1024, "french": 24 * 1024}  # a table of cards is sent to a phone
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


def test_every_deck_is_whole():
    wanted = {"hwatu": 50, "numbers": 102, "french": 54}
    for name in ALL:
        deck = load_deck(DECKS / name)
        assert sum(n for _, n in deck.copies) == wanted[deck.kind]
        assert {f.stem for f in (DECKS / name).glob("*.svg")} == {card for card, _ in deck.copies} | {"back"}
    assert {f.name for f in DECKS.iterdir() if (f / "deck.toml").exists()} == set(ALL)


@pytest.mark.parametrize("deck", ALL)
def test_drawings_stand_alone(deck):
    for file in sorted((DECKS / deck).glob("*.svg")):
        text = file.read_text(encoding="utf-8")
        assert len(text.encode()) < MAX_BYTES[deck.split("-")[0]], file.name
        root = ET.fromstring(text)
        assert {e.tag.removeprefix("{http://www.w3.org/2000/svg}") for e in root.iter()} <= ELEMENTS
        assert root.get("viewBox") == SIZES[deck.split("-")[0]]
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


@pytest.mark.parametrize("deck", ALL)
def test_drawing_again_gives_the_committed_bytes(deck):
    cards, toml, _ = make.decks()[deck]
    assert (DECKS / deck / "deck.toml").read_bytes() == toml.encode()
    for name, svg in cards:
        assert (DECKS / deck / f"{name}.svg").read_bytes() == svg.encode(), f"{name}: run python -m datasets.decks"


def test_the_rasters_are_those_of_the_drawings():
    for name in NAMES:
        kept = cv2.imread(str(HWATU / f"{name}.png"), cv2.IMREAD_UNCHANGED)
        fresh = picture((HWATU / f"{name}.svg").read_text(encoding="utf-8"), 300)
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


@pytest.mark.parametrize("deck", [name for name in ALL if name != "hwatu"])
def test_faces_of_the_other_decks_all_differ(deck):
    small = {}
    for name, svg in make.decks()[deck][0]:
        image = picture(svg, 100).astype(np.float32)
        alpha = image[..., 3:] / 255
        small[name] = image[..., :3] * alpha + 128 * (1 - alpha)
    names = list(small)
    stack = np.stack([small[n] for n in names]).reshape(len(names), -1)
    for i, name in enumerate(names[:-1]):
        gaps = np.abs(stack[i + 1:] - stack[i]).mean(1)
        assert gaps.min() > 1.0, (name, names[i + 1 + int(gaps.argmin())])


@pytest.mark.parametrize(("n", "other"), [(6, 9), (9, 6), (16, 91), (18, 81), (19, 61), (66, 99), (68, 89), (86, 98), (1, None), (8, None),
    (69, None),
                                          (88, None), (10, None), (60, None), (23, None), (100, None)])
def test_numbers_that_read_as_another_upside_down(n, other):
    assert draw_numbers.upside_down(n) == other


def test_ambiguous_numbers_are_marked_and_no_others():
    """The mark is what tells 68 from 89: without it the drawing, turned by half, would be the other card's."""
    plain = [n for n in draw_numbers.NUMBERS if draw_numbers.upside_down(n) is None]
    assert len(plain) == 100 - 14
    turned = set(draw_numbers.NUMBERS) - set(plain)
    assert {draw_numbers.upside_down(n) for n in turned} == turned
    for design in draw_numbers.DESIGNS:
        bare = dataclasses.replace(design, mark="none")
        for n in draw_numbers.NUMBERS:
            marked = draw_numbers.draw_number(design, n) != draw_numbers.draw_number(bare, n)
            assert marked == (n not in plain), (design.name, n)


def test_a_seed_gives_the_same_new_deck_every_time():
    first, again, other = random_number_deck(5, 60), random_number_deck(5, 60), random_number_deck(6, 60)
    assert set(first) == {f"n{n}" for n in range(1, 101)} | {"back"}
    assert all(image.shape == (60, 43, 4) for image in first.values())
    assert all(np.array_equal(first[n], again[n]) for n in first)
    assert np.abs(first["n42"].astype(int) - other["n42"].astype(int)).mean() > 5


def test_a_seed_gives_the_same_playing_cards_every_time():
    first, again = random_french_deck(3, 60), random_french_deck(3, 60)
    assert set(first) == {*draw_french.NAMES, "back"}
    assert all(np.array_equal(first[n], again[n]) for n in first)
    other = picture(draw_french.draw_card(draw_french.random_design(4), "Kh"), 60)
    assert np.abs(first["Kh"].astype(int) - other.astype(int)).mean() > 5


def test_random_designs_can_be_read():
    """Ink and paper differ by a good part of the scale, whatever the seed."""
    for seed in range(300):
        design = draw_numbers.random_design(seed)
        assert abs(draw_numbers.lightness(design.paper) - draw_numbers.lightness(design.ink)) >= 0.4


def test_pips_count_as_the_rank_says():
    for rank, places in draw_french.PIPS.items():
        assert len(places) == (10 if rank == "T" else int(rank))
        turned = {(1 - u, round(1 - v, 6)) for u, v in places}
        # All but the seven look the same upside down.
        assert (turned == {(u, round(v, 6)) for u, v in places}) == (rank != "7")


def test_an_unknown_number_is_refused():
    with pytest.raises(ValueError, match="1 to 100"):
        draw_numbers.draw_number(draw_numbers.DESIGNS[0], 101)
