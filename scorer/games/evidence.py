"""What the games read out of table states alike: new cards in a zone, who reached where; and the common snapshot keys."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from ..cards import BACK
from ..table import Change, Seen, TableState


def shows(seen: Seen) -> bool:
    """Does the card show a face that has a name?"""
    return seen.face_up and seen.card not in ("", BACK)


def seen_open(seen: Seen) -> bool:
    """Does it show a face that was seen where it lies? A card that is only presumed to lie under another was not: it left with that one."""
    return shows(seen) and (seen.sure or seen.visible > 0 or seen.state != "covered")


def tracks(cards: Iterable[Seen]) -> frozenset[int]:
    """Track ids of the cards."""
    return frozenset(s.track for s in cards)


def news(before: TableState, after: TableState) -> tuple[Change, ...]:
    """Journal entries of `after` that `before` did not have yet."""
    return after.since(max((c.n for c in before.changes), default=-1))


def reachers(changes: Iterable[Change], zones: Collection[str], players: Collection[str]) -> tuple[str, ...]:
    """Players whose hand came down on one of the zones, in order; where no touch was seen, those whose hands brought cards there.
    Hands of unknown owners are left out."""
    found = [c for c in changes if c.to_zone in zones and c.player is not None and c.player in players]
    touched = tuple(str(c.player) for c in found if c.kind in ("touch", "reach"))
    return touched or tuple(str(c.player) for c in found if c.kind in ("appear", "move", "turn"))


def when(changes: Iterable[Change], cards: Collection[str]) -> int:
    """When the last of the cards came or went, ms; 0 where the journal does not tell."""
    return max((c.t_ms for c in changes if c.card in cards and c.kind in ("appear", "move", "turn", "leave")), default=0)


def clearness(cards: Iterable[Seen]) -> float:
    """How far the best name of the least clear of the cards leads over the next one, 0..1."""
    leads = [max(0.0, s.names[0][1] - (s.names[1][1] if len(s.names) > 1 else 0.0)) if s.names else 1.0 for s in cards]
    return round(min(1.0, min(leads, default=1.0)), 3)


def seat(player: str, **own: Any) -> dict[str, Any]:
    """A player's part of the snapshot with the common keys at their defaults, `own` laid over them."""
    return {"id": player, "range": None, "junk": 0, "unknown_junk": 0, "captured": [], "hand": 0, "goes": 0, "stops": 0, "shakes": 0,
            "bombs": 0, "eligible": False, **own}


def table(**own: Any) -> dict[str, Any]:
    """The snapshot's common keys of a table without captures, `own` laid over them."""
    return {"floor": [], "stacks": [], "stock": 0, "turn": None, "dealer": None, "multipliers": [], "if_stopped": None, **own}
