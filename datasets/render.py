"""Pictures and clips with their truth.

    python -m datasets.render scenes --deck KIND [--art FOLDER …] --seed S --count N --out DIR
    python -m datasets.render laid --deck KIND [--art FOLDER] --wear N --seed S --out DIR
    python -m datasets.render game --game GAME --seed N --out DIR [--art FOLDER]

`laid` is the photograph of a whole deck laid out in rows, from which it can be enrolled; with the same `--wear` scenes show that very deck.
The same seed gives the same pictures. `--art` may be a deck's folder or a folder of decks; without it the project's own decks are used.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import cv2
import numpy as np

from datasets.art import DeckArt, WornDeck, load_deck
from datasets.layout import whole_deck
from datasets.scene import HAND, Scene, random_scene
from datasets.surfaces import Surfaces

OWN = Path(__file__).parent / "decks"
WORN = 0.6  # how far a deck may be from its art


def _is_deck(folder: Path) -> bool:
    """Whether a folder holds cards, as pictures or drawn."""
    return any(folder.glob("*.png")) or (folder / "deck.toml").exists()


def decks_of(kind: str, art: list[str]) -> list[DeckArt]:
    """The decks of a kind in these folders. Raises ValueError where there is none."""
    found = []
    for f in map(Path, art) if art else [OWN]:
        for folder in [f] if _is_deck(f) else sorted(p for p in f.glob("*") if p.is_dir() and _is_deck(p)):
            deck = load_deck(folder)
            if deck.kind == kind and len(deck.faces) >= 40:
                found.append(deck)
    if not found:
        raise ValueError(f"no {kind} deck in {', '.join(art) or OWN}: a deck is a folder of <card>.png")
    return found


def carries_print(scene: Scene, i: int) -> bool:
    """Whether what shows of card i has any print on it (a strip of bare white edge tells nothing)."""
    inner = cv2.erode((scene.ids == i + 1).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    px = scene.image[inner]
    return len(px) >= 12 and float(np.ptp(px.reshape(-1, 3).mean(1))) > 40 and float(px.std(0).max()) > 9


def truth_of(scene: Scene, file: str, kind: str) -> dict:
    """The truth of a scene in the form of `kibitz read`."""
    cards = []
    for i, (name, quad, v) in enumerate(zip(scene.names, scene.quads, scene.visible, strict=True)):
        if v > 0.02:
            cards.append(
                {
                    "card": name,
                    "visible": round(float(v), 3),
                    "print": carries_print(scene, i),
                    "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in quad],
                }
            )
    return {"image": file, "deck": kind, "cards": cards}


def scenes(a: argparse.Namespace) -> int:
    """Write pictures and truth.jsonl."""
    cv2.setNumThreads(1)
    arts = decks_of(a.deck, a.art)
    out = Path(a.out)
    out.mkdir(parents=True, exist_ok=True)
    surfaces = Surfaces(a.seed + 7_000_000, size=24, side=900)  # other surfaces than any training seed draws
    worn = [WornDeck(d, a.wear, WORN) for d in arts] if a.wear is not None else []
    w, h = a.size
    with open(out / "truth.jsonl", "w", encoding="utf-8") as f:
        for k in range(a.count):
            rng = np.random.default_rng([a.seed, k, 3])
            if a.wear is None and k % 10 == 0:
                worn = [WornDeck(d, int(rng.integers(1 << 31)), WORN, plain=bool(rng.random() < 0.3)) for d in arts]
            scene = random_scene(rng, worn[k % len(worn)], surfaces, h, w, (a.short[0] * w, a.short[1] * w), most=a.most, strength=a.strength, tilt_max=a.tilt)
            assert scene.ids.max() <= HAND
            name = f"{k:05d}.jpg"
            cv2.imwrite(str(out / name), scene.image, [cv2.IMWRITE_JPEG_QUALITY, 92])
            f.write(json.dumps(truth_of(scene, name, a.deck)) + "\n")
    return 0


def laid(a: argparse.Namespace) -> int:
    """Write laid.jpg, all faces of one deck in no order, and truth.jsonl."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng([a.seed, 5])
    deck = WornDeck(decks_of(a.deck, a.art)[0], a.wear, WORN)
    scene = whole_deck(rng, deck, Surfaces(a.seed + 8_000_000, size=1, side=a.size[0]), (a.size[0], a.size[1]), a.columns)
    out = Path(a.out)
    out.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(out / "laid.jpg"), scene.image, [cv2.IMWRITE_JPEG_QUALITY, 92])
    (out / "truth.jsonl").write_text(json.dumps(truth_of(scene, "laid.jpg", a.deck)) + "\n", encoding="utf-8")
    return 0


def main(argv: list[str] | None = None) -> int:
    p = argparse.ArgumentParser(prog="python -m datasets.render", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = p.add_subparsers(dest="what", required=True)
    s = sub.add_parser("scenes", help="random tables as pictures with their truth")
    s.add_argument("--deck", required=True, choices=["hwatu", "french", "numbers"])
    s.add_argument("--art", nargs="*", default=[], metavar="FOLDER")
    s.add_argument("--seed", type=int, default=0)
    s.add_argument("--count", type=int, default=100)
    s.add_argument("--out", required=True)
    s.add_argument("--size", type=int, nargs=2, default=[1280, 720], metavar=("W", "H"))
    s.add_argument("--short", type=float, nargs=2, default=[0.035, 0.12], metavar=("MIN", "MAX"), help="short side of a card as a share of the picture's width")
    s.add_argument("--most", type=int, default=40, help="cards in a picture at most")
    s.add_argument("--strength", type=float, default=0.8, help="of light, blur and noise")
    s.add_argument("--tilt", type=float, default=55.0, help="camera's greatest tilt in degrees")
    s.add_argument("--wear", type=int, help="one deck for all pictures, printed and worn by this seed (default: another one every ten pictures)")
    t = sub.add_parser("laid", help="the photograph of a deck laid out, with its truth")
    t.add_argument("--deck", required=True, choices=["hwatu", "french", "numbers"])
    t.add_argument("--art", nargs="*", default=[], metavar="FOLDER")
    t.add_argument("--seed", type=int, default=0)
    t.add_argument("--wear", type=int, required=True, help="how the deck is printed and worn (a seed)")
    t.add_argument("--out", required=True)
    t.add_argument("--size", type=int, nargs=2, default=[1600, 1200], metavar=("W", "H"))
    t.add_argument("--columns", type=int, default=12)
    sub.add_parser("game", help="a simulated game as a clip with its truth", add_help=False)
    known, rest = p.parse_known_args(argv)
    if known.what == "game":
        from datasets.game_clip import main as game_main  # the simulator is heavy: only when asked for

        return int(game_main(rest) or 0)
    if rest:
        p.error(f"unknown arguments: {' '.join(rest)}")
    try:
        return laid(known) if known.what == "laid" else scenes(known)
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
