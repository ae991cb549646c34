"""Photo finish: who touched first, and what that decides (races onto a pile, slaps of the spit piles).

Times are milliseconds on the source's clock. Two touches whose gap lies within the measuring error are never put in
order by guessing: `too-close`, ask the players. Where the standard deviation of a touch is known, the gap must reach
twice the deviation of the difference; else it must exceed the flat error of one frame at 30 a second (33 ms).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, permutations

from .piles import PileRules, fits

MAX_TOUCHES = 7
"""More touches than this in one race are ordered by time alone (7! orders are checked at most)."""


@dataclass(frozen=True, slots=True)
class TouchRules:
    """How exact a touch is known."""

    measuring_error_ms: float = 33.0
    """Gaps up to this are undecided where no standard deviation is known."""
    sigmas: float = 2.0
    """Gaps below so many standard deviations are undecided."""


@dataclass(frozen=True, slots=True)
class Touch:
    """A hand (or the card in it) that came down on a pile."""

    player: str
    t_ms: float
    card: str = ""
    pile: str = ""
    sigma_ms: float | None = None
    """Standard deviation of t_ms, None where it is not known."""


def gap_sigma(a: Touch, b: Touch) -> float | None:
    """Standard deviation of the gap between two touches, None unless both are known."""
    if a.sigma_ms is None or b.sigma_ms is None:
        return None
    return math.hypot(a.sigma_ms, b.sigma_ms)


def in_order(a: Touch, b: Touch, rules: TouchRules, sigma_ms: float | None = None) -> bool | None:
    """True: `a` was first for certain; False: `b`; None: too close. `sigma_ms`: the deviation of the gap, where it is given."""
    gap = b.t_ms - a.t_ms
    sigma = gap_sigma(a, b) if sigma_ms is None else sigma_ms
    close = abs(gap) <= rules.measuring_error_ms if sigma is None else abs(gap) < rules.sigmas * sigma or gap == 0
    return None if close else gap > 0


@dataclass(frozen=True, slots=True)
class Race:
    """What a burst of touches on one pile comes to; all empty but `verdict` where it is too close."""

    verdict: str
    """`decided` or `too-close`."""
    accepted: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    top: str | None = None
    """The pile's top afterwards, None where undecided."""
    played: tuple[Touch, ...] = ()
    """The accepted touches in order."""
    order: tuple[str, ...] = ()
    """Players by time of touch."""
    gap_ms: float = 0.0
    """Gap of the two touches that the ruling hangs on: the closest two of different players (0 for a single touch)."""
    sigma_ms: float | None = None


def _closest(touches: Sequence[Touch]) -> tuple[Touch, Touch] | None:
    pairs = list(pairwise(touches))
    rivals = [pair for pair in pairs if pair[0].player != pair[1].player]
    return min(rivals or pairs, key=lambda pair: pair[1].t_ms - pair[0].t_ms, default=None)


def race(
    top: str, touches: Sequence[Touch], rules: TouchRules | None = None, piles: PileRules | None = None, sigma_ms: float | None = None
) -> Race:
    """Rule on cards that reach one pile at about the same time.

    Each card is judged against the pile's top at its own moment, so the first touch counts and the next one must fit
    the new top. Every order that the measuring error leaves open is tried; unless all come to the same, it is too close.
    """
    rules = rules or TouchRules()
    ordered = sorted(touches, key=lambda t: t.t_ms)
    outcomes: dict[tuple[tuple[int, ...], str], tuple[Touch, ...]] = {}
    indexes = range(len(ordered))
    orders = permutations(indexes) if len(ordered) <= MAX_TOUCHES else iter((tuple(indexes),))
    first: list[int] = []
    for order in orders:
        if any(in_order(ordered[late], ordered[early], rules, sigma_ms) for n, early in enumerate(order) for late in order[n + 1 :]):
            continue
        now, accepted = top, []
        for index in order:
            if fits(now, ordered[index].card, piles):
                now = ordered[index].card
                accepted.append(index)
        if not outcomes:
            first = accepted
        outcomes.setdefault((tuple(sorted(accepted)), now), tuple(ordered[i] for i in accepted))
    pair = _closest(ordered)
    gap = pair[1].t_ms - pair[0].t_ms if pair else 0.0
    deviation = sigma_ms if sigma_ms is not None else gap_sigma(*pair) if pair else None
    players = tuple(t.player for t in ordered)
    if len(outcomes) != 1:
        return Race("too-close", order=players, gap_ms=gap, sigma_ms=deviation)
    (_, after), played = next(iter(outcomes.items()))[0], next(iter(outcomes.values()))
    refused = tuple(t.player for n, t in enumerate(ordered) if n not in first)
    return Race("decided", tuple(t.player for t in played), refused, after, played, players, gap, deviation)


