"""Birds, beasts and people of hwatu: the drawing that tells a bright or an animal card from its month's plant."""
from __future__ import annotations

from collections.abc import Sequence

from datasets.decks.glyphs import glyph
from datasets.decks.hwatu_plants import BLACK, BLUE, GREEN, PAPER, RED, YELLOW
from datasets.decks.svg import Drawing, Point, at, brush, circle, ellipse, leaf, line, segments, shape, smooth, walk


def crane(s: Drawing) -> None:
    """Month 1: a crane looking up at the sun."""
    s.stroke(smooth([(116, 372), (112, 430), (106, 506)]) + smooth([(146, 372), (152, 430), (150, 486)]), BLACK, 6.5)
    s.stroke(segments([((106, 504), (84, 512)), ((106, 504), (124, 516)), ((106, 504), (104, 520)),
                       ((150, 484), (130, 496)), ((150, 484), (170, 494)), ((150, 484), (152, 502))]), BLACK, 5)
    for x, y, a, length in ((186, 330, 152, 92), (176, 340, 162, 84), (166, 346, 172, 78), (194, 320, 140, 76)):
        s.fill(leaf((x, y), a, length, 20), BLACK)
    neck = brush([(62, 122), (47, 150), (44, 190), (50, 232), (70, 280)], [26, 21, 18, 22, 50])
    trunk = smooth([(52, 262), (88, 244), (136, 254), (182, 286), (214, 330), (190, 352), (150, 374), (104, 372), (66, 340), (48, 300)],
        True)
    head = ellipse((68, 112), 21, 17, 60)
    s.union([neck, trunk, head], PAPER, 3.5)
    s.ink(line([(80, 100), (150, 78), (86, 116)], True), PAPER, 3)
    s.fill(shape([(50, 116), (54, 98), (70, 94), (84, 102)], [(84, 102), (72, 108), (62, 118), (50, 116)]), RED)
    s.fill(circle((74, 109), 3.6), BLACK)
    s.fill(shape([(46, 134), (58, 140), (68, 130)], [(68, 130), (58, 160), (53, 190), (52, 214)], [(52, 214), (40, 186), (40, 158),
        (46, 134)]), BLACK)
    s.stroke(smooth([(84, 292), (112, 268), (150, 274), (186, 306), (208, 334)])
             + smooth([(86, 300), (108, 324), (150, 340), (196, 342)])
             + "".join(smooth([(x, y), (x + 18, y - 4), (x + 26, y + 10)]) for x, y in ((100, 288), (128, 284), (152, 296), (112, 306),
                 (142, 306), (170, 314), (132, 324), (162, 328))),
             BLACK, 2.6)
    s.stroke("".join(smooth([(x, y), (x + 8, y + 7), (x + 18, y + 8)]) for x, y in ((60, 300), (66, 318), (78, 336), (60, 280))),
        BLACK, 2.4)


def warbler(s: Drawing) -> None:
    """Month 2: a bush warbler on the plum branch."""
    for k, (x, y) in enumerate(((326, 336), (338, 320), (344, 304))):
        s.ink(brush([(214, 246 - k * 4), (270, 276 - k * 4), (x, y)], [26, 24, 12]), GREEN, 3)
    body = [(78, 132), (92, 106), (122, 102), (150, 126), (172, 170), (214, 214), (250, 256)]
    under = [(250, 256), (214, 280), (172, 286), (134, 270), (104, 234), (88, 190), (82, 158), (78, 132)]
    s.ink(shape(body, under), GREEN, 4)
    s.ink(shape([(78, 134), (92, 122), (110, 128), (112, 150)], [(112, 150), (108, 190), (126, 232), (166, 264), (208, 278)],
                [(208, 278), (172, 286), (134, 270), (104, 234), (88, 190), (82, 158), (78, 134)]), YELLOW, 3.5)
    s.ink(line([(82, 126), (50, 148), (84, 150)], True), YELLOW, 3)
    s.stroke(segments([((84, 140), (54, 148))]), BLACK, 2.6)
    s.ink(circle((101, 138), 8), RED, 2.5)
    s.fill(circle((101, 138), 3.4), BLACK)
    s.ink(shape([(120, 172), (150, 166), (188, 200), (222, 238), (266, 280)], [(266, 280), (226, 270), (180, 262), (142, 232), (120, 172)]),
        GREEN, 3.5)
    s.stroke("".join(smooth([(134 + 12 * k, 196 + 11 * k), (158 + 14 * k, 206 + 12 * k), (178 + 16 * k, 232 + 9 * k)]) for k in range(5)),
        BLACK, 2.6)
    s.stroke(segments([((160, 284), (158, 306)), ((158, 306), (140, 310)), ((158, 306), (172, 314)), ((186, 284), (188, 302)), ((188, 302),
        (174, 308)), ((188, 302), (204, 308))]), YELLOW, 7)


