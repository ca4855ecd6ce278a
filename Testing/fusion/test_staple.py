"""STAPLE against SimpleITK's numbers, and in the corners where SimpleITK has none."""

from __future__ import annotations

import numpy as np
import pytest
import SimpleITK as sitk

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import fuse


def _noisy(classes: int, shape: tuple[int, ...], errors: tuple[float, ...], seed: int = 1) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = np.zeros(shape, np.uint8)
    for label in range(1, classes):
        truth[2 : 2 + 2 * label, 3 * label : 3 * label + 10, 5:20] = label
    labels = []
    for share in errors:
        wrong = rng.random(shape) < share
        labels.append(np.where(wrong, rng.integers(0, classes, shape), truth).astype(np.uint8))
    return labels


def test_the_itk_setting_gives_the_numbers_of_simpleitk_staple():
    labels = _noisy(2, (9, 31, 33), (0.02, 0.1, 0.3, 0.1))
    fusion = fuse(labels, "staple", compatible="itk")
    rival = sitk.STAPLEImageFilter()
    probability = sitk.GetArrayFromImage(rival.Execute([sitk.GetImageFromArray(array) for array in labels]))
    np.testing.assert_allclose(fusion.probabilities[1], probability, atol=1e-6)
    np.testing.assert_allclose(fusion.confusion[:, 1, 1], rival.GetSensitivity(), atol=1e-9)
    np.testing.assert_allclose(fusion.confusion[:, 0, 0], rival.GetSpecificity(), atol=1e-9)
    np.testing.assert_array_equal(fusion.labels, probability > 0.5)
    assert fusion.iterations == rival.GetElapsedIterations()


@pytest.mark.parametrize("errors", [(0.02, 0.1, 0.3), (0.1, 0.2, 0.3, 0.4)])
def test_the_itk_setting_gives_the_numbers_of_simpleitk_multi_label_staple(errors):
    labels = _noisy(4, (9, 31, 33), errors)
    fusion = fuse(labels, "staple", compatible="itk")
    rival = sitk.MultiLabelSTAPLEImageFilter()
    answer = sitk.GetArrayFromImage(rival.Execute([sitk.GetImageFromArray(array) for array in labels]))
    matrices = [np.reshape(rival.GetConfusionMatrix(index), (5, 4))[:4] for index in range(len(labels))]
    np.testing.assert_array_equal(fusion.labels, answer)
    np.testing.assert_allclose(fusion.confusion, matrices, atol=1e-9)


def test_a_tie_is_undecided_as_in_itk_and_a_remark_says_so():
    labels = np.array([[0, 1, 2, 1], [0, 1, 2, 2]], np.uint8)
    fusion = fuse(labels, "staple", compatible="itk")
    rival = sitk.MultiLabelSTAPLE([sitk.GetImageFromArray(array[None]) for array in labels])
    np.testing.assert_array_equal(fusion.labels, sitk.GetArrayFromImage(rival)[0])
    assert any("undecided and got label 3" in remark for remark in fusion.remarks)


@pytest.mark.parametrize("setting", [{}, {"compatible": "itk"}])
@pytest.mark.parametrize("value", [0, 1])
def test_all_empty_and_all_full_have_an_answer_where_simpleitk_says_nan(value, setting):
    fusion = fuse(np.full((3, 4, 5, 6), value, np.uint8), "staple", **setting)
    assert (fusion.labels == value).all()
    assert (fusion.probabilities[value] == 1).all()
    np.testing.assert_array_equal(fusion.confusion[:, value, value], 1)
    np.testing.assert_array_equal(fusion.confusion[:, :, 1 - value], 0.5)
    assert fusion.remarks


def test_an_annotator_who_errs_is_trusted_less():
    labels = _noisy(2, (9, 31, 33), (0.02, 0.05, 0.4))
    careful, careless = fuse(labels, "staple").confusion[[0, 2], 1, 1]
    assert careful > careless + 0.1


def test_a_missing_annotator_changes_nothing():
    labels = _noisy(2, (9, 31, 33), (0.02, 0.1, 0.3))
    without, with_missing = (fuse(given, "staple") for given in (labels, [labels[0], None, *labels[1:]]))
    np.testing.assert_array_equal(without.labels, with_missing.labels)
    np.testing.assert_allclose(without.confusion, with_missing.confusion[[0, 2, 3]], atol=1e-12)
    np.testing.assert_array_equal(with_missing.confusion[1], 0.5)
    assert any("Annotator 2 did not label" in remark for remark in with_missing.remarks)


def test_the_default_does_not_depend_on_how_far_the_image_extends():
    labels = _noisy(2, (9, 31, 33), (0.02, 0.02, 0.02))
    labels = [array * np.pad(np.ones((5, 20, 20), np.uint8), ((2, 2), (3, 8), (5, 8))) for array in labels]
    wider = [np.pad(array, 20) for array in labels]
    np.testing.assert_array_equal(np.pad(fuse(labels).labels, 20), fuse(wider).labels)


def test_an_unknown_setting_is_refused_with_the_ones_there_are():
    with pytest.raises(UserError, match="disputed, union, itk"):
        fuse(np.zeros((2, 4, 4), np.uint8), "staple", background="none")
    with pytest.raises(UserError, match="compatible"):
        fuse(np.zeros((2, 4, 4), np.uint8), "staple", compatible="vtk")


def test_a_larger_confidence_weight_makes_more_foreground_whatever_the_prior():
    labels = _noisy(2, (9, 31, 33), (0.2, 0.2, 0.2))
    for prior in ("estimated", "votes"):
        few, many = (fuse(labels, "staple", prior=prior, confidence_weight=w).probability(1).sum() for w in (0.5, 2.0))
        assert few < many


def test_a_prior_can_be_given_per_class():
    labels = np.array([[0, 0, 1], [0, 1, 1]], np.uint8)
    rare, common = (fuse(labels, "staple", prior=[1 - p, p]).probability(1)[1] for p in (0.1, 0.9))
    assert rare < 0.5 < common
    with pytest.raises(UserError, match="prior does not fit"):
        fuse(labels, "staple", prior=[1.0])


def test_an_estimation_that_is_cut_short_says_so():
    fusion = fuse(_noisy(2, (9, 31, 33), (0.1, 0.2, 0.3)), "staple", max_iterations=2)
    assert fusion.iterations == 2
    assert not fusion.converged
    assert any("not converged after 2 iterations" in remark for remark in fusion.remarks)


def test_the_itk_setting_gives_simpleitks_numbers_on_real_readers(shared_data):
    """All 60 lung nodules that four radiologists outlined: no label differs."""
    nodules = np.load(shared_data / "lidc_readers" / "readers.npz")
    assert len(nodules) == 60
    for name in nodules:
        labels = [np.ascontiguousarray(nodules[name] >> reader & 1) for reader in range(4)]
        fusion = fuse(labels, "staple", compatible="itk")
        rival = sitk.STAPLEImageFilter()
        probability = sitk.GetArrayFromImage(rival.Execute([sitk.GetImageFromArray(array) for array in labels]))
        np.testing.assert_array_equal(fusion.labels, probability > 0.5)
        np.testing.assert_allclose(fusion.probabilities[1], probability, atol=1e-6)
        np.testing.assert_allclose(fusion.confusion[:, 1, 1], rival.GetSensitivity(), atol=1e-6)
        np.testing.assert_allclose(fusion.confusion[:, 0, 0], rival.GetSpecificity(), atol=1e-6)
