"""The JSON interface, described in `openapi.yaml`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, abort, g, jsonify, request
from werkzeug.wrappers import Response as WerkzeugResponse

from scorer.errors import KibitzError

from . import MAX_BODY
from .house import Reply
from .hub import HubFull
from .pages import context
from .words import LANGUAGES

NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
ID = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
MOST = 2**31
MAX_PICTURE = 4 * 1024 * 1024


def blueprint() -> Blueprint:
    api = Blueprint("api", __name__, url_prefix="/api")

    @api.get("/state")
    def state() -> WerkzeugResponse:
        house = context().house
        snapshot = dict(house.snapshot())
        view = house.stream.view
        if view is not None and request.args.get("outlines") == "1":
            height, width = view.image.shape[:2]
            snapshot["view"] = {"frame": view.index, "t_ms": view.t_ms, "size": [width, height], "cards": list(view.cards)}
        return jsonify(snapshot)

    @api.get("/events")
    def events() -> WerkzeugResponse:
        wanted = frozenset({"snapshot", "log"} | ({"outlines"} if request.args.get("outlines") == "1" else set()))
        last = request.headers.get("Last-Event-ID") or request.args.get("last")
        try:
            stream: Iterator[bytes] = context().house.hub.subscribe(last, types=wanted, seat=g.grant.seat)
        except HubFull:
            abort(503)
        response = Response(stream, mimetype="text/event-stream")
        response.headers["X-Accel-Buffering"] = "no"
        return response

    @api.post("/commands")
    def commands() -> WerkzeugResponse:
        command = _command()
        if isinstance(command, Reply):
            return _answer(command)
        if not g.grant.may(command["command"], command.get("player")):
            return _answer(Reply(403, {"ok": False, "problem": {"code": "not-allowed", "args": {}, "cards": []}}))
        return _answer(context().house.command(command))

    @api.get("/history")
    def history() -> WerkzeugResponse:
        return jsonify(context().house.history())

    @api.get("/history/<int:session>")
    def evening(session: int) -> WerkzeugResponse:
        return _found(context().house.evening(session) if session < MOST else None)

    @api.get("/history/<int:session>/<int:number>")
    def deal(session: int, number: int) -> WerkzeugResponse:
        return _found(context().house.deal(session, number) if session < MOST and number < MOST else None)

    @api.get("/clips/<int:session>/<int:seq>")
    def clip(session: int, seq: int) -> WerkzeugResponse:
        return _found(context().house.clip(session, seq) if session < MOST and seq < MOST else None)

    @api.get("/setup")
    def setup() -> WerkzeugResponse:
        _scorer_only()
        return jsonify(context().house.setup(g.lang))

    @api.post("/probe")
    def probe() -> WerkzeugResponse:
        _scorer_only()
        data = _body()
        source = data.get("source") if isinstance(data, dict) else None
        if not isinstance(source, str) or not 0 < len(source) <= 500:
            return _answer(_bad("source"))
        return _tried(lambda: context().house.probe(source))

    @api.post("/camera")
    def camera() -> WerkzeugResponse:
        if g.grant.role not in ("scorer", "camera"):
            abort(404)
        if (request.content_length or 0) > MAX_PICTURE:
            abort(413)
        if request.mimetype != "image/jpeg":
            return _answer(_bad("content-type"))
        jpeg = request.get_data()
        return _answer(context().house.picture_taken(jpeg) if len(jpeg) <= MAX_PICTURE else _bad("body"))

    @api.post("/held")
    def held() -> WerkzeugResponse:
        _scorer_only()
        return _tried(context().house.held)

    @api.post("/import")
    def take_in() -> WerkzeugResponse:
        """A log as a file: larger than a command may be."""
        _scorer_only()
        if request.mimetype != "application/x-ndjson":
            return _answer(_bad("content-type"))
        ident, title = request.args.get("id", ""), request.args.get("title", "")
        if not ID.fullmatch(ident) or len(title) > 200:
            return _answer(_bad("id" if len(title) <= 200 else "title"))
        try:
            text = request.get_data().decode("utf-8")
        except UnicodeDecodeError:
            return _answer(_bad("body"))
        if not _storable(text):
            return _answer(_bad("body"))
        return _answer(context().house.command({"command": "import", "id": ident, "text": text, "title": title}))

    @api.get("/enrol")
    def enrolling() -> WerkzeugResponse:
        _scorer_only()
        return jsonify(context().house.enrolling.state())

    @api.post("/enrol/photo")
    def enrol_photo() -> WerkzeugResponse:
        _scorer_only()
        if (request.content_length or 0) > MAX_PICTURE:
            abort(413)
        if request.mimetype not in ("image/jpeg", "image/png"):
            return _answer(_bad("content-type"))
        picture = request.get_data()
        if len(picture) > MAX_PICTURE:
            abort(413)
        return _tried(lambda: context().house.enrolling.take(picture, request.args.get("kind", "")))

    @api.post("/enrol/frame")
    def enrol_frame() -> WerkzeugResponse:
        _scorer_only()
        data = _body()
        kind = data.get("kind") if isinstance(data, dict) else None
        if not isinstance(kind, str):
            return _answer(_bad("kind"))
        view = context().house.stream.view
        if view is None:
            return _answer(Reply.refused("no-picture"))
        return _tried(lambda: context().house.enrolling.look(view.image, kind))

    @api.post("/enrol/learn")
    def enrol_learn() -> WerkzeugResponse:
        _scorer_only()
        data = _body()
        if not isinstance(data, dict):
            return _answer(_bad("body"))
        return _tried(lambda: context().house.enrolling.learn(data))

    @api.get("/rules")
    def rules() -> WerkzeugResponse:
        lang = request.args.get("lang", g.lang)
        return _tried(lambda: context().house.rules(lang if lang in LANGUAGES else "en"))

    @api.post("/report")
    def report() -> WerkzeugResponse:
        _scorer_only()
        data = _body()
        note = data.get("note", "") if isinstance(data, dict) else None
        if not isinstance(note, str) or len(note) > 2000:
            return _answer(_bad("note"))
        return _tried(lambda: context().house.report(note))

    @api.get("/openapi.yaml")
    def description() -> WerkzeugResponse:
        return Response((Path(__file__).parent / "openapi.yaml").read_bytes(), mimetype="application/yaml")

    return api


def _scorer_only() -> None:
    if g.grant.role != "scorer":
        abort(404)


def _found(value: Mapping[str, Any] | None) -> WerkzeugResponse:
    if value is None:
        abort(404)
    return jsonify(value)


def _tried(work: Callable[[], Mapping[str, Any]]) -> WerkzeugResponse:
    """The result, or the refusal in the one plain line that a KibitzError carries."""
    try:
        return jsonify({"ok": True, **work()})
    except KibitzError as error:
        return _answer(Reply.refused(error.code, message=error.message))


def _body() -> object:
    """The JSON in the request's body, or None."""
    if (request.content_length or 0) > MAX_BODY:
        abort(413)
    if request.mimetype != "application/json":
        return None
    try:
        data: object = json.loads(request.get_data(), parse_constant=_no_number)
        json.dumps(data, ensure_ascii=False).encode()  # half a surrogate pair is legal JSON that nothing can store
    except (ValueError, RecursionError):
        return None
    return data


