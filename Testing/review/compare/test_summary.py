"""Over a study: mean, spread, interval and trend."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.review import AnnotatorStatistics, ReviewOptions, summarize


def row(case: str, dice: float, bias: float | None = None, **changes: object) -> AnnotatorStatistics:
    values: dict[str, object] = {
        **dict.fromkeys(AnnotatorStatistics.__dataclass_fields__, 0.0),
        "case": case,
        "annotator": "r",
        "label": "lesion",
        "dice": dice,
        "boundary_bias_mm": bias,
        "voxel_mm": 1.0,
        "sensitivity": None,
        "largest_missed_mm3": None,
        "agreement": {},
        "objects": 2,
        "missed_objects": 1,
    }
    del values["units"]
    return AnnotatorStatistics(**{**values, **changes})  # type: ignore[arg-type]


def test_mean_and_spread_by_hand_and_an_interval_around_the_mean() -> None:
    summary = summarize([row(str(n), dice) for n, dice in enumerate((0.5, 0.7, 0.9))])
    figure = summary.figures["dice"]
    assert (figure.mean, figure.spread, figure.count) == (pytest.approx(0.7), pytest.approx(0.2), 3)
    assert 0.5 <= figure.low < 0.7 < figure.high <= 0.9
    assert (summary.cases, summary.objects, summary.missed_objects) == (3, 6, 3)


def test_the_bootstrap_interval_covers_the_mean_as_often_as_it_says() -> None:
    hits = 0
    for seed in range(100):
        values = np.random.default_rng(seed).normal(0.8, 0.1, 30)
        figure = summarize([row(str(n), v) for n, v in enumerate(values)], ReviewOptions(resamples=300)).figures["dice"]
        hits += figure.low <= 0.8 <= figure.high
    assert 0.88 <= hits / 100 <= 0.99


def test_a_figure_counts_only_the_cases_where_it_exists() -> None:
    summary = summarize([row("a", 1, 2.0), row("b", 1, None), row("c", 1, 4.0)])
    assert (summary.mean("boundary_bias_mm"), summary.figures["boundary_bias_mm"].count) == (3.0, 2)
    assert summary.mean("sensitivity") is None


def test_the_same_seed_gives_the_same_interval() -> None:
    rows = [row(str(n), value) for n, value in enumerate(np.random.default_rng(0).random(8))]
    assert summarize(rows) == summarize(rows)
    assert summarize(rows, ReviewOptions(seed=1)) != summarize(rows)


def test_a_steady_rise_is_a_trend_and_a_constant_is_none() -> None:
    rising = summarize([row(str(n), 0.5 + 0.02 * n) for n in range(10)]).trends["dice"]
    assert rising.slope == pytest.approx(0.02)
    assert rising.p < 0.001
    flat = summarize([row(str(n), 0.5) for n in range(10)]).trends["dice"]
    assert (flat.slope, flat.p) == (0, 1)


def test_few_cases_have_no_trend() -> None:
    assert summarize([row(str(n), n / 10) for n in range(4)]).trends == {}


def test_agreement_is_averaged_over_the_cases_both_labeled() -> None:
    rows = [row("a", 1, agreement={"x": 0.5, "y": 1.0}), row("b", 1, agreement={"x": 0.7})]
    assert summarize(rows).agreement == {"x": pytest.approx(0.6), "y": 1.0}
