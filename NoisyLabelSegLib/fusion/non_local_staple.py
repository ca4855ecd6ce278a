"""Non-local STAPLE (Asman, Landman, Medical Image Analysis 17:194-208, 2013): STAPLE that allows for misregistration.

For annotations that bring their own image, registered to the scan: what an annotator shows at a voxel is a share of
labels, from the places nearby whose image looks like the scan at the voxel.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.local_em import Disputed, estimate, images_of, local_solution
from NoisyLabelSegLib.fusion.model import Solution
from NoisyLabelSegLib.fusion.table import Floats, VoteTable

Images = NDArray[np.float32]


def non_local_staple(
    table: VoteTable,
    *,
    search: int = 2,
    patch: int = 1,
    intensity: float = 0.3,
    distance: float = 1.5,
    tolerance: float = 1e-3,
    max_iterations: int = 100,
) -> Solution:
    """Non-local STAPLE on a vote table with registered images.

    search, patch: how many voxels away places are looked for, and how far a patch reaches from its middle.
    intensity: how different patches may look, in standard deviations of the scan.
    distance: how far a place may be, in voxels; both as the standard deviation of a Gaussian weight.
    """
    placed, images = images_of(table, "Non-local STAPLE")
    if search < 0 or patch < 0 or not intensity > 0 or not distance > 0:
        raise UserError("Non-local STAPLE needs search and patch of at least 0, intensity and distance above 0")
    disputed = Disputed.of(placed)
    votes = np.zeros((len(disputed.voxels), placed.annotators, len(placed.values)))
    if len(disputed.voxels):
        box = _box(disputed, search + patch)
        scan = _standard(images.scan)[box]
        inside = np.stack(np.unravel_index(disputed.voxels, placed.places.shape), axis=1) - [side.start for side in box]
        for annotator, said in enumerate(placed.symbols.T):
            if (said >= 0).any():
                drawn = placed.places.spread(said[placed.row].astype(np.int16))[box]
                own = _standard(images.own[annotator])[box]
                votes[:, annotator] = _shares(scan, own, drawn, inside, search, patch, intensity, distance, votes)
    posterior, iterations, converged = estimate(votes, pull=None, tolerance=tolerance, max_iterations=max_iterations)
    return local_solution(disputed, posterior, iterations, converged)


def _shares(
    scan: Images,
    own: Images,
    drawn: NDArray[np.int16],
    voxels: NDArray[np.intp],
    search: int,
    patch: int,
    intensity: float,
    distance: float,
    like: Floats,
) -> Floats:
    """(n, K): the weights of the places near each voxel (n, dimension) by the label drawn there, summing to one."""
    found = np.zeros((len(voxels), like.shape[2]))
    numbers, last = np.arange(len(voxels)), np.array(scan.shape) - 1
    for offset in itertools.product(range(-search, search + 1), repeat=scan.ndim):
        moved = np.roll(own, [-step for step in offset], axis=range(scan.ndim))
        different = ndimage.uniform_filter((scan - moved) ** 2, 2 * patch + 1, mode="nearest")
        there = voxels + offset
        weight = np.exp(-different[tuple(voxels.T)].astype(np.float64) / (2 * intensity**2))
        weight *= np.exp(-sum(step**2 for step in offset) / (2 * distance**2))
        label = drawn[tuple(np.clip(there, 0, last).T)]
        known = ((there >= 0) & (there <= last)).all(axis=1) & (label >= 0)
        np.add.at(found, (numbers[known], label[known]), weight[known])
    total = found.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(found, total, out=np.zeros_like(found), where=total > 0))


def _box(disputed: Disputed, margin: int) -> tuple[slice, ...]:
    """The box of the disputed voxels, grown by the margin within the image."""
    shape = disputed.table.places.shape
    places = np.unravel_index(disputed.voxels, shape)
    return tuple(
        slice(max(int(axis.min()) - margin, 0), min(int(axis.max()) + margin + 1, length))
        for axis, length in zip(places, shape, strict=True)
    )


def _standard(image: Any) -> Images:
    """The image with mean 0 and standard deviation 1."""
    array = np.asarray(image, dtype=np.float32)
    spread = float(array.std())
    return np.asarray((array - array.mean()) / (spread or 1.0), dtype=np.float32)
