"""The pipeline as the house uses it: finds the table, follows it, and describes every frame for the pages (`eyes.Look`).

Two ways of looking: a *table* is followed from frame to frame by `vision.pipeline`; *pictures* are read one by one and each
counts as what one player has captured, for somebody who wants a photograph counted.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from scorer.cards import Deck, merged, standard_deck
from scorer.errors import KibitzError
from scorer.game import find_game
from scorer.table import Seen, TableState, Zone, zone_from
from vision.finish import EveryFrame, has_piles
from vision.frame import Frame, Source, SourceState
from vision.health import Health, measure
from vision.identify import NOT_A_CARD
from vision.markers import find_markers, plane_from_markers
from vision.pipeline import Pipeline
from vision.plane import Plane, aspect_from_corners, plane_from_cards, plane_from_corners, table_size_from_cards
from vision.read import Found, Reader
from vision.zones import default_seats, preset

from .eyes import Look, Sight
from .settings import Settings

SEARCH_MS = 700.0  # between two looks for a table that is not found yet
HEALTH_MS = 1000.0
FEWEST_CARDS = 4  # from which a table is found by its cards
LEAST_QUALITY = 0.4
USUAL_HEIGHT_MM = 600.0  # of a table whose size nothing tells
COUNTED = "captures-A"
HELD_LARGER = 1.25  # a card held up is that much larger than the next

Image = npt.NDArray[np.uint8]


class Sights:
    """Makes looks; the networks are loaded once and shared by all of them."""

    def __init__(self) -> None:
        self._reader: Reader | None = None

    def __call__(self, chosen: Settings, source: Source) -> Look:
        """Raises KibitzError where a network or a deck is missing, or the table's description does not fit."""
        if self._reader is None:
            self._reader = Reader()
        kind = find_game(chosen.game).deck
        self._reader.identifier(kind, chosen.deck_name)
        table = chosen.table or {}
        if source.status().kind == "pictures" and not table.get("corners_px"):
            return PictureLook(chosen, self._reader, kind)
        return TableLook(chosen, self._reader, kind)


def deck_in_play(chosen: Settings) -> Deck:
    """The cards on the table: the game's deck with the bonus cards that its rules and options put in."""
    game = find_game(chosen.game)
    options = chosen.options or {}
    if game.deck != "hwatu":
        return standard_deck(game.deck)
    rules = game.rules(chosen.ruleset, chosen.overrides)
    named = options.get("bonus") or dict(rules["bonus"])
    count = options.get("jokers", rules["jokers"])
    return standard_deck("hwatu", dict(list(named.items())[: int(count)]))


def zones_in_play(chosen: Settings, size_mm: tuple[float, float], card_mm: tuple[float, float]) -> tuple[Zone, ...]:
    """The zones set by hand, else the usual ones of the game for these seats. Raises KibitzError."""
    table = chosen.table or {}
    given = table.get("zones")
    if given:
        return tuple(zone_from(z, "zones") for z in given)
    try:
        return preset(chosen.game, size_mm, seats_in_play(chosen), card_mm)
    except ValueError as error:
        raise KibitzError("bad-setup", f"the seats do not fit: {error}", key="seats") from error


def seats_in_play(chosen: Settings) -> dict[str, str]:
    """{player: edge of the table} of those who play."""
    table = chosen.table or {}
    given = {str(s["player"]): str(s["edge"]) for s in table.get("seats") or () if isinstance(s, Mapping) and "player" in s and "edge" in s}
    playing = chosen.active or chosen.players
    return given or default_seats(chosen.game, playing[:4])


def _seen_as(cards: Sequence[Found]) -> tuple[dict[str, Any], ...]:
    """Outlines of cards that no table is known for yet."""
    return tuple(
        {
            "id": i, "card": f.reading.card if f.reading.card != NOT_A_CARD else "", "state": "settled" if f.reading.sure else "unsure",
            "others": [[n, round(p, 3)] for n, p in f.reading.names if n != NOT_A_CARD][:4],
            "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in f.quad], "zone": "", "zone_kind": "", "player": None,
        }
        for i, f in enumerate(cards)
    )  # fmt: skip


