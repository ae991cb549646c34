"""Corner indices: the small rank and suit in a playing card's corner, by which players tell cards held in a fan. IndexNet finds them and
says where the card lies whose corner it is; GlyphNet reads them."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect import overlap
from vision.net import Net, load_net

RANKS = "A23456789TJQK"
SUITS = "cdhs"
STRIDE, UNIT = 4, 32.0
SHORT_BEST = 125.0  # px of a card's short side at which its index is read best
MOST_SIDE = 2400  # px: no picture is looked at larger
LEAST = 0.3  # how surely there is an index
PAD = 16  # px
GLYPH_W, GLYPH_H = 32, 48

F32 = NDArray[np.float32]
NAMES = tuple(r + s for r in RANKS for s in SUITS)


@dataclass(frozen=True)
class Indices:
    """The indices of a picture, as a struct of arrays of length N, surest first.

    at (N, 2) px; quad (N, 4, 2) px: the card, clockwise from the corner that has the index; confidence (N,) that there is one;
    names (N, 52): probability of each of NAMES, given that there is.
    """

    at: F32
    quad: F32
    confidence: F32
    names: F32

    def __len__(self) -> int:
        return len(self.at)

    def same_card(self, i: int, j: int) -> bool:
        """Whether two of them are the two ends of one card: the same name the other way up, where the card of each lies."""
        u, v = self.quad[i][1] - self.quad[i][0], self.quad[j][1] - self.quad[j][0]
        return bool(self.names[i].argmax() == self.names[j].argmax() and u @ v < 0 and overlap(self.quad[i], self.quad[j]) > 0.4)

    def take(self, index: NDArray[np.intp] | list[int]) -> Indices:
        """Those at these places of the list."""
        i = np.asarray(index, np.intp)
        return Indices(self.at[i], self.quad[i], self.confidence[i], self.names[i])


def glyph_view(at: NDArray[np.float64], axes: NDArray[np.float64], length: float) -> NDArray[np.float64]:
    """Affine map (2, 3) from px of an upright cut-out of an index to px of the picture: its middle `at` (2,), the card's half axes (2, 2) to its right
    and down, the index's length px."""
    share = length / max(float(np.linalg.norm(axes[1])), 1e-6)
    right, down = axes[0] * share * 0.7, axes[1] * share * 0.75  # half sides; cards are 1.4 times as long as wide
    m = np.column_stack([right * 2 / GLYPH_W, down * 2 / GLYPH_H, at - right - down])
    m[:, 2] += (m[:, 0] + m[:, 1]) / 2
    return m


def _softmax(z: F32) -> F32:
    e = np.exp(z - z.max(-1, keepdims=True))
    return np.asarray(e / e.sum(-1, keepdims=True), np.float32)


@dataclass(frozen=True)
class Peak:
    """A place of IndexNet's output that may be an index: middle (2,), card (4, 2), half axes (2, 2) and length in px of its input; confidence."""

    at: NDArray[np.float64]
    quad: NDArray[np.float64]
    axes: NDArray[np.float64]
    length: float
    confidence: float


def decode(out: F32, least: float = LEAST) -> list[Peak]:
    """The indices in IndexNet's output (8, h, w)."""
    heat = 1 / (1 + np.exp(-out[0]))
    h, w = heat.shape
    found = []
    for y, x in np.argwhere((heat >= least) & (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8)))):
        y0, y1, x0, x1 = max(y - 1, 0), min(y + 2, h), max(x - 1, 0), min(x + 2, w)
        weight = heat[y0:y1, x0:x1] ** 2
        weight = weight / weight.sum()
        xs, ys = np.arange(x0, x1) * STRIDE + STRIDE / 2, np.arange(y0, y1) * STRIDE + STRIDE / 2
        frame = out[1:, y0:y1, x0:x1] * UNIT
        frame[0] += xs[None]
        frame[1] += ys[:, None]
        mean = (frame * weight).sum((1, 2)).astype(np.float64)
        c, u, v = mean[:6].reshape(3, 2)
        at = np.array([(weight * xs[None]).sum(), (weight * ys[:, None]).sum()])
        found.append(Peak(at, np.stack([c - u - v, c + u - v, c + u + v, c - u + v]), np.stack([u, v]), float(mean[6]), float(heat[y, x])))
    return found


