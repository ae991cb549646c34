"""Learning a deck from one photograph of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from laid_out import own_deck, picture_of, shuffled

from datasets.art import WornDeck
from datasets.scene import Scene
from scorer.cards import HWATU, merged, standard_deck
from scorer.errors import KibitzError
from vision import enrol
from vision.enrol import USUAL_BONUS, Enrolment, Place, check_bonus, check_name, find, learn, named_by_hand, save, verdict
from vision.identify import Deck, Identifier, load_prototypes
from vision.layout import as_detections
from vision.read import Reader

FIFTY = (*HWATU, "joker-2", "joker-3")


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


@pytest.fixture(scope="module")
def scene() -> Scene:
    """All fifty cards in no order, so that no card can be told from its neighbours."""
    return picture_of(own_deck(), shuffled(FIFTY))


@pytest.fixture(scope="module")
def places(reader: Reader, scene: Scene) -> tuple[Place, ...]:
    return find(reader, [scene.image], "hwatu")


@pytest.fixture(scope="module")
def learned(reader: Reader, scene: Scene, places: tuple[Place, ...]) -> Enrolment:
    return learn(reader, [scene.image], places, "ours", "hwatu", USUAL_BONUS, each=12)


def true_name(scene: Scene, place: Place) -> str:
    return scene.names[int(np.argmin(np.linalg.norm(scene.quads.mean(1) - place.quad.mean(0), axis=1)))]


def test_every_card_is_found_in_rows_and_named_by_its_print(scene: Scene, places: tuple[Place, ...]) -> None:
    assert [true_name(scene, q) for q in places] == scene.names  # in reading order
    assert [merged(q.card) for q in places] == [merged(n) for n in scene.names]
    said = verdict(places, "hwatu")
    assert (said.missing, said.twice, said.small, said.nameless) == ((), (), (), 0)


def test_the_months_of_paulownia_and_rain_are_told_by_their_flower(scene: Scene, places: tuple[Place, ...]) -> None:
    late = {true_name(scene, q): q.card for q in places if true_name(scene, q)[:2] in ("11", "12")}
    assert len(late) == 8
    assert {t[:2]: c[:2] for t, c in late.items()} == {"11": "11", "12": "12"}


def test_cards_that_are_not_there_are_missed_by_name(reader: Reader) -> None:
    gone = {"03-bright", "08-animal", "12-ribbon"}
    kept = [c for c in shuffled(FIFTY, 2) if c not in gone | {"joker-3"}]
    found = find(reader, [picture_of(own_deck(), kept, seed=2).image], "hwatu")
    said = verdict(found, "hwatu")
    assert set(said.missing) == gone  # and no bonus card: many decks have none


def test_an_enrolled_deck_reads_other_tables(
    reader: Reader, learned: Enrolment, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KIBITZ_HOME", str(tmp_path))
    assert save(learned.deck) == tmp_path / "decks" / "ours.npz"
    other = picture_of(own_deck(), shuffled(FIFTY, 5)[:24], columns=8, seed=5, strength=0.3)
    kind, cards = reader.read(other.image, deck_name="ours")
    right = 0
    for quad, name in zip(other.quads, other.names, strict=True):
        near = min(cards, key=lambda f: float(np.linalg.norm(f.quad.mean(0) - quad.mean(0))))
        right += near.reading.card == merged(name)
    assert kind == "hwatu"
    assert right >= 23
    assert learned.twins == ()


@pytest.mark.parametrize("colour", [(28, 24, 160), (34, 30, 30), (52, 46, 20)], ids=["red", "black", "dark green"])
def test_backs_are_known_though_the_photograph_shows_none(reader: Reader, learned: Enrolment, colour: tuple[int, int, int]) -> None:
    art = own_deck().art
    back = np.full_like(art.faces["01-bright"], 255)
    back[..., :3] = colour
    lies = ["back", "01-bright", "back", "08-junk-a", "11-bright", "back"]
    table = picture_of(WornDeck(replace(art, back=back), 1, plain=True), lies, columns=3, seed=8, strength=0.3)
    readings = Identifier("hwatu", learned.deck).identify(table.image, as_detections(table.quads.astype(np.float32)))
    assert [r.card for r in readings] == [merged(n) for n in table.names]


def test_a_stored_deck_comes_back_whole(learned: Enrolment, tmp_path: Path) -> None:
    again = load_prototypes(save(learned.deck, tmp_path))
    assert (again.names, again.kind, again.worth, again.twins) == (learned.deck.names, "hwatu", (("joker-2", 2), ("joker-3", 3)), ())
    assert again.scale == pytest.approx(learned.deck.scale)
    assert np.allclose(again.vectors, learned.deck.vectors, atol=2e-3)
    assert again.transform is not None
    assert np.allclose(again.transform, learned.deck.transform)
    assert [p.name for p in tmp_path.iterdir()] == ["ours.npz"]


def test_cards_that_look_the_same_are_named_at_once(reader: Reader) -> None:
    cards = ["01-bright", "02-animal", "05-ribbon", "06-animal", "09-ribbon", "10-animal", "11-bright", "12-bright"]
    scene = picture_of(own_deck(same={"09-ribbon": "05-ribbon"}), cards, columns=4, seed=4, size=(600, 800))
    found = find(reader, [scene.image], "hwatu")
    named = [enrol.replace(q, card=true_name(scene, q)) for q in found]
    assert learn(reader, [scene.image], named, "odd", "hwatu", each=16).twins == (("05-ribbon", "09-ribbon"),)


def test_bonus_cards_have_names_and_worth_of_the_users_own(reader: Reader, scene: Scene, places: tuple[Place, ...]) -> None:
    own = {"joker-2": "tiger", "joker-3": "rabbit"}
    few = [enrol.replace(q, card=own.get(q.card, q.card)) for q in places if q.card in (*own, "01-bright", "12-ribbon")]
    made = learn(reader, [scene.image], few, "zoo", "hwatu", {"tiger": 2, "rabbit": 3}, each=8)
    assert {"tiger", "rabbit"} < set(made.deck.names)
    assert not any(n.startswith("joker") for n in made.deck.names)
    assert made.deck.worth == (("tiger", 2), ("rabbit", 3))
    with pytest.raises(KibitzError, match="no card of this deck"):
        learn(reader, [scene.image], few, "zoo", "hwatu", {"tiger": 2})


def test_learning_can_be_stopped_at_what_was_learned_so_far(reader: Reader, scene: Scene, places: tuple[Place, ...]) -> None:
    shares: list[float] = []

    def enough(share: float) -> bool:
        shares.append(share)
        return False

    made = learn(reader, [scene.image], places[:20], "ours", "hwatu", USUAL_BONUS, each=200, progress=enough)
    assert len(shares) == 1
    assert 0 < shares[0] < 0.2
    assert len(made.deck.names) >= 20


def test_a_french_deck_is_found_and_named(reader: Reader) -> None:
    pytest.importorskip("resvg_py", reason="the drawn French deck is kept as SVG")
    scene = picture_of(own_deck("french-classic"), shuffled(standard_deck("french").names), columns=13, seed=6)
    found = find(reader, [scene.image], "french")
    assert len(found) == 52
    assert sum(q.card == true_name(scene, q) for q in found) >= 50
    assert not any(q.card.startswith("joker") for q in found) or verdict(found, "french").missing


def test_a_picture_without_cards_is_said_so(reader: Reader) -> None:
    with pytest.raises(KibitzError, match="lay the cards apart") as error:
        find(reader, [np.full((600, 800, 3), 90, np.uint8)], "hwatu")
    assert error.value.code == "enrol-nothing"


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "x" * 41, "name.", "한글", "a\nb"])
def test_a_name_that_cannot_be_a_files_is_refused(name: str) -> None:
    with pytest.raises(KibitzError, match="cannot name a deck"):
        check_name(name)


@pytest.mark.parametrize(
    ("kind", "worth", "words"),
    [
        ("french", {"joker-2": 2}, "only hwatu"),
        ("hwatu", {f"b{i}": 1 for i in range(6)}, "at most 5"),
        ("hwatu", {"Tiger": 2}, "small letters"),
        ("hwatu", {"01-bright": 2}, "small letters"),
        ("hwatu", {"tiger": 10}, "0 to 9"),
        ("hwatu", {"tiger": True}, "0 to 9"),
        ("hwatu", {"tiger": "2"}, "0 to 9"),
    ],
)
def test_bonus_cards_that_cannot_be_are_refused(kind: str, worth: dict[str, Any], words: str) -> None:
    with pytest.raises(KibitzError, match=words) as error:
        check_bonus(kind, worth)
    assert error.value.code == "bonus-bad"


def test_numbers_are_not_enrolled(reader: Reader) -> None:
    with pytest.raises(KibitzError, match="hwatu or french"):
        find(reader, [np.zeros((100, 100, 3), np.uint8)], "numbers")


def test_a_name_given_by_hand_is_taken_from_the_card_that_had_it() -> None:
    quad = np.zeros((4, 2), np.float32)
    places = [Place("01-bright", 0.9, 0, quad), Place("02-animal", 0.4, 0, quad), Place("03-bright", 0.9, 0, quad)]
    got = named_by_hand(places, {1: "03-bright"})
    assert [(q.card, q.confidence) for q in got] == [("01-bright", 0.9), ("03-bright", 1.0), ("", 0.0)]


@pytest.mark.parametrize(
    "damage",
    [b"", b"no deck at all", b"PK\x03\x04broken"],
)
def test_a_damaged_deck_file_is_said_in_one_line(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "ours.npz"
    path.write_bytes(damage)
    with pytest.raises(KibitzError, match="enrol it again") as error:
        load_prototypes(path)
    assert error.value.code == "deck-broken"


def test_a_deck_whose_parts_do_not_fit_is_refused(tmp_path: Path) -> None:
    rows = np.eye(3, 8, dtype=np.float32)
    path = save(Deck("x", "hwatu", ("01-bright", "02-animal", "03-bright"), rows, 10.0, np.eye(7, dtype=np.float32)), tmp_path)
    with pytest.raises(KibitzError, match="transform"):
        load_prototypes(path)


def test_a_deck_learned_with_another_network_says_so() -> None:
    rows = np.eye(128, dtype=np.float32)[:2]
    with pytest.raises(KibitzError, match="enrol it again"):
        Identifier("hwatu", Deck("old", "hwatu", ("01-bright", "02-animal"), rows, 10.0, network="0" * 64))
