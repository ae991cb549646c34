"""A phone as camera: its own link, its certificate, its pictures."""

from __future__ import annotations

import datetime
import json
import ssl
import stat
import urllib.request
from pathlib import Path

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient
from recorded_house import RecordedHouse

from webui import create_app
from webui.auth import Gate, Tokens, allowed_hosts
from webui.certificate import certificate
from webui.qr import matrix, svg, terminal
from webui.server import Server

LAN = {"Host": "192.168.1.5:8766"}
JPEG = cv2.imencode(".jpg", np.zeros((8, 8, 3), np.uint8))[1].tobytes()


GAME = ["/", "/history", "/api/state", "/api/events", "/api/history", "/video.mjpg", "/frame.jpg", "/cards/hwatu/01-bright.svg", "/setup"]


@pytest.mark.parametrize("path", [*GAME, "/help", "/overlay", "/qr/scorer.svg"])
def test_a_camera_sees_nothing_of_the_game(lan_client: FlaskClient, tokens: Tokens, path: str) -> None:
    lan_client.set_cookie("kibitz", tokens.token("camera"), domain="192.168.1.5")
    assert lan_client.get(path, headers=LAN).status_code == 404


def test_a_camera_hands_in_pictures_and_nothing_else(lan_client: FlaskClient, house: RecordedHouse, tokens: Tokens) -> None:
    lan_client.set_cookie("kibitz", tokens.token("camera"), domain="192.168.1.5")
    assert lan_client.get("/phone", headers=LAN).status_code == 200
    assert lan_client.post("/api/camera", data=JPEG, content_type="image/jpeg", headers=LAN).status_code == 200
    assert lan_client.post("/api/camera", data=b"GIF89a", content_type="image/jpeg", headers=LAN).status_code == 409
    assert lan_client.post("/api/camera", data=JPEG, content_type="image/png", headers=LAN).status_code == 400
    assert lan_client.post("/api/commands", json={"command": "undo", "id": "1"}, headers=LAN).status_code == 404
    assert house.commands == []


@pytest.mark.parametrize(("role", "seat"), [("viewer", None), ("seat", "A")])
def test_others_hand_in_no_pictures(lan_client: FlaskClient, tokens: Tokens, role: str, seat: str | None) -> None:
    lan_client.set_cookie("kibitz", tokens.token(role, seat), domain="192.168.1.5")
    assert lan_client.post("/api/camera", data=JPEG, content_type="image/jpeg", headers=LAN).status_code == 404


def test_the_certificate_is_made_once_and_again_when_it_no_longer_fits(tmp_path: Path) -> None:
    now = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    chain, key = certificate(tmp_path, ("192.168.1.5", "table.local"), now)
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    first = chain.read_bytes()
    assert certificate(tmp_path, ("192.168.1.5",), now)[0].read_bytes() == first
    assert certificate(tmp_path, ("192.168.1.9",), now)[0].read_bytes() != first
    second = chain.read_bytes()
    assert certificate(tmp_path, ("192.168.1.9",), now + datetime.timedelta(days=390))[0].read_bytes() != second
    key.write_bytes(b"torn")
    assert certificate(tmp_path, ("192.168.1.9",), now + datetime.timedelta(days=390))[1].read_bytes() != b"torn"


def test_the_encrypted_server_answers_under_its_own_certificate(tmp_path: Path, house: RecordedHouse) -> None:
    import threading

    pair = certificate(tmp_path, ("127.0.0.1",))
    server = Server(create_app(house, Gate(allowed_hosts())), "127.0.0.1", 0, threads=4, certificate=pair)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        context = ssl.create_default_context(cafile=str(pair[0]))
        request = urllib.request.Request(
            f"https://127.0.0.1:{server.port}/api/camera", JPEG,
            {"Content-Type": "image/jpeg", "Origin": f"https://127.0.0.1:{server.port}", "Sec-Fetch-Site": "same-origin"},
        )  # fmt: skip
        with urllib.request.urlopen(request, context=context, timeout=5) as answer:
            assert json.load(answer) == {"ok": True}
    finally:
        server.stop()
        thread.join(5)


@pytest.mark.parametrize("text", ["http://192.168.1.5:8765/?t=abcDEF_-0123456789abcdef", "https://table.local:8766/phone?t=x"])
def test_a_code_reads_back(text: str) -> None:
    """Our own picture of the code, read by OpenCV's reader."""
    modules = np.pad(np.array(matrix(text)), 4)
    image = np.kron(np.where(modules, 0, 255).astype(np.uint8), np.ones((8, 8), np.uint8))
    assert cv2.QRCodeDetector().detectAndDecode(image)[0] == text
    assert svg(text).count("h1v1h-1z") == int(modules.sum())
    lines = terminal(text).split("\n")
    assert {len(line) for line in lines} == {len(modules) - 4}
