"""STAPLE (Warfield, Zou, Wells 2004) for any number of classes, with our defaults or with those of ITK."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.em import Fit, changes_at_most, confident, expect, first_prior, fit, weigh_background
from NoisyLabelSegLib.fusion.model import TIE, Solution, most_likely, solution, tie_remarks, winners
from NoisyLabelSegLib.fusion.table import Floats, VoteTable
from NoisyLabelSegLib.words import counted

STARTS = ("majority", "votes")
_BINARY_CHANGE = 1e-7  # ITK stops when every squared change is at most 1e-14
_MULTI_LABEL_CHANGE = 1e-5


def staple(
    table: VoteTable,
    *,
    start: str = "majority",
    background: str = "disputed",
    prior: str | Sequence[float] = "estimated",
    caution: float = 0.0,
    confidence_weight: float = 1.0,
    threshold: float | None = None,
    compatible: str | None = None,
    tolerance: float = 1e-5,
    max_iterations: int | None = None,
) -> Solution:
    """STAPLE on a vote table.

    start: the first estimate of the truth, the majority vote ("majority") or the share of votes ("votes").
    background: how many of the voxels that nobody marked count: at most as many as there are voxels on which
        annotators disagree ("disputed") or that anyone marked ("union"), so that the result does not depend on how far
        the image extends; or all of them ("itk").
    prior: "votes" (share of all votes), "estimated" (follows the posterior), "flat", or one number per class.
    caution: pulls annotators towards the panel's mean, with pseudo-counts of this share of the disputed voxels.
    confidence_weight: multiplies the prior of every foreground class.
    threshold: foreground where its probability is above this; None takes the most likely class.
    compatible: "itk" gives the numbers of SimpleITK's STAPLE (two classes) and MultiLabelSTAPLE (more), whatever the
        other options but `confidence_weight`, `threshold` and `max_iterations`.
    max_iterations: None for 1000, or 100000 to be compatible with ITK, which has no limit.
    """
    if compatible not in (None, "itk"):
        raise UserError(
            f"STAPLE cannot be compatible with {compatible!r}", remedy="use compatible='itk' or leave it out"
        )
    if compatible == "itk":
        found = itk_fit(table, confidence_weight, 100_000 if max_iterations is None else max_iterations)
        decided = itk_decided(table, found.posterior) if threshold is None else None
        return _solution(table, found, decided=decided, confusion=found.confusion, threshold=threshold)
    found = estimate(
        table,
        start=start,
        background=background,
        prior=prior,
        caution=caution,
        confidence_weight=confidence_weight,
        tolerance=tolerance,
        max_iterations=max_iterations,
    )
    return _solution(table, found, threshold=threshold)


def estimate(
    table: VoteTable,
    *,
    start: str = "majority",
    background: str = "disputed",
    prior: str | Sequence[float] = "estimated",
    caution: float = 0.0,
    confidence_weight: float = 1.0,
    tolerance: float = 1e-5,
    max_iterations: int | None = None,
) -> Fit:
    """What STAPLE finds in our own setting; see `staple` for the options."""
    if start not in STARTS:
        raise UserError(f"STAPLE cannot start from {start!r}", remedy=f"use {' or '.join(STARTS)}")
    counts = weigh_background(table, background)
    return fit(
        table,
        winners(table.shares) if start == "majority" else table.shares,
        confident(first_prior(table, prior, counts), confidence_weight),
        counts=counts,
        settled=changes_at_most(tolerance),
        limit=1000 if max_iterations is None else max_iterations,
        update_prior=partial(confident, weight=confidence_weight) if _is_estimated(prior) else None,
        caution=caution * table.counts[table.is_disputed].sum(),
    )


def itk_fit(table: VoteTable, confidence_weight: float, limit: int) -> Fit:
    """What SimpleITK's STAPLE (up to two labels) or MultiLabelSTAPLE finds; `iterations` as ITK counts them."""
    prior = first_prior(table, "votes", table.counts)
    if len(table.values) > 2:
        first = _voting_confusion(table)
        posterior = expect(table, first, prior)
        settled = changes_at_most(_MULTI_LABEL_CHANGE)
        return fit(table, posterior, prior, counts=table.counts, settled=settled, last=first, limit=limit)
    found = fit(
        table,
        table.shares,
        confident(prior, confidence_weight),
        counts=table.counts,
        settled=changes_at_most(_BINARY_CHANGE),
        limit=limit,
    )
    return replace(found, iterations=found.iterations - 1)


def itk_decided(table: VoteTable, posterior: Floats) -> NDArray[np.uint8]:
    """The label (P,) as MultiLabelSTAPLE gives it: a tie becomes "undecided", one above the largest label."""
    decided = most_likely(table, posterior)
    tied = (posterior >= posterior.max(axis=1, keepdims=True) - TIE).sum(axis=1) > 1
    if len(table.values) > 2 and table.values[-1] < 255:
        decided[tied] = table.values[-1] + 1
    return decided


def _solution(
    table: VoteTable,
    found: Fit,
    *,
    threshold: float | None,
    decided: NDArray[np.uint8] | None = None,
    confusion: Floats | None = None,
) -> Solution:
    """The fit as a solution; unless given, the confusion is counted over the whole image, all background included."""
    return solution(
        table,
        found.posterior,
        decided=most_likely(table, found.posterior, threshold) if decided is None else decided,
        confusion=confusion,
        iterations=found.iterations,
        converged=found.converged,
        remarks=_remarks(table, found, decided),
    )


def _remarks(table: VoteTable, found: Fit, decided: NDArray[np.uint8] | None) -> tuple[str, ...]:
    remarks = list(tie_remarks(table))
    if not found.converged:
        remarks.append(
            f"STAPLE had not converged after {counted(found.iterations, 'iteration')}, so its estimate may still "
            "change; compare it with the majority."
        )
    undecided = 0 if decided is None else int(table.counts[decided > table.values[-1]].sum())
    if undecided:
        voxels = counted(undecided, "voxel is", "voxels are")
        remarks.append(f"{voxels} undecided and got label {table.values[-1] + 1}, as ITK gives them.")
    return tuple(remarks)


def _voting_confusion(table: VoteTable) -> Floats:
    """MultiLabelSTAPLE's start (R, K, K): counts against the majority vote, normalized over each *observed* label.

    ITK stores a vote j where the majority is tied one cell past the end of row j, which is (j + 1, 0).
    """
    size = len(table.values)
    most = table.tallies.max(axis=1, keepdims=True)
    winner = (table.tallies == most).astype(np.float64)
    tied = winner.sum(axis=1) > 1
    counts = table.confusion_counts(winner, np.where(tied, 0.0, table.counts))
    spilled = table.confusion_counts(np.ones_like(winner), np.where(tied, table.counts, 0.0))[:, :, 0]
    for place in range(size - 1):
        if table.values[place + 1] == table.values[place] + 1:
            counts[:, place + 1, 0] += spilled[:, place]
    rows = counts.sum(axis=2, keepdims=True)
    return np.asarray(np.divide(counts, rows, out=np.zeros_like(counts), where=rows > 0))


def _is_estimated(prior: str | Sequence[float]) -> bool:
    return isinstance(prior, str) and prior == "estimated"
