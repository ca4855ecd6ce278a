"""Spatial STAPLE (Asman, Landman 2012): STAPLE with confusion matrices for every place, on cells of voxels.

Every cell's matrices are estimated from the votes in it and in its neighbors, pulled to the whole image's where a
neighborhood has little to say. Voxels on which everybody agrees keep what STAPLE says of them; only disputed ones are
decided by place.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.cells import CellField, CellModel, CellVotes, Grid
from NoisyLabelSegLib.fusion.em import Fit, largest_change
from NoisyLabelSegLib.fusion.model import Solution, most_likely, shares, tie_remarks
from NoisyLabelSegLib.fusion.pattern_image import Places
from NoisyLabelSegLib.fusion.staple import estimate
from NoisyLabelSegLib.fusion.table import Floats, PlacedTable, VoteTable


def spatial_staple(
    table: VoteTable,
    *,
    cell: int | Sequence[int] | None = None,
    reach: int = 1,
    pseudo_counts: float = 100.0,
    caution: float = 0.1,
    tolerance: float = 1e-3,
    max_iterations: int = 100,
) -> Solution:
    """Spatial STAPLE on a vote table whose voxels are known.

    cell: edges of a cell in voxels, in the order of the array's axes; None takes 16, and 8 across slices.
    reach: how many cells away votes still count for a cell, half as much with every step.
    pseudo_counts, caution: the whole image's matrices count in every cell as much as this many voxels plus this share
        of its disputed voxels.
    """
    if not isinstance(table, PlacedTable):
        raise UserError("Spatial STAPLE works on single cases", remedy="fuse each case by itself")
    whole = estimate(table)
    grid = Grid.over(table.places.shape, cell)
    votes = CellVotes.count(grid, table.places.words, table.row.take(table.places.codes), len(table.votes))
    neighbors = grid.neighbors(votes.cells, reach)
    model = CellModel(table, whole, votes, neighbors, pseudo_counts=pseudo_counts, caution=caution)
    posterior = whole.posterior[votes.row]
    iterations, change, last = 0, np.inf, None
    while iterations < max_iterations and change > tolerance:
        confusion, prior = model.maximize(posterior)
        posterior = model.expect(confusion, prior)
        change = np.inf if last is None else largest_change(confusion, last)
        last = confusion
        iterations += 1
    agreed = ~table.is_disputed[votes.row]
    posterior[agreed] = whole.posterior[votes.row[agreed]]
    return _solution(table, whole, grid, votes, model, posterior, iterations, change <= tolerance)


def _solution(
    table: PlacedTable,
    whole: Fit,
    grid: Grid,
    votes: CellVotes,
    model: CellModel,
    posterior: Floats,
    iterations: int,
    converged: bool,
) -> Solution:
    """Numbers the voxels anew: agreed ones by their row, disputed ones by their pair (cell, row)."""
    height = len(table.votes)
    numbers = np.where(table.is_disputed[votes.row], height + np.arange(len(votes.row)), votes.row)
    together = np.concatenate([whole.posterior, posterior])
    counts = _counts(table, whole, votes, posterior)
    confusion = shares(counts)
    matrices = np.broadcast_to(confusion, (int(np.prod(grid.cells)), *confusion.shape)).copy()
    seen = model.counts(votes.counts[:, None] * posterior)
    matrices[votes.cells] = shares(seen + model.pseudo_counts(confusion))
    silent = 1 - len(votes.cells) / len(matrices)
    remarks = list(tie_remarks(table))
    if silent > 0:
        remarks.append(
            f"{silent:.0%} of the cells have no marks; there annotators' errors are those of the whole image."
        )
    return Solution(
        table.values,
        together,
        most_likely(table, together),
        counts,
        confusion,
        iterations,
        converged,
        tuple(remarks),
        places=Places(grid.shape, table.places.words, numbers.take(votes.pair)),
        field=CellField(grid, matrices),
    )


def _counts(table: VoteTable, whole: Fit, votes: CellVotes, posterior: Floats) -> Floats:
    """What annotators say against the truth (R, K, K) in the whole image, all of its background included."""
    voxels = np.zeros((len(table.votes), len(table.values)))
    np.add.at(voxels, votes.row, votes.counts[:, None] * posterior)
    voxels[0] += (table.counts[0] - votes.counts[votes.row == 0].sum()) * whole.posterior[0]
    return table.confusion_counts(voxels, np.ones(len(voxels)))
