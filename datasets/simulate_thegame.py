"""The Game as it looks on a table: cards laid onto four piles in the middle, and each turn's end when its player draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from datasets.simulate import Leg, Pose, Stage, World
from datasets.simulate_gostop import Case
from scorer.events import Event
from scorer.game import find_game
from scorer.games.simulate import play_game, policy
from scorer.match import Match
from vision.zones import default_seats

CARD_MM = (63.0, 88.0)
FOUNDATIONS = ("n1", "n1", "n100", "n100")
HIGH = 4  # so many cards of the draw pile are drawn
DEEP = 3  # so many cards of a pile are drawn: what lies below shows nowhere


class PilesScene:
    """Plays logged events on a stage."""

    def __init__(self, stage: Stage, players: Sequence[str], draw_pile: int) -> None:
        self.stage, self.rng = stage, stage.rng
        w, h = stage.world.size_mm
        self._step = CARD_MM[0] + 22
        self._piles = [Pose(w / 2 + (i - 1.5) * self._step, h / 2) for i in range(4)]
        self._stock = Pose(w / 2 - 2.7 * self._step, h / 2)
        self._lying: list[list[str]] = [[], [], [], []]
        self._backs: list[str] = []
        self._left, self._made = draw_pile, 0
        self.commands: list[dict[str, Any]] = []
        self.now = 500.0
        self.first = str(players[0])

    def _jitter(self, pose: Pose, mm: float = 2.5) -> Pose:
        n = self.rng.normal
        return pose.moved(float(n(0, mm)), float(n(0, mm)), float(n(0, 3.0)))

    def _think(self, low: float, high: float) -> float:
        self.now += float(self.rng.uniform(low, high)) * self.stage.pace
        return self.now

    def lay_out(self) -> None:
        """The four foundations and the draw pile are put down. The two copies of a foundation card share one name."""
        st, hand = self.stage, self.first + "r"
        st.wait(hand, self.now)
        self._made = min(self._left, HIGH)
        self._backs = [f"stock-{i}" for i in range(self._made)]
        st.bring(hand, self._backs, [self._jitter(Pose(self._stock.x, self._stock.y, 0.0, i * 0.4), 1.0) for i in range(len(self._backs))], up=False)
        for i, pose in enumerate(self._piles):
            card = f"{FOUNDATIONS[i]}#{i}"
            st.bring(hand, [card], [self._jitter(pose, 1.0)])
            self._lying[i].append(card)
        self.now = st.leave(hand)

    def play(self, player: str, card: str, pile: int) -> float:
        """A card onto a pile; the hand goes back for the next one."""
        st, hand = self.stage, player + "r"
        st.wait(hand, self._think(700, 2200))
        end = st.bring(hand, [card], [self._jitter(self._piles[pile])])
        self._lying[pile].append(card)
        self.now = st.leave(hand)
        for deep in self._lying[pile][:-DEEP]:
            if deep in st.world.cards and st.world.cards[deep].at(self.now) is not None:
                st.remove(deep, self.now)
        return end

    def draw(self, player: str, n: int) -> float:
        """The player takes cards from the draw pile. Returns when the hand is there: that ends the turn."""
        st, hand = self.stage, player + "r"
        if n <= 0 or not self._backs:
            self.now = st.leave(hand)
            return self.now
        st.wait(hand, self._think(150, 600))
        self._left -= n
        gone = self._backs[-min(n, len(self._backs)) :]
        stay = self._backs[: len(self._backs) - len(gone)]
        there = st.pick(hand, gone)
        fresh = []
        while len(fresh) + len(stay) < min(self._left, HIGH):  # the pile is higher than it is drawn: those below come up
            self._made += 1
            fresh.append(f"stock-{self._made}")
            pose = self._jitter(Pose(self._stock.x, self._stock.y), 1.0)
            st.life(fresh[-1]).add(Leg(st.now(hand), st.now(hand), pose, pose, up0=False, up1=False, order=-float(self._made)))
        self._backs = [*reversed(fresh), *stay]
        st.take(hand, gone)
        self.now = st.leave(hand)
        return there

    def over(self) -> float:
        """Somebody says that nothing fits any more."""
        t = self._think(1500, 3000)
        self.commands.append({"t_ms": round(t), "command": "over"})
        return t


def act_out_thegame(seed: int, players: Sequence[str], ruleset: str = "classic", pace: float = 1.0) -> Case:
    """A whole game, until all cards lie or nothing fits any more."""
    game = find_game("thegame")
    rng = np.random.default_rng([seed, 71])
    size = (760.0, 480.0)
    seats = default_seats("thegame", players)
    world = World(size, CARD_MM)
    match = Match("thegame", ruleset, players, players[0])
    scene = PilesScene(Stage(world, seats, rng, pace), players, match.evening.state.draw_pile)
    scene.lay_out()
    for step in play_game(game, game.rules(ruleset), players, seed, policy("thegame", "sensible")):
        e = step.event
        if e.kind == "play":
            t = scene.play(str(e.player), e.cards[0], int(e.arg("pile")))
            match.append([Event("play", e.player, e.cards, "camera", args=e.args)], round(t))
        elif e.kind == "turn":
            before = match.evening.state
            if before.plays and before.turn == e.player:  # else it followed of itself
                drawn = before.draw_pile - match.game.apply(before, Event("turn", e.player)).draw_pile
                match.append([Event("turn", e.player, (), "camera")], round(scene.draw(str(e.player), drawn)))
        elif e.kind == "over":
            t = scene.over()
            match.command({"command": "over", "t_ms": round(t)})
    table = {"game": "thegame", "ruleset": ruleset, "players": list(players), "dealer": players[0], "deck": "numbers", "size_mm": list(size),
             "seats": [{"player": p, "edge": x} for p, x in seats.items()]}  # fmt: skip
    final = match.final()
    final["final"] |= {"asked": 0, "flags": 0}
    return Case(world, scene.commands, [*match.record(), final], table)
