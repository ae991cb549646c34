"""The interface that every game implements, and the records that flow through it.

A game is stateless: its state is a frozen value that goes in and comes out. `scorer.match` owns the log.

    state = game.start(rules, players, dealer, options)     one deal
    game.observe(state, before, after) -> (Explanation, …)  what the camera's settled table may mean
    game.check(state, event)           -> Problem | None    the only legality code
    game.apply(state, event)           -> state             never raises on a camera mistake
    game.follow(state)                 -> (Event, …)        what now follows of itself (steal, settle, nagari)
    game.score(state)                  -> ScoreSheet        every point and chip with its reason
    game.view(state)                   -> dict              the game's part of the snapshot (docs/design.md)
    game.legal(state)                  -> (Event, …)        every legal next event: simulated play
    game.result(state)                 -> Result | None     once the deal is over

`Match` brings these events to `apply` beside the game's own (a game that has no use for one returns the state as it is):
``unknown-junk`` (player, arg n: that many captured cards were never seen; may be negative), ``adopt`` (whatever the game's
own `adopt` returned). It keeps ``start``, ``next-deal``, ``flag``, ``note``, ``undo``, ``redo`` and ``amend`` to itself; a
game's `observe` may return ``next-deal`` when it sees the cards dealt anew, and ``flag`` events of its own.
A turn is logged as one batch: the first event is the root, undo takes the whole batch back.
"""
from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from .cards import standard_deck
from .errors import InputError, did_you_mean
from .events import Event, given_args
from .frozen import EMPTY, FrozenDict, freeze
from .ruleset import Key, Rules, load_rules
from .table import TableState

State = Any     # a game's own frozen dataclass

PROBLEMS = ("junk-not-given", "junk-too-many", "pair-not-taken", "wrong-month", "stack-split", "out-of-turn", "stop-below-target",
            "go-without-gain", "flip-missing", "two-plays", "illegal-play", "too-few-cards", "wrong-count")


@dataclass(frozen=True, slots=True)
class Problem:
    """Why something is refused or flagged: a code of the contract (PROBLEMS) or the game's own, its args, the cards meant."""

    code: str
    args: FrozenDict = EMPTY
    cards: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """JSON form: {"problem", "args", "cards"}."""
        return {"problem": self.code, "args": dict(self.args), "cards": list(self.cards)}


def problem(code: str, cards: tuple[str, ...] | list[str] = (), **args: Any) -> Problem:
    """A Problem with frozen args."""
    return Problem(code, freeze(args) if args else EMPTY, tuple(cards))


@dataclass(frozen=True, slots=True)
class Term:
    """One line of a sum: `label` (a code put into words by the pages), amount, the cards that caused it, args for the words."""

    label: str
    amount: int
    cards: tuple[str, ...] = ()
    args: FrozenDict = EMPTY

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {"label": self.label, "amount": self.amount, "cards": list(self.cards), "args": dict(self.args)}


@dataclass(frozen=True, slots=True)
class Payment:
    """Chips from one player to another; the terms' amounts add up to `amount` (a doubling's term is what it adds)."""

    payer: str
    to: str
    amount: int
    terms: tuple[Term, ...] = ()

    def __post_init__(self) -> None:
        if sum(t.amount for t in self.terms) != self.amount:
            raise ValueError(f"payment terms {[(t.label, t.amount) for t in self.terms]} do not add up to {self.amount}")

    def to_dict(self) -> dict[str, Any]:
        """JSON form: {"from", "to", "amount", "terms"}."""
        return {"from": self.payer, "to": self.to, "amount": self.amount, "terms": [t.to_dict() for t in self.terms]}


@dataclass(frozen=True, slots=True)
class PlayerScore:
    """One player's lines. The terms' amounts add up to `total`; `low` and `high` differ while unknown cards could change it."""

    player: str
    total: int
    terms: tuple[Term, ...] = ()
    low: int | None = None       # None: total
    high: int | None = None

    def __post_init__(self) -> None:
        if sum(t.amount for t in self.terms) != self.total:
            raise ValueError(f"score terms {[(t.label, t.amount) for t in self.terms]} do not add up to {self.total}")

    @property
    def points(self) -> dict[str, int]:
        """Amount by label."""
        out: dict[str, int] = {}
        for t in self.terms:
            out[t.label] = out.get(t.label, 0) + t.amount
        return out


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """Everyone's lines, and who pays whom now (the result where the deal is over, else as if the leader stopped)."""

    players: tuple[PlayerScore, ...]
    payments: tuple[Payment, ...] = ()
    winner: str | None = None

    def of(self, player: str) -> PlayerScore:
        """One player's lines. Raises KeyError for a player who does not sit here."""
        for p in self.players:
            if p.player == player:
                return p
        raise KeyError(player)

    def net(self) -> dict[str, int]:
        """Chips that each player gains (negative: pays); always adds up to zero."""
        out = {p.player: 0 for p in self.players}
        for pay in self.payments:
            out[pay.payer] = out.get(pay.payer, 0) - pay.amount
            out[pay.to] = out.get(pay.to, 0) + pay.amount
        return out


