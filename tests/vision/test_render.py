"""Rendered pictures and their truth, by the command."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets import render
from scorer.cards import HWATU

HWATU_ART = str(Path(__file__).parents[2] / "datasets" / "decks" / "hwatu")
ART = ["--deck", "hwatu", "--art", HWATU_ART]


def truth(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "truth.jsonl").read_text().splitlines()]


def test_a_deck_laid_out_shows_every_face_once_and_whole(tmp_path: Path) -> None:
    assert render.main(["laid", *ART, "--wear", "5", "--seed", "2", "--size", "800", "600", "--out", str(tmp_path)]) == 0
    (row,) = truth(tmp_path)
    assert set(HWATU) <= {c["card"] for c in row["cards"]}
    assert len({c["card"] for c in row["cards"]}) == len(row["cards"])
    assert min(c["visible"] for c in row["cards"]) > 0.95
    quads = np.array([c["quad"] for c in row["cards"]])
    assert (quads > 0).all()
    assert (quads < [800, 600]).all()


@pytest.mark.parametrize("wear", [[], ["--wear", "5"]])
def test_a_seed_gives_the_same_pictures_every_time(tmp_path: Path, wear: list[str]) -> None:
    pictures = []
    for k in range(2):
        out = tmp_path / str(k)
        assert render.main(["scenes", *ART, *wear, "--seed", "3", "--count", "2", "--size", "320", "192", "--most", "6", "--out", str(out)]) == 0
        pictures.append([cv2.imread(str(out / row["image"])) for row in truth(out)])
    assert all(np.array_equal(a, b) for a, b in zip(*pictures, strict=True))
    assert len(pictures[0]) == 2


def test_a_folder_without_a_deck_is_said_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert render.main(["laid", "--deck", "hwatu", "--art", str(tmp_path), "--wear", "1", "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
