"""Where opinions differ."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.review.active.evidence import doubtful_regions, vote_dissent


def test_dissent_is_the_share_against_the_likeliest_class() -> None:
    labels = [np.array([[0, 1, 1, 2]]), np.array([[0, 1, 0, 1]]), np.array([[0, 1, 0, 0]])]
    np.testing.assert_allclose(vote_dissent(labels, 3), [[0, 0, 1 / 3, 2 / 3]], atol=1e-6)


def test_the_heaviest_region_comes_first_with_its_place_in_the_patient() -> None:
    dissent = np.zeros((3, 10, 10), np.float32)
    dissent[1, 2:5, 2:5] = 0.5
    dissent[2, 8, 8] = 0.5
    geometry = Geometry.plain((5, 20, 20), (2.0, 2.0, 3.0))
    first, second = doubtful_regions(lambda rows: dissent[rows], (slice(1, 4), slice(5, 15), slice(0, 10)), geometry)
    assert (first.size, first.slice, first.slices) == (9 * 12, 3, 5)
    assert first.center == pytest.approx((6, 16, 6))
    assert second.size == 12


def test_agreement_leaves_no_region() -> None:
    assert doubtful_regions(lambda rows: np.zeros((4, 4))[rows], (slice(0, 4),) * 2, Geometry.plain((4, 4))) == ()
