"""The part of a volume where anything is marked; all costly work happens inside it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
