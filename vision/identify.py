"""Which card: crops of what the detector found, embedded and held against the deck's prototypes.

A deck is a set of prototypes (name, vector). A card is named on its margin over the runner-up of that deck; where the margin is
small the reader says so instead of guessing.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.errors import KibitzError
from vision.detect import SHOWN_H, SHOWN_W, Detections
from vision.files import shipped
from vision.net import Net, load_net

CROP_W, CROP_H = 96, 144
NOT_A_CARD = "other"
# Least confidence and lead over the runner-up of a sure name: where labelled photographs, and pictures without any card, put them.
SURE = {"hwatu": (0.6, 0.3), "french": (0.5, 0.2), "numbers": (0.6, 0.3)}

F32 = NDArray[np.float32]


@dataclass(frozen=True)
class Deck:
    """Prototypes of one deck: names (M,), vectors (M, D) of length 1 (several may share a name), and the softmax's scale.

    transform: (D, D) that takes the network's vectors to those of this deck, None where they are its own; worth: bonus cards and the
    junk that each counts as; twins: groups of cards that this deck's prints do not tell apart; network: sha256 of the network that made the
    vectors, "" where it is the shipped one.
    """

    name: str
    kind: str
    names: tuple[str, ...]
    vectors: F32
    scale: float
    transform: F32 | None = None
    worth: tuple[tuple[str, int], ...] = ()
    twins: tuple[tuple[str, ...], ...] = ()
    network: str = ""

    @property
    def cards(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.names))


def load_prototypes(path: Path) -> Deck:
    """Read a deck's `.npz`. Raises KibitzError `deck-broken` where it cannot be read."""
    try:
        with open(path, "rb") as f, np.load(f, allow_pickle=False) as z:  # np.load itself leaves a broken file open
            vectors = z["vectors"].astype(np.float32)
            names = tuple(str(n) for n in z["names"])
            if vectors.ndim != 2 or len(names) != len(vectors):
                raise ValueError(f"{len(names)} names for vectors of shape {vectors.shape}")
            vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
            transform = z["transform"].astype(np.float32) if "transform" in z else None
            if transform is not None and transform.shape != (vectors.shape[1],) * 2:
                raise ValueError(f"a transform of shape {transform.shape} for vectors of shape {vectors.shape}")
            about = json.loads(str(z["about"])) if "about" in z else {}
            worth = tuple((str(c), int(n)) for c, n in about.get("worth", {}).items())
            twins = tuple(tuple(str(c) for c in group) for group in about.get("twins", ()))
            return Deck(path.stem, str(z["kind"]), names, vectors, float(z["scale"]), transform, worth, twins, str(about.get("network", "")))
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        raise KibitzError("deck-broken", f"the deck {path} cannot be read ({error}): enrol it again", path=str(path)) from error


@dataclass(frozen=True)
class Reading:
    """What a detection shows: names likeliest first with their confidence; `sure` on the margin; `turned`: the crop's top is the card's bottom."""

    names: tuple[tuple[str, float], ...]
    sure: bool
    turned: bool

    @property
    def card(self) -> str:
        return self.names[0][0]

    @property
    def confidence(self) -> float:
        return self.names[0][1]

    @property
    def margin(self) -> float:
        return self.names[0][1] - (self.names[1][1] if len(self.names) > 1 else 0.0)


