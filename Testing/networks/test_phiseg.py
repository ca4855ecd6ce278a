"""PHiSeg: codes from coarse to fine, each at its own resolution."""

from __future__ import annotations

import torch

from NoisyLabelSegLib.networks.phiseg import PHiSegNetwork, most_likely
from Testing.networks.test_registry import network_of


def _network() -> PHiSegNetwork:
    network = network_of("phiseg")
    assert isinstance(network, PHiSegNetwork)
    return network


def test_every_level_has_codes_at_its_own_resolution() -> None:
    levels = _network().prior(torch.randn(1, 1, 16, 16), most_likely)
    assert [tuple(level.code.shape) for level in levels] == [(1, 3, 4, 4), (1, 3, 2, 2)]


def test_images_of_any_size_are_labeled() -> None:
    network = _network()
    for shape in ((16, 16), (7, 13), (1, 3)):
        image = torch.randn(2, 1, *shape)
        assert network.predict(image).truth.shape == (2, 2, *shape)
        assert network.sample(image, 0).shape == (2, 2, *shape)


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
