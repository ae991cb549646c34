"""Suits, court figures and jokers of the playing cards: half figures, turned about the middle of the card."""
from __future__ import annotations

from dataclasses import dataclass

from datasets.decks.svg import Drawing, Point, at, circle, drop, ellipse, leaf, line, round_rect, segments, shape, smooth

WIDTH, HEIGHT = 630, 880


def suit(kind: str, centre: Point, size: float, half_turn: bool = False) -> list[str]:
    """Outlines of a suit sign, `size` high: c, d, h or s."""
    sign = -1 if half_turn else 1

    def p(u: float, v: float) -> Point:
        return centre[0] + sign * u * size, centre[1] + sign * v * size
    if kind == "d":
        return [shape([p(0, -0.52), p(0.17, -0.24), p(0.4, 0)], [p(0.4, 0), p(0.17, 0.24), p(0, 0.52)], [p(0, 0.52), p(-0.17, 0.24),
            p(-0.4, 0)],
                      [p(-0.4, 0), p(-0.17, -0.24), p(0, -0.52)], places=1)]
    if kind == "h":
        return [shape([p(0, 0.52), p(-0.22, 0.24), p(-0.44, 0.0), p(-0.48, -0.24), p(-0.32, -0.45), p(-0.12, -0.42), p(0, -0.22)],
                      [p(0, -0.22), p(0.12, -0.42), p(0.32, -0.45), p(0.48, -0.24), p(0.44, 0.0), p(0.22, 0.24), p(0, 0.52)], places=1)]
    stem = shape([p(-0.02, 0.1), p(-0.05, 0.36), p(-0.18, 0.5)], [p(-0.18, 0.5), p(0.18, 0.5)], [p(0.18, 0.5), p(0.05, 0.36), p(0.02, 0.1)],
                 [p(0.02, 0.1), p(-0.02, 0.1)], places=1)
    if kind == "s":
        return [shape([p(0, -0.52), p(-0.22, -0.24), p(-0.45, 0.02), p(-0.44, 0.24), p(-0.26, 0.34), p(-0.08, 0.26), p(0, 0.12)],
                      [p(0, 0.12), p(0.08, 0.26), p(0.26, 0.34), p(0.44, 0.24), p(0.45, 0.02), p(0.22, -0.24), p(0, -0.52)], places=1),
                          stem]
    if kind == "c":
        r = 0.235 * size
        return [circle(p(0, -0.28), r), circle(p(-0.26, 0.07), r), circle(p(0.26, 0.07), r), line([p(0, -0.16), p(0.18, 0.12),
            p(-0.18, 0.12)], True), stem]
    raise ValueError(f"no suit {kind!r}")


@dataclass(frozen=True, slots=True)
class CourtStyle:
    """Colours and finish of the court figures; `line` 0 leaves the outlines out."""

    line: float
    ink: str
    skin: str
    robes: dict[str, tuple[str, str, str]]  # suit -> robe, panel, trim
    hair: dict[str, str]
    frame: str
    plain_face: bool


def _paint(s: Drawing, style: CourtStyle, d: str, colour: str) -> None:
    if style.line:
        s.ink(d, colour, style.line, style.ink)
    else:
        s.fill(d, colour)


