"""Views of known cards as tables show them: partly under other cards, in uneven light, blurred, and with outlines a little off.

A deck learned from one photograph has one picture of each card; what it will look like later is made from that.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect import SHOWN_H, SHOWN_W
from vision.identify import CROP_H, CROP_W

Crops = NDArray[np.uint8]
Rng = np.random.Generator

_EDGE = (40, 52)  # px about the card in which others may lie
_WIDE, _HIGH = CROP_W + 2 * _EDGE[0], CROP_H + 2 * _EDGE[1]
_LEAST = 0.1  # share of a card that stays visible
_FRAME = np.array([[0, 0], [CROP_W, 0], [CROP_W, CROP_H], [0, CROP_H]], np.float32)


def views(rng: Rng, crops: Crops, which: NDArray[np.intp]) -> tuple[Crops, NDArray[np.float32]]:
    """A view (M, 4, 144, 96) uint8 of each card asked for, from upright crops (N, 4, 144, 96), and the share of it that shows (M,).

    which: (M,) indices of cards. The fourth channel is where the card shows, as coarse as a detector tells it.
    """
    faces = np.ascontiguousarray(crops[:, :3].transpose(0, 2, 3, 1))
    out = np.empty((len(which), 4, CROP_H, CROP_W), np.uint8)
    visible = np.empty(len(which), np.float32)
    for m, k in enumerate(which):
        picture, free = _table(rng, faces, int(k))
        visible[m] = cv2.countNonZero(free) / (CROP_W * CROP_H)
        seen = cv2.getPerspectiveTransform(_outline(rng), _FRAME)
        image = cv2.warpPerspective(picture, seen, (CROP_W, CROP_H), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        shown = cv2.warpPerspective(free, seen, (CROP_W, CROP_H), flags=cv2.INTER_LINEAR)
        out[m, :3] = _lit(rng, image.astype(np.uint8, copy=False)).transpose(2, 0, 1)
        out[m, 3] = _told(rng, shown.astype(np.uint8, copy=False))
    return out, visible


def _table(rng: Rng, faces: Crops, k: int) -> tuple[Crops, Crops]:
    """Card k among other cards: a picture and, as a mask, where the card shows."""
    if rng.random() < 0.6:
        ground = rng.integers(20, 235, 3)
    else:
        ground = faces[rng.integers(len(faces)), rng.integers(CROP_H), rng.integers(CROP_W)]
    picture = np.empty((_HIGH, _WIDE, 3), np.uint8)
    picture[:] = ground
    if rng.random() < 0.5:
        cloth = rng.normal(0, rng.uniform(2, 25), (_HIGH // 8, _WIDE // 8)).astype(np.float32)
        picture = np.clip(picture + cv2.resize(cloth, (_WIDE, _HIGH))[..., None], 0, 255).astype(np.uint8)
    for _ in range(int(rng.choice([0, 0, 1, 2]))):  # beside or under it
        turn = rng.normal(0, 0.15) if rng.random() < 0.6 else rng.uniform(0, 6.28)
        _lay(picture, faces[rng.integers(len(faces))], _pose(turn, *(rng.uniform(-1.1, 1.1, 2) * (CROP_W, CROP_H))))
    free: Crops = np.zeros((_HIGH, _WIDE), np.uint8)
    inner = np.s_[_EDGE[1]:_EDGE[1] + CROP_H, _EDGE[0]:_EDGE[0] + CROP_W]
    picture[inner], free[inner] = faces[k], 255
    wanted = rng.uniform(0.12, 0.95) if rng.random() < 0.75 else 1.0
    for _ in range(6):
        if cv2.countNonZero(free) < (wanted + 0.08) * CROP_W * CROP_H:
            break
        pose = _covering(rng, wanted)
        corners = (_FRAME @ pose[:, :2].T + pose[:, 2]).astype(np.int32)
        left = cv2.fillConvexPoly(free.copy(), corners, 0).astype(np.uint8, copy=False)
        if cv2.countNonZero(left) < _LEAST * CROP_W * CROP_H:
            continue
        if rng.random() < 0.15:  # a hand, a back, a phone: anything of one colour
            cv2.fillConvexPoly(picture, corners, tuple(int(v) for v in rng.integers(20, 235, 3)))
        else:
            _lay(picture, faces[rng.integers(len(faces))], pose)
        free = left
    return picture, free


def _pose(turn: float, x: float, y: float) -> NDArray[np.float64]:
    """The (2, 3) matrix that lays a card turned by radians with its middle x, y px off the middle."""
    c, s = np.cos(turn), np.sin(turn)
    return np.array([[c, -s, _WIDE / 2 + x - c * CROP_W / 2 + s * CROP_H / 2], [s, c, _HIGH / 2 + y - s * CROP_W / 2 - c * CROP_H / 2]])


def _lay(picture: Crops, face: Crops, pose: NDArray[np.float64]) -> None:
    cv2.warpAffine(face, pose, (_WIDE, _HIGH), dst=picture, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_TRANSPARENT)


def _covering(rng: Rng, wanted: float) -> NDArray[np.float64]:
    """How a card lies over another that leaves about the wanted share: in a row, in a column, or anyhow."""
    how = rng.random()
    side = 1 if rng.random() < 0.5 else -1
    turn = rng.normal(0, 0.12) + np.pi * (rng.random() < 0.3) if how < 0.75 else rng.uniform(0, 6.28)
    off = side * (wanted + rng.normal(0, 0.04))
    if how < 0.4:
        return _pose(turn, off * CROP_W, rng.normal(0, 0.12) * CROP_H)
    if how < 0.65:
        return _pose(turn, rng.normal(0, 0.12) * CROP_W, off * CROP_H)
    return _pose(turn, rng.uniform(-1, 1) * CROP_W, rng.uniform(-1, 1) * CROP_H)


def _outline(rng: Rng) -> NDArray[np.float32]:
    """Where a detector might say that the card lies, either end up: (4, 2) px."""
    w, h = CROP_W * np.exp(rng.normal(0.01, 0.035)), CROP_H * np.exp(rng.normal(0.01, 0.035))
    a = rng.normal(0, 0.025)
    quad = np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2 @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
    quad += rng.normal(0, 0.025, 2) * (CROP_W, CROP_H) + rng.normal(0, 0.012, (4, 2)) * CROP_W + (_WIDE / 2, _HIGH / 2)
    return np.roll(quad, 2 * int(rng.integers(2)), 0).astype(np.float32)


def _told(rng: Rng, shown: Crops) -> Crops:
    """A mask as coarse and as wrong as a detector's."""
    small = cv2.resize(shown, (SHOWN_W, SHOWN_H), interpolation=cv2.INTER_AREA)
    if rng.random() < 0.6:
        dx, dy = rng.normal(0, 0.7, 2)
        small = cv2.warpAffine(small, np.array([[1, 0, dx], [0, 1, dy]]), (SHOWN_W, SHOWN_H))
    if rng.random() < 0.5:
        small = cv2.GaussianBlur(small, (0, 0), rng.uniform(0.4, 1.4))
    if rng.random() < 0.6:
        small = ((small > rng.uniform(60, 190)) * 255).astype(np.uint8)
    return cv2.resize(small, (CROP_W, CROP_H), interpolation=cv2.INTER_LINEAR).astype(np.uint8, copy=False)


