"""Scenes of cards on a table: how cards lie, where the camera stands, and the picture it takes, with its truth."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets import optics
from datasets.art import WornDeck
from datasets.surfaces import Surfaces, distractor, hand

Image = NDArray[np.uint8]
Rng = np.random.Generator
HAND = 255  # instance number of hands in `ids`; cards are 1..N, 0 is none


@dataclass(frozen=True)
class Laid:
    """A card on the table: centre in mm, angle of its upward direction in radians, a later one lies on top."""

    name: str
    x: float
    y: float
    angle: float


@dataclass
class Scene:
    """A picture and its truth.

    image (H, W, 3) uint8 BGR; ids (H, W) uint8: 0 none, 1..N the card that shows there, 255 a hand;
    quads (N, 4, 2) float32 px, clockwise from each card's own top left, whole cards; visible (N,) the share of each that shows.
    """

    image: Image
    ids: NDArray[np.uint8]
    quads: NDArray[np.float32]
    names: list[str]
    visible: NDArray[np.float32]
    frames: NDArray[np.float32] = field(repr=False)  # (N, 8): centre, half axes along the card's right and down, projective part
    view: NDArray[np.float64] | None = field(repr=False, default=None)  # (3, 3): table mm → px


def camera_matrix(rng: Rng, h: int, w: int, px_per_mm: float, tilt: float) -> NDArray[np.float64]:
    """Homography (3, 3) from table mm (origin where the camera looks) to picture px, `tilt` radians from overhead."""
    roll, turn = rng.uniform(0, 2 * np.pi, 2)
    ct, st = np.cos(tilt), np.sin(tilt)
    def rz(a):
        return np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
    r = rz(roll) @ np.array([[1, 0, 0], [0, ct, -st], [0, st, ct]]) @ rz(turn)
    away = max(h, w) / px_per_mm * float(rng.uniform(0.9, 2.2))  # mm; a short distance is a wide lens
    f = px_per_mm * away
    k = np.array([[f, 0, w / 2], [0, f, h / 2], [0, 0, 1]])
    m = np.column_stack([r[:, 0], r[:, 1], [0, 0, away]])
    return k @ m


def _group(rng: Rng, names: list[str], w: float, h: float) -> list[tuple[float, float, float]]:
    """Poses (x, y, angle) of a group of len(names) cards about the origin, bottom first."""
    n = len(names)
    kind = rng.choice(["fan", "row", "grid", "pile", "scatter", "cascade", "arc", "fives"], p=[0.2, 0.16, 0.1, 0.07, 0.17, 0.13, 0.1, 0.07])
    def jit(s):
        return float(rng.normal(0, s))
    out: list[tuple[float, float, float]] = []
    if kind == "fan":  # held or laid fan turning about a point below
        pivot = h * rng.uniform(0.6, 1.6)
        show = rng.uniform(0.09, 0.6) * w
        step = show / (pivot + h * 0.35)
        for i in range(n):
            a = (i - (n - 1) / 2) * step * (1 + jit(0.12)) + jit(0.015)
            out.append((np.sin(a) * pivot + jit(0.6), -np.cos(a) * pivot + pivot + jit(0.8), a))
        if rng.random() < 0.25:
            out = out[::-1]
    elif kind == "arc":  # overlapping along a bent line
        bend = rng.normal(0, 0.08)
        step = rng.uniform(0.12, 0.9) * w
        x = y = a = 0.0
        for _ in range(n):
            out.append((x, y, a + jit(0.04)))
            x += np.cos(a) * step
            y += np.sin(a) * step
            a += bend
    elif kind in ("row", "cascade"):
        step = (w if kind == "row" else h) * (rng.uniform(0.1, 0.6) if rng.random() < 0.65 else rng.uniform(0.6, 1.25))
        skew = rng.normal(0, 0.06)
        for i in range(n):
            p = (i * step + jit(0.5), i * step * skew + jit(1.0))
            out.append((p[0], p[1], jit(0.02)) if kind == "row" else (p[1], p[0], jit(0.02)))
        if rng.random() < 0.3:
            out = out[::-1]
    elif kind == "grid":
        cols = int(rng.integers(2, 7))
        gx, gy = w * rng.uniform(0.95, 1.4), h * rng.uniform(0.95, 1.3)
        out = [((i % cols) * gx + jit(1.5), (i // cols) * gy + jit(1.5), jit(0.04)) for i in range(n)]
    elif kind == "pile":
        s = rng.uniform(0.3, 6)
        t = rng.uniform(0.02, 0.5)
        out = [(jit(s), jit(s), jit(t)) for _ in range(n)]
    elif kind == "fives":  # captures put down by fives, each five stacked with a small shift
        dx, dy = rng.uniform(0.08, 0.25) * w, rng.uniform(-0.06, 0.12) * h
        for i in range(n):
            k = i % 5
            out.append((k * dx + (i // 5) * w * rng.uniform(1.4, 2.0) + jit(0.5), k * dy + jit(0.5), jit(0.02)))
    else:
        spread = np.sqrt(n * w * h) * rng.uniform(0.4, 1.1)
        out = [(float(rng.uniform(-spread, spread)), float(rng.uniform(-spread, spread)), float(rng.uniform(0, 6.28))) for _ in range(n)]
    if rng.random() < 0.5:  # some lie the other way up
        out = [(x, y, a + np.pi * (rng.random() < 0.5)) for x, y, a in out]
    return out


def lay(rng: Rng, deck: WornDeck, reach: tuple[float, float], most: int) -> list[Laid]:
    """Groups of cards within `reach` mm (half width, half height) of the origin, bottom first."""
    w, h = deck.size_mm
    faces = list(deck.art.faces)
    rng.shuffle(faces)
    out: list[Laid] = []
    groups = int(rng.choice([1, 2, 3, 4, 6]))
    for _ in range(groups):
        n = int(min(len(faces), rng.choice([1, 2, 3, 4, 5, 7, 9, 13], p=[0.15, 0.12, 0.12, 0.13, 0.15, 0.13, 0.12, 0.08]), most - len(out)))
        if n <= 0:
            break
        names = [("back" if rng.random() < 0.06 else faces.pop()) for _ in range(n)]
        poses = _group(rng, names, w, h)
        turn = float(rng.uniform(0, 6.28)) if rng.random() < 0.7 else float(rng.normal(0, 0.05)) + np.pi / 2 * int(rng.integers(4))
        mid = np.mean([p[:2] for p in poses], axis=0)
        ox, oy = rng.uniform(-0.85, 0.85, 2) * reach
        c, s = np.cos(turn), np.sin(turn)
        for name, (x, y, a) in zip(names, poses, strict=True):
            x, y = x - mid[0], y - mid[1]
            out.append(Laid(name, ox + c * x - s * y, oy + s * x + c * y, a + turn))
    return out


def corners_mm(cards: list[Laid], size: tuple[float, float]) -> NDArray[np.float64]:
    """Corner positions (N, 4, 2) in mm, clockwise from each card's own top left (y down)."""
    w, h = size
    base = np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2
    a = np.array([c.angle for c in cards])
    r = np.stack([np.stack([np.cos(a), -np.sin(a)], -1), np.stack([np.sin(a), np.cos(a)], -1)], -2)
    return np.einsum("nij,kj->nki", r, base) + np.array([[c.x, c.y] for c in cards])[:, None]


