"""Speed as it looks on a table: hidden hands, draws, cards that fly to the middle, races, side piles, new side piles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from datasets.simulate_gostop import Case
from datasets.simulate_hurry import Hurry, race_events
from scorer.events import Event, make
from scorer.game import find_game
from scorer.games.simulate import play_game, policy
from scorer.games.speed.state import SpeedState
from scorer.games.spit.middle import PILES, find, pile_rules
from scorer.games.spit.piles import fits
from vision.zones import default_seats

RACES, MISTAKES = 0.2, 0.02  # chance that a rival rushes where it can; that somebody lays what does not fit
LAID_MS = 260.0  # a quick reach with a card
SEE_MS = (300.0, 650.0)  # from a card on a pile to the hand that answers it
FRESH_MS = 350.0  # longer where both piles are new
SIDES = ("side-left", "side-right")


class SpeedScene(Hurry):
    """Plays the engine's events on a stage."""

    def __init__(self, ruleset: str, players: Sequence[str], rng: np.random.Generator, pace: float) -> None:
        super().__init__("speed", ruleset, players, default_seats("speed", players), rng, pace)

    def lay_out(self, state: SpeedState) -> None:
        """Stocks, side piles and the middle lie face down before anybody looks."""
        hidden = state.hidden
        assert hidden is not None
        for seat, player in enumerate(self.players):
            for card in reversed(hidden.stocks[seat]):
                self.stage.put(card, 0.0, self.centre(f"stock-{player}", player, 1.0, 1.0), up=False)
        for side, name in enumerate(SIDES):
            for card in hidden.sides[side]:
                self.stage.put(card, 0.0, self.centre(name, None, 1.0, 1.0), up=False)
        for pile, card in zip(PILES, hidden.middle, strict=True):
            self.stage.put(card, 0.0, self.centre(pile, None, 3.0, 3.0), up=False)
        self.now = 1500.0

    def turn_middle(self, cards: Sequence[str]) -> None:
        """Both turn a middle card at a word."""
        word, ends = self.now + self.uniform(600, 1200), []
        for player, pile, card in zip(self.players, PILES, cards, strict=True):
            hand = player + "r"
            self.set_out(hand, word)
            self.stage.pick(hand, [card])
            ends.append(self.stage.carry(hand, [card], [self.on_pile(pile, player)], up=True, lift=30))
            self.landed(pile, card, ends[-1])
            self.stage.leave(hand)
            self.free[pile] += FRESH_MS
        self.now = max(ends)
        self.log(make("layout", None, cards), self.now)

    def play(self, player: str, card: str, pile: str) -> float:
        """A card from the hand onto a spit pile."""
        hand, share = player + "r", self.swing()
        self.set_out(hand, max(self.now - 200, self.free[pile] + self.uniform(*SEE_MS)))
        end = self.stage.bring(hand, [card], [self.on_pile(pile, player)], share=share, drop=40)
        self.touch(end, pile, player, share < 1)
        self.landed(pile, card, end)
        self.stage.leave(hand)  # for the next card
        self.log(make("play", player, (card,), pile=pile), end)
        self.now = max(self.now + 1, end)
        return end

    def wrongly(self, player: str, card: str, pile: str, at: float, takes: float | None = None) -> float:
        """A card that does not count is laid, left to be seen, and taken back; when it landed."""
        st, hand, share = self.stage, player + "r", self.swing()
        self.set_out(hand, at)
        end = st.bring(hand, [card], [self.on_pile(pile, player)], share=share, drop=40, takes=takes)
        self.touch(end, pile, player, share < 1)
        x, y = self.stage.rest(hand)
        st.move(hand, x + (st.where(card).x - x) * 0.3, y + (st.where(card).y - y) * 0.3, 30.0)
        st.wait(hand, end + self.uniform(900, 1500))
        st.pick(hand, [card])
        self.free[pile] = st.take(hand, [card])
        self.now = max(self.now, end)
        return end

    def rival(self, before: SpeedState, player: str, card: str, pile: str, end: float) -> None:
        """The other one had a card for the same top, and comes too late."""
        assert before.hidden is not None
        top, rules, other = find(before.piles, pile), pile_rules(before.rules), self.other(player)
        assert top is not None
        late = [c for c in before.hidden.hands[self.players.index(other)] if fits(str(top.top), c, rules) and not fits(card, c, rules)]
        start = end + self.gap() - LAID_MS
        if not late or self.stage.now(other + "r") > start or self.rng.random() > RACES:
            return
        wrong = late[int(self.rng.integers(len(late)))]
        t = self.wrongly(other, wrong, pile, start, LAID_MS)
        events = race_events(player, other, (card, wrong), pile, t - end, t)
        self.log(events if t - end <= before.rules.race_window_ms else events[1:], t)

    def mistake(self, before: SpeedState, player: str) -> None:
        """Somebody lays what does not fit, and takes it back."""
        assert before.hidden is not None
        hand, rules = before.hidden.hands[self.players.index(player)], pile_rules(before.rules)
        wrong = [(c, p.name) for c in hand for p in before.piles if p.top and not fits(p.top, c, rules)]
        if wrong:
            card, pile = wrong[int(self.rng.integers(len(wrong)))]
            t = self.wrongly(player, card, pile, max(self.now, self.free[pile]) + self.uniform(250, 500))
            self.log(make("refused", player, (card,), "auto", pile=pile, problem="illegal-play", reason="does-not-fit"), t)

    def refill(self, player: str, cards: Sequence[str]) -> None:
        """Cards from the own stock into the hand."""
        st, hand = self.stage, player + "r"
        self.set_out(hand, st.now(hand) + self.uniform(60, 250))
        st.pick(hand, list(cards))
        t = st.now(hand)
        self.touch(t, f"stock-{player}", player)
        st.take(hand, list(cards))
        self.log(make("refill", player), t)

    def flips(self, events: Sequence[Event], reshuffled: SpeedState | None) -> None:
        """Nobody can play: each slides a side card over, after new side piles were made where there are none."""
        st = self.stage
        word = max([self.now, *self.free.values(), *(st.now(p + "r") for p in self.players)]) + self.uniform(900, 1600)
        if reshuffled is not None:
            word = self._new_sides(reshuffled, word)
        done = []
        for e in events:
            side = PILES.index(str(e.arg("pile")))
            player, card = self.players[side], e.cards[0]
            hand, share = player + "r", self.swing()
            self.set_out(hand, word - 500)
            st.pick(hand, [card])
            self.touch(st.now(hand), SIDES[side], player)
            st.wait(hand, word + abs(float(self.rng.normal(0, 60))))
            end = st.carry(hand, [card], [self.on_pile(PILES[side], player)], up=True, lift=26, share=share)
            self.touch(end, PILES[side], player, share < 1)
            self.landed(PILES[side], card, end)
            st.leave(hand)
            self.free[PILES[side]] += FRESH_MS
            done.append((end, make("side-flip", None, (card,), pile=PILES[side])))
        done.sort(key=lambda d: str(d[1].arg("pile")))
        self.log(make("stall"), done[0][0])
        if reshuffled is not None:
            self.log(make("reshuffle"), done[0][0])
        for end, event in done:
            self.log(event, end)
            self.now = max(self.now + 1, end)

    def _new_sides(self, state: SpeedState, word: float) -> float:
        """All but the tops go into new side piles."""
        assert state.hidden is not None
        hand = self.players[0] + "r"
        for pile in PILES:
            self.set_out(hand, word)
            self.take_off(hand, self.middle[pile][:-1])
            self.middle[pile] = self.middle[pile][-1:]
        self.stage.leave(hand)
        self.set_out(hand, self.stage.now(hand) + 1500)
        for side, name in enumerate(SIDES):
            cards = list(state.hidden.sides[side])
            if cards:
                self.stage.bring(hand, cards, [self.centre(name, None, 1.0, 1.0) for _ in cards], up=False)
        self.stage.leave(hand)
        return self.stage.now(hand) + self.uniform(600, 1000)


