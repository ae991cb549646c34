"""The rules of Go-Stop: every key (`SCHEMA`, rows H1 to H50 of the house-rule table, A-nn of its ambiguities), and the
rules in force compiled for play (`House`).

Factors are 1 where a rule is off; awards and steals are 0 where a rule is off.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...ruleset import Key, Rules
from .pack import (
    ANIMALS,
    BRIDGE,
    BRIGHTS,
    CHEONGDAN,
    CHODAN,
    CUP,
    DOUBLES,
    GODORI,
    HONGDAN,
    N_MONTH_CARDS,
    RAIN_BRIGHT,
    RAIN_RIBBON,
    RIBBONS,
    SINGLES,
    USUAL_BONUS,
    Pack,
)


def _i(name: str, default: int, low: int, high: int, h: str) -> Key:
    return Key(name, "int", default, low, high, h=h)


def _b(name: str, default: bool, h: str) -> Key:
    return Key(name, "bool", default, h=h)


def _c(name: str, choices: str, h: str) -> Key:
    """A choice; the first word is the default."""
    words = tuple(choices.split())
    return Key(name, "choice", words[0], choices=words, h=h)


# Defaults are those of `classic`, the customer's sheets.
SCHEMA: tuple[Key, ...] = (
    # players, deal
    _i("target", 0, 0, 99, "H1"),                       # 0: by the number of players, the next two
    _i("target_two", 7, 1, 99, "H1"),
    _i("target_three", 3, 1, 99, "H1"),
    _i("hand_two", 10, 1, 20, "H2"),
    _i("floor_two", 8, 1, 20, "H2"),
    _i("hand_three", 7, 1, 12, "H2"),
    _i("floor_three", 6, 1, 20, "H2"),
    _c("first_dealer", "lot month-draw night-day", "H3"),
    # go
    _i("go_add", 1, 0, 10, "H4"),
    _i("go_double_from", 4, 0, 20, "H5"),               # 0: never
    _b("progressive", False, "H5"),                     # doubles again with every further go
    _b("go_times", False, "H5"),                        # from go_double_from on × the number of goes instead
    _b("go_add_always", True, "H6"),                    # the addition goes on beside the doubling
    _c("order", "add-first multiply-first", "H7"),
    # penalties of a loser
    _i("pibak", 2, 1, 8, "H8"),
    _i("pibak_max", 5, 0, 30, "H8"),
    _b("zero_exempt", False, "H9"),
    _i("pibak_min", 10, 1, 30, "H10"),
    _i("gwangbak", 2, 1, 8, "H11"),
    _b("gwangbak_all", False, "A-17"),                  # only where no opponent holds a bright
    _b("gwangbak_rain", True, "H11"),                   # the rain bright protects its owner
    _i("meongtta", 2, 1, 8, "H12"),
    _i("meongtta_from", 7, 1, 9, "H12"),
    _b("meongtta_none", False, "H12"),                  # only against an opponent without an animal
    _i("ribbonbak", 1, 1, 8, "H13"),
    _i("redbak", 1, 1, 8, "H13"),
    _i("bluebak", 1, 1, 8, "H13"),
    _c("gobak", "off liability liability-double double", "H14"),
    _c("gobak_caller", "first last", "H14"),
    _i("gobak_two", 1, 1, 8, "H14"),                    # liability with two players: factor of the only loser
    _i("reverse_go", 1, 1, 8, "H15"),
    _b("nothing_exempt", False, "H50"),
    # cards
    _i("double_junk", 2, 1, 3, "H16"),
    _c("sake_cup", "animal best junk both", "H17"),
    _i("sake_cup_junk", 2, 1, 3, "H17"),
    _b("sake_cup_alone", False, "H17"),                 # stays an animal where its owner has no other junk
    _c("may_bridge", "animal best", "H17"),
    _b("loser_switch", True, "H18"),                    # a loser may use the cup as junk to escape pi-bak
    Key("bonus", "worths", dict(USUAL_BONUS), 0, 9, h="H19", most=5),
    _i("jokers", 2, 0, 5, "H19"),                       # how many of the bonus cards are in play, from the first
    _c("joker_from_hand", "substitute draw", "H20"),
    _i("joker_steal", 0, 0, 3, "H21"),
    _b("joker_buried", False, "H22"),
    # shaking, bombs
    _i("shake", 2, 1, 8, "H23"),
    _c("shake_when", "any-turn on-play", "H23"),
    _i("bomb", 1, 1, 8, "H24"),
    _i("bomb_steal", 0, 0, 3, "H25"),
    _c("small_bomb", "off plain double", "H26"),
    _i("bomb_skips", 2, 0, 2, "H27"),
    _b("bomb_shown", False, "A-11"),                    # a shown triple may still be bombed
    # ppuk awards
    _i("first_ppuk", 0, 0, 100, "H28"),
    _i("second_ppuk", 0, 0, 100, "H29"),
    _i("third_ppuk", 0, 0, 100, "H29"),
    _i("three_ppuk", 0, 0, 100, "H30"),
    _i("first_ttadak", 0, 0, 100, "H31"),
    _b("awards_carry", False, "H30"),                   # nagari carry doubles the fixed awards that end a deal too
    # junk taken
    _i("jjok_steal", 1, 0, 3, "H32"),
    _i("ttadak_steal", 1, 0, 3, "H32"),
    _i("stack_steal", 1, 0, 3, "H32"),
    _i("deal_stack_steal", 1, 0, 3, "H32"),
    _i("jappuk_steal", 2, 0, 4, "H33"),
    _b("jappuk_by_worth", False, "H33"),                # counted in junk, not in cards: one double is enough
    _b("jappuk_last_only", False, "A-08"),              # only the stack made in one's own previous turn
    _c("sweep", "two-singles empty", "H34"),
    _i("sweep_steal", 1, 0, 3, "H34"),
    _b("moments_add", True, "H35"),
    _b("last_turn_exception", False, "H36"),
    _i("last_turn_stack", 1, 0, 3, "H36"),
    _c("given", "cheapest giver-chooses", "H37"),
    # the deal ends before or without play
    _i("chongtong", 5, 0, 100, "H38"),
    _i("chongtong_play_on", 1, 1, 8, "H38"),            # factor for playing on instead; 1: it must be taken
    _c("quad_floor", "redeal nagari dealer-wins", "H39"),
    _i("quad_floor_award", 10, 0, 100, "H39"),
    _c("several_chongtong", "net cancel nagari", "H40"),
    _i("nagari", 2, 1, 8, "H41"),
    _b("nagari_stacking", False, "H41"),
    _i("nagari_max", 0, 0, 1024, "H41"),                # 0: no limit
    _b("go_caller_wins", False, "H42"),
    # money
    _i("sell", 0, 0, 20, "H43"),                        # chips a bright; 0: who does not play just watches
    _i("sell_triple", 2, 1, 8, "H43"),
    _c("sell_payers", "two all", "H43"),
    _i("mission_max", 1, 1, 16, "H44"),
    _i("payout_max", 0, 0, 1_000_000, "H45"),           # 0: no limit
    _b("wallet_winner", False, "H45"),
    _b("push", False, "H46"),
    # points
    _i("bright_three", 3, 0, 50, "H47"),
    _i("bright_three_rain", 2, 0, 50, "H47"),
    _i("bright_four_rain", 4, 0, 50, "H47"),
    _i("bright_four", 4, 0, 50, "H48"),
    _i("bright_five", 15, 0, 50, "H47"),
    _i("animal_from", 5, 1, 9, "H49"),
    _i("nine_animals", 0, 0, 50, "H49"),
    _i("godori", 5, 0, 50, "H49"),
    _i("ribbon_from", 5, 1, 10, "H49"),
    _i("ten_ribbons", 0, 0, 50, "H49"),
    _i("hongdan", 3, 0, 50, "H49"),
    _i("cheongdan", 3, 0, 50, "H49"),
    _i("chodan", 3, 0, 50, "H49"),
    _b("chodan_rain", False, "A-13"),                   # the rain ribbon may stand in for one plain red ribbon
    _i("junk_from", 10, 1, 40, "H16"),
)


class House:
    """Rules compiled for play: every key as an attribute, and the tables that the hot paths look up.

    Equal where the rules and the pack are equal. `pack` may be given where the cards in play are known to differ from the rules' own.
    """

    if TYPE_CHECKING:
        def __getattr__(self, key: str) -> Any: ...      # the rules by key

    def __init__(self, rules: Rules, pack: Pack | None = None) -> None:
        values = dict(rules.values)
        self.__dict__.update(values)
        self.rules = rules
        self.pack = pack if pack is not None else Pack(tuple(values["bonus"].items())[:values["jokers"]])
        self.substitute: bool = values["joker_from_hand"] == "substitute"
        # cards that their owner may use as junk instead
        self.flexible = (CUP if values["sake_cup"] == "best" else 0) | (BRIDGE if values["may_bridge"] == "best" else 0)
        self.sure_cup = CUP if values["sake_cup"] in ("junk", "both") else 0
        self.any_cup = self.flexible | self.sure_cup
        self.variant_baks = max(values["ribbonbak"], values["redbak"], values["bluebak"]) > 1
        self._brights = self._bright_table(values)
        self._animals = tuple(max(0, n - values["animal_from"] + 1) + (values["nine_animals"] if n == 9 else 0) for n in range(10))
        self._ribbons = tuple(max(0, n - values["ribbon_from"] + 1) + (values["ten_ribbons"] if n == 10 else 0) for n in range(11))
        self._junk = tuple(max(0, n - values["junk_from"] + 1) for n in range(120))
        self.by_rank = self._steal_ranks()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, House) and self.rules == other.rules and self.pack == other.pack

    def __hash__(self) -> int:
        return hash((self.rules, self.pack))

    def __repr__(self) -> str:
        return f"House({self.rules.name!r})"

    def target_for(self, players: int) -> int:
        """The stop target of a deal of so many players (H1)."""
        return int(self.target or (self.target_two if players == 2 else self.target_three))

    # points of captured cards -------------------------------------------------------------------------------------

    @staticmethod
    def _bright_table(v: Mapping[str, int]) -> tuple[int, ...]:
        """Points by 2 × the number of brights + 1 where the rain is among them."""
        table = [0] * 12
        for rain in (0, 1):
            table[6 + rain] = v["bright_three_rain" if rain else "bright_three"]
            table[8 + rain] = v["bright_four_rain" if rain else "bright_four"]
            table[10 + rain] = v["bright_five"]
        return tuple(table)

    def bright_points(self, mask: int) -> int:
        """Points of the brights in a set."""
        return self._brights[2 * (mask & BRIGHTS).bit_count() + (mask & RAIN_BRIGHT != 0)]

    def chodan_held(self, mask: int) -> int:
        """The cards that make the plain red set, or 0."""
        have = mask & CHODAN
        if have == CHODAN:
            return CHODAN
        if self.chodan_rain and have.bit_count() == 2 and mask & RAIN_RIBBON:
            return have | RAIN_RIBBON
        return 0

    def junk_count(self, mask: int, as_junk: int = 0, hidden: int = 0) -> int:
        """Junk worth of a set; `as_junk`: cards of it (cup, bridge) used as junk; `hidden`: junk cards beside it that were
        never seen, each of them worth one for certain."""
        n = hidden + (mask & SINGLES).bit_count() + self.double_junk * (mask & DOUBLES).bit_count()
        if mask >> N_MONTH_CARDS:
            n += self.pack.bonus_worth[mask >> N_MONTH_CARDS]
        as_junk &= mask
        return n + self.sake_cup_junk * as_junk.bit_count() if as_junk else n

    def animal_cards(self, mask: int, as_junk: int = 0) -> int:
        """The cards that count as animals."""
        return mask & ANIMALS if self.sake_cup == "both" else mask & ANIMALS & ~as_junk

    def points(self, mask: int, as_junk: int = 0, hidden: int = 0) -> int:
        """Total of a set of captured cards; `as_junk` and `hidden` as in `junk_count`."""
        total = self._brights[2 * (mask & BRIGHTS).bit_count() + (mask & RAIN_BRIGHT != 0)]
        if mask & GODORI == GODORI:
            total += self.godori
        ribbons = mask & RIBBONS
        if ribbons:
            n = ribbons.bit_count()
            if n > 2:
                total += self._ribbons[n]
                if ribbons & HONGDAN == HONGDAN:
                    total += self.hongdan
                if ribbons & CHEONGDAN == CHEONGDAN:
                    total += self.cheongdan
                if self.chodan_held(ribbons):
                    total += self.chodan
            else:
                total += self._ribbons[n]
        junk = hidden + (mask & SINGLES).bit_count() + self.double_junk * (mask & DOUBLES).bit_count()
        if mask >> N_MONTH_CARDS:
            junk += self.pack.bonus_worth[mask >> N_MONTH_CARDS]
        animals = mask & ANIMALS
        if as_junk:
            as_junk &= animals
            junk += self.sake_cup_junk * as_junk.bit_count()
            if self.sake_cup != "both":
                animals &= ~as_junk
        return total + self._animals[animals.bit_count()] + self._junk[junk]

    def uses(self, mask: int) -> tuple[int, ...]:
        """The ways to use the flexible cards of a set: what is used as junk in each, animals first."""
        free = mask & self.flexible
        sure = mask & self.sure_cup
        if not free:
            return (sure,)
        if free & (free - 1):
            low = free & -free
            return (sure, sure | low, sure | free ^ low, sure | free)
        return (sure, sure | free)

    def best(self, mask: int, hidden: int = 0) -> int:
        """The greatest total that the set can be counted at."""
        if not mask & self.any_cup:
            return self.points(mask, 0, hidden)
        return max(self.points(mask, use, hidden) for use in self.uses(mask))

    # junk to be given ---------------------------------------------------------------------------------------------

    def _steal_ranks(self) -> tuple[tuple[int, int], ...]:
        """(cards, worth) in the order in which junk is given: singles, doubles, then bonus cards, the cheapest first (H37).

        A cup placed as junk is given after the doubles; the caller says where it lies (`cup_rank`)."""
        ranks: list[tuple[int, int, int]] = [(1, 0, SINGLES), (self.double_junk, 1, DOUBLES)]
        for i, worth in enumerate(self.pack.worth):
            ranks.append((worth, 3, 1 << N_MONTH_CARDS + i))
        ranks.append((self.sake_cup_junk, 2, CUP | BRIDGE))
        return tuple((cards, worth) for worth, _, cards in sorted(ranks))

    def giveable(self, mask: int, as_junk: int = 0) -> int:
        """The cards of a set that can be given as junk."""
        out = mask & (SINGLES | DOUBLES | ~((1 << N_MONTH_CARDS) - 1))
        lying = mask & (as_junk | self.sure_cup) & (CUP | BRIDGE)
        return out | lying if lying and (out or not self.sake_cup_alone) else out

    def worth(self, card: int) -> int:
        """Junk worth of one card (a bit) when given away."""
        if card >> N_MONTH_CARDS:
            return self.pack.bonus_worth[card >> N_MONTH_CARDS]
        return 1 if card & SINGLES else self.double_junk if card & DOUBLES else self.sake_cup_junk if card & (CUP | BRIDGE) else 0

    def cheapest(self, mask: int, as_junk: int = 0) -> int:
        """The card (a bit) that is given first, or 0 where there is no junk."""
        free = self.giveable(mask, as_junk)
        if not free:
            return 0
        for cards, _ in self.by_rank:
            hit = free & cards
            if hit:
                return hit & -hit
        return 0

