"""Expectation-maximization on the vote table: priors, E-step and M-step that STAPLE and Spatial STAPLE share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.model import column_sums
from NoisyLabelSegLib.fusion.table import Floats, VoteTable

BACKGROUNDS = ("disputed", "union", "itk")
PRIORS = ("votes", "estimated", "flat")
_SMALLEST = 1e-300
_MOST_FOREGROUND = 1 - 1e-6  # however large the confidence weight: background must stay possible
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
    powers: Floats | None = None,
) -> Fit:
    """Alternates both steps from a first posterior until `settled(confusion, last confusion)`.

    `last` is what the first confusion is compared with; with None the first comparison comes after the second step.
    `update_prior`, if given, makes the next prior (K,) from the mean posterior; otherwise the prior stays.
    `caution` pulls every annotator towards the panel's mean by this many pseudo-counts, shared out like the prior.

    `powers` (R,), if given, are the exponents of the annotators' factors in the posterior; 1 for each is the usual one.

    Most tables are so small that the number of calls is what takes time: so all confusion matrices and the prior go
    through both steps as one matrix of chances (R K + 1, K).
    """
    iterations, converged = 0, False
    factors, voxels = _factors(table), counts.sum()
    shape = (table.annotators, len(prior), len(prior))
    posterior, confusion = posterior.T, np.zeros(shape)
    exponents = None if powers is None else np.append(np.repeat(powers, len(prior)), 1.0)[:, None]
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
        posterior = _expect(factors, chances, exponents)
        converged = last is not None and settled(confusion, last)
        last = confusion
        iterations += 1
    return Fit(confusion, prior, posterior.T, iterations, converged)


def expect(table: VoteTable, confusion: Floats, prior: Floats) -> Floats:
    """The posterior (P, K) of the truth given each row's votes; annotators who did not look count for nothing."""
    return _expect(_factors(table), np.vstack([confusion.reshape(-1, len(prior)), prior])).T


def weigh_background(table: VoteTable, background: str) -> Floats:
    """The counts (P,) that the estimation uses; see `staple`."""
    if background not in BACKGROUNDS:
        raise UserError(f"There is no background weighting {background!r}", remedy=f"use {', '.join(BACKGROUNDS)}")
    if background == "itk":
        return table.counts
    most = table.counts[table.is_disputed if background == "disputed" else ~table.is_background].sum()
    unmarked = table.counts[table.is_background].sum()
    if most == 0 or unmarked <= most:
        return table.counts
    return np.where(table.is_background, table.counts * (most / unmarked), table.counts)


def first_prior(table: VoteTable, prior: str | Sequence[float], counts: Floats) -> Floats:
    """The prior (K,) over the table's values that the estimation begins with."""
    if isinstance(prior, str):
        if prior not in PRIORS:
            raise UserError(f"There is no prior {prior!r}", remedy=f"use {', '.join(PRIORS)} or one number per class")
        weights = np.ones(len(table.values)) if prior == "flat" else counts @ table.tallies
    else:
        given = np.asarray(prior, dtype=np.float64)
        if len(given) <= table.values.max() or (given < 0).any() or not given.sum() > 0:
            raise UserError("The prior does not fit the classes", remedy="give one number from 0 to 1 per class")
        weights = given[table.values]
    return np.asarray(weights / weights.sum()) if weights.any() else np.full(len(weights), 1 / len(weights))


def confident(prior: Floats, weight: float) -> Floats:
    """The prior with its foreground multiplied by `weight`, the background taking up the difference."""
    if weight == 1:
        return prior
    if not weight > 0:
        raise UserError(f"The confidence weight {weight:g} is not above zero")
    foreground = prior[1:] * weight
    foreground /= max(1.0, foreground.sum() / _MOST_FOREGROUND)
    return np.concatenate([[1 - foreground.sum()], foreground])


def changes_at_most(tolerance: float) -> Settled:
    """Settled when no entry of a confusion matrix changes by more than this."""

    def settled(confusion: Floats, last: Floats) -> bool:
        return largest_change(confusion, last) <= tolerance

    return settled


def largest_change(now: Floats, before: Floats) -> float:
    """The largest difference between two arrays of confusion matrices."""
    return float(np.maximum.reduce(np.abs(now - before), axis=None))


def logarithm(numbers: Floats) -> Floats:
    """The logarithm, with a very small number in the place of zero so that impossible things stay comparable."""
    return np.asarray(np.log(np.maximum(numbers, _SMALLEST)))


def from_logarithms(joint: Floats) -> Floats:
    """Columns (K, n) of logarithms as probabilities that sum to one; works in place."""
    joint -= np.maximum.reduce(joint, axis=0)
    np.exp(joint, out=joint)
    joint /= np.add.reduce(joint, axis=0)
    return joint


def _factors(table: VoteTable) -> Floats | scipy.sparse.csr_array:
    """(R K + 1, P): 1 where a chance (an entry of a confusion matrix, or last the prior) is a factor of a row's."""
    prior = np.ones((1, len(table.votes)))
    if isinstance(table.indicator, np.ndarray):
        return np.vstack([table.indicator.T, prior])
    return scipy.sparse.vstack([table.indicator.T, prior], format="csr")


def _expect(factors: Floats | scipy.sparse.csr_array, chances: Floats, exponents: Floats | None = None) -> Floats:
    """The posterior (K, P) for chances (R K + 1, K); classes come first because numpy is quicker that way around."""
    logarithms = logarithm(chances)
    if exponents is not None:
        logarithms *= exponents
    return from_logarithms(np.asarray(logarithms.T @ factors))