@dataclass(frozen=True, slots=True)
class SlapRules:
    """How the spit piles are shared out at the end of a layout."""

    winner_chooses: bool = False
    """A variation of the sheet: who emptied the layout chooses a pile, nobody slaps."""
    touch: TouchRules = field(default_factory=TouchRules)


@dataclass(frozen=True, slots=True)
class Slap:
    """Who takes which pile."""

    verdict: str
    """`decided`, `too-close` (ask), `waiting` (nobody has slapped or chosen yet) or `void` (the layout was not over)."""
    gets: Mapping[str, str] = field(default_factory=dict)
    """{player: pile}; a player who takes nothing is not in it."""
    order: tuple[str, ...] = ()
    gap_ms: float = 0.0
    sigma_ms: float | None = None
    by: str = ""
    """What decided: `one-pile`, `chosen`, `own-pile`, `other-pile`, `under-hand`, `first-touch`."""


def smaller_pile(piles: Mapping[str, int]) -> str | None:
    """The pile with fewer cards, None where they are equal or there are not two."""
    sizes = sorted(piles.items(), key=lambda item: item[1])
    return sizes[0][0] if len(sizes) == 2 and sizes[0][1] < sizes[1][1] else None


def _other(names: Sequence[str], taken: str) -> str | None:
    return next((name for name in names if name != taken), None)


def _share(players: Sequence[str], names: Sequence[str], player: str, pile: str) -> dict[str, str]:
    """`player` takes `pile`, the other player the other pile."""
    rival, rest = _other(players, player), _other(names, pile)
    return {player: pile, **({rival: rest} if rival is not None and rest is not None else {})}


def slap(
    piles: Mapping[str, int],
    hands: Sequence[Touch],
    rules: SlapRules | None = None,
    *,
    players: Sequence[str] = ("A", "B"),
    under: str | None = None,
    emptied_by: str | None = None,
    choice: str | None = None,
    early: bool = False,
    sigma_ms: float | None = None,
) -> Slap:
    """Share out the spit piles.

    Different piles: each takes the slapped one, even the bigger by mistake. The same pile: the hand that lies underneath
    takes it and the other player the other pile; where it cannot be seen which hand is beneath, the earlier touch is,
    if the gap is clear. One hand only: the other player takes the rest. One pile only: nobody slaps, who emptied the
    layout takes nothing. `choice` and the smaller pile are for the variation in which the emptier chooses.
    """
    rules = rules or SlapRules()
    names = tuple(piles)
    hands = sorted((h for h in hands if h.pile in piles), key=lambda h: h.t_ms)
    firsts = [next(h for h in hands if h.player == p) for p in dict.fromkeys(h.player for h in hands)]  # a hand's first touch counts
    order = tuple(h.player for h in firsts)
    gap = firsts[1].t_ms - firsts[0].t_ms if len(firsts) > 1 else 0.0
    deviation = sigma_ms if sigma_ms is not None else gap_sigma(firsts[0], firsts[1]) if len(firsts) > 1 else None
    if early:
        return Slap("void", {}, order, gap, deviation)
    if len(names) < 2:
        taker = _other(players, emptied_by) if emptied_by is not None else None
        if taker is None or not names:
            return Slap("waiting", {}, order, gap, deviation)
        return Slap("decided", {taker: names[0]}, order, gap, deviation, "one-pile")
    if rules.winner_chooses and emptied_by is not None:
        chosen = choice or next((h.pile for h in firsts if h.player == emptied_by), None) or smaller_pile(piles)
        if chosen is None or chosen not in piles:
            return Slap("waiting", {}, order, gap, deviation)
        return Slap("decided", _share(players, names, emptied_by, chosen), order, gap, deviation, "chosen")
    if not firsts:
        return Slap("waiting", {}, order, gap, deviation)
    if len(firsts) == 1:
        return Slap("decided", _share(players, names, firsts[0].player, firsts[0].pile), order, gap, deviation, "other-pile")
    a, b = firsts[:2]
    if a.pile != b.pile:
        return Slap("decided", {a.player: a.pile, b.player: b.pile}, order, gap, deviation, "own-pile")
    if under in (a.player, b.player):
        return Slap("decided", _share(players, names, str(under), a.pile), order, gap, deviation, "under-hand")
    if in_order(a, b, rules.touch, sigma_ms) is None:
        return Slap("too-close", {}, order, gap, deviation)
    return Slap("decided", _share(players, names, a.player, a.pile), order, gap, deviation, "first-touch")
