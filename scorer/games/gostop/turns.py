"""One turn: what a hand card and the turned stock cards do to the layout, and what the opponents give.

`resolve` is the only place where a turn's rules live. Simulated play, the judge of cases and the referee all go through it;
the referee turns it round by trying every legal way to have arrived at what lies on the table.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .house import House
from .pack import ANIMALS, BRIGHTS, DOUBLES, MONTH, N_MONTH_CARDS, RIBBONS, indices

# what a player does with its turn
PLAY, BOMB, JOKER, FLIP_ONLY = "play", "bomb", "joker", "flip-only"

# special moments, as the log names them
PPUK, JA_PPUK, JJOK, TTADAK, SWEEP, STACK = "ppuk", "ja-ppuk", "jjok", "ttadak", "sweep", "stack-capture"

DEAL = -1       # maker of a stack that the deal laid out

# (month from 0, its three cards and any bonus card buried with them, maker, the maker's turn in which it was made)
Stack = tuple[int, int, int, int]
Moment = tuple[str, int]                    # name, cards (a set)
Pick = Callable[[int, str], int]            # (two or more floor cards, "hand" or "stock") -> the one taken


class Turn:
    """What one turn does. Sets of cards are ints (see `pack`).

    floor, stacks  the layout afterwards
    gained         everything the player captures, stolen junk excepted
    stolen         by player: what each gives
    moments        special moments in order, with their cards; BOMB and JOKER among them
    flips          stock cards turned (indices), in order; buried jokers among them
    pos            position in the stock afterwards
    hand_added     card drawn into the hand in place of a joker; `continues`: the player plays on
    """

    __slots__ = ("bombs", "buried", "continues", "flips", "floor", "gained", "hand_added", "moments", "pos", "stacks", "stolen")

    def __init__(self, floor: int, stacks: tuple[Stack, ...], pos: int) -> None:
        self.floor = floor
        self.stacks = stacks
        self.pos = pos
        self.gained = 0
        self.stolen: tuple[int, ...] = ()
        self.moments: list[Moment] = []
        self.flips: list[int] = []
        self.buried = 0
        self.hand_added = 0
        self.continues = False


def by_value(options: int, _stage: str = "") -> int:
    """The floor card that most would take: bright, animal, ribbon, double junk, junk."""
    for kind in (BRIGHTS, ANIMALS, RIBBONS, DOUBLES):
        if options & kind:
            options &= kind
            break
    return options & -options


def stacked(floor: int, stacks: tuple[Stack, ...] = ()) -> tuple[int, tuple[Stack, ...]]:
    """A layout with three loose cards of a month put in one stack, as the deal's triples are (RULES 1.3.4)."""
    for m, month in enumerate(MONTH):
        if (floor & month).bit_count() == 3:
            stacks = (*stacks, (m, floor & month, DEAL, 0))
            floor &= ~month
    return floor, stacks


def resolve(house: House, floor: int, stacks: tuple[Stack, ...], me: int, caps: Sequence[int], kind: str, hand: int,
            stock: Sequence[int], pos: int, pick: Pick = by_value, last: bool = False, as_junk: int = 0, my_turn: int = 0) -> Turn:
    """Play out one turn of player `me`.

    kind, hand  PLAY one card, BOMB its cards, JOKER the joker, FLIP_ONLY with 0
    stock, pos  card indices and the position of the next to turn
    last        this is the last turn of the deal (H36)
    as_junk     cups lying among someone's junk, so that they can be taken
    my_turn     number of this turn of the player's, from 1
    """
    t = Turn(floor, stacks, pos)
    moments, demands = t.moments, []
    before, before_stacks = floor, stacks
    quiet = last and house.last_turn_exception
    n, gained, played = len(stock), 0, hand

    if kind == JOKER:
        gained, played = hand, 0
        moments.append((JOKER, hand))
        if house.joker_steal:
            demands.append((house.joker_steal, False))
        if not house.substitute:
            if pos < n:
                t.hand_added = 1 << stock[pos]
                pos += 1
            t.pos, t.gained, t.continues = pos, gained, True
            t.stolen = _steals(house, me, caps, demands, as_junk)
            return t
        while pos < n:
            card = stock[pos]
            pos += 1
            t.flips.append(card)
            if card < N_MONTH_CARDS:
                played = 1 << card
                break
            gained |= 1 << card
            moments.append((JOKER, 1 << card))
            if house.joker_steal:
                demands.append((house.joker_steal, False))

    # the card from the hand (or the joker's substitute) against the layout
    month, match, choice = -1, 0, False
    if kind == BOMB:
        match = floor & MONTH[(hand.bit_length() - 1) >> 2]
        gained |= hand | match
        floor &= ~match
        moments.append((BOMB, hand | match))
        if house.bomb_steal:
            demands.append((house.bomb_steal, False))
    elif played:
        month = (played.bit_length() - 1) >> 2
        match = floor & MONTH[month]
        pile = _stack_of(stacks, month, match)
        if pile is not None:
            gained |= played | pile[1]
            floor &= ~match
            stacks = tuple(s for s in stacks if s is not pile)
            _take_stack(house, pile, me, my_turn, quiet, moments, demands)
            month = -1
        elif not match:
            floor |= played
        else:
            choice = match & (match - 1) != 0

    # the stock card
    card = -1
    jokers = 0
    while pos < n:
        card = stock[pos]
        pos += 1
        t.flips.append(card)
        if card < N_MONTH_CARDS:
            break
        jokers |= 1 << card
        card = -1
    if card >= 0 and card >> 2 == month:
        drawn = 1 << card
        if not match:                                    # jjok: the stock takes back the card just played
            gained |= played | drawn
            floor &= ~played
            if not quiet:
                moments.append((JJOK, played | drawn))
                demands.append((house.jjok_steal, False))
        elif choice:                                     # ttadak: two lay there, the other two came
            gained |= played | match | drawn
            floor &= ~match
            if not quiet:
                moments.append((TTADAK, played | match | drawn))
                demands.append((house.ttadak_steal, False))
        elif quiet:                                      # the last turn makes no ppuk
            gained |= played | match | drawn
            floor &= ~match
        else:
            if house.joker_buried:
                t.buried, jokers = jokers, 0
            floor &= ~match
            cards = played | match | drawn | t.buried
            stacks = (*stacks, (month, cards, me, my_turn))
            moments.append((PPUK, cards))
    else:
        if month >= 0 and match:
            if choice:
                match = pick(match, "hand")
            gained |= played | match
            floor &= ~match
        if card >= 0:
            drawn, month = 1 << card, card >> 2
            match = floor & MONTH[month]
            pile = _stack_of(stacks, month, match)
            if pile is not None:
                gained |= drawn | pile[1]
                floor &= ~match
                stacks = tuple(s for s in stacks if s is not pile)
                _take_stack(house, pile, me, my_turn, quiet, moments, demands)
            elif not match:
                floor |= drawn
            else:
                if match & (match - 1):
                    match = pick(match, "stock")
                gained |= drawn | match
                floor &= ~match
    while jokers:
        low = jokers & -jokers
        jokers ^= low
        gained |= low
        moments.append((JOKER, low))
        if house.joker_steal:
            demands.append((house.joker_steal, False))

    if not quiet and gained and (
            (not floor and not stacks) if house.sweep == "empty" else
            (not before_stacks and before & ~gained == 0 and before.bit_count() == 2 and _two_months(before))):
        moments.append((SWEEP, before & gained))
        demands.append((house.sweep_steal, False))
    t.floor, t.stacks, t.pos, t.gained = floor, stacks, pos, gained
    t.stolen = _steals(house, me, caps, demands, as_junk) if demands else ()
    return t


