"""The Game (Steffen Benndorf): the Game of `scorer.game`."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...errors import InputError, did_you_mean
from ...events import Event, make
from ...game import Explanation, Game, PlayerScore, Problem, Result, ScoreSheet, Term, problem
from ...ruleset import Key, Rules
from ...table import TableState
from ..given import MOST, bad, by_player, count, counts, entries, need, whole, word
from . import referee
from . import state as fold
from .piles import (
    NUMBER_CARDS,
    Pile,
    cards_left,
    check_turn,
    deal_sizes,
    fits,
    is_trick,
    play,
    rating,
    refill,
    status,
)
from .state import TheGameState
from .talk import allowed, numbers_told


class TheGame(Game):
    """98 numbers onto four piles, all players together."""

    name = "thegame"
    aliases = ("the-game",)
    deck = "numbers"
    players = (1, 8)
    meta = ("first", "take-back", "resync")
    derived = ("turn", "over", "win")
    commands = ("play", "turn", "over", "first", "take-back", "talk")
    after_turn = ("over",)
    schema = (
        Key("hand_size", "ints", (8, 7, 6, 6, 6), low=1, high=12, most=8, h="S1"),
        Key("min_cards", "int", 2, low=1, high=8, h="S1"),
        Key("min_cards_without_draw_pile", "int", 2, low=1, high=8, h="A-74"),
        Key("trick", "int", 10, low=0, high=97, h="S1"),
        Key("good_result", "int", 10, low=0, high=98, h="S1"),
        Key("count_draw_pile", "bool", False, h="A-76"),
    )

    def start(self, rules: Rules, players: tuple[str, ...], dealer: str, options: Mapping[str, Any]) -> TheGameState:
        """A fresh game; option `seed` deals the cards for simulated play."""
        return fold.start(rules, players, dealer, options)

    def check(self, state: TheGameState, event: Event) -> Problem | None:
        """None where the rules allow the event now."""
        return referee.check(state, event)

    def apply(self, state: TheGameState, event: Event) -> TheGameState:
        """The state after the event."""
        return fold.apply(state, event)

    def essence(self, state: TheGameState) -> TheGameState:
        """All of the state but when cards came."""
        return replace(state, laid_ms=0)

    def observe(self, state: TheGameState, before: TableState, after: TableState) -> tuple[Explanation, ...]:
        """Plays, cards taken back, ends of turns."""
        return referee.observe(state, before, after)

    def expected(self, state: TheGameState, after: TableState) -> tuple[Problem, ...]:
        """Piles whose open card is not the log's."""
        return referee.expected(state, after)

    def adopt(self, state: TheGameState, table: TableState) -> tuple[Event, ...]:
        """Take the piles as they lie."""
        return referee.adopt(state, table)

    def command(self, state: TheGameState, command: Mapping[str, Any]) -> tuple[Event, ...] | Problem:
        """`talk` {text}: refused with `number-told` where a sentence gives a held number away, and never logged; `turn` and `over`
        without a player are of the player on turn."""
        name = command.get("command")
        if name == "talk":
            text, player = command.get("text"), command.get("player")
            if not isinstance(text, str):
                return problem("bad-command", key="text")
            held = state.hidden[state.players.index(player)] if state.hidden is not None and player in state.players else ()
            told = numbers_told(text, held, {pile.top for pile in state.piles})
            return problem("number-told", numbers=told) if told else ()
        if name in ("turn", "over", "play") and not command.get("player"):
            command = {**command, "player": state.turn}
        if name == "over" and state.plays and not state.missing:  # the turn is complete: it is the next player who is stuck
            ended = make("turn", state.turn, source="human")
            if isinstance(spoken := command.get("t_ms"), int) and state.laid_ms:  # said when the next player has thought about it
                ended = replace(ended, t_ms=min(state.laid_ms + referee.draw_ms(state), spoken))
            return (ended, make("over", fold.apply(state, ended).turn, source="human"))
        return super().command(state, command)

    def follow(self, state: TheGameState) -> tuple[Event, ...]:
        """The win with the last card; the end of a turn with an empty hand; in simulated play the end when nothing fits."""
        if state.outcome is not None:
            return ()
        if len(state.played) == NUMBER_CARDS:
            return (make("win", source="auto"),)
        if state.plays and not state.hands[state.seat]:
            return (make("turn", state.turn, source="auto"),)
        if state.stuck:
            left = self._left(state)
            return (make("over", state.turn, source="auto", left=left, rating=rating(left, state.rules)),)
        return ()

    def _left(self, state: TheGameState) -> int:
        hands = dict(zip(state.players, (range(n) for n in state.hands), strict=True))
        return cards_left(hands, state.draw_pile, state.rules)

    def score(self, state: TheGameState) -> ScoreSheet:
        """Cards left in each hand."""
        return ScoreSheet(tuple(PlayerScore(p, n, (Term("cards-in-hand", n),)) for p, n in zip(state.players, state.hands, strict=True)))

    def view(self, state: TheGameState) -> dict[str, Any]:
        """`piles` [{dir, top, count, cards, room}], `draw_pile`, `left`, `rating`, `must_play` (cards still due this turn),
        `refill` (cards to draw), `played_this_turn`, `outcome` (null, over, won)."""
        size = deal_sizes(len(state.players), state.rules)[0]
        left = self._left(state)
        seats = [{"id": p, "hand": n, "captured": [], "total": n} for p, n in zip(state.players, state.hands, strict=True)]
        piles = [
            {"index": i, "dir": pile.dir, "top": pile.top, "count": len(pile.cards), "cards": [f"n{c}" for c in pile.cards],
             "room": sum(1 for c in range(2, 100) if c not in state.played and (c > pile.top if pile.dir == "up" else c < pile.top)),
             "trick": f"n{c}" if 2 <= (c := pile.top + (-1 if pile.dir == "up" else 1) * state.rules.trick) <= 99 and c not in state.played
             and state.rules.trick else None}
            for i, pile in enumerate(state.piles)
        ]
        return {"players": seats, "floor": [], "stacks": [], "multipliers": [], "if_stopped": None, "stock": state.draw_pile,
                "turn": None if state.outcome else state.turn, "piles": piles, "draw_pile": state.draw_pile, "left": left,
                "rating": rating(left, state.rules), "must_play": state.missing, "begun": state.begun, "outcome": state.outcome,
                "played_this_turn": [{"card": f"n{c}", "pile": i} for c, i in state.plays],
                "refill": max(0, min(size - state.hands[state.seat], state.draw_pile))}

    def legal(self, state: TheGameState) -> tuple[Event, ...]:
        """Every play and, once enough lie, the end of the turn; () without dealt hands."""
        if state.hidden is None or state.outcome is not None or self.follow(state):
            return ()
        turn, trick = state.turn, state.rules.trick
        plays = [
            make("play", turn, (f"n{card}",), "human", pile=index, trick=is_trick(pile.dir, pile.top, card, trick))
            for card in state.hidden[state.seat]
            for index, pile in enumerate(state.piles)
            if fits(pile.dir, pile.top, card, trick)
        ]
        if state.plays and not state.missing:
            plays.append(make("turn", turn, (), "human"))
        return tuple(plays)

    def result(self, state: TheGameState) -> Result | None:
        """The end; all win or nobody does, so there is no single winner."""
        return Result(None, over=True) if state.outcome is not None else None


