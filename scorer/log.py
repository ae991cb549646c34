"""The append-only log of an evening and what it folds to, kept in step.

An appended event costs one `apply`. A correction resolves the log again and folds from the last checkpoint before what
it changed; what follows of itself (steals, settlements) is worked out again, and every difference is appended as a
correction of its own, caused by the first: undoing that takes the others back too.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .errors import InputError
from .evening import BOOKKEEPING, Evening, begin, fold, followers, reconcile, step
from .events import Event, Resolved, resolve
from .frozen import FrozenDict, freeze
from .game import Game

_CHECKPOINT_EVERY = 64


class Log:
    """Events numbered 1, 2, 3, …; the first is ``start``. Raises InputError where the first event opens no evening."""

    def __init__(self, game: Game, events: Sequence[Event]) -> None:
        self.game = game
        self.events: list[Event] = list(events)
        resolved = resolve(self.events)
        if not resolved.events or resolved.events[0].kind != "start":
            raise InputError("bad-log", "the log does not begin with a start event", mend="give a whole log")
        self.live: list[Event] = []
        self.evening: Evening = begin(game, resolved.events[0])
        self._checkpoints: list[tuple[int, Evening]] = [(1, self.evening)]
        self._adopt(resolved, *self._checkpoints[0])
        last = self.live[-1]
        if last.kind not in BOOKKEEPING:     # a log cut off within a turn
            self._follow(last.cause or last.seq, last.t_ms)

    @property
    def seq(self) -> int:
        """Number of the last event."""
        return len(self.events)

    def append(self, batch: Sequence[Event], t_ms: int) -> tuple[Event, ...]:
        """Append one turn (proposals, no corrections among them) and what follows of itself; the events as they were logged."""
        first = len(self.events)
        if batch[0].kind == "next-deal" or len(self.live) - self._checkpoints[-1][0] >= _CHECKPOINT_EVERY:
            self._checkpoints.append((len(self.live), self.evening))
        for event in batch:
            event = self._stamp(event, t_ms, first + 1 if len(self.events) > first else None)
            self._push(event)
            self.evening = step(self.game, self.evening, event)
        if batch[-1].kind not in BOOKKEEPING:
            self._follow(first + 1, t_ms)
        return tuple(self.events[first:])

    def correct(self, correction: Event, t_ms: int) -> tuple[Event, ...]:
        """Append an undo, redo or amend, and the corrections that it brings with it."""
        first, old = len(self.events), self.live
        root = self._stamp(correction, t_ms, None)
        self.events.append(root)
        resolved = resolve(self.events)
        new = resolved.events
        same = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a is not b and a != b), min(len(old), len(new)))
        while len(self._checkpoints) > 1 and self._checkpoints[-1][0] >= same:
            self._checkpoints.pop()
        if same == 0:
            self._checkpoints = [(1, begin(self.game, new[0]))]
        at, evening = self._checkpoints[-1]
        wanted = reconcile(self.game, evening, new[at:])
        for what, event, fresh in wanted:
            entry = Event("undo", source="auto", ref=event.seq)
            if fresh is not None:
                content = {k: v for k, v in fresh.to_dict().items() if k not in ("seq", "t_ms", "cause", "ref")}
                entry = Event("amend", source="auto", ref=event.seq,
                              args=FrozenDict(insert=freeze(content), into=event.cause or event.seq))
            assert entry.kind == what
            self.events.append(self._stamp(entry, t_ms, root.seq))
        self._adopt(resolve(self.events) if wanted else resolved, at, evening)
        return tuple(self.events[first:])

    def refold(self) -> Evening:
        """The evening folded afresh from the whole log: equal to `evening`, whatever was undone and amended on the way."""
        live = resolve(self.events).events
        return fold(self.game, begin(self.game, live[0]), live[1:])

    def find(self, seq: object) -> Event | None:
        """The live event of that number, or None."""
        if not isinstance(seq, int) or isinstance(seq, bool):
            return None
        return next((e for e in self.live if e.seq == seq), None)

    def before(self, seq: int) -> Evening:
        """The evening as it was before the live event of that number."""
        at = next((i for i, e in enumerate(self.live) if e.seq >= seq), len(self.live))
        start, evening = next(c for c in reversed(self._checkpoints) if c[0] <= at)
        return fold(self.game, evening, self.live[start:at])

    def roots(self) -> list[int]:
        """Numbers of what a person may undo, oldest first: live turns, amends, and undos of an event that the person chose (arg
        `chosen`: a correction like an amend, not a step back); never the start."""
        corrections = [e for s in (*self._amends, *self._undos) if (e := self.events[s - 1]).cause is None]
        return sorted({*(e.seq for e in corrections if e.kind == "amend" or e.arg("chosen")),
                       *(e.seq for e in self.live[1:] if e.cause is None)})

    def redoable(self) -> int | None:
        """Number of the undo that a redo would take back, or None: the newest one with nothing done after it."""
        undone = [s for s in self._undos if (e := self.events[s - 1]).kind == "undo" and e.cause is None and not e.arg("chosen")]
        return undone[-1] if undone and max([0, *self.roots()]) < undone[-1] else None

    def deal(self) -> list[Event]:
        """The live events of the present deal."""
        out: list[Event] = []
        for event in reversed(self.live):
            if event.kind in ("start", "next-deal"):
                break
            out.append(event)
        out.reverse()
        return out

    def _stamp(self, event: Event, t_ms: int, cause: int | None) -> Event:
        return replace(event, seq=len(self.events) + 1, t_ms=event.t_ms or t_ms, cause=cause)

    def _push(self, event: Event) -> None:
        self.events.append(event)
        self.live.append(event)

    def _follow(self, root: int, t_ms: int) -> None:
        for event in followers(self.game, self.evening)[0]:
            event = self._stamp(event, t_ms, root)
            self._push(event)
            self.evening = step(self.game, self.evening, event)      # the event as it is logged, with its number and time

    def _adopt(self, resolved: Resolved, at: int, evening: Evening) -> None:
        """Fold the resolved log on from checkpoint (at, evening), setting further checkpoints at the starts of turns."""
        self.live = list(resolved.events)
        self._undos, self._amends = resolved.undos, resolved.amends
        for i in range(at, len(self.live)):
            event = self.live[i]
            if event.cause is None and i > at and (event.kind == "next-deal" or i - self._checkpoints[-1][0] >= _CHECKPOINT_EVERY):
                self._checkpoints.append((i, evening))
            evening = step(self.game, evening, event)
        self.evening = evening
