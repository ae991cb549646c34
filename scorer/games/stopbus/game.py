"""Stop the Bus (Bastard): the Game of `scorer.game`."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...errors import InputError, did_you_mean
from ...events import Event, make
from ...frozen import freeze
from ...game import Explanation, Game, Payment, PlayerScore, Problem, Result, ScoreSheet, Term
from ...ruleset import Key, Rules
from ...table import TableState
from ..evidence import seat, table
from ..given import by_player, entries
from . import referee
from . import state as fold
from .hands import CLASSES, classify, lowest, rank_hand
from .state import HAND, BusState, hand_rules


class StopBus(Game):
    """Three cards in hand, three in the centre; who holds the lowest hand when the bus stops loses a token."""

    name = "stopbus"
    aliases = ("stop-the-bus", "bastard")
    deck = "french"
    players = (2, 16)
    meta = ("draw", "resync")
    derived = ("lose_token", "out", "win")
    commands = ("call", "swap", "show", "deal", "draw")
    passing = ("deal", "swap")
    after_turn = ("call",)
    live = True  # the next hand is over the table before it has settled; three cards in the centre tell by themselves that a turn is done
    schema = (
        Key("tokens", "int", 3, low=1, high=100, h="S2"),
        Key("token_worth", "int", 1, high=1_000_000, h="S2"),
        Key("ace_low_run", "choice", "none", choices=("none", "lowest", "top"), h="A-52"),
        Key("threes_top", "bool", False, h="A-52"),
        Key("kickers", "bool", True, h="A-54"),
        Key("swap_all", "bool", False, h="A-58"),
        Key("first_turn_stop", "bool", True, h="A-59"),
        Key("call_before_swap", "bool", False, h="A-60"),
    )

    def start(self, rules: Rules, players: tuple[str, ...], dealer: str, options: Mapping[str, Any]) -> BusState:
        """A fresh round; options `tokens` and `paid` {player: n}, `deciding`, `seed` (deals hands for simulated play)."""
        return fold.start(rules, players, dealer, options)

    def check(self, state: BusState, event: Event) -> Problem | None:
        """None where the rules allow the event now."""
        return referee.check(state, event)

    def apply(self, state: BusState, event: Event) -> BusState:
        """The state after the event."""
        return fold.apply(state, event)

    def observe(self, state: BusState, before: TableState, after: TableState) -> tuple[Explanation, ...]:
        """The deal, the next swap, the next hand laid open; after the round the next deal."""
        if self._finished(state):
            return () if state.winner else referee.dealt_anew(state, before, after)
        return referee.observe(state, before, after)

    def expected(self, state: BusState, after: TableState) -> tuple[Problem, ...]:
        """A centre that is not the log's."""
        return referee.expected(state, after)

    def adopt(self, state: BusState, table: TableState) -> tuple[Event, ...]:
        """Take the centre as it lies."""
        return referee.adopt(state, table)

    def command(self, state: BusState, command: Mapping[str, Any]) -> tuple[Event, ...] | Problem:
        """`call` without a player is whoever had the last turn, or who is on turn where nobody has had one yet."""
        if command.get("command") == "call" and not command.get("player"):
            who = state.turns[-1] if state.turns else state.turn
            return super().command(state, {**command, "player": who})
        return super().command(state, command)

    def follow(self, state: BusState) -> tuple[Event, ...]:
        """After the showdown: tokens are paid, players go out, the last one wins."""
        if owing := [p for p in state.losers if p not in state.lost]:
            hands = dict(state.shown)
            return tuple(make("lose_token", p, hands[p], "auto", left=state.token(p) - 1) for p in owing)
        if not state.losers:
            return ()
        if gone := [p for p in state.lost if state.token(p) == 0 and p not in state.out]:
            return tuple(make("out", p, source="auto") for p in gone)
        left = [p for p in state.players if state.token(p) > 0]
        if len(left) == 1 and state.winner is None:
            return (make("win", left[0], source="auto", pot=state.pot),)
        return ()

    def _finished(self, state: BusState) -> bool:
        return state.tied or (bool(state.losers) and not self.follow(state))

    def essence(self, state: BusState) -> Any:
        """Everything but who took which open card, and which of equal hands was shown."""
        ranks = tuple((p, rank_hand(hand, hand_rules(state.rules))) for p, hand in state.shown)
        return replace(state, known=(), doubtful=(), shown=()), ranks

    def score(self, state: BusState) -> ScoreSheet:
        """Tokens left; once somebody has won, every token lost goes to the winner at its worth."""
        players = tuple(PlayerScore(p, n, (Term("tokens", n),)) for p, n in zip(state.players, state.tokens, strict=True))
        return ScoreSheet(players, self._payments(state), state.winner)

    def _payments(self, state: BusState) -> tuple[Payment, ...]:
        """Each loser's part of the pot: the tokens that it lost. The winner's own come back."""
        worth = state.rules.token_worth
        if state.winner is None or not worth:
            return ()
        return tuple(
            Payment(p, state.winner, n * worth, (Term("pot", n * worth, args=freeze({"tokens": n, "worth": worth})),))
            for p, n in zip(state.players, state.paid, strict=True)
            if n and p != state.winner
        )

    def result(self, state: BusState) -> Result | None:
        """The end of a round; `over` once a winner is left."""
        if not self._finished(state):
            return None
        tokens = dict(zip(state.players, state.tokens, strict=True))
        payout = {p.payer: p.amount for p in self._payments(state)}
        options: dict[str, Any] = {"tokens": tokens, "paid": dict(zip(state.players, state.paid, strict=True)), "deciding": state.tied}
        if state.hidden is not None:
            options["seed"] = f"{state.seed}+"  # another deal next time
        return Result(state.winner, freeze(payout), self._next_dealer(state), freeze(options), state.winner is not None)

    def _next_dealer(self, state: BusState) -> str:
        """Clockwise to the next player who still has a token."""
        first = state.players.index(state.dealer) + 1
        order = state.players[first:] + state.players[:first]
        return next((p for p in order if state.token(p) > 0), state.dealer)

    def view(self, state: BusState) -> dict[str, Any]:
        """`players` with `tokens`, `known` (cards that everybody saw them take), `shown` and `hand_class`; `centre`, `pot`, `caller`,
        `last_turns`, `phase` (deal, turns, last-turns, showdown, over), `lowest`."""
        shown = dict(state.shown)
        rules = hand_rules(state.rules)
        seats = []
        for p, n in zip(state.players, state.tokens, strict=True):
            hand = shown.get(p)
            seats.append(seat(
                p, points={"tokens": n}, total=n, terms=[Term("tokens", n).to_dict()], hand=HAND if p in state.inside else 0, tokens=n,
                known=[] if hand else list(state.hand_known(p)), shown=list(hand or ()),
                hand_class=classify(hand, rules) if hand else None, inside=p in state.inside, out=n == 0))
        phase = ("over" if state.winner else "deal" if not state.centre and not state.turns else "showdown" if state.showdown
                 else "last-turns" if state.caller else "turns")
        return table(players=seats, turn=state.turn, dealer=state.dealer, centre=list(state.centre), pot=state.pot, caller=state.caller,
                     last_turns=list(state.waiting()), phase=phase, deciding=state.deciding, tied=state.tied,
                     lowest=list(lowest(shown, rules)) if len(shown) > 1 else [])

    def legal(self, state: BusState) -> tuple[Event, ...]:
        """Every next event of simulated play; without dealt hands only the calls."""
        if self._finished(state) or self.follow(state):
            return ()
        calls = tuple(e for p in state.inside if state.since(p) == 0 or p == state.turn
                      if referee.check(state, e := make("call", p, source="human")) is None)
        if state.hidden is None:
            return calls
        if not state.centre:
            dealt = {card for hand in state.hidden for card in hand}
            deck = list(fold.FRENCH)
            random.Random(state.seed).shuffle(deck)
            return (make("deal", cards=[c for c in deck if c not in dealt][:HAND], source="human"),)
        if state.showdown:
            return tuple(make("show", p, state.hidden[state.players.index(p)], "human") for p in state.inside if p not in dict(state.shown))
        turn = state.turn
        if turn is None:
            return calls
        return calls + referee.swaps_of(state, turn, state.hidden[state.players.index(turn)])


