"""Printed markers: drawn into a picture, found again, and the plane they give."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from scorer.errors import KibitzError
from tests.vision.cameras import Array, Camera, rectangles
from vision.markers import IDS, MARKER_MM, find_markers, marker_modules, plane_from_markers

SIZE = (800.0, 600.0)


def corner_poses(angles: tuple[float, float, float, float] = (0, 0, 0, 0), slip: float = 0.0) -> Array:
    """(4, 3): marker k inside the table's corner k, turned by a multiple of 90° plus, where `slip`, a careless shift."""
    w, h = SIZE
    m = MARKER_MM / 2
    poses = np.array([(m, m, angles[0]), (w - m, m, angles[1]), (w - m, h - m, angles[2]), (m, h - m, angles[3])])
    poses[0, :2] += slip
    return poses


def photograph(camera: Camera, poses: Array, ids: tuple[int, ...] = IDS) -> np.ndarray:
    """The markers on a grey table, as the camera sees them, each on its white paper."""
    picture = np.full((camera.picture[1], camera.picture[0], 3), 120, np.uint8)
    for number in ids:
        tile = np.full((80, 80), 255, np.uint8)
        tile[10:70, 10:70] = np.kron(np.where(marker_modules(number), 0, 255).astype(np.uint8), np.ones((10, 10), np.uint8))
        paper = rectangles(poses[number], (MARKER_MM * 80 / 60,) * 2)[0]
        target = camera.project(paper).astype(np.float32)
        h = cv2.getPerspectiveTransform(np.array([(-0.5, -0.5), (79.5, -0.5), (79.5, 79.5), (-0.5, 79.5)], np.float32), target)
        layer = cv2.warpPerspective(tile, h, camera.picture, flags=cv2.INTER_AREA)
        mask = cv2.warpPerspective(np.full_like(tile, 255), h, camera.picture) > 127
        picture[mask] = layer[mask][:, None]
    return picture


CAMERAS = [
    Camera(size_mm=SIZE, tilt=0.0, distance_mm=1000, focal_px=1000),
    Camera(size_mm=SIZE, tilt=0.7, distance_mm=1150, focal_px=1100),
    Camera(size_mm=SIZE, tilt=0.9, distance_mm=1300, focal_px=1300, yaw=0.3),
    Camera(size_mm=SIZE, tilt=0.5, distance_mm=1200, focal_px=1100, yaw=2.6, picture=(1920, 1080)),
]


@pytest.mark.parametrize("camera", CAMERAS)
@pytest.mark.parametrize("angles", [(0, 0, 0, 0), (0.0, np.pi / 2, np.pi, -np.pi / 2)])
def test_the_table_is_found_however_markers_are_turned(camera: Camera, angles: tuple[float, float, float, float]) -> None:
    found = find_markers(photograph(camera, corner_poses(angles)))
    assert sorted(found) == list(IDS)
    plane = plane_from_markers(found)
    assert plane.size_mm == pytest.approx(SIZE, rel=0.015)
    assert np.abs(plane.corners_px() - camera.corners()).max() < 1.5
    known = plane_from_markers(found, size_mm=SIZE)
    middle = (400.0, 300.0)
    assert known.to_mm(camera.project(middle)) == pytest.approx(middle, abs=2)
    assert known.source == "markers"
    assert known.quality > 0.4


def test_three_markers_are_enough_with_less_quality() -> None:
    camera = CAMERAS[1]
    found = find_markers(photograph(camera, corner_poses()))
    whole = plane_from_markers(found)
    for missing in IDS:
        part = plane_from_markers({n: q for n, q in found.items() if n != missing})
        assert part.size_mm == pytest.approx(SIZE, rel=0.06)
        assert part.quality < whole.quality
        assert np.abs(part.corners_px() - camera.corners()).max() < 25


def test_markers_laid_carelessly_still_measure_true() -> None:
    camera = CAMERAS[0]
    poses = corner_poses((0.2, -0.1, 0.05, 0.4), slip=60.0)
    plane = plane_from_markers(find_markers(photograph(camera, poses)))
    card = rectangles([(400.0, 300.0, 0.3)], (63.0, 88.0))[0]
    mm = plane.to_mm(camera.project(card))
    sides = np.hypot(*(np.roll(mm, -1, axis=0) - mm).T)
    assert sides == pytest.approx([63, 88, 63, 88], rel=0.02)


@pytest.mark.parametrize(("ids", "code"), [((), "markers-missing"), ((0,), "markers-missing"), ((1, 3), "markers-missing")])
def test_too_few_markers_are_named(ids: tuple[int, ...], code: str) -> None:
    found = find_markers(photograph(CAMERAS[0], corner_poses(), ids))
    assert sorted(found) == sorted(ids)
    with pytest.raises(KibitzError) as caught:
        plane_from_markers(found)
    assert caught.value.code == code
    assert caught.value.facts["missing"] == [n for n in IDS if n not in ids]


def test_swapped_markers_are_told() -> None:
    found = find_markers(photograph(CAMERAS[0], corner_poses()))
    found[1], found[2] = found[2], found[1]
    with pytest.raises(KibitzError) as caught:
        plane_from_markers(found)
    assert caught.value.code == "markers-order"


def test_modules_are_a_black_frame_around_a_code() -> None:
    codes = {marker_modules(n)[1:-1, 1:-1].tobytes() for n in IDS}
    assert len(codes) == 4
    for n in IDS:
        m = marker_modules(n)
        assert m.shape == (6, 6)
        assert m[0].all()
        assert m[:, -1].all()
    with pytest.raises(ValueError, match="not 4"):
        marker_modules(4)
