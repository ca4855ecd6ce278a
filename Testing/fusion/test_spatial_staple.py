"""Spatial STAPLE: skill that depends on place is found, and places without evidence cannot flip."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.fusion import fuse


@pytest.fixture
def halves():
    """Truth and five annotators: two are careful on the left, two others on the right, everyone else careless."""
    rng = np.random.default_rng(4)
    truth = np.zeros((8, 64, 128), np.uint8)
    truth[:, 8:56, 8:56] = truth[:, 8:56, 72:120] = 1
    labels = []
    for annotator in range(5):
        error = np.full(truth.shape, 0.4)
        if annotator in (0, 1):
            error[:, :, :64] = 0.05
        if annotator in (2, 3):
            error[:, :, 64:] = 0.05
        labels.append(truth ^ (rng.random(truth.shape) < error))
    return truth, labels


def test_it_beats_methods_that_know_one_skill_per_annotator(halves):
    truth, labels = halves
    wrong = {name: (fuse(labels, name).labels != truth).mean() for name in ("majority", "staple", "spatial-staple")}
    assert wrong["spatial-staple"] < 0.5 * min(wrong["majority"], wrong["staple"])


def test_the_field_says_where_an_annotator_is_careful(halves):
    _, labels = halves
    field = fuse(labels, "spatial-staple").confusion_field()
    assert field.shape == (5, 2, 2, 8, 64, 128)
    np.testing.assert_allclose(field.sum(axis=1), 1, atol=1e-5)
    assert field[0, 1, 1, 4, 32, 20] > 0.9
    assert field[0, 1, 1, 4, 32, 108] < 0.7
    assert field[2, 1, 1, 4, 32, 20] < 0.7
    assert field[2, 1, 1, 4, 32, 108] > 0.9


def test_the_whole_images_confusion_is_the_mean_over_its_voxels(halves):
    truth, labels = halves
    confusion = fuse(labels, "spatial-staple").confusion
    assert confusion[0, 1, 1] == pytest.approx(labels[0][truth == 1].mean(), abs=0.03)


def test_voxels_that_nobody_marked_stay_background_and_say_so():
    labels = np.zeros((3, 40, 200), np.uint8)
    labels[:, 10:20, 10:20] = 1
    labels[0, 10:20, 20:22] = 1
    fusion = fuse(labels, "spatial-staple")
    np.testing.assert_array_equal(fusion.labels, labels[1])
    assert any("of the cells have no marks" in remark for remark in fusion.remarks)


@pytest.mark.parametrize("shape", [(30,), (30, 33), (9, 20, 21), (3, 4, 9, 10)])
def test_any_number_of_dimensions_and_classes_works(shape):
    labels = np.random.default_rng(0).integers(0, 3, (4, *shape)).astype(np.uint8)
    fusion = fuse(labels, "spatial-staple", cell=5)
    np.testing.assert_allclose(fusion.probabilities.sum(axis=0), 1, atol=1e-5)
    assert fusion.confusion_field(0).shape == (3, 3, *shape)
