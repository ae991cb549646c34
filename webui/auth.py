"""Who may do what: Host and Origin checks, and a token link per role when other devices may connect.

Without `--lan` the server hears this machine only and everybody is the scorer. With `--lan` nothing at all is answered
without a token, on this machine too: the programme prints the links and opens the scorer's own.
"""

from __future__ import annotations

import hmac
import json
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

COOKIE = "kibitz"
PARAM = "t"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
LOOPBACK = ("127.0.0.1", "localhost", "::1")
CAMERA_PATHS = ("/phone", "/api/camera", "/static/")
# What a person at one seat may say for themselves; everything else is the scorer's.
SEAT_COMMANDS = frozenset({"go", "stop", "shake", "call", "choose", "spit"})


@dataclass(frozen=True, slots=True)
class Grant:
    """A role a request has: `viewer` looks, `seat` also speaks for one player, `scorer` does everything, `camera` hands in
    pictures and sees nothing."""

    role: str
    seat: str | None = None

    def may(self, command: str, player: object = None) -> bool:
        if self.role == "scorer":
            return True
        return self.role == "seat" and command in SEAT_COMMANDS and player == self.seat

    def may_see(self, path: str) -> bool:
        """A phone that is only a camera gets its own page and nothing of the game."""
        return self.role != "camera" or path.startswith(CAMERA_PATHS)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is turned away: an HTTP status and a code that the pages put into words."""

    status: int
    code: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token → grant. Kept in a file that only its owner reads, so that a phone's link works next week too."""

    grants: Mapping[str, Grant]

    def grant(self, token: str) -> Grant | None:
        found = None
        for known, grant in self.grants.items():  # every token is compared, so time tells nothing
            if hmac.compare_digest(known.encode(), token.encode("utf-8", "replace")):
                found = grant
        return found

    def token(self, role: str, seat: str | None = None) -> str:
        return next(t for t, g in self.grants.items() if g == Grant(role, seat))

    @classmethod
    def fresh(cls, seats: tuple[str, ...]) -> Tokens:
        roles = [Grant("scorer"), Grant("viewer"), Grant("camera"), *(Grant("seat", s) for s in seats)]
        return cls({secrets.token_urlsafe(18): grant for grant in roles})

    @classmethod
    def load(cls, path: Path, seats: tuple[str, ...]) -> Tokens:
        """Read the file, adding what is missing; a damaged file is replaced (the old links then stop working)."""
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
            grants = {str(t): Grant(str(g["role"]), g["seat"] if g["seat"] is None else str(g["seat"])) for t, g in stored.items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            grants = {}
        have = set(grants.values())
        grants |= {t: g for t, g in cls.fresh(seats).grants.items() if g not in have}
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({t: {"role": g.role, "seat": g.seat} for t, g in grants.items()}, indent=1)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as f:
            f.write(text)
        return cls(grants)


@dataclass(frozen=True, slots=True)
class Gate:
    """The checks every request passes before a route sees it."""

    hosts: frozenset[str]
    tokens: Tokens | None = None

    def host_allowed(self, host: str) -> bool:
        return _host_name(host) in self.hosts

    def admit(self, *, method: str, scheme: str, host: str, headers: Mapping[str, str], token: str | None) -> Grant | Refusal:
        """A Grant, or why not. The Host check keeps a hostile page from reaching us under its own name (DNS rebinding)."""
        if not self.host_allowed(host):
            return Refusal(421, "wrong-host")
        site = headers.get("Sec-Fetch-Site", "none")
        if method not in SAFE_METHODS:
            origin = headers.get("Origin")
            if origin is not None and _origin(origin) != _origin(f"{scheme}://{host}"):
                return Refusal(403, "cross-site")
            if site not in ("same-origin", "none"):
                return Refusal(403, "cross-site")
        elif site == "cross-site" and headers.get("Sec-Fetch-Mode", "navigate") != "navigate":
            return Refusal(403, "cross-site")
        if self.tokens is None:
            return Grant("scorer")
        grant = self.tokens.grant(token) if token else None
        return grant or Refusal(401, "no-token")


def allowed_hosts(names: tuple[str, ...] = ()) -> frozenset[str]:
    return frozenset(LOOPBACK) | {n.lower() for n in names}


def _host_name(host: str) -> str:
    """The name in a Host header, without port; empty for anything that is not one."""
    match = re.fullmatch(r"(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]+))(?::\d{1,5})?", host)
    return (match[1] or match[2]).lower() if match else ""


def _origin(url: str) -> tuple[str, str, int | None] | None:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    return parts.scheme, parts.hostname.lower(), port or (443 if parts.scheme == "https" else 80)
