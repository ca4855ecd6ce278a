"""A reference set: what curated truth and experience change, counted by hand and on disks."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.fusion import Votes
from NoisyLabelSegLib.inference import load_model
from NoisyLabelSegLib.metrics import dice
from NoisyLabelSegLib.training import Settings, train_study
from NoisyLabelSegLib.training.cases import split_cases, study_digest
from NoisyLabelSegLib.training.objectives.curated import LEFT, with_curated
from NoisyLabelSegLib.training.preparation import prepare
from NoisyLabelSegLib.training.reference_set import Knowledge, errors_against, experience_factors
from NoisyLabelSegLib.training.reliability import LabelSummary

MakeStudy = Callable[..., Study]
SMALL = Settings(widths=(8, 16), epochs=40, batch=6, device="cpu", learning_rate=5e-3, restarts=0, start_unused=False)
NAMES = ("anna", "bert", "carla")


def curated(case: Case) -> Case:
    return replace(case, provenance={"curated": True})


def test_errors_are_counted_where_label_and_truth_are_known() -> None:
    labels = np.array([[0, 1, 1, 0], [-1, -1, -1, -1], [0, 1, 0, 0]], dtype=np.int16)
    wrong, marked = errors_against(labels, np.array([0, 1, 0, -1], dtype=np.int16))
    assert wrong.tolist() == [1, 0, 0]
    assert marked.tolist() == [2, 0, 1]


def test_who_errs_less_against_curated_truth_weighs_more_and_who_was_not_judged_the_mean() -> None:
    errors = np.array([[0.0, 4.0, 0.0], [10.0, 10.0, 0.0]])
    knowledge = Knowledge.of([errors, None], NAMES, {}, 0.5)
    assert knowledge.curated == (True, False)
    good, bad, unjudged = knowledge.weights.tolist()
    assert good / bad == pytest.approx((0.4 + 0.3) / (0.0 + 0.3), rel=1e-3)
    assert unjudged == pytest.approx((good + bad) / 2, rel=1e-3)


def test_nobody_has_more_than_half_of_the_weight() -> None:
    errors = np.array([[0.0, 100.0, 100.0], [100.0, 100.0, 100.0]])
    first, *rest = Knowledge.of([errors], NAMES, {"anna": 80, "bert": 0, "carla": 0}, 1.0).weights.tolist()
    assert first == pytest.approx(sum(rest), rel=1e-4)


def test_experience_raises_a_weight_by_its_power_and_who_is_not_listed_has_the_mean() -> None:
    factors = experience_factors(NAMES, {"anna": 8, "bert": 0}, 0.5).tolist()
    assert factors == pytest.approx([3 / 2, 1 / 2, 1])
    assert experience_factors(NAMES, {}, 0.5).tolist() == [1, 1, 1]
    assert experience_factors(NAMES, {"anna": 8, "bert": 0}, 0).tolist() == [1, 1, 1]


def test_curated_errors_and_experience_enter_the_reliability_weights() -> None:
    rows = [np.array(row, dtype=np.uint8) for row in ([0, 1, 1, 0], [0, 1, 0, 0], [0, 0, 1, 0])]
    table = Votes(rows, classes=2).table
    plain = LabelSummary.of([table], 2)
    assert plain.prior is None
    judged = Knowledge.of([np.array([[9.0, 0.0, 0.0], [9.0, 9.0, 9.0]])], NAMES, {}, 0.5)
    assert LabelSummary.of([table], 2, judged).weights[0] < plain.weights[0]
    experienced = Knowledge.of([None], NAMES, {"carla": 24, "anna": 0, "bert": 0}, 0.5)
    assert LabelSummary.of([table], 2, experienced).weights[2] > plain.weights[2]


def test_the_curated_truth_takes_the_place_of_p_where_it_is_known() -> None:
    log_truth = torch.full((1, 3, 2), 1 / 3).log()
    found = with_curated(log_truth, torch.tensor([[2, -1]])).exp()[0]
    assert found[:, 0].tolist() == pytest.approx([LEFT / 2, LEFT / 2, 1 - LEFT], rel=1e-3)
    assert found[:, 1].tolist() == pytest.approx([1 / 3] * 3)


def test_truth_that_is_not_marked_as_curated_is_not_used(make_disk_study: MakeStudy) -> None:
    study = make_disk_study(cases=3)
    assert all(case.truth() is not None for case in study.cases)
    data = prepare(study, split_cases(study, SMALL), SMALL)
    assert [survey.errors for survey in data.surveys] == [None] * 3
    assert (data.source[0].truth < 0).all()
    assert data.labels.prior is None


def test_marked_as_curated_it_is_used_and_can_be_turned_off(make_disk_study: MakeStudy) -> None:
    plain = make_disk_study(cases=3)
    study = replace(plain, cases=(curated(plain.cases[0]), *plain.cases[1:]))
    data = prepare(study, split_cases(study, SMALL), SMALL)
    assert np.array_equal(data.source[0].truth[0], plain.cases[0].truth())
    assert (data.source[1].truth < 0).all()
    assert data.labels.prior is not None
    assert data.labels.prior.argmax() == study.annotators.index("good")
    off = replace(SMALL, curated=0.0)
    assert (prepare(study, split_cases(study, off), off).source[0].truth < 0).all()


def test_a_case_with_curated_truth_needs_no_labels(make_disk_study: MakeStudy) -> None:
    plain = make_disk_study(cases=3)
    study = replace(plain, cases=(replace(curated(plain.cases[0]), annotations={}), *plain.cases[1:]))
    assert len(split_cases(study, SMALL).train) == 3
    assert len(split_cases(study, replace(SMALL, curated=0.0)).train) == 2


@pytest.mark.parametrize("target", ["majority", "mean", "staple", "agreed"])
def test_targets_of_other_learners_are_the_curated_truth_where_there_is_one(
    make_disk_study: MakeStudy, target: str
) -> None:
    plain = make_disk_study(cases=2)
    study = replace(plain, cases=(replace(curated(plain.cases[0]), annotations={}), plain.cases[1]))
    settings = replace(SMALL, target=target)
    found = prepare(study, split_cases(study, settings), settings).source[0].target
    assert found is not None
    assert np.array_equal(found[1, 0] > 0.5, np.asarray(plain.cases[0].truth()) > 0)


def test_a_resumed_run_notices_another_reference_set_and_old_runs_are_as_they_were(make_disk_study: MakeStudy) -> None:
    plain = make_disk_study(cases=2)
    marked = replace(plain, cases=(curated(plain.cases[0]), plain.cases[1]))
    experienced = replace(plain, extra={"experience": {"good": 5}})
    assert len({study_digest(study) for study in (plain, marked, experienced)}) == 3
    assert study_digest(plain) == study_digest(replace(plain, extra={"experience": {}}))


def test_curated_cases_bring_the_truth_that_noisy_labels_hide(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    """Every case has one label, which is too wide; two cases have a curated truth as well."""
    plain = make_disk_study(cases=6)
    noisy = [replace(case, annotations={"over": case.annotations["over"]}) for case in plain.cases]
    tested = plain.cases[5]
    scores = []
    for cases in (noisy[:5], [curated(noisy[0]), curated(noisy[1]), *noisy[2:5]]):
        study = replace(plain, annotators=("over",), cases=tuple(cases))
        model = load_model(train_study(study, tmp_path / f"run{len(scores)}", SMALL).package, "cpu")
        assert model.card.provenance.get("curatedCases", 0) == sum(case.curated for case in cases)
        scores.append(dice(model.predict(tested).truth, np.asarray(tested.truth()), 2))
    assert scores[1] > scores[0] + 0.02


def test_the_mark_and_the_experience_are_in_the_study_file(make_disk_study: MakeStudy) -> None:
    plain = make_disk_study(cases=2)
    study = replace(plain, cases=(curated(plain.cases[0]), plain.cases[1]), extra={"experience": {"good": 12.5}})
    study.write(force=True)
    content = json.loads((study.folder / "study.json").read_text(encoding="utf-8"))
    assert content["cases"][0]["truth"]["curated"] is True
    again = Study.read(study.folder)
    assert [case.curated for case in again.cases] == [True, False]
    assert again.experience == {"good": 12.5}
