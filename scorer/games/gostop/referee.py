"""The referee: every legal explanation of what lies on the table, and a ruling where there is none.

Hands are secret, so any unseen card may have come from the hand or from the stock. Each way to split the new cards into hand and
stock is played through `turns.resolve`, with every choice that the player had, and compared with where the cards lie:

    complete   everything lies where this turn puts it (junk may still be on its way)
    progress   it may still become so: cards not yet gathered, a flip still to come
    wrong      something was done that this turn does not do
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise, permutations

from .house import House
from .pack import DOUBLES, MONTH, N_MONTH_CARDS, SINGLES, indices
from .sight import Sight
from .state import State, due_cards, twin
from .turns import BOMB, FLIP_ONLY, JOKER, PLAY, Turn, branches

MAX_NEW = 7             # more new cards at once are no turn: the table is out of sync
OUT_OF_ORDER = 2.0      # cost of a hand card that came after the card from the stock
NEVER_SHOWN = 0.9       # cost of a card that would have lain open while the next one was fetched from the stock, and was not seen
GATHERED = 2.5          # cost of a card laid by another's hand once the turn's cards had been gathered
UNLIKELY = 0.8          # cost of a habit that few have
BOMBED = 0.3            # cost of a bomb, which is rare
ONE_BY_ONE = 1.5        # ... the cards of which came one after another, more than `LAID_MS` apart
LAID_MS = 1200
OVERLOOKED = 0.5        # cost of a hand card that nobody saw where the card from the stock was seen: it lay there for longer
UNSEEN = 0.2            # cost of a card that must lie where it is not seen
AT_ONCE_MS = 400         # cards of one hand, laid together, come within this time
SLOW_FLIP_MS = 2500     # a player who has played turns the stock card within this time
_PLAIN = (1 << N_MONTH_CARDS) - 1


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to have played the turn, held against the table.

    open      a stock card is still to be turned
    not_yet   cards that it captures and that still lie on the floor
    extra     cards taken from the floor that it does not capture
    astray    cards that went where nothing sends them
    stolen    by giver: junk that was handed over; `excess`: of it what was not due
    unseen    cards that must lie where they are not seen
    """

    player: int
    kind: str
    hand: int
    turn: Turn
    open: bool = False
    not_yet: int = 0
    extra: int = 0
    astray: int = 0
    stolen: tuple[int, ...] = ()
    excess: int = 0
    unseen: int = 0
    cost: float = 0.0

    @property
    def legal(self) -> bool:
        """Nothing was done that this turn does not do."""
        return not (self.extra or self.astray or self.excess)

    @property
    def complete(self) -> bool:
        """Everything lies where this turn puts it; junk may still be owed."""
        return self.legal and not self.open and not self.not_yet

    @property
    def violation(self) -> float:
        """How far the table is from this turn."""
        return (2 * self.astray.bit_count() + self.extra.bit_count() + self.excess.bit_count() + 0.5 * self.not_yet.bit_count()
                + 1.5 * self.open + self.cost * 0.1)


def new_cards(state: State, sight: Sight) -> int:
    """Cards that lie open now and lay nowhere before; those of a declared triple that are only shown are none."""
    new = sight.all & state.unseen
    for shown in state.shown:
        if not shown & new:
            continue
        for month in MONTH:
            triple = shown & month
            if triple.bit_count() == 3 and triple & ~new == 0 and not (state.house.bomb_shown and state.floor & month):
                new &= ~triple
    for month in MONTH:                  # laid open at once, with nothing there that they could take: a triple being declared
        cards = new & month & sight.floor
        if cards.bit_count() == 3 and not month & (state.on_floor | sight.floor & ~cards):
            times = [sight.came[i][1] for i in indices(cards) if i in sight.came]
            if len(times) == 3 and max(times) - min(times) < AT_ONCE_MS:
                new &= ~cards
    return new


