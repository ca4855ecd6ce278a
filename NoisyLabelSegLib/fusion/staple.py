"""STAPLE (Warfield, Zou, Wells 2004), for any number of classes: truth and annotators' skill estimated in turns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.em import Fit, changes_at_most, fit
from NoisyLabelSegLib.fusion.itk import itk_decided, itk_fit
from NoisyLabelSegLib.fusion.model import Solution, most_likely, solution
from NoisyLabelSegLib.fusion.prior import confident, first_prior, weigh_background
from NoisyLabelSegLib.fusion.table import Floats, VoteTable


def staple(
    table: VoteTable,
    *,
    background: str = "disputed",
    prior: str | Sequence[float] = "estimated",
    caution: float = 0.3,
    confidence_weight: float = 1.0,
    threshold: float | None = None,
    compatible: str | None = None,
    tolerance: float = 1e-7,
    max_iterations: int | None = None,
) -> Solution:
    """STAPLE on a vote table.

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
    background: str = "disputed",
    prior: str | Sequence[float] = "estimated",
    caution: float = 0.3,
    confidence_weight: float = 1.0,
    tolerance: float = 1e-7,
    max_iterations: int | None = None,
) -> Fit:
    """What STAPLE finds in our own setting; see `staple` for the options."""
    counts = weigh_background(table, background)
    return fit(
        table,
        table.shares,
        confident(first_prior(table, prior, counts), confidence_weight),
        counts=counts,
        settled=changes_at_most(tolerance),
        limit=1000 if max_iterations is None else max_iterations,
        update_prior=partial(confident, weight=confidence_weight) if _is_estimated(prior) else None,
        caution=caution * table.counts[table.is_disputed].sum(),
    )


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
    remarks = []
    if not found.converged:
        remarks.append(f"STAPLE had not settled after {found.iterations} steps; its answer may still move.")
    undecided = 0 if decided is None else int(table.counts[decided > table.values[-1]].sum())
    if undecided:
        remarks.append(f"{undecided} voxels are undecided and got label {table.values[-1] + 1}, as ITK gives them.")
    return tuple(remarks)


def _is_estimated(prior: str | Sequence[float]) -> bool:
    return isinstance(prior, str) and prior == "estimated"
