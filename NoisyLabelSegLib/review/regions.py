"""Where in a case the truth is most in doubt: connected regions in which opinions differ or a model hesitates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.review.crop import Box
from NoisyLabelSegLib.review.island import Island
from NoisyLabelSegLib.review.shape import connected

LEAST_DISSENT = 1 / 3
"""A voxel is in doubt when at least this share of the votes, or of the probability, is against its likeliest class."""


@dataclass(frozen=True)
class Region:
    """`size` in mm3 (mm2 in 2D), `center` a voxel of it (LPS, mm), `slice` its slice of `slices`, counted from 1."""

    size: float
    center: tuple[float, ...]
    slice: int
    slices: int


def vote_dissent(labels: Sequence[NDArray[Any]], classes: int) -> NDArray[np.float32]:
    """The share of votes (*shape) float32 that are not for the likeliest class; labels (*shape) of each annotator."""
    most = np.zeros(labels[0].shape, dtype=np.uint16)
    for label in range(classes):
        votes = np.zeros_like(most)
        for array in labels:
            votes += array == label
        np.maximum(most, votes, out=most)
    return np.asarray(1 - most / np.float32(len(labels)), dtype=np.float32)


def doubtful_regions(dissent: NDArray[Any], box: Box, geometry: Geometry, *, most: int = 3) -> tuple[Region, ...]:
    """The regions of a dissent map (*box) that weigh most, heaviest first."""
    parts = connected(dissent >= LEAST_DISSENT - 1e-6)
    if not parts.count:
        return ()
    weights = np.bincount(parts.labels.ravel(), weights=dissent.ravel())[1:]
    corner = np.array([part.start for part in box])
    found = []
    for index in np.argsort(-weights, kind="stable")[:most]:
        place = parts.boxes[index]
        island = Island(parts.labels[place] == index + 1, tuple(part.start for part in place), dissent.shape)
        middle = island.middle_voxel(geometry.spacing_zyx) + corner
        found.append(
            Region(
                size=int(parts.voxels[index]) * geometry.voxel_volume,
                center=tuple(geometry.points(middle).tolist()),
                slice=int(middle[0]) + 1 if geometry.dimension == 3 else 1,
                slices=geometry.shape[0] if geometry.dimension == 3 else 1,
            )
        )
    return tuple(found)
