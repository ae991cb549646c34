"""A House with no camera and no scorer behind it: a recorded snapshot, and commands that are only noted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scorer.errors import KibitzError
from webui import settings
from webui.enrolling import Enrolling
from webui.house import Reply
from webui.hub import Hub
from webui.stream import Stream

DATA = Path(__file__).parent / "data"


class RecordedHouse:
    def __init__(self, snapshot: Mapping[str, Any] | None = None, **hub: Any) -> None:
        self.hub = Hub(**hub)
        self.stream = Stream()
        self.enrolling = Enrolling()
        self.commands: list[Mapping[str, Any]] = []
        self.answer = Reply.done()
        self._snapshot: Mapping[str, Any] = {}
        self.show(snapshot or json.loads((DATA / "gostop-two.json").read_text(encoding="utf-8")))

    def show(self, snapshot: Mapping[str, Any], private: Mapping[str, object] | None = None) -> None:
        self._snapshot = snapshot
        self.hub.state("snapshot", snapshot, private)

    def snapshot(self) -> Mapping[str, Any]:
        return self._snapshot

    def command(self, command: Mapping[str, Any]) -> Reply:
        self.commands.append(command)
        return self.answer

    def history(self) -> Mapping[str, Any]:
        return {"sessions": [], "current": 1}

    def evening(self, session: int) -> Mapping[str, Any] | None:
        return None

    def deal(self, session: int, number: int) -> Mapping[str, Any] | None:
        return None

    def export(self, session: int, form: str) -> str | None:
        return f"{form}\n" if session == 1 else None

    def clip(self, session: int, seq: int) -> Mapping[str, Any] | None:
        return None

    def clip_picture(self, session: int, seq: int, n: int) -> bytes | None:
        return None

    def setup(self, lang: str) -> Mapping[str, Any]:
        return {"settings": settings.plain(settings.Settings()), "games": settings.games(), "camera": {"state": "ok"}}

    def probe(self, source: str) -> Mapping[str, Any]:
        raise KibitzError("source-missing", f"there is no source {source!r}: give another")

    def picture_taken(self, jpeg: bytes) -> Reply:
        return Reply.done() if jpeg[:2] == b"\xff\xd8" else Reply.refused("torn-picture")

    def held(self) -> Mapping[str, Any]:
        return {"card": "01-bright", "others": [["08-bright", 0.1]], "sure": True}

    def rules(self, lang: str) -> Mapping[str, Any]:
        sentences = [{"key": "shake", "text": "Each triple pays ×2.", "house": False}]
        sections = [{"heading": "Shaking", "sentences": sentences}]
        return {"game": "gostop", "ruleset": "classic", "title": "Go-Stop", "intro": ["Match the months."], "sections": sections}

    def report(self, note: str) -> Mapping[str, Any]:
        raise KibitzError("no-clip", "nothing was recorded yet: play on and report again")
