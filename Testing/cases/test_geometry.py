"""Grids: where voxels lie, when two grids are one, and moving labels between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, Image, resample

OBLIQUE = Geometry(
    shape=(4, 6, 8),
    spacing=(0.5, 0.7, 2.5),
    origin=(-10.0, 20.0, 5.0),
    direction=(0.8, -0.6, 0.0, 0.6, 0.8, 0.0, 0.0, 0.0, -1.0),
)


def test_points_follow_the_direction_and_spacing_by_hand() -> None:
    # Index z=1, y=2, x=3: 3*0.5 along (0.8, 0.6, 0), 2*0.7 along (-0.6, 0.8, 0), 2.5 along (0, 0, -1).
    expected = (-10 + 1.5 * 0.8 - 1.4 * 0.6, 20 + 1.5 * 0.6 + 1.4 * 0.8, 5 - 2.5)
    assert OBLIQUE.points((1, 2, 3)) == pytest.approx(expected)


def test_indices_undo_points() -> None:
    indices = [(0, 0, 0), (3, 5, 7), (1.5, 2.5, 0.5)]
    assert OBLIQUE.indices(OBLIQUE.points(indices)) == pytest.approx(np.array(indices))


def test_a_header_rounded_to_six_digits_is_the_same_grid() -> None:
    rounded = replace(OBLIQUE, origin=(-10.00001, 20.000004, 5.0), spacing=(0.500001, 0.7, 2.5))
    assert OBLIQUE.differences(rounded) == []


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (replace(OBLIQUE, shape=(4, 6, 9)), "9 x 6 x 4, not 8 x 6 x 4 voxels"),
        (replace(OBLIQUE, spacing=(0.5, 0.7, 3.0)), "0.5 x 0.7 x 3, not 0.5 x 0.7 x 2.5 mm"),
        (replace(OBLIQUE, origin=(-10.0, 20.0, 5.5)), "0.5 mm away"),
        (replace(OBLIQUE, direction=(0.8, -0.6, 0.0, 0.6, 0.8, 0.0, 0.0, 0.0, 1.0)), "axes point elsewhere"),
        (Geometry.plain((6, 8)), "2D, not 3D"),
    ],
)
def test_another_grid_is_described_in_millimeters(other: Geometry, words: str) -> None:
    assert words in " and ".join(OBLIQUE.differences(other))


def test_resampled_labels_keep_their_place_and_values() -> None:
    array = np.zeros(OBLIQUE.shape, np.uint8)
    array[2, 3, 4] = 7
    target = Geometry(
        shape=(21, 29, 29), spacing=(0.5, 0.5, 0.5), origin=(-16.0, 16.0, -4.0), direction=tuple(np.eye(3).ravel())
    )
    moved = resample(Image(array, OBLIQUE), target)
    found = np.argwhere(moved.array == 7)
    assert set(np.unique(moved.array)) == {0, 7}
    center = target.points(found).mean(axis=0)
    assert center == pytest.approx(OBLIQUE.points((2, 3, 4)), abs=0.25)


def test_an_array_that_does_not_fit_its_grid_is_refused() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        Image(np.zeros((2, 2)), Geometry.plain((2, 3)))
