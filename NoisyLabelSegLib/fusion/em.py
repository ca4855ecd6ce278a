"""Expectation-maximisation on the vote table: the truth from the annotators' skill, their skill from the truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse

from NoisyLabelSegLib.fusion.model import column_sums
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


def expect(table: VoteTable, confusion: Floats, prior: Floats) -> Floats:
    """The posterior (P, K) of the truth given each row's votes; annotators who did not look count for nothing."""
    return _expect(_factors(table), np.vstack([confusion.reshape(-1, len(prior)), prior])).T


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

    Most tables are so small that the number of calls is what takes time: so all confusion matrices and the prior go
    through both steps as one matrix of chances (R K + 1, K).
    """
    iterations, converged = 0, False
    factors, voxels = _factors(table), counts.sum()
    shape = (table.annotators, len(prior), len(prior))
    posterior, confusion = posterior.T, np.zeros(shape)
    while iterations < max(limit, 1) and not converged:
        chances = np.asarray(factors @ (counts * posterior).T)
        confusion = chances[:-1].reshape(shape)
        if caution:
            panel = np.add.reduce(confusion, axis=0)
            confusion += panel * (prior * caution / column_sums(panel))
        confusion /= column_sums(confusion)
        if update_prior is not None:
            prior = update_prior(chances[-1] / voxels)
        chances[-1] = prior
        posterior = _expect(factors, chances)
        converged = last is not None and settled(confusion, last)
        last = confusion
        iterations += 1
    return Fit(confusion, prior, posterior.T, iterations, converged)


def _factors(table: VoteTable) -> Floats | scipy.sparse.csr_array:
    """(R K + 1, P): 1 where a chance (an entry of a confusion matrix, or last the prior) is a factor of a row's."""
    prior = np.ones((1, len(table.votes)))
    if isinstance(table.indicator, np.ndarray):
        return np.vstack([table.indicator.T, prior])
    return scipy.sparse.vstack([table.indicator.T, prior], format="csr")


def _expect(factors: Floats | scipy.sparse.csr_array, chances: Floats) -> Floats:
    """The posterior (K, P) for chances (R K + 1, K); classes come first because numpy is quicker that way around."""
    return from_logarithms(np.asarray(logarithm(chances).T @ factors))


def logarithm(numbers: Floats) -> Floats:
    """The logarithm, with a very small number in the place of zero so that impossible things stay comparable."""
    return np.asarray(np.log(np.maximum(numbers, _SMALLEST)))


def from_logarithms(joint: Floats) -> Floats:
    """Columns (K, n) of logarithms as probabilities that sum to one; works in place."""
    joint -= np.maximum.reduce(joint, axis=0)
    np.exp(joint, out=joint)
    joint /= np.add.reduce(joint, axis=0)
    return joint


def largest_change(now: Floats, before: Floats) -> float:
    """The largest difference between two arrays of confusion matrices."""
    return float(np.maximum.reduce(np.abs(now - before), axis=None))


def changes_at_most(tolerance: float) -> Settled:
    """Settled when no entry of a confusion matrix changes by more than this."""

    def settled(confusion: Floats, last: Floats) -> bool:
        return largest_change(confusion, last) <= tolerance

    return settled
