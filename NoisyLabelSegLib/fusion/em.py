"""Expectation-maximisation on the vote table: the truth from the annotators' skill, their skill from the truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from NoisyLabelSegLib.fusion.model import shares
from NoisyLabelSegLib.fusion.table import Floats, VoteTable

_SMALLEST = 1e-300

Settled = Callable[[Floats, Floats], bool]


@dataclass(frozen=True)
class Fit:
    """Confusion (R, K, K) and prior (K,) over the table's values, the posterior (P, K) they give, and how it ended.

    Columns of the confusion without evidence are zero.
    """

    confusion: Floats
    prior: Floats
    posterior: Floats
    iterations: int
    converged: bool


def maximise(table: VoteTable, posterior: Floats, counts: Floats, pseudo_counts: Floats | None = None) -> Floats:
    """The confusion matrices (R, K, K) that explain the votes best if the posterior (P, K) is right.

    `pseudo_counts` (K,) voxels per true class are added that look like the panel's mean matrix.
    """
    found = table.confusion_counts(posterior, counts)
    if pseudo_counts is not None:
        found += shares(found.sum(axis=0)) * pseudo_counts
    return shares(found)


def expect(table: VoteTable, confusion: Floats, prior: Floats) -> Floats:
    """The posterior (P, K) of the truth given each row's votes; annotators who did not look count for nothing."""
    size = len(prior)
    joint = np.asarray(table.indicator @ logarithm(confusion).reshape(-1, size))
    joint += logarithm(prior)
    return from_logarithms(joint)


def fit(
    table: VoteTable,
    posterior: Floats,
    prior: Floats,
    *,
    counts: Floats,
    settled: Settled,
    last: Floats | None = None,
    limit: int = 1000,
    update_prior: Callable[[Floats], Floats] | None = None,
    caution: float = 0.0,
) -> Fit:
    """Alternates both steps from a first posterior until `settled(confusion, last confusion)`.

    `last` is what the first confusion is compared with; with None the first comparison comes after the second step.
    `update_prior`, if given, makes the next prior (K,) from the mean posterior; otherwise the prior stays.
    `caution` pulls every annotator towards the panel's mean by this many pseudo-counts, shared out like the prior.
    """
    iterations, converged = 0, False
    confusion = np.zeros(0)
    while iterations < max(limit, 1) and not converged:
        confusion = maximise(table, posterior, counts, prior * caution if caution else None)
        if update_prior is not None:
            prior = update_prior(counts @ posterior / counts.sum())
        posterior = expect(table, confusion, prior)
        converged = last is not None and settled(confusion, last)
        last = confusion
        iterations += 1
    return Fit(confusion, prior, posterior, iterations, converged)


def logarithm(numbers: Floats) -> Floats:
    """The logarithm, with a very small number in the place of zero so that impossible things stay comparable."""
    return np.asarray(np.log(np.maximum(numbers, _SMALLEST)))


def from_logarithms(joint: Floats) -> Floats:
    """Rows (n, K) of logarithms as probabilities that sum to one; works in place."""
    joint -= joint.max(axis=1, keepdims=True)
    np.exp(joint, out=joint)
    joint /= joint.sum(axis=1, keepdims=True)
    return joint


def largest_change(now: Floats, before: Floats) -> float:
    """The largest difference between two arrays of confusion matrices."""
    return float(np.abs(now - before).max())


def changes_at_most(tolerance: float) -> Settled:
    """Settled when no entry of a confusion matrix changes by more than this."""

    def settled(confusion: Floats, last: Floats) -> bool:
        return largest_change(confusion, last) <= tolerance

    return settled
