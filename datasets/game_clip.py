"""`python -m datasets.render game`: a simulated game as a case folder (clip.mp4, table.json, commands.jsonl, truth.jsonl)."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.art import WornDeck, load_deck
from datasets.simulate_camera import Camera, look
from datasets.simulate_cloth import blanket
from datasets.simulate_deal import Policy, play_deal
from datasets.simulate_gostop import Case, Habits, act_out
from datasets.simulate_hands import Person
from datasets.simulate_render import Look, Renderer
from datasets.simulate_speed import act_out_speed
from datasets.simulate_spit import act_out_spit
from datasets.simulate_stopbus import act_out_stopbus
from datasets.simulate_thegame import act_out_thegame
from datasets.surfaces import surface
from vision.zones import default_seats

DECKS = Path(__file__).parent / "decks"
OWN_ART = {"gostop": DECKS / "hwatu", "stopbus": DECKS / "french-classic", "thegame": DECKS / "numbers-round", "spit": DECKS / "french-classic",
           "speed": DECKS / "french-classic"}  # fmt: skip
SEATS = {"gostop": (2, 3), "stopbus": (2, 4), "thegame": (2, 4), "spit": (2, 2), "speed": (2, 2)}  # fewest and most that are simulated
Image = NDArray[Any]


@dataclass(frozen=True)
class Shoot:
    """How a game is filmed. `hard`: steep view, noise, glare, changing light, neighbours pushed."""

    size: tuple[int, int] = (1280, 720)
    fps: float = 30.0
    hard: bool = False
    bump_ms: float | None = None
    quiet: bool = False  # a clean picture that packs small
    tail_ms: float = 2500.0


def film(case: Case, art: Path, seed: int, shoot: Shoot) -> tuple[Renderer, Camera]:
    """Everything needed to draw the case: camera, people, tabletop, deck, chosen by the seed."""
    rng = np.random.default_rng([seed, 41])
    world = case.world
    w, h = world.size_mm
    deck = WornDeck(load_deck(art), int(rng.integers(1 << 31)), 0.5, plain=shoot.quiet or not shoot.hard)
    tilt = float(rng.uniform(38, 56)) if shoot.hard else float(rng.uniform(12, 34))
    camera = look(world.size_mm, *shoot.size, tilt=tilt, azimuth=float(rng.uniform(-12, 12)), roll=float(rng.normal(0, 1.2)),
                  fov=float(rng.uniform(55, 70)), margin=0.03)  # fmt: skip
    people = {p: Person(np.random.default_rng([seed, 43, i])) for i, p in enumerate(case.table["players"])}
    top = surface(rng, 1100, 1500) if shoot.hard and rng.random() < 0.5 else blanket(rng, 1100, 1500)
    if shoot.quiet:
        view = Look(noise=0.0, blur=0.55, shutter_ms=8.0)
    elif shoot.hard:
        view = Look(noise=float(rng.uniform(2, 5)), blur=float(rng.uniform(0.6, 1.0)), glare=0.1, flicker=float(rng.uniform(0.02, 0.1)),
                    shadow=float(rng.uniform(0.3, 0.5)), shutter_ms=float(rng.uniform(8, 16)), gain=float(rng.uniform(0.75, 1.1)))  # fmt: skip
    else:
        view = Look(noise=float(rng.uniform(1.0, 2.5)), blur=0.6, flicker=0.01)
    margin = 0.35
    renderer = Renderer(world, camera, deck, people, top, (-w * margin, -h * margin, w * (1 + margin), h * (1 + margin)), view, seed)
    return renderer, camera


def frames(case: Case, renderer: Renderer, camera: Camera, shoot: Shoot, seed: int) -> Iterator[tuple[float, Image]]:
    """(time in ms, picture) of every frame; with a bump the camera stands elsewhere from then on."""
    rng = np.random.default_rng([seed, 47])
    shift = rng.normal(0, 1, 3) * [9, 9, 4]
    turn = float(rng.choice([-1, 1]) * rng.uniform(0.4, 1.6))
    bumped = 0
    k = 0
    while (t := k * 1000 / shoot.fps) < case.world.end_ms + shoot.tail_ms:
        if shoot.bump_ms is not None and t >= shoot.bump_ms and bumped < 8:
            bumped += 1  # shakes, then comes to rest
            share = 1.0 if bumped == 8 else float(np.sin(bumped * 1.9) * 0.6 + 0.7)
            renderer.move_camera(camera.nudged(tuple(float(v) for v in shift * share), turn * share))
        yield t, renderer.frame(t)
        k += 1


def write_case(case: Case, out: Path, art: Path, seed: int, shoot: Shoot, kbits: int = 0) -> None:
    """Write the case folder. `kbits`: bit rate of the clip; 0 leaves it to the encoder."""
    out.mkdir(parents=True, exist_ok=True)
    renderer, camera = film(case, art, seed, shoot)
    w, h = case.world.size_mm
    corners = camera.project(np.array([[0, 0, 0], [w, 0, 0], [w, h, 0], [0, h, 0]], float))
    table = case.table | {"corners_px": [[round(float(x), 1), round(float(y), 1)] for x, y in corners]}
    (out / "table.json").write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    for name, rows in (("commands.jsonl", case.commands), ("truth.jsonl", case.truth)):
        (out / name).write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    if kbits:
        os.environ["OPENCV_FFMPEG_WRITER_OPTIONS"] = f"b;{kbits}k|bt;{kbits // 4}k|g;150"
    clip = cv2.VideoWriter(str(out / "clip.mp4"), cv2.VideoWriter.fourcc(*"mp4v"), shoot.fps, shoot.size)
    if not clip.isOpened():
        raise OSError(f"{out / 'clip.mp4'} cannot be written: OpenCV here has no MPEG-4 encoder")
    for _, image in frames(case, renderer, camera, shoot, seed):
        clip.write(image)
    clip.release()


def gostop(seed: int, players: int = 2, ruleset: str = "classic", jokers: int = 0, hard: bool = False, pace: float = 1.0,
           policy: Policy | None = None, say_go: bool = True, card_mm: tuple[float, float] = (35.0, 54.0)) -> Case:  # fmt: skip
    """A whole deal of Go-Stop acted out on a table of a size that suits the number of players."""
    rng = np.random.default_rng([seed, 53])
    names = "ABC"[:players]
    deal = play_deal(seed, names, names[int(rng.integers(players))], ruleset, jokers, policy=policy or Policy())
    size = (780.0, 480.0) if players == 2 else (900.0, 600.0)
    habits = Habits(
        fan=float(rng.uniform(13, 20)), junk_fan=float(rng.uniform(11, 16)), junk_by=int(rng.choice([5, 5, 0])),
        slam=0.25 if hard else 0.0, fumble=0.05 if hard else 0.0, jitter=3.0 if hard else 2.0, turn=6.0 if hard else 4.0,
    )  # fmt: skip
    return act_out(deal, size, card_mm, default_seats("gostop", names), ruleset, habits, pace, {"jokers": jokers} if jokers else {}, say_go)


def simulated(game: str, seed: int, players: int, hard: bool = True, ruleset: str = "classic", pace: float = 1.0) -> Case:
    """A whole game of any kind that is simulated, by its seed: a deal of Go-Stop, Stop the Bus until one player is left, a game of The
    Game or of Spit, a round of Speed. Raises ValueError for another game."""
    if game == "gostop":
        return gostop(seed, players, ruleset, hard=hard, pace=pace)
    if game == "stopbus":
        return act_out_stopbus(seed, "ABCD"[:players], ruleset, 1 + (seed % 4 == 3), pace)
    if game == "thegame":
        return act_out_thegame(seed, "ABCD"[:players], ruleset, pace)
    if game == "spit":
        return act_out_spit(seed, "AB", ruleset, 0.8 * pace)
    if game == "speed":
        return act_out_speed(seed, "AB", ruleset, 0.9 * pace)
    raise ValueError(f"no play of {game} is simulated: one of {', '.join(sorted(OWN_ART))}")


def main(argv: Sequence[str]) -> int:
    """The sub-command `game`."""
    p = argparse.ArgumentParser(prog="python -m datasets.render game", description=__doc__)
    p.add_argument("--game", default="gostop", choices=sorted(OWN_ART))
    p.add_argument("--seed", type=int, required=True)
    p.add_argument("--out", required=True, metavar="DIR")
    p.add_argument("--art", metavar="FOLDER", help="pictures of a deck (default: the project's own)")
    p.add_argument("--players", type=int, default=0, help="2 or 3 at Go-Stop (default 2), 2 at Spit and Speed, 2 to 4 elsewhere (default 3)")
    p.add_argument("--ruleset", default="classic")
    p.add_argument("--jokers", type=int, default=0, choices=[0, 1, 2])
    p.add_argument("--hard", action="store_true", help="steep view, noise, glare, changing light, pushed neighbours")
    p.add_argument("--quiet", action="store_true", help="a clean picture that packs small")
    p.add_argument("--pace", type=float, default=1.0, help="how slowly the table plays")
    p.add_argument("--fps", type=float, default=30.0)
    p.add_argument("--size", type=int, nargs=2, default=[1280, 720], metavar=("W", "H"))
    p.add_argument("--bump", type=float, metavar="SECONDS", help="the camera is bumped at this time")
    p.add_argument("--silent-go", action="store_true", help="nobody says or taps go")
    p.add_argument("--kbits", type=int, default=0, help="bit rate of the clip")
    a = p.parse_args(argv)
    cv2.setNumThreads(1)
    art = Path(a.art) if a.art else OWN_ART[a.game]
    least, most = SEATS[a.game]
    players = a.players or (2 if a.game in ("gostop", "spit", "speed") else 3)
    try:
        if not least <= players <= most:
            raise ValueError(f"--players {players}: at {a.game} {least} to {most} are simulated")
        size = load_deck(art).size_mm
        if a.game == "gostop":
            case = gostop(a.seed, players, a.ruleset, a.jokers, a.hard, a.pace, say_go=not a.silent_go, card_mm=size)
        else:
            case = simulated(a.game, a.seed, players, a.hard, a.ruleset, a.pace)
        shoot = Shoot((a.size[0], a.size[1]), a.fps, a.hard, a.bump * 1000 if a.bump is not None else None, a.quiet)
        write_case(case, Path(a.out), art, a.seed, shoot, a.kbits)
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
