"""What the camera saw at a table of Stop the Bus, as events: the deal, swaps, hands laid open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations, permutations
from math import dist

from ...cards import FRENCH
from ...events import Event, make
from ...game import Explanation, Problem, problem
from ...table import Seen, TableState
from ..evidence import clearness, news, reachers, seen_open, tracks, when
from .state import HAND, BusState, apply, swapped

CALM_MS = 400  # where the table has not settled yet the cards that tell of a turn lie still for so long …
UNDER_HAND_MS = 800  # … and so long where a hand is over the table
UNSURE_MS = 1500  # so long is waited for a surer name
TAKEN_MS = 1200  # so long after it was covered a card of the centre is taken to have been drawn from under the other
HALF = 0.5  # a card of which less shows is mostly covered
ONE_HAND_COST = 5.0
"""Evidence against two turns where only one player's hand was seen in the centre."""


def check(state: BusState, event: Event) -> Problem | None:
    """Why the rules do not allow the event now, None where they do."""
    test = {"deal": _check_deal, "swap": _check_swap, "call": _check_call, "show": _check_show, "draw": _check_draw}.get(event.kind)
    if test is not None:
        return test(state, event)
    if event.kind == "lose_token":
        return None if event.player in state.losers and event.player not in state.lost else problem("not-lowest", player=event.player)
    if event.kind == "out":
        good = event.player in state.lost and event.player not in state.out and state.token(str(event.player)) == 0
        return None if good else problem("tokens-left", player=event.player)
    if event.kind == "win":
        left = [p for p in state.players if state.token(p) > 0]
        return None if left == [event.player] and state.lost and state.winner is None else problem("not-won", player=event.player)
    return None if event.kind == "resync" else problem("unknown-event", kind=event.kind)


def _check_draw(state: BusState, event: Event) -> Problem | None:
    if state.centre or state.turns:
        return problem("already-dealt")
    if event.player not in (state.drawing or state.inside) or event.player in dict(state.draws):
        return problem("out-of-turn", event.cards, player=event.player)
    return None if len(event.cards) == 1 and _french(event.cards) else problem("wrong-count", event.cards, want=1)


def _french(cards: Iterable[str]) -> bool:
    return all(card in FRENCH for card in cards)


def _check_deal(state: BusState, event: Event) -> Problem | None:
    if state.turns or state.centre:
        return problem("already-dealt", event.cards)
    three = len(event.cards) == len(set(event.cards)) == HAND and _french(event.cards)
    return None if three else problem("wrong-count", event.cards, want=HAND)


def _check_swap(state: BusState, event: Event) -> Problem | None:
    took, gave = swapped(event)
    if event.player not in state.inside:
        return problem("not-in-round", event.cards, player=event.player)
    if state.showdown:
        return problem("round-over", event.cards)
    if len(took) != len(gave) or not took:
        return problem("wrong-count", event.cards, want=1)
    if len(took) != 1 and not (len(took) == HAND and state.rules.swap_all):
        return problem("two-plays", event.cards, swapped=len(took))
    if event.player != state.turn:
        return problem("out-of-turn", event.cards, player=event.player, turn=state.turn)
    if state.centre and any(card not in state.centre for card in took):
        return problem("illegal-play", took, reason="not-in-centre")
    index = state.players.index(event.player)
    elsewhere = {card for n, cards in enumerate(state.known) if n != index for card in cards} | set(state.centre)
    if any(card in elsewhere for card in gave) or len(set(gave)) != len(gave):
        return problem("illegal-play", gave, reason="not-in-hand")
    if state.hidden is not None and any(card not in state.hidden[index] for card in gave):
        return problem("illegal-play", gave, reason="not-in-hand")
    return None


def _check_call(state: BusState, event: Event) -> Problem | None:
    player = event.player
    if player not in state.inside:
        return problem("not-in-round", player=player)
    if state.caller is not None:
        return problem("already-called", by=state.caller)
    if state.turn == player:
        first = player not in state.turns
        if (first and state.rules.first_turn_stop) or state.rules.call_before_swap:
            return None
        return problem("call-before-swap", player=player)
    if player not in state.turns:
        return problem("out-of-turn", player=player, turn=state.turn)
    return None  # said at the end of the own turn; others may have played on before it was heard: those were their last turns


