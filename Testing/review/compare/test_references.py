"""Two references against each other."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.review.compare.references import compare_references

FIRST = np.array([0, 1, 1, 2, 2, 0], dtype=np.uint8)
SECOND = np.array([0, 1, 0, 2, 1, 2], dtype=np.uint8)
CLASSES = ("background", "a", "b")


def test_the_map_says_where_both_only_one_or_another_class_is_marked() -> None:
    found = compare_references(FIRST, SECOND, CLASSES, voxel_mm3=500.0)
    assert found.differences.tolist() == [0, 1, 3, 1, 4, 2]
    assert (found.only_first_ml, found.only_second_ml, found.other_class_ml) == (0.5, 0.5, 0.5)


def test_dice_is_that_of_the_foreground_and_of_each_class() -> None:
    found = compare_references(FIRST, SECOND, CLASSES, voxel_mm3=1.0)
    assert found.dice == pytest.approx(2 * 3 / (4 + 4))
    assert found.dice_of_classes == {"a": pytest.approx(2 / 4), "b": pytest.approx(2 / 4)}


def test_the_order_matters_for_the_volumes_only() -> None:
    one, other = (compare_references(*pair, CLASSES, 1.0) for pair in ((FIRST, SECOND), (SECOND, FIRST)))
    assert one.dice == other.dice
    assert one.only_first_ml == other.only_second_ml
