"""Table surfaces and things that lie about on tables, drawn at random."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Rng = np.random.Generator

REAL = 0.5  # share of surfaces that are pictures of real ones, where there is a folder of them


def _noise(rng: Rng, h: int, w: int, cell: float) -> NDArray[np.float32]:
    """Smooth noise in about -1..1 with features of `cell` px."""
    gh, gw = max(2, int(h / cell) + 2), max(2, int(w / cell) + 2)
    return cv2.resize(rng.normal(0, 0.5, (gh, gw)).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)


def _colour(rng: Rng, low: int = 10, high: int = 245) -> NDArray[np.float32]:
    return rng.uniform(low, high, 3).astype(np.float32)


def _wood(rng: Rng, h: int, w: int) -> NDArray[np.float32]:
    base = np.array([[60, 105, 165], [40, 75, 120], [30, 50, 85], [95, 140, 190], [120, 165, 205], [35, 45, 70], [50, 60, 110]][rng.integers(7)], np.float32)
    base = base * rng.uniform(0.7, 1.25) + rng.normal(0, 8, 3).astype(np.float32)
    ys = np.linspace(0, 1, h, dtype=np.float32)[:, None]
    warp = _noise(rng, h, w, max(h, w) / 3) * 0.25
    f = rng.uniform(4, 22)
    v = np.sin((ys + warp) * f * 6.28) * rng.uniform(3, 16)
    v += _noise(rng, h, w // 24 + 1, 1.6).repeat(25, axis=1)[:, :w] * rng.uniform(4, 16)
    im = base + v[..., None] * np.array([0.8, 0.95, 1.0], np.float32)
    if rng.random() < 0.5:
        for y in np.arange(rng.integers(10, 80), h, max(20, int(rng.integers(30, 160)))):
            cv2.line(im, (0, int(y)), (w, int(y)), tuple(float(c) for c in base * 0.5), int(rng.integers(1, 3)))
    return im


def _felt(rng: Rng, h: int, w: int) -> NDArray[np.float32]:
    base = np.array(
        [[60, 110, 30], [40, 80, 20], [110, 50, 20], [40, 30, 130], [45, 25, 150], [60, 60, 60], [25, 25, 25], [200, 205, 210]][rng.integers(8)], np.float32
    )
    base = np.clip(base * rng.uniform(0.6, 1.3) + rng.normal(0, 8, 3), 4, 250).astype(np.float32)
    return base + (rng.normal(0, rng.uniform(1, 9), (h, w, 1)).astype(np.float32) + _noise(rng, h, w, rng.uniform(3, 40))[..., None] * rng.uniform(1, 12))


def _plain(rng: Rng, h: int, w: int) -> NDArray[np.float32]:
    base = _colour(rng, 5, 252) if rng.random() < 0.5 else np.full(3, rng.uniform(5, 250), np.float32) + rng.normal(0, 5, 3).astype(np.float32)
    return base + _noise(rng, h, w, rng.uniform(20, 200))[..., None] * rng.uniform(0, 10) + np.zeros((h, w, 1), np.float32)


def _cloth(rng: Rng, h: int, w: int) -> NDArray[np.float32]:
    """Stripes, checks, dots, leaves, flowers or a quilt on cloth."""
    im = np.empty((h, w, 3), np.float32)
    im[:] = _colour(rng)
    kind = rng.integers(7)
    step = int(rng.integers(8, 70))
    inks = [tuple(float(v) for v in _colour(rng)) for _ in range(int(rng.integers(1, 4)))]
    if kind <= 1:
        for i, x in enumerate(range(0, w, step)):
            cv2.rectangle(im, (x, 0), (x + int(step * rng.uniform(0.2, 0.8)), h), inks[i % len(inks)], -1)
        if kind == 1:
            over = np.empty_like(im)
            over[:] = im
            for i, y in enumerate(range(0, h, step)):
                cv2.rectangle(over, (0, y), (w, y + step // 2), inks[i % len(inks)], -1)
            im = (im + over) / 2
    elif kind == 2:
        for y in range(0, h + step, step):
            for x in range(0, w + step, step):
                cv2.circle(im, (x + (y // step % 2) * step // 2, y), max(1, int(step * 0.3)), inks[(x // step) % len(inks)], -1, cv2.LINE_AA)
    elif kind == 3:
        for _ in range(int(rng.integers(10, 70))):
            c = (int(rng.integers(w)), int(rng.integers(h)))
            r = int(rng.integers(3, max(4, step)))
            for k in range(int(rng.integers(1, 7))):
                a = float(rng.uniform(0, 360))
                cv2.ellipse(
                    im,
                    (int(c[0] + r * np.cos(a)), int(c[1] + r * np.sin(a))),
                    (r, max(1, r // int(rng.integers(2, 5)))),
                    a,
                    0,
                    360,
                    inks[k % len(inks)],
                    -1,
                    cv2.LINE_AA,
                )
    elif kind <= 5:
        _flowers(rng, im, inks)
    else:
        for _ in range(int(rng.integers(4, 25))):
            p = rng.uniform(-0.2, 1.2, (int(rng.integers(3, 7)), 2)) * [w, h]
            cv2.polylines(im, [p.astype(np.int32)], bool(rng.integers(2)), inks[rng.integers(len(inks))], int(rng.integers(1, 12)), cv2.LINE_AA)
    weave = rng.normal(0, rng.uniform(1, 8), (h, w, 1)).astype(np.float32)
    return im + weave


def _flowers(rng: Rng, im: NDArray[np.float32], inks: list[tuple[float, ...]]) -> None:
    """Blossoms of one kind, in rows or strewn, their petals filled, outlined or both: from sprigs to blossoms larger than a card."""
    h, w = im.shape[:2]
    step = float(np.exp(rng.uniform(np.log(24), np.log(170))))
    petals, long, wide = int(rng.integers(3, 9)), float(rng.uniform(0.1, 0.3)), float(rng.uniform(0.35, 1.0))
    strewn = 0.5 if rng.random() < 0.4 else 0.05
    fill, line = (float(rng.random()) < 0.85), (float(rng.random()) < 0.6)
    rim = tuple(v * float(rng.uniform(0.5, 1.3)) for v in inks[-1])
    for y in np.arange(0, h + step, step):
        for x in np.arange(0, w + step, step):
            cx, cy = np.array([x + (y // step % 2) * step / 2, y]) + rng.normal(0, strewn * step, 2)
            r, spin = step * long * rng.uniform(0.8, 1.2), rng.uniform(0, 360)
            axes = (max(2, round(r)), max(1, round(r * wide)))
            for k in range(petals):
                a = spin + k * 360 / petals
                at = (round(cx + np.cos(np.deg2rad(a)) * r), round(cy + np.sin(np.deg2rad(a)) * r))
                if fill:
                    cv2.ellipse(im, at, axes, a, 0, 360, inks[0], -1, cv2.LINE_AA)
                if line or not fill:
                    cv2.ellipse(im, at, axes, a, 0, 360, rim, 1 + int(step > 90), cv2.LINE_AA)
            cv2.circle(im, (round(cx), round(cy)), max(1, round(r * 0.5)), inks[-1], -1, cv2.LINE_AA)


def _print_matter(rng: Rng, h: int, w: int) -> NDArray[np.float32]:
    """Paper with lines of something like text, or a keyboard, or a magazine page."""
    paper = rng.uniform(170, 252)
    im = np.full((h, w, 3), paper, np.uint8)
    ink = tuple(int(v) for v in (rng.uniform(0, 90, 3) if rng.random() < 0.7 else _colour(rng)))
    if rng.random() < 0.3:  # keys
        im[:] = rng.uniform(150, 225) if rng.random() < 0.5 else rng.uniform(20, 60)
        s = int(rng.integers(14, 44))
        key = int(rng.uniform(10, 60))
        for y in range(0, h, s):
            for x in range(int(rng.integers(-s, 0)), w, s):
                cv2.rectangle(im, (x + 2, y + 2), (x + s - 2, y + s - 2), (key, key, key), -1)
                if rng.random() < 0.8:
                    cv2.putText(
                        im, chr(int(rng.integers(65, 91))), (x + s // 4, y + 2 * s // 3), cv2.FONT_HERSHEY_SIMPLEX, s / 60, (230, 230, 230), 1, cv2.LINE_AA
                    )
        return im.astype(np.float32)
    size = rng.uniform(0.25, 1.4)
    y = 0.0
    while y < h:
        y += 26 * size
        if rng.random() < 0.9:
            text = "".join(chr(int(c)) for c in rng.choice([32, *range(65, 91), *range(97, 123), *range(48, 58)], int(rng.integers(5, 70))))
            cv2.putText(im, text, (int(rng.integers(0, max(1, w // 4))), int(y)), int(rng.choice([0, 1, 2, 3, 4])), size, ink, 1 + int(size > 0.9), cv2.LINE_AA)
    return im.astype(np.float32)


def _mottle(rng: Rng, h: int, w: int) -> NDArray[np.float32]:
    """Stone, cork, carpet: colour noise at several scales."""
    im = np.zeros((h, w, 3), np.float32) + _colour(rng, 30, 220)
    for cell in rng.uniform(1.2, 60, 3):
        im += _noise(rng, h, w, float(cell))[..., None] * rng.uniform(3, 40) * rng.uniform(0.6, 1.0, 3).astype(np.float32)
    return im


def folds(rng: Rng, h: int, w: int) -> NDArray[np.float32]:
    """Shading of a folded or rumpled cloth, a factor around 1 of shape (h, w, 1)."""
    v = np.zeros((h, w), np.float32)
    for _ in range(int(rng.integers(1, 5))):
        p = rng.uniform(0, 1, 2) * [w, h]
        a = rng.uniform(0, np.pi)
        yy, xx = np.mgrid[0:h, 0:w].astype(np.float32)
        d = (xx - p[0]) * np.sin(a) + (yy - p[1]) * np.cos(a)
        s = rng.uniform(3, 30)
        v += rng.uniform(0.05, 0.3) * np.tanh(d / s) * np.exp(-np.abs(d) / (s * 8))
    return (1 + v)[..., None]


def surface(rng: Rng, h: int, w: int) -> Image:
    """A table surface of shape (h, w, 3) uint8 BGR."""
    make = [_wood, _felt, _plain, _cloth, _print_matter, _mottle][rng.choice(6, p=[0.22, 0.2, 0.15, 0.2, 0.08, 0.15])]
    s = float(rng.uniform(0.5, 1.0))
    im = make(rng, max(16, int(h * s)), max(16, int(w * s)))
    if rng.random() < 0.3:
        im = im * folds(rng, *im.shape[:2])
    im8 = np.clip(im, 0, 255).astype(np.uint8)
    if rng.random() < 0.5:
        im8 = cv2.rotate(im8, cv2.ROTATE_90_CLOCKWISE)
    return cv2.resize(im8, (w, h), interpolation=cv2.INTER_LINEAR)


class Surfaces:
    """A pool of surfaces, renewed one at a time: making one costs more than a whole scene. `folder` adds pictures of real ones."""

    def __init__(self, seed: int, size: int = 48, side: int = 520, folder: Path | None = None) -> None:
        self._rng = np.random.default_rng([seed, 77])
        self._side = side
        self._files = sorted(folder.glob("*.jpg")) if folder else []
        self._pool: list[Image] = []
        self._size = size

    def _make(self) -> Image:
        if self._files and self._rng.random() < REAL:
            im = cv2.imread(str(self._files[int(self._rng.integers(len(self._files)))]))
            if im is not None:
                k = self._side / min(im.shape[:2]) * self._rng.uniform(1.0, 1.8)
                im = cv2.resize(im, None, fx=k, fy=k, interpolation=cv2.INTER_AREA if k < 1 else cv2.INTER_LINEAR)
                y, x = (int(self._rng.integers(0, n - self._side + 1)) for n in im.shape[:2])
                return np.ascontiguousarray(im[y : y + self._side, x : x + self._side])
        return surface(self._rng, self._side, self._side)

    def take(self, rng: Rng, h: int, w: int) -> Image:
        """A piece (h, w, 3) of some surface, turned, scaled and recoloured at random."""
        if len(self._pool) < self._size:
            self._pool.append(self._make())
            im = self._pool[-1]
        else:
            if rng.random() < 0.12:
                self._pool[int(rng.integers(self._size))] = self._make()
            im = self._pool[int(rng.integers(self._size))]
        zoom = float(np.exp(rng.uniform(-0.3, 1.0))) * max(h, w) / self._side
        a = rng.uniform(0, 2 * np.pi)
        c, s = np.cos(a) / zoom, np.sin(a) / zoom
        o = rng.uniform(0, self._side, 2)
        m = np.array([[c, -s, o[0]], [s, c, o[1]]], np.float32)
        out = cv2.warpAffine(im, m, (w, h), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REFLECT_101)
        if rng.random() < 0.3:
            lut = np.clip(np.arange(256)[:, None] * rng.uniform(0.5, 1.3, 3) + rng.uniform(-30, 30, 3), 0, 255).astype(np.uint8)
            out = cv2.LUT(out, lut[None])
        return out


class Lettered(Surfaces):
    """The surfaces of another pool with letters and numbers about: of the sizes and in the inks of a playing card's corner index."""

    def __init__(self, bare: Surfaces) -> None:
        self._bare = bare

    def take(self, rng: Rng, h: int, w: int) -> Image:
        im = self._bare.take(rng, h, w)
        if rng.random() < 0.4:  # on a sheet
            middle, sides = rng.uniform(0, [w, h]), rng.uniform([0.3 * w, 0.3 * h], [w, 1.2 * h])
            box = cv2.boxPoints(((float(middle[0]), float(middle[1])), (float(sides[0]), float(sides[1])), float(rng.uniform(0, 180))))
            cv2.fillConvexPoly(im, box.astype(np.int32), tuple(float(v) for v in rng.uniform(190, 255, 3)), cv2.LINE_AA)
        ink = [(0, 0, 0), (40, 30, 200), (30, 20, 160), (200, 90, 30), (60, 130, 30)]
        for _ in range(int(rng.integers(10, 70))):
            n = int(rng.choice([1, 2, 3, 8], p=[0.6, 0.15, 0.1, 0.15]))
            letters = "0123456789AJQKXVBROPY" if n > 1 or rng.random() < 0.4 else "0123456789AJQK"
            text = "".join(letters[int(k)] for k in rng.integers(0, len(letters), n))
            colour = ink[0] if rng.random() < 0.5 else ink[int(rng.integers(5))]
            size = float(rng.uniform(0.35, 1.3))
            cv2.putText(im, text, (int(rng.integers(-10, w)), int(rng.integers(0, h))), int(rng.integers(5)), size, colour, 1 + int(size > 0.6), cv2.LINE_AA)
        return im


