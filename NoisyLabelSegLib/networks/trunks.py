"""Makes a trunk by name: our U-Net, or any network of MONAI that maps images to features of the same size."""

from __future__ import annotations

import inspect

import torch
from torch import Tensor, nn

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.networks.architecture import Architecture
from NoisyLabelSegLib.networks.unet import UNet

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
            remedy="install it with pip install monai, or use the trunk unet",
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
        raise UserError(
            f"MONAI's {architecture.trunk} cannot be made from the arguments {arguments}",
            remedy="set trunk_arguments to what it needs",
            detail=str(error),
        ) from error
    return trunk
