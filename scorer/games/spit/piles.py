"""Which card goes on which: the rule of the spit piles, shared by Spit and Speed.

Ranks run A 2 3 … Q K and turn the corner: on an ace go a two and a king. Suits count for nothing but in the variation
in which colours must alternate.

>>> fits("A", "K"), fits("K", "2"), fits("7h", "8d"), fits("7h", "8d", PileRules(alternate_colours=True))
(True, False, True, False)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...cards import SUITS
from ...errors import InputError

RANKS = "A23456789TJQK"
RED = "dh"
PLACE = {rank: n for n, rank in enumerate(RANKS)}


@dataclass(frozen=True, slots=True)
class PileRules:
    """What may go on a spit pile."""

    alternate_colours: bool = False
    """A variation of the sheet: red on black and black on red only."""
    equal_ranks: bool = False
    """A house rule elsewhere: a card of the same rank may be played too."""


def rank_of(card: str) -> str:
    """The rank of `8`, `8d`, `10` or `10d` (`T`); InputError `unknown-card` for anything else."""
    name = "T" + card[2:] if card.startswith("10") else card
    if not name or name[0] not in PLACE or len(name) > 2 or (len(name) == 2 and name[1] not in SUITS):
        raise InputError("unknown-card", f"there is no card {card!r}", mend="write a rank A 2-9 T J Q K, with or without a suit, e.g. Td")
    return name[0]


def suit_of(card: str) -> str | None:
    """The suit of a card, None for a bare rank."""
    rank_of(card)
    return card[-1] if card[-1] in SUITS else None


def adjacent(a: str, b: str) -> bool:
    """Are the ranks of two cards next to each other, the corner turned?"""
    return (PLACE[rank_of(a)] - PLACE[rank_of(b)]) % len(RANKS) in (1, len(RANKS) - 1)


def fits(top: str, card: str, rules: PileRules | None = None) -> bool:
    """May `card` be played on `top`? A bare rank has no colour, so it cannot break the rule of colours."""
    rules = rules or PileRules()
    if not (adjacent(top, card) or (rules.equal_ranks and rank_of(top) == rank_of(card))):
        return False
    below, above = suit_of(top), suit_of(card)
    return not (rules.alternate_colours and below and above and (below in RED) == (above in RED))


def any_fits(tops: Iterable[str], cards: Iterable[str], rules: PileRules | None = None) -> bool:
    """Can any of `cards` go on any of `tops`?"""
    cards = tuple(cards)
    return any(fits(top, card, rules) for top in tops for card in cards)
