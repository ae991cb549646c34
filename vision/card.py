"""A card as the tracker keeps it between frames (mutable; the tracker's own)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scorer.cards import BACK
from vision.look import Floats, Track
from vision.names import SURE, Choice, Names, Votes

Cells = tuple[NDArray[np.intp], NDArray[np.intp]]


@dataclass(eq=False)
class Card:
    """State is new, settled, covered or gone; times in ms; `cells` are those of its outline."""

    id: int
    quad: Floats
    votes: Votes
    t_first: float
    state: str = "new"
    visible: float = 1.0
    bare: float = 1.0  # share that was seen when last no hand was over it
    hits: int = 1
    misses: int = 0
    miss_since: float = 0.0
    t_hit: float = 0.0
    t_still: float = 0.0
    t_settled: float = 0.0
    t_gone: float = 0.0
    order: int = 0
    zone: str = ""
    back: float = 0.0  # log odds that it lies face down
    hidden: bool = False
    doubt: bool = False  # something changed there while a hand hid it
    conflicts: float = 0.0  # clear views in a row that contradict the name it was given
    glimpsed: frozenset[int] = frozenset()  # names that were read at its place under the hand that laid it
    contested: int = 0  # something happened to it and it read as another then: looks left in which it is read again
    choice: Choice = field(default_factory=lambda: Choice("", 0.0, ()))
    guessed: bool = False  # it left before its name was settled
    shown: bool = False
    t_left: float = -1e9  # when it left its former place
    by: str = ""
    first_ms: float = -1.0
    first_zone: str = ""
    twin_ms: float = -1e9  # when a card of the same print was last seen on its way elsewhere
    t_hidden: float = -1e9  # when a hand was last over it
    t_read: float = -1e9  # when it was last read as what it is known to be
    under: int = -1  # id of the card that it is presumed to lie under
    cells: Cells = (np.zeros(0, np.intp), np.zeros(0, np.intp))

    @property
    def centre(self) -> Floats:
        return self.quad.mean(axis=0)

    @property
    def face_down(self) -> bool:
        return self.back > 0

    @property
    def sure(self) -> bool:
        return self.votes.frozen >= 0 or (self.choice.lead >= SURE and self.votes.weight >= 0.9)


def angle_of(quads: Floats) -> Floats:
    """Direction in degrees of the long axis of quads (N, 4, 2)."""
    d = (quads[:, 3] + quads[:, 2] - quads[:, 0] - quads[:, 1]) / 2
    return np.degrees(np.arctan2(d[:, 1], d[:, 0]))


def record(c: Card, state: str, names: Names) -> Track:
    """The card as others see it, in a given state."""
    name = BACK if c.face_down else (names.names[c.votes.frozen] if c.votes.frozen >= 0 else c.choice.card)
    quad = tuple((round(float(x), 1), round(float(y), 1)) for x, y in c.quad)
    return Track(
        id=c.id, card=name, names=() if c.face_down else c.choice.names, sure=bool(c.face_down or (c.sure and c.under < 0)),
        face_up=not c.face_down, quad=quad, visible=round(c.visible, 2), state=state, zone=c.zone, order=c.order, since_ms=c.t_still,
        shown=c.shown, first_ms=c.first_ms, first_zone=c.first_zone, by=c.by,
    )  # fmt: skip
