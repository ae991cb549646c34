"""Speed: the Game of `scorer.game`."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from ...cards import FRENCH
from ...events import Event, make
from ...frozen import freeze
from ...game import Explanation, Game, PlayerScore, Problem, Question, Result, ScoreSheet, Term
from ...ruleset import Key, Rules
from ...table import TableState
from ..evidence import seat, table
from ..spit.middle import PILES, pile_rules, pile_view
from ..spit.piles import any_fits, fits
from . import referee, sight
from . import rules as r
from . import state as fold
from .state import SpeedState


class Speed(Game):
    """Two players at once, five cards in hand, two spit piles; who has no card left wins."""

    name = "speed"
    deck = "french"
    players = (2, 2)
    live = True
    at_once = True  # both play at the same time: the record goes by time
    meta = ("over", "resync")
    derived = ("stall", "reshuffle", "over", "win")
    commands = ("play", "refill", "refused", "stall", "spit", "side-flip", "reshuffle", "layout", "over")
    schema = (
        Key("hand_size", "int", 5, low=1, high=15, h="A-47"),
        Key("side_pile", "int", 10, low=1, high=20, h="S4"),
        Key("alternate_colours", "bool", False, h="S4"),
        Key("equal_ranks", "bool", False, h="S4"),
        Key("new_side_piles", "choice", "together", choices=("together", "pile-by-pile"), h="A-44"),
        Key("target", "int", 0, high=10_000, h="S4"),
        Key("count_hand", "bool", False, h="A-46"),
        Key("measuring_error_ms", "int", 33, high=500, h="A-37"),
        Key("too_close_sigmas", "int", 2, low=1, high=6, h="A-37"),
        Key("race_window_ms", "int", 250, high=2000, h="A-37"),
    )

    def start(self, rules: Rules, players: tuple[str, ...], dealer: str, options: Mapping[str, Any]) -> SpeedState:
        """A fresh round; options `totals` {player: points}, `target`, `seed` for simulated play."""
        return fold.start(rules, players, options)

    def check(self, state: SpeedState, event: Event) -> Problem | None:
        """None where the rules allow the event now."""
        return None if event.kind == "resync" else referee.check(state, event)

    def apply(self, state: SpeedState, event: Event) -> SpeedState:
        """The state after the event."""
        return fold.apply(state, event)

    def observe(self, state: SpeedState, before: TableState, after: TableState) -> tuple[Explanation, ...]:
        """Plays, races, draws and side cards."""
        return sight.observe(state, before, after)

    def expected(self, state: SpeedState, after: TableState) -> tuple[Problem, ...]:
        """Spit piles whose open card is not the log's."""
        return sight.expected(state, after)

    def adopt(self, state: SpeedState, table: TableState) -> tuple[Event, ...]:
        """Take the spit piles as they lie."""
        return sight.adopt(state, table)

    def questions(self, state: SpeedState) -> tuple[Question, ...]:
        """A race too close to call."""
        return sight.questions(state)

    def command(self, state: SpeedState, command: Mapping[str, Any]) -> tuple[Event, ...] | Problem:
        """`spit` is the word that nobody can play."""
        if command.get("command") == "spit":
            return () if state.phase == "flip" else (make("stall", command.get("player"), source="human"),)
        return super().command(state, command)

    def follow(self, state: SpeedState) -> tuple[Event, ...]:
        """The win; new side piles, or the end, where a flip is due and no side card is left; in simulated play the stall."""
        if state.phase in ("layout", "over"):
            return ()
        winner = referee.won(state)
        if winner is not None:
            return (make("win", winner, source="auto", points=self._points(state, winner)),)
        if state.phase == "flip" and not any(state.sides):
            return (make("reshuffle" if state.under else "over", source="auto"),)
        if state.phase == "play" and state.contest is None and state.next_step in ("flip-both", "reshuffle", "stuck"):
            return (make("stall", source="auto", next=state.next_step),)
        return ()

    def _points(self, state: SpeedState, winner: str) -> int:
        hands = dict(zip(state.players, state.hands, strict=True))
        return r.points(winner, hands, dict(zip(state.players, state.stocks, strict=True)), state.rules.count_hand)

    def _totals(self, state: SpeedState) -> tuple[dict[str, int], str | None]:
        """Points after this round, and who has won the match."""
        before = dict(zip(state.players, state.totals, strict=True))
        gained = {state.winner: self._points(state, state.winner)} if state.winner is not None else {}
        return r.add_points(before, gained, state.target or None)

    def score(self, state: SpeedState) -> ScoreSheet:
        """Cards that each player has still to play."""
        rows = [
            PlayerScore(p, hand + stock, (Term("hand-cards", hand), Term("stock-cards", stock)))
            for p, hand, stock in zip(state.players, state.hands, state.stocks, strict=True)
        ]
        return ScoreSheet(tuple(rows), winner=state.winner)

    def view(self, state: SpeedState) -> dict[str, Any]:
        """`piles` [{name, top, count, cards}], `side_piles` {L, R}, `phase`, `prompt` (layout, play, flip, answer), `due`, `target`,
        and by player `stock`, `cards`, `refill` (cards to draw), `match_points`."""
        totals, champion = self._totals(state)
        size = state.rules.hand_size
        seats = [seat(p, hand=hand, stock=stock, cards=hand + stock, refill=max(0, min(size - hand, stock)), match_points=totals[p])
                 for p, hand, stock in zip(state.players, state.hands, state.stocks, strict=True)]
        return table(players=seats, piles=pile_view(state.piles), side_piles=dict(zip(PILES, state.sides, strict=True)), phase=state.phase,
                     prompt="answer" if state.contest is not None else state.phase, due=list(state.due), target=state.target,
                     match_winner=champion, reshuffles=state.reshuffles)

    def legal(self, state: SpeedState) -> tuple[Event, ...]:
        """Every next event of simulated play; () without dealt cards."""
        hidden = state.hidden
        if hidden is None or state.phase == "over" or self.follow(state):
            return ()
        if state.phase == "layout":
            return (make("layout", None, hidden.middle, "human"),)
        if state.phase == "flip":
            return tuple(make("side-flip", None, hidden.sides[PILES.index(name)][-1:], "human", pile=name) for name in state.due)
        plays = [
            make("play", player, (card,), "human", pile=pile.name)
            for player, hand in zip(state.players, hidden.hands, strict=True)
            for card in hand
            for pile in state.piles
            if pile.top and fits(pile.top, card, pile_rules(state.rules))
        ]
        draws = [make("refill", p, (), "human") for p in state.players if referee.check(state, make("refill", p)) is None]
        return (*plays, *draws)

    def result(self, state: SpeedState) -> Result | None:
        """The end of a round; `over` without a target, or once it is reached."""
        if state.phase != "over":
            return None
        totals, champion = self._totals(state)
        options: dict[str, Any] = {"totals": totals, "target": state.target}
        if state.hidden is not None:
            options["seed"] = f"{state.hidden.seed}+"  # another deal next time
        return Result(state.winner, options=freeze(options), over=not state.target or champion is not None)