def held_up(found: Sequence[Found], hidden: Sequence[Any]) -> dict[str, Any]:
    """The largest card where it stands out from the others by size or lies alone; never one among a player's own cards.

    found: cards of one picture; hidden: polygons in pixels over which a player's own cards lie. {"card", "others", "sure"}.
    """
    cards = []
    for f in found:
        x, y = (float(v) for v in f.quad.mean(axis=0))
        inside = any(cv2.pointPolygonTest(np.asarray(p, np.float32).reshape(-1, 1, 2), (x, y), False) >= 0 for p in hidden)
        if not inside and f.reading.card != NOT_A_CARD and f.visible > 0.5:
            cards.append((float(np.sqrt(abs(cv2.contourArea(f.quad.astype(np.float32))))), f.reading))
    cards.sort(key=lambda c: -c[0])
    if not cards or (len(cards) > 1 and cards[0][0] < HELD_LARGER * cards[1][0]) or not cards[0][1].sure:
        return {"card": None, "others": [], "sure": False}
    reading = cards[0][1]
    return {"card": reading.card, "others": [[n, round(p, 3)] for n, p in reading.names[1:4] if n != NOT_A_CARD], "sure": True}


class _Picture:
    """Health of the picture, measured now and then."""

    def __init__(self) -> None:
        self._health = Health()
        self._measured_ms = -1e18
        self.codes: tuple[str, ...] = ()

    def look(self, frame: Frame, plane: Plane | None, card_mm: tuple[float, float]) -> tuple[str, ...]:
        """Codes of what is wrong with the picture."""
        if not 0 <= frame.t_ms - self._measured_ms < HEALTH_MS:
            self._measured_ms = frame.t_ms
            self.codes = self._health.update(measure(frame.image, plane, card_mm))
        return self.codes


