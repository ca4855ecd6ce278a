"""PHiSeg (Baumgartner et al., MICCAI 2019): codes at every resolution, from coarse to fine, give a labeling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from NoisyLabelSegLib.cases.architecture import Architecture
from NoisyLabelSegLib.networks.registry import Probabilities, SegmentationNetwork
from NoisyLabelSegLib.networks.trunks import at_least, make_convolution, make_stage

LATENT = 2
"""Channels of the codes of a level, as in the publication; `network_arguments` may say otherwise."""

SAMPLES_FOR_TRUTH = 8
"""Samples whose mean the estimated truth is."""

LARGEST_LOG_DEVIATION = 5.0
"""Keeps exp(log deviation) finite."""


class Level(NamedTuple):
    """The normal distribution of the codes of one resolution and a draw from it, each (B, latent, *S_level)."""

    mean: Tensor
    log_deviation: Tensor
    code: Tensor


Draw = Callable[[int, Tensor, Tensor], Tensor]
"""Gives the code of a level, 0 the finest, for its mean and log deviation."""


class CodeHierarchy(nn.Module):
    """Distributions of codes at every resolution, finest first, from images (B, C, *S); each sees the coarser code.

    `together` where the images hold a label: instance normalization would hide how large it is.
    """

    def __init__(
        self, dimensions: int, channels: int, widths: Sequence[int], latent: int, *, together: bool = False
    ) -> None:
        super().__init__()
        self._smallest = 2 ** len(widths)
        self.pool = (nn.AvgPool2d if dimensions == 2 else nn.AvgPool3d)(2, ceil_mode=True)
        before = [channels, *widths]
        stage = partial(make_stage, dimensions, together=together)
        self.down = nn.ModuleList(stage(*pair) for pair in zip(before, widths, strict=False))
        self.mix = nn.ModuleList(stage(width + latent, width) for width in widths[:-1])
        self.heads = nn.ModuleList(make_convolution(dimensions, width, 2 * latent, size=1) for width in widths)

    def forward(self, images: Tensor, draw: Draw) -> list[Level]:
        return self.levels(self.features(images), draw)

    def features(self, images: Tensor) -> list[Tensor]:
        """What is seen at every resolution, finest first, before any code."""
        image, features = at_least(images, self._smallest), list[Tensor]()
        for number, encode in enumerate(self.down):
            image = encode(self.pool(image) if number else image)
            features.append(image)
        return features

    def levels(self, features: Sequence[Tensor], draw: Draw) -> list[Level]:
        levels: list[Level] = []
        for number in reversed(range(len(features))):
            seen = features[number]
            if levels:
                seen = self.mix[number](torch.cat([seen, _raised(levels[0].code, seen)], dim=1))
            mean, log_deviation = self.heads[number](seen).float().chunk(2, dim=1)
            log_deviation = log_deviation.clamp(-LARGEST_LOG_DEVIATION, LARGEST_LOG_DEVIATION)
            levels.insert(0, Level(mean, log_deviation, draw(number, mean, log_deviation)))
        return levels


class PHiSegNetwork(SegmentationNetwork):
    """The prior, which sees the image alone, and the decoder from codes to logits.

    The posterior, which sees a label, too, belongs to the objective: prediction does not need it.
    """

    def __init__(self, architecture: Architecture) -> None:
        super().__init__(architecture)
        dimensions, widths, classes = architecture.dimensions, architecture.widths, architecture.classes
        latent = int(architecture.network_arguments.get("latent", LATENT))
        self.prior = CodeHierarchy(dimensions, architecture.channels, widths, latent)
        stage = partial(make_stage, dimensions, together=True)
        self.decode = nn.ModuleList(stage(latent, width) for width in widths)
        pairs = zip(widths[1:], widths[:-1], strict=True)
        self.up = nn.ModuleList(stage(deep + width, width) for deep, width in pairs)
        self.heads = nn.ModuleList(make_convolution(dimensions, width, classes, size=1) for width in widths)

    @property
    def draws_samples(self) -> bool:
        return True

    def labelings(self, codes: Sequence[Tensor], size: Sequence[int]) -> list[Tensor]:
        """Logits (B, L, *size) of every level, finest first: its own and those of all coarser levels, added up."""
        found: list[Tensor] = []
        deep: Tensor | None = None
        for number in reversed(range(len(codes))):
            seen = self.decode[number](codes[number])
            deep = seen if deep is None else self.up[number](torch.cat([seen, _raised(deep, seen)], dim=1))
            logits = _raised(self.heads[number](deep).float(), codes[0])
            for axis, length in enumerate(size, start=2):
                logits = logits.narrow(axis, 0, length)
            found.insert(0, logits + found[0] if found else logits)
        return found

    def sample(self, images: Tensor, seed: int) -> Tensor:
        return self.samples(images, [seed])[0]

    def samples(self, images: Tensor, seeds: Sequence[int]) -> Tensor:
        features = self.prior.features(images)
        return torch.stack([self._labeling(features, images.shape[2:], seed) for seed in seeds])

    def _labeling(self, features: Sequence[Tensor], size: Sequence[int], seed: int) -> Tensor:
        """The probabilities (B, L, *size) of one sample."""
        generator = torch.Generator().manual_seed(seed)

        def draw(_level: int, mean: Tensor, log_deviation: Tensor) -> Tensor:
            noise = torch.randn(mean.shape[1:], generator=generator)
            return mean + log_deviation.exp() * noise.to(mean.device)

        codes = [level.code for level in self.prior.levels(features, draw)]
        return self.labelings(codes, size)[0].softmax(dim=1)

    def predict(self, images: Tensor, *, annotators: bool = False) -> Probabilities:
        """The truth is the mean over samples: the share of annotators who would mark a pixel."""
        assert not annotators, "this network knows no annotators"
        return Probabilities(self.samples(images, range(SAMPLES_FOR_TRUTH)).mean(dim=0), None)


def most_likely(_level: int, mean: Tensor, _log_deviation: Tensor) -> Tensor:
    """A draw without chance."""
    return mean


def _raised(coarse: Tensor, fine: Tensor) -> Tensor:
    """The coarse field on the grid of the fine one."""
    mode = "bilinear" if fine.ndim == 4 else "trilinear"
    return F.interpolate(coarse, size=fine.shape[2:], mode=mode, align_corners=False)
