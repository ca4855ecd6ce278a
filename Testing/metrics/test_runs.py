"""Objects made of runs are those that SciPy finds in the mask, whatever its shape."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import ndimage

from NoisyLabelSegLib.metrics import runs as runs_module
from NoisyLabelSegLib.metrics.runs import Runs, connected
from NoisyLabelSegLib.metrics.surfaces import Shape

SHAPES = [(1,), (17,), (5, 9), (1, 1), (4, 6, 7), (3, 1, 5), (2, 5, 1)]


def masks(shape: tuple[int, ...]) -> list[NDArray[np.bool_]]:
    chance = np.random.default_rng(0)
    return [chance.random(shape) < share for share in (0.0, 0.1, 0.3, 0.6, 1.0)]


def labeled(mask: NDArray[np.bool_]) -> tuple[NDArray[np.int32], int]:
    found: tuple[NDArray[np.int32], int] = ndimage.label(mask, np.ones((3,) * mask.ndim))
    return found


@pytest.fixture(params=[1, 1 << 23], autouse=True)
def slab(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Row by row, and in one go."""
    monkeypatch.setattr(runs_module, "_VOXELS_AT_ONCE", request.param)


@pytest.mark.parametrize("shape", SHAPES)
def test_objects_are_those_of_scipy(shape: tuple[int, ...]) -> None:
    for mask in masks(shape):
        expected, count = labeled(mask)
        found = connected(mask)
        assert found.count == count
        np.testing.assert_array_equal(found.at(np.arange(mask.size)).reshape(shape), expected)
        np.testing.assert_array_equal(found.voxels, np.bincount(expected.ravel(), minlength=count + 1)[1:])
        for number, box in enumerate(ndimage.find_objects(expected), start=1):
            one, place = found.mask(number)
            assert place == box
            np.testing.assert_array_equal(one, expected[box] == number)


@pytest.mark.parametrize("shape", SHAPES)
def test_common_voxels_are_counted(shape: tuple[int, ...]) -> None:
    for mask, other in zip(masks(shape), reversed(masks(shape)), strict=True):
        one, two, common = connected(mask).common_voxels(connected(other))
        first, second = labeled(mask)[0], labeled(other)[0]
        both = (first > 0) & (second > 0)
        pairs, counts = np.unique(np.stack([first[both], second[both]]), axis=1, return_counts=True)
        np.testing.assert_array_equal(np.stack([one + 1, two + 1]), pairs)
        np.testing.assert_array_equal(common, counts)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_border_is_what_erosion_takes_away(shape: tuple[int, ...]) -> None:
    for mask in masks(shape):
        border = mask & ~ndimage.binary_erosion(mask)
        np.testing.assert_array_equal(Shape(mask, (1.0,) * mask.ndim).border_voxels, np.flatnonzero(border))


def test_runs_end_with_their_line() -> None:
    runs = Runs.of(np.ones((2, 3), dtype=bool))
    assert (runs.starts.tolist(), runs.stops.tolist()) == ([0, 3], [3, 6])
    assert runs.at(np.array([0, 2, 3, 5])).tolist() == [0, 0, 1, 1]
