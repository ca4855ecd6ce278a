"""What a study is made of before anyone has drawn on it: named cases, one by one, and how they are labelled."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.simulation.phantom import Phantom


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


def centred(shape: tuple[int, ...], spacing: tuple[float, ...]) -> Geometry:
    """A grid along the patient axes with its middle at the origin; shape in z, y, x order, spacing in x, y, z order."""
    plain = Geometry.plain(shape, spacing)
    middle = plain.points((np.asarray(shape) - 1) / 2)
    return Geometry(plain.shape, plain.spacing, tuple(-float(place) for place in middle), plain.direction)