@dataclass(frozen=True, slots=True)
class Explanation:
    """One legal reading of what changed on the table.

    events   proposed events (seq 0), the root first; `Match` stamps seq, time and cause, and applies them in order
    cost     evidence against it, 0 the best (order of appearance, likeness of names); a lead of 1.0 decides
    problem  set where no legal reading exists: the referee's ruling; then `events` is what to record all the same
    label    code of what distinguishes it from its rivals when a person is asked, with the cards meant
    cards    (see label)
    """

    events: tuple[Event, ...]
    cost: float = 0.0
    problem: Problem | None = None
    label: str = ""
    cards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Retold:
    """The last turns told anew (`Game.retell`): `back` steps of the log are taken back, then these turns come; `none`: numbers (tracks)
    of cards that are none. `table`: what lies there, with the names that this holds for."""

    back: int
    turns: tuple[tuple[Event, ...], ...]
    table: TableState
    cost: float = 0.0
    none: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to a Question: `key` goes back in the command ``answer``; `events` is what it adds to the log."""

    key: str
    label: str = ""
    cards: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """What a person is asked, two taps at most. `kind` is a code ("go-or-stop", "which-card", "unknown-junk", …)."""

    kind: str
    player: str | None
    options: tuple[Option, ...]
    args: FrozenDict = EMPTY


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a deal.

    winner   None where nobody won (nagari, void, a draw)
    payout   chips that each player pays (the losers; negative: received where several win); empty where nobody pays
    dealer   who deals next
    options  options for the next deal's `start` (nagari_streak, tokens, totals, layouts …), merged over the present ones
    over     True where the whole game is over (last token, all cards shed, target reached), not only the deal
    """

    winner: str | None
    payout: FrozenDict = EMPTY
    dealer: str | None = None
    options: FrozenDict = EMPTY
    over: bool = False