def curtain(s: Drawing) -> None:
    """Month 3: the cherry viewers' curtain."""
    top = [(10, 296), (90, 318), (180, 326), (270, 318), (342, 298)]
    s.fill(smooth(top) + "V560H10z", BLACK)
    s.ink(shape([(342, 428), (250, 446), (160, 450), (80, 438), (10, 410)], [(10, 410), (10, 490)], [(10, 490), (80, 516), (160, 528),
        (250, 524), (342, 506)], [(342, 506), (342, 428)]), RED, 3)
    rope = brush(top, [17] * 5)
    s.ink(rope, PAPER, 3)
    for i, (p, heading) in enumerate(walk(top, 22, 6)):
        if i % 2 == 0:
            s.fill(line([at(at(p, heading, u), heading + 90, v) for u, v in ((-10, -7.5), (6, -7.5), (14, 7.5), (-2, 7.5))], True), BLUE)
    for p, heading in walk(top, 60, 44):
        q = at(p, heading + 90, 24)
        corners = [at(at(q, heading, u), heading + 90, v) for u, v in ((-12, -15), (12, -15), (12, 17), (-12, 17))]
        s.ink(line(corners, True), RED, 3)
        s.stroke(segments([(corners[0], corners[2]), (corners[1], corners[3])]), BLACK, 2.6)


def cuckoo(s: Drawing) -> None:
    """Month 4: a cuckoo diving across the red crescent moon."""
    s.ink(shape([(44, 40), (46, 140), (104, 214), (196, 240), (284, 206), (322, 146)], [(322, 146), (262, 176), (176, 174), (106, 132),
        (62, 84), (44, 40)]), RED, 3.5)
    for k, (x, y) in enumerate(((300, 64), (316, 86), (322, 110))):
        s.ink(brush([(190, 176), (250, 122 + 8 * k), (x, y)], [26, 22, 15]), YELLOW, 3)
    s.ink(shape([(140, 176), (130, 120), (150, 66), (208, 14)], [(208, 14), (226, 20), (214, 60), (206, 100), (206, 150)], [(206, 150),
        (190, 190), (140, 176)]), YELLOW, 3.5)
    s.ink(shape([(134, 226), (160, 262), (206, 284), (262, 282)], [(262, 282), (246, 258), (214, 228), (196, 196)], [(196, 196), (160, 190),
        (134, 226)]), YELLOW, 3.5)
    s.ink(shape([(72, 230), (76, 206), (96, 196), (124, 190), (160, 168), (204, 152), (236, 140)], [(236, 140), (224, 172), (194, 204),
        (150, 228), (108, 242), (86, 244), (72, 230)]), YELLOW, 3.5)
    s.ink(line([(75, 214), (44, 246), (80, 240)], True), YELLOW, 3)
    s.fill(circle((90, 216), 5), BLACK)
    s.stroke("".join(smooth([(146 + 12 * k, 152 - 3 * k), (152 + 13 * k, 112 - 8 * k), (168 + 12 * k, 70 - 12 * k)]) for k in range(4))
             + "".join(smooth([(150 + 14 * k, 232 - 9 * k), (176 + 14 * k, 252 - 6 * k), (212 + 12 * k, 272 - 2 * k)]) for k in range(4))
             + "".join(smooth([(108 + 16 * k, 204 - 7 * k), (112 + 16 * k, 214 - 7 * k), (110 + 16 * k, 224 - 8 * k)]) for k in range(6)),
                 BLACK, 2.6)


