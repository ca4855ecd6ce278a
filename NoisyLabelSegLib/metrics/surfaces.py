"""Surfaces of label classes and the distances between them in millimeters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from NoisyLabelSegLib.metrics.runs import Objects, Runs, connected_runs, row_slabs

MANY_POINTS = 5000
_POINTS_AT_ONCE = 1 << 20


class Shape:
    """Where `labels` (*shape) hold one class, or with None any but 0; voxel edges in millimeters, in the axes' order.

    Nothing that is kept is as large as the labels.
    """

    def __init__(self, labels: NDArray[Any], spacing_zyx: tuple[float, ...], label: int | None = None) -> None:
        self._labels, self._label = labels, label
        self.spacing = np.asarray(spacing_zyx, dtype=np.float64)

    @property
    def mask(self) -> NDArray[np.bool_]:
        """The whole mask (*shape), made anew at every call."""
        return self.mask_of(slice(None))

    def mask_of(self, rows: slice) -> NDArray[np.bool_]:
        """The mask of some rows of the first axis."""
        part = self._labels[rows]
        return np.asarray(part != 0 if self._label is None else part == self._label)

    def holds(self, voxels: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Whether voxels (n flat indices) belong to the shape."""
        values = np.take(self._labels, voxels)
        return np.asarray(values != 0 if self._label is None else values == self._label)

    @cached_property
    def border_voxels(self) -> NDArray[np.intp]:
        """Flat indices, ascending, of voxels with a face towards the outside; the volume's edge is outside."""
        size, last = math.prod(self._labels.shape[1:]), self._labels.shape[0]
        found = [np.zeros(0, dtype=np.intp)]
        for rows in row_slabs(self._labels.shape):
            low, high = max(rows.start - 1, 0), min(rows.stop + 1, last)
            border = _border(self.mask_of(slice(low, high)), first=low == rows.start, last=high == rows.stop)
            found.append(np.flatnonzero(border[rows.start - low : rows.stop - low]) + rows.start * size)
        return np.concatenate(found)

    @cached_property
    def objects(self) -> Objects:
        """The connected parts; voxels that touch by a corner belong together."""
        return connected_runs(Runs.where(self._labels.shape, self.mask_of))

    def points(self, voxels: NDArray[np.intp]) -> NDArray[np.float64]:
        """Positions (n, dimension) in millimeters of flat indices (n)."""
        return np.stack(np.unravel_index(voxels, self._labels.shape), axis=-1) * self.spacing

    def distances(self, voxels: NDArray[np.intp]) -> NDArray[np.float64]:
        """How far voxels (n flat indices) lie from the nearest border voxel of this shape, in millimeters."""
        distances = np.zeros(len(voxels))
        border = self.border_voxels
        place = np.minimum(np.searchsorted(border, voxels), len(border) - 1)
        away = np.flatnonzero(border[place] != voxels)
        for start in range(0, away.size, _POINTS_AT_ONCE):
            part = away[start : start + _POINTS_AT_ONCE]
            workers = -1 if part.size > MANY_POINTS else 1  # threads take a while to start
            distances[part] = self._tree.query(self.points(voxels[part]), workers=workers)[0]
        return distances

    @cached_property
    def _tree(self) -> Any:
        # Borders are thin: a tree of their points beats a distance map of the whole volume, exactly as precise.
        return cKDTree(self.points(self.border_voxels))


def _border(mask: NDArray[np.bool_], *, first: bool, last: bool) -> NDArray[np.bool_]:
    """The border voxels of a mask; `first` and `last` say whether its first and last row are the volume's."""
    inner = mask.copy()
    for axis in range(mask.ndim):
        inside, moved = np.moveaxis(inner, axis, 0), np.moveaxis(mask, axis, 0)
        inside[1:] &= moved[:-1]
        inside[:-1] &= moved[1:]
        if axis or first:
            inside[0] = False
        if axis or last:
            inside[-1] = False
    return mask & ~inner


class LabelShapes:
    """The shapes of one label image (*shape): of each class, and of everything that is not background."""

    def __init__(self, labels: NDArray[Any], spacing_zyx: tuple[float, ...], classes: int) -> None:
        self.labels = labels
        self.classes = classes
        self._spacing = spacing_zyx
        self._shapes: dict[int, Shape] = {}

    @cached_property
    def foreground(self) -> Shape:
        return self.of_class(1) if self.classes == 2 else Shape(self.labels, self._spacing)

    def of_class(self, label: int) -> Shape:
        if label not in self._shapes:
            self._shapes[label] = Shape(self.labels, self._spacing, label)
        return self._shapes[label]


