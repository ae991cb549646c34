"""Who pays whom: every multiplier and award with its payer, its reason and its cards.

The sum of a payment is (score + goes) × every factor (A-20, H7), per opponent; then liability (go-bak), then limits. Each line
is a Term whose amount is what it adds, so that the terms add up to what is paid.
"""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...frozen import FrozenDict
from ...game import Payment, Term
from .captures import Tally, junk_cards, tally
from .house import House
from .pack import BRIGHTS, CHEONGDAN, HONGDAN, RAIN_BRIGHT, RIBBONS


@dataclass(frozen=True, slots=True)
class Claim:
    """All that a settlement depends on. Players are numbers from 0.

    goes           of every player; `first_caller`, `last_caller`: who said go first and last, -1 where not known
    shakes, bombs  the winner's sets (`small_bombs`: its bombs of two cards)
    nagari         how many deals in a row ended without a winner before this one
    kept           factor of a four-in-hand that was declined (H38), 1 where none
    wallets        the most that each player can pay, None where there is no limit
    as_junk        use of the flexible cards where it is fixed (a set), None: the best for their owner
    """

    caps: tuple[int, ...]
    winner: int
    goes: tuple[int, ...]
    first_caller: int = -1
    last_caller: int = -1
    shakes: int = 0
    bombs: int = 0
    small_bombs: int = 0
    nagari: int = 0
    mission: int = 1
    kept: int = 1
    wallets: tuple[int | None, ...] | None = None
    as_junk: int | None = None
    target: int = 0
    hidden: tuple[int, ...] = ()          # captured junk that was never seen, by player; () where there is none

    def unseen(self, player: int) -> int:
        """Junk of the player's that was never seen."""
        return self.hidden[player] if self.hidden else 0


@dataclass(frozen=True, slots=True)
class Settlement:
    """`amounts` by player (the winner's is 0); `payments` of the losers, zeros included; the winner's tally."""

    winner: int
    amounts: tuple[int, ...]
    payments: tuple[Payment, ...]
    tally: Tally


Factor = tuple[str, int, int, dict[str, object]]       # label, factor, cards (a set), args


def nagari_factor(house: House, streak: int) -> int:
    """What dead deals before this one multiply the payment by (H41)."""
    if streak <= 0:
        return 1
    factor: int = house.nagari ** (streak if house.nagari_stacking else 1)
    return min(factor, house.nagari_max) if house.nagari_max else factor


def go_bonus(house: House, goes: int) -> tuple[int, int]:
    """(chips added, factor) of the winner's goes (H4 to H6)."""
    start = house.go_double_from
    doubling = bool(start) and goes >= start
    add = house.go_add * goes if house.go_add_always or not doubling else 0
    if not doubling:
        return add, 1
    if house.go_times:
        return add, goes
    return add, 2 ** (goes - start + 1) if house.progressive else 2


def common_factors(house: House, claim: Claim, use: int) -> Iterator[Factor]:
    """Factors of the winner's own doing: they hold against every opponent."""
    goes = claim.goes[claim.winner]
    factor = go_bonus(house, goes)[1]
    if factor > 1:
        yield "go-double", factor, 0, {"goes": goes}
    if claim.shakes and house.shake > 1:
        yield "shake", house.shake ** claim.shakes, 0, {"n": claim.shakes}
    if claim.bombs and house.bomb > 1:
        yield "bomb", house.bomb ** claim.bombs, 0, {"n": claim.bombs}
    if claim.small_bombs and house.small_bomb == "double":
        yield "small-bomb", 2 ** claim.small_bombs, 0, {"n": claim.small_bombs}
    if claim.kept > 1:
        yield "chongtong-kept", claim.kept, 0, {}
    factor = nagari_factor(house, claim.nagari)
    if factor > 1:
        yield "nagari", factor, 0, {"n": claim.nagari}
    if claim.mission > 1 and house.mission_max > 1:
        yield "mission", min(claim.mission, house.mission_max), 0, {}


