"""Learning a user's own deck from a photograph of it laid out.

Every card found is read with what all decks of its kind have in common; then each card of the deck is given its one place in the
photograph by joint assignment, so that what is plain elsewhere settles what is doubtful. What the deck's cards look like is kept as
prototypes: as seen, and as they would look with parts covered.
"""

from __future__ import annotations

import argparse
import json
import re
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.cards import merged, standard_deck
from scorer.errors import KibitzError
from vision.assign import assign
from vision.detect import Detections, join
from vision.files import user_folder
from vision.identify import CROP_H, CROP_W, Deck, Identifier, cut_crops
from vision.read import Reader, load_picture

LOOK_ALIKE = 0.93  # cosine from which two cards of a deck cannot be told apart
DOUBTFUL = 0.5
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}")

F32 = NDArray[np.float32]


@dataclass(frozen=True)
class Place:
    """One card of the deck in a photograph: its name, how sure, which photograph and where (quad (4, 2) px)."""

    card: str
    confidence: float
    photo: int
    quad: F32


@dataclass(frozen=True)
class Enrolment:
    """What was learned: places of the cards found, cards not found, doubtful ones, and groups that look alike."""

    deck: Deck
    places: tuple[Place, ...]
    missing: tuple[str, ...]
    doubtful: tuple[str, ...]
    twins: tuple[tuple[str, ...], ...]


def covers() -> list[NDArray[np.uint8]]:
    """Ways in which a card may show, as masks (144, 96): whole, and strips and corners that a fan or a pile leaves."""
    out = [np.full((CROP_H, CROP_W), 255, np.uint8)]
    for share in (0.25, 0.5):
        for side in range(4):
            m = np.zeros((CROP_H, CROP_W), np.uint8)
            w, h = round(CROP_W * share), round(CROP_H * share)
            if side == 0:
                m[:, :w] = 255
            elif side == 1:
                m[:, -w:] = 255
            elif side == 2:
                m[:h] = 255
            else:
                m[-h:] = 255
            out.append(m)
    return out


def prototypes(identifier: Identifier, crops: NDArray[np.uint8]) -> F32:
    """Vectors (N, K, D) of upright crops (N, 4, 144, 96): each as it looks whole and partly covered, both ways up."""
    parts = []
    for mask in covers():
        c = crops.copy()
        c[:, 3] = np.minimum(c[:, 3], mask)
        # What covers the rest differs from time to time; grey stands for all of it.
        c[:, :3] = np.where(mask[None, None] > 0, c[:, :3], 128)
        for ends in (c, np.ascontiguousarray(c[:, :, ::-1, ::-1])):
            parts.append(identifier.embed(ends)[0])
    return np.stack(parts, 1)


