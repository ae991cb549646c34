"""What vision hands over: the table at one moment, absolute, so that a dropped state loses nothing.

Units are millimetres of the table plane (x to the right, y towards the near edge) and milliseconds of the source.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .cards import BACK
from .errors import InputError

Point = tuple[float, float]
STATES = ("settled", "covered", "moving", "gone")
ZONE_KINDS = ("floor", "captures", "stock", "hand", "reveal", "spit-pile", "stock-pile", "side-pile", "pile", "centre")
CHANGE_KINDS = ("appear", "leave", "move", "turn", "cover", "uncover", "rename", "touch", "reach", "lift")


@dataclass(frozen=True, slots=True)
class Zone:
    """A named region of the table. `kind` is one of ZONE_KINDS; a captures, hand, reveal, stock-pile or side-pile zone has
    its `player`; `index` counts zones of a kind from 0; `dir` ("up", "down") is of The Game's piles; the spit piles are
    named L and R. `polygon_mm` is clockwise and may be empty where only the name matters."""

    name: str
    kind: str
    player: str | None = None
    index: int = 0
    dir: str | None = None
    polygon_mm: tuple[Point, ...] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    """One physical card on the table.

    track    the physical card's id, the same in every state
    card     its name; "back" where it lies face down, "" where nothing is known
    names    up to three likeliest names with their confidence, best first
    sure     True where the name is settled (margin and agreement over frames)
    zone     name of the zone that it lies in, "" outside all
    quad     its four corners in mm, clockwise from the card's own top left, the whole card even where covered
    visible  visible share, 0 to 1
    state    settled, covered (still where it was last seen, under something), moving, gone
    face_up  False for a card lying face down
    order    number of its last settling (a later one is larger): the order in which cards came to lie where they lie
    """

    track: int
    card: str
    names: tuple[tuple[str, float], ...] = ()
    sure: bool = True
    zone: str = ""
    quad: tuple[Point, ...] = ()
    visible: float = 1.0
    state: str = "settled"
    face_up: bool = True
    order: int = 0

    @property
    def lies(self) -> bool:
        """True where the card lies still on the table, seen or covered."""
        return self.state in ("settled", "covered")


@dataclass(frozen=True, slots=True)
class Change:
    """One numbered entry of the journal: what happened to a track. Numbers rise by one and never repeat.

    kind: appear, leave, move (from_zone → to_zone), turn (face up or down), cover, uncover, rename (a better name),
    touch (a hand came down on zone to_zone: `player` is its owner or "?"), reach (one came to rest over it: it may have laid a
    card, or hover), lift.
    """

    n: int
    t_ms: int
    kind: str
    track: int | None = None
    card: str = ""
    from_zone: str = ""
    to_zone: str = ""
    player: str | None = None
    sigma_ms: float | None = None     # standard deviation of t_ms where it was interpolated (touches)


@dataclass(frozen=True, slots=True)
class TableState:
    """The table at `t_ms`.

    seen     every card known on the table, by track id
    hands    players whose hand is over the table ("?" where not known whose)
    stable   True where no card moves and nothing changed for the settling time: only then does a game look for a turn
    changes  the newest Changes, oldest first: a ring, so a reader finds those that it has not had by `n`
    zones    the zones in force (the same tuple from state to state)
    lost     picture unusable or camera moved: commits stop until it is False again
    """

    t_ms: int
    seen: tuple[Seen, ...] = ()
    hands: tuple[str, ...] = ()
    stable: bool = True
    changes: tuple[Change, ...] = ()
    zones: tuple[Zone, ...] = ()
    lost: bool = False

    def zone(self, name: str) -> Zone | None:
        """The zone of that name, or None."""
        return next((z for z in self.zones if z.name == name), None)

    def zones_of(self, kind: str, player: str | None = None) -> tuple[Zone, ...]:
        """The zones of a kind (and player, where given), by index."""
        found = [z for z in self.zones if z.kind == kind and (player is None or z.player == player)]
        return tuple(sorted(found, key=lambda z: z.index))

    def cards_in(self, zone: str | Iterable[str]) -> tuple[Seen, ...]:
        """Cards lying still in the zone (or zones), in the order in which they came to lie there."""
        names = {zone} if isinstance(zone, str) else set(zone)
        return tuple(sorted((s for s in self.seen if s.zone in names and s.lies), key=lambda s: s.order))

    def by_kind(self, kind: str, player: str | None = None) -> tuple[Seen, ...]:
        """Cards lying still in the zones of a kind (and player)."""
        return self.cards_in({z.name for z in self.zones_of(kind, player)})

    def track(self, track: int) -> Seen | None:
        """The card of that track id, or None."""
        return next((s for s in self.seen if s.track == track), None)

    def since(self, n: int) -> tuple[Change, ...]:
        """Changes numbered above `n`, oldest first."""
        return tuple(c for c in self.changes if c.n > n)

    def to_dict(self) -> dict[str, Any]:
        """JSON form; the inverse of `from_dict`. What has its default is left out."""
        out: dict[str, Any] = {"t_ms": self.t_ms, "seen": [_plain(s) for s in self.seen], "stable": self.stable}
        if self.hands:
            out["hands"] = list(self.hands)
        if self.changes:
            out["changes"] = [_plain(c) for c in self.changes]
        if self.zones:
            out["zones"] = [_plain(z) for z in self.zones]
        if self.lost:
            out["lost"] = True
        return out

    @staticmethod
    def from_dict(data: Mapping[str, Any], where: str = "table state") -> TableState:
        """Read `to_dict`'s form. Raises InputError `bad-table` naming `where` and the key."""
        return TableState(
            t_ms=_integer(data, "t_ms", where), seen=tuple(seen_from(s, where) for s in _list(data, "seen", where)),
            hands=tuple(str(h) for h in _list(data, "hands", where)), stable=data.get("stable", True) is True,
            changes=tuple(_record(Change, c, where) for c in _list(data, "changes", where)),
            zones=tuple(zone_from(z, where) for z in _list(data, "zones", where)), lost=data.get("lost") is True)


