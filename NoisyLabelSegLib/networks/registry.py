"""What every kind of network can do, and the registry from which a model package builds the one that it names."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from NoisyLabelSegLib.cases.architecture import Architecture
from NoisyLabelSegLib.errors import UserError


class Probabilities(NamedTuple):
    """What a network predicts for a batch of images (B, C, *S), all float32.

    truth: probabilities of the true class, (B, L, *S); confusion: a_ij = p(annotator says i | truth is j),
    (B, R, L, L, *S), or None where it was not asked for.
    """

    truth: Tensor
    confusion: Tensor | None


class SegmentationNetwork(nn.Module, ABC):
    """A network that is built from an Architecture alone, so that a model package holds no code.

    Prediction uses `predict` and `predicts_annotators` only. `forward` belongs to the objective that the network is
    trained with (see training/learners.py) and may return anything.
    """

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        self.architecture = architecture

    @abstractmethod
    def predict(self, images: Tensor, *, annotators: bool = False) -> Probabilities:
        """The probabilities for images (B, C, *S) float32; those of annotators where `annotators` asks for them."""

    @property
    def predicts_annotators(self) -> bool:
        """Whether `predict` can be asked for the annotators' confusion matrices."""
        return False

    @property
    def draws_samples(self) -> bool:
        """Whether `sample` draws whole labelings, so that `predict --samples` asks the network for them."""
        return False

    def sample(self, images: Tensor, seed: int) -> Tensor:
        """The probabilities (B, L, *S) of one labeling of images (B, C, *S).

        What is random depends on the seed alone and is the same for all images, so that slices fit each other.
        """
        raise NotImplementedError("this network draws no samples of its own")

    def samples(self, images: Tensor, seeds: Sequence[int]) -> Tensor:
        """One sample for each seed, (N, B, L, *S); a network that can share work between them overrides this."""
        return torch.stack([self.sample(images, seed) for seed in seeds])

    def annotator_parameters(self) -> list[nn.Parameter]:
        """The parameters that the setting `freeze` holds at their start for the first share of the steps."""
        return []


NETWORKS: dict[str, type[SegmentationNetwork] | str] = {
    "coupled": "NoisyLabelSegLib.networks.coupled:CoupledNetwork",
    "probabilistic-unet": "NoisyLabelSegLib.networks.probabilistic:ProbabilisticUNet",
    "phiseg": "NoisyLabelSegLib.networks.phiseg:PHiSegNetwork",
    "conditioned": "NoisyLabelSegLib.networks.conditioned:ConditionedNetwork",
    "separate": "NoisyLabelSegLib.networks.separate:SeparateNetworks",
}
"""Kind of network, as `Architecture.network` names it, to its class or to "module:class", imported when it is built."""


def register_network(name: str, network: type[SegmentationNetwork] | str) -> None:
    """Adds a kind of network; raises ValueError for a name that is taken."""
    if name in NETWORKS:
        raise ValueError(f"there is a network {name!r} already")
    NETWORKS[name] = network


def build_network(architecture: Architecture) -> SegmentationNetwork:
    """A network with random weights; raises UserError for a kind that is not registered."""
    if architecture.network not in NETWORKS:
        raise UserError(
            f"This version has no network {architecture.network!r}", remedy="update it, or train the model again"
        )
    registered = NETWORKS[architecture.network]
    if isinstance(registered, str):
        module, _, name = registered.partition(":")
        registered = getattr(importlib.import_module(module), name)
        assert isinstance(registered, type)
    return registered(architecture)
