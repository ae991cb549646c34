"""Go-Stop (hwatu): captures, turns, settlement, referee, live game and simulated play.

`GAME` is the game behind `scorer.game.Game`; `judge` answers worked cases.
"""
from __future__ import annotations

from .game import GAME
from .judge import judge

__all__ = ["GAME", "judge"]
