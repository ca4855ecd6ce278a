"""What every phantom hands over, and the table of phantom kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.simulation.scan import Labels, Mask


@dataclass(frozen=True)
class Phantom:
    """One made-up scan: channels by name, each (*shape) as it is stored; its truth; where something could be drawn."""

    channels: Mapping[str, NDArray[Any]]
    truth: Labels
    tissue: Mask


class MakePhantom(Protocol):
    """`shape` and `spacing` (mm) in z, y, x order; `device` is "A" or "B", a noisier one."""

    def __call__(
        self, random: np.random.Generator, shape: tuple[int, ...], spacing: tuple[float, ...], device: str
    ) -> Phantom: ...
