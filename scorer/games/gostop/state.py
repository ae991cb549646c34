"""A deal as the log tells it: hands and stock are only counted, everything that lies open is known.

Players are numbers from 0 in seat order. `fold.apply` carries the state from event to event.
"""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from .captures import Partly
from .house import House
from .pack import MONTH, SINGLES
from .payout import Award, Claim
from .turns import PLAY, Stack

# how a deal ends
VOID, CHONGTONG, STOPPED, NAGARI, THREE_PPUK = "deal-void", "chongtong", "stop", "nagari", "three-ppuk"


@dataclass(frozen=True, slots=True)
class Debt:
    """Junk still to be handed over: `giver` owes `taker` that many cards (or junk, where `by_worth`)."""

    giver: int
    taker: int
    count: int
    by_worth: bool = False


@dataclass(frozen=True, slots=True)
class Begun:
    """The turn in progress, or the last one: who, with what, and the table as it was before it."""

    player: int
    floor: int
    stacks: tuple[Stack, ...]
    caps: tuple[int, ...]
    kind: str = PLAY
    hand: int = 0
    flips: tuple[int, ...] = ()
    due: int = 1              # stock cards (no jokers) still to be turned
    last: bool = False        # the last turn of the deal
    over: bool = False
    told: tuple[str, ...] = ()    # its special moments, as far as they are logged


@dataclass(frozen=True, slots=True)
class State:
    """See the module. What a field holds by player is a tuple in seat order; sets of cards are ints (see `pack`)."""

    house: House
    players: tuple[str, ...]
    dealer: int
    target: int
    nagari: int = 0
    mission: int = 1
    wallets: tuple[int | None, ...] | None = None
    dealt: bool = False
    floor: int = 0
    stacks: tuple[Stack, ...] = ()
    stock: int = 0
    caps: tuple[int, ...] = ()
    hidden: tuple[int, ...] = ()                  # captured cards that were never seen
    hands: tuple[int, ...] = ()                   # cards in hand
    credits: tuple[int, ...] = ()
    shown: tuple[int, ...] = ()
    shakes: tuple[int, ...] = ()
    bombs: tuple[int, ...] = ()
    small_bombs: tuple[int, ...] = ()
    ppuks: tuple[int, ...] = ()
    streak: tuple[int, ...] = ()
    turns: tuple[int, ...] = ()
    goes: tuple[int, ...] = ()
    go_score: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()                    # factor of a four-in-hand that was not cashed
    first_caller: int = -1
    last_caller: int = -1
    turn: int = 0
    undecided: int = -1                           # who ended a turn and has said neither go nor stop
    begun: Begun | None = None
    debts: tuple[Debt, ...] = ()                  # of the turn just played
    overdue: tuple[Debt, ...] = ()                # of turns before: flagged, and still welcome
    untaken: tuple[int, ...] = ()                 # captures left lying: flagged, and still theirs
    wrongly: tuple[tuple[int, int, int], ...] = ()  # (player, cards taken, giver or -1 for the floor): flagged, may be put back
    as_junk: int = 0
    awards: tuple[Award, ...] = ()
    fours: tuple[int, ...] = ()                   # players who showed four of a month
    end: str = ""
    winner: int = -1
    sellers: tuple[str, ...] = ()                 # who sold its brights and does not play; numbered after the players
    pushed: bool = False
    settled: bool = False

    @property
    def n(self) -> int:
        """Number of players."""
        return len(self.players)

    @property
    def on_floor(self) -> int:
        """Every card in the centre, stacks included."""
        out = self.floor
        for pile in self.stacks:
            out |= pile[1]
        return out

    @property
    def seen(self) -> int:
        """Every card that lies open somewhere."""
        out = self.on_floor
        for held in self.caps:
            out |= held
        return out

    @property
    def unseen(self) -> int:
        """Every card that is in a hand, in the stock or in a pile that was never spread."""
        return self.house.pack.all & ~self.seen

    @property
    def turns_left(self) -> int:
        """Turns that remain to be taken by all players."""
        return sum(self.hands) + sum(self.credits)

    def best(self, player: int) -> int:
        """The player's score, its flexible cards at their best; junk that was never seen counts one each."""
        return self.house.best(self.caps[player], self.hidden[player])

    def partly(self, player: int) -> Partly:
        """The player's captures with the number of those never seen."""
        return Partly(self.caps[player], self.hidden[player], self.hidden[player])

    @property
    def to_decide(self) -> int:
        """Player who may now say go or stop, or -1."""
        p = self.undecided
        return p if p >= 0 and not self.end and may_stop(self, p) else -1

    def claim(self, winner: int) -> Claim:
        """What a settlement depends on, were `winner` to stop now."""
        return Claim(self.caps, winner, self.goes, self.first_caller, self.last_caller, self.shakes[winner], self.bombs[winner],
                     self.small_bombs[winner], self.nagari, self.mission, self.kept[winner], self.wallets, target=self.target,
                     hidden=self.hidden if any(self.hidden) else ())


