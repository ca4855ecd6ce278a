"""Paired differences on the same held-out cases, with intervals corrected for the number of rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 20_000
ERROR_RATE = 0.05


@dataclass(frozen=True)
class Paired:
    """A mean difference and its interval; `word` says what follows from it."""

    mean: float
    low: float
    high: float

    @property
    def word(self) -> str:
        """ahead, behind, or level where the interval contains 0."""
        if self.low > 0:
            return "ahead"
        return "behind" if self.high < 0 else "level"

    def text(self) -> str:
        return f"{self.mean:+.3f} ({self.low:+.3f} to {self.high:+.3f})"


def comparison(differences: Sequence[NDArray[np.float64]], *, rows: int) -> Paired:
    """The mean over trainings of the differences of their cases, with an interval from resampling in two stages.

    differences: of each training (a study of its own) those of its cases. Trainings are drawn with replacement, then
    cases within each; the quantiles leave ERROR_RATE / rows outside (Bonferroni), so that with few trainings the
    interval reaches over the one that differs most.
    """
    rng = np.random.default_rng(0)
    count = len(differences)
    means = np.stack([_resampled(each, rng) for each in differences])
    chosen = rng.integers(count, size=(count, RESAMPLES))
    # a training that is drawn twice has its cases drawn anew
    shuffled = np.stack([rng.permuted(means, axis=1)[row, np.arange(RESAMPLES)] for row in chosen])
    low, high = np.quantile(shuffled.mean(axis=0), [ERROR_RATE / rows / 2, 1 - ERROR_RATE / rows / 2])
    return Paired(float(np.mean([np.mean(each) for each in differences])), float(low), float(high))


def _resampled(values: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Means of as many values drawn with replacement, RESAMPLES times."""
    values = np.asarray(values, dtype=np.float64)
    return np.asarray(values[rng.integers(len(values), size=(RESAMPLES, len(values)))].mean(axis=1))
