"""Playing cards of our own, 52 with two jokers and a back, in two designs: 63 by 88 mm, drawn in tenths."""
from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from datasets.decks.draw_numbers import hsl
from datasets.decks.french_courts import HEIGHT, WIDTH, CourtStyle, court, jester, suit
from datasets.decks.lettering import Type, measure, write
from datasets.decks.svg import Drawing, Point, at, circle, document, leaf, round_rect, segments

RANKS = "A23456789TJQK"
SUITS = "cdhs"
_L, _M, _R = 0.0, 0.5, 1.0
# Where the pips stand: (across, down), 0 to 1 between the outermost pips; those below the middle are upside down.
PIPS: dict[str, tuple[tuple[float, float], ...]] = {
    "2": ((_M, 0), (_M, 1)),
    "3": ((_M, 0), (_M, 0.5), (_M, 1)),
    "4": ((_L, 0), (_R, 0), (_L, 1), (_R, 1)),
    "5": ((_L, 0), (_R, 0), (_M, 0.5), (_L, 1), (_R, 1)),
    "6": ((_L, 0), (_R, 0), (_L, 0.5), (_R, 0.5), (_L, 1), (_R, 1)),
    "7": ((_L, 0), (_R, 0), (_M, 0.25), (_L, 0.5), (_R, 0.5), (_L, 1), (_R, 1)),
    "8": ((_L, 0), (_R, 0), (_M, 0.25), (_L, 0.5), (_R, 0.5), (_M, 0.75), (_L, 1), (_R, 1)),
    "9": ((_L, 0), (_R, 0), (_L, 1 / 3), (_R, 1 / 3), (_M, 0.5), (_L, 2 / 3), (_R, 2 / 3), (_L, 1), (_R, 1)),
    "T": ((_L, 0), (_R, 0), (_M, 1 / 6), (_L, 1 / 3), (_R, 1 / 3), (_L, 2 / 3), (_R, 2 / 3), (_M, 5 / 6), (_L, 1), (_R, 1)),
}


@dataclass(frozen=True, slots=True)
class FrenchDesign:
    """How a deck of playing cards looks; `pips` is the field (x0, y0, x1, y1) of the pips' centres."""

    name: str
    type: Type
    paper: str
    colours: dict[str, str]
    index: float
    small: float
    corners: int
    pip: float
    pips: tuple[float, float, float, float]
    courts: CourtStyle
    back: tuple[str, str]


_BLACK, _RED, _BLUE, _GOLD = "#15151a", "#d01f2a", "#24478f", "#f2b71d"
DESIGNS: tuple[FrenchDesign, ...] = (
    FrenchDesign(
        "classic", Type("didone", 0.15, 0.64, 2.0, gap=0.04), "#fffefa", {"c": _BLACK, "s": _BLACK, "d": _RED, "h": _RED},
        index=84, small=62, corners=2, pip=128, pips=(190, 150, 440, 730),
        courts=CourtStyle(4, _BLACK, "#fbe3cd", {"s": (_BLUE, _GOLD, _RED), "h": (_RED, _BLUE, _GOLD), "d": (_GOLD, _RED, _BLUE),
            "c": (_BLACK, _RED, _GOLD)},
                          {"s": "#e8d9a8", "h": "#d9b45c", "d": "#8a5a34", "c": "#f0ead8"}, "#ffffff", False),
        back=("#b3202c", "#fff4ea")),
    FrenchDesign(
        "bold", Type("round", 0.17, 0.6, 2.2, gap=0.02, bar7=False, open4=False),
            "#fdfdfd", {"c": "#1c7c4a", "s": "#20242c", "d": "#1f66c1", "h": "#d8283c"},
        index=128, small=84, corners=4, pip=112, pips=(222, 190, 408, 690),
        courts=CourtStyle(0, "#20242c", "#f2c6a0", {"s": ("#3b4454", "#aeb7c6", "#e7b84b"), "h": ("#b8324a", "#f3b8bb", "#f0c25a"),
            "d": ("#2b5fa8", "#a9cdf0", "#f0a63c"), "c": ("#276b4c", "#b7dcbb", "#e9d057")},
                          {"s": "#4a3527", "h": "#7b3f24", "d": "#2f2a28", "c": "#c98d3f"}, "#eef1f5", True),
        back=("#20405f", "#f2c14e")),
)