class Game(ABC):
    """A game's rules. Stateless; one shared instance `GAME` in each game's module, next to ``judge(case: dict) -> dict``."""

    name: ClassVar[str]                       # as in the contract: gostop, spit, speed, stopbus, thegame
    aliases: ClassVar[tuple[str, ...]] = ()
    deck: ClassVar[str]                       # hwatu, french, numbers
    schema: ClassVar[tuple[Key, ...]] = ()    # every rule key
    players: ClassVar[tuple[int, int]] = (2, 3)
    meta: ClassVar[tuple[str, ...]] = ()      # kinds of its events that are bookkeeping and no contract event
    derived: ClassVar[tuple[str, ...]] = ()   # kinds that `follow` gives: worked out again when something earlier is amended
    commands: ClassVar[tuple[str, ...]] = ()  # commands of a person that it takes; (): any that `check` allows
    passing: ClassVar[tuple[str, ...]] = ()   # kinds whose cards may be named with doubt: a surer name amends them later
    after_turn: ClassVar[tuple[str, ...]] = ()   # commands said when a turn is done: one that lies there and is not logged yet goes first
    retells: ClassVar[bool] = False           # True: `retell` is to be asked where the table contradicts the log
    live: ClassVar[bool] = False              # True: observe is called on every table state, not on settled ones only

    @abstractmethod
    def start(self, rules: Rules, players: tuple[str, ...], dealer: str, options: Mapping[str, Any]) -> State:
        """A fresh deal. `players` in seat order (turn order); options are frozen JSON (jokers, nagari_streak, target, tokens,
        seed …); unknown ones are ignored. Raises InputError for a number of players the game cannot seat."""

    @abstractmethod
    def check(self, state: State, event: Event) -> Problem | None:
        """None where the rules allow the event now, else why not. Never raises, whatever the event holds."""

    @abstractmethod
    def apply(self, state: State, event: Event) -> State:
        """The state after the event. Takes an illegal event as what happened all the same (camera truth wins); an event that
        it cannot make sense of leaves the state as it is. Never raises."""

    @abstractmethod
    def score(self, state: State) -> ScoreSheet:
        """Lines and payments at this moment."""

    @abstractmethod
    def view(self, state: State) -> dict[str, Any]:
        """The game's keys of the snapshot (docs/design.md), JSON-able; `players` as a list of dicts by seat."""

    def observe(self, state: State, before: TableState, after: TableState) -> tuple[Explanation, ...]:
        """Readings of what changed between two settled table states, best first; () where nothing (more) is to be logged yet.
        `before` is the last table that was explained. Readings with equal outcome may both be given: Match merges them."""
        return ()

    def follow(self, state: State) -> tuple[Event, ...]:
        """Events that now follow of themselves (source auto), () where none. Match applies them and asks again until ()."""
        return ()

    def questions(self, state: State) -> tuple[Question, ...]:
        """What must be asked because the outcome depends on it and no camera can see it."""
        return ()

    def command(self, state: State, command: Mapping[str, Any]) -> tuple[Event, ...] | Problem:
        """The events of a person's command. Default: one event named like the command, its player, cards and other keys as args."""
        try:
            cards = tuple(str(c) for c in command.get("cards") or ())
            return (Event(str(command.get("command")), command.get("player"), cards, "human", given_args(command, "command", "id", "token")),)
        except TypeError:
            return problem("bad-command")

    def legal(self, state: State) -> tuple[Event, ...]:
        """Every legal next event (proposals, source human); () when the deal is over."""
        return ()

    def result(self, state: State) -> Result | None:
        """The outcome once the deal is over, else None."""
        return None

    def expected(self, state: State, after: TableState) -> tuple[Problem, ...]:
        """Where a settled table contradicts the log although no turn explains it: the reasons for "out of sync". () where none."""
        return ()

    def retell(self, history: Iterable[tuple[State, float, Sequence[tuple[float, TableState]]]], below: float) -> Iterator[Retold | None]:
        """Where the table contradicts the log: the likeliest ways to tell the last turns that cost less than `below`, cheapest first;
        None after every piece of work, where the search may rest until the next look. `history`: the log as it is and with 1, 2, …
        steps taken back, each as its state, the cost of taking back, and the table under its likeliest names. Default: none."""
        return iter(())

    def adopt(self, state: State, table: TableState) -> tuple[Event, ...]:
        """Events that make the log agree with what lies on the table ("use the table"), () where they agree."""
        return ()

    def copies(self, state: State) -> Mapping[str, int]:
        """The deck in play as a multiset {card: how many}, plain junk of a month not told apart. Default: the usual deck."""
        return standard_deck(self.deck).merged_counter()

    def essence(self, state: State) -> Any:
        """What matters of a state: readings that lead to an equal essence need no question. Default: all of it."""
        return state

    def rules(self, ruleset: str | Path = "classic", overrides: Mapping[str, Any] | None = None) -> Rules:
        """This game's rules by preset name or file. Raises InputError."""
        return load_rules(self.name, self.schema, ruleset, overrides)


# name → (module, aliases); a module exposes GAME and judge(case)
_GAMES: FrozenDict = FrozenDict({
    "gostop": ("scorer.games.gostop", ("go-stop", "go stop", "godori", "matgo", "고스톱", "맞고")),
    "spit": ("scorer.games.spit", ("slam",)),
    "speed": ("scorer.games.speed", ()),
    "stopbus": ("scorer.games.stopbus", ("stop-the-bus", "stop the bus", "bastard", "brag")),
    "thegame": ("scorer.games.thegame", ("the-game", "the game")),
})


def game_names() -> tuple[str, ...]:
    """Names of the games, in the contract's spelling."""
    return tuple(_GAMES)


def game_module(alias: str) -> Any:
    """The module of a game by name or alias (it has GAME and judge). Raises InputError `unknown-game`."""
    word = str(alias).strip().lower()
    for name, (module, aliases) in _GAMES.items():
        if word == name or word in aliases:
            return importlib.import_module(module)
    raise InputError("unknown-game", f"there is no game {str(alias)[:64]!r}", mend=did_you_mean(word, _GAMES))


def find_game(alias: str) -> Game:
    """The game by name or alias. Raises InputError `unknown-game`."""
    game: Game = game_module(alias).GAME
    return game
