"""`kibitz bench`: times on this machine, as ratios taken in one run, since machines differ and are busy."""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import onnxruntime as ort

from vision.above import above_size
from vision.detect import Detector
from vision.files import shipped
from vision.net import load_net

ROUNDS = 50
TABLE_MM, CARD_MM = (780.0, 480.0), (35.0, 54.0)  # a two-player table of hwatu, as the bundled clip shows
YOLO = (640, 640)  # what a YOLOv8n takes of any frame


def interleaved(jobs: dict[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """Median milliseconds of each job, run in turn so that a slow moment hits all of them."""
    times: dict[str, list[float]] = {k: [] for k in jobs}
    for k in jobs:
        jobs[k]()
    for _ in range(rounds):
        for k, job in jobs.items():
            start = time.perf_counter()
            job()
            times[k].append((time.perf_counter() - start) * 1000)
    return {k: statistics.median(v) for k, v in times.items()}


def detector() -> dict[str, Any]:
    """PoseNet as the live pipeline runs it, against a network of YOLOv8n's shape and size, one thread each."""
    pose = load_net("table")
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    yolo = ort.InferenceSession(str(shipped("models", "yolov8n-size.onnx")), options, providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(1)
    width, height = above_size(TABLE_MM, CARD_MM)
    frame = rng.integers(0, 256, (1, height, width, 3), np.uint8)
    square = rng.random((1, 3, *YOLO), np.float32)
    same = rng.random((1, 3, 384, 640), np.float32)
    t = interleaved({
        "detector_ms": lambda: pose(image=frame), "yolov8n_ms": lambda: yolo.run(None, {"image": square}),
        "yolov8n_same_size_ms": lambda: yolo.run(None, {"image": same}),
    })
    return {
        **{k: round(v, 2) for k, v in t.items()}, "ratio": round(t["yolov8n_ms"] / t["detector_ms"], 2),
        "ratio_same_size": round(t["yolov8n_same_size_ms"] / t["detector_ms"], 2), "sha256": pose.sha256,
        "detector_input": [height, width], "yolov8n_input": list(YOLO),
    }


def identity() -> dict[str, Any]:
    """IdentityNet on as many crops as a full table has."""
    from vision.identify import CROP_H, CROP_W, Identifier

    out: dict[str, Any] = {}
    for kind, cards in (("hwatu", 48), ("french", 52)):
        identifier = Identifier(kind)
        crops = np.random.default_rng(1).integers(0, 256, (cards, 4, CROP_H, CROP_W), np.uint8)

        def read(identifier: Identifier = identifier, crops: np.ndarray = crops) -> object:
            return identifier.probabilities(identifier.embed(crops)[0])

        out[f"identity_{kind}_ms"] = round(interleaved({"t": read}, 7)["t"], 2)
    return out


def reader() -> dict[str, Any]:
    """A photograph of 1600 × 1200 px through `kibitz read`'s detector."""
    d = Detector()
    image = np.random.default_rng(1).integers(0, 256, (1200, 1600, 3), np.uint8)
    image = cv2.GaussianBlur(image, (0, 0), 5).astype(np.uint8)
    return {"read_detector_ms": round(interleaved({"t": lambda: d.search(image)}, 5)["t"], 1)}


def main(args: argparse.Namespace) -> int:
    """Print what was measured, as JSON or one line each."""
    cv2.setNumThreads(1)
    out: dict[str, Any] = {}
    everything = not (args.scorer or args.pipeline)
    if everything:
        out |= detector() | identity() | reader()
    if everything or args.pipeline:
        from webui.bench_pipeline import pipeline

        out |= pipeline()
    if everything or args.scorer:
        from scorer.games.gostop.simulate import bench

        out |= bench(time.perf_counter)
    if args.json:
        print(json.dumps(out))
    else:
        for k, v in out.items():
            print(f"{k:24s} {v}")
    return 0
