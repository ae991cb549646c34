"""Who may come in, and what a link may do."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from recorded_house import RecordedHouse

from webui.auth import Gate, Grant, Refusal, Tokens, allowed_hosts

LAN = {"Host": "192.168.1.5:8765"}
COMMAND = {"command": "undo", "id": "1"}


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("127.0.0.1:8765", True), ("localhost", True), ("LOCALHOST:1", True), ("[::1]:8765", True), ("192.168.1.5:8765", True),
        ("evil.example", False), ("127.0.0.1.evil.example", False), ("", False), ("127.0.0.1:8765:1", False),
        ("127.0.0.1@evil.example", False),
        ("192.168.1.6", False), ("localhost\\@evil", False), ("[::1", False), ("127.0.0.1:99999999", False),
    ],
)  # fmt: skip
def test_host(host: str, allowed: bool) -> None:
    assert Gate(allowed_hosts(("192.168.1.5",))).host_allowed(host) is allowed


@pytest.mark.parametrize(
    ("method", "headers", "expected"),
    [
        ("GET", {}, None),
        ("POST", {}, None),
        ("POST", {"Origin": "http://127.0.0.1:8765"}, None),
        ("POST", {"Origin": "http://127.0.0.1:8765", "Sec-Fetch-Site": "same-origin"}, None),
        ("POST", {"Origin": "https://127.0.0.1:8765"}, "cross-site"),
        ("POST", {"Origin": "http://127.0.0.1:9999"}, "cross-site"),
        ("POST", {"Origin": "http://evil.example"}, "cross-site"),
        ("POST", {"Origin": "null"}, "cross-site"),
        ("POST", {"Origin": "http://["}, "cross-site"),
        ("POST", {"Sec-Fetch-Site": "cross-site"}, "cross-site"),
        ("POST", {"Sec-Fetch-Site": "same-site"}, "cross-site"),
        ("DELETE", {"Origin": "http://evil.example"}, "cross-site"),
        ("GET", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, "cross-site"),
        ("GET", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, None),
    ],
)
def test_origin(method: str, headers: dict[str, str], expected: str | None) -> None:
    answer = Gate(allowed_hosts()).admit(method=method, scheme="http", host="127.0.0.1:8765", headers=headers, token=None)
    assert (answer.code if isinstance(answer, Refusal) else None) == expected


PATHS = ["/", "/history", "/help", "/overlay", "/setup", "/api/state", "/api/events", "/api/history", "/video.mjpg", "/frame.jpg",
         "/cards/hwatu/01-bright.svg", "/static/js/table.js", "/export/1.csv", "/api/openapi.yaml", "/nothing"]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("token", ["", "x", "a" * 5000, "Ünïcode"])
def test_on_the_lan_nothing_is_answered_without_the_token(lan_client: FlaskClient, path: str, token: str) -> None:
    for where in ("127.0.0.1:8765", "192.168.1.5:8765"):
        answer = lan_client.get(path, query_string={"t": token} if token else {}, headers={"Host": where})
        assert answer.status_code == 401
        assert b"bright" not in answer.data


def test_post_on_the_lan_needs_the_token(lan_client: FlaskClient, house: RecordedHouse) -> None:
    assert lan_client.post("/api/commands", json=COMMAND, headers=LAN).status_code == 401
    assert house.commands == []


def test_the_link_becomes_a_cookie_and_leaves_the_address_bar(lan_client: FlaskClient, tokens: Tokens) -> None:
    answer = lan_client.get(f"/?t={tokens.token('viewer')}", headers=LAN)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    lan_client.set_cookie("kibitz", tokens.token("viewer"), domain="192.168.1.5")
    assert lan_client.get("/", headers=LAN).status_code == 200


@pytest.mark.parametrize(
    ("role", "seat", "command", "status"),
    [
        ("scorer", None, {"command": "undo"}, 200),
        ("viewer", None, {"command": "undo"}, 403),
        ("viewer", None, {"command": "go", "player": "A"}, 403),
        ("seat", "A", {"command": "go", "player": "A"}, 200),
        ("seat", "A", {"command": "go", "player": "B"}, 403),
        ("seat", "A", {"command": "go"}, 403),
        ("seat", "A", {"command": "undo"}, 403),
        ("seat", "A", {"command": "new-game"}, 403),
    ],
)
def test_a_link_may_do_what_its_role_may(
    lan_client: FlaskClient, house: RecordedHouse, tokens: Tokens, role: str, seat: str | None, command: dict[str, str], status: int
) -> None:
    token = tokens.token(role, seat)
    answer = lan_client.post(f"/api/commands?t={token}", json={**command, "id": "1"}, headers=LAN)
    assert answer.status_code == status
    assert len(house.commands) == (status == 200)


@pytest.mark.parametrize("path", ["/setup", "/api/setup"])
@pytest.mark.parametrize(("role", "seat"), [("viewer", None), ("seat", "B")])
def test_set_up_is_the_scorers(lan_client: FlaskClient, tokens: Tokens, path: str, role: str, seat: str | None) -> None:
    lan_client.set_cookie("kibitz", tokens.token(role, seat), domain="192.168.1.5")
    assert lan_client.get(path, headers=LAN).status_code == 404


def test_tokens_survive_a_restart_in_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    path = tmp_path / "links.json"
    first = Tokens.load(path, ("A",))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = Tokens.load(path, ("A", "B"))
    assert again.token("scorer") == first.token("scorer")
    assert again.token("seat", "B") not in first.grants
    assert len({len(t) >= 20 for t in again.grants}) == 1


@pytest.mark.parametrize("text", ["", "{", "[]", '{"x": 1}', '{"x": {"role": "scorer"}}', "null", '"a"'])
def test_a_damaged_file_of_links_is_replaced(tmp_path: Path, text: str) -> None:
    path = tmp_path / "links.json"
    path.write_text(text)
    tokens = Tokens.load(path, ("A",))
    assert tokens.grant(tokens.token("scorer")) == Grant("scorer")
    assert set(json.loads(path.read_text())) == set(tokens.grants)
