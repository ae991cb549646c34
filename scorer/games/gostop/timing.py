"""A turn told by what lies on the table, as events with the times at which their cards were seen to come."""
from __future__ import annotations

from dataclasses import replace

from ...events import Event
from .deal import turn_events
from .pack import indices
from .referee import Candidate, with_stolen
from .sight import Sight
from .state import State
from .turns import PPUK

TURN_MS = 850            # from a card laid to the stock card turned


def events(state: State, sight: Sight, c: Candidate) -> tuple[Event, ...]:
    """A candidate's turn as it went into the table, each event with the time at which it was seen."""
    real = with_stolen(c)
    if c.not_yet:                   # moments whose cards were left lying did not come to pass
        real.moments = [(name, cards) for name, cards in real.moments if name == PPUK or not cards & c.not_yet]
    told = turn_events(state.house, state.players, c.player, c.kind, c.hand, real)
    lay = max((sight.came.get(i, (0, 0))[1] for i in (*indices(c.hand), *real.flips)), default=0)
    gathered = max(lay, max((sight.lies.get(i, 0) for i in indices(real.gained)), default=0))
    times = _estimated(sight, c)
    out = []
    for event in told:
        if event.kind in ("play", "flip"):       # a bomb's cards are laid together, though they may show one after another
            when = min((times[i] for i in indices(state.house.pack.mask(event.cards)) if i in times), default=0)
        elif event.kind == PPUK:
            when = lay
        elif event.kind == "steal":
            when = max((sight.lies.get(i, 0) for i in indices(state.house.pack.mask(event.cards))), default=0) or gathered
        else:
            when = gathered
        out.append(replace(event, t_ms=max(0, min(when, sight.t_ms))))
    return tuple(out)


def _estimated(sight: Sight, c: Candidate) -> dict[int, int]:
    """When each card of a turn came. One that was only seen when it was gathered came as long before (or after) the other as
    a hand takes from the floor to the stock and back."""
    times = {i: sight.came[i][1] for i in (*indices(c.hand), *c.turn.flips) if i in sight.came}
    if c.hand.bit_count() == 1 and c.turn.flips:         # one of the two was never seen: it lies hidden in the pile
        h, f = c.hand.bit_length() - 1, c.turn.flips[0]
        if h in times and f not in times:
            times[f] = times[h] + TURN_MS
        elif f in times and h not in times:
            times[h] = max(0, times[f] - TURN_MS)
    hand, flips = [i for i in indices(c.hand) if i in times], [i for i in c.turn.flips if i in times]
    if len(hand) == 1 and flips:
        h, f = hand[0], flips[0]
        if sight.blind >> h & 1 and not sight.blind >> f & 1:
            times[h] = max(0, min(times[h], times[f] - TURN_MS))
        elif sight.blind >> f & 1 and not sight.blind >> h & 1:
            times[f] = min(times[f], times[h] + TURN_MS)
    return times


def dated(event: Event, sight: Sight, cards: int) -> Event:
    """The event with the time at which its cards came to lie where they lie."""
    when = max((sight.lies.get(i, 0) for i in indices(cards)), default=0)
    return replace(event, t_ms=when)
