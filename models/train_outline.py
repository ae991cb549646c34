"""Train OutlineNet on close-ups of cards in scenes rendered as it goes; resumes from its checkpoint.

    python -m models.train_outline --art FOLDER [FOLDER ...] --minutes 120 --out build/outline --start build/pose

`--start` begins with the layers of a PoseNet run. Knobs stand at the top; `--minutes 1 --batch 2` is the small preset for trying the code.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F
from torch.utils.data import DataLoader, IterableDataset

from datasets.closeups import LEAST_VISIBLE, STRAY, close_up
from datasets.scene import random_scene
from datasets.targets import outline_targets
from models.nets import OUTLINE_CHANNELS, POSE_CHANNELS, POSE_STRIDE, POSE_UNIT, OutlineNet
from models.train_pose import arguments, record, supplies, train

HEIGHT, WIDTH = 288, 384
SHORT_PX = (20.0, 100.0)
A_SCENE = 9  # close-ups of one scene at most
BUFFER = 256  # close-ups shuffled among each other


class CloseUps(IterableDataset):
    """Endless stream of close-ups."""

    def __init__(self, folders: list[str], seed: int, surfaces: str | None) -> None:
        self.folders, self.seed, self.surfaces = folders, seed, surfaces

    def __iter__(self) -> Any:
        rng, pool, surf = supplies(self.folders, self.seed, self.surfaces)
        buffer: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        while True:
            scene = random_scene(rng, pool.take(rng), surf, HEIGHT, WIDTH, SHORT_PX)
            chosen: list[int | None] = [int(i) for i in rng.permutation(np.flatnonzero(scene.visible > LEAST_VISIBLE))[:A_SCENE]]
            chosen += [None] * int(rng.binomial(A_SCENE, STRAY))
            for card in chosen:
                got = close_up(rng, scene, card)
                if got is None:
                    continue
                item = (np.ascontiguousarray(got.image.transpose(2, 0, 1)), *outline_targets(got.mine, got.frame))
                if len(buffer) < BUFFER:
                    buffer.append(item)
                    continue
                k = int(rng.integers(BUFFER))
                yield buffer[k]
                buffer[k] = item


def pooled(out: torch.Tensor) -> torch.Tensor:
    """The votes (B, 8) of all cells together, in POSE_UNIT of the close-up, each weighing by how surely it is the card's and how sure it is."""
    h, w = out.shape[2:]
    xs = (torch.arange(w, device=out.device) + 0.5) * POSE_STRIDE / POSE_UNIT
    ys = (torch.arange(h, device=out.device) + 0.5) * POSE_STRIDE / POSE_UNIT
    weight = torch.sigmoid(out[:, :1]) * torch.exp(-2 * out[:, 9:10].clamp(-4, 2))
    votes = torch.cat([out[:, 1:2] + xs[None, None, None, :], out[:, 2:3] + ys[None, None, :, None], out[:, 3:9]], 1)
    return (votes * weight).sum((2, 3)) / weight.sum((2, 3)).clamp(min=1e-4)


def outline_loss(out: torch.Tensor, mine: torch.Tensor, votes: torch.Tensor, whole: torch.Tensor) -> tuple[torch.Tensor, dict[str, float]]:
    """Cross-entropy of what is the card's, the Laplace likelihood of its cells' votes, and the error of all votes pooled."""
    share = mine.mean((1, 2), keepdim=True)
    real = (share > 0).flatten()
    each = F.binary_cross_entropy_with_logits(out[:, 0], mine, reduction="none")
    # The cells of a thin strip weigh together at least as much as a tenth of the picture.
    l_mine = (each * (1 + mine * (0.1 / share.clamp(min=0.01) - 1).clamp(min=0))).mean()
    factor = torch.tensor([1.5, 1, 1, 0.7], device=out.device)

    def size(delta: torch.Tensor) -> torch.Tensor:
        return (((delta.unflatten(1, (4, 2)).square().sum(2) + 1e-6).sqrt()) * factor.view(1, 4, *[1] * (delta.dim() - 2))).sum(1) / 3

    log_s = out[:, 9].clamp(-4, 2)
    weight = mine / mine.sum((1, 2), keepdim=True).clamp(min=1)
    err = size(out[:, 1:9] - votes)
    l_vote = ((err * torch.exp(-log_s) + log_s) * weight).sum() / real.sum().clamp(min=1)
    together = size(pooled(out) - whole) * real
    l_pooled = together.sum() / real.sum().clamp(min=1)
    loss = 2 * l_mine + l_vote + 4 * l_pooled
    px = l_pooled.item() * POSE_UNIT
    with torch.no_grad():
        median = together[real].median().item() * POSE_UNIT if bool(real.any()) else 0.0
        hit = ((out[:, 0] > 0) & (mine > 0)).sum((1, 2)) / ((out[:, 0] > 0) | (mine > 0)).sum((1, 2)).clamp(min=1)
        iou = hit[real].mean().item() if bool(real.any()) else 0.0
    return loss, {"loss": loss.item(), "mine": l_mine.item(), "vote": l_vote.item(), "px": px, "median": median, "iou": iou}


def begun_with(net: OutlineNet, run: Path) -> None:
    """Take over a PoseNet run's layers; the dot's weights begin at zero."""
    old = torch.load(run / "last.pt", map_location="cpu", weights_only=True)["ema"]
    new = net.state_dict()
    rows = [POSE_CHANNELS.index("card" if c == "mine" else c) for c in OUTLINE_CHANNELS]
    for key, value in old.items():
        if key.startswith("head."):
            new[key] = value[rows]
        elif value.shape == new[key].shape:
            new[key] = value
        elif key == "stem.0.0.weight":
            new[key] = torch.cat([value, torch.zeros_like(new[key][:, 3:])], 1)
    net.load_state_dict(new)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--start", help="a PoseNet run whose weights to begin with")
    args = parser.parse_args()
    record(args, "models.train_outline")
    torch.manual_seed(args.seed)
    seed = args.seed + int(time.time()) % 100000 if (Path(args.out) / "last.pt").exists() else args.seed  # a resumed run sees new scenes
    loader = DataLoader(CloseUps(args.art, seed, args.surfaces), batch_size=args.batch, num_workers=args.workers, prefetch_factor=3 if args.workers else None)

    def step_loss(model: torch.nn.Module, batch: list[torch.Tensor]) -> tuple[torch.Tensor, dict[str, float]]:
        image = (batch[0].float() / 255).contiguous(memory_format=torch.channels_last)
        return outline_loss(model(image), *batch[1:])

    net = OutlineNet()
    if args.start:
        begun_with(net, Path(args.start))
    train(net, loader, step_loss, args)


if __name__ == "__main__":
    main()
