"""Past evenings, read from the database by whoever asks: readers open it for themselves and never wait for the writer."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scorer.errors import KibitzError
from scorer.match import Match
from scorer.store import Store, to_jsonl, write_csv
from vision.files import user_folder

KEPT = 8
SESSIONS = 200


class Archive:
    """Folded evenings are kept for a while, by session and number of events: a log only grows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._folded: OrderedDict[tuple[int, int], Match] = OrderedDict()

    def sessions(self) -> list[Mapping[str, Any]]:
        """Evenings, newest first."""
        with Store(self._path, readonly=True) as store:
            return [
                {
                    "id": s.id, "created_ms": s.created_ms, "last_ms": s.last_ms, "game": s.game, "ruleset": s.ruleset,
                    "title": s.title, "events": s.events,
                }
                for s in store.sessions()[:SESSIONS]
            ]

    def match(self, session: int) -> Match | None:
        """The evening folded; do not change it. None where there is no such session."""
        with Store(self._path, readonly=True) as store:
            try:
                events = store.events(session)
            except KibitzError:
                return None
        key = (session, len(events))
        with self._lock:
            if key not in self._folded:
                self._folded[key] = Match.resume(events)
                while len(self._folded) > KEPT:
                    self._folded.popitem(last=False)
            self._folded.move_to_end(key)
            return self._folded[key]

    def evening(self, session: int) -> Mapping[str, Any] | None:
        """One evening: its deals with every player's lines, and who has won how much."""
        match = self.match(session)
        if match is None:
            return None
        deals = match.history()
        names = {p: match.evening.names.get(p, "") for p in match.evening.seats}
        running: dict[str, int] = dict.fromkeys(match.evening.seats, 0)
        for deal in deals:
            for player, chips in deal["net"].items():
                running[player] = running.get(player, 0) + chips
        return {
            "session": session, "game": match.game.name, "ruleset": match.evening.rules.name, "seats": list(match.evening.seats),
            "names": names, "running": running, "deals": deals,
        }  # fmt: skip

    def deal(self, session: int, number: int) -> Mapping[str, Any] | None:
        """One deal with its live events, in order."""
        match = self.match(session)
        evening = self.evening(session)
        if match is None or evening is None:
            return None
        found = next((d for d in evening["deals"] if d["deal"] == number), None)
        if found is None:
            return None
        count, events = 1, []
        for event in match.live:
            if event.kind == "next-deal":
                count += 1
            if count == number:
                events.append(event.to_dict())
        return {**found, "session": session, "names": evening["names"], "events": events}

    def export(self, session: int, form: str) -> str | None:
        """The whole log as `jsonl`, or the deals as `csv`."""
        match = self.match(session)
        if match is None:
            return None
        if form == "jsonl":
            return "".join(f"{line}\n" for line in to_jsonl(match.events))
        return write_csv(match)


def games_file(data: str | Path | None = None) -> Path:
    """The database of games: in the folder named, else in the user's own. Raises KibitzError `folder-unwritable`."""
    if data is None:
        return user_folder() / "games.sqlite"
    folder = Path(data).expanduser()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KibitzError(
            "folder-unwritable", f"cannot make the folder {folder} ({error.strerror}): name another one with --data", path=str(folder)
        ) from error
    return folder / "games.sqlite"