GAME = StopBus()


def audit(state: BusState) -> str:
    """What is wrong with a state, "" where nothing is: no token made or lost, each card in one place."""
    if any(n < 0 for n in (*state.tokens, *state.paid)):
        return "somebody has less than no token"
    hands = state.known if state.hidden is None else state.hidden
    cards = [card for hand in hands for card in hand] + list(state.centre)
    if len(set(cards)) != len(cards):
        return "a card lies in two places"
    if state.hidden is not None and sorted(map(len, state.hidden), reverse=True)[: len(state.inside)] != [HAND] * len(state.inside):
        return "a hand has not three cards"
    return ""


PATIENCE = 4
"""Rounds of turns after which the policy is content with any pair; after twice as many, with anything."""


def sensible(state: BusState, choices: tuple[Event, ...], rng: random.Random) -> Event:
    """A policy: take what makes the best hand; stop the bus with a good pair or better, or when a rival is as good as beaten."""
    rules = hand_rules(state.rules)
    calls = [e for e in choices if e.kind == "call"]
    for event in calls:
        assert state.hidden is not None
        rank = rank_hand(state.hidden[state.players.index(str(event.player))], rules)
        enough = (10,) if len(state.inside) < 4 and len(state.turns) < PATIENCE * len(state.inside) else (2,)
        if rank >= (CLASSES.index("pair"), enough) or len(state.turns) >= 2 * PATIENCE * len(state.inside):
            return event
    swaps = [e for e in choices if e.kind == "swap"]
    if not swaps:
        rest = [e for e in choices if e.kind != "call"]
        return rng.choice(rest or calls)

    def after(event: Event) -> tuple[tuple[int, tuple[int, ...]], float]:
        assert state.hidden is not None
        hand = fold.apply(state, event).hidden
        assert hand is not None
        return rank_hand(hand[state.players.index(str(event.player))], rules), rng.random()

    return max(swaps, key=after)


def judge(case: Mapping[str, Any]) -> dict[str, Any]:
    """Answer fields of a rule case: kinds compare, classify, round."""
    overrides = {"ace_low_run": "top", "threes_top": True} if case.get("option") == "brag_classic" else None
    rules = hand_rules(GAME.rules(str(case.get("ruleset") or "classic"), overrides))
    kind = case.get("kind")
    if kind == "compare":
        a, b = (rank_hand(entries(case, key), rules) for key in ("a", "b"))
        return {"better": "a" if a > b else "b" if b > a else "tie", "a_class": CLASSES[a[0]], "b_class": CLASSES[b[0]]}
    if kind == "classify":
        return {"expect": classify(entries(case, "hand"), rules)}
    if kind == "round":
        given = by_player(case, "hands")
        hands = {player: entries(given, player) for player in given}
        return {"lose_token": list(lowest(hands, rules))}
    mend = did_you_mean(str(kind), ("compare", "classify", "round"))
    raise InputError("unknown-kind", f"there is no kind {kind!r} of a Stop the Bus case", mend=mend)
