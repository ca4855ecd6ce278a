"""COLLATE (Asman, Landman 2011): truth, annotators and where annotators can err at all, estimated together.

A. J. Asman, B. A. Landman: Robust statistical label fusion through consensus level, labeler accuracy, and truth
estimation (COLLATE). IEEE Transactions on Medical Imaging 30(10):1779-1794, 2011.
"""

from __future__ import annotations

import numpy as np

from NoisyLabelSegLib.fusion.em import from_logarithms, largest_change, logarithm
from NoisyLabelSegLib.fusion.model import Solution, shares, solution, tie_remarks, winners
from NoisyLabelSegLib.fusion.table import Floats, VoteTable


def collate(table: VoteTable, *, tolerance: float = 1e-5, max_iterations: int = 1000) -> Solution:
    """The paper's model with two consensus levels, on a vote table.

    Every voxel is at one of two levels. At the level of consensus everybody gives the true label; at the level of
    confusion annotators err by their confusion matrices, which are estimated from these voxels only, so that obvious
    background does not make everybody look reliable. The prior of every class at either level follows the posterior.
    """
    factors = np.asarray(table.indicator @ np.eye(table.indicator.shape[1]))
    agreed = np.where(table.is_disputed[:, None] | table.is_unseen[:, None], 0.0, (table.tallies > 0) * 1.0)
    confusion_level, consensus_level = winners(table.shares) * table.is_disputed[:, None], agreed
    iterations, change, last = 0, np.inf, None
    while iterations < max_iterations and change > tolerance:
        confusion = shares(table.confusion_counts(confusion_level))
        priors = [table.counts @ level / table.counts.sum() for level in (confusion_level, consensus_level)]
        confusion_level, consensus_level = _expect(factors, confusion, priors, agreed)
        change = np.inf if last is None else largest_change(confusion, last)
        last = confusion
        iterations += 1
    posterior = confusion_level + consensus_level
    return solution(table, posterior, iterations=iterations, converged=change <= tolerance, remarks=tie_remarks(table))


def _expect(factors: Floats, confusion: Floats, priors: list[Floats], agreed: Floats) -> tuple[Floats, Floats]:
    """The posterior (P, K) of every class at the level of confusion and at that of consensus; both sum to one."""
    size = len(priors[0])
    erring = factors @ logarithm(confusion.reshape(-1, size)) + logarithm(priors[0])
    surely = np.where(agreed > 0, logarithm(priors[1]), logarithm(np.zeros(1)))
    both = from_logarithms(np.hstack([erring, surely]).T).T
    return both[:, :size], both[:, size:]
