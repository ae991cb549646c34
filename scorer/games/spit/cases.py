"""Spit's rule cases (documentation: the forms of `kibitz judge`): one case in, its answer fields out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...errors import InputError, did_you_mean
from . import layout as lay
from .piles import PileRules, fits
from .touch import SlapRules, Touch, TouchRules, race, slap, smaller_pile

Case = Mapping[str, Any]
Answer = dict[str, Any]


def _option(case: Case, name: str) -> bool:
    """Is a variation in force, as the case's option or as its ruleset?"""
    return name in (case.get("option"), case.get("ruleset"))


def _piles(case: Case) -> PileRules:
    return PileRules(alternate_colours=_option(case, "alternate-colours"))


def _stock_piles(case: Case) -> int:
    return 4 if _option(case, "four-piles") else 5


def _legal(case: Case) -> Answer:
    if case.get("from") not in (None, "stock-pile", "stock", "layout"):
        return {"legal": False}
    return {"legal": fits(str(case["top"]), str(case["card"]), _piles(case))}


def _source(case: Case) -> Answer:
    if case.get("from") not in (None, "stock", "stock-pile"):
        return {"legal": False}
    stock = [str(card) for card in case.get("stock", ())]
    if not stock:
        return {"legal": False}
    index = case.get("play_index")
    if index is not None:
        at_top = index == "top" or index in (-1, len(stock) - 1)
        return {"legal": at_top and not stock[-1].endswith("*")}
    return {"legal": str(case["play"]) == stock[-1] and not stock[-1].endswith("*")}


def _move(case: Case) -> Answer:
    limit = _stock_piles(case)
    target = str(case.get("target") or "empty space").lower()
    tops = case.get("stock_tops")
    if "empty_spaces" in case:
        spaces = int(case["empty_spaces"])
    elif tops is not None:
        spaces = sum(1 for top in tops if not top) + (limit - len(tops) if "empty" in target else 0)
    else:
        spaces = limit - int(case.get("stock_piles", limit))
    into_space = "empty" in target or "space" in target or "place" in target
    return {"legal": bool(case.get("card_face_up", True)) and into_space and spaces > 0}


def _retract(case: Case) -> Answer:
    """A card that counted stays; one that never fitted has to go back."""
    card, on, top = str(case.get("played", "")).partition(" on ")
    return {"allowed": bool(on) and not fits(top.strip(), card.strip(), _piles(case))}


def _touches(case: Case, key: str) -> list[Touch]:
    return [Touch(str(t["player"]), float(t["t_ms"]), str(t.get("card", "")), str(t.get("pile", "")), t.get("sigma_ms")) for t in case[key]]


def _race(case: Case) -> Answer:
    ruling = race(str(case["pile_top"]), _touches(case, "touches"), TouchRules(), _piles(case), case.get("sigma_ms"))
    if ruling.verdict != "decided":
        return {"accepted": [], "refused": [], "pile_after": None, "result": "undecided"}
    return {"accepted": list(ruling.accepted), "refused": list(ruling.refused), "pile_after": ruling.top}


def _deadlock(case: Case) -> Answer:
    return {
        "next": lay.deadlock(
            [str(top) for top in case["pile_tops"]], case["stock_tops"], case.get("spit_cards", {}),
            case.get("face_down_tops", ()), case.get("useful_empty_space", ()), _piles(case),
        )
    }


def _one_spit(case: Case) -> Answer:
    return {"legal": lay.may_spit_on(str(case["choice"]), case.get("piles", ()), case.get("fixed_pile"))}


def _layout(case: Case) -> Answer:
    dealt = lay.layout(int(case["cards"]), _stock_piles(case))
    return {"stock_piles": list(dealt.stock_piles), "spit_cards": dealt.spit_cards, "opens_spit_pile": dealt.opens_spit_pile}


def _centre(case: Case) -> Answer:
    starters = lay.centre(case["cards"], _stock_piles(case))
    return {"spit_piles": len(starters), **({"started_by": starters[0]} if len(starters) == 1 else {})}


def _new_layout(case: Case) -> Answer:
    return {"trigger": lay.new_layout_due(case["stock"], case.get("spit_cards"), bool(case.get("deadlock")))}


def _slap(case: Case) -> Answer:
    piles = {str(name): int(n) for name, n in dict(case.get("piles") or {"L": 0, "R": 0}).items()}
    hands = _touches(case, "hands") if case.get("hands") else []
    emptied, choice = case.get("emptied_by"), case.get("choice")
    if isinstance(choice, Mapping):  # {player: pile}
        emptied, choice = next(iter(choice.items()))
    chooses = _option(case, "winner-chooses") or (choice is not None and not hands)
    players = list(dict.fromkeys([*(h.player for h in hands), *([str(emptied)] if emptied else [])]))
    players += [p for p in ("A", "B") if p not in players][: max(0, 2 - len(players))]
    smaller = case.get("smaller")
    if smaller in piles and smaller_pile(piles) is None:  # the sizes are not told, only which is the smaller
        piles = {name: n - (name == smaller) for name, n in piles.items()}
    ruling = slap(piles, hands, SlapRules(winner_chooses=chooses), players=players, under=case.get("under"),
                  emptied_by=emptied or (players[0] if chooses else None), choice=choice, early=bool(case.get("early")),
                  sigma_ms=case.get("sigma_ms"))
    result = {"too-close": "undecided", "waiting": "undecided", "void": "void"}.get(ruling.verdict)
    return {"gets": dict(ruling.gets), **({"result": result} if result else {})}


def _redeal(case: Case) -> Answer:
    total = lay.gather(case["pile_taken"], case["stock_left"], case["spit_left"])
    nothing = [p for p, n in total.items() if n == 0]
    return {"new_total": total, "winner": nothing[0] if len(nothing) == 1 else None}


def _end(case: Case) -> Answer:
    winner = lay.played_out(case["stock"], case["spit_cards"])
    if winner is not None:
        return {"winner": winner, "next": "over"}
    return {"winner": None, "next": "new-layout" if lay.new_layout_due(case["stock"]) else "continue"}


JUDGES: Mapping[str, Callable[[Case], Answer]] = {
    "legal": _legal, "source": _source, "flip": lambda case: {"legal": bool(case.get("stock_top_face_down"))}, "move": _move,
    "retract": _retract, "race": _race, "deadlock": _deadlock, "one-spit": _one_spit, "layout": _layout, "centre": _centre,
    "new-layout": _new_layout, "slap": _slap, "redeal": _redeal, "end": _end,
}


def judge(case: Case) -> Answer:
    """The answer fields of a Spit case. Raises InputError where it is of no known kind."""
    kind = str(case.get("kind"))
    if kind not in JUDGES:
        raise InputError("unknown-kind", f"there is no kind {kind!r} of a Spit case", mend=did_you_mean(kind, JUDGES))
    return JUDGES[kind](case)
