"""Dice and IoU of labels, with the corner cases said out loud.

A class that is empty in both labels scores 1 and a class that is empty in only one scores 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.metrics.counts import joint_counts

Scores = NDArray[np.float64]


def dice(prediction: NDArray[Any], truth: NDArray[Any], classes: int | None = None) -> float:
    """The mean Dice over the foreground classes of one case; labels (*shape), classes L (None: as many as are used)."""
    return float(dice_per_class(prediction, truth, classes).mean())


def dice_per_class(prediction: NDArray[Any], truth: NDArray[Any], classes: int | None = None) -> Scores:
    """(L - 1,) float64: the Dice of each foreground class."""
    classes = classes or class_count(prediction, truth)
    return dice_of_counts(joint_counts(prediction, truth, classes))


def dice_of_counts(counts: NDArray[np.int64]) -> Scores:
    """(..., L - 1) float64 from joint counts (..., L, L): 2 |A and B| / (|A| + |B|), background left out."""
    both, first, second = _overlap(counts)
    return _ratio(2 * both, first + second)


def iou_of_counts(counts: NDArray[np.int64]) -> Scores:
    """(..., L - 1) float64 from joint counts (..., L, L): |A and B| / |A or B|, background left out."""
    both, first, second = _overlap(counts)
    return _ratio(both, first + second - both)


def class_count(*labels: NDArray[Any]) -> int:
    """The number of classes that these labels use, at least two."""
    return max(2, 1 + max((int(array.max()) for array in labels if array.size), default=0))


def _overlap(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    both = np.diagonal(counts, axis1=-2, axis2=-1)[..., 1:]
    return both, counts.sum(axis=-1)[..., 1:], counts.sum(axis=-2)[..., 1:]


def _ratio(part: NDArray[np.int64], whole: NDArray[np.int64]) -> Scores:
    return np.where(whole > 0, part / np.maximum(whole, 1), 1.0)