def _lit(rng: Rng, image: Crops) -> Crops:
    """The picture nearer or farther, blurred, in another light, with noise."""
    r = rng.random()
    if r < 0.45:
        k = rng.uniform(0.2, 0.7)
        image = cv2.resize(cv2.resize(image, None, fx=k, fy=k, interpolation=cv2.INTER_AREA), (CROP_W, CROP_H)).astype(np.uint8, copy=False)
    elif r < 0.75:
        image = cv2.GaussianBlur(image, (0, 0), rng.uniform(0.4, 2)).astype(np.uint8, copy=False)
    gain = np.exp(rng.normal(0, 0.08, 3) + rng.normal(-0.05, 0.3)).astype(np.float32)
    out = image * gain
    if rng.random() < 0.4:
        across, down = rng.normal(0, 0.25, 2)
        out *= (1 + across * np.linspace(-1, 1, CROP_W) + down * np.linspace(-1, 1, CROP_H)[:, None]).astype(np.float32)[..., None]
    if rng.random() < 0.5:
        out += rng.standard_normal(out.shape, np.float32) * np.float32(rng.uniform(1, 9))
    if rng.random() < 0.3:  # haze
        out += np.float32(rng.uniform(0, 25))
    return np.clip(out, 0, 255, out=out).astype(np.uint8)
