"""The worked rule cases as test data: each with its answer fields apart, and the same case told otherwise."""
from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PLAYER_FIELDS = {"player", "under", "emptied_by", "spitter", "accepted", "refused", "winner", "match_winner", "face_down_tops",
                 "useful_empty_space", "started_by", "lose_token", "turn"}


@cache
def answers() -> dict[tuple[str, str], list[str]]:
    """Which fields of a kind are its answer: read from the checking tool, so that both ask the same."""
    tree = ast.parse((ROOT / "tools/check/rules.py").read_text(encoding="utf-8"))
    value = next(n.value for n in tree.body if isinstance(n, ast.Assign) and getattr(n.targets[0], "id", "") == "ANSWERS")
    return dict(ast.literal_eval(value))


def cases(file: str, game: str | None = None) -> list[dict[str, Any]]:
    """The cases of a file (of one game)."""
    text = (ROOT / "tests/data/rules" / file).read_text(encoding="utf-8")
    found = [json.loads(line) for line in text.splitlines() if line.strip()]
    return [c for c in found if game in (None, c["game"])]


def split(case: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """(what is asked, the right answer fields)."""
    fields = answers()[case["game"], case["kind"]]
    return {k: v for k, v in case.items() if k not in fields}, {k: case[k] for k in fields if k in case}


def wrong(case: dict[str, Any], judge: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """Answer fields that come out otherwise, as {field: (right, given)}."""
    asked, right = split(case)
    given = judge(asked)
    out = {}
    for field, value in right.items():
        have = given.get(field)
        if isinstance(value, list) and field in ("accepted", "refused", "lose_token"):
            value, have = sorted(value), sorted(have or [])
        if field == "points" and isinstance(value, dict):
            value, have = {k: v for k, v in value.items() if v}, {k: v for k, v in (have or {}).items() if v}
        if value != have:
            out[field] = (value, have)
    return out


def renamed(case: Any, names: dict[str, str], field: str = "") -> Any:
    """The case with its players renamed (an ace is an A too, so only fields that hold players are touched)."""
    if isinstance(case, dict):
        return {names.get(k, k): renamed(v, names, k) for k, v in case.items()}
    if isinstance(case, list):
        return [renamed(v, names, field) for v in case]
    return names.get(case, case) if field in PLAYER_FIELDS and isinstance(case, str) else case


def recoloured(case: Any, suits: dict[str, str]) -> Any:
    """The case with the suits of all its cards exchanged."""
    if isinstance(case, dict):
        return {k: v if k in ("id", "source", "why", "note") else recoloured(v, suits) for k, v in case.items()}
    if isinstance(case, list):
        return [recoloured(v, suits) for v in case]
    if isinstance(case, str) and len(case) == 2 and case[0] in "23456789TJQKA" and case[1] in suits:
        return case[0] + suits[case[1]]
    return case


def variants(case: dict[str, Any], suits: list[dict[str, str]]) -> Iterator[dict[str, Any]]:
    """The case itself, with players exchanged, and with suits exchanged."""
    yield case
    yield renamed(case, {"A": "B", "B": "A"})
    yield renamed(case, {"A": "B", "B": "C", "C": "A"}) if case["game"] == "stopbus" else renamed(case, {})
    for mapping in suits:
        yield recoloured(case, mapping)
