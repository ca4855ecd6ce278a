"""Where readers agree, voxel by voxel: how many of them marked it, and the entropy of their labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def marked_counts(labels: Sequence[NDArray[Any]], label: int | None = None) -> NDArray[np.uint8]:
    """How many readers marked each voxel, (*shape) uint8: with this class, or with any class but background.

    Parameters
    ----------
    labels
        One array (*shape) per reader; 0 is background.
    label
        The class that is counted; None counts every class but background.

    Examples
    --------
    >>> marked_counts([np.array([0, 1, 2]), np.array([0, 1, 1])]).tolist()
    [0, 2, 2]
    >>> marked_counts([np.array([0, 1, 2]), np.array([0, 1, 1])], label=1).tolist()
    [0, 2, 1]
    """
    counts = np.zeros(np.shape(labels[0]), dtype=np.uint8)
    for array in labels:
        counts += (array != 0) if label is None else (array == label)
    return counts


def label_entropy(labels: Sequence[NDArray[Any]], classes: int) -> NDArray[np.float32]:
    """The entropy of the readers' labels in bits, (*shape) float32: 0 where all agree, 1 where two halves differ.

    It is the Shannon entropy of the shares of the readers who gave a voxel each class (background is one of them), so
    at most log2(classes).

    Examples
    --------
    >>> label_entropy([np.array([0, 1]), np.array([0, 0])], classes=2).tolist()
    [0.0, 1.0]
    """
    return entropy_of(lambda few: [array[few] for array in labels], classes)(slice(None))


def entropy_of(
    labels: Callable[[slice], Sequence[NDArray[Any]]], classes: int
) -> Callable[[slice], NDArray[np.float32]]:
    """label_entropy() of some slices at a time, for large volumes: `labels` gives all readers' labels of those."""

    def entropy(few: slice) -> NDArray[np.float32]:
        arrays = labels(few)
        bits = _bits_of_counts(len(arrays))
        total = np.zeros(np.shape(arrays[0]), dtype=np.float32)
        for label in range(classes):
            count = np.zeros(total.shape, dtype=np.uint8)
            for array in arrays:
                count += array == label
            total += bits[count]
        return total

    return entropy


def _bits_of_counts(readers: int) -> NDArray[np.float32]:
    """-p log2 p of the shares 0/readers to readers/readers."""
    shares = np.arange(readers + 1) / readers
    return np.asarray(-shares * np.log2(np.where(shares > 0, shares, 1)) + 0.0, dtype=np.float32)