class TableLook:
    """Follows one table. Until its corners are set or found it reads the cards all the same, so that set-up can show them."""

    def __init__(self, chosen: Settings, reader: Reader, kind: str) -> None:
        self._chosen, self._reader, self._kind = chosen, reader, kind
        self._deck = deck_in_play(chosen)
        self._table: dict[str, Any] = dict(chosen.table or {})
        self._lock = threading.Lock()
        self._wanted: Plane | None = None
        self._newest: Frame | None = None
        self._pipeline: Pipeline | None = None
        self._drawn: tuple[object, tuple[dict[str, Any], ...], tuple[Any, ...]] | None = None
        self._picture = _Picture()
        self._searched_ms = -1e18
        self._found: tuple[Found, ...] = ()
        self._full_rate = False
        self._piles = has_piles(zones_in_play(chosen, (800.0, 600.0), self._deck.size_mm))  # what does not fit is said before the camera opens

    # -- eyes.Look -------------------------------------------------------------------------------------------------------

    def __call__(self, source: Source) -> Iterator[Sight | None]:
        # A photo finish needs every frame of a camera, however long the cards of one take to read.
        every = EveryFrame(source, self._hands) if source.live and self._piles else None
        self._full_rate = every is not None
        try:
            while True:
                frame = (every or source).read(0.5)
                if frame is None:
                    if source.status().state is SourceState.ENDED:
                        return
                    yield None
                    continue
                self._newest = frame
                yield self._see(frame)
        finally:
            if every is not None:
                every.stop()

    def _hands(self, frame: Frame) -> None:
        pipeline = self._pipeline
        if pipeline is not None and pipeline.finish is not None:
            pipeline.finish.see(frame)

    def command(self, name: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        """corners {corners_px, size_mm?}, find-table {}, zones {zones}. Raises KibitzError."""
        frame = self._newest
        if frame is None:
            raise KibitzError("no-picture", "no picture has come from the camera yet: wait for one and try again")
        if name == "find-table":
            plane = self._search(frame, self._read(frame.image))
            if plane is None:
                raise KibitzError("no-table", "the table was not found: lay some cards on it, or drag the corners")
        elif name == "corners":
            plane = self._plane_of(args.get("corners_px"), args.get("size_mm"), frame)
        else:
            return self._draw_zones(args.get("zones"))
        with self._lock:
            self._wanted = plane
        corners = [[round(float(x), 1), round(float(y), 1)] for x, y in plane.corners_px()]
        return {"corners_px": corners, "size_mm": [round(v, 1) for v in plane.size_mm]}

    def held(self) -> Mapping[str, Any]:
        """The card held up to the camera, read anew on the whole picture: on the table cards have one size, this one is larger."""
        frame = self._newest
        if frame is None:
            raise KibitzError("no-picture", "no picture has come from the camera yet: wait for one and try again")
        pipeline = self._pipeline
        return held_up(self._read(frame.image), pipeline.hidden() if pipeline else ())

    def zones(self) -> list[dict[str, Any]]:
        """The zones in force, hands left out, with their polygons in pixels of the newest frame; [] while no table is found."""
        pipeline = self._pipeline
        if pipeline is None:
            return []
        shown = [z for z in pipeline.view.zones.zones if z.kind != "hand" and z.polygon_mm]
        return [
            {"name": z.name, "kind": z.kind, "player": z.player, "index": z.index, "dir": z.dir,
             "polygon_px": [[round(float(x), 1), round(float(y), 1)] for x, y in pipeline.plane.to_px(np.array(z.polygon_mm))]}
            for z in shown
        ]  # fmt: skip

    def _draw_zones(self, zones: object) -> Mapping[str, Any]:
        """Zones drawn anew, in millimetres or in pixels; the hands' stay where they are. An empty list: the usual ones."""
        if not isinstance(zones, list) or not all(isinstance(z, Mapping) for z in zones):
            raise KibitzError("bad-setup", "zones must be a list: draw them again", key="zones")
        pipeline = self._pipeline
        if pipeline is None:
            raise KibitzError("no-table", "the table is not found yet: set its corners before its zones")
        usual = zones_in_play(replace(self._chosen, table={**self._table, "zones": None}), pipeline.plane.size_mm, self._deck.size_mm)
        drawn = tuple(zone_from(_in_mm(z, pipeline.plane), "zones") for z in zones)
        made = (*drawn, *(z for z in usual if z.kind == "hand")) if drawn else usual
        with self._lock:
            pipeline.set_zones(made)
        kept = [_plain_zone(z) for z in made] if drawn else []
        self._table["zones"] = kept
        return {"zones": kept}

    # -- inside ----------------------------------------------------------------------------------------------------------

    def _see(self, frame: Frame) -> Sight:
        pipeline = self._pipeline_for(frame)
        if pipeline is None:
            health = (*self._picture.look(frame, None, self._deck.size_mm), "no-table")
            return Sight(frame, None, _seen_as(self._found), (), health)
        state = pipeline.step(frame)
        health = self._picture.look(frame, pipeline.plane, self._deck.size_mm)
        if pipeline.finish is not None and pipeline.finish.too_dark() and "dark" not in health:
            health = (*health, "dark-slaps")
        cards, hidden = self._outlines(pipeline, state)
        return Sight(frame, state, cards, hidden, (*health, "moved") if state.lost else health, instants=pipeline.instants())

    def _pipeline_for(self, frame: Frame) -> Pipeline | None:
        with self._lock:
            wanted, self._wanted = self._wanted, None
        if wanted is None and self._pipeline is None:
            wanted = self._first_plane(frame)
        if wanted is None:
            return self._pipeline
        if self._pipeline is None:
            chosen = replace(self._chosen, table=self._table)
            identifier = self._reader.identifier(self._kind, self._chosen.deck_name)
            zones = zones_in_play(chosen, wanted.size_mm, self._deck.size_mm)
            self._pipeline = Pipeline(wanted, self._deck, zones, seats_in_play(chosen), self._reader.on_table, identifier)
            self._pipeline.full_rate = self._full_rate
        else:
            self._pipeline.set_plane(wanted)
            if not self._table.get("zones"):
                self._pipeline.set_zones(zones_in_play(self._chosen, wanted.size_mm, self._deck.size_mm))
        return self._pipeline

    def _first_plane(self, frame: Frame) -> Plane | None:
        """From the corners that are set; else looked for, now and then."""
        corners = self._table.get("corners_px")
        if corners:
            return self._plane_of(corners, self._table.get("size_mm"), frame)
        if 0 <= frame.t_ms - self._searched_ms < SEARCH_MS:
            return None
        self._searched_ms = frame.t_ms
        self._found = self._read(frame.image)
        return self._search(frame, self._found)

    def _read(self, image: Image) -> tuple[Found, ...]:
        return tuple(self._reader.read(image, self._kind, self._chosen.deck_name)[1])

    def _search(self, frame: Frame, found: Sequence[Found]) -> Plane | None:
        """The table by its printed markers, else by its cards."""
        markers = find_markers(frame.image)
        if len(markers) >= 3:
            return plane_from_markers(markers)
        quads = [f.quad for f in found if f.reading.sure and f.visible > 0.8]
        if len(quads) < FEWEST_CARDS:
            return None
        height, width = frame.image.shape[:2]
        try:
            plane = plane_from_cards(np.array(quads), self._deck.size_mm, (width, height))
        except KibitzError:
            return None
        return plane if plane.quality >= LEAST_QUALITY else None

    def _plane_of(self, corners: object, size: object, frame: Frame) -> Plane:
        """From four corners; the size as given, else from the cards that lie there, else from the corners' own perspective."""
        if not (isinstance(corners, list | tuple) and len(corners) == 4 and all(_is_point(p) for p in corners)):
            raise KibitzError("corners-bad", "the table needs four corners, each [x, y] in pixels: set them again")
        points = np.array(corners, np.float64)
        if size is not None:
            if not (isinstance(size, list | tuple) and len(size) == 2 and all(_is_number(v) for v in size)):
                raise KibitzError("size-bad", "size_mm must be [width, height] in millimetres: mend it")
            return plane_from_corners(points, (float(size[0]), float(size[1])))
        plane_from_corners(points, (800.0, 600.0))  # says at once what is wrong with the corners
        quads = [f.quad for f in self._read(frame.image) if f.reading.sure and f.visible > 0.8]
        if quads:
            try:
                return plane_from_corners(points, table_size_from_cards(points, np.array(quads), self._deck.size_mm))
            except KibitzError:
                pass  # the cards seen do not tell: the perspective must
        height, width = frame.image.shape[:2]
        aspect = min(max(aspect_from_corners(points, (width, height)), 0.3), 3.5)
        return plane_from_corners(points, (USUAL_HEIGHT_MM * aspect, USUAL_HEIGHT_MM))

    def _outlines(self, pipeline: Pipeline, state: TableState) -> tuple[tuple[dict[str, Any], ...], tuple[Any, ...]]:
        """Drawn again only when something changed: on a still table this is asked 30 times a second."""
        if self._drawn is None or self._drawn[0] is not state.seen:
            players = {z.name: z.player for z in state.zones}
            cards = tuple(
                {
                    "id": c["track"], "card": c["card"] if c["face_up"] else "back", "others": c["others"], "quad": c["quad"],
                    "state": "covered" if c["state"] == "covered" else "settled" if c["sure"] or not c["face_up"] else "unsure",
                    "zone": c["zone"], "zone_kind": c["zone_kind"], "player": players.get(c["zone"]),
                }
                for c in pipeline.overlay()
            )  # fmt: skip
            self._drawn = (state.seen, cards, pipeline.hidden())
        return self._drawn[1], self._drawn[2]


class PictureLook:
    """Reads pictures one by one. What is read for sure counts as captured by the first player; each picture starts afresh."""

    def __init__(self, chosen: Settings, reader: Reader, kind: str) -> None:
        self._chosen, self._reader, self._kind = chosen, reader, kind
        self._deck = deck_in_play(chosen)
        self._picture = _Picture()

    def __call__(self, source: Source) -> Iterator[Sight | None]:
        shown: Image | None = None
        cards: tuple[Found, ...] = ()
        while True:
            frame = source.read(0.5)
            if frame is None:
                if source.status().state is SourceState.ENDED:
                    return
                yield None
                continue
            fresh = frame.image is not shown
            if fresh:
                shown = frame.image
                cards = tuple(self._reader.read(frame.image, self._kind, self._chosen.deck_name)[1])
            yield self.sight(frame, cards, fresh)

    def command(self, name: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        raise KibitzError("no-table", "pictures are counted one by one and have no table to set up: choose a camera or a clip")

    def held(self) -> Mapping[str, Any]:
        raise KibitzError("no-table", "pictures are counted one by one: choose a camera to hold a card up to")

    def zones(self) -> list[dict[str, Any]]:
        return []

    def sight(self, frame: Frame, found: Sequence[Found], fresh: bool) -> Sight:
        """One picture as pages see it, and where it is `fresh` as the scorer does: the same picture once more says nothing new."""
        room = self._deck.merged_counter()
        seen: list[Seen] = []
        for i, f in enumerate(found):
            name = f.reading.card
            if not f.reading.sure or room[merged(name)] <= 0:
                continue
            room[merged(name)] -= 1
            names = tuple((n, float(p)) for n, p in f.reading.names[:3])
            quad = tuple((float(x), float(y)) for x, y in f.quad)
            seen.append(Seen(i, name, names, zone=COUNTED, quad=quad, visible=min(1.0, f.visible), order=i))
        player = self._chosen.players[0]
        table = TableState(round(frame.t_ms), tuple(seen), zones=(Zone(COUNTED, "captures", player), Zone("floor", "floor")))
        counted = {s.track for s in seen}
        cards = tuple(
            {**c, "zone": COUNTED, "zone_kind": "captures", "player": player} if c["id"] in counted else c for c in _seen_as(found)
        )
        health = self._picture.look(frame, None, self._deck.size_mm)
        return Sight(frame, table if fresh else None, cards, (), health, new_picture=fresh)


def _in_mm(zone: Mapping[str, Any], plane: Plane) -> dict[str, Any]:
    """A zone whose polygon may be in pixels, with it in millimetres."""
    if "polygon_px" not in zone:
        return dict(zone)
    points = zone["polygon_px"]
    if not (isinstance(points, list) and 3 <= len(points) <= 40 and all(_is_point(p) for p in points)):
        raise KibitzError("bad-setup", "a zone needs three corners or more, each [x, y]: draw it again", key="zones")
    mm = plane.to_mm(np.array(points, np.float64))
    if not np.isfinite(mm).all():
        raise KibitzError("bad-setup", "a corner of a zone lies beyond the table's horizon: draw it nearer", key="zones")
    return {**{k: v for k, v in zone.items() if k != "polygon_px"}, "polygon_mm": [[float(x), float(y)] for x, y in mm]}


def _plain_zone(zone: Zone) -> dict[str, Any]:
    return {"name": zone.name, "kind": zone.kind, "player": zone.player, "index": zone.index, "dir": zone.dir,
            "polygon_mm": [list(p) for p in zone.polygon_mm]}  # fmt: skip


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e6


def _is_point(value: object) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and all(_is_number(v) for v in value)
