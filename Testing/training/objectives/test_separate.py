"""One network per annotator: each sees that annotator's labels only, and its columns say what it predicts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.inference import load_model
from NoisyLabelSegLib.training import Settings, train_study
from NoisyLabelSegLib.training.learners import load_learner
from NoisyLabelSegLib.training.reliability import LabelSummary
from NoisyLabelSegLib.training.samples import Batch

SMALL = Settings(target="separate", widths=(4, 8), epochs=120, batch=6, device="cpu", learning_rate=1e-2, restarts=0)


def test_only_the_network_of_whoever_labeled_learns() -> None:
    learner = load_learner("separate")
    labels = LabelSummary(np.zeros((2, 2), bool), np.zeros(2, bool), np.ones(2, np.float32), has_single_labels=True)
    network = learner.network(learner.architecture(SMALL, channels=1, classes=2, annotators=2), labels)
    given = torch.full((1, 2, 8, 8), -1)
    given[0, 1] = 0
    batch = Batch(torch.randn(1, 1, 8, 8), given, None, torch.full((1, 8, 8), -1))
    learner.objective(network, SMALL, labels)(batch, 0.5).loss.backward()
    moved = [
        sum(float(parameter.grad.abs().sum()) for parameter in each.parameters() if parameter.grad is not None)
        for each in network.each
    ]
    assert moved[0] == 0 < moved[1]


def test_each_network_draws_as_its_annotator(make_disk_study: Callable[..., Study], tmp_path: Path) -> None:
    study = make_disk_study(cases=6)
    model = load_model(train_study(study, tmp_path / "run", SMALL).package, "cpu")
    found = model.predict(study.cases[0])
    areas = {name: int((labels > 0).sum()) for name, labels in found.annotators.items()}
    assert areas["under"] < areas["good"] < areas["over"]
    columns = found.confusion["over"]
    assert np.array_equal(columns[:, 0], columns[:, 1])
