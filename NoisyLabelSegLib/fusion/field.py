"""A field of confusion matrices known at the centers of cells, spread over the voxels when asked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.fusion.cells import Grid
from NoisyLabelSegLib.fusion.table import Floats


@dataclass(frozen=True)
class CellField:
    """`matrices` (cells, R, K, K): confusion over the values that occur, zero in columns without evidence."""

    grid: Grid
    matrices: Floats

    def spread(self, values: Floats) -> NDArray[np.float32]:
        """(..., *shape) float32 from (cells, ...): linear between cells' centers, constant beyond the outer ones."""
        field = np.moveaxis(values.astype(np.float32), 0, -1).reshape(*values.shape[1:], *self.grid.cells)
        for axis, (size, edge) in enumerate(zip(self.grid.shape, self.grid.edges, strict=True), start=values.ndim - 1):
            field = _stretch(field, axis, size, edge)
        return field


def _stretch(field: NDArray[np.float32], axis: int, size: int, edge: int) -> NDArray[np.float32]:
    """Interpolates along one axis from cells of `edge` voxels to `size` voxels."""
    position = np.clip((np.arange(size) + 0.5) / edge - 0.5, 0, field.shape[axis] - 1)
    below = np.minimum(position.astype(np.intp), max(field.shape[axis] - 2, 0))
    above = np.minimum(below + 1, field.shape[axis] - 1)
    share = (position - below).astype(np.float32).reshape((-1,) + (1,) * (field.ndim - axis - 1))
    return np.asarray(field.take(below, axis) * (1 - share) + field.take(above, axis) * share)
