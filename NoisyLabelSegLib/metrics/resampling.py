"""Intervals and tests where cases of one patient belong together: cluster bootstrap, paired test, Holm's correction."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from NoisyLabelSegLib.metrics.reliability import Bounded

Floats = NDArray[np.float64]
_AT_ONCE = 50


class ClusterBootstrap:
    """95 % percentile intervals by drawing whole clusters (patients) with replacement.

    clusters: to which cluster each of the n cases belongs. With fewer than two clusters there is no interval.
    The same draws are used for every figure, so that one more figure changes none of the others.

    Examples
    --------
    >>> bootstrap = ClusterBootstrap(["p1", "p1", "p2", "p3"], resamples=200)
    >>> bootstrap.mean([0.8, 0.8, 0.9, 1.0]).value
    0.875
    """

    def __init__(self, clusters: Sequence[Hashable], *, resamples: int = 2000, seed: int = 0) -> None:
        order = {cluster: place for place, cluster in enumerate(dict.fromkeys(clusters))}
        self.places = np.array([order[cluster] for cluster in clusters], dtype=np.intp)
        self.count = len(order)
        self._resamples, self._seed = resamples, seed

    def mean(self, values: ArrayLike) -> Bounded:
        """The mean over the cases (n,) whose value is not NaN."""
        values = np.asarray(values, dtype=np.float64)
        known = np.isfinite(values)
        return self.ratio(np.where(known, values, 0.0), known)

    def ratio(self, numerators: ArrayLike, denominators: ArrayLike) -> Bounded:
        """The sum of the numerators (n,) over the sum of the denominators (n,); NaN where the latter is zero."""
        top, bottom = (
            np.bincount(self.places, weights=np.asarray(part, dtype=np.float64), minlength=self.count)
            for part in (numerators, denominators)
        )
        if not bottom.sum() > 0:
            return Bounded(math.nan)
        value = float(top.sum() / bottom.sum())
        if (bottom > 0).sum() < 2:
            return Bounded(value)
        sums = np.stack([top, bottom], axis=1)
        tops, bottoms = np.concatenate([part.astype(np.float64) @ sums for part in self._weights]).T
        drawn = bottoms > 0
        return Bounded(value, *_percentiles(tops[drawn] / bottoms[drawn]))

    def interval(self, statistic: Callable[[NDArray[np.intp]], float]) -> tuple[float, float]:
        """The interval of a statistic of case indices; draws for which it is NaN are left out."""
        if self.count < 2:
            return math.nan, math.nan
        members = [np.flatnonzero(self.places == cluster) for cluster in range(self.count)]
        drawn = (np.concatenate([members[cluster] for cluster in draw]) for block in self._draws() for draw in block)
        found = np.array([statistic(cases) for cases in drawn], dtype=np.float64)
        found = found[np.isfinite(found)]
        return _percentiles(found) if found.size > self._resamples // 2 else (math.nan, math.nan)

    def _draws(self) -> Iterator[NDArray[np.intp]]:
        """The drawn clusters, a row per resample, a few rows at a time: with many clusters all would take gigabytes."""
        generator = np.random.default_rng(self._seed)
        for start in range(0, self._resamples, _AT_ONCE):
            rows = min(_AT_ONCE, self._resamples - start)
            yield np.asarray(generator.integers(0, self.count, (rows, self.count)))

    @cached_property
    def _weights(self) -> list[NDArray[np.uint16]]:
        """How often each cluster was drawn, (rows, clusters) for each block of draws."""
        return [
            np.stack([np.bincount(draw, minlength=self.count) for draw in block]).astype(np.uint16)
            for block in self._draws()
        ]


def _percentiles(values: Floats) -> tuple[float, float]:
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def paired_p_value(differences: ArrayLike, clusters: Sequence[Hashable]) -> float:
    """The two-sided p-value of Wilcoxon's signed-rank test that differences are centered at zero.

    Parameters
    ----------
    differences
        (n,) one difference per case, NaN where there is none.
    clusters
        To which cluster (patient) each case belongs; the mean difference of each cluster is what is tested.

    Returns
    -------
    float
        1 where all differences are zero, NaN with fewer than two clusters.

    Examples
    --------
    >>> paired_p_value([1, 2, 3, 4, 5, 6], "abcdef")
    0.03125
    """
    from scipy import stats

    groups: dict[Hashable, list[float]] = {}
    for value, cluster in zip(np.asarray(differences, dtype=np.float64).tolist(), clusters, strict=True):
        if math.isfinite(value):
            groups.setdefault(cluster, []).append(value)
    means = np.array([np.mean(values) for values in groups.values()])
    if means.size < 2:
        return math.nan
    return float(stats.wilcoxon(means).pvalue) if means.any() else 1.0


def holm(p_values: ArrayLike) -> Floats:
    """Holm's (1979) correction for several tests: adjusted p-values (n,), which hold for any dependence between them.

    NaN stays NaN and does not count as a test.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p_values, dtype=np.float64)
    adjusted: Any = np.full(values.shape, np.nan)
    known = np.flatnonzero(np.isfinite(values))
    order = known[np.argsort(values[known], kind="stable")]
    factors = np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(values[order] * factors), 1.0)
    return np.asarray(adjusted)
