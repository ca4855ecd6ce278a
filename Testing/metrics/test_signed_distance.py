"""Signed distances between what somebody drew and a surface."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.metrics.signed_distance import signed_distance_map, signed_distances_at

SPACING = (2.0, 1.0, 0.5)


def box(*, grown: int = 0) -> np.ndarray:
    mask = np.zeros((9, 20, 20), dtype=np.uint8)
    mask[3:6, 6 - grown : 12 + grown, 1:19] = 1
    return mask


def test_the_distance_is_positive_inside_and_negative_outside():
    distances = signed_distance_map(box(), (1.0, 1.0, 1.0))
    assert distances[4, 8, 8] == pytest.approx(1.5)
    assert distances[4, 3, 8] == pytest.approx(-2.5)


def test_a_mask_that_reaches_two_voxels_further_is_two_millimeters_outside():
    edge = np.array([[4.0, 5.5, 8.0], [4.0, 11.5, 8.0]])  # the border of the box along y
    assert signed_distances_at(box(grown=2), SPACING, edge) == pytest.approx([2.0, 2.0], abs=0.3)


def test_a_mask_that_ends_before_the_border_is_inside():
    edge = np.array([[4.0, 3.5, 8.0]])  # the border of the wider box
    assert signed_distances_at(box(), SPACING, edge) == pytest.approx([-2.0], abs=0.3)


def test_the_same_border_has_no_distance():
    edge = np.array([[4.0, 5.5, 8.0], [4.0, 11.5, 9.0]])
    assert signed_distances_at(box(), SPACING, edge) == pytest.approx([0.0, 0.0], abs=0.3)


def test_an_empty_mask_is_as_far_inside_as_the_limit():
    assert signed_distances_at(np.zeros((3, 3, 3)), SPACING, np.ones((2, 3)), limit=10.0).tolist() == [-10.0, -10.0]


def test_what_lies_far_from_the_surface_is_found_too():
    mask = np.zeros((4, 30, 30), dtype=np.uint8)
    mask[1:3, 25:28, 25:28] = 1
    found = signed_distances_at(mask, (1.0, 1.0, 1.0), np.array([[1.0, 5.0, 26.0]]))
    assert found == pytest.approx([-19.5], abs=0.01)
