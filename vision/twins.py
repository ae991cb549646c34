"""Two cards of one print: which of them a hand brings, and what lies where one was laid exactly on the other."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.card import Card
from vision.dating import CLEAR, STILL_MM, TIP_MM
from vision.look import Floats, Sightings
from vision.names import Names, Votes

TWIN_MS = 5000.0  # a twin on its way has been laid by then
MOSTLY_SEEN, PART_CLEAR = 0.75, 0.95  # a card in a hand of which less shows must read as clearly as this to be a twin on its way
THERE_MM = 6.0  # an outline closer than this to a card that lies still is that card
UNCOVERED_MS = 150.0  # what a hand has uncovered is seen by then


def note_twins(
    s: Sightings, good: NDArray[np.intp], likelihood: Sequence[Floats | None], cards: Sequence[Card], names: Names, t_ms: float
) -> None:
    """Note on every card that lies still whether its twin is on its way somewhere (`Card.twin_ms`): what soon lies on it is then the twin.

    good: indices into the sightings, before these are given to cards; likelihood: of each of those, None where it was not read.
    """
    still = [c for c in cards if c.state == "settled" and c.votes.frozen >= 0]
    clear: dict[int, list[int]] = {}
    for k, like in enumerate(likelihood):
        i = int(good[k])
        least = CLEAR if s.visible[i] > MOSTLY_SEEN else PART_CLEAR
        if like is None or s.visible[i] < 0.5 or s.back[i] > 0.5 or like.max() < math.log(least):
            continue
        name = int(np.argmax(like))
        mates = [c for c in still if names.same(c.votes.frozen, name)]
        if not mates or names.of_group[names.group[name]] <= len(mates):
            continue
        centre = s.quads[i].mean(axis=0)
        if any(c.state == "settled" and c not in mates and np.abs(centre - c.centre).max() < THERE_MM for c in cards):
            continue  # another card, misread where it lies
        away = min(float(np.linalg.norm(centre - c.centre)) for c in mates)
        others = clear.setdefault(int(names.group[name]), [])
        apart = sum(float(np.linalg.norm(centre - s.quads[j].mean(axis=0))) > STILL_MM / 2 for j in others)
        others.append(i)
        plainly = away > TIP_MM and not any(c.hidden for c in mates)
        if plainly or apart >= len(mates):  # more of them are seen at once than are known to lie
            for c in mates:
                c.twin_ms = t_ms


def laid_twins(cards: Sequence[Card], gone: Sequence[Card], names: Names, t_ms: float) -> list[Card]:
    """New cards (their `id` still 0) that came under the same hand as their twin and are seen nowhere since: each lies exactly on its
    twin, which is covered from now on. What was taken up a moment ago (`gone`) is on its way elsewhere."""
    carried = {g.votes.frozen for g in gone if g.under < 0 and t_ms - g.t_gone < TWIN_MS}
    out: list[Card] = []
    for c in cards:
        at_rest = c.state == "settled" and c.votes.frozen >= 0 and not c.hidden and c.t_hit == t_ms and c.visible > 0.5
        if not at_rest or not c.t_hidden >= c.twin_ms > t_ms - TWIN_MS or t_ms - c.t_hidden < UNCOVERED_MS:
            continue
        name = c.votes.frozen
        held = {o.votes.frozen for o in (*cards, *out)}
        twin = next((n for n in names.prints(name) if n not in held and n not in carried), -1)
        came = any(
            names.same(names.index(o.choice.card), name) and o.t_first >= c.twin_ms - UNCOVERED_MS for o in cards if o is not c and not o.face_down
        )
        c.twin_ms = -1e9
        if twin < 0 or came:
            continue
        top = Card(0, c.quad.copy(), Votes(len(names)), c.t_hidden, t_hit=t_ms, t_still=c.t_hidden, cells=c.cells)
        top.votes.log[:] = c.votes.log
        top.votes.weight, top.votes.best_visible, top.votes.frozen = c.votes.weight, c.votes.best_visible, twin
        c.state, c.visible = "covered", 0.0
        out.append(top)
    return out
