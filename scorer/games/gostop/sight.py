"""What the settled table shows, as sets of cards by place, and when each card came there."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import Any

from ...cards import BACK, is_card, merged
from ...errors import InputError
from ...table import Change, Seen, TableState
from .pack import BONUS, Pack, indices
from .state import State, twin

FLOOR, REVEAL = -1, -2        # places beside the players' capture areas (0, 1, …); before player p is revealed: REVEAL - 1 - p
_CAME = ("appear", "turn", "move")
_RECENT_MS = 6000
_LAY_MS = 500
_FUMBLE_MS = 1000
_LOST_MS = 3000               # a card out of sight for less was most likely overlooked, not taken up
_LONG_MS = 60_000


@dataclass(frozen=True, slots=True)
class Sight:
    """Sets of cards by place.

    reveal   cards laid open before a player (a declared triple, four of a month), by player
    missing  cards that the log knows to lie open and that are not seen
    came     card number → (place in the order of coming, time) of when it first showed its face
    lies     card number → time of when it came to where it lies now
    by       card number → player whose hand laid it, where the camera could tell
    glimpsed cards that lay open for a moment and were taken up again (a triple shown without a place of its own)
    lay      those of them that lay there for a while: hardly anything misread
    unsure   cards whose name is not settled
    blind    cards that were first seen where they were gathered: when they came is not known
    tracks   card number → the camera's number of it
    still_ms how long the table has lain still
    hands    a hand is over the table: what it hides may still change the picture
    """

    floor: int
    caps: tuple[int, ...]
    reveal: tuple[int, ...]
    missing: int = 0
    came: dict[int, tuple[int, int]] = field(default_factory=dict)
    lies: dict[int, int] = field(default_factory=dict)
    by: dict[int, int] = field(default_factory=dict)
    glimpsed: int = 0
    unsure: int = 0
    blind: int = 0
    tracks: dict[int, int] = field(default_factory=dict)
    t_ms: int = 0
    still_ms: int = 0
    hands: bool = False
    lay: int = 0

    def lain(self, cards: int) -> int:
        """How long (ms) the youngest of the cards has lain where it lies; under a hand time counts for less."""
        youngest = max((self.lies[i] for i in indices(cards) if i in self.lies), default=None)
        if youngest is None:
            return _LONG_MS
        age = max(0, self.t_ms - youngest)
        return age * 2 // 3 if self.hands else age

    @property
    def all(self) -> int:
        """Every card seen on the floor or in a capture area."""
        out = self.floor
        for held in self.caps:
            out |= held
        return out


def look(state: State, table: TableState, recent_ms: int = _RECENT_MS) -> Sight:
    """Read a table. Face-down cards, hands and unnamed cards are passed over; two cards of one name are given the letters
    that need the fewest cards to have moved. `recent_ms`: a card that left no longer ago counts as glimpsed."""
    pack = state.house.pack
    zones = {z.name: z for z in table.zones}
    groups: dict[str, list[tuple[Seen, int]]] = {}
    for s in table.seen:
        if not s.lies or not s.face_up or not s.card or s.card == BACK:
            continue
        zone = zones.get(s.zone)
        kind = zone.kind if zone else "floor"
        if kind == "captures" and zone is not None and zone.player in state.players:
            place = state.players.index(zone.player)
        elif kind in ("floor", "stock", "centre"):
            place = FLOOR
        elif kind == "reveal" and zone is not None and zone.player in state.players:
            place = REVEAL - 1 - state.players.index(zone.player)
        else:
            continue
        groups.setdefault(merged(s.card), []).append((s, place))
    where = _places(state)
    placed: list[tuple[int, Seen, int]] = []
    for name, group in groups.items():
        placed += _lettered(pack, name, group, where)
    floor, caps, reveal = 0, [0] * state.n, [0] * state.n
    tracks: dict[int, int] = {}
    for card, seen, place in placed:
        tracks[seen.track] = card
        if place == FLOOR:
            floor |= 1 << card
        elif place >= 0:
            caps[place] |= 1 << card
        else:
            reveal[REVEAL - 1 - place] |= 1 << card
    came: dict[int, tuple[int, int]] = {}
    lies: dict[int, int] = {}
    by: dict[int, int] = {}
    gone: list[str] = []
    passing: dict[str, tuple[int, int]] = {}         # cards by name that are no longer seen: when they first showed
    hand: dict[str, str | None] = {}                 # ... and whose hand laid them
    left: dict[int, int] = {}
    went: dict[str, int] = {}
    declared = 0
    for held in state.shown:
        declared |= held
    stock_zones = {z.name for z in table.zones if z.kind == "stock"}
    capture_zones = {z.name: z.player for z in table.zones if z.kind == "captures"}
    secret = {z.name for z in table.zones if z.kind == "hand"} | stock_zones | set(capture_zones)
    last = blind = 0
    for change in table.changes:
        moved = tracks.get(change.track) if change.track is not None else None
        if moved is not None and moved not in came and _told_of(pack, state, change, moved, secret):
            came[moved] = (change.t_ms * 1000 + change.n % 1000, change.t_ms)
        if change.kind in ("touch", "lift", "rename", "cover", "uncover"):
            continue
        last = max(last, change.t_ms)
        if change.kind == "leave":
            if moved is not None:
                left[moved] = change.t_ms
            elif is_card(change.card):
                went[change.card] = change.t_ms
                if change.t_ms > table.t_ms - recent_ms:
                    gone.append(change.card)
            continue
        if moved is None and change.kind == "appear" and is_card(change.card):
            passing[change.card] = (change.t_ms * 1000 + change.n % 1000, change.t_ms)
            hand[change.card] = change.player
        if moved is None or change.kind not in _CAME or change.card == BACK:
            continue
        lies[moved] = change.t_ms
        if change.from_zone in stock_zones:      # turned in passing, or seen through the fingers: it came when it was laid in the centre
            came.pop(moved, None)
        away = change.t_ms - left.pop(moved, change.t_ms)
        if away > (_FUMBLE_MS if declared >> moved & 1 else _LOST_MS) and change.to_zone not in capture_zones:
            came.pop(moved, None)                # it was taken up again: what counts is when it came back to the centre
            by.pop(moved, None)
        before = passing.get(change.card)
        if moved not in came and before is not None and not declared >> moved & 1:
            recent = change.t_ms - before[1] < _RECENT_MS or not state.unseen >> moved & 1
            if recent and change.t_ms - went.get(change.card, before[1]) < _LOST_MS:
                came[moved] = before             # followed under another number until it was overlooked for a while
        # by time, then number: a card made out late may have come before one that was seen at once
        if moved not in came:
            came[moved] = (change.t_ms * 1000 + change.n % 1000, change.t_ms)
            gathered = capture_zones.get(change.to_zone, change.player) == change.player or change.player not in state.players
            blind = blind | 1 << moved if change.to_zone in capture_zones and gathered else blind & ~(1 << moved)
        if change.player in state.players:
            by.setdefault(moved, state.players.index(change.player))
    for card in indices(blind):              # it lay open under its right name before, and was misread where it was gathered
        before = passing.get(pack.names[card])
        if before is not None and 0 <= came[card][1] - before[1] < _RECENT_MS and state.unseen >> card & 1:
            came[card], blind = before, blind & ~(1 << card)
    played = (state.begun.hand | sum(1 << i for i in state.begun.flips)) if state.begun and state.begun.over else 0
    since = max((came[i][1] for i in indices(played) if i in came), default=0)
    for card in [i for i in came if state.unseen >> i & 1 and came[i][1] < since and lies.get(i, 0) > since]:
        came[card] = (lies[card] * 1000, lies[card])        # followed under the number of another card before
    old = -10**9 if table.changes else 0
    for card, seen, _ in placed:            # not in the journal: it came before; without one the order of settling must do
        came.setdefault(card, (old + seen.order, lies.get(card, table.t_ms)))
    for here, newly in _newcomers({card: place for card, _, place in placed}, where):
        if newly in where:                  # both lay open before: this one has lain here for longer
            if lies.get(here, 0) > lies.get(newly, 0):
                _exchange(lies, here, newly)
        elif came.get(newly, (0, 0)) < came.get(here, (0, 0)) < (lies.get(here, 0) * 1000, 0):
            for told in (came, lies, by):   # this one lay open before, so it came first, if the journal still has that
                _exchange(told, here, newly)
    shown = floor
    for held in (*caps, *reveal):
        shown |= held
    unsure = sum(1 << card for card, seen, _ in placed if not seen.sure)
    glimpsed = _glimpsed(pack, gone, shown | state.seen)
    for card, name in glimpsed.items():
        came.setdefault(card, passing.get(name, (old, table.t_ms)))
        if hand.get(name) in state.players:
            by.setdefault(card, state.players.index(str(hand[name])))
    lay = sum(1 << card for card, name in glimpsed.items() if name in passing and went.get(name, 0) - passing[name][1] >= _LAY_MS)
    still = max(0, table.t_ms - last) if last and not table.hands else 0
    return Sight(floor, tuple(caps), tuple(reveal), state.seen & ~shown, came, lies, by, sum(1 << card for card in glimpsed), unsure,
                 blind & ~BONUS, {card: track for track, card in tracks.items()}, table.t_ms, still, bool(table.hands), lay)


def _told_of(pack: Pack, state: State, change: Change, card: int, elsewhere: set[str]) -> bool:
    """Whether the journal tells, without saying that it came, of a new card under its name in the centre: what lay there as nothing in
    particular was made out there, so that it came no later."""
    known = change.kind in ("rename", "cover", "uncover", "leave") and is_card(change.card) and merged(change.card) == merged(pack.names[card])
    return known and bool(state.unseen >> card & 1) and (change.to_zone or change.from_zone) not in elsewhere


def _newcomers(placed: Mapping[int, int], where: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """Pairs of plain junk cards of one month that lie in one place now: first the one that lay open (or, of two that did, lay there)
    by the log, then the one that came later."""
    for card, place in placed.items():
        other = twin(1 << card).bit_length() - 1
        both_here = other >= 0 and placed.get(other) == place
        if both_here and card in where and (other not in where or where[card] == place != where[other]):
            yield card, other


def relettered(state: State, sight: Sight) -> Iterator[Sight]:
    """The sight with a new plain junk card of a month taken for its twin that lay open and is seen nowhere: which of two of one print
    came to light where they were gathered cannot be seen."""
    for card in indices(sight.all & state.unseen):
        other = twin(1 << card)
        if not other & sight.missing & state.on_floor or not any(held >> card & 1 for held in sight.caps):
            continue
        mine, old = 1 << card, other.bit_length() - 1

        def moved(cards: int, mine: int = mine, other: int = other) -> int:
            return cards & ~mine | other if cards & mine else cards

        def told(known: dict[int, Any], card: int = card, old: int = old) -> dict[int, Any]:
            return {old if i == card else i: v for i, v in known.items() if i != old}

        yield replace(sight, caps=tuple(moved(held) for held in sight.caps), missing=sight.missing & ~other, came=told(sight.came),
                      lies=told(sight.lies), by=told(sight.by), tracks=told(sight.tracks), unsure=moved(sight.unsure), blind=moved(sight.blind))


def _exchange(told: dict[int, Any], one: int, other: int) -> None:
    """What is known of one card is the other's, and the other way round."""
    first, second = told.pop(one, None), told.pop(other, None)
    if second is not None:
        told[one] = second
    if first is not None:
        told[other] = first


