"""Every word the pages show, in five languages, from `i18n/*.json`.

A file is one flat object key → sentence. In a sentence `{name}` is replaced by an argument and `{n|1 card|{n} cards}` by
the first form where n is 1, else by the second. English and Korean are whole; the others cover the table page and the rules,
and fall back to English elsewhere. `static/js/words.js` reads the same grammar; one table of examples tests both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

FOLDER = Path(__file__).parent / "i18n"
LANGUAGES = ("en", "ko", "af", "bn", "as")
WHOLE = ("en", "ko")
# Only these prefixes may be missing from a language that is not whole.
ELSEWHERE = ("enrol.", "setup.", "history.", "help.", "overlay.", "people.", "phone.", "keys.", "kind-of.", "ruleset.")
_CHOICE = re.compile(r"\{([a-z_]+)\|((?:[^{}|]|\{[a-z_]+\})*)\|((?:[^{}|]|\{[a-z_]+\})*)\}")
_SLOT = re.compile(r"\{([a-z_]+)\}")


def fill(sentence: str, args: Mapping[str, object]) -> str:
    """The sentence with its slots filled; an argument that is missing leaves its name visible rather than failing."""

    chosen = _CHOICE.sub(lambda m: m[2] if str(args.get(m[1], 0)) == "1" else m[3], sentence)
    return _SLOT.sub(lambda m: str(args.get(m[1], m[0])), chosen)


def slots(sentence: str) -> frozenset[str]:
    """Names of the arguments a sentence uses."""
    return frozenset(m[1] for m in (*_CHOICE.finditer(sentence), *_SLOT.finditer(_CHOICE.sub(r"\2\3", sentence))))


@dataclass(frozen=True)
class Words:
    """All languages, read once."""

    tables: Mapping[str, Mapping[str, str]]

    @classmethod
    def load(cls, folder: Path = FOLDER) -> Words:
        return cls({lang: _read(folder / f"{lang}.json") for lang in LANGUAGES})

    @cached_property
    def merged(self) -> Mapping[str, Mapping[str, str]]:
        """Each language over English."""
        return MappingProxyType({lang: {**self.tables["en"], **table} for lang, table in self.tables.items()})

    def say(self, lang: str, key: str, **args: object) -> str:
        return fill(self.merged[lang].get(key, key), args)

    def choose(self, asked: str | None, accept: str) -> str:
        """The language for a request: what the person chose, else the browser's first that we have, else English."""
        if asked in LANGUAGES:
            return asked
        for part in accept.split(","):
            tag = part.partition(";")[0].strip().lower().partition("-")[0]
            if tag in LANGUAGES:
                return tag
        return "en"


def _read(path: Path) -> dict[str, str]:
    def unique(pairs: list[tuple[str, str]]) -> dict[str, str]:
        table = dict(pairs)
        if len(table) != len(pairs):
            raise ValueError(f"{path.name}: a key is there twice")
        return table

    return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=unique)
