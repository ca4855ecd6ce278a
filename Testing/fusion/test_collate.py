"""COLLATE by hand, and what it does with obvious background."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.fusion import fuse


def test_one_step_is_as_computed_by_hand():
    """Ten voxels: 4 background and 3 foreground for everyone, 2 that only annotators 1 and 2 mark, 1 that only 3 marks.

    The first estimate of the three disputed voxels is the vote: 2 foreground, 1 background. So annotators 1 and 2 have
    the identity as their confusion matrix at the level of confusion and annotator 3 always gives the other label. The
    priors of background and foreground are 0.1 and 0.2 there, 0.4 and 0.3 at the level of consensus. Annotator 3 never
    gives the right label at the level of confusion, so voxels on which all agree are at that of consensus.
    """
    first = [0, 0, 0, 0, 1, 1, 1, 1, 1, 0]
    labels = [first, first, [0, 0, 0, 0, 1, 1, 1, 0, 0, 1]]
    fusion = fuse(labels, "collate", max_iterations=1)
    np.testing.assert_allclose(fusion.probability(1), first, atol=1e-9)
    np.testing.assert_allclose(fusion.confusion[0], [[1, 0], [0, 1]], atol=1e-9)
    np.testing.assert_allclose(fusion.confusion[2, 1], [1 / 5, 3 / 5], atol=1e-9)


def test_a_vote_of_a_careless_annotator_counts_less():
    """Annotators 1 and 2 err in one disputed voxel of ten each, annotator 3 in five: by hand after one step.

    Disputed: 5 voxels that only 3 marks, 1 that only 1 does not mark, 1 that only 2 does not mark; vote 0 x 5, 1 x 2.
    """
    one = [0] * 5 + [0, 1] + [1] * 4 + [0] * 4
    two = [0] * 5 + [1, 0] + [1] * 4 + [0] * 4
    three = [1] * 5 + [1, 1] + [1] * 4 + [0] * 4
    fusion = fuse([one, two, three], "collate", max_iterations=1)
    # foreground, 1 does not mark: 2/15 * 1/2 * 1/2 * 1; background: 5/15 * 1 * 0 * 1
    assert fusion.probability(1)[5] == pytest.approx(1)
    # everybody marks: 4/15 at consensus, 2/15 * 1/2 * 1/2 * 1 at confusion, both foreground
    assert fusion.probability(1)[8] == pytest.approx(1)
    # only 3 marks: background 5/15 * 1 * 1 * 1, foreground 2/15 * 1/2 * 1/2 * 1
    assert fusion.probability(1)[0] == pytest.approx((2 / 60) / (2 / 60 + 20 / 60))


def test_obvious_background_does_not_change_the_estimate():
    labels = np.random.default_rng(2).integers(0, 2, (4, 12, 12)).astype(np.uint8)
    labels[:3] |= labels[0]
    wider = [np.pad(array, 30) for array in labels]
    np.testing.assert_array_equal(np.pad(fuse(labels, "collate").labels, 30), fuse(wider, "collate").labels)
