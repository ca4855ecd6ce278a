"""The comparison of image, labels and both together."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import bench_labels
from NoisyLabelSegLib.cases import Case, Geometry, Image
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import DEFAULT


def record(seed: int, together: float) -> dict[str, object]:
    figures = {"image alone": 0.5, "labels alone": 0.7, "together": together}
    settings = list(bench_labels.STUDIES["mnist"][1])
    return {"study": "mnist", "seed": seed, "fusion": DEFAULT, "settings": settings, "rows": {"all": figures}}


def test_a_row_has_the_mean_and_spread_over_seeds() -> None:
    found = bench_labels.summarized([record(1, 0.8), record(2, 0.9)])
    image, labels, together = found["mnist", "all"]
    assert (image, labels) == ((0.5, 0.0), (pytest.approx(0.7), pytest.approx(0.0)))
    assert together == (pytest.approx(0.85), pytest.approx(0.1 / 2**0.5))


def test_a_finished_training_is_read_and_one_with_another_fusion_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mnist-seed1.json"
    file.write_text(json.dumps(record(1, 0.8)))
    assert bench_labels.measure("mnist", 1, tmp_path, tmp_path)["rows"]["all"]["together"] == 0.8
    file.write_text(json.dumps({**record(1, 0.8), "fusion": "none"}))
    with pytest.raises(UserError, match="other settings"):
        bench_labels.measure("mnist", 1, tmp_path, tmp_path)


def test_simulated_annotators_are_compared_with_the_truth_and_readers_with_each_other() -> None:
    labels = {name: np.full((2, 2), place) for place, name in enumerate(("good", "over", "under"))}
    truth = Image(np.ones((2, 2), dtype=np.uint8), Geometry.plain((2, 2)))
    rows = list(bench_labels._rows(Case("x", (truth,), {}, truth), labels, held_out_reader=False))
    assert [(row, used) for row, used, _ in rows] == [
        ("all", ["good", "over", "under"]),
        ("all but good", ["over", "under"]),
        ("one", ["good"]),
        ("one", ["over"]),
        ("one", ["under"]),
    ]
    readers = list(bench_labels._rows(Case("x", (truth,)), labels, held_out_reader=True))
    assert all((reference != labels[name]).all() for _, used, reference in readers for name in used)
