"""What light, lens, sensor and compression do to a picture."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Rng = np.random.Generator


def light(rng: Rng, image: Image, on_cards: NDArray[np.uint8] | None = None, strength: float = 1.0) -> Image:
    """Uneven and coloured light, cast shadows, and glare on glossy cards (`on_cards`: 255 where a card lies)."""
    h, w = image.shape[:2]
    gh, gw = max(2, h // 8), max(2, w // 8)
    yy, xx = np.mgrid[0:1:complex(gh), 0:1:complex(gw)].astype(np.float32)
    a = rng.uniform(0, 2 * np.pi)
    field = 1 + rng.uniform(0, 0.45) * strength * ((xx - 0.5) * np.cos(a) + (yy - 0.5) * np.sin(a)) * 2
    if rng.random() < 0.4:  # lamp
        c = rng.uniform(-0.2, 1.2, 2)
        field = field * (0.55 + 0.8 * np.exp(-((xx - c[0]) ** 2 + (yy - c[1]) ** 2) / rng.uniform(0.1, 0.9)))
    for _ in range(int(rng.choice([0, 0, 1, 2]))):  # shadow of something off the picture
        m = np.zeros((gh, gw), np.uint8)
        p = (rng.uniform(-0.3, 1.3, (int(rng.integers(3, 6)), 2)) * [gw, gh]).astype(np.int32)
        cv2.fillConvexPoly(m, cv2.convexHull(p), 255)
        if rng.random() < 0.6:
            m = cv2.GaussianBlur(m, (0, 0), float(rng.uniform(0.6, 4)))
        field = field * (1 - rng.uniform(0.15, 0.6) * strength * m.astype(np.float32) / 255)
    tint = np.exp(rng.normal(0, 0.09 * strength, 3)).astype(np.float32)
    if rng.random() < 0.15:
        tint *= np.array([rng.uniform(0.55, 1.0), rng.uniform(0.8, 1.0), 1.0] if rng.random() < 0.6 else [1.0, 0.9, rng.uniform(0.6, 1.0)], np.float32)
    exposure = float(np.exp(rng.normal(0.0, 0.32 * strength)))
    if rng.random() < 0.12:
        exposure *= rng.uniform(0.25, 0.6)
    gain = cv2.resize(field, (w, h), interpolation=cv2.INTER_LINEAR)[..., None] * (tint * exposure)
    out = image.astype(np.float32) * gain
    if on_cards is not None and rng.random() < 0.35:
        glare = np.zeros((gh, gw), np.float32)
        for _ in range(int(rng.integers(1, 4))):
            c = rng.uniform(0, 1, 2)
            glare += rng.uniform(40, 260) * np.exp(-(((xx - c[0]) * np.cos(a) + (yy - c[1]) * np.sin(a)) ** 2 / rng.uniform(0.001, 0.02)
                                                     + ((yy - c[1]) * np.cos(a) - (xx - c[0]) * np.sin(a)) ** 2 / rng.uniform(0.002, 0.1)))
        out += (cv2.resize(glare, (w, h)) * (on_cards.astype(np.float32) * (1 / 255)))[..., None]
    if rng.random() < 0.3:  # haze or black level
        out += rng.uniform(0, 28)
    np.clip(out, 0, 255, out=out)
    if rng.random() < 0.5:
        g = float(np.exp(rng.normal(0, 0.22)))
        lut = (np.linspace(0, 1, 256) ** g * 255).astype(np.uint8)
        return cv2.LUT(out.astype(np.uint8), lut)
    return out.astype(np.uint8)


def camera(rng: Rng, image: Image, px: float, strength: float = 1.0) -> Image:
    """Defocus, motion blur, sensor noise, sharpening, compression. `px`: short side of a card, for the size of blur."""
    r = rng.random()
    if r < 0.4:
        image = cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.3, 0.4 + 0.022 * px * strength)))
    elif r < 0.5:
        n = int(rng.integers(2, max(3, int(0.12 * px * strength) + 2)))
        k = np.zeros((n, n), np.float32)
        cv2.line(k, (0, int(rng.integers(n))), (n - 1, int(rng.integers(n))), 1.0)
        image = cv2.filter2D(image, -1, k / max(k.sum(), 1e-6))
    elif r < 0.6:
        soft = cv2.GaussianBlur(image, (0, 0), 1.0)
        image = cv2.addWeighted(image, 1.6, soft, -0.6, 0)
    elif r < 0.72:  # a small picture enlarged
        k = float(rng.uniform(0.45, 0.95))
        h, w = image.shape[:2]
        image = cv2.resize(cv2.resize(image, None, fx=k, fy=k, interpolation=cv2.INTER_AREA), (w, h), interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.55:
        s = float(rng.uniform(0.5, 9) * strength)
        h, w = image.shape[:2]
        n = rng.standard_normal((h, w, 3), np.float32) if rng.random() < 0.5 else np.repeat(rng.standard_normal((h, w, 1), np.float32), 3, axis=2)
        image = np.clip(image + n * s, 0, 255).astype(np.uint8)
    if rng.random() < 0.02:
        m = rng.random(image.shape[:2]) < 0.02
        image = image.copy()
        image[m] = np.where(rng.random(int(m.sum()))[:, None] < 0.5, 0, 255)
    if rng.random() < 0.5:
        ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(28, 96))])
        if ok:
            image = cv2.imdecode(data, cv2.IMREAD_COLOR)
    return image
