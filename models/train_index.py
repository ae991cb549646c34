"""Train IndexNet and GlyphNet on windows of scenes rendered as it goes; resumes from its checkpoint.

    python -m models.train_index --art FOLDER [FOLDER ...] --minutes 120 --out build/index

Knobs stand at the top; `--minutes 1 --batch 2` is the small preset for trying the code.
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

from datasets.indices import glyph, index_boxes, index_targets, indices
from datasets.scene import random_scene
from datasets.surfaces import Lettered
from models.nets import GlyphNet, IndexNet
from models.train_pose import arguments, record, supplies, train

SIDE = 160  # px of a window
SCENE = 352
SHORT_PX = (70.0, 190.0)
A_SCENE = 8  # windows of one scene
OTHER = 0.12  # share of scenes with cards that have no index
LETTERED = 0.2  # share of scenes with letters and numbers about
STRENGTH = 0.8  # of light, blur and noise
BUFFER = 512  # windows shuffled among each other

GLYPHS = 4  # cut-outs of indices beside each window

Item = tuple[np.ndarray, ...]


def recoloured(rng: np.random.Generator, image: np.ndarray) -> np.ndarray:
    """The picture (H, W, 3) in other colours and another exposure."""
    chance = rng.random()
    if chance < 0.25:
        image = image[..., rng.permutation(3)]
    elif chance < 0.3:
        image = np.repeat(image.mean(2, keepdims=True).astype(np.uint8), 3, axis=2)
    lut = np.clip((np.linspace(0, 1, 256)[:, None] ** np.exp(rng.normal(0, 0.25, 3))) * 255 * rng.uniform(0.75, 1.12, 3), 0, 255)
    return cv2.LUT(np.ascontiguousarray(image), lut.astype(np.uint8)[None])


class Windows(IterableDataset):
    """Endless stream of windows: image (3, H, W) uint8, what `index_targets` gives, and GLYPHS cut-outs (GLYPHS, 3, 48, 32) with their rank + 1, suit."""

    def __init__(self, folders: list[str], seed: int, surfaces: str | None) -> None:
        self.folders, self.seed, self.surfaces = folders, seed, surfaces

    def __iter__(self) -> Any:
        rng, pool, surf = supplies(self.folders, self.seed, self.surfaces)
        boxes: dict[str, dict] = {}
        buffer: list[Item] = []
        while True:
            deck = pool.take(rng, ("hwatu", "numbers")[int(rng.integers(2))] if rng.random() < OTHER else "french")
            name = deck.art.name
            if name not in boxes:
                boxes[name] = index_boxes(deck.art) if deck.kind == "french" else {}
            scene = random_scene(rng, deck, Lettered(surf) if rng.random() < LETTERED else surf, SCENE, SCENE, SHORT_PX, strength=STRENGTH)
            found = indices(scene, deck, boxes[name])
            read = [f for f in found if f.shown > 0.5]
            for _ in range(A_SCENE if read else 2):
                x, y = (int(v) for v in rng.integers(0, SCENE - SIDE + 1, 2))
                if read and rng.random() < 0.85:  # about an index
                    at = read[int(rng.integers(len(read)))].at - SIDE * rng.uniform(0.15, 0.85, 2)
                    x, y = (int(v) for v in np.clip(at, 0, SCENE - SIDE))
                image = recoloured(rng, scene.image[y : y + SIDE, x : x + SIDE])
                cuts, ranks, suits = zip(*(glyph(rng, scene, found) for _ in range(GLYPHS)), strict=True)
                glyphs = np.stack([recoloured(rng, cut).transpose(2, 0, 1) for cut in cuts])
                item = (np.ascontiguousarray(image.transpose(2, 0, 1)), *index_targets(found, x, y, SIDE), glyphs, np.array([ranks, suits]).T)
                if len(buffer) < BUFFER:
                    buffer.append(item)
                    continue
                k = int(rng.integers(BUFFER))
                yield buffer[k]
                buffer[k] = item


class Both(torch.nn.Module):
    """The network that finds indices and the one that reads them: trained together, exported apart."""

    def __init__(self) -> None:
        super().__init__()
        self.index, self.glyph = IndexNet(), GlyphNet()


def index_loss(out: torch.Tensor, heat: torch.Tensor, weight: torch.Tensor, frame: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Focal loss of the heat (CenterNet's, Zhou et al. 2019), and the error of the card's frame relative to its size."""
    p = torch.sigmoid(out[:, 0].float()).clamp(1e-4, 1 - 1e-4)
    peak = heat > 0.99
    n = peak.sum().clamp(min=1)
    l_heat = -(torch.where(peak, (1 - p) ** 2 * torch.log(p), (1 - heat) ** 4 * p**2 * torch.log(1 - p)) * weight).sum() / n
    share = heat * (frame[:, 6] > 0)
    share = share / share.sum().clamp(min=1)
    size = (frame[:, 2:4].square().sum(1) * frame[:, 4:6].square().sum(1) + 1e-6) ** 0.25
    delta = (out[:, 1:7] - frame[:, :6]).unflatten(1, (3, 2)).square().sum(2)
    err = (delta + 1e-6).sqrt().sum(1) / size.clamp(min=0.3)
    length = (out[:, 7] - frame[:, 6]).abs() / frame[:, 6].clamp(min=0.2)
    return l_heat, ((err + length) * share).sum()


def glyph_loss(out: torch.Tensor, label: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Cross-entropies of rank and of suit; share of the indices read rightly."""
    real = label[:, 0] > 0
    l_suit = F.cross_entropy(out[:, 14:], label[:, 1], ignore_index=-1, reduction="sum") / real.sum().clamp(min=1)
    right = (out[:, :14].argmax(1) == label[:, 0]) & (out[:, 14:].argmax(1) == label[:, 1]) & real
    return F.cross_entropy(out[:, :14], label[:, 0]) + l_suit, right.sum() / real.sum().clamp(min=1)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--start", help="a run whose weights to begin with, layer by layer where the shapes agree")
    args = parser.parse_args()
    record(args, "models.train_index")
    torch.manual_seed(args.seed)
    seed = args.seed + int(time.time()) % 100000 if (Path(args.out) / "last.pt").exists() else args.seed  # a resumed run sees new scenes
    loader = DataLoader(Windows(args.art, seed, args.surfaces), batch_size=args.batch, num_workers=args.workers, prefetch_factor=3 if args.workers else None)

    def step_loss(model: torch.nn.Module, batch: list[torch.Tensor]) -> tuple[torch.Tensor, dict[str, float]]:
        assert isinstance(model, Both)
        image, heat, weight, frame, glyphs, label = batch
        l_heat, l_frame = index_loss(model.index((image.float() / 255).contiguous(memory_format=torch.channels_last)), heat, weight, frame)
        l_glyph, named = glyph_loss(model.glyph((glyphs.flatten(0, 1).float() / 255).contiguous(memory_format=torch.channels_last)), label.flatten(0, 1))
        loss = l_heat + l_frame + l_glyph
        return loss, {"loss": loss.item(), "heat": l_heat.item(), "frame": l_frame.item(), "glyph": l_glyph.item(), "named": named.item()}

    net = Both()
    if args.start:
        fresh = net.state_dict()
        old = torch.load(Path(args.start) / "last.pt", map_location="cpu", weights_only=True)["ema"]
        net.load_state_dict(fresh | {k: v for k, v in old.items() if k in fresh and v.shape == fresh[k].shape})
    train(net, loader, step_loss, args)


if __name__ == "__main__":
    main()