GAME = TheGame()


def audit(state: TheGameState) -> str:
    """What is wrong with a state, "" where nothing is: 98 cards, each in one place."""
    lying = [card for pile in state.piles for card in pile.cards]
    if len(set(lying)) != len(lying):
        return "a card lies in two places"
    if len(lying) + sum(state.hands) + state.draw_pile != NUMBER_CARDS:
        return f"there are {len(lying) + sum(state.hands) + state.draw_pile} cards"
    if state.hidden is None:
        return ""
    rest = [card for hand in state.hidden for card in hand] + list(state.deck)
    return "" if sorted(lying + rest) == list(range(2, 100)) else "the cards are not 2 to 99"


def sensible(state: TheGameState, choices: tuple[Event, ...], rng: random.Random) -> Event:
    """A policy: the cheapest way to play as many cards as are due, then only what costs next to nothing."""

    def cost(pile: Pile, card: int) -> int:
        return card - pile.top if pile.dir == "up" else pile.top - card

    def best(piles: tuple[Pile, ...], hand: tuple[int, ...], due: int) -> tuple[int, tuple[int, int] | None]:
        if due <= 0:
            return 0, None
        found: tuple[int, tuple[int, int] | None] = (10_000, None)
        for n, card in enumerate(hand):
            for index, pile in enumerate(piles):
                if fits(pile.dir, pile.top, card, state.rules.trick):
                    rest, _ = best(play(piles, index, card), hand[:n] + hand[n + 1 :], due - 1)
                    total = cost(pile, card) + rest
                    if total < found[0]:
                        found = (total, (card, index))
        return found

    assert state.hidden is not None
    total, move = best(state.piles, state.hidden[state.seat], min(2, max(1, state.missing)))
    end = next((e for e in choices if e.kind == "turn"), None)
    if end is not None and (move is None or total > 1):
        return end
    wanted = [e for e in choices if move is not None and e.kind == "play" and e.cards == (f"n{move[0]}",) and e.arg("pile") == move[1]]
    return wanted[0] if wanted else rng.choice(choices)


