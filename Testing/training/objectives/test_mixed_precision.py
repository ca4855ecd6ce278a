"""One step's loss under autocast: what is computed in half precision, and that nothing in it becomes infinite."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from NoisyLabelSegLib.networks import Architecture, CoupledNetwork
from NoisyLabelSegLib.training.objectives import coupled
from NoisyLabelSegLib.training.objectives.base import Terms
from NoisyLabelSegLib.training.objectives.coupled import CoupledObjective
from NoisyLabelSegLib.training.objectives.imputation import LabelImputation
from NoisyLabelSegLib.training.samples import Batch
from NoisyLabelSegLib.training.settings import Settings

CLASSES, ANNOTATORS, EDGE = 3, 2, 8
HALVES = [torch.bfloat16, torch.float16]


def make_network(confusion: str, extreme: float) -> CoupledNetwork:
    """A network whose logits, for the truth and for the matrices, are of the size of `extreme` and differ by pixel."""
    torch.manual_seed(0)
    network = CoupledNetwork(Architecture(2, 1, CLASSES, ANNOTATORS, confusion=confusion, rank=2, widths=(4, 8)))
    with torch.no_grad():
        for name, part in network.named_parameters():
            if "head" in name:
                part.copy_(torch.randn_like(part) * extreme)
    return network


def make_batch() -> Batch:
    maker = torch.Generator().manual_seed(2)
    labels = torch.randint(-1, CLASSES, (2, ANNOTATORS, EDGE, EDGE), generator=maker)
    labels[0, 0] = -1  # an image that one annotator alone labeled
    return Batch(torch.randn(2, 1, EDGE, EDGE, generator=maker), labels, None, labels[:, 1].clamp(min=0))


def step(network: CoupledNetwork, settings: Settings, half: torch.dtype | None, done: float = 0.5) -> Terms:
    """One forward and backward pass, as mixed precision does it."""
    network.zero_grad()
    torch.manual_seed(1)  # the imputation of every step starts alike
    with torch.autocast("cpu", dtype=half, enabled=half is not None):
        imputation = LabelImputation(4, torch.zeros(ANNOTATORS, CLASSES, dtype=torch.bool))
        terms: Terms = CoupledObjective(network, settings, imputation=imputation)(make_batch(), done)
    terms.loss.backward()
    return terms


def gradients(network: CoupledNetwork) -> dict[str, Tensor]:
    return {name: part.grad for name, part in network.named_parameters() if part.grad is not None}


@pytest.mark.parametrize("pixels_at_once", ["all", "few"])
@pytest.mark.parametrize("extreme", [100.0, 5e3])
@pytest.mark.parametrize("likelihood", ["each", "joint"])
@pytest.mark.parametrize("confusion", ["pixel", "low-rank", "global"])
@pytest.mark.parametrize("half", HALVES, ids=str)
def test_gradients_stay_finite_under_autocast_where_probabilities_are_zero_or_one(
    half: torch.dtype,
    confusion: str,
    likelihood: str,
    extreme: float,
    pixels_at_once: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if pixels_at_once == "few":
        monkeypatch.setattr(coupled, "ENTRIES_AT_ONCE", 500)
        monkeypatch.setattr(coupled, "ENTRIES_KEPT", 500)
    network = make_network(confusion, extreme)
    prediction = network(make_batch().images)
    for logs in (prediction.log_truth, network.confusion(prediction.features).matrices()):
        assert logs.exp().min() == 0
        assert logs.exp().max() > 1 - 1e-5
    settings = Settings(confusion=confusion, likelihood=likelihood, trace=0.1, hinge=0.1)
    terms = step(network, settings, half, done=0.0 if extreme > 100 else 0.5)
    assert math.isfinite(terms.loss.item())
    found = gradients(network)
    assert found.keys() == dict(network.named_parameters()).keys()
    for name, gradient in found.items():
        assert torch.isfinite(gradient).all(), name


@pytest.mark.parametrize("likelihood", ["each", "joint"])
@pytest.mark.parametrize("confusion", ["pixel", "low-rank", "global"])
@pytest.mark.parametrize("half", HALVES, ids=str)
def test_under_autocast_the_loss_is_nearly_that_of_full_precision(
    half: torch.dtype, confusion: str, likelihood: str
) -> None:
    network = make_network(confusion, extreme=1.0)
    settings = Settings(confusion=confusion, likelihood=likelihood, trace=0.1, hinge=0.1)
    full = step(network, settings, None).loss
    mixed = step(network, settings, half).loss
    assert mixed.dtype == torch.float32
    assert mixed.item() == pytest.approx(full.item(), rel=0.02)
    assert mixed.item() != full.item(), "the trunk did not run in half precision"
