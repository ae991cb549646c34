"""Ranking three-card hands (Brag order), as Stop the Bus uses it.

High to low: prial (three of a kind), running flush, run, flush, pair, high card. The ace is high: Q-K-A is the highest
run and 2-3-4 the lowest; A-2-3 is no run unless the ruleset says so. Suits never break a tie.

>>> from scorer.games.stopbus.hands import HandRules, classify, compare
>>> classify(("4s", "9s", "Ks"), HandRules())
'flush'
>>> compare(("2s", "3h", "4d"), ("As", "2d", "3c"), HandRules())
1
>>> compare(("2s", "3h", "4d"), ("As", "2d", "3c"), HandRules(ace_low_run="top"))
-1
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...cards import RANKS, SUITS, parse
from ...errors import InputError

CLASSES = ("high card", "pair", "flush", "run", "running flush", "prial")
"""Hand classes, lowest first; the index is the class's weight."""

VALUE = {rank: n for n, rank in enumerate(RANKS, start=2)}
ACE_TWO_THREE = (14, 3, 2)


@dataclass(frozen=True, slots=True)
class HandRules:
    """The readings in which sources differ (rule sheet, Wikipedia, classic Brag)."""

    ace_low_run: str = "none"
    """A-2-3: `none` (no run, the sheet), `lowest` (below 2-3-4) or `top` (above Q-K-A, classic Brag)."""
    threes_top: bool = False
    """3-3-3 is the highest prial (classic Brag)."""
    kickers: bool = True
    """Flushes and high cards are compared card by card; False: by the highest card alone (the sheet read literally)."""


def card_key(card: str) -> tuple[int, str]:
    """Value 2..14 and suit of a card name; `10h` is read as `Th`. Raises InputError `unknown-card` for what is no card."""
    if len(card) != 2 or card[0] not in VALUE or card[1] not in SUITS:
        card = parse(card, "french")
        if len(card) != 2:
            raise InputError("unknown-card", f"{card!r} has no place in a hand", mend="play without jokers")
    return VALUE[card[0]], card[1]


def check_hand(hand: Sequence[str]) -> tuple[tuple[int, str], ...]:
    """The keys of exactly three different cards, else InputError `bad-hand`."""
    if isinstance(hand, str) or len(hand) != 3:
        raise InputError("bad-hand", f"a hand has three cards, not {hand!r}", mend="give a list of three card names")
    keys = tuple(card_key(str(card)) for card in hand)
    if len(set(keys)) != 3:
        raise InputError("bad-hand", f"the same card twice in one hand: {' '.join(map(str, hand))}", mend="name three different cards")
    return keys


def rank_hand(hand: Sequence[str], rules: HandRules) -> tuple[int, tuple[int, ...]]:
    """(class weight 0..5, tie-break values): the greater tuple is the better hand, equal tuples tie."""
    keys = check_hand(hand)
    values = tuple(sorted((value for value, _ in keys), reverse=True))
    high, middle, low = values
    suited = len({suit for _, suit in keys}) == 1
    if high == low:
        return 5, (15 if rules.threes_top and high == 3 else high,)
    run_top = 0
    if high - 1 == middle == low + 1:
        run_top = high
    elif values == ACE_TWO_THREE and rules.ace_low_run != "none":
        run_top = 15 if rules.ace_low_run == "top" else 3
    if run_top:
        return (4 if suited else 3), (run_top,)
    if suited:
        return 2, values if rules.kickers else values[:1]
    if high == middle or middle == low:
        return 1, (middle, low if high == middle else high)
    return 0, values if rules.kickers else values[:1]


def classify(hand: Sequence[str], rules: HandRules) -> str:
    """The name of a hand's class, one of `CLASSES`."""
    return CLASSES[rank_hand(hand, rules)[0]]


def compare(a: Sequence[str], b: Sequence[str], rules: HandRules) -> int:
    """1 if `a` is better, -1 if `b` is, 0 for a tie."""
    left, right = rank_hand(a, rules), rank_hand(b, rules)
    return (left > right) - (left < right)


def lowest(hands: Mapping[str, Sequence[str]], rules: HandRules) -> tuple[str, ...]:
    """Every player who holds (or ties for) the lowest hand, in the order of `hands`; they lose a token each."""
    ranks = {player: rank_hand(hand, rules) for player, hand in hands.items()}
    worst = min(ranks.values(), default=None)
    return tuple(player for player, rank in ranks.items() if rank == worst)


def first_dealer(draws: Mapping[str, str]) -> tuple[str, ...]:
    """Who drew the lowest card and so deals first; several names: those draw again (suits do not rank)."""
    values = {player: card_key(card)[0] for player, card in draws.items()}
    least = min(values.values(), default=None)
    return tuple(player for player, value in values.items() if value == least)
