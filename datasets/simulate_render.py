"""Draws a simulated table as a camera sees it: fast enough for video, since only what moves is drawn anew.

Cards at rest are kept in a layer over the table's surface; of a frame only moving cards, hands and their shadows are warped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.art import WornDeck
from datasets.simulate import HandAt, Moment, Placed, World, card_quad
from datasets.simulate_camera import Camera
from datasets.simulate_hands import SCALE, TIP_MM, WIDTH_MM, Person

Image = NDArray[np.uint8]
Box = tuple[int, int, int, int]
THICK_MM = 1.1  # a hwatu card


@dataclass(frozen=True)
class Look:
    """How the clip is shot."""

    noise: float = 2.5  # sensor noise, standard deviation in grey levels
    blur: float = 0.6  # px
    lamp: tuple[float, float, float] = (-350.0, -500.0, 900.0)  # direction to the lamp, mm
    shadow: float = 0.45  # how dark a cast shadow is
    glare: float = 0.0  # share of cards with a highlight
    flicker: float = 0.0  # slow change of brightness, share
    shutter_ms: float = 8.0  # exposure: motion blur of what moves fast
    gain: float = 1.0


def _clip(points: NDArray, width: int, height: int, pad: int = 2) -> Box | None:
    x0, y0 = np.floor(points.min(axis=0)).astype(int) - pad
    x1, y1 = np.ceil(points.max(axis=0)).astype(int) + pad
    x0, y0, x1, y1 = max(0, x0), max(0, y0), min(width, x1), min(height, y1)
    return (int(x0), int(y0), int(x1), int(y1)) if x1 > x0 and y1 > y0 else None


def _over(image: Image, box: Box, ink: Image, alpha: Image) -> None:
    """Lay premultiplied `ink` over the picture inside box."""
    x0, y0, x1, y1 = box
    roi = image[y0:y1, x0:x1]
    keep = cv2.cvtColor(cv2.bitwise_not(alpha), cv2.COLOR_GRAY2BGR)
    cv2.add(cv2.multiply(roi, keep, scale=1 / 255), ink, dst=roi)


def _darken(image: Image, box: Box, amount: Image) -> None:
    x0, y0, x1, y1 = box
    roi = image[y0:y1, x0:x1]
    cv2.multiply(roi, cv2.cvtColor(cv2.bitwise_not(amount), cv2.COLOR_GRAY2BGR), dst=roi, scale=1 / 255)


@dataclass(frozen=True)
class Patch:
    """A card as drawn: its bounding box in the picture, premultiplied colour, alpha, and its soft contact shadow."""

    box: Box
    ink: Image
    alpha: Image
    shade_box: Box
    shade: Image


class Renderer:
    """Frames of one world.

    deck: pictures of the cards. people: {player: Person}. surface: BGR picture of the tabletop, covering `surface_mm`
    (x0, y0, x1, y1) of the table plane.
    """

    def __init__(
        self,
        world: World,
        camera: Camera,
        deck: WornDeck,
        people: dict[str, Person],
        surface: Image,
        surface_mm: tuple[float, float, float, float],
        look: Look = Look(),
        seed: int = 0,
        floor: tuple[int, int, int] = (40, 52, 66),
    ) -> None:
        self.world, self.camera, self.deck, self.people, self.look = world, camera, deck, people, look
        self._rng = np.random.default_rng([seed, 5])
        self._surface, self._surface_mm, self._floor = surface, surface_mm, floor
        self._patches: dict[str, tuple[Placed, Patch]] = {}
        self._resting: dict[str, Placed] = {}
        self._glossy = {c: self._rng.random() < look.glare for c in world.cards}
        self._hands: tuple[HandAt, ...] = ()
        self._ground()
        n = self._rng.normal(0, max(0.01, look.noise), (camera.height + 96, camera.width + 96, 1)).astype(np.float32)
        n = n + self._rng.normal(0, max(0.01, look.noise) * 0.5, (*n.shape[:2], 3)).astype(np.float32)
        self._grain_up = np.clip(np.round(n), 0, 255).astype(np.uint8)
        self._grain_down = np.clip(np.round(-n), 0, 255).astype(np.uint8)

    def _ground(self) -> None:
        c = self.camera
        x0, y0, x1, y1 = self._surface_mm
        h, w = self._surface.shape[:2]
        to_mm = np.array([[(x1 - x0) / w, 0, x0], [0, (y1 - y0) / h, y0], [0, 0, 1]])
        full = c.homography(0.0) @ to_mm
        base = np.full((c.height, c.width, 3), self._floor, np.uint8)
        warped = cv2.warpPerspective(self._surface, full, (c.width, c.height), flags=cv2.INTER_AREA if w > c.width else cv2.INTER_LINEAR)
        mask = cv2.warpPerspective(np.full((h, w), 255, np.uint8), full, (c.width, c.height), flags=cv2.INTER_LINEAR)
        a = mask[..., None].astype(np.float32) / 255
        yy, xx = np.mgrid[-1 : 1 : complex(c.height), -1 : 1 : complex(c.width)]
        vignette = (1 - 0.16 * (xx * xx + yy * yy) / 2)[..., None]
        self._bare = np.clip((warped * a + base * (1 - a)) * vignette, 0, 255).astype(np.uint8)
        self._layer = self._bare.copy()
        self._patches.clear()
        self._resting = {}

    def move_camera(self, camera: Camera) -> None:
        """The camera was bumped: everything at rest is drawn anew."""
        self.camera = camera
        self._ground()

    def _texture(self, card: Placed, px_high: float) -> Image:
        levels = self.deck.levels(card.face if card.up else "back")
        i = 0
        while i + 1 < len(levels) and levels[i + 1].shape[0] >= px_high * 0.95:
            i += 1
        return levels[i]

    def _patch(self, card: Placed) -> Patch | None:
        c = self.camera
        z = card.pose.z + THICK_MM
        w, h = self.deck.size_mm
        quad = card_quad(card.pose, (w * card.flat, h))
        top = c.project(np.column_stack([quad, np.full(4, z)]))
        base = c.project(np.column_stack([quad, np.full(4, card.pose.z)]))
        box = _clip(np.vstack([top, base]), c.width, c.height)
        if box is None:
            return None
        tex = self._texture(card, float(max(np.linalg.norm(top[0] - top[3]), np.linalg.norm(top[1] - top[2]))))
        th, tw = tex.shape[:2]
        off = np.array(box[:2])
        size = (box[2] - box[0], box[3] - box[1])
        src = np.array([[0, 0], [tw, 0], [tw, th], [0, th]], np.float32) - 0.5
        m = cv2.getPerspectiveTransform(src, (top - off).astype(np.float32) - 0.5)
        warped = cv2.warpPerspective(tex, m, size, flags=cv2.INTER_LINEAR)
        m0 = cv2.getPerspectiveTransform(src, (base - off).astype(np.float32) - 0.5)
        side = cv2.warpPerspective(tex[..., 3], m0, size, flags=cv2.INTER_LINEAR)
        alpha = warped[..., 3]
        ink = cv2.multiply(warped[..., :3], cv2.cvtColor(alpha, cv2.COLOR_GRAY2BGR), scale=1 / 255)
        if card.up and self._glossy.get(card.card):
            ink = self._sheen(ink, alpha, card)
        rim = cv2.subtract(side, alpha)  # the card's edge, seen from the side
        edge = cv2.cvtColor(rim, cv2.COLOR_GRAY2BGR)
        ink = cv2.add(ink, cv2.multiply(edge, np.full_like(edge, (120, 140, 150)), scale=1 / 255))
        alpha = cv2.max(alpha, side)
        g = 5
        sx0, sy0, sx1, sy1 = max(0, box[0] - g), max(0, box[1] - g), min(c.width, box[2] + g), min(c.height, box[3] + g)
        shade = np.zeros((sy1 - sy0, sx1 - sx0), np.uint8)
        shade[box[1] - sy0 : box[3] - sy0, box[0] - sx0 : box[2] - sx0] = side
        shade = cv2.GaussianBlur(shade, (0, 0), 1.8)
        lx, ly, _ = self.look.lamp
        n = math.hypot(lx, ly) or 1.0
        shade = cv2.warpAffine(
            shade, np.array([[1, 0, -1.6 * lx / n], [0, 1, -1.6 * ly / n]], np.float32), (shade.shape[1], shade.shape[0])
        )
        shade = cv2.convertScaleAbs(shade, alpha=self.look.shadow)
        return Patch(box, ink, alpha, (sx0, sy0, sx1, sy1), shade)

    def _sheen(self, ink: Image, alpha: Image, card: Placed) -> Image:
        h, w = alpha.shape
        yy, xx = np.mgrid[0:h, 0:w].astype(np.float32)
        a = math.radians(card.pose.angle * 3 + 40)
        d = ((xx / w - 0.5) * math.cos(a) + (yy / h - 0.5) * math.sin(a) - 0.1) / 0.12
        glow = (np.exp(-d * d) * 150 * (alpha / 255)).astype(np.uint8)
        return cv2.add(ink, cv2.cvtColor(glow, cv2.COLOR_GRAY2BGR))

    def _cached(self, card: Placed) -> Patch | None:
        held = self._patches.get(card.card)
        if held is not None and held[0].pose == card.pose and held[0].up == card.up:
            return held[1]
        patch = self._patch(card)
        if patch is None:
            self._patches.pop(card.card, None)
            return None
        self._patches[card.card] = (card, patch)
        return patch

    def _rest(self, resting: dict[str, Placed], ordered: list[Placed]) -> None:
        """Bring the layer of cards at rest up to date: redraw only boxes in which something changed."""
        dirty: list[Box] = []
        for name, old in self._resting.items():
            new = resting.get(name)
            if new is None or (new.pose, new.up, new.order) != (old.pose, old.up, old.order):
                held = self._patches.get(name)
                if held is not None:
                    dirty.append(held[1].shade_box)
        for name, new in resting.items():
            old = self._resting.get(name)
            if old is None or (new.pose, new.up, new.order) != (old.pose, old.up, old.order):
                patch = self._cached(new)
                if patch is not None:
                    dirty.append(patch.shade_box)
        for box in _merged(dirty):
            self._redraw(box, ordered)
        self._resting = resting

    def _redraw(self, box: Box, ordered: list[Placed]) -> None:
        x0, y0, x1, y1 = box
        self._layer[y0:y1, x0:x1] = self._bare[y0:y1, x0:x1]
        for card in ordered:
            patch = self._cached(card)
            if patch is None:
                continue
            for part, shadow in ((patch.shade_box, True), (patch.box, False)):
                ax, ay, bx, by = max(x0, part[0]), max(y0, part[1]), min(x1, part[2]), min(y1, part[3])
                if ax >= bx or ay >= by:
                    continue
                cut = (slice(ay - part[1], by - part[1]), slice(ax - part[0], bx - part[0]))
                if shadow:
                    _darken(self._layer, (ax, ay, bx, by), patch.shade[cut])
                else:
                    _over(self._layer, (ax, ay, bx, by), patch.ink[cut], patch.alpha[cut])

    def _hand_map(self, hand: HandAt) -> tuple[NDArray, NDArray] | None:
        """Homography of the hand's sprite to the picture and to its shadow on the table."""
        ax, ay = hand.anchor
        d = np.array([hand.x - ax, hand.y - ay])
        n = float(np.linalg.norm(d))
        if n < 1:
            return None
        d /= n
        side = np.array([-d[1], d[0]])
        tip = np.array([hand.x, hand.y])
        k = self.people[hand.player].size
        # two stations along the arm fix the plane of the sprite; near ones, so that neither lies behind the camera
        s = np.array([[0, 0], [WIDTH_MM, 0], [WIDTH_MM, 300], [0, 300]], np.float32)
        flat = np.array([tip + side * (sx - TIP_MM[0]) - d * (sy - TIP_MM[1]) for sx, sy in s])
        world = np.column_stack([flat, [hand.z + 14 + (sy - TIP_MM[1]) * 0.17 * k for _, sy in s]])
        s *= SCALE
        seen = cv2.getPerspectiveTransform(s, self.camera.project(world).astype(np.float32))
        lx, ly, lz = self.look.lamp
        low = world.copy()
        low[:, 0] -= world[:, 2] * lx / lz
        low[:, 1] -= world[:, 2] * ly / lz
        low[:, 2] = 0
        return seen, cv2.getPerspectiveTransform(s, self.camera.project(low).astype(np.float32))

    def hand_outline(self, hand: HandAt, points: NDArray) -> NDArray:
        """Sprite points (N, 2) in mm to picture pixels."""
        maps = self._hand_map(hand)
        assert maps is not None
        return cv2.perspectiveTransform((points * SCALE).reshape(-1, 1, 2).astype(np.float32), maps[0]).reshape(-1, 2)

    def _shadow(self, canvas: Image, alpha: Image, m: NDArray, soft: float) -> None:
        """Add a cast shadow to the quarter-size shadow canvas."""
        q = np.diag([0.25, 0.25, 1.0]) @ m
        h, w = canvas.shape
        warped = cv2.warpPerspective(alpha, q, (w, h), flags=cv2.INTER_LINEAR)
        np.maximum(canvas, cv2.GaussianBlur(warped, (0, 0), soft), out=canvas)

    def frame(self, t_ms: float) -> Image:
        """The picture at time t: (height, width, 3) uint8 BGR."""
        moment = self.world.at(t_ms)
        return self.draw(moment)

    def draw(self, moment: Moment) -> Image:
        """The picture of a moment."""
        c = self.camera
        ordered = [p for p in moment.cards if not p.moving]
        self._rest({p.card: p for p in ordered}, ordered)
        image = self._layer.copy()
        moving = [p for p in moment.cards if p.moving]
        if moving or moment.hands:
            shadow = np.zeros((c.height // 4, c.width // 4), np.uint8)
            self._cast(moment, moving, shadow)
            if shadow.any():
                ys, xs = np.flatnonzero(shadow.any(axis=1)), np.flatnonzero(shadow.any(axis=0))
                y0, y1, x0, x1 = ys[0] * 4, min(c.height, ys[-1] * 4 + 4), xs[0] * 4, min(c.width, xs[-1] * 4 + 4)
                part = cv2.resize(shadow[y0 // 4 : y1 // 4, x0 // 4 : x1 // 4], (x1 - x0, y1 - y0), interpolation=cv2.INTER_LINEAR)
                _darken(image, (x0, y0, x1, y1), cv2.convertScaleAbs(part, alpha=self.look.shadow))
            for card in moving:
                patch = self._patch(card)
                if patch is not None:
                    _over(image, patch.box, patch.ink, patch.alpha)
            for hand in moment.hands:
                self._draw_hand(image, hand, moment.t_ms)
        return self._sensor(image, moment.t_ms)

    def _cast(self, moment: Moment, moving: list[Placed], shadow: Image) -> None:
        lx, ly, lz = self.look.lamp
        c = self.camera
        for card in moving:
            if card.pose.z < 2:
                continue
            z = card.pose.z
            quad = card_quad(replace(card.pose, x=card.pose.x - z * lx / lz, y=card.pose.y - z * ly / lz), self.deck.size_mm)
            px = c.project(np.column_stack([quad, np.zeros(4)])) / 4
            one = np.zeros_like(shadow)
            cv2.fillConvexPoly(one, np.round(px * 8).astype(np.int32), 255, cv2.LINE_AA, 3)
            np.maximum(shadow, cv2.GaussianBlur(one, (0, 0), 0.6 + z / 25), out=shadow)
        for hand in moment.hands:
            maps = self._hand_map(hand)
            if maps is not None:
                sprite = self.people[hand.player].sprite(hand.hand.endswith("l"), hand.grip > 0.5)
                self._shadow(shadow, sprite.alpha, maps[1], 2.0)

    def _draw_hand(self, image: Image, hand: HandAt, t: float) -> None:
        maps = self._hand_map(hand)
        if maps is None:
            return
        c = self.camera
        sprite = self.people[hand.player].sprite(hand.hand.endswith("l"), hand.grip > 0.5)
        h, w = sprite.alpha.shape
        m = maps[0] / maps[0][2, 2]
        if m[2, 1] < 0:  # the arm comes towards the camera: only what is well before it
            h = min(h, int(0.8 / -m[2, 1]))
        corners = cv2.perspectiveTransform(np.array([[[0, 0]], [[w, 0]], [[w, h]], [[0, h]]], np.float32), m).reshape(-1, 2)
        box = _clip(corners, c.width, c.height)
        if box is None:
            return
        shift = np.array([[1, 0, -box[0]], [0, 1, -box[1]], [0, 0, 1]], float)
        size = (box[2] - box[0], box[3] - box[1])
        m = shift @ m
        ink = cv2.warpPerspective(sprite.image[:h], m, size, flags=cv2.INTER_LINEAR)
        alpha = cv2.warpPerspective(sprite.alpha[:h], m, size, flags=cv2.INTER_LINEAR)
        blur = self._smear(hand, t)
        if blur is not None:
            ink, alpha = cv2.filter2D(ink, -1, blur), cv2.filter2D(alpha, -1, blur)
        _over(image, box, ink, alpha)

    def _smear(self, hand: HandAt, t: float) -> NDArray | None:
        """Kernel of the motion blur during the exposure, None where the hand is slow."""
        if self.look.shutter_ms <= 0:
            return None
        later = next((g for g in self.world.at(t + self.look.shutter_ms).hands if g.hand == hand.hand), None)
        if later is None:
            return None
        px = self.camera.project(np.array([[hand.x, hand.y, hand.z], [later.x, later.y, later.z]]))
        d = px[1] - px[0]
        n = int(min(25, math.hypot(*d)))
        if n < 3:
            return None
        n |= 1
        k = np.zeros((n, n), np.float32)
        u = d / np.linalg.norm(d) * (n - 1) / 2
        mid = (n - 1) / 2
        cv2.line(k, (round(mid - u[0]), round(mid - u[1])), (round(mid + u[0]), round(mid + u[1])), 1.0)
        return k / k.sum()

    def _sensor(self, image: Image, t: float) -> Image:
        look = self.look
        gain = look.gain * (1 + look.flicker * (0.6 * math.sin(t / 2900) + 0.4 * math.sin(t / 1100 + 1)))
        if abs(gain - 1) > 0.003:
            image = cv2.convertScaleAbs(image, alpha=gain)
        if look.blur > 0.05:
            image = cv2.GaussianBlur(image, (0, 0), look.blur)
        if look.noise > 0:
            oy, ox = self._rng.integers(0, 96, 2)
            h, w = image.shape[:2]
            image = cv2.subtract(cv2.add(image, self._grain_up[oy : oy + h, ox : ox + w]), self._grain_down[oy : oy + h, ox : ox + w])
        return image


def _merged(boxes: list[Box]) -> list[Box]:
    """Boxes with those that overlap joined."""
    out: list[Box] = []
    for box in boxes:
        joined = box
        again = True
        while again:
            again = False
            for other in out:
                if joined[0] < other[2] and other[0] < joined[2] and joined[1] < other[3] and other[1] < joined[3]:
                    out.remove(other)
                    joined = (min(joined[0], other[0]), min(joined[1], other[1]), max(joined[2], other[2]), max(joined[3], other[3]))
                    again = True
                    break
        out.append(joined)
    return out
