"""Hwatu months 7 (bush clover) to 12 (rain): where each card's plants and figures stand, in tenths of a millimetre."""
from __future__ import annotations

from datasets.decks import hwatu_figures as fig
from datasets.decks import hwatu_plants as pl
from datasets.decks.hwatu_plants import BLACK, BLUE, GREEN, PAPER, RED, YELLOW
from datasets.decks.svg import Drawing, brush, circle, drop, segments, shape, smooth


def m07_animal(s: Drawing) -> None:
    pl.cloud(s, [(30, 20, 34), (76, 8, 30), (120, 2, 22)])
    pl.sprig(s, [(346, 330), (300, 220), (280, 130), (284, 50)], 39, 36, pl.red_tipped(0.5), 60)
    pl.sprig(s, [(310, 260), (230, 190), (150, 130), (62, 96)], 40, 36, pl.red_tipped(0.55), 60)
    pl.sprig(s, [(346, 520), (240, 496), (140, 470), (40, 490)], 40, 36, pl.red_tipped(0.5), 30)
    fig.boar(s)
    pl.sprig(s, [(346, 470), (316, 420), (300, 350)], 36, 32, pl.black, 24)


def m07_ribbon(s: Drawing) -> None:
    pl.sprig(s, [(346, 520), (304, 360), (290, 210), (300, 60)], 40, 37, pl.red_tipped(0.5), 40)
    pl.sprig(s, [(310, 420), (230, 290), (150, 180), (76, 76)], 41, 37, pl.red_tipped(0.4), 60)
    pl.sprig(s, [(220, 300), (150, 270), (56, 270)], 40, 37, pl.red_tipped(0.1), 70)
    pl.sprig(s, [(346, 530), (250, 490), (150, 470), (66, 486)], 41, 37, pl.red_tipped(0.45), 60)
    pl.ribbon(s, [(214, 74), (214, 180), (184, 290), (134, 410)], 102)


def m07_junk_a(s: Drawing) -> None:
    pl.sprig(s, [(12, 530), (90, 410), (130, 270), (134, 84)], 41, 38, pl.red_tipped(0.5), 120)
    pl.sprig(s, [(12, 530), (140, 400), (240, 290), (304, 140)], 41, 38, pl.red_tipped(0.5), 150)
    pl.sprig(s, [(90, 400), (66, 330), (52, 230)], 40, 37, pl.red_tipped(0.1), 60)
    pl.sprig(s, [(12, 530), (120, 490), (220, 450), (320, 400)], 41, 38, pl.red_tipped(0.4), 90)


def m07_junk_b(s: Drawing) -> None:
    pl.sprig(s, [(320, 330), (250, 250), (180, 170), (116, 70)], 41, 38, pl.red_tipped(0.4), 50)
    pl.sprig(s, [(344, 380), (296, 270), (272, 170), (270, 66)], 41, 38, pl.red_tipped(0.45), 60)
    pl.sprig(s, [(320, 360), (240, 330), (130, 310), (46, 310)], 40, 38, pl.black, 60)
    pl.sprig(s, [(344, 470), (250, 410), (140, 404), (50, 440)], 41, 38, pl.red_tipped(0.3), 70)
    pl.sprig(s, [(346, 526), (270, 496), (180, 506)], 41, 37, pl.red_tipped(0.5), 50)


def _hill(s: Drawing, y: float, left: float, right: float, peak: float = 175) -> None:
    crest = [(6, left), (peak * 0.5, y + (left - y) * 0.25), (peak, y), ((peak + 344) / 2, y + (right - y) * 0.28), (344, right)]
    s.fill(smooth(crest) + "V560H6z", BLACK)


def _grass(s: Drawing, y: float, seed: int) -> None:
    """Swathes of pampas grass on the black hill, in a dark grey that keeps the hill black from afar."""
    d = ""
    for k in range(6):
        x0, y0 = 20 + (k * 97 + seed * 41) % 270, y + 40 + k * 36
        for j in range(4):
            d += smooth([(x0 + j * 9, y0 + 18 - j * 2), (x0 + 30 + j * 9, y0 - 6 - j * 3), (x0 + 74 + j * 7, y0 - 8 + j * 2)])
    s.stroke(d, "#5d594f", 2)


