"""The majority vote: each voxel gets the label that most annotators gave it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.model import TIE, Solution, most_likely, solution
from NoisyLabelSegLib.fusion.table import Floats, VoteTable


def majority(table: VoteTable, *, undecided: int | None = None) -> Solution:
    """All probability goes to the winner, in equal parts to tied winners.

    A tie gets the lowest tied label, or `undecided` (0 to 255) if that is given; a remark says how many there are.
    """
    posterior = winners(table.shares)
    decided = most_likely(table, posterior)
    remarks = mark_ties(table, posterior, decided, undecided)
    return solution(table, posterior, decided=decided, remarks=remarks)


def winners(votes: Floats) -> Floats:
    """Votes (P, K) as 1 for the largest of each row, shared between equals."""
    first = votes >= votes.max(axis=1, keepdims=True) - TIE
    return np.asarray(first / first.sum(axis=1, keepdims=True))


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
    return (f"{voxels} voxels had a tie and got {answer}.",)
