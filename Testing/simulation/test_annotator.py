from __future__ import annotations

import numpy as np

from NoisyLabelSegLib.simulation import Scan, SimulatedAnnotator

NESTED = np.zeros((15, 15), dtype=np.uint8)
NESTED[2:13, 2:13] = 1
NESTED[5:10, 5:10] = 2
SCAN = Scan("case", NESTED, (1.0, 1.0), classes=3)


def test_a_thickened_inner_class_takes_from_the_outer_one():
    drawn = SimulatedAnnotator("a", "over", 1.0, target=2).draw(SCAN, 0)
    assert drawn[4, 7] == 2
    assert (drawn > 0).sum() == (NESTED > 0).sum()


def test_a_thinned_inner_class_gives_to_the_outer_one():
    drawn = SimulatedAnnotator("a", "under", 1.0, target=2).draw(SCAN, 0)
    assert drawn[5, 7] == 1
    assert np.array_equal(drawn > 0, NESTED > 0)


def test_a_thinned_outer_class_gives_to_the_nearest_neighbor():
    drawn = SimulatedAnnotator("a", "under", 1.0, target=1).draw(SCAN, 0)
    assert drawn[2, 7] == 0
    assert drawn[4, 7] == 2


def test_without_a_target_the_whole_foreground_grows_and_keeps_its_inside():
    drawn = SimulatedAnnotator("a", "over", 1.0).draw(SCAN, 0)
    assert drawn[1, 7] == 1
    assert np.array_equal(drawn[NESTED > 0], NESTED[NESTED > 0])


def test_without_a_target_a_thinned_foreground_gives_to_the_background():
    drawn = SimulatedAnnotator("a", "under", 1.0).draw(SCAN, 0)
    assert drawn[2, 7] == 0
    assert np.array_equal(drawn == 2, NESTED == 2)


def test_confusing_half_of_two_classes_swaps_half_of_each():
    drawn = SimulatedAnnotator("a", "confuses", 0.5, options={"classes": [1, 2]}).draw(SCAN, 0)
    assert np.array_equal(drawn > 0, NESTED > 0)
    assert abs((drawn[NESTED == 2] == 1).mean() - 0.5) < 0.05
    assert abs((drawn[NESTED == 1] == 2).mean() - 0.5) < 0.05


def test_drawing_leaves_the_truth_alone():
    before = NESTED.copy()
    for kind in ("good", "over", "wrong", "blank"):
        labels = SimulatedAnnotator("a", kind, 1.0).draw(SCAN, 0)
        assert labels.dtype == np.uint8
    assert np.array_equal(NESTED, before)
