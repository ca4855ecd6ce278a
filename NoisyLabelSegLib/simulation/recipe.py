"""What a phantom generator hands over: named cases, one by one, with image and truth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry
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


@dataclass(frozen=True)
class MadeCase:
    """A scan with its truth, where it lies, and the device that took it, if devices differ."""

    id: str
    phantom: Phantom
    geometry: Geometry
    device: str | None = None


@dataclass(frozen=True)
class Recipe:
    """`cases` yields `total` cases, made when they are asked for; `panel` is the default one."""

    name: str
    classes: tuple[str, ...]
    panel: str
    total: int
    cases: Iterable[MadeCase]


def centered(shape: tuple[int, ...], spacing: tuple[float, ...]) -> Geometry:
    """A grid along the patient axes with its middle at the origin; shape in z, y, x order, spacing in x, y, z order."""
    plain = Geometry.plain(shape, spacing)
    middle = plain.points((np.asarray(shape) - 1) / 2)
    return Geometry(plain.shape, plain.spacing, tuple(-float(place) for place in middle), plain.direction)
