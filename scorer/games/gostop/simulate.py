"""Simulated play: whole deals and evenings through the one transition function, at random or by a policy, invariants on demand."""
from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ...errors import InputError, did_you_mean
from ...events import Event
from ...ruleset import load_rules
from .captures import add_up
from .deal import BOMB, FLIP_ONLY, GO, JOKER, PLAY, PUSH, SHAKE, STOP, Action, Deal, full_pack
from .house import SCHEMA, House
from .pack import ANIMALS, BRIGHTS, CUP, DOUBLES, GODORI, MONTH, RIBBONS, indices
from .payout import Claim, paid
from .state import CHONGTONG, NAGARI, VOID
from .turns import by_value

Policy = Callable[[Deal, list[Action], random.Random], Action]


def at_random(deal: Deal, actions: list[Action], rng: random.Random) -> Action:
    """Any legal action, each as likely as the next."""
    return actions[int(rng.random() * len(actions))]


def sensible(deal: Deal, actions: list[Action], rng: random.Random) -> Action:
    """As a fair player would: takes what is worth most, throws what is worth least, goes on while it looks safe."""
    if deal.to_decide:
        return _call(deal, actions)
    bombs = [a for a in actions if a[0] in (BOMB, SHAKE)]
    if bombs:
        return bombs[0]
    return max(actions, key=lambda a: (_gain(deal, a), rng.random()))


def cautious(deal: Deal, actions: list[Action], rng: random.Random) -> Action:
    """As `sensible`, but stops at once."""
    return (STOP, 0) if deal.to_decide else sensible(deal, actions, rng)


POLICIES: dict[str, Policy] = {"random": at_random, "sensible": sensible, "cautious": cautious}


def find_policy(name: str) -> Policy:
    """A policy by name. Raises InputError `unknown-policy`."""
    if name not in POLICIES:
        raise InputError("unknown-policy", f"there is no policy {name[:40]!r}", mend=did_you_mean(name, POLICIES))
    return POLICIES[name]


def _call(deal: Deal, actions: list[Action]) -> Action:
    me = deal.turn
    rivals = max(deal.house.best(held) for p, held in enumerate(deal.caps) if p != me)
    turns = deal.hands[me].bit_count()
    if (GO, 0) in actions and turns >= 2 and rivals + 2 < deal.target:
        return GO, 0
    return STOP, 0


def _worth(cards: int) -> float:
    """Rough worth of captured cards."""
    return (3.0 * (cards & BRIGHTS).bit_count() + 1.6 * (cards & GODORI).bit_count() + 1.2 * (cards & ANIMALS).bit_count()
            + 1.3 * (cards & RIBBONS).bit_count() + 2.0 * (cards & DOUBLES).bit_count() + 0.6 * (cards & CUP).bit_count()
            + 0.9 * cards.bit_count())


def _gain(deal: Deal, action: Action) -> float:
    kind, card = action
    if kind == JOKER:
        return 6.0
    if kind == FLIP_ONLY:
        return 1.5
    month = MONTH[(card.bit_length() - 1) >> 2]
    for _, cards, _, _ in deal.stacks:
        if cards & month:
            return 4.0 + _worth(cards | card)
    lying = deal.floor & month
    if not lying:
        return -_worth(card) - 0.3 * (deal.hands[deal.turn] & month).bit_count()
    return _worth(card | by_value(lying))


def play_deal(house: House, players: int, dealer: int, rng: random.Random, policies: Sequence[Policy], nagari: int = 0,
              log: Callable[[list[Event]], None] | None = None, names: Sequence[str] = (), checked: bool = False) -> Deal:
    """Shuffle, deal and play one deal to its end. `checked`: the invariants are tested after every step."""
    order = full_pack(house)
    rng.shuffle(order)
    deal = Deal(house, players, dealer, nagari)
    deal.deal(order)
    if log:
        log(deal.opening(names))
    if not deal.end and deal.quads():
        if log:
            log(deal.fours(names))
        deal.show_fours()
    if deal.end:
        if log:
            log(deal.closing(names))
        return deal

    def pick(options: int, stage: str) -> int:
        if policies[deal.turn] is not at_random:
            return by_value(options)
        cards = [1 << i for i in indices(options)]
        return cards[int(rng.random() * len(cards))]

    while not deal.end:
        deal.step(policies[deal.turn](deal, deal.legal(), rng), pick, log, names)
        if checked:
            invariants(deal)
    return deal


