"""Optimal one-to-one assignment for small, mostly separable problems (Hungarian method, no SciPy)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


def assign(cost: Floats, limit: float | Floats) -> Ints:
    """For each row the column that it gets, or -1: total cost is least when a row left out costs `limit`.

    cost: (n, m), infinite where a pair is impossible; limit: one for all rows, or (n,). Pairs that cost it or more are
    never made. The problem is split into the groups of rows and columns that can be exchanged at all, each solved by shortest
    augmenting paths.
    """
    n, m = cost.shape
    out = np.full(n, -1, np.intp)
    if not n or not m:
        return out
    limits = np.broadcast_to(np.asarray(limit, np.float64), (n,))
    possible = cost < limits[:, None]
    todo = possible.any(axis=1)
    lone = (possible.sum(axis=1) == 1) & (possible[:, possible.sum(axis=0) == 1].any(axis=1))
    out[lone] = np.argmax(possible[lone], axis=1)
    todo &= ~lone
    for start in np.flatnonzero(todo).tolist():
        if not todo[start]:
            continue
        rows, cols = _group(possible, start)
        todo[rows] = False
        if len(rows) == 1:
            j = cols[int(np.argmin(cost[start, cols]))]
            out[start] = j
            continue
        part = np.concatenate(
            [np.where(possible[np.ix_(rows, cols)], cost[np.ix_(rows, cols)], 1e9), np.repeat(limits[rows][:, None], len(rows), axis=1)],
            axis=1,
        )
        for i, j in zip(rows, solve(part), strict=True):
            if j < len(cols) and possible[i, cols[j]]:
                out[i] = cols[j]
    return out


def _group(possible: NDArray[np.bool_], start: int) -> tuple[Ints, Ints]:
    """Rows and columns that hang together with a row."""
    rows: NDArray[np.bool_] = np.zeros(possible.shape[0], bool)
    cols: NDArray[np.bool_] = np.zeros(possible.shape[1], bool)
    rows[start] = True
    while True:
        cols_new = possible[rows].any(axis=0)
        rows_new = np.logical_or(possible[:, cols_new].any(axis=1), rows)
        if (cols_new == cols).all() and (rows_new == rows).all():
            return np.flatnonzero(rows), np.flatnonzero(cols)
        rows[:], cols[:] = rows_new, cols_new


def solve(cost: Floats) -> Ints:
    """The column of each row in the cheapest full assignment of a finite (n, m) cost matrix, n <= m."""
    n, m = cost.shape
    u, v = np.zeros(n), np.zeros(m)
    row_of = np.full(m, -1, np.intp)
    for i in range(n):
        best = np.full(m, np.inf)
        came = np.full(m, -1, np.intp)
        done = np.zeros(m, bool)
        row, col = i, -1
        while True:
            reach = cost[row] - u[row] - v
            better = (reach < best) & ~done
            best[better] = reach[better]
            came[better] = col
            open_best = np.where(done, np.inf, best)
            nxt = int(np.argmin(open_best))
            delta = open_best[nxt]
            u[i] += delta
            u[row_of[done]] += delta
            v[done] -= delta
            best[~done] -= delta
            done[nxt] = True
            col = nxt
            if row_of[col] < 0:
                break
            row = int(row_of[col])
        while col >= 0:
            prev = int(came[col])
            row_of[col] = i if prev < 0 else row_of[prev]
            col = prev
    out = np.full(n, -1, np.intp)
    for j in np.flatnonzero(row_of >= 0):
        out[row_of[j]] = j
    return out
