"""The regions of a case on which the annotators, or the annotators and the reference, disagree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.decisions.record import Region
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import Votes
from NoisyLabelSegLib.metrics.components import Box, Island, busy_box

Labels = NDArray[np.uint8]

OBJECT, BORDER, CLASS = "object", "border", "class"
"""Kinds of disagreement: whether an object is there, where its border is, and of which class it is."""
AGREED = 0
"""The number of voxels that belong to no disagreement."""


@dataclass(frozen=True)
class Disagreement:
    """One connected region; `number` counts from 1, largest first.

    kind: "object" where no voxel beside the region is foreground to everybody, "class" where everybody marked the
    whole region but with different classes, else "border".
    groups: annotators with the same labels in the whole region, the largest group first.
    size: mm3 (mm2 in 2D). slices: first and last along the array's first axis, from 1.
    """

    number: int
    region: Region
    kind: str
    size: float
    slices: tuple[int, int]
    groups: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Disagreements:
    """All regions of a case, in the box that holds everything anybody marked.

    numbers: (*box) int32, the number of the region of each voxel, 0 where there is none.
    base: (*box) uint8, the reference, with the vote where at least `agreed_share` of the annotators agree.
    majority: (*box) uint8, the majority vote.
    """

    box: Box
    numbers: NDArray[np.int32]
    base: Labels
    majority: Labels
    labels: Mapping[str, Labels]
    geometry: Geometry

    @cached_property
    def boxes(self) -> list[Box]:
        """The bounding box of every region, within `box`."""
        return list(ndimage.find_objects(self.numbers))

    def __len__(self) -> int:
        return len(self.boxes)

    def mask(self, number: int) -> tuple[Box, NDArray[np.bool_]]:
        """Where a region lies: its box within `box`, and its mask in there."""
        place = self.boxes[number - 1]
        return place, self.numbers[place] == number

    def __getitem__(self, number: int) -> Disagreement:
        """The region of this number, from 1."""
        place, mask = self.mask(number)
        offset = tuple(outer.start + inner.start for outer, inner in zip(self.box, place, strict=True))
        island = Island(mask, offset, self.geometry.shape)
        region, slices = describe(island, self.geometry), np.flatnonzero(mask.reshape(len(mask), -1).any(axis=1))
        return Disagreement(
            number=number,
            region=region,
            kind=self._kind(place, mask),
            size=(region.voxels or 0) * self.geometry.voxel_volume,
            slices=(offset[0] + int(slices[0]) + 1, offset[0] + int(slices[-1]) + 1),
            groups=self._groups(place, mask),
        )

    def find(self, region: Region) -> int | None:
        """The number of the region that a decision is about; None where there is no such region."""
        index = self._index(region) - [part.start for part in self.box]
        candidates = range(1, len(self) + 1)
        if all(0 <= place < length for place, length in zip(index, self.numbers.shape, strict=True)):
            number = int(self.numbers[tuple(index)])
            candidates = range(number, number + 1) if number else candidates
        for number in candidates:
            same_size = region.voxels is None or int(self.mask(number)[1].sum()) == region.voxels
            if same_size and (len(candidates) == 1 or _same_bounds(self[number].region.bounds, region.bounds)):
                return number
        return None

    def is_agreed(self, region: Region) -> bool:
        """Whether the center of a region lies in the volume, where there is no disagreement."""
        index = self._index(region)
        if not all(0 <= place < length for place, length in zip(index, self.geometry.shape, strict=True)):
            return False
        inner = tuple(int(place) - part.start for place, part in zip(index, self.box, strict=True))
        inside = all(0 <= place < length for place, length in zip(inner, self.numbers.shape, strict=True))
        return not inside or int(self.numbers[inner]) == AGREED

    def _index(self, region: Region) -> NDArray[np.intp]:
        """The voxel of the whole array at the center of a region."""
        center = np.array([-region.center_ras[0], -region.center_ras[1], *region.center_ras[2:]])
        return np.asarray(np.rint(self.geometry.indices(center[: self.geometry.dimension])).astype(int))

    def _kind(self, place: Box, mask: NDArray[np.bool_]) -> str:
        drawn = [array[place][mask] for array in self.labels.values()]
        if all(values.all() for values in drawn):
            return CLASS
        wider = tuple(slice(max(part.start - 1, 0), part.stop + 1) for part in place)
        common = np.logical_and.reduce([array[wider] != 0 for array in self.labels.values()])
        around = ndimage.binary_dilation(self.numbers[wider] == self.numbers[place][mask][0], np.ones((3,) * mask.ndim))
        return BORDER if (common & around).any() else OBJECT

    def _groups(self, place: Box, mask: NDArray[np.bool_]) -> tuple[tuple[str, ...], ...]:
        found: dict[bytes, list[str]] = {}
        for name, array in self.labels.items():
            found.setdefault(array[place][mask].tobytes(), []).append(name)
        return tuple(sorted((tuple(names) for names in found.values()), key=len, reverse=True))


def find_disagreements(
    labels: Mapping[str, Labels],
    reference: Labels,
    geometry: Geometry,
    *,
    agreed_share: float | None = None,
    connectivity: int = 26,
) -> Disagreements:
    """The connected regions in which annotators differ from each other or from the reference.

    Parameters
    ----------
    labels
        Annotator to labels (*shape) uint8; at least one.
    reference
        The estimated truth, (*shape) uint8.
    agreed_share
        Voxels on which at least this share of the annotators agree get that label and belong to no region; above 0.5.
        None: every voxel on which anybody differs belongs to a region.
    connectivity
        6 (faces), 18 (edges) or 26 (corners); in 2D 6 means 4 neighbors, 18 and 26 mean 8.

    Examples
    --------
    >>> a, b = np.zeros((2, 6, 6), dtype=np.uint8)
    >>> a[1:3, 1:3] = 1
    >>> found = find_disagreements({"a": a, "b": b}, b, Geometry.plain((6, 6)))
    >>> found[1].kind, found[1].region.voxels, found[1].groups
    ('object', 4, (('a',), ('b',)))
    """
    if not labels:
        raise UserError("Nobody labeled this case, so there is nothing to adjudicate")
    box = busy_box([*labels.values(), reference], geometry.shape)
    drawn = {name: array[box] for name, array in labels.items()}
    first = next(iter(drawn.values()))
    disputed = np.logical_or.reduce([array != first for array in drawn.values()]) | (reference[box] != first)
    majority = Votes(list(drawn.values())).fuse("majority").labels
    base = reference[box].copy()
    if agreed_share is not None:
        share = np.mean([array == majority for array in drawn.values()], axis=0)
        settled = share >= agreed_share - 1e-9
        base[settled] = majority[settled]
        disputed &= ~settled
    return Disagreements(box, _numbered(disputed, connectivity), base, majority, drawn, geometry)


def describe(island: Island, geometry: Geometry) -> Region:
    """How an island is found again: a voxel in its middle, its size and its bounds."""
    indices = island.indices()
    ras = _ras(geometry.points(indices))
    return Region(
        center_ras=tuple(float(value) for value in _ras(geometry.points(island.middle_voxel(geometry.spacing_zyx)))),
        voxels=len(indices),
        bounds=tuple(float(value) for pair in zip(ras.min(axis=0), ras.max(axis=0), strict=True) for value in pair),
    )


def _numbered(mask: NDArray[np.bool_], connectivity: int) -> NDArray[np.int32]:
    """Connected components, largest first; equal ones in the order of the array."""
    rank = min({6: 1, 18: 2, 26: 3}[connectivity], mask.ndim)
    numbers, count = ndimage.label(mask, ndimage.generate_binary_structure(mask.ndim, rank))
    sizes = np.bincount(numbers.ravel(), minlength=count + 1)[1:]
    order = np.zeros(count + 1, dtype=np.int32)
    order[1 + np.argsort(-sizes, kind="stable")] = np.arange(1, count + 1)
    return np.asarray(order[numbers])


def _ras(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points (..., n) in LPS as (..., 3) in RAS; 2D images lie at 0."""
    flat = np.zeros((*points.shape[:-1], 3))
    flat[..., : points.shape[-1]] = points
    return flat * (-1.0, -1.0, 1.0) + 0.0


def _same_bounds(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return len(one) == len(other) and np.allclose(one, other, atol=1e-3)
