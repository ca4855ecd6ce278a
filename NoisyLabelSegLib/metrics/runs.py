"""Masks as runs of voxels along the last axis: connected objects of whole scans in a fraction of a mask's memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

Indices = NDArray[np.int64]
Box = tuple[slice, ...]
_VOXELS_AT_ONCE = 1 << 23


@dataclass(frozen=True)
class Runs:
    """Voxels of an array of `shape`: run k holds the flat indices from `starts[k]` to below `stops[k]`, ascending."""

    shape: tuple[int, ...]
    starts: Indices
    stops: Indices

    @classmethod
    def of(cls, mask: NDArray[np.bool_]) -> Runs:
        """The runs of a mask (*shape)."""
        return cls.where(mask.shape, lambda rows: mask[rows])

    @classmethod
    def where(cls, shape: tuple[int, ...], mask_of: Callable[[slice], NDArray[np.bool_]]) -> Runs:
        """The same from parts: `mask_of` makes the mask of some rows of the first axis."""
        starts, stops = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        width = shape[-1]
        for rows in row_slabs(shape):
            lines = mask_of(rows).reshape(-1, width)
            padded = np.zeros((len(lines), width + 1), dtype=np.int8)  # so that every run ends within its line
            padded[:, :width] = lines
            steps = np.diff(padded.reshape(-1), prepend=np.int8(0))
            first, last = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
            offset = rows.start * math.prod(shape[1:])
            starts.append(first - first // (width + 1) + offset)
            stops.append(last - last // (width + 1) + offset)
        return cls(shape, np.concatenate(starts), np.concatenate(stops))

    @property
    def lengths(self) -> Indices:
        return self.stops - self.starts

    def at(self, voxels: NDArray[Any]) -> Indices:
        """The number of the run that holds each voxel (n flat indices), -1 where there is none."""
        place = np.searchsorted(self.starts, voxels, side="right") - 1
        if not len(self.starts):
            return place
        return np.where((place >= 0) & (voxels < self.stops[np.maximum(place, 0)]), place, -1)

    def overlaps(self, other: Runs, shift: int = 0, grow: int = 0) -> tuple[Indices, Indices, Indices]:
        """Pairs of a run here and one of `other`, moved by `shift` voxels and `grow` longer at both ends, that overlap.

        The third array is how many voxels they share.
        """
        starts, stops = other.starts + (shift - grow), other.stops + (shift + grow)
        low = np.searchsorted(stops, self.starts, side="right")
        high = np.searchsorted(starts, self.stops, side="left")
        counts = np.maximum(high - low, 0)
        mine = np.repeat(np.arange(len(counts)), counts)
        theirs = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(low, counts)
        shared = np.minimum(self.stops[mine], stops[theirs]) - np.maximum(self.starts[mine], starts[theirs])
        return mine, theirs, shared


def row_slabs(shape: tuple[int, ...]) -> Iterator[slice]:
    """Slices of the first axis that cover an array of this shape, each of a handy size; the only axis stays whole."""
    rows = max(1, _VOXELS_AT_ONCE // max(math.prod(shape[1:]), 1)) if len(shape) > 1 else max(shape[0], 1)
    for start in range(0, shape[0], rows):
        yield slice(start, min(start + rows, shape[0]))


@dataclass(frozen=True, eq=False)
class Objects:
    """The connected parts of a mask: `numbers` (runs) are those of each run's object, from 1 to `count`."""

    runs: Runs
    numbers: Indices
    count: int

    @cached_property
    def voxels(self) -> NDArray[np.int64]:
        """The sizes (count) of the objects."""
        return self.sums(self.runs.lengths).astype(np.int64)

    def sums(self, of_runs: NDArray[Any]) -> NDArray[np.float64]:
        """The sum (count) over each object of values (runs)."""
        return np.asarray(np.bincount(self.numbers, weights=of_runs, minlength=self.count + 1)[1:], dtype=np.float64)

    def at(self, voxels: NDArray[Any]) -> Indices:
        """The number of the object at each voxel (flat indices), 0 outside."""
        return np.concatenate([self.numbers, [0]])[self.runs.at(voxels)]

    @cached_property
    def _order(self) -> tuple[Indices, Indices]:
        """The runs, object by object, and where those of each object begin."""
        order = np.argsort(self.numbers, kind="stable")
        return order, np.searchsorted(self.numbers[order], np.arange(1, self.count + 2))

    def mask(self, number: int) -> tuple[NDArray[np.bool_], Box]:
        """The mask of the bounding box of one object, and the box."""
        order, begins = self._order
        chosen = order[begins[number - 1] : begins[number]]
        starts, lengths = self.runs.starts[chosen], self.runs.lengths[chosen]
        *lines, first = np.unravel_index(starts, self.runs.shape)
        corner = [int(axis.min()) for axis in (*lines, first)]
        ends = [*(int(axis.max()) + 1 for axis in lines), int((first + lengths).max())]
        box = tuple(slice(low, high) for low, high in zip(corner, ends, strict=True))
        mask = np.zeros([part.stop - part.start for part in box], dtype=bool)
        local = np.ravel_multi_index(
            [axis - low for axis, low in zip((*lines, first), corner, strict=True)], mask.shape
        )
        steps = np.zeros(mask.size + 1, dtype=np.int8)
        steps[local] += 1
        steps[local + lengths] -= 1
        np.cumsum(steps[:-1], out=mask.reshape(-1).view(np.int8), dtype=np.int8)
        return mask, box

    def common_voxels(self, other: Objects) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int64]]:
        """The pairs of objects (numbers from 0 here and in `other`) that share voxels, and how many they share."""
        mine, theirs, shared = self.runs.overlaps(other.runs)
        pairs, places = np.unique(
            self.numbers[mine] * np.int64(other.count + 1) + other.numbers[theirs], return_inverse=True
        )
        common = np.bincount(places, weights=shared, minlength=len(pairs)).astype(np.int64)
        return pairs // (other.count + 1) - 1, pairs % (other.count + 1) - 1, common


def connected(mask: NDArray[np.bool_]) -> Objects:
    """The connected parts of a mask, corners included, numbered in the order of the array."""
    return connected_runs(Runs.of(mask))


def connected_runs(runs: Runs) -> Objects:
    """The connected parts of the voxels of `runs`, corners included, numbered in the order of the array."""
    count, lines = len(runs.starts), np.unravel_index(runs.starts, runs.shape)[:-1]
    ones, others = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    strides = [math.prod(runs.shape[axis + 1 :]) for axis in range(len(runs.shape) - 1)]
    for offset in product((-1, 0, 1), repeat=len(strides)):
        if offset <= (0,) * len(strides):  # each pair of neighboring lines once
            continue
        shift = sum(step * stride for step, stride in zip(offset, strides, strict=True))
        one, other, _ = runs.overlaps(runs, shift, grow=1)
        near = np.ones(len(one), dtype=bool)  # in flat indices the end of a line is next to the beginning of another
        for axis, step in zip(lines, offset, strict=True):
            near &= axis[one] - axis[other] == step
        ones.append(one[near])
        others.append(other[near])
    edges = np.concatenate(ones), np.concatenate(others)
    graph = coo_matrix((np.ones(len(edges[0]), dtype=np.int8), edges), shape=(count, count))
    found, numbers = connected_components(graph, directed=False) if count else (0, np.zeros(0, dtype=np.int64))
    _, first = np.unique(numbers, return_index=True)
    rank = np.empty(found, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(1, found + 1)
    return Objects(runs, rank[numbers], int(found))
