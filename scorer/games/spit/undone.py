"""Cards that went back to where they came from: a race that the players settled, a card that does not fit, a rule that was broken."""

from __future__ import annotations

from ...events import make
from ...game import problem
from ...table import TableState
from ..evidence import news
from .middle import PILES, at, contested, pile_rules, race_event
from .piles import fits
from .ruling import Reader, lies, refusal
from .shown import stock_tops
from .state import SpitState
from .touch import Touch

CARRIED_MS, AWAY_MS = 3000, 700
"""A card that was carried to a pile and back was away no longer than this; it is missed so long after its hand set out."""


def taken_back(reader: Reader, before: TableState, after: TableState) -> None:
    """Cards that went back to their stock: the players settled a race themselves, or somebody broke the touch-move rule."""
    now = reader.now
    home = {s.card: p for p in now.players for s in stock_tops(after, p).values()}
    if now.contest is not None:
        pile = now.contest.pile
        for card in (now.contest.second, now.contest.first):
            if home.get(card.card) == card.player and not lies(after, card.card, pile):
                first = card is now.contest.first
                contest = now.contest
                reader.log(refusal(card.player, card.card, pile, "beaten", after.t_ms))
                if first:
                    reader.log(at(make("play", contest.second.player, (contest.second.card,), pile=pile), contest.second.t_ms))
                return
    for middle in now.piles:
        last = middle.last
        if last is None or not after.stable or middle.top != last.card or lies(after, last.card, middle.name):
            continue
        if home.get(last.card) == last.player and lies(before, last.card, middle.name):
            broken = problem("taken-back", (last.card,), pile=middle.name, player=last.player)
            reader.log(refusal(last.player, last.card, middle.name, "taken-back", after.t_ms), broken)


def withdrawn(reader: Reader, before: TableState, after: TableState, refused: tuple[str, str, str] | None) -> None:
    """Stock cards that were carried to a pile and back, under the hand all the while: their owners saw themselves that they came too late,
    or that the card does not fit. One that would fit was only thought about."""
    changes = news(before, after)
    stocks = {z.name: (z.player, z.index) for z in after.zones_of("stock-pile")}
    for back in changes:
        if back.kind not in ("appear", "move") or back.to_zone not in stocks:
            continue
        player, index = stocks[back.to_zone]
        now: SpitState = reader.now
        if player not in now.players or now.source(back.card) != (player, index):
            continue
        own = [c for c in after.changes if c.track == back.track and c.n < back.n]
        stayed = bool(own) and own[-1].to_zone in PILES and refused != (player, back.card, own[-1].to_zone)  # seen there, not yet ruled on
        if not own or not (stayed or (own[-1].kind == "leave" and own[-1].from_zone == back.to_zone)) or back.t_ms - own[-1].t_ms > CARRIED_MS:
            continue
        left = own[-1].t_ms
        for pile in now.piles:
            hands = [c for c in after.changes if c.kind in ("touch", "reach") and c.to_zone == pile.name and c.player == player
                     and left - AWAY_MS <= c.t_ms <= back.t_ms and c.t_ms > pile.spent(player)]
            if hands:
                touch = Touch(player, hands[-1].t_ms, back.card, pile.name, hands[-1].sigma_ms)
                rival = contested(now.piles, touch, now.rules)
                if rival is not None and player in rival[1].refused:
                    reader.log(race_event(pile.name, rival[1], (rival[0].card, back.card), touch.t_ms))
                    reader.log(refusal(player, back.card, pile.name, "beaten", touch.t_ms))
                elif rival is None and pile.top and not fits(pile.top, back.card, pile_rules(now.rules)):
                    reader.log(refusal(player, back.card, pile.name, "does-not-fit", touch.t_ms))
                break