def _glimpsed(pack: Pack, names: list[str], open_cards: int) -> dict[int, str]:
    """Cards that left the table again, as far as they can be told, with the names that they were seen under."""
    out: dict[int, str] = {}
    taken = open_cards
    for name in names:
        with suppress(InputError):               # a misreading of a card that lies elsewhere
            card = pack.mask([merged(name)], taken)      # which of twins it was is anybody's guess
            taken |= card
            out[card.bit_length() - 1] = name
    return out


def _places(state: State) -> dict[int, int]:
    """Card number → place by the log."""
    out: dict[int, int] = {}
    for place, held in ((FLOOR, state.on_floor), *enumerate(state.caps)):
        for card in range(len(state.house.pack.names)):
            if held >> card & 1:
                out[card] = place
    return out


def _lettered(pack: Pack, name: str, group: list[tuple[Seen, int]], where: dict[int, int]) -> Iterator[tuple[int, Seen, int]]:
    """The cards of one print with their numbers; more of them than the pack has are a misreading and left out."""
    cards = list(pack.alike.get(name, ()))
    if not cards:
        return
    if len(cards) == 1:
        # two cards of one name: the one that lies where the log has it
        group = sorted(group, key=lambda g: (where.get(cards[0]) != g[1], not g[0].sure, g[0].order))
        yield cards[0], group[0][0], group[0][1]
        return
    # of equals, the card that the log knows is the one that has been followed for longer
    cards.sort(key=lambda c: c not in where)
    group = sorted(group, key=lambda g: (g[1] not in [where.get(c) for c in cards], not g[0].sure))[:len(cards)]
    group.sort(key=lambda g: g[0].track)

    def moves(order: tuple[int, ...]) -> int:
        return sum(2 * (where.get(card) != place) + (pack.names[card] != seen.card)
                   for card, (seen, place) in zip(order, group, strict=True))

    best = min(permutations(cards, len(group)), key=moves)
    for card, (seen, place) in zip(best, group, strict=True):
        yield card, seen, place
