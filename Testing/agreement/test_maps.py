"""Agreement voxel by voxel."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.agreement.maps import entropy_of, label_entropy, marked_counts

READERS = [np.array(row, dtype=np.uint8) for row in ([0, 1, 1, 2], [0, 1, 0, 1], [0, 1, 0, 0])]


def test_counts_say_how_many_readers_marked_a_voxel():
    assert marked_counts(READERS).tolist() == [0, 3, 1, 2]


def test_counts_of_a_class_leave_the_other_classes_out():
    assert marked_counts(READERS, label=2).tolist() == [0, 0, 0, 1]


def test_the_entropy_is_that_of_the_shares_of_the_classes():
    one_of_three = -(1 / 3) * np.log2(1 / 3) - (2 / 3) * np.log2(2 / 3)
    assert label_entropy(READERS, 3) == pytest.approx([0, 0, one_of_three, np.log2(3)])


def test_the_entropy_does_not_change_when_labels_change_their_names():
    renamed = [np.array([2, 0, 1])[array] for array in READERS]
    assert label_entropy(renamed, 3) == pytest.approx(label_entropy(READERS, 3))


def test_slices_have_the_entropy_of_the_whole():
    volume = np.random.default_rng(1).integers(0, 3, (5, 6, 4, 3)).astype(np.uint8)
    some = entropy_of(lambda few: [array[few] for array in volume], 3)(slice(2, 4))
    assert np.array_equal(some, label_entropy(list(volume), 3)[2:4])
