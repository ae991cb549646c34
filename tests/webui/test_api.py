"""The JSON interface and what every answer carries."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recorded_house import RecordedHouse

import webui
from webui import create_app
from webui.auth import Gate, allowed_hosts
from webui.house import Reply

WEB = Path(webui.__file__).parent
DESCRIPTION = yaml.safe_load((WEB / "openapi.yaml").read_text(encoding="utf-8"))
PAGES = ["/", "/history", "/setup", "/enrol", "/help", "/overlay", "/phone"]


def test_state_is_the_published_snapshot(client: FlaskClient, house: RecordedHouse) -> None:
    answer = client.get("/api/state")
    assert answer.json == house.snapshot()
    needed = DESCRIPTION["components"]["schemas"]["Snapshot"]["required"]
    assert set(needed) <= set(answer.json)


@pytest.mark.parametrize(
    ("reply", "status"),
    [(Reply.done(seq=3), 200), (Reply.refused("stop-below-target", ("01-bright",), target=7), 409), (Reply.busy(), 503)],
)
def test_a_command_is_answered_as_the_house_answers(client: FlaskClient, house: RecordedHouse, reply: Reply, status: int) -> None:
    house.answer = reply
    answer = client.post("/api/commands", json={"command": "stop", "id": "a1", "player": "A"})
    assert (answer.status_code, answer.json) == (status, reply.body)
    assert house.commands == [{"command": "stop", "id": "a1", "player": "A"}]
    assert ("Retry-After" in answer.headers) == (status == 503)


BAD = [
    (b"", "application/json"), (b"{", "application/json"), (b"[]", "application/json"), (b"null", "application/json"),
    (b'{"command": "undo"}', "application/json"), (b'{"command": 5, "id": "1"}', "application/json"),
    (b'{"command": "undo", "id": 5}', "application/json"), (b'{"command": "undo", "id": ""}', "application/json"),
    (b'{"command": "UNDO!", "id": "1"}', "application/json"), (b'{"command": "undo", "id": "1"}', "text/plain"),
    (b'{"command": "undo", "id": "1"}', "application/x-www-form-urlencoded"), (b"\xff\xfe", "application/json"),
    (b'{"command": "undo", "id": "1", "x": ' + b"[" * 60 + b"]" * 60 + b"}", "application/json"),
    (b'{"command": "undo", "id": "1", "x": ' + b"[" * 60_000 + b"]" * 60_000 + b"}", "application/json"),
    (b'{"command": "undo", "id": "1", "x": NaN}', "application/json"),
    (b'{"command": "undo", "id": "1", "x": "\\ud800"}', "application/json"),
    (b'{"command": "undo", "id": "1", "x": ' + b"9" * 5000 + b"}", "application/json"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "kind"), BAD)
def test_what_is_no_command_is_refused_before_the_house(client: FlaskClient, house: RecordedHouse, body: bytes, kind: str) -> None:
    answer = client.post("/api/commands", data=body, content_type=kind)
    assert answer.status_code == 400
    assert answer.json["problem"]["code"] == "bad-command"
    assert house.commands == []


@pytest.mark.parametrize(
    ("path", "size"),
    [("/api/commands", 300_000), ("/api/probe", 300_000), ("/api/report", 300_000), ("/api/commands", 20_000_000), ("/", 20_000_000),
     ("/api/camera", 5_000_000)],
)
def test_a_big_upload_is_refused(client: FlaskClient, house: RecordedHouse, path: str, size: int) -> None:
    answer = client.post(path, data=b'{"command": "undo", "id": "1", "x": "' + b"a" * size + b'"}', content_type="application/json")
    assert answer.status_code == 413
    assert house.commands == []


TRICKS = [
    "/static/../auth.py", "/static/%2e%2e/auth.py", "/static/..%2fauth.py", "/static/js/../../keeper.py", "/static//etc/passwd",
    "/static/%2fetc%2fpasswd", "/cards/hwatu/../../deck.toml.svg",
    "/cards/other/2c.svg", "/cards/hwatu/..%2f..%2fdeck.svg", "/cards/hwatu/%00.svg",
    "/cards/hwatu/01-bright%00.svg", "/cards/hwatu/.svg", "/cards/hwatu/" + "a" * 300 + ".svg", "/export/1.txt", "/export/../1.csv",
    "/export/-1.csv", "/export/99999999999999999999.csv", "/clips/1/2/..%2f3.jpg",
    "/api/history/1/-1", "/api/history/99999999999/1", "/..", "/static/", "/%00",
]  # fmt: skip


@pytest.mark.parametrize("path", TRICKS)
def test_path_tricks(client: FlaskClient, path: str) -> None:
    answer = client.get(path, buffered=True)
    assert answer.status_code in (308, 404)
    assert b"import" not in answer.data
    assert b"root:" not in answer.data
    if answer.status_code == 308:  # the router tidies doubled slashes; never towards another host
        assert not re.match(r"(https?:)?//(?!localhost)", answer.headers["Location"])


ANSWERS = [*PAGES, "/api/state", "/cards/hwatu/01-bright.svg", "/cards/hwatu/01-junk.svg", "/static/js/table.js", "/none", "/api/none"]


@pytest.mark.parametrize("path", ANSWERS)
def test_every_answer_carries_the_policy(client: FlaskClient, path: str) -> None:
    answer = client.get(path, buffered=True)
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy
    assert "http" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_pages_ask_for_nothing_outside_the_house() -> None:
    """No request leaves the LAN: no address of another machine in any page, style or script."""
    allowed = {"http://www.w3.org/2000/svg"}  # a name of a language, never fetched
    files = [p for folder in ("templates", "static", "i18n") for p in (WEB / folder).rglob("*") if p.is_file()]
    assert len(files) > 20
    for path in files:
        text = path.read_text(encoding="utf-8")
        found = set(re.findall(r"(?:https?:|wss?:)?//[a-z0-9-]+(?:\.[a-z0-9-]+)+[^\s\"'`)<]*", text, re.IGNORECASE)) - allowed
        assert not found, f"{path.name}: {found}"
        assert not re.search(r"@import|\bimport\s*\(\s*[\"'`]http|sendBeacon|new WebSocket", text), path.name


@pytest.mark.parametrize("path", [*PAGES])
def test_pages_have_no_inline_script_or_style(client: FlaskClient, path: str) -> None:
    text = client.get(path).get_data(as_text=True)
    for tag in re.findall(r"<script[^>]*>", text):
        assert "src=" in tag or 'type="application/json"' in tag, tag
    assert not re.search(r"\son[a-z]+=|<style|\sstyle=", text)


def test_no_text_of_a_snapshot_can_end_its_block(client: FlaskClient, house: RecordedHouse) -> None:
    nasty = '</script><script>alert(1)</script><!--\u2028'
    house.show({**house.snapshot(), "players": [{**house.snapshot()["players"][0], "name": nasty}]})
    text = client.get("/").get_data(as_text=True)
    assert "alert(1)</script>" not in text
    block = re.search(r'<script type="application/json" id="snapshot">(.*?)</script>', text, re.DOTALL)
    assert block is not None
    assert json.loads(block[1])["players"][0]["name"] == nasty


def routes(app: Flask) -> set[tuple[str, str]]:
    found = set()
    for rule in app.url_map.iter_rules():
        path = re.sub(r"<(?:[^<>:]*:)?(\w+)>", r"{\1}", str(rule))
        found |= {(path, method) for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}}
    return found


def test_the_description_names_every_route_and_no_other(house: RecordedHouse) -> None:
    app = create_app(house, Gate(allowed_hosts()))
    served = {(p, m) for p, m in routes(app) if not p.startswith("/static") and p not in {*PAGES, "/{name}"}}
    described = {(path, method.upper()) for path, methods in DESCRIPTION["paths"].items() for method in methods}
    assert served == described


def test_the_description_resolves_and_is_served(client: FlaskClient) -> None:
    text = json.dumps(DESCRIPTION)
    for ref in re.findall(r'"\$ref": "#/([^"]+)"', text):
        node = DESCRIPTION
        for key in ref.split("/"):
            node = node[key]
    assert client.get("/api/openapi.yaml").data == (WEB / "openapi.yaml").read_bytes()


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    path=st.sampled_from(sorted(set(DESCRIPTION["paths"]) - {"/api/events", "/video.mjpg"})),  # streams without end
    data=ANYTHING, text=st.text(max_size=40), query=st.text(max_size=20), number=st.integers(-5, 2**40),
)  # fmt: skip
def test_no_request_gives_a_500(client: FlaskClient, path: str, data: object, text: str, query: str, number: int) -> None:
    word = re.sub(r"[^\w.-]", "_", text) or "x"
    filled = re.sub(r"\{(\w+)\}", lambda m: str(number) if m[1] in ("session", "seq", "n", "number") else word, path)
    for call in (client.get, client.post, client.put, client.delete):
        kwargs = {"json": data} if call is client.post else {}
        assert call(filled, query_string={"lang": query, "outlines": query, "t": query}, **kwargs).status_code < 500
