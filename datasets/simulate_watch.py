"""Runs a simulated game through tracker and match without pixels, and compares the record with the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from datasets.simulate import Felt
from datasets.simulate_detections import Eye, Noise
from datasets.simulate_gostop import Case
from scorer.cards import merged, standard_deck
from scorer.game import find_game
from scorer.match import Match
from vision.table_state import TableView
from vision.tops import TopsTracker, by_tops
from vision.track import Tracker
from vision.zones import preset

COMPARED = {"play", "flip", "capture", "steal", "show", "flag"}  # events whose cards count
IGNORED = {"deal", "undo", "redo", "amend", "note"}
WINDOW_MS = 1500
PLAIN = Noise()
KNOWN_MS = 90.0  # a touch is told so long after it
HIT_MS, SOFT_MS = (2.5, 8.0), (4.0, 12.0)  # how exactly a hit and a soft landing are timed (docs/slaps.md)
UNSEEN = 0.02  # of touches that are not told


@dataclass
class Result:
    """How a record compares with the truth: events right, true and given; the final state exact with nothing asked."""

    right: int
    true: int
    given: int
    exact: bool
    asked: int
    flags: int
    missing: list[Any] = field(default_factory=list)
    wrong: list[Any] = field(default_factory=list)


def options_of(table: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the deal that a table.json names."""
    return {k: table[k] for k in ("jokers", "bonus", "nagari_streak", "target", "tokens") if table.get(k) is not None}


def photo_finish(felt: Iterable[Felt], seed: int) -> list[tuple[float, Felt, float]]:
    """(when it is told, the touch as it is timed, its deviation) of hands that came down, as `vision.hands` measures them."""
    rng = np.random.default_rng([seed, 19])
    out = []
    for f in felt:
        sigma = float(rng.uniform(*(HIT_MS if f.kind == "touch" else SOFT_MS)))
        t = f.t_ms + float(rng.normal(0, sigma))
        if rng.random() >= UNSEEN:
            out.append((f.t_ms + KNOWN_MS, Felt(t, f.zone, f.player, f.kind), sigma))
    return sorted(out, key=lambda o: o[0])


def watch(case: Case, noise: Noise = PLAIN, seed: int = 0, fps: float = 15.0, tail_ms: float = 2500.0) -> tuple[Match, Tracker | TopsTracker, TableView]:
    """The whole game seen by a noisy eye at `fps` looks a second."""
    table = case.table
    game = find_game(str(table["game"]))
    seats = {s["player"]: s["edge"] for s in table["seats"]}
    deck = standard_deck("hwatu", int(table.get("jokers", 0))) if game.deck == "hwatu" else standard_deck(game.deck)
    view = TableView(preset(game.name, case.world.size_mm, seats, case.world.card_mm))
    flying = TopsTracker(deck, case.world.size_mm, lambda: view.zones) if by_tops(view.zones.zones) else None
    tracker = flying or Tracker(
        deck, case.world.size_mm, lambda x, y, before: view.zones.at(x, y, before), lambda z: view.zones.kind.get(z) == "captures",
    )  # fmt: skip
    eye = Eye(case.world, deck, noise or Noise(), seed, 1000 / fps)
    match = Match(game, table["ruleset"], table["players"], table["dealer"], options_of(table))
    waiting, touches = list(case.commands), photo_finish(case.felt, seed)
    t = 0.0
    while t < case.world.end_ms + tail_ms:
        look = eye.look(t, eager=tracker.pending)
        tracker.update(look)
        while touches and touches[0][0] <= t:
            _, f, sigma = touches.pop(0)
            view.touch(f.t_ms, f.zone, f.player, sigma, f.kind)
        state = view.build(t, tracker.tracks(), look.players, tracker.stable)
        match.observe(state)
        while waiting and waiting[0]["t_ms"] <= t:
            match.command(waiting.pop(0))
        t += 1000 / fps
    for command in waiting:  # said after the last hand had gone
        match.command(command)
    return match, tracker, view


def owners(truth: Sequence[Mapping[str, Any]], final: Mapping[str, Any]) -> tuple[int, int]:
    """(cards that lie with their owner at the end, cards that somebody owns)."""
    want = next((t["final"] for t in truth if "final" in t), {})
    right = lying = 0
    for player, held in (want.get("players") or {}).items():
        true = Counter(merged(c) for c in held.get("captured") or ())
        mine = Counter(merged(c) for c in (final.get("players") or {}).get(player, {}).get("captured") or ())
        right, lying = right + (true & mine).total(), lying + true.total()
    return right, lying


def keyed(events: Iterable[Mapping[str, Any]]) -> list[tuple[tuple[Any, ...], float]]:
    """Events as they are compared: (kind, player, cards) with their time."""
    out = []
    for e in events:
        kind = e.get("event")
        if kind and kind not in IGNORED:
            cards = tuple(sorted(merged(c) for c in e.get("cards") or ())) if kind in COMPARED else ()
            out.append(((kind, e.get("player"), cards), float(e.get("t_ms") or 0)))
    return out


def summary(final: Mapping[str, Any]) -> Any:
    """What decides whether a final state is exact."""
    players = {p: (sorted(merged(c) for c in v.get("captured") or ()), v.get("total")) for p, v in (final.get("players") or {}).items()}
    return players, final.get("winner"), {p: n for p, n in (final.get("payout") or {}).items() if n}


def compare(truth: Sequence[Mapping[str, Any]], given: Sequence[Mapping[str, Any]], final: Mapping[str, Any]) -> Result:
    """Align two records by their longest common sequence, equal only within WINDOW_MS."""
    a, b = keyed(truth), keyed(given)
    n, m = len(a), len(b)
    best = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            same = a[i][0] == b[j][0] and abs(a[i][1] - b[j][1]) <= WINDOW_MS
            best[i][j] = best[i + 1][j + 1] + 1 if same else max(best[i + 1][j], best[i][j + 1])
    missing, wrong, i, j = [], [], 0, 0
    while i < n or j < m:
        if i < n and j < m and a[i][0] == b[j][0] and abs(a[i][1] - b[j][1]) <= WINDOW_MS and best[i][j] == best[i + 1][j + 1] + 1:
            i, j = i + 1, j + 1
        elif j >= m or (i < n and best[i + 1][j] >= best[i][j + 1]):
            missing.append(a[i])
            i += 1
        else:
            wrong.append(b[j])
            j += 1
    want = next((t["final"] for t in truth if "final" in t), {})
    exact = summary(want) == summary(final) and not final.get("asked")
    return Result(best[0][0], n, m, exact, int(final.get("asked") or 0), int(final.get("flags") or 0), missing, wrong)
