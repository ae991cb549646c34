"""Which card a track is: votes gathered over frames, and the joint choice in which every card of the deck is in one place only."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.cards import Deck, merged
from vision.assign import assign

Floats = NDArray[np.float64]

FLOOR = 2e-3  # probability of a name that the reader does not mention
FROZEN = 7.0  # how firmly (in nats) a name stays with the card that was once seen clearly
PRINT = 3.0  # at most so much tells apart two prints that score the same (junk letters, twins)
UNKNOWN = 5.0  # a track is left nameless rather than given a name this much less likely than its best
VIEW = (1.0, 0.3, 0.15, 0.1, 0.05, 0.0)  # what the 1st, 2nd … reading of one and the same view adds: they err alike
ELSEWHERE = -8.0  # log prior of a card that was seen in another place meanwhile
LIMBO, LONG_AGO, UNSEEN = 0.0, -1.5, -2.0  # log prior of a new sighting: cards that just left somewhere, left long ago, never seen
SURE = math.log(40.0)


@dataclass(frozen=True, slots=True)
class Choice:
    """What the joint choice says of a track: the name ("" for none), its lead in nats over the runner-up, and the likeliest names."""

    card: str
    lead: float
    names: tuple[tuple[str, float], ...]


class Votes:
    """Evidence for one track, as log likelihoods over the deck's names. Readings of one and the same view count less and less."""

    __slots__ = ("best_visible", "frozen", "log", "seen", "view", "weight")

    def __init__(self, n: int) -> None:
        self.log = np.zeros(n)
        self.weight = 0.0  # how much was seen, in clear readings
        self.view = 0  # readings of the present view
        self.seen = -1.0  # visible share of the present view
        self.best_visible = 0.0
        self.frozen = -1  # index of the name once it was clearly seen

    def anew(self, visible: float, fresh: bool) -> bool:
        """Whether a reading is of another view than the one before."""
        return fresh or abs(visible - self.seen) > 0.15

    def add(self, reading: Floats, visible: float, fresh: bool) -> None:
        """One reading (log likelihoods). `fresh`: something changed there since the last one, so it is a view of its own."""
        if self.anew(visible, fresh):
            self.view, self.seen = 0, visible
        self.view += 1
        trust = min(1.0, max(0.08, (visible - 0.05) / 0.55))
        share = trust * VIEW[min(self.view, len(VIEW)) - 1]
        self.log += share * reading
        self.weight += share
        self.best_visible = max(self.best_visible, visible)


class Names:
    """The names of a deck, and the joint choice among them."""

    def __init__(self, deck: Deck) -> None:
        self.deck = deck
        self.names = deck.names
        self.copies = dict(deck.copies)
        self._index: dict[str, list[int]] = {}
        for i, name in enumerate(self.names):
            self._index.setdefault(name, []).append(i)
            if merged(name) != name:
                self._index.setdefault(merged(name), []).append(i)
        group = {name: merged(name) for name in self.names}
        for twins in deck.twins:
            for name in twins:
                group[name] = group.get(twins[0], twins[0])
        order = {g: k for k, g in enumerate(dict.fromkeys(group.values()))}
        self.group = np.array([order[group[n]] for n in self.names])
        self.of_group = np.bincount(self.group, [self.copies[n] for n in self.names]).astype(int)
        self.columns = np.array([i for i, n in enumerate(self.names) for _ in range(self.copies[n])])

    def __len__(self) -> int:
        return len(self.names)

    def index(self, name: str) -> int:
        """Number of a name, -1 where the deck has no such card (the first of several prints that score the same)."""
        found = self._index.get(name)
        return found[0] if found else -1

    def likelihood(self, read: Iterable[tuple[str, float]]) -> Floats:
        """Log likelihoods (n,) of what a reader said: (name, probability), likeliest first; the rest shares what is left."""
        p = np.zeros(len(self.names))
        total = 0.0
        for name, share in read:
            for i in self._index.get(name, ()):
                p[i] = max(p[i], share)
            total += share
        rest = max(FLOOR, (1.0 - total) / max(1, len(self.names)))
        return np.log(np.maximum(p, rest))

    def same(self, a: int, b: int) -> bool:
        """True where two names are the same print, or score the same."""
        return a == b or (a >= 0 and b >= 0 and bool(self.group[a] == self.group[b]))

    def prints(self, name: int) -> list[int]:
        """Numbers of all names that score as this one, itself among them."""
        return [int(n) for n in np.flatnonzero(self.group == self.group[name])]

    def choose(self, votes: Sequence[Votes], prior: Floats, firm: Mapping[int, float], hold: Floats | None = None) -> list[Choice]:
        """The likeliest names of all tracks together, no card in more places than it has copies.

        votes: one a track; prior: (tracks, names) log prior of each name there; firm: {track: nats} bonus of a frozen name;
        hold: (tracks,) nats beyond UNKNOWN that it costs to leave a track nameless.
        """
        n = len(votes)
        if not n:
            return []
        score = np.stack([v.log for v in votes]) + prior
        for i, bonus in firm.items():
            if votes[i].frozen >= 0:
                score[i, votes[i].frozen] += bonus
        grouped = np.full((n, int(self.group.max()) + 1), -np.inf)
        for k in range(score.shape[1]):
            np.maximum(grouped[:, self.group[k]], score[:, k], out=grouped[:, self.group[k]])
        score = np.maximum(score, grouped[:, self.group] - PRINT)
        best = score.max(axis=1, keepdims=True)
        cost = best - score
        column = np.repeat(cost, [self.copies[x] for x in self.names], axis=1)
        took = assign(column, UNKNOWN if hold is None else UNKNOWN + hold)
        out = []
        cheapest = np.full(column.shape[1], 0.0)
        for i, j in enumerate(took):
            if j >= 0:  # what it costs the holder of a column to give it up
                others = np.where(self.group[self.columns] == self.group[self.columns[j]], np.inf, column[i])
                free = np.ones(len(others), bool)
                free[took[took >= 0]] = False
                cheapest[j] = max(0.0, min(UNKNOWN, float(others[free].min(initial=UNKNOWN))) - column[i, j])
        for i, j in enumerate(took):
            ranked = self._ranked(score[i])
            if j < 0:
                out.append(Choice("", 0.0, ranked))
                continue
            k = int(self.columns[j])
            rivals = column[i] + cheapest
            rivals[self.group[self.columns] == self.group[k]] = np.inf
            lead = min(UNKNOWN * 2, float(rivals.min(initial=UNKNOWN * 2)) - column[i, j])
            name = self.names[k]
            if not ranked or ranked[0][0] != name:
                p = dict(ranked).get(name, 0.0)
                ranked = ((name, max(p, ranked[0][1] if ranked else 0.0)), *[r for r in ranked if r[0] != name])[:3]
            out.append(Choice(name, lead, ranked))
        return out

    def _ranked(self, score: Floats) -> tuple[tuple[str, float], ...]:
        p = np.exp(np.clip(score - score.max(), -30, 0))
        p /= p.sum()
        top = np.argsort(-p)[:3]
        return tuple((self.names[i], round(float(p[i]), 4)) for i in top if p[i] > 0.02)
