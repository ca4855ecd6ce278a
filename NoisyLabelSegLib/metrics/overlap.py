"""Joint label counts, and Dice and IoU computed from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
    return dice_of_sizes(*_overlap(counts))


def dice_of_sizes(both: ArrayLike, first: ArrayLike, second: ArrayLike) -> Scores:
    """2 |A and B| / (|A| + |B|) from sizes in voxels (...), whole or expected ones; 1 where both masks are empty."""
    return _ratio(2 * np.asarray(both), np.add(first, second))


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


def _ratio(part: NDArray[Any], whole: NDArray[Any]) -> Scores:
    return np.asarray(np.divide(part, whole, out=np.ones(np.shape(whole)), where=np.asarray(whole > 0)))
