"""Divides an image into cells and counts each cell's vote patterns: where, coarsely, who said what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.packing import used_numbers
from NoisyLabelSegLib.fusion.table import Floats
from NoisyLabelSegLib.fusion.words import VOXELS_PER_WORD


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
        for step in product(range(-reach, reach + 1), repeat=len(self.shape)):
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
