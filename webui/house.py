"""What the pages need of the running programme: the seam between `routes` and `runtime`, and between routes and their tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from .enrolling import Enrolling
from .hub import Hub
from .stream import Stream


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a command: HTTP status (200, 409 refused, 503 full) and a JSON-able body."""

    status: int
    body: Mapping[str, Any]

    @classmethod
    def done(cls, **facts: object) -> Reply:
        return cls(200, {"ok": True, **facts})

    @classmethod
    def refused(cls, code: str, cards: tuple[str, ...] = (), **args: object) -> Reply:
        return cls(409, {"ok": False, "problem": {"code": code, "args": args, "cards": list(cards)}})

    @classmethod
    def busy(cls) -> Reply:
        return cls(503, {"ok": False, "problem": {"code": "busy", "args": {}, "cards": []}})


class House(Protocol):
    """Everything is safe to call from any thread; snapshots are never changed after they are handed out."""

    hub: Hub
    stream: Stream
    enrolling: Enrolling

    def snapshot(self) -> Mapping[str, Any]:
        """The newest published snapshot (docs/design.md) with the web's own keys beside it."""
        ...

    def command(self, command: Mapping[str, Any]) -> Reply:
        """Do what a person said. Waits for the writer; the same `id` again gives the first answer again."""
        ...

    def history(self) -> Mapping[str, Any]:
        """{"sessions": evenings, newest first, "current": number of the one being played}."""
        ...

    def evening(self, session: int) -> Mapping[str, Any] | None:
        """One evening with its deals, or None."""
        ...

    def deal(self, session: int, number: int) -> Mapping[str, Any] | None:
        """One deal with its events, or None."""
        ...

    def export(self, session: int, form: str) -> str | None:
        """A game's log as `jsonl` or its totals as `csv`; None where there is no such game."""
        ...

    def clip(self, session: int, seq: int) -> Mapping[str, Any] | None:
        """The pictures kept around an event: {"frames": [{"t_ms", "n"}], …}, or None."""
        ...

    def clip_picture(self, session: int, seq: int, n: int) -> bytes | None:
        """One JPEG of a clip, or None."""
        ...

    def setup(self, lang: str) -> Mapping[str, Any]:
        """What the set-up page starts from: settings, games with their rulesets, the camera."""
        ...

    def probe(self, source: str) -> Mapping[str, Any]:
        """Try a source for some seconds: {"size", "fps", "dropped", "torn", "first_ms"}. Raises KibitzError."""
        ...

    def picture_taken(self, jpeg: bytes) -> Reply:
        """A phone hands in one picture: 200, or 409 while another camera is in use."""
        ...

    def held(self) -> Mapping[str, Any]:
        """The one card that is held up nearer to the camera than the others: {"card", "others", "sure"}, "card" null where none
        stands out. Raises KibitzError."""
        ...

    def rules(self, lang: str) -> Mapping[str, Any]:
        """The rules in force, in words: {"game", "ruleset", "title", "intro", "sections": [{"heading", "sentences"}]}."""
        ...

    def report(self, note: str) -> Mapping[str, Any]:
        """Save a mistake as a case folder: {"folder"}. Raises KibitzError."""
        ...
