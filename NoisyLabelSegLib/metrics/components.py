"""Bounding boxes and connected components, and what is measured on one component."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

Box = tuple[slice, ...]


def busy_box(arrays: Iterable[NDArray[Any]], shape: tuple[int, ...], *, margin: int = 1) -> Box:
    """The smallest box that holds every non-zero voxel of the arrays (*shape), grown by `margin` within the volume.

    One voxel at the corner when nothing is marked, so that what follows needs no special case.
    """
    first, last = np.array(shape), np.full(len(shape), -1)
    for array in arrays:
        for axis, (low, high) in enumerate(_bounds(array)):
            first[axis], last[axis] = min(first[axis], low), max(last[axis], high)
    if (last < first).any():
        return tuple(slice(0, 1) for _ in shape)
    low = np.maximum(first - margin, 0)
    high = np.minimum(last + margin + 1, shape)
    return tuple(slice(int(a), int(b)) for a, b in zip(low, high, strict=True))


def _bounds(array: NDArray[Any]) -> list[tuple[int, int]]:
    """First and last index with a non-zero voxel along each axis; (size, -1) where there is none."""
    bounds = []
    for axis in range(array.ndim):
        others = tuple(other for other in range(array.ndim) if other != axis)
        busy = np.flatnonzero(array.any(axis=others))
        bounds.append((int(busy[0]), int(busy[-1])) if busy.size else (array.shape[axis], -1))
        if busy.size:  # the later axes need only look where something is
            keep = [slice(None)] * array.ndim
            keep[axis] = slice(int(busy[0]), int(busy[-1]) + 1)
            array = array[tuple(keep)]
    return bounds


@dataclass(frozen=True)
class Island:
    """A mask of its bounding box, whose first voxel lies at `offset` in an array of `shape`."""

    mask: NDArray[np.bool_]
    offset: tuple[int, ...]
    shape: tuple[int, ...]

    def indices(self) -> NDArray[np.intp]:
        """The voxels as array indices (n, dimension)."""
        return np.asarray(np.argwhere(self.mask) + np.array(self.offset))

    @cached_property
    def voxels(self) -> NDArray[np.intp]:
        """The voxels as flat indices (n) of the whole array."""
        return np.asarray(np.ravel_multi_index(tuple(self.indices().T), self.shape))

    def surroundings(self) -> NDArray[np.intp]:
        """Flat indices of the voxels of the whole array that touch the island."""
        padded = np.pad(self.mask, 1)
        ring = ndimage.binary_dilation(padded, ndimage.generate_binary_structure(padded.ndim, padded.ndim)) & ~padded
        indices = np.argwhere(ring) + np.array(self.offset) - 1
        inside = ((indices >= 0) & (indices < self.shape)).all(axis=1)
        return np.asarray(np.ravel_multi_index(tuple(indices[inside].T), self.shape))

    def middle_voxel(self, spacing_zyx: tuple[float, ...]) -> NDArray[np.intp]:
        """The voxel of the island nearest to its middle, in 3D within the slice where it is largest."""
        indices = self.indices()
        if len(self.shape) == 3:
            slices, sizes = np.unique(indices[:, 0], return_counts=True)
            indices = indices[indices[:, 0] == slices[np.argmax(sizes)]]
        away = (indices - indices.mean(axis=0)) * spacing_zyx
        return np.asarray(indices[np.argmin(np.square(away).sum(axis=1))])

    def radius(self, spacing_zyx: tuple[float, ...]) -> float:
        """The radius in millimeters of the largest ball that fits in: at least one voxel edge."""
        return float(ndimage.distance_transform_edt(np.pad(self.mask, 1), sampling=spacing_zyx).max())