def _robe(s: Drawing, style: CourtStyle, rank: str, kind: str) -> None:
    robe, panel, trim = style.robes[kind]
    _paint(s, style, shape([(112, 440), (118, 372), (158, 322), (238, 296), (315, 288)], [(315, 288), (392, 296), (472, 322), (512, 372),
        (518, 440)], [(518, 440), (112, 440)]), robe)
    for k in range(4):
        # Folds or stripes of the sleeves, by suit.
        for side in (-1, 1):
            x = 315 + side * (118 + 24 * k)
            if kind in "sh":
                s.stroke(f"M{x} {330 + 10 * k}L{x + side * 10} 438", trim, 8)
            else:
                s.stroke(f"M{x} {348 + 10 * k}h.1M{x + side * 6} {384 + 8 * k}h.1M{x + side * 10} {418 + 4 * k}h.1", trim, 13)
    _paint(s, style, line([(262, 292), (368, 292), (396, 440), (234, 440)], True), panel)
    for k in range(3):
        y = 334 + 42 * k
        if rank == "K":
            _paint(s, style, line([(315, y - 20), (337, y), (315, y + 20), (293, y)], True), trim)
        elif rank == "Q":
            s.stroke(smooth([(250 - 4 * k, y), (284, y + 14), (315, y + 2), (346, y + 14), (380 + 4 * k, y)]), trim, 9)
        else:
            _paint(s, style, circle((315, y), 12), trim)
    # Collar.
    if rank == "K":
        _paint(s, style, shape([(214, 306), (262, 282), (315, 276), (368, 282), (416, 306)], [(416, 306), (404, 344)], [(404, 344),
            (360, 318), (315, 312), (270, 318), (226, 344)], [(226, 344), (214, 306)]), "#ffffff")
        s.stroke(segments(((x, y), (x + 2, y + 12)) for x, y in ((240, 308), (270, 298), (300, 292), (330, 292), (360, 298), (388, 308))),
            style.ink, 6)
    elif rank == "Q":
        for k in range(7):
            a = -72 + 24 * k
            _paint(s, style, drop(at((315, 262), 180 - a, 10), 180 - a, 66, 26), "#ffffff")
    else:
        _paint(s, style, line([(248, 290), (315, 326), (382, 290), (360, 276), (270, 276)], True), trim)


def _head(s: Drawing, style: CourtStyle, rank: str, kind: str) -> None:
    robe, panel, trim = style.robes[kind]
    hair = style.hair[kind]
    if rank == "Q":
        _paint(s, style, shape([(315, 116), (246, 132), (222, 196), (226, 256), (204, 306)], [(204, 306), (250, 316), (280, 290)],
            [(280, 290), (350, 290)], [(350, 290), (380, 316), (426, 306)],
                               [(426, 306), (404, 256), (408, 196), (384, 132), (315, 116)]), hair)
    elif rank == "K":
        for side in (-1, 1):
            for k in range(4):
                _paint(s, style, circle((315 + side * (70 - 3 * k), 168 + 28 * k), 21), hair)
    else:
        _paint(s, style, shape([(315, 118), (250, 136), (238, 200), (242, 262)], [(242, 262), (266, 276), (290, 262)], [(290, 262),
            (340, 262)], [(340, 262), (364, 276), (388, 262)], [(388, 262), (392, 200), (380, 136), (315, 118)]), hair)
    _paint(s, style, line([(292, 250), (338, 250), (344, 300), (286, 300)], True), style.skin)
    _paint(s, style, ellipse((315, 200), 56, 74), style.skin)
    if rank == "K":
        _paint(s, style, shape([(260, 212), (284, 236), (315, 228), (346, 236), (370, 212)], [(370, 212), (368, 262), (344, 306),
            (315, 322)], [(315, 322), (286, 306), (262, 262), (260, 212)]), hair)
    if not style.plain_face:
        s.stroke(smooth([(276, 178), (290, 172), (304, 177)]) + smooth([(326, 177), (340, 172), (354, 178)]) + smooth([(317, 184),
            (311, 214), (322, 218)]), style.ink, 4)
        for x in (290, 340):
            s.ink(ellipse((x, 190), 10, 6), "#ffffff", 3, style.ink)
            s.fill(circle((x, 190), 4.5), style.ink)
        s.fill(smooth([(298, 243), (315, 238), (332, 243), (315, 251)], True), "#c03a3a")
        if rank == "K":
            s.stroke(smooth([(272, 240), (292, 226), (315, 232), (338, 226), (358, 240)]) + smooth([(296, 264), (302, 286), (300, 300)])
                + smooth([(334, 264), (328, 286), (330, 300)]), style.ink, 3.5)
        else:
            s.fill(circle((274, 222), 8), "#e99a86")
            s.fill(circle((356, 222), 8), "#e99a86")
    # Headwear.
    if rank == "K":
        _paint(s, style, line([(246, 150), (236, 78), (276, 112), (292, 62), (315, 104), (338, 62), (354, 112), (394, 78), (384, 150)],
            True), trim)
        _paint(s, style, line([(244, 134), (386, 134), (382, 160), (248, 160)], True), robe)
        for x, y in ((236, 76), (292, 60), (338, 60), (394, 76)):
            _paint(s, style, circle((x, y), 10), panel)
    elif rank == "Q":
        _paint(s, style, shape([(252, 150), (244, 104), (262, 88)], [(262, 88), (286, 116)], [(286, 116), (296, 84), (315, 70), (334, 84),
            (344, 116)], [(344, 116), (368, 88)], [(368, 88), (386, 104), (378, 150)],
                               [(378, 150), (315, 138), (252, 150)]), trim)
        for x, y in ((260, 84), (315, 66), (370, 84)):
            _paint(s, style, circle((x, y), 9), robe)
        s.stroke(smooth([(256, 140), (315, 126), (374, 140)]), panel, 8)
    else:
        _paint(s, style, leaf((352, 118), 62, 150, 30, bend=-30), panel)
        _paint(s, style, shape([(244, 148), (252, 96), (315, 78), (384, 98), (392, 146)], [(392, 146), (315, 130), (244, 148)]), robe)
        _paint(s, style, line([(240, 150), (315, 132), (394, 148), (390, 168), (315, 152), (244, 170)], True), trim)


