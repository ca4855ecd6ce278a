"""Agreed pixels and what fills the others, on arrays small enough to check by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.inference import load_model
from NoisyLabelSegLib.metrics import dice
from NoisyLabelSegLib.training import Settings, train_study
from NoisyLabelSegLib.training.objectives.agreed import agreed, filled


def of(*rows: list[int]) -> list[int]:
    found: list[int] = agreed(np.array(rows, dtype=np.int16)).tolist()
    return found


def test_pixels_on_which_annotators_differ_have_no_target() -> None:
    assert of([0, 1, 1], [0, 1, 0]) == [0, 1, -1]


def test_an_annotator_who_did_not_label_the_case_does_not_disagree() -> None:
    assert of([0, 1, 1], [-1, -1, -1], [0, 1, 0]) == [0, 1, -1]


def test_an_empty_label_beside_outlines_does_not_disagree() -> None:
    assert of([0, 1, 1], [0, 0, 0], [0, 1, 0]) == [0, 1, -1]
    assert of([0, 0, 0], [0, 0, 0]) == [0, 0, 0]


def test_a_single_label_is_agreed() -> None:
    assert of([0, 1, 2]) == [0, 1, 2]


def test_open_pixels_get_the_most_likely_class_and_others_keep_their_own() -> None:
    target = torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    log_truth = torch.tensor([[[0.1, 0.9, 0.2], [0.9, 0.1, 0.8]]]).log()
    found = filled(target, torch.tensor([[False, False, True]]), log_truth)
    assert found[0].tolist() == [[1, 0, 0], [0, 1, 1]]


def test_it_learns_what_everybody_marks(make_disk_study: Callable[..., Study], tmp_path: Path) -> None:
    study = make_disk_study(cases=6)
    settings = Settings(target="agreed", widths=(8, 16), epochs=30, batch=6, device="cpu", learning_rate=5e-3)
    model = load_model(train_study(study, tmp_path / "run", settings).package, "cpu")
    truth, smallest = (study.cases[0].labels(name) for name in ("good", "under"))
    assert truth is not None
    assert smallest is not None
    found = model.predict(study.cases[0]).truth
    assert dice(found, truth, 2) > dice(smallest, truth, 2)
