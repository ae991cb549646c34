"""The console script `kibitz`: picks the command, imports the one module that does the work, says errors in one plain line.

Exit status: 0 done; 1 done, but something was found wrong (a case that cannot be judged, a fault that `doctor` names);
2 unusable arguments or input; 70 a fault of Kibitz itself; 130 stopped with Ctrl-C.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from scorer.errors import KibitzError
from webui import commands, libraries

UNUSABLE = 2
OWN_FAULT = 70
STOPPED = 130


class _Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line; the usage stands in --help."""

    def error(self, message: str) -> NoReturn:
        self.exit(UNUSABLE, f"{self.prog}: {message}; see {self.prog} --help\n")


def build_parser() -> argparse.ArgumentParser:
    """The whole command line: every command and sub-command, each with its help."""
    parser = _Parser(
        prog="kibitz",
        description="Watches a card table through a camera, reads the cards, keeps the score.",
        epilog="Start with `kibitz run`. `kibitz doctor` says what is missing on this machine.",
    )
    parser.add_argument("--version", action="version", version=f"kibitz {commands.version()}")
    group = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    nested: dict[str, argparse._SubParsersAction[_Parser]] = {}
    for command in commands.COMMANDS:
        head, _, tail = command.name.partition(" ")
        if tail and head not in nested:
            above = group.add_parser(head, help=commands.GROUPS[head], description=commands.GROUPS[head])
            nested[head] = above.add_subparsers(title="commands", metavar="COMMAND", required=True)
        into = nested[head] if tail else group
        sub = into.add_parser(
            tail or head, help=command.help, description=f"{command.help[0].upper()}{command.help[1:]}.", epilog=command.more,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.arguments(sub)
        sub.set_defaults(work=command.work, prog=sub.prog)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit status. Never lets a traceback out, unless KIBITZ_DEBUG is set."""
    # The libraries' own chatter would drown the one plain line; they read these when first imported.
    os.environ.setdefault("OPENCV_LOG_LEVEL", "OFF")
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    parser = build_parser()
    try:
        args = parser.parse_args(argv)
    except SystemExit as leaving:
        return int(leaving.code or 0)
    if args.command is None:
        parser.print_help(sys.stderr)
        return UNUSABLE
    try:
        status = args.work(args)
        sys.stdout.flush()
        return int(status or 0)
    except BrokenPipeError:  # `kibitz … | head`: the reader has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return STOPPED
    except Exception as error:
        if os.environ.get("KIBITZ_DEBUG"):
            raise
        line, status = _in_words(error)
        print(f"{args.prog}: {line}", file=sys.stderr)
        return status


def _in_words(error: Exception) -> tuple[str, int]:
    """One line for a person, and the exit status that goes with it."""
    if isinstance(error, KibitzError):
        return error.message, UNUSABLE
    if isinstance(error, ImportError):
        mend = libraries.mend(error)
        if mend:
            return mend, UNUSABLE
    if isinstance(error, UnicodeDecodeError):
        return f"the input is not UTF-8 text ({error.reason} at byte {error.start}): save it as UTF-8", UNUSABLE
    if isinstance(error, OSError) and error.filename is not None:
        reason = error.strerror or type(error).__name__
        return f"{error.filename}: {reason[0].lower()}{reason[1:]}: check the path and its permissions", UNUSABLE
    said = " ".join(str(error).split()) or "no more is known"
    return (
        f"a fault of Kibitz itself, {type(error).__name__}: {said[:300]} (set KIBITZ_DEBUG=1 and run it again for the details to report)",
        OWN_FAULT,
    )


if __name__ == "__main__":
    sys.exit(main())
