"""Looks at a simulated table without pixels: what a detector and a reader would report, with their noise, misses and confusions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.simulate import HandAt, Moment, Placed, World, card_quad
from scorer.cards import Deck, merged
from vision.grid import Grid, Mask
from vision.look import Hand, Look, Sightings

Rng = np.random.Generator
STEP_MM = 3.0  # resolution of what covers what


@dataclass(frozen=True)
class Noise:
    """How badly the eye sees. Tables are read at the visible share by linear interpolation."""

    at: tuple[float, ...] = (0.0, 0.08, 0.15, 0.25, 0.4, 0.6, 0.9, 1.0)
    miss: tuple[float, ...] = (1.0, 0.85, 0.45, 0.15, 0.05, 0.02, 0.006, 0.004)
    right: tuple[float, ...] = (0.02, 0.08, 0.25, 0.5, 0.82, 0.965, 0.995, 0.998)  # the true name comes first
    steady: float = 0.85  # how much of a miss or a misreading comes back on the next frame of the same view
    pose_mm: float = 1.2
    pose_covered_mm: float = 3.0
    angle_deg: float = 1.2
    ghost: float = 0.004  # chance of a card seen where there is none, a look
    back_wrong: float = 0.001


class Eye:
    """Looks at moments of a world. `period_ms` is the time between two looks of the detector."""

    def __init__(self, world: World, deck: Deck, noise: Noise = Noise(), seed: int = 0, period_ms: float = 66.0) -> None:
        self.world, self.deck, self.noise = world, deck, noise
        self.rng = np.random.default_rng([seed, 11])
        self.grid = Grid(world.size_mm)
        self.names = list(deck.names)
        self.period_ms = period_ms
        self._seen: dict[str, tuple[tuple, float, float, tuple]] = {}
        self._before: Moment | None = None
        self._was_blocked: Mask | None = None
        self._pending = self.grid.full()
        self._last = -1e9
        h, w = (int((world.size_mm[i] + 240) / STEP_MM) for i in (1, 0))
        self._labels = np.zeros((h, w), np.int32)

    def _quads(self, cards: list[Placed]) -> NDArray:
        return np.stack([card_quad(c.pose, self.world.card_mm) for c in cards]) if cards else np.zeros((0, 4, 2))

    def _arm(self, hand: HandAt) -> NDArray:
        """Outline of a hand and its arm over the table, mm."""
        ax, ay = hand.anchor
        d = np.array([hand.x - ax, hand.y - ay])
        d /= np.linalg.norm(d) or 1.0
        n = np.array([-d[1], d[0]])
        tip = np.array([hand.x, hand.y])
        outline = [(12, -22), (12, 22), (-30, 48), (-110, 46), (-150, 38), (-900, 50), (-900, -50), (-150, -38), (-110, -46), (-30, -48)]
        return np.array([tip + d * u + n * v for u, v in outline])

    def visible(self, cards: list[Placed], hands: tuple[HandAt, ...]) -> NDArray[np.float64]:
        """Share of each card that shows; cards from the lowest to the topmost."""
        labels = self._labels
        labels[:] = 0
        quads = self._quads(cards)
        total = np.zeros(len(cards) + 1)
        for i, q in enumerate(quads):
            cv2.fillConvexPoly(labels, np.round((q + 120) / STEP_MM * 16).astype(np.int32), i + 1, cv2.LINE_8, 4)
        area = self.world.card_mm[0] * self.world.card_mm[1] / STEP_MM**2
        for hand in hands:
            cv2.fillPoly(labels, [np.round((self._arm(hand) + 120) / STEP_MM * 16).astype(np.int32)], 0, cv2.LINE_8, 4)
        total = np.bincount(labels.ravel(), minlength=len(cards) + 1)[1:]
        return np.clip(total / (area * 1.06), 0, 1)

    def look(self, t_ms: float, eager: bool = True) -> Look:
        """The world at t as the tracker takes it. `eager`: the detector runs now (else only the masks are given)."""
        moment = self.world.at(t_ms)
        blocked = self.grid.empty()
        hands = tuple(Hand(hand.player, self.grid.polygon(self._arm(hand)), (hand.x, hand.y)) for hand in moment.hands)
        for hand in hands:
            blocked |= hand.mask
        for card in moment.cards:
            if card.moving:
                blocked |= self.grid.polygon(card_quad(card.pose, (self.world.card_mm[0] + 12, self.world.card_mm[1] + 12)))
        self._note_changes(moment)
        changed = self._pending & ~blocked
        run = eager or t_ms - self._last >= self.period_ms
        if not run or not (changed.any() or eager):
            return Look(t_ms, None, blocked, changed, hands)
        self._last = t_ms
        sightings = self._sightings(moment)
        self._pending &= blocked
        return Look(t_ms, sightings, blocked, changed, hands)

    def _note_changes(self, moment: Moment) -> None:
        """Cells where a card came, went or turned since the last look at them."""
        if self._before is not None:
            old = {c.card: c for c in self._before.cards}
            new = {c.card: c for c in moment.cards}
            for name in old.keys() | new.keys():
                a, b = old.get(name), new.get(name)
                if a is not None and b is not None and (a.pose, a.up, a.order) == (b.pose, b.up, b.order):
                    continue
                for c in (a, b):
                    if c is not None:
                        self._pending |= self.grid.polygon(card_quad(c.pose, self.world.card_mm))
        self._before = moment

    def _sightings(self, moment: Moment) -> Sightings:
        n, rng = self.noise, self.rng
        cards = [c for c in moment.cards if not (c.moving and c.flat < 0.9)]
        shown = self.visible(cards, moment.hands)
        quads, confidence, visible, names, back = [], [], [], [], []
        for card, v in zip(cards, shown, strict=True):
            view = (card.pose, card.up, round(float(v) * 7))
            held = self._seen.get(card.card)
            keep = held is not None and held[0] == view and rng.random() < n.steady
            if keep and held is not None:
                _, luck, tilt, read = held
            else:
                luck, tilt = float(rng.random()), float(rng.normal())
                read = self._read(card, float(v))
            self._seen[card.card] = (view, luck, tilt, read)
            if luck < np.interp(v, n.at, n.miss) or v < 0.02:
                continue
            s = n.pose_mm + (n.pose_covered_mm - n.pose_mm) * max(0.0, 1 - float(v) * 1.6)
            dx, dy = rng.normal(0, s, 2) * 0.7 + tilt * s * 0.5
            pose = card.pose.moved(float(dx), float(dy), float(rng.normal(0, n.angle_deg)))
            quads.append(card_quad(pose, self.world.card_mm))
            confidence.append(float(np.clip(rng.normal(0.55 + 0.4 * v, 0.06), 0.05, 1)))
            visible.append(float(np.clip(v + rng.normal(0, 0.03), 0.02, 1)))
            names.append(read[0])
            back.append(read[1])
        if rng.random() < n.ghost:
            w, h = self.world.size_mm
            angle = float(rng.uniform(0, math.pi))
            c, s2 = math.cos(angle), math.sin(angle)
            box = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(self.world.card_mm) / 2 @ np.array([[c, s2], [-s2, c]])
            quads.append(box + rng.uniform(0, 1, 2) * [w, h])
            confidence.append(float(rng.uniform(0.2, 0.7)))
            visible.append(float(rng.uniform(0.2, 1)))
            names.append(self._guess(None, 0.3))
            back.append(0.05)
        if not quads:
            return Sightings.none()
        return Sightings(np.stack(quads), np.array(confidence), np.array(visible), tuple(names), np.array(back))

    def _read(self, card: Placed, v: float) -> tuple[tuple[tuple[str, float], ...], float]:
        down = not card.up
        if self.rng.random() < self.noise.back_wrong:
            down = not down
        if down:
            return (("back", 0.98),), 0.98
        return self._guess(card.face, float(np.interp(v, self.noise.at, self.noise.right))), 0.01

    def _guess(self, true: str | None, right: float) -> tuple[tuple[str, float], ...]:
        """What the reader says where it is right with this probability: calibrated on the whole."""
        rng = self.rng
        hit = true is not None and rng.random() < right
        logit = math.log(max(right, 0.02) / max(1 - right, 0.002)) * 0.8
        top = 1 / (1 + math.exp(-float(rng.normal(logit if hit else logit * 0.35 - 0.2, 0.7))))
        others = [x for x in self.names if x != true]
        like = [x for x in others if true is not None and merged(x)[:2] == true[:2]]
        picked = [
            str(like[int(rng.integers(len(like)))]) if like and rng.random() < 0.35 else str(others[int(rng.integers(len(others)))])
            for _ in range(2)
        ]
        if hit and true is not None:
            order = [true, *picked]
        elif true is not None and rng.random() < 0.7:
            order = [picked[0], true, picked[1]]
        else:
            order = [*picked, str(others[0])]
        order = list(dict.fromkeys(order))
        rest = 1 - top
        shares = [top, rest * 0.6, rest * 0.2]
        return tuple(sorted(zip(order, shares[: len(order)], strict=True), key=lambda p: -p[1]))
