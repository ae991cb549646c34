"""``kibitz judge``: answers rule cases, one JSON object a line, in order; what cannot be judged is an error line."""
from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from .errors import InputError, KibitzError
from .game import game_module

_LINE_LIMIT = 1_000_000


def judge_case(case: Any) -> dict[str, Any]:
    """The answer fields of one case, by its game's `judge`. Raises InputError with the reason where it cannot be judged."""
    if not isinstance(case, dict):
        raise InputError("bad-case", "a case must be a JSON object", mend="write {\"game\": …, \"kind\": …}")
    if not isinstance(case.get("game"), str):
        raise InputError("bad-case", "key 'game' is missing or no name", mend="name the game")
    if not isinstance(case.get("kind"), str):
        raise InputError("bad-case", "key 'kind' is missing or no name", mend="name the kind of case")
    answer: dict[str, Any] = game_module(case["game"]).judge(case)
    return answer


def judge_lines(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """One answer a line, in order: {"id", …answer fields} or {"id", "error", "code"}. Blank lines are skipped; never raises."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        name: Any = None
        try:
            if len(line) > _LINE_LIMIT:
                raise InputError("line-too-long", f"line {number} is longer than {_LINE_LIMIT} characters", mend="split the case")
            try:
                case = json.loads(line)
            except (ValueError, RecursionError) as e:
                raise InputError("bad-json", f"line {number} is no JSON ({str(e)[:80]})", mend="mend that line") from None
            name = case.get("id") if isinstance(case, dict) else None
            yield {"id": name, **judge_case(case)}
        except KibitzError as e:
            yield {"id": name, "error": str(e), "code": e.code}
        except Exception as e:      # a gap in a judge costs its own case, never those that follow
            yield {"id": name, "error": f"line {number}: the case does not have its kind's form ({type(e).__name__}: {str(e)[:80]})",
                   "code": "bad-case"}


def as_line(answer: dict[str, Any]) -> str:
    """An answer as one line of JSON; a number too large to print is an error of its case."""
    try:
        line = json.dumps(answer, ensure_ascii=False, allow_nan=False)
        line.encode()
        return line
    except UnicodeEncodeError:               # half a character: escaped, as it came
        return json.dumps(answer)
    except (ValueError, TypeError, RecursionError):
        name = answer.get("id")
        return json.dumps({"id": name if isinstance(name, str) else None, "code": "bad-case",
                           "error": "the answer is larger than can be printed; mend the case's numbers"})


def main(paths: Sequence[str], out: TextIO | None = None, err: TextIO | None = None) -> int:
    """Judge the files ("-": standard input); write answers to `out`, standard output where absent. Exit status: 0, 1 where a case
    could not be judged, 2 where a file cannot be read (one line on `err`)."""
    out, err = out or sys.stdout, err or sys.stderr
    status = 0
    for path in paths or ["-"]:
        try:
            if path == "-":
                status = max(status, _run(sys.stdin, out))
            else:
                with Path(path).open(encoding="utf-8", errors="replace") as file:
                    status = max(status, _run(file, out))
        except OSError as e:
            print(f"{path}: cannot be read ({e.strerror or e.__class__.__name__}); give a file of cases or - for standard input", file=err)
            return 2
    return status


def _run(lines: Iterable[str], out: TextIO) -> int:
    status = 0
    for answer in judge_lines(lines):
        line = as_line(answer)
        out.write(line + "\n")
        status = status or int("error" in answer or '"code": "bad-case"' in line)
    out.flush()
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
