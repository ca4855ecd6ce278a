"""The box around everything marked."""

from __future__ import annotations

import numpy as np

from NoisyLabelSegLib.metrics.components import busy_box


def test_the_box_holds_all_marks_and_a_margin_within_the_volume() -> None:
    one, other = np.zeros((5, 6, 7), np.uint8), np.zeros((5, 6, 7), np.uint8)
    one[0, 2, 3] = 1
    other[3, 4, 3] = 2
    assert busy_box([one, other], (5, 6, 7)) == (slice(0, 5), slice(1, 6), slice(2, 5))
    assert busy_box([one, other], (5, 6, 7), margin=0) == (slice(0, 4), slice(2, 5), slice(3, 4))


def test_nothing_marked_leaves_one_voxel() -> None:
    assert busy_box([np.zeros((4, 4))], (4, 4)) == (slice(0, 1), slice(0, 1))
