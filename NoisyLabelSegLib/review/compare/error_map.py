"""Where an annotator differs from the truth, voxel by voxel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.metrics.runs import row_slabs


class ErrorCode(IntEnum):
    """The values of an error map."""

    TRUE_NEGATIVE = 0
    TRUE_POSITIVE = 1
    FALSE_NEGATIVE = 2
    FALSE_POSITIVE = 3
    WRONG_CLASS = 4


def error_map(labels: NDArray[Any], truth: NDArray[Any]) -> NDArray[np.uint8]:
    """The ErrorCode (*shape) uint8 of every voxel of labels (*shape) against a truth (*shape), all classes at once."""
    codes = np.empty(labels.shape, dtype=np.uint8)
    for rows in row_slabs(labels.shape):
        codes[rows] = _codes(labels[rows], truth[rows])
    return codes


def error_map_of_class(labels: NDArray[Any], truth: NDArray[Any], label: int) -> NDArray[np.uint8]:
    """The error map (*shape) uint8 of one class against all others, so without the code for a wrong class."""
    codes = np.empty(labels.shape, dtype=np.uint8)
    for rows in row_slabs(labels.shape):
        codes[rows] = _codes(labels[rows] == label, truth[rows] == label)
    return codes


class ErrorMaps(Mapping[str, NDArray[np.uint8]]):
    """Everybody's error map (*shape), made when it is asked for and not kept: each is as large as the labels."""

    def __init__(self, labels: Mapping[str, NDArray[Any]], truth: NDArray[Any]) -> None:
        self._labels, self._truth = labels, truth

    def __getitem__(self, annotator: str) -> NDArray[np.uint8]:
        return error_map(self._labels[annotator], self._truth)

    def __iter__(self) -> Iterator[str]:
        return iter(self._labels)

    def __len__(self) -> int:
        return len(self._labels)


def _codes(labels: NDArray[Any], truth: NDArray[Any]) -> NDArray[np.uint8]:
    drawn, true = labels != 0, truth != 0
    # 0, 2 (only true), 3 (only drawn) or 5 (both); the last becomes 1 where the classes agree and 4 where they do not
    codes = true.view(np.uint8) * np.uint8(2) + drawn.view(np.uint8) * np.uint8(3)
    both = np.flatnonzero(codes == 5)
    same = np.take(labels, both) == np.take(truth, both)
    np.put(codes, both, np.where(same, ErrorCode.TRUE_POSITIVE, ErrorCode.WRONG_CLASS))
    return np.asarray(codes)
