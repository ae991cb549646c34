"""What is shown of a deal: scores with their range, every multiplier with its reason, who would pay whom."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...frozen import FrozenDict
from ...game import Payment, PlayerScore, ScoreSheet
from .captures import junk_cards, junk_range, tally, total_range
from .pack import ANIMALS, BRIGHTS, CHEONGDAN, HONGDAN, RAIN_BRIGHT, RIBBONS
from .payout import Settlement, liable, nagari_factor, settle, winner_use
from .state import STOPPED, State, may_stop
from .turns import DEAL

EARNED, POSSIBLE, NOT_YET = "earned", "possible", "not-yet"


def leader(state: State) -> int:
    """Who would be paid if play stopped now: the player who may stop, else the highest score; -1 where nobody has a point."""
    if state.winner >= 0:
        return state.winner
    if state.to_decide >= 0:
        return state.to_decide
    scores = [state.best(p) for p in range(state.n)]
    able = [p for p in range(state.n) if may_stop(state, p)]
    best = max(able or range(state.n), key=lambda p: scores[p])
    return best if scores[best] > 0 else -1


def settlement(state: State, winner: int) -> Settlement:
    """The settlement were `winner` to stop now."""
    return settle(state.house, state.claim(winner), state.players)


def payments(state: State) -> tuple[Payment, ...]:
    """Every payment of a deal that is over: the settlement and the awards."""
    out: list[Payment] = []
    if state.end == STOPPED and not state.pushed and state.winner >= 0:
        out += settlement(state, state.winner).payments
    for award in state.awards:
        out += award.payments((*state.players, *state.sellers))
    return tuple(out)


def sheet(state: State) -> ScoreSheet:
    """Everyone's lines; payments of the result, else as if the leader stopped (awards that were paid on the way included)."""
    lines = []
    for p, player in enumerate(state.players):
        use = winner_use(state.house, state.claim(p)) if state.end == STOPPED and p == state.winner else None
        count = tally(state.house, state.caps[p], use, state.hidden[p])
        low, high = total_range(state.house, state.partly(p), state.unseen)
        lines.append(PlayerScore(player, count.total, count.terms, min(low, count.total), max(high, count.total)))
    if state.end:
        return ScoreSheet(tuple(lines), payments(state), state.players[state.winner] if state.winner >= 0 else None)
    first = leader(state)
    told = settlement(state, first).payments if first >= 0 else ()
    paid = [pay for award in state.awards for pay in award.payments((*state.players, *state.sellers))]
    return ScoreSheet(tuple(lines), (*told, *paid), state.players[first] if first >= 0 else None)


def junk_matters(state: State) -> tuple[int, ...]:
    """Players of whom unseen junk decides something now: whether they may stop, or what is paid if the leader stops."""
    out = []
    house = state.house
    for p in range(state.n):
        if not state.hidden[p]:
            continue
        low, high = total_range(house, state.partly(p), state.unseen)
        if state.undecided == p and (low >= state.target) != (high >= state.target):
            out.append(p)
            continue
        first = state.winner if state.winner >= 0 else state.to_decide
        if first < 0:
            continue
        if p == first:
            matters = low != high
        else:
            least, most = junk_range(house, state.partly(p), state.unseen)
            matters = (least <= house.pibak_max < most) and house.pibak > 1 and bool(
                house.junk_count(state.caps[first], 0, state.hidden[first]) >= house.pibak_min)
        if matters:
            out.append(p)
    return tuple(out)