def bridge(s: Drawing) -> None:
    """Month 5: the eight-plank bridge over blue water."""
    s.ink(line([(6, 420), (344, 408), (344, 560), (6, 560)], True), BLUE, 3)
    s.stroke(segments(((12, y), (340, y - 4)) for y in range(436, 530, 13)), "#0b2f66", 3)

    def post(x: float, y: float, h: float) -> None:
        s.ink(f"M{x - 17:.0f} {y:.0f}V{y + h:.0f}H{x + 17:.0f}V{y:.0f}z", YELLOW, 3.5)
        s.ink(ellipse((x, y), 17, 11), RED, 3.5)
    post(182, 384, 80)
    s.ink(line([(6, 400), (6, 444), (150, 524), (236, 524)], True), YELLOW, 3.5)
    s.stroke(segments([((6, 422), (196, 526))]), BLACK, 3)
    s.ink(line([(66, 524), (250, 404), (300, 424), (140, 540), (66, 540)], True), YELLOW, 3.5)
    s.stroke(segments([((104, 528), (275, 414))]), BLACK, 3)
    post(70, 452, 90)
    post(258, 468, 90)


def butterfly(s: Drawing, x: float, y: float, size: float, turn: float) -> None:
    """Month 6: one of the pair of butterflies."""
    c = (x, y)

    def p(u: float, v: float) -> Point:
        return at(at(c, turn, u * size), turn + 90, v * size)
    for side in (-1, 1):
        s.ink(smooth([p(-0.1, 0.08 * side), p(-0.16, 0.5 * side), p(-0.5, 0.72 * side), p(-0.72, 0.42 * side), p(-0.5, 0.1 * side)], True),
            RED, 3)
        s.ink(shape([p(0.1, 0.06 * side), p(0.5, 0.4 * side), p(0.74, 0.96 * side)], [p(0.74, 0.96 * side), p(0.3, 1.04 * side),
            p(-0.12, 0.72 * side), p(-0.18, 0.1 * side), p(0.1, 0.06 * side)]), YELLOW, 3)
        s.ink(circle(p(0.44, 0.72 * side), size * 0.12), RED, 2.4)
        s.ink(circle(p(0.16, 0.5 * side), size * 0.1), RED, 2.4)
        s.stroke(segments([(p(-0.3, 0.2 * side), p(-0.42, 0.56 * side)), (p(-0.4, 0.16 * side), p(-0.56, 0.48 * side))])
                 + smooth([p(0.42, 0.06 * side), p(0.74, 0.16 * side), p(0.96, 0.42 * side)]), BLACK, 2.4)
    s.ink(brush([p(0.44, 0), p(0.1, 0), p(-0.6, 0)], [size * 0.17, size * 0.24, size * 0.1]), YELLOW, 3)
    s.stroke(segments((p(v, -0.1), p(v, 0.1)) for v in (0.1, -0.06, -0.22, -0.36)), BLACK, 2.4)


