"""Agreement on objects: which connected objects of two label images are the same one, and how well they overlap."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from NoisyLabelSegLib.metrics.runs import Objects


@dataclass(frozen=True)
class Detection:
    """Objects of a reference that were found or missed, and drawn ones that are not in it; `+` pools cases.

    `overlap` is the sum of the IoU of the pairs that match. F1 and panoptic quality do not depend on which of the two
    images is called the reference.
    """

    hits: int = 0
    misses: int = 0
    false_alarms: int = 0
    overlap: float = 0.0

    @property
    def f1(self) -> float:
        """2 hits / (2 hits + misses + false alarms); NaN where there is no object at all."""
        return self.hits / self.weight if self.weight else math.nan

    @property
    def panoptic_quality(self) -> float:
        """The sum of the IoU of matching pairs / (hits + half the misses + half the false alarms) (Kirillov 2019)."""
        return self.overlap / self.weight if self.weight else math.nan

    @property
    def weight(self) -> float:
        """The denominator of both."""
        return self.hits + 0.5 * (self.misses + self.false_alarms)

    def __add__(self, other: Detection) -> Detection:
        return Detection(
            self.hits + other.hits,
            self.misses + other.misses,
            self.false_alarms + other.false_alarms,
            self.overlap + other.overlap,
        )


def detection(reference: Objects, drawn: Objects, *, threshold: float = 0.5) -> Detection:
    """Matches objects one to one.

    Two objects match where their IoU is above `threshold`. At 0.5 or more, no object can match two others; below, the
    assignment with the largest sum of IoU is taken.
    """
    first, second, overlap = _overlaps(reference, drawn)
    enough = overlap > threshold
    first, second, overlap = first[enough], second[enough], overlap[enough]
    if threshold < 0.5 and overlap.size:
        table = np.zeros((reference.count, drawn.count))
        table[first, second] = overlap
        rows, columns = linear_sum_assignment(table, maximize=True)
        overlap = table[rows, columns]
        overlap = overlap[overlap > 0]
    hits = int(overlap.size)
    return Detection(hits, reference.count - hits, drawn.count - hits, float(overlap.sum()))


def _overlaps(first: Objects, second: Objects) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """The pairs of objects (from 0) that share voxels, and their IoU."""
    one, other, common = first.common_voxels(second)
    return one, other, common / (first.voxels[one] + second.voxels[other] - common)
