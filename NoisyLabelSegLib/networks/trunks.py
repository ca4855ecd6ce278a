"""Makes a trunk by name: the U-Net of the paper in two or three dimensions, or a network of MONAI."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from NoisyLabelSegLib.cases.architecture import Architecture
from NoisyLabelSegLib.errors import UserError, installing


class UNet(nn.Module):
    """Features at full resolution, (B, C, *S) to (B, widths[0], *S): two convolutions with instance norm per stage."""

    def __init__(self, dimensions: int, channels: int, widths: Sequence[int]) -> None:
        super().__init__()
        self._smallest = 2 ** len(widths)
        pool = nn.MaxPool2d if dimensions == 2 else nn.MaxPool3d
        self.down = nn.ModuleList()
        for before, width in zip([channels, *widths], widths, strict=False):
            self.down.append(make_stage(dimensions, before, width))
        self.pool = pool(2, ceil_mode=True)
        self.narrow = nn.ModuleList()
        self.up = nn.ModuleList()
        for deep, width in zip(reversed(widths[1:]), reversed(widths[:-1]), strict=True):
            self.narrow.append(make_convolution(dimensions, deep, width, size=1))
            self.up.append(make_stage(dimensions, 2 * width, width))

    def forward(self, image: Tensor) -> Tensor:
        size = image.shape[2:]
        image = at_least(image, self._smallest)
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


def make_stage(
    dimensions: int, before: int, after: int, *, convolutions: int = 2, together: bool = False
) -> nn.Sequential:
    """Convolutions; `together` normalizes all channels as one, which keeps what is the same at all pixels."""
    layers: list[nn.Module] = []
    for channels in (before, *[after] * (convolutions - 1)):
        instance = nn.InstanceNorm2d if dimensions == 2 else nn.InstanceNorm3d
        norm = nn.GroupNorm(1, after) if together else instance(after, affine=True)
        layers += [make_convolution(dimensions, channels, after, size=3), norm, nn.ReLU(inplace=True)]
    return nn.Sequential(*layers)


def make_convolution(dimensions: int, before: int, after: int, *, size: int) -> nn.Module:
    convolution = nn.Conv2d if dimensions == 2 else nn.Conv3d
    return convolution(before, after, size, padding=size // 2)


def at_least(image: Tensor, length: int) -> Tensor:
    """Repeats the last row and column of a tiny image: instance norm needs two pixels even in the deepest stage."""
    missing = [max(0, length - n) for n in image.shape[2:]]
    if not any(missing):
        return image
    pad = [amount for n in reversed(missing) for amount in (0, n)]
    return F.pad(image, pad, mode="replicate")


_FETCHING = ("pretrain", "url", "weights", "path", "file", "checkpoint", "progress")
"""Words in arguments that make networks of MONAI load or download something; a package must not be able to."""


def make_trunk(architecture: Architecture) -> nn.Module:
    """A module from (B, C, *S) to (B, widths[0], *S)."""
    if architecture.trunk == "unet":
        return UNet(architecture.dimensions, architecture.channels, architecture.widths)
    return _monai_trunk(architecture)


def features_of(trunk: nn.Module, images: Tensor, architecture: Architecture) -> Tensor:
    """The trunk's features (B, widths[0], *S) of images (B, C, *S); what MONAI's network cannot take is a sentence."""
    if architecture.trunk == "unet":
        return trunk(images)  # type: ignore[no-any-return]
    size = " x ".join(str(length) for length in images.shape[2:])
    remedy = "set trunk_arguments to fewer levels, or patch to a size that can be halved at every level"
    try:
        features = trunk(images)
    except torch.OutOfMemoryError:
        raise
    except (RuntimeError, ValueError) as error:
        raise UserError(
            f"MONAI's {architecture.trunk} cannot take images of {size} pixels", remedy=remedy, detail=str(error)
        ) from error
    wanted = (len(images), architecture.widths[0], *images.shape[2:])
    if not isinstance(features, Tensor) or features.shape != wanted:
        raise UserError(
            f"MONAI's {architecture.trunk} does not give {wanted[1]} features per pixel for images of {size} pixels",
            remedy=remedy,
        )
    return features


def _monai_trunk(architecture: Architecture) -> nn.Module:
    try:
        from monai.networks import nets
    except ImportError as error:
        raise UserError(
            f"The trunk {architecture.trunk!r} is a network of MONAI, which is not installed",
            remedy=f"{installing('trunks')}, or use the trunk unet",
        ) from error
    network = getattr(nets, architecture.trunk, None)
    if not (inspect.isclass(network) and issubclass(network, nn.Module)):
        raise UserError(
            f"MONAI has no network {architecture.trunk!r}", remedy="use unet, or a class of monai.networks.nets"
        )
    for name in architecture.trunk_arguments:
        if any(word in name.lower() for word in _FETCHING):
            raise UserError(f"The trunk argument {name!r} could load files or fetch them", remedy="leave it out")
    arguments = {
        "spatial_dims": architecture.dimensions,
        "in_channels": architecture.channels,
        "out_channels": architecture.widths[0],
        **architecture.trunk_arguments,
    }
    try:
        trunk: nn.Module = network(**arguments)
    except Exception as error:  # a foreign constructor may object in any way it likes
        if isinstance(error, UserError):
            raise
        raise UserError(
            f"MONAI's {architecture.trunk} cannot be made from the arguments {str(arguments)[:300]}",
            remedy="set trunk_arguments to what it needs",
            detail=str(error),
        ) from error
    return trunk
