"""The error map is the contract that everything else shows."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.review import ErrorCode, error_map, error_map_of_class, expected_errors


def test_every_code_stands_where_it_must() -> None:
    truth = np.array([[0, 1, 1, 0, 2]], dtype=np.uint8)
    drawn = np.array([[0, 1, 0, 1, 1]], dtype=np.uint8)
    codes = error_map(drawn, truth)
    assert codes.tolist() == [[0, 1, 2, 3, 4]]
    assert codes.dtype == np.uint8
    assert [ErrorCode(code).name for code in codes[0]] == [
        "TRUE_NEGATIVE",
        "TRUE_POSITIVE",
        "FALSE_NEGATIVE",
        "FALSE_POSITIVE",
        "WRONG_CLASS",
    ]


def test_a_class_alone_is_right_wrong_missed_or_too_much() -> None:
    truth = np.array([0, 1, 1, 2, 2], dtype=np.uint8)
    drawn = np.array([1, 1, 2, 1, 2], dtype=np.uint8)
    assert error_map_of_class(drawn, truth, 1).tolist() == [3, 1, 2, 3, 0]
    assert error_map_of_class(drawn, truth, 2).tolist() == [0, 0, 3, 2, 1]


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4)])
def test_labels_up_to_255_in_two_and_three_dimensions(shape: tuple[int, ...]) -> None:
    truth = np.full(shape, 255, dtype=np.uint8)
    assert (error_map(truth, truth) == ErrorCode.TRUE_POSITIVE).all()
    assert (error_map(np.full(shape, 254, np.uint8), truth) == ErrorCode.WRONG_CLASS).all()


def test_expected_errors_follow_the_formula() -> None:
    confusion = np.array([[0.9, 0.3, 0.1], [0.08, 0.6, 0.2], [0.02, 0.1, 0.7]])
    probability = np.array([0.5, 0.3, 0.2])[:, None]
    expected = expected_errors(confusion, probability)
    assert expected.shape == (3, 1)
    assert expected.dtype == np.float32
    np.testing.assert_allclose(expected[:, 0], [0.5 * 0.1, 0.3 * 0.3 + 0.1 * 0.2, 0.1 * 0.3 + 0.2 * 0.2], rtol=1e-6)


def test_a_confusion_field_may_differ_from_voxel_to_voxel() -> None:
    field = np.zeros((2, 2, 2))
    field[..., 0] = np.eye(2)
    field[..., 1] = [[0.5, 0.25], [0.5, 0.75]]
    expected = expected_errors(field, np.array([[0.4, 0.4], [0.6, 0.6]]))
    np.testing.assert_allclose(expected, [[0, 0.2], [0, 0.15], [0, 0]], atol=1e-7)
