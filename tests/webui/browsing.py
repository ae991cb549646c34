"""Debian's Chromium for the tests of pages: where it is, how it starts, and a page that must ask nobody but the house."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Playwright

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
ARGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync", "--mute-audio", "--disable-renderer-backgrounding",
        "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows")  # fmt: skip

needs_chromium = pytest.mark.skipif(not CHROMIUM.exists(), reason="needs Chromium: apt-get install chromium, or name one in CHROMIUM")


@contextmanager
def chromium(driver: Playwright, *more: str) -> Iterator[Browser]:
    """A browser of its own; `driver` is the one of the session, for two in one thread do not go together."""
    running = driver.chromium.launch(executable_path=str(CHROMIUM), args=[*ARGS, *more])
    try:
        yield running
    finally:
        running.close()


@contextmanager
def visiting(browser: Browser, address: str) -> Iterator[Callable[..., Page]]:
    """Opens pages of a running house. Afterwards: no error in the console, and nothing was asked of another machine."""
    contexts, faults = [], []

    def open_page(path: str = "/", width: int = 390, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 844 if width < 600 else 800}, **options)
        context.set_default_timeout(30_000)  # on a busy machine
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if message.type in ("error", "warning") else None)
        page.on("request", lambda request: None if request.url.startswith((address, "blob:", "data:")) else faults.append(request.url))
        page.goto(address + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    refusals = ("status of 400", "status of 404", "status of 409", "frame.jpg")  # the browser's own note of an answer that the test asked for
    assert [f for f in faults if not any(r in f for r in refusals)] == []
