"""Deals of Go-Stop played out by the rules engine, as lists of events for a scene to act out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scorer.events import Event
from scorer.games.gostop.deal import BOMB, FLIP_ONLY, GO, JOKER, SHAKE, STOP, Action, Deal
from scorer.games.gostop.game import GAME
from scorer.games.gostop.house import House
from scorer.games.gostop.pack import MONTH, N_MONTH_CARDS, Pack, indices

Rng = np.random.Generator


@dataclass(frozen=True)
class Policy:
    """How the simulated players decide; chances."""

    match: float = 0.85  # plays a card that takes something, where there is one
    go: float = 0.45
    shake: float = 0.7  # declares a triple
    bomb: float = 0.8
    stop_after: int = 0  # 0: any time; else stops as soon as it may from that turn on


@dataclass(frozen=True)
class PlayedDeal:
    """A deal from the layout to the settlement.

    floor: cards laid in the centre at first, jokers among them; replaced: what came for the jokers, in order; stock: the rest, the
    next first; turns: events of each turn with what was declared before it and decided after it.
    """

    players: tuple[str, ...]
    dealer: str
    floor: tuple[str, ...]
    replaced: tuple[str, ...]
    stock: tuple[str, ...]
    opening: tuple[Event, ...]
    turns: tuple[tuple[Event, ...], ...]
    seed: int


def _action(deal: Deal, rng: Rng, policy: Policy, number: int) -> Action:
    legal = deal.legal()
    decisions = [a for a in legal if a[0] in (GO, STOP)]
    if decisions:
        go = [a for a in decisions if a[0] == GO]
        early = policy.stop_after and number >= policy.stop_after
        return go[0] if go and not early and rng.random() < policy.go else next(a for a in decisions if a[0] == STOP)
    for kind, chance in ((BOMB, policy.bomb), (SHAKE, policy.shake)):
        some = [a for a in legal if a[0] == kind]
        if some and rng.random() < chance:
            return some[int(rng.integers(len(some)))]
    plain = [a for a in legal if a[0] not in (BOMB, SHAKE)]
    skip = [a for a in plain if a[0] == FLIP_ONLY]
    if skip and rng.random() < 0.5:
        return skip[0]
    plain = [a for a in plain if a[0] != FLIP_ONLY] or plain
    lying = deal.floor
    for pile in deal.stacks:
        lying |= pile[1]
    good = [a for a in plain if a[0] == JOKER or (lying & MONTH[(a[1].bit_length() - 1) >> 2])]
    pool = good if good and rng.random() < policy.match else plain
    return pool[int(rng.integers(len(pool)))]


def _fair(deal: Deal) -> bool:
    """A layout that is played: no month lies whole, nobody holds four of a month."""
    return not deal.end and not deal.quads()


def play_deal(
    seed: int,
    players: Sequence[str] = ("A", "B"),
    dealer: str = "A",
    ruleset: str = "classic",
    jokers: int = 0,
    nagari: int = 0,
    target: int = 0,
    policy: Policy = Policy(),
    house: House | None = None,
) -> PlayedDeal:
    """Shuffle by the seed until the layout can be played, then play to the end."""
    if house is None:
        rules = GAME.rules(ruleset)
        house = House(rules, Pack(tuple(rules.bonus.items())[:jokers]))
    rng = np.random.default_rng([seed, 21])
    names = house.pack.names
    while True:
        order = [int(c) for c in rng.permutation(len(names))]
        deal = Deal(house, len(players), players.index(dealer), nagari, target)
        deal.deal(order)
        if _fair(deal):
            break
    stock = tuple(names[c] for c in order[deal.pos :])
    size = deal.house.floor_two if len(players) == 2 else deal.house.floor_three
    lying = deal.floor | deal.jokers_dealt
    for pile in deal.stacks:
        lying |= pile[1]
    hands = 0
    for held in deal.hands:
        hands |= held
    first = [c for c in order[: deal.pos] if lying >> c & 1]
    turns: list[list[Event]] = []
    batch: list[Event] = []
    number = 0
    opening = tuple(deal.opening(players))
    while not deal.end:
        number += 1
        action = _action(deal, rng, policy, number)
        if action[0] not in (GO, STOP) and any(e.kind == "play" or e.kind == "flip" for e in batch):
            turns.append(batch)
            batch = []
        deal.step(action, log=batch.extend, players=players)
    turns.append(batch)
    assert len(first) >= size
    assert all(c < N_MONTH_CARDS for c in indices(deal.floor))
    return PlayedDeal(
        tuple(players),
        dealer,
        tuple(names[c] for c in first[:size]),
        tuple(names[c] for c in first[size:]),
        stock,
        opening,
        tuple(tuple(t) for t in turns),
        seed,
    )
