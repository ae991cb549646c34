"""Speed: two players at once, five cards in hand, side piles when nobody can play."""

from .cases import judge
from .game import GAME, Speed, audit, sensible

__all__ = ["GAME", "Speed", "audit", "judge", "sensible"]