def loser_factors(house: House, claim: Claim, loser: int, use: int, loser_use: int) -> Iterator[Factor]:
    """Factors that hold against one opponent, the winner's and the loser's cups being used as given."""
    won, lost = claim.caps[claim.winner], claim.caps[loser]
    if house.meongtta > 1:
        animals = house.animal_cards(won, use)
        n = animals.bit_count()
        if n >= house.meongtta_from and not (house.meongtta_none and house.animal_cards(lost, loser_use)):
            yield "meong-tta", house.meongtta, animals, {"n": n}
    if house.gwangbak > 1 and house.bright_points(won):
        shield = BRIGHTS if house.gwangbak_rain else BRIGHTS & ~RAIN_BRIGHT
        others = [c for p, c in enumerate(claim.caps) if p != claim.winner] if house.gwangbak_all else [lost]
        if not any(c & shield for c in others):
            yield "gwang-bak", house.gwangbak, won & BRIGHTS, {}
    if house.pibak > 1 and house.junk_count(won, use, claim.unseen(claim.winner)) >= house.pibak_min:
        junk = house.junk_count(lost, loser_use, claim.unseen(loser))
        if junk <= house.pibak_max and (junk or not house.zero_exempt):
            yield "pi-bak", house.pibak, junk_cards(lost, loser_use), {"n": junk, "limit": house.pibak_max}
    if house.variant_baks:
        yield from _variant_baks(house, won, lost)
    if claim.goes[loser]:
        factor = _own_gobak(house, claim)
        if factor > 1:
            yield "go-bak", factor, 0, {"goes": claim.goes[loser]}
            if claim.goes[claim.winner] and house.reverse_go > 1:
                yield "reverse-go", house.reverse_go, 0, {}


def _variant_baks(house: House, won: int, lost: int) -> Iterator[Factor]:
    if house.ribbonbak > 1 and (won & RIBBONS).bit_count() >= house.ribbon_from and not lost & RIBBONS:
        yield "ribbon-bak", house.ribbonbak, won & RIBBONS, {}
    if house.redbak > 1 and won & HONGDAN == HONGDAN and not lost & HONGDAN:
        yield "red-bak", house.redbak, HONGDAN, {}
    if house.bluebak > 1 and won & CHEONGDAN == CHEONGDAN and not lost & CHEONGDAN:
        yield "blue-bak", house.bluebak, CHEONGDAN, {}


def _own_gobak(house: House, claim: Claim) -> int:
    """The factor by which a loser's own go multiplies its own part (H14)."""
    if house.gobak == "double":
        return 2
    if house.gobak != "off" and len(claim.caps) == 2:
        return int(house.gobak_two)
    return 2 if house.gobak == "liability-double" else 1


def liable(house: House, claim: Claim) -> int:
    """The loser who pays everybody's part because it said go, or -1 (H14, H15)."""
    if house.gobak not in ("liability", "liability-double") or len(claim.caps) == 2:
        return -1
    callers = [p for p, goes in enumerate(claim.goes) if goes and p != claim.winner]
    if len(callers) < 2:
        return callers[0] if callers else -1
    known = claim.first_caller if house.gobak_caller == "first" else claim.last_caller
    if known in callers:
        return known
    other = claim.last_caller if house.gobak_caller == "first" else claim.first_caller
    rest = [p for p in callers if p != other]
    return max(rest, key=lambda p: (claim.goes[p], -p))      # not known: who said it more often said it earlier


def amounts(house: House, claim: Claim, use: int) -> tuple[int, ...]:
    """Chips that each player pays, the winner's flexible cards being used as given: the fast path."""
    base, common = _base(house, claim, use)
    out = [0] * len(claim.caps)
    for loser in range(len(out)):
        if loser != claim.winner and not (house.nothing_exempt and not claim.caps[loser]):
            product = common * _least(house, claim, loser, use)[0]
            out[loser] = _ordered(house, base, claim, product)
    payer = liable(house, claim)
    if payer >= 0:
        out = [sum(out) if p == payer else 0 for p in range(len(out))]
    return tuple(_limited(house, claim, p, amount) for p, amount in enumerate(out))


