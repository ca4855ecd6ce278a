from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.metrics import dice, dice_per_class, iou_of_counts, joint_counts


def test_half_overlapping_labels_score_one_half():
    prediction, truth = np.array([1, 1, 0, 0]), np.array([0, 1, 1, 0])
    assert dice(prediction, truth) == 0.5
    assert iou_of_counts(joint_counts(prediction, truth, 2)).tolist() == [1 / 3]


def test_equal_labels_score_one():
    labels = np.array([[0, 1], [2, 1]], dtype=np.uint8)
    assert dice_per_class(labels, labels, 3).tolist() == [1, 1]


def test_three_classes_are_scored_one_by_one():
    prediction = np.array([0, 1, 1, 2, 2, 2])
    truth = np.array([0, 1, 2, 2, 2, 1])
    assert dice_per_class(prediction, truth, 3).tolist() == [2 * 1 / 4, 2 * 2 / 6]


def test_swapped_classes_score_zero():
    truth = np.array([0, 1, 1, 0])
    assert dice(1 - truth, truth) == 0


def test_a_class_empty_in_both_scores_one():
    empty = np.zeros(4, dtype=np.uint8)
    assert dice(empty, empty) == 1
    assert dice_per_class(np.array([0, 1]), np.array([0, 1]), 3).tolist() == [1, 1]


def test_a_class_empty_in_one_scores_zero():
    assert dice(np.zeros(4, dtype=np.uint8), np.array([0, 0, 1, 0])) == 0


def test_the_background_never_counts():
    prediction, truth = np.array([1] + [0] * 1000), np.array([0] * 1000 + [1])
    assert dice(prediction, truth) == 0


def test_labels_of_255_do_not_overflow():
    labels = np.array([0, 255, 255, 1], dtype=np.uint8)
    assert dice_per_class(labels, labels, 256).tolist() == [1] * 255


def test_a_real_pair_has_the_dice_of_the_formula(shared_data):
    data = np.load(shared_data / "mnist-paper-annotators" / "mnist_paper_annotators.npz")
    truth = data["gt"] > 10
    scores = [[dice(data[name][k], truth[k]) for k in range(len(truth))] for name in ("over", "under", "wrong")]
    assert np.mean(scores, axis=1) == pytest.approx([0.652, 0.326, 0.658], abs=0.0005)
