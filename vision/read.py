"""Reading photographs: any picture, any scale and angle, without a table set up."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.cards import BACK, merged, standard_deck
from scorer.errors import KibitzError
from vision.above import TableDetector
from vision.detect import Detections, Detector, distinct, overlap
from vision.files import shipped, user_folder
from vision.identify import NOT_A_CARD, Deck, Identifier, Reading, load_prototypes, upright
from vision.index import IndexReader
from vision.index_match import by_index
from vision.outline import LEAST, Outliner, stretched

Image = NDArray[np.uint8]
KINDS = ("hwatu", "french", "numbers")
LEAST_SHOWN = 0.06
STRETCHES = (1.25, 0.8)  # of an outline, from which one that was not read surely is fitted again
SAME_ROUGHLY = 0.8  # overlap of two rough outlines that are fitted as one
RELIED = 1.25  # confidence of outline and of name together from which a sure name is relied on
BACK_SEEN = 0.65  # confidence of the outline of a back: any plain patch looks like one
PATTERN = 4  # readings of one name beyond what a deck has, from which they are a pattern's
LEAST_TOLD = 0.4  # of outline and name together, below which neither says that a card lies there
JOKER_NAME = 0.95  # jokers look like nothing in particular: what is no other card is soon read as one


@dataclass(frozen=True)
class Found:
    """One card in a picture: its reading, its quad (4, 2) px from its own top left, confidence of the pose, visible share; where its corner
    index was read (2,) px, or None."""

    reading: Reading
    quad: NDArray[np.float32]
    pose: float
    visible: float
    index: NDArray[np.float32] | None = None

    def as_json(self) -> dict[str, Any]:
        names = self.reading.names
        return {
            "card": names[0][0], "confidence": round(names[0][1], 4), "sure": self.reading.sure, "visible": round(self.visible, 3),
            "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in self.quad],
            "others": [[n, round(p, 4)] for n, p in names[1:4] if n != NOT_A_CARD],
        }


def load_picture(path: Path) -> Image:
    """A picture as stored (BGR, EXIF turn not applied). Raises KibitzError `picture-missing` or `picture-broken`."""
    if not path.exists():
        raise KibitzError("picture-missing", f"there is no picture {path}: name an existing JPEG, PNG or WebP file", path=str(path))
    try:
        data = np.frombuffer(path.read_bytes(), np.uint8)
    except OSError as error:
        raise KibitzError("picture-broken", f"{path} cannot be read ({error.strerror}): name a picture file", path=str(path)) from error
    image = cv2.imdecode(data, cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION) if len(data) else None
    if image is None or min(image.shape[:2]) < 8:
        raise KibitzError("picture-broken", f"{path} is no picture that can be read: save it again as JPEG or PNG", path=str(path))
    return image.astype(np.uint8, copy=False)


def kinds_known() -> tuple[str, ...]:
    """The kinds of cards for which a network ships."""
    folder = shipped("models")
    return tuple(k for k in KINDS if (folder / f"{k}.onnx").exists())


def enrolled(name: str) -> Deck:
    """A deck that the user has enrolled. Raises KibitzError `deck-unknown`."""
    folder = user_folder("decks")
    path = folder / f"{name}.npz"
    if "/" in name or "\\" in name or not path.exists():
        known = ", ".join(sorted(p.stem for p in folder.glob("*.npz"))) or "none yet"
        raise KibitzError("deck-unknown", f"no deck {name!r} is enrolled (known: {known}): enrol it with `kibitz enrol PHOTO --name {name}`", deck=name)
    return load_prototypes(path)


def limit_copies(readings: list[Reading], copies: int) -> list[Reading]:
    """Readings in which no card is named more than `copies` times: the surest keep the name, the others take their next one, unsure."""
    count: Counter[str] = Counter()
    out = list(readings)
    for i in sorted(range(len(out)), key=lambda k: -out[k].margin):
        free = [(n, p) for n, p in out[i].names if n == BACK or count[n] < copies]
        if free and free[0][0] != out[i].card:
            out[i] = Reading(tuple(free), False, out[i].turned)
        if free:
            count[free[0][0]] += 1
    return out


def too_many(found: list[Found], kind: str) -> list[Found]:
    """The same cards, those unsure whose name was read more often than any deck has the card, and one slip beyond: a pattern, no cards; and of a pattern
    seen everywhere the surest alone, as many as there may be."""
    have = Counter(merged(name) for name in standard_deck(kind).names)
    sure = Counter(f.reading.card for f in found if f.reading.sure)
    seen = Counter(f.reading.card for f in found)
    rank: Counter[str] = Counter()
    out = {}
    for f in sorted(found, key=lambda f: -(f.pose + f.reading.confidence)):
        name = f.reading.card
        most = len(found) if name == BACK else have.get(merged(name), 1)
        rank[name] += 1
        if seen[name] > most + PATTERN and rank[name] > most:
            continue
        out[id(f)] = replace(f, reading=replace(f.reading, sure=False)) if f.reading.sure and sure[name] > most + 1 else f
    return [out[id(f)] for f in found if id(f) in out]


def relied_on(reading: Reading, pose: float) -> bool:
    """Whether a name read well may be relied on: not where hardly a card is seen."""
    return pose + reading.confidence >= RELIED and (reading.card != "joker" or reading.confidence >= JOKER_NAME)


def same_card(a: Found, b: Found) -> bool:
    """Whether two readings are of one card: one name about one place, or nearly one outline; but two indices the same way up are two cards', and so are
    two of different names."""
    shared = overlap(a.quad, b.quad)
    one_name = a.reading.card == b.reading.card
    if a.index is not None and b.index is not None and (not one_name or float((a.quad[1] - a.quad[0]) @ (b.quad[1] - b.quad[0])) > 0):
        return shared > 0 and float(np.linalg.norm(a.index - b.index)) < 0.05 * float(np.sqrt(abs(cv2.contourArea(a.quad))))
    return shared > (0.2 if one_name else 0.6)


def settle(found: list[Found]) -> list[Found]:
    """One of several readings of the same card, and none whose size the rest of the picture belies."""
    order = sorted(found, key=lambda f: (f.index is None or not f.reading.sure, -(f.reading.confidence * (0.3 + f.pose) * (0.3 + f.visible))))
    kept: list[Found] = []
    for f in order:
        if not any(same_card(k, f) for k in kept):
            kept.append(f)
    if len(kept) >= 3:
        size = np.log([np.sqrt(abs(cv2.contourArea(f.quad))) for f in kept])
        weight = np.array([f.reading.confidence * f.pose for f in kept])
        order_ = np.argsort(size)
        middle = size[order_][np.searchsorted(np.cumsum(weight[order_]), weight.sum() / 2)]
        kept = [f for f, s in zip(kept, size, strict=True) if abs(s - middle) < np.log(2.2) or (f.reading.sure and f.visible > 0.6)]
    return kept


class Reader:
    """Detector and the identifiers asked for so far."""

    def __init__(self) -> None:
        self.detector = Detector()
        self.outliner = Outliner()
        self._indices: IndexReader | None = None
        self._on_table: TableDetector | None = None
        self._identifiers: dict[tuple[str, str | None], Identifier] = {}

    @property
    def on_table(self) -> TableDetector:
        """The detector for a table whose plane is known, loaded when first asked for."""
        if self._on_table is None:
            self._on_table = TableDetector(self.detector, outliner=self.outliner)
        return self._on_table

    @property
    def indices(self) -> IndexReader:
        """The reader of corner indices, loaded when first asked for."""
        if self._indices is None:
            self._indices = IndexReader()
        return self._indices

    def identifier(self, kind: str, deck_name: str | None = None) -> Identifier:
        key = (kind, deck_name)
        if key not in self._identifiers:
            self._identifiers[key] = Identifier(kind, enrolled(deck_name) if deck_name else None)
        return self._identifiers[key]

    def read(self, image: Image, kind: str = "auto", deck_name: str | None = None, copies: int | None = None) -> tuple[str, list[Found]]:
        """The kind of deck and the cards of one picture (H, W, 3) BGR."""
        found = self._find(image)
        if deck_name:
            kind = enrolled(deck_name).kind
        if kind == "auto":
            best: tuple[float, str, list[Reading]] | None = None
            for k in kinds_known():
                readings = self.identifier(k).identify(image, found, both_ends=True)
                total = sum(r.confidence * r.margin for r in readings if r.card not in (NOT_A_CARD, BACK))
                if best is None or total > best[0]:
                    best = (total, k, readings)
            assert best is not None
            _, kind, readings = best
        else:
            readings = self.identifier(kind, deck_name).identify(image, found, both_ends=True)
        found, readings = self._once_more(image, found, readings, self.identifier(kind, deck_name))
        at = np.full((len(found), 2), np.nan, np.float32)
        if kind == "french":
            indexed = by_index(image, found, readings, self.indices, self.detector, self.outliner, self.identifier(kind, deck_name))
            found, readings, at = indexed.found, indexed.readings, indexed.at
        if copies:
            readings = limit_copies(readings, copies)
        return kind, too_many(self._cards(found, readings, at), kind)

    def _find(self, image: Image) -> Detections:
        """Outlines of all that may be cards."""
        rough = self.detector.search(image, same=SAME_ROUGHLY)
        fitted = self.outliner.fit(image, rough)
        found = self.outliner.fill(image, self.detector, distinct(fitted.take(np.flatnonzero(fitted.confidence > LEAST))))
        return found.take(np.flatnonzero(found.visible > LEAST_SHOWN))

    def _once_more(self, image: Image, found: Detections, readings: list[Reading], identifier: Identifier) -> tuple[Detections, list[Reading]]:
        """The same with a second try for what was not read surely: seen steeply a card is longer or shorter than guessed, and an outline fitted
        from a guess too short stays too short."""
        weak = [i for i, r in enumerate(readings) if not r.sure or r.card in (BACK, NOT_A_CARD)]
        if not weak:
            return found, readings
        quads, shown, visible, confidence = found.quad.copy(), found.shown.copy(), found.visible.copy(), found.confidence.copy()
        readings = list(readings)
        some = found.take(weak)
        for k in STRETCHES:
            again = self.outliner.fit(image, replace(some, quad=stretched(some.quad, k)))
            for j, (i, new) in enumerate(zip(weak, identifier.identify(image, again, both_ends=True), strict=True)):
                plainer = readings[i].card in (BACK, NOT_A_CARD) or new.margin > readings[i].margin
                if again.confidence[j] > LEAST and new.sure and new.card not in (BACK, NOT_A_CARD) and plainer:
                    quads[i], shown[i], visible[i], confidence[i] = again.quad[j], again.shown[j], again.visible[j], again.confidence[j]
                    readings[i] = new
        return replace(found, quad=quads, shown=shown, visible=visible, confidence=confidence), readings

    @staticmethod
    def _cards(detections: Detections, readings: list[Reading], at: NDArray[np.float32] | None = None) -> list[Found]:
        """The cards told of; `at` (N, 2): where each one's index lies, NaN where none was read."""
        found = []
        for i, r in enumerate(readings):
            if r.card == NOT_A_CARD:
                continue
            pose = float(detections.confidence[i])
            if r.sure and not relied_on(r, pose):
                r = Reading(r.names, False, r.turned)
            if r.card == BACK and pose < BACK_SEEN:
                continue
            if not r.sure and (pose + r.confidence) / 2 < LEAST_TOLD:
                continue
            index = None if at is None or np.isnan(at[i, 0]) else at[i]
            found.append(Found(r, upright(detections.quad[i], r), pose, float(detections.visible[i]), index))
        return settle(found)


