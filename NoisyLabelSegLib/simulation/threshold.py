"""How well the best single intensity threshold does: what a phantom must defeat to be worth learning from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BINS = 512


class ThresholdSearch:
    """Cases are added one by one; only their histograms are kept."""

    def __init__(self) -> None:
        self._cases: list[list[tuple[NDArray[Any], NDArray[Any]]]] = []

    def add(self, channels: Sequence[NDArray[Any]], truth: NDArray[Any]) -> None:
        """Channels (*shape) and the truth (*shape) of one case; all foreground classes count as one."""
        inside = truth > 0
        self._cases.append([(_sorted_counts(channel), _sorted_counts(channel[inside])) for channel in channels])

    def best_dice(self) -> float:
        """The highest mean Dice that one threshold on one channel, above or below it, reaches over all cases."""
        channels = range(len(self._cases[0]))
        return max(self._best_of_channel([case[channel] for case in self._cases]) for channel in channels)

    def best_dice_per_case(self) -> float:
        """The same with the best threshold of every case, chosen with its truth in view: an upper bound."""
        best = [max(self._best_of_channel([channel]) for channel in case) for case in self._cases]
        return float(np.mean(best))

    def _best_of_channel(self, cases: list[tuple[NDArray[Any], NDArray[Any]]]) -> float:
        levels = np.unique(np.quantile(np.concatenate([everything for everything, _ in cases]), _QUANTILES))
        above, below = np.zeros(levels.size), np.zeros(levels.size)
        for everything, inside in cases:
            chosen = everything.size - np.searchsorted(everything, levels, side="right")
            hit = inside.size - np.searchsorted(inside, levels, side="right")
            above += _dice(hit, chosen, inside.size)
            below += _dice(inside.size - hit, everything.size - chosen, inside.size)
        return float(max(above.max(), below.max()) / len(cases))


_QUANTILES = np.concatenate(
    [np.linspace(0, 1, _BINS), 1 - np.geomspace(1e-5, 0.05, 200), np.geomspace(1e-5, 0.05, 200)]
)
"""Thresholds to try: evenly over the voxels, and closely at both ends, where small structures are."""


def _sorted_counts(values: NDArray[Any]) -> NDArray[Any]:
    return np.sort(values, axis=None)


def _dice(hit: NDArray[Any], chosen: NDArray[Any], true: int) -> NDArray[np.float64]:
    return np.where(chosen + true > 0, 2 * hit / np.maximum(chosen + true, 1), 1.0)
