"""Small geometric helpers that write SVG path data: the decks are drawn with nothing else.

Units are those of the drawing (hwatu: tenths of a millimetre), y grows downwards. Headings are degrees clockwise from
straight up, as a plant grows. Only `path` and `rect` in plain groups are written, so that browsers, resvg and the PDF
writer agree on every pixel; there are no fonts, no styles and no references.
"""
from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

Point = tuple[float, float]


def num(value: float) -> str:
    """A coordinate with at most one decimal, as short as it can be written."""
    text = f"{value:.1f}"
    if text.endswith(".0"):
        text = text[:-2]
    return "0" if text == "-0" else text


def _join(values: Iterable[float]) -> str:
    out = ""
    for value in values:
        text = num(value)
        out += text if not out or text.startswith("-") else " " + text
    return out


def at(origin: Point, heading: float, distance: float) -> Point:
    """The point `distance` away from `origin` in the direction `heading`."""
    angle = math.radians(heading)
    return origin[0] + distance * math.sin(angle), origin[1] - distance * math.cos(angle)


def whole(points: Iterable[Point]) -> list[Point]:
    """The points on the unit grid: half a unit is a twentieth of a millimetre, and the files are a third smaller."""
    return [(float(round(x)), float(round(y))) for x, y in points]


def line(points: Iterable[Point], closed: bool = False) -> str:
    """A polyline or polygon, on the unit grid."""
    grid = whole(points)
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in itertools.pairwise(grid)]
    return f"M{_join(grid[0])}l{_join(v for p in steps for v in p)}" + ("z" if closed else "")


def segments(pairs: Iterable[tuple[Point, Point]]) -> str:
    """Many loose straight strokes in one path (hatching, needles, stamens), on the unit grid."""
    return "".join(f"M{_join(a)}l{_join((b[0] - a[0], b[1] - a[1]))}" for a, b in map(whole, pairs))


def _cubics(points: Sequence[Point], closed: bool, places: int = 0) -> str:
    count = len(points)
    out = []
    for i in range(count if closed else count - 1):
        p1, p2 = points[i], points[(i + 1) % count]
        p0 = points[i - 1] if closed or i else p1
        p3 = points[(i + 2) % count] if closed or i + 2 < count else p2
        c1 = p1[0] + (p2[0] - p0[0]) / 6, p1[1] + (p2[1] - p0[1]) / 6
        c2 = p2[0] - (p3[0] - p1[0]) / 6, p2[1] - (p3[1] - p1[1]) / 6
        out.append("c" + _join(round(v - o, places) for c in (c1, c2, p2) for v, o in zip(c, p1, strict=True)))
    return "".join(out)


def smooth(points: Sequence[Point], closed: bool = False) -> str:
    """The Catmull-Rom curve through the points, as cubic Béziers on the unit grid."""
    # Relative pieces are measured from the rounded point before them, so that errors do not add up along the curve.
    rounded = whole(points)
    return f"M{_join(rounded[0])}{_cubics(rounded, closed)}" + ("z" if closed else "")


def trail(*runs: Sequence[Point], places: int = 0) -> str:
    """Smooth runs that meet at corners: every run begins where the last one ended; a run of two points is a straight edge."""
    rounded = [[(round(x, places), round(y, places)) for x, y in run] for run in runs]
    here = rounded[0][0]
    out = f"M{_join(here)}"
    for run in rounded:
        points = [here, *run] if run[0] != here else run
        out += _cubics(points, False, places) if len(points) > 2 else "l" + _join((points[-1][0] - here[0], points[-1][1] - here[1]))
        here = points[-1]
    return out


def shape(*runs: Sequence[Point], places: int = 0) -> str:
    """A closed outline of smooth runs that meet at corners."""
    return trail(*runs, places=places) + "z"


def circle(centre: Point, radius: float) -> str:
    return ellipse(centre, radius, radius)


def ellipse(centre: Point, rx: float, ry: float, heading: float = 0) -> str:
    """An ellipse; `ry` lies along the heading."""
    top = at(centre, heading, ry)
    down = at((0, 0), heading, -2 * ry)
    turn = num(heading)
    half = f"a{num(rx)} {num(ry)} {turn} 0 1 "
    return f"M{_join(top)}{half}{_join(down)}{half}{_join((-down[0], -down[1]))}z"


def leaf(base: Point, heading: float, length: float, width: float, bend: float = 0, belly: float = 0.45) -> str:
    """A pointed leaf from its base; `bend` moves the tip sideways (to the right of the heading), `belly` where it is widest."""
    right = at((0, 0), heading + 90, 1)
    tip = at(base, heading, length)
    tip = tip[0] + right[0] * bend, tip[1] + right[1] * bend
    mid = at(base, heading, length * belly)
    a = mid[0] - right[0] * width, mid[1] - right[1] * width
    b = mid[0] + right[0] * width, mid[1] + right[1] * width
    base, a, b, tip = whole((base, a, b, tip))
    return f"M{_join(base)}Q{_join((*a, *tip))}Q{_join((*b, *base))}z"


