"""The default trunk: the paper's U-Net, in two or three dimensions, for images of any size."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class UNet(nn.Module):
    """Features at full resolution, (B, C, *S) to (B, widths[0], *S): two convolutions with instance norm per stage."""

    def __init__(self, dimensions: int, channels: int, widths: Sequence[int]) -> None:
        super().__init__()
        self._smallest = 2 ** len(widths)
        pool = nn.MaxPool2d if dimensions == 2 else nn.MaxPool3d
        self.down = nn.ModuleList()
        for before, width in zip([channels, *widths], widths, strict=False):
            self.down.append(_stage(dimensions, before, width))
        self.pool = pool(2, ceil_mode=True)
        self.narrow = nn.ModuleList()
        self.up = nn.ModuleList()
        for deep, width in zip(reversed(widths[1:]), reversed(widths[:-1]), strict=True):
            self.narrow.append(_convolution(dimensions, deep, width, size=1))
            self.up.append(_stage(dimensions, 2 * width, width))

    def forward(self, image: Tensor) -> Tensor:
        size = image.shape[2:]
        image = _at_least(image, self._smallest)
        skips: list[Tensor] = []
        for index, stage in enumerate(self.down):
            image = stage(image if index == 0 else self.pool(image))
            skips.append(image)
        skips.pop()
        for narrow, stage in zip(self.narrow, self.up, strict=True):
            # Narrowing before raising does the 1x1 convolution on the fewer pixels.
            skip = skips.pop()
            raised = F.interpolate(narrow(image), size=skip.shape[2:], mode="nearest")
            image = stage(torch.cat([skip, raised], dim=1))
        for axis, length in enumerate(size, start=2):
            image = image.narrow(axis, 0, length)
        return image


def _stage(dimensions: int, before: int, after: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    for channels in (before, after):
        norm = nn.InstanceNorm2d if dimensions == 2 else nn.InstanceNorm3d
        layers += [_convolution(dimensions, channels, after, size=3), norm(after, affine=True), nn.ReLU(inplace=True)]
    return nn.Sequential(*layers)


def _convolution(dimensions: int, before: int, after: int, *, size: int) -> nn.Module:
    convolution = nn.Conv2d if dimensions == 2 else nn.Conv3d
    return convolution(before, after, size, padding=size // 2)


def _at_least(image: Tensor, length: int) -> Tensor:
    """Repeats the last row and column of a tiny image: instance norm needs two pixels even in the deepest stage."""
    missing = [max(0, length - n) for n in image.shape[2:]]
    if not any(missing):
        return image
    pad = [amount for n in reversed(missing) for amount in (0, n)]
    return F.pad(image, pad, mode="replicate")
