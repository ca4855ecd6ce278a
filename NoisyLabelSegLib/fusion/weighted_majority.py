"""Majority vote weighted by each annotator's agreement with the plain vote; nobody outweighs all others together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.model import Solution, most_likely, solution, tie_remarks, winners
from NoisyLabelSegLib.fusion.table import Floats, VoteTable
from NoisyLabelSegLib.metrics.overlap import dice_of_sizes

Mask = NDArray[np.bool_]

_SMALLEST = 1e-3  # of a Dice, so that everybody who looked has a vote


def weighted_majority(
    table: VoteTable, *, power: float = 2.0, class_power: float = 8.0, plain_vote: float = 0.2, sharpness: float = 1.75
) -> Solution:
    """Majority vote with reliability weights, first on foreground against background, then on the class.

    An annotator's weight in the first vote is the Dice of their foreground to that of the plain majority vote, to a
    power; in the second it is the share, of the voxels that are foreground for both, that have the class of the plain
    vote, to a power that is higher because these shares differ less. In no voxel does one annotator weigh
    more than all others together, and the plain majority takes part with a weight of its own, so that it is overruled
    only by a clear weighted majority.

    power, class_power: the larger, the more the weights differ; with 0 it is the hierarchical vote.
    plain_vote: the weight of the plain majority, as a share of all annotators' weight: with 0.2 it is overruled by
        more than 60 % of the weight.
    sharpness: weighted shares to this power, summing to one again, are the probabilities; ties stay ties.
    """
    if min(power, class_power) < 0 or plain_vote < 0 or not sharpness > 0:
        raise UserError(
            "power, class_power and plain_vote must not be negative, and sharpness must be above zero",
            remedy="leave them out to take the defaults",
        )
    if len(table.values) == 1:
        return solution(table, table.shares)
    everyone = np.ones(table.annotators)
    plain = [winners(vote) for vote in _votes(table, everyone, everyone, plain_vote=0.0)]
    by_outline, by_class = (np.maximum(part, _SMALLEST) for part in agreement(table, _product(*plain)))
    outline, inside = _votes(table, by_outline**power, by_class**class_power, plain_vote=plain_vote)
    decided = _product(np.floor(winners(outline)), winners(inside))
    posterior = _product(_sharpened(outline, sharpness), _sharpened(inside, sharpness))
    return solution(table, posterior, decided=most_likely(table, decided), remarks=tie_remarks(table))


def agreement(table: VoteTable, truth: Floats) -> tuple[Floats, Floats]:
    """How well each annotator (R,) agrees with a truth (P, K).

    The first is the Dice of all foreground together, the second the share with the true class of the voxels that are
    foreground for both.
    """
    both = table.confusion_counts(truth)[:, 1:, 1:]
    inside = both.sum(axis=(1, 2))
    true = ((table.counts * truth[:, 1:].sum(axis=1)) @ (table.symbols >= 0)).astype(np.float64)
    outline = dice_of_sizes(inside, table.tallies_by_annotator[:, 1:].sum(axis=1), true)
    return outline, np.divide(np.einsum("rii->r", both), inside, out=np.ones_like(inside), where=inside > 0)


def capped(weights: Floats, most: float = 1.0) -> Floats:
    """Weights (..., R), the largest at most this share of the sum of the others: with 1 nobody has more than half.

    Zero stands for an annotator who has no vote; one alone keeps the weight.
    """
    rest = weights.sum(axis=-1, keepdims=True) - weights.max(axis=-1, keepdims=True, initial=0)
    return np.asarray(np.where(rest > 0, np.minimum(weights, most * rest), weights))


def _votes(table: VoteTable, outline: Floats, classes: Floats, *, plain_vote: float) -> tuple[Floats, Floats]:
    """The shares (P, 2) of background and foreground, and those (P, K - 1) of the classes among who marked a voxel."""
    looked, marked = table.symbols >= 0, table.symbols > 0
    by_class = [table.symbols == place for place in range(1, len(table.values))]
    return _vote(looked, outline, [~marked, marked], plain_vote), _vote(marked, classes, by_class, plain_vote)


def _vote(voters: Mask, weights: Floats, choices: list[Mask], plain_vote: float) -> Floats:
    """(P, C): the share of each choice (P, R) in the vote of the voters (P, R); the first where nobody votes."""
    heavy = capped(np.where(voters, weights, 0.0))
    sums = np.column_stack([(heavy * choice).sum(axis=1) for choice in choices])
    plain = np.column_stack([(voters & choice).sum(axis=1, dtype=np.float64) for choice in choices])
    nobody = ~voters.any(axis=1)
    sums[nobody, 0] = plain[nobody, 0] = 1
    part = sums / sums.sum(axis=1, keepdims=True)
    return np.asarray((part + plain_vote * winners(plain)) / (1 + plain_vote))


def _product(outline: Floats, inside: Floats) -> Floats:
    """(P, K) from background and foreground (P, 2) and the classes within the foreground (P, K - 1)."""
    return np.column_stack([outline[:, 0], outline[:, 1:] * inside])


def _sharpened(part: Floats, power: float) -> Floats:
    """Shares (P, C) to this power, summing to one again."""
    raised = part**power
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))
