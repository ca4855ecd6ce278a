"""What is known about all annotators of a study together, and what it says about the truth behind their votes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_OWN_EVIDENCE = 0.1
"""An annotator's matrix is drawn to the panel's mean with the weight of this share of an average annotator's voxels:
neighbouring voxels repeat each other, so a few cases prove less than their many voxels suggest."""


@dataclass(frozen=True)
class Panel:
    """`confusion` (R, L, L), a_ij = p(says i | truth is j); `prior` (L,): the classes among voxels anyone marks."""

    confusion: Floats
    prior: Floats

    @classmethod
    def from_counts(cls, counts: Floats, truth: Floats) -> Panel:
        """From how often each annotator said i where the truth is j, (R, L, L), and how often it is j at all, (L,).

        Only voxels that somebody marked should be counted: in an ocean of background everyone looks faultless.
        """
        classes = len(truth)
        mean = counts.sum(axis=0) + 1e-6 * np.eye(classes) + 1e-9
        mean /= mean.sum(axis=0)
        weight = _OWN_EVIDENCE * counts.sum() / max(np.count_nonzero(counts.sum(axis=(1, 2))), 1) / classes + 1e-9
        confusion = counts + weight * (0.98 * mean + 0.02 / classes)
        prior = truth + 1e-6 * truth.sum() + 1e-9
        return cls(confusion / confusion.sum(axis=1, keepdims=True), prior / prior.sum())

    def posterior(self, votes: NDArray[np.integer]) -> Floats:
        """The truth (L, P) behind votes (P, R); a negative vote is no vote."""
        joint = np.repeat(np.log(self.prior)[:, None], len(votes), axis=1)
        for confusion, said in zip(np.log(self.confusion), votes.T, strict=True):
            voted = said >= 0
            joint[:, voted] += confusion[said[voted]].T
        joint = np.exp(joint - joint.max(axis=0))
        return np.asarray(joint / joint.sum(axis=0))
