"""One deal played out: dealing, what may be done, and the one transition function (`Deal.step`).

A Deal is a mutable object of plain ints, cheap to copy, made for millions of turns: simulated play, play-outs of the coach, and
the soak. The live game folds logged events instead (`game`); both go through `turns.resolve`, and a test holds them equal.
Players are numbers from 0 in seat order, which is the order of play (to the right).
"""
from __future__ import annotations

from collections.abc import Callable, Sequence

from ...events import Event, make
from ...game import Payment
from .house import House
from .pack import MONTH, MONTHS, N_MONTH_CARDS, indices
from .payout import Award, Claim, Settlement, carried, chips, chongtong_awards, paid, ppuk_award, settle
from .turns import BOMB, DEAL, FLIP_ONLY, JOKER, PLAY, PPUK, TTADAK, Pick, Stack, Turn, by_value, resolve, stacked

SHAKE, GO, STOP, PUSH = "shake", "go", "stop", "push"
Action = tuple[str, int]                        # kind, cards (a set)
Log = Callable[[list[Event]], None]             # is handed each batch of events: a turn, a go, the deal

# how a deal ends
VOID, CHONGTONG, STOPPED, NAGARI, THREE_PPUK = "deal-void", "chongtong", "stop", "nagari", "three-ppuk"


