"""``kibitz play``: simulated play without a camera, through the same transition functions, with the invariants on.

Go-Stop has an engine of plain ints for it (`games.gostop.simulate`); the other games are played by `games.simulate` through
`legal`, `follow` and `apply` of their live form.
"""
from __future__ import annotations

import json
import random
import sys
from argparse import Namespace
from collections import Counter
from typing import Any

from .frozen import FrozenDict
from .game import Game, find_game
from .games import simulate as tables
from .games.gostop import simulate as gostop


def policies(game: str) -> tuple[str, ...]:
    """The ways to play that a game knows."""
    return tuple(gostop.POLICIES) if game == "gostop" else ("random", "sensible")


def evening(game: str, ruleset: str = "classic", players: int = 0, games: int = 1, policy: str = "random", seed: int = 1) -> dict[str, Any]:
    """Play deals in a row with the invariants on, and tell how they went: how deals ended, events, chips by seat.

    `players` 0 is the game's usual number. Raises InputError for what is not known; AssertionError where an invariant fails.
    """
    g: Game = find_game(game)
    rules = g.rules(ruleset)
    players = players or min(max(2, rules.players[0]), rules.players[1])
    if g.name == "gostop":
        return gostop.evening(ruleset, players, games, policy, seed)
    choose, rng = tables.policy(g.name, policy), random.Random(seed)
    seats = tuple(f"P{i + 1}" for i in range(players))
    ends: Counter[str] = Counter()
    chips, dealer, events = dict.fromkeys(seats, 0), seats[0], 0
    options: dict[str, Any] = {}
    for n in range(games):
        state, result = g.start(rules, seats, dealer, FrozenDict({"seed": str(seed + n), **options})), None
        for step in tables.play_deal(g, state, rng, choose, n + 1):
            events, state, result = events + 1, step.state, step.result
        assert result is not None, "the deal has no end"
        net = g.score(state).net()
        assert sum(net.values()) == 0, "payments do not add up to nothing"
        ends[result.winner or "nobody"] += 1
        chips = {p: c + net.get(p, 0) for p, c in chips.items()}
        dealer = result.dealer or dealer
        options = {} if result.over else dict(result.options)
    return {"game": g.name, "ruleset": rules.name, "players": players, "games": games, "policy": policy, "seed": seed,
            "ends": dict(sorted(ends.items())), "events": events, "chips": list(chips.values())}


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
