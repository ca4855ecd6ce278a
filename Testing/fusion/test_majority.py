"""The majority vote, its ties and its remarks, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import fuse

LABELS = np.array([[0, 1, 2, 0, 1], [0, 1, 2, 1, 2], [0, 0, 2, 0, 2], [0, 0, 1, 1, 0]], np.uint8)


def test_most_votes_win_and_the_lowest_tied_label_is_taken():
    fusion = fuse(LABELS, "majority")
    np.testing.assert_array_equal(fusion.labels, [0, 0, 2, 0, 2])
    assert "2 voxels had a tie and got the lowest tied label." in fusion.remarks


def test_winners_share_the_probability_of_a_tie():
    np.testing.assert_allclose(
        fuse(LABELS, "majority").probabilities, [[1, 0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5, 0], [0, 0, 1, 0, 1]]
    )


def test_ties_can_have_a_label_of_their_own():
    fusion = fuse(LABELS, "majority", undecided=9)
    np.testing.assert_array_equal(fusion.labels, [0, 9, 2, 9, 2])
    assert "2 voxels had a tie and got label 9." in fusion.remarks


def test_an_impossible_label_for_ties_is_refused():
    with pytest.raises(UserError, match="256"):
        fuse(LABELS, "majority", undecided=256)


def test_confusion_counts_votes_against_the_winner():
    confusion = fuse(np.array([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 0]], np.uint8), "majority").confusion
    np.testing.assert_allclose(confusion[0], [[1, 0], [0, 1]])
    np.testing.assert_allclose(confusion[2], [[0.5, 0.5], [0.5, 0.5]])
