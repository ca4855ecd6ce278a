"""Shares of voxels and the region they are counted in, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from NoisyLabelSegLib.metrics import figures as module
from NoisyLabelSegLib.metrics.figures import Figures, figures, sizes, voxels_near


def test_figures_by_hand():
    assert figures(6, 8, 10, 50) == Figures(12 / 18, 0.6, 38 / 40, 6 / 8)


def test_what_is_a_share_of_nothing_does_not_exist():
    assert figures(0, 0, 0, 0) == Figures(1.0, None, None, None)
    assert figures(0, 0, 5, 9) == Figures(0.0, 0.0, 1.0, None)


def test_sizes_of_one_class_and_of_all_with_undecided_voxels_apart():
    counts = np.array([[50, 1, 0, 2], [3, 10, 4, 1], [0, 5, 20, 0]])
    assert sizes(counts, 1) == (10, 18, 16)
    assert sizes(counts, 3) == (39, 43, 40)


def test_the_region_of_one_voxel_is_a_ball():
    marked = np.zeros((3, 3, 3), bool)
    marked[1, 1, 1] = True
    assert voxels_near(marked, (1.0, 1.0, 1.0)) == 4169


def test_nothing_marked_has_no_region():
    assert voxels_near(np.zeros((4, 5), np.uint8), (1.0, 1.0)) == 0


@pytest.mark.parametrize("spacing", [(2.5, 0.8, 1.1), (1.0, 1.0, 1.0), (0.9, 3.0, 12.0)])
@pytest.mark.parametrize("limits", [{}, {"_MOST_OFFSETS": 0}, {"_MOST_OFFSETS": 0, "_SLAB_VOXELS": 1}])
def test_the_region_is_that_of_a_distance_map_however_it_is_counted(monkeypatch, spacing, limits):
    for name, value in limits.items():
        monkeypatch.setattr(module, name, value)
    marked = np.zeros((50, 50, 45), bool)
    marked[16, 20, 21] = marked[17:26, 30, 22] = marked[25, 18:33, 24] = True
    expected = np.count_nonzero(ndimage.distance_transform_edt(~marked, sampling=spacing) <= 10)
    assert voxels_near(marked, spacing) == expected


def test_a_picture_has_a_region_too():
    marked = np.zeros((40, 60), np.uint8)
    marked[15:20, 20:35] = 3
    expected = np.count_nonzero(ndimage.distance_transform_edt(marked == 0, sampling=(0.9, 0.7)) <= 10)
    assert voxels_near(marked, (0.9, 0.7)) == expected
