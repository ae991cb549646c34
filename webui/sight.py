"""The pipeline as the house uses it: finds the table first, then follows it. Built for a source and what was set up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import cv2
import numpy as np

from scorer.cards import Deck, standard_deck
from scorer.errors import KibitzError
from scorer.game import find_game
from scorer.table import TableState, Zone
from vision.frame import Frame, Source, SourceState
from vision.health import Health, measure
from vision.identify import Reading, upright
from vision.markers import find_markers, plane_from_markers
from vision.pipeline import Pipeline
from vision.plane import Plane, plane_from_cards, plane_from_corners
from vision.read import Found, Reader
from vision.zones import default_seats, preset

from .eyes import Look, Sight
from .settings import Settings

KIND = {"gostop": "hwatu", "spit": "french", "speed": "french", "stopbus": "french", "thegame": "numbers"}
TABLE_MM = (900.0, 600.0)  # where corners are set but no size is given
SEARCH_MS = 700.0  # between two tries to find a table that nobody has shown
HEALTH_MS = 500.0
CARDS_TO_FIND_TABLE = 3


def make_look(settings: Settings, source: Source) -> Look:
    """The pipeline for a source. Raises KibitzError where a network or a deck cannot be loaded."""
    return TableLook(settings, source)


def _zone(z: Mapping[str, Any]) -> Zone:
    polygon = tuple((float(x), float(y)) for x, y in z.get("polygon_mm") or ())
    return Zone(str(z["name"]), str(z["kind"]), z.get("player"), int(z.get("index") or 0), z.get("dir"), polygon)


class TableLook:
    """One table through one source. Until its plane is known every so often a frame is searched for markers, then for cards."""

    def __init__(self, settings: Settings, source: Source) -> None:
        self._table: dict[str, Any] = dict(settings.table or {})
        self._game = find_game(settings.game).name
        players = settings.active or settings.players
        self._seats = {str(s["player"]): str(s["edge"]) for s in self._table.get("seats") or ()} or default_seats(self._game, players)
        self._kind = KIND[self._game]
        self._deck_name = settings.deck_name
        self._deck: Deck = standard_deck(self._kind, int((settings.options or {}).get("jokers", 0) or 0))
        self._reader = Reader()
        self._identifier = self._reader.identifier(self._kind, self._deck_name)
        self._pictures = source.status().kind == "pictures"
        self._pipeline: Pipeline | None = None
        self._tried_ms = -1e9
        self._health = Health()
        self._codes: tuple[str, ...] = ()
        self._health_ms = -1e9
        self._last: Frame | None = None

    def __call__(self, source: Source) -> Iterator[Sight | None]:
        cv2.setNumThreads(1)
        while True:
            frame = source.read(1.0)
            if frame is None:
                if source.status().state is SourceState.ENDED:
                    return
                yield None
                continue
            self._last = frame
            yield self._picture(frame) if self._pictures else self._see(frame)

    def _see(self, frame: Frame) -> Sight:
        if self._pipeline is None and frame.t_ms - self._tried_ms >= SEARCH_MS:
            self._tried_ms = frame.t_ms
            plane = self._plane(frame)
            if plane is not None:
                self._begin(plane)
        if frame.t_ms - self._health_ms >= HEALTH_MS:
            self._health_ms = frame.t_ms
            plane = self._pipeline.plane if self._pipeline else None
            self._codes = self._health.update(measure(frame.image, plane, self._deck.size_mm))
        if self._pipeline is None:
            return Sight(frame, None, health=self._codes)
        state: TableState = self._pipeline.step(frame)
        return Sight(frame, state, self._pipeline.overlay(), self._pipeline.hidden(), self._codes)

    def _picture(self, frame: Frame) -> Sight:
        """A photograph stands for itself: what lies in it is read as it is, without a table or a game's course."""
        _, found = self._reader.read(frame.image, self._kind, self._deck_name)
        return Sight(frame, None, tuple(_outline(i, f) for i, f in enumerate(found)), health=())

    def _begin(self, plane: Plane) -> None:
        zones = tuple(_zone(z) for z in self._table.get("zones") or ()) or preset(self._game, plane.size_mm, self._seats)
        if self._pipeline is None:
            self._pipeline = Pipeline(plane, self._deck, zones, self._seats, self._reader.detector, self._identifier)
        else:
            self._pipeline.set_plane(plane)
            self._pipeline.set_zones(zones)

    def _plane(self, frame: Frame) -> Plane | None:
        corners = self._table.get("corners_px")
        if corners:
            return plane_from_corners(corners, tuple(self._table.get("size_mm") or TABLE_MM))
        try:
            return self._found(frame)
        except KibitzError:
            return None

    def _found(self, frame: Frame) -> Plane:
        """The table from the printed markers, else from the cards. Raises KibitzError where neither shows it."""
        markers = find_markers(frame.image)
        if len(markers) >= 3:
            size = self._table.get("size_mm")
            return plane_from_markers(markers, size_mm=tuple(size) if size else None)
        d = self._reader.detector.search(frame.image)
        d = d.take(np.flatnonzero((d.confidence > 0.5) & (d.visible > 0.7)))
        readings: list[Reading] = self._identifier.identify(frame.image, d)
        quads = [upright(q, r) for q, r in zip(d.quad, readings, strict=True) if r.sure]
        if len(quads) < CARDS_TO_FIND_TABLE:
            raise KibitzError("too-few-cards", "no table is found: lay out a few cards face up, lay the printed markers, or drag the corners")
        h, w = frame.image.shape[:2]
        return plane_from_cards(np.array(quads), self._deck.size_mm, (w, h))

    def command(self, name: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        """`corners` {corners_px, size_mm}, `zones` {zones}, `find-table`. Raises KibitzError where it cannot be done."""
        if self._last is None:
            raise KibitzError("no-picture", "no picture has come yet: wait for the camera, then try again")
        if name == "zones":
            zones = args.get("zones")
            try:
                parsed = tuple(_zone(z) for z in zones or ())
            except (KeyError, TypeError, ValueError) as error:
                raise KibitzError("bad-zones", "a zone needs a name, a kind and a polygon in millimetres: draw it again") from error
            if self._pipeline is None:
                raise KibitzError("no-table", "set the table's corners before its zones")
            self._pipeline.set_zones(parsed)
            self._table["zones"] = zones
            return {"zones": zones}
        if name == "corners":
            size = args.get("size_mm") or self._table.get("size_mm") or TABLE_MM
            try:
                plane = plane_from_corners(np.asarray(args.get("corners_px"), float), (float(size[0]), float(size[1])))
            except (TypeError, ValueError) as error:
                raise KibitzError("corners-bad", "four corners are needed, each with x and y: drag them again") from error
        else:
            plane = self._found(self._last)
        found = {"corners_px": np.round(plane.corners_px(), 1).tolist(), "size_mm": [round(v, 1) for v in plane.size_mm]}
        self._table |= found
        self._table.pop("zones", None)
        self._begin(plane)
        return found


def _outline(number: int, f: Found) -> dict[str, Any]:
    state = "settled" if f.reading.sure else "unsure"
    return {
        "track": number, "id": number, "card": f.reading.card, "sure": f.reading.sure, "state": state, "zone": "", "zone_kind": "", "player": None,
        "face_up": True, "visible": round(f.visible, 2), "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in f.quad],
        "others": [[n, round(p, 3)] for n, p in f.reading.names[1:4]],
    }
