"""Corner indices of playing cards: where a deck prints them, and what IndexNet is to say of a scene."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.art import TEXTURE_H, DeckArt, WornDeck
from datasets.scene import Scene
from datasets.targets import POSE_STRIDE, POSE_UNIT
from vision.index import GLYPH_H, GLYPH_W, RANKS, SUITS, glyph_view

F64 = NDArray[np.float64]
INK = 60  # how far from the paper's colour, 0..255
GAP = 0.03  # of a card's width: a wider gap ends the index
WHOLE, SOME = 0.8, 0.3  # share of an index that shows: to be read, and below which it is none
FOREIGN = 0.1  # share of indices read to GlyphNet in other letters
PLAIN = {"gnome-guyenne-classic": "JQK", "gnome-slavic-costumes": "AJQK"}  # ranks without an index, or with one in other letters
FOUR = {"french-bold"}  # decks with an index in each corner


@dataclass(frozen=True)
class Box:
    """An index in a card's own frame: left, top, right, bottom as shares of its sides."""

    left: float
    top: float
    right: float
    bottom: float


def _runs(profile: NDArray[np.bool_], gap: int) -> list[tuple[int, int]]:
    """First and last + 1 of the runs of True, those no more than `gap` apart joined."""
    out: list[tuple[int, int]] = []
    for k in np.flatnonzero(profile):
        if out and k - out[-1][1] <= gap:
            out[-1] = (out[-1][0], int(k) + 1)
        else:
            out.append((int(k), int(k) + 1))
    return out


