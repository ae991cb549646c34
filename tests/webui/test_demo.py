"""The main job from end to end: the bundled clip's pixels go in as they do after `make run` without a camera, and the page shows the
points and the payout that the clip's truth holds."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path

from browsing import needs_chromium, visiting
from playwright.sync_api import Browser, expect

from vision.source import demo_clip, open_source
from webui import create_app
from webui.auth import Gate, allowed_hosts
from webui.replay import read_commands, read_table, settings_of
from webui.runtime import Runtime
from webui.server import Server
from webui.sight import Sights

PATIENT_MS = 600_000  # the clip lasts over a minute; a busy machine takes longer


@needs_chromium
def test_the_page_ends_with_the_clips_true_points_and_payout(browser: Browser, tmp_path: Path) -> None:
    case = demo_clip().parent
    final = json.loads((case / "truth.jsonl").read_text(encoding="utf-8").splitlines()[-1])["final"]
    assert final["winner"]
    assert any(final["payout"].values())
    house = Runtime(tmp_path, replace(settings_of(read_table(case / "table.json")), source="demo"), Sights(), keep=False)
    server = Server(create_app(house, Gate(allowed_hosts())), "127.0.0.1", 0)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        with visiting(browser, f"http://127.0.0.1:{server.port}") as open_page:
            page = open_page("/", width=1280)
            house.start(open_source("demo"), name="demo", script=read_commands(case / "commands.jsonl"))
            expect(page.locator("[data-test=payout] .verdict")).to_be_visible(timeout=PATIENT_MS)
            for player, score in final["players"].items():
                expect(page.locator(f"[data-test=points-{player}]")).to_have_text(str(score["total"]))
            for player, amount in final["payout"].items():
                expect(page.locator(f"[data-test=payout-{player}]")).to_have_attribute("data-amount", str(amount))
    finally:
        house.hub.close()
        house.stream.close()
        house.stop()
        server.stop()
        thread.join(5)
