"""Decks and card names. A card is its name (a plain string); which physical copy it is, is a track's business.

| deck | names |
|---|---|
| hwatu | ``MM-bright``, ``MM-animal``, ``MM-ribbon``, ``MM-junk`` (or ``-a -b -c``), ``MM-junk-double``, ``joker-N``, ``joker``, ``back`` |
| french | rank ``2``-``9 T J Q K A`` + suit ``c d h s``; ``joker-red``, ``joker-black``, ``joker``, ``back`` |
| numbers | ``n1`` … ``n100``, ``back`` |

Months are Korean: 11 paulownia, 12 rain. A Japanese deck has them the other way round; that swap lives here only
(`korean_months`). Bonus cards have names of the user's own, given with their junk worth by the deck file.
"""
from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

from .errors import InputError, did_you_mean

KINDS = ("hwatu", "french", "numbers")
MONTHS = range(1, 13)
HWATU_KINDS = ("bright", "animal", "ribbon", "junk", "junk-double")
RANKS = "23456789TJQKA"
SUITS = "cdhs"
BACK = "back"
MAX_BONUS = 5


def _hwatu() -> tuple[str, ...]:
    extra = {1: ("bright", "ribbon"), 3: ("bright", "ribbon"), 8: ("bright", "animal"), 11: ("bright", "junk-double"),
             12: ("bright", "animal", "ribbon", "junk-double")}
    cards: list[str] = []
    for month in MONTHS:
        cards += [f"{month:02d}-{kind}" for kind in extra.get(month, ("animal", "ribbon"))]
        cards += [f"{month:02d}-junk-{letter}" for letter in ("ab" if month != 12 else "")]
    return tuple(cards)


HWATU = _hwatu()                                                     # the 48 cards, by month, brights first
FRENCH = tuple(rank + suit for suit in SUITS for rank in RANKS)      # the 52 cards, by suit, low to high
NUMBERS = tuple(f"n{n}" for n in range(1, 101))                      # the 100 faces of The Game
JOKERS = {"hwatu": ("joker-2", "joker-3"), "french": ("joker-red", "joker-black"), "numbers": ()}

_HWATU_NAME = re.compile(r"(\d\d)-(bright|animal|ribbon|junk-double|junk)(?:-([abc]))?")
_JOKER = re.compile(r"joker(?:-(\d))?")
_BONUS_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class CardInfo:
    """A card name taken apart. What does not apply is None (0 for `worth`)."""

    name: str
    deck: str                       # hwatu, french, numbers; "any" for back and the plain joker
    month: int | None = None        # hwatu, 1..12, Korean
    kind: str | None = None         # hwatu: bright animal ribbon junk junk-double joker; others: plain, joker; back
    letter: str | None = None       # a, b or c of a plain junk card told apart
    rank: str | None = None         # french
    suit: str | None = None         # french
    number: int | None = None       # numbers
    worth: int = 0                  # hwatu: how many junk it counts as


@lru_cache(maxsize=4096)
def info(name: str) -> CardInfo:
    """Take a card name of any deck apart. Raises InputError `unknown-card` (a bonus card is known only to its Deck)."""
    if not isinstance(name, str):
        raise InputError("unknown-card", f"a card must be a name, not {name!r}")
    if name == BACK:
        return CardInfo(name, "any", kind="back")
    if m := _HWATU_NAME.fullmatch(name):
        month, kind, letter = int(m[1]), m[2], m[3]
        if month in MONTHS and (letter is None or kind == "junk"):
            return CardInfo(name, "hwatu", month=month, kind=kind, letter=letter,
                            worth={"junk": 1, "junk-double": 2}.get(kind, 0))
    if m := _JOKER.fullmatch(name):
        return CardInfo(name, "hwatu" if m[1] else "any", kind="joker", worth=int(m[1]) if m[1] else 1)
    if name in JOKERS["french"]:
        return CardInfo(name, "french", kind="joker")
    if len(name) == 2 and name[0] in RANKS and name[1] in SUITS:
        return CardInfo(name, "french", kind="plain", rank=name[0], suit=name[1])
    if re.fullmatch(r"n[1-9]\d{0,2}", name) and int(name[1:]) <= 100:
        return CardInfo(name, "numbers", kind="plain", number=int(name[1:]))
    raise InputError("unknown-card", f"there is no card {name!r}",
                     mend=did_you_mean(name, chain(HWATU, FRENCH, NUMBERS, *JOKERS.values(), ("joker", BACK))))


