"""Networks that draw samples: shapes in two and three dimensions, samples by seed, and a truth that is their mean."""

from __future__ import annotations

import pytest
import torch

from NoisyLabelSegLib.networks import Architecture, build_network
from NoisyLabelSegLib.networks.phiseg import SAMPLES_FOR_TRUTH
from NoisyLabelSegLib.networks.probabilistic import CODES_FOR_TRUTH
from NoisyLabelSegLib.networks.registry import SegmentationNetwork

SAMPLES_OF_THE_TRUTH = {"probabilistic-unet": CODES_FOR_TRUTH, "phiseg": SAMPLES_FOR_TRUTH}
SAMPLING = pytest.mark.parametrize("name", [*SAMPLES_OF_THE_TRUTH, "conditioned"])


def network_of(name: str, dimensions: int = 2, classes: int = 2) -> SegmentationNetwork:
    torch.manual_seed(0)
    design = Architecture(
        dimensions, 1, classes, 3, confusion="none", widths=(4, 8), network=name, network_arguments={"latent": 3}
    )
    return build_network(design).eval()


@SAMPLING
@pytest.mark.parametrize(("dimensions", "classes"), [(2, 2), (2, 4), (3, 2)])
def test_truth_and_samples_are_distributions_over_classes(name: str, dimensions: int, classes: int) -> None:
    network, images = network_of(name, dimensions, classes), torch.randn(2, 1, *(9, 12, 10)[:dimensions])
    assert network.draws_samples
    for found in (network.predict(images).truth, network.sample(images, seed=3)):
        assert found.shape == (2, classes, *images.shape[2:])
        assert torch.allclose(found.sum(dim=1), torch.ones(1), atol=1e-5)


@SAMPLING
def test_the_same_seed_gives_the_same_sample_and_another_seed_another(name: str) -> None:
    network, images = network_of(name), torch.randn(1, 1, 16, 16)
    assert torch.equal(network.sample(images, seed=1), network.sample(images, seed=1))
    assert not torch.equal(network.sample(images, seed=1), network.sample(images, seed=2))


@SAMPLING
def test_several_samples_are_those_of_their_seeds(name: str) -> None:
    network, images = network_of(name), torch.randn(1, 1, 16, 16)
    each = torch.stack([network.sample(images, seed) for seed in (4, 2)])
    assert torch.allclose(network.samples(images, [4, 2]), each, atol=1e-6)


@SAMPLING
def test_all_images_of_a_batch_get_the_same_random_numbers(name: str) -> None:
    network, image = network_of(name), torch.randn(1, 1, 16, 16)
    first, second = network.sample(image.repeat(2, 1, 1, 1), seed=1)
    assert torch.allclose(first, second, atol=1e-6)


@pytest.mark.parametrize("name", SAMPLES_OF_THE_TRUTH)
def test_the_truth_is_the_mean_of_samples(name: str) -> None:
    network, images = network_of(name), torch.randn(1, 1, 16, 16)
    assert not network.predicts_annotators
    samples = torch.stack([network.sample(images, seed) for seed in range(SAMPLES_OF_THE_TRUTH[name])])
    assert torch.allclose(network.predict(images).truth, samples.mean(dim=0), atol=1e-5)