def enrol(reader: Reader, photos: list[NDArray[np.uint8]], name: str, kind: str, names: dict[int, str] | None = None) -> Enrolment:
    """Learn a deck from photographs (BGR) in which each of its cards lies face up once.

    `names` corrects cards by their number among the places found. Raises KibitzError `enrol-nothing` where no card is found.
    """
    identifier = reader.identifier(kind)
    found: list[tuple[int, Detections]] = []
    for i, image in enumerate(photos):
        d = reader.detector.search(image)
        found.append((i, d.take(np.flatnonzero(d.visible > 0.7))))
    total = sum(len(d) for _, d in found)
    if total == 0:
        raise KibitzError("enrol-nothing", "no whole card is seen in the photograph: lay the cards apart, face up, in even light, and take it from above")
    crops = np.concatenate([cut_crops(photos[i], d) for i, d in found if len(d)])
    where = [i for i, d in found for _ in range(len(d))]
    detections = join([d for _, d in found])
    vectors, ends = identifier.embed(crops)
    p = identifier.probabilities(vectors)
    cards = list(identifier.deck.cards)
    slots = [c for c, n in standard_deck(kind, jokers=2).copies for _ in range(n)]
    column = {c: i for i, c in enumerate(cards)}
    index = [column.get(merged(s), column.get("joker", -1)) for s in slots]
    cost = -np.log(np.maximum(p[:, index], 1e-6)).astype(np.float64)
    got = assign(cost, 9.0)
    for k, card in (names or {}).items():
        got[k] = slots.index(card)
    taken = [k for k in range(total) if got[k] >= 0]
    if not taken:
        raise KibitzError("enrol-nothing", f"what lies in the photograph does not look like {kind} cards: name the kind with --deck, or lay the cards apart")
    upright = np.stack([crops[k][:, ::-1, ::-1] if ends[k] > 0 and kind != "french" else crops[k] for k in taken])
    vec = prototypes(identifier, np.ascontiguousarray(upright))
    places = tuple(Place(slots[got[k]], float(p[k, index[got[k]]]), where[k], detections.quad[k]) for k in taken)
    labels = [merged(q.card) for q in places for _ in range(vec.shape[1])] + list(identifier.deck.names)
    rows = np.concatenate([vec.reshape(-1, vec.shape[2]), identifier.deck.vectors])
    deck = Deck(name, kind, tuple(labels), rows.astype(np.float32), identifier.deck.scale)
    missing = tuple(s for s in dict.fromkeys(slots) if s not in {q.card for q in places} and not s.startswith("joker"))
    doubtful = tuple(q.card for q in places if q.confidence < DOUBTFUL)
    return Enrolment(deck, places, missing, doubtful, alike(places, vec[:, 0]))


def alike(places: tuple[Place, ...], whole: F32) -> tuple[tuple[str, ...], ...]:
    """Groups of cards whose whole faces cannot be told apart, other than plain junk of one month."""
    cosine = whole @ whole.T
    out = []
    for i in range(len(places)):
        group = [places[j].card for j in range(i + 1, len(places)) if cosine[i, j] > LOOK_ALIKE and merged(places[i].card) != merged(places[j].card)]
        if group:
            out.append((places[i].card, *group))
    return tuple(out)


def save(deck: Deck, folder: Path | None = None) -> Path:
    """Write a deck's prototypes under the user's folder. Raises KibitzError `deck-name` where the name is no file name."""
    if not _NAME.fullmatch(deck.name):
        raise KibitzError("deck-name", f"{deck.name!r} cannot name a deck: use letters, digits, spaces, dots and hyphens, at most 40", name=deck.name)
    path = (folder or user_folder("decks")) / f"{deck.name}.npz"
    tmp = path.with_suffix(".tmp.npz")
    np.savez_compressed(tmp, kind=deck.kind, names=np.array(deck.names), vectors=deck.vectors.astype(np.float16), scale=deck.scale)
    tmp.replace(path)
    return path


def main(args: argparse.Namespace) -> int:
    """`kibitz enrol`: learn, save, and say what was found, missing, doubtful and alike."""
    cv2.setNumThreads(1)
    photos = [load_picture(Path(f)) for f in args.photos]
    if not _NAME.fullmatch(args.name):
        raise KibitzError("deck-name", f"{args.name!r} cannot name a deck: use letters, digits, spaces, dots and hyphens, at most 40", name=args.name)
    e = enrol(Reader(), photos, args.name, args.deck)
    path = save(e.deck)
    if args.json:
        print(
            json.dumps(
                {
                    "name": args.name,
                    "deck": args.deck,
                    "file": path.name,
                    "missing": e.missing,
                    "doubtful": e.doubtful,
                    "twins": e.twins,
                    "cards": [
                        {"card": q.card, "confidence": round(q.confidence, 3), "photo": args.photos[q.photo], "quad": np.round(q.quad, 1).tolist()}
                        for q in e.places
                    ],
                },
                ensure_ascii=False,
            )
        )
        return 0
    print(f"{args.name}: {len(e.places)} cards learned, kept in {path}")
    for words, cards in (("not found", e.missing), ("doubtful, look at them", e.doubtful), *((("look alike", t)) for t in e.twins)):
        if cards:
            print(f"  {words}: {', '.join(cards)}")
    return 0