def random_design(seed: int) -> FrenchDesign:
    """A design that no one has drawn: type, sizes, suit colours and court dress by the seed."""
    rng = random.Random(seed)

    def tone(saturation: float, light: float) -> str:
        return hsl(rng.random(), saturation * rng.uniform(0.6, 1.0), light)
    pen = rng.choices(("round", "square", "didone", "nib"), (4, 3, 4, 1))[0]
    thin, thick = (0.13, 0.2) if pen in ("didone", "nib") else (0.08, 0.19)
    face = Type(pen, rng.uniform(thin, thick), rng.uniform(0.5, 0.68), rng.choice((2.0, 2.2, 3.0)), gap=rng.uniform(0.02, 0.06),
                flat3=rng.random() < 0.2, open4=rng.random() < 0.2, curved6=rng.random() < 0.8)
    red, black = hsl(rng.uniform(-0.03, 0.03), rng.uniform(0.6, 0.95), rng.uniform(0.38, 0.5)), hsl(rng.random(),
        0.15, rng.uniform(0.05, 0.16))
    colours = {"c": black, "s": black, "d": red, "h": red}
    if rng.random() < 0.25:
        colours |= {"c": hsl(rng.uniform(0.3, 0.45), 0.7, 0.28), "d": hsl(rng.uniform(0.05,
            0.1) if rng.random() < 0.3 else rng.uniform(0.55, 0.65), 0.75, 0.42)}
    index = rng.uniform(66, 138)
    corners = rng.choices((2, 4), (3, 1))[0]
    side = 150 + max(0.0, index - 80) * 0.9
    pip = rng.uniform(78, 132) if corners == 2 else rng.uniform(78, 108)
    top = rng.uniform(130, 180) if corners == 2 else rng.uniform(160, 200)
    line = rng.choice((0.0, 3.0, 4.0, 5.0))
    robes = {kind: (tone(0.9, rng.uniform(0.12, 0.5)), tone(0.9, rng.uniform(0.4, 0.8)),
        tone(0.95, rng.uniform(0.45, 0.7))) for kind in SUITS}
    skin = hsl(rng.uniform(0.05, 0.09), rng.uniform(0.4, 0.8), rng.uniform(0.45, 0.9))
    hair = {kind: hsl(rng.uniform(0.04, 0.14), rng.uniform(0.1, 0.7), rng.uniform(0.1, 0.85)) for kind in SUITS}
    frame = rng.choice(("#ffffff", hsl(rng.random(), 0.3, 0.93), ""))
    paper = hsl(rng.uniform(0.08, 0.16), rng.uniform(0, 0.7), rng.uniform(0.94, 1.0))
    return FrenchDesign(f"seed-{seed}", face, paper, colours, index, index * rng.uniform(0.6, 0.85),
        corners, pip, (side, top, WIDTH - side, HEIGHT - top),
                        CourtStyle(line, black, skin, robes, hair, frame, rng.random() < 0.3), (tone(0.9, rng.uniform(0.15, 0.5)),
                            tone(0.6, 0.85)))


def _index(s: Drawing, design: FrenchDesign, rank: str, kind: str, x: float, y: float, half_turn: bool) -> None:
    """Rank over suit, from the corner (x, y) inwards."""
    sign = -1 if half_turn else 1
    text = "10" if rank == "T" else rank
    height = design.index
    room = height * 0.86
    face = design.type
    wide = measure(text, face, height)
    if wide > room:
        # Ten is set narrower, as real indices are.
        face = Type(face.pen, face.weight * 0.86, face.width * room / wide, face.bowl, gap=face.gap * 0.6)
    write(s, text, face, (x, y + sign * height / 2), height, design.colours[kind], half_turn=half_turn)
    for d in suit(kind, (x, y + sign * (height + 18 + design.small / 2)), design.small, half_turn):
        s.fill(d, design.colours[kind])


