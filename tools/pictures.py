#!/usr/bin/env python3
"""Takes the pictures of the pages for docs/pictures anew: the drawn deck and the bundled clip only, as small WebP files.

usage: pictures.py [--out docs/pictures] [--only NAME]

A random deal is laid card by card before the house as in the tests; the camera's picture is a frame of the bundled clip.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "webui"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "scorer"))

import cv2
import numpy as np
from browsing import chromium
from playwright.sync_api import Page
from rig import Rig, wait

from vision.source import demo_clip
from webui import create_app
from webui.auth import Gate, allowed_hosts
from webui.server import Server

ROOT = Path(__file__).resolve().parents[1]
SEED, TURNS = 1, 46
MOMENT_S = 33.0  # of the clip
MOST_BYTES = 150_000
LINKS = {key: f"http://192.168.1.5:8765/?t={key}" for key in ("scorer", "viewer", "seat-A", "seat-B")}


@dataclass(frozen=True)
class Shot:
    """One picture: a page, how wide, in which look and language, what is done there first, and how much of it is shown."""

    name: str
    path: str
    width: int
    look: str = "light"
    lang: str = "en"
    act: Callable[[Page], None] = lambda page: None
    height: int = 800


def _open_deal(page: Page) -> None:
    page.locator("details.deal > summary").first.click()


def _why(page: Page) -> None:
    page.locator("[data-test=why-B]").click()


def _video(page: Page) -> None:
    page.evaluate("localStorage.setItem('kibitz', JSON.stringify({ video: 'both' }))")
    page.reload()


def _corners(page: Page) -> None:
    page.wait_for_selector("#corners:not(.empty)")
    page.evaluate("scrollTo(0, 0)")


def _camera(page: Page) -> None:
    page.route("**/api/camera", lambda route: route.fulfill(json={"ok": True}))  # the house of these pictures looks elsewhere
    page.locator("[data-test=phone-start]").click()
    while page.evaluate("document.querySelector('#camera').readyState") < 2:
        page.wait_for_timeout(100)


SHOTS = (
    Shot("table-wide", "/", 1280, act=_video, height=900),
    Shot("table-phone", "/", 390, height=844),
    Shot("table-phone-dark-ko", "/", 390, "dark", "ko", height=844),
    Shot("why-phone", "/", 390, act=_why, height=844),
    Shot("setup-wide", "/setup#corners", 1280, act=_corners, height=1160),
    Shot("setup-phone", "/setup#camera", 390, height=844),
    Shot("history-wide", "/history", 1280, act=_open_deal),
    Shot("history-phone", "/history", 390, "dark", act=_open_deal, height=844),
    Shot("overlay", "/overlay?show=score,last", 800, height=230),
    Shot("camera-phone", "/phone", 390, act=_camera, height=620),
)


def small(picture: np.ndarray, path: Path) -> None:
    """Written as WebP, as good as fits."""
    for quality in (90, 80, 70, 60, 45):
        data = cv2.imencode(".webp", picture, [cv2.IMWRITE_WEBP_QUALITY, quality])[1].tobytes()
        if len(data) <= MOST_BYTES:
            break
    path.write_bytes(data)


def frame_of_the_clip() -> np.ndarray:
    capture = cv2.VideoCapture(str(demo_clip()))
    capture.set(cv2.CAP_PROP_POS_MSEC, MOMENT_S * 1000)
    ok, image = capture.read()
    capture.release()
    assert ok
    return image


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "pictures")
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    rig = Rig(Path(tempfile.mkdtemp()))
    rig.say("new-game", names=["Mina", "Jun"], ruleset="classic")
    rig.play(SEED, most=TURNS)
    rig.source.hand(image=frame_of_the_clip())
    corners = json.loads((demo_clip().parent / "table.json").read_text(encoding="utf-8"))["corners_px"]
    assert rig.say("corners", corners_px=corners).status == 200
    assert wait(lambda: rig.house.stream.view is not None and rig.house.stream.view.image.shape[0] > 300)
    links = {**LINKS, "camera": "https://192.168.1.5:8766/phone?t=camera"}
    server = Server(create_app(rig.house, Gate(allowed_hosts()), links=links), "127.0.0.1", 0, threads=80)
    threading.Thread(target=server.serve, daemon=True).start()
    film = Path(tempfile.mkdtemp()) / "table.mjpeg"
    film.write_bytes(cv2.imencode(".jpg", frame_of_the_clip())[1].tobytes() * 30)
    fake = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", f"--use-file-for-fake-video-capture={film}")
    with chromium(*fake) as browser:
        for shot in SHOTS:
            if asked.only not in shot.name:
                continue
            size = {"width": shot.width, "height": shot.height}
            context = browser.new_context(viewport=size, color_scheme=shot.look, locale={"en": "en-GB", "ko": "ko-KR"}[shot.lang])
            context.set_default_timeout(60_000)
            page = context.new_page()
            page.goto(f"http://127.0.0.1:{server.port}{shot.path}")
            page.wait_for_timeout(800)
            shot.act(page)
            page.wait_for_timeout(600)
            png = page.screenshot(omit_background=shot.name == "overlay")
            small(cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_UNCHANGED), asked.out / f"{shot.name}.webp")
            print(f"{shot.name}.webp {(asked.out / f'{shot.name}.webp').stat().st_size // 1000} kB", flush=True)
            context.close()
    rig.house.stop()
    os._exit(0)  # streams that are still open end with the process


if __name__ == "__main__":
    main()
