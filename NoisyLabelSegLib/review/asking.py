"""Whom to ask next: which case is most in doubt, and whose label would settle most of it for its cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.review.information import entropy, information
from NoisyLabelSegLib.review.panel import Panel
from NoisyLabelSegLib.review.units import MILLIMETERS, Units


@dataclass(frozen=True)
class Doubt:
    """What is not certain in a case: the truth's `probabilities` (L, n) at n kinds of voxels, `counts` (n,) of each."""

    case: str
    probabilities: NDArray[np.float64]
    counts: NDArray[np.float64]
    labelled_by: tuple[str, ...]
    voxel_volume: float = 1.0
    units: Units = MILLIMETERS

    @property
    def bits(self) -> float:
        """The entropy of the truth over the whole case."""
        return float(entropy(self.probabilities) @ self.counts)


@dataclass(frozen=True)
class Suggestion:
    """Ask this annotator about this case. `doubt` and `settles` are sizes (mm3, in 2D mm2), a voxel of one bit in full.

    `again`: the annotator has labelled the case before, so this would be a second look, which tells less than it says.
    `value` is what the ranking goes by: `settles` per unit of cost.
    """

    case: str
    annotator: str
    doubt: float
    settles: float
    cost: float
    again: bool
    units: Units = MILLIMETERS

    @property
    def value(self) -> float:
        return self.settles / self.cost

    @property
    def share(self) -> float:
        """The part of the doubt that the label is expected to settle."""
        return self.settles / self.doubt if self.doubt else 0.0


def suggest(
    doubts: Sequence[Doubt],
    panel: Panel,
    annotators: Sequence[str],
    costs: Mapping[str, float] | None = None,
) -> list[Suggestion]:
    """Every annotator for every case, best first; second looks come after all first ones."""
    costs = costs or {}
    found = [
        Suggestion(
            case=doubt.case,
            annotator=annotator,
            doubt=doubt.bits * doubt.voxel_volume,
            settles=float(information(doubt.probabilities, confusion) @ doubt.counts) * doubt.voxel_volume,
            cost=costs.get(annotator, 1.0),
            again=annotator in doubt.labelled_by,
            units=doubt.units,
        )
        for doubt in doubts
        for annotator, confusion in zip(annotators, panel.confusion, strict=True)
    ]
    order = {name: place for place, name in enumerate(annotators)}
    return sorted(found, key=lambda item: (item.again, -item.value, item.case, order[item.annotator]))


def vote_doubt(
    case: str,
    votes: NDArray[np.integer],
    counts: NDArray[np.float64],
    panel: Panel,
    annotators: Sequence[str],
    *,
    voxel_volume: float = 1.0,
    units: Units = MILLIMETERS,
) -> Doubt:
    """The doubt that is left by votes (P, R) seen in `counts` (P,) voxels; a negative vote is no vote.

    Of the voxels that nobody marked only as many count as somebody did: far away from all marks there is no doubt,
    though a small doubt times a whole volume would outweigh everything else. How much of a case that nobody labelled
    is in doubt is unknown (NaN) until `fill_blank_doubts` has seen the others.
    """
    looked: NDArray[np.bool_] = np.any(votes >= 0, axis=0)
    labelled_by = tuple(name for name, here in zip(annotators, looked, strict=True) if here)
    if not labelled_by:
        return Doubt(case, panel.prior[:, None], np.array([np.nan]), (), voxel_volume, units)
    background = (votes <= 0).all(axis=1)
    counts = np.array(counts, dtype=np.float64)
    counts[background] *= min(1.0, counts[~background].sum() / max(counts[background].sum(), 1.0))
    return Doubt(case, panel.posterior(votes), counts, labelled_by, voxel_volume, units)


def fill_blank_doubts(doubts: Sequence[Doubt]) -> list[Doubt]:
    """Expects as many voxels in doubt in a case that nobody labelled as in the average case that somebody did."""
    seen = [doubt.counts.sum() for doubt in doubts if doubt.labelled_by]
    typical = np.array([float(np.mean(seen)) if seen else 0.0])
    return [replace(doubt, counts=typical) if np.isnan(doubt.counts).any() else doubt for doubt in doubts]
