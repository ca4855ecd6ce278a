from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from NoisyLabelSegLib.metrics import consensus, correlation, ged

SMALL_LABELS = npst.arrays(np.uint8, st.tuples(st.integers(1, 4), st.just(2), st.just(3)), elements=st.integers(0, 2))


def test_ged_of_hand_counted_labels():
    """Predicted {a}, real {a, b}, Dice(a, b) = 1/2: 2 * (0 + 1/2) / 2 - 0 - (0 + 1/2 + 1/2 + 0) / 4 = 1/4."""
    a, b = np.array([1, 1, 0, 0]), np.array([0, 1, 1, 0])
    assert ged([a], [a, b]) == pytest.approx(0.25)


def test_ged_of_disjoint_predictions_is_two():
    assert ged([np.array([1, 0])], [np.array([0, 1])]) == 2


def test_ged_between_empty_and_drawn_labels_is_two_and_between_empty_ones_zero():
    empty, drawn = np.zeros(3, int), np.array([0, 1, 1])
    assert ged([empty], [drawn]) == 2
    assert ged([empty], [empty, empty]) == 0


def test_ged_without_annotators_is_not_a_number():
    assert math.isnan(ged([], [np.array([1])]))


@settings(max_examples=50, deadline=None)
@given(SMALL_LABELS, SMALL_LABELS, st.randoms(use_true_random=False))
def test_ged_is_a_distance_between_groups(first, second, random):
    value = ged(first, second, 3)
    assert value >= 0
    assert ged(first, first, 3) == pytest.approx(0, abs=1e-12)
    assert ged(second, first, 3) == pytest.approx(value, abs=1e-12)
    order = list(range(len(first)))
    random.shuffle(order)
    assert ged(first[order], second, 3) == pytest.approx(value, abs=1e-12)
    assert ged(np.concatenate([first, first]), second, 3) == pytest.approx(value, abs=1e-12)


def test_consensus_is_the_mean_iou_of_pairs():
    a, b, c = np.array([1, 1, 0]), np.array([0, 1, 0]), np.array([0, 0, 1])
    assert consensus([a, b, c]) == pytest.approx((1 / 2 + 0 + 0) / 3)
    assert consensus([a, a]) == 1


def test_consensus_of_one_annotator_is_not_a_number():
    assert math.isnan(consensus([np.array([1])]))


def test_consensus_of_three_classes_is_the_mean_over_the_foreground():
    a, b = np.array([1, 1, 2, 0]), np.array([1, 2, 2, 0])
    assert consensus([a, b]) == pytest.approx((1 / 2 + 1 / 2) / 2)


@settings(max_examples=30, deadline=None)
@given(SMALL_LABELS, st.randoms(use_true_random=False))
def test_consensus_does_not_depend_on_the_order_of_annotators(labels, random):
    order = list(range(len(labels)))
    random.shuffle(order)
    assert consensus(labels[order], 3) == pytest.approx(consensus(labels, 3), nan_ok=True)


def test_correlation_by_hand():
    assert correlation([1, 2, 3], [2, 4, 6]) == pytest.approx(1)
    assert correlation([1, 2, 3], [3, 1, 2]) == pytest.approx(-0.5)


def test_correlation_leaves_out_cases_without_a_figure():
    assert correlation([1, math.nan, 3, 2], [1, 5, 3, 2]) == pytest.approx(1)


def test_correlation_needs_two_different_cases():
    assert math.isnan(correlation([1.0], [1.0]))
    assert math.isnan(correlation([1.0, 1.0], [0.2, 0.4]))
