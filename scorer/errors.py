"""The one exception a person at the table can mend.

Every wing raises it for bad input (a missing camera, an unknown key, a torn file); the command line prints its one line and
leaves with status 2, the web view shows `code` and `args` in the reader's own language. Anything else that is raised is a bug.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class KibitzError(Exception):
    """What is wrong, where, and the mend.

    `code` is stable, lower-case and hyphened (`camera-missing`); `message` is one plain English line that ends with the mend;
    `facts` are the same things as values, for other languages.
    """

    def __init__(self, code: str, message: str, **args: object) -> None:
        line = " ".join(message.split())
        super().__init__(line)
        self.code = code
        self.message = line
        self.facts: dict[str, object] = args

    def __str__(self) -> str:
        return self.message


class InputError(KibitzError):
    """Bad input from a person or a file, composed as ``where: what; mend``; `where`, `what` and `mend` are also facts."""

    def __init__(self, code: str, what: str, where: str = "", mend: str = "") -> None:
        super().__init__(code, (f"{where}: " if where else "") + what + (f"; {mend}" if mend else ""), where=where, what=what, mend=mend)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The mend for a word that is not known: the nearest one, else the first dozen known."""
    words = [str(k) for k in known]
    near = get_close_matches(str(word)[:64], words, n=1, cutoff=0.6)
    if near:
        return f"did you mean {near[0]!r}?"
    return "known: " + ", ".join(words[:12]) + (", …" if len(words) > 12 else "") if words else "none is known"
