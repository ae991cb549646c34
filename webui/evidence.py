"""The last seconds in pictures: kept in memory as they pass, a small strip saved with every event, the whole of them when
somebody reports a mistake. Around a slap or a race the strip holds every frame, with hands and piles marked.

Players' own cards are blurred before a picture is kept (`stream.blur_hidden`): nothing here knows more than the pages do.
"""

from __future__ import annotations

import json
import queue
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from scorer.errors import KibitzError
from scorer.events import Event
from vision.finish import Instant

from .stream import Quad, View, blur_hidden

RING_S = 10.0
RING_FPS = 6.0
RING_WIDTH = 1280
STRIP_S = 5.0
STRIP_EVERY = 2  # of the ring's pictures every second one
STRIP_WIDTH = 560
MOST_BYTES = 300 * 2**20
FINISHES = ("slap", "race", "play")  # events whose very moment is kept, every frame of it
FINISH_S = 4.0  # a ruling comes so long after the touch at most
FINISH_PICTURES = 90
INKS = ((60, 140, 255), (255, 150, 40), (90, 220, 90), (220, 90, 220))  # BGR, by the players' order


@dataclass(frozen=True, slots=True)
class Picture:
    """One kept frame: its time on the source's clock, when it passed, its JPEG, and the outlines that belong to this very frame
    (in pixels of a picture of `size`), so that in a replay they never run ahead of it."""

    t_ms: float
    passed_s: float
    jpeg: bytes
    size: tuple[int, int] = (0, 0)
    cards: tuple[dict[str, Any], ...] = ()


_Moment = tuple[Instant, tuple[Quad, ...]]
_Job = tuple[Path, list[Picture], list[_Moment]]


def drawn(instant: Instant, hidden: Sequence[Quad], touches: Sequence[tuple[str, float, float]]) -> Picture:
    """A kept picture with the piles' outlines, every hand's tip in its player's colour, and its time before or after each touch (player, t_ms, sigma_ms)."""
    image = blur_hidden(instant.image, [[[float(v) * instant.scale for v in p] for p in q] for q in hidden]).copy()
    for pile in instant.piles:
        cv2.polylines(image, [np.round(np.array(pile)).astype(np.int32)], True, (235, 235, 235), 1, cv2.LINE_AA)
    players = sorted({p for p, _, _ in instant.tips if p != "?"} | {p for p, _, _ in touches})
    for player, x, y in instant.tips:
        ink = INKS[players.index(player) % len(INKS)] if player in players else (150, 150, 150)
        cv2.circle(image, (round(x), round(y)), 6, (20, 20, 20), 3, cv2.LINE_AA)
        cv2.circle(image, (round(x), round(y)), 6, ink, 2, cv2.LINE_AA)
        cv2.putText(image, player, (round(x) + 9, round(y) + 5), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (20, 20, 20), 3, cv2.LINE_AA)
        cv2.putText(image, player, (round(x) + 9, round(y) + 5), cv2.FONT_HERSHEY_SIMPLEX, 0.5, ink, 1, cv2.LINE_AA)
    for n, (player, t_ms, sigma_ms) in enumerate(touches[:4]):
        text = f"{player} {instant.t_ms - t_ms:+.0f} ms ({sigma_ms:.0f})"
        cv2.putText(image, text, (8, 20 + 20 * n), cv2.FONT_HERSHEY_SIMPLEX, 0.55, (20, 20, 20), 4, cv2.LINE_AA)
        cv2.putText(image, text, (8, 20 + 20 * n), cv2.FONT_HERSHEY_SIMPLEX, 0.55, INKS[players.index(player) % len(INKS)], 1, cv2.LINE_AA)
    ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 80])
    return Picture(instant.t_ms, 0.0, data.tobytes() if ok else b"")