def view(state: State) -> dict[str, Any]:
    """The game's keys of the snapshot (docs/design.md)."""
    pack = state.house.pack
    players = [{
        "id": player, "junk": state.house.junk_count(state.caps[p], state.as_junk & state.caps[p], state.hidden[p]),
        "unknown_junk": state.hidden[p],
        "captured": list(pack.cards(state.caps[p])), "hand": state.hands[p], "goes": state.goes[p],
        "stops": int(state.end == STOPPED and state.winner == p), "shakes": state.shakes[p], "bombs": state.bombs[p],
        "eligible": state.to_decide == p, "target": state.target, "skips": state.credits[p], "shown": list(pack.cards(state.shown[p])),
        "ppuks": state.ppuks[p],
    } for p, player in enumerate(state.players)]
    return {
        "players": players, "floor": list(pack.cards(state.floor)),
        "stacks": [{"month": m + 1, "cards": list(pack.cards(cards)), "made_by": None if maker == DEAL else state.players[maker]}
                   for m, cards, maker, _ in state.stacks],
        "stock": state.stock, "turn": None if state.end or not state.dealt else state.players[state.turn],
        "target": state.target, "nagari_streak": state.nagari,
        "to_decide": state.players[state.to_decide] if state.to_decide >= 0 else None,
        "owed": [{"from": state.players[d.giver], "to": state.players[d.taker], "count": d.count} for d in state.debts],
        "multipliers": [m for p in range(state.n) for m in multipliers(state, p)],
    }


def multipliers(state: State, player: int) -> list[dict[str, Any]]:
    """Every multiplier that the player could be paid with: key, against whom (None: everyone), factor, state (earned: it would
    count now; possible: nearly there; not-yet), the reason as a code with arguments, the cards that make it."""
    out = [_entry(state, player, *m) for m in _own(state, player)]
    for other in range(state.n):
        if other != player:
            out += [_entry(state, player, *m, against=other) for m in _against(state, player, other)]
    return out


_Found = tuple[str, int, str, str, dict[str, Any], int]      # key, factor, state, reason, args, cards


def _entry(state: State, player: int, key: str, factor: int, how: str, code: str, args: dict[str, Any], cards: int,
           against: int | None = None) -> dict[str, Any]:
    return {"key": key, "player": state.players[player], "against": None if against is None else state.players[against], "factor": factor,
            "state": how, "reason": {"code": code, "args": args}, "cards": list(state.house.pack.cards(cards))}


def _grade(have: int, need: int, near: int) -> str:
    return EARNED if have >= need else POSSIBLE if have >= near else NOT_YET


def _own(state: State, p: int) -> Iterator[_Found]:
    """Multipliers of the player's own doing."""
    house, held = state.house, state.caps[p]
    goes, start = state.goes[p], house.go_double_from
    if start:
        factor = goes if house.go_times and goes >= start else 2 ** max(1, goes - start + 1) if house.progressive else 2
        yield "go-double", factor, _grade(goes, start, start - 1), "goes", {"n": goes, "need": start}, 0
    if house.shake > 1:
        n = state.shakes[p]
        yield ("shake", house.shake ** max(1, n), EARNED if n else POSSIBLE if state.hands[p] >= 3 and not state.end else NOT_YET,
               "shown-triples", {"n": n}, state.shown[p])
    if house.bomb > 1:
        n = state.bombs[p]
        yield ("bomb", house.bomb ** max(1, n), EARNED if n else POSSIBLE if state.hands[p] >= 3 and not state.end else NOT_YET,
               "bombs", {"n": n}, 0)
    if house.meongtta > 1 and not house.meongtta_none:
        yield _animals(state, p)
    if state.kept[p] > 1:
        yield "chongtong-kept", state.kept[p], EARNED, "four-in-hand", {}, state.shown[p]
    if state.nagari and nagari_factor(house, state.nagari) > 1:
        yield "nagari", nagari_factor(house, state.nagari), EARNED, "dead-deals", {"n": state.nagari}, 0
    if state.mission > 1 and house.mission_max > 1:
        yield "mission", min(state.mission, house.mission_max), EARNED, "mission", {}, 0
    if house.ribbonbak > 1 and held & RIBBONS == 0:
        return


def _animals(state: State, p: int) -> _Found:
    house = state.house
    cards = house.animal_cards(state.caps[p], 0) & ANIMALS
    n, need = cards.bit_count(), house.meongtta_from
    return "meong-tta", house.meongtta, _grade(n, need, need - 2), "animals", {"n": n, "need": need}, cards


