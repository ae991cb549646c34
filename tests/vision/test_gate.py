"""The motion gate on drawn frames: an arm that rests, and what it leaves behind."""

from __future__ import annotations

import numpy as np

from vision.gate import Gate, Scene
from vision.grid import Grid, share
from vision.plane import plane_from_corners

SIZE = (400.0, 300.0)
CLOTH, SLEEVE, CARD = (60, 40, 110), (200, 90, 60), (240, 240, 240)


class Watch:
    """A gate that is looked through after every frame, and its clock."""

    def __init__(self) -> None:
        plane = plane_from_corners([[0, 0], [639, 0], [639, 479], [0, 479]], SIZE)
        self.grid = Grid(SIZE)
        self.gate = Gate(self.grid, plane, (640, 480), {"B": "N"})
        self.t = 0.0

    def see(self, *boxes: tuple[int, int, int, int, tuple[int, int, int]]) -> Scene:
        image = np.full((480, 640, 3), CLOTH, np.uint8)
        for x0, y0, x1, y1, colour in boxes:
            image[y0:y1, x0:x1] = colour
        self.t += 67
        scene = self.gate.see(image, self.t)
        self.gate.looked(scene)
        return scene


def test_an_arm_at_rest_stays_one_and_leaves_no_ghost() -> None:
    """Its sleeve's end turns as dark as the cloth while it rests, so that nothing of it reaches the edge; then it goes and leaves a card."""
    watch = Watch()
    watch.see()
    for reach in range(60, 301, 40):
        watch.see((300, 0, 360, reach, SLEEVE))
    arm, card = watch.grid.cells(np.array([[195, 60], [220, 60], [220, 150], [195, 150]], float)), (300, 300, 360, 390, CARD)
    for _ in range(30):
        rests = watch.see((300, 40, 360, 300, SLEEVE))
    assert [h.player for h in rests.hands] == ["B"]
    assert share(rests.blocked, arm) > 0.9
    watch.see((300, 0, 360, 200, SLEEVE), card)
    watch.see((300, 0, 360, 80, SLEEVE), card)
    for _ in range(8):
        gone = watch.see(card)
    assert not gone.hands
    assert not gone.blocked.any()
