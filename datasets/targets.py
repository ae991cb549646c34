"""What PoseNet is to say of a scene: the votes of every cell, in the channels that models/nets.py names and vision/detect.py reads."""

from __future__ import annotations

import numpy as np

from datasets.scene import HAND

POSE_STRIDE, POSE_UNIT = 4, 32.0  # px a cell; px the unit of lengths


def pose_targets(ids: np.ndarray, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Targets at stride 4: kind (h, w) 0 none 1 card 2 hand; number (h, w); votes (8, h, w) in POSE_UNIT."""
    s = POSE_STRIDE
    n = ids[s // 2::s, s // 2::s]
    h, w = n.shape
    kind = np.where(n == 0, 0, np.where(n == HAND, 2, 1)).astype(np.uint8)
    votes = np.zeros((8, h, w), np.float32)
    if len(frames):
        table = np.zeros((256, 8), np.float32)
        f = frames
        table[1:len(f) + 1, :2] = f[:, :2]
        for k in (2, 4):
            length = np.hypot(f[:, k], f[:, k + 1])
            a2 = 2 * np.arctan2(f[:, k + 1], f[:, k])
            table[1:len(f) + 1, k] = length * np.cos(a2) / POSE_UNIT
            table[1:len(f) + 1, k + 1] = length * np.sin(a2) / POSE_UNIT
        table[1:len(f) + 1, 6:8] = f[:, 6:8]
        t = table[n].transpose(2, 0, 1)
        votes[:] = t
        xs = np.arange(w, dtype=np.float32) * s + s / 2
        ys = np.arange(h, dtype=np.float32) * s + s / 2
        votes[0] = (t[0] - xs[None, :]) / POSE_UNIT
        votes[1] = (t[1] - ys[:, None]) / POSE_UNIT
    return kind, n, votes


def outline_targets(mine: np.ndarray, frame: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Targets at stride 4 of a close-up: mine (h, w) 0..1; votes (8, h, w) and the same for the whole card (8,), its centre
    from the close-up's corner, in POSE_UNIT."""
    _, number, votes = pose_targets(mine.astype(np.uint8), frame[None])
    card = number > 0
    whole = votes[:, card][:, 0].copy() if card.any() else np.zeros(8, np.float32)
    whole[:2] = frame[:2] / POSE_UNIT * bool(card.any())
    return card.astype(np.float32), votes, whole
