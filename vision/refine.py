"""A second look at every card found: the picture is warped so that the card should stand upright in the middle, at the size and without
the perspective that the network likes best, and what it finds there replaces the first guess."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect import Detections, Detector, overlap
from vision.identify import Pyramid

SHORT_PX, LONG_PX = 40, 58  # the card as it should lie in the second look
SIDE_PX = (128, 160)  # width and height of what is looked at
SAME = 0.35  # overlap from which what is found in the middle is the card looked for
MOST = 80  # cards of one picture that are looked at again, the surest first

F32 = NDArray[np.float32]


def refine(detector: Detector, image: NDArray[np.uint8], found: Detections, rounds: int = 1) -> Detections:
    """The detections of a BGR picture (H, W, 3) after a second look at each; those not found again stay as they were."""
    quads, shown = found.quad.copy(), found.shown.copy()
    visible, confidence = found.visible.copy(), found.confidence.copy()
    levels = Pyramid(image)
    w, h = SIDE_PX
    x0, y0 = (w - SHORT_PX) / 2, (h - LONG_PX) / 2
    middle = np.array([[x0, y0], [x0 + SHORT_PX, y0], [x0 + SHORT_PX, y0 + LONG_PX], [x0, y0 + LONG_PX]], np.float32)
    for i in np.argsort(-found.confidence)[:MOST]:
        for _ in range(rounds):
            quad = quads[i]
            side = np.linalg.norm(quad - np.roll(quad, 1, 0), axis=1)
            wide = side[1] + side[3] > side[0] + side[2]  # the network's own left and right need not be the card's
            start = np.roll(quad, 1, 0) if wide else quad
            there = cv2.getPerspectiveTransform(start.astype(np.float32), middle)
            if not np.isfinite(there).all() or abs(np.linalg.det(there)) < 1e-12:
                break
            level = levels[_halvings(there)]
            kx, ky = image.shape[1] / level.shape[1], image.shape[0] / level.shape[0]
            whole = np.array([[kx, 0, (kx - 1) / 2], [0, ky, (ky - 1) / 2], [0, 0, 1.0]])  # level → picture
            close = cv2.warpPerspective(level, there @ whole, (w, h), flags=cv2.INTER_LINEAR, borderValue=(114, 114, 114))
            again = detector.detect(close.astype(np.uint8, copy=False))
            share = [overlap(q, middle) for q in again.quad]
            if not share or max(share) < SAME:
                break
            k = int(np.argmax(np.array(share) * (0.3 + again.confidence)))
            back = cv2.perspectiveTransform(again.quad[k][None].astype(np.float64), np.linalg.inv(there))[0]
            if not np.isfinite(back).all() or not cv2.isContourConvex(back.astype(np.float32)):
                break
            quads[i], shown[i] = back, again.shown[k]
            visible[i], confidence[i] = again.visible[k], max(confidence[i], again.confidence[k])
    return replace(found, quad=quads, shown=shown, visible=visible, confidence=confidence)


def _halvings(there: NDArray[Any]) -> int:
    """How often the picture must be halved before the warp `there`, so that it does not skip pixels."""
    x, y = SIDE_PX[0] / 2, SIDE_PX[1] / 2
    at = cv2.perspectiveTransform(np.array([[[x, y], [x + 1, y], [x, y + 1]]]), np.linalg.inv(there))[0]
    step = min(float(np.linalg.norm(at[1] - at[0])), float(np.linalg.norm(at[2] - at[0])))
    return int(np.clip(np.floor(np.log2(max(step, 1.0)) + 0.3), 0, 5))
