"""Homographies by least squares, with NumPy alone: from point pairs, and from rectangles of known size lying anywhere on the plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

_NOISE_PX = 0.3  # no corner is known better than this
_AGREES = 0.05  # a card agrees when its corners lie within this share of its own diagonal


def apply(homography: Array, points: Array) -> Array:
    """(…, 2) → (…, 2) through a (3, 3) homography."""
    out = points @ homography[:2, :2].T + homography[:2, 2]
    return np.asarray(out / (points @ homography[2, :2] + homography[2, 2])[..., None], np.float64)


def _normaliser(points: Array) -> Array:
    """Moves the points' middle to the origin and their mean distance to √2 (Hartley 1997), without which squares drown in rounding."""
    middle = points.mean(axis=0)
    spread = np.hypot(*(points - middle).T).mean()
    s = np.sqrt(2) / spread if spread > 0 else 1.0
    return np.array([[s, 0, -s * middle[0]], [0, s, -s * middle[1]], [0, 0, 1.0]])


def fit_homography(source: npt.ArrayLike, target: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Array:
    """The (3, 3) homography that takes source (N, 2) to target (N, 2), N ≥ 4, by the normalised direct linear transform."""
    a, b = np.asarray(source, np.float64), np.asarray(target, np.float64)
    if a.shape != b.shape or a.ndim != 2 or a.shape[1] != 2 or len(a) < 4:
        raise ValueError(f"four or more point pairs, each (N, 2), are needed, not {a.shape} and {b.shape}")
    ta, tb = _normaliser(a), _normaliser(b)
    (x, y), (u, v) = apply(ta, a).T, apply(tb, b).T
    zero, one = np.zeros_like(x), np.ones_like(x)
    across = [x, y, one, zero, zero, zero, -u * x, -u * y, -u]
    down = [zero, zero, zero, x, y, one, -v * x, -v * y, -v]
    rows = np.concatenate([np.stack(across, axis=1), np.stack(down, axis=1)])
    if weights is not None:
        rows *= np.tile(np.asarray(weights, np.float64), 2)[:, None]
    h = np.linalg.inv(tb) @ np.linalg.svd(rows)[2][-1].reshape(3, 3) @ ta
    return np.asarray(h / h[2, 2] if abs(h[2, 2]) > 1e-12 else h / np.linalg.norm(h), np.float64)


def solve_size(quads: Array, card_mm: tuple[float, float]) -> tuple[float, float] | None:
    """Width and height of the unit square on which these cards (N, 4, 2) lie, from their edges; None where they do not tell."""
    edges = np.roll(quads, -1, axis=1) - quads
    length = np.tile(np.array([card_mm[0], card_mm[1], card_mm[0], card_mm[1]]), len(quads))
    squares = edges.reshape(-1, 2) ** 2 / (length**2)[:, None]  # rows: relative, so that every edge counts alike
    if len(squares) == 0 or not np.isfinite(squares).all() or np.linalg.cond(squares) > 30:
        return None
    weights = np.ones(len(squares))
    solved = np.ones(2)
    for _ in range(12):
        solved = np.linalg.lstsq(squares * weights[:, None], weights, rcond=None)[0]
        error = np.abs(squares @ solved - 1)
        scale = max(0.02, 1.4826 * float(np.median(error)))
        weights = 1 / (1 + (error / (2 * scale)) ** 2)
    if (solved <= 0).any():
        return None
    return float(np.sqrt(solved[0])), float(np.sqrt(solved[1]))


@dataclass(frozen=True, slots=True, eq=False)
class RectangleFit:
    """`homography` (3, 3): pixels → millimetres, up to where on the plane its origin lies; `agree` (N,): which rectangles fit."""

    homography: Array
    agree: npt.NDArray[np.bool_]
    error_px: float
    quality: float


def fit_rectangles(quads_px: Array, size_mm: tuple[float, float] | Array) -> RectangleFit | None:
    """The plane on which every quad (N, 4, 2) is a rectangle of `size_mm` ((2,) or (N, 2)); None where no quad is usable.

    Every rectangle may lie anywhere at any angle, so only five numbers are sought: the horizon (2) and the upper triangular
    scaling of the plane (3); each rectangle's own pose follows in closed form (Procrustes). Robust Gauss-Newton with damping on the
    corners' distances in pixels, from several beginnings: areas falling towards the horizon, no perspective, the largest quads' own.
    """
    quads = np.asarray(quads_px, np.float64)
    sizes = np.broadcast_to(np.asarray(size_mm, np.float64), (len(quads), 2))
    usable = np.isfinite(quads).all(axis=(1, 2)) & _convex(quads)
    if not usable.any():
        return None
    normal = _normaliser(quads[usable].reshape(-1, 2))
    problem = _Problem(apply(normal, quads[usable]), sizes[usable], 1 / normal[0, 0])
    starts = [s for s in (problem.metric(v) for v in problem.horizons()) if s is not None]
    starts.sort(key=problem.cost)
    if not starts:
        return None
    solved = min((problem.refine(s) for s in starts[:3]), key=problem.cost)
    error = problem.errors(solved)
    fits = error < np.maximum(3 * _NOISE_PX, _AGREES * problem.diagonal_px)
    if not fits.any():
        return None
    homography = problem.homography(solved) @ normal
    # Turned as the picture is, at the middle of what fits.
    middle = quads[usable][fits].mean(axis=(0, 1))
    step = apply(homography, np.array([middle, [middle[0] + 1, middle[1]]]))
    angle = np.arctan2(*(step[1] - step[0])[::-1])
    turn = np.array([[np.cos(angle), np.sin(angle), 0], [-np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    agree = np.zeros(len(quads), bool)
    agree[np.flatnonzero(usable)[fits]] = True
    rms = float(np.sqrt((error[fits] ** 2).mean()))
    close = 1 - min(1.0, float((error[fits] / problem.diagonal_px[fits]).mean()) / _AGREES)
    n = int(fits.sum())
    return RectangleFit(turn @ homography, agree, rms, round(n / len(quads) * close * n / (n + 1), 4))


def _convex(quads: Array) -> npt.NDArray[np.bool_]:
    """Which quads (N, 4, 2) run clockwise in the picture and are convex."""
    edges = np.roll(quads, -1, axis=1) - quads
    after = np.roll(edges, -1, axis=1)
    return np.asarray((edges[..., 0] * after[..., 1] - edges[..., 1] * after[..., 0] > 0).all(axis=1), np.bool_)


class _Problem:
    """Residuals of the five numbers (horizon x, y; log a, b, log c) on normalised quads."""

    def __init__(self, quads: Array, sizes: Array, px_per_unit: float) -> None:
        self.quads = quads
        self.unit = px_per_unit
        self.sizes = sizes
        half = sizes[:, None, :] / 2
        self.model = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float64)[None] * half  # (N, 4, 2) about the centre
        cross = np.roll(quads, -1, axis=1)
        self.area = np.abs((quads[..., 0] * cross[..., 1] - quads[..., 1] * cross[..., 0]).sum(axis=1)) / 2
        self.diagonal_px = np.hypot(*(quads[:, 2] - quads[:, 0]).T) * px_per_unit

    def homography(self, p: Array) -> Array:
        a, b, c = np.exp(p[2]), p[3], np.exp(p[4])
        return np.array([[a, b, 0], [0, c, 0], [0, 0, 1.0]]) @ np.array([[1, 0, 0], [0, 1, 0], [p[0], p[1], 1.0]])

    def residuals(self, p: Array) -> Array:
        """(N, 8) pixels: corners against the best-laid rectangle, scaled back to the picture at each card."""
        h = self.homography(p)
        depth = self.quads @ h[2, :2] + 1.0
        if (depth <= 0.05).any():
            return np.full((len(self.quads), 8), 1e6)
        q = apply(h, self.quads)
        middle = q.mean(axis=1)
        q = q - middle[:, None]
        m = self.model
        sine = (m[..., 0] * q[..., 1] - m[..., 1] * q[..., 0]).sum(axis=1)
        cosine = (m * q).sum(axis=(1, 2))
        length = np.maximum(np.hypot(sine, cosine), 1e-12)
        s, c = (sine / length)[:, None], (cosine / length)[:, None]
        laid = np.stack([c * m[..., 0] - s * m[..., 1], s * m[..., 0] + c * m[..., 1]], axis=-1)
        # Back to the picture through the homography's derivative at each card: it is pixels that are equally uncertain.
        (jxx, jxy), (jyx, jyy) = np.moveaxis((h[:2, :2] - middle[:, :, None] * h[2, :2]) / depth.mean(axis=1)[:, None, None], 0, -1)
        dx, dy = np.moveaxis(q - laid, -1, 0)
        det = (jxx * jyy - jxy * jyx)[:, None]
        det = np.where(np.abs(det) < 1e-12, 1e-12, det)
        back = np.stack([jyy[:, None] * dx - jxy[:, None] * dy, jxx[:, None] * dy - jyx[:, None] * dx], axis=-1) / det[..., None]
        return np.asarray(back.reshape(-1, 8) * self.unit, np.float64)

    def errors(self, p: Array) -> Array:
        """(N,) root mean square corner distance in pixels."""
        return np.sqrt((self.residuals(p) ** 2).sum(axis=1) / 4)

    def cost(self, p: Array) -> float:
        """Sum of a saturating loss: cards that do not agree cost the same however far off they are."""
        limit = np.maximum(3 * _NOISE_PX, _AGREES * self.diagonal_px)
        square = (self.errors(p) / limit) ** 2
        return float((square / (1 + square)).sum())

    def horizons(self) -> list[Array]:
        """Beginnings for the horizon line."""
        found = [np.zeros(2)]
        n = len(self.quads)
        if n >= 3:
            # A card's area falls with the cube of its depth, and depth is linear in the picture.
            depth = (self.area / (self.sizes[:, 0] * self.sizes[:, 1])) ** (1 / 3)
            rows = np.column_stack([self.quads.mean(axis=1), np.ones(n)])
            weights = np.ones(n)
            line = np.zeros(3)
            for _ in range(8):
                scaled = rows * weights[:, None]
                line = np.linalg.solve(scaled.T @ scaled + np.diag([1e-3, 1e-3, 0]) * n, scaled.T @ (depth * weights))
                error = np.abs(rows @ line - depth)
                weights = np.sqrt(1 / np.maximum(error, 0.01 * float(np.median(depth))))
            if abs(line[2]) > 1e-9:
                found.append(line[:2] / line[2])
        for k in np.argsort(-self.area)[:4]:
            h = fit_homography(self.quads[k], self.model[k])
            if abs(h[2, 2]) > 1e-9:
                found.append(h[2, :2] / h[2, 2])
        return found

    def metric(self, horizon: Array) -> Array | None:
        """The scaling that makes the rectangles' edges the right lengths and square to each other, for a given horizon."""
        h = np.array([[1, 0, 0], [0, 1, 0], [horizon[0], horizon[1], 1.0]])
        depth = self.quads @ h[2, :2] + 1.0
        if (depth <= 0.05).any():
            return None
        q = apply(h, self.quads)
        across, down = (q[:, 1] - q[:, 0] + q[:, 2] - q[:, 3]) / 2, (q[:, 3] - q[:, 0] + q[:, 2] - q[:, 1]) / 2
        (x1, y1), (x2, y2) = across.T, down.T
        w, l = self.sizes.T  # noqa: E741
        rows = np.concatenate(
            [
                np.column_stack([x1 * x1, 2 * x1 * y1, y1 * y1]) / (w * w)[:, None],
                np.column_stack([x2 * x2, 2 * x2 * y2, y2 * y2]) / (l * l)[:, None],
                np.column_stack([x1 * x2, x1 * y2 + x2 * y1, y1 * y2]) / (w * l)[:, None],
            ]
        )
        wanted = np.repeat([1.0, 1.0, 0.0], len(q))
        weights = np.ones(len(rows))
        s: Array = np.zeros(3)
        for _ in range(8):
            s = np.asarray(np.linalg.lstsq(rows * weights[:, None], wanted * weights, rcond=None)[0], np.float64)
            error = np.abs(rows @ s - wanted)
            weights = np.sqrt(1 / np.maximum(error, 0.02))
        if s[0] <= 0 or s[0] * s[2] - s[1] ** 2 <= 0:
            return None
        a = np.sqrt(s[0])
        b = s[1] / a
        return np.array([horizon[0], horizon[1], np.log(a), b, np.log(s[2] - b * b) / 2])

    def refine(self, p: Array) -> Array:
        """Damped, robust Gauss-Newton."""
        damping = 1e-3
        best = self.cost(p)
        for _ in range(40):
            r = self.residuals(p)
            limit = np.maximum(3 * _NOISE_PX, _AGREES * self.diagonal_px) / 2
            error = np.sqrt((r**2).sum(axis=1) / 4)
            weight = 1 / (1 + (error / limit) ** 2)
            weight = np.repeat(weight / limit, 8)
            step = 1e-6
            jacobian = np.stack([(self.residuals(p + step * e) - r).ravel() / step for e in np.eye(5)], axis=1) * weight[:, None]
            normal, gradient = jacobian.T @ jacobian, jacobian.T @ (r.ravel() * weight)
            while damping < 1e6:
                moved = p - np.linalg.solve(normal + damping * np.diag(np.diag(normal) + 1e-9), gradient)
                cost = self.cost(moved)
                if cost < best:
                    break
                damping *= 10
            else:
                return p
            done = best - cost < 1e-10 * max(best, 1e-12)
            p, best, damping = moved, cost, damping / 10
            if done:
                return p
        return p
