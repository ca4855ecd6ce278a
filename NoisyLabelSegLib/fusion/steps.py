"""STEPS (Cardoso et al., Medical Image Analysis 17:671-684, 2013): STAPLE with the locally most similar atlases.

For annotations that bring their own image, registered to the scan: at every voxel only those whose image resembles the
scan most there have a say, and neighboring voxels are pulled towards the same label by a Markov random field.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.local_em import Disputed, estimate, images_of, local_solution, neighbors_alike
from NoisyLabelSegLib.fusion.model import Solution
from NoisyLabelSegLib.fusion.table import VoteTable

_LEAST_SPREAD = 1e-6


def steps(
    table: VoteTable,
    *,
    best: int = 0,
    width: float = 2.5,
    neighbors: float = 0.2,
    tolerance: float = 1e-3,
    max_iterations: int = 100,
) -> Solution:
    """STEPS on a vote table with registered images.

    best: how many annotations have a say at a voxel; 0 takes half of them, rounded up, and at least three.
    width: the standard deviation, in voxels, of the Gaussian window in which images are compared.
    neighbors: the strength of the Markov random field; 0 is without.
    """
    placed, images = images_of(table, "STEPS")
    if best < 0 or not width > 0 or neighbors < 0:
        raise UserError("STEPS needs best and neighbors of at least 0 and a width above 0")
    disputed = Disputed.of(placed)
    votes = disputed.one_hot_votes()
    present = [place for place in range(votes.shape[1]) if votes[:, place].any()]
    keep = best or max(3, -(-len(present) // 2))
    similar = np.full(votes.shape[:2], -np.inf)
    for place in present:
        similar[:, place] = correlation(images.scan, images.own[place], width).reshape(-1)[disputed.voxels]
    similar[disputed.votes < 0] = -np.inf
    order = np.argsort(-similar, axis=1, kind="stable")
    votes[np.arange(len(votes))[:, None], order[:, keep:]] = 0
    pull = neighbors_alike(disputed, neighbors) if neighbors else None
    posterior, iterations, converged = estimate(votes, pull=pull, tolerance=tolerance, max_iterations=max_iterations)
    return local_solution(disputed, posterior, iterations, converged)


def correlation(first: Any, second: Any, width: float) -> NDArray[np.float32]:
    """The local normalized cross-correlation (*shape) of two images in a Gaussian window; 0 where either is flat."""
    one, other = (np.asarray(image, dtype=np.float64) for image in (first, second))

    def mean(image: Any) -> Any:
        return ndimage.gaussian_filter(image, width, mode="nearest")

    one, other = one - one.mean(), other - other.mean()
    mean_one, mean_other = mean(one), mean(other)
    together = mean(one * other) - mean_one * mean_other
    spread = np.sqrt(np.maximum(mean(one**2) - mean_one**2, 0) * np.maximum(mean(other**2) - mean_other**2, 0))
    flat = spread <= _LEAST_SPREAD * max(one.std() * other.std(), 1e-300)
    return np.where(flat, 0, together / np.where(flat, 1, spread)).astype(np.float32)