def act_out_speed(seed: int, players: Sequence[str] = ("A", "B"), ruleset: str = "classic", pace: float = 0.9) -> Case:
    """A whole round, until somebody has no card left."""
    game = find_game("speed")
    rng = np.random.default_rng([seed, 79])
    scene = SpeedScene(ruleset, players, rng, pace)
    before: Any = game.start(game.rules(ruleset), tuple(players), players[0], {"seed": str(seed)})
    scene.lay_out(before)
    waiting: list[Event] = []
    reshuffled: SpeedState | None = None
    for step in play_game(game, game.rules(ruleset), players, seed, policy("speed", "sensible")):
        e, state, player = step.event, step.state, str(step.event.player)
        if e.kind == "layout":
            scene.turn_middle(e.cards)
        elif e.kind == "play":
            if rng.random() < MISTAKES:
                scene.mistake(before, players[int(rng.integers(2))])
            end = scene.play(player, e.cards[0], str(e.arg("pile")))
            scene.rival(before, player, e.cards[0], str(e.arg("pile")), end)
        elif e.kind == "refill":
            drawn = [c for c in before.hidden.stocks[scene.players.index(player)] if c not in state.hidden.stocks[scene.players.index(player)]]
            scene.refill(player, drawn)
        elif e.kind == "reshuffle":
            reshuffled = state
        elif e.kind == "side-flip":
            waiting.append(e)
            if not state.due:
                scene.flips(waiting, reshuffled)
                waiting, reshuffled = [], None
        elif e.kind == "over":
            t = scene.now + 2000
            scene.commands.append({"t_ms": round(t), "command": "over"})
            scene.match.command({"command": "over", "t_ms": round(t)})
        before = state
    scene.clear_out()
    return scene.case(ruleset)