def _ink(face: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Where the top left corner of a face (BGRA) is printed."""
    h, w = face.shape[:2]
    inner = face[h // 8 : -h // 8, w // 8 : -w // 8, :3].reshape(-1, 3)
    paper = np.median(inner[np.argsort(inner.sum(1))[-h:]], axis=0)  # its lightest places
    corner = face[: round(0.4 * h), : round(0.34 * w)]
    ink = (np.abs(corner[..., :3].astype(np.int16) - paper).max(2) > INK) & (corner[..., 3] > 200)
    edge = cv2.erode(np.pad((corner[..., 3] > 200).astype(np.uint8), ((1, 0), (1, 0))), np.ones((9, 9), np.uint8))[1:, 1:] > 0
    return ink & edge


def _box(ink: NDArray[np.bool_], w: int, h: int, widest: float) -> Box | None:
    """The rank and the suit below it in the ink of a corner."""
    columns = _runs(ink[: round(0.15 * h)].sum(0) >= 2, round(GAP * w))
    columns = [c for c in columns if c[1] - c[0] >= 0.02 * w]
    if not columns:
        return None
    left, right = columns[0][0], min(columns[0][1], round(columns[0][0] + widest * w))
    rows = [r for r in _runs(ink[:, left:right].sum(1) >= 1, 1) if r[1] - r[0] >= 0.02 * h]
    if len(rows) < 2 or rows[1][0] - rows[0][1] > 0.06 * h:
        return None
    return Box(left / w, rows[0][0] / h, right / w, rows[1][1] / h)


def index_boxes(deck: DeckArt) -> dict[str, Box]:
    """The index at the top left of each face that has one to be read, found by its ink; aces and courts, whose pictures may touch it, have that of
    the deck's number cards."""
    found: dict[str, Box] = {}
    for name, face in deck.faces.items():
        if name[0] in "23456789T":
            got = _box(_ink(face), face.shape[1], face.shape[0], 0.3)
            if got is not None:
                found[name] = got
    numbers = [b for n, b in found.items() if n[0] != "T"]
    if not numbers:
        return {}
    left, top, right, bottom = (float(np.median([getattr(b, k) for b in numbers])) for k in ("left", "top", "right", "bottom"))
    plain = Box(left, top, right, bottom)
    out = {}
    for name in deck.faces:
        if name[0] in RANKS and name[0] not in PLAIN.get(deck.name, "") and len(name) == 2:
            own = found.get(name, plain)
            fits = abs(own.left - left) < 0.05 and abs(own.bottom - bottom) < 0.06 and abs(own.top - top) < 0.05
            out[name] = own if fits else plain
    return out


def printed_box(box: Box, deck: WornDeck) -> Box:
    """Where this copy of the deck prints it: some of the art is cut away, a border may be added."""
    how = deck.how
    if how is None:
        return box
    w = next(iter(deck.art.faces.values())).shape[1]
    b = max(2, int(how.rim_share * w)) if how.rim else 0
    left, top, right, bottom = how.inset

    def x(v: float) -> float:
        return (b + (v - left) / (1 - left - right) * (w - 2 * b)) / w

    def y(v: float) -> float:
        return (b + (v - top) / (1 - top - bottom) * (TEXTURE_H - 2 * b)) / TEXTURE_H

    return Box(x(box.left), y(box.top), x(box.right), y(box.bottom))


@dataclass(frozen=True)
class Index:
    """One index of a scene: centre (2,) px, its card's centre and half axes to its own right and down (6,) px, length px, share that shows; rank and suit
    as numbers, -1 where it cannot be read."""

    at: F64
    frame: F64
    length: float
    shown: float
    rank: int
    suit: int


_GRID = np.stack(np.meshgrid(np.linspace(0.08, 0.92, 5), np.linspace(0.06, 0.94, 9)), -1).reshape(-1, 2)


def indices(scene: Scene, deck: WornDeck, boxes: dict[str, Box]) -> list[Index]:
    """The indices of a scene's cards; those of a face without one that can be read are said too, as unreadable."""
    out = []
    h, w = scene.ids.shape
    fallback = next(iter(boxes.values()), None)
    for i, (name, quad) in enumerate(zip(scene.names, scene.quads, strict=True)):
        known = name in boxes
        if name == "back" or name.startswith("joker") or fallback is None:
            continue
        box = printed_box(boxes[name] if known else fallback, deck)
        for corner in range(4 if deck.art.name in FOUR else 2):
            q = np.roll(quad, 2 * (corner % 2), 0).astype(np.float32)  # the other end up
            m = cv2.getPerspectiveTransform(np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32), q)
            left, right = (box.left, box.right) if corner < 2 else (1 - box.right, 1 - box.left)
            inside = np.array([left, box.top]) + _GRID * [right - left, box.bottom - box.top]
            x = (left + right) / 2
            mid = np.array([[x, (box.top + box.bottom) / 2], [x, box.top], [x, box.bottom], [0.5, 0.5], [1, 0.5], [0.5, 1]])
            p = cv2.perspectiveTransform(np.concatenate([mid, inside])[None].astype(np.float64), m)[0]
            xs, ys = np.rint(p[6:, 0]).astype(int), np.rint(p[6:, 1]).astype(int)
            good = (xs >= 0) & (xs < w) & (ys >= 0) & (ys < h)
            shown = float((scene.ids[ys[good], xs[good]] == i + 1).sum() / len(xs))
            c = p[3]
            frame = np.concatenate([c, p[4] - c, p[5] - c])
            out.append(Index(p[0], frame, float(np.linalg.norm(p[2] - p[1])), shown,
                             RANKS.index(name[0]) if known else -1, SUITS.index(name[1]) if known else -1))  # fmt: skip
    return out


