"""Speed's rule cases: one case in, its answer fields out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...errors import InputError, did_you_mean
from ..spit.piles import PileRules, fits
from . import rules as r

Case = Mapping[str, Any]
Answer = dict[str, Any]


def _option(case: Case, name: str) -> bool:
    return name in (case.get("option"), case.get("ruleset"))


def _deal(case: Case) -> Answer:
    sides = case.get("side_piles")
    side = int(sides[0]) if isinstance(sides, list | tuple) and sides else 5 if _option(case, "five-card-side-piles") else 10
    given = case.get("players")
    each = int(given[0]) if isinstance(given, list | tuple) and given else r.deal_sizes(side)[0]
    return {"hand": min(5, each), "stock": max(0, each - 5)}


def _legal(case: Case) -> Answer:
    if case.get("from") not in (None, "hand"):
        return {"legal": False}
    return {"legal": fits(str(case["top"]), str(case["card"]), PileRules(alternate_colours=_option(case, "alternate-colours")))}


def _hand(case: Case) -> Answer:
    hand, stock = int(case["hand"]), int(case.get("stock", 0))
    if case.get("action", "draw") == "play":
        return {"legal": hand > 0, "hand_after": max(0, hand - 1), "stock_after": stock}
    after = r.draw(hand, stock)
    return {"legal": False} if after is None else {"legal": True, "hand_after": after[0], "stock_after": after[1]}


def _under(case: Case) -> int | None:
    piles = case.get("spit_piles")
    return None if piles is None else sum(max(0, int(n) - 1) for n in piles)


def _deadlock(case: Case) -> Answer:
    sides = [int(n) for n in case.get("side_piles", (1, 1))]
    if "hands" not in case:  # only told whether somebody can play after a flip
        step = r.flip_step(sides, _under(case)) if case.get("still_stuck", True) else "continue"
    else:
        step = r.next_step([str(t) for t in case["pile_tops"]], case["hands"], case.get("stock", {}), sides, _under(case))
    return {"next": step, **({"side_after": r.flipped(sides)} if step == "flip-both" else {})}


def _refill_side(case: Case) -> Answer:
    piles = [int(n) for n in case["spit_piles"]]
    sides = [int(n) for n in case.get("side_piles", (0, 0))]
    step = r.flip_step(sides, _under(case))
    if step != "reshuffle":
        return {"next": step, "spit_after": piles, "side_total": sum(sides)}
    return {"next": step, "spit_after": [min(1, n) for n in piles], "side_total": sum(r.new_side_piles(piles))}


def _score(case: Case) -> Answer:
    out: Answer = {}
    gained = case.get("round_points")
    if "stock" in case:
        hand, stock = case.get("hand", {}), case["stock"]
        won = r.winner(hand or stock, stock) or case.get("winner")
        gained = {str(won): r.points(str(won), hand, stock)} if won is not None else {}
        out["points"] = gained
    if "totals" in case or "target" in case:
        out["totals_after"], out["match_winner"] = r.add_points(case.get("totals", {}), gained or {}, case.get("target"))
    return out


JUDGES: Mapping[str, Callable[[Case], Answer]] = {
    "deal": _deal, "legal": _legal, "hand": _hand, "deadlock": _deadlock, "refill-side": _refill_side,
    "end": lambda case: {"winner": r.winner(case["hand"], case["stock"])}, "score": _score,
}


def judge(case: Case) -> Answer:
    """The answer fields of a Speed case. Raises InputError where it is of no known kind."""
    kind = str(case.get("kind"))
    if kind not in JUDGES:
        raise InputError("unknown-kind", f"there is no kind {kind!r} of a Speed case", mend=did_you_mean(kind, JUDGES))
    return JUDGES[kind](case)
