"""The project's own hwatu deck: 48 cards, two bonus cards and a back, each an SVG of 350 by 540 tenths of a millimetre.

Months are the Korean ones (11 paulownia, 12 rain). Motifs follow the tradition of the game; every line is drawn here
from numbers.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from datasets.decks import hwatu_months_1_6 as early
from datasets.decks import hwatu_months_7_12 as late
from datasets.decks.glyphs import boxed
from datasets.decks.hwatu_plants import BLACK, BLUE, GREEN, PAPER, RED, YELLOW
from datasets.decks.svg import Drawing, circle, document, round_rect, segments, smooth

WIDTH, HEIGHT = 350, 540
RIM = 15


def _card(name: str, draw: Callable[[Drawing], None], title: str, paper: str = PAPER) -> str:
    s = Drawing()
    s.fill(round_rect(0, 0, WIDTH, HEIGHT, 24), RED)
    panel = round_rect(RIM, RIM, WIDTH - 2 * RIM, HEIGHT - 2 * RIM, 20)
    s.fill(panel, paper)
    s.begin('clip-path="url(#panel)"')
    draw(s)
    s.end()
    s.stroke(panel, BLACK, 4)
    return document(WIDTH, HEIGHT, f'<clipPath id="panel"><path d="{panel}"/></clipPath>{s.body()}', title)


# ---- bonus cards and the back --------------------------------------------------------------------------------------

def _taegeuk(s: Drawing, x: float, y: float, r: float, colours: tuple[str, ...]) -> None:
    """A taegeuk of two or three commas."""
    count = len(colours)
    s.ink(circle((x, y), r), colours[0], 5)
    for k, colour in enumerate(colours):
        a0 = math.radians(-90 + 360 * k / count)
        a1 = math.radians(-90 + 360 * (k + 1) / count)
        p0 = x + r * math.cos(a0), y + r * math.sin(a0)
        p1 = x + r * math.cos(a1), y + r * math.sin(a1)
        h = r / 2
        s.ink(f"M{x:.1f} {y:.1f}A{h:.1f} {h:.1f} 0 0 0 {p0[0]:.1f} {p0[1]:.1f}A{r:.1f} {r:.1f} 0 0 1 {p1[0]:.1f} {p1[1]:.1f}"
              f"A{h:.1f} {h:.1f} 0 0 1 {x:.1f} {y:.1f}z", colour, 4)


def _digit(s: Drawing, points: list[tuple[float, float]], width: float) -> None:
    d = smooth(points)
    s.stroke(d, BLACK, width + 9)
    s.stroke(d, YELLOW, width)


def _joker(s: Drawing, worth: int) -> None:
    for y, up in ((6, 1), (534, -1)):
        s.fill(f"M6 {y}H344V{y + up * 76}H6z", BLUE if worth == 2 else GREEN)
        s.stroke("".join(smooth([(x, y + up * 78), (x + 22, y + up * 52), (x + 44, y + up * 78)]) + smooth([(x + 9, y + up * 78), (x
            + 22, y + up * 64), (x + 35, y + up * 78)]) for x in range(-2, 350, 44)), PAPER, 4)
        s.stroke(f"M6 {y + up * 78}H344", BLACK, 4)
    if worth == 2:
        _taegeuk(s, 175, 228, 104, (RED, BLUE))
        s.fill(boxed("쌍", 92, 352, 78, 92, 1.1) + boxed("피", 184, 352, 78, 92, 1.1), BLACK)
    else:
        _taegeuk(s, 175, 228, 104, (RED, YELLOW, BLUE))
        s.stroke(smooth([(100, 364), (124, 352), (146, 364), (140, 388), (120, 394), (144, 402), (150, 424), (128, 442), (100, 432)]),
            BLACK, 12)
        s.fill(boxed("피", 184, 352, 78, 92, 1.1), BLACK)


def _joker_2(s: Drawing) -> None:
    _joker(s, 2)


def _joker_3(s: Drawing) -> None:
    _joker(s, 3)


def back() -> str:
    s = Drawing()
    s.fill(round_rect(0, 0, WIDTH, HEIGHT, 24), RED)
    s.stroke(round_rect(22, 22, WIDTH - 44, HEIGHT - 44, 14), "#a80a12", 5)
    lines = []
    for k in range(-540, 350, 22):
        for a, b in (((k, 30), (k + 480, 510)), ((350 - k, 30), (350 - k - 480, 510))):
            (x0, y0), (x1, y1) = a, b
            step = (y1 - y0) / (x1 - x0)
            lo, hi = 30.0, 320.0
            pts = []
            for x in (max(lo, min(x0, x1)), min(hi, max(x0, x1))):
                pts.append((x, y0 + (x - x0) * step))
            if pts[0][0] < pts[1][0]:
                lines.append((pts[0], pts[1]))
    s.stroke(segments(lines), "#c20c15", 3)
    return document(WIDTH, HEIGHT, s.body(), "back")


CARDS: dict[str, Callable[[Drawing], None]] = {
    "01-bright": early.m01_bright, "01-ribbon": early.m01_ribbon, "01-junk-a": early.m01_junk_a, "01-junk-b": early.m01_junk_b,
    "02-animal": early.m02_animal, "02-ribbon": early.m02_ribbon, "02-junk-a": early.m02_junk_a, "02-junk-b": early.m02_junk_b,
    "03-bright": early.m03_bright, "03-ribbon": early.m03_ribbon, "03-junk-a": early.m03_junk_a, "03-junk-b": early.m03_junk_b,
    "04-animal": early.m04_animal, "04-ribbon": early.m04_ribbon, "04-junk-a": early.m04_junk_a, "04-junk-b": early.m04_junk_b,
    "05-animal": early.m05_animal, "05-ribbon": early.m05_ribbon, "05-junk-a": early.m05_junk_a, "05-junk-b": early.m05_junk_b,
    "06-animal": early.m06_animal, "06-ribbon": early.m06_ribbon, "06-junk-a": early.m06_junk_a, "06-junk-b": early.m06_junk_b,
    "07-animal": late.m07_animal, "07-ribbon": late.m07_ribbon, "07-junk-a": late.m07_junk_a, "07-junk-b": late.m07_junk_b,
    "08-bright": late.m08_bright, "08-animal": late.m08_animal, "08-junk-a": late.m08_junk_a, "08-junk-b": late.m08_junk_b,
    "09-animal": late.m09_animal, "09-ribbon": late.m09_ribbon, "09-junk-a": late.m09_junk_a, "09-junk-b": late.m09_junk_b,
    "10-animal": late.m10_animal, "10-ribbon": late.m10_ribbon, "10-junk-a": late.m10_junk_a, "10-junk-b": late.m10_junk_b,
    "11-bright": late.m11_bright, "11-junk-a": late.m11_junk_a, "11-junk-b": late.m11_junk_b, "11-junk-double": late.m11_double,
    "12-bright": late.m12_bright, "12-animal": late.m12_animal, "12-ribbon": late.m12_ribbon, "12-junk-double": late.m12_double,
    "joker-2": _joker_2, "joker-3": _joker_3,
}


# The two plain junk cards of a month that differ by a hair only.
TWINS: tuple[tuple[str, ...], ...] = (("08-junk-a", "08-junk-b"),)


def draw_deck() -> Iterator[tuple[str, str]]:
    """(card name, SVG text) of the whole deck."""
    for name, draw in CARDS.items():
        yield name, _card(name, draw, name)
    yield "back", back()