class Pyramid:
    """The picture at 1, 1/2, 1/4 … of its size, each made when first asked for: crops are cut where they need not shrink by more than two."""

    def __init__(self, image: NDArray[np.uint8]) -> None:
        self._levels = [image]
        self._count = 1
        side = min(image.shape[:2])
        while side > 160:
            side, self._count = round(side / 2), self._count + 1

    def __getitem__(self, k: int) -> NDArray[np.uint8]:
        """Level k, or the last."""
        while len(self._levels) <= min(k, self._count - 1):
            half = cv2.resize(self._levels[-1], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
            self._levels.append(half.astype(np.uint8, copy=False))
        return self._levels[min(k, self._count - 1)]


def cut_crops(image: NDArray[np.uint8], detections: Detections) -> NDArray[np.uint8]:
    """Upright crops (N, 4, 144, 96) uint8: BGR and, as the fourth channel, where the card shows."""
    levels = Pyramid(image)
    dst = np.array([[0, 0], [CROP_W, 0], [CROP_W, CROP_H], [0, CROP_H]], np.float32) - 0.5
    out = np.empty((len(detections), 4, CROP_H, CROP_W), np.uint8)
    for i, q in enumerate(detections.quad):
        side = np.linalg.norm(q - np.roll(q, 1, 0), axis=1)
        shrink = min((side[1] + side[3]) / 2 / CROP_W, (side[0] + side[2]) / 2 / CROP_H)
        level = levels[int(np.floor(np.log2(max(shrink, 1.0)) + 0.3))]
        scaled = (q + 0.5) * np.array([level.shape[1] / image.shape[1], level.shape[0] / image.shape[0]], np.float32) - 0.5
        m = cv2.getPerspectiveTransform(scaled.astype(np.float32), dst)
        out[i, :3] = cv2.warpPerspective(level, m, (CROP_W, CROP_H), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).transpose(2, 0, 1)
        out[i, 3] = cv2.resize(detections.shown[i], (CROP_W, CROP_H), interpolation=cv2.INTER_LINEAR)
    return out


class Identifier:
    """IdentityNet of one kind of deck, with the prototypes of the deck in play."""

    def __init__(self, kind: str, deck: Deck | None = None, net: Net | None = None) -> None:
        self.kind = kind
        self.net = net or load_net(kind)
        self.deck = deck or load_prototypes(shipped("models", "decks", f"{kind}.npz"))
        if self.deck.kind != kind:
            raise KibitzError("deck-kind", f"the deck {self.deck.name} is of {self.deck.kind} cards, not {kind}: name a {kind} deck", deck=self.deck.name)
        if self.deck.network not in ("", self.net.sha256):
            raise KibitzError(
                "deck-stale", f"the deck {self.deck.name} was learned with another network than this version's: enrol it again", deck=self.deck.name
            )
        self._rows = {n: np.flatnonzero(np.array(self.deck.names) == n) for n in self.deck.cards}
        self.embed(np.zeros((1, 4, CROP_H, CROP_W), np.uint8))

    def embed(self, crops: NDArray[np.uint8]) -> tuple[F32, F32]:
        """Vectors (N, D) of length 1 and the logit (N,) that the crop is upside down."""
        vectors, ends = [], []
        for i in range(0, len(crops), 16):
            v, e = self.net(crops=crops[i:i + 16])
            vectors.append(v)
            ends.append(e[:, 0])
        if not vectors:
            return np.zeros((0, self.deck.vectors.shape[1]), np.float32), np.zeros(0, np.float32)
        return np.concatenate(vectors), np.concatenate(ends)

    def probabilities(self, vectors: F32) -> F32:
        """(N, M) softmax over the deck's cards; a card with several prototypes counts by its nearest."""
        if self.deck.transform is not None:
            vectors = vectors @ self.deck.transform
            vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        cosine = vectors @ self.deck.vectors.T
        best = np.stack([cosine[:, rows].max(1) for rows in self._rows.values()], 1)
        z = best * self.deck.scale
        z -= z.max(1, keepdims=True)
        p = np.exp(z)
        return p / p.sum(1, keepdims=True)

    def identify(self, image: NDArray[np.uint8], detections: Detections, both_ends: bool = False) -> list[Reading]:
        """Read every detection; `both_ends` looks at each crop both ways up and takes the mean, for twice the time."""
        if not len(detections):
            return []
        crops = cut_crops(image, detections)
        vectors, ends = self.embed(crops)
        p = self.probabilities(vectors)
        if both_ends:
            vectors2, ends2 = self.embed(np.ascontiguousarray(crops[:, :, ::-1, ::-1]))
            p = np.sqrt(p * self.probabilities(vectors2)).astype(np.float32)
            p = (p / p.sum(1, keepdims=True)).astype(np.float32)
            ends = ((ends - ends2) / 2).astype(np.float32)
        names = np.array(list(self._rows))
        least, lead = SURE[self.kind]
        out = []
        for row, end in zip(p, ends, strict=True):
            top = np.argsort(-row)[:4]
            ranked = tuple((str(names[i]), float(row[i])) for i in top)
            sure = ranked[0][0] != NOT_A_CARD and ranked[0][1] >= least and ranked[0][1] - ranked[1][1] >= lead
            out.append(Reading(ranked, bool(sure), bool(end > 0 and self.kind != "french")))
        return out


def upright(quad: F32, reading: Reading) -> F32:
    """The quad beginning at the card's own top left, once its end is known."""
    return np.roll(quad, 2, 0) if reading.turned else quad


assert (SHOWN_W, SHOWN_H) == (CROP_W // 4, CROP_H // 4)