def _base(house: House, claim: Claim, use: int) -> tuple[int, int]:
    common = 1
    for _, factor, _, _ in common_factors(house, claim, use):
        common *= factor
    return house.points(claim.caps[claim.winner], use, claim.unseen(claim.winner)), common


def _ordered(house: House, points: int, claim: Claim, product: int) -> int:
    add = go_bonus(house, claim.goes[claim.winner])[0]
    return (points + add) * product if house.order == "add-first" else points * product + add


def _least(house: House, claim: Claim, loser: int, use: int) -> tuple[int, int]:
    """(factor, use) of the loser's flexible cards that costs it least (H18); animals where it makes no difference."""
    held = claim.caps[loser]
    if claim.as_junk is not None:
        uses: tuple[int, ...] = (claim.as_junk & held,)
    elif house.loser_switch:
        uses = house.uses(held)
    else:
        uses = (house.sure_cup & held,)
    best = (0, 0)
    for loser_use in uses:
        product = 1
        for _, factor, _, _ in loser_factors(house, claim, loser, use, loser_use):
            product *= factor
        if not best[0] or product < best[0]:
            best = (product, loser_use)
    return best


def _limited(house: House, claim: Claim, player: int, amount: int) -> int:
    if house.payout_max:
        amount = min(amount, house.payout_max)
    if claim.wallets is not None:
        own, winners = claim.wallets[player], claim.wallets[claim.winner]
        if own is not None:
            amount = min(amount, own)
        if house.wallet_winner and winners is not None:
            amount = min(amount, winners)
    return amount


def winner_use(house: House, claim: Claim) -> int:
    """How the winner uses its flexible cards: what is paid decides, after the multipliers, among the uses that reach the
    target (BUGS 17)."""
    held = claim.caps[claim.winner]
    if claim.as_junk is not None:
        return claim.as_junk & held
    uses = house.uses(held)
    if len(uses) == 1:
        return uses[0]
    points = {u: house.points(held, u, claim.unseen(claim.winner)) for u in uses}
    reach = [u for u in uses if points[u] >= claim.target] or list(uses)
    return max(reach, key=lambda u: (sum(amounts(house, claim, u)), points[u], -u))


def paid(house: House, claim: Claim) -> tuple[int, ...]:
    """Chips that each player pays, every cup used at its best: `settle` without its lines."""
    return amounts(house, claim, winner_use(house, claim))


def settle(house: House, claim: Claim, players: Sequence[str]) -> Settlement:
    """The whole settlement with its lines."""
    use = winner_use(house, claim)
    count = tally(house, claim.caps[claim.winner], use, claim.unseen(claim.winner))
    parts: list[tuple[int, list[Term]]] = []
    for loser in range(len(players)):
        lines: list[Term] = []
        if loser != claim.winner:
            if house.nothing_exempt and not claim.caps[loser]:
                lines = [Term("nothing-exempt", 0)]
            else:
                lines = _lines(house, claim, count, loser, use)
        parts.append((sum(t.amount for t in lines), lines))
    payer = liable(house, claim)
    if payer >= 0:
        for loser in range(len(players)):
            part = parts[loser][0]
            if loser not in (payer, claim.winner) and part:
                parts[payer][1].append(Term("go-bak-share", part, (), FrozenDict({"for": players[loser]})))
                parts[loser][1].append(Term("go-bak-share", -part, (), FrozenDict({"by": players[payer]})))
    payments, paid = [], []
    for loser in range(len(players)):
        lines = parts[loser][1]
        total = sum(t.amount for t in lines)
        limit = _limited(house, claim, loser, total)
        if limit < total:
            label = "payout-max" if house.payout_max and limit == min(total, house.payout_max) else "wallet"
            lines.append(Term(label, limit - total, (), FrozenDict({"limit": limit})))
        paid.append(limit)
        if loser != claim.winner:
            payments.append(Payment(players[loser], players[claim.winner], limit, tuple(lines)))
    return Settlement(claim.winner, tuple(paid), tuple(payments), count)


