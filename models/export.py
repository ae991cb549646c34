"""Write a trained checkpoint as ONNX with its model card and, for identity, the deck's prototypes.

    python -m models.export pose build/pose
    python -m models.export hwatu build/hwatu

Arithmetic is int8 (see `models.quantize`) unless `--float` is given. Weights that stay in float are stored as int8 or float16 and widened
when loaded; the input is uint8.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from torch import Tensor, nn

from models.nets import (
    GLYPH_CHANNELS,
    INDEX_CHANNELS,
    OUTLINE_CHANNELS,
    POSE_CHANNELS,
    POSE_WIDTHS,
    TABLE_WIDTHS,
    GlyphNet,
    IdentityNet,
    IndexNet,
    OutlineNet,
    PoseNet,
)  # fmt: skip
from models.quantize import close_ups, crops, glyphs, quantize, scenes, windows
from models.train_identity import classes
from models.train_index import Both
from vision.outline import SIDE_PX

HERE = Path(__file__).parent


def _take_bytes(conv: nn.Module) -> None:
    """Let a first convolution take 0..255 instead of 0..1: dividing every pixel cost an eighth of IdentityNet's time."""
    assert isinstance(conv, nn.Conv2d)
    conv.weight.data /= 255


class PoseGraph(nn.Module):
    """uint8 (B, H, W, planes) → votes (B, channels, H/4, W/4)."""

    def __init__(self, net: PoseNet | IndexNet) -> None:
        super().__init__()
        self.net = net
        _take_bytes(net.stem[0][0])

    def forward(self, image: Tensor) -> Tensor:
        return self.net(image.permute(0, 3, 1, 2).float())


class GlyphGraph(nn.Module):
    """uint8 (B, 48, 32, 3) → logits (B, 18)."""

    def __init__(self, net: GlyphNet) -> None:
        super().__init__()
        self.net = net
        _take_bytes(net.body[0][0])

    def forward(self, glyphs: Tensor) -> Tensor:
        return self.net(glyphs.permute(0, 3, 1, 2).float())


class IdentityGraph(nn.Module):
    """uint8 (B, 4, 144, 96) → vectors (B, 128), ends (B, 1)."""

    def __init__(self, net: IdentityNet) -> None:
        super().__init__()
        self.net = net
        _take_bytes(net.body[0][0])

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor]:
        return self.net(crops.float(), crops[:, 3:4].float() / 255)


def shrink(model: onnx.ModelProto) -> onnx.ModelProto:
    """Store weights small: layers of 4,096 weights and more as int8 with a scale for each output channel, others as float16.

    Cast and Mul restore them; the runtime folds both when it loads the graph, so nothing runs slower.
    """
    graph = model.graph
    steps = {name for node in graph.node if node.op_type in ("QuantizeLinear", "DequantizeLinear") for name in node.input[1:]}
    nodes = []
    for init in list(graph.initializer):
        size = int(np.prod(init.dims))
        if init.data_type != onnx.TensorProto.FLOAT or size < 256 or init.name in steps:
            continue
        weights = numpy_helper.to_array(init)
        if size < 4096 and np.abs(weights).max() < 0.02:  # too small for float16
            continue
        graph.initializer.remove(init)
        if weights.ndim in (2, 4) and size >= 4096:
            step = np.maximum(np.abs(weights).max(axis=tuple(range(1, weights.ndim)), keepdims=True) / 127, 1e-12).astype(np.float32)
            graph.initializer.append(numpy_helper.from_array(np.round(weights / step).astype(np.int8), init.name + "_int8"))
            graph.initializer.append(numpy_helper.from_array(step, init.name + "_step"))
            nodes.append(helper.make_node("Cast", [init.name + "_int8"], [init.name + "_wide"], to=onnx.TensorProto.FLOAT))
            nodes.append(helper.make_node("Mul", [init.name + "_wide", init.name + "_step"], [init.name]))
        else:
            graph.initializer.append(numpy_helper.from_array(weights.astype(np.float16), init.name + "_half"))
            nodes.append(helper.make_node("Cast", [init.name + "_half"], [init.name], to=onnx.TensorProto.FLOAT))
    for node in reversed(nodes):
        graph.node.insert(0, node)
    return brief(model)


