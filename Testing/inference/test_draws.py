"""Labelings drawn from the annotator models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Study, read_image
from NoisyLabelSegLib.evaluation.scores import evaluate
from NoisyLabelSegLib.evaluation.summary import summary
from NoisyLabelSegLib.inference import PredictionOutputs, predict_cases
from NoisyLabelSegLib.inference.draws import Draws
from NoisyLabelSegLib.metrics import dice_soft, ged_iou, hm_iou
from NoisyLabelSegLib.training import Settings, train_study

MakeStudy = Callable[..., Study]


def drawn(count: int, confusion: np.ndarray, probabilities: np.ndarray, *, seed: int = 0) -> np.ndarray:
    samples = np.full((count, *probabilities.shape[1:]), 255, dtype=np.uint8)
    plan = Draws(count, ["only"], seed)
    plan.fill(samples, "only", confusion.astype(np.float32), probabilities.astype(np.float32))
    return samples


def test_every_voxel_has_the_predicted_share_of_each_label() -> None:
    # p = (0.5, 0.3, 0.2) and an annotator who calls half of class 2 class 1: labels with shares 0.5, 0.4, 0.1
    matrix = np.array([[1, 0, 0], [0, 1, 0.5], [0, 0, 0.5]])
    samples = drawn(1000, matrix[:, :, None], np.array([[0.5], [0.3], [0.2]]))
    np.testing.assert_allclose([(samples == label).mean() for label in range(3)], [0.5, 0.4, 0.1], atol=0.002)


def test_a_sample_is_drawn_as_a_whole() -> None:
    probability = np.linspace(0, 1, 50)
    samples = drawn(20, np.eye(2)[:, :, None].repeat(50, axis=2), np.stack([1 - probability, probability]))
    assert (np.diff(samples.astype(int), axis=1) >= 0).all()  # one outline each, no scattered voxels
    assert len({sample.sum() for sample in samples}) > 10


def test_annotators_take_turns() -> None:
    samples = np.full((6, 1), 255, dtype=np.uint8)
    plan = Draws(6, ["marks", "leaves out"], seed=0)
    certain = np.array([[0.0], [1.0]], dtype=np.float32)
    plan.fill(samples, "marks", np.eye(2, dtype=np.float32)[:, :, None], certain)
    plan.fill(samples, "leaves out", np.array([[[1], [1]], [[0], [0]]], dtype=np.float32), certain)
    assert sorted(samples[:, 0].tolist()) == [0, 0, 0, 1, 1, 1]


def test_samples_are_written_with_one_component_each_and_the_same_with_the_same_seed(
    make_disk_study: MakeStudy, tmp_path: Path
) -> None:
    study = make_disk_study(cases=2)
    model = train_study(study, tmp_path / "run", Settings(widths=(4, 8), epochs=1, device="cpu")).package

    def samples(name: str, seed: int) -> np.ndarray:
        outputs = PredictionOutputs(samples=8, seed=seed)
        predict_cases(model, study.cases[:1], tmp_path / name, outputs=outputs)
        assert {path.stem for path in (tmp_path / name / "case0").iterdir()} == {
            "truth",
            "truth_probability",
            "samples",
        }
        image = read_image(tmp_path / name / "case0/samples.nrrd")
        assert image.array.dtype == np.uint8
        assert study.cases[0].geometry.differences(image.geometry) == []
        return image.array

    first = samples("first", 3)
    assert first.shape == (8, *study.cases[0].geometry.shape)
    np.testing.assert_array_equal(first, samples("again", 3))
    assert (first != samples("other", 4)).any()


def test_evaluate_scores_the_samples_where_there_are_some(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    study = make_disk_study(cases=2)
    model = train_study(study, tmp_path / "run", Settings(widths=(4, 8), epochs=1, device="cpu")).package
    predict_cases(model, study.cases, tmp_path / "out", outputs=PredictionOutputs(annotators=True, samples=5))
    figures = summary(evaluate(tmp_path / "out", study))
    assert figures["samples"] == 5
    real = [study.cases[0].labels(name) for name in study.annotators]
    drawn = list(read_image(tmp_path / "out/case0/samples.nrrd").array)
    for score in (ged_iou, hm_iou, dice_soft):
        assert figures["cases"][0][score.__name__] == pytest.approx(score(drawn, real, 2))  # type: ignore[operator]
    (tmp_path / "out/case0/samples.nrrd").unlink()
    said = [read_image(tmp_path / f"out/case0/annotator_{name}.nrrd").array for name in study.annotators]
    again = summary(evaluate(tmp_path / "out", study))
    assert again["samples"] == 0
    assert again["cases"][0]["ged_iou"] == pytest.approx(ged_iou(said, real, 2))