def _check_show(state: BusState, event: Event) -> Problem | None:
    player = event.player
    if player not in state.inside:
        return problem("not-in-round", event.cards, player=player)
    if not state.showdown:
        return problem("show-too-early", event.cards, waiting=state.waiting() or state.inside)
    if not len(event.cards) == len(set(event.cards)) == HAND or not _french(event.cards):
        return problem("wrong-count", event.cards, want=HAND)
    others = {card for p, hand in state.shown if p != player for card in hand} | set(state.centre)
    missing = [card for card in state.hand_known(player) if card not in event.cards and card not in state.doubtful]
    if missing or others & set(event.cards):
        return problem("hand-mismatch", event.cards, player=player, missing=missing)
    if state.hidden is not None and set(state.hidden[state.players.index(player)]) != set(event.cards):
        return problem("hand-mismatch", event.cards, player=player, missing=())
    return None


def observe(state: BusState, before: TableState, after: TableState) -> tuple[Explanation, ...]:
    """Readings of a settled table: the deal, a swap (or one each where a look was missed), hands laid open."""
    if after.lost:
        return ()
    if state.showdown:
        return _shows(state, before, after)
    centre = _centre(before, after)
    if len({s.card for s in centre}) != HAND or not _settled(after, centre):
        return ()  # a card is on its way, or not read yet
    if not state.centre:
        return (Explanation((make("deal", cards=(s.card for s in centre), margin=clearness(centre)),)),)
    new = [s for s in centre if s.card not in state.centre]
    gone = tuple(card for card in state.centre if card not in {s.card for s in centre})
    old = tracks(before.by_kind("centre"))
    if not new or len(new) != len(gone) or any(s.track in old for s in new):
        return ()  # nothing, or only a card whose name was read anew: that is an amendment, no swap
    return _swaps(state, before, after, gone, sorted(new, key=lambda s: s.order))


def _centre(before: TableState, after: TableState) -> list[Seen]:
    """The open cards of the centre. Where a fourth lies there, mostly under a newer one, and no hand is over the table any more, it was
    taken from under that: three lie open."""
    centre = [s for s in after.by_kind("centre") if seen_open(s)]
    if len(centre) != HAND + 1 or after.hands or after.t_ms - _stirred(after, centre) < TAKEN_MS:
        return centre
    old = tracks(before.by_kind("centre"))
    under = [s for s in centre if s.track in old and s.visible < HALF]
    return [s for s in centre if s is not under[0]] if len(under) == 1 else centre


def _stirred(table: TableState, cards: list[Seen]) -> int:
    """When the last of the cards came to lie where it lies, ms."""
    mine = tracks(cards)
    return max((c.t_ms for c in table.changes if c.track in mine and c.kind in ("appear", "move", "turn")), default=0)


def _settled(table: TableState, cards: list[Seen]) -> bool:
    """Have the cards lain still, longer under a hand, and are all names sure, or has it taken long enough for them to become so?"""
    calm = 0 if table.stable else UNDER_HAND_MS if table.hands else CALM_MS
    doubtful = [s for s in cards if not s.sure]
    return table.t_ms - _stirred(table, cards) >= calm and (not doubtful or table.t_ms - _stirred(table, doubtful) >= UNSURE_MS)


def dealt_anew(state: BusState, before: TableState, after: TableState) -> tuple[Explanation, ...]:
    """The round is over, the hands were taken up, and three cards were laid in the centre since."""
    if after.lost or any(seen_open(s) for s in after.by_kind("reveal")):
        return ()
    centre = [s for s in after.by_kind("centre") if seen_open(s)]
    came = tracks(centre) & {c.track for c in news(before, after) if c.kind in ("appear", "move")}
    if len({s.card for s in centre}) != HAND or len(came) < HAND - 1 or {s.card for s in centre} == set(state.centre) or not _settled(after, centre):
        return ()
    return (Explanation((make("next-deal", source="auto"),)),)