def may_stop(state: State, player: int) -> bool:
    """The player's score reaches the target and exceeds what it was at its last go (RULES 1.8)."""
    best = state.best(player)
    return best >= state.target and best > state.go_score[player]


def start(house: House, players: tuple[str, ...], dealer: int, target: int = 0, nagari: int = 0, mission: int = 1,
          wallets: tuple[int | None, ...] | None = None) -> State:
    """A deal before the cards lie."""
    n = len(players)
    zero = (0,) * n
    return State(house, players, dealer, target or house.target_for(n), nagari, mission, wallets, caps=zero, hidden=zero, hands=zero,
                 credits=zero, shown=zero, shakes=zero, bombs=zero, small_bombs=zero, ppuks=zero, streak=zero, turns=zero, goes=zero,
                 go_score=(-1,) * n, kept=(1,) * n, untaken=zero, turn=dealer)


def put(values: tuple[Any, ...], player: int, value: Any) -> tuple[Any, ...]:
    """The tuple with one player's value replaced."""
    return (*values[:player], value, *values[player + 1:])


def add(values: tuple[int, ...], player: int, n: int = 1) -> tuple[int, ...]:
    """The tuple with something added to one player's value."""
    return put(values, player, values[player] + n)


def next_player(state: State, player: int) -> int:
    """The next in order who has a card or a turn without one; the player itself where nobody has."""
    for i in range(1, state.n + 1):
        other = (player + i) % state.n
        if state.hands[other] or state.credits[other]:
            return other
    return player


def due_cards(state: State, debts: tuple[Debt, ...] | None = None) -> tuple[int, ...]:
    """By giver: the cards that are to be handed over for the debts (those of the turn just played), the cheapest first."""
    out = [0] * state.n
    for debt in state.debts if debts is None else debts:
        count = debt.count
        while count > 0:
            card = state.house.cheapest(state.caps[debt.giver] & ~out[debt.giver], state.as_junk)
            if not card:
                break
            out[debt.giver] |= card
            count -= state.house.worth(card) if debt.by_worth else 1
    return tuple(out)


def outstanding(state: State) -> tuple[Debt, ...]:
    """The debts of the turn just played that could have been paid."""
    out: list[Debt] = []
    left = list(state.caps)
    for debt in state.debts:
        count = 0
        while count < debt.count:
            card = state.house.cheapest(left[debt.giver], state.as_junk)
            if not card:
                break
            left[debt.giver] ^= card
            count += state.house.worth(card) if debt.by_worth else 1
        if count:
            out.append(replace(debt, count=min(count, debt.count)))
    return tuple(out)


def twin(card: int) -> int:
    """The other plain junk card of a junk card's month (a bit), 0 where it has none."""
    if not card & SINGLES:
        return 0
    return MONTH[(card.bit_length() - 1) >> 2] & SINGLES & ~card
