"""Stop the Bus: three cards each, three in the centre, the lowest hand loses a token."""

from .game import GAME, StopBus, audit, judge, sensible

__all__ = ["GAME", "StopBus", "audit", "judge", "sensible"]