def index_targets(found: list[Index], x0: int, y0: int, side: int) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Targets at stride 4 of the window of `side` px at (x0, y0): heat (h, w); weight of the heat (h, w); frame (7, h, w) in POSE_UNIT: from the cell to the
    card's centre, its half axes, the index's length, which is 0 where there is none to be told."""
    n = side // POSE_STRIDE
    heat, weight = np.zeros((n, n), np.float32), np.ones((n, n), np.float32)
    frame = np.zeros((7, n, n), np.float32)
    xs = np.arange(n) * POSE_STRIDE + POSE_STRIDE / 2
    for one in found:
        if one.shown < SOME:
            continue
        x, y = one.at - [x0, y0]
        sigma = max(3.6, 0.11 * one.length)
        d2 = ((xs[None] - x) ** 2 + (xs[:, None] - y) ** 2) / (2 * sigma**2)
        if one.shown < WHOLE or one.rank < 0 or not (6 <= x < side - 6 and 6 <= y < side - 6):
            weight[d2 < 4] = 0
            continue
        peak = np.exp(-d2)
        j, i = (int(np.clip(v // POSE_STRIDE, 0, n - 1)) for v in (x, y))
        peak[i, j] = 1
        near = (peak > 0.45) & (peak > heat)
        heat = np.maximum(heat, peak.astype(np.float32))
        values = np.stack([
            np.broadcast_to(one.frame[0] - x0 - xs[None], (n, n)), np.broadcast_to(one.frame[1] - y0 - xs[:, None], (n, n)),
            *(np.full((n, n), v) for v in (*one.frame[2:], one.length)),
        ]) / POSE_UNIT  # fmt: skip
        frame[:, near] = values[:, near]
    weight[heat > 0.45] = 1
    return heat, weight, frame


def other_letter(rng: np.random.Generator, cut: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The cut-out with its rank painted over by a letter of another language's court or ace."""
    out = cut.copy()
    flat = cut.reshape(-1, 3)
    order = np.argsort(flat.sum(1))
    paper, ink = (tuple(float(v) for v in np.median(flat[k], axis=0)) for k in (order[-300:], order[:60]))
    top = int(rng.integers(4, 9))
    cv2.rectangle(out, (int(rng.integers(5, 9)), top), (int(rng.integers(22, 26)), 25), paper, -1)
    letter = "BBDDDVVRCPTTTHFXEM"[int(rng.integers(18))]
    size = float(rng.uniform(0.45, 0.62))
    cv2.putText(out, letter, (int(rng.integers(9, 13)), int(rng.integers(20, 25))), int(rng.integers(5)), size, ink, int(rng.integers(1, 3)), cv2.LINE_AA)
    return cv2.GaussianBlur(out, (0, 0), float(rng.uniform(0.3, 1.0))).astype(np.uint8, copy=False)


def glyph(rng: np.random.Generator, scene: Scene, found: list[Index]) -> tuple[NDArray[np.uint8], int, int]:
    """An index cut out upright as GlyphNet gets it, about as wrongly as IndexNet says where it is: (48, 32, 3) uint8, rank + 1 and suit; now and then
    something else, or one in other letters: rank 0 and suit -1."""
    good = [f for f in found if f.shown > WHOLE]
    h, w = scene.ids.shape
    foreign = False
    if good and rng.random() < 0.85:
        one = good[int(rng.integers(len(good)))]
        at, axes, length = one.at, one.frame[2:].reshape(2, 2), one.length
        foreign = one.rank >= 0 and rng.random() < FOREIGN
        rank, suit = (one.rank + 1, one.suit) if one.rank >= 0 and not foreign else (0, -1)
    else:
        a = rng.uniform(0, 2 * np.pi)
        length = float(rng.uniform(14, 50))
        axes = np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) * [[length * 2.1], [length * 3]]
        at = rng.uniform(0, [w, h])
        if found and rng.random() < 0.6:  # somewhere about a card: pips, courts, an index cut off
            one = found[int(rng.integers(len(found)))]
            axes, length = one.frame[2:].reshape(2, 2), one.length
            at = one.frame[:2] + rng.uniform(-1, 1, 2) @ axes
        if any(np.linalg.norm(f.at - at) < 0.8 * f.length for f in found):
            return glyph(rng, scene, good) if good else (np.zeros((GLYPH_H, GLYPH_W, 3), np.uint8), 0, -1)
        rank, suit = 0, -1
    turn = rng.normal(0, 0.09)
    c, s = np.cos(turn), np.sin(turn)
    axes = axes @ np.array([[c, s], [-s, c]]) * np.exp(rng.normal(0, 0.06, (2, 1)))
    at = at + rng.normal(0, 0.05, 2) * length
    m = glyph_view(at, axes, length * float(np.exp(rng.normal(0, 0.08))))
    cut = cv2.warpAffine(scene.image, m, (GLYPH_W, GLYPH_H), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE)
    cut = cut.astype(np.uint8, copy=False)
    return other_letter(rng, cut) if foreign else cut, rank, suit
