"""The live pipeline: frame → plane → motion gate → detector → reader → tracker → table state. The same for a camera and a clip.

Cost follows what changed: on a still table only the gate runs. All collaborators are given from outside; time is the frame's own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorer.cards import Deck
from scorer.table import TableState, Zone
from vision.bump import BumpWatch, TableMotion
from vision.detect import Detections
from vision.finish import Finish, Instant, has_piles
from vision.frame import Frame
from vision.gate import Gate, Scene
from vision.grid import Mask, share
from vision.look import Look, Sightings
from vision.plane import Plane
from vision.search import CardDetector, CardReader, CardSearch
from vision.table_state import TableView
from vision.tops import TopsTracker, by_tops
from vision.track import Tracker

Image = NDArray[np.uint8]

MOST_INSTANTS = 120  # pictures around touches that wait to be fetched
LEAST_LOOK_MS = 45.0  # two looks are at least so far apart
PENDING_LOOK_MS = 60.0  # while a card is being settled
PLAIN = 0.6  # confidence and visible share from which a card is plainly seen
HAND_LOOK_MS = 95.0  # while hands are over the table: for glimpses of what they carry


@dataclass
class Timings:
    """Milliseconds spent by stage, and how often it ran. For benches; nothing depends on it."""

    ms: dict[str, float] = field(default_factory=dict)
    runs: dict[str, int] = field(default_factory=dict)

    def add(self, stage: str, ms: float) -> None:
        self.ms[stage] = self.ms.get(stage, 0.0) + ms
        self.runs[stage] = self.runs.get(stage, 0) + 1


class Pipeline:
    """One table seen by one camera.

    plane: where the table lies in the first frame; deck: the cards in play; zones: regions of the table; seats: {player: edge};
    `clock` only measures the stages, it never decides anything.
    """

    def __init__(
        self,
        plane: Plane,
        deck: Deck,
        zones: Sequence[Zone],
        seats: Mapping[str, str],
        detector: CardDetector,
        reader: CardReader,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.deck, self.seats = deck, dict(seats)
        self._clock = clock
        self.view = TableView(zones)
        flying = TopsTracker(deck, plane.size_mm, lambda: self.view.zones) if by_tops(zones) else None
        self.tracker: Tracker | TopsTracker = flying or Tracker(
            deck,
            plane.size_mm,
            lambda x, y, before: self.view.zones.at(x, y, before),
            lambda zone: self.view.zones.kind.get(zone) == "captures",
        )
        self._bump = BumpWatch(plane)
        self._gate: Gate | None = None
        self._looked_ms = -1e9
        self._lost = False
        self.timings = Timings()
        self._search = CardSearch(detector, reader, deck, self.tracker.grid, clock, self.timings.add)
        self.scene: Scene | None = None
        self.finish = Finish(plane, zones, seats) if has_piles(zones) else None
        self.full_rate = False  # somebody else gives every frame to `finish`
        self._instants: list[Instant] = []

    @property
    def detections(self) -> Detections:
        """What the last look found, for those who want to see it."""
        return self._search.detections

    @property
    def plane(self) -> Plane:
        """The plane in force."""
        return self._bump.plane

    def set_plane(self, plane: Plane) -> None:
        """A person set the table's corners anew."""
        self._bump.reset(plane)
        self._gate = None
        if self.finish is not None:
            self.finish.place(plane)

    def set_zones(self, zones: Sequence[Zone]) -> None:
        """A person moved the zones."""
        self.view.set_zones(zones)
        if self.finish is not None:
            self.finish.set_zones(zones)

    def instants(self) -> tuple[Instant, ...]:
        """The pictures around touches since the last call."""
        kept, self._instants = tuple(self._instants), []
        return kept

    def _touches(self, frame: Frame) -> None:
        """What the hands did goes into the journal, before what the cards did."""
        if self.finish is None:
            return
        if not self.full_rate:
            started = self._clock()
            self.finish.see(frame)
            self._note("hands", started)
        touches, kept = self.finish.take()
        self._instants = [*self._instants, *kept][-MOST_INSTANTS:]
        for touch in touches:
            self.view.touch(touch.t_ms, touch.zone, touch.player, touch.sigma_ms, touch.kind)

    def step(self, frame: Frame) -> TableState:
        """Take a frame and say how the table stands."""
        image, t = frame.image, float(frame.t_ms)
        if self._gate is None:
            h, w = image.shape[:2]
            self._gate = Gate(self.tracker.grid, self.plane, (w, h), self.seats)
        started = self._clock()
        scene = self.scene = self._gate.see(image, t)
        self._note("gate", started)
        started = self._clock()
        busy = self._gate.to_picture(scene.blocked) if scene.blocked.any() else None
        motion = self._bump.update(image, t, busy, lambda: self._stands(scene))
        self._note("plane", started)
        shaken = motion.state is not TableMotion.STEADY and not self._stands(scene)
        if self.finish is not None:
            self.finish.close_eyes(shaken)
            if motion.registered:
                self.finish.place(motion.plane)
            self._touches(frame)
        if shaken:
            self._lost = True
            return self.view.tick(t, self.view.state.hands, False, lost=True)
        if motion.registered or self._lost:
            if motion.registered:
                self._gate.place(motion.plane)
                self._search.forget()
            self._lost = False
        sightings = self._look(image, t, scene) if self._worth(scene, t) else None
        started = self._clock()
        if sightings is None and not scene.moving and not scene.hands and not self.tracker.restless:
            self.tracker.pass_time(t)
            state = self.view.tick(t, (), self.tracker.stable)
        else:
            self.tracker.update(Look(t, sightings, scene.blocked, None if scene.light else scene.changed, scene.hands))
            state = self.view.build(t, self.tracker.tracks(), tuple(sorted({h.player for h in scene.hands})), self.tracker.stable)
        self._note("track", started)
        if sightings is not None:
            if scene.hands:
                self._gate.left_behind(self._cards(sightings), t)
            self._gate.looked(scene)
        return state

    def _cards(self, sightings: Sightings) -> Mask:
        """Cells on which cards are plainly seen."""
        out = self.tracker.grid.empty()
        for i in np.flatnonzero((sightings.confidence >= PLAIN) & (sightings.visible >= PLAIN)):
            out[self.tracker.grid.cells(sightings.quads[i])] = True
        return out

    def _stands(self, scene: Scene) -> bool:
        """Whether the table is plainly where it was: its cards, or on a bare table the cloth, look as they did."""
        cards = [share(scene.changed, t.cells) < 0.3 for t in self.tracker.resting() if share(scene.blocked, t.cells) < 0.1]
        if len(cards) >= 3:
            return sum(cards) > 0.35 * len(cards)
        return float(scene.changed.mean()) < 0.08

    def _worth(self, scene: Scene, t: float) -> bool:
        """Whether this frame is to be searched for cards."""
        since = t - self._looked_ms
        if since < LEAST_LOOK_MS:
            return False
        if scene.ready or scene.light:
            return True
        if (self.tracker.pending or self._search.curious) and since >= PENDING_LOOK_MS:
            return True
        return bool(scene.hands) and since >= HAND_LOOK_MS

    def _look(self, image: Image, t: float, scene: Scene) -> Sightings:
        self._looked_ms = t
        found, quads = self._search.find(image, self.plane, scene, self.tracker.cells())
        changed = None if scene.light else scene.changed | scene.blocked
        return self._search.read(image, found, quads, self.tracker.to_read(quads, found.visible.astype(float), changed))

    def _note(self, stage: str, started: float) -> None:
        self.timings.add(stage, (self._clock() - started) * 1000)

    def overlay(self) -> tuple[dict[str, Any], ...]:
        """What a page draws over the picture: for each card its outline in pixels, name, state and zone. No names in hand zones."""
        out = []
        for s in self.view.state.seen:
            px = self.plane.to_px(np.array(s.quad))
            kind = self.view.zones.kind.get(s.zone, "")
            out.append(
                {
                    "track": s.track,
                    "card": s.card,
                    "sure": s.sure,
                    "state": s.state,
                    "zone": s.zone,
                    "zone_kind": kind,
                    "face_up": s.face_up,
                    "visible": s.visible,
                    "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in px],
                    "others": [[n, p] for n, p in s.names[1:]],
                }
            )
        return tuple(out)

    def hidden(self) -> tuple[tuple[tuple[float, float], ...], ...]:
        """Outlines in pixels of what must not be shown: cards in players' hands."""
        return tuple(
            tuple((float(x), float(y)) for x, y in self.plane.to_px(np.array(s.quad)))
            for s in self.view.state.seen
            if self.view.zones.private(s.zone)
        )
