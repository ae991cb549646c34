"""Every rule of every ruleset has words in English and in Korean, for every value it can take."""
from __future__ import annotations

import os
import runpy
import string
import sys
from pathlib import Path
from typing import Any

import pytest

from scorer import words
from scorer.errors import InputError
from scorer.game import find_game, game_names
from scorer.ruleset import Key, preset_names

LANGUAGES = ("en", "ko")
KEYS = [(game, key) for game in game_names() for key in find_game(game).schema]
PRESETS = [(game, ruleset) for game in game_names() for ruleset in preset_names(game)]


def values_of(key: Key) -> list[Any]:
    """Every value of a switch or choice; the bounds, the default and their neighbours of a number."""
    if key.type == "bool":
        return [True, False]
    if key.type == "choice":
        return list(key.choices)
    if key.type == "int":
        return sorted({n for n in (key.low, key.low + 1, key.default, 2, key.high) if key.low <= n <= key.high})
    return [key.default]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("game", "key"), KEYS, ids=[f"{g}.{k.name}" for g, k in KEYS])
def test_every_value_of_every_key_has_words(lang: str, game: str, key: Key) -> None:
    g = find_game(game)
    known = {k.name: k for k in g.schema}
    say = words.vocabulary(lang)[game]["say"].get(key.name)
    assert say is not None, f"{game}.{key.name} has no words in {lang}"
    conditions = say.get("if", {}) if isinstance(say, dict) else {}
    for value in values_of(key):
        values = {**g.rules("classic").values, key.name: value}
        for other, wanted in conditions.items():
            assert other in values
            values[other] = wanted[0] if isinstance(wanted, list) else wanted
        for other, unwanted in (say.get("unless", {}) if isinstance(say, dict) else {}).items():
            if values[other] == unwanted:
                values[other] = next(v for v in values_of(known[other]) if v != unwanted)
        text = words.sentence(say, key.name, values)
        assert not text.startswith(f"{key.name} ="), f"{game}.{key.name} = {value!r} has no words in {lang}"
        assert "{" not in text


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("game", game_names())
def test_no_words_without_a_key(lang: str, game: str) -> None:
    told = words.vocabulary(lang)[game]
    known = {k.name: k for k in find_game(game).schema}
    assert set(told["say"]) <= set(known)
    assert all(key in known for _, key in told["sections"])
    assert told["title"]
    assert told["intro"]
    for name, say in told["say"].items():
        templates = say.values() if isinstance(say, dict) else [say]
        for template in templates:
            if isinstance(template, str):
                fields = {f for _, f, _, _ in string.Formatter().parse(template) if f}
                assert fields <= {"value", *known}, (name, fields)
        if isinstance(say, dict) and known[name].type == "choice":
            assert set(say) - {"if", "unless", "other"} <= set(known[name].choices), name


@pytest.mark.parametrize(("game", "ruleset"), PRESETS)
def test_every_ruleset_prints_in_both_languages(game: str, ruleset: str) -> None:
    english, korean = (words.as_text(game, ruleset, lang) for lang in LANGUAGES)
    assert english != korean
    assert any("가" <= c <= "힣" for c in korean)
    assert ruleset in english.splitlines()[0]
    assert all(words._columns(line) <= 100 for line in (english + korean).splitlines())


def test_house_rules_are_marked() -> None:
    text = words.as_text("gostop", "classic", "en", {"pibak_max": 6})
    assert [line for line in text.splitlines() if line.startswith(" * ")] != []
    assert " * " not in words.as_text("gostop", "classic", "en")


def test_the_value_is_in_the_sentence() -> None:
    """The sentences come from the data: another value, another sentence."""
    for game, key in KEYS:
        g = find_game(game)
        say = words.vocabulary("en")[game]["say"][key.name]
        if key.type == "int" and not (isinstance(say, dict) and {"if", "unless"} & set(say)):
            texts = {words.sentence(say, key.name, {**g.rules("classic").values, key.name: v}) for v in (key.high, key.high - 1)}
            assert len(texts) == 2, f"{game}.{key.name} says the same of {key.high} and {key.high - 1}"


def test_listing_and_unknown_language() -> None:
    listed = words.listing("ko")
    assert all(name in listed for name in game_names())
    with pytest.raises(InputError) as e:
        words.as_text("gostop", "classic", "tlh")
    assert e.value.code == "unknown-language"


def test_a_value_without_words_is_printed_as_data() -> None:
    assert words.sentence(None, "x", {"x": (1, 2)}) == "x = 1, 2"
    assert words.sentence({"1": "one"}, "x", {"x": 3}) == "x = 3"
    assert words.sentence("cards: {value}", "x", {"x": {"joker-2": 2}}) == "cards: joker-2 (2)"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_of_rules_is_up_to_date(lang: str) -> None:
    """docs/rules.<lang>.md is made from the data; `make golden` writes it anew."""
    page = Path(__file__).parents[2] / "docs" / f"rules.{lang}.md"
    if os.environ.get("KIBITZ_GOLDEN") == "write":
        page.write_text(words.as_page(lang), encoding="utf-8")
    assert page.read_text(encoding="utf-8") == words.as_page(lang), "run: make golden"


def test_the_page_as_a_module(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["scorer.words", "ko"])
    monkeypatch.delitem(sys.modules, "scorer.words")
    runpy.run_module("scorer.words", run_name="__main__")
    assert "# 고스톱" in capsys.readouterr().out
