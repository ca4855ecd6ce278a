"""Chance-corrected agreement against scikit-learn, krippendorff and published examples."""

from __future__ import annotations

import math

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

from NoisyLabelSegLib.metrics import joint_counts
from NoisyLabelSegLib.metrics.kappa import MISSING, cohen_kappa, rating_sums


@pytest.fixture
def ratings() -> np.ndarray:
    """Four raters of 300 units who follow the same hidden class most of the time."""
    random = np.random.default_rng(3)
    hidden = random.integers(0, 3, 300)
    return np.where(random.random((4, 300)) < 0.7, hidden, random.integers(0, 3, (4, 300)))


def test_cohens_kappa_is_that_of_scikit_learn(ratings: np.ndarray) -> None:
    expected = cohen_kappa_score(ratings[0], ratings[1])
    assert cohen_kappa(joint_counts(ratings[0], ratings[1], 3)) == pytest.approx(expected, abs=1e-12)


def test_fleiss_kappa_is_that_of_statsmodels(ratings: np.ndarray) -> None:
    tallies = np.stack([(ratings == label).sum(axis=0) for label in range(3)], axis=1)
    assert rating_sums(ratings).fleiss_kappa == pytest.approx(fleiss_kappa(tallies), abs=1e-12)


def test_fleiss_kappa_of_his_example_is_0_210() -> None:
    tallies = [
        *([0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1]),
        *([7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]),
    ]
    units = np.array([np.repeat(np.arange(5), row) for row in tallies]).T
    assert rating_sums(units).fleiss_kappa == pytest.approx(0.20993, abs=1e-5)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_krippendorffs_alpha_is_that_of_the_package(ratings: np.ndarray, missing: float) -> None:
    gone = np.random.default_rng(5).random(ratings.shape) < missing
    expected = krippendorff.alpha(np.where(gone, np.nan, ratings), level_of_measurement="nominal")
    found = rating_sums(np.where(gone, MISSING, ratings), 3)
    assert found.krippendorff_alpha == pytest.approx(expected, abs=1e-12)


def test_units_that_all_call_background_need_not_be_in_the_arrays(ratings: np.ndarray) -> None:
    padded = np.pad(ratings, ((0, 0), (0, 5000)))
    more, whole = rating_sums(ratings).with_agreed_background(5000), rating_sums(padded)
    assert more.fleiss_kappa == pytest.approx(whole.fleiss_kappa)
    assert more.krippendorff_alpha == pytest.approx(whole.krippendorff_alpha)


def test_more_empty_background_raises_kappa_although_nobody_agrees_better() -> None:
    first, second = np.repeat([1, 1, 0, 0], 25), np.repeat([1, 0, 1, 0], 25)
    near = cohen_kappa(joint_counts(first, second, 2))
    far = cohen_kappa(joint_counts(np.pad(first, (0, 10_000)), np.pad(second, (0, 10_000)), 2))
    assert near == pytest.approx(0)
    assert far == pytest.approx(0.4975, abs=1e-3)


def test_one_class_alone_has_no_kappa() -> None:
    nothing = np.zeros((3, 10), int)
    assert math.isnan(rating_sums(nothing).fleiss_kappa)
    assert math.isnan(rating_sums(nothing).krippendorff_alpha)
    assert math.isnan(cohen_kappa(np.array([[10, 0], [0, 0]])))
    assert math.isnan(cohen_kappa(np.zeros((2, 2))))
    assert math.isnan(rating_sums(np.array([[0, 1]])).fleiss_kappa)
