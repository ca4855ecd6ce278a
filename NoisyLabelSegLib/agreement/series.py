"""Comparisons of many cases as figures with intervals: of a pair, of a reader against a consensus, within a reader."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from NoisyLabelSegLib.agreement.case import Comparison
from NoisyLabelSegLib.metrics.detection import Detection
from NoisyLabelSegLib.metrics.reliability import Bounded
from NoisyLabelSegLib.metrics.resampling import ClusterBootstrap

MEASURES = ("dice", "surface_dice", "hd95", "assd")
"""Figures of a comparison that are averaged over cases."""


def of_class(comparisons: Sequence[Comparison], label: int | None) -> Comparison:
    """The comparison of one foreground class (from 1), or for None the mean over classes with all objects together."""
    if label is not None:
        return comparisons[label - 1]
    if len(comparisons) == 1:
        return comparisons[0]
    means = {name: mean([getattr(item, name) for item in comparisons]) for name in MEASURES}
    return Comparison(
        **means,
        difference=sum(item.difference for item in comparisons),
        empty=max(item.empty for item in comparisons),
        objects=sum((item.objects for item in comparisons), Detection()),
    )


def mean(values: Sequence[float]) -> float:
    """Of the values that are not NaN; NaN where there is none."""
    known = [value for value in values if math.isfinite(value)]
    return float(np.mean(known)) if known else math.nan


def number(value: float) -> float | None:
    """As JSON has it: None where it does not exist."""
    return float(value) if math.isfinite(value) else None


def bounded(figure: Bounded) -> dict[str, float | None]:
    """As JSON has it: the value and the ends of its interval."""
    return {"value": number(figure.value), "low": number(figure.low), "high": number(figure.high)}


def flat(name: str, figure: Bounded) -> dict[str, float | None]:
    """Three keys of a table's row: NAME, NAME_low and NAME_high."""
    return {name: number(figure.value), f"{name}_low": number(figure.low), f"{name}_high": number(figure.high)}


def figures(series: Sequence[Sequence[Comparison]], bootstrap: ClusterBootstrap) -> dict[str, Any]:
    """The figures of one row; `series` has the comparisons of each case, which may be none or several.

    Several comparisons of a case are averaged first, so that the case counts once; objects are counted over all.
    """
    row: dict[str, Any] = {"cases": sum(bool(items) for items in series)}
    for name in MEASURES:
        values = [mean([getattr(item, name) for item in items]) for items in series]
        row |= flat(name, bootstrap.mean(values))
    objects = [sum((item.objects for item in items), Detection()) for items in series]
    weights = [item.weight for item in objects]
    total = sum(objects, Detection())
    row |= {"hits": total.hits, "misses": total.misses, "false_alarms": total.false_alarms}
    row |= flat("f1", bootstrap.ratio([item.hits for item in objects], weights))
    row |= flat("panoptic_quality", bootstrap.ratio([item.overlap for item in objects], weights))
    for name, count in (("one_empty", 1), ("both_empty", 2)):
        row[name] = sum(item.empty == count for items in series for item in items)
    return row
