"""A running house whose camera is the test."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scripted import HandedSource, ScriptedLook, deal_turns

from scorer.match import Match
from webui.runtime import Runtime
from webui.settings import Settings


class Rig:
    """A running house and what feeds it."""

    def __init__(self, data: Path, chosen: Settings = Settings(), script: Sequence[Mapping[str, Any]] = (), **more: Any) -> None:  # noqa: B008 - frozen
        self.source, self.look = HandedSource(), ScriptedLook()
        self.house = Runtime(data, chosen, lambda settings, source: self.look, **more)
        self.house.start(self.source, name="test", reopen=HandedSource, script=script)
        self.frames = 0

    def show(self, table: Any, times: int = 2) -> None:
        """Let the camera see the table, and wait until the house has looked at it."""
        for _ in range(times):
            state = table.state()
            self.look.tables.put(state)
            self.source.hand(state.t_ms)
            assert wait(lambda t=state.t_ms: self.match.watch.latest is not None and self.match.watch.latest.t_ms >= t)

    def say(self, command: str, **args: Any) -> Any:
        self.frames += 1
        return self.house.command({"command": command, "id": f"t{self.frames}", **args})

    def play(self, seed: int, most: int = 10**6) -> None:
        for n, (table, said) in enumerate(deal_turns(seed)):
            if n >= most:
                return
            self.show(table)
            if said and self.snapshot["state"] != "over":
                assert self.say(**said).status == 200
        self.show(table, 3)

    @property
    def match(self) -> Match:
        return self.house._keeper.match

    @property
    def snapshot(self) -> Mapping[str, Any]:
        return self.house.snapshot()


def wait(true: Callable[[], object], seconds: float = 5.0) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if true():
            return True
        time.sleep(0.005)
    return False
