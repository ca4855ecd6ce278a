"""Intervals clustered by patient, the paired test and Holm's correction."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pingouin
import pytest

from NoisyLabelSegLib.metrics.resampling import ClusterBootstrap, holm, paired_p_value


def test_the_interval_covers_the_true_mean_about_as_often_as_it_says() -> None:
    """Patients with four alike cases each; an interval over cases as if independent would cover far less often."""
    random = np.random.default_rng(0)
    clustered, naive = 0, 0
    for _ in range(200):
        values = np.repeat(random.normal(0, 1, 30), 4) + random.normal(0, 0.1, 120)
        interval = ClusterBootstrap(np.repeat(np.arange(30), 4).tolist(), resamples=400).mean(values)
        alone = ClusterBootstrap(range(120), resamples=400).mean(values)
        clustered += interval.low < 0 < interval.high
        naive += alone.low < 0 < alone.high
    assert 0.88 < clustered / 200 < 0.99
    assert naive / 200 < 0.8


def test_cases_without_a_value_do_not_count() -> None:
    found = ClusterBootstrap("abc").mean([1.0, math.nan, 3.0])
    assert found.value == 2
    assert (found.low, found.high) == (1, 3)


def test_one_patient_alone_has_no_interval() -> None:
    found = ClusterBootstrap("aaa").mean([1.0, 2.0, 3.0])
    assert found.value == 2
    assert math.isnan(found.low)
    assert math.isnan(ClusterBootstrap("ab").mean([math.nan, math.nan]).value)


def test_a_statistic_of_indices_has_the_same_interval_as_the_ratio() -> None:
    values = np.random.default_rng(2).random(12)
    bootstrap = ClusterBootstrap("aabbccddeeff", resamples=300)
    low, high = bootstrap.interval(lambda places: float(values[places].mean()))
    found = bootstrap.mean(values)
    assert (found.low, found.high) == pytest.approx((low, high))


def test_the_same_seed_gives_the_same_interval() -> None:
    values = np.random.default_rng(2).random(12)
    first, second = (ClusterBootstrap(range(12), seed=4).mean(values) for _ in range(2))
    assert first == second
    assert first != ClusterBootstrap(range(12), seed=5).mean(values)


def test_holm_is_that_of_pingouin() -> None:
    p = [0.011, 0.02, 0.3, 0.8, 0.0004, 0.02]
    assert holm(p) == pytest.approx(pingouin.multicomp(p, method="holm")[1])


def test_a_test_that_could_not_be_made_is_not_counted() -> None:
    found = holm([0.01, math.nan, 0.02])
    assert found[[0, 2]].tolist() == [0.02, 0.02]
    assert math.isnan(found[1])


def test_many_cases_of_one_patient_are_one_observation() -> None:
    assert paired_p_value([1.0] * 50 + [1.1] * 50, ["a"] * 50 + ["b"] * 50) == 0.5
    assert math.isnan(paired_p_value([1.0] * 50, ["a"] * 50))
    assert paired_p_value([0.0, 0.0, 0.0], "abc") == 1


def test_ten_thousand_cases_take_little_memory() -> None:
    tracemalloc.start()
    values = np.random.default_rng(0).random(10_000)
    ClusterBootstrap(range(10_000)).mean(values)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 80e6, f"{peak / 1e6:.0f} MB"


def test_the_intervals_are_those_of_all_draws_at_once() -> None:
    chance = np.random.default_rng(1)
    values, count = chance.random(73), 73
    draws = np.random.default_rng(3).integers(0, count, (170, count))
    found = ClusterBootstrap(range(count), resamples=170, seed=3).mean(values)
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(values[draws].mean(axis=1), [2.5, 97.5])))
