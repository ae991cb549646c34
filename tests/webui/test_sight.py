"""Finding and following a table for the house, with networks that are told what they see."""

from __future__ import annotations

import queue
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest
from rig import wait

from scorer.errors import KibitzError
from vision.frame import Frame, SourceState, SourceStatus
from vision.identify import Reading
from vision.read import Found
from vision.source import open_source
from webui import sight
from webui.runtime import Runtime
from webui.settings import Settings
from webui.sight import COUNTED, PictureLook, TableLook, deck_in_play, seats_in_play, zones_in_play

IMAGE = np.full((360, 640, 3), 70, np.uint8)


def found(card: str, x: float, y: float, *, sure: bool = True, others: tuple[tuple[str, float], ...] = ()) -> Found:
    """A card of 35 × 53 pixels seen straight from above."""
    quad = np.array([[x, y], [x + 35, y], [x + 35, y + 53], [x, y + 53]], np.float32)
    return Found(Reading(((card, 0.95 if sure else 0.4), *others), sure, False), quad, 0.9, 1.0)


class ToldReader:
    """In place of the networks: says what the test told it."""

    def __init__(self, *cards: Found) -> None:
        self.cards = list(cards)
        self.on_table = None
        self.reads = 0

    def read(self, image: Any, kind: str = "auto", deck_name: str | None = None) -> tuple[str, list[Found]]:
        self.reads += 1
        return kind, self.cards

    def identifier(self, kind: str, deck_name: str | None = None) -> None:
        return None


class Frames:
    live = True

    def __init__(self, *images: Any) -> None:
        self._frames = queue.SimpleQueue[Frame]()
        for n, image in enumerate(images):
            self._frames.put(Frame(n, n * 100.0, image))

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        return None if self._frames.empty() else self._frames.get()

    def status(self) -> SourceStatus:
        return SourceStatus("usb", "test", SourceState.ENDED)

    def close(self) -> None: ...


def sights(look: Any, *images: Any) -> Iterator[Any]:
    return (s for s in look(Frames(*images)) if s is not None)


ROW = [found(c, 80 + 60 * i, 100) for i, c in enumerate(("01-bright", "02-animal", "03-ribbon", "05-animal", "09-animal"))]


@pytest.mark.parametrize(
    ("settings", "total", "bonus"),
    [
        (Settings(), 50, {"joker-2", "joker-3"}),  # the sheets' usual two jokers
        (Settings(options={"jokers": 0}), 48, set()),
        (Settings(options={"jokers": 1}), 49, {"joker-2"}),
        (Settings(options={"bonus": {"tiger": 3}, "jokers": 1}), 49, {"tiger"}),
        (Settings(game="spit"), 52, set()),
        (Settings(game="thegame", ruleset="classic"), 100, set()),
    ],
)
def test_the_deck_in_play(settings: Settings, total: int, bonus: set[str]) -> None:
    deck = deck_in_play(settings)
    assert sum(n for _, n in deck.copies) in (total, total + 2)  # The Game's 1 and 100 are there twice each
    assert {c for c, _ in deck.worth} == bonus


def test_seats_and_zones_as_set_else_as_usual() -> None:
    chosen = Settings(players=("A", "B", "C"), names=("", "", ""))
    assert set(seats_in_play(chosen)) == {"A", "B", "C"}
    given = Settings(table={"seats": [{"player": "A", "edge": "W"}, {"player": "B", "edge": "E"}]})
    assert seats_in_play(given) == {"A": "W", "B": "E"}
    usual = zones_in_play(given, (800.0, 600.0), (35.0, 53.0))
    assert {z.name for z in usual} >= {"captures-A", "captures-B", "floor", "stock"}
    drawn = Settings(table={"zones": [{"name": "floor", "kind": "floor", "polygon_mm": [[0, 0], [1, 0], [1, 1]]}]})
    assert [z.name for z in zones_in_play(drawn, (800.0, 600.0), (35.0, 53.0))] == ["floor"]
    with pytest.raises(KibitzError):
        zones_in_play(Settings(table={"seats": [{"player": "A", "edge": "up"}]}), (800.0, 600.0), (35.0, 53.0))


def test_cards_are_shown_before_the_table_is_found_and_the_page_is_told() -> None:
    look = TableLook(Settings(), ToldReader(*ROW[:2]), "hwatu")  # type: ignore[arg-type]
    first = next(sights(look, IMAGE))
    assert first.table is None
    assert "no-table" in first.health
    assert [(c["card"], c["state"]) for c in first.cards] == [("01-bright", "settled"), ("02-animal", "settled")]


