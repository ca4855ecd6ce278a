"""Reliability of one measurement per case and reader: ICC, Bland-Altman, limits of agreement with the mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtri, stdtrit

LIMIT = 1.959963984540054
"""95 % of a normal distribution lie within this many standard deviations of its mean."""


@dataclass(frozen=True)
class Bounded:
    """A figure with the ends of its 95 % interval; NaN where one does not exist."""

    value: float
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class MeanSquares:
    """The two-way analysis of variance of n cases by k readers without replication."""

    cases: int
    readers: int
    between_cases: float
    between_readers: float
    residual: float

    @classmethod
    def of(cls, values: NDArray[Any]) -> MeanSquares:
        """`values` (n, k) without NaN, n and k at least 2."""
        table = np.asarray(values, dtype=np.float64)
        n, k = table.shape
        rows, columns, mean = table.mean(axis=1), table.mean(axis=0), table.mean()
        residual = table - rows[:, None] - columns[None] + mean
        return cls(
            cases=n,
            readers=k,
            between_cases=float(k * np.square(rows - mean).sum() / (n - 1)),
            between_readers=float(n * np.square(columns - mean).sum() / (k - 1)),
            residual=float(np.square(residual).sum() / ((n - 1) * (k - 1))),
        )


@dataclass(frozen=True)
class Icc:
    """Intraclass correlations of a single reader: ICC(2,1) absolute agreement, ICC(3,1) consistency."""

    icc_2_1: Bounded
    icc_3_1: Bounded


def icc(values: NDArray[Any]) -> Icc:
    """Intraclass correlation of a measurement that k readers made on the same n cases.

    Parameters
    ----------
    values
        (n, k) without NaN.

    Returns
    -------
    Icc
        ICC(2,1) (two-way random effects, absolute agreement, single reader) and ICC(3,1) (two-way mixed effects,
        consistency, single reader) of Shrout and Fleiss, with the intervals of McGraw and Wong (1996). NaN with fewer
        than two cases or readers, and where nothing varies.

    Examples
    --------
    >>> found = icc(np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]))
    >>> round(found.icc_2_1.value, 2), round(found.icc_3_1.value, 2)
    (0.29, 0.71)
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or min(table.shape) < 2 or np.ptp(table) == 0:
        return Icc(Bounded(math.nan), Bounded(math.nan))
    squares = MeanSquares.of(table)
    if squares.residual <= 1e-12 * (squares.between_cases + squares.between_readers):
        return _icc_without_residual(squares)
    return Icc(_absolute(squares), _consistent(squares))


def _icc_without_residual(squares: MeanSquares) -> Icc:
    """Readers who differ by constants only: their intervals have no width that the cases could tell."""
    n, k = squares.cases, squares.readers
    whole = squares.between_cases + k / n * squares.between_readers
    value = squares.between_cases / whole
    consistent = 1.0 if squares.between_cases > 0 else math.nan
    exact = value > 1 - 1e-12
    absolute = Bounded(1.0, 1.0, 1.0) if exact else Bounded(value)
    return Icc(absolute, Bounded(consistent, consistent, consistent))


def _absolute(squares: MeanSquares) -> Bounded:
    n, k = squares.cases, squares.readers
    cases, readers, residual = squares.between_cases, squares.between_readers, squares.residual
    value = _ratio(cases - residual, cases + (k - 1) * residual + k / n * (readers - residual))
    if not math.isfinite(value):
        return Bounded(math.nan)
    ratio = readers / residual
    weight = n * (1 + (k - 1) * value) - k * value
    degrees = (k - 1) * (n - 1) * (k * value * ratio + weight) ** 2 / ((n - 1) * (k * value * ratio) ** 2 + weight**2)
    upper, lower = fdtri(n - 1, degrees, 0.975), fdtri(degrees, n - 1, 0.975)
    rest = k * readers + (k * n - k - n) * residual
    low = _ratio(n * (cases / upper - residual), rest + n * cases / upper)  # the quantiles may be infinite
    high = _ratio(n * (cases - residual / lower), rest / lower + n * cases)
    return Bounded(value, low, high)