GAME = Speed()


def audit(state: SpeedState) -> str:
    """What is wrong with a state, "" where nothing is: 52 cards, each in one place, no hand too large."""
    if state.total != r.DECK:
        return f"{state.total} cards lie on the table"
    if any(n > state.rules.hand_size for n in state.hands):
        return "a hand is too large"
    shown = [card for pile in state.piles for card in pile.cards]
    if state.hidden is None:
        return "" if len(set(shown)) == len(shown) else "a card lies in two places"
    hidden = (*state.hidden.hands, *state.hidden.stocks, *state.hidden.sides, state.hidden.middle)
    return "" if sorted([*shown, *(c for row in hidden for c in row)]) == sorted(FRENCH) else "the cards are not the 52 of the deck"


def sensible(state: SpeedState, choices: tuple[Event, ...], rng: random.Random) -> Event:
    """A policy: draw at once, play what leaves another play open."""
    draws = [e for e in choices if e.kind == "refill"]
    if draws:
        return rng.choice(draws)
    plays = [e for e in choices if e.kind == "play"]
    if not plays:
        return rng.choice(choices)
    player = rng.choice(sorted({str(e.player) for e in plays}))  # both are as quick
    hidden = state.hidden
    assert hidden is not None

    def worth(event: Event) -> tuple[bool, float]:
        rest = [c for c in hidden.hands[state.seat(player)] if c != event.cards[0]]
        return any_fits(event.cards, rest, pile_rules(state.rules)), rng.random()

    return max((e for e in plays if e.player == player), key=worth)
