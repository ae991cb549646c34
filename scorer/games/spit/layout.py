"""Spit's layouts: how many cards lie where, when a new layout is dealt, who has won.

>>> layout(26)
Layout(stock_piles=(1, 2, 3, 4, 5), spit_cards=11)
>>> layout(7)
Layout(stock_piles=(1, 2, 3, 1), spit_cards=0)
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from .piles import PileRules, any_fits

DECK = 52


@dataclass(frozen=True, slots=True)
class Layout:
    """What one player lays out: cards in each stock pile and spit cards kept face down."""

    stock_piles: tuple[int, ...]
    spit_cards: int

    @property
    def opens_spit_pile(self) -> bool:
        """Is there a card to spit? If not, the other player's is the only spit pile."""
        return self.spit_cards > 0


def full_layout(stock_piles: int = 5) -> int:
    """Cards of a complete layout: 15 with five stock piles, 10 with four."""
    return stock_piles * (stock_piles + 1) // 2


def layout(cards: int, stock_piles: int = 5) -> Layout:
    """Piles of 1, 2, 3, … as far as the cards reach; what is left over are the spit cards."""
    piles = []
    for size in range(1, stock_piles + 1):
        taken = min(size, cards)
        if taken <= 0:
            break
        piles.append(taken)
        cards -= taken
    return Layout(tuple(piles), max(0, cards))


def centre(cards: Mapping[str, int], stock_piles: int = 5) -> tuple[str, ...]:
    """The players who start a spit pile, in order: all who have a card left over to spit."""
    return tuple(player for player, n in cards.items() if layout(n, stock_piles).opens_spit_pile)


def deadlock(
    pile_tops: Sequence[str],
    stock_tops: Mapping[str, Sequence[str]],
    spit_cards: Mapping[str, int],
    face_down_tops: Collection[str] = (),
    useful_empty_space: Collection[str] = (),
    rules: PileRules | None = None,
) -> str:
    """What comes next: `continue`, `both-spit`, `one-spit` (the other has no spit cards) or `new-layout`.

    A face-down top that can be turned and a card that can be moved into a space so that another is uncovered come
    before anybody is stuck.
    """
    if any(not tops and player not in face_down_tops for player, tops in stock_tops.items()):
        return "new-layout"  # somebody's stock is gone: the layout is over whoever could still play or turn a card
    if face_down_tops or useful_empty_space:
        return "continue"
    if any(any_fits(pile_tops, tops, rules) for tops in stock_tops.values()):
        return "continue"
    spitters = sum(1 for n in spit_cards.values() if n > 0)
    return "new-layout" if not spitters else "both-spit" if spitters == len(spit_cards) else "one-spit"


def may_spit_on(choice: str, piles: Collection[str] = (), fixed_pile: str | None = None) -> bool:
    """May a lone spitter use pile `choice`? Any pile the first time, from then on only the same one."""
    return choice == fixed_pile if fixed_pile is not None else not piles or choice in piles


def new_layout_due(stock: Mapping[str, int], spit_cards: Mapping[str, int] | None = None, stuck: bool = False) -> bool:
    """A player is rid of all stock cards, or both are stuck without a spit card."""
    return any(n == 0 for n in stock.values()) or (stuck and not any((spit_cards or {}).values()))


def gather(pile_taken: Mapping[str, int], stock_left: Mapping[str, int], spit_left: Mapping[str, int]) -> dict[str, int]:
    """Each player's cards for the next layout: the pile won, unplayed stock cards and unused spit cards."""
    players = dict.fromkeys((*pile_taken, *stock_left, *spit_left))
    return {p: pile_taken.get(p, 0) + stock_left.get(p, 0) + spit_left.get(p, 0) for p in players}


def played_out(stock: Mapping[str, int], spit_cards: Mapping[str, int]) -> str | None:
    """The player who has played all stock and spit cards and so has won; None while nobody (or, unheard of, everybody) has."""
    done = [p for p in stock if stock[p] == 0 and spit_cards.get(p, 0) == 0]
    return done[0] if len(done) == 1 else None
