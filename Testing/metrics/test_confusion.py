from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.metrics import ConfusionErrors, confusion_errors
from NoisyLabelSegLib.metrics.overlap import CHUNK

TRUTH = np.array([0, 0, 1, 1], dtype=np.uint8)


def real_field(labels: np.ndarray, truth: np.ndarray, classes: int) -> np.ndarray:
    """The real confusion matrices, straight from the definition."""
    field = np.full((classes, classes, *truth.shape), 1 / classes)
    for place in np.ndindex(truth.shape):
        field[(slice(None), truth[place], *place)] = np.eye(classes)[labels[place]]
    return field


def one_hot(labels: np.ndarray, classes: int) -> np.ndarray:
    return np.moveaxis(np.eye(classes)[labels], -1, 0)


def test_perfect_estimates_have_no_error():
    labels = np.array([0, 1, 1, 1], dtype=np.uint8)
    errors = confusion_errors([real_field(labels, TRUTH, 2)], one_hot(TRUTH, 2), TRUTH, [labels])
    assert (errors.cm_rmse, errors.cm_rmse_column, errors.cm_rmse_image) == (0, 0, 0)


def test_uniform_matrices_are_half_wrong_in_the_true_column():
    labels = np.array([0, 1, 1, 1], dtype=np.uint8)
    errors = confusion_errors([np.full((2, 2), 0.5)], TRUTH, TRUTH, [labels])
    assert errors.cm_rmse_column == 0.5
    # column errors are 1/4 on two of four entries, the other columns are right
    assert errors.cm_rmse == pytest.approx(math.sqrt(1 / 8))
    # the real table is [[1/2, 0], [1/2, 1]]: no error in the first column, 1/2 twice in the second
    assert errors.cm_rmse_image == pytest.approx(math.sqrt(2 * 0.25 / 4))


def test_the_identity_is_wrong_where_the_annotator_is():
    labels = np.array([0, 1, 1, 1], dtype=np.uint8)
    errors = confusion_errors([np.eye(2)], TRUTH, TRUTH, [labels])
    assert errors.cm_rmse_column == pytest.approx(math.sqrt(1 / 4))  # one voxel of four, both entries off by one
    assert errors.cm_rmse == pytest.approx(math.sqrt(1 / 8))
    assert errors.cm_rmse_image == pytest.approx(math.sqrt((0.5**2 + 0.5**2) / 4))


def test_swapped_classes_are_as_wrong_as_can_be():
    swap = np.array([[0.0, 1.0], [1.0, 0.0]])
    errors = confusion_errors([swap], TRUTH, TRUTH, [TRUTH])
    assert errors.cm_rmse_column == 1
    assert errors.cm_rmse_image == 1
    assert errors.cm_rmse == pytest.approx(math.sqrt(1 / 2))


def test_an_unsure_truth_moves_the_columns_towards_uniform():
    """One voxel, truth 0, label 0, identity, p = (0.8, 0.2): columns (0.9, 0.1) and (0.4, 0.6)."""
    errors = confusion_errors([np.eye(2)], np.array([[0.8], [0.2]]), np.array([0]), [np.array([0])])
    assert errors.cm_rmse == pytest.approx(math.sqrt((0.1**2 + 0.1**2 + 0.1**2 + 0.1**2) / 4))
    assert errors.cm_rmse_column == 0


def test_the_image_error_weights_voxels_by_their_probability():
    """p(1) is 0.25 and 0.75; a_11 is 0 and 1 there, so the image's a_11 is 0.75; only class 1 occurs in the truth."""
    truth, labels = np.array([1, 1]), np.array([1, 1])
    field = np.array([[[1.0, 1.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 1.0]]])
    p = np.array([[0.75, 0.25], [0.25, 0.75]])
    errors = confusion_errors([field], p, truth, [labels])
    assert errors.image_entries == 2
    assert errors.cm_rmse_image == pytest.approx(0.25)


def test_three_classes_follow_the_definition_voxel_by_voxel():
    random = np.random.default_rng(1)
    shape = (3, 4, 5)
    truth, labels = random.integers(0, 3, (2, *shape), dtype=np.uint8)
    field, p = random.random((3, 3, *shape)), random.random((3, *shape))
    field, p = field / field.sum(axis=0), p / p.sum(axis=0)
    real = real_field(labels, truth, 3)
    canonical = p * field + (1 - p) / 3
    columns = np.take_along_axis(field - real, truth[None, None], axis=1)
    table = np.array([[(labels[truth == j] == i).mean() for j in range(3)] for i in range(3)])
    mean = (p * field).sum(axis=(2, 3, 4)) / p.sum(axis=(1, 2, 3))
    errors = confusion_errors([field], p, truth, [labels])
    assert errors.cm_rmse == pytest.approx(math.sqrt(((canonical - real) ** 2).mean()))
    assert errors.cm_rmse_column == pytest.approx(math.sqrt((columns**2).mean()))
    assert errors.cm_rmse_image == pytest.approx(math.sqrt(((mean - table) ** 2).mean()))


