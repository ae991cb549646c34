"""The hwatu pack as bits: a set of cards is one plain int, so that millions of turns can be played out.

Card i is bit i. The 48 cards come by month, four to a month (`scorer.cards.HWATU`), so a card's month is ``i >> 2``
(0 is January); bonus cards follow from bit 48 on.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ...cards import HWATU, JOKERS, MAX_BONUS, info, merged, sort_key
from ...errors import InputError

N_MONTH_CARDS = len(HWATU)
MONTHS = N_MONTH_CARDS // 4


def _mask(*kinds: str) -> int:
    return sum(1 << i for i, name in enumerate(HWATU) if info(name).kind in kinds)


def bit(name: str) -> int:
    """The bit of one of the 48 cards."""
    return 1 << HWATU.index(name)


def mask_of(*names: str) -> int:
    """The set of some of the 48 cards."""
    return sum(bit(n) for n in names)


ALL = (1 << N_MONTH_CARDS) - 1
MONTH = tuple(0xF << (4 * m) for m in range(MONTHS))      # the four cards of each month
BRIGHTS, ANIMALS, RIBBONS = _mask("bright"), _mask("animal"), _mask("ribbon")
SINGLES, DOUBLES = _mask("junk"), _mask("junk-double")
RAIN_BRIGHT, RAIN_RIBBON = bit("12-bright"), bit("12-ribbon")
GODORI = mask_of("02-animal", "04-animal", "08-animal")
HONGDAN = mask_of("01-ribbon", "02-ribbon", "03-ribbon")
CHEONGDAN = mask_of("06-ribbon", "09-ribbon", "10-ribbon")
CHODAN = mask_of("04-ribbon", "05-ribbon", "07-ribbon")
CUP, BRIDGE = bit("09-animal"), bit("05-animal")
BONUS = ((1 << MAX_BONUS) - 1) << N_MONTH_CARDS


def indices(mask: int) -> Iterator[int]:
    """Card numbers of a set, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@dataclass(frozen=True, slots=True)
class Pack:
    """The cards in play: the 48 and up to five bonus cards, each with the junk that it is worth."""

    bonus: tuple[tuple[str, int], ...] = ()
    names: tuple[str, ...] = field(init=False)
    worth: tuple[int, ...] = field(init=False)              # junk worth of bonus card 48 + i
    bonus_worth: tuple[int, ...] = field(init=False)        # junk worth of every subset of the bonus cards (mask >> 48)
    number: Mapping[str, int] = field(init=False, compare=False)
    alike: Mapping[str, tuple[int, ...]] = field(init=False, compare=False)    # cards that a name may mean: all of a month's plain junk

    def __post_init__(self) -> None:
        if len(self.bonus) > MAX_BONUS:
            raise InputError("too-many-jokers", f"{len(self.bonus)} bonus cards named", mend=f"name at most {MAX_BONUS}")
        worth = tuple(w for _, w in self.bonus)
        names = HWATU + tuple(n for n, _ in self.bonus)
        put = object.__setattr__
        put(self, "names", names)
        put(self, "worth", worth)
        put(self, "bonus_worth", tuple(sum(w for i, w in enumerate(worth) if s >> i & 1) for s in range(1 << len(worth))))
        put(self, "number", {n: i for i, n in reversed(list(enumerate(names)))})
        put(self, "alike", {name: tuple(i for i, n in enumerate(names) if name in (n, merged(n)))
                            for name in {*names, *map(merged, names)}})

    @property
    def all(self) -> int:
        """The set of every card in play."""
        return (1 << len(self.names)) - 1

    def cards(self, mask: int) -> tuple[str, ...]:
        """Names of a set, by month and kind."""
        return tuple(self.names[i] for i in indices(mask))

    def mask(self, cards: Iterable[str], taken: int = 0) -> int:
        """The set of these names, none of them in `taken`. A junk card that was not told apart (``03-junk``) is given
        the first free letter, a second copy of a bonus card its own bit. Raises InputError `unknown-card`, `card-twice`."""
        out, vague = 0, []
        for name in cards:
            i = self.number.get(name)
            if i is None:
                vague.append(name)
            elif (out | taken) >> i & 1:
                out |= self._another(name, out | taken)
            else:
                out |= 1 << i
        for name in vague:
            out |= self._another(name, out | taken)
        return out

    def _another(self, name: str, taken: int) -> int:
        same = self.alike.get(name)
        if not same:
            raise InputError("unknown-card", f"there is no card {name!r} in this pack", mend="use the card names of the documentation")
        free = [i for i in same if not taken >> i & 1]
        if not free:
            raise InputError("card-twice", f"{name!r} is in two places", mend="name each card once")
        return 1 << free[0]


def pack_for(cards: Iterable[str], bonus: Mapping[str, int] | None = None) -> Pack:
    """The pack that holds every one of `cards`: the 48 and the bonus cards named there (``joker-N`` is worth N), with
    those of `bonus` by their own worth."""
    named = dict(bonus or {})
    out: list[tuple[str, int]] = []
    for card in sorted((c for c in cards if c in named or merged(c) not in _PLAIN), key=sort_key):
        if card in named:
            out.append((card, named[card]))
        elif card.startswith("joker") and info(card).kind == "joker":
            out.append((card, info(card).worth))
    return Pack(tuple(out))


_PLAIN = frozenset(HWATU) | {merged(c) for c in HWATU}
USUAL_BONUS = tuple((name, info(name).worth) for name in JOKERS["hwatu"])