class Evidence:
    """`note` is called by the pipeline's thread, `keep` by the writer, the rest by whoever asks. Saving is done by a thread of
    its own: a slow disk holds up nobody, and a full one loses strips, never the game."""

    def __init__(self, folder: Path, *, clock: Callable[[], float] = time.monotonic, most_bytes: int = MOST_BYTES) -> None:
        self._folder, self._clock, self._most_bytes = folder, clock, most_bytes
        self._ring: deque[Picture] = deque()
        self._moments: deque[tuple[float, Instant, tuple[Quad, ...]]] = deque(maxlen=FINISH_PICTURES)
        self._lock = threading.Lock()
        self._due_s = 0.0
        self._jobs: queue.Queue[_Job | None] = queue.Queue(maxsize=32)
        self._thread = threading.Thread(target=self._save_all, name="evidence", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._jobs.put(None)
        self._thread.join(5.0)

    def note(self, view: View) -> None:
        """A frame passes. Some are kept."""
        now = self._clock()
        if view.instants:
            with self._lock:
                self._moments.extend((now, instant, view.hidden) for instant in view.instants)
        if now < self._due_s:
            return
        self._due_s = now + 1.0 / RING_FPS
        image = blur_hidden(view.image, view.hidden)
        if image.shape[1] > RING_WIDTH:
            height = round(image.shape[0] * RING_WIDTH / image.shape[1])
            image = cv2.resize(image, (RING_WIDTH, height), interpolation=cv2.INTER_AREA).astype(np.uint8)
        ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 75])
        if not ok:
            return
        with self._lock:
            self._ring.append(Picture(view.t_ms, now, data.tobytes(), (view.image.shape[1], view.image.shape[0]), view.cards))
            while self._ring and now - self._ring[0].passed_s > RING_S:
                self._ring.popleft()

    def _recent(self, seconds: float) -> list[Picture]:
        now = self._clock()
        with self._lock:
            return [p for p in self._ring if now - p.passed_s <= seconds]

    def keep(self, session: int, events: Sequence[Event]) -> None:
        """Save the seconds before these events, under the number of the turn's first."""
        roots = [e for e in events if e.cause is None]
        strip = self._recent(STRIP_S)[::STRIP_EVERY]
        moments = self._finish() if any(e.kind in FINISHES for e in events) else []
        if roots and (strip or moments):
            with suppress(queue.Full):  # the disk is slower than the game: this turn has no strip
                self._jobs.put_nowait((self._folder / str(session) / f"{roots[0].seq}.strip", strip, moments))

    def _finish(self) -> list[_Moment]:
        """The pictures around the newest touches."""
        now = self._clock()
        with self._lock:
            return [(instant, hidden) for passed, instant, hidden in self._moments if now - passed <= FINISH_S]

    def _save_all(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                path, strip, moments = job
                if moments:  # the finish in every frame, what led to it as ever
                    first = min(i.t_ms for i, _ in moments)
                    touches = sorted({touch for i, _ in moments for touch in i.touches}, key=lambda touch: touch[1])
                    strip = [p for p in strip if p.t_ms < first] + [drawn(i, hidden, touches) for i, hidden in sorted(moments, key=lambda m: m[0].t_ms)]
                _write_strip(path, strip)
                self._tidy()
            except OSError:
                continue

    def _tidy(self) -> None:
        """Forget the oldest strips beyond the space that they may take."""
        files = sorted((f for f in self._folder.glob("*/*.strip")), key=lambda f: f.stat().st_mtime)
        size = sum(f.stat().st_size for f in files)
        for file in files:
            if size <= self._most_bytes:
                return
            size -= file.stat().st_size
            file.unlink(missing_ok=True)

    def clip(self, session: int, seq: int) -> Mapping[str, Any] | None:
        """{"frames": [{"n", "t_ms", "size", "cards"}]}, or None where nothing was kept."""
        read = _read_strip(self._folder / str(session) / f"{seq}.strip")
        if read is None:
            return None
        return {"frames": [{"n": n, "t_ms": s.t_ms, "size": list(s.size), "cards": s.cards} for n, s in enumerate(read[0])]}

    def picture(self, session: int, seq: int, n: int) -> bytes | None:
        """One JPEG of a strip."""
        read = _read_strip(self._folder / str(session) / f"{seq}.strip")
        if read is None or not 0 <= n < len(read[0]):
            return None
        return read[1][read[0][n].start : read[0][n].end]

    def report(self, folder: Path, log: str, table: Mapping[str, Any], note: str) -> Path:
        """Write a case folder that `kibitz replay` runs: clip.mp4, table.json, the log, what was said, the versions.

        Raises KibitzError `no-clip`, `report-unwritable`.
        """
        pictures = self._recent(RING_S)
        if len(pictures) < 2:
            raise KibitzError("no-clip", "no picture has passed yet: start the camera and report again")
        try:
            folder.mkdir(parents=True)
            _write_clip(folder / "clip.mp4", pictures)
            (folder / "table.json").write_text(json.dumps(table, ensure_ascii=False, indent=1), encoding="utf-8")
            (folder / "log.jsonl").write_text(log, encoding="utf-8")
            about = json.dumps({"note": note, "versions": versions()}, ensure_ascii=False, indent=1)
            (folder / "report.json").write_text(about, encoding="utf-8")
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            line = f"the report could not be saved in {folder} ({error.strerror}): free some space"
            raise KibitzError("report-unwritable", line, path=str(folder)) from error
        return folder


def versions() -> dict[str, str]:
    """What ran: our version and those of the libraries that decide what is seen."""
    found = {}
    for name in ("kibitz", "opencv-python", "numpy", "onnxruntime", "flask", "cheroot"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "unknown"
    return found


def _small(jpeg: bytes) -> bytes:
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    if image is None or image.shape[1] <= STRIP_WIDTH:
        return jpeg
    image = cv2.resize(image, (STRIP_WIDTH, round(image.shape[0] * STRIP_WIDTH / image.shape[1])), interpolation=cv2.INTER_AREA)
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 65])[1].tobytes())


