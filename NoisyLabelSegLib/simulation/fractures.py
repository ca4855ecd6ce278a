"""Gaps across an outline, as in the paper's `wrong` annotator."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from NoisyLabelSegLib.simulation.scan import Mask, Shape

GAP_WIDTHS = 2.0
"""A gap's width as a multiple of the thickening; with it MNIST digits lose as much as the authors' examples do."""


def fractured(shape: Shape, drawn: Mask, thickening: float, random: np.random.Generator, gaps: float) -> Mask:
    """`drawn` (the thickened shape) with gaps cut across each object of the shape; `gaps` scales how many there are."""
    labels, count = shape.objects
    result = drawn.copy()
    for number, box in enumerate(ndimage.find_objects(labels, count), start=1):
        voxels = np.argwhere(labels[box] == number) + [side.start for side in box]
        radius = min(float(shape.inside[box][labels[box] == number].max()), float(np.ptp(voxels * shape.spacing)))
        for _ in range(_gap_count(len(voxels), radius, shape, gaps, random)):
            _cut(result, voxels, radius, thickening, shape, random)
    return result


def _gap_count(voxels: int, radius: float, shape: Shape, gaps: float, random: np.random.Generator) -> int:
    """One for every three thicknesses of length: a compact object has one, a long stroke several."""
    thickness = max(2 * radius, min(shape.spacing))
    lengths = voxels * float(np.prod(shape.spacing)) / thickness**shape.mask.ndim
    return max(1, int(gaps * lengths / 3 + random.random()))


def _cut(
    result: Mask,
    voxels: NDArray[np.int64],
    radius: float,
    thickening: float,
    shape: Shape,
    random: np.random.Generator,
) -> None:
    """Clears a slab through a random voxel, across the direction in which the object runs there."""
    spacing = np.asarray(shape.spacing)
    centre = voxels[random.integers(len(voxels))]
    reach = 2 * radius + thickening
    margin = np.ceil(reach / spacing).astype(int)
    low, high = np.maximum(centre - margin, 0), np.minimum(centre + margin + 1, shape.mask.shape)
    box = tuple(slice(a, b) for a, b in zip(low, high, strict=True))
    offsets = (np.moveaxis(np.indices(high - low), 0, -1) + low - centre) * spacing
    near = np.linalg.norm(offsets, axis=-1) <= reach
    along = _direction(((voxels - centre) * spacing), reach, random)
    result[box] &= ~(near & (np.abs(offsets @ along) <= GAP_WIDTHS * thickening / 2))


def _direction(offsets: NDArray[np.float64], reach: float, random: np.random.Generator) -> NDArray[np.float64]:
    """The longest axis of the part of the object around the point, or any direction where it is a single voxel."""
    near = offsets[np.linalg.norm(offsets, axis=1) <= reach]
    if len(near) > 2:
        return np.asarray(np.linalg.eigh(np.cov(near.T)).eigenvectors[:, -1])
    anywhere = np.asarray(random.standard_normal(offsets.shape[1]))
    return np.asarray(anywhere / np.linalg.norm(anywhere))
