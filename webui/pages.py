"""The pages: HTML shells with words in the reader's language; everything that lives is drawn by the page's own script."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from flask import Blueprint, Response, abort, current_app, g, render_template, request
from markupsafe import Markup

from . import lan, qr
from .auth import Gate
from .house import House
from .words import LANGUAGES, Words

OVERLAYS = (("score", "800 × 150"), ("last", "800 × 70"), ("pay", "800 × 70"), ("score,last", "800 × 230"))


@dataclass(frozen=True, slots=True)
class Context:
    """What routes share, instead of globals."""

    house: House
    gate: Gate
    words: Words
    links: Mapping[str, str]


def context() -> Context:
    found: Context = current_app.extensions["kibitz"]
    return found


def data_block(value: object) -> Markup:
    """JSON for a <script type="application/json">: no `<` survives, so no text can end the block."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))


def _page(name: str, **more: object) -> str:
    words, lang = context().words, g.lang

    def t(key: str, **args: object) -> str:
        return words.say(lang, key, **args)

    nav = [("/", "table"), ("/history", "history"), ("/setup", "setup"), ("/help", "help")]
    shown = [] if g.grant.role == "camera" else [item for item in nav if item[1] != "setup" or g.grant.role == "scorer"]
    languages = [(code, words.tables[code]["lang.name"]) for code in LANGUAGES]
    return render_template(
        f"{name}.html", page=name, lang=lang, t=t, grant=g.grant, nav=shown, languages=languages, words=data_block(words.merged[lang]),
        **more,
    )


def blueprint() -> Blueprint:
    pages = Blueprint("pages", __name__)

    @pages.get("/")
    def table() -> str:
        return _page("table", snapshot=data_block(context().house.snapshot()))

    @pages.get("/setup")
    def setup() -> str:
        if g.grant.role != "scorer":
            abort(404)
        return _page("setup", links=context().links)

    @pages.get("/enrol")
    def enrol() -> str:
        if g.grant.role != "scorer":
            abort(404)
        return _page("enrol", enrolling=data_block(context().house.enrolling.state()))

    @pages.get("/help")
    def help() -> str:
        scorer = g.grant.role == "scorer"

        def role_name(key: str) -> str:
            role, _, seat = key.partition("-")
            return context().words.say(g.lang, f"help.name.{role}", seat=seat)

        links = context().links if scorer else {}
        # OBS has no cookie of ours: with --lan its address carries the viewer's token, and names this machine.
        viewer = urlsplit(links["viewer"]) if "viewer" in links else None
        layer = f"{viewer.scheme}://{viewer.netloc}" if viewer else request.host_url.rstrip("/")
        token = f"&{viewer.query}" if viewer else ""
        layers = [(f"{layer}/overlay?show={show}{token}", size) for show, size in OVERLAYS]
        addresses = lan.addresses() if links else ()
        return _page("help", rules=context().house.rules(g.lang), links=links, addresses=addresses, role_name=role_name, layers=layers)

    @pages.get("/phone")
    def phone() -> str:
        if g.grant.role not in ("scorer", "camera"):
            abort(404)
        return _page("phone")

    @pages.get("/qr/<key>.svg")
    def qr_code(key: str) -> Response:
        address = context().links.get(key) if g.grant.role == "scorer" else None
        if address is None:
            abort(404)
        return Response(qr.svg(address), mimetype="image/svg+xml")

    @pages.get("/<any(history, overlay):name>")
    def other(name: str) -> str:
        return _page(name, snapshot=data_block(context().house.snapshot()))

    return pages
