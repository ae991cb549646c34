"""Cards and their corner indices brought together: the index names a card of which little else shows, and finds one that was not found."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect import SHOWN_H, SHOWN_W, Detections, Detector, join, overlap
from vision.identify import SURE, Identifier, Reading
from vision.index import NAMES, IndexReader, Indices, short_sides
from vision.outline import FILL_SHORT_PX, LEAST, Outliner

FLOOR = 0.02  # share of a name that the face's look can never rule out
FACE = 0.75  # confidence of a face that shows plainly, which its index must not contradict
TRUST = 0.97  # in what an index says that is there for certain
CORNER = (0.3, 0.42)  # of a card's sides: an index lies nearer to its corner
NEAR, PLAIN = 0.07, 0.5  # of a card's sides: how far at most an index lies from where the index itself says; twice that where so much of it shows
AGAIN = 0.3  # of a card's sides: how far at most an index of the same name lies from its place in the card's third or fourth corner
CERTAIN = 0.8  # how surely there is an index of its name, from which it is none of a picture's ornaments
HEARD = 0.5  # how surely there is an index of its name, from which it is heard at all
BORN = 0.7  # how surely there is an index of its name, from which it alone tells a card
ON_CARD = 0.5  # how sure the detector is that some card shows where an index lies
LEAST_SHOWN = 0.07  # of a card whose index shows

F32 = NDArray[np.float32]
_UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)


def place(quad: F32, at: F32) -> F32:
    """A point (2,) of the picture in a card's own frame, 0..1 along its sides."""
    m = cv2.getPerspectiveTransform(quad.astype(np.float32), _UNIT)
    return np.asarray(cv2.perspectiveTransform(at[None, None].astype(np.float64), m)[0, 0], np.float32)


def _axes(quad: F32) -> tuple[F32, F32]:
    return (quad[1] + quad[2] - quad[0] - quad[3]) / 2, (quad[2] + quad[3] - quad[0] - quad[1]) / 2


def _lies(quad: F32, index: F32) -> bool:
    """Whether an outline is turned and large about as an index says, either end up."""
    (u, v), (a, b) = _axes(quad), _axes(index)
    along = abs(float(u @ a)) / max(float(np.linalg.norm(u) * np.linalg.norm(a)), 1e-6)
    ratio = [float(np.linalg.norm(p)) / max(float(np.linalg.norm(q)), 1e-6) for p, q in ((u, a), (v, b))]
    return along > 0.85 and all(0.6 < k < 1.65 for k in ratio)


def quarter_turns(quad: F32, index: F32, at: F32, near: float = NEAR) -> int | None:
    """By how many corners to roll the outline so that it begins with the one that has the index, where the index at `at` (2,) with its card `index`
    (4, 2) is one of this outline's; else None. Seen steeply a card may look wider than long: the index knows which side is which."""
    a, _ = _axes(index)
    turns = [np.roll(quad, r, 0) for r in range(4)]
    r = int(np.argmax([float(_axes(q)[0] @ a) / max(float(np.linalg.norm(_axes(q)[0])), 1e-6) for q in turns]))
    if not _lies(turns[r], index):
        return None
    x, y = place(turns[r], at)
    off = np.abs(np.array([x, y]) - place(index, at))
    return r if -0.03 < x < CORNER[0] and -0.03 < y < CORNER[1] and off.max() < near else None


def rolled(found: Detections, i: int, r: int) -> Detections:
    """Detection i alone, beginning with another corner."""
    one = found.take([i])
    shown = np.rot90(one.shown[0], -r)
    shown = cv2.resize(np.ascontiguousarray(shown), (SHOWN_W, SHOWN_H), interpolation=cv2.INTER_LINEAR) if r % 2 else shown
    return replace(one, quad=np.roll(one.quad, r, 1), shown=np.ascontiguousarray(shown)[None].astype(np.uint8, copy=False))


def _shows(shown: NDArray[np.uint8], quad: F32, at: F32) -> bool:
    x, y = place(quad, at)
    j, i = int(np.clip(x * SHOWN_W, 0, SHOWN_W - 1)), int(np.clip(y * SHOWN_H, 0, SHOWN_H - 1))
    return bool(shown[max(i - 1, 0) : i + 2, max(j - 1, 0) : j + 2].max() > 127)