def _attribute(s: Drawing, style: CourtStyle, rank: str, kind: str) -> None:
    """What the figure holds: sword, orb, flower or halberd, a different one for each card of a rank."""
    robe, panel, trim = style.robes[kind]
    x = 470
    if rank == "K":
        if kind in "sc":
            _paint(s, style, line([(x - 9, 330), (x - 9, 120), (x, 92), (x + 9, 120), (x + 9, 330)], True), "#dfe5ea")
            _paint(s, style, round_rect(x - 42, 322, 84, 18, 8), trim)
        elif kind == "d":
            s.stroke(f"M{x} 400V150", trim, 14)
            _paint(s, style, shape([(x, 120), (x + 50, 130), (x + 52, 200), (x, 210)], [(x, 210), (x, 120)]), "#dfe5ea")
        else:
            _paint(s, style, circle((x, 290), 40), trim)
            s.stroke(f"M{x} 250V206M{x - 18} 226h36M{x - 40} 290h80", style.ink, 7)
    elif rank == "Q":
        s.stroke(smooth([(x, 400), (x - 8, 330), (x, 262)]), "#2c7a4b", 8)
        s.fill(leaf((x - 6, 330), 70, 46, 18) + leaf((x - 6, 350), -60, 40, 16), "#2c7a4b")
        count = {"s": 8, "h": 5, "d": 6, "c": 4}[kind]
        for k in range(count):
            a = 360 * k / count
            _paint(s, style, drop((x, 244), a, 44, 30 if count < 6 else 22), panel if kind in "sc" else robe)
        _paint(s, style, circle((x, 244), 12), trim)
    else:
        s.stroke(f"M{x} 438V112", trim if kind in "hc" else style.ink, 11)
        if kind in "sd":
            _paint(s, style, line([(x, 84), (x + 18, 150), (x, 176), (x - 18, 150)], True), "#dfe5ea")
        else:
            _paint(s, style, shape([(x, 120), (x + 54, 104), (x + 62, 158), (x + 40, 204)], [(x + 40, 204), (x, 184)], [(x, 184),
                (x, 120)]), panel)
    _paint(s, style, smooth([(x - 24, 352), (x + 10, 338), (x + 28, 356), (x + 18, 384), (x - 18, 386)], True), style.skin)
    s.stroke(segments([((x + 4, 354), (x + 22, 358)), ((x + 2, 366), (x + 20, 370))]), style.ink, 2.5)


