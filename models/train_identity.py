"""Train IdentityNet for one kind of deck on crops cut from scenes rendered as it goes; resumes from its checkpoint.

    python -m models.train_identity --kind hwatu --art FOLDER [FOLDER ...] --minutes 60 --out build/hwatu

Decks of other kinds among --art serve as cards that belong to no class.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch.nn import functional as F
from torch.utils.data import DataLoader, IterableDataset

from datasets.art import DeckArt, load_deck, shade
from datasets.scene import Scene, random_scene
from datasets.surfaces import Surfaces
from models.nets import IdentityNet
from models.train_pose import DeckPool, arguments, record, train

CROP_W, CROP_H = 96, 144
SIDE = 288
SHORT_PX = (20.0, 120.0)
LEAST = 0.07  # visible share below which a card is not asked about
BUFFER = 1536

_MONTHS = {1: "bright ribbon", 2: "animal ribbon", 3: "bright ribbon", 4: "animal ribbon", 5: "animal ribbon", 6: "animal ribbon", 7: "animal ribbon",
           8: "bright animal", 9: "animal ribbon", 10: "animal ribbon", 11: "bright junk-double", 12: "bright animal ribbon junk-double"}


def classes(kind: str) -> list[str]:
    """Names a net of this kind tells apart: the deck's scoring classes, `back`, and `other` for what is no card of the kind."""
    if kind == "hwatu":
        names = [f"{m:02d}-{k}" for m, ks in _MONTHS.items() for k in ks.split()] + [f"{m:02d}-junk" for m in range(1, 12)] + ["joker-2", "joker-3", "joker"]
    elif kind == "french":
        names = [r + s for s in "cdhs" for r in "23456789TJQKA"] + ["joker"]
    else:
        names = [f"n{i}" for i in range(1, 101)]
    return [*sorted(names), "back", "other"]


def class_of(kind: str, name: str) -> str:
    """The class of a card name."""
    name = shade(name)
    return "joker" if kind == "french" and name.startswith("joker") else name


