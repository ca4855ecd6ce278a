"""Active labeling: the expected information of one more label, by case and annotator, for its cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from NoisyLabelSegLib.review.compare.options import MILLIMETERS, Units

Floats = NDArray[np.float64]

_OWN_EVIDENCE = 0.1
"""An annotator's matrix is drawn to the panel's mean with the weight of this share of an average annotator's voxels:
neighboring voxels repeat each other, so a few cases prove less than their many voxels suggest."""


@dataclass(frozen=True)
class AnnotatorModels:
    """`confusion` (R, L, L), a_ij = p(says i | truth is j); `prior` (L,): the classes among voxels anyone marks."""

    confusion: Floats
    prior: Floats

    @classmethod
    def from_counts(cls, counts: Floats, truth: Floats) -> AnnotatorModels:
        """From how often each annotator said i where the truth is j, (R, L, L), and how often it is j at all, (L,).

        Only voxels that somebody marked should be counted: in an ocean of background everyone looks faultless.
        """
        classes = len(truth)
        mean = counts.sum(axis=0) + 1e-6 * np.eye(classes) + 1e-9
        mean /= mean.sum(axis=0)
        weight = _OWN_EVIDENCE * counts.sum() / max(np.count_nonzero(counts.sum(axis=(1, 2))), 1) / classes + 1e-9
        confusion = counts + weight * (0.98 * mean + 0.02 / classes)
        prior = truth + 1e-6 * truth.sum() + 1e-9
        return cls(confusion / confusion.sum(axis=1, keepdims=True), prior / prior.sum())

    def posterior(self, votes: NDArray[np.integer]) -> Floats:
        """The truth (L, P) behind votes (P, R); a negative vote is no vote."""
        joint = np.repeat(np.log(self.prior)[:, None], len(votes), axis=1)
        for confusion, said in zip(np.log(self.confusion), votes.T, strict=True):
            voted = said >= 0
            joint[:, voted] += confusion[said[voted]].T
        joint = np.exp(joint - joint.max(axis=0))
        return np.asarray(joint / joint.sum(axis=0))


Bits = NDArray[np.float64]


def entropy(probabilities: NDArray[Any]) -> Bits:
    """The doubt (*shape) about a class with probabilities (L, *shape): 0 when certain, log2 L when anything goes."""
    return np.asarray(-xlogy(probabilities, probabilities).sum(axis=0) / np.log(2))


def information(probabilities: NDArray[Any], confusion: NDArray[Any]) -> Bits:
    """The mutual information (*shape) of the truth (L, *shape) and the label that an annotator would give.

    `confusion` (L, L) is the annotator's, columns summing to one: the entropy of the label less the entropy that is
    the annotator's own noise. Never more than the entropy of the truth, and 0 for one who always says the same.
    """
    said = np.tensordot(confusion, probabilities, axes=1)
    noise = np.tensordot(entropy(confusion), probabilities, axes=1)
    return np.maximum(entropy(said) - noise, 0.0)


@dataclass(frozen=True)
class Doubt:
    """What is not certain in a case: the truth's `probabilities` (L, n) at n kinds of voxels, `counts` (n,) of each."""

    case: str
    probabilities: NDArray[np.float64]
    counts: NDArray[np.float64]
    labeled_by: tuple[str, ...]
    voxel_volume: float = 1.0
    units: Units = MILLIMETERS

    @property
    def bits(self) -> float:
        """The entropy of the truth over the whole case."""
        return float(entropy(self.probabilities) @ self.counts)


@dataclass(frozen=True)
class Suggestion:
    """Ask this annotator about this case. `doubt` and `settles` are sizes (mm3, in 2D mm2), a voxel of one bit in full.

    `again`: the annotator has labeled the case before, so this would be a second look, which tells less than it says.
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
    panel: AnnotatorModels,
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
            again=annotator in doubt.labeled_by,
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
    panel: AnnotatorModels,
    annotators: Sequence[str],
    *,
    voxel_volume: float = 1.0,
    units: Units = MILLIMETERS,
) -> Doubt:
    """The doubt that is left by votes (P, R) seen in `counts` (P,) voxels; a negative vote is no vote.

    Of the voxels that nobody marked only as many count as somebody did: far away from all marks there is no doubt,
    though a small doubt times a whole volume would outweigh everything else. How much of a case that nobody labeled
    is in doubt is unknown (NaN) until `fill_blank_doubts` has seen the others.
    """
    looked: NDArray[np.bool_] = np.any(votes >= 0, axis=0)
    labeled_by = tuple(name for name, here in zip(annotators, looked, strict=True) if here)
    if not labeled_by:
        return Doubt(case, panel.prior[:, None], np.array([np.nan]), (), voxel_volume, units)
    background = (votes <= 0).all(axis=1)
    counts = np.array(counts, dtype=np.float64)
    counts[background] *= min(1.0, counts[~background].sum() / max(counts[background].sum(), 1.0))
    return Doubt(case, panel.posterior(votes), counts, labeled_by, voxel_volume, units)


def fill_blank_doubts(doubts: Sequence[Doubt]) -> list[Doubt]:
    """Expects as many voxels in doubt in a case that nobody labeled as in the average case that somebody did."""
    seen = [doubt.counts.sum() for doubt in doubts if doubt.labeled_by]
    typical = np.array([float(np.mean(seen)) if seen else 0.0])
    return [replace(doubt, counts=typical) if np.isnan(doubt.counts).any() else doubt for doubt in doubts]
