"""Printed markers at the table's corners: finding them and the plane they give.

Four ArUco markers (dictionary DICT_4X4_50, ids 0 to 3), printed `MARKER_MM` wide, lie at the table rectangle's top left, top right,
bottom right and bottom left, each with a corner of its black square on the table's corner. They are looked for in the picture at
full resolution: at half of it most are missed.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from scorer.errors import KibitzError
from vision.camera import Image
from vision.plane import Array, Plane, plane_from_corners
from vision.plane_fit import RectangleFit, apply, fit_homography, fit_rectangles, solve_size

MARKER_MM = 50.0
IDS = (0, 1, 2, 3)
_DICTIONARY = cv2.aruco.DICT_4X4_50
_STRAIGHT = 1.5  # a true rectangle fits the markers at most this much worse than free corners do


def marker_modules(number: int) -> npt.NDArray[np.bool_]:
    """(6, 6): which modules of marker `number` are black, its one-module border included; for printing."""
    if number not in IDS:
        raise ValueError(f"the table's markers are {IDS}, not {number}")
    return np.asarray(cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(_DICTIONARY), number, 6) == 0)


def find_markers(image: Image) -> dict[int, Array]:
    """The table's markers in a picture: id → (4, 2) corners in pixels, clockwise from the marker's own top left."""
    options = cv2.aruco.DetectorParameters()
    options.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(_DICTIONARY), options)
    corners, ids, _ = detector.detectMarkers(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image)
    found: dict[int, Array] = {}
    for quad, number in zip(corners, [] if ids is None else ids.ravel(), strict=False):
        if int(number) in IDS:
            found[int(number)] = np.asarray(quad, np.float64).reshape(4, 2)
    return found


def plane_from_markers(markers: dict[int, Array], *, marker_mm: float = MARKER_MM, size_mm: tuple[float, float] | None = None) -> Plane:
    """The plane from at least three of the four markers (as `find_markers` gives them).

    The table's size comes from the markers' own, unless given. Raises KibitzError `markers-missing` or `markers-order`.
    """
    ids = [n for n in IDS if n in markers]
    if len(ids) < 3:
        seen = ", ".join(map(str, ids)) or "none"
        raise KibitzError(
            "markers-missing",
            f"of the four markers only {seen} can be seen: bring all into the picture, flat, lit and whole",
            missing=[n for n in IDS if n not in ids],
        )
    quads = np.array([markers[n] for n in ids])
    fit = fit_rectangles(quads, (marker_mm, marker_mm))
    if fit is None:
        raise KibitzError("markers-missing", "the markers are too small in the picture: bring the camera nearer", missing=[])
    outer = _outer_corners(quads, ids, fit)
    edges = np.roll(apply(fit.homography, outer), -1, axis=0) - apply(fit.homography, outer)
    after = np.roll(edges, -1, axis=0)
    if (edges[:, 0] * after[:, 1] - edges[:, 1] * after[:, 0] <= 0).any():
        raise KibitzError("markers-order", "the markers lie in the wrong order: lay 0, 1, 2, 3 clockwise, as seen from above")
    quality = round(fit.quality * len(ids) / 4, 4)
    if size_mm is not None:
        plane = plane_from_corners(outer, size_mm)
        return Plane(plane.homography, size_mm, quality, fit.error_px, "markers")
    straight = _straight(outer, quads, marker_mm, fit)
    if straight is not None:
        return Plane(*straight, quality, fit.error_px, "markers")
    return _crooked(apply(fit.homography, outer), fit, quality)


def _outer_corners(quads: Array, ids: list[int], fit: RectangleFit) -> Array:
    """(4, 2) pixels: of each marker the corner farthest out, however the marker is turned; a missing one completes the others."""
    flat = apply(fit.homography, quads)
    missing = next((n for n in IDS if n not in ids), None)
    # The table's middle: that of all four, or half way between the two that lie across from each other.
    around = ids if missing is None else [(missing + 1) % 4, (missing + 3) % 4]
    middle = flat[[ids.index(n) for n in around]].mean(axis=(0, 1))
    corners = np.zeros((4, 2))
    for n, quad in zip(ids, flat, strict=True):
        corners[n] = quad[np.argmax(np.hypot(*(quad - middle).T))]
    if missing is not None:
        corners[missing] = corners[(missing + 1) % 4] + corners[(missing + 3) % 4] - corners[(missing + 2) % 4]
    return apply(np.asarray(np.linalg.inv(fit.homography), np.float64), corners)


def _straight(outer: Array, quads: Array, marker_mm: float, fit: RectangleFit) -> tuple[Array, tuple[float, float]] | None:
    """Homography and size if the corners form a true rectangle: wide apart, they tell the plane better than small squares do."""
    unit = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
    size = solve_size(apply(fit_homography(outer, unit), quads), (marker_mm, marker_mm))
    if size is None:
        return None
    homography = fit_homography(outer, unit * size)
    flat = apply(homography, quads)
    sides = np.hypot(*np.moveaxis(np.roll(flat, -1, axis=1) - flat, -1, 0))
    across = np.hypot(*np.moveaxis(flat[:, 2:] - flat[:, :2], -1, 0)) / np.sqrt(2)
    px = float(np.hypot(*np.moveaxis(np.roll(quads, -1, axis=1) - quads, -1, 0)).mean()) / marker_mm
    error_px = float(np.abs(np.concatenate([sides, across], axis=1) - marker_mm).mean() * px)
    return (homography, size) if error_px < _STRAIGHT * fit.error_px + 0.5 else None


def _crooked(corners_mm: Array, fit: RectangleFit, quality: float) -> Plane:
    """Markers laid carelessly: the table's edge 0 to 1 is x, its extent is that of the four corners."""
    edge = corners_mm[1] - corners_mm[0]
    angle = np.arctan2(edge[1], edge[0])
    turn = np.array([[np.cos(angle), np.sin(angle), 0], [-np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    turned = apply(turn, corners_mm)
    low, high = turned.min(axis=0), turned.max(axis=0)
    shift = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1]])
    return Plane(shift @ turn @ fit.homography, (float(high[0] - low[0]), float(high[1] - low[1])), quality, fit.error_px, "markers")
