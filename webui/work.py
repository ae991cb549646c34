"""What each command calls. Every import stands inside its function: `kibitz judge` must not wait for OpenCV or Flask."""

from __future__ import annotations

import argparse


def run(args: argparse.Namespace) -> int:
    from webui.runtime import main

    return main(args)


def read(args: argparse.Namespace) -> int:
    from vision.read import main

    return main(args)


def measure(args: argparse.Namespace) -> int:
    from vision.measure import main

    return main(args)


def enrol(args: argparse.Namespace) -> int:
    from vision.enrol import main

    return main(args)


def replay(args: argparse.Namespace) -> int:
    from webui.replay import main

    return main(args)


def judge(args: argparse.Namespace) -> int:
    from scorer.judge import main

    return main([args.file])


def play(args: argparse.Namespace) -> int:
    from scorer.play import main

    return main(args)


def rules(args: argparse.Namespace) -> int:
    from webui.evenings import rules_main

    return rules_main(args)


def export(args: argparse.Namespace) -> int:
    from webui.evenings import export_main

    return export_main(args)


def import_(args: argparse.Namespace) -> int:
    from webui.evenings import import_main

    return import_main(args)


def markers(args: argparse.Namespace) -> int:
    from webui.printing import markers_main

    return markers_main(args)


def deck_print(args: argparse.Namespace) -> int:
    from webui.printing import deck_main

    return deck_main(args)


def doctor(args: argparse.Namespace) -> int:
    from webui.doctor import main

    return main(args)


def bench(args: argparse.Namespace) -> int:
    from webui.bench import main

    return main(args)
