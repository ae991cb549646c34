"""Finding cards on a table whose plane is known: the table is looked at from above, where every card has the same size.

One scale and no perspective leave only a place and a turn to be found, so half a dark card on dark cloth is not taken for a small one.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect import Detections, Detector
from vision.net import Net, load_net
from vision.outline import Outliner
from vision.plane import Plane

SHORT_PX = 22.0  # a card's short side as the network was trained
MARGIN_MM = 45.0  # looked at beyond the table's edge
OUTSIDE = (114, 114, 114)  # what lies beyond the picture, as in training


def above_size(size_mm: tuple[float, float], card_mm: tuple[float, float]) -> tuple[int, int]:
    """Width and height in px of a table of `size_mm` as the network looks at it, a margin about it and multiples of 32."""
    k = SHORT_PX / min(card_mm)
    w, h = (int(-(-(side + 2 * MARGIN_MM) * k // 32) * 32) for side in size_mm)
    return w, h


class TableDetector:
    """PoseNet trained on tables seen from above; `anywhere`, the detector for any picture, and `outliner` are for closer looks."""

    def __init__(self, anywhere: Detector, net: Net | None = None, outliner: Outliner | None = None) -> None:
        self.anywhere = anywhere
        self._outliner = outliner or Outliner()
        self._above = Detector(net or load_net("table"))

    def detect(self, image: NDArray[np.uint8], scale: float = 1.0) -> Detections:
        """Cards of a picture as it is (see `Detector.detect`)."""
        return self.anywhere.detect(image, scale)

    def on_table(self, image: NDArray[np.uint8], plane: Plane, card_mm: tuple[float, float]) -> Detections:
        """Cards on the table and close about it; quads in px of the picture (H, W, 3) BGR."""
        k = SHORT_PX / min(card_mm)
        w, h = above_size(plane.size_mm, card_mm)
        to_above = np.array([[k, 0, MARGIN_MM * k], [0, k, MARGIN_MM * k], [0, 0, 1.0]]) @ plane.homography
        above = cv2.warpPerspective(image, to_above, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=OUTSIDE)
        found = self._above.detect(above.astype(np.uint8, copy=False))
        if not len(found):
            return found
        back = cv2.perspectiveTransform(found.quad.reshape(-1, 1, 2).astype(np.float64), np.linalg.inv(to_above))
        return replace(found, quad=back.reshape(-1, 4, 2).astype(np.float32), hand=None)

    def again(self, image: NDArray[np.uint8], found: Detections) -> Detections:
        """The same detections, each outline fitted closely."""
        return self._outliner.fit(image, found, rounds=1, sides_known=True)

    def there(self, image: NDArray[np.uint8], guesses: NDArray[np.float32], dots: NDArray[np.float32]) -> Detections:
        """The cards that show at points of the picture (see `Outliner.at`)."""
        return self._outliner.at(image, guesses, dots, sides_known=True)
