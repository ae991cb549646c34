#!/usr/bin/env python3
"""Writes docs/accuracy.md: every set of labelled photographs and every deck of card art, by visible share, with n and 95 % intervals.

usage: python -m tools.accuracy [--photos FOLDER] [--art FOLDER] [--count N] [--seed N] [--decks GLOB] [--out docs/accuracy.md]

Photographs are read through tools/check/photos.py; scenes are rendered anew from each deck of art and measured by
`kibitz measure`. A deck that a model card names among its sources is marked as trained on; any other is enrolled first, from one
rendered photograph of it laid out, its names confirmed as a person would. What was misread in photographs is drawn into copies
under build/accuracy/. A part without its folder keeps what the document said before.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from tools.games import learn
from vision.read import Reader, load_picture

ROOT = Path(__file__).resolve().parents[1]
KIBITZ = [sys.executable, "-m", "webui.cli"]
RENDER = [sys.executable, "-m", "datasets.render"]
BUILD = ROOT / "build" / "accuracy"
PARTS = ("photographs", "rendered")
HOME = BUILD / "home"  # where the decks enrolled here are kept


def said(command: list[str], folder: Path = ROOT) -> str:
    """Standard output of a command; what it has to complain about goes on to the person."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "KIBITZ_HOME": str(HOME)}
    return subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True).stdout


def sources() -> set[str]:
    """Names of what the models were trained on, from their cards."""
    named: set[str] = set()
    for card in (ROOT / "models").glob("*.toml"):
        for source in tomllib.loads(card.read_text(encoding="utf-8")).get("sources", []):
            named.add(str(source.get("name", "")) if isinstance(source, dict) else str(source))
    return named


def trained_on(deck: str, named: set[str]) -> bool:
    return any(re.search(rf"\b{re.escape(deck)}\b", source) for source in named)


def models() -> str:
    """The models measured, by the beginning of their sha256."""
    rows = []
    for card in sorted((ROOT / "models").glob("*.toml")):
        sha = tomllib.loads(card.read_text(encoding="utf-8")).get("sha256")
        if sha:
            rows.append(f"`{card.stem}` {str(sha)[:12]}")
    return ", ".join(rows)


def photographs(root: Path) -> list[str]:
    rows = ["| set | pictures | cards | precision | recall | F1 | exact | ms |", "|---|--:|--:|--:|--:|--:|--:|--:|"]
    for folder in sorted(f.parent for f in root.glob("*/*/labels.csv")):
        kind = folder.parent.name
        check = [sys.executable, "tools/check/photos.py", "--kibitz", " ".join(KIBITZ), "--deck", kind]
        for row in json.loads(said([*check, "--json", str(folder)]) or "[]")[:1]:
            figures = [f"{row[k]:.3f}" for k in ("precision", "recall", "f1", "exact")]
            rows.append(f"| {row['set']} | {row['pictures']} | {row['cards']} | {' | '.join(figures)} | {row['ms']:.0f} |")
            print(rows[-1], flush=True)
        wrong = re.findall(r"^    (\S+): \d+ right of", said([*check, "--show", "40", str(folder)]), re.M)
        if wrong:
            drawn = BUILD / kind / folder.name
            drawn.mkdir(parents=True, exist_ok=True)
            said([*KIBITZ, "read", "--deck", kind, *[str(folder / name) for name in wrong]], drawn)
    return rows


