"""An array and where it lies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from NoisyLabelSegLib.cases.geometry import Geometry


@dataclass(frozen=True)
class Image:
    """`array` is (*shape) with one value per voxel, or (C, *shape) with C components, z, y, x order."""

    array: NDArray[Any]
    geometry: Geometry

    def __post_init__(self) -> None:
        if self.array.shape[self.array.ndim - self.geometry.dimension :] != self.geometry.shape:
            raise ValueError(f"an array of {self.array.shape} does not fit a grid of {self.geometry.shape}")

    @property
    def channels(self) -> NDArray[Any]:
        """The array as (C, *shape), C = 1 for a plain image."""
        return self.array if self.array.ndim > self.geometry.dimension else self.array[None]