def distractor(rng: Rng, image: Image) -> None:
    """Draw one thing that is no card onto the image: a chip, a phone, a box, a sheet, a pen, a lead."""
    h, w = image.shape[:2]
    c = (int(rng.integers(w)), int(rng.integers(h)))
    r = int(rng.uniform(0.03, 0.22) * h)
    ink = tuple(int(v) for v in rng.integers(0, 256, 3))
    ink2 = tuple(int(v) for v in rng.integers(0, 256, 3))
    kind = rng.integers(6)
    if kind == 0:
        for k in range(int(rng.integers(1, 4))):
            cc = (c[0] + int(k * r * rng.uniform(-1, 1)), c[1] + int(k * r * rng.uniform(-1, 1)))
            cv2.circle(image, cc, r // 2 + 2, ink, -1, cv2.LINE_AA)
            cv2.circle(image, cc, r // 3 + 1, ink2, max(1, r // 9), cv2.LINE_AA)
    elif kind <= 3:
        ratio = rng.uniform(1.05, 3.2)
        box = cv2.boxPoints(((float(c[0]), float(c[1])), (2 * r, 2 * r * ratio), float(rng.uniform(0, 180)))).astype(np.int32)
        cv2.fillConvexPoly(image, box, ink, cv2.LINE_AA)
        if rng.random() < 0.6:
            inner = ((box - box.mean(0)) * rng.uniform(0.5, 0.92) + box.mean(0)).astype(np.int32)
            cv2.fillConvexPoly(image, inner, ink2, cv2.LINE_AA)
        if rng.random() < 0.5:
            cv2.putText(
                image,
                "".join(chr(int(v)) for v in rng.integers(65, 91, 6)),
                (c[0] - r, c[1]),
                int(rng.integers(5)),
                r / 40 + 0.2,
                ink,
                1 + r // 30,
                cv2.LINE_AA,
            )
    elif kind == 4:
        p = np.array(c) + np.cumsum(rng.normal(0, r, (8, 2)), 0)
        cv2.polylines(image, [p.astype(np.int32)], False, ink, max(1, r // 8), cv2.LINE_AA)
    else:
        cv2.ellipse(image, c, (2 * r, int(2 * r * rng.uniform(0.5, 1))), float(rng.uniform(0, 180)), 0, 360, ink, -1, cv2.LINE_AA)
        cv2.ellipse(image, c, (int(1.5 * r), int(1.4 * r * rng.uniform(0.5, 1))), float(rng.uniform(0, 180)), 0, 360, ink2, -1, cv2.LINE_AA)


def hand(rng: Rng, h: int, w: int, scale: float, at: tuple[float, float] | None = None) -> tuple[Image, NDArray[np.uint8]]:
    """A forearm with a hand, coming from outside the picture: colour (h, w, 3) and mask (h, w) of 0 or 255.

    `scale` is the width of a card in px; a hand is about 1.4 poker cards or 2.4 hwatu wide. Skin of every tone, or a glove, or a sleeve.
    """
    tone = rng.uniform(0, 1)
    skin = np.array([70, 95, 140]) * (1 - tone) * 0.5 + np.array([165, 190, 235]) * tone + rng.normal(0, 12, 3)
    if rng.random() < 0.1:
        skin = rng.uniform(0, 255, 3)
    tip = np.array(at if at is not None else rng.uniform(0, 1, 2) * [w, h])
    a = rng.uniform(0, 2 * np.pi)
    d = np.array([np.cos(a), np.sin(a)])  # towards the arm
    n = np.array([-d[1], d[0]])
    palm = tip + d * scale * 0.9
    mask = np.zeros((h, w), np.uint8)
    pw = scale * rng.uniform(0.42, 0.6)

    def blob(p: NDArray, q: NDArray, t: float) -> None:
        cv2.line(mask, tuple(int(v) for v in p), tuple(int(v) for v in q), 255, max(2, int(t)), cv2.LINE_AA)

    blob(palm, palm + d * scale * 0.5, 2 * pw)
    spread = rng.uniform(0.1, 0.32)
    for k in range(4):
        off = (k - 1.5) / 1.5
        b = palm + n * off * pw * 0.75 - d * pw * 0.5
        ln = scale * (1.0 - 0.18 * abs(off)) * rng.uniform(0.35, 1.0)
        blob(b, b - d * ln + n * off * spread * ln, pw * 0.5)
    side = 1 if rng.random() < 0.5 else -1
    th = palm + n * side * pw * 0.8 + d * scale * 0.2
    blob(th, th + n * side * scale * rng.uniform(0.1, 0.6) - d * scale * rng.uniform(0.1, 0.7), pw * 0.55)
    wrist = palm + d * scale * 0.7
    arm = wrist + d * scale * 12
    blob(wrist, arm, pw * rng.uniform(1.3, 1.8))
    colour = np.empty((h, w, 3), np.uint8)
    colour[:] = np.clip(skin, 0, 255)
    if rng.random() < 0.6:
        sleeve = np.zeros((h, w), np.uint8)
        s = wrist + d * scale * rng.uniform(0.1, 1.2)
        cv2.line(sleeve, tuple(int(v) for v in s), tuple(int(v) for v in arm), 255, max(3, int(pw * rng.uniform(1.9, 2.8))), cv2.LINE_AA)
        mask = np.maximum(mask, sleeve)
        colour[sleeve > 127] = rng.integers(0, 256, 3)
    light = _noise(rng, h, w, max(6.0, scale * 0.6)) * rng.uniform(6, 26)
    k = max(1, int(scale * 0.06))  # the blur is wide: made on a smaller mask
    soft = cv2.GaussianBlur(cv2.resize(mask, (max(1, w // k), max(1, h // k)), interpolation=cv2.INTER_AREA), (0, 0), max(0.8, scale * 0.12 / k))
    edge = cv2.resize(soft, (w, h), interpolation=cv2.INTER_LINEAR).astype(np.float32) / 255 * 60 - 50
    colour = np.clip(colour + (light + edge)[..., None], 0, 255).astype(np.uint8)
    return colour, mask
