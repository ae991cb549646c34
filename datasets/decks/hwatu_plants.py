"""The twelve plants of hwatu, drawn from parameters: every month's cards place these."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from datasets.decks.glyphs import boxed, glyph
from datasets.decks.svg import Drawing, Point, at, brush, circle, drop, ellipse, leaf, line, segments, shape, smooth, walk

BLACK = "#16130f"
RED = "#e2101a"
YELLOW = "#ffcb05"
BLUE = "#1560b4"
GREEN = "#0e8a6b"
PINK = "#f9a99b"
PAPER = "#fffdf5"


# ---- what every card shares -------------------------------------------------------------------------------------

def bright_mark(s: Drawing, x: float, y: float, r: float = 44) -> None:
    """光 in a red disc, the mark of the five brights."""
    s.ink(circle((x, y), r), RED, 3)
    s.fill(boxed("光", x - r * 0.66, y - r * 0.66, r * 1.32, r * 1.32), PAPER)


def ribbon(s: Drawing, points: Sequence[Point], width: float, colour: str = RED, text: str = "") -> None:
    """A paper ribbon hung along the points, with writing down its middle line."""
    spine = walk(points, 4)
    ends = [spine[0], *spine[len(spine) // 5:-2:len(spine) // 5], spine[-1]]
    # The ends are cut level, as a paper strip hangs, so offsets are sideways and not along the normal.
    left = [(p[0] - width / 2, p[1]) for p, _ in ends]
    right = [(p[0] + width / 2, p[1]) for p, _ in ends]
    s.ink(shape(left, [left[-1], right[-1]], right[::-1], [right[0], left[0]]), colour, 4)
    if not text:
        return
    length = len(spine) - 1
    share = 0.86 / len(text)
    d = ""
    for i, char in enumerate(text):
        top = 0.06 + i * (share + 0.04 / max(len(text) - 1, 1))

        def place(u: float, v: float, top: float = top) -> Point:
            centre = spine[min(int((top + share * v / 100) * length), length)][0]
            return centre[0] + (u - 50) / 100 * width * 0.74, centre[1]

        d += glyph(char, place, 1.6, width * 0.0074)
    s.fill(d, BLACK)


def cloud(s: Drawing, lobes: Sequence[tuple[float, float, float]], colour: str = RED) -> None:
    """The red cloud of the animal cards: lobes (x, y, r) run together, with a curl in each."""
    s.union([circle((x, y), r) for x, y, r in lobes], colour, 3)
    d = ""
    for x, y, r in lobes:
        curl = [at((x, y), 40 + 55 * k, r * (0.74 - 0.11 * k)) for k in range(6)]
        d += smooth(curl)
    s.stroke(d, BLACK, 2.5)


# ---- 1 pine ------------------------------------------------------------------------------------------------------

def pine(s: Drawing, crest: Sequence[Point], buds: Sequence[Point] = ()) -> None:
    """A black mass of pine under a crest line, fringed with needles; yellow buds stand on the crest."""
    s.fill(smooth(crest) + f"V560H{crest[0][0]:.0f}z", BLACK)
    pairs = []
    for p, heading in walk(crest, 7.5, 3):
        pairs.append((p, at(p, heading - 52, 19)))
    s.stroke(segments(pairs), BLACK, 2.6)
    vein = []
    for p, heading in walk(crest, 13, 8):
        inner = at(p, heading + 90, 16)
        vein.append((inner, at(inner, heading + 132, 15)))
    s.stroke(segments(vein), "#6b675f", 1.6)
    for x, y in buds:
        s.ink(ellipse((x, y - 14), 8.5, 17), YELLOW, 3)


# ---- 2 plum ------------------------------------------------------------------------------------------------------

def plum(s: Drawing, x: float, y: float, r: float, turn: float = 0) -> None:
    """A plum blossom from the front: five round petals."""
    notches = [at((x, y), turn + 36 + 72 * k, r * 0.6) for k in range(5)]
    arc = f"A{r * 0.4:.1f} {r * 0.4:.1f} 0 1 1 "
    d = f"M{notches[-1][0]:.1f} {notches[-1][1]:.1f}" + "".join(f"{arc}{px:.1f} {py:.1f}" for px, py in notches) + "z"
    s.ink(d, RED, 3)
    s.ink(circle((x, y), r * 0.2), YELLOW, 2.5)
    rays = [(at((x, y), turn + 30 * k, r * 0.24), at((x, y), turn + 30 * k, r * (0.5 if k % 2 else 0.4))) for k in range(12)]
    s.stroke(segments(rays), BLACK, 2.2)


def plum_side(s: Drawing, x: float, y: float, r: float, turn: float = 0) -> None:
    """A plum blossom from the side: three petals behind a yellow fan, two small ones before it."""
    c = (x, y)
    for heading, size in ((-62, 0.46), (62, 0.46), (0, 0.52)):
        s.ink(circle(at(c, turn + heading, r * 0.56), r * size), RED, 3)
    fan = [at(c, turn + a, r * 0.46) for a in (-80, -50, -20, 20, 50, 80)]
    low = at(c, turn + 180, r * 0.2)
    s.ink(smooth(fan) + f"L{low[0]:.1f} {low[1]:.1f}z", YELLOW, 2.5)
    s.stroke(segments((at(c, turn + a, r * 0.42), at(c, turn + a, r * 0.78)) for a in (-66, -40, -13, 13, 40, 66)), BLACK, 2.2)
    for side in (-1, 1):
        s.ink(circle(at(at(c, turn + 180, r * 0.18), turn + 90 * side, r * 0.3), r * 0.27), RED, 3)


def bud(s: Drawing, x: float, y: float, r: float, turn: float = 0) -> None:
    s.ink(circle((x, y), r), RED, 3)
    c = (x, y)
    s.stroke(segments((c, at(c, turn + a, r)) for a in (-55, 55, 180)), BLACK, 2.4)


# ---- 3 cherry ----------------------------------------------------------------------------------------------------

def cherry(s: Drawing, x: float, y: float, r: float, turn: float = 0, colour: str = RED) -> None:
    """A cherry blossom: five notched petals, long stamens."""
    c = (x, y)
    points: list[Point] = []
    for k in range(5):
        a = turn + 72 * k
        points += [at(c, a + d, r * far) for d, far in ((-36, 0.5), (-26, 0.86), (-11, 1.0), (0, 0.84), (11, 1.0), (26, 0.86))]
    s.ink(line(points, True), colour, 3)
    eye = PINK if colour == RED else RED
    s.ink(circle(c, r * 0.15), eye, 2)
    s.stroke(segments((at(c, turn + 36 * k, r * 0.24), at(c, turn + 36 * k, r * (0.62 if k % 2 else 0.48))) for k in range(10)), BLACK, 2.2)


def cherries(s: Drawing, flowers: Sequence[tuple[float, float, float, str]], sprouts: Sequence[tuple[int, Sequence[float],
        Sequence[float]]]) -> None:
    """Blossoms (x, y, radius, colour); `sprouts` are (blossom, headings of its leaves, headings of its buds)."""
    blades, stalks, buds = "", [], []
    for i, leaf_headings, bud_headings in sprouts:
        x, y, r, _ = flowers[i]
        blades += "".join(leaf(at((x, y), a, r * 0.5), a, r * 1.25, r * 0.42) for a in leaf_headings)
        stalks += [((x, y), at((x, y), a, r * 1.55)) for a in bud_headings]
        buds += [(at((x, y), a, r * 1.6), a) for a in bud_headings]
    s.fill(blades, BLACK)
    s.stroke(segments(stalks), BLACK, 3)
    for p, a in buds:
        s.ink(ellipse(p, 9, 13, a), RED, 2.5)
    for i, (x, y, r, colour) in enumerate(flowers):
        cherry(s, x, y, r, i * 17 % 72, colour)


# ---- 4 wisteria, 7 bush clover: stems with leaves in pairs ---------------------------------------------------------

def sprig(s: Drawing, stem: Sequence[Point], step: float, size: float, colours: Callable[[float], str],
          start: float = 30, width: float = 0.62, spread: float = 60, stalk: float = 9) -> None:
    """A stem with pairs of leaves; `colours` gives each pair's colour from how far along the stem it grows (0-1)."""
    s.stroke(smooth(stem), BLACK, 3)
    spots = walk(stem, step, start)
    stalks = []
    blades: dict[str, str] = {}
    for i, (p, heading) in enumerate(spots):
        share = (i + 0.5) / len(spots)
        grown = size * (1.06 - 0.22 * share)
        for side in (-1, 1):
            a = heading + side * spread
            q = at(p, a, stalk)
            stalks.append((p, q))
            colour = colours(share)
            blades[colour] = blades.get(colour, "") + leaf(q, a - side * 14, grown, grown * width, belly=0.58)
    p, heading = walk(stem, 3)[-1]
    blades[colours(1.0)] = blades.get(colours(1.0), "") + leaf(p, heading, size, size * width, belly=0.58)
    s.stroke(segments(stalks), BLACK, 2.4)
    for colour, d in blades.items():
        s.fill(d, colour)


