"""The Game: four piles, the numbers that may go on them and the result.

A pile at 1 goes up, a pile at 100 goes down; the backwards trick goes exactly ten the other way.

>>> fits("up", 16, 6), fits("up", 16, 7), fits("down", 87, 97)
(True, False, True)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...errors import InputError
from ...ruleset import Rules

LOWEST, HIGHEST = 2, 99
NUMBER_CARDS = HIGHEST - LOWEST + 1
FOUNDATIONS = (("up", 1), ("up", 1), ("down", 100), ("down", 100))


@dataclass(frozen=True, slots=True)
class Pile:
    """One of the four piles: direction `up` or `down`, the number on top, and the numbers played on it in order."""

    dir: str
    top: int
    cards: tuple[int, ...] = ()


Piles = tuple[Pile, ...]


def start_piles() -> Piles:
    """The four foundations, two 1s above two 100s."""
    return tuple(Pile(direction, top) for direction, top in FOUNDATIONS)


def fits(direction: str, top: int, card: int, trick: int = 10) -> bool:
    """May `card` go on a pile of that direction and top? Equal numbers never do."""
    if not LOWEST <= card <= HIGHEST:
        return False
    beyond = card > top if direction == "up" else card < top
    return beyond or is_trick(direction, top, card, trick)


def is_trick(direction: str, top: int, card: int, trick: int = 10) -> bool:
    """Is it the backwards trick, exactly `trick` the other way? A distance of 0 means that there is none."""
    return trick > 0 and card == (top - trick if direction == "up" else top + trick)


def play(piles: Piles, index: int, card: int) -> Piles:
    """The piles after `card` went on pile `index`; legality is `fits`'s business."""
    pile = piles[index]
    return (*piles[:index], Pile(pile.dir, card, (*pile.cards, card)), *piles[index + 1 :])


def needed(rules: Rules, hand: int, draw_pile: int, min_cards: int | None = None) -> int:
    """How many cards the player on turn must play: the ruleset's minimum, never more than are in hand."""
    base = rules.min_cards if min_cards is None else min_cards
    if draw_pile == 0:
        base = min(base, rules.min_cards_without_draw_pile)
    return min(base, hand)


def can_play(piles: Piles, hand: Sequence[int], count: int, trick: int = 10) -> bool:
    """Can `count` cards of `hand` be played one after the other? A first card may open the way for the second."""
    if count <= 0:
        return True
    for position, card in enumerate(hand):
        rest = [*hand[:position], *hand[position + 1 :]]
        for index, pile in enumerate(piles):
            if fits(pile.dir, pile.top, card, trick) and can_play(play(piles, index, card), rest, count - 1, trick):
                return True
    return False


def check_turn(
    piles: Piles, hand: Sequence[int], draw_pile: int, plays: Sequence[tuple[int, int]], rules: Rules, min_cards: int | None = None
) -> tuple[str | None, Piles]:
    """Resolve a whole turn of (card, pile index) plays.

    Returns (None, piles after) or a problem code (`illegal-play`, `too-few-cards`) with the piles as far as they were legal.
    """
    left = list(hand)
    now = piles
    for card, index in plays:
        if card not in left or not 0 <= index < len(now) or not fits(now[index].dir, now[index].top, card, rules.trick):
            return "illegal-play", now
        left.remove(card)
        now = play(now, index, card)
    if len(plays) < needed(rules, len(hand), draw_pile, min_cards):
        return "too-few-cards", now
    return None, now


def status(
    piles: Piles, hands: Mapping[str, Sequence[int]], draw_pile: int, turn: str, rules: Rules, min_cards: int | None = None
) -> str:
    """Where a game stands before `turn` plays.

    `won` (all cards played), `skip` (no hand and nothing to draw, others go on), `over`, `play-on`, or `not-won`
    (hands empty while cards lie in the draw pile).
    """
    if not any(hands.values()):
        return "won" if draw_pile == 0 else "not-won"
    hand = hands[turn]
    if not hand:
        return "skip" if draw_pile == 0 else "play-on"
    return "play-on" if can_play(piles, hand, needed(rules, len(hand), draw_pile, min_cards), rules.trick) else "over"


def cards_left(hands: Mapping[str, Sequence[int]], draw_pile: int, rules: Rules) -> int:
    """The result: cards in hands, and in the official rules those of the draw pile too."""
    return sum(len(hand) for hand in hands.values()) + (draw_pile if rules.count_draw_pile else 0)


def rating(left: int, rules: Rules) -> str:
    """`good` for a good result, else `none`."""
    return "good" if left <= rules.good_result else "none"


def deal_sizes(players: int, rules: Rules) -> tuple[int, int]:
    """(hand size, draw pile) for so many players; InputError `wrong-players` outside the ruleset's range."""
    if not 1 <= players <= len(rules.hand_size):
        raise InputError("wrong-players", f"The Game is for 1 to {len(rules.hand_size)} players, not {players}", mend="change the players")
    size = rules.hand_size[players - 1]
    return size, NUMBER_CARDS - players * size


def refill(hand: int, draw_pile: int, size: int) -> tuple[int, int]:
    """(hand, draw pile) after drawing back to `size` as far as the pile reaches."""
    drawn = max(0, min(size - hand, draw_pile))
    return hand + drawn, draw_pile - drawn
