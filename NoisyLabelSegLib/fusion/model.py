"""What every method answers with, per row of the vote table, and how confusion matrices follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.fusion.packing import UNKNOWN
from NoisyLabelSegLib.fusion.table import Floats, VoteTable
from NoisyLabelSegLib.words import counted

if TYPE_CHECKING:
    from NoisyLabelSegLib.fusion.cells import CellField
    from NoisyLabelSegLib.fusion.pattern_image import Places

TIE = 1e-9
"""Probabilities closer than this are equal, so that the order in which annotators are multiplied decides nothing."""


@dataclass(frozen=True)
class Solution:
    """`posterior` (P, K) float64 over `values` (K,), the label decided for each row (P,) uint8, and how it went.

    `counts` (R, K, K) are the voxels of the whole image in which annotator r says value i while the truth is value j;
    `confusion` is the same as shares, zero in columns without evidence. A method that goes by place numbers the voxels
    anew in `places`, has a row of the posterior for each number (the table's rows first), and a `field` of confusion
    matrices.
    """

    values: NDArray[np.int16]
    posterior: Floats
    decided: NDArray[np.uint8]
    counts: Floats
    confusion: Floats
    iterations: int = 0
    converged: bool = True
    remarks: tuple[str, ...] = ()
    places: Places | None = None
    field: CellField | None = None


def solution(
    table: VoteTable,
    posterior: Floats,
    *,
    decided: NDArray[np.uint8] | None = None,
    confusion: Floats | None = None,
    iterations: int = 0,
    converged: bool = True,
    remarks: tuple[str, ...] = (),
) -> Solution:
    """Fills in what follows from the posterior: the most likely labels, and the confusion over the whole image."""
    if decided is None:
        decided = most_likely(table, posterior)
    counts = table.confusion_counts(posterior)
    if confusion is None:
        confusion = shares(counts)
    return Solution(table.values, posterior, decided, counts, confusion, iterations, converged, remarks)


def most_likely(table: VoteTable, posterior: Floats, threshold: float | None = None) -> NDArray[np.uint8]:
    """The label (P,) of the largest probability, the lowest label on a tie.

    With `threshold`, a row is foreground when its foreground probability is above it, whatever its largest class.
    """
    if threshold is not None:
        foreground = 1 - posterior[:, 0] > threshold
        posterior = posterior.copy()
        posterior[:, 0] = np.where(foreground, -1.0, 2.0)
    near = posterior >= posterior.max(axis=1, keepdims=True) - TIE
    return np.asarray(table.values[np.argmax(near, axis=1)], dtype=np.uint8)


def winners(votes: Floats) -> Floats:
    """Votes (P, K) as 1 for the largest of each row, shared between equals."""
    first = votes >= votes.max(axis=1, keepdims=True) - TIE
    return np.asarray(first / first.sum(axis=1, keepdims=True))


def tie_remarks(table: VoteTable) -> tuple[str, ...]:
    """A sentence on the voxels in which the votes alone cannot tell, if there are any."""
    tied = np.count_nonzero(table.tallies >= table.tallies.max(axis=1, keepdims=True), axis=1) > 1
    voxels = int(table.counts[tied & ~table.is_unseen].sum())
    if voxels == 0:
        return ()
    remark = (
        f"In {counted(voxels, 'voxel')} two labels or more have equally many votes, so the votes cannot tell "
        "which is right"
    )
    if np.count_nonzero((table.votes != UNKNOWN).any(axis=0)) <= 2:  # then reliability cannot be told, either
        return (f"{remark}.",)
    return (f"{remark}; there the estimate depends on how reliable each annotator seems.",)


def shares(counts: Floats) -> Floats:
    """Counts (..., K, K) as p(says i | truth j): columns sum to one, or stay zero where a column has no counts."""
    return np.asarray(counts / column_sums(counts))


def column_sums(counts: Floats) -> Floats:
    """(..., 1, K): what to divide the columns of (..., K, K) by, which is never zero."""
    return np.asarray(np.maximum(np.add.reduce(counts, axis=-2, keepdims=True), 1e-300))


def all_classes(confusion: Floats, values: NDArray[np.int16], classes: int) -> Floats:
    """(..., K, K) over the values that occur as (..., L, L) over all classes; columns without evidence become 1/L."""
    full = np.zeros((*confusion.shape[:-2], classes, classes))
    full[..., values[:, None], values] = confusion
    without = np.ones((*confusion.shape[:-2], classes), dtype=np.bool_)
    without[..., values] = ~confusion.any(axis=-2)
    np.copyto(full, 1 / classes, where=without[..., None, :])
    return full
