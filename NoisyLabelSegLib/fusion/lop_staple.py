"""LOP STAPLE (Akhondi-Asl, Hoyte, Lockhart, Warfield 2014): STAPLE whose annotators enter with reliability weights.

A. Akhondi-Asl, L. Hoyte, M. E. Lockhart, S. K. Warfield: A logarithmic opinion pool based STAPLE algorithm for the
fusion of segmentations with associated reliability weights. IEEE Transactions on Medical Imaging 33(10):1997, 2014.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.em import changes_at_most, first_prior, fit, weigh_background
from NoisyLabelSegLib.fusion.model import Solution, solution, tie_remarks, winners
from NoisyLabelSegLib.fusion.table import Floats, VoteTable
from NoisyLabelSegLib.fusion.weighted_majority import agreement


def lop_staple(
    table: VoteTable,
    *,
    weights: Sequence[float] | None = None,
    background: str = "disputed",
    tolerance: float = 1e-5,
    max_iterations: int = 1000,
) -> Solution:
    """STAPLE with a logarithmic opinion pool: an annotator's factor in the posterior has a reliability weight as power.

    The paper's weights may differ between voxels, from an image for instance; on a vote table they are one number per
    annotator, which leaves the estimation of the confusion matrices as in STAPLE.

    weights: one number per annotator, usually 0 to 1; None takes the Dice of each annotator to the majority vote. With
        1 for everybody it is STAPLE.
    background: as in STAPLE.
    """
    start = winners(table.shares)
    powers = agreement(table, start)[0] if weights is None else _checked(weights, table.annotators)
    counts = weigh_background(table, background)
    found = fit(
        table,
        start,
        first_prior(table, "estimated", counts),
        counts=counts,
        settled=changes_at_most(tolerance),
        limit=max_iterations,
        update_prior=np.asarray,
        powers=powers,
    )
    return solution(
        table,
        found.posterior,
        iterations=found.iterations,
        converged=found.converged,
        remarks=tie_remarks(table),
    )


def _checked(weights: Sequence[float], annotators: int) -> Floats:
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (annotators,) or (given < 0).any() or not given.any():
        raise UserError("The weights do not fit the annotators", remedy="give one number per annotator, 0 or more")
    return given
