"""Spit as it looks on a table: layouts, cards that fly to the spit piles, races, cards that do not fit, "Spit!", the slap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from datasets.simulate import Key, Pose
from datasets.simulate_gostop import Case
from datasets.simulate_hurry import CARD_MM, Hurry, race_events
from scorer.events import Event, make
from scorer.game import find_game
from scorer.games.simulate import play_game, policy
from scorer.games.spit.middle import find, pile_rules
from scorer.games.spit.piles import fits
from scorer.games.spit.sight import AT_ONCE_MS
from scorer.games.spit.slaps import slap_event
from scorer.games.spit.state import SpitState
from scorer.games.spit.touch import Touch
from vision.zones import default_seats

RACES, MISTAKES = 0.25, 0.03  # chance that a rival rushes where it can; that somebody lays what does not fit
LAID_MS = 250.0  # a quick reach with a card
SAME_PILE = 0.6  # chance that both slap the same pile


class SpitScene(Hurry):
    """Plays the engine's events on a stage."""

    def __init__(self, ruleset: str, players: Sequence[str], rng: np.random.Generator, pace: float) -> None:
        super().__init__("spit", ruleset, players, default_seats("spit", players), rng, pace)
        self.down: dict[str, list[list[str]]] = {}
        self.up: dict[str, list[str]] = {}
        self.spit: dict[str, list[str]] = {}
        self.places: dict[str, Pose] = {}

    # the layout ---------------------------------------------------------------------------------------------------------

    def layout(self, state: SpitState, event: Event) -> None:
        """Both lay out their piles and put what is left beside them."""
        st, hidden = self.stage, state.hidden
        assert hidden is not None
        begun = max(self.now, self.clear_out()) + self.uniform(1500, 2600)
        pace, st.pace = st.pace, st.pace * 0.75
        ends = []
        for seat, player in enumerate(self.players):
            hand = player + "r"
            self.set_out(hand, begun + self.uniform(0, 400))
            self.down[player] = [list(row) for row in hidden.down[seat]]
            self.up[player] = [s.top or "" for s in state.stocks[seat]]
            self.spit[player] = list(hidden.spit[seat])
            end = st.now(hand)
            for i, top in enumerate(self.up[player]):
                if not top:
                    continue
                zone = f"stock-{player}-{i}"
                if self.down[player][i]:
                    st.bring(hand, self.down[player][i], [self.centre(zone, player) for _ in self.down[player][i]], up=False)
                self.places[top] = self.centre(zone, player)
                end = st.bring(hand, [top], [self.places[top]])
            ends.append(end)
            if self.spit[player]:
                st.bring(hand, self.spit[player], [self.centre(f"side-{player}", player, 1.0, 1.0) for _ in self.spit[player]], up=False)
        st.pace = pace
        self.log(Event("layout", None, event.cards, "camera", args=event.args), max(ends))
        self.now = self.clear_out()
        self.middle = {"L": [], "R": []}

    # cards --------------------------------------------------------------------------------------------------------------

    def play(self, before: SpitState, player: str, card: str, pile: str) -> float:
        """A stock card onto a spit pile, sooner or later with a rival's card on it."""
        st, hand = self.stage, player + "r"
        self.set_out(hand, max(self.now - 250, self.free[pile] + self.uniform(180, 420)))
        st.pick(hand, [card])
        share = self.swing()
        end = st.carry(hand, [card], [self.on_pile(pile, player)], lift=22, hold=25, share=share)
        self.touch(end, pile, player, share < 1)
        self.up[player][self.up[player].index(card)] = ""
        self.landed(pile, card, end)
        self.log(make("play", player, (card,), pile=pile), end)
        self.now = max(self.now + 1, end)
        return end

    def rival(self, before: SpitState, player: str, card: str, pile: str, end: float) -> None:
        """The other one had a card for the same top, and comes too late: it goes back."""
        rules, top = pile_rules(before.rules), find(before.piles, pile)
        assert top is not None
        assert top.top is not None
        other = self.other(player)
        late = [c for c in self.up[other] if c and fits(top.top, c, rules) and not fits(card, c, rules)]
        hand, gap = other + "r", self.gap()
        if not late or self.stage.now(hand) > end + gap - LAID_MS - 330 or self.rng.random() > RACES:
            return
        wrong = late[int(self.rng.integers(len(late)))]
        self.set_out(hand, end + gap - LAID_MS - 330)
        self.stage.pick(hand, [wrong])
        self.stage.wait(hand, end + gap - LAID_MS)
        self._wrongly(other, wrong, pile, self.uniform(700, 1400), LAID_MS if self.stage.now(hand) < end + gap - LAID_MS + 1 else None)
        t = self.felt[-1].t_ms
        events = race_events(player, other, (card, wrong), pile, t - end, t)
        self.log(events if t - end <= before.rules.race_window_ms else events[1:], t)  # later, the card just does not fit

    def _wrongly(self, player: str, card: str, pile: str, stays: float, takes: float | None = None) -> None:
        """A card that the hand holds is laid, and taken back."""
        st, hand = self.stage, player + "r"
        share = self.swing()
        back = self.places.get(card, st.where(card))
        end = st.carry(hand, [card], [self.on_pile(pile, player)], lift=22, hold=0, share=share, takes=takes)
        self.touch(end, pile, player, share < 1)
        if self.rng.random() < 0.8:  # the hand goes off it meanwhile, so that everybody sees
            ax, ay = self.world.anchor[hand]
            x, y = st.where(card).x, st.where(card).y
            d = self.uniform(110, 170) / float(np.hypot(ax - x, ay - y))
            st.move(hand, x + (ax - x) * d, y + (ay - y) * d, 30.0)
            st.wait(hand, end + stays)
            st.pick(hand, [card])
        st.wait(hand, end + stays)
        self.free[pile] = st.carry(hand, [card], [back], lift=22)
        self.now = max(self.now, end)

    def mistake(self, before: SpitState, player: str) -> None:
        """Somebody lays what does not fit, is told so, and takes it back."""
        rules = pile_rules(before.rules)
        wrong = [(c, p.name) for c in self.up[player] if c for p in before.piles if p.top and not fits(p.top, c, rules)]
        if not wrong:
            return
        card, pile = wrong[int(self.rng.integers(len(wrong)))]
        self.set_out(player + "r", max(self.now, self.free[pile]) + self.uniform(250, 500))
        self.stage.pick(player + "r", [card])
        self._wrongly(player, card, pile, self.uniform(900, 1500))
        t = self.felt[-1].t_ms
        self.log(make("refused", player, (card,), "auto", pile=pile, problem="illegal-play", reason="does-not-fit"), t)

    def turn_up(self, player: str, card: str, index: int) -> None:
        """The next card of a stock pile is turned."""
        st, hand = self.stage, player + "r"
        self.set_out(hand, st.now(hand))
        st.pick(hand, [card])
        self.places[card] = self.centre(f"stock-{player}-{index}", player)
        end = st.carry(hand, [card], [self.places[card]], up=True, lift=30)
        self.down[player][index].remove(card)
        self.up[player][index] = card
        self.log(make("turn-up", player, (card,), index=index), end)

    def move(self, player: str, card: str, index: int) -> None:
        """A card goes to an empty place of its owner's."""
        st, hand = self.stage, player + "r"
        self.set_out(hand, max(self.now - 100, st.now(hand)))
        st.pick(hand, [card])
        self.places[card] = self.centre(f"stock-{player}-{index}", player)
        end = st.carry(hand, [card], [self.places[card]], lift=22)
        self.up[player][self.up[player].index(card)] = ""
        self.up[player][index] = card
        self.log(make("move", player, (card,), index=index), end)

    def spits(self, events: Sequence[Event]) -> None:
        """One or both turn a spit card, at a word."""
        st = self.stage
        hands = {str(e.player): str(e.player) + "r" for e in events}
        word = max([self.now, *self.free.values(), *(st.now(p + "r") for p in self.players)]) + self.uniform(800, 1600)
        for e in events:
            hand = hands[str(e.player)]
            self.set_out(hand, word - self.uniform(450, 600))
            st.pick(hand, list(e.cards))
        done = []
        for e in events:
            player, hand, pile = str(e.player), hands[str(e.player)], str(e.arg("pile"))
            st.wait(hand, word + abs(float(self.rng.normal(0, 60))))
            share = self.swing()
            end = st.carry(hand, list(e.cards), [self.on_pile(pile, player)], up=True, lift=30, share=share)
            self.touch(end, pile, player, share < 1)
            self.spit[player].remove(e.cards[0])
            self.landed(pile, e.cards[0], end)
            done.append((end, make("spit", player, e.cards, pile=pile)))
        at_once = max(d[0] for d in done) - min(d[0] for d in done) < AT_ONCE_MS  # then there is no order
        for end, event in sorted(done, key=lambda d: str(d[1].arg("pile")) if at_once else d[0]):
            self.log(event, min(d[0] for d in done) if at_once else end)
            self.now = max(self.now + 1, end)

    # the end of a layout ------------------------------------------------------------------------------------------------

    def slap(self, state: SpitState, event: Event) -> None:
        """Both slap: one pile each, or the same one."""
        gets = dict(event.arg("gets"))
        ready = max([self.now, *(self.stage.now(p + "r") for p in self.players)])
        first = self.players[int(self.rng.integers(2))]
        gap = self.gap()
        times = {first: ready + self.uniform(650, 1100)}
        times[self.other(first)] = times[first] + gap
        piles = dict(gets)
        if self.rng.random() < SAME_PILE:
            piles[self.other(first)] = gets[first]
        for player in self.players:
            self._hit(player, piles[player], times[player], 22.0 if player != first and len(set(piles.values())) == 1 else 0.0)
        hands = sorted((Touch(p, times[p], pile=piles[p], sigma_ms=2.0) for p in self.players), key=lambda h: h.t_ms)
        ruling = slap_event(self.match.evening.state, hands)
        assert dict(ruling.arg("gets")) == gets
        self.log(ruling, times[first])
        for player in self.players:
            self.stage.wait(player + "r", max(times.values()) + self.uniform(500, 900))
        self.now = max(times.values()) + 900

    def _hit(self, player: str, pile: str, t: float, z: float) -> None:
        """A hand waits near the pile and comes down on it at t."""
        st, hand = self.stage, player + "r"
        x, y = np.mean(self.zones[pile].polygon_mm, axis=0)
        ax, ay = self.world.anchor[hand]
        d = np.array([x - ax, y - ay]) / np.hypot(x - ax, y - ay)
        wait = np.array([x, y]) - d * self.uniform(130, 260) + self.rng.normal(0, 10, 2)
        st.move(hand, float(wait[0]), float(wait[1]), self.uniform(20, 80), grip=0.0)
        end = np.array([x, y]) + d * self.uniform(0, 40) + self.rng.normal(0, 7, 2)
        share, peak = self.uniform(0.5, 0.75), self.uniform(2.0, 3.6)
        way = float(np.hypot(*(end - wait)))
        takes = way / (share**3 * (10 + share * (6 * share - 15))) * 1.875 / peak * share
        st.wait(hand, t - takes)
        st._key(Key(t, float(end[0]), float(end[1]), z, 0.0, share), hand)
        self.touch(t, pile, player, True)

    def gather(self, gets: dict[str, str]) -> None:
        """Everybody takes a pile and what is left of the own cards."""
        for player in self.players:
            hand = player + "r"
            self.set_out(hand, self.now + self.uniform(200, 800))
            if player in gets:
                self.take_off(hand, self.middle[gets[player]])
            self.take_off(hand, [c for i, top in enumerate(self.up[player]) for c in (*self.down[player][i], top) if c])
            self.take_off(hand, self.spit[player])
        self.now = max(self.stage.now(p + "r") for p in self.players)


