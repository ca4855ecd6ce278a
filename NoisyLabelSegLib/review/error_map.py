"""Where an annotator differs from the truth, voxel by voxel: seen in a label, or expected from a confusion field."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray


class ErrorCode(IntEnum):
    """The values of an error map."""

    TRUE_NEGATIVE = 0
    TRUE_POSITIVE = 1
    FALSE_NEGATIVE = 2
    FALSE_POSITIVE = 3
    WRONG_CLASS = 4


def error_map(labels: NDArray[Any], truth: NDArray[Any]) -> NDArray[np.uint8]:
    """The ErrorCode (*shape) uint8 of every voxel of labels (*shape) against a truth (*shape), all classes at once."""
    drawn, true = labels != 0, truth != 0
    # 0, 2 (only true), 3 (only drawn) or 5 (both); the last becomes 1 where the classes agree and 4 where they do not
    codes = true.view(np.uint8) * np.uint8(2) + drawn.view(np.uint8) * np.uint8(3)
    both = np.flatnonzero(codes == 5)
    same = np.take(labels, both) == np.take(truth, both)
    np.put(codes, both, np.where(same, ErrorCode.TRUE_POSITIVE, ErrorCode.WRONG_CLASS))
    return np.asarray(codes)


def error_map_of_class(labels: NDArray[Any], truth: NDArray[Any], label: int) -> NDArray[np.uint8]:
    """The error map (*shape) uint8 of one class against all others, so without the code for a wrong class."""
    return error_map(labels == label, truth == label)


def labels_of(probabilities: NDArray[Any]) -> NDArray[np.uint8]:
    """The likeliest class (*shape) uint8 of probabilities (L, *shape); the lower class where two are equal."""
    return np.asarray(np.argmax(probabilities, axis=0), dtype=np.uint8)


def expected_errors(confusion: NDArray[Any], probabilities: NDArray[Any]) -> NDArray[np.float32]:
    """How likely an annotator adds, misses or mistakes at each voxel: (3, *shape) float32 in this order.

    `confusion` is (L, L, *shape), or (L, L) for the same everywhere, with a_ij = p(says i | truth is j);
    `probabilities` (L, *shape) are those of the truth.
    """
    classes = len(probabilities)
    expected = np.zeros((3, *probabilities.shape[1:]), dtype=np.float32)
    for true in range(classes):
        for said in range(classes):
            kind = _kind(said, true)
            if kind is not None:
                expected[kind] += confusion[said, true] * probabilities[true]
    return expected


def _kind(said: int, true: int) -> int | None:
    """The component that this entry of a confusion matrix adds to, or None where it is no error."""
    if said == true:
        return None
    if true == 0:
        return 0
    return 1 if said == 0 else 2
