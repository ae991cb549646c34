"""Pictures and files: card faces of the drawn deck, the camera's picture, clips, exports."""

from __future__ import annotations

import re
from pathlib import Path

from flask import Blueprint, Response, abort, g
from werkzeug.wrappers import Response as WerkzeugResponse

from vision.files import shipped

from .pages import context
from .stream import BOUNDARY

CARD = re.compile(r"[A-Za-z0-9-]{1,40}")
FOLDERS = {"hwatu": "hwatu", "french": "french-classic", "numbers": "numbers-block"}
MOST = 2**31


def card_file(deck: str, card: str) -> Path | None:
    """The drawn face of a card. A junk card whose twin was not told apart is shown as the first of the two."""
    folder = shipped("datasets", "decks", FOLDERS[deck])
    names = (card, "joker-2", "joker-red") if card == "joker" else (card, f"{card}-a")
    return next((path for name in names if (path := folder / f"{name}.svg").is_file()), None)


def blueprint() -> Blueprint:
    files = Blueprint("files", __name__)

    @files.get("/cards/<any(hwatu, french, numbers):deck>/<card>.svg")
    def card(deck: str, card: str) -> WerkzeugResponse:
        path = card_file(deck, card) if CARD.fullmatch(card) else None
        if path is None:
            abort(404)
        response = Response(path.read_bytes(), mimetype="image/svg+xml", headers={"Cache-Control": "public, max-age=86400"})
        # The drawing brings its own styles; as a picture it can run nothing.
        response.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
        return response

    @files.get("/video.mjpg")
    def video() -> WerkzeugResponse:
        parts = context().house.stream.enter()
        if parts is None:
            abort(503)
        return Response(parts, mimetype=f"multipart/x-mixed-replace; boundary={BOUNDARY}", headers={"X-Accel-Buffering": "no"})

    @files.get("/frame.jpg")
    def frame() -> WerkzeugResponse:
        found = context().house.stream.picture()
        if found is None:
            abort(404)
        view, jpeg = found
        height, width = view.image.shape[:2]
        return Response(jpeg, mimetype="image/jpeg", headers={"X-Frame": str(view.index), "X-Size": f"{width}x{height}"})

    @files.get("/enrol/photo.jpg")
    def enrol_photo() -> WerkzeugResponse:
        jpeg = context().house.enrolling.photo() if g.grant.role == "scorer" else None
        if jpeg is None:
            abort(404)
        return Response(jpeg, mimetype="image/jpeg")

    @files.get("/clips/<int:session>/<int:seq>/<int:n>.jpg")
    def clip(session: int, seq: int, n: int) -> WerkzeugResponse:
        jpeg = context().house.clip_picture(session, seq, n) if max(session, seq, n) < MOST else None
        if jpeg is None:
            abort(404)
        return Response(jpeg, mimetype="image/jpeg")

    @files.get("/export/<int:session>.<any(csv, jsonl):form>")
    def export(session: int, form: str) -> WerkzeugResponse:
        text = context().house.export(session, form) if session < MOST else None
        if text is None:
            abort(404)
        kind = "text/csv" if form == "csv" else "application/x-ndjson"
        return Response(text, mimetype=kind, headers={"Content-Disposition": f'attachment; filename="kibitz-{session}.{form}"'})

    return files
