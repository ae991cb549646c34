"""Train PoseNet on scenes rendered as it goes; resumes from its checkpoint.

    python -m models.train_pose --art FOLDER [FOLDER ...] --minutes 120 --out build/pose

Knobs stand at the top; `--minutes 1 --batch 2` is the small preset for trying the code. One thread a process: a renderer and a trainer.
"""

from __future__ import annotations

import argparse
import json
import math
import signal
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch.nn import functional as F
from torch.utils.data import DataLoader, IterableDataset

from datasets.art import DeckArt, WornDeck, load_deck
from datasets.scene import Scene, from_above, quad_frames, random_scene
from datasets.surfaces import REAL as SURFACES_SHARE
from datasets.surfaces import Surfaces
from datasets.targets import pose_targets
from models.nets import POSE_UNIT, POSE_WIDTHS, TABLE_WIDTHS, PoseNet

HEIGHT, WIDTH = 192, 256
SHORT_PX = (15.0, 64.0)
ABOVE_SHORT = 22.0  # px of a card's short side where the table is seen from above
ABOVE_SIZE, ABOVE_PX = (300, 380), (20.0, 50.0)  # the picture that is warped, and a card's short side in it
LR, WARMUP, WEIGHT_DECAY, EMA = 1.5e-3, 500, 1e-4, 0.999
BUFFER = 64  # scenes shuffled among each other
WORN = 6  # worn copies of each deck alive at a time


class DeckPool:
    """Worn copies of decks, renewed now and then. Kinds are drawn evenly, then decks by weight."""

    def __init__(self, arts: list[DeckArt], seed: int, weights: dict[str, float] | None = None, strength: float = 1.0) -> None:
        self._rng = np.random.default_rng([seed, 5])
        self._arts, self._strength = arts, strength
        self._kinds = sorted({a.kind for a in arts})
        self._weights = weights or {}
        self._worn: dict[str, list[WornDeck]] = {}

    def take(self, rng: np.random.Generator, kind: str | None = None) -> WornDeck:
        kind = kind or self._kinds[int(rng.integers(len(self._kinds)))]
        pool = [a for a in self._arts if a.kind == kind]
        p = np.array([self._weights.get(a.name, 1.0) for a in pool])
        art = pool[int(rng.choice(len(pool), p=p / p.sum()))]
        got = self._worn.setdefault(art.name, [])
        if len(got) < WORN or rng.random() < 0.012:
            deck = WornDeck(art, int(self._rng.integers(1 << 31)), self._strength, plain=bool(rng.random() < 0.08))
            if len(got) < WORN:
                got.append(deck)
            else:
                got[int(rng.integers(WORN))] = deck
            return deck
        return got[int(rng.integers(len(got)))]


def supplies(folders: list[str], seed: int, surfaces: str | None) -> tuple[np.random.Generator, DeckPool, Surfaces]:
    """What a worker renders scenes from: its own random numbers, decks and surfaces."""
    cv2.setNumThreads(1)
    info = torch.utils.data.get_worker_info()
    seed = seed * 100 + (info.id if info else 0)
    pool = DeckPool([load_deck(Path(f)) for f in folders], seed)
    return np.random.default_rng([seed, 9]), pool, Surfaces(seed, folder=Path(surfaces) if surfaces else None)


def mirrored(rng: np.random.Generator, scene: Scene) -> Scene:
    """The same scene seen in a mirror, in other colours: to a net that looks for any card at all, another scene at no cost."""
    h, w = scene.ids.shape
    upside = bool(rng.random() < 0.5)
    quads = scene.quads.copy()
    quads[..., 1 if upside else 0] = (h if upside else w) - 1 - quads[..., 1 if upside else 0]
    quads = quads[:, [1, 0, 3, 2]]  # clockwise again
    image = np.ascontiguousarray(scene.image[::-1] if upside else scene.image[:, ::-1])
    if rng.random() < 0.5:
        image = np.ascontiguousarray(image[..., rng.permutation(3)])
    lut = np.clip((np.linspace(0, 1, 256)[:, None] ** np.exp(rng.normal(0, 0.3, 3))) * 255 * rng.uniform(0.7, 1.15, 3), 0, 255).astype(np.uint8)
    image = cv2.LUT(image, lut[None])
    ids = np.ascontiguousarray(scene.ids[::-1] if upside else scene.ids[:, ::-1])
    return Scene(image, ids, quads, scene.names, scene.visible, quad_frames(quads))


