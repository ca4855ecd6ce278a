"""Where the truth comes from: a folder, a fusion method, or the study."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, Study, write_components, write_labels
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.study import FusionPlan, fuse_study
from NoisyLabelSegLib.review.truths import truth_source


def test_the_study_knows_its_own_truth(small_study: Study) -> None:
    case = small_study.cases[0]
    truth = truth_source("study", small_study)(case)
    assert truth is not None
    np.testing.assert_array_equal(truth.labels, case.truth())


def test_a_study_without_a_truth_says_what_to_do(small_study: Study) -> None:
    bare = replace(small_study, cases=[replace(case, truth_source=None) for case in small_study.cases])
    with pytest.raises(UserError, match="The study secret study names no truth; give --truth majority"):
        truth_source("study", bare)


def test_a_folder_without_a_truth_of_this_study_is_named(small_study: Study, tmp_path: Path) -> None:
    (tmp_path / "loose").mkdir()
    with pytest.raises(UserError, match=r"loose: has no truth for any case of the study; .* such as PATIENT-0/ with"):
        truth_source(str(tmp_path / "loose"), small_study)


def test_a_method_fuses_on_the_fly(small_study: Study) -> None:
    case = small_study.cases[3]  # labeled by the careful one and the wide one only
    truth = truth_source("majority", small_study)(case)
    assert truth is not None
    np.testing.assert_array_equal(truth.labels, case.labels("careful"))
    assert truth.confusion("wide") is None


@pytest.mark.parametrize("method", ["staple", "majority", "spatial-staple"])
def test_a_method_gives_the_truth_that_fuse_would_have_written(small_study: Study, tmp_path: Path, method: str) -> None:
    fuse_study(small_study, tmp_path / "fused", FusionPlan(method))
    on_the_fly, stored = truth_source(method, small_study), truth_source(str(tmp_path / "fused"), small_study)
    for case in small_study.cases:
        one, other = on_the_fly(case), stored(case)
        assert one is not None
        assert other is not None
        np.testing.assert_array_equal(one.labels, other.labels)


def test_spatial_staple_brings_a_confusion_field(small_study: Study) -> None:
    case = small_study.cases[0]
    truth = truth_source("spatial-staple", small_study)(case)
    assert truth is not None
    assert truth.probabilities is not None
    field = truth.confusion("wide")
    assert field is not None
    assert field.shape == (2, 2, *case.geometry.shape)


def test_a_folder_may_hold_labels_probabilities_and_confusion(small_study: Study, tmp_path: Path) -> None:
    case = small_study.cases[0]
    place, shape = tmp_path / "truths" / case.id, case.geometry.shape
    probability = np.zeros((2, *shape), np.float32)
    probability[1, 5, 10:20, 10:20] = 0.8
    probability[0] = 1 - probability[1]
    write_components(place / "truth_probability.nrrd", probability, case.geometry)
    confusion = np.broadcast_to(np.array([0.9, 0.2, 0.1, 0.8]).reshape(4, 1, 1, 1), (4, *shape))
    write_components(place / "confusion_wide.nrrd", confusion, case.geometry)
    source = truth_source(str(tmp_path / "truths"), small_study)
    truth = source(case)
    assert truth is not None
    assert truth.labels.sum() == 100
    field = truth.confusion("wide")
    assert field is not None
    np.testing.assert_allclose(field[:, :, 0, 0, 0], [[0.9, 0.2], [0.1, 0.8]])
    assert truth.confusion("careful") is None
    assert source(small_study.cases[1]) is None


def test_a_truth_on_another_grid_is_refused(small_study: Study, tmp_path: Path) -> None:
    case = small_study.cases[0]
    write_labels(tmp_path / case.id / "truth.nrrd", np.zeros((3, 4, 5)), Geometry.plain((3, 4, 5)))
    with pytest.raises(UserError, match=r"truth\.nrrd: is not on the grid of case PATIENT-0: .*; make the truth anew"):
        truth_source(str(tmp_path), small_study)(case)


def test_probabilities_of_other_classes_are_refused(small_study: Study, tmp_path: Path) -> None:
    case = small_study.cases[0]
    write_components(tmp_path / case.id / "truth_probability.nrrd", np.zeros((3, *case.geometry.shape)), case.geometry)
    with pytest.raises(UserError, match="3 components per voxel, not 2"):
        truth_source(str(tmp_path), small_study)(case)


def test_anything_else_is_explained(small_study: Study) -> None:
    with pytest.raises(UserError, match=r"'voodoo' is neither a folder of truths nor a fusion method.*staple"):
        truth_source("voodoo", small_study)