def court(s: Drawing, style: CourtStyle, rank: str, kind: str, colour: str, pip: float) -> None:
    """A double-ended court figure in its frame."""
    robe, panel, trim = style.robes[kind]
    if style.frame:
        s.ink(round_rect(108, 64, WIDTH - 216, HEIGHT - 128, 12), "#ffffff" if style.line else style.frame, 4,
            style.ink if style.line else style.frame)
    for half_turn in (False, True):
        s.begin('transform="rotate(180 315 440)"' if half_turn else 'transform="rotate(0)"')
        _robe(s, style, rank, kind)
        _attribute(s, style, rank, kind)
        _head(s, style, rank, kind)
        for d in suit(kind, (162, 128), pip):
            s.fill(d, colour)
        s.end()
    _paint(s, style, line([(112, 424), (518, 424), (518, 456), (112, 456)], True), trim)
    for x in range(140, 520, 50):
        _paint(s, style, line([(x, 428), (x + 13, 440), (x, 452), (x - 13, 440)], True), panel if (x // 50) % 2 else robe)


def jester(s: Drawing, style: CourtStyle, colour: str, second: str) -> None:
    """The joker: a jester's head under a cap with bells, over a ruff."""
    cx, cy = 315, 430
    for k in range(12):
        a = 90 + 180 * k / 11
        _paint(s, style, leaf(at((cx, cy + 90), a, 30), a, 150, 40), colour if k % 2 else second)
    caps = (([(cx - 84, cy - 40), (cx - 130, cy - 150), (cx - 210, cy - 150), (cx - 232, cy - 70)], [(cx - 232, cy - 70),
        (cx - 180, cy - 100), (cx - 120, cy - 60), (cx - 80, cy + 30)], colour),
            ([(cx + 84, cy - 40), (cx + 130, cy - 150), (cx + 210, cy - 150), (cx + 232, cy - 70)], [(cx + 232, cy - 70), (cx
                + 180, cy - 100), (cx + 120, cy - 60), (cx + 80, cy + 30)], second))
    for outer, inner, fill in caps:
        _paint(s, style, shape(outer, inner, [inner[-1], outer[0]]), fill)
    _paint(s, style, shape([(cx - 80, cy - 30), (cx - 70, cy - 160), (cx, cy - 260)], [(cx, cy - 260), (cx + 70, cy - 160), (cx
        + 80, cy - 30)], [(cx + 80, cy - 30), (cx - 80, cy - 30)]), "#f4bb1c")
    for x, y in ((cx - 232, cy - 58), (cx + 232, cy - 58), (cx, cy - 274)):
        _paint(s, style, circle((x, y), 20), "#f4bb1c")
    _paint(s, style, ellipse((cx, cy + 20), 84, 108), style.skin)
    _paint(s, style, shape([(cx - 88, cy + 6), (cx - 84, cy - 60), (cx, cy - 84), (cx + 84, cy - 60), (cx + 88, cy + 6)], [(cx + 88, cy
        + 6), (cx, cy - 38), (cx - 88, cy + 6)]), colour)
    for side in (-1, 1):
        s.ink(ellipse((cx + side * 34, cy + 8), 17, 12), "#ffffff", 4, style.ink)
        s.fill(circle((cx + side * 34, cy + 8), 7), style.ink)
        s.stroke(smooth([(cx + side * 14, cy - 16), (cx + side * 34, cy - 26), (cx + side * 54, cy - 14)]), style.ink, 5)
        s.fill(circle((cx + side * 56, cy + 50), 12), "#e99a86")
    s.stroke(smooth([(cx + 2, cy + 10), (cx - 8, cy + 42), (cx + 8, cy + 46)]), style.ink, 4)
    s.ink(shape([(cx - 46, cy + 66), (cx, cy + 92), (cx + 46, cy + 66)], [(cx + 46, cy + 66), (cx, cy + 78), (cx - 46, cy + 66)]),
        "#c03a3a", 4, style.ink)
