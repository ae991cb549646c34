"""Rulings on cards that land in the middle, for Spit and Speed: played, refused, a race, or for the players to say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ...events import Event, make
from ...game import Explanation, Option, Problem, Question
from ...ruleset import Rules
from ...table import TableState
from ..evidence import clearness, shows
from .middle import Arrival, Contest, Last, at, contested, pile_rules, race_event
from .piles import fits


@dataclass(slots=True)
class Reader:
    """Events read so far, with the game's state after them (a state with `piles`, `rules` and `refused`)."""

    now: Any
    check: Callable[[Any, Event], Problem | None]
    apply: Callable[[Any, Event], Any]
    events: list[Event] = field(default_factory=list)
    wrong: Problem | None = None

    def log(self, event: Event, ruling: Problem | None = None) -> None:
        """Take the event; what the rules do not allow is flagged (the first such thing is the explanation's own problem)."""
        found = ruling or self.check(self.now, event)
        self.events.append(event)
        if found is not None and self.wrong is None:
            self.wrong = found
        elif found is not None:
            self.events.append(make("flag", event.player, found.cards, "auto", problem=found.code, args=dict(found.args)))
        self.now = self.apply(self.now, event)

    def explanations(self, cost: float = 0.0, label: str = "cards") -> tuple[Explanation, ...]:
        """The one reading, () where nothing was read."""
        return (Explanation(tuple(self.events), cost, self.wrong, label),) if self.events else ()


def land(reader: Reader, arrival: Arrival, player: str, index: int | None, after: TableState) -> None:
    """A card of this player landed on a spit pile: judge it against the top at the moment of its touch."""
    touch = arrival.by(player)
    rival = contested(reader.now.piles, touch, reader.now.rules)
    if rival is not None:
        last, ruling = rival
        cards = (last.card, arrival.card)
        event = race_event(arrival.pile, ruling, cards, touch.t_ms)
        if ruling.verdict == "too-close":
            second = {"player": player, "t_ms": round(touch.t_ms)}
            reader.log(at(make("race", None, cards, "auto", **{**event.args, "second": second}), touch.t_ms))
            return
        reader.log(event)
        if ruling.order[0] != last.player:  # the rival's card was seen first, but touched second
            reader.log(refusal(last.player, last.card, arrival.pile, "beaten", last.t_ms))
            reader.log(play_event(arrival, player, index))
            if last.player in ruling.accepted:
                reader.log(at(make("play", last.player, (last.card,), pile=arrival.pile, index=last.index), last.t_ms))
            return
        if player not in ruling.accepted:
            reader.log(refusal(player, arrival.card, arrival.pile, "beaten", touch.t_ms))
            return
    event = play_event(arrival, player, index)
    found = reader.check(reader.now, event)
    if found is not None and found.args.get("reason") == "does-not-fit":
        stood = reader.now.refused
        rules = pile_rules(reader.now.rules)
        if stood is not None and stood[2] == arrival.pile and lies(after, stood[1], arrival.pile) and fits(stood[1], arrival.card, rules):
            reader.log(make("play", stood[0], (stood[1],), "auto", pile=stood[2]))  # nobody took it back: it stands, marked
            reader.log(event)
            return
        reader.log(refusal(player, arrival.card, arrival.pile, "does-not-fit", touch.t_ms))
        return
    reader.log(event)


def play_event(arrival: Arrival, player: str, index: int | None = None) -> Event:
    """The play of an arrived card, at the moment of its touch."""
    touch = arrival.by(player)
    known = {"index": index, "sigma_ms": touch.sigma_ms}
    args: dict[str, Any] = {"pile": arrival.pile, **{k: v for k, v in known.items() if v is not None}}
    return at(make("play", player, (arrival.card,), margin=clearness((arrival.seen,)), **args), touch.t_ms)


def refusal(player: str, card: str, pile: str, reason: str, t_ms: float) -> Event:
    """A card that does not count."""
    return at(make("refused", player, (card,), "auto", pile=pile, problem="illegal-play", reason=reason), t_ms)


def lies(table: TableState, card: str, zone: str) -> bool:
    """Does the card lie open in the zone, covered or not?"""
    return any(s.card == card and shows(s) for s in table.cards_in(zone))


def race_question(contest: Contest, rules: Rules) -> Question:
    """Who was first? Asked where the measuring error leaves it open."""
    return Question("race-order", None, tuple(_race_option(contest, first, rules) for first in (contest.first, contest.second)))


def _race_option(contest: Contest, first: Last, rules: Rules) -> Option:
    """What the log gets where this card was the first to touch."""
    second = contest.second if first is contest.first else contest.first
    events = []
    if first is not contest.first:
        events += [refusal(contest.first.player, contest.first.card, contest.pile, "beaten", contest.first.t_ms),
                   at(make("play", first.player, (first.card,), "human", pile=contest.pile), first.t_ms)]
    if fits(first.card, second.card, pile_rules(rules)):
        events.append(at(make("play", second.player, (second.card,), "human", pile=contest.pile), second.t_ms))
    elif first is contest.first:
        events.append(refusal(second.player, second.card, contest.pile, "beaten", second.t_ms))
    return Option(first.player, "touched-first", (first.card,), tuple(events))
