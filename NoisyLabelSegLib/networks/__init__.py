"""Networks: what each is made of, the registry of their kinds, losses, and model packages.

The names are imported when they are first used, so that the records in this package cost no torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from NoisyLabelSegLib.cases.architecture import Architecture
    from NoisyLabelSegLib.networks.coupled import CoupledNetwork, Prediction
    from NoisyLabelSegLib.networks.registry import SegmentationNetwork, build_network, register_network

_MODULES = {
    "Architecture": "NoisyLabelSegLib.cases.architecture",
    "CoupledNetwork": "NoisyLabelSegLib.networks.coupled",
    "Prediction": "NoisyLabelSegLib.networks.coupled",
    "SegmentationNetwork": "NoisyLabelSegLib.networks.registry",
    "build_network": "NoisyLabelSegLib.networks.registry",
    "register_network": "NoisyLabelSegLib.networks.registry",
}
__all__ = [
    "Architecture",
    "CoupledNetwork",
    "Prediction",
    "SegmentationNetwork",
    "build_network",
    "register_network",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name]), name)