def rendered(root: Path, a: argparse.Namespace) -> list[str]:
    rows = ["| deck | how known | recall | precision | ≥ 90 % | 50–70 % | 32–48 % | 20–30 % |", "|---|---|---|---|---|---|---|---|"]
    named = sources()
    reader = Reader()
    for folder in sorted(f for f in root.glob("*/*") if f.is_dir() and fnmatch.fnmatch(f.name, a.decks)):
        kind = folder.parent.name
        out = BUILD / "scenes" / kind / folder.name
        art = ["--deck", kind, "--art", str(folder)]
        known, wear, deck = "trained on", [], []
        if not trained_on(folder.name, named):
            known, wear, deck = "enrolled", ["--wear", str(a.seed)], ["--deck-name", folder.name]
            said([*RENDER, "laid", *art, *wear, "--seed", str(a.seed), "--out", str(out / "laid")])
            if not enrolled(reader, out / "laid", folder.name, kind):
                continue
        said([*RENDER, "scenes", *art, *wear, "--seed", str(a.seed), "--count", str(a.count), "--out", str(out)])
        got = said([*KIBITZ, "measure", str(out), "--json", *deck])
        if not got:
            rows.append(f"| {kind}/{folder.name} | | could not be measured | | | | | |")
            continue
        r = json.loads(got)
        cells = [cell(r["T1"]["recall"]), cell(r["T1"]["precision"]), *[cell(band) for band in r["T2"].values()]]
        rows.append(f"| {kind}/{folder.name} | {known} | {' | '.join(cells)} |")
        print(rows[-1], flush=True)
    return rows


def enrolled(reader: Reader, laid: Path, name: str, kind: str) -> bool:
    """Learn a deck from its photograph, with the true name for every card that was found, as its owner would give it; False where there is no deck."""
    if not (laid / "truth.jsonl").exists():  # a folder of bonus cards is no deck
        return False
    truth = json.loads((laid / "truth.jsonl").read_text(encoding="utf-8"))["cards"]
    os.environ["KIBITZ_HOME"] = str(HOME)
    quads = np.array([c["quad"] for c in truth])
    learn(reader, load_picture(laid / "laid.jpg"), [str(c["card"]) for c in truth], quads, name, kind)
    return True


def cell(share: dict[str, Any]) -> str:
    """`97.1 % (95.9–98.0, n 1200)`"""
    if share["share"] is None:
        return "–"
    low, high = (100 * v for v in share["interval"])
    return f"{100 * share['share']:.1f} % ({low:.1f}–{high:.1f}, n {share['n']})"


def kept(document: Path) -> dict[str, list[str]]:
    """The parts of the document as it stands."""
    if not document.exists():
        return {}
    text = document.read_text(encoding="utf-8")
    found = re.findall(r"<!-- (\w+) -->\n(.*?)<!-- end -->", text, re.S)
    return {name: body.strip().splitlines() for name, body in found if name in PARTS}


def main() -> int:
    p = argparse.ArgumentParser(prog="python -m tools.accuracy", description=(__doc__ or "").splitlines()[0])
    p.add_argument("--photos", default="")
    p.add_argument("--art", default="")
    p.add_argument("--count", type=int, default=200, help="scenes for each deck")
    p.add_argument("--seed", type=int, default=90_001, help="of the scenes: one that no training used")
    p.add_argument("--decks", default="*", help="decks of art to measure (a pattern)")
    p.add_argument("--out", default=str(ROOT / "docs" / "accuracy.md"))
    a = p.parse_args()
    out = Path(a.out)
    parts = kept(out)
    for name, folder in (("photographs", a.photos), ("rendered", a.art)):
        if folder and not Path(folder).is_dir():
            print(f"accuracy: there is no folder {folder}: name one that is there", file=sys.stderr)
            return 2
        if not folder:
            print(f"skipped: {name} (give {'PHOTOS' if name == 'photographs' else 'ART'}=folder)")
    if a.photos:
        parts["photographs"] = [*photographs(Path(a.photos).resolve()), "", f"Models: {models()}."]
    if a.art:
        parts["rendered"] = [*rendered(Path(a.art).resolve(), a), "", f"Models: {models()}. {a.count} scenes a deck, seed {a.seed}."]
    lines = [
        "# Accuracy", "",
        "Written by `make accuracy`; do not edit by hand. Photographs decide; rendered scenes explain, and are no real camera.", "",
        "## Photographs", "", "<!-- photographs -->", *parts.get("photographs", ["Not measured yet."]), "<!-- end -->", "",
        "## Rendered scenes", "",
        "Cards found (at 25 % or more visible) and found rightly, then cards named rightly by the share of them that shows, each with its "
        "95 % interval and n.", "",
        "<!-- rendered -->", *parts.get("rendered", ["Not measured yet."]), "<!-- end -->",
    ]  # fmt: skip
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"written: {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
