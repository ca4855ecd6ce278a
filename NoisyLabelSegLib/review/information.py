"""How unsure the truth is, and how much one more label would tell about it, in bits per voxel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

Bits = NDArray[np.float64]


def entropy(probabilities: NDArray[Any]) -> Bits:
    """The doubt (*shape) about a class with probabilities (L, *shape): 0 when certain, log2 L when anything goes."""
    return np.asarray(-xlogy(probabilities, probabilities).sum(axis=0) / np.log(2))


def information(probabilities: NDArray[Any], confusion: NDArray[Any]) -> Bits:
    """The mutual information (*shape) of the truth (L, *shape) and the label that an annotator would give.

    `confusion` (L, L) is the annotator's, columns summing to one: the entropy of the label less the entropy that is
    the annotator's own noise. Never more than the entropy of the truth, and 0 for one who always says the same.
    """
    said = np.tensordot(confusion, probabilities, axes=1)
    noise = np.tensordot(entropy(confusion), probabilities, axes=1)
    return np.maximum(entropy(said) - noise, 0.0)
