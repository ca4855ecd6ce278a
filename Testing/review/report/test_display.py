"""Patient right on the left of the screen, front or head up, whatever the direction of the array."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.review.report.gallery import Display

GRID = Geometry.plain((4, 5, 6), (1.0, 2.0, 3.0))


def directions() -> list[np.ndarray]:
    """All 48 ways to lay an array along the patient axes."""
    found = []
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1, -1), repeat=3):
            matrix = np.zeros((3, 3))
            for axis, (patient, sign) in enumerate(zip(order, signs, strict=True)):
                matrix[patient, axis] = sign
            found.append(matrix)
    return found


@pytest.mark.parametrize("direction", directions())
def test_every_orientation_is_shown_as_radiologists_look_at_it(direction: np.ndarray) -> None:
    geometry = replace(GRID, direction=tuple(direction.ravel().tolist()))
    display = Display.of(geometry)
    points = geometry.points(np.stack(np.indices(geometry.shape), axis=-1))[2]
    shown = np.stack([display.turn(points[..., axis]) for axis in range(3)], axis=-1)
    right, down = shown[0, 1] - shown[0, 0], shown[1, 0] - shown[0, 0]
    ends = {"R": (0, 1), "A": (1, 1), "S": (2, -1)}  # the axis, and the sign of the way to the opposite edge
    for letter, way in ((display.left, right), (display.top, down)):
        axis, sign = ends[letter]
        assert way[axis] * sign > 0
    assert (display.left, display.top) in {("R", "A"), ("R", "S"), ("A", "S")}
    assert (abs(down).max(), abs(right).max()) == display.pixel


def test_a_picture_is_shown_as_it_is() -> None:
    display = Display.of(Geometry.plain((3, 4)))
    array = np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(display.turn(array), array)
    assert (display.left, display.top) == ("", "")