def black(_: float) -> str:
    """Every pair of leaves black, for `sprig`."""
    return BLACK


def red_tipped(turn: float) -> Callable[[float], str]:
    """Leaves black up to `turn` of the stem and red beyond, for `sprig`."""
    return lambda share: RED if share > turn else BLACK


# ---- 5 iris ------------------------------------------------------------------------------------------------------

def blades(s: Drawing, items: Sequence[tuple[Point, Point, float, float]]) -> None:
    """Iris leaves (root, tip, width, bend sideways at the middle)."""
    for (x0, y0), (x1, y1), width, bend in items:
        low, high = ((x0 + (x1 - x0) * t + bend * k, y0 + (y1 - y0) * t) for t, k in ((0.35, 0.8), (0.7, 0.9)))
        d = brush([(x0, y0), low, high, (x1, y1)], [width * 0.8, width, width * 0.62, 0])
        s.stroke(d, PAPER, 5)
        s.fill(d, BLACK)


def iris(s: Drawing, x: float, y: float, r: float) -> None:
    """An iris flower on a yellow-tinged stalk's top: falls to both sides and before, standards behind."""
    c = (x, y)
    for heading, length in ((-24, 0.92), (20, 0.98), (-2, 1.08)):
        s.ink(leaf(at(c, 180, r * 0.1), heading, r * length, r * 0.3, belly=0.62), BLUE, 3)
    for side in (-1, 1):
        def q(u: float, v: float, side: int = side) -> Point:
            return x + side * u * r, y + v * r
        s.ink(shape([q(0.05, -0.2), q(0.4, -0.42), q(0.78, -0.3), q(1.05, 0.08), q(1.12, 0.42)],
                    [q(1.12, 0.42), q(0.8, 0.36), q(0.52, 0.3), q(0.2, 0.16), q(0.05, -0.2)]), BLUE, 3)
        s.stroke(smooth([q(0.28, -0.16), q(0.6, -0.06), q(0.9, 0.2)]), BLACK, 2.2)
        s.ink(leaf(q(0.04, 0.02), side * 38, r * 0.44, r * 0.16), YELLOW, 2.5)
    s.ink(shape([(x, y - 0.02 * r), (x - 0.32 * r, y + 0.3 * r), (x - 0.3 * r, y + 0.62 * r), (x, y + 0.98 * r)],
                [(x, y + 0.98 * r), (x + 0.3 * r, y + 0.62 * r), (x + 0.32 * r, y + 0.3 * r), (x, y - 0.02 * r)]), BLUE, 3)
    s.ink(leaf((x, y + 0.02 * r), 180, r * 0.46, r * 0.15), YELLOW, 2.5)


