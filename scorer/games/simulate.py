"""Whole games without a camera: any game, at random or by its sensible policy, through `legal`, `follow` and `apply`.

A game's module may have ``sensible(state, choices, rng) -> Event`` (its policy) and ``audit(state) -> str`` ("" where every
invariant of the state holds). Policies get only what `legal` gives them; nothing else moves a state.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InputError, did_you_mean
from ..events import Event
from ..frozen import FrozenDict
from ..game import Game, Result, game_module
from ..ruleset import Rules

Policy = Callable[[Any, tuple[Event, ...], random.Random], Event]
MOST_EVENTS = 20_000


def at_random(state: Any, choices: tuple[Event, ...], rng: random.Random) -> Event:
    """Any legal event, all equally likely."""
    return rng.choice(choices)


def policy(game: str, name: str) -> Policy:
    """A game's policy by name: `random` or `sensible`. Raises InputError `unknown-policy`."""
    found = {"random": at_random, "sensible": getattr(game_module(game), "sensible", at_random)}
    if name not in found:
        raise InputError("unknown-policy", f"there is no policy {name[:40]!r}", mend=did_you_mean(name, found))
    return found[name]


@dataclass(frozen=True, slots=True)
class Step:
    """One event of simulated play, the state after it, and the deal's result once it is over."""

    event: Event
    state: Any
    deal: int
    result: Result | None = None


def play_deal(game: Game, state: Any, rng: random.Random, choose: Policy = at_random, deal: int = 1) -> Iterator[Step]:
    """Play a deal to its end. Raises AssertionError where the game contradicts itself: an illegal `legal` or `follow`, an event
    that changes nothing, no move before the end, a broken invariant, a game without end."""
    audit: Callable[[Any], str] = getattr(game_module(game.name), "audit", lambda _: "")
    for _ in range(MOST_EVENTS):
        if game.result(state) is not None:
            return
        due = game.follow(state)
        choices = due[:1] or game.legal(state)
        assert choices, f"{game.name}: nothing is legal before the end"
        event = choices[0] if due else choose(state, choices, rng)
        refused = game.check(state, event)
        assert refused is None, f"{game.name}: {event.kind} was offered and is refused: {refused}"
        after = game.apply(state, event)
        assert after != state, f"{game.name}: {event.kind} changed nothing"
        wrong = audit(after)
        assert not wrong, f"{game.name}: after {event.kind} {wrong}"
        state = after
        yield Step(event, state, deal, game.result(state))
    raise AssertionError(f"{game.name}: no end after {MOST_EVENTS} events")


def play_game(
    game: Game, rules: Rules, players: Sequence[str], seed: int | str, choose: Policy = at_random, options: Mapping[str, Any] | None = None
) -> Iterator[Step]:
    """Play deal after deal until the whole game is over (or the game never says so: then a single deal)."""
    rng = random.Random(f"{game.name}:{seed}")
    carried: dict[str, Any] = {**(options or {}), "seed": str(seed)}
    dealer = players[0]
    for deal in range(1, MOST_EVENTS):
        result: Result | None = None
        for step in play_deal(game, game.start(rules, tuple(players), dealer, FrozenDict(carried)), rng, choose, deal):
            result = step.result
            yield step
        if result is None or result.over:
            return
        carried = {**carried, **result.options}
        dealer = result.dealer or dealer
