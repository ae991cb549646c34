"""Which sighting is which card: by place, by what was read, and for cards that were pushed aside."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.assign import assign
from vision.card import Card, angle_of
from vision.dating import CLEAR, UNDER_HAND_MS
from vision.grid import Grid, Mask, share
from vision.look import Floats, Sightings
from vision.names import Names

SIGMA_MM, SIGMA_DEG = 3.0, 6.0  # how far a card that lies still seems to move
SAME_MM = 4.5  # less than this is no movement
NEAR_MM, NEAR_MORE_MM = 9.0, 9.0  # a card that lies still is seen no farther away than this (more where little of it shows)
GATE = 13.0  # cost at which two poses are not the same card
PART, PART_MM, PART_DEG = 0.5, 28.0, 25.0  # of a card that shows less than this the outline may be so far off
SLIDE_MM, SLIDE_DEG = 55.0, 35.0  # a card pushed aside is the same card up to here
BURIED, MORE, DOUBT = 0.35, 0.25, 1.5  # of a card that shows less than this, a view that shows so much more and names another is none
NOT_IT = 4.0  # nats by which a whole view must prefer another name to say that it is not this card
EXACT_MM, EXACT_DEG = 1.5, 3.0  # nobody lays a card so exactly on another by chance
BESIDE_MM, BESIDE = 6.0, 0.35  # a part so large of a card, so far from where a known one lies, that surely reads as another is another
THERE_MM = 3.0  # a doubtful reading so close to where a known card lies is of that card
TOUCHED_SHARE = 0.1  # of a card's cells under a hand: it may be changing
CHANGED_SHARE = 0.2  # of a card's cells: something happened there


def pair(
    cards: Sequence[Card],
    s: Sightings,
    good: NDArray[np.intp],
    likelihood: Sequence[Floats | None],
    fresh: Floats,
    blocked: Floats,
    changed: Mask | None,
    names: Names,
    grid: Grid,
    t_ms: float,
) -> list[tuple[Card, int]]:
    """Pairs (card, index into good): the same card where it was, then cards that slid aside.

    good: indices of the sightings to be used; of each of them likelihood (None: not read), fresh and blocked: share of its cells that
    changed and that lie under a hand; changed: the cells themselves.
    """
    if not cards or not len(good):
        return []
    quads = s.quads[good]
    at, a_now = quads.mean(axis=1), angle_of(quads)
    was, a_was = np.stack([c.centre for c in cards]), angle_of(np.stack([c.quad for c in cards]))
    d = np.linalg.norm(was[:, None] - at[None], axis=2)
    turn = np.abs((a_was[:, None] - a_now[None] + 90) % 180 - 90)
    same = np.zeros_like(d)
    new = (fresh > CHANGED_SHARE) | (blocked > TOUCHED_SHARE)  # another card may lie there than before
    plain = [int(np.argmax(like)) if like is not None and like.max() > math.log(0.5) else -1 for like in likelihood]
    # cards that are seen under their own name in this very look
    itself = [
        c.votes.frozen >= 0 and any(d[i, j] < NEAR_MM and names.same(name, c.votes.frozen) for j, name in enumerate(plain) if name >= 0)
        for i, c in enumerate(cards)
    ]
    for j, like in enumerate(likelihood):
        if like is None:
            continue
        clear = s.visible[good[j]] > 0.45 and like.max() > math.log(CLEAR)
        best = int(np.argmax(like))
        for i, c in enumerate(cards):
            if d[i, j] > SLIDE_MM:
                continue
            down = s.back[good[j]] > 0.5
            more = s.visible[good[j]] - c.bare
            buried = c.bare < BURIED and more > MORE  # what covers it lies there still: this came on top
            other = new[j] or c.contested > 0
            buried &= clear or d[i, j] > THERE_MM or turn[i, j] > EXACT_DEG  # … or went, and this is the card come out, misread
            exactly = d[i, j] <= EXACT_MM and turn[i, j] <= EXACT_DEG
            if down != c.face_down:
                plainly = max(s.back[good[j]], 1 - s.back[good[j]]) > CLEAR and not exactly
                same[i, j] = 20.0 if other and plainly else 4.0
            elif not down and c.votes.frozen >= 0 and not names.same(c.votes.frozen, best):
                on_top = s.visible[good[j]] > 0.75 or d[i, j] > 6.0 or itself[i]  # what lies exactly on a card is seen whole
                on_top &= best not in c.glimpsed  # so it was read in the hand that laid it, and has been misread since
                doubt = like.max() - like[c.votes.frozen]
                known = clear or (d[i, j] > BESIDE_MM and s.visible[good[j]] > BESIDE and doubt > NOT_IT)
                same[i, j] = 20.0 if (known and other and on_top) or (buried and doubt > DOUBT) else min(6.0, doubt)
    cost = (d / SIGMA_MM) ** 2 / 2 + np.minimum(turn / SIGMA_DEG, 6) ** 2 / 8 + same
    cost[d > NEAR_MM + NEAR_MORE_MM * (1 - s.visible[good])[None]] = np.inf
    for i, j in zip(*np.nonzero((cost < GATE) & (d > SAME_MM)), strict=True):
        if (
            s.visible[good[j]] > 0.6
            and fresh[j] > CHANGED_SHARE
            and cards[i].state == "settled"
            and stays(cards[i], [quads[j]], changed, grid)
        ):
            cost[i, j] = np.inf  # what shows of the old card beside it is as it was: this one lies on it
    twin = np.array([t_ms - c.twin_ms < UNDER_HAND_MS for c in cards])
    cost[twin[:, None] & (d > SAME_MM) & (fresh > CHANGED_SHARE)[None]] = np.inf
    out = []
    took = assign(cost, GATE)
    used = set()
    for i, j in enumerate(took):
        if j >= 0:
            out.append((cards[i], int(j)))
            used.add(int(j))
    def likest(rest: list[int], left: list[int], far_mm: float, far_deg: float) -> list[tuple[int, int]]:
        """The nearest sightings that may be these very cards, no farther off than this."""
        cost = np.full((len(rest), len(left)), np.inf)
        for a, i in enumerate(rest):
            for b, j in enumerate(left):
                if d[i, j] < far_mm and turn[i, j] < far_deg and _alike(cards[i], likelihood[j], float(s.back[good[j]]), names):
                    cost[a, b] = d[i, j]
        return [(rest[a], left[int(b)]) for a, b in enumerate(assign(cost, far_mm)) if b >= 0]

    lone = [i for i in range(len(cards)) if took[i] < 0 and not twin[i]]
    # cards of which only a part shows, and whose whole outline was therefore guessed some way off
    partly = [i for i in lone if cards[i].state in ("settled", "covered") and cards[i].votes.frozen >= 0]
    parts = [j for j in range(len(good)) if j not in used and s.visible[good[j]] < PART and likelihood[j] is not None]
    for i, j in likest(partly, parts, PART_MM, PART_DEG):
        out.append((cards[i], j))
        lone.remove(i)
        used.add(j)
    left = [j for j in range(len(good)) if j not in used and blocked[j] < 0.35]
    beside = [quads[j] for j in left]
    slid = [i for i in lone if not cards[i].hidden and cards[i].state in ("settled", "new") and not stays(cards[i], beside, changed, grid)]
    out += [(cards[i], j) for i, j in likest(slid, left, SLIDE_MM, SLIDE_DEG)]
    return out


def stays(card: Card, over: Sequence[Floats], changed: Mask | None, grid: Grid) -> bool:
    """Whether what shows of a card beside those that may lie on it is as it was: then it did not slide away."""
    if changed is None:
        return False
    under = np.zeros(len(card.cells[0]), bool)
    for quad in over:
        under |= grid.inside(card.cells, quad)
    opened = (card.cells[0][~under], card.cells[1][~under])
    return len(opened[0]) >= 4 and share(changed, opened) < CHANGED_SHARE


def _alike(card: Card, like: Floats | None, back: float, names: Names) -> bool:
    """Whether a sighting elsewhere may be this very card."""
    if like is None:
        return False
    if card.face_down or back > 0.5:
        return card.face_down and back > 0.5
    if card.votes.frozen < 0:
        return False
    return bool(names.same(int(np.argmax(like)), card.votes.frozen) and like.max() > math.log(0.5))