def candidates(state: State, sight: Sight, player: int, new: int, later: int = 0) -> list[Candidate]:
    """Every way in which `player` may have brought the `new` cards to the table, best first. `later`: cards that lie there
    and belong to a later turn."""
    found: dict[tuple[object, ...], Candidate] = {}
    for kind, hand, flips, still_open in ways(state, player, new):
        for turn in branches(state.house, state.floor, state.stacks, player, state.caps, kind, hand, flips, state.turns_left <= 1,
                             state.as_junk, state.turns[player] + 1):
            c = _compare(state, sight, player, kind, hand, turn, still_open, later)
            key = (kind, hand, tuple(turn.flips), turn.gained, c.open)
            if key not in found or c.cost < found[key].cost:
                found[key] = c
    return sorted(found.values(), key=lambda c: (not c.complete, not c.legal, c.cost, c.violation))


def ways(state: State, player: int, new: int) -> Iterator[tuple[str, int, tuple[int, ...], bool]]:
    """(kind, hand cards, flips in order, a flip still to come)."""
    house = state.house
    plain, jokers = list(indices(new & _PLAIN)), list(indices(new & ~_PLAIN))
    can_play = state.hands[player] > 0
    left = state.stock
    for order in permutations(jokers) if jokers else ((),):
        j = tuple(order)
        exhausted = left - len(j) <= 0
        if len(plain) == 1:
            card = plain[0]
            if can_play:
                yield PLAY, 1 << card, j, not exhausted
            if state.credits[player] and left:
                yield FLIP_ONLY, 0, (*j, card), False
            if can_play and j and house.substitute:
                yield JOKER, 1 << j[0], (*j[1:], card), left - len(j) > 0
        elif len(plain) == 2:
            for a, b in (plain, plain[::-1]):
                if can_play:
                    yield PLAY, 1 << a, (*j, b), False
                    if j and house.substitute:
                        yield JOKER, 1 << j[0], (*j[1:], a, b), False
                        if len(j) > 1:
                            yield JOKER, 1 << j[0], (a, *j[1:], b), False
        elif not plain and j:
            if len(j) == 1 and can_play and not house.substitute:
                yield JOKER, 1 << j[0], (), False
            elif can_play and house.substitute:
                yield JOKER, 1 << j[0], j[1:], True
            if state.credits[player]:
                yield FLIP_ONLY, 0, j, True
        if len(plain) >= 2 and can_play:
            yield from _bombs(state, player, plain, j)


def _bombs(state: State, player: int, plain: list[int], jokers: tuple[int, ...]) -> Iterator[tuple[str, int, tuple[int, ...], bool]]:
    house = state.house
    new = sum(1 << c for c in plain)
    for month in MONTH:
        held = new & month
        rest = list(indices(new & ~month))
        lying = (state.floor & month).bit_count()
        full = held.bit_count() == 3 and lying == 1 and (house.bomb_shown or not held & state.shown[player])
        small = held.bit_count() == 2 and lying == 2 and house.small_bomb != "off"
        if (full or small) and len(rest) <= 1:
            yield BOMB, held, (*jokers, *rest), not rest and state.stock - len(jokers) > 0


def _compare(state: State, sight: Sight, player: int, kind: str, hand: int, turn: Turn, still_open: bool, later: int) -> Candidate:
    floor = turn.floor
    for pile in turn.stacks:
        floor |= pile[1]
    not_yet = turn.gained & sight.floor & ~later
    extra = floor & sight.caps[player] & ~later
    astray, unseen = 0, (turn.gained | floor) & ~sight.all & ~later
    stolen = [0] * state.n
    for p, held in enumerate(state.caps):
        kept = held & ~turn.gained & ~later
        if p == player:
            astray |= kept & (sight.floor | _others(sight, p))
            continue
        astray |= (turn.gained | floor) & sight.caps[p] & ~later
        stolen[p] = kept & sight.caps[player]
        astray |= kept & (sight.floor | (_others(sight, p) & ~sight.caps[player]))
    excess, wrongly = _excess(state, turn, stolen)
    cost = UNSEEN * unseen.bit_count() + order_cost(state, sight, player, kind, hand, turn)
    return Candidate(player, kind, hand, turn, still_open and not turn.continues, not_yet, extra, astray | wrongly, tuple(stolen), excess,
                     unseen, cost)


def _others(sight: Sight, player: int) -> int:
    out = 0
    for p, held in enumerate(sight.caps):
        if p != player:
            out |= held
    return out