def _piles(case: Mapping[str, Any]) -> tuple[Pile, ...]:
    return tuple(_pile(pile, "piles") for pile in entries(case, "piles"))


def _pile(pile: object, key: str) -> Pile:
    if not isinstance(pile, Mapping) or pile.get("dir") not in ("up", "down"):
        raise bad(key, pile, 'each pile as {"dir": "up" or "down", "top": number}')
    return Pile(str(pile["dir"]), whole(need(pile, "top"), "top"))


def _state_case(case: Mapping[str, Any], rules: Rules, least: int | None) -> dict[str, Any]:
    given = by_player(case, "hands")
    hands = {player: counts(given, player) for player in given}
    turn, draw_pile = word(case, "turn"), count(case, "draw_pile", 0)
    if turn not in hands:
        raise bad("turn", turn, "one of the players in 'hands'")
    left = cards_left(hands, draw_pile, rules)
    return {"expect": status(_piles(case), hands, draw_pile, turn, rules, least), "score_left": left, "rating": rating(left, rules)}


def judge(case: Mapping[str, Any]) -> dict[str, Any]:
    """Answer fields of a rule case: kinds play, turn, state, deal, deal-error, refill, talk."""
    rules = GAME.rules(str(case.get("ruleset") or "classic"))
    kind = case.get("kind")
    least = count(case, "min_cards") if case.get("min_cards") is not None else None
    if kind == "play":
        pile = _pile(need(case, "pile"), "pile")
        return {"legal": fits(pile.dir, pile.top, whole(need(case, "card"), "card", -MOST), rules.trick)}
    if kind == "turn":
        plays = []
        for play_ in entries(case, "plays"):
            if not isinstance(play_, Mapping):
                raise bad("plays", play_, 'each play as {"card": number, "pile": index}')
            plays.append((whole(need(play_, "card"), "card", -MOST), whole(need(play_, "pile"), "pile", -MOST)))
        wrong, piles = check_turn(_piles(case), counts(case, "hand"), count(case, "draw_pile", 0), plays, rules, least)
        return {"expect": {"ok": False, "error": wrong} if wrong else {"ok": True, "tops": [p.top for p in piles]}}
    if kind == "state":
        return _state_case(case, rules, least)
    if kind in ("deal", "deal-error"):
        players = whole(need(case, "players"), "players", -MOST)
        try:
            size, left = deal_sizes(players, rules)
        except InputError:
            if kind == "deal":
                raise
            return {"expect": "refuse"}
        return {"hand_size": size, "draw_pile": left, "total": size * players + left} if kind == "deal" else {"expect": "deal"}
    if kind == "refill":
        before, played = count(case, "hand_before"), count(case, "played")
        if played > before:
            raise bad("played", played, f"at most the {before} cards of the hand")
        hand, left = refill(before - played, count(case, "draw_pile"), deal_sizes(count(case, "players"), rules)[0])
        return {"hand_after": hand, "draw_after": left}
    if kind == "talk":
        tops = {pile.top for pile in _piles({"piles": case.get("piles") or ()})}
        return {"allowed": allowed(word(case, "say"), counts(case, "hand", ()), tops)}
    kinds = ("play", "turn", "state", "deal", "deal-error", "refill", "talk")
    raise InputError("unknown-kind", f"there is no kind {kind!r} of a case of The Game", mend=did_you_mean(str(kind), kinds))
