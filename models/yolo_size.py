"""Make `yolov8n-size.onnx`: a network of YOLOv8n's shape and size, the yardstick of `kibitz bench`. It detects nothing.

    python -m models.yolo_size

Its weights are a formula in the graph (sines of a counter, folded when it is loaded), so the file is small and nobody's weights are in it.
The shape (3.2 M parameters, 8.7 GFLOP at 640 × 640) is the published one: a CSP backbone, a path-aggregation neck, three anchor-free heads.
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from torch import Tensor, nn

OUT = Path(__file__).parent / "yolov8n-size.onnx"


class ConvSiLU(nn.Sequential):
    def __init__(self, a: int, b: int, k: int = 1, s: int = 1) -> None:
        super().__init__(nn.Conv2d(a, b, k, s, k // 2), nn.SiLU())


class Split(nn.Module):
    """Cross-stage block: two halves, n bottlenecks on one, all parts joined."""

    def __init__(self, a: int, b: int, n: int, skip: bool) -> None:
        super().__init__()
        self.c, self.skip = b // 2, skip
        self.first, self.last = ConvSiLU(a, b), ConvSiLU((2 + n) * self.c, b)
        self.parts = nn.ModuleList(nn.Sequential(ConvSiLU(self.c, self.c, 3), ConvSiLU(self.c, self.c, 3)) for _ in range(n))

    def forward(self, x: Tensor) -> Tensor:
        y = list(self.first(x).split((self.c, self.c), 1))
        for m in self.parts:
            y.append(y[-1] + m(y[-1]) if self.skip else m(y[-1]))
        return self.last(torch.cat(y, 1))


class Pools(nn.Module):
    def __init__(self, c: int) -> None:
        super().__init__()
        self.first, self.last, self.pool = ConvSiLU(c, c // 2), ConvSiLU(2 * c, c), nn.MaxPool2d(5, 1, 2)

    def forward(self, x: Tensor) -> Tensor:
        y = [self.first(x)]
        for _ in range(3):
            y.append(self.pool(y[-1]))
        return self.last(torch.cat(y, 1))


class YoloSize(nn.Module):
    """(1, 3, 640, 640) → (1, 64 + classes, 8400)."""

    def __init__(self, classes: int = 52) -> None:
        super().__init__()
        self.b1 = nn.Sequential(ConvSiLU(3, 16, 3, 2), ConvSiLU(16, 32, 3, 2), Split(32, 32, 1, True), ConvSiLU(32, 64, 3, 2), Split(64, 64, 2, True))
        self.b2 = nn.Sequential(ConvSiLU(64, 128, 3, 2), Split(128, 128, 2, True))
        self.b3 = nn.Sequential(ConvSiLU(128, 256, 3, 2), Split(256, 256, 1, True), Pools(256))
        self.n1, self.n2 = Split(384, 128, 1, False), Split(192, 64, 1, False)
        self.d1, self.n3 = ConvSiLU(64, 64, 3, 2), Split(192, 128, 1, False)
        self.d2, self.n4 = ConvSiLU(128, 128, 3, 2), Split(384, 256, 1, False)
        side = max(64, min(classes, 100))
        self.box = nn.ModuleList(nn.Sequential(ConvSiLU(c, 64, 3), ConvSiLU(64, 64, 3), nn.Conv2d(64, 64, 1)) for c in (64, 128, 256))
        self.cls = nn.ModuleList(nn.Sequential(ConvSiLU(c, side, 3), ConvSiLU(side, side, 3), nn.Conv2d(side, classes, 1)) for c in (64, 128, 256))
        self.up = nn.Upsample(scale_factor=2)

    def forward(self, x: Tensor) -> Tensor:
        p3 = self.b1(x)
        p4 = self.b2(p3)
        p5 = self.b3(p4)
        m4 = self.n1(torch.cat([self.up(p5), p4], 1))
        o3 = self.n2(torch.cat([self.up(m4), p3], 1))
        o4 = self.n3(torch.cat([self.d1(o3), m4], 1))
        o5 = self.n4(torch.cat([self.d2(o4), p5], 1))
        return torch.cat([torch.cat([b(o), c(o)], 1).flatten(2) for o, b, c in zip((o3, o4, o5), self.box, self.cls, strict=True)], 2)


def by_formula(model: onnx.ModelProto) -> onnx.ModelProto:
    """Replace large initializers by Sin(Range · k) · scale, which the runtime folds when it loads the graph."""
    graph, nodes = model.graph, []
    for init in list(graph.initializer):
        if init.data_type != onnx.TensorProto.FLOAT or np.prod(init.dims) < 64:
            continue
        n, name = int(np.prod(init.dims)), init.name
        fan = max(1, n // int(init.dims[0]))
        graph.initializer.remove(init)
        made = {
            "0": np.float32(0),
            "n": np.float32(n),
            "1": np.float32(1),
            "k": np.float32(12.9898),
            "s": np.float32(1.2 / np.sqrt(fan)),
            "d": np.array(init.dims, np.int64),
        }
        graph.initializer.extend(numpy_helper.from_array(np.asarray(v), f"{name}_{k}") for k, v in made.items())
        nodes += [
            helper.make_node("Range", [f"{name}_0", f"{name}_n", f"{name}_1"], [f"{name}_r"]),
            helper.make_node("Mul", [f"{name}_r", f"{name}_k"], [f"{name}_m"]),
            helper.make_node("Sin", [f"{name}_m"], [f"{name}_i"]),
            helper.make_node("Mul", [f"{name}_i", f"{name}_s"], [f"{name}_t"]),
            helper.make_node("Reshape", [f"{name}_t", f"{name}_d"], [name]),
        ]
    for node in reversed(nodes):
        graph.node.insert(0, node)
    onnx.checker.check_model(model)
    return model


def main() -> None:
    net = YoloSize().eval()
    buffer = io.BytesIO()
    torch.onnx.export(
        net,
        (torch.zeros(1, 3, 640, 640),),
        buffer,
        input_names=["image"],
        output_names=["out"],
        dynamic_axes={"image": {2: "h", 3: "w"}, "out": {2: "n"}},
        opset_version=17,
        dynamo=False,
    )
    OUT.write_bytes(by_formula(onnx.load_from_string(buffer.getvalue())).SerializeToString())
    print(f"{OUT.name}: {sum(p.numel() for p in net.parameters()) / 1e6:.2f} M parameters, {OUT.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
