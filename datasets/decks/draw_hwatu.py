"""The project's own hwatu deck: 48 cards, two bonus cards and a back, each an SVG of 350 by 540 tenths of a millimetre.

Months are the Korean ones (11 paulownia, 12 rain). Motifs follow the tradition of the game; every line is drawn here
from numbers.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from datasets.decks import hwatu_figures as fig
from datasets.decks import hwatu_plants as pl
from datasets.decks.glyphs import boxed
from datasets.decks.hwatu_plants import BLACK, BLUE, GREEN, PAPER, PINK, RED, YELLOW
from datasets.decks.svg import Drawing, brush, circle, document, drop, leaf, line, round_rect, segments, shape, smooth

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


# ---- the months --------------------------------------------------------------------------------------------------

def _m01_bright(s: Drawing) -> None:
    s.ink(circle((292, 58), 132), RED, 4)
    pl.pine(s, [(10, 352), (30, 330), (48, 372), (66, 430), (88, 468), (100, 560)], [(30, 332), (84, 456)])
    pl.pine(s, [(196, 560), (204, 470), (232, 420), (256, 330), (284, 228), (306, 196), (322, 226), (342, 270)], [(306, 198), (208, 466)])
    fig.crane(s)
    pl.bright_mark(s, 274, 470)


def _m01_ribbon(s: Drawing) -> None:
    pl.pine(s, [(8, 300), (34, 232), (58, 262), (86, 370), (112, 424), (140, 436)], [(34, 232)])
    pl.pine(s, [(120, 440), (168, 420), (188, 300), (208, 170), (230, 104), (252, 150), (278, 300), (296, 400), (342, 414)], [(230, 106), (140, 436), (318, 408)])
    pl.ribbon(s, [(112, 78), (120, 180), (146, 290), (196, 414)], 104, RED, "홍단")


def _m01_junk_a(s: Drawing) -> None:
    pl.pine(s, [(8, 180), (32, 96), (60, 140), (88, 260), (120, 340), (150, 352), (178, 384), (206, 396), (236, 400), (262, 330), (290, 236), (312, 200), (346, 240)], [(32, 98), (142, 350), (206, 396), (312, 202)])


def _m01_junk_b(s: Drawing) -> None:
    pl.pine(s, [(8, 300), (36, 222), (62, 252), (86, 330), (108, 398), (132, 412), (160, 404), (184, 320), (210, 180), (238, 104), (266, 150), (294, 260), (318, 330), (346, 346)], [(36, 224), (116, 404), (148, 410), (238, 106)])


def _m02_animal(s: Drawing) -> None:
    pl.cloud(s, [(60, 10, 40), (110, 8, 30), (250, 6, 46), (300, 24, 42), (340, 8, 40)])
    s.fill(brush([(350, 520), (280, 452), (210, 420), (150, 384), (116, 348)], [96, 72, 52, 48, 34]), BLACK)
    s.fill(brush([(122, 348), (150, 322), (196, 314), (230, 312)], [40, 30, 24, 8]), BLACK)
    s.fill(brush([(40, 540), (36, 470), (18, 400)], [22, 14, 8]) + brush([(250, 180), (286, 160), (344, 96)], [8, 14, 20]), BLACK)
    for x, y, r in ((298, 120, 17), (204, 70, 15), (232, 96, 13), (36, 372, 16), (62, 420, 14), (246, 498, 16), (318, 224, 15)):
        pl.bud(s, x, y, r, x)
    pl.plum(s, 284, 186, 46, 8)
    pl.plum_side(s, 262, 400, 54, 6)
    pl.plum_side(s, 110, 500, 56, -10)
    fig.warbler(s)


def _m02_ribbon(s: Drawing) -> None:
    s.fill(brush([(80, 560), (150, 470), (220, 420), (290, 330)], [84, 70, 60, 10]) + brush([(190, 200), (236, 110), (262, 20)], [26, 20, 12]) + brush([(60, 150), (86, 90), (84, 10)], [50, 40, 24]), BLACK)
    for x, y, r in ((40, 60, 20), (286, 110, 22), (40, 310, 17), (66, 486, 20), (300, 470, 18), (230, 500, 16)):
        pl.bud(s, x, y, r, x)
    pl.plum(s, 270, 240, 58, 12)
    pl.plum_side(s, 60, 400, 54, -12)
    pl.plum_side(s, 136, 92, 60, 4)
    pl.plum(s, 54, 220, 40, 30)
    pl.ribbon(s, [(148, 124), (156, 220), (184, 330), (240, 462)], 100, RED, "홍단")


def _m02_junk(s: Drawing, flip: bool) -> None:
    def x(v: float) -> float:
        return 350 - v if flip else v
    if flip:
        s.fill(brush([(x(340), 400), (x(290), 446), (x(220), 470), (x(150), 480), (x(90), 560)], [16, 24, 40, 56, 80]), BLACK)
        s.fill(brush([(x(110), 440), (x(100), 330), (x(84), 150)], [30, 22, 16]) + brush([(x(240), 450), (x(262), 320), (x(268), 90)], [24, 20, 16]), BLACK)
        buds = ((92, 170, 18), (118, 260, 20), (70, 300, 18), (276, 180, 20), (250, 250, 18), (284, 330, 20), (320, 380, 16), (180, 500, 18), (130, 344, 17))
        flowers = ((196, 410, 52, 0), (112, 416, 46, 20))
        sides = ((274, 400, 46, 14),)
    else:
        s.fill(brush([(60, 560), (130, 500), (210, 490), (300, 520)], [60, 56, 36, 20]), BLACK)
        s.fill(brush([(80, 520), (62, 380), (58, 210), (48, 34)], [34, 28, 22, 16]) + brush([(210, 500), (250, 410), (282, 330), (300, 170)], [30, 26, 22, 14]) + brush([(256, 400), (244, 320), (240, 260)], [16, 14, 12]), BLACK)
        buds = ((34, 100, 18), (78, 170, 20), (40, 240, 17), (316, 210, 18), (292, 290, 20), (228, 270, 17), (262, 350, 17), (290, 470, 18), (140, 340, 17), (320, 400, 16))
        flowers = ((88, 436, 58, 10),)
        sides = ((196, 450, 50, 10), (96, 330, 48, -8))
    for bx, by, r in buds:
        pl.bud(s, x(bx), by, r, bx)
    for fx, fy, r, t in sides:
        pl.plum_side(s, x(fx), fy, r, t)
    for fx, fy, r, t in flowers:
        pl.plum(s, x(fx), fy, r, t)


def _m03_bright(s: Drawing) -> None:
    pl.leaves(s, [(60, 60, -40, 50), (180, 40, 20, 54), (300, 180, 60, 56), (40, 180, -70, 50), (40, 260, 200, 46), (250, 110, 70, 50), (160, 150, 10, 46)])
    for x, y, t in ((26, 44, -30), (322, 30, 40), (328, 250, 100), (210, 24, 10), (18, 150, -70)):
        pl.cherry_bud(s, x, y, t)
    for x, y, r, t, c in ((112, 40, 44, 10, PINK), (262, 70, 50, 20, RED), (80, 104, 52, 0, RED), (186, 106, 48, 30, PINK), (310, 138, 44, 0, PINK), (46, 196, 46, 18, PINK),
                          (140, 186, 52, 8, RED), (236, 178, 52, 24, PINK), (300, 232, 50, 4, RED), (86, 262, 48, 30, RED), (190, 262, 50, 12, RED)):
        pl.cherry(s, x, y, r, t, c)
    fig.curtain(s)
    pl.bright_mark(s, 84, 452, 46)


def _m03_ribbon(s: Drawing) -> None:
    pl.leaves(s, [(60, 60, -50, 60), (280, 70, 50, 64), (60, 250, 250, 58), (290, 250, 90, 60), (70, 470, 220, 60), (290, 450, 130, 60), (40, 380, -80, 50), (300, 370, 70, 52), (150, 60, -10, 56)])
    for x, y, t in ((300, 40, 40), (36, 220, -80), (318, 330, 90), (40, 486, 220), (130, 40, -20), (306, 490, 140)):
        pl.cherry_bud(s, x, y, t)
    for x, y, r, t, c in ((86, 130, 52, 0, RED), (140, 70, 44, 20, PINK), (222, 74, 52, 8, RED), (276, 150, 50, 24, PINK), (290, 220, 44, 0, RED), (66, 330, 52, 14, RED),
                          (80, 400, 46, 30, PINK), (264, 340, 52, 10, RED), (270, 420, 50, 28, PINK), (110, 476, 50, 0, PINK), (214, 484, 52, 20, RED), (62, 200, 40, 20, PINK)):
        pl.cherry(s, x, y, r, t, c)
    pl.ribbon(s, [(206, 96), (208, 190), (188, 300), (146, 438)], 100, RED, "홍단")


def _m03_junk_a(s: Drawing) -> None:
    s.fill(brush([(360, 80), (300, 150), (284, 260), (290, 380), (330, 560)], [40, 40, 44, 60, 110]) + brush([(290, 300), (240, 330), (200, 380)], [30, 20, 8]), BLACK)
    pl.leaves(s, [(60, 170, -30, 56), (170, 150, 20, 56), (120, 260, 190, 54), (60, 440, -60, 54), (190, 440, 40, 54), (130, 520, 160, 40), (250, 60, 70, 44), (150, 70, -60, 46)])
    for x, y, t in ((120, 120, -10), (40, 300, -120), (220, 220, 90), (40, 400, -60), (230, 400, 40), (150, 40, -40)):
        pl.cherry_bud(s, x, y, t)
    for x, y, r, t, c in ((206, 76, 46, 16, PINK), (246, 126, 54, 0, RED), (134, 204, 50, 10, PINK), (74, 240, 50, 24, RED), (186, 258, 52, 0, RED),
                          (62, 448, 50, 0, RED), (126, 410, 48, 20, PINK), (132, 480, 52, 8, RED), (206, 460, 50, 28, RED)):
        pl.cherry(s, x, y, r, t, c)


def _m03_junk_b(s: Drawing) -> None:
    s.fill(brush([(10, 560), (60, 490), (140, 440), (176, 360), (170, 290), (200, 230)], [130, 100, 66, 44, 36, 20]) + brush([(170, 310), (130, 260), (110, 220)], [30, 22, 10]), BLACK)
    pl.leaves(s, [(50, 80, -40, 56), (150, 60, 10, 54), (300, 70, 40, 56), (310, 230, 110, 54), (40, 230, 230, 54), (310, 360, 60, 54), (310, 470, 120, 54), (220, 330, 0, 46), (110, 360, -70, 50)])
    for x, y, t in ((40, 140, -80), (320, 150, 80), (130, 40, -10), (320, 410, 90), (250, 500, 170), (220, 50, 10)):
        pl.cherry_bud(s, x, y, t)
    for x, y, r, t, c in ((92, 116, 52, 0, RED), (150, 150, 44, 20, PINK), (98, 200, 50, 10, RED), (262, 110, 50, 16, PINK), (250, 180, 54, 4, RED), (300, 210, 40, 24, PINK),
                          (220, 390, 52, 0, RED), (288, 400, 46, 20, PINK), (280, 460, 52, 10, RED), (204, 466, 50, 28, PINK)):
        pl.cherry(s, x, y, r, t, c)


def _black(_: float) -> str:
    return BLACK


def _clover(turn: float) -> Callable[[float], str]:
    return lambda share: RED if share > turn else BLACK


def _m04_animal(s: Drawing) -> None:
    pl.sprig(s, [(346, 50), (316, 150), (290, 250), (250, 360), (236, 500)], 32, 34, _black, 150, width=0.3)
    pl.sprig(s, [(330, 250), (322, 320), (310, 420)], 32, 32, _black, 20, width=0.3)
    pl.sprig(s, [(280, 300), (200, 316), (130, 300), (80, 330)], 36, 32, _black, 40, width=0.3)
    s.stroke(smooth([(120, 304), (110, 360), (86, 390), (96, 420), (124, 410), (116, 384), (86, 400), (60, 450), (76, 490), (104, 480)]), BLACK, 3)
    fig.cuckoo(s)


def _m04_ribbon(s: Drawing) -> None:
    pl.sprig(s, [(90, 560), (84, 420), (70, 280), (56, 130)], 34, 36, _black)
    pl.sprig(s, [(250, 560), (262, 420), (266, 260), (256, 80)], 34, 36, _black)
    pl.sprig(s, [(170, 560), (230, 470), (312, 390)], 34, 36, _black)
    pl.sprig(s, [(180, 560), (120, 500), (40, 460)], 34, 36, _black)
    pl.ribbon(s, [(120, 76), (134, 180), (166, 300), (214, 420)], 98)


def _m04_junk_a(s: Drawing) -> None:
    pl.sprig(s, [(176, 560), (172, 420), (166, 260), (176, 90)], 35, 36, _black)
    pl.sprig(s, [(170, 560), (110, 440), (70, 330), (58, 200)], 35, 36, _black, 60)
    pl.sprig(s, [(180, 560), (230, 450), (280, 350), (310, 250)], 35, 36, _black, 60)
    pl.sprig(s, [(160, 560), (100, 500), (34, 450)], 34, 36, _black, 50)
    pl.sprig(s, [(190, 560), (250, 510), (324, 460)], 34, 36, _black, 50)


def _m04_junk_b(s: Drawing) -> None:
    pl.sprig(s, [(150, 560), (170, 430), (196, 280), (210, 110)], 35, 36, _black)
    pl.sprig(s, [(120, 560), (96, 460), (86, 350), (92, 230)], 35, 36, _black, 40)
    pl.sprig(s, [(230, 560), (276, 450), (296, 330), (292, 210)], 35, 36, _black, 50)
    pl.sprig(s, [(100, 560), (60, 500), (30, 410)], 34, 36, _black, 40)
    pl.sprig(s, [(210, 560), (260, 520), (326, 490)], 34, 36, _black, 40)
    s.stroke(smooth([(70, 300), (44, 240), (60, 200), (84, 210), (70, 236), (46, 214), (50, 150), (72, 110), (52, 84), (36, 110), (58, 130)]), BLACK, 3)


def _m05_animal(s: Drawing) -> None:
    pl.cloud(s, [(200, 14, 34), (250, 40, 46), (310, 20, 54), (60, 4, 30), (110, 0, 24)])
    pl.blades(s, [((120, 450), (40, 110), 46, 10), ((150, 450), (110, 120), 42, -4), ((200, 450), (300, 110), 44, -24), ((230, 450), (330, 230), 40, -14), ((80, 450), (18, 250), 40, 12), ((180, 450), (190, 90), 36, -8)])
    s.stroke(smooth([(170, 290), (172, 360), (164, 450)]), YELLOW, 10)
    pl.iris(s, 170, 226, 86)
    fig.bridge(s)


def _m05_ribbon(s: Drawing) -> None:
    pl.blades(s, [((80, 560), (30, 300), 46, 10), ((130, 560), (70, 180), 50, -4), ((220, 560), (310, 90), 50, -20), ((260, 560), (326, 280), 46, -14), ((300, 560), (336, 400), 40, -6), ((180, 560), (190, 330), 46, 0), ((40, 560), (10, 420), 36, 0)])
    s.stroke(smooth([(98, 330), (104, 420), (120, 540)]) + smooth([(272, 300), (268, 420), (250, 540)]), YELLOW, 10)
    pl.iris(s, 96, 270, 72)
    s.ink(leaf((272, 310), -8, 74, 20, belly=0.5), BLUE, 3)
    s.ink(leaf((272, 316), 0, 40, 14), YELLOW, 3)
    pl.ribbon(s, [(122, 56), (132, 160), (164, 280), (226, 396)], 102)


def _m05_junk_a(s: Drawing) -> None:
    pl.blades(s, [((60, 560), (24, 320), 48, 10), ((110, 560), (70, 220), 54, -6), ((150, 560), (120, 300), 48, 4), ((210, 560), (240, 290), 50, -6), ((250, 560), (322, 70), 56, -20), ((290, 560), (336, 330), 46, -8), ((20, 560), (16, 440), 40, 0), ((320, 560), (340, 440), 40, 0)])
    s.stroke(smooth([(150, 330), (170, 420), (180, 540)]), YELLOW, 13)
    pl.iris(s, 146, 240, 100)


def _m05_junk_b(s: Drawing) -> None:
    pl.blades(s, [((60, 560), (34, 330), 48, -16), ((120, 560), (130, 190), 50, -14), ((180, 560), (170, 330), 48, -4), ((230, 560), (310, 160), 56, -24), ((270, 560), (330, 300), 48, -12), ((310, 560), (338, 420), 44, 0), ((30, 560), (14, 460), 40, 0)])
    s.stroke(smooth([(210, 380), (200, 440), (196, 540)]), YELLOW, 13)
    s.stroke(smooth([(90, 250), (96, 380), (110, 540)]), YELLOW, 10)
    pl.iris(s, 212, 300, 92)
    s.ink(leaf((88, 262), -6, 96, 26, belly=0.5), BLUE, 3)
    s.ink(leaf((88, 270), 2, 52, 17), YELLOW, 3)


def _m06_animal(s: Drawing) -> None:
    for x, y, a, r in ((150, 100, -50, 120), (180, 80, 0, 110), (260, 90, 40, 110), (130, 190, -100, 110), (280, 250, 150, 120), (180, 270, 200, 110)):
        pl.peony_leaf(s, x, y, a, r)
    pl.peony(s, 206, 158, 108, 10)
    pl.cloud(s, [(40, 470, 36), (84, 494, 40), (140, 520, 36), (200, 524, 32), (256, 528, 30), (310, 516, 34), (30, 520, 40)])
    fig.butterfly(s, 100, 376, 66, -30)
    fig.butterfly(s, 250, 428, 60, -62)


def _m06_ribbon(s: Drawing) -> None:
    for x, y, a, r in ((130, 110, -60, 100), (220, 120, 60, 110), (100, 250, -60, 110), (260, 300, 60, 110), (80, 440, 220, 100), (240, 430, 120, 120), (170, 80, 0, 70)):
        pl.peony_leaf(s, x, y, a, r)
    s.stroke(smooth([(190, 80), (180, 200), (140, 330)]), BLACK, 12)
    pl.peony(s, 196, 70, 56, 0)
    pl.peony(s, 112, 372, 104, 20)
    pl.ribbon(s, [(162, 118), (172, 210), (202, 320), (262, 452)], 96, BLUE, "청단")


def _m06_junk_a(s: Drawing) -> None:
    s.stroke(smooth([(230, 130), (240, 220), (200, 330)]), BLACK, 13)
    for x, y, a, r in ((150, 110, -70, 120), (290, 150, 60, 80), (130, 270, -70, 110), (270, 290, 60, 110), (110, 450, 230, 110), (260, 450, 130, 110), (180, 470, 180, 90)):
        pl.peony_leaf(s, x, y, a, r)
    pl.peony(s, 220, 106, 76, 30)
    pl.peony(s, 178, 372, 116, 5)


def _m06_junk_b(s: Drawing) -> None:
    s.stroke(smooth([(196, 110), (206, 190), (160, 300)]), BLACK, 13)
    for x, y, a, r in ((190, 150, -80, 110), (206, 160, 80, 110), (196, 90, -40, 80), (200, 90, 40, 80), (120, 300, -60, 120), (230, 280, 50, 110), (100, 430, 210, 110), (220, 440, 140, 120)):
        pl.peony_leaf(s, x, y, a, r)
    pl.peony(s, 196, 84, 50, 12)
    pl.peony(s, 142, 366, 120, 40)


def _m07_animal(s: Drawing) -> None:
    pl.cloud(s, [(30, 20, 34), (76, 8, 30), (120, 2, 22)])
    pl.sprig(s, [(344, 330), (300, 220), (276, 130), (276, 30)], 33, 32, _clover(0.55), 40)
    pl.sprig(s, [(320, 290), (230, 200), (150, 130), (60, 90)], 34, 32, _clover(0.6), 60)
    pl.sprig(s, [(346, 400), (310, 320), (296, 240)], 33, 32, _black, 30)
    pl.sprig(s, [(346, 520), (240, 500), (140, 470), (30, 500)], 34, 32, _clover(0.55), 20)
    fig.boar(s)
    pl.sprig(s, [(346, 480), (310, 440), (290, 390)], 30, 28, _black, 16)


def _m07_ribbon(s: Drawing) -> None:
    pl.sprig(s, [(344, 520), (300, 360), (290, 200), (300, 50)], 34, 33, _clover(0.5), 30)
    pl.sprig(s, [(330, 440), (240, 300), (150, 180), (70, 70)], 35, 33, _clover(0.45), 40)
    pl.sprig(s, [(250, 320), (160, 270), (50, 260)], 34, 33, _clover(0.3), 60)
    pl.sprig(s, [(346, 530), (250, 490), (150, 470), (60, 490)], 34, 33, _clover(0.5), 30)
    pl.ribbon(s, [(214, 74), (214, 180), (184, 290), (134, 410)], 98)


def _m07_junk_a(s: Drawing) -> None:
    pl.sprig(s, [(12, 520), (90, 420), (130, 280), (130, 80)], 34, 33, _clover(0.5), 70)
    pl.sprig(s, [(12, 520), (140, 400), (240, 290), (310, 130)], 34, 33, _clover(0.5), 90)
    pl.sprig(s, [(110, 360), (70, 280), (50, 210)], 34, 33, _clover(0.3), 40)
    pl.sprig(s, [(12, 524), (120, 480), (220, 440), (326, 400)], 34, 33, _clover(0.5), 60)


def _m07_junk_b(s: Drawing) -> None:
    pl.sprig(s, [(340, 340), (250, 260), (180, 170), (110, 60)], 34, 33, _clover(0.45), 40)
    pl.sprig(s, [(340, 380), (290, 270), (270, 170), (270, 60)], 34, 33, _clover(0.5), 50)
    pl.sprig(s, [(340, 400), (240, 350), (130, 330), (40, 330)], 34, 33, _black, 30)
    pl.sprig(s, [(344, 470), (250, 410), (140, 400), (40, 440)], 34, 33, _clover(0.35), 60)
    pl.sprig(s, [(346, 524), (270, 490), (180, 500)], 34, 33, _clover(0.6), 30)


def _hill(s: Drawing, y: float, left: float, right: float, peak: float = 175) -> None:
    s.fill(smooth([(6, left), (90, y + (left - y) * 0.2), (peak, y), (260, y + (right - y) * 0.25), (344, right)]) + "V560H6z", BLACK)


def _grass(s: Drawing, y: float, seed: int) -> None:
    """Swathes of pampas grass on the black hill, in a dark grey that keeps the hill black from afar."""
    d = ""
    for k in range(6):
        x0, y0 = 20 + (k * 97 + seed * 41) % 270, y + 40 + k * 36
        for j in range(4):
            d += smooth([(x0 + j * 9, y0 + 18 - j * 2), (x0 + 30 + j * 9, y0 - 6 - j * 3), (x0 + 74 + j * 7, y0 - 8 + j * 2)])
    s.stroke(d, "#5d594f", 2)


def _m08_bright(s: Drawing) -> None:
    s.fill("M6 6H344V534H6z", RED)
    s.ink(circle((178, 160), 116), PAPER, 4)
    _hill(s, 292, 330, 340)
    _grass(s, 300, 1)
    pl.bright_mark(s, 96, 442)


def _m08_animal(s: Drawing) -> None:
    fig.goose(s, 104, 126, 68, YELLOW, 8)
    fig.goose(s, 238, 84, 66, YELLOW, -10)
    fig.goose(s, 222, 196, 70, RED, 4)
    _hill(s, 290, 300, 344, 120)
    _grass(s, 292, 2)


def _m08_junk_a(s: Drawing) -> None:
    _hill(s, 268, 312, 326)
    _grass(s, 276, 3)


def _m08_junk_b(s: Drawing) -> None:
    _hill(s, 284, 340, 318, 200)
    _grass(s, 290, 6)


def _stem09(s: Drawing, flip: bool) -> None:
    def x(v: float) -> float:
        return 350 - v if flip else v
    s.fill(brush([(x(60), 560), (x(90), 480), (x(160), 330), (x(190), 200), (x(184), 90)], [34, 26, 20, 16, 12]), BLACK)


def _m09_animal(s: Drawing) -> None:
    pl.cloud(s, [(230, 10, 34), (276, 26, 40), (322, 46, 44), (330, 90, 30)])
    s.ink("M6 420L344 432V560H6z", BLUE, 3)
    s.stroke(segments(((20, y), (330 - (y % 3) * 40, y + 4)) for y in range(438, 520, 12)), "#0b2f66", 3)
    s.fill(brush([(40, 460), (90, 330), (160, 200), (186, 110)], [30, 24, 18, 12]), BLACK)
    for x, y, a, r in ((150, 200, 70, 110), (30, 170, -20, 90), (60, 320, 200, 120), (180, 150, 110, 90)):
        pl.lobed_leaf(s, x, y, a, r)
    pl.chrysanthemum_side(s, 190, 92, 74, 8)
    pl.chrysanthemum(s, 76, 252, 88, 5)
    s.fill(shape([(6, 520), (70, 470), (130, 452), (190, 476), (240, 540)], [(240, 540), (6, 560)], [(6, 560), (6, 520)]), BLACK)
    s.ink("M226 520L344 508V560H250z", GREEN, 3)
    fig.cup(s)


def _m09_ribbon(s: Drawing) -> None:
    s.fill(brush([(230, 560), (240, 440), (190, 300), (160, 180), (158, 90)], [30, 26, 20, 16, 12]), BLACK)
    for x, y, a, r in ((160, 190, -80, 110), (190, 150, 80, 120), (170, 310, -110, 120), (260, 250, 40, 110), (220, 470, 230, 110), (270, 480, 140, 90), (200, 300, 90, 110)):
        pl.lobed_leaf(s, x, y, a, r)
    pl.chrysanthemum_side(s, 150, 84, 80, -4)
    pl.chrysanthemum(s, 248, 392, 88, 10)
    pl.ribbon(s, [(196, 104), (198, 200), (178, 310), (126, 448)], 98, BLUE, "청단")


def _m09_junk_a(s: Drawing) -> None:
    _stem09(s, False)
    for x, y, a, r in ((180, 190, -70, 90), (190, 180, 76, 110), (100, 330, -70, 110), (230, 330, 90, 120), (110, 430, 220, 110), (160, 430, 130, 130)):
        pl.lobed_leaf(s, x, y, a, r)
    pl.chrysanthemum_side(s, 186, 100, 90, 4)
    pl.chrysanthemum(s, 164, 320, 104, 0)


def _m09_junk_b(s: Drawing) -> None:
    _stem09(s, True)
    for x, y, a, r in ((160, 220, -80, 120), (160, 210, 80, 110), (110, 360, -80, 100), (260, 340, 70, 100), (120, 440, 230, 110), (250, 440, 140, 100), (60, 330, 0, 60)):
        pl.lobed_leaf(s, x, y, a, r)
    pl.chrysanthemum_side(s, 156, 136, 78, -6)
    for t in range(3):
        s.ink(drop((152, 108), -16 + 16 * t, 78, 22), (RED, YELLOW, RED)[t], 2.8)
    pl.chrysanthemum(s, 200, 356, 94, 18)


def _m10_animal(s: Drawing) -> None:
    s.ink(brush([(350, 6), (322, 130), (318, 280), (296, 400), (230, 560)], [70, 56, 52, 60, 90]), YELLOW, 3.5)
    s.stroke("".join(smooth([(334 - 4 * k, 20 + 34 * k), (322 - 4 * k, 50 + 34 * k), (308 - 4 * k, 60 + 34 * k)]) for k in range(7))
             + "".join(smooth([(312 - 14 * k, 270 + 40 * k), (296 - 14 * k, 310 + 36 * k), (280 - 14 * k, 330 + 36 * k)]) for k in range(6)), BLACK, 3)
    for x, y, r, t, c in ((196, 40, 56, 160, YELLOW), (120, 50, 58, 200, RED), (268, 60, 60, 140, RED), (206, 118, 62, 180, BLACK), (292, 160, 62, 200, RED), (230, 206, 50, 150, RED), (304, 262, 54, 170, BLACK), (282, 480, 60, 200, RED), (320, 400, 48, 240, YELLOW)):
        pl.maple(s, x, y, r, t, c)
    fig.deer(s)


def _m10_ribbon(s: Drawing) -> None:
    for x, y, r, t, c in ((76, 90, 84, 200, RED), (300, 90, 88, 160, BLACK), (70, 300, 80, 170, BLACK), (282, 290, 92, 190, RED), (100, 462, 90, 170, RED), (306, 460, 80, 190, BLACK), (200, 30, 60, 180, YELLOW)):
        pl.maple(s, x, y, r, t, c)
    pl.ribbon(s, [(130, 86), (140, 190), (172, 306), (232, 444)], 98, BLUE, "청단")


def _m10_junk_a(s: Drawing) -> None:
    for x, y, r, t, c in ((176, 30, 92, 180, BLACK), (70, 186, 92, 160, RED), (306, 180, 96, 230, RED), (196, 330, 74, 100, YELLOW), (150, 306, 92, 170, BLACK), (180, 466, 96, 190, RED), (22, 480, 70, 120, BLACK)):
        pl.maple(s, x, y, r, t, c)


def _m10_junk_b(s: Drawing) -> None:
    for x, y, r, t, c in ((110, 110, 96, 190, BLACK), (274, 70, 92, 160, RED), (50, 320, 80, 130, YELLOW), (240, 320, 92, 200, RED), (292, 270, 84, 240, BLACK), (100, 450, 96, 170, RED), (300, 480, 64, 200, YELLOW)):
        pl.maple(s, x, y, r, t, c)


def _m11_bright(s: Drawing) -> None:
    fig.phoenix(s)
    s.fill("M6 470H344V560H6z", YELLOW)
    pl.paulownia_leaf(s, 70, 400, 170, 130)
    pl.paulownia_leaf(s, 282, 400, 170, 130)
    pl.paulownia_leaf(s, 178, 384, 190, 140)
    pl.paulownia_sprig(s, [(150, 380), (160, 310), (182, 240)], 26, 36, 32)
    pl.paulownia_sprig(s, [(70, 400), (60, 370), (66, 330)], 22, 30, 30)
    pl.paulownia_flower(s, 118, 346, 34, 10)
    pl.paulownia_flower(s, 200, 352, 34, -10)
    pl.bright_mark(s, 236, 456, 46)


def _paulownia(s: Drawing, wide: bool) -> None:
    if wide:
        pl.paulownia_leaf(s, 88, 266, 190, 120, -10)
        pl.paulownia_leaf(s, 264, 266, 190, 120, 10)
        pl.paulownia_leaf(s, 176, 262, 220, 176)
        pl.paulownia_sprig(s, [(172, 240), (184, 150), (178, 56)], 32, 46, 42)
        pl.paulownia_sprig(s, [(90, 240), (70, 190), (74, 140)], 28, 30, 36)
        pl.paulownia_sprig(s, [(262, 240), (280, 200), (286, 160)], 28, 30, 36)
        pl.paulownia_flower(s, 120, 214, 46, 6)
        pl.paulownia_flower(s, 214, 216, 46, -8)
    else:
        pl.paulownia_leaf(s, 100, 272, 200, 116, -20)
        pl.paulownia_leaf(s, 256, 270, 210, 200, 16)
        pl.paulownia_leaf(s, 160, 258, 210, 140, -14)
        pl.paulownia_sprig(s, [(226, 240), (240, 150), (226, 50)], 32, 46, 42)
        pl.paulownia_sprig(s, [(110, 240), (96, 170), (108, 110)], 30, 36, 38)
        pl.paulownia_flower(s, 72, 224, 44, -8)
        pl.paulownia_flower(s, 162, 200, 48, 10)
        pl.paulownia_flower(s, 268, 222, 44, -4)


def _m11_junk_a(s: Drawing) -> None:
    _paulownia(s, True)


def _m11_junk_b(s: Drawing) -> None:
    _paulownia(s, False)


def _m11_double(s: Drawing) -> None:
    s.fill("M6 352H344V540H6z", RED)
    s.stroke("M6 352H344", BLACK, 3.5)
    _paulownia(s, True)


def _m12_bright(s: Drawing) -> None:
    pl.willow(s, [(250, 6), (272, 60), (282, 130), (274, 190)], [120, 96, 50, 0], "both", 30)
    pl.willow(s, [(120, 6), (120, 90), (96, 190), (72, 300)], [190, 150, 70, 0], "both", 30)
    pl.willow(s, [(320, 6), (322, 130), (316, 240), (306, 340)], [60, 54, 40, 0], "left", 26)
    pl.willow(s, [(40, 6), (36, 120), (26, 230), (22, 330)], [90, 60, 36, 0], "right", 26)
    fig.poet(s)
    pl.bright_mark(s, 78, 74, 48)


def _m12_animal(s: Drawing) -> None:
    pl.willow(s, [(70, 6), (84, 90), (66, 160), (34, 240)], [160, 150, 80, 0], "both", 40)
    pl.willow(s, [(270, 6), (256, 80), (280, 170), (300, 290)], [170, 160, 90, 0], "both", 40)
    pl.willow(s, [(330, 200), (320, 320), (330, 430), (322, 560)], [16, 18, 20, 24], "left", 34)
    fig.swallow(s)


def _m12_ribbon(s: Drawing) -> None:
    pl.willow(s, [(60, 6), (52, 140), (66, 280), (40, 420)], [110, 84, 70, 0], "right", 34)
    pl.willow(s, [(290, 6), (306, 120), (300, 240), (316, 420)], [130, 96, 70, 0], "left", 34)
    pl.willow(s, [(150, 6), (190, 60), (230, 90), (262, 170)], [70, 60, 40, 0], "both", 28)
    s.fill(brush([(20, 380), (36, 460), (90, 560)], [44, 48, 70]), BLACK)
    pl.ribbon(s, [(138, 92), (148, 200), (176, 320), (206, 452)], 100)


def _m12_double(s: Drawing) -> None:
    fig.gate(s)


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
        s.ink(f"M{x:.1f} {y:.1f}A{h:.1f} {h:.1f} 0 0 0 {p0[0]:.1f} {p0[1]:.1f}A{r:.1f} {r:.1f} 0 0 1 {p1[0]:.1f} {p1[1]:.1f}A{h:.1f} {h:.1f} 0 0 1 {x:.1f} {y:.1f}z", colour, 4)


def _digit(s: Drawing, points: list[tuple[float, float]], width: float) -> None:
    d = smooth(points)
    s.stroke(d, BLACK, width + 9)
    s.stroke(d, YELLOW, width)


def _joker(s: Drawing, worth: int) -> None:
    for y, up in ((6, 1), (534, -1)):
        s.fill(f"M6 {y}H344V{y + up * 76}H6z", BLUE if worth == 2 else GREEN)
        s.stroke("".join(smooth([(x, y + up * 78), (x + 22, y + up * 52), (x + 44, y + up * 78)]) + smooth([(x + 9, y + up * 78), (x + 22, y + up * 64), (x + 35, y + up * 78)]) for x in range(-2, 350, 44)), PAPER, 4)
        s.stroke(f"M6 {y + up * 78}H344", BLACK, 4)
    if worth == 2:
        _taegeuk(s, 175, 228, 104, (RED, BLUE))
        s.fill(boxed("쌍", 92, 352, 78, 92, 1.1) + boxed("피", 184, 352, 78, 92, 1.1), BLACK)
    else:
        _taegeuk(s, 175, 228, 104, (RED, YELLOW, BLUE))
        s.stroke(smooth([(100, 364), (124, 352), (146, 364), (140, 388), (120, 394), (144, 402), (150, 424), (128, 442), (100, 432)]), BLACK, 12)
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
    "01-bright": _m01_bright, "01-ribbon": _m01_ribbon, "01-junk-a": _m01_junk_a, "01-junk-b": _m01_junk_b,
    "02-animal": _m02_animal, "02-ribbon": _m02_ribbon, "02-junk-a": lambda s: _m02_junk(s, False), "02-junk-b": lambda s: _m02_junk(s, True),
    "03-bright": _m03_bright, "03-ribbon": _m03_ribbon, "03-junk-a": _m03_junk_a, "03-junk-b": _m03_junk_b,
    "04-animal": _m04_animal, "04-ribbon": _m04_ribbon, "04-junk-a": _m04_junk_a, "04-junk-b": _m04_junk_b,
    "05-animal": _m05_animal, "05-ribbon": _m05_ribbon, "05-junk-a": _m05_junk_a, "05-junk-b": _m05_junk_b,
    "06-animal": _m06_animal, "06-ribbon": _m06_ribbon, "06-junk-a": _m06_junk_a, "06-junk-b": _m06_junk_b,
    "07-animal": _m07_animal, "07-ribbon": _m07_ribbon, "07-junk-a": _m07_junk_a, "07-junk-b": _m07_junk_b,
    "08-bright": _m08_bright, "08-animal": _m08_animal, "08-junk-a": _m08_junk_a, "08-junk-b": _m08_junk_b,
    "09-animal": _m09_animal, "09-ribbon": _m09_ribbon, "09-junk-a": _m09_junk_a, "09-junk-b": _m09_junk_b,
    "10-animal": _m10_animal, "10-ribbon": _m10_ribbon, "10-junk-a": _m10_junk_a, "10-junk-b": _m10_junk_b,
    "11-bright": _m11_bright, "11-junk-a": _m11_junk_a, "11-junk-b": _m11_junk_b, "11-junk-double": _m11_double,
    "12-bright": _m12_bright, "12-animal": _m12_animal, "12-ribbon": _m12_ribbon, "12-junk-double": _m12_double,
    "joker-2": _joker_2, "joker-3": _joker_3,
}


# The two plain junk cards of a month that differ by a hair only.
TWINS: tuple[tuple[str, ...], ...] = (("08-junk-a", "08-junk-b"),)


def draw_deck() -> Iterator[tuple[str, str]]:
    """(card name, SVG text) of the whole deck."""
    for name, draw in CARDS.items():
        yield name, _card(name, draw, name)
    yield "back", back()
