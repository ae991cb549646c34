"""The printable sheets, measured as a printer would lay them down: rendered, not read back from the writer's own numbers."""
from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
import pytest

from scorer.errors import InputError
from vision.markers import MARKER_MM, find_markers
from webui import printing

DPI = 150
MM = DPI / 25.4


@pytest.fixture(scope="module")
def hwatu(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("print") / "deck.pdf"
    assert printing.print_deck("hwatu", None, path) == (50, 4)
    return path


def rendered(path: Path, page: int = 0) -> np.ndarray:
    with pypdfium2.PdfDocument(path) as document:
        return document[page].render(scale=DPI / 72).to_numpy().copy()


def page_sizes(path: Path) -> list[tuple[float, float]]:
    with pypdfium2.PdfDocument(path) as document:
        return [tuple(round(v / 72 * 25.4, 1) for v in document[k].get_size()) for k in range(len(document))]


def cards_on(image: np.ndarray) -> list[tuple[float, float, float, float]]:
    """Boxes (x, y, w, h) in mm of the big coloured shapes on a white page, row by row."""
    ink = (image.min(2) < 200).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(ink)
    boxes = [tuple(float(v) / MM for v in row[:4]) for row in stats[1:] if row[2] > 33 * MM and row[3] > 50 * MM]
    return sorted(boxes, key=lambda box: (round(box[1] / 10), box[0]))


def test_the_deck_is_on_a4_at_true_size(hwatu):
    assert page_sizes(hwatu) == [(210.0, 297.0)] * 4
    for page in range(4):
        boxes = cards_on(rendered(hwatu, page))
        assert len(boxes) == 25
        sizes = np.array(boxes)[:, 2:]
        assert np.abs(sizes - (35, 54)).max() < 0.4, sizes


def test_the_printed_cards_are_the_drawn_cards_in_order(hwatu):
    image = rendered(hwatu)
    names = [card for card, _ in printing.load_deck(printing.shipped("datasets", "decks", "hwatu")).copies]
    for name, (x, y, w, h) in zip(names, cards_on(image), strict=False):
        kept = cv2.imread(str(printing.shipped("datasets", "decks", "hwatu", f"{name}.png")), cv2.IMREAD_UNCHANGED)
        crop = cv2.resize(image[round(y * MM):round((y + h) * MM), round(x * MM):round((x + w) * MM)], (97, 150),
            interpolation=cv2.INTER_AREA)
        kept = cv2.resize(kept, (97, 150), interpolation=cv2.INTER_AREA)
        inner = (slice(8, -8), slice(8, -8))
        assert np.abs(crop[inner].astype(int) - kept[..., :3][inner]).mean() < 12, name


def test_backs_lie_behind_their_faces(tmp_path):
    path = tmp_path / "french.pdf"
    assert printing.print_deck("french", "bold", path) == (54, 12)
    image = rendered(path, 1)
    boxes = np.array(cards_on(image))
    assert len(boxes) == 9
    # Centred on the page, so that a sheet turned over matches: the outermost cuts are equally far from both edges.
    assert boxes[:, 0].min() == pytest.approx(210 - (boxes[:, 0] + boxes[:, 2]).max(), abs=0.3)


def test_crop_marks_point_at_every_cut(hwatu):
    image = rendered(hwatu)
    boxes = np.array(cards_on(image))
    strip = image[round((boxes[:, 1].min() - 4) * MM)].min(1) < 215
    for x in {round(v, 1) for v in [*boxes[:, 0], *(boxes[:, 0] + boxes[:, 2])]}:
        assert strip[max(round(x * MM) - 3, 0):round(x * MM) + 4].any(), x


def test_letter_paper(tmp_path):
    path = tmp_path / "deck.pdf"
    cards, pages = printing.print_deck("hwatu", "hwatu", path, paper="letter", backs=False)
    assert (cards, pages) == (50, 3)
    assert page_sizes(path) == [(215.9, 279.4)] * 3


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_the_markers_are_found_and_true_to_the_millimetre(tmp_path, paper):
    path = tmp_path / "markers.pdf"
    printing.print_markers(path, paper)
    image = rendered(path)
    found = find_markers(image)
    assert sorted(found) == [0, 1, 2, 3]
    for quad in found.values():
        sides = np.linalg.norm(quad - np.roll(quad, -1, 0), axis=1) / MM
        assert np.abs(sides - MARKER_MM).max() < 0.4
    centre = {n: quad.mean(0) for n, quad in found.items()}
    assert centre[0][0] < centre[1][0]
    assert centre[0][1] < centre[3][1]
    assert centre[2][0] > centre[3][0]
    assert abs(centre[1][0] - centre[2][0]) < MM
    # Each upright: its own top left corner is the leftmost and topmost of its four.
    assert all(quad[0].sum() == quad.sum(1).min() for quad in found.values())


def test_the_designs_of_each_kind():
    assert printing.designs("hwatu") == ["hwatu"]
    assert printing.designs("numbers")[0] == "numbers-round"
    assert set(printing.designs("numbers")) == {"numbers-round", "numbers-didone", "numbers-block", "numbers-nib"}
    assert set(printing.designs("french")) == {"french-classic", "french-bold"}


@pytest.mark.parametrize(("call", "code", "says"), [
    (lambda p: printing.print_deck("numbers", "blok", p / "a.pdf"), "unknown-design", "numbers-block"),
    (lambda p: printing.print_deck("tarot", None, p / "a.pdf"), "unknown-deck", "hwatu"),
    (lambda p: printing.print_deck("hwatu", None, p), "unwritable-file", "--out"),
    (lambda p: printing.print_markers(p / "a.pdf", "a5"), "unknown-paper", "a4"),
])
def test_bad_wishes_name_the_mend(tmp_path, call, code, says):
    with pytest.raises(InputError, match=says) as caught:
        call(tmp_path)
    assert caught.value.code == code
    assert "\n" not in str(caught.value)


def test_the_commands_write_where_they_say(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert printing.markers_main(argparse.Namespace(out=None, paper="a4")) == 0
    assert printing.deck_main(argparse.Namespace(deck="hwatu", design=None, out=str(tmp_path / "new" / "d.pdf"), paper="a4")) == 0
    said = capsys.readouterr().out
    assert "build/markers.pdf" in said
    assert "50 cards on 4 pages" in said
    assert (tmp_path / "build/markers.pdf").read_bytes()[:5] == b"%PDF-"
    assert (tmp_path / "new/d.pdf").read_bytes()[:5] == b"%PDF-"
