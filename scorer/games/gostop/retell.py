"""The last turns told anew: where the table contradicts the log, the likeliest legal turns that lead to what lies there now.

The search starts from the log as it is and from the log with its last turns taken back. Each step is one whole legal turn, played with
cards that came to light since, with cards that nobody sees but that must lie in a pile, and without cards that were taken for one and are
none. What explains the table at the lowest cost comes first; hands and stock are only counted, so a turn has its number of cards, and
that is what keeps a wrong turn from being explained away.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import combinations, count, repeat

from ...events import Event, make
from ...game import Retold
from ...table import TableState
from .fold import apply
from .pack import MONTH, N_MONTH_CARDS, SINGLES, indices
from .referee import Candidate, candidates, mixed, new_cards, order_cost, overpaid, ways
from .sight import Sight, look
from .state import State, due_cards, outstanding, twin
from .timing import events
from .turns import Turn, branches

HORIZON_MS = 90_000      # a card that left again may have been played so long ago
MOST_STEPS = 4           # turns told anew at once
MOST_NODES = 200
MOST_BEGUN = 4           # new cards that may be a turn not done yet
WITHIN = 0.5             # rivals that cost so much more than the best are given, too
LOOKED, STEPPED = 6, 2   # pauses that reading a table, and putting a turn into the state, are worth: about as much as one set of cards
SHOWN = 1.5              # most that a turn's cards can make it likelier
NEARBY = 6               # a turn's cards are looked for among so many that came first
UNTOLD = 0.6             # cost of a card that lay open for a moment and is in no turn
GLIMPSED = 0.7           # cost of a card that lay open for a moment, and lies in a pile since
HIDDEN_TWIN, HIDDEN = 0.4, 2.0      # ... of one that nobody saw, its month's cards being odd in number: the twin of one in the pile, another
NONE_SURE, NONE_UNSURE = 2.5, 0.8   # ... of a card that is none, by whether its name was settled
ELSEWHERE = 3.0          # ... of a card that was gathered and is seen in the centre, or with somebody else
NOT_GIVEN = 3.0          # ... of junk that was due and stayed where it was
OVERLOOKED = 0.5         # ... of a card that must lie open in the centre, and is not seen
BEGUN = 0.2              # ... of the rest's being the beginning of a further turn
GATHERED_FIRST = 1.5     # ... of a begun turn's having gathered before its stock card was turned
ANOTHERS = 1.0           # ... of a card that another's hand laid, beyond what the referee counts for it
_PLAIN = (1 << N_MONTH_CARDS) - 1


@dataclass(frozen=True, slots=True)
class _Node:
    state: State
    sight: Sight
    back: int
    table: TableState
    turns: tuple[tuple[Event, ...], ...] = ()
    none: tuple[int, ...] = ()       # tracks of cards that are none
    played: Candidate | None = None  # a turn that is still to be put into state and turns: most never come to that

    def after(self) -> _Node:
        """With that turn played."""
        if self.played is None:
            return self
        told, state = events(self.state, self.sight, self.played), self.state
        for event in told:
            state = apply(state, event)
        return replace(self, state=state, turns=(*self.turns, told), played=None)


def retell(history: Iterable[tuple[State, float, Sequence[tuple[float, TableState]]]], below: float) -> Iterator[Retold | None]:
    """`history`: the log as it is, then with 1, 2, … of its steps taken back: the state, what taking them back costs, and the table
    under its likeliest names with the cost of those. The likeliest ways to tell the turns since that cost less than `below`, cheapest
    first; None wherever the search may pause."""
    number = count()
    gathered: int | None = None
    heap: list[tuple[float, int, _Node | Retold]] = []
    for back, (state, price, tables) in enumerate(history):
        gathered = sum(state.caps) if gathered is None else gathered
        if state.dealt and not state.end:
            for cost, table in tables:
                if price + cost >= below:
                    continue
                for more, sight, none in _without(state, _fair(look(state, table, HORIZON_MS))):
                    if price + cost + more < below:
                        heappush(heap, (price + cost + more, next(number), _Node(state, sight, back, table, (), none)))
                yield from repeat(None, LOOKED)
    nodes = 0
    while heap and nodes < MOST_NODES:
        cost, _, node = heappop(heap)
        if cost >= below:
            break
        if isinstance(node, Retold):
            below = min(below, cost + WITHIN)
            yield node
            continue
        nodes += 1
        node = node.after()
        rest = _rest(node.state, node.sight, gathered or 0)
        if rest is not None and (node.turns or not node.none):      # a card is none only where that makes a turn
            whole = cost + rest
            heappush(heap, (whole, next(number), Retold(node.back, node.turns, node.table, whole, node.none)))
        yield from repeat(None, STEPPED)
        if len(node.turns) < MOST_STEPS + node.back and not node.state.end:
            node = _went_on(node)
            best: dict[tuple[object, ...], tuple[float, Candidate]] = {}
            yield from _steps(node.state, node.sight, below - cost, best)
            for more, c in best.values():
                heappush(heap, (cost + max(0.05, more), next(number), replace(node, played=c)))


def _fair(sight: Sight) -> Sight:
    """A card that was first seen where it was gathered tells nothing of whose hand laid it."""
    return replace(sight, by={i: p for i, p in sight.by.items() if not sight.blind >> i & 1})


def _without(state: State, sight: Sight) -> Iterator[tuple[float, Sight, tuple[int, ...]]]:
    """The table as it is, and without one or two of its new cards: they were misread, and may be any card that nobody sees."""
    yield 0.0, sight, ()
    new = list(indices(new_cards(state, sight)))
    priced = [(NONE_UNSURE if sight.unsure >> i & 1 else NONE_SURE, i) for i in new if i in sight.tracks]
    for group in (*combinations(priced, 1), *combinations([p for p in priced if p[0] < NONE_SURE], 2)):
        gone = ~sum(1 << i for _, i in group)
        yield (sum(c for c, _ in group), replace(sight, floor=sight.floor & gone, caps=tuple(c & gone for c in sight.caps)),
               tuple(sight.tracks[i] for _, i in group))


def _rest(state: State, sight: Sight, gathered: int) -> float | None:
    """Cost of the table's being as the log has it, or at the beginning of a turn; None where it is neither. What was seen `gathered`
    before does not wait in the centre for it."""
    if state.end:
        return None
    lost = sight.missing & state.on_floor
    passing = sight.glimpsed & state.unseen
    passing &= ~sum(m for m in MONTH if (passing & m).bit_count() == 3)       # a triple that was shown
    cost = OVERLOOKED * lost.bit_count() * (0.5 if sight.hands else 1.0) + UNTOLD * min(2, passing.bit_count())
    new = new_cards(state, sight)
    if new.bit_count() > MOST_BEGUN:
        return None
    if new:
        begun = []
        for c in candidates(state, sight, state.turn, new):
            if c.legal:
                doubt = ELSEWHERE * (c.not_yet & gathered).bit_count() + _anothers(sight, c.player, new)
                begun.append(c.cost + doubt + (GATHERED_FIRST if c.open and c.turn.gained & sight.caps[c.player] else 0.0))
        return cost + BEGUN + max(0.0, min(begun)) if begun else None
    due = sum(due_cards(state, outstanding(state))) if state.debts else 0
    for p, held in enumerate(state.caps):
        now = sight.caps[p] & state.seen & ~held
        if now & ~due or held & sight.floor:
            return None
    return cost


def _went_on(node: _Node) -> _Node:
    """Who could have stopped and let the play go on has said go."""
    state = node.state
    if state.to_decide < 0:
        return node
    go = make("go", state.players[state.to_decide], source="auto")
    return replace(node, state=apply(state, go), turns=(*node.turns, (go,)))


def _steps(state: State, sight: Sight, below: float, best: dict[tuple[object, ...], tuple[float, Candidate]]) -> Iterator[None]:
    """Every whole turn of the player who is on that costs less than `below`, into `best`; pauses after each set of cards."""
    me = state.turn
    if state.end or outstanding(state):
        return                          # junk that stayed where it was is ruled on by itself
    new = new_cards(state, sight)
    for mine, unseen, cost in _hands(state, sight, new):
        if cost < below:
            cost += _anothers(sight, me, mine)
        if cost < below:
            cost += mixed(sight, mine, new & ~mine)
        if cost - SHOWN >= below:
            continue
        yield None
        for kind, hand, flips, still_open in ways(state, me, mine | unseen):
            for turn in branches(state.house, state.floor, state.stacks, me, state.caps, kind, hand, flips, state.turns_left <= 1,
                                 state.as_junk, state.turns[me] + 1):
                if (still_open and not turn.continues) or unseen & ~turn.gained & ~_piled(turn):
                    continue            # what nobody sees lies in a pile
                stolen, price = _given(state, sight, me, turn)
                price += cost + order_cost(state, sight, me, kind, hand, turn) + _astray(state, sight, me, turn)
                # which of two was the hand's matters only where it makes a difference
                key = (kind, turn.gained, turn.floor, tuple(turn.moments), hand.bit_count())
                if price < below and (key not in best or price < best[key][0]):
                    best[key] = (price, Candidate(me, kind, hand, turn, stolen=stolen, cost=price))


def _anothers(sight: Sight, player: int, cards: int) -> float:
    return ANOTHERS * sum(sight.by.get(i, player) != player for i in indices(cards))


def _piled(turn: Turn) -> int:
    out = 0
    for pile in turn.stacks:
        out |= pile[1]
    return out


def _hands(state: State, sight: Sight, new: int) -> Iterator[tuple[int, int, float]]:
    """What may be the cards of one turn: seen ones, unseen ones, the cost of the latter."""
    me = state.turn
    by_time = sorted(indices(new), key=lambda i: sight.came.get(i, (0, 0))[0])
    near = list(dict.fromkeys((*by_time[:NEARBY], *(i for i in by_time if sight.by.get(i) == me))))[:NEARBY + 2]
    jokers = new & ~_PLAIN
    unseen = _unseen(state, sight)
    for size in (2, 1, 3):
        if size == 2 or jokers or (size == 1 and (state.credits[me] or state.stock <= 0)):
            for cards in combinations(near, size):
                yield sum(1 << i for i in cards), 0, 0.0
    for card, cost in unseen:
        for i in near:
            yield 1 << i, 1 << card, cost
    for m in MONTH:                      # bombs, one card of which may lie below the others
        held, lying = (new & m).bit_count(), (state.floor & m).bit_count()
        below = [(0, 0.0)] if held + lying == 4 else [(1 << i, c) for i, c in unseen if m >> i & 1] if held + lying == 3 else []
        if held >= 1 and held <= 3 and lying and state.hands[me] > 1:
            for hidden, cost in below:
                for more in (0, *(1 << i for i in near if not m >> i & 1)):
                    yield new & m | more, hidden, cost


def _unseen(state: State, sight: Sight) -> list[tuple[int, float]]:
    """Cards that may lie unseen in a pile. Captures come in even numbers of a month, so one of a month that is odd is missing."""
    open_cards = state.unseen & ~sight.all
    out = dict.fromkeys(indices(sight.glimpsed & open_cards), GLIMPSED)
    taken = 0
    for held in sight.caps:
        taken |= held
    for m in MONTH:
        if (taken & m).bit_count() & 1:
            for i in indices(m & open_cards):
                cost = HIDDEN_TWIN if 1 << i & SINGLES and twin(1 << i) & taken else HIDDEN
                out[i] = min(cost, out.get(i, cost))
        pair = m & sight.floor              # laid upon one of its month and left there: the third of a ppuk lies between them
        if pair.bit_count() == 2 and (pair & state.floor).bit_count() == 1 and pair & state.unseen:
            for i in indices(m & open_cards):
                out[i] = min(HIDDEN, out.get(i, HIDDEN))
    return sorted(out.items(), key=lambda o: o[1])[:NEARBY]


def _given(state: State, sight: Sight, me: int, turn: Turn) -> tuple[tuple[int, ...], float]:
    """Junk that was handed over for the turn, and the cost of what stayed where it was (it may still be on its way: half of that)."""
    stolen, cost = [0] * state.n, 0.0
    for p, due in enumerate(turn.stolen):
        moved = state.caps[p] & sight.caps[me] & state.house.giveable(state.caps[p], state.caps[p]) if due else 0
        while moved and overpaid(state.house, moved, due):
            moved &= ~(1 << moved.bit_length() - 1)
        stolen[p] = moved
        left = due.bit_count() - moved.bit_count()
        hidden = (due & ~sight.all).bit_count()
        if left > 0 and hidden:                     # it lies in a pile with its new owner
            extra = due & ~sight.all & ~moved
            stolen[p], left = moved | extra, left - extra.bit_count()
            cost += GLIMPSED * extra.bit_count()
        cost += NOT_GIVEN / 2 * max(0, left)
    return tuple(stolen), cost


def _astray(state: State, sight: Sight, me: int, turn: Turn) -> float:
    """Cost of what the turn gathers and is seen elsewhere."""
    cost = ELSEWHERE * (turn.gained & sight.floor).bit_count()
    for p, held in enumerate(sight.caps):
        if p != me:
            away = turn.gained & held
            cost += ELSEWHERE * (away & ~SINGLES).bit_count() + GLIMPSED * (away & SINGLES).bit_count()
    return cost
