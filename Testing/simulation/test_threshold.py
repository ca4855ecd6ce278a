from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.simulation.threshold import ThresholdSearch


def search(*cases: tuple[list[np.ndarray], np.ndarray]) -> ThresholdSearch:
    made = ThresholdSearch()
    for channels, truth in cases:
        made.add(channels, truth)
    return made


def test_a_bright_or_dark_object_is_found_whole():
    truth = np.array([0, 0, 1, 1])
    for image in (np.array([1, 2, 8, 9]), np.array([9, 8, 2, 1])):
        assert search(([image], truth)).best_dice() == 1


def test_an_object_as_bright_as_half_the_rest_is_not():
    found = search(([np.array([0, 5, 5, 5])], np.array([0, 0, 0, 1])))
    assert found.best_dice() == pytest.approx(2 / 4)


def test_one_threshold_for_all_cases_does_worse_than_one_for_each():
    truth = np.array([0, 0, 1, 1])
    found = search(([np.array([0, 1, 2, 3])], truth), ([np.array([2, 3, 4, 5])], truth))
    assert found.best_dice_per_case() == 1
    assert found.best_dice() < 1


def test_the_best_channel_counts_and_classes_count_as_one():
    truth = np.array([0, 0, 1, 2])
    assert search(([np.array([1, 1, 1, 1]), np.array([0, 0, 7, 9])], truth)).best_dice() == 1
