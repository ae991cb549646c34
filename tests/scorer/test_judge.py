"""`judge`: one answer a line, errors in their place, exit status."""

from __future__ import annotations

import io
import json
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scorer import judge
from scorer.game import game_module, game_names

ROOT = Path(__file__).parents[2]
CASES = sorted((ROOT / "tests/data/rules").glob("cases-*.jsonl"))


def lines(*cases: Any) -> list[str]:
    return [c if isinstance(c, str) else json.dumps(c) for c in cases]


GOOD = {"id": "x", "game": "stopbus", "kind": "classify", "hand": ["9c", "9d", "9h"]}


def test_a_case_that_cannot_be_judged_does_not_stop_the_run() -> None:
    out = list(
        judge.judge_lines(
            lines(
                GOOD,
                "nonsense",
                {"id": 7, "game": "tarot", "kind": "score"},
                "",
                {"id": 8, "game": "stopbus"},
                {"id": 9, "kind": "x"},
                [1],
                {**GOOD, "id": 10, "hand": 5},
                {**GOOD, "id": 11},
            )
        )
    )
    assert [(a["id"], "error" in a) for a in out] == [
        ("x", False),
        (None, True),
        (7, True),
        (8, True),
        (9, True),
        (None, True),
        (10, True),
        (11, False),
    ]
    assert out[0]["expect"] == "prial"
    assert all(a["code"] and "\n" not in a["error"] for a in out if "error" in a)


def test_long_lines_and_deep_nesting_are_errors() -> None:
    out = list(judge.judge_lines(["x" * 1_000_001, "[" * 100_000]))
    assert [a["code"] for a in out] == ["line-too-long", "bad-json"]


def test_answers_that_cannot_be_printed() -> None:
    assert json.loads(judge.as_line({"id": "\ud800", "expect": "run"})) == {"id": "\ud800", "expect": "run"}
    assert json.loads(judge.as_line({"id": "q", "payout": {"B": 10**5000}}))["code"] == "bad-case"
    assert json.loads(judge.as_line({"id": [1], "x": float("nan")}))["id"] is None


def test_main_reads_files_and_says_status(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text(json.dumps(GOOD) + "\n")
    bad.write_bytes(b'\xff\xfe{"id"\n' + json.dumps(GOOD).encode() + b"\n")
    for paths, status, answers in (([good], 0, 1), ([bad, good], 1, 3), ([tmp_path / "none"], 2, 0), ([tmp_path], 2, 0)):
        out, err = io.StringIO(), io.StringIO()
        assert judge.main([str(p) for p in paths], out, err) == status
        assert len(out.getvalue().splitlines()) == answers
        assert len(err.getvalue().splitlines()) == (1 if status == 2 else 0)


def test_standard_input_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    for paths in ([], ["-"]):
        monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(GOOD)))
        out = io.StringIO()
        assert judge.main(paths, out) == 0
        assert json.loads(out.getvalue())["expect"] == "prial"


def test_from_the_shell() -> None:
    run = subprocess.run([sys.executable, "-m", "scorer", "judge", "-"], input=json.dumps(GOOD), capture_output=True, text=True, cwd=ROOT)
    assert (run.returncode, json.loads(run.stdout)) == (0, {"id": "x", "expect": "prial"})
    run = subprocess.run([sys.executable, "-m", "scorer", "play"], capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 2
    assert run.stderr.startswith("usage:")


@pytest.mark.parametrize(("module", "argv", "status"), [("scorer", ["judge", "-"], 0), ("scorer", ["play"], 2), ("scorer.judge", ["-"], 0)])
def test_as_modules(module: str, argv: list[str], status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(GOOD)))
    monkeypatch.setattr(sys, "argv", [module, *argv])
    monkeypatch.delitem(sys.modules, module, raising=False)  # run as the shell does, without a warning that it is loaded
    with pytest.raises(SystemExit) as e:
        runpy.run_module(module, run_name="__main__")
    monkeypatch.undo()
    assert e.value.code == status
    assert ("prial" in capsys.readouterr().out) == (status == 0)


@pytest.mark.parametrize("file", CASES, ids=[f.name for f in CASES])
def test_answers_never_lean_on_answer_fields(file: Path) -> None:
    """A case with all its answers taken out is answered all the same, and the same twice."""
    rules = ROOT / "tools/check/rules.py"
    answers = {}
    exec(compile(rules.read_text().split("def worth")[0].split('"""', 2)[2], str(rules), "exec"), answers)  # its table of fields
    for line in file.read_text().splitlines():
        case = json.loads(line)
        hidden = {*answers["ANSWERS"][case["game"], case["kind"]], *answers["NOTES"]}
        bare = {k: v for k, v in case.items() if k not in hidden}
        assert judge.judge_case(bare) == judge.judge_case(bare) == judge.judge_case(case)