def _against(state: State, p: int, other: int) -> Iterator[_Found]:
    """Multipliers that hold against one opponent."""
    house, won, lost = state.house, state.caps[p], state.caps[other]
    if house.meongtta > 1 and house.meongtta_none:
        key, factor, how, code, args, cards = _animals(state, p)
        if house.animal_cards(lost):
            how, code = NOT_YET, "opponent-has-animal"
        yield key, factor, how, code, args, cards
    if house.gwangbak > 1:
        yield _gwangbak(state, p, other)
    if house.pibak > 1:
        yield _pibak(state, p, other)
    for key, factor, need, cards in (("ribbon-bak", house.ribbonbak, house.ribbon_from, RIBBONS), ("red-bak", house.redbak, 3, HONGDAN),
                                     ("blue-bak", house.bluebak, 3, CHEONGDAN)):
        if factor > 1:
            n = (won & cards).bit_count()
            how = NOT_YET if lost & cards else _grade(n, need, need - 1)
            yield key, factor, how, "opponent-has-one" if lost & cards else "ribbons", {"n": n, "need": need}, won & cards
    if house.gobak != "off":
        said = state.goes[other]
        payer = liable(house, state.claim(p))
        factor = 2 if house.gobak == "double" else house.gobak_two if state.n == 2 else 1
        pays_all = payer == other
        if factor > 1 or state.n > 2:
            yield ("go-bak", factor if state.n == 2 or house.gobak == "double" else 1,
                   EARNED if said and (state.n == 2 or pays_all or house.gobak == "double") else NOT_YET,
                   "pays-for-all" if pays_all else "said-go" if said else "no-go", {"n": said}, 0)


def _gwangbak(state: State, p: int, other: int) -> _Found:
    house, won = state.house, state.caps[p]
    shield = BRIGHTS if house.gwangbak_rain else BRIGHTS & ~RAIN_BRIGHT
    others = [other] if not house.gwangbak_all else [q for q in range(state.n) if q != p]
    guard = 0
    for q in others:
        guard |= state.caps[q] & shield
    n = (won & BRIGHTS).bit_count()
    if guard:
        return "gwang-bak", house.gwangbak, NOT_YET, "has-bright", {"n": guard.bit_count()}, guard
    if house.bright_points(won):
        return "gwang-bak", house.gwangbak, EARNED, "no-bright", {"n": n}, won & BRIGHTS
    return "gwang-bak", house.gwangbak, POSSIBLE if n == 2 else NOT_YET, "needs-brights", {"n": n, "need": 3}, won & BRIGHTS


def _pibak(state: State, p: int, other: int) -> _Found:
    """Against one loser: by the use of cups that each side would make of it."""
    house = state.house
    own, others = state.hidden[p], state.hidden[other]
    use = max(house.uses(state.caps[p]), key=lambda u: house.junk_count(state.caps[p], u))
    uses = house.uses(state.caps[other]) if house.loser_switch else (house.sure_cup & state.caps[other],)
    junk, lost = max((house.junk_count(state.caps[other], u, others), u) for u in uses)
    mine, cards = house.junk_count(state.caps[p], use, own), junk_cards(state.caps[other], lost)
    args = {"n": junk, "limit": house.pibak_max, "winner": mine, "need": house.pibak_min}
    if junk > house.pibak_max:
        return "pi-bak", house.pibak, NOT_YET, "enough-junk", args, cards
    if mine < house.pibak_min:
        return "pi-bak", house.pibak, POSSIBLE if mine >= house.pibak_min - 3 else NOT_YET, "needs-junk", args, cards
    if house.zero_exempt and not min(house.junk_count(state.caps[other], u, others) for u in uses):
        return "pi-bak", house.pibak, POSSIBLE, "no-junk-exempt", args, cards
    return "pi-bak", house.pibak, EARNED, "little-junk", args, cards


def facts(state: State) -> FrozenDict:
    """What matters of a state: readings of a table that lead to equal facts need no question."""
    return FrozenDict({
        "floor": state.floor, "stacks": tuple(sorted(s[:3] for s in state.stacks)), "caps": state.caps, "hands": state.hands,
        "credits": state.credits, "stock": state.stock, "turn": state.turn, "shakes": state.shakes, "shown": state.shown,
        "bombs": state.bombs, "goes": state.goes, "end": state.end, "winner": state.winner, "ppuks": state.ppuks,
        "debts": tuple(sorted((d.giver, d.taker, d.count, d.by_worth) for d in state.debts)), "undecided": state.undecided,
        "turns": state.turns, "awards": len(state.awards), "fours": state.fours,
    })
