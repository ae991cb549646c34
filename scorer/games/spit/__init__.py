"""Spit: two players at once, stock piles onto two spit piles, the slap."""

from .cases import judge
from .game import GAME, Spit, audit, sensible

__all__ = ["GAME", "Spit", "audit", "judge", "sensible"]
