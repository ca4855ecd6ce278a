"""What one case tells about its annotators and its uncertain regions, small enough to keep for every case."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.fusion import Votes
from NoisyLabelSegLib.metrics.components import Box, Island, busy_box
from NoisyLabelSegLib.metrics.runs import Runs, connected_runs
from NoisyLabelSegLib.review.active.suggestions import (
    AnnotatorModels,
    Doubt,
    Floats,
    entropy,
    fill_blank_doubts,
    vote_doubt,
)
from NoisyLabelSegLib.review.compare.options import Units, units_of

Dissent = Callable[[slice], NDArray[Any]]
"""Makes the share of votes against the likeliest class for some rows of the first axis."""

LEAST_DISSENT = 1 / 3
"""A voxel is in doubt when at least this share of the votes, or of the probability, is against its likeliest class."""


@dataclass(frozen=True)
class DoubtfulRegion:
    """`size` in mm3 (mm2 in 2D), `center` a voxel of it (LPS, mm), `slice` its slice of `slices`, counted from 1."""

    size: float
    center: tuple[float, ...]
    slice: int
    slices: int


def vote_dissent(labels: Sequence[NDArray[Any]], classes: int) -> NDArray[np.float32]:
    """The share of votes (*shape) float32 that are not for the likeliest class; labels (*shape) of each annotator."""
    most = np.zeros(labels[0].shape, dtype=np.uint16)
    for label in range(classes):
        votes = np.zeros_like(most)
        for array in labels:
            votes += array == label
        np.maximum(most, votes, out=most)
    return np.asarray(1 - most / np.float32(len(labels)), dtype=np.float32)


def doubtful_regions(dissent: Dissent, box: Box, geometry: Geometry, *, most: int = 3) -> tuple[DoubtfulRegion, ...]:
    """The regions of a dissent map on `box` that weigh most, heaviest first.

    `dissent` makes the map of some rows of the first axis of the box.
    """
    shape = tuple(part.stop - part.start for part in box)
    weights = [np.zeros(0)]

    def doubted(rows: slice) -> NDArray[np.bool_]:
        part = dissent(rows)
        mask = np.asarray(part >= LEAST_DISSENT - 1e-6)
        weights.append(_run_sums(part, mask))
        return mask

    parts = connected_runs(Runs.where(shape, doubted))
    weight = np.round(parts.sums(np.concatenate(weights)), 6)
    corner = np.array([part.start for part in box])
    found = []
    for index in np.argsort(-weight, kind="stable")[:most]:
        mask, place = parts.mask(int(index) + 1)
        island = Island(mask, tuple(part.start for part in place), shape)
        middle = island.middle_voxel(geometry.spacing_zyx) + corner
        found.append(
            DoubtfulRegion(
                size=int(parts.voxels[index]) * geometry.voxel_volume,
                center=tuple(geometry.points(middle).tolist()),
                slice=int(middle[0]) + 1 if geometry.dimension == 3 else 1,
                slices=geometry.shape[0] if geometry.dimension == 3 else 1,
            )
        )
    return tuple(found)


def _run_sums(values: NDArray[Any], mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The sums of the values over each run of the mask, both (*shape)."""
    runs = Runs.of(mask)
    ends = np.stack([runs.starts, runs.stops], axis=1).reshape(-1)
    padded = np.append(values.reshape(-1).astype(np.float64), 0.0)
    return np.asarray(np.add.reduceat(padded, ends)[::2]) if ends.size else np.zeros(0)


_STEPS = 32  # probabilities are kept to this precision, so that equal ones are counted together
_CERTAIN = 0.01  # bits below which a voxel is in no doubt


