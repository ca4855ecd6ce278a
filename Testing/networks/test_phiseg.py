"""PHiSeg: shapes in two and three dimensions, samples by seed, and codes from coarse to fine."""

from __future__ import annotations

import pytest
import torch

from NoisyLabelSegLib.networks import Architecture, build_network
from NoisyLabelSegLib.networks.phiseg import SAMPLES_FOR_TRUTH, PHiSegNetwork, most_likely


def _network(dimensions: int = 2, classes: int = 2) -> PHiSegNetwork:
    torch.manual_seed(0)
    design = Architecture(
        dimensions, 1, classes, 3, confusion="none", widths=(4, 8), network="phiseg", network_arguments={"latent": 2}
    )
    network = build_network(design)
    assert isinstance(network, PHiSegNetwork)
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
    samples = torch.stack([network.sample(images, seed) for seed in range(SAMPLES_FOR_TRUTH)])
    assert torch.allclose(network.predict(images).truth, samples.mean(dim=0), atol=1e-5)


def test_every_level_has_codes_at_its_own_resolution() -> None:
    levels = _network().prior(torch.randn(1, 1, 16, 16), most_likely)
    assert [tuple(level.code.shape) for level in levels] == [(1, 2, 16, 16), (1, 2, 8, 8)]


def test_a_coarse_code_changes_the_finer_distribution_and_not_the_other_way() -> None:
    network, image = _network(), torch.randn(1, 1, 16, 16)
    plain = network.prior(image, most_likely)
    coarse = network.prior(image, lambda level, mean, _deviation: mean + level)
    fine = network.prior(image, lambda level, mean, _deviation: mean + (1 - level))
    assert not torch.allclose(plain[0].mean, coarse[0].mean)
    assert torch.equal(plain[1].mean, fine[1].mean)


def test_labelings_of_levels_add_up_from_the_coarsest() -> None:
    network = _network()
    codes = [level.code for level in network.prior(torch.randn(1, 1, 16, 16), most_likely)]
    fine, coarse = network.labelings(codes, (16, 16))
    assert fine.shape == coarse.shape == (1, 2, 16, 16)
    torch.nn.init.zeros_(network.heads[0].weight)  # type: ignore[arg-type]
    torch.nn.init.zeros_(network.heads[0].bias)  # type: ignore[arg-type]
    fine, coarse = network.labelings(codes, (16, 16))
    assert torch.equal(fine, coarse), "a fine head that says nothing leaves what the coarse one says"
