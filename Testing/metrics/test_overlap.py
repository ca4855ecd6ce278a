from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.metrics import joint_counts, pairwise_counts
from NoisyLabelSegLib.metrics.overlap import CHUNK, chunks


def test_rows_are_the_first_labels_and_columns_the_second():
    counts = joint_counts(np.array([0, 1, 1, 1]), np.array([0, 0, 0, 1]), 2)
    assert counts.tolist() == [[1, 0], [2, 1]]


def test_every_pair_is_counted_both_ways():
    labels = [np.array([0, 1, 2]), np.array([0, 2, 2]), np.array([1, 1, 1])]
    counts = pairwise_counts(labels, 3)
    for a in range(3):
        for b in range(3):
            assert counts[a, b].tolist() == joint_counts(labels[a], labels[b], 3).tolist()
    assert counts[1, 0].tolist() == counts[0, 1].T.tolist()


def test_many_annotators_are_counted_like_few():
    random = np.random.default_rng(0)
    labels = random.integers(0, 3, (20, 6, 7), dtype=np.uint8)  # 3^20 patterns: too many to count at once
    counts = pairwise_counts(labels, 3)
    assert counts[3, 17].tolist() == joint_counts(labels[3], labels[17], 3).tolist()
    assert (counts.sum(axis=(2, 3)) == 42).all()


def test_arrays_larger_than_a_chunk_are_counted_whole():
    labels = np.arange(2 * CHUNK + 5) % 2
    assert joint_counts(labels, labels, 2).sum() == 2 * CHUNK + 5
    assert sum(part.stop - part.start for part in chunks(2 * CHUNK + 5)) == 2 * CHUNK + 5


def test_arrays_that_are_not_contiguous_are_counted_the_same():
    labels = np.arange(24).reshape(4, 6) % 3
    assert joint_counts(labels[::2, ::-1], labels[::2, ::-1], 3).sum() == 12
    assert joint_counts(labels.T, labels.T, 3).tolist() == joint_counts(labels, labels, 3).tolist()


def test_a_label_beyond_the_classes_is_refused():
    with pytest.raises(UserError, match="above 1"):
        joint_counts(np.array([2, 0]), np.array([0, 0]), 2)


def test_labels_of_different_sizes_are_refused():
    with pytest.raises(UserError, match="different sizes"):
        joint_counts(np.zeros((2, 3), int), np.zeros((3, 2), int), 2)
