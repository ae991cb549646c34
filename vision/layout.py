"""Cards laid out apart, as for enrolment: all of one size, whole and on one plane, so each helps to find the others.

What is found in the photograph as it is gives the table's plane; looked at from above, every card has one size and none is missed
for being faint; a gap in a row as wide as a card is looked at too.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.errors import KibitzError
from vision.above import TableDetector
from vision.detect import F32, SHOWN_H, SHOWN_W, Detections, distinct, join, overlap
from vision.edges import fit_outlines
from vision.plane import plane_from_cards

WHOLE = 0.6  # visible share from which a card may be one that lies free
LIKE_SIZE = 1.35  # cards on one table differ in size at most so much from the usual one, by perspective too
FEWEST = 4  # cards from which the others are looked for
GAP = 1.6  # pitches from one card to the next from which there is room for another between them
MISSED = 0.8  # of the usual strength of a card's edges: from there a place in a row holds a card that was missed
INSIDE = 0.15  # a card's share that may lie under its neighbour's quad

Image = NDArray[np.uint8]


def cards_apart(detector: TableDetector, image: Image, card_mm: tuple[float, float]) -> Detections:
    """The whole cards of a photograph (H, W, 3) BGR in which cards of `card_mm` lie side by side, in reading order."""
    found = _usual_size(_whole(detector.anywhere.search(image)))
    if len(found) < FEWEST:
        return _reading_order(found)
    try:
        plane = plane_from_cards(found.quad, card_mm, (image.shape[1], image.shape[0]))
    except KibitzError:
        return _reading_order(found)
    above = _usual_size(_whole(detector.on_table(image, plane, card_mm)))
    if len(above) >= 0.7 * len(found):  # else the plane is wrong: what the photograph itself shows is better
        found = _together(above, found)
    return _reading_order(_fitted(image, found))


def _fitted(image: Image, found: Detections) -> Detections:
    """The cards with outlines on their edges, and those that were missed at places where a card would lie."""
    quads, strength = fit_outlines(image, found.quad, _shapes(found.quad))
    enough = MISSED * float(np.median(strength))
    for _ in range(2):
        places = vacant(quads)
        if not len(places):
            break
        places, strong = fit_outlines(image, places, _shapes(quads, places))
        new = [q for q, s in zip(places, strong, strict=True) if s > enough and all(overlap(q, k) < INSIDE for k in quads)]
        if not new:
            break
        quads = np.concatenate([quads, np.array(new, np.float32)])
    more = len(quads) - len(found)
    return replace(_joined(found, as_detections(quads[len(found):])) if more else found, quad=quads)


def _shapes(quads: F32, at: F32 | None = None) -> F32:
    """The usual shape (N, 4, 2) of the cards nearest to each of some places (by default their own), all the same way up."""
    middle = quads.mean(1)
    upright = _one_way_up(quads - middle[:, None])
    out = []
    for p in (quads if at is None else at).mean(1):
        near = np.argsort(np.linalg.norm(middle - p, axis=1))[:9]
        out.append(np.median(upright[near], axis=0) + p)
    return np.array(out, np.float32)


def _one_way_up(shapes: F32) -> F32:
    """Shapes about the origin, each turned by half where that brings it nearer to the first."""
    return np.array([q if float((q * shapes[0]).sum()) > 0 else np.roll(q, 2, 0) for q in shapes], np.float32)


def _whole(d: Detections) -> Detections:
    return d.take(np.flatnonzero((d.visible > WHOLE) & (d.confidence > 0.25)))


def _usual_size(d: Detections) -> Detections:
    """Without what is much larger or smaller than the cards about it: another card's parts, or several cards taken for one."""
    if len(d) < 3:
        return d
    size = np.log([np.sqrt(abs(cv2.contourArea(q))) for q in d.quad])
    near = np.abs(size[:, None] - size[None]) < np.log(LIKE_SIZE) / 2
    usual = size[near[int(np.argmax(near @ d.confidence))]].mean()  # where most of them crowd
    return d.take(np.flatnonzero(np.abs(size - usual) < np.log(LIKE_SIZE)))


