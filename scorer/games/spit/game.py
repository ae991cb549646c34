"""Spit: the Game of `scorer.game`."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from ...cards import FRENCH
from ...events import Event, make
from ...game import Explanation, Game, PlayerScore, Problem, Question, Result, ScoreSheet, Term
from ...ruleset import Key, Rules
from ...table import TableState
from ..evidence import seat, table
from . import fold, referee, sight, slaps
from . import state as table_state
from .layout import DECK, full_layout
from .middle import PILES, counts, find, pile_rules, pile_view
from .piles import any_fits, fits
from .state import SpitState, next_step
from .touch import Touch, smaller_pile


class Spit(Game):
    """Two players at once, five stock piles each, two spit piles; who is rid of all cards wins."""

    name = "spit"
    aliases = ("slam",)
    deck = "french"
    players = (2, 2)
    live = True
    at_once = True  # both play at the same time: the record goes by time
    meta = ("turn-up", "move", "gather", "resync")
    derived = ("stall", "gather", "win")
    commands = ("spit", "slap", "choose", "play", "refused", "stall", "layout", "turn-up", "move", "gather")
    schema = (
        Key("stock_piles", "int", 5, low=2, high=5, h="A-39"),
        Key("winner_chooses", "bool", False, h="S4"),
        Key("alternate_colours", "bool", False, h="S4"),
        Key("equal_ranks", "bool", False, h="S4"),
        Key("space_before_stuck", "bool", True, h="A-33"),
        Key("win_with_two_piles", "bool", True, h="S4"),
        Key("measuring_error_ms", "int", 33, high=500, h="A-37"),
        Key("too_close_sigmas", "int", 2, low=1, high=6, h="A-37"),
        Key("race_window_ms", "int", 250, high=2000, h="A-37"),
        Key("slap_wait_ms", "int", 600, high=5000, h="A-37"),
    )

    def start(self, rules: Rules, players: tuple[str, ...], dealer: str, options: Mapping[str, Any]) -> SpitState:
        """A fresh game; options `cards` {player: n} for a game under way, `seed` for simulated play."""
        return table_state.start(rules, players, options)

    def check(self, state: SpitState, event: Event) -> Problem | None:
        """None where the rules allow the event now."""
        return None if event.kind == "resync" else referee.check(state, event)

    def apply(self, state: SpitState, event: Event) -> SpitState:
        """The state after the event."""
        return fold.apply(state, event)

    def observe(self, state: SpitState, before: TableState, after: TableState) -> tuple[Explanation, ...]:
        """Layouts, spits, plays, races and slaps."""
        return sight.observe(state, before, after)

    def expected(self, state: SpitState, after: TableState) -> tuple[Problem, ...]:
        """Spit piles whose open card is not the log's."""
        return sight.expected(state, after)

    def adopt(self, state: SpitState, table: TableState) -> tuple[Event, ...]:
        """Take the table as it lies."""
        return sight.adopt(state, table)

    def questions(self, state: SpitState) -> tuple[Question, ...]:
        """A race or a slap too close to call."""
        return slaps.questions(state)

    def command(self, state: SpitState, command: Mapping[str, Any]) -> tuple[Event, ...] | Problem:
        """`spit` without cards is the word: nobody can play; the cards are seen, or given with `pile` and `cards`.
        `slap` and `choose` {player, pile}: that player takes the pile, the other one the other."""
        name, player, pile = command.get("command"), command.get("player"), command.get("pile")
        if name == "spit" and not command.get("cards"):
            return () if state.due else (make("stall", player, source="human"),)
        if name in ("slap", "choose") and "gets" not in command and player in state.players and find(state.piles, pile):
            rest = [p.name for p in state.piles if p.name != pile]
            gets = {player: pile, **({state.other(player): rest[0]} if rest else {})}
            by = "chosen" if name == "choose" else "asked"
            return (make("slap", None, (), "human", pile=pile, order=(player,), verdict="decided", gets=gets, by=by),)
        return super().command(state, {**command, "command": "slap"} if name == "choose" else command)

    def follow(self, state: SpitState) -> tuple[Event, ...]:
        """The win, the single pile's taker, and the stall once every top is known."""
        if state.winner is not None:
            return ()
        winner = referee.won(state)
        if winner is not None:
            return (make("win", winner, source="auto"),)
        if state.phase == "slap" and len(state.piles) == 1 and state.emptied_by is not None:
            taker = state.other(state.emptied_by)
            return (make("gather", None, source="auto", gets={taker: state.piles[0].name}, by="one-pile", verdict="decided"),)
        if state.phase == "play" and state.piles and state.contest is None:
            step = next_step(state)
            if step != "continue":
                return (make("stall", None, source="auto", next=step),)
        return ()

    def score(self, state: SpitState) -> ScoreSheet:
        """Cards that each player has still to play."""
        rows = []
        for i, player in enumerate(state.players):
            left = state.left(player)
            parts = (Term("stock-cards", state.stock(player)), Term("spit-cards", state.spit_cards[i]))
            terms = (Term("cards", left),) if state.phase == "layout" else parts
            rows.append(PlayerScore(player, left, terms))
        return ScoreSheet(tuple(rows), winner=state.winner)

    def view(self, state: SpitState) -> dict[str, Any]:
        """`piles` [{name, top, count, cards}], `stock_piles` {player: [{index, down, up}]}, `phase`, `prompt` (what the players do
        next: layout, spit, play, slap, choose, answer), `due`, `stuck`, `fixed_pile`, `smaller_pile`, `layouts`, `full_layout`."""
        full = full_layout(state.rules.stock_piles)
        seats = [seat(p, hand=n, stock=state.stock(p), spit_cards=n, cards=state.left(p), short=state.left(p) <= full,
                      pile=dict(state.own).get(p), takes=dict(state.gets).get(p))
                 for p, n in zip(state.players, state.spit_cards, strict=True)]
        stocks = {p: [{"index": i, "down": s.down, "up": list(s.up)} for i, s in enumerate(row)]
                  for p, row in zip(state.players, state.stocks, strict=True)}
        chooses = state.phase == "slap" and state.rules.winner_chooses and state.emptied_by is not None
        prompt = "answer" if state.contest is not None or state.undecided else "choose" if chooses else state.phase
        return table(players=seats, piles=pile_view(state.piles), stock_piles=stocks, phase=state.phase, prompt=prompt, due=list(state.due),
                     stuck=state.stuck, fixed_pile=state.fixed, emptied_by=state.emptied_by, layouts=state.layouts,
                     smaller_pile=smaller_pile(counts(state.piles)), full_layout=full)

    def legal(self, state: SpitState) -> tuple[Event, ...]:
        """Every next event of simulated play; a move that would uncover nothing is left out. () without shuffled packs."""
        if state.hidden is None or state.winner is not None or self.follow(state):
            return ()
        if state.phase == "layout":
            tops = table_state.dealt(state)[1]
            return (make("layout", None, [c for row in tops for c in row], "human", counts=[len(row) for row in tops]),)
        if state.phase == "slap":
            if len(state.piles) == 1:
                return tuple(event for option in slaps.share_options(state) for event in option.events)
            return tuple(slaps.slap_event(state, hands, source="human") for hands in _slaps(state))
        if state.phase == "spit":
            return tuple(make("spit", p, state.hidden.spit[state.seat(p)][-1:], "human", pile=pile)
                         for p in state.due for pile in _spit_piles(state, p))
        return (*_plays(state), *_turns(state), *_moves(state))

    def result(self, state: SpitState) -> Result | None:
        """The end of the game."""
        return Result(state.winner, over=True) if state.winner is not None else None


