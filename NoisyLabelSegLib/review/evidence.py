"""What one case tells about its annotators and its doubt, small enough to be kept for every case of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.fusion import Votes
from NoisyLabelSegLib.review.asking import Doubt, fill_blank_doubts, vote_doubt
from NoisyLabelSegLib.review.crop import busy_box
from NoisyLabelSegLib.review.information import entropy
from NoisyLabelSegLib.review.panel import Floats, Panel
from NoisyLabelSegLib.review.regions import Region, doubtful_regions, vote_dissent
from NoisyLabelSegLib.review.units import Units, units_of

_STEPS = 32  # probabilities are kept to this precision, so that equal ones are counted together
_CERTAIN = 0.01  # bits below which a voxel is in no doubt


@dataclass(frozen=True)
class Evidence:
    """`votes` (P, R) and `counts` (P,) of the voxels; `confusion` (R, L, L) and `truth` (L,) where anyone marked.

    `hesitation` holds a model's probabilities (L, n) and their counts (n,) for a case that nobody labelled.
    """

    case: str
    votes: NDArray[np.int16]
    counts: Floats
    confusion: Floats
    truth: Floats
    hesitation: tuple[Floats, Floats] | None
    regions: tuple[Region, ...]
    voxel_volume: float
    units: Units

    def doubt(self, panel: Panel, annotators: Sequence[str]) -> Doubt:
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
    """From labels (*shape) of those who labelled the case and their confusion counts (L, L) over the whole volume."""
    table = Votes([labels.get(name) for name in annotators], classes=classes).table
    marked = float(table.counts[(table.votes > 0).any(axis=1)].sum())
    matrices = np.zeros((len(annotators), classes, classes))
    for name, matrix in confusion.items():
        matrices[annotators.index(name)] = _where_marked(matrix, marked)
    box = busy_box(labels.values(), geometry.shape)
    dissent = vote_dissent([array[box] for array in labels.values()], classes)
    return Evidence(
        case=case,
        votes=table.votes,
        counts=table.counts,
        confusion=matrices,
        truth=matrices.sum(axis=1).max(axis=0),
        hesitation=None,
        regions=doubtful_regions(dissent, box, geometry),
        voxel_volume=geometry.voxel_volume,
        units=units_of(geometry),
    )


def blank_evidence(
    case: str, probabilities: NDArray[Any] | None, geometry: Geometry, *, annotators: int, classes: int
) -> Evidence:
    """For a case that nobody labelled, with a model's probabilities (L, *shape) where there are any."""
    regions: tuple[Region, ...] = ()
    if probabilities is not None:
        whole = tuple(slice(0, size) for size in geometry.shape)
        regions = doubtful_regions(1 - probabilities.max(axis=0), whole, geometry)
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


def panel_of(evidence: Sequence[Evidence]) -> Panel:
    """What all cases together tell about the annotators."""
    return Panel.from_counts(
        np.asarray(sum(item.confusion for item in evidence)), np.asarray(sum(item.truth for item in evidence))
    )


def all_doubts(evidence: Sequence[Evidence], panel: Panel, annotators: Sequence[str]) -> list[Doubt]:
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
