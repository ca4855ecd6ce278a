"""SIMPLE (Langerak et al. 2010): vote, weigh annotators by their Dice to the result, drop the poor ones, repeat."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.fusion.majority import winners
from NoisyLabelSegLib.fusion.model import Solution, solution
from NoisyLabelSegLib.fusion.table import Floats, VoteTable

_SETTLED = 1e-9
_FEWEST = 2  # annotators that are always kept: one alone would be its own truth


def simple(table: VoteTable, *, alpha: float = 1.5, power: float = 1.0, max_iterations: int = 100) -> Solution:
    """A vote weighs as much as the annotator's mean foreground Dice to the last estimate, to the given power.

    alpha: annotators whose Dice lies more than this many standard deviations below the mean are dropped.
    """
    present = np.asarray(table.tallies_by_annotator.any(axis=1))
    kept = present
    weights = kept.astype(np.float64)
    iterations, change, posterior = 0, np.inf, table.shares
    while iterations < max_iterations and change > _SETTLED:
        dice = _dice(table, winners(posterior))
        kept = _good_enough(dice, kept, alpha)
        update = np.where(kept, dice**power, 0.0)
        change = float(np.abs(update - weights).max())
        weights = update
        posterior = _weighted_shares(table, weights)
        iterations += 1
    dropped = np.flatnonzero(present & ~kept)
    remarks = (f"SIMPLE set aside {len(dropped)} of {table.annotators} annotators.",) if len(dropped) else ()
    return solution(table, posterior, iterations=iterations, converged=change <= _SETTLED, remarks=remarks)


def _dice(table: VoteTable, estimate: Floats) -> Floats:
    """Mean foreground Dice (R,) of each annotator to an estimate (P, K); 1 where nobody has foreground."""
    overlap = np.einsum("rii->ri", table.confusion_counts(estimate))
    sizes = table.tallies_by_annotator + table.counts @ estimate
    dice = np.divide(2 * overlap, sizes, out=np.ones_like(overlap), where=sizes > 0)
    return np.asarray(dice[:, 1:].mean(axis=1) if dice.shape[1] > 1 else dice[:, 0])


def _good_enough(dice: Floats, kept: NDArray[np.bool_], alpha: float) -> NDArray[np.bool_]:
    if np.count_nonzero(kept) <= _FEWEST:
        return kept
    limit = dice[kept].mean() - alpha * dice[kept].std()
    better = kept & (dice >= limit - _SETTLED)
    return better if np.count_nonzero(better) >= _FEWEST else kept


def _weighted_shares(table: VoteTable, weights: Floats) -> Floats:
    """The vote shares (P, K) when annotators' votes weigh differently; background where no vote weighs anything."""
    votes = np.asarray(table.indicator @ np.kron(weights[:, None], np.eye(len(table.values))))
    votes[votes.sum(axis=1) == 0, 0] = 1
    return np.asarray(votes / votes.sum(axis=1, keepdims=True))