GAME = Spit()


def _hand(state: SpitState, player: str, pile: str) -> Touch:
    """A slap of simulated play, a clear second after the layout was over."""
    return Touch(player, state.clock_ms + 1000 + 200 * state.seat(player), pile=pile)


def _slaps(state: SpitState) -> list[list[Touch]]:
    names = [pile.name for pile in state.piles]
    if state.rules.winner_chooses and state.emptied_by is not None:
        return [[_hand(state, state.emptied_by, name)] for name in names]
    a, b = state.players
    return [[_hand(state, a, first), _hand(state, b, second)] for first, second in (names, names[::-1])]


def _spit_piles(state: SpitState, player: str) -> list[str]:
    """Where a player may turn a spit card."""
    own = dict(state.own).get(player)
    if state.stuck == "one-spit":
        return [state.fixed] if state.fixed is not None else [pile.name for pile in state.piles]
    if own is not None:
        return [own]
    if state.piles and len(referee.starters(state)) < 2:
        return [state.piles[0].name]
    usual = PILES[state.seat(player)]
    free = [name for name in PILES if find(state.piles, name) is None]
    return [usual if usual in free else free[0]] if free else [pile.name for pile in state.piles]


def _plays(state: SpitState) -> list[Event]:
    return [
        make("play", player, (stock.top,), "human", pile=pile.name, index=index)
        for player, row in zip(state.players, state.stocks, strict=True)
        for index, stock in enumerate(row)
        for pile in state.piles
        if stock.top and pile.top and fits(pile.top, stock.top, pile_rules(state.rules))
    ]


