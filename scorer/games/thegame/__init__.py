"""The Game: 98 numbers onto two rising and two falling piles, all players together."""

from .game import GAME, TheGame, audit, judge, sensible

__all__ = ["GAME", "TheGame", "audit", "judge", "sensible"]
