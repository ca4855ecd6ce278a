"""Divides an image into cells: vote patterns, EM steps and confusion matrices for each cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.em import Fit, from_logarithms, logarithm
from NoisyLabelSegLib.fusion.model import shares
from NoisyLabelSegLib.fusion.packing import used_numbers
from NoisyLabelSegLib.fusion.pattern_image import VOXELS_PER_WORD
from NoisyLabelSegLib.fusion.table import Floats, VoteTable

_BACKGROUND = 0.3  # unmarked voxels that count in a cell, per disputed voxel of it


@dataclass(frozen=True)
class Grid:
    """Boxes of `edges` voxels that cover an image of `shape`; the last box of an axis may be smaller."""

    shape: tuple[int, ...]
    edges: tuple[int, ...]

    @classmethod
    def over(cls, shape: tuple[int, ...], edges: int | Sequence[int] | None) -> Grid:
        """Edges in the order of the array's axes; None takes 16 voxels, and 8 across the slices of a volume."""
        if edges is None:
            edges = (8,) * (len(shape) - 2) + (16,) * min(len(shape), 2)
        elif isinstance(edges, int):
            edges = (edges,) * len(shape)
        if len(edges) != len(shape) or min(edges) < 1:
            raise UserError("The cell edges do not fit the image", remedy="give one whole number of voxels per axis")
        return cls(shape, tuple(int(edge) for edge in edges))

    @property
    def cells(self) -> tuple[int, ...]:
        return tuple(-(-size // edge) for size, edge in zip(self.shape, self.edges, strict=True))

    def volumes(self) -> Floats:
        """(cells,) voxels in each cell."""
        volume = np.ones(1)
        for size, edge, count in zip(self.shape, self.edges, self.cells, strict=True):
            lengths = np.full(count, edge)
            lengths[-1] = size - edge * (count - 1)
            volume = np.multiply.outer(volume, lengths).reshape(-1)
        return volume

    def cell_of_words(self, words: NDArray[np.intp]) -> NDArray[np.intp]:
        """The cell of each voxel (8 W,) of these words; padding belongs to the last cell."""
        flat = (words[:, None] * VOXELS_PER_WORD + np.arange(VOXELS_PER_WORD)).reshape(-1)
        width = self.shape[-1]
        row, column = np.divmod(np.minimum(flat, np.prod(self.shape) - 1), width)
        across = np.arange(width) // self.edges[-1]
        return np.asarray(self._cell_of_rows().take(row) + across.take(column))

    def _cell_of_rows(self) -> NDArray[np.intp]:
        """The first cell that each row of voxels crosses."""
        start = np.zeros(1, dtype=np.intp)
        for size, edge, count in zip(self.shape[:-1], self.edges[:-1], self.cells[:-1], strict=True):
            start = (start[:, None] * count + np.arange(size) // edge).reshape(-1)
        return start * self.cells[-1]

    def neighbors(self, cells: NDArray[np.intp], reach: int) -> scipy.sparse.csr_array:
        """(C, C): how near two of these cells are: 1 for the same, half as much for every step, 0 beyond `reach`."""
        place = np.full(int(np.prod(self.cells)), -1)
        place[cells] = np.arange(len(cells))
        position = np.stack(np.unravel_index(cells, self.cells))
        rows, columns, nearness = [], [], []
        reaches = [min(reach, count - 1) for count in self.cells]  # there is nothing farther away
        for step in product(*(range(-most, most + 1) for most in reaches)):
            moved = position + np.array(step)[:, None]
            inside = ((moved >= 0) & (moved < np.array(self.cells)[:, None])).all(axis=0)
            other = place[np.ravel_multi_index(tuple(moved[:, inside]), self.cells)]
            rows.append(np.flatnonzero(inside)[other >= 0])
            columns.append(other[other >= 0])
            nearness.append(np.full(len(rows[-1]), 0.5 ** np.abs(step).sum()))
        index = (np.concatenate(rows), np.concatenate(columns))
        return scipy.sparse.csr_array((np.concatenate(nearness), index), shape=(len(cells), len(cells)))


@dataclass(frozen=True)
class CellVotes:
    """The pairs (cell, row of the vote table) that occur in the cells that have busy words.

    `cells` (C,) are these cells' numbers; `cell` and `row` (Q,) say which place in `cells` and which row a pair has,
    `counts` (Q,) its voxels. `pair` (8 W,) is the pair of each voxel in the busy words.
    """

    cells: NDArray[np.intp]
    cell: NDArray[np.intp]
    row: NDArray[np.intp]
    counts: Floats
    pair: NDArray[np.intp]

    @classmethod
    def count(cls, grid: Grid, words: NDArray[np.intp], rows: NDArray[np.intp], height: int) -> CellVotes:
        """Counts for voxels (8 W,) that have these rows of a table of this height; the rest of a cell has row 0."""
        cells, place = used_numbers(grid.cell_of_words(words), int(np.prod(grid.cells)))
        every_row_0 = np.arange(len(cells)) * height  # every cell gets a pair for background
        numbers = np.concatenate([place * height + rows, every_row_0])
        used, pair = used_numbers(numbers, len(cells) * height)
        cell, row = np.divmod(used, height)
        counts = np.bincount(pair[: rows.size], minlength=len(used)).astype(np.float64)
        counts[row == 0] = 0
        counts[row == 0] = grid.volumes()[cells] - np.bincount(cell, weights=counts, minlength=len(cells))
        return cls(cells, cell, row, counts, pair[: rows.size])


class CellModel:
    """Confusion (C, R, K, K) and prior (C, K) of each cell, and the posterior (Q, K) of each pair (cell, row).

    neighbors: (C, C) how much each cell's evidence counts for another.
    pseudo_counts, caution: the whole image's matrices count, in every cell, as much as this many voxels plus this share
    of the neighborhood's disputed voxels.
    """

    def __init__(
        self,
        table: VoteTable,
        whole: Fit,
        votes: CellVotes,
        neighbors: scipy.sparse.csr_array,
        *,
        pseudo_counts: float,
        caution: float,
    ) -> None:
        self._shape = (len(votes.cells), table.annotators, len(table.values), len(table.values))
        self._cell, self._neighbors, self._prior = votes.cell, neighbors, whole.prior
        self._whole = whole.confusion
        self.weights = _weights(table, votes)
        disputed = np.bincount(votes.cell, weights=votes.counts * table.is_disputed[votes.row])
        self._pseudo = pseudo_counts + caution * (neighbors @ disputed)
        self._said = _said(table, votes, self._shape)
        self._heard = self._said.T.tocsr()

    def maximize(self, posterior: Floats) -> tuple[Floats, Floats]:
        """Every cell's confusion and prior if the posterior is right."""
        weighted = self.weights[:, None] * posterior
        confusion = shares(self.counts(weighted) + self.pseudo_counts(self._whole))
        cells, size = self._shape[0], self._shape[-1]
        classes = np.stack([np.bincount(self._cell, weighted[:, k], cells) for k in range(size)], axis=1)
        prior = self._neighbors @ classes + self._pseudo[:, None] * self._prior
        return confusion, prior / prior.sum(axis=1, keepdims=True)

    def expect(self, confusion: Floats, prior: Floats) -> Floats:
        """The posterior of each pair; annotators who did not look count for nothing."""
        joint = np.asarray(self._heard @ logarithm(confusion).reshape(-1, self._shape[-1]))
        joint += logarithm(prior)[self._cell]
        return from_logarithms(joint.T).T

    def pseudo_counts(self, confusion: Floats) -> Floats:
        """(C, R, K, K): the voxels for which the whole image's confusion (R, K, K) counts in each cell."""
        return np.asarray(self._pseudo[:, None, None, None] * self._prior * confusion)

    def counts(self, weighted: Floats) -> Floats:
        """(C, R, K, K): what annotators say against the truth in each neighborhood, for voxels (Q, K) of each pair."""
        here = np.asarray(self._said @ weighted).reshape(self._shape[0], -1)
        return np.asarray(self._neighbors @ here).reshape(self._shape)


@dataclass(frozen=True)
class CellField:
    """`matrices` (cells, R, K, K): confusion over the values that occur, zero in columns without evidence."""

    grid: Grid
    matrices: Floats

    def spread(self, values: Floats) -> NDArray[np.float32]:
        """(..., *shape) float32 from (cells, ...): linear between cells' centers, constant beyond the outer ones."""
        field = np.moveaxis(values.astype(np.float32), 0, -1).reshape(*values.shape[1:], *self.grid.cells)
        for axis, (size, edge) in enumerate(zip(self.grid.shape, self.grid.edges, strict=True), start=values.ndim - 1):
            field = _stretch(field, axis, size, edge)
        return field


def _weights(table: VoteTable, votes: CellVotes) -> Floats:
    """The voxels (Q,) of each pair, with a cell's unmarked ones limited by its disputed ones."""
    unmarked = table.is_background[votes.row]
    cells = len(votes.cells)
    background = np.bincount(votes.cell, votes.counts * unmarked, cells)
    most = _BACKGROUND * np.bincount(votes.cell, votes.counts * table.is_disputed[votes.row], cells)
    share = np.minimum(1, np.divide(most, background, out=np.ones(cells), where=background > 0))
    return np.where(unmarked, votes.counts * share[votes.cell], votes.counts)


def _said(table: VoteTable, votes: CellVotes, shape: tuple[int, ...]) -> scipy.sparse.csr_array:
    """(C R K, Q): 1 where annotator r gives the k-th value in a pair of this cell."""
    symbols: NDArray[np.intp] = table.symbols[votes.row]
    pair, annotator = np.nonzero(symbols >= 0)
    row = (votes.cell[pair] * shape[1] + annotator) * shape[2] + symbols[pair, annotator]
    size = (shape[0] * shape[1] * shape[2], len(votes.row))
    return scipy.sparse.csr_array((np.ones(len(pair)), (row, pair)), shape=size)


def _stretch(field: NDArray[np.float32], axis: int, size: int, edge: int) -> NDArray[np.float32]:
    """Interpolates along one axis from cells of `edge` voxels to `size` voxels."""
    position = np.clip((np.arange(size) + 0.5) / edge - 0.5, 0, field.shape[axis] - 1)
    below = np.minimum(position.astype(np.intp), max(field.shape[axis] - 2, 0))
    above = np.minimum(below + 1, field.shape[axis] - 1)
    share = (position - below).astype(np.float32).reshape((-1,) + (1,) * (field.ndim - axis - 1))
    return np.asarray(field.take(below, axis) * (1 - share) + field.take(above, axis) * share)
