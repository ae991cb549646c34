"""The web view. `create_app` builds it around a `House`; nothing here is kept in module globals.

Flask is imported when an app is made, not before: the command line lives in this package, and must start (and say what is
missing) without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    from flask import Flask

    from . import api, files, guard, pages
    from .words import Words

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
