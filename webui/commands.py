"""Every command: its words, its arguments, and the function that does the work.

A work function takes the parsed arguments and returns the exit status; it raises KibitzError for whatever a user can mend.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata

from webui import work

Work = Callable[[argparse.Namespace], int | None]
Arguments = Callable[[argparse.ArgumentParser], None]

GAMES = ("gostop", "spit", "speed", "stopbus", "thegame")
DECKS = ("hwatu", "french", "numbers")
DEFAULT_PORT = 8765

GROUPS = {"deck": "printable sheets of the drawn decks"}


@dataclass(frozen=True, slots=True)
class Command:
    """`name` may be two words (`deck print`); `more` ends the help."""

    name: str
    help: str
    work: Work
    arguments: Arguments
    more: str = ""


def version() -> str:
    """The version installed, or `0` in a checkout that nobody installed."""
    try:
        return metadata.version("kibitz")
    except metadata.PackageNotFoundError:
        return "0 (run from a checkout)"


def whole(low: int, high: int | None = None) -> Callable[[str], int]:
    """An argument type: a whole number from `low` to `high`."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
        if value < low or (high is not None and value > high):
            raise argparse.ArgumentTypeError(f"{value} is not {f'from {low} to {high}' if high is not None else f'{low} or more'}")
        return value

    return parse


def _json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON instead of words")


def _run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--source", metavar="SOURCE",
        help="0, 1, … for a USB camera (0@60: at 60 pictures a second, 0@1920x1080: of that size); an http:// or rtsp:// address; "
        "a video file; a picture or a folder of pictures; "
        "`demo` for the bundled clip (default: the first camera, else the clip)",
    )
    parser.add_argument("--game", choices=GAMES, help="what is played (default: gostop)")
    parser.add_argument("--players", type=whole(1, 7), metavar="N", help="how many play (default: 2)")
    parser.add_argument("--ruleset", metavar="NAME", help="a ruleset's name or your own TOML file (default: classic)")
    parser.add_argument("--deck-name", metavar="NAME", help="the enrolled deck on the table (default: any deck of its kind)")
    parser.add_argument("--table", metavar="FILE", help="a table.json: players, corners, zones, options")
    parser.add_argument("--port", type=whole(1, 65535), default=DEFAULT_PORT, help=f"where the page is served (default: {DEFAULT_PORT})")
    parser.add_argument("--lan", action="store_true", help="let phones on the same network in, by link with a token")
    parser.add_argument("--data", metavar="FOLDER", help="where games are kept (default: your user folder)")


def _read(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("pictures", nargs="+", metavar="PICTURE", help="pictures (JPEG, PNG, WebP, …)")
    parser.add_argument("--deck", choices=(*DECKS, "auto"), default="auto", help="the kind of cards (default: found by itself)")
    parser.add_argument("--deck-name", metavar="NAME", help="an enrolled deck of yours")
    parser.add_argument("--copies", type=whole(1), metavar="N", help="copies of each card that can be in the picture (default: any)")
    _json(parser)


def _measure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="a folder with pictures and truth.jsonl, as datasets.render writes it")
    parser.add_argument("--deck-name", metavar="NAME", help="an enrolled deck of yours")
    _json(parser)