_DEFAULTS: dict[type, dict[str, Any]] = {
    Seen: {"names": (), "sure": True, "zone": "", "quad": (), "visible": 1.0, "state": "settled", "face_up": True, "order": 0},
    Change: {"track": None, "card": "", "from_zone": "", "to_zone": "", "player": None, "sigma_ms": None},
    Zone: {"player": None, "index": 0, "dir": None, "polygon_mm": ()},
}


def _plain(record: Any) -> dict[str, Any]:
    skip = _DEFAULTS[type(record)]
    out = {}
    for name in record.__slots__:
        value = getattr(record, name)
        if name not in skip or value != skip[name]:
            out[name] = [list(v) for v in value] if isinstance(value, tuple) else value
    return out


def _bad(where: str, what: str) -> InputError:
    return InputError("bad-table", what, where, "see the table state's form in the documentation")


def _list(data: Any, key: str, where: str) -> list[Any]:
    value = data.get(key, []) if isinstance(data, Mapping) else None
    if not isinstance(value, list | tuple):
        raise _bad(where, f"key {key!r} must be a list")
    return list(value)


def _integer(data: Any, key: str, where: str) -> int:
    value = data.get(key) if isinstance(data, Mapping) else None
    if not isinstance(value, int) or isinstance(value, bool):
        raise _bad(where, f"key {key!r} must be a whole number")
    return value


def _record(kind: type, data: Any, where: str) -> Any:
    if not isinstance(data, Mapping):
        raise _bad(where, f"{kind.__name__} must be an object, not {data!r}")
    unknown = [k for k in data if k not in kind.__slots__]  # type: ignore[attr-defined]
    if unknown:
        raise _bad(where, f"{kind.__name__} has the unknown key {unknown[0]!r}")
    try:
        return kind(**data)
    except TypeError:
        raise _bad(where, f"{kind.__name__} lacks a key: {sorted(data)}") from None


def _points(value: Any, where: str) -> tuple[Point, ...]:
    try:
        return tuple((float(x), float(y)) for x, y in value)
    except (TypeError, ValueError):
        raise _bad(where, f"a polygon must be a list of [x, y], not {value!r}") from None


def seen_from(data: Any, where: str = "table state") -> Seen:
    """A Seen from its JSON form. Raises InputError `bad-table`."""
    if isinstance(data, Mapping):
        names = data.get("names", ())
        try:
            frozen = tuple((str(n), float(p)) for n, p in names)
        except (TypeError, ValueError):
            raise _bad(where, f"names must be a list of [card, confidence], not {names!r}") from None
        data = {**data, "names": frozen, "quad": _points(data.get("quad", ()), where)}
    seen: Seen = _record(Seen, data, where)
    if seen.state not in STATES:
        raise _bad(where, f"a card's state is {seen.state!r}, not one of {', '.join(STATES)}")
    return seen


def zone_from(data: Any, where: str = "zones") -> Zone:
    """A Zone from its JSON form (as in ``table.json``). Raises InputError `bad-table`."""
    if isinstance(data, Mapping):
        data = {**data, "polygon_mm": _points(data.get("polygon_mm", ()), where)}
    zone: Zone = _record(Zone, data, where)
    if zone.kind not in ZONE_KINDS:
        raise _bad(where, f"zone {zone.name!r} is of kind {zone.kind!r}, not one of {', '.join(ZONE_KINDS)}")
    return zone


def face_up(cards: Iterable[Seen]) -> tuple[str, ...]:
    """Names of the cards that show their face."""
    return tuple(s.card for s in cards if s.face_up and s.card not in ("", BACK))