class Scenes(IterableDataset):
    """Endless stream of training scenes."""

    def __init__(self, folders: list[str], seed: int, surfaces: str | None, above: bool = False) -> None:
        self.folders, self.seed, self.surfaces, self.above = folders, seed, surfaces, above

    def __iter__(self) -> Any:
        rng, pool, surf = supplies(self.folders, self.seed, self.surfaces)
        buffer: list[Scene] = []
        while True:
            deck = pool.take(rng)
            if self.above:
                new = random_scene(rng, deck, surf, *ABOVE_SIZE, ABOVE_PX)
                new = from_above(rng, new, ABOVE_SHORT / deck.size_mm[0] * float(rng.uniform(0.93, 1.07)), HEIGHT, WIDTH)
            else:
                new = random_scene(rng, deck, surf, HEIGHT, WIDTH, SHORT_PX)
            for item in (new, mirrored(rng, new)):
                if len(buffer) < BUFFER:
                    buffer.append(item)
                    continue
                k = int(rng.integers(BUFFER))
                scene, buffer[k] = buffer[k], item
                image = scene.image if rng.random() < 0.97 else np.repeat(scene.image.mean(2, keepdims=True).astype(np.uint8), 3, axis=2)
                kind, number, votes = pose_targets(scene.ids, scene.frames)
                yield np.ascontiguousarray(image.transpose(2, 0, 1)), kind, number, votes


def pose_loss(out: torch.Tensor, kind: torch.Tensor, number: torch.Tensor, votes: torch.Tensor) -> tuple[torch.Tensor, dict[str, float]]:
    """Card, hand and join cross-entropies, and the Laplace likelihood of the votes; thin strips weigh nearly as much as whole cards."""
    card, hand = (kind == 1), (kind == 2)
    b = out.shape[0]
    flat = (number.long() + 256 * torch.arange(b, device=out.device)[:, None, None]).flatten()
    count = torch.bincount(flat, minlength=256 * b).float()
    weight = (count[flat].view_as(card).clamp(min=1)).rsqrt() * card
    weight = weight / weight.sum().clamp(min=1e-3)
    l_card = F.binary_cross_entropy_with_logits(out[:, 0], card.float())
    l_hand = F.binary_cross_entropy_with_logits(out[:, 1], hand.float())
    delta = (out[:, 2:10] - votes).unflatten(1, (4, 2))  # centre, right and lower half axis, projective part
    length = (delta.square().sum(2) + 1e-6).sqrt() * torch.tensor([1.5, 1, 1, 0.7], device=out.device)[None, :, None, None]
    err = length.sum(1) / 3
    log_s = out[:, 10].clamp(-4, 2)
    l_vote = ((err * torch.exp(-log_s) + log_s) * weight).sum()
    n = number.long()
    jx = (n[:, :, 1:] == n[:, :, :-1]).float()
    jy = (n[:, 1:] == n[:, :-1]).float()
    mx = (card[:, :, 1:] & card[:, :, :-1]).float()
    my = (card[:, 1:] & card[:, :-1]).float()
    lx = F.binary_cross_entropy_with_logits(out[:, 11, :, :-1], jx, reduction="none") * mx * (1 + 3 * (1 - jx))
    ly = F.binary_cross_entropy_with_logits(out[:, 12, :-1], jy, reduction="none") * my * (1 + 3 * (1 - jy))
    l_join = lx.sum() / mx.sum().clamp(min=1) + ly.sum() / my.sum().clamp(min=1)
    loss = 2 * l_card + l_hand + l_vote + 0.5 * l_join
    with torch.no_grad():
        px = (length[:, 0] * weight).sum() * POSE_UNIT / 1.5
    return loss, {"loss": loss.item(), "card": l_card.item(), "hand": l_hand.item(), "vote": l_vote.item(), "px": px.item(), "join": l_join.item()}


class Averaged:
    """Running average of a model's weights: what is exported."""

    def __init__(self, model: torch.nn.Module) -> None:
        self.state = {k: v.detach().clone() for k, v in model.state_dict().items()}

    def update(self, model: torch.nn.Module, step: int) -> None:
        d = min(EMA, (1 + step) / (20 + step))
        with torch.no_grad():
            for k, v in model.state_dict().items():
                if v.dtype.is_floating_point:
                    self.state[k].mul_(d).add_(v, alpha=1 - d)
                else:
                    self.state[k].copy_(v)