def boar(s: Drawing) -> None:
    """Month 7: a boar lying in the bush clover, snout to the left."""
    s.ink(shape([(84, 372), (60, 392), (36, 420), (24, 440)], [(24, 440), (44, 446), (58, 424), (86, 408), (116, 396)], [(116, 396),
        (84, 372)]), YELLOW, 3.5)
    s.ink(shape([(212, 404), (188, 424), (158, 440)], [(158, 440), (196, 452), (240, 444), (262, 420)], [(262, 420), (212, 404)]),
        YELLOW, 3.5)
    back = [(22, 282), (62, 268), (108, 262), (160, 274), (222, 300), (274, 336), (300, 378)]
    belly = [(300, 378), (292, 414), (252, 424), (200, 418), (150, 404), (100, 388), (62, 366), (40, 342), (20, 316)]
    s.ink(shape(back, belly, [(20, 316), (16, 300), (22, 282)]), YELLOW, 4)
    s.stroke(segments((p, at(p, heading - 50, 17)) for p, heading in walk(back[1:], 12, 0)), BLACK, 3)
    rows = []
    for k in range(6):
        for j in range(7):
            x, y = 132 + 26 * k - 5 * j, 294 + 15 * k + 13 * j - 2 * k
            if j < 7 - (k == 0) * 2:
                rows.append(((x, y), (x - 12, y + 9)))
    s.stroke(segments(rows), BLACK, 2.8)
    s.stroke(smooth([(54, 284), (66, 292), (84, 292)]) + smooth([(22, 320), (36, 322), (48, 330)]), BLACK, 3)
    s.ink(leaf((98, 282), 26, 40, 16), YELLOW, 3)
    s.ink(ellipse((70, 298), 6, 8, 70), PAPER, 2.5)
    s.fill(circle((69, 299), 3.6), BLACK)
    s.ink(leaf((44, 330), -14, 30, 9, bend=-6), PAPER, 2.6)
    s.ink(ellipse((22, 299), 8, 18, 6), RED, 3)
    s.stroke(segments(((x, 432), (x - 6, 446)) for x in (36, 48)), BLACK, 2.6)


def goose(s: Drawing, x: float, y: float, size: float, colour: str, turn: float = 0) -> None:
    """Month 8: a goose flying down to the left; `colour` is its body's."""
    c = (x, y)

    def p(u: float, v: float) -> Point:
        return at(at(c, turn + 90, u * size), turn + 180, v * size)
    s.ink(shape([p(-0.05, -0.06), p(0.1, -0.5), p(0.5, -0.72), p(1.06, -0.7)], [p(1.06, -0.7), p(0.84, -0.42), p(0.6, -0.14), p(0.3, 0.06)],
        [p(0.3, 0.06), p(-0.05, -0.06)]), YELLOW if colour == RED else RED, 3)
    s.ink(shape([p(-0.98, 0.32), p(-0.9, 0.18), p(-0.72, 0.16), p(-0.4, -0.06), p(0, -0.14), p(0.4, -0.04), p(1.0, 0.24)],
                [p(1.0, 0.24), p(0.56, 0.3), p(0.1, 0.28), p(-0.4, 0.22), p(-0.74, 0.36), p(-0.9, 0.4), p(-0.98, 0.32)]), colour, 3.2)
    s.ink(line([p(-0.96, 0.26), p(-1.2, 0.52), p(-0.88, 0.42)], True), PAPER, 2.6)
    s.fill(circle(p(-0.84, 0.26), size * 0.05), BLACK)
    s.ink(shape([p(-0.2, 0.02), p(-0.3, -0.4), p(-0.1, -0.72), p(0.1, -0.98)], [p(0.1, -0.98), p(0.3, -0.6), p(0.34, -0.2), p(0.32, 0.1)],
        [p(0.32, 0.1), p(-0.2, 0.02)]), colour, 3.2)
    s.stroke("".join(smooth([p(-0.08 + 0.1 * k, -0.06), p(-0.1 + 0.11 * k, -0.36), p(0.02 + 0.07 * k, -0.66 + 0.06 * k)]) for k in range(4))
             + "".join(smooth([p(0.36 + 0.08 * k, -0.08 - 0.06 * k), p(0.6 + 0.07 * k, -0.34 - 0.06 * k), p(0.8
                 + 0.05 * k, -0.58 - 0.02 * k)]) for k in range(3))
             + "".join(segments([(p(0.5, 0.06 + 0.06 * k), p(0.82, 0.16 + 0.05 * k))]) for k in range(3)), BLACK, 2.4)


