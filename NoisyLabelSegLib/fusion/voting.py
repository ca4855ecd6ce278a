"""Majority vote, mean of the labels, hierarchical vote (Menze et al. 2015) and SIMPLE (Langerak et al. 2010)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.model import TIE, Solution, most_likely, solution, tie_remarks, winners
from NoisyLabelSegLib.fusion.table import Floats, VoteTable
from NoisyLabelSegLib.metrics.overlap import dice_of_sizes
from NoisyLabelSegLib.words import counted

_SETTLED = 1e-9
_FEWEST = 2  # annotators that are always kept: one alone would be its own truth


def majority(table: VoteTable, *, undecided: int | None = None) -> Solution:
    """All probability goes to the winner, in equal parts to tied winners.

    A tie gets the lowest tied label, or `undecided` (0 to 255) if that is given; a remark says how many there are.
    """
    posterior = winners(table.shares)
    decided = most_likely(table, posterior)
    remarks = mark_ties(table, posterior, decided, undecided)
    return solution(table, posterior, decided=decided, remarks=remarks)


def mean(table: VoteTable, *, threshold: float | None = None) -> Solution:
    """The probability of a class is the share of annotators who chose it; see `most_likely` for the label."""
    decided = most_likely(table, table.shares, threshold)
    remarks = mark_ties(table, table.shares, decided, None) if threshold is None else ()
    return solution(table, table.shares, decided=decided, remarks=remarks)


def hierarchical(
    table: VoteTable, *, regions: Iterable[Iterable[int]] | None = None, undecided: int | None = None
) -> Solution:
    """Asks region by region, outermost first, whether more than half of the annotators voted for anything in it.

    If so, only the region's labels stay in play, if not, they leave it; the majority among what is left decides.

    regions: sets of labels, such as [[1, 2, 3, 4], [1, 3, 4], [4]] for whole tumor, core and active core. A vote for
        the inside supports the outside too, so annotators who agree on "tumor" but not on its parts are not outvoted
        by those who see none. None asks once: foreground or background.
    """
    labels = table.values
    in_play = np.ones_like(table.shares, dtype=np.bool_)
    halved = np.zeros(len(table.shares), dtype=np.bool_)
    for region in [labels[1:]] if regions is None else [_labels_of(region) for region in regions]:
        inside = in_play & np.isin(labels, region)
        outside = in_play & ~inside
        support = np.where(inside, table.shares, 0).sum(axis=1)
        accepted = support > 0.5 + TIE
        halved |= outside.any(axis=1) & (np.abs(support - 0.5) <= TIE)
        in_play = np.where((accepted | ~outside.any(axis=1))[:, None], inside, outside)
    posterior = winners(np.where(in_play, table.shares, -1.0))
    decided = most_likely(table, posterior)
    remarks = [*mark_ties(table, posterior, decided, undecided)]
    if voxels := int(table.counts[halved].sum()):
        remarks.append(
            f"In {counted(voxels, 'voxel')} half of the annotators voted for a region, which is not more than half, so "
            "it was left out; the votes cannot tell which is right."
        )
    return solution(table, posterior, decided=decided, remarks=tuple(remarks))


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
    remarks = [*tie_remarks(table)]
    if len(dropped):
        remarks.append(f"SIMPLE set aside {len(dropped)} of {table.annotators} annotators.")
    return solution(table, posterior, iterations=iterations, converged=change <= _SETTLED, remarks=tuple(remarks))


def mark_ties(
    table: VoteTable, posterior: Floats, decided: NDArray[np.uint8], undecided: int | None
) -> tuple[str, ...]:
    """Writes `undecided` over the labels of tied rows where it is given, and says how many voxels are tied."""
    if undecided is not None and not 0 <= undecided <= 255:
        raise UserError(f"The label {undecided} for undecided voxels is not between 0 and 255")
    tied = np.count_nonzero(posterior >= posterior.max(axis=1, keepdims=True) - TIE, axis=1) > 1
    voxels = int(table.counts[tied].sum())
    if undecided is not None:
        decided[tied] = undecided
    if voxels == 0:
        return ()
    answer = "the lowest tied label" if undecided is None else f"label {undecided}"
    return (f"{counted(voxels, 'voxel')} had a tie and got {answer}.",)


def _labels_of(region: Iterable[int]) -> NDArray[np.int64]:
    labels = np.asarray(list(region), dtype=np.int64)
    if labels.size == 0 or labels.min() < 1:
        raise UserError("A region must hold at least one label and not the background", remedy="give lists like [1, 2]")
    return labels


def _dice(table: VoteTable, estimate: Floats) -> Floats:
    """Mean foreground Dice (R,) of each annotator to an estimate (P, K); 1 where nobody has foreground."""
    overlap = np.einsum("rii->ri", table.confusion_counts(estimate))
    dice = dice_of_sizes(overlap, table.tallies_by_annotator, table.counts @ estimate)
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
