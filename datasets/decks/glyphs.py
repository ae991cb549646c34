"""Characters as brush strokes: each stroke is a run of (x, y, width) in a box of 100 by 100.

Korean hwatu carry 光 on the brights, 홍단 and 청단 on the poem ribbons and 壽 in the sake cup. They are drawn, not set
in a font, so that the cards look the same everywhere.
"""
from __future__ import annotations

import math
from collections.abc import Callable

from datasets.decks.svg import Point, brush

Stroke = tuple[tuple[float, float, float], ...]


def _ring(cx: float, cy: float, rx: float, ry: float, width: float) -> Stroke:
    """ㅇ, begun and ended at the top with a brush's overlap."""
    steps = 10
    out = []
    for k in range(steps + 1):
        angle = math.radians(-95 - 368 * k / steps)
        weight = width * (0.75 + 0.45 * math.sin(math.pi * k / steps))
        out.append((cx + rx * math.cos(angle), cy + ry * math.sin(angle), weight))
    return tuple(out)


GLYPHS: dict[str, tuple[Stroke, ...]] = {
    "光": (
        ((49, 2, 6), (52, 14, 11), (50, 40, 7)),
        ((20, 14, 3), (29, 22, 10), (36, 36, 7)),
        ((82, 8, 3), (77, 20, 10), (64, 36, 3)),
        ((6, 50, 8), (28, 46, 9), (70, 40, 8), (95, 38, 10)),
        ((40, 48, 8), (38, 64, 9), (28, 80, 8), (6, 97, 1)),
        ((60, 46, 8), (58, 68, 8), (62, 86, 9), (78, 91, 11), (93, 86, 9), (95, 68, 1)),
    ),
    "홍": (
        ((40, 0, 5), (56, 4, 9)),
        ((22, 17, 7), (50, 14, 8), (80, 12, 8)),
        _ring(50, 31, 14, 9, 7),
        ((50, 40, 7), (49, 54, 7)),
        ((6, 59, 9), (40, 55, 8), (94, 52, 9)),
        _ring(50, 80, 20, 15, 8),
    ),
    "청": (
        ((30, 0, 5), (44, 5, 9)),
        ((10, 18, 8), (40, 15, 8), (58, 13, 7)),
        ((40, 16, 7), (32, 34, 8), (6, 54, 2)),
        ((36, 30, 4), (46, 40, 9), (58, 50, 6)),
        ((56, 33, 6), (80, 30, 7)),
        ((82, 0, 8), (80, 30, 8), (81, 58, 4)),
        _ring(50, 79, 22, 16, 8),
    ),
    "단": (
        ((12, 18, 8), (34, 15, 7), (54, 12, 7)),
        ((16, 18, 7), (15, 36, 8), (22, 50, 8), (40, 50, 7), (60, 43, 3)),
        ((76, 0, 9), (75, 30, 8), (76, 62, 4)),
        ((76, 31, 7), (98, 28, 8)),
        ((24, 62, 7), (20, 80, 8), (30, 93, 8), (60, 91, 8), (96, 82, 2)),
    ),
    "쌍": (
        ((22, 6, 8), (18, 26, 8), (2, 48, 2)),
        ((20, 24, 4), (30, 36, 8), (36, 46, 7)),
        ((50, 6, 8), (47, 26, 8), (36, 46, 2)),
        ((49, 22, 4), (58, 36, 8), (66, 47, 7)),
        ((79, 0, 9), (78, 26, 8), (79, 58, 4)),
        ((79, 28, 7), (99, 27, 8)),
        _ring(48, 78, 24, 16, 9),
    ),
    "피": (
        ((8, 20, 9), (40, 17, 9), (66, 15, 9)),
        ((26, 20, 7), (28, 70, 8)),
        ((50, 18, 8), (47, 68, 7)),
        ((4, 76, 9), (40, 72, 9), (72, 65, 6)),
        ((88, 0, 10), (87, 50, 9), (88, 100, 5)),
    ),
    "壽": (
        ((30, 15, 6), (52, 12, 8), (74, 9, 7)),
        ((22, 30, 6), (52, 27, 8), (80, 24, 7)),
        ((6, 47, 8), (50, 42, 8), (95, 37, 9)),
        ((53, 0, 8), (50, 28, 8), (40, 60, 9), (26, 82, 8), (4, 98, 1)),
        ((34, 65, 7), (60, 61, 8), (92, 57, 8)),
        ((72, 48, 7), (72, 74, 9), (70, 94, 9), (54, 86, 1)),
        ((44, 72, 3), (50, 80, 8), (55, 84, 6)),
    ),
}


def glyph(char: str, place: Callable[[float, float], Point], weight: float, scale: float) -> str:
    """Path data of a character.

    `place` takes box coordinates (0-100) to the drawing, so that writing can follow a bent ribbon; `scale` is drawing
    units per box unit, `weight` makes all strokes bolder or finer.
    """
    out = []
    for stroke in GLYPHS[char]:
        points = [place(x, y) for x, y, _ in stroke]
        out.append(brush(points, [width * weight * scale for _, _, width in stroke], places=1))
    return "".join(out)


def boxed(char: str, x: float, y: float, width: float, height: float, weight: float = 1.0) -> str:
    """A character upright in a rectangle."""
    return glyph(char, lambda u, v: (x + u * width / 100, y + v * height / 100), weight, (width + height) / 200)