def _write_strip(path: Path, pictures: Sequence[Picture]) -> None:
    """A line of JSON [[t_ms, start, end, size, cards], …], then the JPEGs one after another."""
    jpegs = [_small(p.jpeg) for p in pictures]
    index, at = [], 0
    for p, jpeg in zip(pictures, jpegs, strict=True):
        shown = [{k: c[k] for k in ("id", "card", "state", "quad", "zone_kind") if k in c} for c in p.cards]
        index.append([round(p.t_ms), at, at + len(jpeg), list(p.size), shown])
        at += len(jpeg)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(json.dumps(index).encode() + b"\n" + b"".join(jpegs))


@dataclass(frozen=True, slots=True)
class _Kept:
    """Where one picture of a strip begins and ends, and what was outlined in it."""

    t_ms: int
    start: int
    end: int
    size: tuple[int, int] = (0, 0)
    cards: tuple[dict[str, Any], ...] = ()


def _read_strip(path: Path) -> tuple[list[_Kept], bytes] | None:
    """Strips of older versions have no outlines."""
    try:
        head, _, body = path.read_bytes().partition(b"\n")
        rows = json.loads(head)
        return [_Kept(int(r[0]), int(r[1]), int(r[2]), *((tuple(r[3]), tuple(r[4])) if len(r) > 4 else ())) for r in rows], body
    except (OSError, ValueError, TypeError, IndexError):
        return None


def _write_clip(path: Path, pictures: Sequence[Picture]) -> None:
    decoded = (cv2.imdecode(np.frombuffer(p.jpeg, np.uint8), cv2.IMREAD_COLOR) for p in pictures)
    images = [image for image in decoded if image is not None]
    height, width = images[0].shape[:2]
    span = pictures[-1].passed_s - pictures[0].passed_s
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), max(1.0, (len(pictures) - 1) / max(span, 0.1)), (width, height))
    if not writer.isOpened():
        raise OSError(0, "no MPEG-4 writer in this OpenCV")
    try:
        for image in images:
            if image.shape[:2] == (height, width):
                writer.write(image)
    finally:
        writer.release()
