"""The truth of one case as a simulated annotator sees it, its distance maps, and smooth random fields."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

Field = NDArray[np.float32]


def smooth_noise(random: np.random.Generator, shape: tuple[int, ...], spacing: Sequence[float], scale: float) -> Field:
    """(*shape) float32 with mean 0 and variance 1 and bumps about `scale` mm wide; spacing in the axes' order."""
    noise = random.standard_normal(shape, dtype=np.float32)
    sigma = [scale / 2 / edge for edge in spacing]
    smooth: Field = ndimage.gaussian_filter(noise, sigma, mode="reflect", truncate=3)
    smooth -= smooth.mean()
    deviation = float(smooth.std())
    return smooth / np.float32(deviation if deviation > 0 else 1)


def positions(shape: tuple[int, ...], spacing: Sequence[float]) -> tuple[Field, ...]:
    """For each axis the distance in mm from the middle of the grid, shaped to broadcast against (*shape)."""
    n = len(shape)
    return tuple(
        ((np.arange(size, dtype=np.float32) - (size - 1) / 2) * edge).reshape(
            [-1 if a == axis else 1 for a in range(n)]
        )
        for axis, (size, edge) in enumerate(zip(shape, spacing, strict=True))
    )


def seeded(*keys: int | str) -> np.random.Generator:
    """A generator that depends on the keys alone, the same in every process (unlike Python's own hash of text)."""
    return np.random.default_rng([zlib.crc32(key.encode()) if isinstance(key, str) else key for key in keys])


Mask = NDArray[np.bool_]
Labels = NDArray[np.uint8]
Distance = NDArray[np.float32]


@dataclass(frozen=True)
class Scan:
    """`truth` (*shape) uint8 of `classes` classes, `spacing` in mm in the order of its axes.

    `device` took it, at a `time` from 0 (the study's first case) to 1 (its last);
    `tissue` (*shape) bool is where something could be drawn at all, None for everywhere.
    """

    id: str
    truth: Labels
    spacing: tuple[float, ...]
    classes: int = 2
    tissue: Mask | None = None
    device: str | None = None
    time: float = 0.0
    _shapes: dict[int | None, MaskShape] = field(default_factory=dict, repr=False, compare=False)

    def shape_of(self, target: int | None) -> MaskShape:
        """The outline of one class, or of all foreground together where `target` is None; computed once."""
        if target not in self._shapes:
            mask = self.truth > 0 if target is None else self.truth == target
            self._shapes[target] = MaskShape(mask, self.spacing)
        return self._shapes[target]


class MaskShape:
    """A mask (*shape) and its distances in mm, computed when first asked for."""

    def __init__(self, mask: Mask, spacing: tuple[float, ...]) -> None:
        self.mask = mask
        self.spacing = spacing

    @cached_property
    def outside(self) -> Distance:
        """How far a voxel must be reached from the mask to be covered: 0 in the mask, infinite if it is empty.

        Voxels of one layer lie at the same distance, so the order within a layer follows how much mask surrounds a
        voxel; that makes every strength different from the next, also on coarse grids.
        """
        return self._ranked_distance(~self.mask, self._surrounding())

    @cached_property
    def inside(self) -> Distance:
        """How much must be shaved off the mask to lose a voxel: 0 outside the mask."""
        return self._ranked_distance(self.mask, 1 - self._surrounding())

    @cached_property
    def signed(self) -> Distance:
        """Negative in the mask and positive outside."""
        return self.outside - self.inside

    @cached_property
    def objects(self) -> tuple[NDArray[np.int32], int]:
        """The connected objects numbered 1 to n (*shape), touching corners included, and n."""
        labels, count = ndimage.label(self.mask, structure=np.ones((3,) * self.mask.ndim))
        return labels.astype(np.int32), int(count)

    @cached_property
    def diameters(self) -> NDArray[np.float64]:
        """(n,) mm: the diameter of the ball (disc in 2D) with the volume of each object."""
        labels, count = self.objects
        volumes = np.bincount(labels.reshape(-1), minlength=count + 1)[1:] * float(np.prod(self.spacing))
        return np.asarray(2 * np.sqrt(volumes / np.pi) if self.mask.ndim == 2 else np.cbrt(6 * volumes / np.pi))

    def _surrounding(self) -> Distance:
        sigma = [1.5 * min(self.spacing) / edge for edge in self.spacing]
        blurred: Distance = ndimage.gaussian_filter(self.mask.astype(np.float32), sigma, mode="nearest")
        return blurred

    def _ranked_distance(self, where: Mask, nearness: Distance) -> Distance:
        if where.all():
            return np.full(where.shape, np.inf, dtype=np.float32)
        distance = ndimage.distance_transform_edt(where, sampling=self.spacing).astype(np.float32)
        rank = np.float32(0.99 * min(self.spacing)) * np.clip(nearness, 0, 1)
        return np.asarray(np.where(where, distance - rank, 0), dtype=np.float32)
