"""Go-Stop (hwatu): captures, turns, payout, referee, live game and simulated play."""
from __future__ import annotations

from .judge import judge

__all__ = ["judge"]
