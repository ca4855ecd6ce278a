"""The mean of labels, by hand."""

from __future__ import annotations

import numpy as np

from NoisyLabelSegLib.fusion import fuse

LABELS = np.array([[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 1]], np.uint8)


def test_the_probability_is_the_share_of_annotators():
    np.testing.assert_allclose(fuse(LABELS, "mean").probabilities[1], [0, 0.25, 0.5, 1])
    np.testing.assert_array_equal(fuse(LABELS, "mean").labels, [0, 0, 0, 1])


def test_a_threshold_decides_what_is_foreground():
    np.testing.assert_array_equal(fuse(LABELS, "mean", threshold=0.4).labels, [0, 0, 1, 1])
    np.testing.assert_array_equal(fuse(LABELS, "mean", threshold=0.2).labels, [0, 1, 1, 1])


def test_those_who_did_not_look_do_not_dilute_the_share():
    known = [None, None, np.array([1, 1, 0, 1], bool), np.array([1, 1, 0, 1], bool)]
    np.testing.assert_allclose(fuse(LABELS, "mean", known=known).probabilities[1], [0, 0.25, 1, 1])
