"""Measuring sight on pictures whose truth is known: T1 (finding cards) and T2 (naming them, by visible share)."""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from scorer.cards import BACK, merged
from scorer.errors import KibitzError
from vision.detect import overlap
from vision.read import Found, Reader, load_picture

BANDS = {"≥ 90 %": (0.9, 1.01), "50–70 %": (0.5, 0.7), "32–48 %": (0.32, 0.48), "20–30 %": (0.2, 0.3)}
SAME_PLACE = 0.5  # oriented intersection over union
LEAST_VISIBLE = 0.25


def wilson(right: int, n: int) -> tuple[float, float]:
    """95 % interval of a share (Wilson's score interval)."""
    if n == 0:
        return 0.0, 1.0
    z = 1.96
    p = right / n
    mid = p + z * z / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0.0, mid - half) / (1 + z * z / n), min(1.0, (mid + half) / (1 + z * z / n))


@dataclass
class Tally:
    """Counts of one measurement."""

    found: int = 0
    wanted: int = 0
    given: int = 0
    good: int = 0
    named: dict[str, list[int]] = field(default_factory=lambda: {b: [0, 0, 0, 0] for b in BANDS})  # right, found, wanted, sure and wrong

    def as_json(self) -> dict[str, Any]:
        def share(a: int, n: int) -> dict[str, Any]:
            low, high = wilson(a, n)
            return {"share": round(a / n, 4) if n else None, "n": n, "interval": [round(low, 4), round(high, 4)]}

        return {
            "T1": {"recall": share(self.found, self.wanted), "precision": share(self.good, self.given)},
            "T2": {b: {**share(v[0], v[1]), "of_all": round(v[0] / v[2], 4) if v[2] else None, "sure_and_wrong": v[3]} for b, v in self.named.items()},
        }


def same_card(a: str, b: str) -> bool:
    """Whether two names score the same: plain junk of a month is one, jokers are one."""
    return (a.startswith("joker") and b.startswith("joker")) or merged(a) == merged(b)


def tally(truth: list[dict[str, Any]], cards: list[Found], t: Tally) -> None:
    """Match the reading of one picture with its truth and add it to the tally."""
    quads = [np.array(c["quad"], np.float32) for c in truth]
    pairs = sorted(
        ((overlap(q, f.quad), i, j) for i, q in enumerate(quads) for j, f in enumerate(cards)
         if np.abs(q.mean(0) - f.quad.mean(0)).max() < math.sqrt(abs(cv2.contourArea(q)) + 1)),
        reverse=True)
    match: dict[int, int] = {}
    used: set[int] = set()
    for o, i, j in pairs:
        if o < SAME_PLACE:
            break
        if i not in match and j not in used:
            match[i] = j
            used.add(j)
    t.given += len(cards)
    t.good += len(used)
    for i, c in enumerate(truth):
        v = float(c.get("visible", 1.0))
        if v >= LEAST_VISIBLE:
            t.wanted += 1
            t.found += i in match
        if c["card"] == BACK or c.get("print") is False:
            continue
        for name, (low, high) in BANDS.items():
            if low <= v < high:
                row = t.named[name]
                row[2] += 1
                if i in match:
                    reading = cards[match[i]].reading
                    right = same_card(reading.card, c["card"])
                    row[1] += 1
                    row[0] += right
                    row[3] += reading.sure and not right


def main(args: argparse.Namespace) -> int:
    """`kibitz measure DIR`: the figures as a table or JSON."""
    cv2.setNumThreads(1)
    folder = Path(args.folder)
    path = folder / "truth.jsonl"
    if not path.exists():
        raise KibitzError("truth-missing", f"{path} is missing: make such a folder with `python -m datasets.render scenes --out {folder}`", path=str(path))
    reader, t = Reader(), Tally()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            image, kind, truth = row["image"], row["deck"], row["cards"]
        except (ValueError, KeyError, TypeError) as error:
            raise KibitzError("truth-broken", f"{path}, line {number}: not a picture's truth ({error}): render the folder again", path=str(path)) from error
        _, cards = reader.read(load_picture(folder / image), kind, args.deck_name)
        tally(truth, cards, t)
    result = t.as_json()
    if args.json:
        print(json.dumps(result, ensure_ascii=False))
        return 0
    for key, what in (("recall", "cards found, of those of which 25 % or more shows"), ("precision", "of what was found, cards")):
        r = result["T1"][key]
        print(f"T1 {key:10s} {r['share']}  n {r['n']}  95 % {r['interval']}   {what}")
    for band, r in result["T2"].items():
        print(f"T2 {band:8s} {r['share']}  n {r['n']}  95 % {r['interval']}   of all {r['of_all']}  sure and wrong {r['sure_and_wrong']}")
    return 0
