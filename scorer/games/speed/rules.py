"""Speed's rules: the deal, drawing, when nobody can play, new side piles, points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..spit.piles import PileRules, any_fits

DECK = 52
MIDDLE = 2


def deal_sizes(side_pile: int, hand: int = 5) -> tuple[int, int, int]:
    """(cards of each player, hand, stock) with side piles of so many cards: 15 with ten, 20 with five."""
    each = (DECK - MIDDLE - 2 * side_pile) // 2
    return each, min(hand, each), max(0, each - hand)


def draw(hand: int, stock: int, size: int = 5) -> tuple[int, int] | None:
    """(hand, stock) after drawing up to `size`; None where the hand is full: a sixth card is refused."""
    if hand >= size:
        return None
    drawn = min(size - hand, stock)
    return hand + drawn, stock - drawn


def next_step(
    tops: Sequence[str],
    hands: Mapping[str, Sequence[str]],
    stock: Mapping[str, int],
    side_piles: Sequence[int],
    under: int | None = None,
    size: int = 5,
    rules: PileRules | None = None,
) -> str:
    """What comes next: `continue` (somebody can play), `draw-first` (a hand is short and can be filled), `flip-both`,
    `reshuffle` (no side card left; `under` cards lie below the tops, None: not told) or `stuck` (nothing lies there either)."""
    if any(any_fits(tops, hand, rules) for hand in hands.values()):
        return "continue"
    if any(len(hand) < size and stock.get(player, 0) > 0 for player, hand in hands.items()):
        return "draw-first"
    return flip_step(side_piles, under)


def flip_step(side_piles: Sequence[int], under: int | None = None) -> str:
    """`flip-both` while side cards are left, else `reshuffle` or `stuck`."""
    if any(side_piles):
        return "flip-both"
    return "stuck" if under == 0 else "reshuffle"


def flipped(side_piles: Sequence[int]) -> list[int]:
    """The side piles after a card of each went to its spit pile."""
    return [max(0, n - 1) for n in side_piles]


def new_side_piles(spit_piles: Sequence[int], together: bool = True) -> tuple[int, int]:
    """Sizes of the new side piles: all cards under the tops shuffled and split, or each pile's own cards beside it."""
    under = [max(0, n - 1) for n in spit_piles]
    if not together:
        return (under[0], under[1]) if len(under) > 1 else (under[0], 0)
    total = sum(under)
    return total - total // 2, total // 2


def winner(hand: Mapping[str, int], stock: Mapping[str, int]) -> str | None:
    """Who has no card in hand and none in stock."""
    done = [p for p in hand if hand[p] == 0 and stock.get(p, 0) == 0]
    return done[0] if len(done) == 1 else None


def fewer(stock: Mapping[str, int]) -> str | None:
    """By agreement, where nobody can go on: who has the smaller stock; None where they are equal."""
    ordered = sorted(stock.items(), key=lambda item: item[1])
    return ordered[0][0] if len(ordered) > 1 and ordered[0][1] < ordered[1][1] else None


def points(won: str, hand: Mapping[str, int], stock: Mapping[str, int], count_hand: bool = False) -> int:
    """The winner's points: a point for each card in the opponents' stock (and hand, in a variation)."""
    return sum(n + (hand.get(p, 0) if count_hand else 0) for p, n in stock.items() if p != won)


def add_points(totals: Mapping[str, int], round_points: Mapping[str, int], target: int | None) -> tuple[dict[str, int], str | None]:
    """(new totals, who has won the match): the highest total that reaches the target, nobody while there is a tie for it."""
    after = {p: totals.get(p, 0) + round_points.get(p, 0) for p in dict.fromkeys((*totals, *round_points))}
    best = max(after.values(), default=0)
    leaders = [p for p, n in after.items() if n == best]
    return after, leaders[0] if target and best >= target and len(leaders) == 1 else None
