"""Printable sheets, at true size: the drawn decks with crop marks, and the four corner markers of the table.

The cards' SVG files are read as data and stay vectors in the PDF.
"""
from __future__ import annotations

import argparse
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from pathlib import Path

from fpdf import FPDF
from fpdf.drawing import ClippingPath, GraphicsContext, Transform
from fpdf.svg import SVGObject, svg_path_converter

from scorer.cards import load_deck
from scorer.errors import InputError, did_you_mean
from vision.files import shipped
from vision.markers import IDS, MARKER_MM, marker_modules

PAPERS_MM = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
_MARGIN = 7.0  # what most printers leave white, and room for the crop marks
_GAP = 2.0
_CROP = 4.0
_SVG = "{http://www.w3.org/2000/svg}"


def designs(kind: str) -> list[str]:
    """The drawn decks of a kind by folder name, the usual one first."""
    preferred = ("hwatu", "numbers-round", "french-classic")
    names = [f.name for f in shipped("datasets", "decks").iterdir() if f.name.split("-")[0] == kind and (f / "deck.toml").exists()]
    return sorted(names, key=lambda name: (name not in preferred, name))


def print_deck(kind: str, design: str | None, path: str | Path, paper: str = "a4", backs: bool = True) -> tuple[int, int]:
    """Write a drawn deck as a PDF and return (cards, pages).

    Every copy that the deck file names is laid at true size, in rows with crop marks. With `backs` a page of backs follows each
    page of faces, for printing on both sides. `design` is a folder's name or its last word (`block` for `numbers-block`).
    Raises InputError where there is no such deck or the file cannot be written.
    """
    known = designs(kind)
    if not known:
        raise InputError("unknown-deck", f"there is no drawn deck of the kind {kind!r}", mend=did_you_mean(kind, ("hwatu", "numbers",
            "french")))
    name = design or known[0]
    name = f"{kind}-{name}" if f"{kind}-{name}" in known else name
    if name not in known:
        raise InputError("unknown-design", f"there is no drawn {kind} deck called {design!r}", mend=did_you_mean(name, known))
    folder = shipped("datasets", "decks", name)
    deck = load_deck(folder)
    cards = [card for card, copies in deck.copies for _ in range(copies)]
    width, height = deck.size_mm
    pdf = _sheet(paper, f"Kibitz: {name}")
    spots = list(_grid(pdf, width, height))
    faces = {card: (folder / f"{card}.svg").read_text(encoding="utf-8") for card in dict.fromkeys([*cards, "back"])}
    for start in range(0, len(cards), len(spots)):
        page = list(zip(cards[start:start + len(spots)], spots, strict=False))
        # Turned over, the sheet's left is its right.
        behind = [("back", (pdf.w - x - width, y)) for _, (x, y) in page]
        for side in (page, behind) if backs else (page,):
            pdf.add_page()
            _crop_marks(pdf, spots, width, height)
            for card, (x, y) in side:
                _place(pdf, faces[card], x, y, width, height)
    _write(pdf, path)
    return len(cards), pdf.pages_count


def print_markers(path: str | Path, paper: str = "a4") -> None:
    """Write the four corner markers, true to the millimetre, each with a cutting line and the corner where it belongs.

    Raises InputError where the file cannot be written.
    """
    pdf = _sheet(paper, "Kibitz: corner markers")
    pdf.add_page()
    wide, high = pdf.w, pdf.h
    pdf.set_font("Helvetica", size=11)
    pdf.set_xy(0, 9)
    pdf.cell(wide, 6, "Print at 100 % (no fitting to the page), cut along the dashed lines and lay the markers flat.", align="C")
    quiet = MARKER_MM / 6 * 1.5  # the white that detection needs around the black square, with a half module to spare
    label = 16.0
    box = MARKER_MM + 2 * quiet
    left, top = (wide - 2 * box - 14) / 2, 20.0
    for number in IDS:
        # The sheet shows the four as they lie on the table: 0 top left, then clockwise.
        right, low = number in (1, 2), number in (2, 3)
        x, y = left + right * (box + 14), top + low * (box + label + 8)
        _marker(pdf, number, x + quiet, y + quiet)
        pdf.set_dash_pattern(dash=2, gap=1.6)
        pdf.set_line_width(0.2)
        pdf.rect(x, y, box, box + label)
        pdf.set_dash_pattern()
        _where(pdf, number, x + quiet, y + box + 1)
    ruler = top + 2 * (box + label + 8) + 8
    pdf.set_line_width(0.3)
    x0 = (wide - 100) / 2
    pdf.line(x0, ruler, x0 + 100, ruler)
    for k in range(11):
        pdf.line(x0 + 10 * k, ruler - (3 if k % 5 == 0 else 1.6), x0 + 10 * k, ruler)
    pdf.set_xy(0, ruler + 2)
    pdf.cell(wide, 6, f"Check with a ruler: this line is 100 mm, a black square {MARKER_MM:g} mm.", align="C")
    pdf.set_xy(0, min(ruler + 9, high - 16))
    pdf.cell(wide, 6, "Lay the corner with the red mark on that corner of the playing area, as the camera sees it.", align="C")
    _write(pdf, path)


def deck_main(args: argparse.Namespace) -> int:
    """`kibitz deck print`."""
    path = Path(args.out or f"build/deck-{args.deck}.pdf")
    cards, pages = print_deck(args.deck, getattr(args, "design", None), path, args.paper)
    print(f"{path}: {cards} cards on {pages} pages, backs on every second one; print on both sides at 100 %")
    return 0