@dataclass(frozen=True)
class Matches:
    """Which objects of the truth were `found` and which drawn ones are `real`, each (count) bool."""

    found: NDArray[np.bool_]
    real: NDArray[np.bool_]


def match(truth: Objects, drawn: Objects, *, share: float) -> Matches:
    """Two objects match when their common voxels are at least `share` of the smaller one."""
    one, other, common = truth.common_voxels(drawn)
    same = common >= share * np.minimum(truth.voxels[one], drawn.voxels[other])
    found, real = np.zeros(truth.count, dtype=bool), np.zeros(drawn.count, dtype=bool)
    found[one[same]] = True
    real[other[same]] = True
    return Matches(found, real)


@dataclass(frozen=True)
class BoundaryDistances:
    """Millimeters; None where the distance does not exist.

    `hd95`: the larger of the two directed 95th percentiles; `mean`: over the border voxels of both. Both are 0 when
    both masks are empty and None when only one is. `bias` is the mean signed distance over the objects that were both
    there and drawn, positive where the annotator draws outside; None when there are none.
    """

    hd95: float | None
    mean: float | None
    bias: float | None


def boundary_distances(drawn: Shape, truth: Shape, matches: Matches) -> BoundaryDistances:
    """Compares the borders of what was drawn and of the truth, two shapes on the same grid."""
    if not drawn.border_voxels.size or not truth.border_voxels.size:
        nothing = 0.0 if not drawn.border_voxels.size and not truth.border_voxels.size else None
        return BoundaryDistances(nothing, nothing, None)
    from_drawn, from_truth = truth.distances(drawn.border_voxels), drawn.distances(truth.border_voxels)
    return BoundaryDistances(
        hd95=_hd95(from_drawn, from_truth),
        mean=_mean_distance(from_drawn, from_truth),
        bias=_bias(drawn, truth, from_drawn, from_truth, matches),
    )


def _hd95(one_way: NDArray[np.float64], other_way: NDArray[np.float64]) -> float:
    return float(max(np.percentile(one_way, 95), np.percentile(other_way, 95)))


def _mean_distance(one_way: NDArray[np.float64], other_way: NDArray[np.float64]) -> float:
    return float(np.concatenate([one_way, other_way]).mean())


@dataclass(frozen=True)
class SurfaceAgreement:
    """How near the borders of two shapes lie, the same for either order of the two.

    `surface_dice` is the share of the border voxels of both that lie within the tolerance of the other's border.
    `hd95` and `assd` (average symmetric surface distance) are in millimeters. Both masks empty: 1, 0 and 0. One empty:
    surface Dice 0, the distances NaN.
    """

    surface_dice: float
    hd95: float
    assd: float


def surface_agreement(first: Shape, second: Shape, tolerance_mm: float) -> SurfaceAgreement:
    """Compares the borders of two shapes on the same grid.

    Examples
    --------
    >>> one, other = np.zeros((2, 5, 5), bool)
    >>> one[1:3, 1:3] = other[1:3, 2:4] = True
    >>> surface_agreement(Shape(one, (1.0, 1.0)), Shape(other, (1.0, 1.0)), tolerance_mm=0.5)
    SurfaceAgreement(surface_dice=0.5, hd95=1.0, assd=0.5)
    """
    sizes = first.border_voxels.size, second.border_voxels.size
    if not all(sizes):
        return SurfaceAgreement(0.0, math.nan, math.nan) if any(sizes) else SurfaceAgreement(1.0, 0.0, 0.0)
    from_first, from_second = second.distances(first.border_voxels), first.distances(second.border_voxels)
    near = int((from_first <= tolerance_mm).sum() + (from_second <= tolerance_mm).sum())
    return SurfaceAgreement(near / sum(sizes), _hd95(from_first, from_second), _mean_distance(from_first, from_second))


def _bias(
    drawn: Shape,
    truth: Shape,
    from_drawn: NDArray[np.float64],
    from_truth: NDArray[np.float64],
    matches: Matches,
) -> float | None:
    """Objects that were missed or invented say nothing about where a border is drawn, so only matches count."""
    outside = np.where(truth.holds(drawn.border_voxels), -from_drawn, from_drawn)
    covered = np.where(drawn.holds(truth.border_voxels), from_truth, -from_truth)
    outside = outside[matches.real[drawn.objects.at(drawn.border_voxels) - 1]]
    covered = covered[matches.found[truth.objects.at(truth.border_voxels) - 1]]
    signed = np.concatenate([outside, covered])
    return float(signed.mean()) if signed.size else None