def is_card(name: Any) -> bool:
    """True where `name` is a card of one of the three decks (bonus cards of a deck file excepted)."""
    try:
        info(name)
    except (InputError, TypeError):
        return False
    return True


def month(name: str) -> int | None:
    """Korean month 1..12 of a hwatu card; None for jokers, bonus cards and the other decks."""
    head = name[:3]
    return int(head[:2]) if len(head) == 3 and head[2] == "-" and head[:2].isdigit() and 1 <= int(head[:2]) <= 12 else None


def kind(name: str) -> str | None:
    """bright, animal, ribbon, junk, junk-double, joker, back or plain; None for a name known only to a deck file."""
    return info(name).kind if is_card(name) else None


def junk_worth(name: str, worth: Mapping[str, int] | None = None, double: int = 2) -> int:
    """Junk that a card counts as: plain 1, doubles `double`, ``joker-N`` N, bonus cards by `worth`; 0 for what is no junk."""
    if worth and name in worth:
        return worth[name]
    if not is_card(name):
        return 0
    card = info(name)
    return double if card.kind == "junk-double" else card.worth


def merged(name: str) -> str:
    """The name with plain junk cards not told apart: ``03-junk-a`` → ``03-junk``."""
    return name[:-2] if len(name) == 9 and name[2:8] == "-junk-" else name


def same(a: str, b: str) -> bool:
    """True where the two names may be the same print: equal, or one of them a junk card that was not told apart."""
    return a == b or (merged(a) == merged(b) and merged(a) in (a, b))


def korean_months(name: str) -> str:
    """A name by Japanese month order in Korean order: 11 and 12 exchanged (the function is its own inverse)."""
    swap = {"11-": "12-", "12-": "11-"}
    return swap[name[:3]] + name[3:] if name[:3] in swap else name


def sort_key(name: str) -> tuple[int, int, int, str]:
    """Order within a deck: hwatu by month and kind, french by suit and rank, numbers by number; jokers, bonus and back last."""
    if not is_card(name):
        return (8, 0, 0, name)
    card = info(name)
    if card.kind == "back":
        return (9, 0, 0, name)
    if card.kind == "joker":
        return (7, card.worth, 0, name)
    if card.month is not None:
        return (0, card.month, HWATU_KINDS.index(card.kind or "junk"), name)
    if card.rank is not None:
        return (1, SUITS.index(card.suit or "c"), RANKS.index(card.rank), name)
    return (2, card.number or 0, 0, name)


def sorted_cards(names: Iterable[str]) -> tuple[str, ...]:
    """The names in the order of `sort_key`."""
    return tuple(sorted(names, key=sort_key))


def parse(text: str, deck: str | None = None, months: str = "korean") -> str:
    """The card that a person wrote: case and spaces forgiven, ``10h`` → ``Th``, ``1-bright`` → ``01-bright``, ``47`` → ``n47``.

    `deck` narrows the meaning where given; `months` "japanese" reads 11 and 12 the other way round.
    Raises InputError `unknown-card`.
    """
    s = re.sub(r"[\s_]+", "-", str(text).strip())
    low = s.lower()
    if m := re.fullmatch(r"(\d{1,2})-(.+)", low):
        low = f"{int(m[1]):02d}-{m[2]}"
    candidates = [low]
    if m := re.fullmatch(r"(10|[2-9tjqka])-?([cdhs♣♦♥♠])", low):
        suit = dict(zip("♣♦♥♠", SUITS, strict=True)).get(m[2], m[2])
        candidates.insert(0, ("T" if m[1] == "10" else m[1].upper()) + suit)
    if re.fullmatch(r"\d{1,3}", low) and deck in (None, "numbers"):
        candidates.insert(0, f"n{int(low)}")
    for name in candidates:
        if is_card(name) and (deck is None or info(name).deck in (deck, "any")):
            return korean_months(name) if months == "japanese" else name
    all_names = {"hwatu": HWATU, "french": FRENCH, "numbers": NUMBERS}.get(deck or "", HWATU + FRENCH + NUMBERS)
    raise InputError("unknown-card", f"there is no card {text!r}" + (f" in a {deck} deck" if deck else ""),
                     mend=did_you_mean(low, all_names))