def cup(s: Drawing) -> None:
    """Month 9: the red sake cup with 壽, lying on its side above the stream."""
    rim = [(104, 296), (150, 268), (206, 276), (256, 316), (296, 388)]
    s.ink(shape(rim, [(296, 388), (240, 408), (176, 394), (130, 352), (104, 296)]), RED, 4)
    s.ink(shape([(160, 392), (176, 408), (202, 418)], [(202, 418), (216, 400)], [(216, 400), (190, 398), (160, 392)]), RED, 3.5)
    s.stroke(smooth([(118, 300), (160, 286), (206, 296), (250, 330), (280, 380)]), BLACK, 2.4)

    def place(u: float, v: float) -> Point:
        return at(at((150, 300), 118, u * 1.02), 208, v * 0.74 - 4)
    s.fill(glyph("壽", place, 1.1, 0.86), BLACK)


def deer(s: Drawing) -> None:
    """Month 10: a spotted deer looking back under the maples."""
    for x, y, low in ((112, 398, 508), (220, 396, 500)):
        s.ink(shape([(x - 14, y - 20), (x - 12, y + 40), (x - 16, low)], [(x - 16, low), (x + 4, low)], [(x + 4, low), (x + 6, y + 40), (x
            + 18, y - 20), (x - 14, y - 20)]), YELLOW, 3.5)
    back = [(64, 196), (70, 230), (92, 268), (130, 284), (184, 282), (232, 292), (256, 322)]
    rump = [(256, 322), (262, 352), (250, 384), (244, 412), (250, 470), (246, 512)]
    s.ink(shape(back, rump, [(246, 512), (226, 512)], [(226, 512), (222, 460), (214, 424), (206, 392)],
                [(206, 392), (160, 398), (112, 384)], [(112, 384), (98, 420), (96, 470), (90, 514)], [(90, 514), (68, 514)], [(68, 514),
                    (66, 450), (58, 390), (40, 330), (30, 270), (28, 224), (40, 186), (64, 196)]), YELLOW, 4)
    s.ink(shape([(40, 192), (36, 168), (52, 148), (76, 152), (112, 172), (122, 186)], [(122, 186), (112, 202), (92, 204), (70, 208),
        (58, 216), (40, 192)]), YELLOW, 4)
    s.ink(leaf((50, 162), -62, 36, 14), YELLOW, 3)
    horns = smooth([(62, 152), (54, 112), (66, 76), (58, 52)]) + smooth([(60, 112), (44, 96), (34, 76)]) + smooth([(76, 154), (84, 122),
        (100, 96), (102, 70)]) + smooth([(84, 124), (78, 104), (82, 84)])
    s.stroke(horns, BLACK, 13)
    s.stroke(horns, YELLOW, 6.5)
    s.ink(ellipse((84, 172), 5, 8, 80), PAPER, 2.4)
    s.fill(circle((85, 172), 3.6), BLACK)
    s.stroke(smooth([(104, 194), (112, 190), (120, 190)]), BLACK, 2.6)
    s.fill(ellipse((117, 181), 4, 6, 60), BLACK)
    rows = []
    for k in range(8):
        for j in range(3):
            x, y = 104 + 18 * k, 294 + 13 * j + (3 if k < 2 else 0) + (k > 5) * 6
            rows.append(((x, y), (x + 3, y + 8)))
    s.stroke(segments(rows), BLACK, 3.4)
    s.stroke(segments(((x, y), (x + 9, y + 6)) for x, y in ((34, 220), (35, 240), (38, 260), (42, 282), (48, 304), (55, 326), (62, 346))),
        BLACK, 3)
    s.fill("M68 514h22v-14h-22zM226 512h20v-14h-20zM96 508h20v-12h-20zM204 500h20v-12h-20z", BLACK)


