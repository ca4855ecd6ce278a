from __future__ import annotations

import math

import numpy as np
import pytest

from NoisyLabelSegLib.metrics import calibration
from NoisyLabelSegLib.metrics.overlap import CHUNK


def test_certain_and_right_is_perfect():
    truth = np.array([[0, 1], [1, 0]])
    result = calibration(np.stack([truth == 0, truth == 1]).astype(np.float32), truth)
    assert (result.ece, result.brier) == (0, 0)


def test_certain_and_wrong_is_worst():
    truth = np.array([0, 1])
    result = calibration(np.stack([truth == 1, truth == 0]).astype(np.float32), truth)
    assert (result.ece, result.brier) == (1, 2)


def test_confidence_of_080_that_is_right_half_the_time_is_off_by_030():
    p = np.array([[0.8] * 4, [0.2] * 4])
    result = calibration(p, np.array([0, 0, 1, 1]))
    assert result.ece == pytest.approx(0.3)
    assert result.brier == pytest.approx((2 * 0.08 + 2 * 1.28) / 4)


def test_errors_of_different_bins_do_not_cancel():
    p = np.array([[0.9, 0.6], [0.1, 0.4]])
    assert calibration(p, np.array([1, 0])).ece == pytest.approx((0.9 + 0.4) / 2)


def test_cases_are_pooled_by_voxels():
    p, truth = np.array([[0.7, 0.2, 0.5], [0.3, 0.8, 0.5]]), np.array([0, 1, 1])
    parts = calibration(p[:, :1], truth[:1]) + calibration(p[:, 1:], truth[1:])
    whole = calibration(p, truth)
    assert (parts.ece, parts.brier) == pytest.approx((whole.ece, whole.brier))


def test_volumes_larger_than_a_chunk_are_counted_whole():
    truth = np.zeros(CHUNK + 7, dtype=np.uint8)
    p = np.stack([np.full(truth.size, 0.75), np.full(truth.size, 0.25)]).astype(np.float32)
    result = calibration(p, truth)
    assert int(result.voxels.sum()) == truth.size
    assert result.ece == pytest.approx(0.25)


def test_no_voxels_give_no_figure():
    assert math.isnan(calibration(np.zeros((2, 0)), np.zeros(0, int)).ece)
