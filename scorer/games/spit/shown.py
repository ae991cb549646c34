"""What lies open on the places of a table of Spit."""

from __future__ import annotations

from ...table import Seen, TableState, Zone
from ..evidence import shows


def stock_tops(table: TableState, player: str) -> dict[int, Seen]:
    """The open card of each of the player's stock places, by index; face-down tops and empty places are left out."""
    found = {}
    for zone in table.zones_of("stock-pile", player):
        cards = [s for s in table.cards_in(zone.name) if shows(s)]
        if cards:
            found[zone.index] = cards[-1]
    return found


def open_card(table: TableState, zone: Zone | None) -> Seen | None:
    """The card that lies open on top in a zone."""
    cards = [s for s in table.cards_in(zone.name) if shows(s)] if zone is not None else []
    return cards[-1] if cards else None
