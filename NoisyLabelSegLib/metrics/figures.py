"""Sensitivity, specificity, precision and Dice of one label against a reference, and the region they are counted in."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import SimpleITK as sitk
from numpy.typing import NDArray

from NoisyLabelSegLib.metrics.components import busy_box
from NoisyLabelSegLib.metrics.overlap import dice_of_sizes

NEAR_MM = 10.0
"""Background is counted within this distance of anything marked, so that no figure depends on empty margin."""

ALL_CLASSES = "all classes"
"""The name of the figures for everything that is not background, given beside the classes where there are several."""

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
    reach = [int(distance / edge) for edge in spacing_zyx]
    box = busy_box([marked], marked.shape, margin=0)
    mask = np.pad(np.asarray(marked[box] != 0, dtype=np.uint8), [(steps, steps) for steps in reach])
    slab = max(2 * reach[0], _SLAB_VOXELS // math.prod(mask.shape[1:]), 1)
    total = 0
    for start in range(0, len(mask), slab):
        first, stop = max(start - reach[0], 0), min(start + slab, len(mask))
        near = _near(mask[first : stop + reach[0]], spacing_zyx, distance)
        total += int(np.count_nonzero(near[start - first : stop - first]))
    return total


def _near(mask: NDArray[np.uint8], spacing_zyx: tuple[float, ...], distance: float) -> NDArray[np.bool_]:
    if not mask.any():
        return np.zeros(mask.shape, dtype=np.bool_)
    image = sitk.GetImageFromArray(mask)
    image.SetSpacing(spacing_zyx[::-1])
    squares = sitk.SignedMaurerDistanceMap(image, insideIsPositive=False, squaredDistance=True, useImageSpacing=True)
    return np.asarray(sitk.GetArrayViewFromImage(squares) <= distance**2 * (1 + 1e-6))
