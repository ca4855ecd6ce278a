"""Cases as arrays: what is missing, what is remembered, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.training import Settings
from NoisyLabelSegLib.training.source import UNLABELED, StudySource

MakeStudy = Callable[..., Study]


def test_an_annotator_who_did_not_label_leaves_a_gap(make_disk_study: MakeStudy) -> None:
    study = make_disk_study(cases=2, case0=["under"])
    arrays = StudySource(study, study.cases, Settings())[0]
    assert (arrays.labels[1] == UNLABELED).all()
    assert set(np.unique(arrays.labels[[0, 2]])) == {0, 1}
    assert arrays.image.shape == (1, 1, 16, 16)


def test_the_survey_counts_slices_and_marks(make_disk_study: MakeStudy) -> None:
    study = make_disk_study(cases=1, shape=(20, 16, 16))
    (survey,) = StudySource(study, study.cases, Settings()).survey()
    assert survey.slices == 20
    assert 0 < len(survey.marked) < 20
    (sideways,) = StudySource(study, study.cases, Settings(axis=2)).survey()
    assert sideways.slices == 16


def test_cases_stay_in_memory_within_the_budget_only(make_disk_study: MakeStudy) -> None:
    study = make_disk_study(cases=3)
    roomy = StudySource(study, study.cases, Settings())
    assert roomy[0] is roomy[0]
    tight = StudySource(study, study.cases, Settings(memory_gb=4000 / 2**30))
    first = tight[0]
    assert tight[0] is first
    tight[1]
    assert tight[0] is not first


def test_a_channel_missing_in_one_case_is_refused_by_name(make_disk_study: MakeStudy) -> None:
    study = make_disk_study(cases=2)
    image = study.cases[0].images[0]
    first = replace(study.cases[0], images=(image, image))
    with pytest.raises(UserError, match="Case case1 has 1 channel, but case case0 has 2"):
        StudySource(study, [first, study.cases[1]], Settings()).survey()


def test_a_truth_that_is_needed_and_missing_is_refused(make_disk_study: MakeStudy) -> None:
    study = make_disk_study(cases=1)
    case = replace(study.cases[0], truth_source=None)
    for settings in (Settings(target="truth"), Settings(confusion="oracle-cm")):
        with pytest.raises(UserError, match="case0 has no truth"):
            StudySource(study, [case], settings)[0]


@pytest.mark.parametrize("target", ["majority", "mean", "staple", "spatial-staple", "truth"])
def test_every_target_is_a_distribution_over_classes(make_disk_study: MakeStudy, target: str) -> None:
    study = make_disk_study(cases=1, case0=["under"])
    arrays = StudySource(study, study.cases, Settings(target=target))[0]
    assert arrays.target is not None
    np.testing.assert_allclose(arrays.target.sum(axis=0), 1, atol=1e-6)
    if target == "truth":
        np.testing.assert_array_equal(arrays.target[1] > 0.5, study.cases[0].truth()[None] > 0)  # type: ignore[index]
