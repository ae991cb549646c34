"""Who slapped which spit pile first, and what to ask where no camera can tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...events import Event, make
from ...frozen import freeze
from ...game import Explanation, Option, Question
from ...table import TableState
from ..evidence import news, shows
from .fold import apply
from .layout import layout
from .middle import at, counts, slap_rules
from .ruling import race_question
from .shown import stock_tops
from .state import SpitState
from .touch import Touch, slap


def slapped(state: SpitState, before: TableState, after: TableState) -> tuple[Explanation, ...]:
    """The first touch of each player after the layout was over; a lone hand is waited out."""
    if state.undecided:
        return _dealt_on(state, after)
    if len(state.piles) < 2:
        return ()
    names = {pile.name for pile in state.piles}
    hands = [
        Touch(str(c.player), c.t_ms, pile=c.to_zone, sigma_ms=c.sigma_ms)
        for c in news(before, after)
        if c.kind == "touch" and c.to_zone in names and c.player in state.players and c.t_ms > state.clock_ms
    ]
    chooser = state.emptied_by if state.rules.winner_chooses else None
    if chooser is not None:
        hands = [h for h in hands if h.player == chooser]
    if not hands:
        return ()
    lone = len({h.player for h in hands}) == 1
    if lone and chooser is None and after.t_ms - hands[0].t_ms < state.rules.slap_wait_ms:
        return ()
    event = slap_event(state, hands)
    if lone and chooser is None and state.other(hands[0].player) in after.hands:
        # the other one's hand is over the table too, and nobody saw when it came down: a ruling would only guess
        event = replace(event, args=freeze({**event.args, "verdict": "too-close", "gets": {}, "by": "unseen-hand"}))
    return (Explanation((event,), label="slap"),)


def _dealt_on(state: SpitState, after: TableState) -> tuple[Explanation, ...]:
    """The players settled the slap without a word to the camera and dealt anew: the earlier touch is taken to have won."""
    if not state.likely or not after.stable or any(shows(s) for s in after.by_kind("spit-pile")):
        return ()
    event = make("slap", None, (), "auto", margin=0.0, pile=state.likely[0][1], verdict="decided", gets=dict(state.likely), by="dealt-on")
    dealt = apply(state, event)
    rows = [len(stock_tops(after, p)) for p in state.players]
    old = {s.top for row in state.stocks for s in row if s.top}
    anew = {s.card for p in state.players for s in stock_tops(after, p).values()}
    if rows != [len(layout(n, state.rules.stock_piles).stock_piles) for n in dealt.owned] or not anew - old:
        return ()
    return (Explanation((event,), label="slap"),)


def slap_event(
    state: SpitState, hands: list[Touch], under: str | None = None, choice: str | None = None, source: str = "camera"
) -> Event:
    """The ruling on these hands, as the log keeps it."""
    ruling = slap(counts(state.piles), hands, slap_rules(state.rules), players=state.players, under=under, emptied_by=state.emptied_by,
                  choice=choice)
    pile = hands[0].pile if hands else choice
    touches = [{"player": h.player, "pile": h.pile, "t_ms": round(h.t_ms, 1), "sigma_ms": h.sigma_ms} for h in hands]
    event = make("slap", None, (), source, pile=pile, order=ruling.order, gap_ms=ruling.gap_ms, sigma_ms=ruling.sigma_ms,
                 verdict="too-close" if ruling.verdict == "too-close" else "decided", gets=dict(ruling.gets), by=ruling.by, touches=touches)
    return at(event, hands[0].t_ms if hands else 0)


def questions(state: SpitState) -> tuple[Question, ...]:
    """What no camera can settle: a race or slap too close, a single pile that nobody has won."""
    if state.contest is not None:
        return (race_question(state.contest, state.rules),)
    if state.phase == "slap" and (state.undecided or (len(state.piles) == 1 and state.emptied_by is None)):
        return (Question("slap-order" if state.undecided else "who-takes", None, tuple(share_options(state))),)
    return ()


def share_options(state: SpitState) -> list[Option]:
    """Either way of sharing out the piles."""
    names = [pile.name for pile in state.piles]
    out = []
    for player in state.players:
        gets: Mapping[str, str] = {player: names[0], state.other(player): names[1]} if len(names) == 2 else {player: names[0]}
        event = make("slap" if len(names) == 2 else "gather", None, (), "human", pile=names[0], verdict="decided", gets=gets, by="asked")
        out.append(Option(f"{player}:{names[0]}", "takes-pile", (), (event,)))
    return out
