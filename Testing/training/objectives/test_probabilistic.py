"""The objective of the Probabilistic U-Net, and samples of a trained one as files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from NoisyLabelSegLib.cases import Study, read_image
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.inference import PredictionOutputs, load_model, predict_cases
from NoisyLabelSegLib.training import Settings, train_study
from NoisyLabelSegLib.training.objectives.probabilistic import normal_divergence, one_annotator

MakeStudy = Callable[..., Study]
SMALL = Settings(
    target="probabilistic-unet", widths=(8, 16), epochs=60, batch=6, device="cpu", learning_rate=5e-3, restarts=0
)


def test_the_divergence_of_equal_distributions_is_zero_and_of_shifted_ones_half_the_squared_distance() -> None:
    mean, log_deviation = torch.zeros(1, 2), torch.zeros(1, 2)
    assert normal_divergence((mean, log_deviation), (mean, log_deviation)).tolist() == [0.0]
    assert normal_divergence((mean + 2, log_deviation), (mean, log_deviation)).tolist() == [4.0]


def test_the_divergence_is_that_of_torch() -> None:
    torch.manual_seed(0)
    posterior, prior = ((torch.randn(3, 4), torch.randn(3, 4)) for _ in range(2))
    expected = torch.distributions.kl_divergence(
        *(torch.distributions.Normal(mean, log_deviation.exp()) for mean, log_deviation in (posterior, prior))
    )
    assert torch.allclose(normal_divergence(posterior, prior), expected.sum(dim=1), rtol=1e-4)


def test_only_annotators_who_labeled_an_image_are_chosen() -> None:
    labels = torch.full((2, 3, 4, 4), -1)
    labels[0, 2], labels[1, 0] = 1, 0
    for _ in range(20):
        assert one_annotator(labels).tolist() == [2, 0]


def test_trained_on_annotators_who_differ_its_samples_differ_as_they_do(
    make_disk_study: MakeStudy, tmp_path: Path
) -> None:
    study = make_disk_study(cases=6)
    package = train_study(study, tmp_path / "run", SMALL).package
    predict_cases(package, study.cases[:2], tmp_path / "out", outputs=PredictionOutputs(samples=12, seed=1))
    case = study.cases[0]
    samples = read_image(tmp_path / "out" / case.id / "samples.nrrd").array
    areas, drawn = (samples > 0).sum(axis=(1, 2)), [int((case.labels(name) > 0).sum()) for name in case.annotations]
    assert samples.shape == (12, 16, 16)
    assert areas.std() > 0.2 * np.std(drawn)
    assert min(drawn) - 15 <= areas.mean() <= max(drawn) + 15
    assert read_image(tmp_path / "out" / case.id / "truth.nrrd").array.shape == (16, 16)
    again = load_model(package, "cpu").samples(case, 12, seed=1)
    assert np.array_equal(again, samples)


def test_it_has_samples_but_no_annotators(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    study = make_disk_study(cases=3)
    package = train_study(study, tmp_path / "run", replace(SMALL, epochs=1)).package
    with pytest.raises(UserError, match="knows the truth only"):
        predict_cases(package, study.cases, tmp_path / "out", outputs=PredictionOutputs(samples=2, annotators=True))
    with pytest.raises(UserError, match="a point or a box needs"):
        predict_cases(
            package, study.cases[:1], tmp_path / "out", outputs=PredictionOutputs(samples=2), at=(1.0, 1.0, 1.0)
        )
