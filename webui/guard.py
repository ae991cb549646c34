"""What every request passes and every answer carries: the gate, the size limit, security headers, errors in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Flask, Response, g, jsonify, make_response, redirect, render_template, request
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as WerkzeugResponse

from .auth import COOKIE, PARAM, Grant, Refusal

if TYPE_CHECKING:
    from .pages import Context

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; media-src 'self' blob:; "
    "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
# Codes of HTTP errors that have words of their own; the rest are `bad-request`.
CODES = {404: "not-found", 405: "method", 413: "too-large", 415: "bad-request", 503: "full"}
COOKIE_DAYS = 30


def install(app: Flask, context: Context) -> None:
    """Put the checks before, and the headers after, every route."""

    @app.before_request
    def admit() -> WerkzeugResponse | None:
        g.lang = context.words.choose(request.cookies.get("lang"), request.headers.get("Accept-Language", ""))
        g.grant = Grant("viewer")
        if (request.content_length or 0) > app.config["MAX_CONTENT_LENGTH"]:
            return refuse(Refusal(413, "too-large"))
        given = request.args.get(PARAM)
        token = given or request.cookies.get(COOKIE)
        answer = context.gate.admit(
            method=request.method, scheme=request.scheme, host=request.host or "", headers=dict(request.headers), token=token
        )
        if isinstance(answer, Refusal):
            return refuse(answer)
        if not answer.may_see(request.path):
            return refuse(Refusal(404, "not-found"))
        g.grant = answer
        if given and context.gate.tokens is not None and request.method == "GET" and _wants_page():
            # The token leaves the address bar at once: an address is easily shown to the whole room.
            rest = "&".join(f"{k}={v}" for k, v in request.args.items() if k != PARAM and k.isidentifier() and v.replace(",", "").isalnum())
            response = redirect(request.path + (f"?{rest}" if rest else ""))
            response.set_cookie(COOKIE, given, max_age=COOKIE_DAYS * 86400, httponly=True, samesite="Strict", secure=request.is_secure)
            return response
        return None

    @app.after_request
    def harden(response: Response) -> Response:
        response.headers.setdefault("Content-Security-Policy", POLICY)
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["X-Frame-Options"] = "DENY"
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
        response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
        response.headers["Permissions-Policy"] = "camera=(self), geolocation=(), payment=(), usb=()"
        if not request.path.startswith(("/static/", "/cards/")):
            response.headers.setdefault("Cache-Control", "no-store")
        return response

    @app.errorhandler(HTTPException)
    def in_words(error: HTTPException) -> WerkzeugResponse:
        response = error.get_response()
        if response.status_code < 400:
            return response  # a redirect of the router's own
        return refuse(Refusal(response.status_code, CODES.get(response.status_code, "bad-request")))


def _wants_page() -> bool:
    return not request.path.startswith(("/api/", "/static/", "/cards/", "/video"))


def refuse(refusal: Refusal) -> WerkzeugResponse:
    """The refusal as a page for people, as JSON for scripts."""
    if not _wants_page():
        body = jsonify({"ok": False, "problem": {"code": refusal.code, "args": {}, "cards": []}})
        body.status_code = refusal.status
        return body
    return make_response(render_template("refused.html", code=refusal.code, lang=g.lang, t=_say()), refusal.status)


def _say() -> object:
    from .pages import context

    words = context().words

    def t(key: str, **args: object) -> str:
        return words.say(g.lang, key, **args)

    return t