def _excess(state: State, turn: Turn, stolen: list[int]) -> tuple[int, int]:
    """Junk handed over that was not due, and cards handed over that are no junk. Which of several equal cards is given is the
    giver's choice; so is a dearer one where the house leaves it to the giver."""
    excess = wrong = 0
    for p, given in enumerate(stolen):
        if not given:
            continue
        junk = state.house.giveable(given, given)
        wrong |= given & ~junk
        due = turn.stolen[p] if turn.stolen else 0
        excess |= overpaid(state.house, junk, due)
    return excess, wrong


def overpaid(house: House, given: int, due: int) -> int:
    """Of the junk given, what was not due: beyond the number of cards, or dearer than what was due (H37)."""
    if given.bit_count() > due.bit_count() or house.given == "cheapest":
        wanted = sorted(_rank(house, 1 << i) for i in indices(due))
        out = 0
        for card in sorted(indices(given), key=lambda i: _rank(house, 1 << i)):
            rank = _rank(house, 1 << card)
            if rank in wanted:
                wanted.remove(rank)
            elif house.given != "cheapest" and wanted:
                wanted.pop()
            else:
                out |= 1 << card
        return out
    return 0


def _rank(house: House, card: int) -> tuple[int, int]:
    """Cards of equal rank may be given for one another."""
    kind = 0 if card & SINGLES else 1 if card & DOUBLES else 3 if card >> N_MONTH_CARDS else 2
    return house.worth(card), kind


def order_cost(state: State, sight: Sight, player: int, kind: str, hand: int, turn: Turn) -> float:
    """Evidence of the order in which the cards came, and of whose hand laid them."""
    cost = 0.0
    flips = [i for i in turn.flips if i in sight.came]
    for card in indices(hand):
        if card in sight.came and flips:
            cost += _late(sight, card, min(flips, key=lambda i: sight.came[i][0]))
        elif flips and card not in sight.came:
            cost += OVERLOOKED
        if state.shown[player] >> card & 1:
            cost -= 0.5
    cost += sum(_late(sight, a, b) for a, b in pairwise(flips))
    if kind == BOMB:
        laid = [sight.came[i][1] for i in indices(hand) if i in sight.came and not sight.blind >> i & 1]
        cost += BOMBED + (ONE_BY_ONE if laid and max(laid) - min(laid) > LAID_MS else 0.0)
    if kind == PLAY and turn.flips and hand & turn.gained == 0 and turn.gained & _PLAIN:
        cost += UNLIKELY               # who could take something with the hand card mostly does
    for card in turn.flips:
        if in_a_hand(state, 1 << card):
            cost += 3.0
    gathered = max((sight.lies.get(i, 0) for i in indices(turn.gained & sight.caps[player])), default=0)
    for card in (*indices(hand), *turn.flips):
        if sight.by.get(card, player) != player:
            cost += 1.5
            if gathered and sight.came.get(card, (0, 0))[1] > gathered:
                cost += GATHERED           # another's hand laid it, after everything had been gathered
    if kind == FLIP_ONLY and turn.flips and not turn.gained & sight.caps[player] and sight.lain(1 << turn.flips[-1]) < SLOW_FLIP_MS:
        cost += 0.6
    return cost


def in_a_hand(state: State, card: int) -> bool:
    """A card that was shown and must still be in that hand; a plain junk card may be its twin."""
    if not any(shown & card for shown in state.shown):
        return False
    other = twin(card) & state.unseen
    return not other or any(shown & other for shown in state.shown)


def _late(sight: Sight, first: int, second: int) -> float:
    """Cost of card `first` having come after card `second`. A hand may have covered both for a while, so a gap shorter than a
    turn's two movements says little. A card that was never seen before it was gathered was mostly the last one to come: an earlier
    one lies open while the hand fetches the next."""
    a, b = sight.came[first], sight.came[second]
    if a[0] <= b[0]:
        return 0.0
    if sight.blind >> first & 1 and not sight.blind >> second & 1:
        return NEVER_SHOWN
    if sight.blind >> second & 1:
        return 0.05 * OUT_OF_ORDER
    return OUT_OF_ORDER * min(1.0, max(0.05, (a[1] - b[1] - 250) / 500)) if a[1] > 0 and b[1] > 0 else OUT_OF_ORDER