@dataclass(frozen=True)
class Evidence:
    """`votes` (P, R) and `counts` (P,) of the voxels; `confusion` (R, L, L) and `truth` (L,) where anyone marked.

    `hesitation` holds a model's probabilities (L, n) and their counts (n,) for a case that nobody labeled.
    """

    case: str
    votes: NDArray[np.int16]
    counts: Floats
    confusion: Floats
    truth: Floats
    hesitation: tuple[Floats, Floats] | None
    regions: tuple[DoubtfulRegion, ...]
    voxel_volume: float
    units: Units

    def doubt(self, panel: AnnotatorModels, annotators: Sequence[str]) -> Doubt:
        """By what the votes leave open; a model's probabilities speak where there are no votes."""
        if self.hesitation is not None:
            return Doubt(self.case, *self.hesitation, (), self.voxel_volume, self.units)
        return vote_doubt(
            self.case, self.votes, self.counts, panel, annotators, voxel_volume=self.voxel_volume, units=self.units
        )


def gather_evidence(
    case: str,
    labels: Mapping[str, NDArray[Any]],
    confusion: Mapping[str, NDArray[np.int64]],
    geometry: Geometry,
    *,
    annotators: Sequence[str],
    classes: int,
) -> Evidence:
    """From labels (*shape) of those who labeled the case and their confusion counts (L, L) over the whole volume."""
    table = Votes([labels.get(name) for name in annotators], classes=classes).table
    marked = float(table.counts[(table.votes > 0).any(axis=1)].sum())
    matrices = np.zeros((len(annotators), classes, classes))
    for name, matrix in confusion.items():
        matrices[annotators.index(name)] = _where_marked(matrix, marked)
    box = busy_box(labels.values(), geometry.shape)
    inside = [array[box] for array in labels.values()]
    return Evidence(
        case=case,
        votes=table.votes,
        counts=table.counts,
        confusion=matrices,
        truth=matrices.sum(axis=1).max(axis=0),
        hesitation=None,
        regions=doubtful_regions(lambda rows: vote_dissent([array[rows] for array in inside], classes), box, geometry),
        voxel_volume=geometry.voxel_volume,
        units=units_of(geometry),
    )


def blank_evidence(
    case: str, probabilities: NDArray[Any] | None, geometry: Geometry, *, annotators: int, classes: int
) -> Evidence:
    """For a case that nobody labeled, with a model's probabilities (L, *shape) where there are any."""
    regions: tuple[DoubtfulRegion, ...] = ()
    if probabilities is not None:
        whole = tuple(slice(0, size) for size in geometry.shape)
        regions = doubtful_regions(lambda rows: 1 - probabilities[:, rows].max(axis=0), whole, geometry)
    return Evidence(
        case=case,
        votes=np.full((1, annotators), -1, dtype=np.int16),
        counts=np.full(1, np.nan),
        confusion=np.zeros((annotators, classes, classes)),
        truth=np.zeros(classes),
        hesitation=None if probabilities is None else _table_of(probabilities),
        regions=regions,
        voxel_volume=geometry.voxel_volume,
        units=units_of(geometry),
    )


def panel_of(evidence: Sequence[Evidence]) -> AnnotatorModels:
    """What all cases together tell about the annotators."""
    return AnnotatorModels.from_counts(
        np.asarray(sum(item.confusion for item in evidence)), np.asarray(sum(item.truth for item in evidence))
    )


def all_doubts(evidence: Sequence[Evidence], panel: AnnotatorModels, annotators: Sequence[str]) -> list[Doubt]:
    """The doubt of every case."""
    return fill_blank_doubts([item.doubt(panel, annotators) for item in evidence])


def _where_marked(confusion: NDArray[np.int64], marked: float) -> Floats:
    """The counts without the background on which everybody agrees."""
    counts = confusion.astype(np.float64)
    counts[0, 0] = max(marked - (counts.sum() - counts[0, 0]), 0.0)
    return counts


def _table_of(probabilities: NDArray[Any]) -> tuple[Floats, Floats]:
    """The different probabilities (L, n) among voxels in doubt, rounded, and how many voxels have each."""
    flat = probabilities.reshape(len(probabilities), -1)
    unsure = np.flatnonzero(flat.max(axis=0) < 1 - 1e-3)
    steps, counts = np.unique(np.rint(flat[:, unsure] * _STEPS).astype(np.int16), axis=1, return_counts=True)
    rounded = steps / np.maximum(steps.sum(axis=0), 1)
    kept = entropy(rounded) > _CERTAIN
    return rounded[:, kept], counts[kept].astype(np.float64)
