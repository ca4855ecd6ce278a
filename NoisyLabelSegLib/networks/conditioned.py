"""A U-Net whose labeling depends on who labels: a Gaussian code for every annotator (Schmidt et al., ICCV 2023)."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from NoisyLabelSegLib.cases.architecture import Architecture
from NoisyLabelSegLib.networks.coded import CodedNetwork
from NoisyLabelSegLib.networks.registry import Probabilities

LATENT = 8
"""Numbers in an annotator's code, as in the publication; `network_arguments` may say otherwise."""

START_LOG_DEVIATION = -1.5
"""How much an annotator varies at the start, on the scale of the differences between annotators, which is 1."""


class ConditionedNetwork(CodedNetwork):
    """Features of the trunk and the code of an annotator give that annotator's label.

    There is no truth apart from the annotators: the estimate is their mean, the share of them who would mark a pixel.
    """

    def __init__(self, architecture: Architecture) -> None:
        super().__init__(architecture)
        annotators = architecture.annotators
        latent = int(architecture.network_arguments.get("latent", LATENT))
        self.means = nn.Parameter(torch.randn(annotators, latent))
        self.log_deviations = nn.Parameter(torch.full((annotators, latent), START_LOG_DEVIATION))
        self.combine = self.head(latent)

    @property
    def predicts_annotators(self) -> bool:
        return True

    def predict(self, images: Tensor, *, annotators: bool = False) -> Probabilities:
        """Every column of an annotator's matrix is the label distribution under the annotator's mean code."""
        features = self.features(images)
        each = torch.stack([self.labeling(features, mean).exp() for mean in self.means], dim=1)
        each = each.reshape(*each.shape[:3], *images.shape[2:])
        columns = each[:, :, :, None].expand(-1, -1, -1, self.architecture.classes, *each.shape[3:])
        return Probabilities(each.mean(dim=1), columns.contiguous() if annotators else None)

    def codes(self, images: Tensor) -> Callable[[int], Tensor]:  # noqa: ARG002
        """A sample is what an annotator chosen at random draws under a code that is drawn at random."""
        return self._drawn

    def _drawn(self, seed: int) -> Tensor:
        """A code (latent) of an annotator."""
        generator = torch.Generator().manual_seed(seed)
        who = int(torch.randint(len(self.means), (1,), generator=generator))
        noise = torch.randn(self.means.shape[1], generator=generator).to(self.means.device)
        return self.means[who] + self.log_deviations[who].exp() * noise
