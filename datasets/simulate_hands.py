"""Hands and forearms for simulated clips: drawn sprites in many skin tones and sleeves, one person at a time.

A sprite lies in its own plane: the fingertips at the top, the arm running down out of it. It is drawn at SCALE px per mm.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Rng = np.random.Generator

SCALE = 2.0  # px per mm
WIDTH_MM, LENGTH_MM = 190.0, 1250.0
TIP_MM = (95.0, 26.0)  # the grasping point in the sprite, mm from its top-left
SKIN = (
    (200, 221, 247),
    (172, 200, 238),
    (140, 176, 224),
    (118, 158, 208),
    (96, 136, 190),
    (70, 106, 160),
    (52, 80, 128),
    (40, 60, 98),
    (30, 44, 72),
)


@dataclass(frozen=True)
class Sprite:
    """`image` is BGR premultiplied by `alpha` (H, W) uint8; both at SCALE px per mm."""

    image: Image
    alpha: Image


def _shade(mask: Image, round_px: float, light: float = 0.42) -> NDArray[np.float32]:
    """Shading of a rounded body with this outline: 1 in the middle, darker to its rim."""
    d = cv2.distanceTransform(mask, cv2.DIST_L2, 3)
    u = np.clip(d / round_px, 0, 1)
    return (1 - light) + light * np.sqrt(np.clip(1 - (1 - u) ** 2, 0, 1))


class Person:
    """One person's two hands: skin, size, sleeve, ring, watch."""

    def __init__(self, rng: Rng, skin: int | None = None, sleeve: tuple[int, int, int] | None = None) -> None:
        tone = np.array(SKIN[int(rng.integers(len(SKIN))) if skin is None else skin], np.float32)
        self.skin = np.clip(tone * rng.uniform(0.9, 1.06) + rng.normal(0, 2.5, 3), 8, 250).astype(np.float32)
        colours = (
            (52, 44, 40),
            (120, 84, 52),
            (200, 196, 190),
            (60, 50, 140),
            (70, 92, 60),
            (40, 40, 46),
            (150, 120, 90),
            (80, 140, 190),
            (170, 90, 120),
        )
        self.sleeve = np.array(colours[int(rng.integers(len(colours)))] if sleeve is None else sleeve, np.float32)
        self.cuff_mm = float(rng.choice([185, 215, 260, 420, 5000], p=[0.3, 0.3, 0.15, 0.15, 0.1]))  # where the sleeve begins; 5000: bare
        self.size = float(rng.uniform(0.9, 1.12))
        self.ring = bool(rng.random() < 0.3)
        self.watch = bool(rng.random() < 0.35)
        self.pattern = int(rng.integers(4))
        self.stripe = float(rng.uniform(6, 22))
        self._seed = int(rng.integers(2**31))
        self._cache: dict[tuple[bool, bool], Sprite] = {}

    def sprite(self, left: bool, holding: bool) -> Sprite:
        """The hand seen from above: fingers together over a card, or open. Mirrored for the left hand."""
        key = (left, holding)
        if key not in self._cache:
            made = self._draw(holding, np.random.default_rng([self._seed, int(holding)]))
            self._cache[key] = (
                Sprite(np.ascontiguousarray(made.image[:, ::-1]), np.ascontiguousarray(made.alpha[:, ::-1])) if left else made
            )
        return self._cache[key]

    def _draw(self, holding: bool, rng: Rng) -> Sprite:
        w, h = int(WIDTH_MM * SCALE), int(LENGTH_MM * SCALE)
        ss = 2  # supersampled only over the hand itself
        k = SCALE * ss * self.size
        hw, hh = w * ss, int(330 * SCALE) * ss
        ox, oy = TIP_MM[0] * SCALE * ss, TIP_MM[1] * SCALE * ss

        def at(x: float, y: float) -> tuple[int, int]:  # mm from the fingertip, y down the arm
            return round((ox + x * k) * 8), round((oy + y * k) * 8)

        alpha = np.zeros((hh, hw), np.uint8)
        colour = np.zeros((hh, hw, 3), np.float32)

        def capsule(points: list[tuple[float, float]], widths: list[float]) -> Image:
            m = np.zeros((hh, hw), np.uint8)
            for (p, q), (a, b) in zip(pairwise(points), pairwise(widths), strict=True):
                for i in range(33):
                    u = i / 32
                    cv2.circle(
                        m, at(p[0] + (q[0] - p[0]) * u, p[1] + (q[1] - p[1]) * u), int((a + (b - a) * u) * k * 4), 255, -1, cv2.LINE_AA, 3
                    )
            return m

        def paint(m: Image, ink: NDArray[np.float32], round_mm: float, light: float = 0.42) -> None:
            s = _shade((m > 127).astype(np.uint8) * 255, round_mm * k, light)
            a = (m.astype(np.float32) / 255)[..., None]
            colour[:] = colour * (1 - a) + ink * s[..., None] * a
            np.maximum(alpha, m, out=alpha)

        skin = self.skin
        # forearm and back of the hand; the wrist is at y = 150, the knuckles at y = 70
        arm = capsule([(4, 112), (4, 160), (6, 200), (8, 330)], [62, 58, 62, 78])
        paint(arm, skin * 0.97, 24)
        back = np.zeros((hh, hw), np.uint8)
        outline = [
            (-34, 66),
            (-26, 58),
            (0, 54),
            (24, 58),
            (36, 68),
            (42, 92),
            (38, 122),
            (28, 150),
            (20, 172),
            (-12, 172),
            (-22, 150),
            (-34, 120),
            (-38, 90),
        ]
        cv2.fillPoly(back, [np.array([at(*p) for p in outline], np.int32)], 255, cv2.LINE_AA, 3)
        back = cv2.GaussianBlur(back, (0, 0), 5 * k / 2)
        back = np.clip((back.astype(np.float32) - 90) * 3.4, 0, 255).astype(np.uint8)
        paint(back, skin, 22, 0.22)
        for i in range(4):  # knuckles
            c = at(-24 + i * 17, 72 + (3, 0, 1, 6)[i])
            glow = np.zeros((hh, hw), np.uint8)
            cv2.circle(glow, c, int(5 * k * 8), 255, -1, cv2.LINE_AA, 3)
            g = cv2.GaussianBlur(glow, (0, 0), 3 * k / 2).astype(np.float32)[..., None] / 255
            colour[:] = colour + g * 12 * (alpha > 0)[..., None]
        spread = float(rng.uniform(0.0, 0.25)) if holding else float(rng.uniform(0.35, 0.7))
        reach = [0.86, 1.0, 0.95, 0.74]
        curl = float(rng.uniform(0.72, 0.86)) if holding else float(rng.uniform(0.9, 1.0))
        thumb = [(34, 112), (46, 84), (30, 44) if holding else (62, 48)]
        paint(capsule([(24, 130), *thumb], [30, 25, 21, 17]), skin * 0.98, 9)
        for i in (3, 0, 2, 1):
            bx = -24 + i * 16.5
            ln = 78 * reach[i] * curl
            tip = (bx * (0.55 if holding else 1.0) + (i - 1.5) * spread * 24 + (4 if holding else 0), 74 - ln)
            mid = ((bx + tip[0]) / 2 + 1, 72 - ln * 0.5)
            paint(capsule([(bx, 76), mid, tip], [18, 17, 13.5]), skin * float(rng.uniform(0.96, 1.03)), 8, 0.5)
            nail = np.zeros((hh, hw), np.uint8)
            cv2.ellipse(nail, at(tip[0], tip[1] + 1), (int(4.2 * k * 8), int(5.6 * k * 8)), 0, 0, 360, 255, -1, cv2.LINE_AA, 3)
            a = nail.astype(np.float32)[..., None] / 255 * 0.55
            colour[:] = colour * (1 - a) + (skin * 0.55 + np.array([112, 112, 120], np.float32)) * a
            if self.ring and i == 2:
                y = 72 - ln * 0.22
                cv2.line(colour, at(bx - 8, y), at(bx + 8, y), (90.0, 190.0, 225.0), int(3.5 * k), cv2.LINE_AA, 3)
        hand = np.clip(colour, 0, 255).astype(np.uint8)
        hand = cv2.resize(hand, (w, hh // ss), interpolation=cv2.INTER_AREA)
        small = cv2.resize(alpha, (w, hh // ss), interpolation=cv2.INTER_AREA)
        image, mask = np.zeros((h, w, 3), np.float32), np.zeros((h, w), np.uint8)
        n = hh // ss
        image[:n], mask[:n] = hand, small
        # the rest of the arm, bare or in a sleeve
        rows = np.arange(n - 8, h)
        half = (39 * self.size * SCALE) * (1 + 0.25 * (rows - n) / (h - n))
        cx = ox / ss + 8 * self.size * SCALE
        xs = np.arange(w)[None, :]
        d = np.abs(xs - cx) / half[:, None]
        body = (d < 1).astype(np.float32)
        s = 0.56 + 0.44 * np.sqrt(np.clip(1 - d * d, 0, 1))
        image[n - 8 :] = np.where(body[..., None] > 0, skin * 0.97 * s[..., None], image[n - 8 :])
        mask[n - 8 :] = (body * 255).astype(np.uint8)
        if self.cuff_mm < 2000:
            y0 = int((TIP_MM[1] + self.cuff_mm * self.size) * SCALE)
            rows = np.arange(y0, h)
            half = np.minimum((47 + 0.02 * (rows - y0)) * self.size * SCALE, w / 2 - 2 - abs(cx - w / 2))
            d = np.abs(xs - cx) / half[:, None]
            body = d < 1
            s = 0.5 + 0.5 * np.sqrt(np.clip(1 - d * d, 0, 1))
            cloth = np.broadcast_to(self.sleeve, (len(rows), w, 3)).copy()
            if self.pattern == 1:
                cloth[(rows // int(self.stripe * SCALE)) % 2 == 0] *= 0.72
            elif self.pattern == 2:
                cloth[:, ((np.arange(w) // int(self.stripe * SCALE * 0.6)) % 2) == 0] *= 0.8
            wrinkle = cv2.resize(
                rng.normal(0, 1, (len(rows) // 40 + 2, w // 60 + 2)).astype(np.float32), (w, len(rows)), interpolation=cv2.INTER_CUBIC
            )
            cloth *= (s * (1 + 0.09 * wrinkle))[..., None]
            cloth[:6] *= 0.7
            image[y0:] = np.where(body[..., None], cloth, 0)
            mask[y0:] = body * 255
        elif self.watch:
            y = int((TIP_MM[1] + 165 * self.size) * SCALE)
            strip = slice(y - 10, y + 10)
            image[strip] = np.where(mask[strip][..., None] > 0, np.array([45, 45, 50], np.float32), image[strip])
            cv2.circle(image, (int(cx), y), int(17 * SCALE), (180.0, 185.0, 190.0), -1, cv2.LINE_AA)
            cv2.circle(image, (int(cx), y), int(13 * SCALE), (60.0, 50.0, 40.0), -1, cv2.LINE_AA)
        mask = cv2.GaussianBlur(mask, (3, 3), 0)
        pre = np.clip(image, 0, 255) * (mask.astype(np.float32) / 255)[..., None]
        return Sprite(pre.astype(np.uint8), mask)
