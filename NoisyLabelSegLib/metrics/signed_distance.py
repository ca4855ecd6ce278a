"""How far outside or inside of a reference somebody drew, at every place of the reference's surface."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
import SimpleITK as sitk
from numpy.typing import NDArray
from scipy import ndimage

from NoisyLabelSegLib.metrics.components import Box, busy_box
from NoisyLabelSegLib.progress import finished

_FAR = 1e6
_BLOCK = 48
"""The edge in voxels of the blocks in which distances with a limit are found."""


def signed_distance_map(mask: NDArray[Any], spacing_zyx: tuple[float, ...]) -> NDArray[np.float32]:
    """Millimeters from each voxel's center to the border of a mask (*shape), positive inside, negative outside.

    The border lies between the voxels: the center of a voxel at the border is half a voxel away from it. Without any
    voxel in the mask every distance is minus infinity.
    """
    inside = np.ascontiguousarray(mask, dtype=np.uint8)
    if not inside.any():
        return np.full(inside.shape, -np.inf, dtype=np.float32)
    half = 0.5 * min(spacing_zyx)
    outer, inner = _distance_to(inside, spacing_zyx), _distance_to(1 - inside, spacing_zyx)
    return np.where(inside != 0, inner - half, half - outer).astype(np.float32)


def signed_distances_at(
    mask: NDArray[Any], spacing_zyx: tuple[float, ...], points: NDArray[np.floating[Any]], *, limit: float = np.inf
) -> NDArray[np.float32]:
    """The signed distance (N,) in millimeters at points (N, 3), which are z, y, x in voxels and may lie between them.

    At a point of a reference's surface it is positive where the mask reaches beyond it (too much) and negative where
    the mask ends before it (missed). Values are cut at plus and minus `limit`.

    Examples
    --------
    >>> row = np.zeros((1, 1, 9)); row[..., 3:6] = 1
    >>> signed_distances_at(row, (1.0, 1.0, 1.0), np.array([[0, 0, 4.0], [0, 0, 7.0]])).tolist()
    [1.5, -1.5]
    """
    return finished(finding_signed_distances(mask, spacing_zyx, points, limit=limit))


def finding_signed_distances(
    mask: NDArray[Any], spacing_zyx: tuple[float, ...], points: NDArray[np.floating[Any]], *, limit: float
) -> Generator[str, None, NDArray[np.float32]]:
    """signed_distances_at() in steps: with a limit, the points of one block of the volume at a time."""
    found = np.full(len(points), -limit, dtype=np.float32)
    if np.isinf(limit):
        box = _joined(_box_around(points, mask.shape), busy_box([mask], mask.shape))
        if np.any(mask):
            found = _within(mask, box, spacing_zyx, points)
        return found
    blocks = np.floor(points / _BLOCK).astype(np.int64)
    margin = [int(np.ceil(limit / edge)) + 1 for edge in spacing_zyx]
    for block in np.unique(blocks, axis=0):
        yield ""
        inside = np.flatnonzero((blocks == block).all(axis=1))
        box = tuple(
            slice(max(part.start - more, 0), min(part.stop + more, size))
            for part, more, size in zip(_box_around(points[inside], mask.shape), margin, mask.shape, strict=True)
        )
        found[inside] = np.clip(_within(mask, box, spacing_zyx, points[inside]), -limit, limit)
    return found


def _within(
    mask: NDArray[Any], box: Box, spacing_zyx: tuple[float, ...], points: NDArray[np.floating[Any]]
) -> NDArray[np.float32]:
    """The signed distance at points, judged by what lies in a box of the mask."""
    distances = np.nan_to_num(signed_distance_map(mask[box], spacing_zyx), posinf=_FAR, neginf=-_FAR)
    corner = np.array([part.start for part in box])
    return np.asarray(
        ndimage.map_coordinates(distances, (points - corner).T, order=1, mode="nearest"), dtype=np.float32
    )


def _distance_to(mask: NDArray[np.uint8], spacing_zyx: tuple[float, ...]) -> NDArray[np.float32]:
    """Millimeters from each voxel outside the mask to the nearest voxel of it; infinity where it is empty."""
    if not mask.any():
        return np.full(mask.shape, np.inf, dtype=np.float32)
    image = sitk.GetImageFromArray(mask)
    image.SetSpacing(spacing_zyx[::-1])
    squares = sitk.SignedMaurerDistanceMap(image, squaredDistance=True, useImageSpacing=True, insideIsPositive=False)
    return np.asarray(np.sqrt(np.maximum(sitk.GetArrayFromImage(squares), 0)), dtype=np.float32)


def _box_around(points: NDArray[np.floating[Any]], shape: tuple[int, ...]) -> Box:
    low, high = np.floor(points.min(axis=0)).astype(int) - 1, np.ceil(points.max(axis=0)).astype(int) + 2
    return tuple(slice(max(int(a), 0), max(min(int(b), size), 1)) for a, b, size in zip(low, high, shape, strict=True))


def _joined(one: Box, other: Box) -> Box:
    return tuple(slice(min(a.start, b.start), max(a.stop, b.stop)) for a, b in zip(one, other, strict=True))
