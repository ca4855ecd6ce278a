"""Chance-corrected agreement on classes: Cohen's and Fleiss' kappa and Krippendorff's alpha for nominal data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.metrics.overlap import chunks, class_count

MISSING = -1
"""The value of a unit that a rater did not rate."""


def cohen_kappa(counts: NDArray[Any]) -> float:
    """Cohen's kappa of two raters from their joint counts.

    Parameters
    ----------
    counts
        (L, L): entry i, j counts the units that the first rater calls i and the second j, as `joint_counts` returns.

    Returns
    -------
    float
        1 for perfect agreement, 0 for agreement by chance; NaN where both raters used one and the same class only.

    Examples
    --------
    >>> round(cohen_kappa(np.array([[20, 5], [10, 15]])), 6)
    0.4
    """
    table = np.asarray(counts, dtype=np.float64)
    total = table.sum()
    if not total:
        return math.nan
    observed = np.trace(table) / total
    expected = float(table.sum(axis=0) @ table.sum(axis=1)) / total**2
    return float((observed - expected) / (1 - expected)) if expected < 1 else math.nan


@dataclass(frozen=True)
class RatingSums:
    """What Fleiss' kappa and Krippendorff's alpha need to know about the units that several raters rated.

    `units` counts the units with two ratings or more and `complete` those that all `raters` rated; `tallies` (L,) are
    the ratings of each class and `complete_tallies` those in complete units; `disagreements` sums, over units with m
    ratings, the ordered pairs of different ratings divided by m - 1, `complete_disagreements` over complete units.
    """

    raters: int
    units: int
    complete: int
    tallies: NDArray[np.float64]
    complete_tallies: NDArray[np.float64]
    disagreements: float
    complete_disagreements: float

    def with_agreed_background(self, units: int) -> RatingSums:
        """The sums with that many more units that every rater calls class 0."""
        more = np.zeros_like(self.tallies)
        more[0] = units * self.raters
        return replace(
            self,
            units=self.units + units,
            complete=self.complete + units,
            tallies=self.tallies + more,
            complete_tallies=self.complete_tallies + more,
        )

    @property
    def fleiss_kappa(self) -> float:
        """Over the units that every rater rated; NaN where all ratings are of one class, or with one rater."""
        if self.raters < 2 or not self.complete:
            return math.nan
        observed = 1 - self.complete_disagreements / (self.raters * self.complete)
        expected = float(np.square(self.complete_tallies / self.complete_tallies.sum()).sum())
        return (observed - expected) / (1 - expected) if expected < 1 else math.nan

    @property
    def krippendorff_alpha(self) -> float:
        """Over the units with two ratings or more; NaN where all ratings are of one class."""
        total = self.tallies.sum()
        expected = (total**2 - float(np.square(self.tallies).sum())) / (total - 1) if total > 1 else 0.0
        return float(1 - self.disagreements / expected) if expected > 0 else math.nan


def rating_sums(ratings: Sequence[NDArray[Any]] | NDArray[Any], classes: int | None = None) -> RatingSums:
    """Sums over units of ratings by R raters.

    Parameters
    ----------
    ratings
        R arrays of the same shape with whole numbers from 0 to L - 1, `MISSING` (-1) where a unit was not rated.
    classes
        L; None for the largest rating plus one, at least 2.

    Returns
    -------
    RatingSums
        `fleiss_kappa` and `krippendorff_alpha` are its properties.

    Examples
    --------
    >>> sums = rating_sums([np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0])])
    >>> round(sums.fleiss_kappa, 6), round(sums.krippendorff_alpha, 6)
    (0.466667, 0.533333)
    """
    arrays = [np.asarray(array).reshape(-1) for array in ratings]
    classes = classes or class_count(*arrays)
    units = complete_units = 0
    tallies, complete_tallies = np.zeros((2, classes))
    disagreements = complete_disagreements = 0.0
    for part in chunks(arrays[0].size if arrays else 0):
        given = np.zeros(part.stop - part.start, dtype=np.int64)
        squares, counts = np.zeros_like(given), []
        for label in range(classes):
            count = np.asarray(np.sum([array[part] == label for array in arrays], axis=0, dtype=np.int64))
            given += count
            squares += count**2
            counts.append(count)
        several, complete = given > 1, given == len(arrays)
        different = np.where(several, (given**2 - squares) / np.maximum(given - 1, 1), 0.0)
        units, complete_units = units + int(several.sum()), complete_units + int(complete.sum())
        tallies += [count[several].sum() for count in counts]
        complete_tallies += [count[complete].sum() for count in counts]
        disagreements += float(different.sum())
        complete_disagreements += float(different[complete].sum())
    return RatingSums(
        raters=len(arrays),
        units=units,
        complete=complete_units,
        tallies=tallies,
        complete_tallies=complete_tallies,
        disagreements=disagreements,
        complete_disagreements=complete_disagreements,
    )
