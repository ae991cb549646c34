"""Spit's rule cases (documentation: the forms of `kibitz judge`): one case in, its answer fields out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ...errors import InputError, did_you_mean
from ..given import bad, by_player, count, counts_by_player, entries, moment, need, word
from . import layout as lay
from .piles import PileRules, fits, rank_of
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
    return {"legal": fits(word(case, "top"), word(case, "card"), _piles(case))}


def _lies_open(card: str) -> bool:
    """Does a card of a stock pile show its face? `*` marks one that lies face down; what shows must be a card."""
    if card.endswith("*"):
        return False
    rank_of(card)
    return True


def _source(case: Case) -> Answer:
    if case.get("from") not in (None, "stock", "stock-pile"):
        return {"legal": False}
    stock = [str(card) for card in entries(case, "stock")]
    if not stock:
        return {"legal": False}
    index = case.get("play_index")
    if index is not None:
        at_top = index == "top" or index in (-1, len(stock) - 1)
        return {"legal": at_top and _lies_open(stock[-1])}
    return {"legal": word(case, "play") == stock[-1] and _lies_open(stock[-1])}


_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def _is_space(target: str, limit: int) -> bool:
    """Does the target name an empty space of the layout? Not what is taken, nor a place beyond the last stock pile."""
    words = set(re.findall(r"[a-z]+|[0-9]+", target.lower()))
    if not words & {"empty", "space", "place"} or words & {"occupied", "taken", "full"}:
        return False
    beyond = {*_PLACES[limit:], *(w for w in words if w.isdigit() and int(w[:6]) > limit)}
    return not words & beyond


def _move(case: Case) -> Answer:
    limit = _stock_piles(case)
    target = word(case, "target") if case.get("target") is not None else "empty space"
    tops = entries(case, "stock_tops", ())
    if "empty_spaces" in case:
        spaces = count(case, "empty_spaces")
    elif tops:
        spaces = sum(1 for top in tops if not top) + (limit - len(tops) if "empty" in target else 0)
    else:
        spaces = limit - count(case, "stock_piles", limit)
    return {"legal": bool(case.get("card_face_up", True)) and _is_space(target, limit) and spaces > 0}


def _retract(case: Case) -> Answer:
    """A card that counted stays; one that never fitted has to go back."""
    card, on, top = word(case, "played").partition(" on ")
    return {"allowed": bool(on) and not fits(top.strip(), card.strip(), _piles(case))}


def _touches(case: Case, key: str, onto: str) -> list[Touch]:
    """The touches under a key; each names a player, a time and, as `onto` says, the card laid or the pile slapped."""
    out = []
    for touch in entries(case, key):
        if not isinstance(touch, Mapping):
            raise bad(key, touch, "an object for each touch")
        sigma = touch.get("sigma_ms")
        out.append(Touch(word(touch, "player"), moment(need(touch, "t_ms"), "t_ms"), **{onto: word(touch, onto)},
                         sigma_ms=None if sigma is None else moment(sigma, "sigma_ms")))
    return out


def _sigma(case: Case) -> float | None:
    sigma = case.get("sigma_ms")
    return None if sigma is None else moment(sigma, "sigma_ms")


def _race(case: Case) -> Answer:
    ruling = race(word(case, "pile_top"), _touches(case, "touches", "card"), TouchRules(), _piles(case), _sigma(case))
    if ruling.verdict != "decided":
        return {"accepted": [], "refused": [], "pile_after": None, "result": "undecided"}
    return {"accepted": list(ruling.accepted), "refused": list(ruling.refused), "pile_after": ruling.top}


def _deadlock(case: Case) -> Answer:
    tops: dict[str, list[str]] = {}
    hidden = [str(p) for p in entries(case, "face_down_tops", ())]
    given = by_player(case, "stock_tops")
    for player in given:
        row = [str(top) for top in entries(given, player) if top is not None]
        tops[player] = [top for top in row if _lies_open(top)]
        if len(tops[player]) < len(row):
            hidden.append(player)
    piles = [str(top) for top in entries(case, "pile_tops")]
    for top in piles:
        rank_of(top)
    return {
        "next": lay.deadlock(piles, tops, counts_by_player(case, "spit_cards", {}), hidden, entries(case, "useful_empty_space", ()),
                             _piles(case))
    }


def _one_spit(case: Case) -> Answer:
    piles = case.get("piles") or ()
    if not isinstance(piles, list | tuple | Mapping):
        raise bad("piles", piles, "a list of the spit piles")
    return {"legal": lay.may_spit_on(word(case, "choice"), piles, case.get("fixed_pile"))}


def _layout(case: Case) -> Answer:
    dealt = lay.layout(count(case, "cards"), _stock_piles(case))
    return {"stock_piles": list(dealt.stock_piles), "spit_cards": dealt.spit_cards, "opens_spit_pile": dealt.opens_spit_pile}


def _centre(case: Case) -> Answer:
    starters = lay.centre(counts_by_player(case, "cards"), _stock_piles(case))
    return {"spit_piles": len(starters), **({"started_by": starters[0]} if len(starters) == 1 else {})}


def _new_layout(case: Case) -> Answer:
    return {"trigger": lay.new_layout_due(counts_by_player(case, "stock"), counts_by_player(case, "spit_cards", {}),
                                          bool(case.get("deadlock")))}


def _slap(case: Case) -> Answer:
    piles = counts_by_player(case, "piles", {}) or {"L": 0, "R": 0}
    hands = _touches(case, "hands", "pile") if case.get("hands") else []
    for hand in hands:
        if hand.pile not in piles:
            raise bad("pile", hand.pile, "the name of a spit pile: " + ", ".join(piles))
    emptied, choice = case.get("emptied_by"), case.get("choice")
    if isinstance(choice, Mapping):  # {player: pile}
        for player in by_player(case, "choice"):
            emptied, choice = player, choice[player]
            break
    smaller = case.get("smaller") or smaller_pile(piles)
    if choice == "smaller":
        choice = smaller
    if choice is not None and choice not in piles:
        raise bad("choice", choice, "the name of a spit pile: " + ", ".join(piles))
    chooses = _option(case, "winner-chooses") or (choice is not None and not hands)
    players = list(dict.fromkeys([*(h.player for h in hands), *([str(emptied)] if emptied else [])]))
    players += [p for p in ("A", "B") if p not in players][: max(0, 2 - len(players))]
    if smaller in piles and smaller_pile(piles) is None:  # the sizes are not told, only which is the smaller
        piles = {name: n - (name == smaller) for name, n in piles.items()}
    ruling = slap(piles, hands, SlapRules(winner_chooses=chooses), players=players, under=case.get("under"),
                  emptied_by=str(emptied) if emptied else players[0] if chooses else None, choice=choice, early=bool(case.get("early")),
                  sigma_ms=_sigma(case))
    result = {"too-close": "undecided", "waiting": "undecided", "void": "void"}.get(ruling.verdict)
    return {"gets": dict(ruling.gets), **({"result": result} if result else {})}


def _redeal(case: Case) -> Answer:
    total = lay.gather(*(counts_by_player(case, key, None if key == "pile_taken" else {}) for key in ("pile_taken", "stock_left", "spit_left")))
    nothing = [p for p, n in total.items() if n == 0]
    return {"new_total": total, "winner": nothing[0] if len(nothing) == 1 else None}


def _end(case: Case) -> Answer:
    stock = counts_by_player(case, "stock")
    winner = lay.played_out(stock, counts_by_player(case, "spit_cards"))
    if winner is not None:
        return {"winner": winner, "next": "over"}
    return {"winner": None, "next": "new-layout" if lay.new_layout_due(stock) else "continue"}


JUDGES: Mapping[str, Callable[[Case], Answer]] = {
    "legal": _legal, "source": _source, "flip": lambda case: {"legal": bool(need(case, "stock_top_face_down"))}, "move": _move,
    "retract": _retract, "race": _race, "deadlock": _deadlock, "one-spit": _one_spit, "layout": _layout, "centre": _centre,
    "new-layout": _new_layout, "slap": _slap, "redeal": _redeal, "end": _end,
}


def judge(case: Case) -> Answer:
    """The answer fields of a Spit case. Raises InputError where it is of no known kind."""
    kind = str(case.get("kind"))
    if kind not in JUDGES:
        raise InputError("unknown-kind", f"there is no kind {kind!r} of a Spit case", mend=did_you_mean(kind, JUDGES))
    return JUDGES[kind](case)
