from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browsing import chromium, visiting
from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page, Playwright, sync_playwright
from recorded_house import RecordedHouse
from rig import Rig

from webui import create_app
from webui.auth import Gate, Tokens, allowed_hosts
from webui.house import House
from webui.server import Server


@pytest.fixture
def house() -> Iterator[RecordedHouse]:
    recorded = RecordedHouse()
    yield recorded
    recorded.hub.close()
    recorded.stream.close()


@pytest.fixture
def client(house: RecordedHouse) -> FlaskClient:
    return create_app(house, Gate(allowed_hosts())).test_client()


@pytest.fixture
def tokens() -> Tokens:
    return Tokens.fresh(("A", "B"))


@pytest.fixture
def lan_client(house: RecordedHouse, tokens: Tokens) -> FlaskClient:
    """A client of a server that was started with --lan."""
    return create_app(house, Gate(allowed_hosts(("192.168.1.5",)), tokens)).test_client()


@pytest.fixture
def serve() -> Iterator[Callable[..., str]]:
    """Serve a house on a free port; gives its address."""
    running: list[tuple[House, Server, threading.Thread]] = []

    def start(house: House, gate: Gate | None = None, **server: int) -> str:
        made = Server(create_app(house, gate or Gate(allowed_hosts())), "127.0.0.1", 0, **{"threads": 24, **server})
        thread = threading.Thread(target=made.serve, daemon=True)
        thread.start()
        running.append((house, made, thread))
        return f"http://127.0.0.1:{made.port}"

    yield start
    for house, server, thread in running:
        house.hub.close()
        house.stream.close()
        server.stop()
        thread.join(5)


@pytest.fixture(scope="session")
def driver() -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browser(driver: Playwright) -> Iterator[Browser]:
    with chromium(driver) as running:
        yield running


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    made.house.stop()


@pytest.fixture
def visit(browser: Browser, rig: Rig, serve: Callable[..., str]) -> Iterator[Callable[..., Page]]:
    """Opens a page of the running house (`browsing.visiting`)."""
    with visiting(browser, serve(rig.house, threads=80)) as open_page:  # a page that was left holds its stream for some seconds
        yield open_page
