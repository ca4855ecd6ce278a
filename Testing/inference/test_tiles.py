"""Tiles cover everything, within their size."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.inference.predictor import tile_weight, tiles


@pytest.mark.parametrize("shape", [(5,), (8,), (9,), (31, 8), (3, 17, 40)])
def test_tiles_cover_the_grid_and_are_never_larger_than_asked(shape: tuple[int, ...]) -> None:
    covered = np.zeros(shape, dtype=int)
    for tile in tiles(shape, 8):
        assert max(covered[tile].shape) <= 8
        covered[tile] += 1
    assert covered.min() >= 1


def test_a_grid_that_fits_is_one_tile() -> None:
    assert tiles((8, 5), 8) == [(..., slice(0, 8), slice(0, 5))]


def test_neighboring_tiles_overlap_by_half() -> None:
    assert [tile[1].start for tile in tiles((16,), 8)] == [0, 4, 8]


def test_the_middle_of_a_tile_counts_most_and_its_faces_still_count() -> None:
    np.testing.assert_allclose(tile_weight((5,)), [1 / 3, 2 / 3, 1, 2 / 3, 1 / 3], rtol=1e-6)
    assert tile_weight((4, 6)).min() > 0