def markers_main(args: argparse.Namespace) -> int:
    """`kibitz markers`."""
    path = Path(args.out or "build/markers.pdf")
    print_markers(path, args.paper)
    print(f"{path}: four corner markers of {MARKER_MM:g} mm; print at 100 % and check the ruler on the sheet")
    return 0


def _sheet(paper: str, title: str) -> FPDF:
    if paper not in PAPERS_MM:
        raise InputError("unknown-paper", f"there is no paper size {paper!r} here", mend=did_you_mean(paper, PAPERS_MM))
    pdf = FPDF(unit="mm", format=PAPERS_MM[paper])
    pdf.set_auto_page_break(False)
    pdf.set_margin(0)
    pdf.set_title(title)
    pdf.set_creator("Kibitz")
    return pdf


def _write(pdf: FPDF, path: str | Path) -> None:
    file = Path(path)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(pdf.output())
    except OSError as error:
        raise InputError("unwritable-file", f"cannot be written ({error.strerror})", str(file), "name another file with --out") from error


def _grid(pdf: FPDF, width: float, height: float) -> Iterator[tuple[float, float]]:
    """Top left corners of the cards on a page, in rows, the whole centred so that fronts and backs meet."""
    columns = int((pdf.w - 2 * _MARGIN + _GAP) // (width + _GAP))
    rows = int((pdf.h - 2 * _MARGIN + _GAP) // (height + _GAP))
    left = (pdf.w - columns * width - (columns - 1) * _GAP) / 2
    top = (pdf.h - rows * height - (rows - 1) * _GAP) / 2
    for row in range(rows):
        for column in range(columns):
            yield left + column * (width + _GAP), top + row * (height + _GAP)


def _crop_marks(pdf: FPDF, spots: Sequence[tuple[float, float]], width: float, height: float) -> None:
    """Short lines in the margins where every cut begins and ends."""
    pdf.set_line_width(0.15)
    pdf.set_draw_color(90)
    xs = sorted({x + dx for x, _ in spots for dx in (0, width)})
    ys = sorted({y + dy for _, y in spots for dy in (0, height)})
    for x in xs:
        pdf.line(x, ys[0] - 1.5 - _CROP, x, ys[0] - 1.5)
        pdf.line(x, ys[-1] + 1.5, x, ys[-1] + 1.5 + _CROP)
    for y in ys:
        pdf.line(xs[0] - 1.5 - _CROP, y, xs[0] - 1.5, y)
        pdf.line(xs[-1] + 1.5, y, xs[-1] + 1.5 + _CROP, y)


def _place(pdf: FPDF, svg: str, x: float, y: float, width: float, height: float) -> None:
    """Draw a card's SVG with its top left corner at (x, y) mm."""
    root = ET.fromstring(svg)
    clips: dict[str, str] = {}
    for child in list(root):
        if child.tag == f"{_SVG}clipPath":
            clips[f"url(#{child.get('id')})"] = child[0].get("d") or ""
        if child.tag in (f"{_SVG}clipPath", f"{_SVG}title"):
            root.remove(child)
    drawing = SVGObject(ET.tostring(root, encoding="unicode"))
    # fpdf2 clips paths but not groups, so that the groups' clips are set by hand.
    for child, item in zip(root, drawing.base_group.path_items, strict=True):
        clip = clips.get(child.get("clip-path") or "")
        if clip and isinstance(item, GraphicsContext):
            outline = ClippingPath()
            svg_path_converter(outline, clip)
            item.clipping_path = outline
    _, _, group = drawing.transform_to_rect_viewport(scale=1, width=width, height=height, ignore_svg_top_attrs=True)
    group.transform = (group.transform or Transform.identity()) @ Transform.translation(x, y)
    pdf.draw_path(group, copy=False)


def _marker(pdf: FPDF, number: int, x: float, y: float) -> None:
    """A marker's black square with its white modules, its top left corner at (x, y) mm."""
    modules = marker_modules(number)
    size = MARKER_MM / len(modules)
    pdf.set_fill_color(0)
    pdf.rect(x, y, MARKER_MM, MARKER_MM, style="F")
    pdf.set_fill_color(255)
    for row, column in zip(*(~modules).nonzero(), strict=True):
        pdf.rect(x + column * size, y + row * size, size, size, style="F")
    # The corner that lies on the table's corner: a mark outside the square, where detection does not look.
    cx, cy = x + MARKER_MM * (number in (1, 2)), y + MARKER_MM * (number in (2, 3))
    out_x, out_y = (1 if number in (1, 2) else -1), (1 if number in (2, 3) else -1)
    pdf.set_draw_color(210, 20, 30)
    pdf.set_line_width(0.8)
    pdf.line(cx + out_x * 2.5, cy + out_y * 2.5, cx + out_x * 7, cy + out_y * 7)
    pdf.set_draw_color(0)


def _where(pdf: FPDF, number: int, x: float, y: float) -> None:
    """A small picture of the table with the marker's corner filled, and its name."""
    pdf.set_line_width(0.4)
    pdf.rect(x, y, 16, 11)
    pdf.set_fill_color(210, 20, 30)
    pdf.rect(x + 12 * (number in (1, 2)), y + 7 * (number in (2, 3)), 4, 4, style="F")
    pdf.set_xy(x + 19, y + 2)
    pdf.cell(30, 7, f"{number}   {('top left', 'top right', 'bottom right', 'bottom left')[number]}")
