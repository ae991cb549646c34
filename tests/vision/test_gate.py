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


def test_cards_that_a_short_reach_leaves_near_the_edge_are_no_arm_at_rest() -> None:
    """A hand laid open before its player covers most of where the arm was: that they are cards must be seen."""
    watch = Watch()
    watch.see()
    cards = [(x, 30, x + 90, 160, CARD) for x in (200, 295, 390)]
    for reach in (60, 120, 160):
        watch.see((200, 0, 480, reach, SLEEVE))
    for _ in range(6):
        left = watch.see(*cards)
    assert left.hands  # they look like an arm that rests
    mask = watch.grid.empty()
    for x0, y0, x1, y1, _ in cards:
        k = SIZE[0] / 640
        mask[watch.grid.cells(np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], float) * k)] = True
    watch.gate.left_behind(mask, watch.t)
    seen = watch.see(*cards)
    assert not seen.hands
    assert not seen.blocked.any()


def test_the_shadow_of_an_arm_leaves_nothing_behind() -> None:
    """What it darkened while the table was looked at is lighter when it goes: no change, and no hand of anybody."""
    watch = Watch()
    watch.see()
    dark = tuple(round(0.62 * c) for c in CLOTH)
    for reach in range(60, 301, 40):
        watch.see((330, 0, 480, reach, dark), (300, 0, 360, reach, SLEEVE))
    for k in range(8):  # the hand moves, its shadow with it
        watch.see((330 + 4 * k, 0, 480, 300, dark), (300 + 4 * k, 0, 360, 300, SLEEVE))
    gone = watch.see()
    gone = watch.see()
    assert not gone.hands
    assert not gone.changed.any()
