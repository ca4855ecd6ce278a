"""The Probabilistic U-Net: shapes in two and three dimensions, samples by seed, and a truth that is their mean."""

from __future__ import annotations

import pytest
import torch

from NoisyLabelSegLib.networks import Architecture, build_network
from NoisyLabelSegLib.networks.probabilistic import CODES_FOR_TRUTH, ProbabilisticUNet


def _network(dimensions: int = 2, classes: int = 2) -> ProbabilisticUNet:
    torch.manual_seed(0)
    design = Architecture(
        dimensions,
        channels=1,
        classes=classes,
        annotators=3,
        confusion="none",
        widths=(4, 8),
        network="probabilistic-unet",
        network_arguments={"latent": 3},
    )
    network = build_network(design)
    assert isinstance(network, ProbabilisticUNet)
    return network.eval()


@pytest.mark.parametrize(("dimensions", "classes"), [(2, 2), (2, 4), (3, 2)])
def test_truth_and_samples_are_distributions_over_classes(dimensions: int, classes: int) -> None:
    network, images = _network(dimensions, classes), torch.randn(2, 1, *(9, 12, 10)[:dimensions])
    for found in (network.predict(images).truth, network.sample(images, seed=3)):
        assert found.shape == (2, classes, *images.shape[2:])
        assert torch.allclose(found.sum(dim=1), torch.ones(1), atol=1e-5)
    assert not network.predicts_annotators


def test_the_same_seed_gives_the_same_sample_and_another_seed_another() -> None:
    network, images = _network(), torch.randn(1, 1, 16, 16)
    assert torch.equal(network.sample(images, seed=1), network.sample(images, seed=1))
    assert not torch.equal(network.sample(images, seed=1), network.sample(images, seed=2))


def test_all_images_of_a_batch_get_the_same_random_numbers() -> None:
    network, image = _network(), torch.randn(1, 1, 16, 16)
    first, second = network.sample(image.repeat(2, 1, 1, 1), seed=1)
    assert torch.allclose(first, second, atol=1e-6)


def test_the_truth_is_the_mean_of_samples() -> None:
    network, images = _network(), torch.randn(1, 1, 16, 16)
    samples = torch.stack([network.sample(images, seed) for seed in range(CODES_FOR_TRUTH)])
    assert torch.allclose(network.predict(images).truth, samples.mean(dim=0), atol=1e-5)
