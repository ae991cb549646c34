"""Enrolling a deck through the pages: the interface with bad input, then one whole path in a browser."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from browsing import needs_chromium
from flask.testing import FlaskClient
from laid_out import own_deck, picture_of
from playwright.sync_api import Page, expect
from recorded_house import RecordedHouse
from rig import wait

from webui.auth import Tokens
from webui.enrolling import Enrolling, decks, pixels

FEW = ("01-bright", "02-animal", "03-ribbon", "08-bright", "11-bright", "12-bright", "12-animal", "09-ribbon", "06-animal", "10-animal", "joker-2", "05-animal")
QUAD = [[100, 100], [200, 100], [200, 250], [100, 250]]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KIBITZ_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture(scope="module")
def photograph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve cards of our own deck in rows."""
    path = tmp_path_factory.mktemp("photo") / "deck.jpg"
    cv2.imwrite(str(path), picture_of(own_deck(), FEW, columns=4, size=(700, 900), seed=4).image)
    return path


def jpeg(height: int, width: int) -> bytes:
    return bytes(cv2.imencode(".jpg", np.full((height, width, 3), 90, np.uint8))[1])


@pytest.mark.parametrize(
    ("body", "kind", "mime", "status", "code"),
    [
        (b"", "hwatu", "image/jpeg", 409, "picture-broken"),
        (b"\xff\xd8 no jpeg", "hwatu", "image/jpeg", 409, "picture-broken"),
        (jpeg(20, 20), "hwatu", "image/jpeg", 409, "picture-broken"),
        (jpeg(300, 400)[:400], "hwatu", "image/jpeg", 409, "picture-broken"),
        (jpeg(300, 400), "hwatu", "image/jpeg", 409, "enrol-nothing"),
        (jpeg(300, 400), "numbers", "image/jpeg", 409, "deck-kind"),
        (jpeg(300, 400), "", "image/jpeg", 409, "deck-kind"),
        (jpeg(300, 400), "hwatu", "text/html", 400, "bad-command"),
        (b"\xff\xd8" + bytes(5 * 1024 * 1024), "hwatu", "image/jpeg", 413, "too-large"),
    ],
)
def test_a_picture_that_cannot_be_used_is_refused_in_one_line(
    client: FlaskClient, body: bytes, kind: str, mime: str, status: int, code: str
) -> None:
    answer = client.post(f"/api/enrol/photo?kind={kind}", data=body, content_type=mime)
    assert (answer.status_code, answer.get_json()["problem"]["code"]) == (status, code)
    assert client.get("/api/enrol").get_json()["phase"] == "empty"
    assert client.get("/enrol/photo.jpg").status_code == 404


def test_a_picture_is_measured_before_it_is_unpacked() -> None:
    assert pixels(jpeg(30, 40)) == 1200
    assert pixels(bytes(cv2.imencode(".png", np.zeros((30, 40, 3), np.uint8))[1])) == 1200
    huge = bytearray(jpeg(30, 40))
    at = huge.index(b"\xff\xc0")
    huge[at + 5:at + 9] = b"\xff\xff\xff\xff"
    assert pixels(bytes(huge)) == 65535**2


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"photo": "another"}, "enrol-stale"),
        ({"name": ""}, "deck-name"),
        ({"name": "../../etc/passwd"}, "deck-name"),
        ({"name": 5}, "deck-name"),
        ({"cards": []}, "bad-command"),
        ({"cards": "all"}, "bad-command"),
        ({"cards": [{"card": "01-bright", "quad": QUAD}] * 121}, "bad-command"),
        ({"cards": [{"card": "01-bright", "quad": QUAD[:3]}]}, "bad-command"),
        ({"cards": [{"card": "01-bright", "quad": QUAD[::-1]}]}, "bad-command"),
        ({"cards": [{"card": "01-bright", "quad": [[0, 0]] * 4}]}, "bad-command"),
        ({"cards": [{"card": 1, "quad": QUAD}]}, "bad-command"),
        ({"bonus": {"Tiger!": 2}}, "bonus-bad"),
        ({"bonus": {"tiger": 99}}, "bonus-bad"),
        ({"bonus": []}, "bad-command"),
    ],
)
def test_what_cannot_be_learned_is_refused(client: FlaskClient, house: RecordedHouse, change: dict[str, Any], code: str) -> None:
    house.enrolling._photo, house.enrolling._found = np.zeros((300, 300, 3), np.uint8), {"photo": "p1", "kind": "hwatu"}
    wish = {"photo": "p1", "name": "ours", "bonus": {}, "cards": [{"card": "01-bright", "quad": QUAD}], **change}
    answer = client.post("/api/enrol/learn", json=wish)
    assert (answer.status_code, answer.get_json()["problem"]["code"]) == (409, code)
    assert decks() == []