def _lines(house: House, claim: Claim, count: Tally, loser: int, use: int) -> list[Term]:
    pack = house.pack
    scoring = tuple(dict.fromkeys(c for t in count.terms for c in t.cards))
    goes = claim.goes[claim.winner]
    add = go_bonus(house, goes)[0]
    lines = [Term("score", count.total, scoring)]
    total = count.total
    going = [Term("go", add, (), FrozenDict({"goes": goes}))] if add else []
    if house.order == "add-first":
        lines += going
        total += add
    loser_use = _least(house, claim, loser, use)[1]
    for label, factor, cards, args in (*common_factors(house, claim, use), *loser_factors(house, claim, loser, use, loser_use)):
        more = total * (factor - 1)
        lines.append(Term(label, more, pack.cards(cards), FrozenDict({"factor": factor, **args})))
        total += more
    return lines if house.order == "add-first" else lines + going


# awards that are paid beside or instead of a score -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Award:
    """A fixed sum that every opponent (or those of `payers`) pays to a player: chongtong, ppuk, ttadak, sold brights."""

    label: str
    player: int
    amount: int
    payers: tuple[int, ...] | None = None
    args: FrozenDict = field(default_factory=FrozenDict)

    def payments(self, players: Sequence[str]) -> tuple[Payment, ...]:
        """One payment from each payer; () where the award is nothing."""
        if not self.amount:
            return ()
        line = (Term(self.label, self.amount, (), self.args),)
        payers = self.payers if self.payers is not None else tuple(p for p in range(len(players)) if p != self.player)
        return tuple(Payment(players[p], players[self.player], self.amount, line) for p in payers)


def ppuk_award(house: House, player: int, streak: int) -> Award | None:
    """Chips at once for ppuk on the player's first turn, and on the second and third in a row (H28, H29)."""
    if not 1 <= streak <= 3:
        return None
    amount = (house.first_ppuk, house.second_ppuk, house.third_ppuk)[streak - 1]
    return Award(("first-ppuk", "second-ppuk", "third-ppuk")[streak - 1], player, amount) if amount else None


def carried(house: House, amount: int, streak: int) -> int:
    """A fixed award that ends the deal, multiplied by the dead deals before where the house says so (BUGS 18)."""
    return amount * nagari_factor(house, streak) if house.awards_carry else amount


def chongtong_awards(house: House, holders: Sequence[int], players: int, streak: int = 0) -> tuple[Award, ...]:
    """Four of a month in hand (H38, H40): () where they cancel."""
    if len(holders) > 1 and (house.several_chongtong != "net" or len(holders) == players):
        return ()
    amount = carried(house, house.chongtong, streak)
    return tuple(Award("chongtong", p, amount) for p in holders)


def sell_award(house: House, seller: int, payers: Sequence[int], brights: int, unit: int | None = None,
               triple: bool = False) -> Award | None:
    """What a player who does not play receives for the brights in its hand (H43)."""
    if not house.sell:
        return None
    amount = brights * (unit if unit is not None else house.sell) * (house.sell_triple if triple else 1)
    return Award("sell", seller, amount, tuple(payers), FrozenDict({"brights": brights})) if amount else None


def net(payments: Sequence[Payment]) -> dict[str, int]:
    """Chips that each player pays on balance (negative: receives)."""
    out: dict[str, int] = {}
    for pay in payments:
        out[pay.payer] = out.get(pay.payer, 0) + pay.amount
        out[pay.to] = out.get(pay.to, 0) - pay.amount
    return out




def chips(payments: Sequence[Payment]) -> dict[str, int]:
    """`net` in the form of the contract: what each player pays; receivers (negative) only where several are paid on balance."""
    sums = {p: n for p, n in net(payments).items() if n}
    return {p: n for p, n in sums.items() if n > 0} if sum(n < 0 for n in sums.values()) == 1 else sums


def sale_payers(house: House, seats: int, seller: int, dealer: int) -> list[int]:
    """Who pays for sold brights: the two players beside the dealer, or all three that play (H43)."""
    others = [p for p in range(seats) if p != seller]
    if house.sell_payers == "all":
        return others[:3]
    rest = [p for p in others if p != dealer]
    return (rest if len(rest) >= 2 else others)[:2]
