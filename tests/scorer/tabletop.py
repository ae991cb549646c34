"""A physical table for tests: cards as tracks in zones, hands that touch; its looks are the TableStates that vision would give.

`*_stage` puts the events of a simulated game onto such a table, so that what a Match reads off it can be compared with them.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from scorer.events import Event
from scorer.table import Change, Seen, TableState, Zone

RING = 40


class Tabletop:
    """Cards by track id. Every change takes `tick` milliseconds; nothing is random."""

    def __init__(self, zones: tuple[Zone, ...], tick: int = 40) -> None:
        self.zones = zones
        self.tick = tick
        self.t_ms = 1000
        self.seen: dict[int, Seen] = {}
        self.changes: list[Change] = []
        self.made = 0
        self.order = 0
        self.tracks = 0
        self.hands: tuple[str, ...] = ()

    def _change(self, kind: str, **fields: Any) -> None:
        self.made += 1
        self.changes = [*self.changes, Change(self.made, self.t_ms, kind, **fields)][-RING:]

    def _settle(self) -> int:
        self.order += 1
        return self.order

    def put(self, card: str, zone: str, face_up: bool = True, **fields: Any) -> int:
        """A card appears in a zone; its track id."""
        self.tracks += 1
        track = self.tracks
        self.seen[track] = Seen(track, card, zone=zone, face_up=face_up, order=self._settle(), **fields)
        self._change("appear", track=track, card=card, to_zone=zone)
        return track

    def find(self, card: str, zone: str | None = None) -> int:
        """Track of a card that lies (in a zone)."""
        return next(t for t, s in self.seen.items() if s.card == card and zone in (None, s.zone))

    def move(self, track: int, zone: str) -> None:
        """A card goes to another zone."""
        s = self.seen[track]
        self.seen[track] = replace(s, zone=zone, order=self._settle())
        self._change("move", track=track, card=s.card, from_zone=s.zone, to_zone=zone)

    def turn(self, track: int, card: str) -> None:
        """A card is turned face up where it lies."""
        self.seen[track] = replace(self.seen[track], card=card, face_up=True, order=self._settle())
        self._change("turn", track=track, card=card, to_zone=self.seen[track].zone)

    def read(self, track: int, **fields: Any) -> None:
        """The camera's opinion of a card changes."""
        self.seen[track] = replace(self.seen[track], **fields)

    def take(self, track: int) -> None:
        """A card goes off the table (into a hand)."""
        s = self.seen.pop(track)
        self._change("leave", track=track, card=s.card, from_zone=s.zone)

    def clear(self, *zones: str) -> None:
        """Everything in the zones goes off the table."""
        for track in [t for t, s in self.seen.items() if s.zone in zones]:
            self.take(track)

    def touch(self, player: str | None, zone: str, sigma_ms: float | None = None, wait: int | None = None) -> None:
        """A hand comes down on a zone."""
        self.t_ms += self.tick if wait is None else wait
        self._change("touch", to_zone=zone, player=player, sigma_ms=sigma_ms)

    def look(self, stable: bool = True, wait: int | None = None) -> TableState:
        """The table now, a moment later."""
        self.t_ms += self.tick if wait is None else wait
        return TableState(self.t_ms, tuple(self.seen.values()), self.hands, stable, tuple(self.changes), self.zones)


def bus_zones(players: tuple[str, ...]) -> tuple[Zone, ...]:
    """Stop the Bus: the centre, and a place to lay the hand open for each player."""
    return (Zone("centre", "centre"), *(Zone(f"open-{p}", "reveal", p, n) for n, p in enumerate(players)))


def bus_stage(top: Tabletop, event: Event) -> None:
    """Put an event of Stop the Bus on the table."""
    if event.kind == "deal":
        top.clear(*(z.name for z in top.zones))
        for card in event.cards:
            top.put(card, "centre")
    elif event.kind == "swap":
        top.touch(event.player, "centre")
        half = len(event.cards) // 2
        for card in event.cards[:half]:
            top.take(top.find(card))
        for card in event.cards[half:]:
            top.put(card, "centre")
    elif event.kind == "show":
        for card in event.cards:
            top.put(card, f"open-{event.player}")


