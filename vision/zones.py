"""Regions of the table: presets for each game from its seats, and which zone a card lies in.

Frame: table millimetres, x to the right, y down; edge S is the bottom of the picture's table rectangle, N its top.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import cv2
import numpy as np

from scorer.table import Point, Zone

EDGES = ("S", "E", "N", "W")
CARD_MM = {"gostop": (35.0, 54.0), "spit": (63.0, 88.0), "speed": (63.0, 88.0), "stopbus": (63.0, 88.0), "thegame": (63.0, 88.0)}
GAMES = tuple(CARD_MM)
OUTSIDE_MM = 220.0  # how far beyond the edge a player's own cards are still theirs
STICK_MM = 8.0  # a card changes zone only when its centre is this far inside the other one


def default_seats(game: str, players: Sequence[str]) -> dict[str, str]:
    """Edges for players named in turn order: Go-Stop goes to the right (counter-clockwise), the other games to the left."""
    ring = {1: "S", 2: "SN"}.get(len(players), "SENW" if game == "gostop" else "SWNE")
    if len(players) == 3:
        ring = "SEW" if game == "gostop" else "SWE"
    return {p: ring[i % len(ring)] for i, p in enumerate(players)}


def _box(x0: float, y0: float, x1: float, y1: float) -> tuple[Point, ...]:
    return ((x0, y0), (x1, y0), (x1, y1), (x0, y1))


def strip(edge: str, size_mm: tuple[float, float], depth: float, inset: float, taken: Iterable[str]) -> tuple[Point, ...]:
    """The band `depth` mm deep that starts `inset` mm inside an edge; bands on E and W leave the corners to `taken` N and S."""
    w, h = size_mm
    far = depth + inset
    if edge == "S":
        return _box(0, h - far, w, h - inset)
    if edge == "N":
        return _box(0, inset, w, far)
    top, bottom = (far if "N" in taken else 0.0), (h - far if "S" in taken else h)
    return _box(w - far, top, w - inset, bottom) if edge == "E" else _box(inset, top, far, bottom)


def _beyond(edge: str, size_mm: tuple[float, float]) -> tuple[Point, ...]:
    w, h = size_mm
    o = OUTSIDE_MM
    return {"S": _box(-o, h, w + o, h + o), "N": _box(-o, -o, w + o, 0), "E": _box(w, 0, w + o, h), "W": _box(-o, 0, 0, h)}[edge]


def _slots(edge: str, size_mm: tuple[float, float], n: int, inset: float, card: tuple[float, float], gap: float) -> list[tuple[Point, ...]]:
    """`n` card-size regions in a row along an edge, seen from its player from left to right."""
    w, h = size_mm
    cw, ch = card
    step = cw + gap
    out = []
    for i in range(n):
        u = (i - (n - 1) / 2) * step
        if edge == "S":
            c, hw, hh = (w / 2 + u, h - inset - ch / 2), step / 2, ch / 2 + gap / 2
        elif edge == "N":
            c, hw, hh = (w / 2 - u, inset + ch / 2), step / 2, ch / 2 + gap / 2
        elif edge == "E":
            c, hw, hh = (w - inset - ch / 2, h / 2 - u), ch / 2 + gap / 2, step / 2
        else:
            c, hw, hh = (inset + ch / 2, h / 2 + u), ch / 2 + gap / 2, step / 2
        out.append(_box(c[0] - hw, c[1] - hh, c[0] + hw, c[1] + hh))
    return out


def preset(
    game: str, size_mm: tuple[float, float], seats: Mapping[str, str], card_mm: tuple[float, float] | None = None
) -> tuple[Zone, ...]:
    """The zones a game is usually played in.

    game: one of GAMES. size_mm: the table rectangle. seats: {player: edge}. Raises ValueError for another game or edge.
    """
    if game not in GAMES:
        raise ValueError(f"no zones for the game {game!r}: one of {', '.join(GAMES)}")
    for player, edge in seats.items():
        if edge not in EDGES:
            raise ValueError(f"the seat of {player} is {edge!r}: one of {', '.join(EDGES)}")
    card = card_mm or CARD_MM[game]
    return {"gostop": _gostop, "stopbus": _stopbus, "thegame": _thegame, "spit": _spit, "speed": _speed}[game](size_mm, dict(seats), card)


def _hands(seats: Mapping[str, str], size: tuple[float, float]) -> list[Zone]:
    return [Zone(f"hand-{p}", "hand", p, i, None, _beyond(e, size)) for i, (p, e) in enumerate(seats.items())]


def _gostop(size: tuple[float, float], seats: dict[str, str], card: tuple[float, float]) -> tuple[Zone, ...]:
    w, h = size
    depth = min(card[1] * 2 + 40, min(w, h) * 0.27)
    zones = [
        Zone(f"captures-{p}", "captures", p, i, None, strip(e, size, depth, 0, seats.values())) for i, (p, e) in enumerate(seats.items())
    ]
    x0, x1 = (depth if "W" in seats.values() else 0.0), w - (depth if "E" in seats.values() else 0.0)
    y0, y1 = (depth if "N" in seats.values() else 0.0), h - (depth if "S" in seats.values() else 0.0)
    zones.append(Zone("floor", "floor", None, 0, None, _box(x0, y0, x1, y1)))
    cx, cy = (x0 + x1) / 2, (y0 + y1) / 2
    zones.append(
        Zone("stock", "stock", None, 0, None, _box(cx - card[0] / 2 - 4, cy - card[1] / 2 - 4, cx + card[0] / 2 + 4, cy + card[1] / 2 + 4))
    )
    return (*zones, *_hands(seats, size))


def _stopbus(size: tuple[float, float], seats: dict[str, str], card: tuple[float, float]) -> tuple[Zone, ...]:
    w, h = size
    depth = card[1] + 40
    zones = [Zone(f"reveal-{p}", "reveal", p, i, None, strip(e, size, depth, 0, seats.values())) for i, (p, e) in enumerate(seats.items())]
    cw, ch = card[0] * 3 + 90, max(card[1] + 60, min(card[1] * 2, h - 2 * depth - 20))  # a new card is often laid beside the old one first
    zones.append(Zone("centre", "centre", None, 0, None, _box(w / 2 - cw / 2, h / 2 - ch / 2, w / 2 + cw / 2, h / 2 + ch / 2)))
    zones.append(Zone("stock", "stock", None, 0, None, _box(w / 2 + cw / 2, h / 2 - ch / 2, w / 2 + cw / 2 + card[0] + 60, h / 2 + ch / 2)))
    return (*zones, *_hands(seats, size))


def _thegame(size: tuple[float, float], seats: dict[str, str], card: tuple[float, float]) -> tuple[Zone, ...]:
    w, h = size
    step = card[0] + 22
    zones = []
    for i, way in enumerate(("up", "up", "down", "down")):
        cx = w / 2 + (i - 1.5) * step
        zones.append(
            Zone(f"pile-{i}", "pile", None, i, way, _box(cx - step / 2, h / 2 - card[1] / 2 - 14, cx + step / 2, h / 2 + card[1] / 2 + 14))
        )
    cx = w / 2 - 2.7 * step
    zones.append(
        Zone("stock", "stock", None, 0, None, _box(cx - step / 2, h / 2 - card[1] / 2 - 14, cx + step / 2, h / 2 + card[1] / 2 + 14))
    )
    return (*zones, *_hands(seats, size))


def _centre_piles(size: tuple[float, float], card: tuple[float, float]) -> list[Zone]:
    w, h = size
    out = []
    for i, name in enumerate("LR"):
        cx = w / 2 + (i * 2 - 1) * (card[0] / 2 + 22)
        out.append(
            Zone(
                name,
                "spit-pile",
                None,
                i,
                None,
                _box(cx - card[0] / 2 - 14, h / 2 - card[1] / 2 - 14, cx + card[0] / 2 + 14, h / 2 + card[1] / 2 + 14),
            )
        )
    return out


def _spit(size: tuple[float, float], seats: dict[str, str], card: tuple[float, float]) -> tuple[Zone, ...]:
    zones = _centre_piles(size, card)
    for player, edge in seats.items():
        for i, box in enumerate(_slots(edge, size, 5, 24.0, card, 26.0)):
            zones.append(Zone(f"stock-{player}-{i}", "stock-pile", player, i, None, box))
        for i, box in enumerate(_slots(edge, size, 7, 24.0, card, 26.0)[-1:]):
            zones.append(Zone(f"side-{player}", "side-pile", player, i, None, box))
    return (*zones, *_hands(seats, size))


def _speed(size: tuple[float, float], seats: dict[str, str], card: tuple[float, float]) -> tuple[Zone, ...]:
    w, h = size
    zones = _centre_piles(size, card)
    owners = list(seats)
    for i, name in enumerate(("left", "right")):
        cx = w / 2 + (i * 2 - 1) * (card[0] * 1.5 + 70)
        owner = owners[i % len(owners)] if owners else None
        zones.append(
            Zone(
                f"side-{name}",
                "side-pile",
                owner,
                i,
                None,
                _box(cx - card[0] / 2 - 14, h / 2 - card[1] / 2 - 14, cx + card[0] / 2 + 14, h / 2 + card[1] / 2 + 14),
            )
        )
    for player, edge in seats.items():
        for i, box in enumerate(_slots(edge, size, 5, 24.0, card, 26.0)[-1:]):
            zones.append(Zone(f"stock-{player}", "stock-pile", player, i, None, box))
    return (*zones, *_hands(seats, size))


class ZoneMap:
    """Finds the zone of a point quickly: the smallest polygon that holds it."""

    def __init__(self, zones: Sequence[Zone]) -> None:
        self.zones = tuple(zones)
        self._polygons = [(z, np.asarray(z.polygon_mm, np.float32).reshape(-1, 1, 2)) for z in zones if len(z.polygon_mm) >= 3]
        self._polygons.sort(key=lambda p: abs(cv2.contourArea(p[1])))
        self.kind = {z.name: z.kind for z in zones}
        self.player = {z.name: z.player for z in zones}

    def at(self, x: float, y: float, before: str = "") -> str:
        """Name of the zone at a point in mm, "" outside all. A card that lay in `before` stays in it near its border."""
        found = ""
        for zone, polygon in self._polygons:
            d = cv2.pointPolygonTest(polygon, (float(x), float(y)), True)
            if zone.name == before and d > -STICK_MM:
                return before
            if d >= 0 and not found:
                found = zone.name
        return found

    def private(self, name: str) -> bool:
        """True where cards of the zone are a player's secret."""
        return self.kind.get(name) == "hand"
