"""Sensitivity, specificity, precision and Dice of one label against a reference, and the region they are counted in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import SimpleITK as sitk
from numpy.typing import NDArray

from NoisyLabelSegLib.metrics.components import Box, busy_box
from NoisyLabelSegLib.metrics.overlap import dice_of_sizes

NEAR_MM = 10.0
"""Background is counted within this distance of anything marked, so that no figure depends on empty margin."""

ALL_CLASSES = "all classes"
"""The name of the figures for everything that is not background, given beside the classes where there are several."""

_ROUNDING = 1 + 1e-6
_MOST_OFFSETS = 4000  # rows that a ball may have to be moved row by row
_SLAB_VOXELS = 1 << 23  # whose distance map is made at once


@dataclass(frozen=True)
class Figures:
    """Between 0 and 1; None where there is nothing to take a share of."""

    dice: float
    sensitivity: float | None
    specificity: float | None
    precision: float | None


def figures(both: float, marked: float, true: float, region: float) -> Figures:
    """From voxels: marked and true, marked, true, and all voxels of the region in which specificity is counted.

    Dice is 1 where nothing is marked and nothing true; sensitivity is None without anything true, precision without
    anything marked, specificity without background in the region.

    Examples
    --------
    >>> figures(both=6, marked=8, true=10, region=50)
    Figures(dice=0.6666666666666666, sensitivity=0.6, specificity=0.95, precision=0.75)
    """
    return Figures(
        dice=float(dice_of_sizes(both, marked, true)),
        sensitivity=ratio(both, true),
        specificity=ratio(region - marked - true + both, region - true),
        precision=ratio(both, marked),
    )


def sizes(counts: NDArray[Any], label: int) -> tuple[float, float, float]:
    """Voxels marked and true, marked, and true of one class, or for label L of everything but background.

    `counts` (L, L) or (L, L + 1): entry i, j are the voxels called i where the reference is j; a last column more than
    classes holds voxels whose reference is none of them.
    """
    classes = len(counts)
    chosen = slice(label, label + 1) if label < classes else slice(1, classes)
    both = counts[chosen, chosen].sum()
    return float(both), float(counts[chosen].sum()), float(counts[:, chosen].sum())


def ratio(part: float, whole: float) -> float | None:
    """A share, None of nothing."""
    return part / whole if whole else None


def voxels_near(marked: NDArray[Any], spacing_zyx: tuple[float, ...], distance: float = NEAR_MM) -> int:
    """How many voxels lie at most `distance` millimeters from a marked one, the marked ones included.

    `marked` (*shape) is not zero where something is marked; distances are between the centers of voxels. The grid is
    continued beyond the edge of the image, so that the number is the same for any crop that holds all marks.
    """
    reach = [int(distance / edge + 1e-6) for edge in spacing_zyx]
    box = busy_box([marked], marked.shape, margin=0)
    mask = np.pad(np.asarray(marked[box] != 0), [(steps, steps) for steps in reach])
    offsets = np.stack(np.meshgrid(*(np.arange(-steps, steps + 1) for steps in reach[:-1]), indexing="ij"), axis=-1)
    if offsets[..., 0].size > _MOST_OFFSETS:
        return _near_by_distance(mask, spacing_zyx, distance, reach[0])
    rest = distance**2 * _ROUNDING - np.square(offsets * spacing_zyx[:-1]).sum(axis=-1)
    along = np.where(rest >= 0, np.sqrt(np.maximum(rest, 0)) / spacing_zyx[-1], -1).astype(np.int64)
    region = np.packbits(np.zeros_like(mask), axis=-1)
    grown = mask.copy()
    for steps in range(reach[-1] + 1):  # of a row, all voxels within so many steps of a marked one, as bits
        if steps:
            grown[..., steps:] |= mask[..., :-steps]
            grown[..., :-steps] |= mask[..., steps:]
        bits = np.packbits(grown, axis=-1)
        for offset in offsets[along == steps]:
            there, here = _shifted(offset, bits.shape)
            region[there] |= bits[here]
    return int(np.unpackbits(region, axis=-1, count=mask.shape[-1]).sum(dtype=np.int64))


def _near_by_distance(mask: NDArray[np.bool_], spacing_zyx: tuple[float, ...], distance: float, reach: int) -> int:
    """The same from distance maps, slab by slab: quicker where voxels are so small that the ball has very many."""
    slab, total = max(2 * reach, _SLAB_VOXELS // mask[0].size, 1), 0
    for start in range(0, len(mask), slab):
        first, stop = max(start - reach, 0), min(start + slab, len(mask))
        part = mask[first : stop + reach]
        if part.any():
            image = sitk.GetImageFromArray(part.view(np.uint8))
            image.SetSpacing(spacing_zyx[::-1])
            squares = sitk.SignedMaurerDistanceMap(image, squaredDistance=True, useImageSpacing=True)
            near = sitk.GetArrayViewFromImage(squares)[start - first : stop - first] <= distance**2 * _ROUNDING
            total += int(np.count_nonzero(near))
    return total


def _shifted(offset: NDArray[np.int64], shape: tuple[int, ...]) -> tuple[Box, Box]:
    """The parts of two arrays of this shape that meet when one is moved by the offset along its first axes."""
    sizes = [(int(step), size) for step, size in zip(offset, shape, strict=False)]
    there = tuple(slice(max(step, 0), size + min(step, 0)) for step, size in sizes)
    return there, tuple(slice(max(-step, 0), size - max(step, 0)) for step, size in sizes)
