#!/usr/bin/env python3
"""Plays for long: random games of every kind with the invariants on, and kill -9 during play with no stored event lost.

usage: soak.py [--games 100000] [--kills 200] [--seed 1]

Nine games in ten are Go-Stop, in every ruleset and number of players; the rest are shared among the other games. Every tenth
game of those goes through `Match` with undo, redo, misread cards and an export and import on the way. Exits 1 at the first
fault, naming the game, the ruleset and the seed that find it again.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scorer import play
from scorer.game import find_game, game_names
from scorer.match import Match
from scorer.ruleset import preset_names
from scorer.store import Store, read_jsonl, to_jsonl

BATCH = 50
WEIGHTS = {"gostop": 90.0, "spit": 0.5, "speed": 2.0, "stopbus": 4.5, "thegame": 3.0}


def tables() -> list[tuple[str, str, int]]:
    """(game, ruleset, players) of everything that can be played."""
    out = []
    for name in game_names():
        for ruleset in preset_names(name):
            fewest, most = find_game(name).rules(ruleset).players
            out += [(name, ruleset, n) for n in range(max(fewest, 1), min(most, 5) + 1)]
    return out


def play_games(games: int, seed: int) -> int:
    """So many random games with the invariants on; the number of deals played."""
    rng = random.Random(seed)
    choices = tables()
    weights = [WEIGHTS[g] / sum(1 for t in choices if t[0] == g) for g, _, _ in choices]
    done, shown = 0, time.monotonic()
    while done < games:
        name, ruleset, players = rng.choices(choices, weights)[0]
        policy = rng.choice(list(play.policies(name)))
        batch, number = min(BATCH if name == "gostop" else 5, games - done), rng.randrange(2**31)
        try:
            play.evening(name, ruleset, players, batch, policy, number)
            if number % 10 == 0:
                corrected(name, ruleset, players, number)
        except Exception:
            print(f"fault: {name} {ruleset}, {players} players, policy {policy}, seed {number}", file=sys.stderr)
            raise
        done += batch
        if time.monotonic() - shown > 10:
            shown = time.monotonic()
            print(f"  {done} games", flush=True)
    return done


def corrected(name: str, ruleset: str, players: int, seed: int) -> None:
    """A stretch of play with corrections; the log is exported, imported and must fold to the same."""
    rng = random.Random(seed)
    match = Match(name, ruleset, [f"P{i + 1}" for i in range(players)], options={"seed": seed})
    for _ in range(120):
        legal = match.game.legal(match.evening.state)
        draw = rng.random()
        if draw < 0.08:
            match.command({"command": "undo"})
        elif draw < 0.12:
            match.command({"command": "redo"})
        elif draw < 0.15 and match.log.deal():
            match.command({"command": "undo", "seq": rng.choice(match.log.deal()).seq})
        elif legal:
            match.append([rng.choice(legal)], match.seq)
        elif match.game.result(match.evening.state) is not None:
            match.command({"command": "next-deal"})
    assert match.log.refold() == match.evening, "a fresh fold differs"
    again = Match.resume(read_jsonl(to_jsonl(match.events), "soak"))
    assert (again.evening, again.events) == (match.evening, match.events), "the imported log differs"
    assert sum(p["running"] for p in match.snapshot()["players"]) == 0, "chips do not add up to nothing"


def child(path: str, seed: int) -> None:
    """Play for ever, say the number of every event once it is stored."""
    rng = random.Random(seed)
    name, ruleset, players = rng.choice([t for t in tables() if t[0] != "gostop" and t[2] > 1])
    store = Store(path)
    match = Match(name, ruleset, [f"P{i + 1}" for i in range(players)], options={"seed": seed})
    session = store.create(match, 0)
    print(match.seq, flush=True)
    while True:
        legal = match.game.legal(match.evening.state)
        draw = rng.random()
        before = match.seq
        if draw < 0.1:
            match.command({"command": "undo"})
        elif legal:
            match.append([rng.choice(legal)], before)
        else:
            match.command({"command": "next-deal"})
        store.append(session, match.events[before:], 0)
        print(match.seq, flush=True)


def kill_games(kills: int, seed: int) -> int:
    """So many players killed in mid-play; the number of events that were said to be stored and are there."""
    rng = random.Random(seed)
    kept = 0
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "log.db")
        for n in range(kills):
            run = subprocess.Popen([sys.executable, __file__, "--child", path, "--seed", str(seed + n)], stdout=subprocess.PIPE, text=True)
            assert run.stdout is not None
            said = [int(run.stdout.readline()) for _ in range(rng.randint(1, 40))]
            time.sleep(rng.random() * 0.02)
            os.kill(run.pid, signal.SIGKILL)
            said += [int(x) for x in run.stdout.read().split("\n")[:-1]]
            run.wait()
            run.stdout.close()
            with Store(path) as store:
                session = store.sessions()[0]
                assert session.id == n + 1, "a session is lost"
                stored = store.events(session.id)
                assert len(stored) >= said[-1], f"kill {n}: {said[-1]} events were stored, {len(stored)} are left"
                match = store.resume(session.id, 0)
                assert match.log.refold() == match.evening, "a fresh fold differs"
                assert store.events(session.id) == match.events
            kept += said[-1]
            if n % 25 == 24:
                print(f"  {n + 1} kills", flush=True)
    return kept


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--child", metavar="PATH", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        child(args.child, args.seed)
    start = time.monotonic()
    played = play_games(args.games, args.seed)
    print(f"{played} games, every invariant held ({time.monotonic() - start:.0f} s)")
    start = time.monotonic()
    kept = kill_games(args.kills, args.seed)
    print(f"{args.kills} kill -9 during play, {kept} stored events, none lost ({time.monotonic() - start:.0f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