def brief(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same network, its inner names short: spelt out they were a thirtieth of the file."""
    graph = model.graph
    kept = {value.name for value in (*graph.input, *graph.output)}
    names: dict[str, str] = {}

    def short(name: str) -> str:
        return name if not name or name in kept else names.setdefault(name, f"{len(names):x}")

    for init in graph.initializer:
        init.name = short(init.name)
    for node in graph.node:
        node.name = node.doc_string = ""
        node.input[:] = [short(x) for x in node.input]
        node.output[:] = [short(x) for x in node.output]
    del graph.value_info[:]
    onnx.checker.check_model(model)
    return model


@dataclass(frozen=True)
class Form:
    """How a network is written: what goes in and comes out, a sample to trace it with, samples to measure ranges on."""

    net: nn.Module
    graph: nn.Module
    sample: Tensor
    takes: str
    gives: str
    axes: dict[str, dict[int, str]]  # free axes by input and output; the first is the input
    labels: list[str]
    ranges: Iterator[dict[str, np.ndarray]]


def form(name: str, weights: dict[str, Tensor]) -> Form:
    """The network `name` with trained weights."""
    if name in ("pose", "table"):
        pose = PoseNet(TABLE_WIDTHS if name == "table" else POSE_WIDTHS)
        pose.load_state_dict(weights)
        return Form(
            pose, PoseGraph(pose.eval()), torch.zeros(1, 64, 64, 3, dtype=torch.uint8), "image: uint8 (1, H, W, 3) BGR, sides multiples of 32",
            "votes: float32 (1, 13, H/4, W/4)", {"image": {1: "h", 2: "w"}, "votes": {2: "h4", 3: "w4"}}, list(POSE_CHANNELS), scenes(name == "table"),
        )  # fmt: skip
    if name == "outline":
        outline = OutlineNet()
        outline.load_state_dict(weights)
        w, h = SIDE_PX
        return Form(
            outline, PoseGraph(outline.eval()), torch.zeros(2, h, w, 4, dtype=torch.uint8), f"closeups: uint8 (N, {h}, {w}, 4): B, G, R and a dot on the card",
            f"votes: float32 (N, {len(OUTLINE_CHANNELS)}, {h // 4}, {w // 4})", {"closeups": {0: "n"}, "votes": {0: "n"}}, list(OUTLINE_CHANNELS), close_ups(),
        )  # fmt: skip
    if name in ("index", "glyph"):
        both = Both()
        both.load_state_dict(weights)
        if name == "index":
            sample = torch.zeros(1, 64, 64, 3, dtype=torch.uint8)
            return Form(
                both.index, PoseGraph(both.index.eval()), sample, "image: uint8 (1, H, W, 3) BGR, sides multiples of 16",
                f"cells: float32 (1, {len(INDEX_CHANNELS)}, H/4, W/4)", {"image": {1: "h", 2: "w"}, "cells": {2: "h4", 3: "w4"}},
                list(INDEX_CHANNELS), windows(),
            )  # fmt: skip
        return Form(
            both.glyph, GlyphGraph(both.glyph.eval()), torch.zeros(2, 48, 32, 3, dtype=torch.uint8), "glyphs: uint8 (N, 48, 32, 3) BGR",
            f"logits: float32 (N, {len(GLYPH_CHANNELS)})", {"glyphs": {0: "n"}, "logits": {0: "n"}}, list(GLYPH_CHANNELS), glyphs(),
        )  # fmt: skip
    labels = classes(name)
    identity = IdentityNet(len(labels))
    identity.load_state_dict(weights)
    return Form(
        identity, IdentityGraph(identity.eval()), torch.zeros(2, 4, 144, 96, dtype=torch.uint8),
        "crops: uint8 (N, 4, 144, 96): B, G, R and where the card shows",
        "vectors: float32 (N, 128) of length 1; ends: float32 (N, 1) logit of upside down",
        {"crops": {0: "n"}, "vectors": {0: "n"}, "ends": {0: "n"}}, labels, crops(name),
    )  # fmt: skip


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("name", choices=["pose", "table", "outline", "index", "glyph", "hwatu", "french", "numbers"])
    p.add_argument("run", type=Path, help="folder of the training run")
    p.add_argument("--out", type=Path, default=HERE)
    p.add_argument("--float", action="store_true", help="keep float32 arithmetic")
    a = p.parse_args()
    ckpt = torch.load(a.run / "last.pt", map_location="cpu", weights_only=True)
    state = json.loads((a.run / "state.json").read_text())
    f = form(a.name, ckpt["ema"])
    names = list(f.axes)
    buffer = io.BytesIO()
    torch.onnx.export(f.graph, (f.sample,), buffer, input_names=names[:1], output_names=names[1:], dynamic_axes=f.axes, opset_version=17, dynamo=False)
    model = onnx.load_from_string(buffer.getvalue())
    if not a.float:
        model = quantize(model, f.ranges)
    data = shrink(model).SerializeToString()
    a.out.mkdir(exist_ok=True, parents=True)
    (a.out / f"{a.name}.onnx").write_bytes(data)
    if isinstance(f.net, IdentityNet):
        (a.out / "decks").mkdir(exist_ok=True)
        np.savez_compressed(
            a.out / "decks" / f"{a.name}.npz",
            kind=a.name,
            names=np.array(f.labels),
            vectors=f.net.proxies.detach().numpy().astype(np.float16),
            scale=float(f.net.scale),
        )
    sources = json.loads((a.run / "sources.json").read_text())
    card = [
        f'sha256 = "{hashlib.sha256(data).hexdigest()}"',
        f"input = {json.dumps(f.takes)}",
        f"outputs = {json.dumps(f.gives)}",
        f"labels = {json.dumps(f.labels)}",
        f"seed = {sources['seed']}",
        f"hours = {state['hours']:.2f}",
        f"steps = {state['step']}",
        f"batch = {state['batch']}",
        f"arithmetic = {json.dumps('float32' if a.float else 'int8')}",
        f"parameters = {sum(q.numel() for q in f.net.parameters())}",
        f'device = "{sources["device"]}"',
        f"command = {json.dumps(sources['command'])}",
        *([f"start = {json.dumps(sources['start'])}  # a run whose layers it began with"] if sources.get("start") else []),
        "",
        "[metrics]",
        *(f"{k} = {v:.4f}" for k, v in state.items() if isinstance(v, float) and k not in ("hours",)),
    ]
    for s in sources["sources"]:
        card += ["", "[[sources]]", *(f"{k} = {json.dumps(v)}" for k, v in s.items())]
    (a.out / f"{a.name}.toml").write_text("\n".join(card) + "\n", encoding="utf-8")
    print(f"{a.out / a.name}.onnx {len(data)} bytes, {state['step']} steps, {state['hours']:.2f} h")


if __name__ == "__main__":
    main()
