"""Card names, decks and deck files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer import cards
from scorer.cards import FRENCH, HWATU, NUMBERS, deck_from, load_deck, standard_deck
from scorer.errors import InputError


def test_hwatu_has_the_printed_kinds() -> None:
    count = Counter(cards.kind(c) for c in HWATU)
    assert len(HWATU) == len(set(HWATU)) == 48
    # 24 junk counting doubles as cards: 22 plain + 2 double; 10 ribbons, 9 animals, 5 brights
    assert count == {"junk": 22, "junk-double": 2, "ribbon": 10, "animal": 9, "bright": 5}
    assert all(sum(1 for c in HWATU if cards.month(c) == m) == 4 for m in cards.MONTHS)


@pytest.mark.parametrize(
    ("kind", "jokers", "total"),
    [
        ("hwatu", 0, 48),
        ("hwatu", 2, 50),
        ("french", 0, 52),
        ("french", 2, 54),
        ("numbers", 0, 102),
        ("hwatu", {"crane-bonus": 2, "joker-2": 2, "joker-3": 3, "fish": 1, "dragon": 3}, 53),
    ],
)
def test_standard_decks(kind: str, jokers: int | dict[str, int], total: int) -> None:
    assert standard_deck(kind, jokers).total == total


def test_pinochle_is_two_copies() -> None:
    deck = deck_from({"kind": "french", "copies": {r + s: 2 for r in "9TJQKA" for s in "cdhs"}})
    assert deck.total == 48
    assert deck.counter()["9c"] == 2


@pytest.mark.parametrize(
    ("kind", "jokers", "code"),
    [
        ("tarot", 0, "unknown-deck"),
        ("hwatu", 3, "too-many-jokers"),
        ("numbers", 1, "too-many-jokers"),
        ("hwatu", {f"b{i}": 1 for i in range(6)}, "too-many-jokers"),
    ],
)
def test_refused_decks(kind: str, jokers: int | dict[str, int], code: str) -> None:
    with pytest.raises(InputError) as e:
        standard_deck(kind, jokers)
    assert e.value.code == code


@pytest.mark.parametrize(
    ("written", "deck", "name"),
    [
        ("10h", None, "Th"),
        ("10♥", "french", "Th"),
        ("qS", None, "Qs"),
        ("1-bright", None, "01-bright"),
        ("11 junk double", None, "11-junk-double"),
        ("03_JUNK_a", "hwatu", "03-junk-a"),
        ("47", None, "n47"),
        ("n100", "numbers", "n100"),
        ("joker-2", None, "joker-2"),
        ("back", "french", "back"),
        ("joker red", "french", "joker-red"),
        ("JOKER", None, "joker"),
    ],
)
def test_parse(written: str, deck: str | None, name: str) -> None:
    assert cards.parse(written, deck) == name


@pytest.mark.parametrize(
    ("written", "deck"),
    [
        ("13-bright", None),
        ("01-brigth", "hwatu"),
        ("n101", None),
        ("n0", None),
        ("1c", None),
        ("01-bright-a", None),
        ("Th", "hwatu"),
        ("joker-red", "hwatu"),
        ("", None),
        ("00-junk", None),
        ("12-junk-d", None),
    ],
)
def test_parse_refuses(written: str, deck: str | None) -> None:
    with pytest.raises(InputError) as e:
        cards.parse(written, deck)
    assert e.value.code == "unknown-card"
    assert "\n" not in str(e.value)


def test_near_miss_is_named() -> None:
    with pytest.raises(InputError, match="did you mean '01-bright'"):
        cards.parse("01-brigth", "hwatu")


def test_japanese_months_are_swapped_here_only() -> None:
    """Willow is November and paulownia December on a Japanese deck (a recurring bug of hanafuda software)."""
    assert cards.parse("11-ribbon", months="japanese") == "12-ribbon"
    assert cards.parse("12-bright", months="japanese") == "11-bright"
    assert cards.parse("10-ribbon", months="japanese") == "10-ribbon"
    assert all(cards.korean_months(cards.korean_months(c)) == c for c in HWATU)


@given(st.sampled_from(HWATU + FRENCH + NUMBERS + ("joker", "joker-2", "joker-red", "joker-black", "back")))
def test_names_are_their_own_parse(name: str) -> None:
    assert cards.parse(name) == name
    assert cards.info(name).name == name


@given(st.text(max_size=20))
def test_any_text_is_a_card_or_a_coded_error(text: str) -> None:
    error = None
    try:
        assert cards.is_card(cards.parse(text))
    except InputError as e:
        error = e.code
    assert error in (None, "unknown-card")
    cards.sort_key(text)
    cards.month(text)
    cards.junk_worth(text)


@pytest.mark.parametrize(
    ("name", "worth", "double", "junk"),
    [
        ("03-junk-a", None, 2, 1),
        ("03-junk", None, 2, 1),
        ("11-junk-double", None, 2, 2),
        ("12-junk-double", None, 1, 1),
        ("joker-3", None, 2, 3),
        ("joker", None, 2, 1),
        ("01-bright", None, 2, 0),
        ("dragon", {"dragon": 3}, 2, 3),
        ("dragon", None, 2, 0),
        ("joker-2", {"joker-2": 4}, 2, 4),
    ],
)
def test_junk_worth(name: str, worth: dict[str, int] | None, double: int, junk: int) -> None:
    assert cards.junk_worth(name, worth, double) == junk


def test_merge_and_same() -> None:
    assert cards.merged("03-junk-b") == "03-junk"
    assert [cards.merged(c) for c in ("03-junk", "11-junk-double", "Th", "n7")] == ["03-junk", "11-junk-double", "Th", "n7"]
    assert cards.same("03-junk", "03-junk-a")
    assert not cards.same("03-junk-b", "03-junk-a")
    assert standard_deck("hwatu").merged_counter()["03-junk"] == 2


def test_sorting() -> None:
    assert cards.sorted_cards(["back", "joker-3", "02-junk-a", "01-junk-a", "01-bright", "strange"]) == (
        "01-bright",
        "01-junk-a",
        "02-junk-a",
        "joker-3",
        "strange",
        "back",
    )
    assert cards.sorted_cards(["Ac", "2d", "Tc", "n9"]) == ("Tc", "Ac", "2d", "n9")


def test_info_refuses_what_is_no_name() -> None:
    with pytest.raises(InputError):
        cards.info(7)  # type: ignore[arg-type]
    assert cards.kind("dragon") is None


def write(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "deck.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_load_deck(tmp_path: Path) -> None:
    write(
        tmp_path,
        'kind = "hwatu"\nsize_mm = [33, 54.5]\nname = "ours"\nflipped = ["01-bright"]\ntwins = [["03-junk-a", "03-junk-b"]]\n'
        "[worth]\njoker-2 = 2\ndragon = 3\n",
    )
    deck = load_deck(tmp_path)
    assert (deck.total, deck.size_mm, deck.name, deck.worths()) == (50, (33.0, 54.5), "ours", {"joker-2": 2, "dragon": 3})
    assert deck.twins == (("03-junk-a", "03-junk-b"),)
    assert deck.flipped == ("01-bright",)
    assert "dragon" in deck.names


@pytest.mark.parametrize(
    ("text", "code", "named"),
    [
        ('kind = "tarot"', "bad-deck", "kind"),
        ("kind = ", "bad-toml", "deck.toml"),
        ('kind = "hwatu"\ncolour = 1', "unknown-key", "colour"),
        ('kind = "hwatu"\nsize_mm = [1, 2]', "bad-deck", "size_mm"),
        ('kind = "hwatu"\nsize_mm = 3', "bad-deck", "size_mm"),
        ('kind = "hwatu"\n[copies]\n"01-brigth" = 1', "bad-deck", "01-brigth"),
        ('kind = "hwatu"\n[copies]\n"01-bright" = -1', "bad-deck", "copies"),
        ('kind = "hwatu"\n[copies]\nTh = 1', "bad-deck", "Th"),
        ('kind = "hwatu"\ncopies = 3', "bad-deck", "copies"),
        ('kind = "hwatu"\n[worth]\na=1\nb=1\nc=1\nd=1\ne=1\nf=1', "bad-deck", "worth"),
        ('kind = "hwatu"\n[worth]\na = "two"', "bad-deck", "worth"),
        ('kind = "hwatu"\n[worth]\n"A B" = 2', "bad-deck", "worth"),
        ('kind = "hwatu"\nflipped = "x"', "bad-deck", "flipped"),
        ('kind = "hwatu"\nflipped = ["Th"]', "bad-deck", "flipped"),
        ('kind = "hwatu"\ntwins = ["x"]', "bad-deck", "twins"),
    ],
)
def test_bad_deck_files_name_file_and_key(tmp_path: Path, text: str, code: str, named: str) -> None:
    file = write(tmp_path, text)
    with pytest.raises(InputError) as e:
        load_deck(file)
    assert e.value.code == code
    assert named in str(e.value)
    assert str(file) in str(e.value)
    assert "\n" not in str(e.value)


def test_missing_and_unreadable_deck_files(tmp_path: Path) -> None:
    with pytest.raises(InputError) as e:
        load_deck(tmp_path / "none.toml")
    assert e.value.code == "no-such-file"
    (tmp_path / "deck.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError) as e:
        load_deck(tmp_path)
    assert e.value.code == "unreadable-file"
