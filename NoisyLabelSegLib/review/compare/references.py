"""Two references of one case against each other: neither is the truth."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.metrics.overlap import dice_of_sizes
from NoisyLabelSegLib.progress import finished
from NoisyLabelSegLib.review.compare.error_map import ErrorCode, error_map


@dataclass(frozen=True)
class ReferenceComparison:
    """Dice of the foreground and of each class, and the volumes in ml that only one of the two marks, or as another
    class.

    `differences` (*shape) uint8 is 1 where both mark the same class, 2 where only the second marks something, 3 where
    only the first does, and 4 where the classes differ.
    """

    dice: float
    dice_of_classes: dict[str, float]
    only_first_ml: float
    only_second_ml: float
    other_class_ml: float
    differences: NDArray[np.uint8]

    @property
    def most_different(self) -> tuple[float, ...] | None:
        """The middle (z, y, x) of the differences in the slice with most of them; None where there are none."""
        differ = self.differences > ErrorCode.TRUE_POSITIVE
        if differ.ndim == 2:
            return tuple(np.argwhere(differ).mean(axis=0).tolist()) if differ.any() else None
        counts = np.count_nonzero(differ, axis=(1, 2))
        slice_ = int(counts.argmax())
        return (float(slice_), *np.argwhere(differ[slice_]).mean(axis=0).tolist()) if counts[slice_] else None


def compare_references(
    first: NDArray[Any], second: NDArray[Any], classes: Sequence[str], voxel_mm3: float
) -> ReferenceComparison:
    """Compares labels (*shape) with others (*shape) of the same classes (background first)."""
    return finished(comparing_references(first, second, classes, voxel_mm3))


def comparing_references(
    first: NDArray[Any], second: NDArray[Any], classes: Sequence[str], voxel_mm3: float
) -> Generator[str, None, ReferenceComparison]:
    """compare_references() in steps; yields the class that is counted next."""
    differences = error_map(first, second)
    yield ""
    # bincount() would turn all voxels into 64-bit integers
    same, only_second, only_first, other = (np.count_nonzero(differences == code) for code in list(ErrorCode)[1:])
    both = same + other
    each = {}
    for label, name in enumerate(classes[1:], start=1):
        yield name
        one, two = first == label, second == label
        shared = np.count_nonzero(one & two)
        each[name] = float(dice_of_sizes(shared, np.count_nonzero(one), np.count_nonzero(two)))
    return ReferenceComparison(
        dice=float(dice_of_sizes(both, both + only_first, both + only_second)),
        dice_of_classes=each,
        only_first_ml=only_first * voxel_mm3 / 1000,
        only_second_ml=only_second * voxel_mm3 / 1000,
        other_class_ml=other * voxel_mm3 / 1000,
        differences=differences,
    )
