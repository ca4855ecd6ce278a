"""Whether probabilities mean what they say."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.metrics.overlap import chunks

BINS = 15


@dataclass(frozen=True)
class Calibration:
    """Sums over voxels, by equally wide bins of confidence (the largest probability); `+` pools cases."""

    voxels: NDArray[np.int64]
    confidence: NDArray[np.float64]
    correct: NDArray[np.float64]
    squares: float

    @property
    def ece(self) -> float:
        """Expected calibration error: the mean gap between confidence and accuracy, weighted by voxels."""
        total = int(self.voxels.sum())
        return float(np.abs(self.confidence - self.correct).sum()) / total if total else math.nan

    @property
    def brier(self) -> float:
        """Mean over voxels of the squared distance to the one-hot truth: 0 to 2, over all classes."""
        total = int(self.voxels.sum())
        return self.squares / total if total else math.nan

    def __add__(self, other: Calibration) -> Calibration:
        return Calibration(
            self.voxels + other.voxels,
            self.confidence + other.confidence,
            self.correct + other.correct,
            self.squares + other.squares,
        )


def calibration(probabilities: NDArray[Any], truth: NDArray[Any]) -> Calibration:
    """Of one case: probabilities (L, *shape) against the truth (*shape)."""
    classes = len(probabilities)
    flat_p, flat_truth = np.asarray(probabilities).reshape(classes, -1), np.asarray(truth).reshape(-1)
    parts = (calibration_of(flat_p[:, part], flat_truth[part]) for part in chunks(flat_truth.size))
    return sum(parts, NOTHING)


def calibration_of(probabilities: NDArray[Any], truth: NDArray[Any]) -> Calibration:
    """Of few voxels: probabilities (L, n) against the truth (n,)."""
    p = probabilities.astype(np.float64)
    surest = p.max(axis=0)
    bins = np.clip((surest * BINS).astype(np.int64), 0, BINS - 1)
    voxels = np.bincount(bins, minlength=BINS)
    confidence: Any = np.bincount(bins, weights=surest, minlength=BINS)
    correct: Any = np.bincount(bins, weights=p.argmax(axis=0) == truth, minlength=BINS)
    p[truth, np.arange(truth.size)] -= 1
    return Calibration(voxels, np.asarray(confidence), np.asarray(correct), float((p**2).sum()))


NOTHING = Calibration(np.zeros(BINS, dtype=np.int64), np.zeros(BINS), np.zeros(BINS), 0.0)
"""Of no voxels: where sums begin."""
