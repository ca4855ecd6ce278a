"""PHiSeg (Baumgartner et al., MICCAI 2019): codes at several resolutions, from coarse to fine, give a labeling."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from NoisyLabelSegLib.cases.architecture import Architecture
from NoisyLabelSegLib.networks.registry import Probabilities, SegmentationNetwork
from NoisyLabelSegLib.networks.trunks import make_convolution, make_stage

LATENT = 2
"""Channels of the codes of a level, as in the publication; `network_arguments` may say otherwise."""

WITHOUT_CODES = 2
"""How many of the finest resolutions have no codes, as in the publication: a code of the finest level stands for 4 x 4
pixels. There are as many levels of codes as the trunk has widths."""

SAMPLES_FOR_TRUTH = 8
"""Samples whose mean the estimated truth is."""

LEAST_DEVIATION = 1e-4
"""Deviations are positive as in the publication, by softplus: with exp, codes soon said nothing about the label."""


class Level(NamedTuple):
    """The normal distribution of the codes of one resolution and a draw from it, each (B, latent, *S_level)."""

    mean: Tensor
    log_deviation: Tensor
    code: Tensor


Draw = Callable[[int, Tensor, Tensor], Tensor]
"""Gives the code of a level, 0 the finest, for its mean and log deviation."""


class CodeHierarchy(nn.Module):
    """Distributions of codes at several resolutions, finest first, from images (B, C, *S); each sees the coarser code.

    The images are also seen at the `WITHOUT_CODES` finer resolutions, which have no codes. All channels are normalized
    together: instance normalization would hide how large what is seen is.
    """

    def __init__(self, dimensions: int, channels: int, widths: Sequence[int], latent: int) -> None:
        super().__init__()
        self.pool = (nn.AvgPool2d if dimensions == 2 else nn.AvgPool3d)(2, ceil_mode=True)
        seen = [*widths, *[widths[-1]] * WITHOUT_CODES]
        coded = seen[WITHOUT_CODES:]
        stage = partial(make_stage, dimensions, together=True)
        self.down = nn.ModuleList(stage(*pair) for pair in zip([channels, *seen], seen, strict=False))
        self.mix = nn.ModuleList(stage(width + latent, width) for width in coded[:-1])
        self.heads = nn.ModuleList(make_convolution(dimensions, width, 2 * latent, size=1) for width in coded)

    def forward(self, images: Tensor, draw: Draw) -> list[Level]:
        return self.levels(self.features(images), draw)

    def features(self, images: Tensor) -> list[Tensor]:
        """What is seen at every resolution that has codes, finest first, before any code."""
        image, features = images, list[Tensor]()
        for number, encode in enumerate(self.down):
            image = encode(self.pool(image) if number else image)
            features.append(image)
        return features[WITHOUT_CODES:]

    def levels(self, features: Sequence[Tensor], draw: Draw) -> list[Level]:
        levels: list[Level] = []
        for number in reversed(range(len(features))):
            seen = features[number]
            if levels:
                seen = self.mix[number](torch.cat([seen, _resized(levels[0].code, seen.shape[2:])], dim=1))
            mean, width = self.heads[number](seen).float().chunk(2, dim=1)
            log_deviation = (F.softplus(width) + LEAST_DEVIATION).log()
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
        self.enlarge = nn.ModuleList(
            nn.ModuleList(stage(width, width, convolutions=1) for _ in range(WITHOUT_CODES)) for width in widths
        )
        pairs = zip(widths[1:], widths[:-1], strict=True)
        self.up = nn.ModuleList(stage(deep + width, width) for deep, width in pairs)
        self.heads = nn.ModuleList(make_convolution(dimensions, width, classes, size=1) for width in widths)

    @property
    def draws_samples(self) -> bool:
        return True

    def labelings(self, codes: Sequence[Tensor], size: Sequence[int]) -> list[Tensor]:
        """Logits (B, L, *size) of every level, finest first: its own and those of all coarser levels, added up."""
        sizes: list[tuple[int, ...]] = [tuple(size)]
        for _ in range(len(codes) + WITHOUT_CODES - 1):
            sizes.append(tuple(math.ceil(length / 2) for length in sizes[-1]))
        found: list[Tensor] = []
        deep: Tensor | None = None
        for number in reversed(range(len(codes))):
            seen = self.decode[number](codes[number])
            stages = self.enlarge[number]
            assert isinstance(stages, nn.ModuleList)
            for finer, stage in enumerate(stages, start=1):
                seen = stage(_resized(seen, sizes[number + WITHOUT_CODES - finer]))
            deep = seen if deep is None else self.up[number](torch.cat([_resized(deep, sizes[number]), seen], dim=1))
            logits = _resized(self.heads[number](deep).float(), size)
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


def _resized(field: Tensor, size: Sequence[int]) -> Tensor:
    mode = "bilinear" if field.ndim == 4 else "trilinear"
    return F.interpolate(field, size=tuple(size), mode=mode, align_corners=False)
