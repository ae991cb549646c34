"""What the tracker takes and gives: looks at the table, and tracks of cards. Table frame in mm; masks in cells (`vision.grid`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.grid import Mask

Floats = NDArray[np.float64]
Read = tuple[tuple[str, float], ...]  # names with their probabilities, likeliest first


@dataclass(frozen=True)
class Sightings:
    """What a detector and a reader saw, N cards.

    quads (N, 4, 2) mm, clockwise from the card's own top left; confidence, visible (N,) 0 to 1; names: for each card what was read,
    (name, probability) likeliest first, () where it was not read; back (N,) probability that it lies face down (0 where not read).
    """

    quads: Floats
    confidence: Floats
    visible: Floats
    names: tuple[Read, ...]
    back: Floats

    def __post_init__(self) -> None:
        n = len(self.quads)
        if self.quads.shape != (n, 4, 2) or not n == len(self.confidence) == len(self.visible) == len(self.names) == len(self.back):
            raise ValueError(f"quads must be (N, 4, 2) with N of all else, not {self.quads.shape} and {len(self.names)} names")

    def __len__(self) -> int:
        return len(self.quads)

    @staticmethod
    def none() -> Sightings:
        z = np.zeros(0)
        return Sightings(np.zeros((0, 4, 2)), z, z, (), z)


@dataclass(frozen=True)
class Hand:
    """A hand or arm over the table: its player ("?" where not known), the cells under it, and its fingertips in mm."""

    player: str
    mask: Mask
    tip: tuple[float, float]


@dataclass(frozen=True)
class Look:
    """One frame as the tracker takes it. `sightings` is None where the detector did not run; `blocked`: cells under a hand or in motion;
    `changed`: cells that differ from the last look at them (None: all may); `hands`: those over the table."""

    t_ms: float
    sightings: Sightings | None
    blocked: Mask | None = None
    changed: Mask | None = None
    hands: tuple[Hand, ...] = ()

    @property
    def players(self) -> tuple[str, ...]:
        """Whose hands are over the table."""
        return tuple(sorted({h.player for h in self.hands}))


@dataclass(frozen=True, slots=True)
class Track:
    """A physical card as it is known now. state: new, moving, settled, covered, gone; `quad` (4, 2) mm."""

    id: int
    card: str
    names: Read
    sure: bool
    face_up: bool
    quad: tuple[tuple[float, float], ...]
    visible: float
    state: str
    zone: str
    order: int
    since_ms: float  # when it came to lie where it lies
    shown: bool
    first_ms: float  # when it was first made out, perhaps still in the hand
    first_zone: str  # and where
    by: str  # whose hand brought it, "" where that is not clear