def phoenix(s: Drawing) -> None:
    """Month 11: the phoenix's head, black plumage sweeping to the right, red tail feathers."""
    s.stroke(segments((at((120, 132), a, 60), at((120, 132), a, 330)) for a in range(-70, 92, 3)), RED, 5)
    s.fill(shape([(130, 60), (180, 34), (250, 44), (310, 84), (350, 130)], [(350, 130), (350, 300)], [(350, 300), (312, 276), (280, 232),
        (232, 198), (160, 186)], [(160, 186), (130, 60)]), BLACK)
    s.stroke("".join(smooth([(182 + 30 * k, 70 + 12 * k), (206 + 30 * k, 76 + 16 * k), (216 + 30 * k, 104 + 18 * k)]) for k in range(4))
             + "".join(smooth([(186 + 32 * k, 118 + 16 * k), (212 + 32 * k, 122 + 20 * k), (222 + 30 * k, 150
                 + 22 * k)]) for k in range(4)), "#6b675f", 2.4)
    s.ink(shape([(30, 214), (34, 150), (60, 96), (112, 72), (156, 84), (178, 116)], [(178, 116), (178, 150)], [(178, 150), (198, 172),
        (200, 196)],
                [(200, 196), (182, 190), (166, 176)], [(166, 176), (140, 206), (112, 214), (96, 236)], [(96, 236), (86, 214)], [(86, 214),
                    (70, 246)], [(70, 246), (58, 222)], [(58, 222), (42, 242), (30, 214)]), RED, 4)
    comb = []
    for x, y, a in ((74, 92, -32), (98, 78, -14), (124, 74, 4), (148, 84, 22), (166, 104, 40)):
        comb.append(leaf((x, y), a, 40, 17, belly=0.6))
    s.union(comb, RED, 3)
    s.fill(ellipse((128, 128), 10, 20, 84), PAPER)
    s.stroke(smooth([(106, 128), (126, 116), (150, 128)]) + smooth([(106, 128), (128, 140), (150, 128)]), BLACK, 3.4)
    s.fill(circle((130, 128), 7), BLACK)
    s.stroke(smooth([(168, 148), (180, 160), (196, 184)]) + "".join(smooth([(48 + 14 * k, 150 + 10 * k), (54 + 14 * k, 172 + 8 * k), (68
        + 14 * k, 184 + 6 * k)]) for k in range(5))
             + "".join(smooth([(56 + 12 * k, 128 + 8 * k), (64 + 12 * k, 146 + 8 * k), (78 + 12 * k, 152 + 8 * k)]) for k in range(4)),
                 BLACK, 2.6)
    for x, y, a, length, bend in ((18, 232, 128, 120, -20), (14, 262, 116, 104, -20), (14, 294, 104, 80, -14)):
        s.ink(leaf((x, y), a, length, 18, bend=bend), RED, 3)
    for x, y, a, length, bend in ((346, 250, 238, 130, 22), (348, 286, 246, 116, 22), (346, 318, 256, 84, 14)):
        s.ink(leaf((x, y), a, length, 18, bend=bend), RED, 3)


