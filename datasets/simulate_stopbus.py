"""Stop the Bus as it looks on a table: hands hidden, three cards in the centre, swaps, the call, hands laid open, the cards swept up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from datasets.simulate import Pose, Stage, World
from datasets.simulate_gostop import Case
from scorer.cards import FRENCH
from scorer.events import Event
from scorer.game import find_game
from scorer.games.simulate import play_game, policy
from scorer.match import Match
from vision.zones import default_seats

CARD_MM = (63.0, 88.0)
REST = 5  # cards that stand for the rest of the pack: nobody sees more than the topmost
GAP_MM = 22.0


class BusScene:
    """Plays logged events on a stage. What a person says goes into `commands`."""

    def __init__(self, stage: Stage, players: Sequence[str]) -> None:
        self.stage, self.players, self.rng = stage, list(players), stage.rng
        w, h = stage.world.size_mm
        step = CARD_MM[0] + GAP_MM
        self._slots = [Pose(w / 2 + (i - 1) * step, h / 2) for i in range(3)]
        self._stock = Pose(w / 2 + (CARD_MM[0] * 3 + 90) / 2 + CARD_MM[0] / 2 + 26, h / 2)
        self._centre: dict[str, Pose] = {}
        self._shown: list[str] = []
        self._rest: list[str] = []
        self.commands: list[dict[str, Any]] = []
        self.now = 500.0

    def _jitter(self, pose: Pose) -> Pose:
        n = self.rng.normal
        return pose.moved(float(n(0, 2.0)), float(n(0, 2.0)), float(n(0, 3.5)))

    def _think(self, low: float, high: float) -> float:
        self.now += float(self.rng.uniform(low, high)) * self.stage.pace
        return self.now

    def deal(self, dealer: str, cards: Sequence[str], rest: Sequence[str]) -> float:
        """The rest of the pack is put down, three cards are laid open. Returns when the last one lies."""
        st, hand = self.stage, dealer + "r"
        st.wait(hand, self._think(500, 1000))
        self._rest = list(rest[:REST])
        st.bring(hand, self._rest, [self._jitter(Pose(self._stock.x, self._stock.y, 0.0, i * 0.4)) for i in range(len(self._rest))], up=False)
        end = st.now(hand)
        for card, slot in zip(cards, self._slots, strict=True):
            self._centre[card] = self._jitter(slot)
            end = st.bring(hand, [card], [self._centre[card]])
        self.now = st.leave(hand)
        return end

    def swap(self, player: str, took: Sequence[str], gave: Sequence[str]) -> float:
        """Take cards from the centre and lay others for them, in either order. The row stays a row: what was laid beside a card lies near
        that card's place in it. Returns when the table is as it will be."""
        st, hand = self.stage, player + "r"
        st.wait(hand, self._think(600, 1800))
        places = [self._centre.pop(c) for c in took]
        if len(took) > 1 or self.rng.random() < 0.55:  # takes first
            st.pick(hand, list(took))
            st.take(hand, list(took))
            st.wait(hand, st.now(hand) + float(self.rng.uniform(250, 700)))
            end = self._lay(hand, gave, places)
        else:  # lays beside it first, half upon it, then takes
            slot = min(self._slots, key=lambda p: abs(p.x - places[0].x))
            aside = places[0].y - slot.y
            way = -1.0 if aside > 8 else 1.0 if aside < -8 else float(self.rng.choice([-1, 1]))
            beside = Pose(slot.x, slot.y).moved(float(self.rng.uniform(-14, 14)), way * float(self.rng.uniform(26, 40)), float(self.rng.normal(0, 4)))
            st.bring(hand, list(gave), [beside])
            self._centre[gave[0]] = beside
            st.pick(hand, list(took))
            end = st.take(hand, list(took))
        self.now = st.leave(hand)
        return end

    def _lay(self, hand: str, cards: Sequence[str], places: Sequence[Pose]) -> float:
        end = self.stage.now(hand)
        for card, place in zip(cards, places, strict=True):
            self._centre[card] = self._jitter(Pose(place.x, place.y, 0.0))
            end = self.stage.bring(hand, [card], [self._centre[card]])
        return end

    def call(self, player: str) -> float:
        """Said aloud."""
        t = self._think(300, 800)
        self.commands.append({"t_ms": round(t), "command": "call", "player": player})
        return t

    def show(self, player: str, cards: Sequence[str]) -> float:
        """The hand laid open at its owner's edge."""
        st, hand = self.stage, player + "r"
        st.wait(hand, self._think(250, 900))
        w, h = st.world.size_mm
        edge = st.seats[player]
        v = CARD_MM[1] / 2 + 18
        poses = []
        for i in range(len(cards)):
            u = (i - 1) * (CARD_MM[0] + 9)
            poses.append({"S": Pose(w / 2 + u, h - v, 0), "N": Pose(w / 2 - u, v, 180), "E": Pose(w - v, h / 2 - u, -90), "W": Pose(v, h / 2 + u, 90)}[edge])
        end = st.now(hand)
        if self.rng.random() < 0.5:
            end = st.bring(hand, list(cards), [self._jitter(p) for p in poses])
        else:
            for card, pose in zip(cards, poses, strict=True):
                end = st.bring(hand, [card], [self._jitter(pose)])
        self._shown += cards
        self.now = st.leave(hand)
        return end

    def sweep(self, dealer: str) -> float:
        """The next dealer takes everything off the table."""
        st, hand = self.stage, dealer + "r"
        st.wait(hand, self._think(1800, 3000))
        groups = [self._shown[i : i + 3] for i in range(0, len(self._shown), 3)]
        for cards in (*groups, list(self._centre), self._rest):
            st.pick(hand, list(cards))
            st.take(hand, list(cards))
            st.wait(hand, st.now(hand) + 120)
        self._centre, self._shown, self._rest = {}, [], []
        self.now = st.leave(hand)
        return self.now