def act_out_spit(seed: int, players: Sequence[str] = ("A", "B"), ruleset: str = "classic", pace: float = 0.8) -> Case:
    """A whole game, layout after layout, until somebody has played everything."""
    game = find_game("spit")
    rng = np.random.default_rng([seed, 73])
    scene = SpitScene(ruleset, players, rng, pace)
    before: Any = None
    waiting: list[Event] = []
    for step in play_game(game, game.rules(ruleset), players, seed, policy("spit", "sensible")):
        e, state = step.event, step.state
        player = str(e.player)
        if e.kind == "spit":
            waiting.append(e)
            if not state.due:
                scene.spits(waiting)
                waiting = []
        elif e.kind == "layout":
            scene.layout(state, e)
        elif e.kind == "play":
            if rng.random() < MISTAKES:
                scene.mistake(before, players[int(rng.integers(2))])
            end = scene.play(before, player, e.cards[0], str(e.arg("pile")))
            scene.rival(before, player, e.cards[0], str(e.arg("pile")), end)
        elif e.kind == "turn-up":
            scene.turn_up(player, e.cards[0], int(e.arg("index")))
        elif e.kind == "move":
            scene.move(player, e.cards[0], int(e.arg("index")))
        elif e.kind == "slap":
            scene.slap(before, e)
            scene.gather(dict(e.arg("gets")))
        elif e.kind == "gather":
            if e.source == "human":
                t = scene.now + 1200
                scene.commands.append({"t_ms": round(t), "command": "gather", "gets": dict(e.arg("gets")), "pile": e.arg("pile"), "verdict": "decided"})
                scene.log(Event("gather", None, (), "human", args=e.args), t)
                scene.now = t
            scene.gather(dict(e.arg("gets")))
        before = state
    scene.clear_out()
    return scene.case(ruleset)


__all__ = ["CARD_MM", "act_out_spit"]