def test_a_table_is_looked_for_now_and_then_only() -> None:
    reader = ToldReader(*ROW[:2])
    look = TableLook(Settings(), reader, "hwatu")  # type: ignore[arg-type]
    list(sights(look, *[IMAGE] * 15))  # one and a half seconds
    assert reader.reads == 3


class ToldPipeline:
    """Notes how it was made."""

    made: tuple[Any, ...]
    finish = None  # no piles to slap
    full_rate = False

    def __init__(self, *made: Any) -> None:
        self.plane, self.deck, self.zones, self.seats, *_ = made
        self.view = SimpleNamespace(zones=SimpleNamespace(zones=self.zones))

    def step(self, frame: Frame) -> Any:
        from scorer.table import TableState

        return TableState(round(frame.t_ms), zones=tuple(self.zones))

    def overlay(self) -> tuple[dict[str, Any], ...]:
        return ()

    def hidden(self) -> tuple[Any, ...]:
        return ()

    def instants(self) -> tuple[Any, ...]:
        return ()

    def set_plane(self, plane: Any) -> None:
        self.plane = plane

    def set_zones(self, zones: Any) -> None:
        self.zones = zones
        self.view.zones.zones = zones


@pytest.fixture
def pipelines(monkeypatch: pytest.MonkeyPatch) -> list[ToldPipeline]:
    made: list[ToldPipeline] = []

    def make(*args: Any) -> ToldPipeline:
        made.append(ToldPipeline(*args))
        return made[-1]

    monkeypatch.setattr(sight, "Pipeline", make)
    return made


def test_the_table_is_found_by_its_cards(pipelines: list[ToldPipeline]) -> None:
    look = TableLook(Settings(), ToldReader(*ROW), "hwatu")  # type: ignore[arg-type]
    seen = list(sights(look, IMAGE, IMAGE))
    assert [s.table.t_ms for s in seen] == [0, 100]
    assert len(pipelines) == 1
    assert pipelines[0].plane.px_per_mm() == pytest.approx(1.0, rel=0.02)


CORNERS = [[40.0, 40.0], [600.0, 40.0], [600.0, 320.0], [40.0, 320.0]]


def test_corners_that_are_set_win_and_tell_the_size_by_the_cards(pipelines: list[ToldPipeline]) -> None:
    look = TableLook(Settings(table={"corners_px": CORNERS}), ToldReader(*ROW), "hwatu")  # type: ignore[arg-type]
    list(sights(look, IMAGE))
    width, height = pipelines[0].plane.size_mm
    assert (round(width), round(height)) == (560, 280)
    answer = look.command("corners", {"corners_px": [[50, 40], *CORNERS[1:]], "size_mm": [700, 350]})
    assert answer["size_mm"] == [700.0, 350.0]
    list(sights(look, IMAGE))
    assert pipelines[0].plane.size_mm == (700.0, 350.0)
    assert len(pipelines) == 1, "the cards that were followed are forgotten"


def test_zones_drawn_in_pixels_are_kept_in_millimetres_and_hands_stay(pipelines: list[ToldPipeline]) -> None:
    table = {"corners_px": CORNERS, "size_mm": [560, 280]}
    look = TableLook(Settings(table=table), ToldReader(), "hwatu")  # type: ignore[arg-type]
    assert look.zones() == []
    list(sights(look, IMAGE))
    shown = look.zones()
    assert {z["kind"] for z in shown} == {"captures", "floor", "stock"}
    floor = next(z for z in shown if z["kind"] == "floor")
    floor["polygon_px"][0] = [140.0, 90.0]
    kept = look.command("zones", {"zones": shown})["zones"]
    assert next(z for z in kept if z["kind"] == "floor")["polygon_mm"][0] == pytest.approx([100.0, 50.0])
    assert [z["player"] for z in kept if z["kind"] == "hand"] == ["A", "B"]
    assert len(pipelines[0].zones) == len(kept)
    assert look.command("zones", {"zones": []}) == {"zones": []}
    assert next(z for z in look.zones() if z["kind"] == "floor")["polygon_px"][0] != [140.0, 90.0]
    bad = {"name": "floor", "kind": "floor", "polygon_px": [[0, 0], [1, 1]]}
    with pytest.raises(KibitzError):
        look.command("zones", {"zones": [bad]})