def _turns(state: SpitState) -> list[Event]:
    assert state.hidden is not None
    return [
        make("turn-up", player, state.hidden.down[seat][index][-1:], "human", index=index)
        for seat, (player, row) in enumerate(zip(state.players, state.stocks, strict=True))
        for index, stock in enumerate(row)
        if stock.down and not stock.up
    ]


def _moves(state: SpitState) -> list[Event]:
    out = []
    for player, row in zip(state.players, state.stocks, strict=True):
        space = next((i for i, s in enumerate(row) if not s.count), None)
        if space is not None:
            out += [make("move", player, (s.top,), "human", index=space) for s in row if s.top and s.count > 1]
    return out


def audit(state: SpitState) -> str:
    """What is wrong with a state, "" where nothing is: 52 cards, each in one place, never more piles than places."""
    if state.total != DECK:
        return f"{state.total} cards lie on the table"
    if state.phase == "layout":
        return ""
    shown = [card for row in state.stocks for pile in row for card in pile.up] + [card for pile in state.piles for card in pile.cards]
    if len(set(shown)) != len(shown):
        return "a card lies in two places"
    if any(len(row) > state.rules.stock_piles for row in state.stocks) or len(state.piles) > len(PILES):
        return "there are too many piles"
    if state.hidden is None:
        return ""
    blind = [c for rows in state.hidden.down for row in rows for c in row] + [c for row in state.hidden.spit for c in row]
    return "" if sorted(shown + blind) == sorted(FRENCH) else "the cards are not the 52 of the deck"


def sensible(state: SpitState, choices: tuple[Event, ...], rng: random.Random) -> Event:
    """A policy: turn cards up at once, play what leaves another play open, slap the smaller pile most of the time."""
    if state.phase == "slap":
        small = smaller_pile(counts(state.piles)) or state.piles[0].name
        winner = state.emptied_by or rng.choice(state.players)
        wanted = [e for e in choices if e.arg("gets", {}).get(winner) == small]
        return rng.choice(wanted) if wanted and rng.random() < 0.9 else rng.choice(choices)
    turns = [e for e in choices if e.kind == "turn-up"]
    if turns:
        return rng.choice(turns)
    plays = [e for e in choices if e.kind == "play"]
    if not plays:
        return rng.choice(choices)

    def worth(event: Event) -> tuple[bool, int, float]:
        row = state.stocks[state.seat(str(event.player))]
        mine = [s.top for s in row if s.top and s.top != event.cards[0]]
        return any_fits(event.cards, mine, pile_rules(state.rules)), row[event.arg("index")].count, rng.random()

    player = rng.choice(sorted({str(e.player) for e in plays}))  # both are as quick
    return max((e for e in plays if e.player == player), key=worth)
