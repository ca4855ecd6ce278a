"""The table every method works on: which combinations of votes occur, and in how many voxels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from NoisyLabelSegLib.fusion.packing import UNKNOWN
from NoisyLabelSegLib.fusion.pattern_image import Places

Floats = NDArray[np.float64]
Table = TypeVar("Table", bound="VoteTable")

_LARGEST_DENSE = 1 << 20  # entries of the indicator matrix above which it is kept sparse


@dataclass(frozen=True)
class VoteTable:
    """`votes` (P, R) int16: the label each annotator gave, or UNKNOWN; `counts` (P,) float64: voxels with these votes.

    Row 0 is background from everyone who is present. Tables add up, so one table can describe many cases.
    """

    votes: NDArray[np.int16]
    counts: Floats
    known_values: NDArray[np.int16] | None = field(default=None, kw_only=True)
    """The labels to consider, where they are not to be read off the votes."""

    @classmethod
    def pooled(cls, tables: Iterable[VoteTable]) -> VoteTable:
        """One table for all cases, in memory that grows with the different rows only."""
        pool: VoteTable | None = None
        for table in tables:
            pool = table if pool is None else pool._plus(table)
        if pool is None:
            raise ValueError("there is no table to pool")
        return pool

    @cached_property
    def values(self) -> NDArray[np.int16]:
        """The K labels that occur, ascending; background is always among them."""
        if self.known_values is not None:
            return self.known_values
        occurs = np.bincount((self.votes[self.counts > 0] - UNKNOWN).reshape(-1), minlength=2)[-UNKNOWN:]
        occurs[0] = 1
        return np.flatnonzero(occurs).astype(np.int16)

    @property
    def annotators(self) -> int:
        return int(self.votes.shape[1])

    @cached_property
    def indicator(self) -> Floats | scipy.sparse.csr_array:
        """(P, R K): 1 where annotator r of row p gave the k-th value, at column r K + k; UNKNOWN has no 1."""
        rows, annotators = np.nonzero(self.symbols >= 0)
        columns = annotators * len(self.values) + self.symbols[rows, annotators]
        shape = (len(self.votes), self.annotators * len(self.values))
        if shape[0] * shape[1] > _LARGEST_DENSE:
            return scipy.sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
        dense = np.zeros(shape)
        dense[rows, columns] = 1
        return dense

    @cached_property
    def tallies(self) -> Floats:
        """(P, K): how many annotators gave each value."""
        rows = np.arange(self.annotators * len(self.values)) % len(self.values)
        return np.asarray(self.indicator @ np.equal.outer(rows, np.arange(len(self.values))).astype(np.float64))

    @cached_property
    def tallies_by_annotator(self) -> Floats:
        """(R, K): in how many voxels each annotator gave each value."""
        return np.asarray(self.counts @ self.indicator).reshape(self.annotators, len(self.values))

    @cached_property
    def shares(self) -> Floats:
        """(P, K): the share of the annotators who looked that gave each value; background where nobody looked."""
        tallies = self.tallies.copy()
        tallies[tallies.sum(axis=1) == 0, 0] = 1
        return np.asarray(tallies / tallies.sum(axis=1, keepdims=True))

    @cached_property
    def is_background(self) -> NDArray[np.bool_]:
        """(P,): nobody marked anything."""
        return np.asarray((self.votes <= 0).all(axis=1))

    @cached_property
    def is_unseen(self) -> NDArray[np.bool_]:
        """(P,): nobody looked."""
        return np.asarray((self.votes == UNKNOWN).all(axis=1))

    @cached_property
    def is_disputed(self) -> NDArray[np.bool_]:
        """(P,): those who looked do not all agree."""
        return np.asarray(np.count_nonzero(self.tallies, axis=1) > 1)

    @cached_property
    def symbols(self) -> NDArray[np.intp]:
        """(P, R): the place of each vote among the values; -1 for UNKNOWN."""
        return np.where(self.votes == UNKNOWN, -1, np.searchsorted(self.values, self.votes))

    def without(self: Table, annotators: Iterable[int]) -> Table:
        """The table as if these annotators had not looked; its rows stay, so two of them may now be alike."""
        votes = self.votes.copy()
        votes[:, list(annotators)] = UNKNOWN
        return replace(self, votes=votes)

    def confusion_counts(self, posterior: Floats, counts: Floats | None = None) -> Floats:
        """(R, K, K): voxels in which annotator r says value i while the truth is value j, for a posterior (P, K)."""
        weighted = (self.counts if counts is None else counts)[:, None] * posterior
        size = len(self.values)
        return np.asarray(self.indicator.T @ weighted).reshape(self.annotators, size, size)

    def _plus(self, other: VoteTable) -> VoteTable:
        votes, places = np.unique(np.concatenate([self.votes, other.votes]), axis=0, return_inverse=True)
        together = np.concatenate([self.counts, other.counts])
        counts = np.bincount(places.reshape(-1), weights=together).astype(np.float64, copy=False)
        first = int(places.reshape(-1)[0])
        order = np.r_[first, np.delete(np.arange(len(votes)), first)]
        return VoteTable(votes[order], counts[order])


@dataclass(frozen=True)
class RegisteredImages:
    """The scan (*shape), and for each annotator the image on the same grid that belongs to the labels, or None."""

    scan: NDArray[Any]
    own: tuple[NDArray[Any] | None, ...]


@dataclass(frozen=True)
class PlacedTable(VoteTable):
    """A vote table that knows the voxels behind it: `row` (N,) is the row of each number in `places`.

    `images` are given where annotations bring their own image.
    """

    places: Places
    row: NDArray[np.intp]
    images: RegisteredImages | None = field(default=None, kw_only=True)
