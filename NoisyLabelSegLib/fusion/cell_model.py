"""STAPLE's two steps for every cell of an image at once; neighboring cells lend each other their evidence."""

from __future__ import annotations

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from NoisyLabelSegLib.fusion.cells import CellVotes
from NoisyLabelSegLib.fusion.em import Fit, from_logarithms, logarithm
from NoisyLabelSegLib.fusion.model import shares
from NoisyLabelSegLib.fusion.table import Floats, VoteTable

_BACKGROUND = 0.3  # unmarked voxels that count in a cell, per disputed voxel of it


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

    def maximise(self, posterior: Floats) -> tuple[Floats, Floats]:
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
