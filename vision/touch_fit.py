"""When a hand first touched: fitted to where it was seen, with a standard deviation.

Human reaches follow the minimum-jerk curve (Flash and Hogan 1985); one that means to hit is cut short by the table. What is left of
the way at time t is amplitude × shape(t; time of contact, time from start to contact, share of the curve that was gone through).
Every curve that people move on is tried on a grid; the amplitude is linear. The likelihood over the grid gives the time of contact,
its deviation and the speed at contact. Units: mm, ms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SHARES = np.array([0.45, 0.56, 0.67, 0.78, 0.89, 1.0])
RISES_MS = np.geomspace(45.0, 520.0, 12)  # from the start of the reach to its stop
FLESH_MS = np.array([2.5, 5.0, 8.5])  # a hand gives way for so long after the first touch
LEAST_MM = 1.0  # deviation of a place seen at rest
SMEAR = 0.02  # and of one seen in motion, share of the way covered in a frame
MODEL = 0.02  # people are no curves: share of the way that is left
SOFT_SPEED = 0.5  # m/s: what stops by itself is slower at the end
FLOOR_MS = 1.5  # no fit is better than the curve that people's hands are taken to follow
CONTACTS = 36  # times of contact that are tried at once
BEFORE_MS = 45.0  # a stopped hand slides so long at most


@dataclass(frozen=True, slots=True)
class Contact:
    """`t_ms` ± `sigma_ms`; `speed`: m/s at contact; `hit`: how likely it was stopped by something, and did not stop by itself; `peak`: the
    greatest speed in m/s of the curve before, which a few frames of a short reach show too little of."""

    t_ms: float
    sigma_ms: float
    speed: float
    hit: float = 1.0
    peak: float = 0.0


def reach(u: Floats) -> Floats:
    """Share of the way at share u of the time."""
    u = np.clip(u, 0.0, 1.0)
    return u * u * u * (10 + u * (6 * u - 15))


def reach_speed(u: Floats) -> Floats:
    """Its derivative."""
    u = np.clip(u, 0.0, 1.0)
    return 30 * u * u * (1 - u) ** 2


def fit_contact(t_ms: Floats, place_mm: Floats, sigma_mm: Floats | None = None) -> Contact | None:
    """The contact of a hand seen at `place_mm` (N,) along its way at `t_ms` (N,), the last two or more of them at rest.

    None where too little of the movement was seen.
    """
    t, s = np.asarray(t_ms, np.float64), np.asarray(place_mm, np.float64)
    if len(t) < 3:
        return None
    step = np.diff(s, prepend=s[0])
    stop = s[-1] if len(s) < 4 else float(np.mean(s[-2:]))
    left = stop - s
    noise = np.hypot(LEAST_MM if sigma_mm is None else np.maximum(sigma_mm, LEAST_MM), np.hypot(SMEAR * np.abs(step), MODEL * np.abs(left)))
    interval = float(np.median(np.diff(t)))
    moving = np.flatnonzero(np.abs(step) > max(4.0, 0.12 * float(np.abs(step).max())))
    if not len(moving) or np.abs(step).max() < 5:
        return None
    last = int(moving[-1])  # between last - 1 and last it still moved
    weights = 1 / noise**2
    low, high = min(t[last - 1], t[last] - BEFORE_MS), t[last] + min(12.0, 0.4 * interval)
    shares, rises, contacts = SHARES, RISES_MS, np.linspace(low, high, CONTACTS)
    found = _try(t, left, weights, shares, rises, contacts)
    for _ in range(2):  # look closer where it can be
        likely = found.weight > 1e-3 * found.weight.max()
        shares = _closer(shares, likely.any(axis=(1, 2, 3)))
        rises = _closer(rises, likely.any(axis=(0, 2, 3)))
        contacts = _closer(contacts, likely.any(axis=(0, 1, 2)))
        found = _try(t, left, weights, shares, rises, contacts)
    mean = float((found.weight * contacts).sum())
    sigma = float(np.sqrt((found.weight * (contacts - mean) ** 2).sum()))
    fast = float((found.weight * found.speed).sum())
    hit, peak = float(found.weight[found.speed > SOFT_SPEED].sum()), float((found.weight * found.peak).sum())
    return Contact(mean, float(np.hypot(sigma, FLOOR_MS)), fast, hit, peak)


@dataclass(frozen=True, slots=True, eq=False)
class _Tried:
    """All (shares, rises, flesh, contacts): weight (they add up to 1), misfit, speed at contact and greatest speed before it."""

    weight: Floats
    chi: Floats
    speed: Floats
    peak: Floats


def _try(t: Floats, left: Floats, w: Floats, shares: Floats, rises: Floats, contacts: Floats) -> _Tried:
    share, rise = shares[:, None, None, None, None], rises[None, :, None, None, None]
    flesh, c = FLESH_MS[None, None, :, None, None], contacts[None, None, None, :, None]
    total = rise / share
    whole = reach(share)
    pace = reach_speed(share) / whole / total  # share of the way per ms at contact
    shape = 1 - reach(share - (c - t) / total) / whole + pace * flesh
    after = t > contacts[0]
    shape[..., after] = np.where(t[after] < c, shape[..., after], pace * flesh * np.exp(-np.clip(t[after] - c, 0, 200) / flesh))
    amplitude = np.clip((shape * (left * w)).sum(axis=-1) / np.maximum((shape * shape * w).sum(axis=-1), 1e-9), 8.0, 900.0)
    off = (left - amplitude[..., None] * shape) ** 2 * w
    chi = np.minimum(off, 16.0).sum(axis=-1) + np.maximum(0.0, amplitude - 420.0) ** 2 / 120.0**2  # a reach is seldom longer
    weight = np.exp(-0.5 * (chi - chi.min()))
    fastest = reach_speed(np.minimum(share, 0.5)) / whole / total  # a curve is fastest halfway
    return _Tried(weight / weight.sum(), chi, amplitude * pace[..., 0], amplitude * fastest[..., 0])


def _closer(values: Floats, likely: NDArray[np.bool_]) -> Floats:
    """As many values over the part of the range where it is likely, one step more on either side."""
    at = np.flatnonzero(likely)
    low, high = values[max(0, at[0] - 1)], values[min(len(values) - 1, at[-1] + 1)]
    return np.linspace(low, high, len(values))
