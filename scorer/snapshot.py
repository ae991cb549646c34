"""What is shown of a match: the snapshot of docs/design.md, the evening's history, the contract's record.

Words are never in here: labels, reasons and problems are codes with arguments.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .evening import BOOKKEEPING, close, totals
from .frozen import EMPTY, thaw
from .game import Question, ScoreSheet

if TYPE_CHECKING:
    from .match import Match

SHOWN_EVENTS = 50


def snapshot(match: Match) -> dict[str, Any]:
    """Enough to redraw every page; the form is in docs/design.md. A fresh dict at every call."""
    e, w, sheet = match.evening, match.watch, match.sheet()
    result = match.game.result(e.state)
    view = match.game.view(e.state)
    running = totals(match.game, e, sheet)
    by_id = {p.get("id"): p for p in view.pop("players", [])}
    out: dict[str, Any] = {
        "game": match.game.name, "ruleset": e.rules.name, "seq": match.seq, "t_ms": match.t_ms,
        "deal": e.deal, "state": match.state, "dealer": e.dealer,
        "players": [_player(match, p, by_id.get(p, {}), sheet, running.get(p, 0)) for p in e.players],
        "sitting_out": [{"id": p, "name": e.names.get(p, ""), "running": running.get(p, 0)} for p in e.seats if p not in e.players],
        "if_stopped": _payments(sheet) if sheet.winner is not None and result is None else None,
        "events": [x.to_dict() for x in match.log.live[-SHOWN_EVENTS:]],
        "questions": _asked_dicts(match),
        "flags": [{"seq": f.seq, "problem": f.arg("problem"), "args": thaw(f.arg("args", EMPTY)), "cards": list(f.cards), "t_ms": f.t_ms,
                   "player": f.player} for f in e.flags],
        "out_of_sync": [p.to_dict() for p in w.wrong] if w.out_of_sync else [],
        "can_undo": bool(match.log.roots()), "can_redo": match.log.redoable() is not None, "result": None,
    }
    if result is not None:
        out["result"] = {"winner": result.winner, "payout": dict(result.payout), "over": result.over, **_payments(sheet)}
    return {**out, **{k: v for k, v in view.items() if k not in out or k in ("if_stopped", "dealer")}}


def _player(match: Match, player: str, view: Mapping[str, Any], sheet: ScoreSheet, running: int) -> dict[str, Any]:
    base: dict[str, Any] = {"id": player, "name": match.evening.names.get(player, ""), "running": running}
    score = sheet.of(player)
    spread = [score.low, score.high] if score.low is not None and score.high is not None and score.low != score.high else None
    return {**base, "points": score.points, "total": score.total, "range": spread, "terms": [t.to_dict() for t in score.terms],
            **{k: v for k, v in view.items() if k not in base}}


def _payments(sheet: ScoreSheet) -> dict[str, Any]:
    return {"winner": sheet.winner, "payments": [p.to_dict() for p in sheet.payments]}


def _asked_dicts(match: Match) -> list[dict[str, Any]]:
    asked: list[tuple[str, Question]] = list(match.questions())
    if match.watch.asked:
        options = match.watch.asked.options()
        asked.insert(0, (match.watch.asked.id, Question("which-turn", options[0].events[0].player, options)))
    return [{"id": name, "kind": q.kind, "player": q.player, "args": thaw(q.args),
             "options": [{"key": o.key, "cards": list(o.cards), "label": o.label, "events": [e.kind for e in o.events]}
                         for o in q.options]} for name, q in asked]


def history(match: Match) -> list[dict[str, Any]]:
    """The deals of the evening, the present one last: who dealt, who won, every player's lines and payments."""
    out = []
    for d in (*match.evening.past, close(match.game, match.evening)):
        sheet = match.game.score(d.state)
        out.append({
            "deal": d.number, "start_seq": d.start_seq, "players": list(d.players), "dealer": d.dealer, "over": d.result is not None,
            "winner": d.result.winner if d.result else None, "payout": dict(d.result.payout) if d.result else {}, "net": dict(d.net),
            "scores": {s.player: {"total": s.total, "terms": [t.to_dict() for t in s.terms]} for s in sheet.players},
            "payments": [p.to_dict() for p in sheet.payments] if d.result else []})
    return out


def record(match: Match) -> list[dict[str, Any]]:
    """The live events that the contract knows (no bookkeeping), as dicts in order."""
    hidden = {*BOOKKEEPING, *match.game.meta}
    shown: list[dict[str, Any]] = []
    pieces = getattr(match.game, "pieces", ())      # kinds of which one may come to light piece by piece
    for event in match.log.live:
        if event.kind in hidden:
            continue
        more, last = event.to_dict(), shown[-1] if shown else {}
        if event.kind in pieces and all(last.get(k) == more.get(k) for k in ("event", "player", "from")):
            last["cards"] = [*last["cards"], *more["cards"]]
        else:
            shown.append(more)
    # where all play at once, what was seen last did not always happen last
    return sorted(shown, key=lambda e: int(e["t_ms"])) if getattr(match.game, "at_once", False) else shown


def final(match: Match) -> dict[str, Any]:
    """The contract's last line of a replay: {"final": {"players", "winner", "payout", "asked", "flags"}}."""
    sheet, result = match.sheet(), match.game.result(match.evening.state)
    views = {p.get("id"): p for p in match.game.view(match.evening.state).get("players", [])}
    players = {}
    for p in match.evening.players:
        score = sheet.of(p)
        players[p] = {"captured": list(views.get(p, {}).get("captured", [])), "points": score.points, "total": score.total}
    return {"final": {"players": players, "winner": result.winner if result else None, "payout": dict(result.payout) if result else {},
                      "asked": match.asked, "flags": len(match.evening.flags)}}