# ---- 6 peony -----------------------------------------------------------------------------------------------------

def peony(s: Drawing, x: float, y: float, r: float, turn: float = 0) -> None:
    """A full peony: rings of rounded petals closing on a yellow heart."""
    c = (x, y)
    for count, far, size, offset in ((9, 0.7, 0.31, 0.0), (8, 0.5, 0.27, 24.0), (6, 0.3, 0.23, 8.0)):
        for k in range(count):
            a = turn + offset + 360 * k / count + 7 * math.sin(k * 2.1 + count)
            lobe = at(c, a, r * far)
            wide = size * (1 + 0.12 * math.sin(k * 3.7 + turn))
            out = [at(lobe, a - 90, r * wide), at(lobe, a - 38, r * wide * 1.06), at(lobe, a, r * wide * 0.86),
                   at(lobe, a + 38, r * wide * 1.06), at(lobe, a + 90, r * wide), at(c, a, r * far * 0.2)]
            s.ink(smooth(out, True), RED, 3)
    s.ink(smooth([at(c, turn - 70, r * 0.26), at(c, turn, r * 0.1), at(c, turn + 70, r * 0.26), at(c, turn + 150, r * 0.2),
        at(c, turn - 150, r * 0.2)], True), YELLOW, 3)
    s.stroke(segments((at(c, turn + a, r * 0.03), at(c, turn + a, r * 0.17)) for a in (120, 160, 200, 240)), BLACK, 2)


