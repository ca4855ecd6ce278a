"""The network as a whole: shapes, the start near the identity, and that every part can learn."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.networks import Architecture, CoupledNetwork
from NoisyLabelSegLib.networks.losses import annotator_likelihood

SMALL = {"channels": 1, "annotators": 3, "widths": (4, 8)}


@pytest.mark.parametrize(("dimensions", "shape"), [(2, (7, 10)), (2, (1, 1)), (3, (5, 6, 3))])
def test_any_image_size_gives_one_answer_per_pixel(dimensions: int, shape: tuple[int, ...]) -> None:
    network = CoupledNetwork(Architecture(dimensions=dimensions, classes=4, **SMALL))
    prediction = network(torch.randn(2, 1, *shape))
    pixels = torch.Size(shape).numel()
    assert prediction.log_truth.shape == (2, 4, pixels)
    assert network.confusion(prediction.features).matrices().shape == (2, 3, 4, 4, pixels)


@pytest.mark.parametrize("rank", [1, 2])
@pytest.mark.parametrize("confusion", ["pixel", "low-rank", "global"])
@pytest.mark.parametrize("classes", [2, 5])
def test_every_annotator_starts_near_the_identity(confusion: str, classes: int, rank: int) -> None:
    network = CoupledNetwork(Architecture(dimensions=2, classes=classes, confusion=confusion, rank=rank, **SMALL))
    matrices = network.confusion(network(torch.randn(1, 1, 8, 8)).features).matrices().exp()
    diagonal = torch.diagonal(matrices, dim1=2, dim2=3)
    assert diagonal.min() > 0.8
    if not (confusion == "low-rank" and rank > 1):
        torch.testing.assert_close(diagonal, torch.full_like(diagonal, 0.88))


@pytest.mark.parametrize("confusion", ["pixel", "low-rank", "global"])
def test_an_annotator_who_never_uses_a_class_starts_as_one_who_calls_it_background(confusion: str) -> None:
    network = CoupledNetwork(Architecture(dimensions=2, classes=3, confusion=confusion, **SMALL))
    unused = torch.zeros(3, 3, dtype=torch.bool)
    unused[1, 2] = True
    network.start_unused_classes(unused)
    matrices = network.confusion(network(torch.randn(1, 1, 8, 8)).features).matrices().exp()[0, ..., 0]
    assert matrices[1, 0, 2] > 0.8
    assert matrices[1, 2, 2] < 0.1
    assert torch.diagonal(matrices[[0, 2]], dim1=1, dim2=2).min() > 0.8


def test_rank_one_moves_the_truth_and_the_matrices() -> None:
    torch.manual_seed(0)
    network = CoupledNetwork(Architecture(dimensions=2, classes=3, confusion="low-rank", **SMALL))
    labels = torch.randint(0, 3, (2, 3, 64))
    prediction = network(torch.randn(2, 1, 8, 8))
    rows = network.confusion(prediction.features).rows(labels)
    annotator_likelihood(rows, prediction.log_truth, labels >= 0).backward()
    for name, parameter in network.named_parameters():
        if name.startswith(("truth_head", "annotator_head")):
            assert parameter.grad is not None
            assert parameter.grad.abs().max() > 1e-5, name


def test_a_network_of_monai_can_be_the_trunk() -> None:
    pytest.importorskip("monai")
    architecture = Architecture(
        dimensions=2, classes=2, trunk="BasicUNet", trunk_arguments={"features": [4, 4, 8, 8, 8, 4]}, **SMALL
    )
    assert CoupledNetwork(architecture)(torch.randn(1, 1, 32, 32)).log_truth.shape == (1, 2, 1024)


@pytest.mark.parametrize(
    ("trunk", "arguments", "edge"),
    [
        ("UNet", {"channels": [4, 4, 8, 8], "strides": [2, 2, 2], "norm": "instance"}, 8),  # nothing left to normalize
        ("UNet", {"channels": [4, 4, 8], "strides": [2, 2]}, 9),  # halves do not fit together again
        ("UNet", {"channels": [4, 4], "strides": [2]}, 9),  # more pixels come out than went in
        ("BasicUNetPlusPlus", {"features": [4, 4, 8, 8, 8, 4], "deep_supervision": True}, 32),  # several answers
    ],
)
def test_a_trunk_that_does_not_fit_the_images_is_a_sentence(trunk: str, arguments: dict[str, Any], edge: int) -> None:
    pytest.importorskip("monai")
    network = CoupledNetwork(Architecture(dimensions=2, classes=2, trunk=trunk, trunk_arguments=arguments, **SMALL))
    with pytest.raises(UserError, match=rf"^MONAI's {trunk} .* images of {edge} x {edge} pixels; .*trunk_arguments"):
        network(torch.randn(2, 1, edge, edge))


@pytest.mark.parametrize("name", ["NoSuchNetwork", "__doc__", "torch"])
def test_an_unknown_trunk_is_refused_by_name(name: str) -> None:
    pytest.importorskip("monai")
    with pytest.raises(UserError, match=name):
        CoupledNetwork(Architecture(dimensions=2, classes=2, trunk=name, **SMALL))


def test_an_architecture_survives_json_and_refuses_nonsense() -> None:
    architecture = Architecture(dimensions=3, channels=2, classes=4, annotators=7, confusion="low-rank", rank=2)
    content = architecture.to_json()
    assert Architecture.from_json(content) == architecture
    for name, value in [
        ("dimensions", 5),
        ("classes", "four"),
        ("widths", []),
        ("rank", 9),
        ("other", 1),
        ("channels", True),
    ]:
        with pytest.raises(ValueError, match="architecture"):
            Architecture.from_json({**content, name: value})
