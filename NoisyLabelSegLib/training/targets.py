"""What a plain segmentation network learns from: labels fused beforehand, or the truth. The baselines of the paper."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.fusion import fuse


def target_of(
    target: str, labels: NDArray[np.int16], truth: NDArray[np.int16], classes: int
) -> NDArray[np.float32] | None:
    """Probabilities (L, *shape) float32 to learn; None for the coupled networks, which learn from `labels` themselves.

    labels: (R, *shape) int16, negative for an annotator who did not label; truth: (*shape) int16.
    """
    if target == "coupled":
        return None
    if target == "truth":
        return _one_hot(truth, classes)
    given = [row.astype(np.uint8) for row in labels if row.flat[0] >= 0]
    fusion = fuse(given, method=target, classes=classes)
    if target == "mean":
        return np.asarray(fusion.probabilities, dtype=np.float32)
    return _one_hot(fusion.labels, classes)


def _one_hot(labels: NDArray[np.integer], classes: int) -> NDArray[np.float32]:
    numbers = np.arange(classes).reshape(-1, *[1] * labels.ndim)
    hot: NDArray[np.float32] = np.equal(numbers, labels).astype(np.float32)
    return hot
