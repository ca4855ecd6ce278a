"""One connected island of voxels and what can be measured on it alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage


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
        """The radius in millimetres of the largest ball that fits in: at least one voxel edge."""
        return float(ndimage.distance_transform_edt(np.pad(self.mask, 1), sampling=spacing_zyx).max())
