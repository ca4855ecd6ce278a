"""Objects of two readers that are the same one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from NoisyLabelSegLib.metrics.detection import Detection, detection
from NoisyLabelSegLib.metrics.runs import connected


def row(*intervals: tuple[int, int]) -> np.ndarray:
    mask = np.zeros((1, 60), bool)
    for start, end in intervals:
        mask[0, start:end] = True
    return mask


def test_hits_misses_and_false_alarms_by_hand() -> None:
    reference, drawn = row((0, 10), (20, 30), (40, 50)), row((2, 10), (28, 38))
    found = detection(connected(reference), connected(drawn))
    assert (found.hits, found.misses, found.false_alarms) == (1, 2, 1)
    assert found.overlap == pytest.approx(0.8)
    assert found.f1 == pytest.approx(2 / 5)
    assert found.panoptic_quality == pytest.approx(0.8 / (1 + 1 + 0.5))


def test_f1_and_panoptic_quality_do_not_depend_on_the_order() -> None:
    first, second = connected(row((0, 10), (20, 30), (40, 50))), connected(row((2, 10), (22, 30)))
    one, other = detection(first, second), detection(second, first)
    assert (one.f1, one.panoptic_quality) == (other.f1, other.panoptic_quality)
    assert (one.misses, one.false_alarms) == (other.false_alarms, other.misses)


def test_below_a_half_each_object_is_still_matched_once_and_best() -> None:
    reference, drawn = row((0, 20)), row((0, 9), (10, 20))
    found = detection(connected(reference), connected(drawn), threshold=0.1)
    assert (found.hits, found.misses, found.false_alarms) == (1, 0, 1)
    assert found.overlap == pytest.approx(0.5)


def test_nothing_drawn_by_either_is_no_evidence() -> None:
    nothing = detection(connected(row()), connected(row()))
    assert math.isnan(nothing.f1)
    assert math.isnan(nothing.panoptic_quality)
    assert (nothing + Detection(2, 1, 1, 1.5)).f1 == pytest.approx(2 / 3)


def test_one_empty_image_finds_nothing() -> None:
    found = detection(connected(row((0, 3), (5, 8))), connected(row()))
    assert (found.hits, found.misses, found.false_alarms, found.f1) == (0, 2, 0, 0)
