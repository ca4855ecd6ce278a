"""The annotator-conditioned network: everybody's labels come back, and samples are theirs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.inference import load_model
from NoisyLabelSegLib.metrics import dice
from NoisyLabelSegLib.networks import Architecture, build_network
from NoisyLabelSegLib.networks.conditioned import ConditionedNetwork
from NoisyLabelSegLib.training import Settings, train_study

MakeStudy = Callable[..., Study]
SMALL = Settings(target="conditioned", widths=(8, 16), epochs=60, batch=6, device="cpu", learning_rate=5e-3, restarts=0)


def test_each_annotators_labels_are_predicted_closer_to_their_own_than_to_others(
    make_disk_study: MakeStudy, tmp_path: Path
) -> None:
    study = make_disk_study(cases=6)
    model = load_model(train_study(study, tmp_path / "run", SMALL).package, "cpu")
    case = study.cases[0]
    found = model.predict(case)
    for name in ("over", "under"):
        scores = {
            other: dice(found.annotators[name], labels, 2)
            for other in study.annotators
            if (labels := case.labels(other)) is not None
        }
        assert max(scores, key=scores.__getitem__) == name
    samples = model.samples(case, 12, seed=0)
    areas = (samples > 0).sum(axis=(1, 2))
    assert areas.max() > 1.5 * max(areas.min(), 1), "wide and tight outlines are among the samples"


def test_the_truth_is_the_mean_of_the_annotators() -> None:
    torch.manual_seed(0)
    design = Architecture(2, 1, 3, 4, confusion="none", widths=(4, 8), network="conditioned")
    network = build_network(design).eval()
    assert isinstance(network, ConditionedNetwork)
    found = network.predict(torch.randn(2, 1, 9, 11), annotators=True)
    assert found.confusion is not None
    assert found.confusion.shape == (2, 4, 3, 3, 9, 11)
    assert torch.allclose(found.confusion[:, :, :, 0].mean(dim=1), found.truth, atol=1e-6)
    said = torch.einsum("brij...,bj...->bri...", found.confusion, found.truth)
    assert torch.allclose(said, found.confusion[:, :, :, 0], atol=1e-5), "A p is what the annotator says"


def test_the_same_seed_gives_the_same_sample(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    study = make_disk_study(cases=3)
    model = load_model(train_study(study, tmp_path / "run", replace(SMALL, epochs=1)).package, "cpu")
    first, second = (model.samples(study.cases[0], 3, seed=4) for _ in range(2))
    assert np.array_equal(first, second)