def draw_card(design: FrenchDesign, name: str) -> str:
    """The SVG of a card: rank and suit, joker-red or joker-black."""
    s = Drawing()
    s.fill(round_rect(0, 0, WIDTH, HEIGHT, 34), design.paper)
    if name.startswith("joker"):
        _joker(s, design, name)
        return document(WIDTH, HEIGHT, s.body(), name)
    rank, kind = name
    colour = design.colours[kind]
    if rank == "A":
        middle = WIDTH / 2, HEIGHT / 2
        if kind == "s":
            for k in range(24):
                s.fill(leaf(at(middle, 15 * k, 196), 15 * k, 52, 16), colour)
            s.stroke(circle(middle, 190), colour, 5)
        for d in suit(kind, middle, 250 if kind == "s" else 210):
            s.fill(d, colour)
        if kind == "s":
            for d in suit(kind, (middle[0], middle[1] - 6), 110):
                s.fill(d, design.paper)
    elif rank in "JQK":
        court(s, design.courts, rank, kind, colour, design.pip * 0.72)
    else:
        x0, y0, x1, y1 = design.pips
        for u, v in PIPS[rank]:
            for d in suit(kind, (x0 + u * (x1 - x0), y0 + v * (y1 - y0)), design.pip, v > 0.5):
                s.fill(d, colour)
    margin = 56 if design.corners == 2 else 66
    spots: tuple[tuple[float, float, bool], ...] = ((margin, 34, False), (WIDTH - margin, HEIGHT - 34, True), (WIDTH - margin, 34, False),
        (margin, HEIGHT - 34, True))
    for x, y, half_turn in spots[:design.corners]:
        _index(s, design, rank, kind, x, y, half_turn)
    return document(WIDTH, HEIGHT, s.body(), name)


def _joker(s: Drawing, design: FrenchDesign, name: str) -> None:
    red = name == "joker-red"
    colour = design.colours["h" if red else "s"]
    jester(s, design.courts, colour, design.courts.robes["h" if red else "s"][1] if red else "#8d95a3")
    size = design.index * (0.62 if design.corners == 2 else 0.44)
    for half_turn in (False, True):
        sign = -1 if half_turn else 1
        x = 54 if not half_turn else WIDTH - 54
        for k, char in enumerate("JOKER"):
            y = (46 if not half_turn else HEIGHT - 46) + sign * (size / 2 + k * size * 1.24)
            write(s, char, design.type, (x, y), size, colour, half_turn=half_turn)
    star(s, (WIDTH / 2, 760), 46, colour)
    star(s, (WIDTH / 2, 96), 32, colour)


def star(s: Drawing, centre: Point, r: float, colour: str) -> None:
    s.fill("".join(leaf(centre, 72 * k, r, r * 0.3, belly=0.3) for k in range(5)) + circle(centre, r * 0.28), colour)


def draw_back(design: FrenchDesign) -> str:
    s = Drawing()
    ground, figure = design.back
    s.fill(round_rect(0, 0, WIDTH, HEIGHT, 34), design.paper)
    s.fill(round_rect(30, 30, WIDTH - 60, HEIGHT - 60, 22), ground)
    if design.corners == 2:
        lines = []
        for x in range(50, WIDTH - 20, 38):
            for y in range(50, HEIGHT - 20, 38):
                lines += [((x - 12, y), (x, y - 12)), ((x, y - 12), (x + 12, y)), ((x + 12, y), (x, y + 12)), ((x, y + 12), (x - 12, y))]
        s.stroke(segments(lines), figure, 3.5)
        s.ink(circle((WIDTH / 2, HEIGHT / 2), 120), ground, 8, figure)
        for k in range(12):
            s.fill(leaf((WIDTH / 2, HEIGHT / 2), 30 * k, 96, 22), figure)
    else:
        for k in range(9):
            w, h = (WIDTH - 110) * (1 - k / 10), (HEIGHT - 110) * (1 - k / 10)
            s.stroke(round_rect((WIDTH - w) / 2, (HEIGHT - h) / 2, w, h, 30), figure, 5 + k)
        star(s, (WIDTH / 2, HEIGHT / 2), 40, figure)
    return document(WIDTH, HEIGHT, s.body(), "back")


NAMES = (*(rank + kind for kind in SUITS for rank in RANKS), "joker-red", "joker-black")


def draw_deck(design: FrenchDesign) -> Iterator[tuple[str, str]]:
    """(card name, SVG text) of the 52 cards, two jokers and the back."""
    for name in NAMES:
        yield name, draw_card(design, name)
    yield "back", draw_back(design)
