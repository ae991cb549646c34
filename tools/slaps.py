"""Photo finishes on simulated clips: how often the camera's word is right, by `python -m tools.slaps --n 200 --fps 30 --light good`.

Frames go straight from the simulator into `vision.hands`; nothing is written to disk but, with `--out`, one JSON line a clip. A run
that finds lines there goes on after them.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import cv2

from datasets.art import load_deck
from datasets.simulate_slaps import OWN_ART, SEATS, Clip, Scene, nothing, race, scene, slap
from scorer.games.spit.touch import Touch, TouchRules, in_order
from vision.hands import HandWatch

A_SCENE = 10  # clips shot at one table
CAUSES = ("hover", "shadow", "sleeve", "third")
CLEAR_MS = 33.0


def watch(clip: Clip) -> dict[str, Any]:
    """What the camera says of a clip, beside the truth."""
    camera = clip.scene.renderer.camera
    eye = HandWatch(clip.scene.plane, (camera.width, camera.height), clip.scene.zones, SEATS)
    found, spent = [], []
    for frame in clip.frames():
        begun = time.process_time()
        found += eye.see(frame)
        spent.append((time.process_time() - begun) * 1000)
    piles = {"L", "R"}
    laid = clip.kind == "race"  # a card that lies there bears out a hand that came softly
    touches = [t for t in found if (t.kind == "touch" or laid) and t.zone in piles]
    return {
        "seed": clip.seed, "cause": clip.cause, "kind": clip.kind,
        "truth": [[t.player, t.pile, round(t.t_ms, 2)] for t in clip.touches],
        "found": [_plain(t) for t in touches],
        "soft": [_plain(t) for t in found if t not in touches and t.zone in piles],
        "shutter_ms": round(clip.scene.renderer.look.shutter_ms, 1), "readout_ms": round(clip.scene.renderer.readout_ms, 1),
        "ms": round(statistics.fmean(spent), 2), "most_ms": round(max(spent), 2),
        "late_ms": round(max((t.seen_ms - t.t_ms for t in touches), default=0), 1),
    }  # fmt: skip


def _plain(t: Any) -> list[Any]:
    return [t.player, t.zone, round(t.t_ms, 2), round(t.sigma_ms, 2), round(t.speed, 2), round(t.hit, 3), round(t.peak, 2)]


def verdict(row: dict[str, Any]) -> tuple[str, str]:
    """(what is said, what is so): of two hands on one pile who was first or `too-close`; else `missed` or `piles`."""
    truth = {p: (pile, t) for p, pile, t in row["truth"]}
    first: dict[str, Touch] = {}
    for player, pile, t, sigma, *_ in row["found"]:
        if player in truth and player not in first:
            first[player] = Touch(player, t, pile=pile, sigma_ms=sigma)
    so = min(truth, key=lambda p: truth[p][1])
    if len(first) < len(truth):
        return "missed", so
    ahead = in_order(first["A"], first["B"], TouchRules())
    return ("too-close" if ahead is None else "A" if ahead else "B"), so


def interval(k: int, n: int) -> str:
    """A share with its 95 % interval (Wilson)."""
    if not n:
        return "–"
    z, p = 1.96, k / n
    mid, half = (p + z * z / 2 / n) / (1 + z * z / n), z * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n) / (1 + z * z / n)
    return f"{100 * p:.1f} % ({100 * max(0, mid - half):.1f} to {100 * min(1, mid + half):.1f}; n = {n})"


def figures(rows: Sequence[dict[str, Any]]) -> list[str]:
    """The figures of a set of slaps or races, or of nothing at all."""
    if not rows:
        return ["no clips"]
    out = []
    real = [r for r in rows if r["truth"]]
    still = [r for r in rows if not r["truth"]]
    if real:
        said = [(*verdict(r), r) for r in real]
        gaps = {id(r): abs(r["truth"][0][2] - r["truth"][1][2]) for r in real}
        clear = [(v, so) for v, so, r in said if gaps[id(r)] >= CLEAR_MS]
        decided = [(v, so) for v, so in clear if v in "AB"]
        out.append(f"gap ≥ {CLEAR_MS:g} ms: decided and right {interval(sum(v == so for v, so in clear), len(clear))}")
        out.append(f"gap ≥ {CLEAR_MS:g} ms: of those decided, right {interval(sum(v == so for v, so in decided), len(decided))}")
        out.append(f"wrong verdicts: {interval(sum(v in 'AB' and v != so for v, so, _ in said), len(said))}")
        out.append(f"too close: {interval(sum(v == 'too-close' for v, _, _ in said), len(said))}")
        out.append(f"a hand missed: {interval(sum(v == 'missed' for v, _, _ in said), len(said))}")
        hands = [(p, pile, t, r) for r in real for p, pile, t in r["truth"]]
        seen = [(pile, t, f) for p, pile, t, r in hands for f in [next((f for f in r["found"] if f[0] == p), None)] if f]
        right = sum(pile == f[1] for pile, _, f in seen)
        out.append(f"pile of each hand right: {interval(right, len(seen))}; hands seen {interval(len(seen), len(hands))}")
        off = [f[2] - t for _, t, f in seen]
        z = [(f[2] - t) / f[3] for _, t, f in seen]
        gap = []
        for r in real:
            f = {p: (t, s) for p, _, t, s, *_ in reversed(r["found"])}
            t = {p: t for p, _, t in r["truth"]}
            if len(f) == len(t) == 2:
                gap.append(((f["B"][0] - f["A"][0]) - (t["B"] - t["A"]), math.hypot(f["A"][1], f["B"][1])))
        if len(off) > 2 and len(gap) > 2:
            out.append(
                f"time of a touch: mean error {statistics.fmean(off):.1f} ms, deviation {statistics.pstdev(off):.1f} ms, "
                f"in deviations {statistics.pstdev(z):.2f}; of a gap {statistics.pstdev([g for g, _ in gap]):.1f} ms, "
                f"said {statistics.fmean([s for _, s in gap]):.1f} ms, in deviations {statistics.pstdev([g / s for g, s in gap]):.2f}, "
                f"beyond 2: {interval(sum(abs(g) > 2 * s for g, s in gap), len(gap))}"
            )
        strangers = sum(len(r["found"]) > len(r["truth"]) for r in real)
        out.append(f"clips with a touch too many: {strangers}")
    for cause in CAUSES:
        some = [r for r in still if r["cause"] == cause]
        if some:
            out.append(f"{cause}: no slap {interval(sum(not any(f[0] in SEATS for f in r['found']) for r in some), len(some))}")
    late = [r["late_ms"] for r in rows if r["found"]]
    out.append(f"touch logic: {statistics.fmean(r['ms'] for r in rows):.1f} ms a frame, at most {max(r['most_ms'] for r in rows):.0f} ms; "
               f"known {statistics.fmean(late) if late else 0:.0f} ms after the touch")  # fmt: skip
    return out


def clips(kind: str, n: int, fps: float, light: str, size: tuple[int, int], seed: int, done: int = 0) -> Iterable[Clip]:
    """Clips `done` … n - 1 of a set."""
    art = load_deck(OWN_ART)
    place: Scene | None = None
    for k in range(done, n):
        if place is None or k % A_SCENE == 0:
            place = scene(seed * 100_003 + k // A_SCENE, light, size, art)
        own = seed * 100_003 + k
        if kind == "nothing":
            yield nothing(place, own, CAUSES[k % len(CAUSES)], fps)
        else:
            yield (race if kind == "races" else slap)(place, own, fps)


def main(argv: Sequence[str] | None = None) -> int:
    p = argparse.ArgumentParser(prog="python -m tools.slaps", description=__doc__)
    p.add_argument("--kind", default="slaps", choices=["slaps", "races", "nothing"])
    p.add_argument("--n", type=int, default=100)
    p.add_argument("--fps", type=float, default=30.0)
    p.add_argument("--light", default="good", choices=["good", "dim"])
    p.add_argument("--size", type=int, nargs=2, default=[640, 360], metavar=("W", "H"))
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--out", type=Path, metavar="FILE", help="one JSON line a clip; a run goes on after the lines that are there")
    a = p.parse_args(argv)
    if a.n < 1 or not 5 <= a.fps <= 240:
        print("--n must be at least 1 and --fps between 5 and 240", file=sys.stderr)
        return 2
    cv2.setNumThreads(1)
    rows = [json.loads(line) for line in a.out.read_text(encoding="utf-8").splitlines()][: a.n] if a.out and a.out.exists() else []
    out = a.out.open("a", encoding="utf-8") if a.out else None
    for clip in clips(a.kind, a.n, a.fps, a.light, (a.size[0], a.size[1]), a.seed, len(rows)):
        rows.append(watch(clip))
        if out:
            out.write(json.dumps(rows[-1]) + "\n")
            out.flush()
    print(f"{a.kind}, {a.fps:g} fps, {a.light} light, {a.size[0]} × {a.size[1]}")
    for line in figures(rows):
        print("  " + line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