def invariants(deal: Deal) -> None:
    """Every card is in one place, stacks hold one month, what is paid adds up to nothing. Raises AssertionError."""
    everything = deal.floor
    total = deal.floor.bit_count()
    for held in (*deal.hands, *deal.caps, *(s[1] for s in deal.stacks), *(1 << c for c in deal.stock[deal.pos:])):
        total += held.bit_count()
        everything |= held
    assert everything == deal.house.pack.all, "a card is lost"
    assert total == everything.bit_count(), "a card is in two places"
    for month, cards, _, _ in deal.stacks:
        assert (cards & MONTH[month]).bit_count() == 3, "a stack does not hold three of its month"
    assert all((deal.floor & m).bit_count() != 3 for m in MONTH), "three loose cards of a month lie unstacked"
    assert sum(deal.paid()) == 0, "payments do not add up to nothing"
    assert not deal.end or deal.winner < 0 or deal.end in (CHONGTONG, VOID) or deal.paid()[deal.winner] >= 0 or deal.awards


def evening(ruleset: str = "classic", players: int = 2, games: int = 1, policy: str = "random", seed: int = 1,
            checked: bool = True) -> dict[str, Any]:
    """Play deals in a row, dealer and carry following, and tell how they went: the counts of how deals ended, chips by seat,
    the longest carry. Raises InputError for an unknown ruleset or policy, or a number of players that it does not seat."""
    rules = load_rules("gostop", SCHEMA, ruleset)
    least, most = max(2, rules.players[0]), min(3, rules.players[1])
    if not least <= players <= most:
        mend = f"seat {least}" if least == most else f"seat {least} or {most}"
        raise InputError("wrong-players", f"{players} players sit for {rules.name}", mend=mend)
    house, choose, rng = House(rules), find_policy(policy), random.Random(seed)
    ends: Counter[str] = Counter()
    chips = [0] * players
    dealer = nagari = longest = turns = goes = 0
    for _ in range(games):
        deal = play_deal(house, players, dealer, rng, [choose] * players, nagari, checked=checked)
        ends[deal.end] += 1
        turns += sum(deal.turns)
        goes += sum(deal.goes)
        chips = [c + paid for c, paid in zip(chips, deal.paid(), strict=True)]
        if deal.end == NAGARI or deal.pushed:
            nagari += 1
        elif deal.end != VOID:
            nagari = 0
        longest = max(longest, nagari)
        if deal.winner >= 0 and deal.end != VOID:
            dealer = deal.winner
    return {"game": "gostop", "ruleset": rules.name, "players": players, "games": games, "policy": policy, "seed": seed,
            "ends": dict(sorted(ends.items())), "turns": turns, "goes": goes, "chips": chips, "longest_carry": longest}


def bench(clock: Callable[[], float], seconds: float = 1.0) -> dict[str, int]:
    """Tables of three players totalled (every score, and who pays whom) and random deals played out, each so long by the
    caller's clock (in seconds), on one core."""
    house = House(load_rules("gostop", SCHEMA, "korean-3p"))
    rng = random.Random(1)
    tables = []
    for i in range(200):
        deal = play_deal(house, 3, i % 3, rng, [at_random] * 3)
        tables.append(tuple(deal.caps))
    done, start = 0, clock()
    while clock() - start < seconds:
        for caps in tables:
            scores = add_up(house, caps)
            paid(house, Claim(caps, scores.index(max(scores)), (1, 0, 0), 0, 0))
        done += len(tables)
    totalled = done / (clock() - start)
    played, start = 0, clock()
    plain = House(load_rules("gostop", SCHEMA, "classic"))
    while clock() - start < seconds:
        for i in range(20):
            play_deal(plain, 2, i % 2, rng, [at_random] * 2)
        played += 20
    return {"tables_per_s": round(totalled), "playouts_per_s": round(played / (clock() - start))}


__all__ = ["GO", "PLAY", "POLICIES", "PUSH", "STOP", "Policy", "bench", "evening", "invariants", "play_deal"]
