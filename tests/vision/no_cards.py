"""Pictures that hold no card of a kind, drawn by code: an empty table, a face, a newspaper page, a chessboard, dominoes, other cards."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from laid_out import own_deck, picture_of, shuffled
from numpy.typing import NDArray

from datasets.surfaces import Surfaces
from scorer.cards import HWATU

Image = NDArray[np.uint8]
Rng = np.random.Generator
H, W = 720, 960


def blank(rng: Rng) -> Image:
    """An empty table."""
    return np.ascontiguousarray(Surfaces(int(rng.integers(1 << 20)), size=1, side=W).take(rng, H, W))


def face(rng: Rng) -> Image:
    """A person before a wall: head, hair, eyes, brows, nose, mouth, shoulders."""
    image = blank(rng)
    skin = np.array([150, 180, 225]) * rng.uniform(0.45, 1.05)
    hair, shirt = rng.integers(10, 90, 3), rng.integers(30, 220, 3)
    cx, cy, s = W // 2 + int(rng.integers(-80, 80)), H // 2 - 30, rng.uniform(0.8, 1.25)

    def oval(x: float, y: float, a: float, b: float, colour: NDArray[np.float64] | NDArray[np.int64], start: int = 0, end: int = 360) -> None:
        at, axes = (int(cx + s * x), int(cy + s * y)), (int(s * a), int(s * b))
        cv2.ellipse(image, at, axes, 0, start, end, tuple(float(min(255, v)) for v in colour), -1, cv2.LINE_AA)

    oval(0, 330, 260, 180, shirt)
    oval(0, 160, 60, 110, skin * 0.9)
    oval(0, -30, 165, 205, hair)
    oval(0, 0, 140, 185, skin)
    oval(0, -95, 145, 90, hair, 180, 360)
    for side in (-1, 1):
        oval(60 * side, -20, 30, 15, np.array([245, 245, 245]))
        oval(60 * side, -20, 13, 13, np.array([60, 50, 40]))
        oval(60 * side, -52, 36, 7, hair)
        oval(145 * side, 0, 20, 36, skin * 0.92)
    oval(0, 30, 18, 30, skin * 0.86)
    oval(0, 95, 52, 18, np.array([90, 80, 190]))
    return np.ascontiguousarray(cv2.GaussianBlur(image, (0, 0), 1.2))


def newspaper(rng: Rng) -> Image:
    """A page with headlines, columns of text and a halftone picture."""
    page = np.full((H, W, 3), 0, np.uint8)
    page[:] = np.array([215, 228, 232]) * rng.uniform(0.85, 1.05)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    def words(n: int) -> str:
        return " ".join("".join(rng.choice(letters, int(rng.integers(2, 9)))) for _ in range(n))
    ink = (40, 36, 34)
    cv2.putText(page, words(5).upper()[:34], (30, 80), cv2.FONT_HERSHEY_TRIPLEX, 1.7, ink, 3, cv2.LINE_AA)
    columns = int(rng.integers(3, 6))
    wide = (W - 60) // columns
    for c in range(columns):
        x = 30 + c * wide
        photo = int(rng.integers(columns)) == c
        if photo:
            dots = (rng.random((50, (wide - 20) // 4)) * 255).astype(np.uint8)
            cut = cv2.resize(cv2.GaussianBlur(dots, (0, 0), 3), (wide - 20, 200), interpolation=cv2.INTER_NEAREST)
            page[120:320, x:x + wide - 20] = cv2.normalize(cut, None, 40, 220, cv2.NORM_MINMAX)[..., None]
        for y in range(345 if photo else 130, H - 20, 14):
            cv2.putText(page, words(8)[: wide // 7], (x, y), cv2.FONT_HERSHEY_COMPLEX_SMALL, 0.5, ink, 1, cv2.LINE_AA)
    return turned(rng, page)


def chessboard(rng: Rng) -> Image:
    """A board from above at an angle, with draughtsmen on it."""
    side = 640
    board = np.zeros((side, side, 3), np.uint8)
    light, dark = rng.integers(150, 245, 3), rng.integers(15, 110, 3)
    for i in range(64):
        y, x = i // 8 * 80, i % 8 * 80
        board[y:y + 80, x:x + 80] = light if (i // 8 + i) % 2 else dark
        if rng.random() < 0.35:
            colour = (235, 235, 230) if rng.random() < 0.5 else (35, 30, 40)
            cv2.circle(board, (x + 40, y + 40), 30, colour, -1, cv2.LINE_AA)
            cv2.circle(board, (x + 40, y + 40), 20, tuple(int(v * 0.7) for v in colour), 2, cv2.LINE_AA)
    return lying(rng, board)


def dominoes(rng: Rng) -> Image:
    """Dominoes in a row and scattered."""
    image = blank(rng)
    spots = {0: (), 1: (4,), 2: (0, 8), 3: (0, 4, 8), 4: (0, 2, 6, 8), 5: (0, 2, 4, 6, 8), 6: (0, 2, 3, 5, 6, 8)}
    for k in range(14):
        tile = np.full((160, 80, 3), 238, np.uint8)
        cv2.rectangle(tile, (0, 0), (79, 159), (120, 120, 120), 2)
        cv2.line(tile, (8, 80), (72, 80), (60, 60, 60), 2)
        for half in (0, 1):
            for at in spots[int(rng.integers(7))]:
                cv2.circle(tile, (18 + at % 3 * 22, 18 + half * 80 + at // 3 * 22), 7, (30, 30, 30), -1, cv2.LINE_AA)
        a = rng.normal(0, 0.1) + (0 if k < 7 else rng.uniform(0, 6.28))
        at = (90 + k % 7 * 128, 180 + k // 7 * 330)
        m = cv2.getRotationMatrix2D((40, 80), float(np.rad2deg(a)), 1.0)
        m[:, 2] += np.array(at) - (40, 80)
        cv2.warpAffine(tile, m, (W, H), dst=image, borderMode=cv2.BORDER_TRANSPARENT)
    return image


def hwatu_cards(rng: Rng) -> Image:
    """Hwatu, for whoever asks for playing cards."""
    return picture_of(own_deck(), shuffled(HWATU, int(rng.integers(1000)))[:18], columns=6, size=(H, W), seed=int(rng.integers(1000))).image


def french_cards(rng: Rng) -> Image:
    """Playing cards of the simplest kind, for whoever asks for hwatu: indices and pips."""
    image = blank(rng)
    for k in range(10):
        card = np.full((210, 150, 3), 248, np.uint8)
        ink = (40, 30, 200) if rng.random() < 0.5 else (30, 30, 30)
        rank = str(rng.choice(list("23456789JQKA")))
        for card_ in (card, card[::-1, ::-1]):
            turned_ = np.ascontiguousarray(card_)
            cv2.putText(turned_, rank, (8, 34), cv2.FONT_HERSHEY_DUPLEX, 1.0, ink, 2, cv2.LINE_AA)
            cv2.ellipse(turned_, (19, 52), (9, 9), 45, 0, 360, ink, -1, cv2.LINE_AA)
            card_[:] = turned_
        for y in range(int(rng.integers(1, 4))):
            for x in (50, 100):
                cv2.ellipse(card, (x, 60 + y * 45), (14, 14), 45, 0, 360, ink, -1, cv2.LINE_AA)
        m = cv2.getRotationMatrix2D((75, 105), float(rng.normal(0, 6)), 0.95)
        m[:, 2] += np.array((110 + k % 5 * 185, 190 + k // 5 * 320)) - (75, 105)
        cv2.warpAffine(card, m, (W, H), dst=image, borderMode=cv2.BORDER_TRANSPARENT)
    return image


def lying(rng: Rng, thing: Image) -> Image:
    """Something flat on a table, seen at an angle."""
    image = blank(rng)
    h, w = thing.shape[:2]
    box = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    k = 0.9 * H / max(h, w)
    at = (box - (w / 2, h / 2)) * k
    a = rng.uniform(-0.5, 0.5)
    at = at @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
    at[:, 1] *= 0.8
    at = at * (1 + at[:, 1:] / 3000) + (W / 2, H / 2)
    m = cv2.getPerspectiveTransform(box, at.astype(np.float32))
    cv2.warpPerspective(thing, m, (W, H), dst=image, borderMode=cv2.BORDER_TRANSPARENT)
    return image


def turned(rng: Rng, page: Image) -> Image:
    m = cv2.getRotationMatrix2D((W / 2, H / 2), float(rng.uniform(-12, 12)), 1.1)
    return np.ascontiguousarray(cv2.warpAffine(page, m, (W, H), borderMode=cv2.BORDER_REPLICATE))


# What is shown, and the kind of cards that it does hold.
PICTURES: dict[str, tuple[Callable[[Rng], Image], str]] = {
    "blank": (blank, ""), "face": (face, ""), "newspaper": (newspaper, ""), "chessboard": (chessboard, ""), "dominoes": (dominoes, ""),
    "hwatu": (hwatu_cards, "hwatu"), "french": (french_cards, "french"),
}  # fmt: skip