def game_zones() -> tuple[Zone, ...]:
    """The Game: four piles and the draw pile."""
    piles = tuple(Zone(f"pile-{n}", "pile", index=n, dir="up" if n < 2 else "down") for n in range(4))
    return (*piles, Zone("draw", "stock"))


def game_stage(top: Tabletop, event: Event, drew: bool = True) -> None:
    """Put an event of The Game on the table."""
    if event.kind == "play":
        zone = f"pile-{event.arg('pile')}"
        top.touch(event.player, zone)
        top.put(event.cards[0], zone)
    elif event.kind == "turn" and drew:
        top.touch(event.player, "draw")


def spit_zones() -> tuple[Zone, ...]:
    """Spit: two piles, five places for each player."""
    stocks = tuple(Zone(f"{p}{n}", "stock-pile", p, n) for p in "AB" for n in range(5))
    return (Zone("L", "spit-pile"), Zone("R", "spit-pile", index=1), *stocks)


def spit_stage(top: Tabletop, event: Event, before: Any, after: Any) -> None:
    """Put an event of Spit on the table, with the game's states around it."""
    if event.kind == "layout":
        top.clear(*(z.name for z in top.zones))
        for player, row in zip("AB", after.stocks, strict=True):
            for n, pile in enumerate(row):
                if pile.count:
                    if pile.down:
                        top.put("back", f"{player}{n}", face_up=False)
                    top.put(pile.top, f"{player}{n}")
    elif event.kind == "spit":
        top.touch(event.player, event.arg("pile"))
        top.put(event.cards[0], event.arg("pile"))
    elif event.kind == "play":
        top.touch(event.player, event.arg("pile"), wait=400)
        top.move(top.find(event.cards[0]), event.arg("pile"))
    elif event.kind == "turn-up":
        zone = f"{event.player}{event.arg('index')}"
        top.turn(top.find("back", zone), event.cards[0])
        if after.stocks["AB".index(event.player or "")][event.arg("index")].down:
            track = top.put("back", zone, face_up=False)
            top.read(track, order=0)
    elif event.kind == "move":
        top.move(top.find(event.cards[0]), f"{event.player}{event.arg('index')}")
    elif event.kind == "slap":
        for touch in event.arg("touches"):
            top.touch(touch["player"], touch["pile"], wait=300)


def speed_zones() -> tuple[Zone, ...]:
    """Speed: two piles, a side pile beside each, a stock for each player."""
    return (Zone("L", "spit-pile"), Zone("R", "spit-pile", index=1), Zone("side-L", "side-pile"), Zone("side-R", "side-pile", index=1),
            Zone("stock-A", "stock-pile", "A"), Zone("stock-B", "stock-pile", "B"))


def speed_stage(top: Tabletop, event: Event) -> None:
    """Put an event of Speed on the table."""
    if event.kind == "layout":
        for name, card in zip("LR", event.cards, strict=True):
            top.put(card, name)
    elif event.kind == "play":
        top.touch(event.player, event.arg("pile"), wait=400)
        top.put(event.cards[0], event.arg("pile"))
    elif event.kind == "refill":
        top.touch(event.player, f"stock-{event.player}")
    elif event.kind == "side-flip":
        top.touch("A" if event.arg("pile") == "L" else "B", f"side-{event.arg('pile')}", wait=200)
        top.put(event.cards[0], event.arg("pile"))
    elif event.kind == "reshuffle":
        for name in "LR":
            tracks = [s.track for s in sorted((s for s in top.seen.values() if s.zone == name), key=lambda s: s.order)]
            for track in tracks[:-1]:
                top.take(track)


def looks(top: Tabletop, count: int = 2, stable: bool = True) -> Iterator[TableState]:
    """A few looks at an unchanged table."""
    for _ in range(count):
        yield top.look(stable)
