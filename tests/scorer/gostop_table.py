"""A Go-Stop table for tests: cards laid and moved by hand or by simulated play, handed over as table states."""
from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

from scorer.events import Event
from scorer.games.gostop.deal import Deal, full_pack
from scorer.games.gostop.house import House
from scorer.games.gostop.pack import indices
from scorer.match import Match
from scorer.table import Change, Seen, TableState, Zone

STEP_MS = 600


def zones(players: Sequence[str]) -> tuple[Zone, ...]:
    out = [Zone("floor", "floor"), Zone("stock", "stock")]
    for p in players:
        out += [Zone(f"cap-{p}", "captures", p), Zone(f"reveal-{p}", "reveal", p), Zone(f"hand-{p}", "hand", p)]
    return tuple(out)


class Table:
    """Where every card lies; `state()` is what vision would hand over."""

    def __init__(self, players: Sequence[str], merge: bool = False) -> None:
        self.zones = zones(players)
        self.where: dict[str, str] = {}
        self.track: dict[str, int] = {}
        self.order: dict[str, int] = {}
        self.changes: list[Change] = []
        self.tracks = 0
        self.t = 1000
        self.merge = merge          # junk cards are not told apart

    def put(self, cards: str | Iterable[str], zone: str, player: str | None = None) -> None:
        """Lay cards down, or move them; each takes a moment."""
        for card in [cards] if isinstance(cards, str) else list(cards):
            self.t += STEP_MS
            new = card not in self.where
            if card not in self.track:
                self.tracks += 1
                self.track[card] = self.tracks
            track = self.track[card]
            name = self.name(card)
            kind = "appear" if new else "move"
            self.changes.append(Change(len(self.changes) + 1, self.t, kind, track, name, self.where.get(card, ""), zone, player))
            self.where[card] = zone
            self.order[card] = len(self.changes)

    def name(self, card: str) -> str:
        return card[:-2] if self.merge and card[3:8] == "junk-" and card[-2] == "-" else card

    def take(self, cards: Iterable[str]) -> None:
        """Cards leave the table."""
        for card in cards:
            self.t += STEP_MS
            self.changes.append(Change(len(self.changes) + 1, self.t, "leave", self.track[card], self.name(card), self.where.pop(card)))
            del self.track[card]

    def wait(self, ms: int) -> None:
        self.t += ms

    def state(self) -> TableState:
        self.t += 250
        seen = tuple(Seen(self.track[c], self.name(c), zone=z, order=self.order[c]) for c, z in self.where.items())
        return TableState(self.t, seen, changes=tuple(self.changes[-200:]), zones=self.zones)

    def show(self, match: Match, times: int = 3) -> list[Event]:
        """Let the match look until it has nothing more to say."""
        out: list[Event] = []
        for _ in range(times):
            more = match.observe(self.state())
            out += more
        return out


def play_out(match: Match, house: House, players: Sequence[str], dealer: int, rng: random.Random, table: Table,
             go: float = 0.5, tap: bool = True, look: float = 1.0) -> tuple[list[dict[str, Any]], Deal]:
    """Play a deal at random on the table while the match looks on. Returns the true events and the deal.

    go    chance of going on; `tap`: whether a go is said (a stop always is)
    look  chance that the match sees each stage of a turn before the next
    """
    truth: list[Event] = []
    order = full_pack(house)
    rng.shuffle(order)
    deal = Deal(house, len(players), dealer)
    deal.deal(order)
    names = house.pack.cards

    def glance() -> None:
        if rng.random() < look:
            table.show(match, 1)

    if deal.jokers_dealt:
        table.put(names(deal.jokers_dealt), f"cap-{players[dealer]}")
    for i in indices(_layout(deal)):
        table.put(house.pack.names[i], "floor")
        glance()
    truth += deal.opening(players)
    table.show(match)
    if deal.end:
        truth += deal.closing(players)
        return [e.to_dict() for e in truth], deal
    if deal.quads():
        deal.show_fours()
        return [], deal
    while not deal.end:
        actions = deal.legal()
        me = players[deal.turn]
        if deal.to_decide:
            calls = [a for a in actions if a[0] == "go"]
            action = rng.choice(calls) if calls and rng.random() < go else actions[0]
            told: list[Event] = []
            deal.step(action, log=told.extend, players=players)
            truth += told
            table.wait(500)
            if action[0] == "stop" and match.state != "over":
                said = match.command({"command": "stop", "player": me, "t_ms": table.t})
                assert said.ok, said
            elif action[0] == "go" and tap:
                assert match.command({"command": "go", "player": me, "t_ms": table.t}).ok
            continue
        action = rng.choice(actions)
        told = []
        deal.step(action, lambda options, _: rng.choice([1 << i for i in indices(options)]), told.extend, players)
        truth += told
        for event in told:
            if event.kind == "shake":
                table.put(event.cards, f"reveal-{me}")
                table.show(match, 1)
                table.take(event.cards)
            elif event.kind in ("play", "flip"):
                table.put(event.cards, "floor")
            elif event.kind == "capture" or event.kind == "steal":
                table.put(event.cards, f"cap-{event.player}")
            else:
                continue
            glance()
        table.show(match, 4)
    table.show(match, 3)
    return [e.to_dict() for e in truth], deal


def _layout(deal: Deal) -> int:
    cards = deal.floor
    for pile in deal.stacks:
        cards |= pile[1]
    return cards