def cut(image: np.ndarray, mask: np.ndarray, quad: np.ndarray) -> np.ndarray:
    """The crop (4, 144, 96) uint8 of a quad: BGR and the mask, upright by the quad's own top left."""
    dst = np.array([[0, 0], [CROP_W, 0], [CROP_W, CROP_H], [0, CROP_H]], np.float32) - 0.5
    m = cv2.getPerspectiveTransform(np.ascontiguousarray(quad, np.float32), dst)
    a = cv2.warpPerspective(image, m, (CROP_W, CROP_H), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    b = cv2.warpPerspective(mask, m, (CROP_W, CROP_H), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    return np.concatenate([a, b[..., None]], 2).transpose(2, 0, 1)


def coarse(rng: np.random.Generator, mask: np.ndarray) -> np.ndarray:
    """The mask as the pose net's cells give it: a few cells across the card, some of them wrong."""
    w = int(rng.integers(4, 17))
    h = max(5, round(w * rng.uniform(1.3, 1.6)))
    small = cv2.resize(mask, (w, h), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    small = (small > rng.uniform(0.3, 0.65)).astype(np.float32)
    if rng.random() < 0.5:
        small = np.where(rng.random(small.shape) < rng.uniform(0, 0.06), 1 - small, small)
    if small.max() == 0:
        return mask
    return (np.clip(cv2.resize(small, (mask.shape[1], mask.shape[0]), interpolation=cv2.INTER_LINEAR), 0, 1) * 255).astype(np.uint8)


def crops(rng: np.random.Generator, scene: Scene, kind: str, own: bool, index: dict[str, int]) -> list[tuple[np.ndarray, int, float, float]]:
    """(crop, class, end-up or -1, visible) of the cards of a scene, with the errors of a detector; and now and then of no card."""
    out = []
    for i, (name, v) in enumerate(zip(scene.names, scene.visible, strict=True)):
        shown = float((scene.ids == i + 1).sum())
        if v < LEAST or shown < 40 or (v > 0.9 and rng.random() < 0.35):
            continue
        label = index.get(class_of(kind, name), -1) if own or name == "back" else index["other"]
        if label < 0:
            continue
        mask = (scene.ids == i + 1).astype(np.uint8) * 255
        side = np.sqrt(abs(cv2.contourArea(scene.quads[i])))
        err = (0.012 + 0.045 * (1 - v)) * side
        c = scene.quads[i].mean(0)
        for _ in range(1 if v > 0.9 else 2):  # a covered card is harder: shown twice, found a little differently
            q = (scene.quads[i] - c) * rng.normal(1.0, 0.02 + 0.03 * (1 - v), 2) + c + rng.normal(0, err, (4, 2)) + rng.normal(0, err, 2)
            turned = bool(rng.random() < 0.5)
            crop = cut(scene.image, mask, np.roll(q, 2, 0) if turned else q)
            crop[3] = coarse(rng, np.ascontiguousarray(crop[3]))
            end = float(turned) if own and kind != "french" and name != "back" else -1.0
            out.append((crop, label, end, float(v)))
    if rng.random() < 0.2:  # something that is no card, or a pose that is quite wrong
        h, w = scene.ids.shape
        for _ in range(2):
            s = float(np.exp(rng.uniform(*np.log(SHORT_PX))))
            box = cv2.boxPoints(((float(rng.uniform(0, w)), float(rng.uniform(0, h))), (s, s * rng.uniform(1.2, 1.7)), float(rng.uniform(0, 180))))
            m = np.zeros((h, w), np.uint8)
            cv2.fillConvexPoly(m, box.astype(np.int32), 1)
            inside = scene.ids[m > 0]
            cards = np.bincount(inside[(inside > 0) & (inside < 255)], minlength=1)
            if len(inside) < 40 or cards.max(initial=0) > 0.25 * len(inside):
                continue
            crop = cut(scene.image, np.full((h, w), 255, np.uint8), box)
            out.append((crop, index["other"], -1.0, 1.0))
    return out


class Crops(IterableDataset):
    """Endless stream of crops, shuffled through a buffer so that a batch mixes decks."""

    def __init__(self, folders: list[str], kind: str, seed: int, surfaces: str | None) -> None:
        self.folders, self.kind, self.seed, self.surfaces = folders, kind, seed, surfaces

    def __iter__(self) -> Any:
        cv2.setNumThreads(1)
        info = torch.utils.data.get_worker_info()
        seed = self.seed * 100 + (info.id if info else 0)
        arts: list[DeckArt] = [load_deck(Path(f)) for f in self.folders]
        pool = DeckPool(arts, seed, strength=1.2)
        surf = Surfaces(seed, folder=Path(self.surfaces) if self.surfaces else None)
        rng = np.random.default_rng([seed, 11])
        index = {n: i for i, n in enumerate(classes(self.kind))}
        others = sorted({a.kind for a in arts} - {self.kind})
        buffer: list[tuple[np.ndarray, int, float, float]] = []
        while True:
            own = not others or rng.random() < 0.94
            deck = pool.take(rng, self.kind if own else others[int(rng.integers(len(others)))])
            scene = random_scene(rng, deck, surf, SIDE, SIDE, SHORT_PX, most=22, strength=1.1)
            if rng.random() < 0.03:
                scene.image = np.repeat(scene.image.mean(2, keepdims=True).astype(np.uint8), 3, axis=2)
            for item in crops(rng, scene, self.kind, own, index):
                if len(buffer) < BUFFER:
                    buffer.append(item)
                    continue
                k = int(rng.integers(BUFFER))
                item, buffer[k] = buffer[k], item
                yield np.ascontiguousarray(item[0]), item[1], np.float32(item[2]), np.float32(item[3])


def main() -> None:
    p = arguments(__doc__)
    p.add_argument("--kind", required=True, choices=["hwatu", "french", "numbers"])
    args = p.parse_args()
    record(args, "models.train_identity")
    torch.manual_seed(args.seed)
    seed = args.seed + int(time.time()) % 100000 if (Path(args.out) / "last.pt").exists() else args.seed
    data = Crops(args.art, args.kind, seed, args.surfaces)
    loader = DataLoader(data, batch_size=args.batch, num_workers=args.workers, prefetch_factor=3 if args.workers else None)

    def step_loss(model: torch.nn.Module, batch: list[torch.Tensor]) -> tuple[torch.Tensor, dict[str, float]]:
        x = (batch[0].float() / 255).contiguous(memory_format=torch.channels_last)
        label, end, v = batch[1], batch[2], batch[3]
        e, up = model(x)
        logits = model.logits(e)
        ce = F.cross_entropy(logits, label, reduction="none", label_smoothing=0.02)
        known = end >= 0
        turn = F.binary_cross_entropy_with_logits(up[:, 0], end.clamp(min=0), reduction="none")
        loss = ce.mean() + 0.2 * (turn * known).sum() / known.sum().clamp(min=1)
        with torch.no_grad():
            right = (logits.argmax(1) == label).float()
            def acc(m):
                return float((right * m).sum() / m.sum()) if m.sum() > 0 else 0.0
            parts = {"loss": loss.item(), "whole": acc((v > 0.9).float()), "half": acc(((v > 0.5) & (v <= 0.7)).float()),
                     "third": acc(((v > 0.32) & (v <= 0.48)).float()), "quarter": acc(((v > 0.2) & (v <= 0.3)).float()), "strip": acc((v <= 0.2).float())}
        return loss, parts

    train(IdentityNet(len(classes(args.kind))), loader, step_loss, args)


if __name__ == "__main__":
    main()
