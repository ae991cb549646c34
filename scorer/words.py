"""The rules in force, in words: sentences made from a ruleset's data.

``scorer/rules/words.<lang>.toml`` has a table for each game:

    [gostop]
    title = "Go-Stop"
    intro = ["…", …]                            # how the game goes, whatever the ruleset
    sections = [["Go", "go_add"], …]            # a heading before the first of its keys, keys in the order of the schema
    [gostop.say]
    go_add = "Every go adds {value} to the score."
    pibak = { 1 = "There is no pi-bak.", other = "… pays {value} times as much." }
    gobak = { off = "…", liability = "…" }
    progressive = { true = "…", false = "" }    # "" says nothing
    gobak_caller = { if = { gobak = ["liability"] }, first = "…", last = "…" }

A template takes `{value}` and the value of any other key by its name. `if` leaves the sentence out unless every key named
has one of the values given; `unless` leaves it out where one has; `players` where the ruleset never seats so many.
"""
from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import InputError, did_you_mean
from .game import Game, find_game
from .ruleset import RULES_DIR, Rules, preset_names

DEFAULT = "en"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One rule in words; `house` where it differs from the game's classic ruleset."""

    key: str
    text: str
    house: bool
    h: str


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and its sentences."""

    heading: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class RulesInWords:
    """A whole ruleset in words."""

    title: str
    ruleset: str
    intro: tuple[str, ...]
    sections: tuple[Section, ...]


def languages() -> tuple[str, ...]:
    """Languages that rules can be said in, English first."""
    found = {p.name.split(".")[1] for p in RULES_DIR.glob("words.*.toml")}
    return tuple(sorted(found, key=lambda lang: (lang != DEFAULT, lang)))


def vocabulary(lang: str) -> dict[str, Any]:
    """The words file of a language, parsed. Raises InputError `unknown-language`."""
    if lang not in languages():
        raise InputError("unknown-language", f"there are no words for language {lang[:20]!r}", mend=did_you_mean(lang, languages()))
    return tomllib.loads((RULES_DIR / f"words.{lang}.toml").read_text(encoding="utf-8"))


def in_words(game: Game, rules: Rules, lang: str = DEFAULT) -> RulesInWords:
    """A ruleset in a language; what that language does not say is said in English. Raises InputError `unknown-language`."""
    words = vocabulary(lang).get(game.name, {})
    fallback = words if lang == DEFAULT else vocabulary(DEFAULT).get(game.name, {})
    classic = game.rules("classic").values
    headings = {key: heading for heading, key in words.get("sections", fallback.get("sections", []))}
    sections: list[Section] = []
    heading, said = "", list[Sentence]()
    for key in game.schema:
        if key.name in headings:
            if said:
                sections.append(Section(heading, tuple(said)))
            heading, said = headings[key.name], []
        say = words.get("say", {}).get(key.name, fallback.get("say", {}).get(key.name))
        text = sentence(say, key.name, rules.values, rules.players)
        if text:
            said.append(Sentence(key.name, text, rules.values[key.name] != classic.get(key.name), key.h))
    if said:
        sections.append(Section(heading, tuple(said)))
    return RulesInWords(words.get("title", game.name), rules.name, tuple(words.get("intro", fallback.get("intro", ()))), tuple(sections))


def sentence(say: Any, key: str, values: Mapping[str, Any], players: tuple[int, int] = (1, 99)) -> str:
    """The sentence for one rule, "" where it says nothing; `key = value` where no words are given for that value."""
    value = values[key]
    template: Any = say
    if isinstance(say, Mapping):
        if not players[0] <= say.get("players", players[0]) <= players[1]:
            return ""
        if not all(_is_one(values.get(other), wanted) for other, wanted in say.get("if", {}).items()):
            return ""
        if any(_is_one(values.get(other), wanted) for other, wanted in say.get("unless", {}).items()):
            return ""
        name = str(value).lower() if isinstance(value, bool | int) else value if isinstance(value, str) else ""
        template = say.get(name, say.get("other"))
    if not isinstance(template, str):
        return f"{key} = {plain(value)}"
    return template.format(value=plain(value), **{k: plain(v) for k, v in values.items() if k != "value"})


def _is_one(value: Any, wanted: Any) -> bool:
    return value in (wanted if isinstance(wanted, list) else [wanted])


def plain(value: Any) -> str:
    """A rule's value as text: lists with commas, bonus cards with their worth."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} ({worth})" for name, worth in value.items())
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value))
    return str(value)


def as_text(game: str | Game, ruleset: str = "classic", lang: str = DEFAULT, overrides: Mapping[str, Any] | None = None,
            width: int = 100) -> str:
    """A ruleset as plain text, lines of at most `width` signs (counting wide Korean signs as two); rules that differ from the
    classic ruleset are marked with ``*``. Raises InputError."""
    g = find_game(game) if isinstance(game, str) else game
    told = in_words(g, g.rules(ruleset, overrides), lang)
    out = [f"{told.title} · {told.ruleset}", ""]
    for paragraph in told.intro:
        out += [*_wrapped(paragraph, "", width), ""]
    for section in told.sections:
        if section.heading:
            out.append(section.heading)
        for s in section.sentences:
            out += _wrapped(s.text, " * " if s.house else " - ", width)
        out.append("")
    return "\n".join(out).rstrip() + "\n"


def listing(lang: str = DEFAULT) -> str:
    """The games and their rulesets, one game a line."""
    from .game import game_names
    words = vocabulary(lang)
    return "".join(f"{name:9} {words.get(name, {}).get('title', name)}: {', '.join(preset_names(name))}\n" for name in game_names())


def _wrapped(text: str, bullet: str, width: int) -> list[str]:
    lines, line = [], bullet
    for word in text.split():
        if _columns(line) + _columns(word) + 1 > width and line.strip() not in ("", "*", "-"):
            lines.append(line)
            line = " " * len(bullet)
        line += word if not line.strip() or line.endswith(" ") else " " + word
    return [*lines, line]


def _columns(text: str) -> int:
    return sum(2 if "\u1100" <= c <= "\u11ff" or "\u2e80" <= c <= "\ud7a3" or "\uff00" <= c <= "\uff60" else 1 for c in text)


def as_page(lang: str = DEFAULT) -> str:
    """Every game's rules as one page of Markdown: the classic ruleset whole, of the others what differs."""
    from .game import game_names
    out = [f"<!-- made by `python -m scorer.words {lang}`: change scorer/rules/*.toml instead -->", ""]
    for name in game_names():
        game = find_game(name)
        told = in_words(game, game.rules("classic"), lang)
        out += [f"# {told.title}", "", *(f"{p}\n" for p in told.intro), f"## {told.ruleset}", ""]
        for section in told.sections:
            out += [f"### {section.heading}", "", *(f"- {s.text}" for s in section.sentences), ""] if section.heading else []
        for ruleset in preset_names(name):
            other = in_words(game, game.rules(ruleset), lang)
            changed = [s.text for section in other.sections for s in section.sentences if s.house]
            if changed:
                out += [f"## {ruleset}", "", *(f"- {text}" for text in changed), ""]
    return "\n".join(out).rstrip() + "\n"


if __name__ == "__main__":
    import sys
    sys.stdout.write(as_page(*sys.argv[1:2]))