def train(model: torch.nn.Module, loader: DataLoader, step_loss: Any, args: argparse.Namespace) -> None:
    """The loop both trainers share: warm-up, constant rate, linear decay over the last part of `--minutes` when `--decay` is given."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_num_threads(1)
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    model.to(device, memory_format=torch.channels_last)
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=WEIGHT_DECAY)
    step, hours = 0, 0.0
    avg = Averaged(model)
    ckpt = out / "last.pt"
    if ckpt.exists():
        c = torch.load(ckpt, map_location=device, weights_only=True)
        model.load_state_dict(c["model"])
        opt.load_state_dict(c["opt"])
        avg.state, step, hours = c["ema"], c["step"], c["hours"]
        print(f"resumed at step {step}, {hours:.2f} h", flush=True)
    start = saved = time.monotonic()
    logs: dict[str, float] = {}
    stop: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: stop.append(number))  # asked to stop: save first
    model.train()
    for batch in loader:
        t = (time.monotonic() - start) / 60
        rate = args.lr * min(1.0, (step + 1) / WARMUP)
        if args.decay:
            rate *= max(0.02, min(1.0, (args.minutes - t) / args.decay))
        for g in opt.param_groups:
            g["lr"] = rate
        loss, parts = step_loss(model, [x.to(device) for x in batch])
        opt.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        step += 1
        avg.update(model, step)
        for k, v in parts.items():
            logs[k] = 0.98 * logs.get(k, v) + 0.02 * v
        done = bool(stop) or t >= args.minutes or not math.isfinite(parts["loss"])
        if time.monotonic() - saved > 240 or done:
            saved = time.monotonic()
            tmp = out / "tmp.pt"
            torch.save({"model": model.state_dict(), "opt": opt.state_dict(), "ema": avg.state, "step": step, "hours": hours + t / 60}, tmp)
            tmp.replace(ckpt)
            (out / "state.json").write_text(json.dumps({"step": step, "hours": hours + t / 60, "batch": args.batch, **logs}))
        if step % 100 == 0 or done:
            print(f"step {step} {hours * 60 + t:.1f} min " + " ".join(f"{k} {v:.4f}" for k, v in logs.items()), flush=True)
        if done:
            break


def sources(folders: list[str], surfaces: str | None = None) -> list[dict[str, str | float]]:
    """Name, licence and share of each deck trained on, and of the pictures of surfaces; the licence from `SOURCE.txt`, or the project's own."""
    found: list[dict[str, str | float]] = []
    for f in dict.fromkeys(map(Path, [*folders, *([surfaces] if surfaces else [])])):
        text = (f / "SOURCE.txt").read_text(encoding="utf-8") if (f / "SOURCE.txt").exists() else ""
        line = next((x.split(":", 1)[1].strip() for x in text.splitlines() if x.lower().startswith("licence:")), "")
        times = sum(Path(x) == f for x in folders)
        share = round(times / len(folders), 4) if times else SURFACES_SHARE
        found.append({"name": f.name, "licence": line or "MIT, drawn by this project", "share": share})
    return found


def record(args: argparse.Namespace, module: str) -> None:
    """Keep beside the checkpoint what the model card must say: sources, seed, device, command."""
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU, one thread"
    kind = f" --kind {args.kind}" if hasattr(args, "kind") else ""
    above = " --above" if getattr(args, "above", False) else ""
    surfaces = f" --surfaces {Path(args.surfaces).name}" if args.surfaces else ""
    art = " ".join(Path(f).name for f in args.art)
    command = f"python -m {module}{kind}{above} --art {art}{surfaces} --batch {args.batch} --lr {args.lr} --seed {args.seed}"
    before = json.loads((out / "sources.json").read_text()) if (out / "sources.json").exists() else {}
    start = Path(args.start).name if getattr(args, "start", None) else before.get("start", "")  # a resumed run began where it once began
    said = {"seed": args.seed, "device": device, "command": command, "start": start, "sources": sources(args.art, args.surfaces)}
    (out / "sources.json").write_text(json.dumps(said))


def arguments(doc: str | None) -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(description=doc)
    p.add_argument("--art", nargs="+", required=True, help="deck folders to train on; one named twice is seen twice as often")
    p.add_argument("--surfaces", help="folder of pictures of real surfaces")
    p.add_argument("--out", required=True)
    p.add_argument("--minutes", type=float, default=120)
    p.add_argument("--decay", type=float, default=0, help="minutes of falling learning rate at the end")
    p.add_argument("--batch", type=int, default=12)
    p.add_argument("--workers", type=int, default=1)
    p.add_argument("--lr", type=float, default=LR)
    p.add_argument("--seed", type=int, default=1)
    return p


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--above", action="store_true", help="for tables whose plane is known: scenes warped to it, all cards of one size")
    parser.add_argument("--start", help="a run whose weights to begin with, layer by layer where the shapes agree")
    args = parser.parse_args()
    record(args, "models.train_pose")
    torch.manual_seed(args.seed)
    seed = args.seed + int(time.time()) % 100000 if (Path(args.out) / "last.pt").exists() else args.seed  # a resumed run sees new scenes
    scenes = Scenes(args.art, seed, args.surfaces, args.above)
    loader = DataLoader(scenes, batch_size=args.batch, num_workers=args.workers, prefetch_factor=3 if args.workers else None)

    def step_loss(model: torch.nn.Module, batch: list[torch.Tensor]) -> tuple[torch.Tensor, dict[str, float]]:
        image = (batch[0].float() / 255).contiguous(memory_format=torch.channels_last)
        return pose_loss(model(image), *batch[1:])

    net = PoseNet(TABLE_WIDTHS if args.above else POSE_WIDTHS)
    if args.start:
        fresh = net.state_dict()
        old = torch.load(Path(args.start) / "last.pt", map_location="cpu", weights_only=True)["ema"]
        net.load_state_dict(fresh | {k: v for k, v in old.items() if v.shape == fresh[k].shape})
    train(net, loader, step_loss, args)


if __name__ == "__main__":
    main()