def _together(above: Detections, before: Detections) -> Detections:
    """What is seen from above, and what was seen before where nothing lies now."""
    lone = [i for i in range(len(before)) if before.confidence[i] > 0.4 and all(overlap(before.quad[i], q) < INSIDE for q in above.quad)]
    return distinct(_joined(above, before.take(lone)) if lone else above, same=0.3)


def _joined(a: Detections, b: Detections) -> Detections:
    return replace(join([a, b]), hand=None)


def rows_of(quads: F32) -> list[list[int]]:
    """Indices of cards (N, 4, 2) in rows from the top, each from left to right as the cards' own direction goes.

    Photographs are seldom straight: rows run along the usual direction of the cards' edges nearest to level.
    """
    if not len(quads):
        return []
    edge = quads[:, 1] - quads[:, 0]
    angle = np.arctan2(edge[:, 1], edge[:, 0]) * 4  # by quarter turns: rows may be of cards lying across
    turn = float(np.arctan2(np.sin(angle).mean(), np.cos(angle).mean())) / 4
    c, s = np.cos(turn), np.sin(turn)
    middle = quads.mean(1) @ np.array([[c, -s], [s, c]])
    height = float(np.median(np.ptp(quads @ np.array([[c, -s], [s, c]]), axis=1)[:, 1]))
    rows: list[list[int]] = []
    for i in np.argsort(middle[:, 1]):
        for row in rows:
            # Perspective and a crooked hand bend rows: the nearest card of the row decides, not its mean.
            near = min(row, key=lambda j: abs(middle[j, 0] - middle[i, 0]))
            if abs(middle[near, 1] - middle[i, 1]) < 0.5 * height:
                row.append(int(i))
                break
        else:
            rows.append([int(i)])
    rows.sort(key=lambda row: float(np.mean(middle[row, 1])))
    return [sorted(row, key=lambda j: float(middle[j, 0])) for row in rows]


def _reading_order(d: Detections) -> Detections:
    return d.take([i for row in rows_of(d.quad) for i in row])


def vacant(quads: F32) -> F32:
    """Quads (M, 4, 2) where cards (N, 4, 2) in rows leave room for one more: between neighbours, and at a row's ends where the row
    above or below goes on."""
    rows = rows_of(quads)
    middle = quads.mean(1)
    steps = [np.linalg.norm(middle[b] - middle[a]) for row in rows for a, b in pairwise(row)]
    if len(steps) < 3:
        return np.zeros((0, 4, 2), np.float32)
    pitch = float(np.median(steps))
    at: list[F32] = []
    for k, row in enumerate(rows):
        if len(row) < 2:
            continue
        for a, b in pairwise(row):
            apart = float(np.linalg.norm(middle[b] - middle[a]))
            n = round(apart / pitch) - 1 if apart > GAP * pitch else 0
            at += [middle[a] + (middle[b] - middle[a]) * (i + 1) / (n + 1) for i in range(n)]
        along = (middle[row[-1]] - middle[row[0]]) / np.linalg.norm(middle[row[-1]] - middle[row[0]])
        beside = [middle[j] @ along for other in (k - 1, k + 1) if 0 <= other < len(rows) for j in rows[other]]
        for end, step in ((row[0], -pitch * along), (row[-1], pitch * along)):
            room = max((float((b - middle[end] @ along) * np.sign(step @ along)) for b in beside), default=0.0)
            at += [middle[end] + step * (i + 1) for i in range(int(room / pitch + 0.5))]
    if not at:
        return np.zeros((0, 4, 2), np.float32)
    dots = np.repeat(np.array(at, np.float32)[:, None], 4, 1)
    return _shapes(quads, dots)


def quad_at(quads: F32, point: tuple[float, float]) -> F32:
    """The quad (4, 2) of a card that a person says lies at a point, as large and as turned as the cards nearest to it."""
    return _shapes(quads, np.array([[point] * 4], np.float32))[0]


def as_detections(quads: F32, confidence: float = 0.5) -> Detections:
    """Quads (N, 4, 2) as whole cards."""
    n = len(quads)
    ones = np.ones(n, np.float32)
    return Detections(quads.astype(np.float32), ones * confidence, ones, np.full((n, SHOWN_H, SHOWN_W), 255, np.uint8), ones)
