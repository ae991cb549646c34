#!/usr/bin/env python3
"""Films whole simulated games, enrols each game's deck from one photograph of it, and replays the clips.

usage: python -m tools.games GAME --seeds N [N ...] [--art FOLDER ...] [--players N ...] [--hard N] [--fps 30] [--size W H] [--out build/games]

The seeds take the decks of --art and the numbers of --players in turn; the first --hard of them are filmed hard (steep view, noise, glare, changing
light). A deck of Go-Stop is enrolled, with the names that its owner would confirm, into the folder --out/home: the photograph shows the
very deck of the game, on another table. Clips that are there are not made again. Prints what tools/check/replay.py says of them.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.art import WornDeck
from datasets.game_clip import OWN_ART, SEATS, Shoot, film, gostop, simulated, write_case
from datasets.layout import whole_deck
from datasets.scene import Scene
from datasets.surfaces import Surfaces
from scorer.cards import merged
from tools.check import replay
from vision import enrol
from vision.detect import overlap
from vision.read import Image, Reader

Quads = NDArray[Any]  # float

ROOT = Path(__file__).resolve().parents[1]
PHOTO = (1600, 1200)  # width and height in px
TABLES = 9_000_000  # seeds of tabletops that no game is played on


def laid_out(deck: WornDeck, seed: int) -> Scene:
    """The photograph of a deck laid out on another table."""
    return whole_deck(np.random.default_rng([seed, 59]), deck, Surfaces(seed + TABLES, size=1, side=PHOTO[0]), PHOTO)


def learn(reader: Reader, photo: Image, names: Sequence[str], quads: Quads, name: str, kind: str) -> None:
    """Enrol the deck of a photograph whose cards (`names`, `quads` (N, 4, 2) px) are known; a card that was found gets its true name, as its
    owner would give it."""
    places = enrol.find(reader, [photo], kind)
    worth = enrol.USUAL_BONUS if kind == "hwatu" else {}
    slots = enrol.slots_of(kind, worth)
    like = {merged(c): c for c in slots}  # a deck whose paulownia has three plain junk
    given = {}
    for k, place in enumerate(places):
        shared = [overlap(place.quad, q.astype(np.float32)) for q in quads]
        found = names[int(np.argmax(shared))] if max(shared) > 0.5 else ""
        given[k] = found if found in slots else like.get(merged(found), "")
    enrol.save(enrol.learn(reader, [photo], enrol.named_by_hand(places, given), name, kind, worth).deck)


def make(a: argparse.Namespace, reader: Reader, k: int, seed: int) -> Path:
    """The case folder of one game."""
    art = Path(a.art[k % len(a.art)]) if a.art else OWN_ART[a.game]
    players = a.players[k % len(a.players)] if a.players else SEATS[a.game][0]
    hard = k < a.hard
    out = Path(a.out) / f"{a.game}-{seed}-{art.name}-{players}p{'-hard' if hard else ''}"
    if (out / "truth.jsonl").exists() and (out / "clip.mp4").exists():
        return out
    shoot = Shoot((a.size[0], a.size[1]), a.fps, hard)
    case = gostop(seed, players, hard=hard) if a.game == "gostop" else simulated(a.game, seed, players, hard)
    if a.game == "gostop":
        laid = laid_out(film(case, art, seed, shoot)[0].deck, seed)
        name = f"{art.name[:20]}-{seed}"
        learn(reader, laid.image, laid.names, laid.quads, name, "hwatu")
        case.table["deck_name"] = name
    write_case(case, out, art, seed, shoot)
    return out


def main() -> int:
    p = argparse.ArgumentParser(prog="python -m tools.games", description=(__doc__ or "").splitlines()[0])
    p.add_argument("game", choices=sorted(OWN_ART))
    p.add_argument("--seeds", type=int, nargs="+", required=True)
    p.add_argument("--art", nargs="*", default=[], metavar="FOLDER", help="decks to play with (default: the project's own)")
    p.add_argument("--players", type=int, nargs="*", default=[])
    p.add_argument("--hard", type=int, default=0, help="how many of the games are filmed hard")
    p.add_argument("--fps", type=float, default=30.0)
    p.add_argument("--size", type=int, nargs=2, default=[1280, 720], metavar=("W", "H"))
    p.add_argument("--out", default=str(ROOT / "build" / "games"))
    a = p.parse_args()
    cv2.setNumThreads(1)
    os.environ["KIBITZ_HOME"] = str(Path(a.out) / "home")
    os.environ["PYTHONPATH"] = str(ROOT)
    reader = Reader()
    cases = [str(make(a, reader, k, seed)) for k, seed in enumerate(a.seeds)]
    sys.argv = ["replay.py", "--kibitz", f"{sys.executable} -m webui.cli", *cases]
    return replay.main()


if __name__ == "__main__":
    sys.exit(main())
