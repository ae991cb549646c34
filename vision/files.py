"""Where files lie: what ships with Kibitz (read as data, never imported) and what a user keeps."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from scorer.errors import KibitzError


def shipped(*parts: str) -> Path:
    """The path of a file or folder that ships with Kibitz, e.g. `shipped("models", "hwatu.onnx")`.

    The folders `models` and `datasets` lie beside the package `vision`, in a checkout and in an installed wheel alike.
    Raises KibitzError `file-missing` where it is not there.
    """
    path = Path(__file__).resolve().parent.parent.joinpath(*parts)
    if not path.exists():
        raise KibitzError(
            "file-missing", f"{'/'.join(parts)} is missing from this installation ({path}): install Kibitz again", path=str(path)
        )
    return path


def user_folder(*parts: str) -> Path:
    """A folder of the user's own (enrolled decks, sessions, the local certificate), made where it is missing.

    `KIBITZ_HOME` names it; else `~/Library/Application Support/Kibitz` on macOS, `$XDG_DATA_HOME/kibitz` or
    `~/.local/share/kibitz` elsewhere. Raises KibitzError `folder-unwritable`.
    """
    named = os.environ.get("KIBITZ_HOME")
    if named:
        root = Path(named).expanduser()
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Application Support" / "Kibitz"
    else:
        root = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "kibitz"
    path = root.joinpath(*parts)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KibitzError(
            "folder-unwritable",
            f"cannot make the folder {path} ({error.strerror}): free it, or name another one in KIBITZ_HOME",
            path=str(path),
        ) from error
    return path
