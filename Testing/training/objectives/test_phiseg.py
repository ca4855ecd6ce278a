"""The objective of PHiSeg, on disks that annotators outline wide and tight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.inference import load_model
from NoisyLabelSegLib.networks import Architecture, build_network
from NoisyLabelSegLib.networks.package import load_package
from NoisyLabelSegLib.networks.phiseg import PHiSegNetwork
from NoisyLabelSegLib.training import Settings, train_study
from NoisyLabelSegLib.training.objectives.phiseg import PHiSegObjective
from NoisyLabelSegLib.training.samples import Batch

MakeStudy = Callable[..., Study]
SMALL = Settings(target="phiseg", widths=(8, 16), epochs=120, batch=6, device="cpu", learning_rate=5e-3, restarts=0)


def test_trained_on_annotators_who_differ_its_samples_differ_as_they_do(
    make_disk_study: MakeStudy, tmp_path: Path
) -> None:
    study = make_disk_study(cases=6)
    model = load_model(train_study(study, tmp_path / "run", SMALL).package, "cpu")
    case = study.cases[0]
    samples = model.samples(case, 12, seed=1)
    areas = (samples > 0).sum(axis=(1, 2))
    drawn = [int((labels > 0).sum()) for labels in map(case.labels, case.annotations) if labels is not None]
    assert areas.std() > 0.2 * np.std(drawn)
    assert min(drawn) - 15 <= areas.mean() <= max(drawn) + 15


def test_the_posterior_is_trained_and_stays_out_of_the_model(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    package = train_study(make_disk_study(cases=3), tmp_path / "run", replace(SMALL, epochs=1)).package
    assert not any("posterior" in name for name in load_package(package)[0].state_dict())


def test_the_loss_of_parts_adds_up_to_that_of_the_batch() -> None:
    torch.manual_seed(0)
    design = Architecture(2, 1, 2, 2, confusion="none", widths=(4, 8), network="phiseg")
    network = build_network(design)
    assert isinstance(network, PHiSegNetwork)
    objective = PHiSegObjective(network, replace(SMALL, widths=(4, 8))).eval()
    labels = torch.full((4, 2, 16, 16), -1)
    labels[:, 1] = (torch.rand(4, 16, 16) > 0.5).long()
    batch = Batch(torch.randn(4, 1, 16, 16), labels, None, torch.full((4, 16, 16), -1))
    whole = objective(batch, 1.0).likelihood
    parts = [objective(batch.part(start, start + 2), 1.0).likelihood for start in (0, 2)]
    assert torch.allclose(whole, torch.stack(parts).mean(), atol=1e-5)
