"""The worked cases of Go-Stop, as they are and with players renamed, months exchanged, order shuffled and twins not told apart."""
from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from scorer.games.gostop import judge

RULES = Path(__file__).parents[1] / "data" / "rules"
ANSWERS = {"score": ("points", "junk_count"), "payout": ("points", "payout", "eligible"), "eligible": ("points", "eligible"),
           "event": ("payout",),
           "turn": ("captured", "stolen", "floor_after", "stacks_after", "events", "hand_added", "turn_continues")}
NOTES = {"source", "why", "note", "checked", "disagree", "ambiguous", "alt", "confidence", "marks", "base", "multiplier", "assumes"}
CASES = [json.loads(line) for name in ("cases-gostop.jsonl", "cases-turns.jsonl") for line in (RULES / name).read_text().splitlines()]


def asked(case: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in case.items() if k not in NOTES and k not in ANSWERS[case["kind"]]}


def worth(card: str) -> int:
    return 2 if card.endswith("double") else int(card[-1]) if re.match(r"joker-\d", card) else 1


def canonical(field: str, value: Any) -> Any:
    if field in ("captured", "floor_after", "events", "hand_added"):
        return sorted(value)
    if field == "stacks_after":
        return sorted(json.dumps(s, sort_keys=True) for s in value)
    if field == "stolen":
        return {p: sorted(map(worth, cards)) for p, cards in value.items() if cards}
    if field == "points":
        return {k: v for k, v in value.items() if v or k == "total"}
    return value


def wrong(case: dict[str, Any], answer: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    return {f: (case[f], answer.get(f)) for f in ANSWERS[case["kind"]]
            if f in case and canonical(f, case[f]) != canonical(f, answer[f])}


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_case(case: dict[str, Any]) -> None:
    assert wrong(case, judge(asked(case))) == {}, case["why"]


def replaced(value: Any, names: dict[str, str]) -> Any:
    """A JSON value with players renamed, keys included."""
    if isinstance(value, dict):
        return {names.get(k, k): replaced(v, names) for k, v in value.items()}
    if isinstance(value, list):
        return [replaced(v, names) for v in value]
    return names.get(value, value) if isinstance(value, str) else value


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_players_renamed(case: dict[str, Any]) -> None:
    names = {"A": "할머니", "B": "Beate", "C": "x"}
    other = replaced(case, names)
    assert wrong(other, judge(asked(other))) == {}


def months(value: Any, swap: dict[int, int]) -> Any:
    if isinstance(value, dict):
        return {k: swap.get(v, v) if k == "month" else months(v, swap) for k, v in value.items()}
    if isinstance(value, list):
        return [months(v, swap) for v in value]
    if isinstance(value, str) and re.match(r"\d\d-", value):
        return f"{swap.get(int(value[:2]), int(value[:2])):02d}{value[2:]}"
    return value


# months that play alike in a turn (same kinds of cards), and months that score alike (same sets, birds and cup)
TURN_ALIKE = ((1, 3), (2, 4, 5, 6, 7, 9, 10))
SCORE_ALIKE = ((1, 3), (5, 7), (6, 10))


@pytest.mark.parametrize("case", [c for c in CASES if c["kind"] != "event"], ids=lambda c: c["id"])
def test_months_exchanged(case: dict[str, Any]) -> None:
    rng = random.Random(case["id"])
    for _ in range(3):
        swap = {}
        for group in TURN_ALIKE if case["kind"] == "turn" else SCORE_ALIKE:
            swap |= dict(zip(group, rng.sample(group, len(group)), strict=True))
        other = months(case, swap)
        assert wrong(other, judge(asked(other))) == {}, swap


def shuffled(value: Any, rng: random.Random) -> Any:
    if isinstance(value, dict):
        return {k: v if k == "stock" else shuffled(v, rng) for k, v in value.items()}
    if isinstance(value, list):
        return rng.sample(value, len(value)) if value and isinstance(value[0], str) and re.match(r"\d\d-|joker", value[0]) else value
    return value


@pytest.mark.parametrize("case", [c for c in CASES if c["kind"] != "event"], ids=lambda c: c["id"])
def test_order_of_capture_is_nothing(case: dict[str, Any]) -> None:
    question = asked(case)
    stacks = question.pop("stacks", None)
    other = shuffled(question, random.Random(case["id"])) | ({"stacks": stacks} if stacks is not None else {})
    assert wrong(case, judge(other)) == {}


@pytest.mark.parametrize("case", [c for c in CASES if c["kind"] in ("score", "payout", "eligible")], ids=lambda c: c["id"])
def test_twins_need_not_be_told_apart(case: dict[str, Any]) -> None:
    question = asked(case)
    question["captured"] = {p: [re.sub(r"-junk-[ab]$", "-junk", c) for c in cards] for p, cards in question["captured"].items()}
    assert wrong(case, judge(question)) == {}
