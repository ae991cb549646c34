"""Number cards n1 to n100 for The Game: four designs of our own, and as many more as a seed asks for.

A card is 63 by 88 mm, drawn in tenths. The same numeral stands big in the middle and small in the corners, both ways up;
numerals that read as another number upside down (6 and 9, 16 and 91, ...) carry a mark below. The foundations 1 and 100
are set apart, with the way their rows run.
"""
from __future__ import annotations

import colorsys
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass

from datasets.decks.lettering import Type, measure, underline, write
from datasets.decks.svg import Drawing, at, circle, document, line, round_rect, segments, smooth

WIDTH, HEIGHT = 630, 880
NUMBERS = range(1, 101)
_TURNED = {"0": "0", "1": "1", "6": "9", "8": "8", "9": "6"}


def upside_down(n: int) -> int | None:
    """The other number that the numeral reads as upside down, if any: 6 gives 9, 16 gives 91, 8 and 10 give None."""
    text = str(n)
    if any(c not in _TURNED for c in text) or text.endswith("0"):
        return None
    other = int("".join(_TURNED[c] for c in reversed(text)))
    return other if other != n else None


@dataclass(frozen=True, slots=True)
class NumberDesign:
    """How a deck of number cards looks.

    layout     centre (one big numeral), ends (one at each end, as playing cards have)
    ground     flat, tint (paper coloured by the number), bands (stripes), panel (a coloured field behind the numeral), split (halves)
    ornament   none, frame, ring, stars, waves, rays, dots, hills
    corners    0, 2 or 4 small numerals
    by_number  the ink's hue follows the number
    """

    name: str
    type: Type
    paper: str
    ink: str
    accent: str
    layout: str = "centre"
    ground: str = "flat"
    ornament: str = "none"
    corners: int = 2
    corner_height: float = 76
    height: float = 330
    mark: str = "bar"
    by_number: bool = False
    edge: str = ""
    hue: float = 0.6
    hue_span: float = -0.6
    seed: int = 0


DESIGNS: tuple[NumberDesign, ...] = (
    NumberDesign("round", Type("round", 0.15, 0.6, 2.1, base1=False, gap=0.1), "#fffefa", "#22303f", "#e9edf0", ornament="frame", corners=4,
        by_number=True, hue=0.58, hue_span=-0.6),
    NumberDesign("didone", Type("didone", 0.2, 0.6, 2.0, gap=0.12), "#15171e", "#f3ead2", "#b9924a", ornament="stars", corners=2,
        corner_height=88, height=360, mark="double"),
    NumberDesign("block", Type("square", 0.15, 0.46, 4.0, gap=0.09, flat3=True, curved6=True),
        "#f6c945", "#ffffff", "#1a1c22", ground="tint", ornament="waves", corners=2,
                 corner_height=96, height=420, mark="triangle", edge="#1a1c22", hue=0.62, hue_span=-0.62),
    NumberDesign("nib", Type("nib", 0.19, 0.56, 2.0, slant=0.16, gap=0.1, open4=True, bar7=True),
        "#f4e8cd", "#233a6b", "#c4502f", layout="ends", ornament="hills", corners=2, corner_height=70, height=250, mark="dot"),
)


def random_design(seed: int) -> NumberDesign:
    """A design that no one has drawn: type, layout and colours by the seed, the ink always readable on its paper."""
    rng = random.Random(seed)
    pen = rng.choices(("round", "square", "nib", "didone", "hollow"), (5, 4, 2, 3, 1))[0]
    thin, thick = {"nib": (0.12, 0.2), "didone": (0.13, 0.22), "hollow": (0.13, 0.19)}.get(pen, (0.07, 0.18))
    face = Type(pen, rng.uniform(thin, thick), rng.uniform(0.42, 0.7), rng.choice((2.0, 2.2, 2.6, 3.5, 5.0)),
        rng.choice((0, 0, 0, 0.1, 0.18, -0.06)),
                rng.uniform(0.07, 0.18), rng.random() < 0.25, rng.random() < 0.3, rng.random() < 0.3, rng.random() < 0.2,
                    rng.random() < 0.8)
    kind = rng.choices(("pale", "dark", "bright"), (5, 3, 3))[0]
    hue = rng.random()
    light = {"pale": rng.uniform(0.88, 1.0), "dark": rng.uniform(0.03, 0.2), "bright": rng.uniform(0.3, 0.75)}[kind]
    paper = hsl(hue, rng.random() * (0.9 if kind == "bright" else 0.5), light)
    by_number = rng.random() < 0.3 and kind != "bright"
    ink = paper
    while abs(lightness(ink) - lightness(paper)) < 0.4:
        ink = hsl(rng.random(), rng.choice((0.0, 0.1, 0.6, 1.0)) * rng.random(), rng.choice((0.04, 0.1, 0.3, 0.9, 0.98)))
    accent = paper
    while abs(lightness(accent) - lightness(paper)) < 0.08 or abs(lightness(accent) - lightness(ink)) < 0.2:
        accent = hsl(rng.random(), rng.random(), rng.uniform(0.1, 0.95))
    return NumberDesign(
        f"seed-{seed}", face, paper, ink, accent,
        layout=rng.choices(("centre", "ends"), (4, 1))[0],
        ground=rng.choices(("flat", "tint", "bands", "panel", "split"), (6, 2, 1, 2, 1))[0],
        ornament=rng.choice(("none", "none", "frame", "ring", "stars", "waves", "rays", "dots", "hills")),
        corners=rng.choices((0, 2, 4), (1, 5, 3))[0], corner_height=rng.uniform(52, 118), height=rng.uniform(210, 520),
        mark=rng.choice(("bar", "bar", "double", "dot", "triangle")), by_number=by_number,
        edge=hsl(rng.random(), rng.random(), 0.1 if lightness(ink) > 0.5 else 0.95) if rng.random() < 0.25 else "",
        hue=rng.random(), hue_span=rng.uniform(-1, 1), seed=seed)