def m08_bright(s: Drawing) -> None:
    s.fill("M6 6H344V534H6z", RED)
    s.ink(circle((178, 160), 116), PAPER, 4)
    _hill(s, 292, 330, 340)
    _grass(s, 300, 1)
    pl.bright_mark(s, 96, 442)


def m08_animal(s: Drawing) -> None:
    fig.goose(s, 232, 92, 76, YELLOW, -16)
    fig.goose(s, 108, 156, 76, YELLOW, 4)
    fig.goose(s, 232, 226, 78, RED, -8)
    _hill(s, 306, 314, 356, 120)
    _grass(s, 310, 2)


def m08_junk_a(s: Drawing) -> None:
    _hill(s, 268, 312, 326)
    _grass(s, 276, 3)


def m08_junk_b(s: Drawing) -> None:
    _hill(s, 284, 340, 318, 200)
    _grass(s, 290, 6)


def _stem09(s: Drawing, flip: bool) -> None:
    def x(v: float) -> float:
        return 350 - v if flip else v
    s.fill(brush([(x(60), 560), (x(90), 480), (x(160), 330), (x(190), 200), (x(184), 90)], [34, 26, 20, 16, 12]), BLACK)


def m09_animal(s: Drawing) -> None:
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


def m09_ribbon(s: Drawing) -> None:
    s.fill(brush([(230, 560), (240, 440), (190, 300), (160, 180), (158, 90)], [30, 26, 20, 16, 12]), BLACK)
    for x, y, a, r in ((160, 190, -80, 110), (190, 150, 80, 120), (170, 310, -110, 120), (230, 280, 50, 120), (220, 470, 230, 110),
        (270, 480, 140, 90)):
        pl.lobed_leaf(s, x, y, a, r)
    pl.chrysanthemum_side(s, 150, 84, 80, -4)
    pl.chrysanthemum(s, 248, 392, 88, 10)
    pl.ribbon(s, [(196, 104), (198, 200), (178, 310), (126, 448)], 98, BLUE, "청단")


def m09_junk_a(s: Drawing) -> None:
    _stem09(s, False)
    for x, y, a, r in ((180, 190, -70, 90), (190, 180, 76, 110), (100, 330, -70, 110), (230, 330, 90, 120), (110, 430, 220, 110),
        (160, 430, 130, 130)):
        pl.lobed_leaf(s, x, y, a, r)
    pl.chrysanthemum_side(s, 186, 100, 90, 4)
    pl.chrysanthemum(s, 164, 320, 104, 0)


def m09_junk_b(s: Drawing) -> None:
    _stem09(s, True)
    for x, y, a, r in ((160, 220, -80, 120), (160, 210, 80, 110), (110, 360, -80, 100), (260, 340, 70, 100), (120, 440, 230, 110),
        (250, 440, 140, 100), (60, 330, 0, 60)):
        pl.lobed_leaf(s, x, y, a, r)
    pl.chrysanthemum_side(s, 156, 136, 78, -6)
    for t in range(3):
        s.ink(drop((152, 108), -16 + 16 * t, 78, 22), (RED, YELLOW, RED)[t], 2.8)
    pl.chrysanthemum(s, 200, 356, 94, 18)


def m10_animal(s: Drawing) -> None:
    s.ink(brush([(350, 6), (322, 130), (318, 280), (296, 400), (230, 560)], [70, 56, 52, 60, 90]), YELLOW, 3.5)
    s.stroke("".join(smooth([(334 - 4 * k, 20 + 34 * k), (322 - 4 * k, 50 + 34 * k), (308 - 4 * k, 60 + 34 * k)]) for k in range(7))
             + "".join(smooth([(312 - 14 * k, 270 + 40 * k), (296 - 14 * k, 310 + 36 * k), (280 - 14 * k, 330
                 + 36 * k)]) for k in range(6)), BLACK, 3)
    for x, y, r, t, c in ((196, 40, 56, 160, YELLOW), (120, 50, 58, 200, RED), (268, 60, 60, 140, RED), (206, 118, 62, 180, BLACK),
        (292, 160, 62, 200, RED), (230, 206, 50, 150, RED), (304, 262, 54, 170, BLACK), (282, 480, 60, 200, RED),
        (320, 400, 48, 240, YELLOW)):
        pl.maple(s, x, y, r, t, c)
    fig.deer(s)


