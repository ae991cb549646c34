"""Points of captured cards, every point a Term with its cards; and captures that are only partly known."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...frozen import FrozenDict
from ...game import Term
from .house import House
from .pack import BONUS, BRIDGE, BRIGHTS, CHEONGDAN, CUP, DOUBLES, GODORI, HONGDAN, RIBBONS, SINGLES, indices

LINES = ("bright", "animal", "godori", "ribbon", "hongdan", "cheongdan", "chodan", "junk")


@dataclass(frozen=True, slots=True)
class Tally:
    """What a set of captured cards is worth under one use of its flexible cards (sake cup, May bridge).

    terms       lines that score, in the order of LINES; their amounts add up to `total`
    junk_count  junk worth: doubles, bonus cards and a cup used as junk counted
    as_junk     the flexible cards used as junk (a set, see `pack`)
    """

    terms: tuple[Term, ...]
    total: int
    junk_count: int
    as_junk: int = 0

    @property
    def points(self) -> dict[str, int]:
        """Every line by name, zeros included, and "total"."""
        out = dict.fromkeys(LINES, 0)
        for term in self.terms:
            out[term.label] += term.amount
        return {**out, "total": self.total}


def junk_cards(mask: int, as_junk: int = 0) -> int:
    """The cards of a set that are junk."""
    return mask & (SINGLES | DOUBLES | BONUS | (as_junk & (CUP | BRIDGE)))


def tally(house: House, mask: int, as_junk: int | None = None, hidden: int = 0) -> Tally:
    """Count a set of captured cards. `as_junk` None: the use that scores most, animals where it makes no difference. `hidden`:
    junk cards beside it that were never seen, counted as one each."""
    if as_junk is None:
        as_junk = max(house.uses(mask), key=lambda use: (house.points(mask, use, hidden), -use))
    as_junk &= mask
    animals = house.animal_cards(mask, as_junk)
    ribbons = mask & RIBBONS
    chodan = house.chodan_held(mask)
    junk = house.junk_count(mask, as_junk, hidden)
    n_bright, n_animal, n_ribbon = (mask & BRIGHTS).bit_count(), animals.bit_count(), ribbons.bit_count()
    lines: tuple[tuple[str, int, int, dict[str, int]], ...] = (
        ("bright", house.bright_points(mask), mask & BRIGHTS, {"n": n_bright}),
        ("animal", house._animals[n_animal], animals, {"n": n_animal}),
        ("godori", house.godori if mask & GODORI == GODORI else 0, GODORI, {}),
        ("ribbon", house._ribbons[n_ribbon], ribbons, {"n": n_ribbon}),
        ("hongdan", house.hongdan if mask & HONGDAN == HONGDAN else 0, HONGDAN, {}),
        ("cheongdan", house.cheongdan if mask & CHEONGDAN == CHEONGDAN else 0, CHEONGDAN, {}),
        ("chodan", house.chodan if chodan else 0, chodan, {}),
        ("junk", house._junk[junk], junk_cards(mask, as_junk), {"n": junk}),
    )
    terms = tuple(Term(label, amount, house.pack.cards(cards), FrozenDict(args)) for label, amount, cards, args in lines if amount)
    return Tally(terms, sum(t.amount for t in terms), junk, as_junk)


@dataclass(frozen=True, slots=True)
class Partly:
    """Captures of which `low` to `high` further cards lie unseen in a pile that was never spread (junk, as far as is known)."""

    mask: int
    low: int = 0
    high: int = 0

    @property
    def known(self) -> bool:
        """True where nothing is hidden."""
        return not self.high


def junk_range(house: House, held: Partly, unseen: int, as_junk: int = 0) -> tuple[int, int]:
    """Least and greatest junk worth; `unseen`: the cards that nobody sees, of which the hidden ones must be some."""
    base = house.junk_count(held.mask, as_junk)
    if held.known:
        return base, base
    worths = sorted(house.worth(1 << i) for i in indices(junk_cards(unseen & ~held.mask)))
    return base + sum(worths[:held.low]), base + sum(worths[::-1][:held.high])


def total_range(house: House, held: Partly, unseen: int) -> tuple[int, int]:
    """Least and greatest total of captures that are only partly known."""
    if held.known:
        best = house.best(held.mask)
        return best, best
    low = high = 0
    for use in house.uses(held.mask):
        least, most = junk_range(house, held, unseen, use)
        rest = house.points(held.mask, use) - house._junk[house.junk_count(held.mask, use)]
        low, high = max(low, rest + house._junk[least]), max(high, rest + house._junk[most])
    return low, high


def add_up(house: House, table: Sequence[int]) -> tuple[int, ...]:
    """Totals of every player of a table, each at its best: the fast path behind live scores and play-outs."""
    return tuple(house.best(mask) for mask in table)
