"""Drawings against the spread of the experts."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.review.practice.spread import closest_reading, spread_score

#                 nobody, one of three, all, all
FIRST = np.array([0, 1, 1, 1], dtype=np.uint8)
SECOND = np.array([0, 0, 1, 1], dtype=np.uint8)
THIRD = np.array([0, 0, 1, 1], dtype=np.uint8)
EXPERTS = [FIRST, SECOND, THIRD]


@pytest.mark.parametrize("drawn", [FIRST, SECOND])
def test_a_voxel_on_which_experts_disagree_is_no_error(drawn):
    assert np.array_equal(closest_reading(drawn, EXPERTS), drawn)
    assert spread_score(drawn, EXPERTS).dice_undisputed == 1.0


def test_what_no_expert_marked_is_too_much_and_what_all_marked_is_missed():
    drawn = np.array([1, 1, 0, 1], dtype=np.uint8)
    assert closest_reading(drawn, EXPERTS).tolist() == [0, 1, 1, 1]
    assert spread_score(drawn, EXPERTS).dice_undisputed == pytest.approx(2 * 1 / (2 * 1 + 1 + 1))


def test_a_class_that_no_expert_gave_is_replaced_by_that_of_most():
    experts = [np.array([label], dtype=np.uint8) for label in (1, 2, 2)]
    assert closest_reading(np.array([3], dtype=np.uint8), experts).tolist() == [2]
    assert closest_reading(np.array([1], dtype=np.uint8), experts).tolist() == [1]


def test_the_score_says_how_well_the_experts_agree_among_themselves():
    score = spread_score(SECOND, {"a": FIRST, "b": SECOND, "c": THIRD})
    assert (score.experts_low, score.experts_high) == (pytest.approx(0.8), 1.0)
    assert score.experts_mean == pytest.approx((0.8 + 0.8 + 1) / 3)
    assert score.dice_with_experts == pytest.approx((0.8 + 1 + 1) / 3)
    assert score.disputed == 1
    assert score.is_within


def test_an_empty_drawing_is_below_the_spread():
    score = spread_score(np.zeros(4, dtype=np.uint8), EXPERTS)
    assert score.dice_undisputed == 0.0
    assert score.is_within is False


def test_one_expert_has_no_spread():
    score = spread_score(FIRST, [SECOND])
    assert score.experts_low is None
    assert score.is_within is None
    assert score.disputed == 0


def test_nothing_to_draw_and_nothing_drawn_has_no_score():
    nothing = np.zeros(4, dtype=np.uint8)
    assert spread_score(nothing, [nothing, FIRST]).dice_undisputed is None


def test_large_volumes_are_read_in_slabs_with_the_same_result():
    rng = np.random.default_rng(3)
    drawn, *experts = rng.integers(0, 3, (4, 11, 13, 17)).astype(np.uint8)
    found = closest_reading(drawn, experts)
    agreed = np.any([expert == drawn for expert in experts], axis=0)
    assert np.array_equal(found[agreed], drawn[agreed])
    assert np.all(np.any([expert[~agreed] == found[~agreed] for expert in experts], axis=0))
