"""The web view. `create_app` builds it around a `House`; nothing here is kept in module globals."""

from __future__ import annotations

from flask import Flask

from .auth import Gate
from .house import House
from .words import Words

MAX_BODY = 256 * 1024
MAX_IMPORT = 8 * 1024 * 1024


def create_app(house: House, gate: Gate, *, words: Words | None = None, links: dict[str, str] | None = None) -> Flask:
    """The WSGI application.

    house: what runs behind the pages; gate: who may come in; links: role → address with its token, for `/help`
    (shown to the scorer only).
    """
    from . import api, files, guard, pages

    app = Flask(__name__, static_folder="static", template_folder="templates")
    app.config.update(MAX_CONTENT_LENGTH=MAX_IMPORT, SEND_FILE_MAX_AGE_DEFAULT=3600)
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True}
    context = pages.Context(house=house, gate=gate, words=words or Words.load(), links=links or {})
    app.extensions["kibitz"] = context
    guard.install(app, context)
    app.register_blueprint(pages.blueprint())
    app.register_blueprint(api.blueprint())
    app.register_blueprint(files.blueprint())
    return app