def test_a_fault_while_learning_is_told(house: RecordedHouse) -> None:
    house.enrolling._photo, house.enrolling._found = np.zeros((300, 300, 3), np.uint8), {"photo": "p1", "kind": "hwatu"}
    house.enrolling.learn({"photo": "p1", "name": "ours", "cards": [{"card": "01-bright", "quad": QUAD}]})
    assert wait(lambda: house.enrolling.state()["phase"] == "failed", 30)
    assert house.enrolling.state()["problem"]["code"] == "enrol-few"


@pytest.mark.parametrize("role", ["viewer", "camera", None])
def test_only_the_scorer_enrols(lan_client: FlaskClient, tokens: Tokens, role: str | None) -> None:
    mark = f"?t={tokens.token(role)}" if role else ""
    for path in ("/api/enrol", "/enrol", "/enrol/photo.jpg"):
        assert lan_client.get(path + mark, headers={"Host": "192.168.1.5"}, follow_redirects=True).status_code in (401, 404)
    kind = "&kind=hwatu" if mark else "?kind=hwatu"
    answer = lan_client.post(f"/api/enrol/photo{mark}{kind}", data=jpeg(300, 400), content_type="image/jpeg", headers={"Host": "192.168.1.5"})
    assert answer.status_code in (401, 404)


def test_another_site_cannot_hand_in_a_picture(client: FlaskClient) -> None:
    headers = {"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert client.post("/api/enrol/photo?kind=hwatu", data=jpeg(300, 400), content_type="image/jpeg", headers=headers).status_code == 403


@needs_chromium
def test_a_deck_is_photographed_corrected_and_played_with(visit: Callable[..., Page], photograph: Path, home: Path) -> None:
    page = visit("/enrol")
    page.set_default_timeout(60000)
    page.locator("[data-test=file]").set_input_files(str(photograph))
    tiles = page.locator(".tile")
    expect(tiles).to_have_count(12, timeout=60000)
    assert [tiles.nth(i).get_attribute("data-card") for i in range(12)] == list(FEW)
    expect(page.locator("#photo polygon")).to_have_count(12)
    expect(page.locator("[data-test=said-missing]")).to_be_visible()
    # Dragged onto another card, a name changes places with the one that was there.
    tiles.nth(1).scroll_into_view_if_needed()
    first, second = tiles.nth(0).bounding_box(), tiles.nth(1).bounding_box()
    assert first is not None
    assert second is not None
    page.mouse.move(first["x"] + 60, first["y"] + 30)
    page.mouse.down()
    page.mouse.move(second["x"] + 30, second["y"] + 30, steps=4)
    page.mouse.up()
    assert [tiles.nth(i).get_attribute("data-card") for i in range(2)] == [FEW[1], FEW[0]]
    # Back again with the keyboard alone.
    page.wait_for_timeout(80)
    tiles.nth(0).focus()
    page.keyboard.press("Enter")
    page.locator(f"#picker [data-test=deck] [data-card='{FEW[0]}']").focus()
    page.keyboard.press("Enter")
    assert [tiles.nth(i).get_attribute("data-card") for i in range(2)] == list(FEW[:2])
    # A bonus card of the user's own naming.
    page.locator("[data-test=bonus-0]").fill("Tiger 1")
    page.locator("[data-test=bonus-0]").blur()
    page.locator("[data-test=worth-0]").select_option("4")
    expect(tiles.nth(10)).to_have_attribute("data-card", "tiger-1")
    page.locator("[data-test=name]").fill("aunts")
    page.locator("[data-test=learn]").click()
    expect(page.locator("[data-test=keep-note]")).to_contain_text("aunts", timeout=60000)
    assert decks() == [{"name": "aunts", "kind": "hwatu", "bonus": {"tiger-1": 4}, "twins": []}]
    # The deck can be chosen where the game is set up.
    page.locator("[data-test=use]").click()
    page.locator("[data-test=deck]").select_option("aunts")


@needs_chromium
def test_the_page_shows_what_is_wrong_with_a_picture(visit: Callable[..., Page], tmp_path: Path) -> None:
    page = visit("/enrol")
    text = tmp_path / "x.jpg"
    text.write_text("no picture")
    page.locator("[data-test=file]").set_input_files(str(text))
    expect(page.locator("[data-test=photo-note]")).to_contain_text("no picture that can be read")


def test_enrolling_stops_when_the_house_does() -> None:
    made = Enrolling()
    made.close()
    assert json.dumps(made.state())

