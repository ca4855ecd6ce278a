"""Overlapping tiles that cover a grid, and how much each voxel of a tile counts where they overlap."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Tile = tuple[Any, ...]
"""An index into arrays whose last axes are the grid: an ellipsis, then a slice per axis."""


def tiles(shape: Sequence[int], edge: int, *, overlap: float = 0.5) -> list[Tile]:
    """Boxes of at most `edge` a side that cover the grid, evenly spread; one box where the grid is no larger."""
    starts = []
    for length in shape:
        size = min(edge, length)
        count = 1 if length <= edge else math.ceil((length - size) / max(size * (1 - overlap), 1)) + 1
        starts.append([(round(start), size) for start in np.linspace(0, length - size, count)])
    return [(..., *(slice(start, start + size) for start, size in box)) for box in itertools.product(*starts)]


def tile_weight(shape: Sequence[int]) -> NDArray[np.float32]:
    """Weights (*shape), 1 in the middle and falling towards the faces, never 0."""
    weight = np.ones(tuple(shape), dtype=np.float32)
    for axis, length in enumerate(shape):
        distance = np.minimum(np.arange(length), np.arange(length)[::-1]) + 1
        ramp = (distance / distance.max()).astype(np.float32)
        weight *= ramp.reshape([-1 if other == axis else 1 for other in range(len(shape))])
    return weight
