"""Rates and weights over a run."""

from __future__ import annotations

import pytest

from NoisyLabelSegLib.networks import Architecture, CoupledNetwork
from NoisyLabelSegLib.training import Settings
from NoisyLabelSegLib.training.loop import make_optimizer, set_rates
from NoisyLabelSegLib.training.objectives.coupled import trace_weight


def rates(settings: Settings, done: float) -> list[float]:
    network = CoupledNetwork(Architecture(dimensions=2, channels=1, classes=2, annotators=2, widths=(4, 8)))
    optimizer = make_optimizer(network, network.annotator_parameters(), settings)
    assert sum(len(group["params"]) for group in optimizer.param_groups) == len(list(network.parameters()))
    set_rates(optimizer, settings, done)
    return [group["lr"] for group in optimizer.param_groups]


def test_the_rate_rises_then_falls_along_a_cosine_to_zero() -> None:
    settings = Settings(learning_rate=1.0, warm_up=0.2)
    assert rates(settings, 0.1) == pytest.approx([0.505] * 2)
    assert rates(settings, 0.2) == [1.0, 1.0]
    assert rates(settings, 0.6) == pytest.approx([0.5] * 2)
    assert rates(settings, 1.0) == pytest.approx([0.0] * 2)


def test_a_frozen_head_has_no_rate_for_its_share_of_the_steps() -> None:
    settings = Settings(learning_rate=1.0, warm_up=0.0, schedule="constant", freeze=0.3)
    assert rates(settings, 0.29) == [1.0, 0.0]
    assert rates(settings, 0.3) == [1.0, 1.0]


def test_the_papers_warm_up_maximizes_the_trace_first() -> None:
    settings = Settings(identity_warm_up=0.1, trace=0.7)
    assert trace_weight(settings, 0.05) < 0
    assert trace_weight(settings, 0.1) == 0.7
