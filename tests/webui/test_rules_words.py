"""The customer's sheets came in Afrikaans (Go-Stop), Bengali (Go-Stop, Stop the Bus, The Game) and Assamese (Spit, Speed):
in those languages these games' rules are said whole, for every ruleset that ships."""

from __future__ import annotations

import re
from typing import Any

import pytest

from scorer.game import find_game
from scorer.ruleset import preset_names
from scorer.words import in_words, vocabulary

SHEETS = [("af", "gostop"), ("bn", "gostop"), ("bn", "stopbus"), ("bn", "thegame"), ("as", "spit"), ("as", "speed")]


def templates(say: Any) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", " ".join(v for v in say.values() if isinstance(v, str)) if isinstance(say, dict) else say))


@pytest.mark.parametrize(("lang", "name"), SHEETS)
def test_the_rules_are_whole_in_the_language_of_their_sheet(lang: str, name: str) -> None:
    own, english = vocabulary(lang)[name], vocabulary("en")[name]
    assert set(own["say"]) == set(english["say"])
    assert [key for _, key in own["sections"]] == [key for _, key in english["sections"]]
    assert len(own["intro"]) == len(english["intro"])
    for key, say in own["say"].items():
        assert templates(say) <= templates(english["say"][key]), key
        if isinstance(say, dict) and isinstance(english["say"][key], dict):
            conditions = {k: v for k, v in say.items() if k in ("if", "unless", "players")}
            assert conditions == {k: v for k, v in english["say"][key].items() if k in ("if", "unless", "players")}, key


@pytest.mark.parametrize(("lang", "name"), SHEETS)
def test_every_ruleset_is_said_in_it(lang: str, name: str) -> None:
    game = find_game(name)
    for preset in preset_names(name):
        said = in_words(game, game.rules(preset), lang)
        english = in_words(game, game.rules(preset), "en")
        assert [x.key for s in said.sections for x in s.sentences] == [x.key for s in english.sections for x in s.sentences]
        told = {x.key: x.text for s in english.sections for x in s.sentences}
        for sentence in (x for s in said.sections for x in s.sentences):
            assert sentence.text != told[sentence.key]
            assert " = " not in sentence.text or "=" in told[sentence.key] or lang == "bn"