@dataclass(frozen=True, slots=True)
class Deck:
    """A physical deck: a multiset of cards and how they are printed.

    kind      hwatu, french or numbers
    size_mm   width, height of a card in millimetres
    copies    (card, how many exist), in deck order; the sum is the deck's size
    worth     (bonus card, junk that it counts as), at most five
    flipped   cards printed the other way up
    twins     groups of cards whose prints cannot be told apart
    """

    kind: str
    size_mm: tuple[float, float]
    copies: tuple[tuple[str, int], ...]
    worth: tuple[tuple[str, int], ...] = ()
    flipped: tuple[str, ...] = ()
    twins: tuple[tuple[str, ...], ...] = ()
    name: str = ""

    @property
    def total(self) -> int:
        """Number of cards in the deck."""
        return sum(n for _, n in self.copies)

    @property
    def names(self) -> tuple[str, ...]:
        """The distinct cards."""
        return tuple(card for card, _ in self.copies)

    def counter(self) -> Counter[str]:
        """The multiset as a Counter (a fresh one)."""
        return Counter(dict(self.copies))

    def merged_counter(self) -> Counter[str]:
        """The multiset with plain junk cards of a month not told apart."""
        out: Counter[str] = Counter()
        for card, n in self.copies:
            out[merged(card)] += n
        return out

    def worths(self) -> dict[str, int]:
        """Bonus cards by name with their junk worth (a fresh dict)."""
        return dict(self.worth)


_SIZES = {"hwatu": (35.0, 53.0), "french": (63.0, 88.0), "numbers": (60.0, 92.0)}


def standard_deck(kind: str, jokers: int | Mapping[str, int] = 0, copies: int = 1) -> Deck:
    """The usual deck of a kind: 48 hwatu, 52 french, or The Game's 98 numbers and two each of n1 and n100.

    `jokers` adds that many of the usual jokers (hwatu: joker-2, joker-3), or the named bonus cards with their worth.
    Raises InputError `unknown-deck`, `too-many-jokers`.
    """
    if kind not in KINDS:
        raise InputError("unknown-deck", f"there is no deck kind {kind!r}", mend=did_you_mean(kind, KINDS))
    base = {"hwatu": HWATU, "french": FRENCH, "numbers": NUMBERS}[kind]
    counts = [(c, copies * (2 if c in ("n1", "n100") else 1)) for c in base]
    worth: tuple[tuple[str, int], ...] = ()
    if isinstance(jokers, int):
        usual = JOKERS[kind]
        if not 0 <= jokers <= len(usual):
            raise InputError("too-many-jokers", f"{jokers} jokers asked for, a {kind} deck has at most {len(usual)}",
                             mend="name further bonus cards with their worth")
        counts += [(c, 1) for c in usual[:jokers]]
        if kind == "hwatu":
            worth = tuple((c, info(c).worth) for c in usual[:jokers])
    else:
        if len(jokers) > MAX_BONUS:
            raise InputError("too-many-jokers", f"{len(jokers)} bonus cards named", mend=f"name at most {MAX_BONUS}")
        worth = tuple((c, int(w)) for c, w in jokers.items())
        counts += [(c, 1) for c in jokers]
    return Deck(kind, _SIZES[kind], tuple(counts), worth)


_DECK_KEYS = ("kind", "size_mm", "copies", "worth", "flipped", "twins", "name")