def hsl(hue: float, saturation: float, light: float) -> str:
    """A #rrggbb colour from hue (turns), saturation and lightness, each 0 to 1."""
    r, g, b = colorsys.hls_to_rgb(hue % 1.0, light, saturation)
    return f"#{round(r * 255):02x}{round(g * 255):02x}{round(b * 255):02x}"


def lightness(colour: str) -> float:
    """How light a #rrggbb colour looks, 0 to 1."""
    r, g, b = (int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5))
    return 0.3 * r + 0.59 * g + 0.11 * b


def _colours(design: NumberDesign, n: int) -> tuple[str, str, str]:
    """Paper, ink and accent of one card."""
    paper, ink, accent = design.paper, design.ink, design.accent
    hue = design.hue + design.hue_span * (n - 1) / 99
    dark = lightness(paper) < 0.5
    if design.ground == "tint":
        paper = hsl(hue, 0.62, 0.34 if lightness(ink) > 0.5 else 0.78)
    if design.by_number:
        ink = hsl(hue, 0.7, 0.7 if dark else 0.34)
    if n in (1, 100):
        # Foundations: the colours of the others exchanged, so that they are found at once.
        paper, ink = ink, paper
        if abs(lightness(paper) - lightness(accent)) < 0.15:
            accent = ink
    return paper, ink, accent


def _ground(s: Drawing, design: NumberDesign, n: int, paper: str, accent: str) -> None:
    s.fill(round_rect(0, 0, WIDTH, HEIGHT, 34), paper)
    if design.ground == "panel":
        s.fill(round_rect(95, 150, WIDTH - 190, HEIGHT - 300, 30), accent)
    elif design.ground == "split":
        s.fill(f"M0 {HEIGHT / 2:.0f}H{WIDTH}V{HEIGHT - 34}a34 34 0 0 1 -34 34H34a34 34 0 0 1 -34 -34z", accent)
    elif design.ground == "bands":
        for k in range(4):
            s.fill(f"M0 {60 + 210 * k}H{WIDTH}v70H0z", accent)


def _ornament(s: Drawing, design: NumberDesign, n: int, ink: str, accent: str) -> None:
    rng = random.Random(design.seed * 1000 + n)
    middle = WIDTH / 2, HEIGHT / 2
    kind = design.ornament
    if kind == "frame":
        s.stroke(round_rect(26, 26, WIDTH - 52, HEIGHT - 52, 20), accent, 8)
    elif kind == "ring":
        s.stroke(circle(middle, 250), accent, 10)
        s.stroke(circle(middle, 272), accent, 3)
    elif kind == "stars":
        s.stroke(circle(middle, 262), accent, 5)
        s.stroke("".join(f"M{rng.uniform(40, 590):.0f} {rng.uniform(40, 840):.0f}h.1" for _ in range(26)), accent, 7)
        for k in range(n % 10 or 10):
            s.fill(circle(at(middle, 36 * k, 262), 11), accent)
    elif kind == "waves":
        d = ""
        for y in range(40, HEIGHT, 88):
            d += smooth([(x, y + 20 * math.sin(x / 62 + y)) for x in range(10, WIDTH, 76)])
        s.stroke(d, ink, 2)
    elif kind == "rays":
        s.stroke(segments((at(middle, a, 120), at(middle, a, 300)) for a in range(0, 360, 12)), accent, 7)
    elif kind == "dots":
        s.stroke("".join(f"M{x + (y // 70 % 2) * 35} {y}h.1" for y in range(50, HEIGHT - 30, 70) for x in range(40, WIDTH - 40, 70)),
            accent, 16)
    elif kind == "hills":
        left, right = rng.uniform(-30, 30), rng.uniform(-30, 30)
        ridge = [(30, 440 + left), (170, 440 - left), (315, 440), (460, 440 + right), (600, 440 - right)]
        s.stroke(smooth(ridge), accent, 12)
        s.stroke(smooth([(x, y - 26) for x, y in ridge[1:4]]) + smooth([(x, y + 26) for x, y in ridge[1:4]]), ink, 4)


