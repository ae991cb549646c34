"""From tracks to what the scorer gets: the table's state, absolute, and the journal of what changed."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from scorer.table import Change, Seen, TableState, Zone
from vision.look import Track
from vision.zones import ZoneMap

RING = 96


class TableView:
    """Turns the tracker's tracks into TableStates. Cards in a hand zone are shown without a name: they are a player's secret."""

    def __init__(self, zones: Sequence[Zone]) -> None:
        self.zones = ZoneMap(zones)
        self._ring: deque[Change] = deque(maxlen=RING)
        self._n = 0
        self._before: dict[int, Seen] = {}
        self._state = TableState(0, zones=self.zones.zones)

    @property
    def state(self) -> TableState:
        """The newest state."""
        return self._state

    def set_zones(self, zones: Sequence[Zone]) -> None:
        """A person moved the zones."""
        self.zones = ZoneMap(zones)

    def touch(self, t_ms: float, zone: str, player: str, sigma_ms: float | None, kind: str = "touch") -> None:
        """A hand came down on a zone, came to rest over it (`reach`) or left it (`lift`)."""
        self._add(kind, t_ms, to_zone=zone, player=player, sigma_ms=None if sigma_ms is None else round(sigma_ms, 2))
        self._state = replace(self._state, changes=tuple(self._ring))

    def tick(self, t_ms: float, hands: tuple[str, ...], stable: bool, lost: bool = False) -> TableState:
        """Time went on, and the cards are as they were."""
        self._state = replace(self._state, t_ms=round(t_ms), hands=hands, stable=stable, lost=lost)
        return self._state

    def build(self, t_ms: float, tracks: Sequence[Track], hands: tuple[str, ...], stable: bool, lost: bool = False) -> TableState:
        """The state of these tracks at this time."""
        seen = [self._seen(t) for t in tracks if t.shown and t.state != "new"]
        now = {s.track: s for s in seen}
        for s, track in sorted(
            ((s, t) for s, t in zip(seen, [t for t in tracks if t.shown and t.state != "new"], strict=True)), key=lambda p: p[0].order
        ):
            self._compare(self._before.get(s.track), s, track, t_ms)
        for old in self._before.values():
            if old.track not in now and old.lies:
                self._add("leave", t_ms, old, from_zone=old.zone)
        self._before = now
        lying = tuple(sorted((s for s in seen if s.state != "gone"), key=lambda s: s.track))
        self._state = TableState(round(t_ms), lying, hands, stable, tuple(self._ring), self.zones.zones, lost)
        return self._state

    def _seen(self, t: Track) -> Seen:
        secret = self.zones.private(t.zone)
        return Seen(
            t.id,
            "" if secret else t.card,
            () if secret else t.names,
            t.sure and not secret,
            t.zone,
            t.quad,
            t.visible,
            t.state,
            t.face_up,
            t.order,
        )

    def _compare(self, old: Seen | None, new: Seen, track: Track, t_ms: float) -> None:
        by = track.by or None
        if old is None:
            if new.lies and track.first_zone and track.first_zone != new.zone:  # it was made out in the hand elsewhere before it lay here
                self._add("appear", track.first_ms, new, to_zone=track.first_zone, player=by)
                self._add("move", track.since_ms, new, from_zone=track.first_zone, to_zone=new.zone, player=by)
            elif new.lies:
                self._add("appear", track.first_ms if track.first_zone else track.since_ms, new, to_zone=new.zone, player=by)
            return
        if old.lies and not new.lies:
            self._add("leave", t_ms, new, from_zone=old.zone)
        elif new.lies and (not old.lies or old.zone != new.zone):
            self._add("move", track.since_ms, new, from_zone=old.zone, to_zone=new.zone, player=by)
        if old.face_up != new.face_up:
            self._add("turn", t_ms, new, to_zone=new.zone)
        elif old.card != new.card and old.card:
            self._add("rename", t_ms, new, to_zone=new.zone)
        if old.lies and new.lies and old.state != new.state:
            self._add("cover" if new.state == "covered" else "uncover", t_ms, new, to_zone=new.zone)

    def _add(
        self,
        kind: str,
        t_ms: float,
        card: Seen | None = None,
        from_zone: str = "",
        to_zone: str = "",
        player: str | None = None,
        sigma_ms: float | None = None,
    ) -> None:
        self._n += 1
        name = "" if card is None or self.zones.private(card.zone) else card.card
        self._ring.append(Change(self._n, round(t_ms), kind, card.track if card else None, name, from_zone, to_zone, player, sigma_ms))
