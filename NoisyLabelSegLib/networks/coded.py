"""What networks share whose labeling depends on a code: features of the trunk and the code give the labeling."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from NoisyLabelSegLib.cases.architecture import Architecture
from NoisyLabelSegLib.networks.registry import SegmentationNetwork
from NoisyLabelSegLib.networks.trunks import features_of, make_trunk


class CodedNetwork(SegmentationNetwork):
    """A subclass makes its own parts and then `combine`, with `head`, and says what codes are drawn from."""

    combine: nn.Sequential

    def __init__(self, architecture: Architecture) -> None:
        super().__init__(architecture)
        self.trunk = make_trunk(architecture)

    def head(self, latent: int) -> nn.Sequential:
        """Convolutions of 1 x 1 pixels from features and a code of so many numbers to the classes."""
        width = self.architecture.widths[0]
        return nn.Sequential(
            nn.Conv1d(width + latent, width, 1),
            nn.ReLU(inplace=True),
            nn.Conv1d(width, width, 1),
            nn.ReLU(inplace=True),
            nn.Conv1d(width, self.architecture.classes, 1),
        )

    @abstractmethod
    def codes(self, images: Tensor) -> Callable[[int], Tensor]:
        """The code for a seed: one for each image (B, latent), or one (latent) for all."""

    @property
    def draws_samples(self) -> bool:
        return True

    def features(self, images: Tensor) -> Tensor:
        """(B, widths[0], P) of images (B, C, *S)."""
        return features_of(self.trunk, images, self.architecture).flatten(2)

    def labeling(self, features: Tensor, code: Tensor) -> Tensor:
        """Log probabilities (B, L, P) for features (B, W, P) and codes (B, latent), or one code (latent) for all."""
        codes = code.expand(len(features), -1)[:, :, None].expand(-1, -1, features.shape[2]).to(features.dtype)
        found: Tensor = self.combine(torch.cat([features, codes], dim=1)).float().log_softmax(dim=1)
        return found

    def sample(self, images: Tensor, seed: int) -> Tensor:
        return self.samples(images, [seed])[0]

    def samples(self, images: Tensor, seeds: Sequence[int]) -> Tensor:
        features, code = self.features(images), self.codes(images)
        found = torch.stack([self.labeling(features, code(seed)).exp() for seed in seeds])
        return found.reshape(*found.shape[:3], *images.shape[2:])
