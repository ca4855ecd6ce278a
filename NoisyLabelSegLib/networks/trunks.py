"""Makes a trunk by name: our U-Net, or any network of MONAI that maps images to features of the same size."""

from __future__ import annotations

import inspect

from torch import nn

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