def annotate(image: Image, cards: list[Found]) -> Image:
    """A copy of the picture with outlines and names."""
    out = image.copy()
    k = max(1, round(max(image.shape[:2]) / 700))
    for f in cards:
        colour = (80, 220, 60) if f.reading.sure else (40, 170, 255)
        cv2.polylines(out, [f.quad.astype(np.int32)], True, colour, 2 * k, cv2.LINE_AA)
        cv2.line(out, tuple(int(v) for v in f.quad[0]), tuple(int(v) for v in f.quad[1]), (255, 120, 40), 2 * k, cv2.LINE_AA)
        at = f.quad.mean(0)
        text = f.reading.card if f.reading.sure else f.reading.card + "?"
        for ink, width in (((0, 0, 0), 4 * k), ((255, 255, 255), k)):
            cv2.putText(out, text, (int(at[0]) - 20 * k, int(at[1])), cv2.FONT_HERSHEY_SIMPLEX, 0.5 * k, ink, width, cv2.LINE_AA)
    return out


def main(args: argparse.Namespace) -> int:
    """`kibitz read`: a JSON line, or an annotated copy under build/ and a table, for each picture."""
    cv2.setNumThreads(1)
    if args.deck_name:
        enrolled(args.deck_name)
    paths = [Path(p) for p in args.pictures]
    reader = Reader()
    status = 0
    for path in paths:
        try:
            image = load_picture(path)
        except KibitzError as error:
            print(error, file=sys.stderr)
            status = 2
            continue
        start = time.perf_counter()
        kind, cards = reader.read(image, args.deck, args.deck_name, args.copies)
        ms = (time.perf_counter() - start) * 1000
        if args.json:
            print(json.dumps({"image": str(path), "deck": kind, "ms": round(ms, 1), "cards": [f.as_json() for f in cards]}), flush=True)
            continue
        out = Path("build") / f"{path.stem}.read.jpg"
        out.parent.mkdir(exist_ok=True)
        cv2.imwrite(str(out), annotate(image, cards))
        print(f"{path}  {kind}  {ms:.0f} ms  → {out}")
        for f in cards:
            others = ", ".join(f"{n} {p:.2f}" for n, p in f.reading.names[1:3])
            print(f"    {f.reading.card:16s} {f.reading.confidence:.2f} {'sure' if f.reading.sure else 'not sure':9s} {f.visible:4.0%} shows   else {others}")
    return status
