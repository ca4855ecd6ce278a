"""Whole studies: what is written, that jobs and missing labels change nothing they should not."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import numpy as np
import pytest

from NoisyLabelSegLib.cases import read_image, read_labels
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import fuse
from NoisyLabelSegLib.fusion.annotators import COUNTED
from NoisyLabelSegLib.fusion.study import FusionPlan, fuse_study


def test_every_case_is_written_on_its_own_grid(make_study, tmp_path):
    study = make_study()
    fuse_study(study, tmp_path / "out", FusionPlan("spatial-staple", confusion=True))
    for case in study.cases:
        labels = case.all_labels(study.annotators)
        expected = fuse(labels, "spatial-staple")
        truth = read_labels(tmp_path / "out" / case.id / "truth.nrrd")
        probability = read_image(tmp_path / "out" / case.id / "truth_probability.nrrd")
        confusion = read_image(tmp_path / "out" / case.id / "confusion_bob.nrrd")
        np.testing.assert_array_equal(truth.array, expected.labels)
        np.testing.assert_allclose(probability.array, expected.probabilities)
        np.testing.assert_allclose(confusion.array.reshape(2, 2, *truth.array.shape), expected.confusion_field(1))
        assert [case.geometry.differences(image.geometry) for image in (truth, probability, confusion)] == [[], [], []]


def test_the_default_judges_annotators_over_all_cases(make_study, tmp_path):
    study = make_study(cases=4)
    table = fuse_study(study, tmp_path / "out", FusionPlan("staple"))
    stacked = [np.stack([case.labels(name) for case in study.cases]) for name in study.annotators]
    together = fuse(stacked, "staple")
    for number, case in enumerate(study.cases):
        truth = read_labels(tmp_path / "out" / case.id / "truth.nrrd").array
        np.testing.assert_array_equal(truth, together.labels[number])
    assert table.pooled


@pytest.mark.parametrize("method", ["weighted-majority", "staple"])
def test_each_case_says_how_many_of_its_own_voxels_are_tied(make_study, tmp_path, method):
    study = make_study(missing=lambda number, name: name == "cy" and number > 0)
    table = fuse_study(study, tmp_path / "out", FusionPlan(method))
    assert table.pooled
    tied = []
    for case, record in zip(study.cases, table.cases, strict=True):
        shares = fuse(case.all_labels(study.annotators), "mean").probabilities
        voxels = np.count_nonzero(np.abs(shares[1] - 0.5) < 1e-6)
        said = [remark for remark in record.remarks if "equally many votes" in remark]
        assert [remark.split()[1] for remark in said] == ([str(voxels)] if voxels else [])
        tied.append(voxels)
    assert len(set(tied)) > 1


def test_each_case_can_be_judged_by_itself(make_study, tmp_path):
    study = make_study()
    fuse_study(study, tmp_path / "out", FusionPlan(pooled=False))
    for case in study.cases:
        truth = read_labels(tmp_path / "out" / case.id / "truth.nrrd").array
        np.testing.assert_array_equal(truth, fuse(case.all_labels(study.annotators)).labels)


def test_the_table_of_annotators_is_written_for_people_and_programs(make_study, tmp_path):
    study = make_study(missing=lambda number, name: name == "cy" and number > 0)
    fuse_study(study, tmp_path / "out")
    with (tmp_path / "out" / "annotators.csv").open(newline="") as file:
        rows = {row["annotator"]: row for row in csv.DictReader(file)}
    content = json.loads((tmp_path / "out" / "annotators.json").read_text())
    assert [rows[name]["cases"] for name in ("ann", "bob", "cy")] == ["3", "3", "1"]
    assert content["format"] == "noisylabelseg-annotators/1"
    assert content["pooled"] is True
    for entry in content["annotators"]:
        confusion, low, high = (np.array(entry[key]) for key in ("confusion", "confusion_low", "confusion_high"))
        np.testing.assert_allclose(confusion.sum(axis=0), 1)
        assert (low <= confusion + 1e-6).all()
        assert (confusion <= high + 1e-6).all()
        row = rows[entry["annotator"]]
        assert float(row["estimated_sensitivity"]) == pytest.approx(confusion[1, 1], abs=1e-6)
        for key in COUNTED:
            assert float(row[key]) == pytest.approx(entry[key], abs=1e-5)
    assert any("cy did not label" in remark for remark in content["cases"][1]["remarks"])


def test_the_name_of_an_annotator_is_never_a_formula_in_the_table(make_study, tmp_path):
    study = make_study()
    cases = tuple(
        replace(case, annotations={("=cmd" if name == "ann" else name): a for name, a in case.annotations.items()})
        for case in study.cases
    )
    fuse_study(replace(study, annotators=("=cmd", "bob", "cy"), cases=cases), tmp_path / "out")
    with (tmp_path / "out" / "annotators.csv").open(newline="") as file:
        assert [row["annotator"] for row in csv.DictReader(file)] == ["'=cmd", "bob", "cy"]


def test_cases_that_nobody_labeled_are_left_out_and_listed(make_disk_study, tmp_path):
    table = fuse_study(
        make_disk_study(cases=3, case1=["over", "under", "good"]), tmp_path / "out", FusionPlan("majority")
    )
    assert table.left_out == ["case1"]
    assert [case.id for case in table.cases] == ["case0", "case2"]
    assert not (tmp_path / "out" / "case1").exists()


def test_an_annotator_without_labels_is_listed_without_figures(make_study, tmp_path):
    table = fuse_study(make_study(missing=lambda _number, name: name == "cy"), tmp_path / "out")
    row = table.rows()[2]
    assert row["sensitivity"] is None
    assert row["remarks"] == ["cy labeled none of these cases."]


def test_nothing_is_left_when_a_file_is_damaged(make_study, tmp_path):
    study = make_study()
    study.cases[2].annotations["bob"].source.write_bytes(b"NRRD0004\n")
    with pytest.raises(UserError, match=r"bob\.nrrd"):
        fuse_study(study, tmp_path / "out", FusionPlan("majority"))
    assert not (tmp_path / "out").exists()
