"""Packing: every voxel gets the number of its votes, whatever sizes, labels and masks come in."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.fusion.packing import UNKNOWN, pack


def _votes_of_every_voxel(packed):
    """(R, *shape): what the patterns say each annotator voted."""
    return np.stack([packed.spread(np.ascontiguousarray(column)) for column in packed.patterns.T])


@pytest.mark.parametrize("shape", [(1,), (7,), (8,), (9,), (3, 5), (4, 6, 11), (2, 64, 64)])
@pytest.mark.parametrize(("annotators", "classes"), [(1, 2), (4, 2), (5, 3), (4, 16), (9, 4), (20, 2), (3, 256)])
def test_the_patterns_say_what_everyone_voted(shape, annotators, classes):
    rng = np.random.default_rng(annotators * classes)
    labels = rng.integers(0, classes, (annotators, *shape)).astype(np.uint8)
    labels *= rng.random(shape) < 0.3
    packed = pack(list(labels), [None] * annotators)
    np.testing.assert_array_equal(_votes_of_every_voxel(packed), labels)
    assert packed.counts.sum() == labels[0].size
    numbers = packed.spread(np.arange(len(packed.counts)))
    np.testing.assert_array_equal(np.bincount(numbers.ravel(), minlength=len(packed.counts)), packed.counts)


@pytest.mark.parametrize("classes", [2, 256])
def test_voxels_not_looked_at_are_unknown_whatever_label_they_hold(classes):
    rng = np.random.default_rng(3)
    labels = list(rng.integers(0, classes, (3, 5, 7)).astype(np.uint8))
    known = [rng.random((5, 7)) < 0.5, None, np.zeros((5, 7), bool)]
    expected = np.array(labels, dtype=np.int16)
    expected[0][~known[0]] = UNKNOWN
    expected[2] = UNKNOWN
    np.testing.assert_array_equal(_votes_of_every_voxel(pack(labels, known)), expected)


def test_a_missing_annotator_is_unknown_everywhere():
    packed = pack([np.array([0, 1], np.uint8), None], [None, None])
    np.testing.assert_array_equal(_votes_of_every_voxel(packed), [[0, 1], [UNKNOWN, UNKNOWN]])


def test_only_words_in_which_somebody_marked_something_are_kept():
    labels = np.zeros((2, 10, 80), np.uint8)
    labels[1, 3, 17] = 1
    packed = pack(list(labels), [None, None])
    np.testing.assert_array_equal(packed.words, [(3 * 80 + 17) // 8])
    assert packed.codes.nbytes == 8


@pytest.mark.parametrize("largest", [[1, 2, 3], [1, 3, 15], [1, 3, 255], [0, 0, 7], [1, 200, 1]])
@pytest.mark.parametrize("annotators", [1, 2, 4, 5, 9])
def test_labels_that_grow_from_one_part_of_the_image_to_the_next(monkeypatch, largest, annotators):
    """Votes are packed in as few bits as the labels so far need, and anew when larger ones come."""
    monkeypatch.setattr("NoisyLabelSegLib.fusion.pattern_image._SCAN_CHUNK", 2)
    rng = np.random.default_rng(annotators)
    labels = np.concatenate(
        [rng.integers(0, most + 1, (annotators, 37)) * (rng.random(37) < 0.5) for most in largest], axis=1
    ).astype(np.uint8)
    packed = pack(list(labels), [None] * annotators)
    np.testing.assert_array_equal(_votes_of_every_voxel(packed), labels)
    assert packed.counts.sum() == labels[0].size
