"""The camera's side of the house: opens the source, runs the pipeline in a thread of its own, hands on what it sees.

The pipeline is given from outside (`Look`), so the same code runs on a camera, a clip, or a recorded list of table states.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from scorer.errors import KibitzError
from scorer.table import TableState
from vision.finish import Instant
from vision.frame import Frame, Source, SourceState

from .desk import Desk, Sighting
from .hub import Hub
from .stream import Quad, Stream, View

STATUS_S = 0.25
SCRIPT_TRIES, SCRIPT_PAUSE_S = 16, 0.25
PICTURE = "count-picture"  # said to the writer: what lies in this sighting is all there is


@dataclass(frozen=True, slots=True)
class Sight:
    """What the pipeline made of one frame.

    table: None while the table is not found; cards: outlines as `stream.View` wants them; hidden: polygons in pixels over
    which a player's own cards lie; health: codes of what is wrong with the picture, empty when it is good; new_picture: the
    table shares nothing with the one before; instants: pictures around a hand's touch, at the source's full rate.
    """

    frame: Frame
    table: TableState | None
    cards: tuple[dict[str, Any], ...] = ()
    hidden: tuple[Quad, ...] = ()
    health: tuple[str, ...] = ()
    new_picture: bool = False
    instants: tuple[Instant, ...] = ()


def keep_secret(cards: Sequence[dict[str, Any]], hidden: Sequence[Quad]) -> tuple[tuple[dict[str, Any], ...], tuple[Quad, ...]]:
    """Outlines and blurred regions as they may leave the house: a card in a hand zone has no name, whatever the pipeline says,
    and its picture is blurred."""
    secret = [c for c in cards if c.get("zone_kind") == "hand"]
    if not secret:
        return tuple(cards), tuple(hidden)
    shown = tuple({**c, "card": "", "others": []} if c.get("zone_kind") == "hand" else c for c in cards)
    return shown, (*hidden, *(c["quad"] for c in secret))


class Look(Protocol):
    """The pipeline as the house uses it."""

    def __call__(self, source: Source) -> Iterator[Sight | None]:
        """Yields a Sight for every frame, None where none came in time; ends when the source has ended."""
        ...

    def command(self, name: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        """Set-up: corners, zones, find-table. Raises KibitzError where it cannot be done."""
        ...

    def held(self) -> Mapping[str, Any]:
        """The card held up to the camera (`house.House.held`). Raises KibitzError."""
        ...

    def zones(self) -> list[dict[str, Any]]:
        """The zones in force with their polygons in pixels (`polygon_px`), hands left out."""
        ...


class Eyes:
    """One source at a time. `note` is a code shown with the camera's state: `demo` where the bundled clip plays for want of a camera."""

    def __init__(
        self, hub: Hub, stream: Stream, desk: Desk, *, passing: Callable[[View], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._hub, self._stream, self._desk, self._passing, self._clock = hub, stream, desk, passing, clock
        self._lock = threading.Lock()
        self._run: _Run | None = None
        stream.on_enter = self._outline
        self._state: Mapping[str, Any] = {"state": "none", "source": None, "health": [], "note": None}

    def open(
        self, source: Source, look: Look, *, name: str, note: str | None = None, reopen: Callable[[], Source] | None = None,
        script: Sequence[Mapping[str, Any]] = (),
    ) -> None:  # fmt: skip
        """Look through this source from now on. `script`: what people say in a recorded clip, commands by `t_ms`."""
        self.close()
        run = _Run(self, source, look, name, note, reopen, script)
        with self._lock:
            self._run = run
        run.start()

    def close(self) -> None:
        with self._lock:
            run, self._run = self._run, None
        if run is not None:
            run.stop()

    def reconnect(self, look: Look | None = None) -> bool:
        """Open the source anew: for a clip that has ended, or somebody who does not want to wait. False where there is none."""
        with self._lock:
            run = self._run
        if run is None or run.reopen is None:
            return False
        self.open(run.reopen(), look or run.look, name=run.name, note=run.note, reopen=run.reopen, script=run.script)
        return True

    def renew(self, look: Look) -> None:
        """Go on with the same source and another pipeline: another game, other zones. What a script says is of the old game."""
        with self._lock:
            run, self._run = self._run, None
        if run is not None:
            run.stop(close=False)
            self.open(run.source, look, name=run.name, note=run.note, reopen=run.reopen)

    def say(self, command: Mapping[str, Any], stop: threading.Event) -> None:
        """Give a scripted command; what people said in a clip may come a moment before the cards there are read."""
        for _ in range(SCRIPT_TRIES):
            order = self._desk.order({k: v for k, v in command.items() if k != "t_ms"})
            reply = order.wait(5.0) if order is not None else None
            if (reply is not None and reply.status == 200) or stop.wait(SCRIPT_PAUSE_S):
                return

    @property
    def look(self) -> Look | None:
        """The pipeline in use, for its set-up commands."""
        run = self._run
        return run.look if run else None

    @property
    def source(self) -> Source | None:
        """The source in use."""
        run = self._run
        return run.source if run else None

    def camera(self) -> Mapping[str, Any]:
        """The camera's part of the snapshot."""
        return self._state

    def shown(self, run: _Run, state: Mapping[str, Any]) -> None:
        if run is self._run and state != self._state:
            self._state = state
            self._desk.nudge()

    def _outline(self) -> None:
        """Publish the outlines of the newest frame. Also called when somebody begins to look, since a clip may have ended."""
        view = self._stream.view
        if view is not None:
            height, width = view.image.shape[:2]
            outlines = {"frame": view.index, "t_ms": round(view.t_ms), "size": [width, height], "cards": view.cards}
            self._hub.state("outlines", outlines, volatile=True)

    def saw(self, run: _Run, sight: Sight) -> None:
        if run is not self._run:
            return
        handed_over = self._clock()
        cards, hidden = keep_secret(sight.cards, sight.hidden)
        view = View(sight.frame.index, sight.frame.t_ms, sight.frame.image, cards, hidden, sight.instants)
        self._stream.show(view)
        if self._stream.viewers:
            self._outline()
        if sight.table is not None:
            sighting = Sighting(sight.table, sight.frame.index, handed_over)
            if sight.new_picture:  # a sighting of its own could be looked at too early, as a turn of the picture before
                self._desk.order({"command": PICTURE, "sighting": sighting})
            else:
                self._desk.see(sighting)
        self._passing(view)


class _Run:
    """One source being looked through: the pipeline's thread, and one that watches the source's state, since a pipeline that
    waits for a frame cannot say that none comes."""

    def __init__(
        self, eyes: Eyes, source: Source, look: Look, name: str, note: str | None, reopen: Callable[[], Source] | None,
        script: Sequence[Mapping[str, Any]],
    ) -> None:  # fmt: skip
        self._eyes, self.source, self.look, self.name, self.note, self.reopen, self.script = eyes, source, look, name, note, reopen, script
        self._due: queue.Queue[Mapping[str, Any]] = queue.Queue()
        self._stop = threading.Event()
        self._health: Sequence[str] = ()
        self._fault: str | None = None
        self._threads = (
            threading.Thread(target=self._work, name="eyes", daemon=True),
            threading.Thread(target=self._watch, name="eyes-state", daemon=True),
            *([threading.Thread(target=self._prompt, name="eyes-script", daemon=True)] if script else []),
        )

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self, *, close: bool = True) -> None:
        self._stop.set()
        if close:
            self.source.close()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(3.0)

    def _work(self) -> None:
        waiting = deque(self.script)
        try:
            for sight in self.look(self.source):
                if self._stop.is_set():
                    return
                if sight is not None:
                    self._health = sight.health
                    self._eyes.saw(self, sight)
                    while waiting and waiting[0]["t_ms"] <= sight.frame.t_ms:
                        self._due.put(waiting.popleft())
            for command in waiting:
                self._due.put(command)
        except KibitzError as error:
            self._fault = error.code

    def _prompt(self) -> None:
        while not self._stop.is_set():
            try:
                command = self._due.get(timeout=0.25)
            except queue.Empty:
                continue
            self._eyes.say(command, self._stop)

    def _watch(self) -> None:
        while True:
            self._eyes.shown(self, self._describe())
            if self._stop.wait(STATUS_S):
                return

    def _describe(self) -> Mapping[str, Any]:
        status = self.source.status()
        words = {SourceState.OPENING: "opening", SourceState.LIVE: "ok", SourceState.LOST: "lost", SourceState.ENDED: "ended"}
        state = "lost" if self._fault else words[status.state]
        note = "ended" if state == "ended" else self.note
        return {
            "state": state, "source": self.name, "kind": status.kind, "health": list(self._health), "note": note,
            "problem": self._fault or status.problem,
        }  # fmt: skip