def test_a_missing_annotator_changes_nothing():
    labels = np.array([0, 1, 1, 1], dtype=np.uint8)
    alone = confusion_errors([np.eye(2)], TRUTH, TRUTH, [labels])
    assert confusion_errors([np.eye(2), np.eye(2)], TRUTH, TRUTH, [labels, None]) == alone


def test_annotators_and_cases_are_pooled_by_voxels():
    right = confusion_errors([np.eye(2)], TRUTH, TRUTH, [TRUTH])
    wrong = confusion_errors([np.eye(2)], TRUTH, TRUTH, [1 - TRUTH])
    assert (right + wrong).cm_rmse_column == pytest.approx(math.sqrt(1 / 2))
    assert confusion_errors([np.eye(2)] * 2, TRUTH, TRUTH, [TRUTH, 1 - TRUTH]) == right + wrong


def test_without_labels_there_is_no_figure():
    assert math.isnan(ConfusionErrors().cm_rmse)
    assert math.isnan(confusion_errors([np.eye(2)], TRUTH, TRUTH, [None]).cm_rmse_image)


def test_one_matrix_for_the_image_equals_a_field_of_it():
    random = np.random.default_rng(2)
    truth, labels = random.integers(0, 2, (2, CHUNK + 3), dtype=np.uint8)
    matrix = np.array([[0.9, 0.3], [0.1, 0.7]], dtype=np.float32)
    field = np.broadcast_to(matrix[..., None], (2, 2, truth.size))
    whole = confusion_errors([matrix], truth, truth, [labels])
    assert confusion_errors([field], one_hot(truth, 2), truth, [labels]).cm_rmse == pytest.approx(whole.cm_rmse)
    rate = np.mean((np.eye(2)[labels] - matrix.T[truth]) ** 2)
    assert whole.cm_rmse_column == pytest.approx(math.sqrt(rate), rel=1e-5)


def test_the_estimates_are_left_as_they_were():
    field = np.broadcast_to(np.eye(2, dtype=np.float32)[..., None], (2, 2, 4)).copy()
    before = field.copy()
    confusion_errors([field], TRUTH, TRUTH, [1 - TRUTH])
    assert np.array_equal(field, before)


def test_a_label_beyond_the_matrices_is_refused():
    with pytest.raises(UserError, match="above 1"):
        confusion_errors([np.eye(2)], TRUTH, TRUTH, [TRUTH + 1])


def test_reference_figures_on_the_papers_own_annotators(shared_data):
    data = np.load(shared_data / "mnist-paper-annotators" / "mnist_paper_annotators.npz")
    truth = (data["gt"] > 10).astype(np.uint8)
    labels = np.stack([data["over"], data["under"], data["wrong"], truth])
    uniform = confusion_errors([np.full((2, 2), 0.5)] * 4, truth, truth, labels)
    identity = confusion_errors([np.eye(2)] * 4, truth, truth, labels)
    assert uniform.cm_rmse_column == 0.5
    assert identity.cm_rmse_column == pytest.approx(0.3405, abs=0.0001)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(2, 4))
def test_errors_do_not_depend_on_the_order_of_annotators_and_lie_between_0_and_1(seed, annotators, classes):
    random = np.random.default_rng(seed)
    truth = random.integers(0, classes, (2, 3))
    labels = random.integers(0, classes, (annotators, 2, 3))
    field, p = random.random((annotators, classes, classes, 2, 3)), random.random((classes, 2, 3))
    field, p = field / field.sum(axis=1, keepdims=True), p / p.sum(axis=0)
    errors = confusion_errors(field, p, truth, labels)
    turned = confusion_errors(field[::-1], p, truth, labels[::-1])
    for key in ("cm_rmse", "cm_rmse_column", "cm_rmse_image"):
        assert 0 <= getattr(errors, key) <= 1
        assert getattr(turned, key) == pytest.approx(getattr(errors, key))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4))
def test_the_real_matrices_with_the_true_p_have_no_error(seed, classes):
    truth, labels = np.random.default_rng(seed).integers(0, classes, (2, 3, 4))
    errors = confusion_errors([real_field(labels, truth, classes)], one_hot(truth, classes), truth, [labels])
    assert (errors.cm_rmse, errors.cm_rmse_column, errors.cm_rmse_image) == pytest.approx((0, 0, 0), abs=1e-6)
