"""Mean, spread and bootstrap interval of a figure over cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2000


@dataclass(frozen=True)
class Summary:
    """Mean, standard deviation and 95 % bootstrap interval of a figure over the `count` cases where it exists."""

    mean: float
    spread: float
    low: float
    high: float
    count: int


def summary_of(values: NDArray[Any], *, resamples: int = RESAMPLES, seed: int = 0) -> Summary:
    """Sums up a figure's values (cases,), at least one; the cases are drawn anew `resamples` times.

    The seed is the same for every figure, so that one more figure changes nothing.
    """
    spread = float(values.std(ddof=1)) if values.size > 1 else 0.0
    random = np.random.default_rng(seed)
    means = values[random.integers(0, values.size, (resamples, values.size))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return Summary(float(values.mean()), spread, float(low), float(high), int(values.size))
