"""What Spit and Speed have in common on a table: two players who play at the same time, spit piles, and hands that rush.

Events come from the rules engine in an order that is legal; here each gets its time, so that both players are as busy as people are:
a hand sets out as soon as its owner is free and has seen what lies there. What hands do is kept beside it (`felt`), as a photo finish
would tell it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from datasets.simulate import Felt, Pose, Stage, World
from datasets.simulate_gostop import Case
from scorer.events import Event, make
from scorer.match import Match
from vision.zones import preset

CARD_MM = (63.0, 88.0)
SIZE_MM = (820.0, 560.0)
DEEP = 4  # so many cards of a pile are drawn: what lies below shows nowhere
FACING = {"S": 0.0, "N": 180.0, "E": -90.0, "W": 90.0}
REST_MS = 700.0  # a hand that has nothing to do for longer leaves the table
SEEN_MS = (180.0, 420.0)  # from a card on a pile to the hand that answers it
GAP_MS = 80.0  # standard deviation of the gap between two hands that rush
LEAST_GAP_MS = 30.0  # a smaller one would be too close to call, and the players' own business


class Hurry:
    """A stage with spit piles. `now`: when the last event that others wait for was over; `match`: the truth."""

    def __init__(self, game: str, ruleset: str, players: Sequence[str], seats: Mapping[str, str], rng: np.random.Generator, pace: float,
                 options: Mapping[str, Any] | None = None) -> None:  # fmt: skip
        self.world = World(SIZE_MM, CARD_MM)
        self.stage = Stage(self.world, dict(seats), rng, pace)
        self.players, self.rng = list(players), rng
        self.zones = {z.name: z for z in preset(game, SIZE_MM, seats, CARD_MM)}
        self.match = Match(game, ruleset, players, players[0], dict(options or {}))
        self.felt: list[Felt] = []
        self.commands: list[dict[str, Any]] = []
        self.middle: dict[str, list[str]] = {"L": [], "R": []}
        self.free = {"L": 0.0, "R": 0.0}  # when what lies there was seen
        self.now = 400.0

    # where and when -----------------------------------------------------------------------------------------------------

    def centre(self, zone: str, player: str | None = None, mm: float = 2.5, turn: float = 2.5) -> Pose:
        """A place in a zone, as somebody lays a card there."""
        x, y = np.mean(self.zones[zone].polygon_mm, axis=0)
        facing = FACING[self.stage.seats[player]] if player else 0.0
        n = self.rng.normal
        return Pose(float(x + n(0, mm)), float(y + n(0, mm)), facing + float(n(0, turn)))

    def on_pile(self, pile: str, player: str) -> Pose:
        """A place on a spit pile: cards come to lie there anyhow."""
        pose = self.centre(pile, player, 5.0, 7.0)
        return Pose(pose.x, pose.y, pose.angle, min(len(self.middle[pile]), DEEP) * 0.3)

    def set_out(self, hand: str, at: float) -> None:
        """The hand starts at a time, or when it is free; until then it leaves the table where there is time."""
        st = self.stage
        if at - st.now(hand) > REST_MS:
            st.leave(hand)
        st.wait(hand, at)

    def other(self, player: str) -> str:
        return self.players[1 - self.players.index(player)]

    def uniform(self, low: float, high: float) -> float:
        return float(self.rng.uniform(low, high))

    def gap(self) -> float:
        """Between two hands that rush at one pile, ms."""
        return LEAST_GAP_MS + abs(float(self.rng.normal(0, GAP_MS)))

    def touch(self, t: float, zone: str, player: str, hit: bool = False) -> None:
        self.felt.append(Felt(t, zone, player, "touch" if hit else "reach"))

    def swing(self) -> float:
        """How much of a reach is gone through before the table stops it: most people slam, some lay the card down."""
        return self.uniform(0.55, 0.8) if self.rng.random() < 0.6 else 1.0

    def log(self, event: Event | Sequence[Event], t: float) -> None:
        """What happened, for the truth."""
        self.match.append([event] if isinstance(event, Event) else list(event), round(t))

    def record(self) -> list[dict[str, Any]]:
        """The truth, by time: the rules' order says nothing of two players who are busy at once."""
        return sorted(self.match.record(), key=lambda e: float(e["t_ms"]))

    def case(self, ruleset: str) -> Case:
        """All that was played, with its truth."""
        table = {"game": self.match.game.name, "ruleset": ruleset, "players": self.players, "dealer": self.players[0], "deck": "french",
                 "size_mm": list(SIZE_MM), "seats": [{"player": p, "edge": x} for p, x in self.stage.seats.items()]}  # fmt: skip
        final = self.match.final()
        final["final"] |= {"asked": 0, "flags": 0}
        return Case(self.world, self.commands, [*self.record(), final], table, felt=self.felt)

    # what both games do -------------------------------------------------------------------------------------------------

    def landed(self, pile: str, card: str, t: float) -> None:
        """A card lies on a spit pile."""
        self.middle[pile].append(card)
        self.free[pile] = t
        for deep in self.middle[pile][:-DEEP]:
            if self.there(deep, t):
                self.stage.remove(deep, t)

    def there(self, card: str, t: float) -> bool:
        """Is the card on the table?"""
        life = self.world.cards.get(card)
        return life is not None and life.at(t) is not None

    def take_off(self, hand: str, cards: Sequence[str]) -> None:
        """Cards go off the table into a player's hand."""
        there = [c for c in cards if self.there(c, self.stage.now(hand))]
        if there:
            self.stage.pick(hand, there)
            self.stage.take(hand, there)

    def clear_out(self) -> float:
        """Both players draw their hands back; when the last one is off the table."""
        return max(self.stage.leave(p + side) for p in self.players for side in "rl")


def race_events(first: str, second: str, cards: Sequence[str], pile: str, gap_ms: float, t: float) -> list[Event]:
    """The truth of a race that `second` lost: its card does not count."""
    race = make("race", None, cards, "auto", pile=pile, order=(first, second), gap_ms=round(gap_ms, 1), sigma_ms=None, verdict="decided",
                accepted=(first,), refused=(second,))  # fmt: skip
    beaten = make("refused", second, cards[1:], "auto", pile=pile, problem="illegal-play", reason="beaten")
    return [Event(e.kind, e.player, e.cards, e.source, args=e.args, t_ms=round(t)) for e in (race, beaten)]
