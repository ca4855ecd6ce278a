"""The vote for nested classes, by hand: whole tumor 1-3, core 2-3, active 3."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import fuse

NESTED = [[1, 2, 3], [2, 3], [3]]


def _fused(*votes: int, regions=None) -> int:
    return int(fuse(np.array(votes, np.uint8)[:, None], "hierarchical", classes=4, regions=regions).labels[0])


def test_annotators_who_agree_on_foreground_outvote_those_who_see_none():
    assert _fused(0, 0, 1, 2, 3) == 1
    assert int(fuse(np.array([[0], [0], [1], [2], [3]], np.uint8), "majority").labels[0]) == 0


def test_a_vote_for_the_inside_supports_every_region_around_it():
    assert _fused(0, 0, 1, 2, 3, regions=NESTED) == 1
    assert _fused(0, 1, 2, 2, 3, regions=NESTED) == 2
    assert _fused(1, 1, 2, 3, 3, regions=NESTED) == 2
    assert _fused(1, 2, 3, 3, 3, regions=NESTED) == 3
    assert _fused(0, 0, 0, 3, 3, regions=NESTED) == 0


def test_half_of_the_votes_are_not_enough():
    assert _fused(0, 0, 2, 3, regions=NESTED) == 0


def test_similar_classes_are_counted_together_first():
    assert _fused(1, 1, 2, 3, 3, regions=[[2, 3]]) == 3
    assert _fused(1, 1, 1, 2, 3, regions=[[2, 3]]) == 1
    assert _fused(0, 1, 1, 2, 3, regions=[[1, 2, 3], [1], [2, 3]]) in (2, 3)


def test_the_background_cannot_be_part_of_a_region():
    with pytest.raises(UserError, match="not the background"):
        _fused(0, 1, regions=[[0, 1]])
