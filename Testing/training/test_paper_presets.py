"""The presets of the paper, line by line against its appendix "Implementation details" and its section on the method.

Zhang, Tanno et al., NeurIPS 2020 (arXiv 2007.15963). Each test names the place of the text that it checks.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.networks import Architecture, CoupledNetwork
from NoisyLabelSegLib.networks.package import load_package
from NoisyLabelSegLib.training import Settings, preset, train_study
from NoisyLabelSegLib.training.loop import make_optimizer, set_rates
from NoisyLabelSegLib.training.objectives.coupled import CoupledLearner, trace_weight
from NoisyLabelSegLib.training.reliability import LabelSummary

TABLE = {
    "mnist": (1e-4, 60, 2, 0.7),
    "ms": (1e-4, 55, 2, 0.7),
    "brats": (1e-4, 60, 8, 1.5),
    "lidc": (1e-4, 75, 4, 0.9),
}
"""Appendix, Table 7 "Hyper-parameters used for respective datasets": learning rate, epochs, batch size, lambda."""
CLASSES = {"mnist": 2, "ms": 2, "brats": 4, "lidc": 2}

NAMES = list(TABLE)


def of(name: str) -> Settings:
    return preset(f"paper-{name}")


def network_of(name: str) -> CoupledNetwork:
    design = CoupledLearner("coupled").architecture(of(name), channels=1, classes=CLASSES[name], annotators=3)
    return CoupledNetwork(design)


@pytest.mark.parametrize("name", NAMES)
def test_table_of_hyper_parameters(name: str) -> None:
    settings = of(name)
    assert (settings.learning_rate, settings.epochs, settings.batch, settings.trace) == TABLE[name]


@pytest.mark.parametrize("name", NAMES)
def test_table_of_hyper_parameters_augmentation_is_random_flips_alone(name: str) -> None:
    settings = of(name)
    assert settings.flips
    assert (settings.shift, settings.brightness, settings.patch) == (0, 0, 0)


@pytest.mark.parametrize("name", NAMES)
def test_implementation_a_2d_unet_with_four_down_samplings_and_32_64_128_256_channels(name: str) -> None:
    settings = of(name)
    assert (settings.trunk, settings.dimensions) == ("unet", 2)
    assert settings.widths[:4] == (32, 64, 128, 256)
    sizes: list[int] = []
    trunk = network_of(name).trunk
    trunk.pool.register_forward_hook(lambda _module, _given, found: sizes.append(found.shape[-1]))  # type: ignore[union-attr]
    trunk(torch.zeros(1, 1, 64, 64))
    assert sizes == [32, 16, 8, 4], "each of four down-samplings halves the size"


def test_implementation_instance_normalization_in_place_of_batch_normalization() -> None:
    layers = list(network_of("mnist").trunk.modules())
    assert any(isinstance(layer, nn.InstanceNorm2d) for layer in layers)
    assert not any(isinstance(layer, nn.BatchNorm2d) for layer in layers)


@pytest.mark.parametrize("name", NAMES)
def test_implementation_both_networks_share_all_but_the_last_layer_which_has_l_and_l_times_l_channels(
    name: str,
) -> None:
    network, classes = network_of(name), CLASSES[name]
    assert network.truth_head.kernel_size == (1,)
    assert network.truth_head.out_channels == classes
    assert isinstance(network.annotator_head, nn.Conv1d)
    assert network.annotator_head.out_channels == 3 * classes**2
    assert set(network.state_dict()) == {
        *(f"trunk.{key}" for key in network.trunk.state_dict()),
        *(f"{head}.{kind}" for head in ("truth_head", "annotator_head") for kind in ("weight", "bias")),
    }


def test_implementation_low_rank_has_two_times_l_times_rank_channels() -> None:
    design = Architecture(2, 1, 4, 1, confusion="low-rank", rank=1)
    head = CoupledNetwork(design).annotator_head
    assert isinstance(head, nn.Conv1d)
    assert head.out_channels == 2 * 4 * 1


@pytest.mark.parametrize("name", NAMES)
def test_implementation_adam_with_its_defaults_at_a_constant_rate(name: str) -> None:
    settings = of(name)
    assert settings.weight_decay == 0, "AdamW without weight decay is Adam"
    optimizer = make_optimizer(network_of(name), [], settings)
    assert (optimizer.defaults["betas"], optimizer.defaults["eps"]) == ((0.9, 0.999), 1e-8)
    for done in (0.0, 0.5, 0.99):
        set_rates(optimizer, settings, done)
        assert [group["lr"] for group in optimizer.param_groups] == [1e-4]


@pytest.mark.parametrize("name", NAMES)
def test_section_3_3_the_loss_is_each_annotators_cross_entropy_and_lambda_times_the_trace(name: str) -> None:
    """Equation 4, and nothing beside it."""
    settings = of(name)
    assert (settings.target, settings.confusion, settings.likelihood) == ("coupled", "pixel", "each")
    assert (settings.reliability, settings.completion, settings.overlap, settings.hinge) == (0, 0, 0, 0)


@pytest.mark.parametrize("name", NAMES)
def test_section_3_4_a_warm_up_maximizes_the_trace(name: str) -> None:
    settings = of(name)
    assert settings.identity_warm_up > 0, "the paper says for sufficient iterations, and not how many"
    assert trace_weight(settings, 0.0) == -1
    assert trace_weight(settings, settings.identity_warm_up) == settings.trace
    assert settings.freeze == 0


@pytest.mark.parametrize("name", NAMES)
def test_section_3_4_without_the_warm_up_matrices_are_uniform(name: str) -> None:
    """The identity comes from the warm-up, and an annotator who never marks a class starts like everybody else."""
    settings, classes = of(name), CLASSES[name]
    assert settings.start_diagonal == 1 / classes
    assert not settings.start_unused
    network = network_of(name)
    unused = np.zeros((3, classes), bool)
    unused[2, 1] = True
    labels = LabelSummary(unused, np.zeros(3, bool), np.ones(3, np.float32), has_single_labels=True)
    CoupledLearner("coupled").objective(network, settings, labels)
    features = torch.randn(1, 32, 5)
    assert torch.allclose(network.confusion(features).matrices().exp(), torch.tensor(1 / classes))


@pytest.mark.parametrize("name", NAMES)
def test_nothing_that_the_paper_does_not_have_is_done(name: str) -> None:
    """No restarts of runs that went wrong, no early stopping."""
    assert (of(name).restarts, of(name).patience) == (0, 0)


def test_the_presets_differ_in_what_the_paper_says_and_in_nothing_else() -> None:
    plain = {name: dataclasses.asdict(of(name)) for name in NAMES}
    differing = {key for key in plain["mnist"] if len({str(values[key]) for values in plain.values()}) > 1}
    assert differing == {"epochs", "batch", "trace", "start_diagonal"}


def test_a_run_that_goes_wrong_is_kept_as_it_is(make_disk_study: Callable[..., Study], tmp_path: Path) -> None:
    settings = of("mnist").with_words(["widths=[4,8]", "epochs=4"])
    trained = train_study(make_disk_study(cases=3), tmp_path / "run", settings)
    assert trained.figures["attempt"] == 0
    assert load_package(trained.package)[1].settings["restarts"] == 0
