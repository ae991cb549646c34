"""A source and a pipeline for tests: frames of plain colour, and a table on which the test itself lays the cards."""

from __future__ import annotations

import queue
import random
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from scorer.errors import KibitzError
from scorer.games.gostop.deal import Deal, full_pack
from scorer.games.gostop.house import House
from scorer.games.gostop.pack import indices
from scorer.match import Match
from scorer.table import TableState
from vision.frame import Frame, SourceState, SourceStatus
from webui.eyes import Sight

sys.path.append(str(Path(__file__).parent.parent / "scorer"))
from gostop_table import Table

__all__ = ["HandedSource", "ScriptedLook", "Table", "deal_turns"]


class HandedSource:
    """Frames come when the test hands them over; `state` says what the source says of itself."""

    live = True

    def __init__(self) -> None:
        self.frames: queue.Queue[Frame | None] = queue.Queue()
        self.state = SourceState.LIVE
        self.problem: str | None = None
        self.closed = threading.Event()
        self._index = 0

    def hand(self, t_ms: float = 0.0, image: np.ndarray | None = None) -> None:
        self.frames.put(Frame(self._index, t_ms, image if image is not None else np.full((90, 160, 3), 60, np.uint8)))
        self._index += 1

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        try:
            return self.frames.get(timeout=min(timeout_s, 0.05))
        except queue.Empty:
            return None

    def status(self) -> SourceStatus:
        return SourceStatus("usb", "test", self.state, problem=self.problem)

    def close(self) -> None:
        self.closed.set()


class ScriptedLook:
    """A pipeline that gives, for every frame, the table state that the test queued with it."""

    def __init__(self, tables: Callable[[Frame], TableState | None] | None = None) -> None:
        self.tables: queue.Queue[TableState] = queue.Queue()
        self.made = tables
        self.cards: tuple[dict[str, Any], ...] = ()
        self.hidden: tuple[Any, ...] = ()
        self.health: tuple[str, ...] = ()
        self.fresh = False
        self.holding: str | None = None
        self.said: list[tuple[str, Mapping[str, Any]]] = []

    def __call__(self, source: HandedSource) -> Iterator[Sight | None]:
        while not source.closed.is_set():
            frame = source.read()
            if frame is None:
                if source.state is SourceState.ENDED:
                    return
                yield None
                continue
            table = self.made(frame) if self.made else (self.tables.get_nowait() if not self.tables.empty() else None)
            yield Sight(frame, table, self.cards, self.hidden, self.health, self.fresh)

    def held(self) -> dict[str, Any]:
        if self.holding is None:
            return {"card": None, "others": [], "sure": False}
        return {"card": self.holding, "others": [], "sure": True}

    def zones(self) -> list[dict[str, Any]]:
        square = [[10, 10], [80, 10], [80, 60], [10, 60]]
        return [{"name": "floor", "kind": "floor", "player": None, "index": 0, "dir": None, "polygon_px": square}]

    def command(self, name: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        self.said.append((name, args))
        if name == "corners" and len(args.get("corners_px", ())) != 4:
            raise KibitzError("bad-corners", "a table has four corners: drag all four", key="corners_px")
        if name == "zones":
            return {"zones": args["zones"]}
        return {"corners_px": args.get("corners_px", [[20, 15], [140, 15], [150, 80], [10, 80]])}


def deal_turns(seed: int, players: tuple[str, ...] = ("A", "B"), ruleset: str = "classic") -> Iterator[tuple[Table, dict[str, Any] | None]]:
    """A random two-player deal on a table: yields the table whenever a camera would look, and what a player then says ({} at
    the end of a turn)."""
    match = Match("gostop", ruleset, players, players[0])
    house = match.evening.state.house
    assert isinstance(house, House)
    rng = random.Random(seed)
    table = Table(players)
    order = full_pack(house)
    rng.shuffle(order)
    deal = Deal(house, len(players), 0)
    deal.deal(order)
    names = house.pack.cards
    if deal.jokers_dealt:
        table.put(names(deal.jokers_dealt), f"cap-{players[0]}")
    floor = deal.floor
    for pile in deal.stacks:
        floor |= pile[1]
    for i in indices(floor):
        table.put(house.pack.names[i], "floor")
    deal.opening(players)
    yield table, None
    while not deal.end and not deal.quads():
        actions = deal.legal()
        me = players[deal.turn]
        if deal.to_decide:
            go = [a for a in actions if a[0] == "go"]
            action = rng.choice(go) if go and rng.random() < 0.5 else actions[0]
            deal.step(action, players=players)
            table.wait(500)
            yield table, {"command": action[0], "player": me}
            continue
        told: list[Any] = []
        deal.step(rng.choice(actions), lambda options, _: rng.choice([1 << i for i in indices(options)]), told.extend, players)
        for event in told:
            if event.kind == "shake":
                table.put(event.cards, f"reveal-{me}")
                yield table, None
                table.take(event.cards)
            elif event.kind in ("play", "flip"):
                table.put(event.cards, "floor")
            elif event.kind in ("capture", "steal"):
                table.put(event.cards, f"cap-{event.player}")
            else:
                continue
            yield table, None
        yield table, {}
