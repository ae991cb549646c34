"""Numerals and index letters as pen strokes: one skeleton, many pens, so that decks differ in type as real ones do.

A glyph is drawn in a box of width `w` and height 1, y downwards; a stroke is a list of smooth runs that meet at corners.
"""
from __future__ import annotations

import math
from dataclasses import dataclass

from datasets.decks.svg import Drawing, Point, num, segments, shape, trail

Run = list[Point]
Stroke = list[Run]


@dataclass(frozen=True, slots=True)
class Type:
    """A type style.

    pen      round, square (butt ends), nib (broad pen at a slant), didone (thick uprights, hairlines), hollow (outlined)
    weight   stroke width as a share of the height
    width    glyph width as a share of the height
    bowl     2 is an ellipse, larger is squarer
    slant    sideways lean at the top as a share of the height
    """

    pen: str = "round"
    weight: float = 0.14
    width: float = 0.56
    bowl: float = 2.2
    slant: float = 0.0
    gap: float = 0.14
    flat3: bool = False
    open4: bool = False
    base1: bool = False
    bar7: bool = False
    curved6: bool = True


def _arc(cx: float, cy: float, rx: float, ry: float, start: float, end: float, bowl: float) -> Run:
    """Part of a superellipse; angles in degrees, 0 right, 90 down."""
    steps = max(3, round(abs(end - start) / (24 if bowl > 2.5 else 36)))
    out = []
    for k in range(steps + 1):
        angle = math.radians(start + (end - start) * k / steps)
        c, s = math.cos(angle), math.sin(angle)
        out.append((cx + rx * math.copysign(abs(c) ** (2 / bowl), c), cy + ry * math.copysign(abs(s) ** (2 / bowl), s)))
    return out


def _glyph(char: str, t: Type) -> tuple[list[Stroke], list[tuple[Point, Point]]]:
    """Strokes of a glyph in a box of 1 by 1, and where serifs stand."""
    b = t.bowl
    if char in "0O":
        return [[_arc(0.5, 0.5, 0.5, 0.5, -90, 270, b)]], []
    if char == "1":
        if t.pen in ("didone", "nib"):
            # A broad pen begins the stem with a short flag of its own.
            return [[[(0.62, 0.0), (0.62, 1.0)]], [[(0.16, 0.2), (0.4, 0.12), (0.62, 0.0)]]], [((0.3, 1.0), (0.94, 1.0))]
        strokes = [[[(0.12, 0.24), (0.62, 0.0)], [(0.62, 0.0), (0.62, 1.0)]]]
        if t.base1:
            strokes.append([[(0.14, 1.0), (1.0, 1.0)]])
        return strokes, [((0.3, 1.0), (0.94, 1.0))]
    if char == "2":
        top = _arc(0.5, 0.28, 0.46, 0.28, 190, 395, min(b, 2.6))
        return [[top, [top[-1], (0.02, 1.0)], [(0.02, 1.0), (1.0, 1.0)]]], [((1.0, 0.84), (1.0, 1.0))]
    if char == "3":
        if t.flat3:
            low = _arc(0.44, 0.69, 0.52, 0.31, 268, 506, b)
            return [[[(0.06, 0.0), (0.94, 0.0)], [(0.94, 0.0), low[0]], low]], []
        high = _arc(0.47, 0.25, 0.42, 0.25, 198, 448, b)
        low = _arc(0.46, 0.74, 0.5, 0.26, 272, 520, b)
        return [[high], [low]], []
    if char == "4":
        if t.open4:
            return [[[(0.34, 0.0), (0.0, 0.68)], [(0.0, 0.68), (1.0, 0.68)]], [[(0.74, 0.36), (0.74, 1.0)]]], [((0.56, 1.0), (0.92, 1.0))]
        return [[[(0.74, 1.0), (0.74, 0.0)], [(0.74, 0.0), (0.0, 0.7)], [(0.0, 0.7), (1.0, 0.7)]]], [((0.54, 1.0), (0.94, 1.0))]
    if char == "5":
        low = _arc(0.46, 0.68, 0.5, 0.32, 222, 512, b)
        return [[[(0.92, 0.0), (0.16, 0.0)], [(0.16, 0.0), low[0]], low]], [((0.92, 0.0), (0.92, 0.14))]
    if char in "69":
        bowl = _arc(0.5, 0.68, 0.5, 0.32, -180, 180, b)
        spine = [(0.84, 0.02), (0.5, 0.1), (0.2, 0.3), (0.04, 0.52), (0.0, 0.68)] if t.curved6 else [(0.72, 0.0), (0.06, 0.54)]
        strokes = [[bowl], [spine]]
        if char == "9":
            strokes = [[[(1 - x, 1 - y) for x, y in run] for run in stroke] for stroke in strokes]
        return strokes, []
    if char == "7":
        strokes = [[[(0.0, 0.0), (1.0, 0.0)], [(1.0, 0.0), (0.34, 1.0)]]]
        if t.bar7:
            strokes.append([[(0.26, 0.52), (0.94, 0.52)]])
        return strokes, [((0.0, 0.0), (0.0, 0.16))]
    if char == "8":
        return [[_arc(0.5, 0.25, 0.42, 0.25, 90, 450, b)], [_arc(0.5, 0.75, 0.5, 0.25, -90, 270, b)]], []
    if char == "A":
        return [[[(0.0, 1.0), (0.5, 0.0)], [(0.5, 0.0), (1.0, 1.0)]], [[(0.2, 0.66), (0.8, 0.66)]]], [((-0.14, 1.0), (0.18, 1.0)),
            ((0.8, 1.0), (1.14, 1.0))]
    if char == "J":
        hook = _arc(0.38, 0.7, 0.38, 0.3, 0, 160, b)
        return [[[(0.76, 0.0), (0.76, 0.7)], hook]], [((0.48, 0.0), (1.0, 0.0))]
    if char == "Q":
        return [[_arc(0.5, 0.48, 0.5, 0.48, -90, 270, b)], [[(0.56, 0.7), (1.02, 1.04)]]], []
    if char == "K":
        return [[[(0.06, 0.0), (0.06, 1.0)]], [[(0.96, 0.0), (0.06, 0.62)]], [[(0.4, 0.4), (1.0, 1.0)]]], [
            ((-0.12, 0.0), (0.26, 0.0)), ((-0.12, 1.0), (0.26, 1.0)), ((0.76, 0.0), (1.1, 0.0)), ((0.82, 1.0), (1.16, 1.0))]
    if char == "E":
        return [[[(0.94, 0.0), (0.06, 0.0)], [(0.06, 0.0), (0.06, 1.0)], [(0.06, 1.0), (0.94, 1.0)]], [[(0.06, 0.5), (0.8, 0.5)]]], []
    if char == "R":
        return [[[(0.06, 1.0), (0.06, 0.0)], [(0.06, 0.0), (0.5, 0.0)], _arc(0.5, 0.27, 0.42, 0.27, -90, 90, b), [(0.5, 0.54),
            (0.06, 0.54)]],
                [[(0.5, 0.54), (1.0, 1.0)]]], []
    raise ValueError(f"no strokes for {char!r}")


