"""How alike two groups of annotators are: GED between predicted and real ones, and the consensus within a group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.metrics.overlap import class_count, dice_of_counts, iou_of_counts, pairwise_counts

Labels = Sequence[NDArray[Any]] | NDArray[Any]


def ged(predicted: Labels, real: Labels, classes: int | None = None) -> float:
    """Squared generalised energy distance of two groups of labels, each R arrays (*shape); NaN if a group is empty.

    2 E d(S, Y) - E d(S, S') - E d(Y, Y') with d = 1 - mean foreground Dice, over all ordered pairs, equal ones
    included: 0 when both groups are the same.
    """
    if not len(predicted) or not len(real):
        return math.nan
    everyone = [*predicted, *real]
    distance = 1 - dice_of_counts(pairwise_counts(everyone, classes or class_count(*everyone))).mean(axis=-1)
    n = len(predicted)
    value = 2 * distance[:n, n:].mean() - distance[:n, :n].mean() - distance[n:, n:].mean()
    return max(0.0, float(value))  # Dice is a positive definite kernel, so only rounding can be negative


def consensus(labels: Labels, classes: int | None = None) -> float:
    """The mean foreground IoU over all pairs of different annotators of one case; NaN with fewer than two."""
    if len(labels) < 2:
        return math.nan
    iou = iou_of_counts(pairwise_counts(list(labels), classes or class_count(*labels))).mean(axis=-1)
    return float(iou[np.triu_indices(len(labels), 1)].mean())


def correlation(predicted: Sequence[float], real: Sequence[float]) -> float:
    """Pearson's r of two series, pairs with a NaN left out; NaN with fewer than two pairs or a constant series."""
    pairs = np.array([predicted, real], dtype=np.float64)
    pairs = pairs[:, np.isfinite(pairs).all(axis=0)]
    if pairs.shape[1] < 2 or (np.ptp(pairs, axis=1) < 1e-12).any():
        return math.nan
    deviations = pairs - pairs.mean(axis=1, keepdims=True)
    deviations /= np.linalg.norm(deviations, axis=1, keepdims=True)
    return float(deviations[0] @ deviations[1])
