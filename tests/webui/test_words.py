"""Languages: parity, arguments, and that every code the house can say has words."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from scripted import deal_turns

import webui
from scorer.match import Match
from vision import health
from webui.words import ELSEWHERE, LANGUAGES, WHOLE, Words, fill, slots

WORDS = Words.load()
EN = WORDS.tables["en"]
FILLED = [
    ("{player} plays {cards}", {"player": "Jun", "cards": "a pine"}, "Jun plays a pine"),
    ("{n|1 card|{n} cards}", {"n": 1}, "1 card"),
    ("{n|1 card|{n} cards}", {"n": 0}, "0 cards"),
    ("{n|1 card|{n} cards} left", {"n": 12}, "12 cards left"),
    ("{player} has {n|point|points}", {"player": "A", "n": 2}, "A has points"),
    ("no slots", {"x": 1}, "no slots"),
    ("{missing} stays", {}, "{missing} stays"),
    ("{player}", {"player": "{n}"}, "{n}"),
]


@pytest.mark.parametrize(("sentence", "args", "said"), FILLED)
def test_fill(sentence: str, args: dict[str, object], said: str) -> None:
    assert fill(sentence, args) == said


def test_the_pages_script_fills_in_the_same_way() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed; Chromium's tests cover the script")
    script = (Path(webui.__file__).parent / "static/js/words.js").read_text(encoding="utf-8").split("const block")[0].replace("export ", "")
    rows = json.dumps([[s, a] for s, a, _ in FILLED])
    script += f";console.log(JSON.stringify({rows}.map(([s, a]) => fill(s, a))))"
    out = subprocess.run([node, "-e", script], capture_output=True, text=True, check=True)
    assert json.loads(out.stdout) == [said for _, _, said in FILLED]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_parity(lang: str) -> None:
    table = WORDS.tables[lang]
    needed = set(EN) if lang in WHOLE else {k for k in EN if not k.startswith(ELSEWHERE)}
    assert needed - set(table) == set()
    assert set(table) - set(EN) == set()


@pytest.mark.parametrize("lang", [x for x in LANGUAGES if x != "en"])
def test_a_translation_uses_the_arguments_of_the_original(lang: str) -> None:
    for key, sentence in WORDS.tables[lang].items():
        assert slots(sentence) <= slots(EN[key]), key
        # A number chosen by form may be said once; everything else that is told in English is told.
        assert slots(EN[key]) - slots(sentence) <= {"n", "amount"} & slots(EN[key]), key
        assert sentence.strip(), key
        assert sentence.count("{") == sentence.count("}"), key


def test_korean_is_korean() -> None:
    """Whole means translated: hardly a sentence of the Korean file is without Hangul or Han characters."""
    bare = [k for k, v in WORDS.tables["ko"].items() if not re.search(r"[\uac00-\ud7a3\u4e00-\u9fff]", v)]
    signs = [k for k in bare if not re.search(r"[a-z]", re.sub(r"\{[^}]*\}", "", WORDS.tables["ko"][k]))]
    assert set(bare) - set(signs) <= {"app.name"}


@pytest.mark.parametrize(
    ("asked", "accept", "lang"),
    [
        ("ko", "en", "ko"), (None, "ko-KR,ko;q=0.9,en;q=0.8", "ko"), (None, "fr,af;q=0.5", "af"), (None, "", "en"),
        ("xx", "de", "en"),
        ("../en", "bn", "bn"), (None, "AS-in", "as"),
    ],
)  # fmt: skip
def test_choice_of_language(asked: str | None, accept: str, lang: str) -> None:
    assert WORDS.choose(asked, accept) == lang


def test_every_key_that_the_pages_use_exists() -> None:
    """Literal keys in scripts and templates; keys put together from a code are checked against the codes elsewhere."""
    root = Path(webui.__file__).parent
    used: set[str] = set()
    for path in (root / "static/js").glob("*.js"):
        used |= set(re.findall(r"\bt\(\s*\"([a-z][\w.-]*)\"", path.read_text(encoding="utf-8")))
    for path in (root / "templates").glob("*.html"):
        used |= set(re.findall(r"\bt\(\s*'([a-z][\w.-]*)'\s*[,)]", path.read_text(encoding="utf-8")))
    assert len(used) > 60
    assert used - set(EN) == set()


# -- every code that the house can say has words ---------------------------------------------------------------------

SCORER = Path(webui.__file__).parent.parent / "scorer"
# Kinds that never reach a page as an event of their own.
UNSAID = {"note", "x"}


def first_arguments(*functions: str) -> set[str]:
    """Literal first arguments of calls to these functions anywhere in the scorer."""
    found: set[str] = set()
    for path in SCORER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""
            if name in functions and node.args:
                found |= literals(node.args[0])
    return found


def literals(node: ast.expr) -> set[str]:
    """The strings that an expression may come to, as far as they are written out."""
    if isinstance(node, ast.Constant):
        return {node.value} if isinstance(node.value, str) else set()
    if isinstance(node, ast.IfExp):
        return literals(node.body) | literals(node.orelse)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Tuple):
        return set().union(*(literals(e) for e in node.value.elts))
    return set()


@pytest.mark.parametrize(
    ("functions", "prefixes"),
    [
        (("problem", "Problem"), ("problem.",)),
        (("make", "Event"), ("event.",)),
        (("Term", "Award"), ("term.", "pay.term.", "mult.")),
        (("Question",), ("ask.",)),
    ],
)
def test_every_code_has_words(functions: tuple[str, ...], prefixes: tuple[str, ...]) -> None:
    codes = {c for c in first_arguments(*functions) if re.fullmatch(r"[a-z][a-z_-]+", c)} - UNSAID
    assert len(codes) > 3
    assert {c for c in codes if not any(f"{p}{c}" in EN for p in prefixes)} == set()


def test_every_multiplier_and_reason_of_played_games_has_words() -> None:
    """Random deals under every ruleset of Go-Stop: what a page would show of them."""
    said: set[str] = set()
    for ruleset, players in (("classic", "AB"), ("international", "ABC"), ("korean-3p", "ABC"), ("matgo-2p", "AB")):
        for seed in range(3):
            match = Match("gostop", ruleset, tuple(players), options={"nagari_streak": seed % 2})
            for table, words in deal_turns(seed, tuple(players), ruleset):
                match.observe(table.state())
                match.observe(table.state())
                if words and match.state != "over":
                    match.command(words)
                shown = match.snapshot()
                for m in shown["multipliers"]:
                    said |= {f"mult.{m['key']}", f"reason.{m['reason']['code']}"}
                said |= {f"event.{e['event']}" for e in shown["events"]}
                said |= {f"ask.{q['kind']}" for q in shown["questions"]}
                for pay in (shown["if_stopped"] or shown["result"] or {"payments": []})["payments"]:
                    labels = {t["label"] for t in pay["terms"]}
                    said |= {f"pay.term.{x}" if f"pay.term.{x}" in EN else f"mult.{x}" for x in labels}
    assert len(said) > 30
    assert said - set(EN) == set()


def test_every_word_about_the_picture_exists() -> None:
    assert {f"health.{code}" for code in health.CODES} - set(EN) == set()
