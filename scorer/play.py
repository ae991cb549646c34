"""``kibitz play``: simulated play without a camera, through the same transition functions, with the invariants on.

Go-Stop has an engine of plain ints for it (`games.gostop.simulate`); the other games are played through `check`, `apply`
and `follow` of their live form, dealt by the option `seed`.
"""
from __future__ import annotations

import json
import random
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Callable
from typing import Any

from .errors import InputError, did_you_mean
from .evening import step
from .events import Event
from .game import Game, State, game_module
from .games.gostop import simulate
from .match import Match

Policy = Callable[[State, tuple[Event, ...], random.Random], Event]
_MOST_STEPS = 20_000      # of one deal: far beyond any real one


def at_random(state: State, choices: tuple[Event, ...], rng: random.Random) -> Event:
    """Any legal event, each as likely as the next."""
    return choices[int(rng.random() * len(choices))]


def policies(game: str) -> dict[str, Any]:
    """The ways to play that a game knows, by name."""
    if game == "gostop":
        return dict(simulate.POLICIES)
    module = game_module(game)
    return {"random": at_random, "sensible": module.sensible}


def evening(game: str, ruleset: str = "classic", players: int = 0, games: int = 1, policy: str = "random", seed: int = 1) -> dict[str, Any]:
    """Play deals in a row with the invariants on, and tell how they went: how deals ended, events, chips by seat.

    `players` 0 is the game's usual number. Raises InputError for what is not known; AssertionError where an invariant fails.
    """
    module = game_module(game)
    g: Game = module.GAME
    rules = g.rules(ruleset)
    if not players:
        players = min(max(2, rules.players[0]), rules.players[1])
    known = policies(g.name)
    if policy not in known:
        raise InputError("unknown-policy", f"{g.name} has no policy {policy[:40]!r}", mend=did_you_mean(policy, known))
    if g.name == "gostop":
        return simulate.evening(ruleset, players, games, policy, seed)
    rng = random.Random(seed)
    ends: Counter[str] = Counter()
    seats = [f"P{i + 1}" for i in range(players)]
    chips, dealer, events = dict.fromkeys(seats, 0), seats[0], 0
    options: dict[str, Any] = {}
    for n in range(games):      # every deal in a match of its own: an evening of ten thousand deals need not be kept
        match = Match(g, ruleset, seats, dealer, {"seed": seed + n, **options})
        events += play_deal(match, known[policy], rng, module.audit)
        result = g.result(match.evening.state)
        assert result is not None, "the deal has no end"
        ends[result.winner or "nobody"] += 1
        net = match.sheet().net()
        assert sum(net.values()) == 0, "payments do not add up to nothing"
        chips = {p: c + net.get(p, 0) for p, c in chips.items()}
        dealer = result.dealer or dealer
        options = {} if result.over else dict(result.options)
    return {"game": g.name, "ruleset": rules.name, "players": players, "games": games, "policy": policy, "seed": seed,
            "ends": dict(sorted(ends.items())), "events": events, "chips": list(chips.values())}


def play_deal(match: Match, policy: Policy, rng: random.Random, audit: Callable[[State], str]) -> int:
    """Play a match's present deal to its end; the number of events. `audit` is the game's own: what is wrong with a
    state, such as cards lost or doubled. Raises AssertionError where an invariant fails."""
    game = match.game
    for _ in range(_MOST_STEPS):
        state = match.evening.state
        choices = game.legal(state)
        if not choices:
            break
        event = policy(state, choices, rng)
        why = game.check(state, event)
        assert why is None, f"{event} is said to be legal, and refused: {why}"
        before = match.evening
        logged = match.append([event], match.seq)
        for e in logged:
            before = step(game, before, e)
        assert before == match.evening, "what was logged does not fold to what is"
        match.sheet()                        # its terms add up, or it cannot be made
        wrong = audit(match.evening.state)
        assert not wrong, wrong
    else:
        raise AssertionError("the deal does not end")
    assert match.log.refold() == match.evening, "a fresh fold differs"
    return match.seq


def in_words(told: dict[str, Any]) -> str:
    """A report of `evening` as lines of text."""
    lines = [f"{told['game']} · {told['ruleset']}: {told['games']} deals, {told['players']} players, policy {told['policy']}, "
             f"seed {told['seed']}",
             "  ended: " + ", ".join(f"{name} {n}" for name, n in told["ends"].items()),
             "  chips: " + ", ".join(f"{n:+d}" for n in told["chips"])]
    more = {k: v for k, v in told.items() if k in ("turns", "goes", "longest_carry", "events")}
    return "\n".join([*lines, "  " + ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in more.items()), "  every invariant held"])


def main(args: Namespace) -> int:
    """The command: args `game`, `ruleset`, `players`, `games`, `policy`, `seed`, `json`; 1 where an invariant fails. Raises InputError."""
    try:
        told = evening(args.game or "gostop", args.ruleset or "classic", args.players or 0, args.games or 1, args.policy, args.seed)
    except AssertionError as e:
        print(f"{args.game}, seed {args.seed}: an invariant failed: {e}; this is a fault of Kibitz, please report it with the seed",
              file=sys.stderr)
        return 1
    sys.stdout.write((json.dumps(told, ensure_ascii=False) if args.json else in_words(told)) + "\n")
    return 0
