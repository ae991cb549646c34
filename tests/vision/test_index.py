"""Corner indices of playing cards: where decks print them, found and read in rendered scenes, brought together with what was read of the face."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from datasets.art import WornDeck, load_deck
from datasets.indices import index_boxes, index_targets, indices, printed_box
from datasets.scene import Laid, Scene, compose
from vision.detect import SHOWN_H, SHOWN_W, Detections
from vision.identify import Reading
from vision.index import GLYPH_H, GLYPH_W, NAMES, RANKS, STRIDE, SUITS, IndexReader, Indices, decode, glyph_view
from vision.index_match import idle, pairs, quarter_turns, rolled, together

DECKS = Path(__file__).parents[2] / "datasets" / "decks"
TABLE = np.array([[2.0, 0.1, 60.0], [-0.08, 2.0, 50.0], [0.0, 0.0001, 1.0]])  # mm → px


@pytest.fixture(scope="module")
def reader() -> IndexReader:
    return IndexReader()


def fan(deck_name: str = "french-classic") -> tuple[Scene, WornDeck]:
    """A fan of nine cards of which 13 mm show, but for the last, and a card apart."""
    deck = WornDeck(load_deck(DECKS / deck_name), 2, plain=True)
    names = ("Ah", "9s", "Jc", "4d", "Td", "Ks", "2c", "Qh", "6c")
    cards = [Laid("7d", 320, 90, 2.2)]
    cards += [Laid(name, 60 + 13 * i, 95 + 1.5 * abs(i - 4), 0.05 * (i - 4)) for i, name in enumerate(names)]
    background = np.full((460, 860, 3), (60, 100, 70), np.uint8)
    return compose(np.random.default_rng(0), background, deck, cards, TABLE), deck


@pytest.mark.parametrize("name", ["french-classic", "french-bold"])
def test_every_card_but_the_jokers_has_its_index_in_the_corner(name: str) -> None:
    deck = load_deck(DECKS / name)
    boxes = index_boxes(deck)
    assert set(boxes) == {r + s for r in RANKS for s in SUITS}
    for card, box in boxes.items():
        assert 0 < box.left < box.right < 0.3, card
        assert 0 < box.top < box.bottom < 0.4, card
        face = deck.faces[card]
        h, w = face.shape[:2]
        inside = face[round(box.top * h) : round(box.bottom * h), round(box.left * w) : round(box.right * w), :3]
        assert (np.ptp(inside.reshape(-1, 3).astype(int), axis=0) > 60).any(), card  # ink on paper


def test_a_border_moves_the_index_inward() -> None:
    art = load_deck(DECKS / "french-classic")
    box = index_boxes(art)["4c"]
    assert printed_box(box, WornDeck(art, 1, plain=True)) == box
    bordered = next(d for d in (WornDeck(art, seed) for seed in range(60)) if d.how is not None and d.how.rim and d.how.rim_share > 0.02)
    moved = printed_box(box, bordered)
    assert moved.left > box.left
    assert moved.right - moved.left < box.right - box.left


def test_of_a_fan_each_shows_one_index_and_the_last_both() -> None:
    scene, deck = fan()
    found = indices(scene, deck, index_boxes(deck.art))
    whole = [f for f in found if f.shown > 0.8]
    assert sorted(RANKS[f.rank] + SUITS[f.suit] for f in whole) == sorted(["7d", "7d", *("Ah", "9s", "Jc", "4d", "Td", "Ks", "2c", "Qh", "6c", "6c")])
    heat, weight, frame = index_targets(whole, 0, 0, 448)
    for f in whole:
        x, y = (int(v // STRIDE) for v in f.at)
        if f.at.max() < 440:
            assert heat[y, x] > 0.9
            assert weight[y, x] == 1
            assert frame[6, y, x] * 32 == pytest.approx(f.length)
            cell = np.array([x, y]) * STRIDE + STRIDE / 2
            assert np.allclose(frame[:2, y, x] * 32 + cell, f.frame[:2], atol=1e-3)


def test_an_index_is_found_in_the_networks_cells() -> None:
    out = np.full((8, 10, 12), -6.0, np.float32)
    out[1:] = 0
    out[0, 4, 5] = 3.0
    out[1:, 3:6, 4:7] = np.array([1.0, 1.5, 1.0, 0.0, 0.0, 1.4, 0.5], np.float32)[:, None, None]
    (got,) = decode(out)
    assert np.allclose(got.at, [22, 18], atol=0.5)
    assert np.allclose(got.axes, [[32, 0], [0, 44.8]], atol=1e-3)
    assert np.allclose(got.quad.mean(0), got.at + np.array([32, 48]), atol=1)
    assert got.length == pytest.approx(16)
    assert decode(np.full((8, 10, 12), -6.0, np.float32)) == []


@pytest.mark.parametrize("turn", [0.0, 0.7, 3.0, -1.9])
def test_an_index_is_cut_out_upright(turn: float) -> None:
    c, s = np.cos(turn), np.sin(turn)
    axes = np.array([[50.0 * c, 50 * s], [-70 * s, 70 * c]])  # of a card 100 x 140 px
    m = glyph_view(np.array([200.0, 300.0]), axes, 24.0)
    down = m[:, :2] @ [0, GLYPH_H]
    assert np.allclose(down, axes[1] / 70 * 36, atol=1e-6)  # one and a half times its length
    assert np.allclose(m[:, :2] @ [GLYPH_W, 0], axes[0] / 50 * 24, atol=1e-6)
    assert np.allclose(m @ [(GLYPH_W - 1) / 2, (GLYPH_H - 1) / 2, 1], [200, 300], atol=1e-6)


def test_the_indices_of_a_fan_are_found_and_read(reader: IndexReader) -> None:
    scene, deck = fan()
    truth = [f for f in indices(scene, deck, index_boxes(deck.art)) if f.shown > 0.8]
    got = reader.find(scene.image, np.full(3, 126.0, np.float32))
    for f in truth:
        k = int(np.argmin(np.linalg.norm(got.at - f.at, axis=1)))
        assert np.linalg.norm(got.at[k] - f.at) < 12
        assert NAMES[int(got.names[k].argmax())] == RANKS[f.rank] + SUITS[f.suit]
        assert np.linalg.norm(got.quad[k].mean(0) - f.frame[:2]) < 38  # a third of its width
    assert len(got) <= len(truth) + 1


def test_nothing_is_read_where_there_is_no_card(reader: IndexReader) -> None:
    assert len(reader.find(np.full((300, 400, 3), 90, np.uint8), np.zeros(0, np.float32))) == 0


def spread(quads: np.ndarray) -> Detections:
    n = len(quads)
    shown = np.zeros((n, SHOWN_H, SHOWN_W), np.uint8)
    shown[:, :, :6] = 255  # the left quarter
    one = np.ones(n, np.float32)
    return Detections(quads.astype(np.float32), one, one / 4, shown, one * 60)


def index_at(at: tuple[float, float], quad: np.ndarray, name: str = "4c", sure: float = 1.0) -> Indices:
    p = np.full((1, 52), 0.001, np.float32)
    p[0, NAMES.index(name)] = 1 - 0.051
    return Indices(np.array([at], np.float32), quad[None].astype(np.float32), np.full(1, sure, np.float32), p)


def both(a: Indices, b: Indices) -> Indices:
    return Indices(*(np.concatenate([getattr(a, k), getattr(b, k)]) for k in ("at", "quad", "confidence", "names")))


CARD = np.array([[100, 100], [160, 100], [160, 184], [100, 184]], np.float32)


def card_of(at: tuple[float, float], turn: int = 0) -> np.ndarray:
    """What an index at `at` says of its card, by quarter turns."""
    quad = CARD - [106, 112]
    c, s = [(1, 0), (0, 1), (-1, 0), (0, -1)][turn]
    return quad @ np.array([[c, s], [-s, c]], np.float32) + np.array(at, np.float32)


@pytest.mark.parametrize(
    ("at", "turn", "card"),
    [
        ((106, 112), 0, 1),  # the corner of the second, where it shows
        ((85, 112), 0, 0),  # of the first
        ((130, 140), 0, -1),  # the middle of a card
        ((154, 172), 2, -1),  # the other corner, but covered there
        ((106, 112), 1, -1),  # an index that lies across
    ],
)
def test_an_index_belongs_to_the_card_that_shows_at_its_corner(at: tuple[float, float], turn: int, card: int) -> None:
    found = spread(np.stack([CARD - [21, 0], CARD]))
    assert pairs(found, index_at(at, card_of(at, turn))) == [card]


def test_two_indices_of_different_names_are_not_one_cards() -> None:
    found = spread(CARD[None])
    found.shown[:] = 255
    at, other = (106, 112), (154, 172)
    assert pairs(found, both(index_at(at, card_of(at)), index_at(other, card_of(other, 2)))) == [0, 0]
    assert sorted(pairs(found, both(index_at(at, card_of(at)), index_at(other, card_of(other, 2), "5c")))) == [-1, 0]


def test_an_index_says_which_side_of_a_card_is_the_long_one() -> None:
    """Foreshortened a card looks wider than long: its outline begins with a long side."""
    lying = np.array([[100, 100], [170, 100], [170, 160], [100, 160]], np.float32)  # 70 wide, 60 high: its top is the right end
    at = (160, 107)
    index = np.array([[170, 100], [170, 160], [94, 160], [94, 100]], np.float32)
    r = quarter_turns(lying, index, np.array(at, np.float32))
    assert r is not None
    assert np.allclose(np.roll(lying, r, 0)[0], [170, 100])
    found = spread(lying[None])
    one = rolled(found, 0, r)
    assert np.allclose(one.quad[0, 0], [170, 100])
    shown = one.shown[0] > 127  # the left quarter has become the lower one
    assert shown[-8:].all()
    assert not shown[:-10].any()


@pytest.mark.parametrize(
    ("at", "turn", "name", "sure", "visible", "expected"),
    [
        ((154, 112), 0, "4c", 0.9, 1.0, True),  # the third corner of a deck that prints four
        ((154, 112), 0, "8c", 0.9, 1.0, True),  # and misread
        ((130, 140), 0, "8c", 0.6, 1.0, True),  # an ornament of its picture
        ((130, 140), 0, "8c", 0.95, 1.0, False),  # plainly an index
        ((130, 140), 0, "8c", 0.6, 0.2, False),  # little of the card shows: another may lie there
        ((190, 140), 0, "8c", 0.6, 1.0, False),  # beside it
    ],
)
def test_an_index_that_tells_of_no_card_of_its_own(at: tuple[float, float], turn: int, name: str, sure: float, visible: float, expected: bool) -> None:
    found = spread(CARD[None])
    found.shown[:] = 255
    found.visible[:] = visible
    own = index_at((106, 112), card_of((106, 112)))
    seen = both(own, index_at(at, card_of(at, turn), name, sure))
    reading = Reading((("4c", 0.9), ("5c", 0.05)), True, False)
    assert idle(found, [reading], seen, [0, -1], 1) is expected


@pytest.mark.parametrize(
    ("face", "trust", "plain", "name", "sure"),
    [
        ((("Tc", 0.5), ("9c", 0.45)), 0.95, True, "9c", True),  # the index decides
        ((("Kd", 0.97), ("Qd", 0.01)), 0.0, True, "Kd", True),  # an index nothing is to be given on
        ((("other", 0.9), ("9c", 0.02)), 0.95, False, "9c", True),  # little shows beside the index
        ((("Kd", 0.95), ("Qd", 0.01)), 0.95, False, "9c", True),  # a strip that was taken for another card
        ((("Kd", 0.95), ("Qd", 0.01)), 0.95, True, "9c", False),  # a face read plainly: perhaps the index is in other letters
    ],
)
def test_face_and_index_are_two_witnesses(face: tuple, trust: float, plain: bool, name: str, sure: bool) -> None:
    names = index_at((0, 0), CARD, "9c").names[0]
    got = together(Reading(face, face[0][1] > 0.6, False), names, trust, frozenset(NAMES), plain)
    assert (got.card, got.sure) == (name, sure)
