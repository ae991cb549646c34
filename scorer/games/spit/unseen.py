"""Plays that nobody saw lie: a card that another covered before anybody looked, told by what is gone from its place."""

from __future__ import annotations

from ...events import Event, make
from ...table import TableState
from .middle import Arrival, at, find, pile_rules
from .piles import fits
from .ruling import Reader
from .shown import stock_tops
from .state import SpitState

PATIENCE_MS = 900
"""A card that can hardly lie where it is read is believed once it has been read so for this long."""

BENEATH_MS = 1200
"""A card lies unseen under another for no longer than this before that one came."""

LOST_MS = 1500
"""A stock card that is seen nowhere for so long was played and covered."""


def lost(reader: Reader, after: TableState) -> None:
    """Stock cards that are gone from their places and lie nowhere: played, and covered before anybody saw them lie."""
    for player in reader.now.players:
        tops = stock_tops(after, player)
        for index, stock in enumerate(reader.now.stocks[reader.now.seat(player)]):
            if stock.top and index not in tops and _lies_nowhere(reader.now, after, stock.top):
                play_unseen(reader, after, player, index)


def _lies_nowhere(state: SpitState, after: TableState, card: str) -> bool:
    """Is the card seen nowhere, long after it left its place? Then it lies below others where only a pile can hide it."""
    if any(s.card == card and s.state != "gone" for s in after.seen):
        return False
    left = [c.t_ms for c in after.changes if c.card == card and c.kind == "leave"]
    return bool(left) and after.t_ms - left[-1] > LOST_MS


def play_unseen(reader: Reader, after: TableState, player: str, index: int) -> None:
    """Log the play of a stock card that nobody saw lie: on the pile that its owner's hand came to, else on the only one that it fits."""
    now: SpitState = reader.now
    card = str(now.stocks[now.seat(player)][index].top)
    fitting = [p for p in now.piles if p.top and fits(p.top, card, pile_rules(now.rules))]
    left = max([c.t_ms for c in after.changes if c.card == card and c.kind == "leave"], default=after.t_ms)
    hands = {c.to_zone: c for c in after.changes if c.kind in ("touch", "reach") and c.player == player and abs(c.t_ms - left) < 1500}
    touched = [p for p in fitting if p.name in hands and hands[p.name].t_ms > p.spent(player)]
    chosen = touched or fitting
    if now.phase == "play" and len(chosen) == 1:
        hand = hands.get(chosen[0].name)
        reader.log(at(make("play", player, (card,), "auto", margin=0.0, pile=chosen[0].name, index=index), hand.t_ms if hand else left))


def beneath(now: SpitState, arrival: Arrival, after: TableState) -> tuple[Event | None, bool]:
    """A card of the rival's that lies under an arrived one, and was first: the rival's hand came down there before, and a card of the
    rival's that would have fitted is gone from its place, or hidden. (The play, or whether it is too early to say)."""
    source, pile = now.source(arrival.card), find(now.piles, arrival.pile)
    if source is None or pile is None or pile.top is None:
        return None, False
    player, rival = source[0], now.other(source[0])
    touch = arrival.by(player)
    hands = [c for c in arrival.touches if c.player == rival and touch.t_ms - BENEATH_MS <= c.t_ms < touch.t_ms]
    if not hands:
        return _between(now, arrival, after), False
    tops = stock_tops(after, rival)
    lying = {s.card for s in after.seen if s.lies and s.visible}
    fitting = [(i, s.top) for i, s in enumerate(now.stocks[now.seat(rival)]) if s.top and fits(pile.top, s.top, pile_rules(now.rules))]
    gone = [(i, c) for i, c in fitting if c not in lying and (i not in tops or tops[i].card != c)]
    hidden = gone or [(i, c) for i, c in fitting if c not in lying]
    if len(gone) == 1 or (len(hidden) == 1 and after.t_ms - touch.t_ms >= PATIENCE_MS):
        index, card = hidden[0]
        known_to = {"index": index} if hands[-1].sigma_ms is None else {"index": index, "sigma_ms": hands[-1].sigma_ms}
        return at(make("play", rival, (card,), "auto", margin=0.0, pile=pile.name, **known_to), hands[-1].t_ms), False
    return None, bool(hidden) and after.t_ms - touch.t_ms < PATIENCE_MS


def _between(now: SpitState, arrival: Arrival, after: TableState) -> Event | None:
    """The play of a card without which the arrived one would not fit: the only one that is gone from its place, lies nowhere, and fits
    between them."""
    pile, rules = find(now.piles, arrival.pile), pile_rules(now.rules)
    if pile is None or pile.top is None or fits(pile.top, arrival.card, rules):
        return None
    lying = {s.card for s in after.seen if s.lies and s.visible}
    gone = []
    for player in now.players:
        tops = stock_tops(after, player)
        gone += [(player, i, s.top) for i, s in enumerate(now.stocks[now.seat(player)])
                 if s.top and s.top != arrival.card and s.top not in lying and (i not in tops or tops[i].card != s.top)
                 and fits(pile.top, s.top, rules) and fits(s.top, arrival.card, rules)]
    if len(gone) != 1:
        return None
    player, index, card = gone[0]
    left = [c.t_ms for c in after.changes if c.card == card and c.kind == "leave"]
    touch = arrival.by(arrival.card and (now.source(arrival.card) or ("",))[0]).t_ms
    return at(make("play", player, (card,), "auto", margin=0.0, pile=pile.name, index=index), min([touch - 1, *left[-1:]]))
