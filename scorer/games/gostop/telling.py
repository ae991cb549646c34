"""A person's commands as events: go and stop, declarations, and turns told by tapping cards, whole or step by step."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import InputError
from ...events import Event, make
from ...game import Problem, problem
from .fold import apply
from .legality import check, pending
from .pack import CUP, DOUBLES, SINGLES
from .state import State, due_cards, outstanding


def command(state: State, order: Mapping[str, Any]) -> tuple[Event, ...] | Problem:
    """The events of a person's command. Go and stop are the deciding player's where none is named; ``play`` {cards, flip,
    choose} and ``flip`` {cards, choose} tell a turn whole or step by step: what follows from the cards is added."""
    try:
        return _command(state, order)
    except (TypeError, ValueError, AttributeError, InputError, RecursionError):
        return problem("bad-command")


def _command(state: State, order: Mapping[str, Any]) -> tuple[Event, ...] | Problem:
    name, player = str(order.get("command")), order.get("player")
    cards = tuple(str(c) for c in order.get("cards") or ())
    if name in ("go", "stop"):
        if player is None and state.undecided >= 0:
            player = state.players[state.undecided]
        said = make(name, player, (), "human", push=True) if order.get("push") else make(name, player, (), "human")
        return (*_handed_over(state, player), said) if name == "stop" else (said,)
    if name in ("play", "flip"):
        return _tell(state, name, player or state.players[state.turn], cards, order)
    if name == "steal":
        return _told_steal(state, player, cards, order)
    if name == "chongtong":
        holders = order.get("players") or [player]
        extra = {"play_on": True} if order.get("play_on") else {}
        return tuple(Event("chongtong", p, cards if len(holders) == 1 else (), "human", _frozen(extra)) for p in holders)
    if name == "deal":
        return (Event("deal", player or state.players[state.dealer], cards, "human", _frozen({"jokers": order.get("jokers") or ()})),)
    if name == "nagari":
        return (make("nagari", None, (), "human"),)
    if name == "cup":
        flexible = state.house.pack.cards(state.house.flexible & CUP)
        return (make("cup", player, cards or flexible, "human", junk=bool(order.get("junk", True))),)
    if name == "sell":
        return (make("sell", player, cards, "human", brights=order.get("brights", 0), triple=bool(order.get("triple"))),)
    return (Event(name, player, cards, "human"),)


def _handed_over(state: State, player: Any) -> tuple[Event, ...]:
    """Junk that is still due to who stops: it counts, and nobody waits for it once the deal is over. The cheapest, as the rules have it."""
    if not any(state.players[d.taker] == player for d in outstanding(state)):
        return ()
    return tuple(make("steal", player, state.house.pack.cards(held), "auto", from_=state.players[giver])
                 for giver, held in enumerate(due_cards(state)) if held)


def _frozen(args: dict[str, Any]) -> Any:
    return make("x", None, (), **args).args


def _told_steal(state: State, player: Any, cards: tuple[str, ...], order: Mapping[str, Any]) -> tuple[Event, ...] | Problem:
    if cards:
        return (make("steal", player, cards, "human", from_=order.get("from")),)
    out = [make("steal", state.players[state.debts[0].taker], state.house.pack.cards(held), "human", from_=state.players[giver])
           for giver, held in enumerate(due_cards(state)) if held]
    return tuple(out) or problem("junk-too-many")


def _tell(state: State, name: str, player: Any, cards: tuple[str, ...], order: Mapping[str, Any]) -> tuple[Event, ...] | Problem:
    flips = [str(c) for c in order.get("flip") or ()] if name == "play" else list(cards)
    choose = order.get("choose") or ()
    chosen = state.house.pack.mask([choose] if isinstance(choose, str) else list(choose))
    told: list[Event] = []
    if name == "play":
        if state.to_decide >= 0 and state.players[state.to_decide] != player:
            told.append(make("go", state.players[state.to_decide], (), "auto"))
        told.append(make("play", player, cards, "human"))
    told += [make("flip", player, (card,), "human") for card in flips]
    for event in told:
        why = check(state, event)
        if why:
            return why
        state = apply(state, event)
    rest = pending(state)
    if len(rest) > 1:
        fits = [events for events in rest if any(chosen & state.house.pack.mask(e.cards) for e in events if e.kind == "capture")]
        if len(fits) != 1 and not _alike(state, fits or rest):
            options = {c for events in rest for e in events if e.kind == "capture" for c in e.cards}
            common = set.intersection(*({c for e in events if e.kind == "capture" for c in e.cards} for events in rest))
            return problem("choose-card", tuple(sorted(options - common)))
        rest = fits or rest
    return (*told, *rest[0]) if rest else tuple(told)


def _alike(state: State, rest: list[list[Event]]) -> bool:
    """The choices take cards of equal worth."""
    kinds = []
    for events in rest:
        mask = 0
        for e in events:
            if e.kind == "capture":
                mask |= state.house.pack.mask(e.cards)
        kinds.append((mask & ~(SINGLES | DOUBLES), (mask & SINGLES).bit_count(), (mask & DOUBLES).bit_count()))
    return all(k == kinds[0] for k in kinds)