def drop(base: Point, heading: float, length: float, width: float) -> str:
    """A round-ended petal or bud on a pointed base."""
    right = at((0, 0), heading + 90, width / 2)
    top = at(base, heading, length - width / 2)
    a = top[0] - right[0], top[1] - right[1]
    b = top[0] + right[0], top[1] + right[1]
    base, a, b = whole((base, a, b))
    r = num(math.hypot(b[0] - a[0], b[1] - a[1]) / 2)
    return f"M{_join(base)}L{_join(a)}A{r} {r} 0 0 1 {_join(b)}z"


def brush(points: Sequence[Point], widths: Sequence[float], places: int = 0, round_end: bool = False) -> str:
    """A stroke of changing width through the points, as a filled outline; one width a point, 0 is a pointed end."""
    lefts: list[Point] = []
    rights: list[Point] = []
    for i, ((x, y), width) in enumerate(zip(points, widths, strict=True)):
        before, after = points[max(i - 1, 0)], points[min(i + 1, len(points) - 1)]
        dx, dy = after[0] - before[0], after[1] - before[1]
        size = math.hypot(dx, dy) or 1.0
        nx, ny = -dy / size * width / 2, dx / size * width / 2
        rights.append((x + nx, y + ny))
        lefts.append((x - nx, y - ny))
    end = [lefts[-1], rights[-1]]
    if round_end:
        (x0, y0), (x1, y1) = points[-2:]
        size = math.hypot(x1 - x0, y1 - y0) or 1.0
        end.insert(1, (x1 + (x1 - x0) / size * widths[-1] / 2, y1 + (y1 - y0) / size * widths[-1] / 2))
    return shape(lefts, end, rights[::-1], [rights[0], lefts[0]], places=places)


def walk(points: Sequence[Point], step: float, start: float = 0) -> list[tuple[Point, float]]:
    """Points and headings at every `step` along the smooth curve through the points."""
    fine: list[Point] = []
    count = len(points)
    for i in range(count - 1):
        p1, p2 = points[i], points[i + 1]
        p0, p3 = points[max(i - 1, 0)], points[min(i + 2, count - 1)]
        for k in range(24):
            t = k / 24
            fine.append((_spline(p0[0], p1[0], p2[0], p3[0], t), _spline(p0[1], p1[1], p2[1], p3[1], t)))
    fine.append(points[-1])
    out: list[tuple[Point, float]] = []
    due, gone = start, 0.0
    for a, b in itertools.pairwise(fine):
        size = math.hypot(b[0] - a[0], b[1] - a[1])
        while size and due <= gone + size:
            t = (due - gone) / size
            heading = math.degrees(math.atan2(b[0] - a[0], a[1] - b[1]))
            out.append(((a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t), heading))
            due += step
        gone += size
    return out


def _spline(a: float, b: float, c: float, d: float, t: float) -> float:
    return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - 3 * c + d - a) * t**3)


def round_rect(x: float, y: float, w: float, h: float, r: float) -> str:
    arc = f"a{num(r)} {num(r)} 0 0 1 "
    return (f"M{_join((x + r, y))}h{num(w - 2 * r)}{arc}{_join((r, r))}v{num(h - 2 * r)}{arc}{_join((-r, r))}"
            f"h{num(2 * r - w)}{arc}{_join((-r, -r))}v{num(2 * r - h)}{arc}{_join((r, -r))}z")


class Drawing:
    """Collects shapes in painting order; neighbours of one style share a group."""

    def __init__(self) -> None:
        self._parts: list[tuple[str, str]] = []

    def fill(self, d: str, colour: str) -> None:
        self._parts.append((f'fill="{colour}"', f'<path d="{d}"/>'))

    def stroke(self, d: str, colour: str, width: float, rounded: bool = True) -> None:
        ends = 'stroke-linecap="round" stroke-linejoin="round"' if rounded else 'stroke-linecap="butt" stroke-linejoin="miter"'
        self._parts.append((f'fill="none" stroke="{colour}" stroke-width="{num(width)}" {ends}', f'<path d="{d}"/>'))

    def ink(self, d: str, fill: str, width: float = 3.5, colour: str = "#16130f") -> None:
        """A filled shape with an outline."""
        self._parts.append((f'fill="{fill}" stroke="{colour}" stroke-width="{num(width)}" stroke-linejoin="round"', f'<path d="{d}"/>'))

    def union(self, shapes: Sequence[str], fill: str, width: float = 3.5, colour: str = "#16130f") -> None:
        """Several shapes as one: outlined round their union only."""
        joined = "".join(shapes)
        self.stroke(joined, colour, width * 2)
        for d in shapes:
            self.fill(d, fill)

    def begin(self, attributes: str) -> None:
        self._parts.append(("", f"<g {attributes}>"))

    def end(self) -> None:
        self._parts.append(("", "</g>"))

    def body(self) -> str:
        out: list[str] = []
        style = ""
        for attributes, element in self._parts:
            if attributes != style:
                if style:
                    out.append("</g>")
                if attributes:
                    out.append(f"<g {attributes}>")
                style = attributes
            out.append(element)
        if style:
            out.append("</g>")
        return "".join(out)


def document(width: float, height: float, body: str, title: str) -> str:
    """A whole SVG file."""
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {num(width)} {num(height)}" '
            f'width="{num(width)}" height="{num(height)}"><title>{title}</title>{body}</svg>\n')
