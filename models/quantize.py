"""Int8 arithmetic for a network: twice as fast on one core where the processor has dot products of bytes (VNNI); docs/training.md says what
it costs.

Activations are measured on rendered scenes of the project's own decks. Weights take seven bits, since processors without VNNI add pairs of
products in 16 bits. What looks at single pixels (PoseNet's stem, its finest layer and its head) stays in float32.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

from datasets.art import load_deck
from datasets.scene import from_above, random_scene
from datasets.surfaces import Surfaces
from models.train_identity import Crops
from models.train_index import Windows
from models.train_outline import CloseUps
from models.train_pose import ABOVE_PX, ABOVE_SHORT, ABOVE_SIZE, HEIGHT, SHORT_PX, WIDTH, DeckPool

SAMPLES = 96
SEED = 4242
IN_FLOAT = ("stem", "u4", "head")  # parts of PoseNet
DECKS = Path(__file__).parents[1] / "datasets" / "decks"


class _Samples(CalibrationDataReader):
    """Inputs one after another, as the library asks for them."""

    def __init__(self, samples: Iterator[dict[str, NDArray[np.uint8]]]) -> None:
        self._samples = samples

    def get_next(self) -> dict[str, NDArray[np.uint8]] | None:
        return next(self._samples, None)


def _own() -> list[str]:
    return [str(p.parent) for p in sorted(DECKS.glob("*/deck.toml"))]


def scenes(above: bool, count: int = SAMPLES) -> Iterator[dict[str, NDArray[np.uint8]]]:
    """Rendered pictures as PoseNet gets them: image (1, H, W, 3) uint8 BGR."""
    cv2.setNumThreads(1)
    pool, surfaces, rng = DeckPool([load_deck(Path(f)) for f in _own()], SEED), Surfaces(SEED), np.random.default_rng(SEED)
    for _ in range(count):
        deck = pool.take(rng)
        if above:
            scene = from_above(rng, random_scene(rng, deck, surfaces, *ABOVE_SIZE, ABOVE_PX), ABOVE_SHORT / deck.size_mm[0], HEIGHT, WIDTH)
        else:
            scene = random_scene(rng, deck, surfaces, HEIGHT, WIDTH, SHORT_PX)
        yield {"image": scene.image[None]}


def close_ups(count: int = SAMPLES) -> Iterator[dict[str, NDArray[np.uint8]]]:
    """Close-ups of rendered cards as OutlineNet gets them: closeups (8, 160, 128, 4) uint8."""
    stream = iter(CloseUps(_own(), SEED, None))
    for _ in range(count):
        yield {"closeups": np.stack([next(stream)[0].transpose(1, 2, 0) for _ in range(8)])}


def windows(count: int = SAMPLES) -> Iterator[dict[str, NDArray[np.uint8]]]:
    """Windows of rendered scenes as IndexNet gets them: image (1, 160, 160, 3) uint8 BGR."""
    stream = iter(Windows(_own(), SEED, None))
    for _ in range(count):
        yield {"image": np.ascontiguousarray(next(stream)[0].transpose(1, 2, 0))[None]}


def glyphs(count: int = SAMPLES) -> Iterator[dict[str, NDArray[np.uint8]]]:
    """Corner indices cut out of rendered scenes as GlyphNet gets them: glyphs (N, 48, 32, 3) uint8 BGR."""
    stream = iter(Windows(_own(), SEED, None))
    for _ in range(count):
        yield {"glyphs": np.ascontiguousarray(next(stream)[4].transpose(0, 2, 3, 1))}


def crops(kind: str, count: int = SAMPLES) -> Iterator[dict[str, NDArray[np.uint8]]]:
    """Crops of rendered cards as IdentityNet gets them: crops (8, 4, 144, 96) uint8."""
    stream = iter(Crops(_own(), kind, SEED, None))
    for _ in range(count):
        yield {"crops": np.stack([np.asarray(next(stream)[0], np.uint8) for _ in range(8)])}


def quantize(model: onnx.ModelProto, samples: Iterator[dict[str, NDArray[Any]]]) -> onnx.ModelProto:
    """The network (convolutions with weights in float32) with int8 arithmetic, its ranges taken from the samples."""
    spared = [n.name for n in model.graph.node if n.op_type == "Conv" and any(f"/{part}/" in n.name for part in IN_FLOAT)]
    with tempfile.TemporaryDirectory() as folder:
        whole, small = Path(folder, "float.onnx"), Path(folder, "int8.onnx")
        onnx.save(model, str(whole))
        quantize_static(
            str(whole), str(small), _Samples(samples), quant_format=QuantFormat.QDQ, per_channel=True, reduce_range=True,
            activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, nodes_to_exclude=spared,
            op_types_to_quantize=["Conv", "Add", "DepthToSpace", "Relu"],
        )  # fmt: skip
        return _from_bytes(onnx.load(str(small)))


def _from_bytes(model: onnx.ModelProto) -> onnx.ModelProto:
    """Where the uint8 input is widened only to be made uint8 again, it goes in as it is."""
    graph = model.graph
    makes = {output: node for node in graph.node for output in node.output}
    for node in [n for n in graph.node if n.op_type == "QuantizeLinear"]:
        cast = makes.get(node.input[0])
        if cast is None or cast.op_type != "Cast" or cast.input[0] != graph.input[0].name:
            continue
        one, zero = f"{node.name}_one", f"{node.name}_zero"
        graph.initializer.extend([numpy_helper.from_array(np.float32(1), one), numpy_helper.from_array(np.uint8(0), zero)])
        for user in graph.node:
            if user.op_type == "DequantizeLinear" and user.input[0] == node.output[0]:
                user.input[:] = [cast.input[0], one, zero]
        graph.node.remove(node)
        if not any(cast.output[0] in n.input for n in graph.node):
            graph.node.remove(cast)
    onnx.checker.check_model(model)
    return model