def late(state: State, sight: Sight) -> list[tuple[str, int, int, int]]:
    """What has been made good meanwhile: (``steal``, ``handed-back`` or ``capture``, player, cards, giver)."""
    out: list[tuple[str, int, int, int]] = []
    for taker, now in enumerate(sight.caps):
        for giver, held in enumerate(state.caps):
            moved = held & now
            if giver == taker or not moved:
                continue
            for debts in (state.debts, state.overdue):
                mine = tuple(d for d in debts if (d.giver, d.taker) == (giver, taker))
                if mine and not overpaid(state.house, moved, due_cards(state, mine)[giver]):
                    out.append(("steal", taker, moved, giver))
                    break
    for player, cards, giver in state.wrongly:
        if cards & (sight.floor if giver < 0 else sight.caps[giver]) == cards:
            out.append(("handed-back", player, cards, giver))
    for player, cards in enumerate(state.untaken):
        if cards and cards & sight.caps[player] == cards:
            out.append(("capture", player, cards, -1))
    return out


def moved_junk(state: State, sight: Sight) -> list[tuple[int, int, int]]:
    """Cards that went from one capture area to another: (giver, taker, cards)."""
    out = []
    for giver, held in enumerate(state.caps):
        for taker, now in enumerate(sight.caps):
            cards = held & now
            if taker != giver and cards:
                out.append((giver, taker, cards))
    return out


def ruling(state: State, c: Candidate) -> tuple[str, int]:
    """The problem code for a turn that was played wrongly, and the cards meant (RULES 1.4; codes of the contract)."""
    if c.excess:
        return "junk-too-many", c.excess
    whole = 0
    for _, cards, _, _ in state.stacks:
        whole |= cards
    if c.extra:
        return ("stack-split", c.extra) if c.extra & whole or _splits(state, c) else ("wrong-month", c.extra)
    if c.astray:
        return "illegal-play", c.astray
    if c.not_yet:
        return ("stack-split", c.not_yet) if _splits(state, c) else ("pair-not-taken", c.turn.gained & (c.not_yet | _partners(c)))
    if c.open:
        return "flip-missing", 0
    return "illegal-play", 0


def _splits(state: State, c: Candidate) -> bool:
    """Some, but not all, cards of a stack were taken."""
    for _, cards, _, _ in (*state.stacks, *c.turn.stacks):
        left = cards & (c.not_yet | (cards & ~c.extra if cards & c.extra else 0))
        if left and left != cards:
            return True
    return False


def _partners(c: Candidate) -> int:
    """Every card of the months that were not gathered."""
    out = 0
    for month in MONTH:
        if c.not_yet & month:
            out |= month & c.turn.gained
    return out


def with_stolen(c: Candidate) -> Turn:
    """The candidate's turn with the junk that was really handed over, and only what was really gathered."""
    turn = c.turn
    real = Turn(turn.floor, turn.stacks, turn.pos)
    real.gained = turn.gained & ~c.not_yet | c.extra
    real.stolen = c.stolen
    real.moments, real.flips, real.buried = turn.moments, turn.flips, turn.buried
    real.hand_added, real.continues = turn.hand_added, turn.continues
    return real


def splits(state: State, sight: Sight, new: int, player: int, far: bool = False) -> Iterator[tuple[int, int]]:
    """Ways to give the new cards to this turn and to the ones after it, the likeliest first: by order of appearance, or by whose
    hand laid them. `far`: every other way, for where a card came to light late."""
    cards = sorted(indices(new), key=lambda i: sight.came.get(i, (0, 0))[0])
    mine = sum(1 << i for i in cards if sight.by.get(i, player) == player)
    parts = list(dict.fromkeys(p for p in (mine, *(sum(1 << i for i in cards[:k]) for k in range(len(cards) - 1, 0, -1))) if p and p != new))
    if far:
        near = set(parts)
        parts = [p for n in (2, 1, 3, 4) for c in combinations(cards, n) if (p := sum(1 << i for i in c)) != new and p not in near]
    for part in parts:
        yield part, new & ~part


def mixed(sight: Sight, mine: int, rest: int) -> float:
    """Cost of cards of a later turn having come before cards of this one."""
    return min(2 * OUT_OF_ORDER, sum(_late(sight, a, b) for a in indices(mine) if a in sight.came for b in indices(rest) if b in sight.came))
