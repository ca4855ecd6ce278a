"""Intervals over cases: as wide as cases differ, by hand and by simulation."""

from __future__ import annotations

import numpy as np

from NoisyLabelSegLib.fusion.share_sums import ShareSums


def _sums(cases: list[list[list[float]]]) -> ShareSums:
    sums = ShareSums()
    for counts in cases:
        sums.add(np.array(counts, dtype=float))
    return sums


def test_shares_are_sums_over_sums():
    share = _sums([[[8, 1], [2, 9]], [[0, 3], [0, 7]]]).shares()
    np.testing.assert_allclose(share, [[0.8, 0.2], [0.2, 0.8]])


def test_a_class_that_never_occurs_has_no_share_and_no_interval():
    sums = _sums([[[5, 0], [5, 0]]])
    low, high = sums.interval()
    assert np.isnan(sums.shares()[:, 1]).all()
    assert np.isnan(low[:, 1]).all()
    assert np.isnan(high[:, 1]).all()


def test_one_case_has_wilsons_interval_over_its_voxels():
    low, high = _sums([[[90, 0], [10, 0]]]).interval()
    assert abs(low[0, 0] - 0.8256) < 1e-3
    assert abs(high[0, 0] - 0.9448) < 1e-3


def test_intervals_hold_the_truth_about_as_often_as_they_promise():
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(300):
        shares = rng.beta(18, 2, 15)  # cases differ; their mean is 0.9
        sizes = rng.integers(500, 1500, 15)
        low, high = _sums([[[0, n * (1 - s)], [0, n * s]] for s, n in zip(shares, sizes, strict=True)]).interval()
        held += low[1, 1] <= 0.9 <= high[1, 1]
    assert 0.90 <= held / 300 <= 0.99


def test_cases_that_do_not_differ_still_leave_room():
    low, high = _sums([[[100, 0], [0, 100]]] * 5).interval()
    assert high[1, 1] == 1
    assert 0.2 < low[1, 1] < 0.9
