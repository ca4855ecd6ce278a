"""The weighted majority vote by hand, on the demo case, and where votes cannot tell."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import DEFAULT, fuse
from NoisyLabelSegLib.fusion.weighted_majority import capped
from NoisyLabelSegLib.metrics import dice
from NoisyLabelSegLib.simulation import SimulationSettings, phantom_recipe, simulate_study

METHOD = "weighted-majority"


def test_it_is_the_default():
    assert DEFAULT == METHOD


def test_weights_are_the_squared_dice_to_the_plain_vote():
    """The vote is 1 1 0 0: Dice 1, 1 and 0.5, so the weights are 1, 1 and 0.25, and the plain vote has 0.2."""
    labels = [[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 0, 1]]
    fusion = fuse(labels, METHOD, sharpness=1)
    second, last = (2 / 2.25 + 0.2) / 1.2, 0.25 / 2.25 / 1.2
    np.testing.assert_allclose(fusion.probability(1), [1, second, 0, last], atol=1e-6)
    assert fusion.labels.tolist() == [1, 1, 0, 0]
    sharper = fuse(labels, METHOD, sharpness=2).probability(1)[1]
    assert sharper == pytest.approx(second**2 / (second**2 + (1 - second) ** 2))


def test_nobody_has_more_than_half_of_the_weight():
    np.testing.assert_allclose(capped(np.array([9.0, 2.0, 1.0])), [3, 2, 1])
    np.testing.assert_allclose(capped(np.array([9.0, 2.0, 0.0])), [2, 2, 0])
    np.testing.assert_allclose(capped(np.array([0.0, 2.0, 0.0])), [0, 2, 0])
    np.testing.assert_allclose(capped(np.array([[3.0, 2.0, 2.0]])), [[3, 2, 2]])


@pytest.mark.parametrize("power", [0, 2, 50])
def test_a_single_annotator_never_decides_against_the_two_others(power):
    labels = np.random.default_rng(3).integers(0, 2, (3, 9, 10, 11)).astype(np.uint8)
    np.testing.assert_array_equal(fuse(labels, METHOD, power=power).labels, fuse(labels, "majority").labels)


def test_two_annotators_of_five_who_agree_with_the_vote_overrule_three_who_do_not():
    """Two see the whole object; one sees a fifth of it, one sees it elsewhere, one sees nothing."""
    truth = np.r_[np.ones(10), np.zeros(20)].astype(np.uint8)
    small = np.r_[np.ones(2), np.zeros(28)].astype(np.uint8)
    partly = np.r_[np.zeros(2), np.ones(6), np.zeros(22)].astype(np.uint8)
    labels = [truth, truth, small, partly, np.zeros_like(truth)]
    assert fuse(labels, "majority").labels.sum() == 8
    np.testing.assert_array_equal(fuse(labels, METHOD).labels, truth)


def test_outline_and_class_are_decided_by_different_annotators():
    """Annotator 3 takes class 1 for class 2 but draws the outline of the vote; annotator 4 draws too much."""
    labels = np.array([[1, 1, 1, 2, 2, 0], [1, 1, 1, 2, 2, 0], [2, 2, 2, 1, 1, 0], [1, 1, 1, 2, 2, 2]], np.uint8)
    assert fuse(labels, METHOD).labels.tolist() == [1, 1, 1, 2, 2, 0]


def test_where_two_stand_against_two_the_probability_is_a_half_and_a_remark_says_so():
    labels = np.array([[1, 1, 1, 0], [1, 1, 1, 0], [1, 1, 0, 0], [1, 1, 0, 0]], np.uint8)
    fusion = fuse(labels, METHOD)
    assert fusion.probability(1)[2] == pytest.approx(0.5, abs=0.1)
    assert any("In 1 voxel" in remark and "cannot tell" in remark for remark in fusion.remarks)
    assert not any("cannot tell" in remark for remark in fuse(labels[:3], METHOD).remarks)


def test_two_annotators_who_differ_are_not_told_apart():
    fusion = fuse([[1, 1, 0, 0, 0], [1, 1, 1, 1, 0]], METHOD)
    np.testing.assert_allclose(fusion.probability(1), [1, 1, 0.5, 0.5, 0])
    assert fusion.labels.tolist() == [1, 1, 0, 0, 0]


@pytest.mark.parametrize("option", [{"power": -1}, {"plain_vote": -0.1}, {"sharpness": 0}])
def test_a_negative_option_is_refused(option):
    with pytest.raises(UserError, match="must not be negative"):
        fuse([[0, 1], [1, 1]], METHOD, **option)


def test_on_the_demo_case_the_good_annotator_comes_first_and_the_truth_is_close(tmp_path):
    """The case that the panel's button opens: widget.opening has this seed and size."""
    settings = SimulationSettings(cases=1, seed=1, size=(96, 96, 24))
    case = simulate_study(phantom_recipe("lesions", settings), tmp_path / "demo", settings).study.cases[0]
    labels = {name: case.labels(name) for name in case.annotators}
    fused = fuse(list(labels.values())).labels
    assert dice(fused, case.truth()) >= 0.95
    scores = {name: dice(array, fused) for name, array in labels.items()}
    assert max(scores, key=lambda name: scores[name]) == "good"
