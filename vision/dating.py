"""When a card came, and by whose hand: from glimpses of it in a hand, from the fingertips' way, from what hands covered when.

A card often comes to light only when the hand that laid it goes away, or lies elsewhere by then; the order of coming still matters.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vision.card import Card, Cells
from vision.grid import Grid
from vision.look import Floats, Look, Sightings
from vision.names import Names

GLIMPSED = 0.55  # probability from which a name counts as glimpsed: only a card that is later seen to be it makes use of it
CLEAR = 0.8  # probability of a name from which a reading counts as clear
REST_MM_MS = 0.15  # a hand that lays a card down is slower than this for a moment
STILL_MM = 20.0  # two glimpses closer than this are of a card that lies
TIP_MM = 40.0  # fingertips closer than this to a card's centre hold or touch it
UNDER_HAND_MS = 3500.0  # a hand stays over a card that it has laid no longer than this
GLIMPSE_GAP_MS = 1200.0  # glimpses of a card farther apart than this are of different moments
LAYING_MS, LAYING_MM = 700.0, 12.0  # a hand that lays a card has it there for so long, so near to where it will lie
NEVER = -1e9


Glimpse = tuple[float, float, float, frozenset[str]]  # t_ms, x and y in mm, whose hands were over the table


class Dating:
    """Remembers hands and glimpses of the last seconds."""

    def __init__(self, grid: Grid, zone_of: Callable[[float, float, str], str], home: Callable[[str], bool]) -> None:
        self._grid, self._zone_of, self._home = grid, zone_of, home
        self._trail: dict[str, Floats] = {}  # for each player: when its hand was last over a cell
        self._tips: deque[tuple[float, float, float]] = deque(maxlen=400)
        self._was_blocked = grid.empty()
        self._blocked_from = np.full(grid.shape, NEVER)  # when a hand came over a cell
        self._blocked_to = np.full(grid.shape, NEVER)
        self._glimpses: dict[int, list[Glimpse]] = {}
        self._players: frozenset[str] = frozenset()  # whose hands are over the table

    def note(self, look: Look) -> None:
        """Where the hands are in this frame."""
        self._players = frozenset(look.players)
        for hand in look.hands:
            if hand.player not in self._trail:
                self._trail[hand.player] = np.full(self._grid.shape, NEVER)
            self._trail[hand.player][hand.mask] = look.t_ms
            self._tips.append((look.t_ms, *hand.tip))
        if look.blocked is not None:
            self._blocked_from[look.blocked & ~self._was_blocked] = look.t_ms
            self._blocked_to[look.blocked] = look.t_ms
            self._was_blocked = look.blocked

    def glimpse(
        self, s: Sightings, good: NDArray[np.intp], likelihood: Sequence[Floats | None], stirred: NDArray[np.bool_], cards: Iterable[Card],
        took: Mapping[int, Card], names: Names, t: float,
    ) -> None:  # fmt: skip
        """Note clear views of cards that lie nowhere yet, in a hand or under its fingers: they date what is later seen to lie.

        good: indices into the sightings; of each of those likelihood, None where it was not read, stirred: whether a hand or a change is
        there, and took: the card that it was given to.
        """
        lying = {c.votes.frozen: c for c in cards if c.votes.frozen >= 0 and c.state != "new"}
        for k, like in enumerate(likelihood):
            i = int(good[k])
            if like is None or s.visible[i] < 0.3 or s.back[i] > 0.5 or like.max() < math.log(GLIMPSED):
                continue
            name = int(np.argmax(like))
            at = took.get(k)
            if at is not None and at.state != "new" and t - at.twin_ms > UNDER_HAND_MS and (not stirred[k] or names.same(name, at.votes.frozen)):
                continue  # a card seen where it lies, rightly read or not, says nothing of one on its way
            x, y = s.quads[i].mean(axis=0)
            held = lying.get(name)
            if held is not None and (not held.hidden or t - held.twin_ms < UNDER_HAND_MS or math.hypot(x - held.centre[0], y - held.centre[1]) > TIP_MM):
                # the card lies elsewhere: this is its twin, if it has one that lies nowhere
                name = next((n for n in names.prints(name) if n not in lying), -1)
            if name >= 0:
                self._glimpses.setdefault(name, []).append((t, float(x), float(y), self._players))

    def glimpsed_at(self, c: Card) -> frozenset[int]:
        """Names that were glimpsed where a card came to lie, just before it did."""
        x, y = c.centre
        return frozenset(
            name for name, seen in self._glimpses.items()
            if any(0 < c.t_still - t < LAYING_MS and math.hypot(u - x, v - y) < LAYING_MM for t, u, v, _ in seen[-20:])
        )  # fmt: skip

    def first_seen(self, c: Card, name: int) -> None:
        """When and where a card that is now shown for the first time was first made out."""
        c.first_ms, c.first_zone = c.t_still, c.zone
        chain = self._chain([g for g in self._glimpses.pop(name, []) if g[0] < c.t_still], c.t_still)
        if len(chain) >= 2 or (chain and c.t_still - chain[0][0] <= GLIMPSE_GAP_MS):
            c.first_ms = chain[-1][0]
            if self._home(c.zone):  # gathered before it was seen to lie: it came to the table where it first lay about still
                early = chain[::-1]
                rest = next((q for p, q in pairwise(early) if math.hypot(p[1] - q[1], p[2] - q[2]) < STILL_MM), early[0])
                c.first_zone = self._zone_of(rest[1], rest[2], "") or c.zone
        else:
            c.first_ms = min(c.first_ms, self._laid_at(c))

    @staticmethod
    def _chain(seen: Sequence[Glimpse], until: float) -> list[Glimpse]:
        """The glimpses that lead up to a time, newest first. Between two that are far apart the same hand hid the card; a lone one long
        before the next may be a misreading."""
        chain: list[Glimpse] = []
        t = until
        for k in range(len(seen) - 1, -1, -1):
            gap = t - seen[k][0]
            if chain and gap > GLIMPSE_GAP_MS and (k == 0 or seen[k][0] - seen[k - 1][0] > GLIMPSE_GAP_MS or not seen[k][3] & chain[-1][3]):
                break
            if gap > UNDER_HAND_MS:
                break
            chain.append(seen[k])
            t = seen[k][0]
        return chain

    def _laid_at(self, c: Card) -> float:
        """When a card that came to light from under a hand was laid: when the fingertips first came there,
        after the hand had covered the place."""
        if float(np.median(self._blocked_to[c.cells])) < c.t_still - 400:
            return c.t_still
        start = max(float(np.median(self._blocked_from[c.cells])), c.t_still - UNDER_HAND_MS)
        x, y = c.centre
        for (t0, x0, y0), (t1, x1, y1) in pairwise(t for t in self._tips if start - 100 <= t[0] < c.t_still):
            rests = t1 > t0 and math.hypot(x1 - x0, y1 - y0) / (t1 - t0) < REST_MM_MS
            if rests and math.hypot(x1 - x, y1 - y) < TIP_MM:
                return t0
        return c.t_still

    def last_over(self, player: str, cells: Cells) -> float:
        """When a player's hand was last over some cells, in ms."""
        trail = self._trail.get(player)
        return NEVER if trail is None else float(trail[cells].max(initial=NEVER))

    def brought_by(self, c: Card) -> str:
        """The player whose hand was last over a card when it came to lie, where no other's was there at about the same time."""
        last = sorted(((float(trail[c.cells].max(initial=-1e9)), p) for p, trail in self._trail.items()), reverse=True)
        if not last or last[0][0] < c.t_still - 1500 or (len(last) > 1 and last[1][0] > last[0][0] - 300):
            return ""
        return "" if last[0][1] == "?" else last[0][1]
