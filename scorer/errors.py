"""What a person at the table can mend: the one exception for bad input, and the nearest right word.

Every wing raises KibitzError for bad input (a missing camera, an unknown key, a torn file); the command line prints its one
line and leaves with status 2, the web view words `code` and `facts` in the reader's language. Anything else raised is a bug.
"""
from __future__ import annotations

import difflib
from collections.abc import Iterable


class KibitzError(Exception):
    """What is wrong, where, and the mend.

    `code` is stable, lower-case and hyphened (`camera-missing`); `message` is one plain English line that ends with the mend;
    `facts` are the same things as values, for other languages.
    """

    def __init__(self, code: str, message: str, **facts: object) -> None:
        line = " ".join(message.split())
        super().__init__(line)
        self.code = code
        self.message = line
        self.facts: dict[str, object] = facts

    def __str__(self) -> str:
        return self.message


class InputError(KibitzError):
    """Unusable input, in parts: `what` is wrong, `where` (a file, line or key; may be empty), and the `mend` (may be empty)."""

    def __init__(self, code: str, what: str, where: str = "", mend: str = "") -> None:
        super().__init__(code, (f"{where}: " if where else "") + what + (f"; {mend}" if mend else ""), where=where, what=what, mend=mend)
        self.what = what
        self.where = where
        self.mend = mend


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """A mend that names the nearest of `choices`, or all of them where they are few; `choose another name` where neither helps."""
    known = sorted(set(choices))
    near = difflib.get_close_matches(str(word)[:64], known, n=1, cutoff=0.6)
    if near:
        return f"did you mean {near[0]!r}?"
    return "choose from " + ", ".join(known) if 0 < len(known) <= 12 else "choose another name"