def peony_leaf(s: Drawing, x: float, y: float, heading: float, r: float) -> None:
    """A black leaf cut into three points."""
    b = (x, y)
    d = "".join(leaf(b, heading + a, r * k, r * 0.34, bend=r * 0.05 * (a > 0) - r * 0.05 * (a < 0), belly=0.55) for a, k in ((-40, 0.8),
        (0, 1.0), (40, 0.8)))
    s.fill(d, BLACK)
    s.stroke(segments((at(b, heading + a, r * 0.2), at(b, heading + a, r * 0.62)) for a in (-36, 0, 36)), "#6b675f", 1.8)


# ---- 9 chrysanthemum ---------------------------------------------------------------------------------------------

def chrysanthemum(s: Drawing, x: float, y: float, r: float, turn: float = 0) -> None:
    """Rings of red and yellow petals, seen from the front."""
    c = (x, y)
    s.fill(circle(c, r * 0.7), BLACK)
    for ring, (count, near, far, wide) in enumerate(((15, 0.4, 1.0, 0.36), (12, 0.24, 0.76, 0.34), (8, 0.1, 0.52, 0.32),
        (4, 0.0, 0.3, 0.28))):
        for k in range(count):
            a = turn + ring * 11 + 360 * k / count
            s.ink(drop(at(c, a, r * near), a, r * (far - near), r * wide), (RED, YELLOW)[(k + (k + ring) // 3) % 2], 2.6)


def chrysanthemum_side(s: Drawing, x: float, y: float, r: float, turn: float = 0) -> None:
    """The flower above, seen from the side: a fan of petals on a black cup."""
    c = (x, y)
    for i, a in enumerate((-88, 88, -66, 66, -44, 44, -22, 22, 0)):
        s.ink(drop(c, turn + a, r * (1.0 if abs(a) > 50 else 0.86), r * 0.3), (YELLOW, RED)[(i // 2 + i) % 2], 2.8)
    s.fill(smooth([at(c, turn - 75, r * 0.3), at(c, turn, r * 0.12), at(c, turn + 75, r * 0.3), at(c, turn + 180, r * 0.3)], True), BLACK)


def lobed_leaf(s: Drawing, x: float, y: float, heading: float, r: float) -> None:
    """A round-lobed black leaf of the chrysanthemum."""
    b = (x, y)
    lobes = ((0, 0.78, 0.3), (-34, 0.68, 0.26), (34, 0.68, 0.26), (-62, 0.42, 0.25), (62, 0.42, 0.25))
    s.fill("".join(circle(at(b, heading + a, r * far), r * size) for a, far, size in lobes)
           + leaf(b, heading, r * 0.9, r * 0.45), BLACK)
    s.stroke(segments((at(b, heading + a, r * 0.15), at(b, heading + a, r * far * 0.86)) for a, far, _ in lobes), "#6b675f", 1.8)


# ---- 10 maple ----------------------------------------------------------------------------------------------------

def maple(s: Drawing, x: float, y: float, r: float, turn: float = 0, colour: str = RED) -> None:
    """A maple leaf of seven points; `turn` is where its long point shows."""
    c = (x, y)
    tips = ((-128, 0.62), (-88, 0.84), (-43, 0.96), (0, 1.08), (43, 0.96), (88, 0.84), (128, 0.62))
    points: list[Point] = [at(c, turn + 180, r * 0.1)]
    for i, (a, far) in enumerate(tips):
        if i:
            points.append(at(c, turn + (a + tips[i - 1][0]) / 2, r * 0.42))
        points += [at(c, turn + a - 15, r * far * 0.64), at(c, turn + a, r * far), at(c, turn + a + 15, r * far * 0.64)]
    s.stroke(segments([(c, at(c, turn + 180, r * 0.55))]), BLACK, 4)
    s.ink(line(points, True), colour, 3)
    ink = "#6b675f" if colour == BLACK else BLACK
    s.stroke(segments((c, at(c, turn + a, r * far * 0.72)) for a, far in tips), ink, 2.2)


# ---- 11 paulownia ------------------------------------------------------------------------------------------------

def paulownia_leaf(s: Drawing, x: float, y: float, w: float, h: float, tip: float = 0) -> None:
    """A broad black leaf hanging from (x, y), three points below."""
    s.fill(shape([(x, y), (x - w * 0.3, y - h * 0.16), (x - w * 0.56, y + h * 0.1), (x - w * 0.6, y + h * 0.5)],
                 [(x - w * 0.6, y + h * 0.5), (x - w * 0.36, y + h * 0.62), (x - w * 0.2, y + h * 0.8), (x + tip, y + h)],
                 [(x + tip, y + h), (x + w * 0.22, y + h * 0.82), (x + w * 0.36, y + h * 0.62), (x + w * 0.6, y + h * 0.5)],
                 [(x + w * 0.6, y + h * 0.5), (x + w * 0.56, y + h * 0.1), (x + w * 0.3, y - h * 0.16), (x, y)]), BLACK)
    d = smooth([(x, y + h * 0.08), (x + tip * 0.4, y + h * 0.45), (x + tip * 0.9, y + h * 0.84)])
    for side in (-1, 1):
        d += smooth([(x, y + h * 0.08), (x + side * w * 0.25, y + h * 0.2), (x + side * w * 0.46, y + h * 0.42)])
        d += smooth([(x + side * w * 0.2, y + h * 0.18), (x + side * w * 0.34, y + h * 0.12), (x + side * w * 0.44, y + h * 0.16)])
    s.stroke(d, "#6b675f", 2.2)


def paulownia_flower(s: Drawing, x: float, y: float, r: float, turn: float = 0) -> None:
    """A five-pointed blue bell."""
    c = (x, y)
    points = [at(c, turn + 36 * k, r if k % 2 == 0 else r * 0.52) for k in range(10)]
    s.ink(line(points, True), BLUE, 3)
    s.stroke(segments((c, at(c, turn + 72 * k, r * 0.5)) for k in range(5)), BLACK, 2.2)


def paulownia_sprig(s: Drawing, stem: Sequence[Point], size: float = 30, start: float = 40, step: float = 40) -> None:
    """A flower stalk with round blue buds in pairs."""
    s.stroke(smooth(stem), BLACK, 3.4)
    for p, heading in walk(stem, step, start):
        for side in (-1, 1):
            q = at(p, heading + side * 58, 12)
            s.stroke(segments([(p, q)]), BLACK, 2.6)
            s.ink(drop(q, heading + side * 50, size, size * 0.62), BLUE, 2.6)
    p, heading = walk(stem, 3)[-1]
    s.ink(drop(p, heading, size, size * 0.62), BLUE, 2.6)


# ---- 12 willow ---------------------------------------------------------------------------------------------------

def willow(s: Drawing, fronds: Sequence[tuple[Sequence[Point], float]], twig: float = 26) -> None:
    """Hanging willow: each frond is a spine from its root down and its width; leaves stand out along both edges."""
    masses, pairs, veins = "", [], []
    for points, width in fronds:
        masses += brush([*points[:-1], points[-1]], [width * 0.9, *[width] * (len(points) - 2), 0])
        spine = walk(points, 15, 10)
        for i, (p, heading) in enumerate(spine):
            share = i / max(len(spine) - 1, 1)
            half = width / 2 * min(1.0, 2.4 * (1 - share))
            for side in (-1, 1):
                edge = at(p, heading + 90 * side, max(half - 5, 0))
                pairs.append((edge, at(edge, heading + 34 * side, twig * (1 - 0.35 * share))))
                if i % 2 and share < 0.75 and half > 14:
                    veins.append((at(p, heading + 90 * side, 4), at(at(p, heading + 90 * side, half * 0.8), heading, 12)))
    s.stroke(segments(pairs), BLACK, 3)
    s.fill(masses, BLACK)
    s.stroke(segments(veins), "#6b675f", 1.8)