class Deal:
    """The whole state of a deal, hands and stock included."""

    __slots__ = (
        "as_junk", "awards", "bombs", "caps", "credits", "dealer", "end", "first_caller", "floor", "go_score", "goes", "hands", "house",
        "jokers_dealt", "kept", "last_caller", "nagari", "pos", "ppuks", "pushed", "shakes", "shown", "small_bombs", "stacks", "stock",
        "streak", "target", "to_decide", "turn", "turns", "winner",
    )

    def __init__(self, house: House, players: int, dealer: int = 0, nagari: int = 0, target: int = 0) -> None:
        self.house = house
        self.dealer = dealer
        self.nagari = nagari
        self.target = target or house.target_for(players)
        self.hands = [0] * players
        self.caps = [0] * players
        self.floor = 0
        self.stacks: tuple[Stack, ...] = ()
        self.stock: Sequence[int] = ()
        self.pos = 0
        self.turn = dealer
        self.to_decide = False                  # the player whose turn it was must say go or stop
        self.credits = [0] * players            # turns that may be taken without a hand card, after a bomb
        self.shown = [0] * players              # cards of declared triples
        self.shakes = [0] * players
        self.bombs = [0] * players
        self.small_bombs = [0] * players
        self.ppuks = [0] * players
        self.streak = [0] * players             # ppuk made on the first, second, … turn without a gap
        self.turns = [0] * players              # turns taken
        self.goes = [0] * players
        self.go_score = [-1] * players
        self.first_caller = self.last_caller = -1
        self.as_junk = 0                        # cups lying among someone's junk
        self.awards: list[Award] = []
        self.end = ""                           # one of the ends above; "" while the deal is on
        self.winner = -1
        self.pushed = False                     # the winner carries instead of collecting
        self.kept = [1] * players               # factor of a four-in-hand that was not cashed
        self.jokers_dealt = 0                   # bonus cards that the deal laid in the centre

    def copy(self) -> Deal:
        """An independent copy."""
        new: Deal = object.__new__(Deal)
        for name in ("house", "dealer", "nagari", "target", "floor", "stacks", "stock", "pos", "turn", "to_decide", "first_caller",
                     "last_caller", "as_junk", "end", "winner", "pushed", "jokers_dealt"):
            setattr(new, name, getattr(self, name))
        for name in ("hands", "caps", "credits", "shown", "shakes", "bombs", "small_bombs", "ppuks", "streak", "turns", "goes",
                     "go_score", "awards", "kept"):
            setattr(new, name, list(getattr(self, name)))
        return new

    # dealing ------------------------------------------------------------------------------------------------------

    def deal(self, order: Sequence[int]) -> None:
        """Deal a shuffled pack (card numbers) by the scheme of the number of players (RULES 1.2), then look for fours (1.3)."""
        house, n = self.house, len(self.hands)
        hand, floor = (house.hand_two, house.floor_two) if n == 2 else (house.hand_three, house.floor_three)
        pos = 0
        for rounds in (0, 1):
            for i in range(n):
                player = (self.dealer + 1 + i) % n
                count = (hand + 1) // 2 if not rounds else hand // 2
                self.hands[player] |= sum(1 << c for c in order[pos:pos + count])
                pos += count
            count = (floor + 1) // 2 if not rounds else floor // 2
            self.floor |= sum(1 << c for c in order[pos:pos + count])
            pos += count
        while self.floor >> N_MONTH_CARDS:           # jokers go to the dealer, replaced from the stock until none lies there
            jokers = self.floor >> N_MONTH_CARDS << N_MONTH_CARDS
            self.jokers_dealt |= jokers
            self.caps[self.dealer] |= jokers
            self.floor ^= jokers
            for _ in indices(jokers):
                self.floor |= 1 << order[pos]
                pos += 1
        self.stock, self.pos = order, pos
        if any((self.floor & m).bit_count() == 4 for m in MONTH):
            self.end = VOID
            if house.quad_floor == "dealer-wins":
                self.winner = self.dealer
                self.awards.append(Award("quad-floor", self.dealer, carried(house, house.quad_floor_award, self.nagari)))
            elif house.quad_floor == "nagari":
                self.end = NAGARI
            return
        self.floor, self.stacks = stacked(self.floor)

    def quads(self) -> list[int]:
        """Players who were dealt four of a month."""
        return [p for p, held in enumerate(self.hands) if any(held & m == m for m in MONTH)]

    def show_fours(self) -> None:
        """End the deal by four of a month in hand (H38, H40)."""
        holders = self.quads()
        self.awards += chongtong_awards(self.house, holders, len(self.hands), self.nagari)
        several = len(holders) > 1
        self.end = NAGARI if several and self.house.several_chongtong == "nagari" else CHONGTONG
        if not several:
            self.winner = holders[0]

    def fours(self, players: Sequence[str]) -> list[Event]:
        """The events of showing four of a month."""
        out = []
        for p in self.quads():
            month = next(m for m in MONTH if self.hands[p] & m == m)
            out.append(make("chongtong", players[p], self.house.pack.cards(month)))
        return out

    # what may be done ---------------------------------------------------------------------------------------------

    def turns_left(self) -> int:
        """Turns that remain to be taken by all players, the present one included."""
        return sum(h.bit_count() for h in self.hands) + sum(self.credits)

    def legal(self) -> list[Action]:
        """Every action of the player whose turn it is; () once the deal is over."""
        out: list[Action]
        if self.end:
            return []
        me, house = self.turn, self.house
        hand = self.hands[me]
        if self.to_decide:
            out = [(STOP, 0)] if not house.push else [(STOP, 0), (PUSH, 0)]
            return [*out, (GO, 0)] if hand or self.credits[me] else out
        out = []
        rest = hand
        while rest:
            low = rest & -rest
            rest ^= low
            out.append((JOKER if low >> N_MONTH_CARDS else PLAY, low))
        if hand:
            floor, shown = self.floor, self.shown[me]
            for month in MONTH:
                held = hand & month
                n = held.bit_count()
                if n == 3:
                    if (floor & month).bit_count() == 1 and (house.bomb_shown or not held & shown):
                        out.append((BOMB, held))
                    if not held & shown and (house.shake_when == "any-turn" or not floor & month):
                        out.append((SHAKE, held))
                elif n == 2 and house.small_bomb != "off" and (floor & month).bit_count() == 2:
                    out.append((BOMB, held))
        if self.credits[me]:
            out.append((FLIP_ONLY, 0))
        return out

    # the transition -----------------------------------------------------------------------------------------------

    def step(self, action: Action, pick: Pick = by_value, log: Log | None = None, players: Sequence[str] = ()) -> None:
        """Carry an action out. Events are built only where there is a `log`; `players` are their names then."""
        kind, cards = action
        me = self.turn
        if kind == SHAKE:
            self.shown[me] |= cards
            self.shakes[me] += 1
            if log:
                log([make("shake", players[me], self.house.pack.cards(cards), "human")])
            return
        if kind in (GO, STOP, PUSH):
            self._decide(kind, log, players)
            return
        house = self.house
        left = self.turns_left()
        number = self.turns[me] + 1
        turn = resolve(house, self.floor, self.stacks, me, self.caps, kind, cards, self.stock, self.pos, pick, left == 1,
                       self.as_junk, number)
        self.floor, self.stacks, self.pos = turn.floor, turn.stacks, turn.pos
        self.hands[me] = self.hands[me] & ~cards | turn.hand_added
        self.caps[me] |= turn.gained
        for player, given in enumerate(turn.stolen):
            if given:
                self.caps[player] ^= given
                self.caps[me] |= given
        if log:
            log(turn_events(house, players, me, kind, cards, turn))
        if turn.continues:
            return
        self.turns[me] = number
        if kind == BOMB:
            if cards.bit_count() == 3:
                self.bombs[me] += 1
                self.credits[me] += house.bomb_skips
            else:
                self.small_bombs[me] += 1
                self.credits[me] += min(1, house.bomb_skips)
        elif kind == FLIP_ONLY:
            self.credits[me] -= 1
        if turn.moments:
            self._awards(me, turn, number)
            if self.end:
                if log:
                    log(self.closing(players))
                return
        best = house.best(self.caps[me])
        if best >= self.target and best > self.go_score[me]:
            self.to_decide = True
            return
        self._next(log, players)

    def _awards(self, me: int, turn: Turn, number: int) -> None:
        house = self.house
        for name, _ in turn.moments:
            if name == PPUK:
                self.ppuks[me] += 1
                if self.streak[me] == number - 1:
                    self.streak[me] = number
                    award = ppuk_award(house, me, number)
                    if award:
                        self.awards.append(award)
                if self.ppuks[me] == 3 and house.three_ppuk:
                    self.awards.append(Award("three-ppuk", me, carried(house, house.three_ppuk, self.nagari)))
                    self.end, self.winner = THREE_PPUK, me
            elif name == TTADAK and number == 1 and house.first_ttadak:
                self.awards.append(Award("first-ttadak", me, house.first_ttadak))

    def _decide(self, kind: str, log: Log | None, players: Sequence[str]) -> None:
        me = self.turn
        self.to_decide = False
        if kind != GO:
            self.end, self.winner, self.pushed = STOPPED, me, kind == PUSH
        else:
            self.goes[me] += 1
            self.go_score[me] = self.house.best(self.caps[me])
            self.last_caller = me
            if self.first_caller < 0:
                self.first_caller = me
        if log:
            log([make(GO if kind == GO else STOP, players[me], (), "human", **({"push": True} if self.pushed else {}))])
        if kind != GO:
            if log:
                log(self.closing(players))
        else:
            self._next(log, players)

    def _next(self, log: Log | None, players: Sequence[str]) -> None:
        """The next player who still has a card or a turn without one; none: the deal ends without a winner."""
        n = len(self.hands)
        for i in range(1, n + 1):
            player = (self.turn + i) % n
            if self.hands[player] or self.credits[player]:
                self.turn = player
                return
        self.end = NAGARI
        if self.house.go_caller_wins and self.last_caller >= 0:
            self.end, self.winner = STOPPED, self.last_caller
        if log:
            log(self.closing(players))

    # the end ------------------------------------------------------------------------------------------------------

    def claim(self, winner: int | None = None) -> Claim:
        """What a settlement depends on, were `winner` to stop now."""
        w = self.winner if winner is None else winner
        return Claim(tuple(self.caps), w, tuple(self.goes), self.first_caller, self.last_caller, self.shakes[w], self.bombs[w],
                     self.small_bombs[w], self.nagari, kept=self.kept[w], target=self.target)

    def paid(self) -> list[int]:
        """Chips that each player gains by the deal as it stands (its end, and the awards on the way); adds up to zero."""
        n = len(self.hands)
        out = [0] * n
        if self.end == STOPPED and not self.pushed:
            for p, amount in enumerate(paid(self.house, self.claim())):
                out[p] -= amount
                out[self.winner] += amount
        for award in self.awards:
            for p in award.payers if award.payers is not None else range(n):
                if p != award.player:
                    out[p] -= award.amount
                    out[award.player] += award.amount
        return out

    def settlement(self, players: Sequence[str]) -> Settlement | None:
        """The settlement with its lines where the deal was stopped."""
        return settle(self.house, self.claim(), players) if self.end == STOPPED and not self.pushed else None

    def payments(self, players: Sequence[str]) -> tuple[Payment, ...]:
        """Every payment of the deal with its lines: the settlement and the awards."""
        result = self.settlement(players)
        out = list(result.payments) if result else []
        for award in self.awards:
            out += award.payments(players)
        return tuple(out)

    def closing(self, players: Sequence[str]) -> list[Event]:
        """The events that end the deal, in the log's form."""
        out = [make(self.end, None, (), "auto")] if self.end in (NAGARI, VOID) else []
        payments = self.payments(players)
        if self.winner < 0 and not payments:
            return out
        return [*out, make("settle", players[self.winner] if self.winner >= 0 else None, (), "auto", payout=chips(payments))]

    def opening(self, players: Sequence[str]) -> list[Event]:
        """The event of the deal: the layout (jokers that went to the dealer beside it)."""
        cards = self.floor
        for _, held, _, _ in self.stacks:
            cards |= held
        names = self.house.pack.cards
        if not self.jokers_dealt:
            return [make("deal", players[self.dealer], names(cards))]
        return [make("deal", players[self.dealer], names(cards), jokers=names(self.jokers_dealt))]


def turn_events(house: House, players: Sequence[str], me: int, kind: str, cards: int, turn: Turn) -> list[Event]:
    """A turn in the log's form and order: play, the flips, ppuk, the other moments, capture, a steal from each giver.

    A joker from the hand is played like any card and then taken (``joker``); a bomb is one play of its three cards.
    """
    names, player = house.pack.cards, players[me]
    out = []
    if kind != FLIP_ONLY:
        out.append(make("play", player, names(cards)))
    out += [make("flip", player, (house.pack.names[i],)) for i in turn.flips]
    for first in (True, False):
        out += [make(name, player, names(held), "auto") for name, held in turn.moments if (name == PPUK) is first]
    if turn.gained:
        out.append(make("capture", player, names(turn.gained)))
    out += [make("steal", player, names(given), from_=players[p]) for p, given in enumerate(turn.stolen) if given]
    return out


def full_pack(house: House) -> list[int]:
    """Every card number in play, in order."""
    return list(range(len(house.pack.names)))


__all__ = ["BOMB", "DEAL", "FLIP_ONLY", "GO", "JOKER", "MONTHS", "PLAY", "SHAKE", "STOP", "Action", "Deal", "full_pack", "turn_events"]
