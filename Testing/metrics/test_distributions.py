"""Scores of groups of labels against answers computed by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from NoisyLabelSegLib.metrics import crps_volume, dice_match, dice_max, dice_soft, ged_iou, hm_iou

LEFT, RIGHT, ALL, NONE = (np.array(mask) for mask in ([1, 1, 0, 0], [0, 0, 1, 1], [1, 1, 1, 1], [0, 0, 0, 0]))


def test_the_same_group_has_distance_zero_and_full_agreement() -> None:
    group = [LEFT, ALL, NONE]
    assert ged_iou(group, group) == 0
    assert hm_iou(group, group) == dice_match(group, group) == dice_max(group, group) == dice_soft(group, group) == 1
    assert crps_volume([LEFT], [RIGHT]) == 0


def test_ged_counts_all_ordered_pairs_with_one_minus_iou() -> None:
    # d(left, left) = 0, d(left, all) = 1/2: 2 * mean(0, 1/2) - 0 - mean(0, 1/2, 1/2, 0)
    assert ged_iou([LEFT], [LEFT, ALL]) == pytest.approx(0.5 - 0.25)


def test_both_empty_is_no_distance_and_one_empty_is_the_largest() -> None:
    assert ged_iou([NONE], [NONE]) == 0
    assert ged_iou([NONE], [LEFT]) == 2
    assert hm_iou([NONE], [NONE, LEFT]) == 0.5


def test_matching_pairs_every_sample_with_another_real_label() -> None:
    # both samples are nearest to `left`; one of them must take `all`: IoU 1 and 1/2, Dice 1 and 2/3
    assert hm_iou([LEFT, LEFT], [LEFT, ALL]) == pytest.approx(0.75)
    assert dice_match([LEFT, LEFT], [LEFT, ALL]) == pytest.approx((1 + 2 / 3) / 2)


def test_the_smaller_group_is_repeated_for_matching() -> None:
    assert hm_iou([LEFT, RIGHT, LEFT, RIGHT], [LEFT, RIGHT]) == 1
    assert hm_iou([LEFT], [LEFT, RIGHT]) == 0.5


def test_the_best_match_counts_both_ways() -> None:
    # from real labels: left 1, right 0; from the sample: 1
    assert dice_max([LEFT], [LEFT, RIGHT]) == pytest.approx((0.5 + 1) / 2)


def test_soft_dice_compares_shares_at_five_thresholds() -> None:
    # shares of the real group: 1, 1, 1/2, 1/2; above 0.1 and 0.3: all (2/3 to left); above 0.5, 0.7, 0.9: left (1)
    assert dice_soft([LEFT], [LEFT, ALL]) == pytest.approx((2 * 2 / 3 + 3) / 5)


def test_crps_of_the_volume_is_the_distance_of_distributions() -> None:
    # volumes 0 and 4 against 2: mean |V - v| = 2, half the mean |V - V'| = 1
    assert crps_volume([NONE, ALL], [LEFT]) == pytest.approx(1)
    assert crps_volume([NONE, ALL], [LEFT], voxel_volume=0.5) == pytest.approx(0.5)


def test_several_classes_are_averaged() -> None:
    assert hm_iou([np.array([1, 2])], [np.array([1, 1])], classes=3) == pytest.approx((1 / 2 + 0) / 2)


@pytest.mark.parametrize("score", [ged_iou, hm_iou, dice_match, dice_max, dice_soft, crps_volume])
def test_an_empty_group_has_no_score(score: object) -> None:
    assert math.isnan(score([], [LEFT]))  # type: ignore[operator]
