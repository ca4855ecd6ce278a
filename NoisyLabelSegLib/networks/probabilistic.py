"""The Probabilistic U-Net (Kohl et al., NeurIPS 2018): a U-Net whose output depends on a latent code for each image."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import torch
from torch import Tensor, nn

from NoisyLabelSegLib.cases.architecture import Architecture
from NoisyLabelSegLib.networks.coded import CodedNetwork
from NoisyLabelSegLib.networks.registry import Probabilities

LATENT = 6
"""Numbers in the latent code, as in the paper; `network_arguments` may say otherwise."""

CODES_FOR_TRUTH = 16
"""Codes of the prior whose mean the estimated truth is."""

LARGEST_LOG_DEVIATION = 5.0
"""Keeps exp(log deviation) finite."""


class CodeDistribution(nn.Module):
    """A normal distribution of codes for each image, mean and log deviation (B, latent) each, from images (B, C, *S).

    Convolutions without normalization, which would hide how large an outline is, and a mean over all pixels.
    """

    def __init__(self, dimensions: int, channels: int, widths: Sequence[int], latent: int) -> None:
        super().__init__()
        convolution = nn.Conv2d if dimensions == 2 else nn.Conv3d
        pool = nn.AvgPool2d if dimensions == 2 else nn.AvgPool3d
        layers: list[nn.Module] = []
        for place, (before, width) in enumerate(zip([channels, *widths], widths, strict=False)):
            layers += [pool(2, ceil_mode=True)] if place else []
            for inputs in (before, width):
                layers += [convolution(inputs, width, 3, padding=1), nn.ReLU(inplace=True)]
        self.encoder = nn.Sequential(*layers)
        self.head = nn.Linear(widths[-1], 2 * latent)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        mean, log_deviation = self.head(self.encoder(images).flatten(2).mean(dim=2)).float().chunk(2, dim=1)
        return mean, log_deviation.clamp(-LARGEST_LOG_DEVIATION, LARGEST_LOG_DEVIATION)


class ProbabilisticUNet(CodedNetwork):
    """Features of the trunk and a code give a labeling; codes come from the image, in training also from a label."""

    def __init__(self, architecture: Architecture) -> None:
        super().__init__(architecture)
        dimensions, channels = architecture.dimensions, architecture.channels
        latent = int(architecture.network_arguments.get("latent", LATENT))
        self.prior = CodeDistribution(dimensions, channels, architecture.widths, latent)
        self.posterior = CodeDistribution(dimensions, channels + architecture.classes, architecture.widths, latent)
        self.combine = self.head(latent)

    def predict(self, images: Tensor, *, annotators: bool = False) -> Probabilities:
        """The truth is the mean over codes: the share of annotators who would mark a pixel."""
        assert not annotators, "this network knows no annotators"
        return Probabilities(self.samples(images, range(CODES_FOR_TRUTH)).mean(dim=0), None)

    def codes(self, images: Tensor) -> Callable[[int], Tensor]:
        return partial(_drawn, self.prior(images))


def _drawn(distribution: tuple[Tensor, Tensor], seed: int) -> Tensor:
    """One code for each image, (B, latent); the random numbers are the same for every image."""
    mean, log_deviation = distribution
    noise = torch.randn(mean.shape[1], generator=torch.Generator().manual_seed(seed))
    return mean + log_deviation.exp() * noise.to(mean.device)