def poet(s: Drawing) -> None:
    """Month 12: the man in the red robe under his umbrella, a stream behind him, and the leaping frog."""
    stream = [(6, 352), (60, 372), (110, 366), (160, 346), (220, 350), (246, 388), (230, 420), (270, 446), (344, 440)]
    s.ink(brush(stream, [30, 26, 24, 22, 26, 28, 30, 34, 40]), BLUE, 3.5)
    s.stroke(smooth([(x, y - 3) for x, y in stream]), "#8fc4ee", 3)
    s.fill(shape([(30, 540), (90, 506), (190, 488), (290, 500), (344, 530)], [(344, 530), (344, 560)], [(344, 560), (30, 540)]), BLACK)
    s.stroke(segments([((236, 300), (226, 176))]), BLACK, 6)
    s.ink(shape([(146, 200), (176, 152), (226, 134), (276, 158), (298, 206)], [(298, 206), (258, 194), (226, 196), (186, 192), (146, 200)]),
        GREEN, 4)
    s.ink(shape([(186, 192), (200, 160), (226, 134)], [(226, 134), (246, 160), (258, 194)], [(258, 194), (226, 196), (186, 192)]),
        YELLOW, 3)
    s.stroke(segments([((226, 134), (226, 122)), ((226, 136), (222, 194))]), BLACK, 4)
    # Robe, sleeves, feet.
    for x in (150, 186):
        s.ink(ellipse((x, 488), 20, 9), PAPER, 3)
    s.ink(shape([(140, 262), (122, 330), (116, 400), (112, 476)], [(112, 476), (160, 484), (216, 476)], [(216, 476), (210, 400), (204, 330),
        (192, 262)], [(192, 262), (166, 252), (140, 262)]), RED, 4)
    s.ink(shape([(144, 264), (116, 290), (100, 342), (96, 392)], [(96, 392), (124, 402), (142, 380), (156, 330)], [(156, 330), (144, 264)]),
        RED, 4)
    s.ink(shape([(96, 392), (110, 386), (128, 388), (142, 380)], [(142, 380), (124, 402), (96, 392)]), YELLOW, 3)
    s.ink(shape([(188, 264), (214, 276), (240, 296)], [(240, 296), (250, 330), (240, 364), (222, 378)], [(222, 378), (206, 340),
        (190, 320)], [(190, 320), (188, 264)]), RED, 4)
    s.ink(shape([(240, 296), (248, 330), (238, 362), (222, 378)], [(222, 378), (226, 340), (232, 310), (240, 296)]), YELLOW, 3)
    s.ink(circle((238, 294), 9), PAPER, 3)
    s.stroke(smooth([(166, 262), (160, 300), (176, 330), (166, 380), (168, 470)]) + smooth([(150, 270), (166, 292), (184, 268)])
        + smooth([(136, 400), (132, 440), (136, 474)]) + smooth([(192, 390), (196, 440), (190, 476)]), BLACK, 3)
    s.ink(ellipse((166, 234), 19, 24), PAPER, 3.5)
    s.fill(shape([(144, 226), (150, 196), (166, 186), (184, 196), (188, 226)], [(188, 226), (166, 212), (144, 226)]), BLACK)
    s.fill("M160 170h14v24h-14z", BLACK)
    s.fill(ellipse((168, 168), 9, 14, 20), BLACK)
    s.stroke(segments([((156, 232), (162, 231)), ((172, 231), (178, 232)), ((163, 248), (171, 248))]) + smooth([(167, 234), (165, 241),
        (169, 241)]), BLACK, 2.4)
    frog(s, 62, 448)


def frog(s: Drawing, x: float, y: float) -> None:
    c = (x, y)

    def p(u: float, v: float) -> Point:
        return at(at(c, 38, -v), 128, u)
    limbs: Sequence[Sequence[Point]] = (
        [p(-12, -16), p(-34, -30), p(-30, -52)], [p(12, -16), p(36, -28), p(34, -50)],
        [p(-12, 22), p(-40, 10), p(-36, 48), p(-44, 62)], [p(12, 22), p(40, 12), p(36, 50), p(44, 62)])
    d = "".join(smooth(limb) for limb in limbs)
    toes = "".join(segments((limb[-1], at(limb[-1], 38 + turn, 11)) for turn in turns) for limb, turns in
                   zip(limbs, ((-40, 0, 40), (-40, 0, 40), (140, 180, 220), (140, 180, 220)), strict=True))
    s.stroke(d, BLACK, 15)
    s.stroke(toes, BLACK, 7)
    s.ink(smooth([p(0, -40), p(16, -26), p(20, 4), p(12, 32), p(-12, 32), p(-20, 4), p(-16, -26)], True), YELLOW, 3.5)
    s.stroke(d, YELLOW, 8.5)
    s.stroke(toes, YELLOW, 2.5)
    for side in (-1, 1):
        s.ink(circle(p(11 * side, -30), 5), PAPER, 2.4)
        s.fill(circle(p(11 * side, -31), 2), BLACK)
    s.stroke(smooth([p(-10, 6), p(-6, 16), p(-9, 26)]) + smooth([p(10, 6), p(6, 16), p(9, 26)]), BLACK, 2.4)