def project(m: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points (…, 2) through a homography."""
    p = points @ m[:, :2].T + m[:, 2]
    return p[..., :2] / p[..., 2:]


def quad_frames(quads: NDArray[np.float32]) -> NDArray[np.float32]:
    """(N, 8) of each quad: centre (where the diagonals cross), half axes to the right and down edge, projective g.

    A corner at s, t in ±1 lies at centre + (s·u + t·v) / (1 + s·p + t·q); g is the same projective part as a vector in the picture,
    scaled so that it does not depend on which end of the card is called its top.
    """
    out = np.zeros((len(quads), 8), np.float32)
    unit = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32)
    for i, q in enumerate(quads):
        hm = cv2.getPerspectiveTransform(unit, np.ascontiguousarray(q, np.float32))
        c = hm[:2, 2]
        u = hm[:2, 0] - hm[2, 0] * c
        v = hm[:2, 1] - hm[2, 1] * c
        j = np.column_stack([u, v])
        d = np.linalg.det(j)
        g = np.linalg.solve(j.T, hm[2, :2]) if abs(d) > 1e-6 else np.zeros(2)
        out[i] = [*c, *u, *v, *(g * np.sqrt(max(abs(d), 1e-6)))]
    return out


def _paste(image: Image, ids: NDArray[np.uint8], number: int, levels: list[Image], quad: NDArray[np.float64], edge: float) -> None:
    """Warp a card's texture to its quad and lay it over the picture."""
    h, w = image.shape[:2]
    x0, y0 = np.floor(quad.min(0)).astype(int) - 2
    x1, y1 = np.ceil(quad.max(0)).astype(int) + 3
    x0, y0, x1, y1 = max(x0, 0), max(y0, 0), min(x1, w), min(y1, h)
    if x1 - x0 < 2 or y1 - y0 < 2:
        return
    long = max(np.linalg.norm(quad[3] - quad[0]), np.linalg.norm(quad[2] - quad[1]), 1.0)
    tex = next((t for t in reversed(levels) if t.shape[0] >= 1.15 * long), levels[0])
    th, tw = tex.shape[:2]
    src = np.array([[0, 0], [tw, 0], [tw, th], [0, th]], np.float32) - 0.5
    m = cv2.getPerspectiveTransform(src, (quad - [x0, y0]).astype(np.float32))
    patch = cv2.warpPerspective(tex, m, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(0, 0, 0, 0))
    roi = image[y0:y1, x0:x1]
    a = patch[..., 3]
    if edge > 0:  # contact shadow below and beside the card
        sh = cv2.blur(a, (5, 5)) if long > 40 else cv2.blur(a, (3, 3))
        roi[:] = (roi * (1 - edge * (sh.astype(np.float32) * (1 / 255)))[..., None]).astype(np.uint8)
    af = (a.astype(np.float32) * (1 / 255))[..., None]
    roi[:] = (roi * (1 - af) + patch[..., :3] * af + 0.5).astype(np.uint8)
    ids[y0:y1, x0:x1][a > 127] = number


def compose(rng: Rng, background: Image, deck: WornDeck, cards: list[Laid], m: NDArray[np.float64], hands: int = 0) -> Scene:
    """Lay cards on a background through a homography; hands go over them."""
    h, w = background.shape[:2]
    image, ids = background.copy(), np.zeros((h, w), np.uint8)
    quads = project(m, corners_mm(cards, deck.size_mm)) if cards else np.zeros((0, 4, 2))
    edge = float(rng.uniform(0.1, 0.6)) if rng.random() < 0.85 else 0.0
    for i, card in enumerate(cards):
        _paste(image, ids, i + 1, deck.levels(card.name), quads[i], edge)
    short = float(np.median(np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1))) if len(cards) else 40.0
    big = 1.9 if deck.kind == "hwatu" else 1.2
    for _ in range(hands):
        at = None
        if len(cards) and rng.random() < 0.7:
            c = quads[int(rng.integers(len(cards)))].mean(0)
            at = (float(c[0]), float(c[1]))
        colour, mask = hand(rng, h, w, short * big * float(rng.uniform(0.8, 1.3)), at)
        a = (mask.astype(np.float32) * (1 / 255))[..., None]
        if rng.random() < 0.6:
            moved = np.roll(mask, tuple(int(v) for v in rng.integers(-8, 9, 2)), (0, 1))
            sh = cv2.resize(cv2.GaussianBlur(cv2.resize(moved, (w // 3, h // 3)), (0, 0), 1.4), (w, h)).astype(np.float32) / 255
            image = (image * (1 - 0.5 * sh[..., None])).astype(np.uint8)
        image = (image * (1 - a) + colour * a).astype(np.uint8)
        ids[mask > 127] = HAND
    whole = np.array([cv2.contourArea(q.astype(np.float32)) for q in quads]) if len(cards) else np.zeros(0)
    seen = np.bincount(ids.ravel(), minlength=256)[1:len(cards) + 1]
    visible = (seen / np.maximum(whole, 1)).clip(0, 1).astype(np.float32)
    q32 = quads.astype(np.float32)
    return Scene(image, ids, q32, [c.name for c in cards], visible, quad_frames(q32), m)


def from_above(rng: Rng, scene: Scene, px_per_mm: float, h: int, w: int) -> Scene:
    """The scene warped to the table's plane, as the live pipeline looks at a table that it knows: every card the same size, any turn.

    Raises ValueError where the scene does not know its view.
    """
    if scene.view is None:
        raise ValueError("this scene has no view to undo")
    back = np.linalg.inv(scene.view)
    sh, sw = scene.ids.shape
    mid = project(back, np.array([[sw / 2, sh / 2]]))[0]
    a = rng.uniform(0, 2 * np.pi)
    r = px_per_mm * np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    above = np.vstack([np.column_stack([r, [w / 2, h / 2] - r @ mid]), [0, 0, 1]])
    m = above @ back
    image = cv2.warpPerspective(scene.image, m, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(114, 114, 114))
    ids = cv2.warpPerspective(scene.ids, m, (w, h), flags=cv2.INTER_NEAREST)
    quads = project(m, scene.quads.astype(np.float64)).astype(np.float32) if len(scene.quads) else scene.quads
    return Scene(image, ids, quads, scene.names, scene.visible, quad_frames(quads), above)


def random_scene(
    rng: Rng, deck: WornDeck, surfaces: Surfaces, h: int, w: int, short_px: tuple[float, float] = (17, 66), most: int = 40, strength: float = 1.0,
    tilt_max: float = 60.0, other: WornDeck | None = None,
) -> Scene:
    """One random scene of h × w px; `short_px` bounds the short side of a card in the middle of the picture."""
    short = float(np.exp(rng.uniform(*np.log(short_px))))
    px_per_mm = short / deck.size_mm[0]
    tilt = np.deg2rad(tilt_max) * float(rng.beta(1.1, 2.0))
    m = camera_matrix(rng, h, w, px_per_mm, tilt)
    reach = (0.55 * w / px_per_mm, 0.55 * h / px_per_mm)
    room = int(np.clip(6.0 * h * w / (short * short * 1.45), 2, most))
    cards = lay(rng, deck, (min(reach), min(reach)) if tilt > 0.5 else reach, room) if rng.random() > 0.08 else []
    keep = []
    for c, q in zip(cards, project(m, corners_mm(cards, deck.size_mm)) if cards else [], strict=True):
        side = np.linalg.norm(q - np.roll(q, 1, 0), axis=1)
        if cv2.isContourConvex(q.astype(np.float32)) and side.max() < 3.0 * short and side.min() > 5:
            keep.append(c)
    bg = surfaces.take(rng, h, w).copy()
    for _ in range(int(rng.choice([0, 0, 0, 1, 2, 4]))):
        distractor(rng, bg)
    scene = compose(rng, bg, deck, keep, m, int(rng.choice([0, 0, 0, 1, 1, 2])))
    if rng.random() < 0.12 and len(keep):  # something lies over cards
        before = scene.image.copy()
        distractor(rng, scene.image)
        changed = np.abs(before.astype(np.int16) - scene.image).max(2) > 0
        scene.ids[changed & (scene.ids != HAND)] = 0
        seen = np.bincount(scene.ids.ravel(), minlength=256)[1:len(keep) + 1]
        whole = np.array([cv2.contourArea(q) for q in scene.quads])
        scene.visible[:] = (seen / np.maximum(whole, 1)).clip(0, 1)
    glossy = np.where((scene.ids > 0) & (scene.ids < HAND), 255, 0).astype(np.uint8)
    scene.image = optics.camera(rng, optics.light(rng, scene.image, glossy, strength), short, strength)
    return scene
