"""One labeling of a network that draws samples, predicted piece by piece as its truth is."""

from __future__ import annotations

from torch import Tensor

from NoisyLabelSegLib.networks import SegmentationNetwork
from NoisyLabelSegLib.networks.registry import Probabilities


class OneSample(SegmentationNetwork):
    """Predicts the network's sample of this seed in the place of its truth."""

    def __init__(self, network: SegmentationNetwork, seed: int) -> None:
        super().__init__(network.architecture)
        self._sampled, self._seed = network, seed

    def predict(self, images: Tensor, *, annotators: bool = False) -> Probabilities:
        assert not annotators, "a sample is nobody's in particular"
        return Probabilities(self._sampled.sample(images, self._seed), None)
