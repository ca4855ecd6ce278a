"""One annotator over a whole study: mean, spread, confidence interval and trend of every figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.review.compare.options import ReviewOptions, Units
from NoisyLabelSegLib.review.compare.statistics import FIGURES, AnnotatorStatistics

FEWEST_FOR_A_TREND = 5


@dataclass(frozen=True)
class Summary:
    """Mean, standard deviation and 95 % bootstrap interval of a figure over the `count` cases where it exists."""

    mean: float
    spread: float
    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Trend:
    """The change of a figure from one case to the next (Theil-Sen slope), and how surprising it is (Kendall's p)."""

    slope: float
    p: float


@dataclass(frozen=True)
class AnnotatorSummary:
    """One annotator and class over all their cases, in the order they were drawn.

    `figures` and `trends` are by name; figures that exist in no case are absent, and all trends where the dates of the
    readings are not known. `agreement` is the mean Dice with every other annotator. Objects and volumes (`_ml`) are
    summed over all cases. `fused_from` is the largest number of annotators whose labels a reference was fused from,
    None where a reference is no fusion.
    """

    annotator: str
    label: str
    cases: int
    figures: Mapping[str, Summary]
    trends: Mapping[str, Trend]
    agreement: Mapping[str, float]
    objects: int
    missed_objects: int
    drawn_objects: int
    invented_objects: int
    largest_missed_mm3: float | None
    marked_ml: float
    truth_ml: float
    wrong_class_ml: float
    voxel_mm: float
    units: Units
    fused_from: int | None = None

    def mean(self, figure: str) -> float | None:
        """The mean of a figure, None where it exists in no case."""
        return self.figures[figure].mean if figure in self.figures else None


def summarize(
    rows: Sequence[AnnotatorStatistics], settings: ReviewOptions | None = None, *, dated: bool = True
) -> AnnotatorSummary:
    """Sums up the rows of one annotator and class.

    `dated` says that their order is the order in which the cases were drawn; without dates there are no trends.
    """
    settings = settings or ReviewOptions()
    series = {name: _series(rows, name) for name in FIGURES}
    largest = [row.largest_missed_mm3 for row in rows if row.largest_missed_mm3 is not None]
    return AnnotatorSummary(
        annotator=rows[0].annotator,
        label=rows[0].label,
        cases=len(rows),
        figures={name: _summary(values, settings) for name, (_, values) in series.items() if values.size},
        trends={name: _trend(*pair) for name, pair in series.items() if dated and pair[1].size >= FEWEST_FOR_A_TREND},
        agreement=_mean_agreement(rows),
        objects=sum(row.objects for row in rows),
        missed_objects=sum(row.missed_objects for row in rows),
        drawn_objects=sum(row.drawn_objects for row in rows),
        invented_objects=sum(row.invented_objects for row in rows),
        largest_missed_mm3=max(largest, default=None),
        marked_ml=sum(row.volume_ml for row in rows),
        truth_ml=sum(row.truth_volume_ml for row in rows),
        wrong_class_ml=sum(row.wrong_class_ml for row in rows),
        voxel_mm=float(np.mean([row.voxel_mm for row in rows])),
        units=rows[0].units,
        fused_from=_fused_from(rows),
    )


def _fused_from(rows: Sequence[AnnotatorStatistics]) -> int | None:
    numbers = [row.fused_from for row in rows]
    return None if None in numbers else max(number for number in numbers if number is not None)


def _series(rows: Sequence[AnnotatorStatistics], name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """The places in the order and the values of a figure, where it exists."""
    found = [(place, value) for place, row in enumerate(rows) if (value := getattr(row, name)) is not None]
    places, values = zip(*found, strict=True) if found else ((), ())
    return np.array(places, dtype=np.float64), np.array(values, dtype=np.float64)


def _summary(values: NDArray[Any], settings: ReviewOptions) -> Summary:
    spread = float(values.std(ddof=1)) if values.size > 1 else 0.0
    random = np.random.default_rng(settings.seed)  # the same for every figure, so that one more figure changes nothing
    means = values[random.integers(0, values.size, (settings.resamples, values.size))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return Summary(float(values.mean()), spread, float(low), float(high), int(values.size))


def _trend(places: NDArray[Any], values: NDArray[Any]) -> Trend:
    from scipy import stats

    if np.ptp(values) == 0:
        return Trend(0.0, 1.0)
    return Trend(float(stats.theilslopes(values, places).slope), float(stats.kendalltau(places, values).pvalue))


def _mean_agreement(rows: Sequence[AnnotatorStatistics]) -> dict[str, float]:
    others = sorted({other for row in rows for other in row.agreement})
    return {other: float(np.mean([row.agreement[other] for row in rows if other in row.agreement])) for other in others}