def swallow(s: Drawing) -> None:
    """Month 12: the long-tailed swallow in the rain."""
    s.ink(shape([(120, 300), (156, 356), (186, 430), (196, 530)], [(196, 530), (172, 466), (140, 400), (100, 320)], [(100, 320),
        (120, 300)]), RED, 3.5)
    s.ink(shape([(126, 296), (176, 340), (222, 410), (252, 520)], [(252, 520), (222, 460), (172, 396), (118, 316)], [(118, 316),
        (126, 296)]), RED, 3.5)
    s.stroke("".join(segments([(a, b)]) for a, b in (((130, 322), (166, 410)), ((150, 352), (180, 440)), ((152, 336), (206, 420)),
        ((180, 370), (228, 452)), ((170, 410), (188, 470)), ((200, 400), (236, 470)))), BLACK, 2.8)
    s.ink(shape([(98, 262), (130, 226), (176, 204), (232, 196)], [(232, 196), (222, 222)], [(222, 222), (200, 244), (170, 262), (136, 286)],
        [(136, 286), (98, 262)]), YELLOW, 3.5)
    s.ink(shape([(92, 276), (62, 300), (40, 340), (28, 390)], [(28, 390), (56, 388)], [(56, 388), (86, 362), (106, 334), (124, 306)],
        [(124, 306), (92, 276)]), YELLOW, 3.5)
    s.ink(smooth([(74, 262), (96, 252), (126, 280), (136, 312), (116, 320), (92, 296)], True), YELLOW, 3.5)
    s.stroke("".join(smooth([(126 + 16 * k, 262 - 7 * k), (150 + 16 * k, 240 - 7 * k), (176 + 16 * k, 222 - 6 * k)]) for k in range(3))
             + "".join(smooth([(96 - 8 * k, 312 + 8 * k), (80 - 8 * k, 330 + 11 * k), (64 - 7 * k, 356 + 9 * k)]) for k in range(3))
             + smooth([(102, 286), (112, 294), (118, 306)]) + smooth([(112, 278), (120, 286), (126, 298)]), BLACK, 2.6)
    s.ink(circle((74, 256), 23), RED, 3.5)
    s.ink(circle((70, 252), 9), PAPER, 2.5)
    s.fill(circle((70, 252), 4.5), BLACK)
    s.ink(line([(54, 246), (24, 250), (54, 264)], True), YELLOW, 3)


def gate(s: Drawing) -> None:
    """Month 12's double junk: a black drum in a red storm, lightning down the middle."""
    s.fill("M6 6H344V534H6z", RED)
    s.stroke("".join(segments(((x, 6), (x - 70, 120)) for x in range(60, 420, 17))) + segments(((x, 430),
        (x - 60, 534)) for x in range(40, 420, 17)), BLACK, 3)
    s.ink(shape([(6, 96), (40, 84), (92, 98)], [(92, 98), (104, 210), (100, 330), (84, 420)], [(84, 420), (44, 436), (6, 424)], [(6, 424),
        (6, 96)]), BLACK, 3)
    s.fill(shape([(188, 108), (260, 92), (350, 104)], [(350, 104), (350, 470)], [(350, 470), (270, 446), (196, 398)], [(196, 398),
        (178, 300), (178, 200), (188, 108)]), BLACK)
    s.ink(line([(150, 6), (112, 150), (146, 160), (104, 300), (140, 312), (96, 470), (176, 290), (142, 280), (184, 146), (150, 136),
        (196, 6)], True), RED, 4)
    s.ink(line([(156, 40), (130, 140), (162, 150), (124, 288), (158, 300), (120, 400), (160, 286), (134, 276), (172, 156), (142, 146),
        (166, 40)], True), YELLOW, 3)
    for x, y in ((44, 480), (120, 500), (200, 474), (282, 500)):
        s.ink(smooth([at((x, y), 30 * k, 40 if k % 3 else 28) for k in range(12)], True), RED, 3)
        s.stroke(smooth([at((x, y), 60 * k, 24 - 3 * k) for k in range(7)]), BLACK, 2.8)
    s.stroke("".join(smooth([at((272, 260), 40 * k, 62 - 4 * k) for k in range(12)])), "#6b675f", 3)
