"""Card art: folders of `<card>.png` read as decks, and the wear, print and colour differences between real decks.

A folder may hold a `deck.toml` (see the data files of the project's documentation); without one its kind is told from its card names.
"""

from __future__ import annotations

import re
import tomllib
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.decks import picture

Image = NDArray[np.uint8]

SIZE_MM = {"hwatu": (35.0, 54.0), "french": (63.0, 88.0), "numbers": (63.0, 88.0)}
TEXTURE_H = 288  # px: height of the finest texture level
_FRENCH = re.compile(r"^[2-9TJQKA][cdhs]$|^joker")
_HWATU = re.compile(r"^\d\d-|^joker")


@dataclass(frozen=True)
class DeckArt:
    """One deck's pictures: `faces[name]` is BGRA uint8 (TEXTURE_H, w, 4); `back` likewise or None."""

    name: str
    kind: str
    size_mm: tuple[float, float]
    faces: dict[str, Image] = field(repr=False)
    back: Image | None = field(repr=False, default=None)
    flipped: frozenset[str] = frozenset()

    @property
    def names(self) -> list[str]:
        return list(self.faces)


def kind_of(names: list[str]) -> str:
    """hwatu, french or numbers, told from card names.

    Raises:
        ValueError: when the names belong to no deck.
    """
    if any(re.match(r"^\d\d-", n) for n in names):
        return "hwatu"
    if any(re.match(r"^[2-9TJQKA][cdhs]$", n) for n in names):
        return "french"
    if any(re.match(r"^n\d+$", n) for n in names):
        return "numbers"
    if any(n.startswith("joker") for n in names):
        return "hwatu"
    raise ValueError("no card names in " + ", ".join(names[:5]))


def rounded(card: Image, radius: float) -> Image:
    """The card with its corners cut round; radius as a share of its width."""
    h, w = card.shape[:2]
    r = max(1, int(radius * w))
    mask = np.zeros((h, w), np.uint8)
    cv2.rectangle(mask, (r, 0), (w - 1 - r, h - 1), 255, -1)
    cv2.rectangle(mask, (0, r), (w - 1, h - 1 - r), 255, -1)
    for x in (r, w - 1 - r):
        for y in (r, h - 1 - r):
            cv2.circle(mask, (x, y), r, 255, -1, cv2.LINE_AA)
    out = card.copy()
    out[..., 3] = np.minimum(out[..., 3], mask)
    return out


def load_deck(folder: Path) -> DeckArt:
    """Read a folder of card pictures.

    Raises:
        ValueError: when the folder holds no card picture.
    """
    info: dict = {}
    if (folder / "deck.toml").exists():
        info = tomllib.loads((folder / "deck.toml").read_text(encoding="utf-8"))
    faces: dict[str, Image] = {}
    back: Image | None = None
    # Drawn decks without rasters are made from their SVG files.
    drawn = [f for f in folder.glob("*.svg") if not f.with_suffix(".png").exists()]
    for f in sorted([*folder.glob("*.png"), *drawn]):
        im = cv2.imread(str(f), cv2.IMREAD_UNCHANGED) if f.suffix == ".png" else picture(f.read_text(encoding="utf-8"), 2 * TEXTURE_H)
        if im is None:
            continue
        if im.ndim == 2:
            im = cv2.cvtColor(im, cv2.COLOR_GRAY2BGRA)
        elif im.shape[2] == 3:
            im = cv2.cvtColor(im, cv2.COLOR_BGR2BGRA)
        im = cv2.resize(im, (max(8, round(im.shape[1] * TEXTURE_H / im.shape[0])), TEXTURE_H), interpolation=cv2.INTER_AREA)
        if f.stem == "back":
            back = im
        else:
            faces[f.stem] = im
    if not faces:
        raise ValueError(f"{folder}: no card pictures; a deck is a folder of <card>.png")
    kind = info.get("kind") or kind_of(list(faces))
    good = _HWATU if kind == "hwatu" else _FRENCH if kind == "french" else re.compile(r"^n\d+$")
    faces = {n: im for n, im in faces.items() if good.match(n)}
    size = tuple(info.get("size_mm", SIZE_MM[kind]))
    return DeckArt(folder.name, kind, (float(size[0]), float(size[1])), faces, back, frozenset(info.get("flipped", [])))