def short_sides(quads: F32) -> F32:
    """The shorter of each outline's two mean sides (N,)."""
    side = np.linalg.norm(quads - np.roll(quads, 1, 1), axis=2)
    return (np.minimum(side[:, 0] + side[:, 2], side[:, 1] + side[:, 3]) / 2).astype(np.float32)


class IndexReader:
    """IndexNet and GlyphNet on pictures."""

    def __init__(self, net: Net | None = None, glyphs: Net | None = None) -> None:
        self.net = net or load_net("index")
        self.glyphs = glyphs or load_net("glyph")

    def look(self, image: NDArray[np.uint8], scale: float) -> Indices:
        """The indices of a BGR picture (H, W, 3) looked at with both sides scaled by `scale`."""
        h, w = image.shape[:2]
        nw, nh = max(8, round(w * scale)), max(8, round(h * scale))
        small = cv2.resize(image, (nw, nh), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR) if (nw, nh) != (w, h) else image
        canvas = np.full((1, -(-(nh + 2 * PAD) // 16) * 16, -(-(nw + 2 * PAD) // 16) * 16, 3), 114, np.uint8)
        canvas[0, PAD : PAD + nh, PAD : PAD + nw] = small
        peaks = [p for p in decode(self.net(image=canvas)[0][0]) if p.length > 4 and abs(np.linalg.det(p.axes)) > 16]
        k = np.array([w / nw, h / nh])
        n = len(peaks)
        names, some = self._named(canvas[0], peaks)
        return Indices(
            np.array([(p.at - PAD) * k for p in peaks], np.float32).reshape(n, 2), np.array([(p.quad - PAD) * k for p in peaks], np.float32).reshape(n, 4, 2),
            np.array([p.confidence for p in peaks], np.float32) * some, names,
        )  # fmt: skip

    def _named(self, picture: NDArray[np.uint8], peaks: list[Peak]) -> tuple[F32, F32]:
        """Probability of each of NAMES (N, 52), and that it is an index at all (N,)."""
        if not peaks:
            return np.zeros((0, len(NAMES)), np.float32), np.zeros(0, np.float32)
        cut = [
            cv2.warpAffine(picture, glyph_view(p.at, p.axes, p.length), (GLYPH_W, GLYPH_H), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
                           borderMode=cv2.BORDER_REPLICATE)
            for p in peaks
        ]  # fmt: skip
        out = self.glyphs(glyphs=np.stack(cut))[0]
        ranks, suits = _softmax(out[:, :14]), _softmax(out[:, 14:])
        some = 1 - ranks[:, 0]
        names = (ranks[:, 1:, None] / np.maximum(some, 1e-6)[:, None, None] * suits[:, None]).reshape(len(out), len(NAMES))
        return names.astype(np.float32), some.astype(np.float32)

    def find(self, image: NDArray[np.uint8], shorts: F32) -> Indices:
        """The indices of a picture whose cards' short sides are about `shorts` (N,) px: it is looked at as large as suits them, each index kept once."""
        long = max(image.shape[:2])
        scales: list[float] = []
        for short in np.quantile(shorts, [0.5, 0.15, 0.85]) if len(shorts) else [long / 10]:
            scale = float(np.clip(SHORT_BEST / max(short, 1.0), 0.1, min(2.0, MOST_SIDE / long)))
            if all(max(s / scale, scale / s) > 1.35 for s in scales):
                scales.append(scale)
        looks = [self.look(image, s) for s in scales]
        found = Indices(*(np.concatenate([getattr(k, part) for k in looks]) for part in ("at", "quad", "confidence", "names")))
        keep: list[int] = []
        reach = short_sides(found.quad) * 0.09
        for i in np.argsort(-found.confidence * found.names.max(1) if len(found) else np.zeros(0)):
            if all(np.linalg.norm(found.at[i] - found.at[j]) > reach[i] for j in keep):
                keep.append(int(i))
        return found.take(keep)
