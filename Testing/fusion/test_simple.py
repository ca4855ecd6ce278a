"""SIMPLE: weights follow the Dice to the estimate, and hopeless annotators are set aside."""

from __future__ import annotations

import numpy as np

from NoisyLabelSegLib.fusion import fuse


def _square(shift: int) -> np.ndarray:
    image = np.zeros((20, 20), np.uint8)
    image[4:14, 4 + shift : 14 + shift] = 1
    return image


def test_the_better_pair_wins_a_tie():
    """Two who agree, and two who are off in different ways: a plain vote is tied where only the first two mark."""
    elsewhere = np.zeros((20, 20), np.uint8)
    elsewhere[10:18, 2:8] = 1
    labels = np.array([_square(0), _square(0), _square(6), elsewhere])
    tied = (labels[:2] == 1).all(axis=0) & (labels[2:] == 0).all(axis=0)
    assert np.count_nonzero(tied) == 44
    assert fuse(labels, "simple").labels[tied].all()
    assert not fuse(labels, "majority").labels[tied].any()


def test_an_annotator_far_below_the_others_is_set_aside():
    nowhere = np.zeros((20, 20), np.uint8)
    nowhere[17:, 17:] = 1
    fusion = fuse([_square(0), _square(0), _square(1), nowhere], "simple")
    assert "SIMPLE set aside 1 of 4 annotators." in fusion.remarks
    assert fusion.converged


def test_two_annotators_are_never_set_aside():
    fusion = fuse([_square(0), _square(9)], "simple")
    assert not any("set aside" in remark for remark in fusion.remarks)
