#!/usr/bin/env python3
"""How long a score takes from the camera to the phone: the real pipeline, server and browser on this machine, video off.

usage: latency.py [--events 100] [--fps 30] [--chromium /usr/bin/chromium]

The bundled clip is given as a camera gives it (30 frames a second, the newest only). House rules make every capture change a number,
so one showing of the clip gives some twenty events. First the same frames are looked at without losing any: that tells the frame
with which the settling rule lets each number change. Then, for every number that changes on the page (MutationObserver, the page's
clock is this machine's), the time since that frame was there to be taken. What the settling rule waits for is thus left out, and what
a slow machine adds (frames overtaken, queues, Python, the network, the browser) is in it. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import cv2
from playwright.sync_api import Page, sync_playwright

from scorer.match import Match
from tools.paced import FPS, Paced, every_capture_scores, images
from vision.frame import Frame, SourceState, SourceStatus
from vision.source import demo_clip
from webui import create_app
from webui.auth import Gate, allowed_hosts
from webui.runtime import Runtime
from webui.server import Server
from webui.sight import Sights

MOST_PASSES = 20
WATCH = """() => {
  window.changes = [];
  const before = new Map();  // not on the elements: the page takes away attributes that it did not set
  const note = () => {
    const now = performance.timeOrigin + performance.now();
    for (const el of document.querySelectorAll("[data-test^=points-]")) {
      const player = el.dataset.test.slice(7), points = el.textContent;
      if (before.has(player) && before.get(player) !== points) window.changes.push([player, Number(points), now]);
      before.set(player, points);
    }
  };
  note();
  new MutationObserver(note).observe(document.querySelector("#scores"), { childList: true, characterData: true, subtree: true });
}"""


class Whole:
    """Every frame in turn, none lost."""

    live = False

    def __init__(self, fps: float) -> None:
        self._images = images(demo_clip(), fps)
        self._fps, self._n, self._ended = fps, 0, False

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        image = next(self._images, None)
        if image is None:
            self._ended = True
            return None
        self._n += 1
        return Frame(self._n - 1, (self._n - 1) * 1000 / self._fps, image)

    def status(self) -> SourceStatus:
        return SourceStatus("clip", "whole", SourceState.ENDED if self._ended else SourceState.LIVE)

    def close(self) -> None:
        self._ended = True


def deciding_frames(fps: float, sights: Sights) -> dict[tuple[str, int], int]:
    """(player, new total) → number of the frame that lets it change, where no frame is lost."""
    chosen = every_capture_scores()
    source = Whole(fps)
    match = Match(chosen.game, chosen.ruleset, chosen.players, chosen.dealer, dict(chosen.options or {}), overrides=chosen.overrides)
    found: dict[tuple[str, int], int] = {}
    before = dict.fromkeys(chosen.players, 0)
    for sight in sights(chosen, source)(source):
        if sight is None or sight.table is None or not match.observe(sight.table):
            continue
        sheet = match.sheet()
        for player in chosen.players:
            total = sheet.of(player).total
            if total != before[player]:
                found.setdefault((player, total), sight.frame.index)
                before[player] = total
    return found


def showing(page: Page, fps: float, sights: Sights) -> tuple[list[tuple[str, int, float]], Paced]:
    """One showing of the clip: what changed on the page and when, and the source with its hand-over times."""
    source = Paced(demo_clip(), fps)
    chosen = every_capture_scores()
    with tempfile.TemporaryDirectory() as folder:
        house = Runtime(Path(folder), chosen, sights, keep=False)
        house.start(source, name="clip")
        server = Server(create_app(house, Gate(allowed_hosts())), "127.0.0.1", 0, threads=40)
        thread = threading.Thread(target=server.serve, daemon=True)
        thread.start()
        try:
            page.goto(f"http://127.0.0.1:{server.port}/")
            page.wait_for_selector("[data-test=points-A]")
            page.evaluate(WATCH)
            source.begin.set()
            while source.status().state is not SourceState.ENDED:
                page.wait_for_timeout(500)
            page.wait_for_timeout(1500)
            changes = page.evaluate("window.changes")
        finally:
            house.stop()
            server.stop()
            thread.join(5)
    return [(p, n, at / 1000) for p, n, at in changes], source


def measure(events: int, fps: float, chromium: str) -> dict[str, Any]:
    sights = Sights()
    frames = deciding_frames(fps, sights)
    late: list[float] = []
    shown, taken, passes = 0, 0, 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--mute-audio"])
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.set_default_timeout(120_000)
        while len(late) < events and passes < MOST_PASSES:
            changes, source = showing(page, fps, sights)
            passes += 1
            shown, taken = shown + len(source.handed), taken + source.taken
            seen: set[tuple[str, int]] = set()
            for player, total, at in changes:
                frame = frames.get((player, total))
                # A number reached another way (a frame that was lost told more) has no frame to be measured from.
                if frame is not None and (player, total) not in seen and at >= source.handed[frame]:
                    late.append((at - source.handed[frame]) * 1000)
                seen.add((player, total))
            print(f"showing {passes}: {len(changes)} changes, {len(late)} events of {len(frames)} expected a showing", file=sys.stderr)
        browser.close()
    if len(late) < 2:
        raise SystemExit("no number changed on the page: is the machine so busy that no card is read?")
    cuts = statistics.quantiles(late, n=20)
    return {
        "events": len(late), "p50_ms": round(statistics.median(late)), "p95_ms": round(cuts[-1]), "max_ms": round(max(late)),
        "fps": fps, "frames_taken": round(taken / shown, 2), "showings": passes, "load_average": round(os.getloadavg()[0], 1),
        "cores": os.cpu_count(), "when": time.strftime("%Y-%m-%d %H:%M"),
    }  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=100)
    parser.add_argument("--fps", type=float, default=FPS)
    parser.add_argument("--chromium", default=os.environ.get("CHROMIUM", "/usr/bin/chromium"))
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    print(json.dumps(measure(asked.events, asked.fps, asked.chromium)))