def pairs(found: Detections, indices: Indices) -> list[int]:
    """For each index the detection (its number) whose corner it is, or -1; a detection has one at each end at most, and both of one name."""
    near: list[tuple[float, int, int]] = []
    for k, (at, quad) in enumerate(zip(indices.at, indices.quad, strict=True)):
        for i, q in enumerate(found.quad):
            r = quarter_turns(q, quad, at, NEAR * (2 if found.visible[i] > PLAIN else 1))
            if r is not None and _shows(found.shown[i], q, at):
                near.append((float(np.abs(place(np.roll(q, r, 0), at) - place(quad, at)).sum()) - 0.1 * overlap(q, quad), k, i))
    out = [-1] * len(indices)
    has: dict[int, list[int]] = {}
    for _, k, i in sorted(near):
        others = has.setdefault(i, [])
        if out[k] < 0 and all(indices.same_card(k, j) for j in others):
            out[k] = i
            others.append(k)
    return out


def together(reading: Reading, names: F32, trust: float, deck_names: frozenset[str], plain: bool = False) -> Reading:
    """A reading of a face and that of its index, taken as two witnesses; `trust` 0..1 in the index; `plain`: much of the face shows, and where it was
    read well as another card, neither is relied on (some decks print other letters)."""
    p = dict(reading.names)
    rest = max(0.0, 1 - sum(p.values())) / max(len(deck_names) - len(p), 1)
    out = {}
    for name in sorted({*p, *(n for n, v in zip(NAMES, names, strict=True) if v > 0.01 and n in deck_names)}):
        index = float(names[NAMES.index(name)]) if name in NAMES else 0.0
        out[name] = (p.get(name, rest) + FLOOR) * (trust * index + (1 - trust) / len(NAMES))
    total = sum(out.values())
    ranked = tuple(sorted(((n, v / total) for n, v in out.items()), key=lambda t: -t[1])[:4])
    least, lead = SURE["french"]
    sure = ranked[0][1] >= least and ranked[0][1] - (ranked[1][1] if len(ranked) > 1 else 0) >= lead and ranked[0][0] in NAMES
    if plain and reading.sure and reading.confidence > FACE and ranked[0][0] != reading.card:
        sure = False
    return Reading(ranked, bool(sure), reading.turned)


def _off(x: float, y: float, corner: F32, of: str) -> float:
    """How far (x, y) in a card's frame is from the place of an index at `corner` in the card's corners: `of` "sides" (the third and
    fourth corner, where only some decks print one), "others" (all but its own) or "all"."""
    a, b = float(corner[0]), float(corner[1])
    spots = [*([(a, b)] if of == "all" else []), *([(1 - a, 1 - b)] if of != "sides" else []), (1 - a, b), (a, 1 - b)]
    return min(max(abs(x - s), abs(y - t)) for s, t in spots)


def idle(found: Detections, readings: list[Reading], indices: Indices, belongs: list[int], k: int) -> bool:
    """Whether index k tells of no card of its own: it lies in one more corner of a card that was read, as decks print that have four, or doubtful
    in the picture of a card that shows and was read plainly."""
    at, name = indices.at[k], int(indices.names[k].argmax())
    doubtful = indices.confidence[k] * indices.names[k].max() < CERTAIN
    for i, q in enumerate(found.quad):
        x, y = place(q, at)
        if not (-AGAIN < x < 1 + AGAIN and -AGAIN < y < 1 + AGAIN):
            continue
        own = [j for j, n in enumerate(belongs) if n == i]
        for j in own:
            again = int(indices.names[j].argmax()) == name
            off = _off(x, y, place(q, indices.at[j]), "others" if again else "sides")
            if off < (AGAIN if again else NEAR) and (again or found.visible[i] > PLAIN):
                return True
        if not readings[i].sure or found.visible[i] <= PLAIN:
            continue
        if not own and readings[i].card == NAMES[name] and _off(x, y, place(indices.quad[k], at), "all") < 2 * NEAR:
            return True
        if doubtful and 0 <= x <= 1 and 0 <= y <= 1 and _shows(found.shown[i], q, at):
            return True
    return False


@dataclass(frozen=True)
class Indexed:
    """Detections, their readings, and where each one's index lies (N, 2) px, NaN where none was seen."""

    found: Detections
    readings: list[Reading]
    at: F32


