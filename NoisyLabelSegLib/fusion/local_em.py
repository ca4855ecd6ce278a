"""Expectation-maximization on the disputed voxels of one case, each with votes of its own.

STEPS and non-local STAPLE make the votes. Voxels on which everybody agrees keep their label and are not looked at.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.em import logarithm
from NoisyLabelSegLib.fusion.model import Solution, most_likely, shares, tie_remarks, winners
from NoisyLabelSegLib.fusion.pattern_image import VOXELS_PER_WORD, Places
from NoisyLabelSegLib.fusion.table import Floats, PlacedTable, RegisteredImages, VoteTable

Pull = Callable[[Floats], Floats]
"""From the posterior (n, K) to what is added to its logarithm, such as a wish for neighbors to be alike."""


def images_of(table: VoteTable, title: str) -> tuple[PlacedTable, RegisteredImages]:
    """The table and its images; refused where the annotations have none of their own."""
    if not isinstance(table, PlacedTable):
        raise UserError(f"{title} works on single cases", remedy="fuse each case by itself")
    present = np.flatnonzero(~(table.votes == -1).all(axis=0))
    if table.images is None or any(table.images.own[place] is None for place in present):
        raise UserError(
            f"{title} compares the registered image that every annotation brings with the scan, and some have none",
            remedy="name an 'image' beside the 'file' of each annotation in study.json, or use staple",
        )
    return table, table.images


@dataclass(frozen=True)
class Disputed:
    """The n voxels (flat indices) on which annotators disagree, and the row of the table that each has."""

    table: PlacedTable
    voxels: NDArray[np.intp]
    row: NDArray[np.intp]
    chosen: NDArray[np.bool_]
    """(8 W,): which of the voxels of `table.places` they are."""

    @classmethod
    def of(cls, table: PlacedTable) -> Disputed:
        places = table.places
        row = table.row.take(places.codes)
        flat = (places.words[:, None] * VOXELS_PER_WORD + np.arange(VOXELS_PER_WORD)).reshape(-1)
        chosen = table.is_disputed[row] & (flat < math.prod(places.shape))
        return cls(table, flat[chosen], row[chosen], chosen)

    @property
    def votes(self) -> NDArray[np.intp]:
        """(n, R): the place among the table's values of everyone's label; -1 where somebody did not look."""
        return np.asarray(self.table.symbols[self.row])

    def one_hot_votes(self) -> Floats:
        """(n, R, K): 1 for the label that each annotator gave."""
        return np.asarray(self.votes[:, :, None] == np.arange(len(self.table.values)), dtype=np.float64)


def estimate(votes: Floats, *, pull: Pull | None, tolerance: float, max_iterations: int) -> tuple[Floats, int, bool]:
    """The posterior (n, K), the number of iterations and whether they settled.

    `votes` (n, R, K) are shares of labels, all zero where an annotator has no say: the chance of what annotator r shows
    at voxel i under the truth s is the sum over l of votes[i, r, l] theta[r, l, s]. It begins with the mean vote.
    """
    tallies = votes.sum(axis=1)
    posterior = tallies / np.maximum(tallies.sum(axis=1, keepdims=True), 1e-300)
    has_say = np.asarray(votes.sum(axis=2) > 0)
    last: Floats | None = None
    iterations, settled = 0, len(votes) == 0
    while iterations < max_iterations and not settled:
        theta = shares(np.einsum("irl,is->rls", votes, posterior))
        joint = logarithm(np.broadcast_to(posterior.mean(axis=0), posterior.shape)).copy()
        for annotator, matrix in enumerate(theta):
            joint += np.where(has_say[:, annotator, None], logarithm(votes[:, annotator] @ matrix), 0)
        if pull is not None:
            joint += pull(posterior)
        joint -= joint.max(axis=1, keepdims=True)
        posterior = np.exp(joint)
        posterior /= posterior.sum(axis=1, keepdims=True)
        settled = last is not None and float(np.abs(theta - last).max()) <= tolerance
        last = theta
        iterations += 1
    return posterior, iterations, settled


def local_solution(disputed: Disputed, posterior: Floats, iterations: int, converged: bool) -> Solution:
    """Every disputed voxel has a row of its own in the posterior, after those of the table."""
    table, height = disputed.table, len(disputed.table.votes)
    numbers = table.row.take(table.places.codes)
    numbers[disputed.chosen] = height + np.arange(len(disputed.voxels))
    agreed = winners(table.shares)
    together = np.concatenate([agreed, posterior])
    voxels = np.where(table.is_disputed[:, None], 0.0, table.counts[:, None] * agreed)
    np.add.at(voxels, disputed.row, posterior)
    counts = table.confusion_counts(voxels, np.ones(len(voxels)))
    return Solution(
        table.values,
        together,
        most_likely(table, together),
        counts,
        shares(counts),
        iterations,
        converged,
        tie_remarks(table),
        places=Places(table.places.shape, table.places.words, numbers),
    )


def neighbors_alike(disputed: Disputed, strength: float) -> Pull:
    """Pulls every voxel towards its neighbors across faces: `strength` times the probability that each has of a class.

    This is the mean-field form of a Markov random field; what lies outside the image counts as nothing.
    """
    table = disputed.table
    agreed = winners(table.shares)
    fields = [table.places.spread(agreed[table.row, label]) for label in range(len(table.values))]
    shape = table.places.shape
    places = np.stack(np.unravel_index(disputed.voxels, shape), axis=1)

    def pull(posterior: Floats) -> Floats:
        added = np.zeros_like(posterior)
        for label, image in enumerate(fields):
            image.reshape(-1)[disputed.voxels] = posterior[:, label]
            for axis in range(len(shape)):
                for step in (-1, 1):
                    other = places.copy()
                    other[:, axis] += step
                    inside = (other[:, axis] >= 0) & (other[:, axis] < shape[axis])
                    added[inside, label] += image[tuple(other[inside].T)]
        return strength * added

    return pull