def _storable(text: str) -> bool:
    """False where a line carries what nothing can store; a line that is no JSON is the house's to name."""
    for line in text.splitlines():
        try:
            json.dumps(json.loads(line), ensure_ascii=False).encode()
        except (RecursionError, UnicodeEncodeError):
            return False
        except ValueError:
            continue
    return True


def _no_number(text: str) -> object:
    raise ValueError(f"{text} is no JSON number")


def _command() -> dict[str, Any] | Reply:
    """The command in the request's body, or the refusal of one that is none."""
    if request.mimetype != "application/json":
        return _bad("content-type")
    data = _body()
    if not isinstance(data, dict):
        return _bad("body")
    name, ident = data.get("command"), data.get("id")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        return _bad("command")
    if not isinstance(ident, str) or not ID.fullmatch(ident):
        return _bad("id")
    if _depth(data) > 8:
        return _bad("body")
    return data


def _depth(value: object, level: int = 0) -> int:
    if level > 8:
        return level
    if isinstance(value, dict):
        return max((_depth(v, level + 1) for v in value.values()), default=level)
    if isinstance(value, list):
        return max((_depth(v, level + 1) for v in value), default=level)
    return level


def _bad(key: str) -> Reply:
    return Reply(400, {"ok": False, "problem": {"code": "bad-command", "args": {"key": key}, "cards": []}})


def _answer(reply: Reply) -> WerkzeugResponse:
    body: Mapping[str, Any] = reply.body
    response = jsonify(body)
    response.status_code = reply.status
    if reply.status == 503:
        response.headers["Retry-After"] = "1"
    return response
