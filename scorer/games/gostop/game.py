"""Go-Stop behind the Game interface: one deal as a state folded from its events, read off the table or said by a person."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from ...cards import merged
from ...errors import InputError
from ...events import Event, make
from ...frozen import FrozenDict
from ...game import Explanation, Game, Option, Problem, Question, Result, Retold, ScoreSheet
from ...ruleset import Key, Rules
from ...table import TableState
from . import differences, legality, rulings, telling
from . import retell as retelling
from . import view as views
from .fold import apply
from .house import SCHEMA, House
from .pack import MONTH, Pack
from .payout import chips
from .sight import look
from .state import CHONGTONG, NAGARI, STOPPED, THREE_PPUK, VOID, State, outstanding, start


class GoStop(Game):
    """See `scorer.game.Game`. Options of a deal: jokers (how many), bonus {card: worth}, target, nagari_streak, mission,
    wallets {player: chips}."""

    name: ClassVar[str] = "gostop"
    aliases: ClassVar[tuple[str, ...]] = ("go-stop", "go stop", "godori", "matgo", "고스톱", "맞고")
    deck: ClassVar[str] = "hwatu"
    schema: ClassVar[tuple[Key, ...]] = SCHEMA
    players: ClassVar[tuple[int, int]] = (2, 3)
    meta: ClassVar[tuple[str, ...]] = ("overdue", "left-lying", "turn-over", "wrongly-taken", "handed-back", "cup", "adopt",
                                       "unknown-junk", "sell")
    passing: ClassVar[tuple[str, ...]] = ("play", "flip", "ppuk")      # on the floor; what is captured must be known
    pieces: ClassVar[tuple[str, ...]] = ("steal",)      # junk for one turn may be handed over card by card
    retells: ClassVar[bool] = True
    derived: ClassVar[tuple[str, ...]] = ("deal-void", "nagari", "settle")
    commands: ClassVar[tuple[str, ...]] = ("deal", "play", "flip", "go", "stop", "shake", "chongtong", "cup", "sell", "steal", "nagari")

    def start(self, rules: Rules, players: tuple[str, ...], dealer: str, options: Mapping[str, Any]) -> State:
        """A deal before the cards lie. Raises InputError for a number of players or an option that does not fit."""
        least, most = max(2, rules.players[0]), min(3, rules.players[1])
        if not least <= len(players) <= most:
            raise InputError("wrong-players", f"{len(players)} players sit for {rules.name}", mend=(
                f"seat {least}" if least == most else f"seat {least} or {most}") + ", or choose another ruleset; others watch or sell")
        house = House(rules, _pack(rules, options))
        wallets = options.get("wallets")
        purse = None
        if isinstance(wallets, Mapping):
            purse = tuple(_whole(wallets, p, None) for p in players)
        target, streak, mission = (_whole(options, key, 0) or 0 for key in ("target", "nagari_streak", "mission"))
        return start(house, tuple(players), players.index(dealer), target, streak, max(1, mission), purse)

    def check(self, state: State, event: Event) -> Problem | None:
        """None where the rules allow the event now, else why not."""
        return legality.check(state, event)

    def apply(self, state: State, event: Event) -> State:
        """The state after the event."""
        return apply(state, event)

    def observe(self, state: State, before: TableState, after: TableState) -> tuple[Explanation, ...]:
        """What the settled table adds to the log. The log itself is what it is compared with, so a dropped table loses nothing."""
        sight = look(state, after)
        return rulings.read(state, sight) or (() if differences.differences(state, sight) else (Explanation(()),))

    def follow(self, state: State) -> tuple[Event, ...]:
        """A void deal, a deal that nobody can win any more, the settlement."""
        if state.end:
            if state.settled:
                return ()
            if state.end == NAGARI and not state.awards:
                return (make("nagari", None, (), "auto"),)
            payments = views.payments(state)
            if state.winner < 0 and not payments:
                return ()
            winner = state.players[state.winner] if state.winner >= 0 else None
            return (make("settle", winner, (), "auto", payout=chips(payments)),)
        if not state.dealt:
            return ()
        if any((state.floor & m).bit_count() == 4 for m in MONTH) and not any(state.turns):
            if state.house.quad_floor == "nagari":
                return (make("nagari", None, (), "auto"),)
            return (make("deal-void", None, (), "auto"),)
        over = state.begun is not None and state.begun.over and not state.turns_left
        if over and not outstanding(state) and not _unfinished(state):
            p = state.to_decide
            if p >= 0:
                return (make("stop", state.players[p], (), "auto"),)      # no card is left to go on with
            if state.house.go_caller_wins and state.last_caller >= 0:
                return (make("stop", state.players[state.last_caller], (), "auto"),)
            return (make("nagari", None, (), "auto"),)
        return ()

    def questions(self, state: State) -> tuple[Question, ...]:
        """Go or stop is a person's to say and not asked for here; unseen junk is asked about where it decides something."""
        out = []
        for p in views.junk_matters(state):
            player = state.players[p]
            options = tuple(Option(str(n), "hidden-junk", (), (make("unknown-junk", player, (), "human", n=n - state.hidden[p]),)
                                   if n != state.hidden[p] else ()) for n in range(max(0, state.hidden[p] - 2), state.hidden[p] + 3))
            out.append(Question("unknown-junk", player, options, FrozenDict(n=state.hidden[p])))
        return tuple(out)

    def command(self, state: State, command: Mapping[str, Any]) -> tuple[Event, ...] | Problem:
        """The events of a person's command; a whole turn may be told as play {cards, flip, choose}."""
        return telling.command(state, command)

    def legal(self, state: State) -> tuple[Event, ...]:
        """Every legal next event, hands being secret: any unseen card may be played or turned."""
        return legality.legal(state)

    def score(self, state: State) -> ScoreSheet:
        """Everyone's lines and payments."""
        return views.sheet(state)

    def view(self, state: State) -> dict[str, Any]:
        """The game's keys of the snapshot."""
        return views.view(state)

    def copies(self, state: State) -> Mapping[str, int]:
        """The 48 cards and the bonus cards in play."""
        return Counter(map(merged, state.house.pack.names))

    def essence(self, state: State) -> Any:
        """What matters of a state: which card was the hand's and which the stock's does not."""
        return views.facts(state)

    def result(self, state: State) -> Result | None:
        """The outcome: the winner deals next, without one the same dealer; dead deals are carried."""
        if not state.end:
            return None
        streak = state.nagari
        if state.end == NAGARI or (state.end == STOPPED and state.pushed):
            streak += 1
        elif state.end in (STOPPED, THREE_PPUK) or (state.end == CHONGTONG and state.awards):
            streak = 0
        winner = state.players[state.winner] if state.winner >= 0 else None
        payout = FrozenDict(chips(views.payments(state)))
        dealer = winner if winner is not None and state.end != VOID else state.players[state.dealer]
        return Result(winner, payout, dealer, FrozenDict(nagari_streak=streak))

    def expected(self, state: State, after: TableState) -> tuple[Problem, ...]:
        """Where the table contradicts the log."""
        return differences.differences(state, look(state, after))

    def retell(self, history: Iterable[tuple[State, float, Sequence[tuple[float, TableState]]]], below: float) -> Iterator[Retold | None]:
        """The last turns told anew, where the table contradicts the log."""
        return retelling.retell(history, below)

    def adopt(self, state: State, table: TableState) -> tuple[Event, ...]:
        """The table is taken as true."""
        sight = look(state, table)
        names = state.house.pack.cards
        if sight.floor == state.on_floor and sight.caps == state.caps and state.dealt:
            return ()
        captures = {p: names(sight.caps[i]) for i, p in enumerate(state.players)}
        turn, hands = differences.went_on(state, sight)
        lying = {"floor": names(sight.floor), "captures": captures, "turn": state.players[turn], "hands": hands}
        return (make("adopt", None, (), "human", table=lying),)


def _unfinished(state: State) -> bool:
    """The last turn's capture has not been seen yet."""
    rest = legality.pending(state)
    return bool(rest)


def _pack(rules: Rules, options: Mapping[str, Any]) -> Pack | None:
    """The bonus cards in play, where the options of the deal say so."""
    bonus = options.get("bonus")
    count = _whole(options, "jokers", None)
    if bonus is None and count is None:
        return None
    worths = dict(rules.bonus)
    if bonus is not None:
        if not isinstance(bonus, Mapping) or any(not isinstance(w, int) or isinstance(w, bool) or not 0 <= w <= 9 for w in bonus.values()):
            raise InputError("bad-option", f"option 'bonus' is {bonus!r}", mend="give {card = junk worth 0 to 9}")
        worths = dict(bonus)
    cards = tuple((str(c), int(w)) for c, w in worths.items())
    return Pack(cards if count is None else cards[:count])


def _whole(options: Mapping[str, Any], key: str, default: int | None) -> int | None:
    value = options.get(key)
    if value is None:
        return default
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 10**9:
        raise InputError("bad-option", f"option {key!r} is {value!r}", mend="give a whole number")
    return value


GAME = GoStop()
__all__ = ["GAME", "GoStop"]
