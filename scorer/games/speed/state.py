"""A round of Speed, folded from its events."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...cards import FRENCH
from ...errors import InputError
from ...events import Event, make
from ...ruleset import Rules
from ..spit.middle import PILES, Contest, Last, Middle, MiddlePile, find, known, last_of, pile_rules, put, take
from . import rules as r


@dataclass(frozen=True, slots=True)
class Hidden:
    """The cards that nobody sees, in simulated play only: hands and stocks by player, side piles and middle cards by pile
    (the next one last)."""

    seed: str
    hands: tuple[tuple[str, ...], ...]
    stocks: tuple[tuple[str, ...], ...]
    sides: tuple[tuple[str, ...], ...]
    middle: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SpeedState:
    """The table.

    phase      layout (the middle cards lie face down), play, flip (nobody can play: side cards go to the middle), over
    hands      cards in hand by player; `stocks` and `totals` (points of the rounds before) likewise
    sides      cards of the side pile next to spit pile L and R
    due        spit piles that wait for their side card
    contest    a race too close to call; `refused` the last card refused, as (player, card, pile)
    reshuffles how often new side piles were made
    target     points that win the match, 0 for a single round
    """

    rules: Rules
    players: tuple[str, ...]
    hands: tuple[int, ...]
    stocks: tuple[int, ...]
    sides: tuple[int, int]
    totals: tuple[int, ...]
    target: int
    phase: str = "layout"
    piles: Middle = ()
    due: tuple[str, ...] = ()
    contest: Contest | None = None
    refused: tuple[str, str, str] | None = None
    reshuffles: int = 0
    winner: str | None = None
    hidden: Hidden | None = None

    def seat(self, player: str) -> int:
        """Index of a player."""
        return self.players.index(player)

    def left(self, player: str) -> int:
        """Cards in hand and stock."""
        return self.hands[self.seat(player)] + self.stocks[self.seat(player)]

    @property
    def under(self) -> int:
        """Cards below the tops of the spit piles."""
        return sum(max(0, pile.count - 1) for pile in self.piles)

    @property
    def total(self) -> int:
        """All cards of the table: 52, whatever happens."""
        middle = sum(pile.count for pile in self.piles) if self.piles else r.MIDDLE
        return sum(self.hands) + sum(self.stocks) + sum(self.sides) + middle

    @property
    def next_step(self) -> str | None:
        """What comes next in simulated play; None where the hands are not known."""
        if self.hidden is None or not self.piles:
            return None
        hands = dict(zip(self.players, self.hidden.hands, strict=True))
        stocks = dict(zip(self.players, self.stocks, strict=True))
        tops = [p.top for p in self.piles if p.top]
        return r.next_step(tops, hands, stocks, self.sides, self.under, self.rules.hand_size, pile_rules(self.rules))


def start(rules: Rules, players: tuple[str, ...], options: Mapping[str, Any]) -> SpeedState:
    """A fresh round; options `totals` {player: points}, `target` (over the ruleset's), `seed` (deals the cards)."""
    if len(players) != 2:
        raise InputError("wrong-players", f"Speed is for two players, not {len(players)}", mend="name two")
    each, hand, stock = r.deal_sizes(rules.side_pile, rules.hand_size)
    given = options.get("totals")
    totals = tuple(n if isinstance(given, Mapping) and isinstance(n := given.get(p, 0), int) and n >= 0 else 0 for p in players)
    target = options.get("target")
    goal = target if isinstance(target, int) and not isinstance(target, bool) and 0 <= target <= 10_000 else rules.target
    state = SpeedState(rules, players, (hand, hand), (stock, stock), (rules.side_pile, rules.side_pile), totals, goal)
    seed = options.get("seed")
    if seed is None:
        return state
    pack = list(FRENCH)
    random.Random(str(seed)).shuffle(pack)
    own = [pack[:each], pack[each : 2 * each]]
    rest = pack[2 * each :]
    side = rules.side_pile
    hidden = Hidden(str(seed), tuple(tuple(cards[:hand]) for cards in own), tuple(tuple(cards[hand:]) for cards in own),
                    (tuple(rest[:side]), tuple(rest[side : 2 * side])), tuple(rest[2 * side :]))
    return replace(state, hidden=hidden)


def _at(rows: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    return (*rows[:index], value, *rows[index + 1 :])


def pile_cards(event: Event) -> dict[str, str]:
    """{pile: card} of a layout event: its cards in the order L, R."""
    return dict(zip(PILES, event.cards, strict=False))


def _layout(state: SpeedState, event: Event) -> SpeedState:
    """The two middle cards are turned up."""
    cards = pile_cards(event)
    hidden = state.hidden
    if hidden is not None:
        if len(hidden.middle) != len(PILES):
            return state
        cards = dict(zip(PILES, hidden.middle, strict=True))
        hidden = replace(hidden, middle=())
    if state.phase != "layout" or tuple(sorted(cards)) != PILES or len(set(cards.values()) & set(FRENCH)) != len(PILES):
        return state
    return replace(state, phase="play", piles=tuple(MiddlePile(name, (cards[name],)) for name in PILES), hidden=hidden)


def _refill(state: SpeedState, event: Event) -> SpeedState:
    if event.player not in state.players or state.phase in ("layout", "over"):
        return state
    seat = state.seat(event.player)
    after = r.draw(state.hands[seat], state.stocks[seat], state.rules.hand_size)
    if after is None:
        return state
    hidden = state.hidden
    if hidden is not None:
        drawn = state.stocks[seat] - after[1]
        hidden = replace(hidden, hands=_at(hidden.hands, seat, hidden.hands[seat] + hidden.stocks[seat][:drawn]),
                         stocks=_at(hidden.stocks, seat, hidden.stocks[seat][drawn:]))
    return replace(state, hands=_at(state.hands, seat, after[0]), stocks=_at(state.stocks, seat, after[1]), hidden=hidden)


def _play(state: SpeedState, event: Event) -> SpeedState:
    player, pile = event.player, find(state.piles, event.arg("pile"))
    if player not in state.players or pile is None or len(event.cards) != 1 or state.phase not in ("play", "flip"):
        return state
    card, seat = event.cards[0], state.seat(player)
    if card not in FRENCH or card in known(state.piles) or not state.left(player) or (state.hidden is not None and card not in state.hidden.hands[seat]):
        return state
    if not state.hands[seat]:  # a draw that nobody saw
        state = _refill(state, event)
    hidden = state.hidden
    if hidden is not None:
        hidden = replace(hidden, hands=_at(hidden.hands, seat, tuple(c for c in hidden.hands[seat] if c != card)))
    flip = state.due if len(state.due) < len([n for n in state.sides if n]) else ()  # somebody could play after all
    refused = None if state.refused and state.refused[2] == pile.name else state.refused
    piles = put(state.piles, pile.name, card, last_of(event, pile.top))
    return replace(state, hands=_at(state.hands, seat, state.hands[seat] - 1), piles=piles, contest=None, refused=refused, hidden=hidden,
                   due=flip, phase="flip" if flip else "play")


def _refused(state: SpeedState, event: Event) -> SpeedState:
    """A card that does not count; one that had been logged as played goes back to the hand."""
    player, pile = event.player, find(state.piles, event.arg("pile"))
    if player not in state.players or pile is None or len(event.cards) != 1 or state.phase == "over":
        return state
    card, seat = event.cards[0], state.seat(player)
    contest = None if state.contest is not None and card in (state.contest.first.card, state.contest.second.card) else state.contest
    state = replace(state, refused=(player, card, pile.name), contest=contest)
    if pile.last is None or pile.last.player != player or pile.last.card != card or pile.top != card:
        return state
    hidden = state.hidden
    if hidden is not None:
        hidden = replace(hidden, hands=_at(hidden.hands, seat, (*hidden.hands[seat], card)))
    return replace(state, piles=take(state.piles, pile.name, card), hands=_at(state.hands, seat, state.hands[seat] + 1), hidden=hidden)


def _race(state: SpeedState, event: Event) -> SpeedState:
    """A race too close to call waits for the players' word."""
    pile, second = find(state.piles, event.arg("pile")), event.arg("second")
    if event.arg("verdict") != "too-close" or pile is None or pile.last is None or not isinstance(second, Mapping):
        return state
    player, t_ms = second.get("player"), second.get("t_ms")
    if player not in state.players or len(event.cards) != 2 or event.cards[1] not in FRENCH or not isinstance(t_ms, int):
        return state
    return replace(state, contest=Contest(pile.name, pile.last, Last(player, event.cards[1], t_ms, None, pile.last.before)),
                   refused=(player, event.cards[1], pile.name))


def flips_due(state: SpeedState) -> tuple[str, ...]:
    """Spit piles whose side pile has a card."""
    return tuple(name for name, n in zip(PILES, state.sides, strict=True) if n)


def _stall(state: SpeedState, event: Event) -> SpeedState:
    return replace(state, phase="flip", due=flips_due(state), contest=None) if state.phase == "play" else state


def _side_flip(state: SpeedState, event: Event) -> SpeedState:
    name = event.arg("pile")
    if name not in PILES or len(event.cards) != 1 or state.phase not in ("play", "flip"):
        return state
    side = PILES.index(name)
    card, hidden = event.cards[0], state.hidden
    if not state.sides[side] or (hidden is None and (card in known(state.piles) or card not in FRENCH)):
        return state
    if hidden is not None:
        card = hidden.sides[side][-1]
        hidden = replace(hidden, sides=_at(hidden.sides, side, hidden.sides[side][:-1]))
    due = tuple(n for n in (state.due or flips_due(state)) if n != name)
    a, b = _at(state.sides, side, state.sides[side] - 1)
    return replace(state, sides=(a, b), piles=put(state.piles, name, card), due=due, phase="flip" if due else "play", contest=None,
                   refused=None, hidden=hidden)


def _reshuffle(state: SpeedState, event: Event) -> SpeedState:
    """The cards under the tops become new side piles."""
    if state.phase not in ("play", "flip") or any(state.sides) or not state.under:
        return state
    together = state.rules.new_side_piles == "together"
    sides = r.new_side_piles([pile.count for pile in state.piles], together)
    hidden = state.hidden
    if hidden is not None:
        rng = random.Random(f"{hidden.seed}:{state.reshuffles}")
        unders = [list(pile.cards[:-1]) for pile in state.piles]
        cards = [card for pile in unders for card in pile]
        if together:
            rng.shuffle(cards)
        else:
            for pile in unders:
                rng.shuffle(pile)
            cards = [card for pile in unders for card in pile]
        hidden = replace(hidden, sides=(tuple(cards[: sides[0]]), tuple(cards[sides[0] :])))
    piles = tuple(MiddlePile(pile.name, pile.cards[-1:]) for pile in state.piles)
    after = replace(state, sides=sides, piles=piles, reshuffles=state.reshuffles + 1, hidden=hidden, contest=None, refused=None)
    return replace(after, due=flips_due(after)) if state.phase == "flip" else after


def _resync(state: SpeedState, event: Event) -> SpeedState:
    """Take the spit piles as they lie: who laid a missed card is not known, so who holds more cards did."""
    tops = event.arg("piles")
    if state.hidden is not None or not isinstance(tops, Mapping) or state.phase not in ("play", "flip"):
        return state
    for name, top in tops.items():
        pile = find(state.piles, name)
        if pile is None or not isinstance(top, str) or top not in FRENCH or top == pile.top:
            continue
        if top in pile.cards:  # cards above it were none
            middle = tuple(replace(p, cards=(*(c for c in p.cards if c != top), top)) if p.name == name else p for p in state.piles)
            state = replace(state, piles=middle)
        elif top not in known(state.piles):
            most = max(state.players, key=state.left)
            state = _play(state, make("play", most, (top,), pile=name))
    return replace(state, contest=None, refused=None)


def apply(state: SpeedState, event: Event) -> SpeedState:
    """The state after an event; what makes no sense leaves it as it is."""
    if state.phase == "over":
        return state
    if event.kind == "win":
        return replace(state, winner=event.player, phase="over") if event.player in state.players else state
    if event.kind == "over":
        return replace(state, winner=r.fewer(dict(zip(state.players, state.stocks, strict=True))), phase="over")
    folds = {"layout": _layout, "refill": _refill, "play": _play, "refused": _refused, "race": _race, "stall": _stall,
             "side-flip": _side_flip, "reshuffle": _reshuffle, "resync": _resync}
    return folds[event.kind](state, event) if event.kind in folds else state
