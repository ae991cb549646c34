"""From nothing to the first score as a family does it: a phone's browser is the camera (Chromium's fake device plays the bundled clip), the
set-up page is gone through, a game is begun, and a card captured on the table becomes a number on the page. Everything is real:
the network's readings, the referee, the server, both browsers."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import pytest
from browsing import chromium, needs_chromium, visiting
from playwright.sync_api import Page, Playwright, expect

from vision.source import demo_clip
from webui import create_app
from webui.auth import Gate, allowed_hosts
from webui.runtime import Runtime
from webui.server import Server
from webui.settings import Settings
from webui.sight import Sights

pytestmark = needs_chromium
SECONDS = 10.0  # of the clip: the deal, a card played and one turned, the first capture
# Where nobody's hand is in the way the clip holds still for as long: two busy cores look at it and browse as well.
HOLDS = ((5.4, 5.0), (7.45, 4.0), (9.6, 18.0))
DEVICE_FPS = 30  # at which Chromium plays an .mjpeg
PATIENT_MS = 90_000


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The clip's beginning as the .mjpeg that Chromium's fake device plays, over and over."""
    path = tmp_path_factory.mktemp("camera") / "table.mjpeg"
    capture = cv2.VideoCapture(str(demo_clip()))
    fps = capture.get(cv2.CAP_PROP_FPS)
    still = {round(at * fps): round(seconds * DEVICE_FPS) for at, seconds in HOLDS}
    with path.open("wb") as file:
        for n in range(round(SECONDS * fps)):
            ok, image = capture.read()
            assert ok
            data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 85])[1].tobytes()
            file.write(data * still.get(n, round(DEVICE_FPS / fps)))
    capture.release()
    return path


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Runtime]:
    made = Runtime(tmp_path, Settings(), Sights())
    made.start(None)
    yield made
    made.stop()


@pytest.fixture
def open_page(driver: Playwright, house: Runtime, clip: Path) -> Iterator[Callable[..., Page]]:
    links = {"camera": "https://192.168.1.5:8766/phone?t=x"}
    server = Server(create_app(house, Gate(allowed_hosts()), links=links), "127.0.0.1", 0, threads=24)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    fake = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", f"--use-file-for-fake-video-capture={clip}")
    with chromium(driver, *fake) as browser, visiting(browser, f"http://127.0.0.1:{server.port}") as opened:
        yield opened
    house.hub.close()
    house.stream.close()
    server.stop()
    thread.join(5)


def corners_px() -> list[list[float]]:
    return json.loads((demo_clip().parent / "table.json").read_text(encoding="utf-8"))["corners_px"]


def drag(page: Page, name: str, x: float, y: float) -> None:
    """One ring to a point in pixels of the picture, with the mouse."""
    ring, still = page.locator(f"[data-test=corner-{name}]").bounding_box(), page.locator("#corners canvas.still").bounding_box()
    assert ring is not None
    assert still is not None
    scale = still["width"] / 1120
    page.mouse.move(ring["x"] + ring["width"] / 2, ring["y"] + ring["height"] / 2)
    page.mouse.down()
    page.mouse.move(still["x"] + x * scale, still["y"] + y * scale, steps=4)
    page.mouse.up()


def test_a_phone_as_camera_set_up_to_the_first_score(house: Runtime, open_page: Callable[..., Page]) -> None:
    expect.set_options(timeout=PATIENT_MS)
    try:
        phone, page = open_page("/phone"), open_page("/setup")
        page.set_default_timeout(PATIENT_MS)
        page.locator("[data-test=source-phone]").click()
        expect(page.locator("[data-test=camera-note]")).to_have_text("Done.")
        phone.locator("[data-test=phone-start]").click()
        expect(phone.locator("[data-test=phone-note]")).to_contain_text("pictures a second, 1120 × 630")
        expect(page.locator("[data-test=health]")).to_have_text("Good picture")
        page.locator("[data-test=next]").click()

        # Kibitz looks for the table itself; the rings are dragged to where its corners are.
        expect(page.locator("#corners-note")).to_have_text(re.compile("^(Found|Not found)"))
        for name, (x, y) in zip(("tl", "tr", "br", "bl"), corners_px(), strict=True):
            drag(page, name, x, y)
        page.locator("[data-test=save-corners]").click()
        expect(page.locator("#cards-note")).to_have_text("All five are read. On to the game.")
        page.locator("[data-test=next]").click()

        # Every junk card is a point in this house: the first capture is the first score.
        page.locator("[data-test=name-0]").fill("Mina")
        page.locator("[data-test=name-1]").fill("Jun")
        page.locator("fieldset.rules summary").click()
        page.locator("#rule-junk_from").fill("1")
        page.locator("#rule-junk_from").press("Tab")
        expect(page.locator("[data-test=diff] ins")).to_have_text("1")
        phone.locator("#phone-stop").click()  # the clip's players begin when the family does
        page.locator("[data-test=start]").click()
        page.wait_for_url("**/")
        expect(page.locator("[data-test=player-A]")).to_contain_text("Mina")
        phone.locator("[data-test=phone-start]").click()
        expect(page.locator("[data-test=points-A]")).to_have_text("1")

        # Live: the card that made it is on the table page, is corrected in two taps, and put back with one.
        page.locator("[data-test=state-action]").click()
        expect(page.locator("[data-test=state]")).to_have_text("Paused")
        card = page.locator("[data-test=captures-A] button.card[data-card^='11-junk']").first
        name = card.get_attribute("data-card")
        card.click()
        page.locator("[data-test=deck] button.card[data-card='12-ribbon']").click()
        expect(page.locator("[data-test=points-A]")).to_have_text("0")
        page.locator("[data-test=undo]").click()
        expect(page.locator("[data-test=points-A]")).to_have_text("1")
        expect(page.locator(f"[data-test=captures-A] [data-card='{name}']")).to_be_visible()
    finally:
        expect.set_options(timeout=5000)