def act_out_stopbus(seed: int, players: Sequence[str], ruleset: str = "classic", tokens: int = 1, pace: float = 1.0) -> Case:
    """A whole game: rounds until one player is left. Everybody starts with `tokens` tokens."""
    game = find_game("stopbus")
    options: dict[str, Any] = {"tokens": dict.fromkeys(players, tokens)}
    rng = np.random.default_rng([seed, 67])
    size = (860.0, 560.0) if len(players) < 4 else (900.0, 640.0)
    seats = default_seats("stopbus", players)
    world = World(size, CARD_MM)
    scene = BusScene(Stage(world, seats, rng, pace), players)
    match = Match("stopbus", ruleset, players, players[0], options)
    deal = 1
    for step in play_game(game, game.rules(ruleset), players, seed, policy("stopbus", "sensible"), options):
        e = step.event
        if step.deal != deal:
            deal = step.deal
            dealer = match.game.result(match.evening.state).dealer  # type: ignore[union-attr]
            match.append([Event("next-deal", source="auto")], round(scene.sweep(str(dealer))))
        t = _act(scene, e, step.state)
        if t is not None:
            match.append([Event(e.kind, e.player, e.cards, "human" if e.kind == "call" else "camera")], round(t))
    table: Mapping[str, Any] = {"game": "stopbus", "ruleset": ruleset, "players": list(players), "dealer": players[0], "deck": "french", "size_mm": list(size),
                                "seats": [{"player": p, "edge": x} for p, x in seats.items()], "tokens": options["tokens"]}  # fmt: skip
    final = match.final()
    final["final"] |= {"asked": 0, "flags": 0}
    return Case(world, scene.commands, [*match.record(), final], dict(table))


def _act(scene: BusScene, e: Event, state: Any) -> float | None:
    """Act out one event; the time at which it is seen to have happened, None for what follows of itself."""
    player = str(e.player)
    if e.kind == "deal":
        held = {c for hand in state.hidden for c in hand} | set(e.cards)
        return scene.deal(state.dealer, e.cards, [c for c in sorted(FRENCH) if c not in held])
    if e.kind == "swap":
        half = len(e.cards) // 2
        return scene.swap(player, e.cards[:half], e.cards[half:])
    if e.kind == "call":
        return scene.call(player)
    return scene.show(player, e.cards) if e.kind == "show" else None

