"""One look at a frame: find the cards on the table, look closer where something new lies that is no card yet, and read what is new."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.cards import BACK, Deck
from vision.card import Cells, angle_of
from vision.detect import Detections, distinct, join, overlap
from vision.gate import Scene
from vision.grid import CELL_MM, MARGIN_MM, Grid, Mask, share
from vision.identify import NOT_A_CARD, Reading, upright
from vision.look import Floats, Read, Sightings
from vision.plane import Plane

Image = NDArray[Any]  # uint8 BGR
Box = tuple[float, float, float, float]  # x, y of two corners, mm

CLOSE_SHORT_PX = 42.0  # short side of a card at the detector's scale in a closer look
SIZE_RANGE = (0.5, 1.75)  # area of a card's outline against its real one, beyond which it is none
ODD_SHARE = 0.35  # of a card's area: a change so large is looked at again
ODD_TRIES = 3
FAINT = 0.12  # confidence of an outline that is worth a close look
CLOSELY_MOST = 10  # of them in one frame
AS_BEFORE = 0.12  # of a card's diagonal: so near, an outline is the one that was fitted before
FITTED, SAME = 0.3, 0.4  # confidence of an outline fitted closely, and its overlap with the first one, from which it replaces that
ODD_BOXES = 2  # closer looks a frame
NO_CARD = 0.2  # probability of being no card, where it is above that of all faces together: a pattern of the cloth …
PLAINLY = 0.62  # … unless the outline is as sure as this
DOUBTFUL = 0.4  # confidence of such an outline: it may carry on a card that is known, but founds none
CLOTH_READ = 2  # so often read as no card, it is not read again before something changes there
CLOTH_MM = 8.0


class CardDetector(Protocol):
    """Finds cards in a picture."""

    def detect(self, image: Image, scale: float = 1.0) -> Detections:
        """Cards of a BGR picture, looked at with both sides scaled by `scale`."""
        ...

    def on_table(self, image: Image, plane: Plane, card_mm: tuple[float, float]) -> Detections:
        """Cards on a table whose plane is known."""
        ...

    def again(self, image: Image, found: Detections) -> Detections:
        """The same detections with outlines fitted closely; confidence 0 where there is none."""
        ...

    def there(self, image: Image, guesses: NDArray[np.float32], dots: NDArray[np.float32]) -> Detections:
        """The cards that show at points of the picture, with confidence 0 where none does; `guesses`: about how they may lie."""
        ...


class CardReader(Protocol):
    """Names cards that were found."""

    def identify(self, image: Image, detections: Detections) -> list[Reading]:
        """A reading for every detection."""
        ...


@dataclass(frozen=True, eq=False)
class Fitted:
    """An outline as it was first found (4, 2) px, the cells that it covers, and the same fitted closely."""

    rough: NDArray[np.float32]
    cells: Cells
    fitted: Detections


class CardSearch:
    """Detector and reader on one table. `note(stage, ms)` is told what each took; `clock` only measures."""

    def __init__(
        self,
        detector: CardDetector,
        reader: CardReader,
        deck: Deck,
        grid: Grid,
        clock: Callable[[], float],
        note: Callable[[str, float], None],
    ) -> None:
        self._detector, self._reader, self._deck, self._grid = detector, reader, deck, grid
        self._clock, self._note = clock, note
        self._tries = np.zeros(grid.shape, np.uint8)
        self._odd = grid.empty()
        self._cloth: list[tuple[Floats, Cells, int]] = []  # centre, cells and number of readings of what was no card
        self._fitted: list[Fitted] = []
        self.detections = Detections.none()  # of the last look

    @property
    def curious(self) -> bool:
        """True while something lies there that may be a card and was not made out yet."""
        return bool(self._odd.any())

    def forget(self) -> None:
        """The table lies elsewhere in the picture."""
        self._odd[:] = False
        self._tries[:] = 0
        self._cloth.clear()
        self._fitted.clear()

    def find(self, image: Image, plane: Plane, scene: Scene, known: Mask) -> tuple[Detections, Floats]:
        """Cards of the frame and their outlines (N, 4, 2) in mm. `known`: cells of the cards that are followed."""
        started = self._clock()
        short = max(4.0, plane.px_per_mm() * min(self._deck.size_mm))
        found = distinct(self._detector.on_table(image, plane, self._deck.size_mm), one_look=True)
        found, quads = self._plausible(found, plane)
        self._note("detect", (self._clock() - started) * 1000)
        started = self._clock()
        found, quads = self._plausible(distinct(self._closely(image, found, quads, scene), one_look=True), plane)
        self._note("again", (self._clock() - started) * 1000)
        odd = self._odd_places(scene, known, quads)
        if odd:
            started = self._clock()
            there = self._there(image, plane, np.array([dot for _, dot in odd]), quads)
            good = [k for k, q in enumerate(there.quad) if there.confidence[k] > FITTED and all(overlap(q, f) < SAME for f in found.quad)]
            found = join([found, there.take(good)])
            for box in [box for k, (box, _) in enumerate(odd) if there.confidence[k] < FITTED]:
                found = self._closer(image, plane, box, min(1.6, CLOSE_SHORT_PX / short), found)
            found, quads = self._plausible(found, plane)
            self._note("closer", (self._clock() - started) * 1000)
        found, quads = self._less_cloth(found, quads, scene)
        self.detections = found
        return found, quads

    def _less_cloth(self, found: Detections, quads: Floats, scene: Scene) -> tuple[Detections, Floats]:
        """The detections without those that were read as no card before, where nothing has changed since."""
        if not scene.light:
            self._cloth = [c for c in self._cloth if share(scene.changed, c[1]) < 0.1]
        known = [c[0] for c in self._cloth if c[2] >= CLOTH_READ]
        if not known or not len(found):
            return found, quads
        away = np.linalg.norm(quads.mean(axis=1)[:, None] - np.stack(known)[None], axis=2).min(axis=1)
        keep = np.flatnonzero((away > CLOTH_MM) | (found.confidence > PLAINLY))
        return found.take(keep), quads[keep]

    def _note_cloth(self, quad: Floats) -> None:
        """An outline was read as no card."""
        centre = quad.mean(axis=0)
        for k, (at, cells, times) in enumerate(self._cloth):
            if float(np.linalg.norm(at - centre)) < CLOTH_MM:
                self._cloth[k] = (at, cells, times + 1)
                return
        self._cloth.append((centre, self._grid.cells(quad), 1))

    def _new(self, found: Detections, quads: Floats, scene: Scene) -> list[int]:
        """The likeliest of the outlines that lie where something changed."""
        out = []
        for i in np.argsort(-found.confidence):
            if found.confidence[i] > FAINT:
                cells = self._grid.cells(quads[i])
                if share(scene.changed, cells) > 0.1 and share(scene.blocked, cells) < 0.35:
                    out.append(int(i))
        return out[:CLOSELY_MOST]

    def _closely(self, image: Image, found: Detections, where: Floats, scene: Scene) -> Detections:
        """The detections with outlines fitted closely: where something changed by a new look, elsewhere as it was fitted before. One that is
        fitted well is surer than it was."""
        if not scene.light:
            self._fitted = [f for f in self._fitted if share(scene.changed, f.cells) < 0.1]
        new = self._new(found, where, scene)
        if new:
            again = self._detector.again(image, found.take(new))
            for k, i in enumerate(new):
                if again.confidence[k] > FITTED and overlap(again.quad[k], found.quad[i]) > SAME:
                    self._fitted.append(Fitted(found.quad[i], self._grid.cells(where[i]), again.take([k])))
        if not self._fitted or not len(found):
            return found
        rough = np.stack([f.rough for f in self._fitted])
        quads, shown, visible, confidence = found.quad.copy(), found.shown.copy(), found.visible.copy(), found.confidence.copy()
        for i, quad in enumerate(found.quad):
            off = np.abs(rough - quad).max(axis=(1, 2))
            k = int(np.argmin(off))
            if off[k] < AS_BEFORE * float(np.linalg.norm(quad[2] - quad[0])):
                one = self._fitted[k].fitted
                quads[i], shown[i], visible[i] = one.quad[0], one.shown[0], one.visible[0]
                confidence[i] = max(confidence[i], one.confidence[0])
        return replace(found, quad=quads, shown=shown, visible=visible, confidence=confidence)

    def _plausible(self, found: Detections, plane: Plane) -> tuple[Detections, Floats]:
        """Detections as large as a card of the deck, on or near the table, as rectangles of exactly that size."""
        if not len(found):
            return found, np.zeros((0, 4, 2))
        quads = plane.to_mm(found.quad)
        x, y = quads[..., 0], quads[..., 1]
        area = np.abs((x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1)).sum(axis=1)) / 2
        w, h = self._deck.size_mm
        cx, cy = x.mean(axis=1), y.mean(axis=1)
        sw, sh = plane.size_mm
        share = area / (w * h)
        near = (cx > -100) & (cx < sw + 100) & (cy > -100) & (cy < sh + 100)
        good = np.flatnonzero(np.isfinite(quads).all(axis=(1, 2)) & (share > SIZE_RANGE[0]) & (share < SIZE_RANGE[1]) & near)
        quads = quads[good]
        angle = np.radians(angle_of(quads) - 90)
        c, s = np.cos(angle), np.sin(angle)
        box = np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2
        turned = np.stack([box[:, 0] * c[:, None] - box[:, 1] * s[:, None], box[:, 0] * s[:, None] + box[:, 1] * c[:, None]], axis=-1)
        return found.take(good), quads.mean(axis=1, keepdims=True) + turned

    def _there(self, image: Image, plane: Plane, dots: Floats, quads: Floats) -> Detections:
        """What lies at points (N, 2) mm, if it is a card that lies as the nearest one does (`quads` (M, 4, 2) mm) or upright."""
        w, h = self._deck.size_mm
        box = np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2 + dots[:, None]
        if len(quads):
            near = quads[np.argmin(np.linalg.norm(dots[:, None] - quads.mean(axis=1)[None], axis=2), axis=1)]
            box = near - near.mean(axis=1, keepdims=True) + dots[:, None]
        return self._detector.there(image, plane.to_px(box).astype(np.float32), plane.to_px(dots).astype(np.float32))

    def _odd_places(self, scene: Scene, known: Mask, quads: Floats) -> list[tuple[Box, tuple[float, float]]]:
        """Boxes in mm of what is new, at rest, as large as a good part of a card, and neither seen nor known to be one; and a point well inside each."""
        explained = known.copy()
        for quad in quads:
            explained[self._grid.cells(quad)] = True
        explained = cv2.dilate(explained.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
        self._tries[scene.changed] = 0
        odd = (scene.changed | self._odd) & ~explained & ~scene.blocked & (self._tries < ODD_TRIES)
        odd &= cv2.morphologyEx(odd.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)) > 0
        if not odd.any():
            self._odd = odd
            return []
        least = ODD_SHARE * self._deck.size_mm[0] * self._deck.size_mm[1] / CELL_MM**2
        count, labels, stats, _ = cv2.connectedComponentsWithStats(odd.astype(np.uint8), connectivity=8)
        out: list[tuple[Box, tuple[float, float]]] = []
        keep = self._grid.empty()
        for i in sorted(range(1, count), key=lambda i: -int(stats[i, cv2.CC_STAT_AREA])):
            if stats[i, cv2.CC_STAT_AREA] < least:
                break
            part = labels == i
            self._tries[part] += 1
            keep |= part & (self._tries < ODD_TRIES)
            x, y, w, h = (int(stats[i, k]) for k in (cv2.CC_STAT_LEFT, cv2.CC_STAT_TOP, cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT))
            if len(out) < ODD_BOXES:
                deep = cv2.distanceTransform(np.pad(part.astype(np.uint8), 1), cv2.DIST_L2, 3)[1:-1, 1:-1]
                dy, dx = np.unravel_index(int(np.argmax(deep)), deep.shape)
                low = (x * CELL_MM - MARGIN_MM, y * CELL_MM - MARGIN_MM)
                inside = ((float(dx) + 0.5) * CELL_MM - MARGIN_MM, (float(dy) + 0.5) * CELL_MM - MARGIN_MM)
                out.append(((*low, low[0] + w * CELL_MM, low[1] + h * CELL_MM), inside))
        self._odd = keep
        return out

    def _closer(self, image: Image, plane: Plane, box: Box, scale: float, found: Detections) -> Detections:
        """The detections with those of a closer look at a box (mm) and what lies around it."""
        m = max(self._deck.size_mm) * 0.9
        x0, y0, x1, y1 = box
        corners = plane.to_px([(x0 - m, y0 - m), (x1 + m, y0 - m), (x1 + m, y1 + m), (x0 - m, y1 + m)])
        height, width = image.shape[:2]
        low = np.clip(np.floor(corners.min(axis=0)), 0, (width, height)).astype(int)
        high = np.clip(np.ceil(corners.max(axis=0)), 0, (width, height)).astype(int)
        if (high - low).min() < 24:
            return found
        part = self._detector.detect(image[low[1] : high[1], low[0] : high[0]], scale)
        part = part.take(np.flatnonzero(part.confidence > 0.1))
        if not len(part):
            return found
        moved = Detections(part.quad + low.astype(np.float32), part.confidence, part.visible, part.shown, part.short)
        inside = moved.quad.mean(axis=1)
        mm = plane.to_mm(inside)
        new = (mm[:, 0] > x0 - 8) & (mm[:, 0] < x1 + 8) & (mm[:, 1] > y0 - 8) & (mm[:, 1] < y1 + 8)
        part = distinct(moved.take(np.flatnonzero(new)))
        fresh = [i for i, q in enumerate(part.quad) if all(overlap(q, k) < 0.5 for k in found.quad)]
        return join([found, part.take(fresh)])

    def read(self, image: Image, found: Detections, quads: Floats, wanted: NDArray[np.bool_]) -> Sightings:
        """What was found as the tracker takes it; only the `wanted` ones are read."""
        started = self._clock()
        at = np.flatnonzero(wanted)
        readings = dict(zip(at.tolist(), self._reader.identify(image, found.take(at)), strict=True))
        self._note("identify", (self._clock() - started) * 1000)
        quads = quads.copy()
        names: list[Read] = []
        back = np.zeros(len(found))
        confidence = found.confidence.astype(float)
        keep = []
        for i in range(len(found)):
            reading = readings.get(i)
            if reading is None:
                keep.append(i)
                names.append(())
                continue
            p = dict(reading.names)
            down, none = p.pop(BACK, 0.0), p.pop(NOT_A_CARD, 0.0)
            cloth = none >= NO_CARD and none > sum(p.values()) and confidence[i] < PLAINLY
            if cloth:
                self._note_cloth(quads[i])
                confidence[i] = min(confidence[i], DOUBTFUL)
            if reading.card == NOT_A_CARD and reading.confidence > 0.6:
                continue
            keep.append(i)
            back[i] = 0.0 if cloth else down
            names.append(tuple(p.items()) if p else ((self._deck.names[0], 0.0),))
            quads[i] = upright(quads[i], reading)
            if not cloth and reading.card != NOT_A_CARD and reading.confidence > 0.7:  # what reads well as a card is one
                confidence[i] = 1 - (1 - confidence[i]) * (1 - 0.6 * reading.confidence * min(1.0, 2 * float(found.visible[i])))
        return Sightings(quads[keep], confidence[keep], found.visible[keep].astype(float), tuple(names), back[keep])
