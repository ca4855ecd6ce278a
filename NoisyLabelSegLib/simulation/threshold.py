"""How well the best single intensity threshold does: what a phantom must defeat to be worth learning from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST_LEVELS = 2048


class ThresholdSearch:
    """Cases are added one by one; of each channel only how often every intensity occurs is kept."""

    def __init__(self) -> None:
        self._cases: list[list[_Histogram]] = []

    def add(self, channels: Sequence[NDArray[Any]], truth: NDArray[Any]) -> None:
        """Channels (*shape) and the truth (*shape) of one case; all foreground classes count as one."""
        self._cases.append([_Histogram.of(channel, truth > 0) for channel in channels])

    def best_dice(self) -> float:
        """The highest mean Dice that one threshold on one channel, above or below it, reaches over all cases."""
        return max(_best([case[channel] for case in self._cases]) for channel in range(len(self._cases[0])))

    def best_dice_per_case(self) -> float:
        """The same with the best threshold of every case, chosen with its truth in view: an upper bound."""
        return float(np.mean([max(_best([channel]) for channel in case) for case in self._cases]))


@dataclass(frozen=True)
class _Histogram:
    """Intensities in rising order and how many voxels, and how many of the truth, lie at or below each."""

    levels: NDArray[Any]
    voxels: NDArray[np.int64]
    true: NDArray[np.int64]

    @classmethod
    def of(cls, channel: NDArray[Any], inside: NDArray[np.bool_]) -> _Histogram:
        levels, place = np.unique(channel, return_inverse=True)
        place = place.reshape(-1)
        voxels = np.bincount(place, minlength=levels.size)
        true = np.bincount(place[inside.reshape(-1)], minlength=levels.size)
        return cls(levels, np.cumsum(voxels), np.cumsum(true))

    def dice(self, thresholds: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The Dice of what is above each threshold, and of what is at or below it."""
        place = np.searchsorted(self.levels, thresholds, side="right")
        voxels, true = np.append(0, self.voxels)[place], np.append(0, self.true)[place]
        size = self.true[-1]
        return _dice(size - true, self.voxels[-1] - voxels, size), _dice(true, voxels, size)


def _best(cases: list[_Histogram]) -> float:
    thresholds = np.unique(np.concatenate([case.levels for case in cases]))
    if thresholds.size > _MOST_LEVELS:
        thresholds = thresholds[np.linspace(0, thresholds.size - 1, _MOST_LEVELS).astype(int)]
    return float(np.mean([case.dice(thresholds) for case in cases], axis=0).max())


def _dice(hit: NDArray[Any], chosen: NDArray[Any], size: int) -> NDArray[np.float64]:
    return np.where(chosen + size > 0, 2 * hit / np.maximum(chosen + size, 1), 1.0)