def _numeral(s: Drawing, design: NumberDesign, n: int, centre: tuple[float, float],
        height: float, ink: str, paper: str, half_turn: bool, small: bool = False) -> None:
    text = str(n)
    room = WIDTH * (0.3 if small else 0.58 if design.ground == "panel" else 0.86)
    height *= min(1.0, room / measure(text, design.type, height))
    write(s, text, design.type, centre, height, ink, paper, half_turn, "" if small else design.edge)
    if upside_down(n) is not None:
        width = measure(text, design.type, height)
        underline(s, centre, max(width * 0.8, height * 0.4), height * 0.5 + height * (0.16 if small else 0.12), ink, half_turn, design.mark)


def draw_number(design: NumberDesign, n: int) -> str:
    """The SVG of card `n` (1-100)."""
    if n not in NUMBERS:
        raise ValueError(f"The Game has cards 1 to 100, not {n}")
    paper, ink, accent = _colours(design, n)
    s = Drawing()
    _ground(s, design, n, paper, accent)
    if not (design.layout == "ends" and n in (1, 100)):
        _ornament(s, design, n, ink, accent)
    big = "#ffffff" if design.ground == "panel" and lightness(accent) < 0.5 and lightness(ink) < 0.5 else ink
    if design.layout == "ends":
        middle = 285 if design.ground == "panel" else 240
        height = min(design.height, 220 if design.ground == "panel" else 290)
        _numeral(s, design, n, (WIDTH / 2, middle), height, big, paper, False)
        _numeral(s, design, n, (WIDTH / 2, HEIGHT - middle), height, big, paper, True)
    else:
        height = min(design.height, 460) if design.ground == "panel" else design.height
        _numeral(s, design, n, (WIDTH / 2, HEIGHT / 2), height, big, paper, False)
    h = design.corner_height
    x = 40 + max(measure(str(n), design.type, h), h * 0.6) / 2
    y = 44 + h / 2
    spots = [(x, y, False), (WIDTH - x, HEIGHT - y, True), (WIDTH - x, y, False), (x, HEIGHT - y, True)]
    for cx, cy, half_turn in spots[:design.corners]:
        _numeral(s, design, n, (cx, cy), h, ink, paper, half_turn, small=True)
    if n in (1, 100):
        # Which way the row runs: up from 1, down from 100.
        up = 1 if n == 1 else -1
        middle = HEIGHT / 2 if design.layout == "ends" else HEIGHT * (0.16 if n == 1 else 0.84)
        for k in (-1, 0, 1):
            y = middle + 26 * k
            s.stroke(line([(WIDTH / 2 - 50, y + up * 12), (WIDTH / 2, y - up * 12), (WIDTH / 2 + 50, y + up * 12)]), accent, 12)
    return document(WIDTH, HEIGHT, s.body(), f"n{n}")


def draw_back(design: NumberDesign) -> str:
    s = Drawing()
    paper, ink = (design.ink, design.paper) if design.ground != "tint" else (design.accent, design.paper)
    s.fill(round_rect(0, 0, WIDTH, HEIGHT, 34), design.paper)
    s.fill(round_rect(28, 28, WIDTH - 56, HEIGHT - 56, 22), paper)
    for k in range(6):
        s.stroke(circle((WIDTH / 2, HEIGHT / 2), 40 + 40 * k), ink, 10 - k)
    s.stroke(segments((at((WIDTH / 2, HEIGHT / 2), a, 262), at((WIDTH / 2, HEIGHT / 2), a, 284)) for a in range(0, 360, 10)),
        design.accent, 8)
    return document(WIDTH, HEIGHT, s.body(), "back")


def draw_deck(design: NumberDesign) -> Iterator[tuple[str, str]]:
    """(card name, SVG text) of n1 to n100 and the back."""
    for n in NUMBERS:
        yield f"n{n}", draw_number(design, n)
    yield "back", draw_back(design)