def _on_card(image: NDArray[np.uint8], detector: Detector, some: Indices) -> NDArray[np.bool_]:
    """Whether some card shows where each index lies (N,): letters on paper are no cards'."""
    if not len(some):
        return np.zeros(0, bool)
    card, cell = detector.card_map(image, min(FILL_SHORT_PX / float(np.median(short_sides(some.quad))), 1.6))
    j, i = (np.clip((some.at[:, a] / cell).astype(int), 0, card.shape[1 - a] - 1) for a in (0, 1))
    return np.asarray(card[i, j] > ON_CARD)


def _from_corner(image: NDArray[np.uint8], some: Indices, outliner: Outliner) -> tuple[Detections, NDArray[np.bool_]]:
    """The cards of which the indices `some` are: their outlines fitted, or as the index says where that leads to another card; whether each was fitted (N,)."""
    new = outliner.at(image, some.quad, some.at)
    parts, fitted = [], np.zeros(len(some), bool)
    for j, (at, quad) in enumerate(zip(some.at, some.quad, strict=True)):
        r = quarter_turns(new.quad[j], quad, at) if new.confidence[j] > LEAST else None
        if r is None and new.confidence[j] > LEAST and new.visible[j] > PLAIN:  # in the third or fourth corner of a card that shows
            for n in range(2):
                turned = np.roll(new.quad[j], n, 0)
                x, y = map(float, place(turned, at))
                if _lies(turned, quad) and _off(x, y, place(quad, at), "sides") < NEAR:
                    r = n
        fitted[j] = r is not None
        one = rolled(new, j, r or 0)
        if r is None:
            x, y = place(quad, at)
            shown = np.zeros((1, SHOWN_H, SHOWN_W), np.uint8)
            shown[0, : max(2, round(2 * y * SHOWN_H)), : max(2, round(2 * x * SHOWN_W))] = 255
            one = replace(one, quad=quad[None], shown=shown, visible=np.array([(shown > 127).mean()], np.float32))
        parts.append(one)
    new = join(parts)
    sure = np.maximum(new.confidence, some.confidence).astype(np.float32)
    return replace(new, visible=np.maximum(new.visible, LEAST_SHOWN), confidence=sure), fitted


def by_index(
    image: NDArray[np.uint8], found: Detections, readings: list[Reading], reader: IndexReader, detector: Detector, outliner: Outliner, identifier: Identifier
) -> Indexed:
    """The detections and readings of a picture (H, W, 3) BGR of playing cards with what their indices say, and the cards of which only an index told."""
    indices = reader.find(image, short_sides(found.quad[found.confidence > 0.4]))
    indices = indices.take(np.flatnonzero(indices.confidence * indices.names.max(1) > HEARD))
    indices = indices.take(np.flatnonzero(_on_card(image, detector, indices)))
    belongs = pairs(found, indices)
    own = [k for k, i in enumerate(belongs) if i >= 0]
    readings = list(readings)
    turned: dict[int, Detections] = {}
    for k in own:
        i = belongs[k]
        r = quarter_turns(found.quad[i], indices.quad[k], indices.at[k], 2 * NEAR)
        if i not in turned and r:
            turned[i] = rolled(found, i, r)
            if r % 2:  # it was read lying across
                readings[i] = identifier.identify(image, turned[i], both_ends=True)[0]
    found = join([turned.get(i, found.take([i])) for i in range(len(found))])
    lone: list[int] = []
    for k in map(int, np.flatnonzero(indices.confidence * indices.names.max(1) > BORN)):
        if belongs[k] < 0 and not any(indices.same_card(k, j) for j in own + lone) and not idle(found, readings, indices, belongs, k):
            lone.append(k)
    if lone:
        new, fitted = _from_corner(image, indices.take(lone), outliner)
        fresh = identifier.identify(image, new, both_ends=True)
        for n in np.argsort(~fitted, kind="stable"):  # the surest of those fitted first: others may say the same again
            if not idle(found, readings, indices, belongs, lone[n]):
                belongs[lone[n]] = len(found)
                readings.append(fresh[n])
                found = join([found, new.take([n])])
    confidence = found.confidence.copy()
    where = np.full((len(found), 2), np.nan, np.float32)
    names = frozenset(identifier.deck.cards)
    for k, i in enumerate(belongs):
        if i >= 0:
            where[i] = indices.at[k] if np.isnan(where[i, 0]) else where[i]
            confidence[i] = max(confidence[i], indices.confidence[k])
            readings[i] = together(readings[i], indices.names[k], float(indices.confidence[k]) * TRUST, names, bool(found.visible[i] > PLAIN))
    return Indexed(replace(found, confidence=confidence), readings, where)
