#!/usr/bin/env python3
"""Plays whole simulated games past the tracker and the scorer, without pixels, and counts what the record got right.

usage: python -m tools.statistics GAME [--games 400] [--players N] [--seed N] [--mistakes N] [--seconds N] [--out FILE] [--show]

Every game is one line of the file (default build/statistics.jsonl), so a run that was stopped goes on where it stood; the sums are printed at the
end, each with n and its 95 % interval (Wilson). T3 events: true events that the record has (kind, player, cards, within 1.5 s). T3 owners: cards
that lie with their owner at the end. Wrong commits: events of the record that match no true one. T4: games whose captured cards, points, winner
and payout are all exact with nothing asked. `--mistakes N`: short games in which somebody plays wrongly once; the mistake must be flagged with
its code, and nothing else.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import cv2

from datasets.game_clip import simulated
from datasets.simulate_mistakes import KINDS, mistaken
from datasets.simulate_watch import compare, owners, watch

Z = 1.96


def wilson(hits: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927); (0, 1) where nothing was counted."""
    if not n:
        return 0.0, 1.0
    p, z2 = hits / n, Z * Z / n
    mid, half = p + z2 / 2, Z * math.sqrt(p * (1 - p) / n + z2 / (4 * n))
    return max(0.0, (mid - half) / (1 + z2)), min(1.0, (mid + half) / (1 + z2))


def share(what: str, hits: int, n: int) -> str:
    """A share as it is printed."""
    low, high = wilson(hits, n)
    return f"{what:28s} {hits}/{n} = {100 * hits / max(1, n):.2f} %  (95 %: {100 * low:.2f} to {100 * high:.2f})"


def play(game: str, seed: int, players: int, hard: bool, fps: float) -> dict[str, Any]:
    """One whole game: what the record got right."""
    case = simulated(game, seed, players, hard=hard)
    match, _, _ = watch(case, seed=seed, fps=fps)
    final = match.final()["final"]
    r = compare(case.truth, match.record(), final)
    right, lying = owners(case.truth, final)
    return {"right": r.right, "true": r.true, "given": r.given, "exact": r.exact, "asked": r.asked, "flags": r.flags, "owners": right, "lying": lying,
            "missing": r.missing, "wrong": r.wrong}  # fmt: skip


def err(kind: str, seed: int, players: int, fps: float) -> dict[str, Any]:
    """One short game with a planted mistake: the codes flagged."""
    case = mistaken(kind, seed, players)
    match, _, _ = watch(case, seed=seed, fps=fps)
    flags = [str(e.get("problem")) for e in match.record() if e["event"] == "flag"]
    return {"kind": kind, "flags": flags, "found": kind in flags, "others": len(flags) - (kind in flags)}


def rows(file: Path) -> list[dict[str, Any]]:
    """What was played before."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()] if file.exists() else []


def summary(played: Sequence[Mapping[str, Any]], shown: bool) -> Iterable[str]:
    """The sums of whole games."""
    def total(key: str) -> int:
        return sum(int(r[key]) for r in played)

    n = len(played)
    wrong = total("given") - total("right")
    yield share("T3 events right", total("right"), total("true"))
    yield share("T3 owners right", total("owners"), total("lying"))
    yield share("wrong commits", wrong, total("given"))
    yield share("T4 games exact", total("exact"), n)
    yield f"{'questions a game':28s} {total('asked') / max(1, n):.3f}   flags a game {total('flags') / max(1, n):.3f}"
    if shown:
        for r in played:
            if not r["exact"] or r["given"] != r["right"]:
                yield f"  seed {r['seed']}: exact {r['exact']}, right {r['right']}/{r['true']}, given {r['given']}, asked {r['asked']}, flags {r['flags']}"
                yield from (f"    - {x}" for x in r["missing"])
                yield from (f"    + {x}" for x in r["wrong"])


def mistakes_summary(played: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """The sums of games with mistakes."""
    yield share("mistakes flagged", sum(bool(r["found"]) for r in played), len(played))
    yield f"{'other flags':28s} {sum(int(r['others']) for r in played)} in {len(played)} games"
    by: Counter[str] = Counter()
    for r in played:
        by[str(r["kind"])] += 1
    for kind, n in sorted(by.items()):
        mine = [r for r in played if r["kind"] == kind]
        missed = [f"{r['seed']}: {','.join(r['flags']) or 'nothing'}" for r in mine if not r["found"] or r["others"]]
        yield f"  {kind:20s} {sum(bool(r['found']) for r in mine)}/{n}" + (f"   ({'; '.join(missed)})" if missed else "")


def main(argv: Sequence[str] | None = None) -> int:
    """The command."""
    p = argparse.ArgumentParser(prog="python -m tools.statistics", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("game", choices=["gostop", "stopbus", "thegame", "spit", "speed"])
    p.add_argument("--games", type=int, default=400)
    p.add_argument("--players", type=int, default=0, help="0: by turns all numbers that the simulator seats")
    p.add_argument("--seed", type=int, default=20_000, help="of the first game")
    p.add_argument("--mistakes", type=int, default=0, help="so many games with a mistake instead")
    p.add_argument("--fps", type=float, default=15.0, help="looks a second")
    p.add_argument("--easy", action="store_true", help="tidy players: nothing is slammed or fumbled")
    p.add_argument("--seconds", type=float, default=math.inf, help="stop after so long")
    p.add_argument("--out", default="build/statistics.jsonl")
    p.add_argument("--show", action="store_true", help="name what went wrong")
    a = p.parse_args(argv)
    cv2.setNumThreads(1)
    file, began = Path(a.out), time.monotonic()
    file.parent.mkdir(parents=True, exist_ok=True)
    seats = {"gostop": (2, 3), "stopbus": (2, 3, 4), "thegame": (2, 3, 4), "spit": (2,), "speed": (2,)}[a.game]
    wanted = []
    for i in range(a.mistakes or a.games):
        players = a.players or seats[i % len(seats)]
        wanted.append({"game": a.game, "seed": a.seed + i, "players": players, "mistake": KINDS[i % len(KINDS)] if a.mistakes else None, "fps": a.fps,
                       "hard": not a.easy})  # fmt: skip
    done = {tuple(r.get(k) for k in wanted[0]): r for r in rows(file)} if wanted else {}
    played = []
    for w in wanted:
        key = tuple(w.values())
        if key not in done:
            if time.monotonic() - began > a.seconds:
                break
            try:
                told = err(str(w["mistake"]), w["seed"], w["players"], a.fps) if a.mistakes else play(a.game, w["seed"], w["players"], w["hard"], a.fps)
            except Exception as error:  # one game's fault is counted against it and must not end the run
                print(f"seed {w['seed']}: {type(error).__name__}: {error}", file=sys.stderr)
                raise
            done[key] = w | told
            with file.open("a", encoding="utf-8") as f:
                f.write(json.dumps(done[key]) + "\n")
        played.append(done[key])
    who = f"{a.players} players" if a.players else f"{seats[0]} to {seats[-1]} players"
    print(f"{a.game}, {who}: {len(played)} of {len(wanted)} games, seeds from {a.seed}")
    print("\n".join(mistakes_summary(played) if a.mistakes else summary(played, a.show)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