def _advance(char: str, t: Type) -> float:
    return t.width * (0.62 if char == "1" and not t.base1 else 0.8 if char in "1J" else 1.0)


def measure(text: str, t: Type, height: float) -> float:
    """Width of a line of text of the given height."""
    return height * (sum(_advance(c, t) for c in text) + t.gap * (len(text) - 1))


def write(s: Drawing, text: str, t: Type, centre: Point, height: float, colour: str, paper: str = "#fff", half_turn: bool = False,
          edge: str = "") -> None:
    """Write a line of text about its centre; `paper` fills a hollow pen, `half_turn` writes it upside down, `edge` outlines the strokes."""
    weight = height * t.weight
    sign = -1 if half_turn else 1
    left = -measure(text, t, height) / 2
    d = ""
    bodies: list[str] = []
    serifs: list[tuple[Point, Point]] = []
    places = 0 if height > 150 else 1
    for char in text:
        wide = _advance(char, t) * height
        strokes, feet = _glyph(char, t)

        def place(p: Point, left: float = left, wide: float = wide) -> Point:
            x = left + weight / 2 + p[0] * (wide - weight)
            y = -height / 2 + weight / 2 + p[1] * (height - weight)
            return centre[0] + sign * (x - y * t.slant), centre[1] + sign * y
        for stroke in strokes:
            runs = [[place(p) for p in run] for run in stroke]
            d += trail(*runs, places=places)
            if t.pen in ("nib", "didone"):
                bodies += [_swept(run, _nib(t, weight), places) for run in runs]
        serifs += [(place(a), place(b)) for a, b in feet]
        left += wide + t.gap * height
    if edge and t.pen in ("round", "square", "hollow"):
        s.stroke(d, edge, weight * 1.34, rounded=t.pen != "square")
    if t.pen == "round":
        s.stroke(d, colour, weight)
    elif t.pen == "square":
        s.stroke(d, colour, weight, rounded=False)
    elif t.pen == "hollow":
        s.stroke(d, colour, weight)
        s.stroke(d, paper, weight * 0.5)
    else:
        hair = weight * (0.22 if t.pen == "didone" else 0.3)
        # Each run by itself: in one path, runs that run against each other would cut holes where they cross.
        for body in bodies:
            s.ink(body, colour, hair, colour)
        s.stroke(d, colour, hair)
        if t.pen == "didone" and serifs:
            s.stroke(segments(serifs), colour, hair * 1.3, rounded=False)


def _nib(t: Type, weight: float) -> Point:
    """Half the pen's edge."""
    if t.pen == "didone":
        return weight * 0.42, 0.0
    return weight * 0.42, -weight * 0.24


def _swept(run: Run, nib: Point, places: int) -> str:
    """What a pen's straight edge covers on its way along a run."""
    there = [(x + nib[0], y + nib[1]) for x, y in run]
    back = [(x - nib[0], y - nib[1]) for x, y in reversed(run)]
    return shape(there, [there[-1], back[0]], back, places=places)


def underline(s: Drawing, centre: Point, width: float, height: float, colour: str, half_turn: bool = False, kind: str = "bar") -> None:
    """The mark that says which side of an ambiguous numeral is down, `height` below `centre`."""
    if kind == "none":
        return
    sign = -1 if half_turn else 1
    x, y = centre[0], centre[1] + sign * height
    thick = max(width * 0.09, 3.0)
    if kind == "bar":
        s.stroke(f"M{num(x - width / 2)} {num(y)}h{num(width)}", colour, thick)
    elif kind == "double":
        s.stroke(f"M{num(x - width / 2)} {num(y)}h{num(width)}M{num(x - width / 3)} {num(y + sign * thick * 1.8)}h{num(width * 2 / 3)}",
            colour, thick * 0.8, rounded=False)
    elif kind == "dot":
        s.stroke(f"M{num(x)} {num(y)}h.1", colour, thick * 2.4)
    elif kind == "triangle":
        r = width * 0.2
        s.fill(f"M{num(x - r)} {num(y + sign * r)}h{num(2 * r)}l{num(-r)} {num(-sign * r * 1.3)}z", colour)
    else:
        raise ValueError(f"no mark of the kind {kind!r}")