def test_corners_without_cards_take_the_size_from_the_perspective(pipelines: list[ToldPipeline]) -> None:
    look = TableLook(Settings(table={"corners_px": CORNERS}), ToldReader(), "hwatu")  # type: ignore[arg-type]
    list(sights(look, IMAGE))
    width, height = pipelines[0].plane.size_mm
    assert width / height == pytest.approx(2.0, rel=0.05)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("corners", {}), ("corners", {"corners_px": [[0, 0]]}), ("corners", {"corners_px": [["a", 0]] * 4}), ("corners", {"corners_px": "x"}),
        ("corners", {"corners_px": CORNERS[::-1]}), ("corners", {"corners_px": [[0, 0]] * 4}), ("corners", {"corners_px": CORNERS, "size_mm": 5}),
        ("corners", {"corners_px": CORNERS, "size_mm": [0, 0]}), ("corners", {"corners_px": CORNERS, "size_mm": [True, 5]}),
        ("corners", {"corners_px": [[float("inf"), 0], *CORNERS[1:]]}), ("zones", {}), ("zones", {"zones": [{}]}), ("zones", {"zones": [5]}),
        ("zones", {"zones": [{"name": "x", "kind": "nowhere"}]}), ("find-table", {}),
    ],
)  # fmt: skip
def test_a_table_that_makes_no_sense_is_refused_in_words(name: str, args: Mapping[str, Any]) -> None:
    look = TableLook(Settings(), ToldReader(), "hwatu")  # type: ignore[arg-type]
    with pytest.raises(KibitzError, match="wait"):
        look.command(name, args)
    list(sights(look, IMAGE))
    with pytest.raises(KibitzError) as error:
        look.command(name, args)
    assert "\n" not in str(error.value)


def test_a_photograph_counts_what_is_read_for_sure_and_each_card_once() -> None:
    cards = [*ROW, found("01-bright", 80, 200), found("11-bright", 200, 200, sure=False, others=(("12-bright", 0.3),))]
    look = PictureLook(Settings(), ToldReader(*cards), "hwatu")  # type: ignore[arg-type]
    other = IMAGE.copy()
    seen = list(sights(look, IMAGE, IMAGE, other))
    assert [s.new_picture for s in seen] == [True, False, True]
    assert sorted(s.card for s in seen[0].table.seen) == ["01-bright", "02-animal", "03-ribbon", "05-animal", "09-animal"]
    assert {s.zone for s in seen[0].table.seen} == {COUNTED}
    states = {c["card"]: c["state"] for c in seen[0].cards}
    assert states["11-bright"] == "unsure"
    assert next(c for c in seen[0].cards if c["card"] == "11-bright")["others"][1] == ["12-bright", 0.3]


def test_every_photograph_of_a_folder_is_counted_by_itself(tmp_path: Path) -> None:
    """Each becomes a deal of its own that holds its cards and no others, the last one too; nothing in it is taken for a turn."""
    cards = [("01-bright", "03-bright", "08-bright"), ("02-animal", "04-animal"), ("01-bright", "05-ribbon")]
    lies = {30 + 60 * i: [found(c, 80 + 60 * k, 100) for k, c in enumerate(names)] for i, names in enumerate(cards)}
    folder = tmp_path / "pictures"
    folder.mkdir()
    for shade in lies:
        assert cv2.imwrite(str(folder / f"{shade:03d}.png"), np.full_like(IMAGE, shade))

    class Shades(ToldReader):
        def read(self, image: Any, *_: Any) -> Any:
            return "hwatu", lies[int(image[0, 0, 0])]

    def look(chosen: Settings, source: Any) -> PictureLook:
        return PictureLook(chosen, Shades(), "hwatu")  # type: ignore[arg-type]

    house = Runtime(tmp_path, Settings(), look, keep=False)
    try:
        house.start(open_source(str(folder), hold_ms=150.0, paced=True))
        assert wait(lambda: house.snapshot()["deal"] == len(cards), 20.0)
        assert wait(lambda: house.snapshot()["players"][0]["captured"] == list(cards[-1]))
        events = house.snapshot()["events"]
        assert {e["event"] for e in events} <= {"start", "next-deal", "adopt"}
        took = [e["table"]["captures"]["A"] for e in events if e["event"] == "adopt"]
        assert took == [list(names) for names in cards]
    finally:
        house.stop()
