"""A small whole game, so that the log and the match are tested apart from any real game's rules.

"High card": players in turn lay one number card; the highest of a round wins it, every other player pays 1 chip, doubled
by each drawn round before (`carry`). The table: zone "floor" holds the round's cards.
"""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from scorer.cards import info, is_card
from scorer.errors import InputError
from scorer.events import Event, make
from scorer.frozen import FrozenDict
from scorer.game import Explanation, Game, Option, Payment, PlayerScore, Problem, Question, Result, ScoreSheet, Term, problem
from scorer.ruleset import Key, Rules, build_rules
from scorer.table import TableState


@dataclass(frozen=True, slots=True)
class High:
    rules: Rules
    players: tuple[str, ...]
    turn: int
    carry: int
    laid: tuple[tuple[str, str], ...] = ()
    settled: tuple[tuple[str, int], ...] | None = None
    unknown: int = 0

    @property
    def now(self) -> str:
        return self.players[self.turn % len(self.players)]


def value(card: str) -> int:
    return (info(card).number or 0) if is_card(card) else 0


class HighCard(Game):
    name = "highcard"
    deck = "numbers"
    players = (2, 4)
    schema = (Key("stake", "int", 1, 1, 50), Key("doubling", "bool", True))
    derived = ("settle", "draw")

    def rules(self, ruleset: Any = "classic", overrides: Mapping[str, Any] | None = None) -> Rules:
        return build_rules(self.name, self.schema, str(ruleset), overrides or {}, self.players)

    def start(self, rules: Rules, players: tuple[str, ...], dealer: str, options: Mapping[str, Any]) -> High:
        if not 2 <= len(players) <= 4:
            raise InputError("players", f"{len(players)} players", mend="seat 2 to 4")
        return High(rules, players, players.index(dealer), int(options.get("carry", 0)))

    def check(self, state: High, event: Event) -> Problem | None:
        if event.kind == "unknown-junk":
            return None
        if event.kind not in ("lay", "pass"):
            return problem("unknown-event")
        if state.settled is not None:
            return problem("deal-over")
        if event.player != state.now:
            return problem("out-of-turn", event.cards, turn=state.now)
        if event.kind == "lay" and (len(event.cards) != 1 or not value(event.cards[0])):
            return problem("illegal-play", event.cards)
        return None

    def apply(self, state: High, event: Event) -> High:
        if event.kind in ("lay", "pass") and event.player in state.players:
            card = event.cards[0] if event.cards and event.kind == "lay" else ""
            return replace(state, laid=(*state.laid, (event.player, card)), turn=state.players.index(event.player) + 1)
        if event.kind == "settle":
            return replace(state, settled=tuple(sorted(event.arg("payout", {}).items())))
        if event.kind == "draw":
            return replace(state, settled=())
        if event.kind == "unknown-junk":
            return replace(state, unknown=state.unknown + event.arg("n", 0))
        if event.kind == "adopt":
            return replace(state, laid=tuple((state.players[i % len(state.players)], c) for i, c in enumerate(event.cards)))
        return state

    def follow(self, state: High) -> tuple[Event, ...]:
        if state.settled is not None or len(state.laid) < len(state.players):
            return ()
        winner, amount = self._winner(state)
        if winner is None:
            return (make("draw", source="auto"),)
        return (make("settle", winner, source="auto", payout={p: amount for p in state.players if p != winner}),)

    def _winner(self, state: High) -> tuple[str | None, int]:
        best = max((value(c) for _, c in state.laid), default=0)
        first = [p for p, c in state.laid if value(c) == best]
        amount = state.rules.stake * (2 ** state.carry if state.rules.doubling else 1)
        return (first[0] if len(first) == 1 and best else None), amount

    def score(self, state: High) -> ScoreSheet:
        winner, amount = self._winner(state)
        lines = tuple(PlayerScore(p, sum(value(c) for q, c in state.laid if q == p),
                                  tuple(Term("laid", value(c), (c,)) for q, c in state.laid if q == p)) for p in state.players)
        pays = tuple(Payment(p, winner, amount, (Term("stake", state.rules.stake), Term("carry", amount - state.rules.stake)))
                     for p in state.players if winner and p != winner)
        return ScoreSheet(lines, pays, winner)

    def result(self, state: High) -> Result | None:
        if state.settled is None:
            return None
        winner, amount = self._winner(state)
        return Result(winner, FrozenDict({p: amount for p in state.players if winner and p != winner}), winner,
                      FrozenDict(carry=0 if winner else state.carry + 1))

    def view(self, state: High) -> dict[str, Any]:
        return {"players": [{"id": p, "captured": [c for q, c in state.laid if q == p and c], "unknown_junk": state.unknown}
                            for p in state.players], "floor": [c for _, c in state.laid if c], "turn": state.now}

    def observe(self, state: High, before: TableState, after: TableState) -> tuple[Explanation, ...]:
        old = {s.track for s in before.cards_in("floor")}
        new = [s for s in after.cards_in("floor") if s.track not in old and s.face_up and s.card]
        if not new:
            return ()
        if len(new) > 1:
            return (Explanation((), problem=problem("two-plays", [s.card for s in new])),)
        event = make("lay", state.now, [new[0].card])
        why = self.check(state, event)
        return (Explanation((event,), problem=why, label="lay", cards=event.cards),)

    def expected(self, state: High, after: TableState) -> tuple[Problem, ...]:
        lying = sorted(s.card for s in after.cards_in("floor"))
        logged = sorted(c for _, c in state.laid if c)
        return () if lying == logged else (problem("wrong-count", lying),)

    def adopt(self, state: High, table: TableState) -> tuple[Event, ...]:
        cards = [s.card for s in table.cards_in("floor")]
        return () if cards == [c for _, c in state.laid] else (make("adopt", None, cards),)

    def questions(self, state: High) -> tuple[Question, ...]:
        if state.unknown:
            gone = Option("none", "none", (), (make("unknown-junk", state.now, n=-state.unknown),))
            return (Question("unknown-junk", state.now, (gone, Option("stay"))),)
        return ()

    def legal(self, state: High) -> tuple[Event, ...]:
        if state.settled is not None:
            return ()
        return (*(make("lay", state.now, [f"n{n}"], "human") for n in range(1, 101)), make("pass", state.now, source="human"))


GAME = HighCard()