def _judge(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE.jsonl", help="one case a line; - for standard input")


def _replay(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("clip", metavar="CLIP", help="a recorded clip, or `demo`")
    parser.add_argument("--table", metavar="table.json", help="the table (default: table.json beside the clip)")
    parser.add_argument("--commands", metavar="commands.jsonl", help="what people said or tapped (default: commands.jsonl beside the clip)")
    parser.add_argument("--ruleset", metavar="NAME", help="a ruleset's name or your own TOML file (default: the table's)")
    _json(parser)


def _enrol(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("photos", nargs="+", metavar="PHOTO", help="photographs of the deck laid out face up, all of it once")
    parser.add_argument("--name", required=True, help="what to call the deck")
    parser.add_argument("--deck", choices=("hwatu", "french"), required=True, help="the kind of cards")
    parser.add_argument(
        "--bonus", nargs="*", metavar="NAME=JUNK", help="bonus cards and the junk each counts as (default: joker-2=2 joker-3=3)"
    )
    parser.add_argument("--thorough", action="store_true", help="learn for about a minute: better where cards lie over each other")
    _json(parser)


def _deck_print(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--deck", choices=DECKS, default="hwatu", help="which drawn deck (default: hwatu)")
    parser.add_argument("--design", metavar="NAME", help="which of its designs, e.g. `block` (default: the plainest)")
    _sheet(parser, "build/deck-DECK.pdf")


def _markers(parser: argparse.ArgumentParser) -> None:
    _sheet(parser, "build/markers.pdf")


def _sheet(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument("--out", metavar="FILE.pdf", help=f"where the sheet is written (default: {default})")
    parser.add_argument("--paper", choices=("a4", "letter"), default="a4", help="paper size (default: a4)")


def _play(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--game", choices=GAMES, default="gostop", help="what is played (default: gostop)")
    parser.add_argument("--games", type=whole(1), default=1, metavar="N", help="how many games (default: 1)")
    parser.add_argument("--players", type=whole(1, 7), metavar="N", help="how many play (default: the game's usual number)")
    parser.add_argument("--ruleset", metavar="NAME", help="a ruleset's name or your own TOML file (default: classic)")
    parser.add_argument("--policy", default="random", help="how the players choose (default: random)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed plays the same games (default: 1)")
    _json(parser)


def _rules(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", nargs="?", choices=GAMES, metavar="GAME", help=f"{', '.join(GAMES)} (default: lists what there is)")
    parser.add_argument("ruleset", nargs="?", metavar="RULESET", help="a ruleset's name or your own TOML file (default: classic)")
    parser.add_argument("--lang", default="en", help="language: en, ko, … (default: en)")


def _export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION", help="a game's id or its file; `last` for the newest")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="totals as a table")
    form.add_argument("--jsonl", action="store_true", help="the whole log (default)")
    parser.add_argument("--out", metavar="FILE", help="where to write it (default: standard output)")
    parser.add_argument("--data", metavar="FOLDER", help="where games are kept (default: your user folder)")


def _import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="an exported .jsonl; - for standard input")
    parser.add_argument("--data", metavar="FOLDER", help="where games are kept (default: your user folder)")


def _doctor(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--source", metavar="SOURCE", help="test this source too: a camera's number or an address")
    parser.add_argument("--port", type=whole(1, 65535), default=DEFAULT_PORT, help=f"the port the page would use (default: {DEFAULT_PORT})")
    _json(parser)


def _bench(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--scorer", action="store_true", help="only the rules engine")
    what.add_argument("--pipeline", action="store_true", help="only the live pipeline")
    _json(parser)


COMMANDS: tuple[Command, ...] = (
    Command(
        "run", "watch a table and show the scores in the browser", work.run, _run, "With no camera it plays the bundled clip and says so."
    ),
    Command("read", "name the cards in pictures", work.read, _read, "Without --json an annotated copy is written under build/."),
    Command("enrol", "learn your own deck from photographs of it", work.enrol, _enrol),
    Command("replay", "run the live pipeline over a recorded clip and print the game's record", work.replay, _replay),
    Command("rules", "print the rules in force, in words", work.rules, _rules),
    Command("export", "write out a game's log or its scores", work.export, _export),
    Command("import", "take in an exported game, to look at or go on with", work.import_, _import),
    Command("markers", "make a printable sheet of the four corner markers", work.markers, _markers),
    Command("deck print", "make a printable sheet of a drawn deck", work.deck_print, _deck_print),
    Command("doctor", "say what is wrong on this machine, and the mend", work.doctor, _doctor),
    Command("play", "play simulated games with every invariant checked", work.play, _play),
    Command("judge", "answer rule cases", work.judge, _judge),
    Command("measure", "measure the reader on pictures whose truth is known", work.measure, _measure),
    Command("bench", "time the reader, the pipeline and the rules on this machine", work.bench, _bench),
)