def _ratio(part: float, whole: float) -> float:
    """NaN where the whole is zero."""
    return float(part / whole) if abs(whole) > 0 else math.nan


def _consistent(squares: MeanSquares) -> Bounded:
    n, k = squares.cases, squares.readers
    ratio = squares.between_cases / squares.residual
    first, second = n - 1, (n - 1) * (k - 1)
    low = ratio / fdtri(first, second, 0.975)
    high = ratio * fdtri(second, first, 0.975)
    return Bounded((ratio - 1) / (ratio + k - 1), float((low - 1) / (low + k - 1)), float((high - 1) / (high + k - 1)))


def loam(values: NDArray[Any]) -> float:
    """Limits of agreement with the mean of several readers, after Jones (2011) and Christensen (2020).

    Parameters
    ----------
    values
        (n, k) measurements of n cases by k readers, without NaN.

    Returns
    -------
    float
        The half width: 95 % of single readings lie within plus or minus this of the mean of all k readers on the case,
        1.96 sqrt((k - 1) / k (reader variance + residual variance)); NaN without a case or with fewer than two readers.

    Examples
    --------
    >>> round(loam(np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]])), 4)
    1.6003
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 1 or table.shape[1] < 2:
        return math.nan
    return float(LIMIT * np.sqrt(np.square(table - table.mean(axis=1, keepdims=True)).mean()))


@dataclass(frozen=True)
class BlandAltman:
    """`bias` is the mean difference; 95 % of differences lie between `lower` and `upper`; each with its interval."""

    cases: int
    bias: Bounded
    spread: float
    lower: Bounded
    upper: Bounded


def bland_altman(differences: Sequence[float] | NDArray[Any]) -> BlandAltman:
    """Bland and Altman's (1999) limits of agreement of the differences between two readers, second minus first.

    Parameters
    ----------
    differences
        (n,) differences, NaN where a reader is missing. Intervals use Student's t and the approximate standard error of
        a limit, and need at least two cases.

    Examples
    --------
    >>> found = bland_altman([1.0, -1.0, 2.0, 0.0])
    >>> round(found.bias.value, 3), round(found.lower.value, 3), round(found.upper.value, 3)
    (0.5, -2.03, 3.03)
    """
    known = np.asarray(differences, dtype=np.float64)
    known = known[np.isfinite(known)]
    n = known.size
    if n < 2:
        bias = Bounded(float(known[0]) if n else math.nan)
        return BlandAltman(n, bias, math.nan, Bounded(math.nan), Bounded(math.nan))
    mean, spread = float(known.mean()), float(known.std(ddof=1))
    quantile = float(stdtrit(n - 1, 0.975))
    bias_error = quantile * spread / math.sqrt(n)
    limit_error = quantile * spread * math.sqrt(1 / n + LIMIT**2 / (2 * (n - 1)))

    def limit(value: float) -> Bounded:
        return Bounded(value, value - limit_error, value + limit_error)

    bias = Bounded(mean, mean - bias_error, mean + bias_error)
    return BlandAltman(n, bias, spread, limit(mean - LIMIT * spread), limit(mean + LIMIT * spread))


def repeatability(readings: Sequence[Sequence[float]]) -> float:
    """The repeatability coefficient: 95 % of differences between two readings of a case by one reader are below it.

    Parameters
    ----------
    readings
        For each case the two or more measurements of the same reader; cases with one measurement are left out.

    Returns
    -------
    float
        1.96 sqrt(2) times the within-case standard deviation; NaN without a repeated case.

    Examples
    --------
    >>> round(repeatability([[1.0, 3.0], [4.0, 4.0]]), 4)
    2.7718
    """
    squares, freedom = 0.0, 0
    for values in readings:
        if len(values) > 1:
            squares += float(np.var(values, ddof=1)) * (len(values) - 1)
            freedom += len(values) - 1
    return LIMIT * math.sqrt(2 * squares / freedom) if freedom else math.nan
