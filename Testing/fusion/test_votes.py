"""The one call that all methods share, and votes that are packed once and fused often."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import METHODS, Votes, fuse

LABELS = np.random.default_rng(5).integers(0, 3, (4, 5, 6, 7)).astype(np.uint8)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_answers_in_the_same_shape(method):
    fusion = fuse(LABELS, method, classes=5)
    assert fusion.labels.shape == (5, 6, 7)
    assert fusion.labels.dtype == np.uint8
    assert fusion.probabilities.shape == (5, 5, 6, 7)
    assert fusion.probabilities.dtype == np.float32
    assert fusion.confusion.shape == (4, 5, 5)
    assert fusion.confusion_field().shape == (4, 5, 5, 5, 6, 7)
    np.testing.assert_allclose(fusion.confusion_field().sum(axis=1), 1, atol=1e-5)
    np.testing.assert_array_equal(fusion.confusion_field(2), fusion.confusion_field()[2])
    np.testing.assert_array_equal(fusion.confusion[:, :, 3:], 0.2)
    assert any("classes 3-4" in remark for remark in fusion.remarks)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_can_leave_annotators_out_without_packing_again(method):
    votes = Votes(LABELS)
    again, anew = votes.fuse(method, annotators=[0, 2, 3]), fuse(LABELS[[0, 2, 3]], method, classes=3)
    np.testing.assert_array_equal(again.labels, anew.labels)
    np.testing.assert_allclose(again.probabilities, anew.probabilities, atol=1e-5)
    np.testing.assert_allclose(again.confusion[[0, 2, 3]], anew.confusion, atol=1e-5)
    np.testing.assert_allclose(again.confusion[1], 1 / 3)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("value", [0, 1, 255])
def test_every_method_has_an_answer_when_all_agree_everywhere(method, value):
    fusion = fuse(np.full((3, 4, 5), value, np.uint8), method)
    assert (fusion.labels == value).all()
    assert np.isfinite(fusion.probabilities).all()
    assert np.isfinite(fusion.confusion).all()


@pytest.mark.parametrize("method", METHODS)
def test_one_annotator_alone_is_right(method):
    fusion = fuse([None, LABELS[0]], method)
    np.testing.assert_array_equal(fusion.labels, LABELS[0])
    assert any("Only one annotator" in remark for remark in fusion.remarks)


@pytest.mark.parametrize("method", METHODS)
def test_label_255_is_a_class_like_any_other(method):
    labels = np.where(LABELS == 2, 255, LABELS)
    high, low = fuse(labels, method), fuse(LABELS, method)
    np.testing.assert_array_equal(high.labels == 255, low.labels == 2)
    assert high.confusion.shape == (4, 256, 256)


@pytest.mark.parametrize("method", METHODS)
def test_what_is_said_where_nobody_looked_does_not_count(method):
    known = [np.zeros((5, 6, 7), bool), None, None, None]
    known[0][:2] = True
    hidden = LABELS.copy()
    hidden[0, 2:] = 0
    first, second = fuse(LABELS, method, known=known), fuse(hidden, method, known=known)
    np.testing.assert_array_equal(first.labels, second.labels)
    np.testing.assert_array_equal(first.confusion, second.confusion)


def test_voxels_that_nobody_looked_at_are_background_and_counted():
    fusion = fuse(np.ones((2, 4, 4), np.uint8), known=[np.arange(16).reshape(4, 4) < 12] * 2)
    np.testing.assert_array_equal(fusion.labels.ravel(), [1] * 12 + [0] * 4)
    assert any("Nobody looked at 4 voxels" in remark for remark in fusion.remarks)


@pytest.mark.parametrize("method", METHODS)
def test_a_case_that_nobody_looked_at_is_background(method):
    fusion = fuse(np.ones((2, 4, 4), np.uint8), method, known=[np.zeros((4, 4), bool)] * 2)
    assert not fusion.labels.any()
    assert (fusion.probabilities[0] == 1).all()
    np.testing.assert_array_equal(fusion.confusion, 0.5)


@pytest.mark.parametrize("dtype", [bool, np.int16, np.float64])
def test_other_number_types_and_layouts_are_taken_as_they_are(dtype):
    labels = (LABELS > 0).astype(dtype)
    turned = np.asfortranarray(labels.transpose(0, 3, 2, 1)).transpose(0, 3, 2, 1)
    before = turned.copy()
    np.testing.assert_array_equal(fuse(turned).labels, fuse((LABELS > 0).astype(np.uint8)).labels)
    np.testing.assert_array_equal(turned, before)


def test_twenty_annotators_and_ten_classes_are_no_special_case():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 10, (12, 12, 12)).astype(np.uint8)
    wrong = rng.random((20, *truth.shape)) < 0.4
    labels = np.where(wrong, rng.integers(0, 10, wrong.shape), truth)
    assert (fuse(labels, classes=10).labels == truth).mean() > 0.99


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", [(5, 6, 7), (66, 66, 70)])
def test_unticking_an_annotator_rewrites_the_screen_to_what_fusing_from_scratch_gives(method, shape):
    labels = np.random.default_rng(6).integers(0, 2, (4, *shape)).astype(np.uint8)
    labels[3] = labels[0]
    votes = Votes(labels)
    first = votes.fuse(method)
    screen = first.labels.copy()
    again, anew = votes.fuse(method, annotators=[0, 1, 2]), fuse(labels[:3], method)
    assert (first.labels != anew.labels).any()
    again.rewrite_labels(screen, first)
    np.testing.assert_array_equal(screen, anew.labels)
    np.testing.assert_allclose(again.probabilities, anew.probabilities, atol=1e-5)
    np.testing.assert_allclose(again.confusion[:3], anew.confusion, atol=1e-5)
    first.rewrite_labels(screen, again)
    np.testing.assert_array_equal(screen, first.labels)


@pytest.mark.parametrize(
    ("labels", "options", "sentence"),
    [
        ([None, None], {}, "Nobody labeled"),
        ([np.zeros((2, 2)), np.zeros((2, 3))], {}, "different sizes"),
        ([np.full((2, 2), 0.5)], {}, "whole numbers"),
        ([np.full((2, 2), 300)], {}, "whole numbers"),
        ([np.full((2, 2), np.nan)], {}, "whole numbers"),
        ([np.zeros((0, 2))], {}, "no voxels"),
        ([np.full((2, 2), 3)], {"classes": 3}, "label 3"),
        ([np.zeros((2, 2))], {"classes": 1}, "1 classes"),
        ([np.zeros((2, 2))], {"method": "magic"}, "no fusion method 'magic'; choose one of mean"),
        ([np.zeros((2, 2))], {"method": "mean", "prior": "flat"}, "Mean has no option 'prior'; it has threshold"),
        ([np.zeros((2, 2))], {"known": [None, None]}, "2 masks for 1"),
        ([np.zeros((2, 2)), None], {"annotators": [1]}, "None of the chosen"),
        ([np.zeros((2, 2))], {"annotators": [7]}, "None of the chosen"),
    ],
)
def test_what_cannot_be_fused_is_refused_in_one_sentence(labels, options, sentence):
    with pytest.raises(UserError, match=sentence):
        fuse(labels, **options)