def m10_ribbon(s: Drawing) -> None:
    for x, y, r, t, c in ((80, 92, 96, 200, RED), (296, 96, 98, 160, BLACK), (66, 292, 92, 170, BLACK), (276, 284, 104, 190, RED),
        (104, 462, 104, 170, RED), (300, 462, 92, 190, BLACK), (206, 24, 62, 180, YELLOW)):
        pl.maple(s, x, y, r, t, c)
    pl.ribbon(s, [(130, 86), (140, 190), (172, 306), (232, 444)], 98, BLUE, "청단")


def m10_junk_a(s: Drawing) -> None:
    for x, y, r, t, c in ((176, 30, 104, 180, BLACK), (74, 184, 106, 160, RED), (300, 176, 110, 230, RED), (204, 336, 84, 100, YELLOW),
        (150, 312, 104, 170, BLACK), (196, 462, 112, 190, RED), (24, 470, 84, 120, BLACK)):
        pl.maple(s, x, y, r, t, c)


def m10_junk_b(s: Drawing) -> None:
    for x, y, r, t, c in ((108, 112, 110, 190, BLACK), (276, 66, 104, 160, RED), (46, 316, 92, 130, YELLOW), (232, 326, 106, 200, RED),
        (292, 268, 98, 240, BLACK), (98, 446, 110, 170, RED), (300, 474, 76, 200, YELLOW)):
        pl.maple(s, x, y, r, t, c)


def m11_bright(s: Drawing) -> None:
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


def m11_junk_a(s: Drawing) -> None:
    _paulownia(s, True)


def m11_junk_b(s: Drawing) -> None:
    _paulownia(s, False)


def m11_double(s: Drawing) -> None:
    s.fill("M6 352H344V540H6z", RED)
    s.stroke("M6 352H344", BLACK, 3.5)
    _paulownia(s, True)


def m12_bright(s: Drawing) -> None:
    pl.willow(s, [([(310, 0), (318, 120), (324, 230), (312, 350)], 44), ([(250, -10), (276, 60), (290, 120), (278, 190)], 60), ([(190, -10),
        (232, 30), (248, 70), (240, 120)], 50),
                  ([(20, 0), (24, 120), (34, 240), (26, 340)], 50), ([(110, -20), (108, 90), (94, 180), (70, 290)], 80), ([(160, -20),
                      (156, 60), (150, 120), (132, 186)], 70)])
    fig.poet(s)
    pl.bright_mark(s, 78, 74, 48)


def m12_animal(s: Drawing) -> None:
    pl.willow(s, [([(60, -20), (58, 70), (46, 150), (30, 240)], 90), ([(130, -20), (120, 60), (104, 120), (80, 196)], 80), ([(206, -20),
        (210, 60), (230, 130), (238, 200)], 74),
                  ([(280, -20), (276, 80), (290, 190), (300, 310)], 96), ([(340, 140), (334, 260), (338, 380), (322, 500)], 34)], 30)
    fig.swallow(s)


def m12_ribbon(s: Drawing) -> None:
    s.fill(brush([(10, 340), (30, 430), (60, 490), (110, 570)], [40, 46, 56, 84], round_end=True), BLACK)
    pl.willow(s, [([(40, -10), (30, 120), (44, 240), (30, 400)], 60), ([(96, -20), (92, 90), (98, 180), (84, 300)], 54), ([(180, -20),
        (220, 50), (252, 120), (254, 210)], 60),
                  ([(300, -20), (312, 130), (296, 260), (306, 420)], 84)], 30)
    pl.ribbon(s, [(138, 92), (148, 200), (176, 320), (206, 452)], 104)


def m12_double(s: Drawing) -> None:
    fig.gate(s)