def branches(house: House, floor: int, stacks: tuple[Stack, ...], me: int, caps: Sequence[int], kind: str, hand: int,
             flips: Sequence[int], last: bool = False, as_junk: int = 0, my_turn: int = 0) -> Iterator[Turn]:
    """The turn under every choice of a floor card that the player had; `flips` are the stock cards turned, in order."""
    todo: list[tuple[int, ...]] = [()]
    while todo:
        script = todo.pop()
        made: list[int] = []

        def pick(options: int, stage: str, script: tuple[int, ...] = script, made: list[int] = made) -> int:
            if len(made) < len(script):
                made.append(script[len(made)])
                return made[-1]
            first = options & -options
            todo.extend((*made, 1 << card) for card in indices(options ^ first))
            made.append(first)
            return first

        yield resolve(house, floor, stacks, me, caps, kind, hand, flips, 0, pick, last, as_junk, my_turn)


def _two_months(two: int) -> bool:
    low = two & -two
    return (low.bit_length() - 1) >> 2 != (two.bit_length() - 1) >> 2


def _stack_of(stacks: tuple[Stack, ...], month: int, loose: int) -> Stack | None:
    """The stack of a month; three loose cards count as one that the deal laid out."""
    for pile in stacks:
        if pile[0] == month:
            return pile
    return (month, loose, DEAL, 0) if loose.bit_count() == 3 else None


def _take_stack(house: House, pile: Stack, me: int, my_turn: int, quiet: bool, moments: list[Moment],
                demands: list[tuple[int, bool]]) -> None:
    _, cards, maker, made = pile
    own = maker == me and (not house.jappuk_last_only or made == my_turn - 1)
    moments.append((JA_PPUK if own else STACK, cards))
    if own:
        demands.append((house.jappuk_steal if not quiet or house.last_turn_stack else 0, house.jappuk_by_worth))
    else:
        n = house.deal_stack_steal if maker == DEAL else house.stack_steal
        demands.append((min(n, house.last_turn_stack) if quiet else n, False))
    buried = (cards >> N_MONTH_CARDS).bit_count()
    if buried and house.joker_steal:                     # H36 excepts no joker
        demands += [(house.joker_steal, False)] * buried


def _steals(house: House, me: int, caps: Sequence[int], demands: list[tuple[int, bool]], as_junk: int = 0) -> tuple[int, ...]:
    """What each player gives for the demands (cards, counted by worth?) of one turn: the cheapest junk first (A-09)."""
    if not demands:
        return ()
    if not house.moments_add:
        demands = [max(demands)]
    out = []
    for player, held in enumerate(caps):
        given = 0
        if player != me:
            for count, by_worth in demands:
                while count > 0:
                    card = house.cheapest(held, as_junk)
                    if not card:
                        break
                    given |= card
                    held ^= card
                    count -= house.worth(card) if by_worth else 1
        out.append(given)
    return tuple(out)