def test_every_game_judges() -> None:
    assert all(callable(game_module(name).judge) for name in game_names())


@pytest.mark.parametrize(("case", "named"), [
    ({"game": "spit", "kind": "slap", "hands": [], "choice": {}}, "choice"),
    ({"game": "spit", "kind": "slap", "hands": [{"player": "A", "pile": "X", "t_ms": 0}]}, "pile"),
    ({"game": "spit", "kind": "slap", "piles": {"L": -1, "R": 3}}, "piles.L"),
    ({"game": "spit", "kind": "race", "pile_top": "7", "touches": [{"player": None, "card": "8", "t_ms": 0}]}, "player"),
    ({"game": "spit", "kind": "race", "pile_top": "7", "touches": [{"player": "A", "card": "8", "t_ms": float("nan")}]}, "t_ms"),
    ({"game": "spit", "kind": "race", "pile_top": "7", "touches": [{"player": "A", "card": "1", "t_ms": 0}]}, "'1'"),
    ({"game": "spit", "kind": "source", "stock": ["5", "x"], "play": "x"}, "'x'"),
    ({"game": "spit", "kind": "layout", "cards": -1}, "cards"),
    ({"game": "spit", "kind": "layout", "cards": True}, "cards"),
    ({"game": "spit", "kind": "layout", "cards": 3.7}, "cards"),
    ({"game": "spit", "kind": "deadlock", "pile_tops": ["7", None], "stock_tops": {"A": ["8"], "B": ["2"]}}, "None"),
    ({"game": "spit", "kind": "deadlock", "pile_tops": ["7"], "stock_tops": {}}, "stock_tops"),
    ({"game": "spit", "kind": "end", "stock": {"A": "0"}, "spit_cards": {"A": 0}}, "stock.A"),
    ({"game": "spit", "kind": "end", "stock": {"A": 0}}, "spit_cards"),
    ({"game": "speed", "kind": "hand", "hand": -1, "stock": 3}, "hand"),
    ({"game": "speed", "kind": "hand", "hand": 4, "stock": 3, "action": "steal"}, "action"),
    ({"game": "speed", "kind": "refill-side", "spit_piles": 5}, "spit_piles"),
    ({"game": "speed", "kind": "score", "target": "twenty", "totals": {"A": 1}}, "target"),
    ({"game": "speed", "kind": "score"}, "stock"),
    ({"game": "stopbus", "kind": "round", "hands": []}, "hands"),
    ({"game": "stopbus", "kind": "classify", "hand": {"9c": 1, "9d": 1, "9h": 1}}, "hand"),
    ({"game": "thegame", "kind": "play", "pile": {"dir": "left", "top": 1}, "card": 5}, "pile"),
    ({"game": "thegame", "kind": "play", "pile": {"dir": "up", "top": 1}, "card": "5"}, "card"),
    ({"game": "thegame", "kind": "turn", "piles": [], "hand": [5, None], "plays": []}, "hand"),
    ({"game": "thegame", "kind": "turn", "piles": [], "hand": [5], "plays": [5]}, "plays"),
    ({"game": "thegame", "kind": "state", "piles": [], "hands": {"A": [5]}, "turn": "C"}, "turn"),
    ({"game": "thegame", "kind": "refill", "players": 2, "hand_before": 3, "played": 5, "draw_pile": 9}, "played"),
    ({"game": "thegame", "kind": "talk", "say": None}, "say"),
])
def test_a_malformed_case_is_an_error_that_names_the_key(case: dict[str, Any], named: str) -> None:
    answer, after = judge.judge_lines(lines({"id": "q", **case}, GOOD))
    assert answer["code"]
    assert set(answer) == {"id", "error", "code"}
    assert named in answer["error"]
    assert after["expect"] == "prial"


def test_a_gap_in_a_judge_costs_its_own_case_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """An iterator that ends within a judge would end the generator of answers too (StopIteration)."""
    monkeypatch.setattr(game_module("stopbus"), "judge", lambda case: next(iter(())))
    assert [a["code"] for a in judge.judge_lines(lines(GOOD, GOOD))] == ["bad-case", "bad-case"]
