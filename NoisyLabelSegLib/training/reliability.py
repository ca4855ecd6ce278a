"""What the labels of a study tell about its annotators before any training: unused classes and reliability weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.fusion.table import Floats, VoteTable
from NoisyLabelSegLib.fusion.weighted_majority import capped
from NoisyLabelSegLib.training.reference_set import FLOOR, Knowledge

MOST_OF_THE_OTHERS = 0.95
"""The largest weight, as a share of all others' together: less than half of all, so that nobody decides alone."""

UNUSED_CLASS_WEIGHT = 0.5
"""The weight of an annotator who never uses some class, relative to one who uses all."""

CHANCE = 0.05
"""Below this probability it is not by chance that none of an annotator's cases shows a class."""

MOST_ROUNDS = 50


@dataclass(frozen=True)
class LabelSummary:
    """What the labels of all training cases say about the annotators.

    unused: classes that an annotator never uses, (R, L) bool; absent: annotators without any label, (R,) bool;
    weights: reliability weights, (R,) float32; has_single_labels: whether some voxels have one label only.
    """

    unused: NDArray[np.bool_]
    absent: NDArray[np.bool_]
    weights: NDArray[np.float32]
    has_single_labels: bool
    prior: NDArray[np.float32] | None = None
    """Weights from curated truth and experience alone, (R,), mean 1; None where the study has neither."""

    @classmethod
    def of(cls, cases: Sequence[VoteTable], classes: int, knowledge: Knowledge | None = None) -> LabelSummary:
        """From the votes of every case, and what is known beside them."""
        votes, unused = VoteTable.pooled(cases), unused_classes(cases, classes)
        if knowledge is None:
            weights, prior = reliability_weights(votes, unused), None
        else:
            weights, prior = reliability_weights(votes, unused, knowledge), knowledge.weights
        return cls(unused, absent_annotators(votes), weights, has_single_labels(votes), prior)


def unused_classes(cases: Sequence[VoteTable], classes: int) -> NDArray[np.bool_]:
    """Classes that others use and an annotator never does, (R, L) bool, and not by chance; background is never one.

    It is not by chance where somebody else marked the class in the same case, or where it would be improbable that none
    of as many cases as this annotator labeled shows the class.
    """
    labeled = np.array([(table.symbols >= 0).any(axis=0) for table in cases])
    used = np.zeros((*labeled.shape, classes), dtype=np.bool_)
    for table, row in zip(cases, used, strict=True):
        row[:, table.values] = table.tallies_by_annotator > 0
    times, cases_with = used.sum(axis=0), np.asarray(used.any(axis=1))
    labeled_cases = labeled.sum(axis=0)[:, None]
    seen_beside = (labeled[:, :, None] & cases_with[:, None]).any(axis=0)
    others_rate = (times.sum(axis=0) - times) / np.maximum(labeled_cases.sum() - labeled_cases, 1)
    improbable = (1 - others_rate) ** labeled_cases < CHANCE
    unused: NDArray[np.bool_] = (times == 0) & (labeled_cases > 0) & (seen_beside | improbable)
    unused[:, 0] = False
    return unused


def absent_annotators(votes: VoteTable) -> NDArray[np.bool_]:
    """Annotators without any label, (R,) bool."""
    return np.asarray((votes.symbols < 0).all(axis=0))


def has_single_labels(votes: VoteTable) -> bool:
    """Whether there are voxels that exactly one annotator labeled."""
    return bool(((votes.symbols >= 0).sum(axis=1) == 1).any())


def reliability_weights(
    votes: VoteTable, unused: NDArray[np.bool_], knowledge: Knowledge | None = None
) -> NDArray[np.float32]:
    """How much each annotator's label weighs where annotators disagree, (R,).

    The truth is taken to be the weighted vote that makes the sum over annotators r of log(e_r + FLOOR) small, e_r
    being r's errors as a share of what is marked: errors that belong to few annotators are likelier than errors that
    everyone shares. A weight is the slope of that, 1 / (e_r + FLOOR); votes and weights are computed from each other
    until they no longer change, starting from equal ones, and nobody has more than half of all weight. An annotator
    who never uses a class counts half; voxels with fewer than two labels are ignored, and an annotator who was never
    compared has the mean weight of the others. Errors against a curated truth are added to those against the vote, and
    experience multiplies the weights.
    """
    base = np.where(unused.any(axis=1), UNUSED_CLASS_WEIGHT, 1.0)
    extra_wrong, extra_marked = np.zeros((2, len(base)))
    if knowledge is not None:
        base, extra_wrong, extra_marked = base * knowledge.experience, knowledge.wrong, knowledge.marked
    known = votes.symbols >= 0
    compared = known.sum(axis=1) > 1
    weights: Floats = base
    counts = np.where(compared, votes.counts, 0.0)
    marked = counts @ (known & (votes.votes > 0))
    if not marked.any() and not extra_marked.any():
        return np.asarray(base, dtype=np.float32)
    for _ in range(MOST_ROUNDS):
        truth = _weighted_vote(votes, weights)
        wrong = extra_wrong + counts @ (known & (votes.symbols != truth[:, None]))
        foreground = extra_marked + counts @ (known & ((votes.votes > 0) | (truth > 0)[:, None]))
        before, weights = weights, base / (wrong / np.maximum(foreground, 1) + FLOOR)
        weights = _limited(weights, foreground > 0)
        if np.allclose(before, weights):
            break
    return np.asarray(weights / weights.mean(), dtype=np.float32)


def _limited(weights: Floats, was_compared: NDArray[np.bool_]) -> Floats:
    """Weights (R,) of which none is above half of all; who was never compared has the mean of those who were."""
    limited = capped(np.where(was_compared, weights, 0.0), MOST_OF_THE_OTHERS)
    return np.where(was_compared, limited, limited[was_compared].mean())


def _weighted_vote(votes: VoteTable, weights: Floats) -> NDArray[np.intp]:
    """The index among the values of the label with most weight, (P,), for weights (R,); the lowest of equals."""
    totals = np.stack([(votes.symbols == place) @ weights for place in range(len(votes.values))], axis=1)
    return np.asarray(totals.argmax(axis=1), dtype=np.intp)
