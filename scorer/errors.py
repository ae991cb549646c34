"""The one exception a person at the table can mend.

Every wing raises it for bad input (a missing camera, an unknown key, a torn file); the command line prints its one line and
leaves with status 2, the web view shows `code` and `args` in the reader's own language. Anything else that is raised is a bug.
"""

from __future__ import annotations


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
