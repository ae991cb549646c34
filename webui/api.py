"""The JSON interface, described in `openapi.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, abort, g, jsonify, request
from werkzeug.wrappers import Response as WerkzeugResponse

from . import MAX_BODY
from .house import Reply
from .hub import HubFull
from .pages import context

NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
ID = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
# What may be said to the house, beyond what the game itself knows; an unknown word is refused before it reaches the queue.


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

    @api.get("/history/<session>/<int:number>")
    def deal(session: str, number: int) -> WerkzeugResponse:
        found = context().house.deal(session, number) if ID.fullmatch(session) and number < 2**31 else None
        return jsonify(found) if found is not None else abort(404)

    @api.get("/openapi.yaml")
    def description() -> WerkzeugResponse:
        return Response((Path(__file__).parent / "openapi.yaml").read_bytes(), mimetype="application/yaml")

    return api


def _command() -> dict[str, Any] | Reply:
    """The command in the request's body, or the refusal of one that is none."""
    if (request.content_length or 0) > MAX_BODY:
        abort(413)
    if request.mimetype != "application/json":
        return _bad("content-type")
    data = request.get_json(silent=True)
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
