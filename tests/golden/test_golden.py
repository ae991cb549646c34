"""Known answers as small text files: what commands print must not change unnoticed.

`make golden` writes the files anew (KIBITZ_GOLDEN=write); the diff is then reviewed like code.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from webui.cli import main

HERE = Path(__file__).parent
GAMES = ("gostop", "spit", "speed", "stopbus", "thegame")

ROWS = [
    *[(f"play-{game}.json", ["play", "--game", game, "--games", "3", "--seed", "7", "--json"]) for game in GAMES],
    ("play-gostop-sensible.json", ["play", "--games", "5", "--players", "3", "--policy", "sensible", "--ruleset", "korean-3p", "--json"]),
    ("rules.txt", ["rules"]),
]


@pytest.mark.parametrize(("name", "argv"), ROWS, ids=[name for name, _ in ROWS])
def test_what_was_printed_before_is_printed_now(name: str, argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(argv) == 0
    printed = capsys.readouterr().out
    file = HERE / name
    if os.environ.get("KIBITZ_GOLDEN") == "write":
        file.write_text(printed, encoding="utf-8")
    assert file.exists(), f"{file} is missing: run `make golden` and review it"
    assert printed == file.read_text(encoding="utf-8"), f"{name} differs: if that is meant, run `make golden` and review the diff"


def test_no_golden_file_is_left_over() -> None:
    assert {f.name for f in HERE.iterdir() if f.suffix in (".json", ".jsonl", ".txt")} == {name for name, _ in ROWS}
