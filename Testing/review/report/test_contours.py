"""Outlines along pixel edges."""

from __future__ import annotations

import re

import numpy as np

from NoisyLabelSegLib.review.report.pictures import contour_path


def area(path: str) -> float:
    """Of the closed loops of a path, holes counted negative."""
    total = 0.0
    for loop in re.findall(r"M(\d+) (\d+)([^z]*)z", path):
        x, y = int(loop[0]), int(loop[1])
        for stroke, length in re.findall(r"([hv])(-?\d+)", loop[2]):
            if stroke == "h":
                total -= int(length) * y
                x += int(length)
            else:
                y += int(length)
        total -= (int(loop[0]) - x) * y
    return total


def test_a_pixel_is_a_square() -> None:
    mask = np.zeros((3, 4), bool)
    mask[1, 2] = True
    assert contour_path(mask) == "M2 1h1v1h-1z"


def test_straight_edges_are_one_stroke() -> None:
    assert contour_path(np.ones((2, 5), bool)) == "M0 0h5v2h-5z"


def test_a_ring_has_two_loops_and_the_area_of_its_pixels() -> None:
    mask = np.ones((5, 5), bool)
    mask[2, 2] = False
    path = contour_path(mask)
    assert path.count("M") == 2
    assert area(path) == 24


def test_any_mask_keeps_its_area() -> None:
    for seed in range(20):
        mask = np.random.default_rng(seed).random((12, 15)) < 0.5
        assert area(contour_path(mask)) == mask.sum()


def test_an_empty_mask_has_no_path() -> None:
    assert contour_path(np.zeros((3, 3), bool)) == ""