def load_deck(path: str | Path) -> Deck:
    """Read a ``deck.toml`` (or the folder that holds one).

    Keys: `kind`, `size_mm` [w, h], `copies` {card: n} (absent: the usual deck of the kind), `worth` {bonus card: junk},
    `flipped` [card], `twins` [[card, card]], `name`. Raises InputError naming file and key.
    """
    file = Path(path)
    if file.is_dir():
        file = file / "deck.toml"
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("no-such-file", "there is no such deck file", str(file), "give a deck folder or its deck.toml") from None
    except (OSError, UnicodeDecodeError) as e:
        raise InputError("unreadable-file", f"cannot be read ({e.__class__.__name__})", str(file),
                         "check the file's permissions and encoding") from None
    except tomllib.TOMLDecodeError as e:
        raise InputError("bad-toml", f"is no TOML: {e}", str(file), "mend that line") from None
    return deck_from(data, str(file))


def deck_from(data: Mapping[str, object], where: str = "deck") -> Deck:
    """A Deck from the parsed content of a ``deck.toml``. Raises InputError naming `where` and the key."""
    def bad(key: str, what: str, mend: str) -> InputError:
        return InputError("bad-deck", f"key {key!r} {what}", where, mend)

    for key in data:
        if key not in _DECK_KEYS:
            raise InputError("unknown-key", f"unknown key {key!r}", where, did_you_mean(key, _DECK_KEYS))
    deck_kind = data.get("kind")
    if deck_kind not in KINDS:
        raise bad("kind", f"is {deck_kind!r}", "use hwatu, french or numbers")
    size = data.get("size_mm", list(_SIZES[str(deck_kind)]))
    if not (isinstance(size, list | tuple) and len(size) == 2 and
            all(isinstance(v, int | float) and not isinstance(v, bool) and 5 <= v <= 500 for v in size)):
        raise bad("size_mm", f"is {size!r}", "give [width, height] in millimetres")
    worth = data.get("worth", {})
    if not isinstance(worth, dict) or any(not isinstance(n, int) or isinstance(n, bool) or not 0 <= n <= 9 for n in worth.values()):
        raise bad("worth", f"is {worth!r}", "give {card = junk worth 0 to 9}")
    bonus = [c for c in worth if not is_card(c) or kind(c) == "joker"]
    if len(bonus) > MAX_BONUS:
        raise bad("worth", f"names {len(bonus)} bonus cards", f"name at most {MAX_BONUS}")
    for c in worth:
        if not is_card(c) and not _BONUS_NAME.fullmatch(c):
            raise bad("worth", f"has the card name {c!r}", "use small letters, digits and hyphens")

    def known(card: object, key: str) -> str:
        if isinstance(card, str) and (card in worth or (is_card(card) and info(card).deck in (deck_kind, "any"))):
            return card
        raise bad(key, f"has the unknown card {card!r}", did_you_mean(str(card), chain(standard_deck(str(deck_kind)).names, worth)))

    copies = data.get("copies")
    if copies is None:
        counts = list(standard_deck(str(deck_kind)).copies) + [(c, 1) for c in bonus]
    elif isinstance(copies, dict) and copies:
        counts = []
        for c, n in copies.items():
            if not isinstance(n, int) or isinstance(n, bool) or not 0 <= n <= 16:
                raise bad("copies", f"gives {n!r} copies of {c!r}", "give a whole number from 0 to 16")
            if known(c, "copies") != BACK and n:
                counts.append((c, n))
        counts += [(c, 1) for c in bonus if c not in copies]
    else:
        raise bad("copies", f"is {copies!r}", "give {card = how many}")
    flipped, twins = data.get("flipped", []), data.get("twins", [])
    if not isinstance(flipped, list):
        raise bad("flipped", f"is {flipped!r}", "give a list of cards")
    if not isinstance(twins, list) or any(not isinstance(group, list) for group in twins):
        raise bad("twins", f"is {twins!r}", "give a list of lists of cards")
    return Deck(kind=str(deck_kind), size_mm=(float(size[0]), float(size[1])), copies=tuple(counts), worth=tuple(worth.items()),
                flipped=tuple(known(c, "flipped") for c in flipped),
                twins=tuple(tuple(known(c, "twins") for c in group) for group in twins), name=str(data.get("name", "")))
