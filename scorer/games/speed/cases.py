"""Speed's rule cases: one case in, its answer fields out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...errors import InputError, did_you_mean
from ..given import bad, by_player, count, counts, counts_by_player, entries, need, whole, word
from ..spit.piles import PileRules, fits, rank_of
from . import rules as r

Case = Mapping[str, Any]
Answer = dict[str, Any]


def _option(case: Case, name: str) -> bool:
    return name in (case.get("option"), case.get("ruleset"))


def _deal(case: Case) -> Answer:
    sides = counts(case, "side_piles", ())
    side = sides[0] if sides else 5 if _option(case, "five-card-side-piles") else 10
    given = case.get("players")
    each = r.deal_sizes(side)[0]
    if isinstance(given, list | tuple) and given and not isinstance(given[0], str):  # the cards of each, not their names
        each = counts(case, "players")[0]
    return {"hand": min(5, each), "stock": max(0, each - 5)}


def _legal(case: Case) -> Answer:
    if case.get("from") not in (None, "hand"):
        return {"legal": False}
    return {"legal": fits(word(case, "top"), word(case, "card"), PileRules(alternate_colours=_option(case, "alternate-colours")))}


def _hand(case: Case) -> Answer:
    hand, stock = count(case, "hand"), count(case, "stock", 0)
    action = case.get("action", "draw")
    if action == "play":
        return {"legal": hand > 0, "hand_after": max(0, hand - 1), "stock_after": stock}
    if action != "draw":
        raise bad("action", action, "draw or play")
    after = r.draw(hand, stock)
    return {"legal": False} if after is None else {"legal": True, "hand_after": after[0], "stock_after": after[1]}


def _under(case: Case) -> int | None:
    return sum(max(0, n - 1) for n in counts(case, "spit_piles")) if case.get("spit_piles") is not None else None


def _deadlock(case: Case) -> Answer:
    sides = counts(case, "side_piles", (1, 1))
    if "hands" not in case:  # only told whether somebody can play after a flip
        step = r.flip_step(sides, _under(case)) if case.get("still_stuck", True) else "continue"
    else:
        hands, tops = by_player(case, "hands"), [str(t) for t in entries(case, "pile_tops")]
        cards = {player: [str(card) for card in entries(hands, player)] for player in hands}
        for card in (*tops, *(c for hand in cards.values() for c in hand)):
            rank_of(card)
        step = r.next_step(tops, cards, counts_by_player(case, "stock", {}), sides, _under(case))
    return {"next": step, **({"side_after": r.flipped(sides)} if step == "flip-both" else {})}


def _refill_side(case: Case) -> Answer:
    piles = counts(case, "spit_piles")
    sides = counts(case, "side_piles", (0, 0))
    step = r.flip_step(sides, _under(case))
    if step != "reshuffle":
        return {"next": step, "spit_after": piles, "side_total": sum(sides)}
    return {"next": step, "spit_after": [min(1, n) for n in piles], "side_total": sum(r.new_side_piles(piles))}


def _end(case: Case) -> Answer:
    return {"winner": r.winner(counts_by_player(case, "hand"), counts_by_player(case, "stock"))}


def _score(case: Case) -> Answer:
    out: Answer = {}
    gained = counts_by_player(case, "round_points", {})
    if "stock" in case:
        hand, stock = counts_by_player(case, "hand", {}), counts_by_player(case, "stock")
        won = r.winner(hand or stock, stock) or case.get("winner")
        gained = {str(won): r.points(str(won), hand, stock)} if won is not None else {}
        out["points"] = gained
    if "totals" in case or "target" in case:
        target = whole(case["target"], "target") if case.get("target") is not None else None
        out["totals_after"], out["match_winner"] = r.add_points(counts_by_player(case, "totals", {}), gained, target)
    if not out:
        need(case, "stock")
    return out


JUDGES: Mapping[str, Callable[[Case], Answer]] = {
    "deal": _deal, "legal": _legal, "hand": _hand, "deadlock": _deadlock, "refill-side": _refill_side,
    "end": _end, "score": _score,
}


def judge(case: Case) -> Answer:
    """The answer fields of a Speed case. Raises InputError where it is of no known kind."""
    kind = str(case.get("kind"))
    if kind not in JUDGES:
        raise InputError("unknown-kind", f"there is no kind {kind!r} of a Speed case", mend=did_you_mean(kind, JUDGES))
    return JUDGES[kind](case)
