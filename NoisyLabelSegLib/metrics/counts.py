"""Counts of how labels coincide: the one pass over the voxels from which Dice, IoU, GED and consensus follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.errors import UserError

CHUNK = 1 << 14
"""Voxels looked at together: few enough to stay in the processor's cache, many enough to keep numpy busy."""

_MOST_PATTERNS = 1 << 16


def joint_counts(first: NDArray[Any], second: NDArray[Any], classes: int) -> NDArray[np.int64]:
    """(L, L) int64: entry i, j counts the voxels that `first` calls i and `second` calls j; both (*shape) integers."""
    return np.asarray(pairwise_counts([first, second], classes)[0, 1])


def pairwise_counts(labels: Sequence[NDArray[Any]], classes: int) -> NDArray[np.int64]:
    """(K, K, L, L) int64: `joint_counts` of every pair among K label arrays (*shape), equal pairs included."""
    count = len(labels)
    _require_one_shape(labels)
    table = np.zeros((count, count, classes, classes), dtype=np.int64)
    if classes**count <= _MOST_PATTERNS:
        digits, voxels = _patterns(labels, classes)
        for a in range(count):
            for b in range(a, count):
                table[a, b] = _histogram(digits[a] * classes + digits[b], classes, voxels)
    else:
        for a in range(count):
            for b in range(a, count):
                digits, voxels = _patterns([labels[a], labels[b]], classes)
                table[a, b] = _histogram(digits[0] * classes + digits[1], classes, voxels)
    for a in range(count):
        for b in range(a):
            table[a, b] = table[b, a].T
    return table


def chunks(size: int) -> Iterator[slice]:
    """Consecutive slices that cover `size` voxels of flattened arrays."""
    for start in range(0, size, CHUNK):
        yield slice(start, min(start + CHUNK, size))


def _patterns(labels: Sequence[NDArray[Any]], classes: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The combinations of labels that occur, (K, P), and how many voxels show each, (P,): far fewer than voxels."""
    bins = np.zeros(classes ** len(labels), dtype=np.int64)
    flat = [np.asarray(array).reshape(-1) for array in labels]
    for part in chunks(flat[0].size):
        code = flat[0][part].astype(np.int64)
        for array in flat[1:]:
            code *= classes
            code += array[part]
        found = np.bincount(code, minlength=bins.size)
        if found.size > bins.size:
            raise UserError(f"A label is above {classes - 1}, the last of {classes} classes")
        bins += found
    codes = np.flatnonzero(bins)
    powers = classes ** np.arange(len(labels) - 1, -1, -1, dtype=np.int64)
    return codes // powers[:, None] % classes, bins[codes]


def _histogram(codes: NDArray[np.int64], classes: int, voxels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Whole numbers below 2^53 pass through bincount's float weights unharmed."""
    weights = np.bincount(codes, weights=voxels, minlength=classes * classes)
    return weights.astype(np.int64).reshape(classes, classes)


def _require_one_shape(labels: Sequence[NDArray[Any]]) -> None:
    shapes = {np.shape(array) for array in labels}
    if len(shapes) > 1:
        raise UserError(f"Labels of different sizes cannot be compared: {' and '.join(map(str, sorted(shapes)))}")