def plain_back(rng: np.random.Generator, kind: str, w: int) -> Image:
    """A card back of a plain colour (hwatu) or with a printed lattice (others), BGRA (TEXTURE_H, w, 4)."""
    red = np.array([rng.integers(10, 60), rng.integers(10, 50), rng.integers(130, 215)])
    dark = rng.integers(15, 50, 3)
    blue = np.array([rng.integers(90, 190), rng.integers(40, 100), rng.integers(10, 60)])
    ink = [red, red, dark, blue][rng.integers(4)] if kind == "hwatu" else [red, blue, dark, rng.integers(20, 200, 3)][rng.integers(4)]
    im = np.empty((TEXTURE_H, w, 4), np.uint8)
    im[..., :3] = ink
    im[..., 3] = 255
    if kind != "hwatu" or rng.random() < 0.2:
        line = np.clip(np.asarray(ink, int) + rng.integers(-70, 120), 0, 255)
        colour = tuple(int(c) for c in (line if rng.random() < 0.4 else np.full(3, rng.integers(200, 250))))
        step = int(rng.integers(8, 26))
        for k in range(-TEXTURE_H, w + TEXTURE_H, step):
            cv2.line(im, (k, 0), (k + TEXTURE_H, TEXTURE_H), (*colour, 255), int(rng.integers(1, 4)), cv2.LINE_AA)
            if rng.random() < 0.95:
                cv2.line(im, (k, TEXTURE_H), (k + TEXTURE_H, 0), (*colour, 255), 2, cv2.LINE_AA)
        for _ in range(int(rng.integers(0, 4))):
            cv2.circle(im, (w // 2, TEXTURE_H // 2), int(rng.integers(8, w // 2)), (*colour, 255), int(rng.integers(1, 6)), cv2.LINE_AA)
        m = int(rng.integers(0, w // 8))
        if m > 2:
            edge = (245, 245, 245, 255) if rng.random() < 0.8 else (*colour, 255)
            cv2.rectangle(im, (0, 0), (w - 1, TEXTURE_H - 1), edge, 2 * m)
    return im


@dataclass(frozen=True)
class Print:
    """How one copy of a deck was printed and has aged: drawn once for a deck, the same for all of its cards."""

    matrix: NDArray[np.float32]  # (3, 3) on BGR in 0..1
    offset: NDArray[np.float32]  # (3,)
    gamma: float
    line: int  # > 0 thicker ink, < 0 thinner
    rim: tuple[int, int, int] | None  # BGR of a border added around the art
    rim_share: float
    radius: float
    inset: tuple[float, float, float, float]  # share of the art cut away at left, top, right, bottom
    grain: float
    outline: float  # how far colours are drained, leaving line art
    turn: bool


def random_print(rng: np.random.Generator, kind: str, strength: float = 1.0) -> Print:
    """Draw how a deck is printed: hue, palette, paper tone, line weight, border."""
    m = np.eye(3, dtype=np.float32)
    if rng.random() < 0.75:
        m += rng.normal(0, 0.07 * strength, (3, 3)).astype(np.float32)
    if rng.random() < 0.5:  # saturation
        s = float(rng.uniform(0.35, 1.25))
        grey = np.full((3, 3), 1 / 3, np.float32)
        m = m @ (grey + s * (np.eye(3, dtype=np.float32) - grey))
    paper = rng.uniform(0.78, 1.0, 3).astype(np.float32) if rng.random() < 0.5 else np.ones(3, np.float32)
    m = np.diag(paper).astype(np.float32) @ m
    black = float(rng.uniform(0, 0.16)) if rng.random() < 0.4 else 0.0
    m *= 1 - black
    hwatu = kind == "hwatu"
    rim: tuple[int, int, int] | None = None
    share = 0.0
    if hwatu and rng.random() < 0.55:
        choices = [(30, 25, 190), (28, 26, 28), (40, 30, 150), (60, 40, 40), (235, 238, 240)]
        base = np.array(choices[rng.choice(5, p=[0.34, 0.4, 0.12, 0.08, 0.06])])
        rim = tuple(int(v) for v in np.clip(base + rng.integers(-18, 19, 3), 0, 255))  # type: ignore[assignment]
        share = float(rng.uniform(0.015, 0.075))
    elif not hwatu and rng.random() < 0.3:
        v = int(rng.integers(225, 256))
        rim, share = (v, v, v), float(rng.uniform(0.01, 0.05))
    cut = rng.uniform(0, 0.05, 4) * (rng.random() < 0.6) if hwatu else rng.uniform(0, 0.012, 4)
    return Print(
        m, np.full(3, black, np.float32) * rng.uniform(0.4, 1.2, 3).astype(np.float32), float(np.exp(rng.normal(0, 0.18))),
        int(rng.choice([-1, 0, 0, 0, 0, 1])) if hwatu else 0, rim, share,
        float(rng.uniform(0.0, 0.08) if hwatu else rng.uniform(0.03, 0.075)), (float(cut[0]), float(cut[1]), float(cut[2]), float(cut[3])),
        float(rng.uniform(0, 0.03)), float(rng.uniform(0.3, 1.0)) if hwatu and rng.random() < 0.08 else 0.0, False,
    )


def printed(art: Image, how: Print, rng: np.random.Generator) -> Image:
    """One card as this deck prints it: BGRA (TEXTURE_H, w, 4)."""
    h, w = art.shape[:2]
    x0, y0 = int(how.inset[0] * w), int(how.inset[1] * h)
    x1, y1 = w - int(how.inset[2] * w), h - int(how.inset[3] * h)
    im = art[y0:y1, x0:x1]
    if how.line:
        k = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (3, 3))
        rgb = cv2.erode(im[..., :3], k) if how.line > 0 else cv2.dilate(im[..., :3], k)
        im = np.dstack([rgb, im[..., 3]])
    c = im[..., :3].astype(np.float32) * (1 / 255)
    if how.outline:  # drained: keep dark lines, lift colours to paper
        dark = c.max(axis=2, keepdims=True)
        c = c * (1 - how.outline) + how.outline * np.clip(dark * 1.6, 0, 1)
    c = cv2.transform(c, np.hstack([how.matrix, how.offset[:, None]]).astype(np.float32))
    np.clip(c, 0.0, 1.0, out=c)
    if abs(how.gamma - 1) > 0.02:
        cv2.pow(c, how.gamma, dst=c)
    if how.grain:
        noise = rng.normal(0, how.grain, (c.shape[0] // 2 + 1, c.shape[1] // 2 + 1, 1)).astype(np.float32)
        c += cv2.resize(noise, (c.shape[1], c.shape[0]))[..., None]
        np.clip(c, 0.0, 1.0, out=c)
    out = np.empty((*c.shape[:2], 4), np.uint8)
    out[..., :3] = c * 255
    out[..., 3] = 255 if how.rim else im[..., 3]
    if how.rim:
        full = np.empty((TEXTURE_H, w, 4), np.uint8)
        full[..., :3] = how.rim
        full[..., 3] = 255
        b = max(2, int(how.rim_share * w))
        a = cv2.resize(out, (w - 2 * b, TEXTURE_H - 2 * b), interpolation=cv2.INTER_AREA)
        alpha = cv2.resize(im[..., 3], (w - 2 * b, TEXTURE_H - 2 * b), interpolation=cv2.INTER_AREA)[..., None].astype(np.float32) / 255
        inner = full[b:TEXTURE_H - b, b:w - b, :3]
        inner[:] = (inner * (1 - alpha) + a[..., :3] * alpha).astype(np.uint8)
        out = full
    elif out.shape[0] != TEXTURE_H or out.shape[1] != w:
        out = cv2.resize(out, (w, TEXTURE_H), interpolation=cv2.INTER_AREA)
    return rounded(out, how.radius)


class WornDeck:
    """A deck as one household has it: every card printed and worn alike; cards are made when first asked for."""

    def __init__(self, art: DeckArt, seed: int, strength: float = 1.0, plain: bool = False) -> None:
        rng = np.random.default_rng(seed)
        self.art, self.kind, self._seed = art, art.kind, seed
        self.how = None if plain else random_print(rng, art.kind, strength)
        jitter = np.ones(2) if plain else rng.uniform(0.96, 1.04, 2)
        self.size_mm = (art.size_mm[0] * float(jitter[0]), art.size_mm[1] * float(jitter[1]))
        self._cards: OrderedDict[str, list[Image]] = OrderedDict()
        self._borrow_back = art.back is None or (not plain and rng.random() < 0.6)

    def levels(self, name: str) -> list[Image]:
        """Texture pyramid of a card, finest first: BGRA at TEXTURE_H, /2, /4, /8."""
        got = self._cards.get(name)
        if got is None:
            rng = np.random.default_rng([self._seed, *name.encode()])
            if name == "back":
                w = next(iter(self.art.faces.values())).shape[1]
                im = plain_back(np.random.default_rng(self._seed + 1), self.kind, w) if self._borrow_back else self.art.back
                assert im is not None
                im = rounded(im, self.how.radius if self.how else 0.05)
            else:
                im = self.art.faces[name]
                im = printed(im, self.how, rng) if self.how else im
            got = [im]
            for _ in range(3):
                got.append(cv2.resize(got[-1], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA))
            self._cards[name] = got
        return got


def shade(face: str) -> str:
    """The class of a face: junk letters merged, all jokers of playing cards one."""
    return re.sub(r"^(\d\d-junk)-[abc]$", r"\1", face)