def _swaps(state: BusState, before: TableState, after: TableState, gone: tuple[str, ...], new: list[Seen]) -> tuple[Explanation, ...]:
    zones = {z.name for z in after.zones_of("centre")}
    hands = reachers(news(before, after), zones, state.inside)
    who = hands[-1] if len(set(hands)) == 1 else state.turn
    names, margin = tuple(s.card for s in new), clearness(new)
    event = replace(make("swap", who, (*gone, *names), margin=margin), t_ms=when(news(before, after), {*gone, *names}))
    found = check(state, event)
    single = Explanation((event,), 0.0, found, "swap", names)
    if found is None or found.code != "two-plays":
        return (single,)
    each = _one_each(state, _in_place(before, gone, new), names, margin)
    if not each:
        return (single,)
    # as many hands reached in as cards changed: one turn each; a single hand: one turn
    seen = len(set(hands))
    return single, Explanation(each, 0.0 if seen == len(names) else 0.8 if not seen else ONE_HAND_COST, None, "turns-each", names)


def _in_place(before: TableState, gone: tuple[str, ...], new: list[Seen]) -> tuple[tuple[str, ...], ...]:
    """Every order of the cards taken, the one first in which each new card lies nearest to where the old one lay."""
    places = {s.card: _middle(s) for s in before.by_kind("centre") if s.quad}

    def far(taken: tuple[str, ...]) -> float:
        return sum(dist(places[card], _middle(s)) for card, s in zip(taken, new, strict=True) if card in places and s.quad)

    return tuple(sorted(permutations(gone), key=far))


def _middle(seen: Seen) -> tuple[float, float]:
    return sum(x for x, _ in seen.quad) / len(seen.quad), sum(y for _, y in seen.quad) / len(seen.quad)


def _one_each(state: BusState, orders: tuple[tuple[str, ...], ...], names: tuple[str, ...], margin: float) -> tuple[Event, ...]:
    """The cards as swaps of successive turns, the first legal way of `orders`; who took which changes nothing that is scored."""
    for taken in orders:
        events: list[Event] = []
        now = state
        for card, into in zip(taken, names, strict=True):
            event = make("swap", now.turn, (card, into), margin=margin)
            if check(now, event) is not None:
                break
            events.append(event)
            now = apply(now, event)
        else:
            return tuple(events)
    return ()


def _shows(state: BusState, before: TableState, after: TableState) -> tuple[Explanation, ...]:
    """The hands that lie open and were not logged yet."""
    done = {p for p, _ in state.shown}
    open_ = {p: [s for s in after.by_kind("reveal", p) if seen_open(s)] for p in state.inside if p not in done}
    ready = [p for p, cards in open_.items() if len({s.card for s in cards}) == HAND and _settled(after, cards)]
    sure = [p for p in ready if all(s.sure for s in open_[p])]
    events: list[Event] = []
    wrong: Problem | None = None
    for player in sure or ready[:1]:  # a hand with a doubtful card waits for the others, and holds none of them up
        event = make("show", player, (s.card for s in open_[player]), margin=clearness(open_[player]))
        event = replace(event, t_ms=when(news(before, after), event.cards))
        wrong = wrong or check(state, event)
        events.append(event)
        state = apply(state, event)
    return (Explanation(tuple(events), 0.0, wrong, "show"),) if events else ()


def expected(state: BusState, after: TableState) -> tuple[Problem, ...]:
    """Does a settled centre hold other cards than the log says?"""
    centre = tuple(s.card for s in after.by_kind("centre") if s.face_up and s.sure)
    if not state.centre or not after.stable or after.lost or len(centre) != HAND or set(centre) == set(state.centre):
        return ()
    return (problem("centre-differs", sorted(set(centre) ^ set(state.centre)), table=centre, log=state.centre),)


def adopt(state: BusState, table: TableState) -> tuple[Event, ...]:
    """Take the centre as it lies."""
    centre = tuple(s.card for s in table.by_kind("centre") if s.face_up and s.card)
    if len(set(centre)) != HAND or set(centre) == set(state.centre):
        return ()
    return (make("resync", cards=centre, source="human"),)


def swaps_of(state: BusState, player: str, hand: tuple[str, ...]) -> tuple[Event, ...]:
    """Every swap that `player` may make with these cards."""
    sizes = (1, HAND) if state.rules.swap_all else (1,)
    return tuple(
        make("swap", player, (*took, *gave), "human")
        for n in sizes
        for took in combinations(state.centre, n)
        for gave in combinations(hand, n)
    )
