"""What people may hand to fuse() by mistake: a defined answer, or one sentence."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import fuse
from NoisyLabelSegLib.fusion.methods import METHODS

RNG = np.random.default_rng(0)
LABELS = (RNG.random((4, 5, 9, 11)) < 0.3).astype(np.uint8)
FULL, EMPTY = np.ones((5, 9, 11), np.uint8), np.zeros((5, 9, 11), np.uint8)

UNUSUAL = {
    "one did not label": [LABELS[0], None, LABELS[2]],
    "all empty": [EMPTY] * 3,
    "all full": [FULL] * 3,
    "one full and one empty": [FULL, EMPTY],
    "one annotator": [LABELS[0]],
    "one of two annotators": [None, LABELS[0]],
    "class 255": [LABELS[0, 0, 0] * 255, LABELS[1, 0, 0] * 255, LABELS[2, 0, 0]],
    "all of class 255": [FULL[0] * 255] * 2,
    "128 classes": RNG.choice([0, 3, 90, 127], (3, 4, 9)),
    "a gap between classes": RNG.choice([0, 7], (4, 5, 9, 11)),
    "bool": LABELS.astype(bool),
    "big-endian": LABELS.astype(">i2"),
    "big-endian floats": LABELS.astype(">f8"),
    "flipped": LABELS[:, ::-1, :, ::-1],
    "Fortran order": np.asfortranarray(LABELS),
    "2D": LABELS[:, 0],
    "1D": LABELS[:, 0, 0],
    "one voxel": LABELS[:, :1, :1, :1],
    "a tie everywhere": [LABELS[0], 1 - LABELS[0]],
    "lists": [[0, 1, 1], [0, 1, 0]],
    "20 annotators": (RNG.random((20, 5, 9)) < 0.3).astype(np.uint8),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", UNUSUAL)
def test_unusual_labels_have_a_defined_answer_and_are_not_changed(name, method):
    labels = UNUSUAL[name]
    arrays = [np.array(array, copy=True) for array in labels if array is not None]
    classes = max(2, int(max(array.max() for array in arrays)) + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fusion = fuse(labels, method)
        probabilities = fusion.probabilities
    assert (fusion.labels.shape, fusion.labels.dtype) == (arrays[0].shape, np.uint8)
    assert probabilities.shape == (classes, *arrays[0].shape)
    np.testing.assert_allclose(probabilities.sum(axis=0), 1, atol=1e-5)
    assert fusion.confusion.shape == (len(labels), classes, classes)
    np.testing.assert_allclose(fusion.confusion.sum(axis=1), 1, atol=1e-9)
    assert fusion.confusion_field(0).shape == (classes, classes, *arrays[0].shape)
    assert all(remark.endswith(".") for remark in fusion.remarks)
    if all(np.array_equal(array, arrays[0]) for array in arrays):
        np.testing.assert_array_equal(fusion.labels, arrays[0])
    after = [np.array(array) for array in labels if array is not None]
    assert all(np.array_equal(one, other) for one, other in zip(arrays, after, strict=True))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([], "Nobody labeled"),
        ([None, None], "Nobody labeled"),
        (5, "not one array per annotator"),
        (None, "not one array per annotator"),
        ("labels.nrrd", "not one array per annotator"),
        (np.array([0, 1, 1]), "single number"),
        (np.zeros((3, 0, 5), np.uint8), "no voxels"),
        ([np.array(["a", "b"])] * 2, "not whole numbers"),
        ([np.array([None, 1])] * 2, "not whole numbers"),
        ([np.array([1j, 1])] * 2, "not whole numbers"),
        ([np.array([np.nan, 1])] * 2, "not whole numbers"),
        ([np.array([-1, 1])] * 2, "not whole numbers"),
        ([np.array([256, 1])] * 2, "not whole numbers"),
    ],
)
def test_what_are_not_labels_is_refused_in_a_sentence(labels, message):
    with pytest.raises(UserError, match=message):
        fuse(labels)


@pytest.mark.parametrize("classes", [1, 257, 2.5, "2", True])
def test_what_is_not_a_number_of_classes_is_refused(classes):
    with pytest.raises(UserError, match="classes cannot be fused"):
        fuse(LABELS, classes=classes)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("weighted-majority", {"power": float("nan")}),
        ("weighted-majority", {"plain_vote": float("inf")}),
        ("weighted-majority", {"power": -1}),
        ("staple", {"prior": [float("inf"), 1]}),
        ("staple", {"tolerance": float("nan")}),
        ("staple", {"caution": -5.0}),
        ("staple", {"max_iterations": 0}),
        ("spatial-staple", {"pseudo_counts": -100}),
        ("lop-staple", {"weights": [float("nan")] * 4}),
        ("simple", {"alpha": float("nan")}),
        ("simple", {"power": -2}),
        ("mean", {"threshold": float("nan")}),
    ],
)
def test_options_that_make_no_sense_are_refused(method, options):
    with pytest.raises(UserError):
        fuse(LABELS, method, **options)


def test_a_reach_beyond_the_image_is_all_of_it():
    """It took as long as there are steps within reach, for ever."""
    far = fuse(LABELS, "spatial-staple", cell=4, reach=1000)
    np.testing.assert_array_equal(far.labels, fuse(LABELS, "spatial-staple", cell=4, reach=3).labels)
