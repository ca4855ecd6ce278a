"""What `export` writes for other tools, `import folder` reads back as the same study."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.cli import main


@pytest.fixture
def study(make_disk_study: Callable[..., Study]) -> Study:
    """Two channels, a split, a date, a name that file names change, and an annotator who did not label one case."""
    made = make_disk_study(cases=3, shape=(4, 16, 16), channels=2, case1=["over"])
    cases = [replace(case, split=split) for case, split in zip(made.cases, ("train", "train", "test"), strict=True)]
    dated = {name: replace(annotation, date="2026-03-01") for name, annotation in cases[0].annotations.items()}
    cases[0] = replace(cases[0], id="case 0_a", annotations=dated)
    replace(made, cases=tuple(cases)).write(force=True)
    return Study.read(made.folder)


def there_and_back(study: Study, folder: Path, *options: str) -> Study:
    assert main(["export", options[0], str(study.folder), "--out", str(folder / "there"), *options[1:]]) == 0
    assert main(["import", "folder", str(folder / "there"), "--out", str(folder / "back")]) == 0
    return Study.read(folder / "back")


def assert_same(found: Case, expected: Case) -> None:
    assert not found.geometry.differences(expected.geometry)
    np.testing.assert_array_equal(found.image(), expected.image())
    assert set(found.annotators) == set(expected.annotators)
    for name in expected.annotators:
        np.testing.assert_array_equal(found.labels(name), expected.labels(name))


def test_a_study_comes_back_from_nnunet_with_its_readers(study: Study, tmp_path: Path) -> None:
    back = there_and_back(study, tmp_path, "nnunet", "--targets", "readers")
    assert (back.name, back.classes, set(back.annotators)) == (study.name, study.classes, set(study.annotators))
    assert len(back.cases) == len(study.cases)
    for case in study.cases:
        assert_same(back.case(case.id), case)
        assert back.case(case.id).split == case.split


@pytest.mark.parametrize("targets", ["truth", "soft"])
def test_the_truth_comes_back_from_nnunet_as_the_only_labels(targets: str, study: Study, tmp_path: Path) -> None:
    back = there_and_back(study, tmp_path, "nnunet", "--truth", "study", "--targets", targets)
    assert back.annotators == ("labels",)
    for case in study.cases:
        np.testing.assert_array_equal(back.case(case.id).labels("labels"), case.truth())


def test_a_study_comes_back_from_bids_with_readers_truth_and_dates(study: Study, tmp_path: Path) -> None:
    back = there_and_back(study, tmp_path, "bids", "--truth", "study")
    assert (back.name, back.classes, set(back.annotators)) == (study.name, study.classes, set(study.annotators))
    for case in study.cases:
        assert_same(back.case(case.id), case)
        np.testing.assert_array_equal(back.case(case.id).truth(), case.truth())
    assert back.case("case 0_a").annotations["over"].date == "2026-03-01"


@pytest.fixture
def alike(study: Study) -> Study:
    """The same with annotators whose names would be spelled alike in names of files."""
    names = dict(zip(study.annotators, ("Dr. A/B", "Dr. A:B", "dr a b"), strict=True))
    cases = [
        replace(case, annotations={names[name]: entry for name, entry in case.annotations.items()})
        for case in study.cases
    ]
    replace(study, annotators=tuple(names.values()), cases=tuple(cases)).write(force=True)
    return Study.read(study.folder)


@pytest.mark.parametrize("options", [("nnunet", "--targets", "readers"), ("bids",)], ids=["nnunet", "bids"])
def test_readers_whose_names_would_be_spelled_alike_stay_apart(
    options: tuple[str, ...], alike: Study, tmp_path: Path
) -> None:
    back = there_and_back(alike, tmp_path, *options)
    for case in alike.cases:
        assert_same(back.case(case.id), case)
    assert {path.parent.name for path in (tmp_path / "back").rglob("labels_*")} == {case.id for case in alike.cases}


def test_each_of_them_has_files_and_a_report(alike: Study, tmp_path: Path) -> None:
    assert main(["review", str(alike.folder), "--truth", "staple", "--out", str(tmp_path / "review")]) == 0
    reports = {path.name for path in (tmp_path / "review").glob("report_*.html")}
    assert reports == {"report_Dr. A_B.html", "report_Dr. A_B-2.html", "report_dr a b.html"}
    assert "report_Dr.%20A_B-2.html" in (tmp_path / "review" / "report.html").read_text(encoding="utf-8")
    files = json.loads((tmp_path / "review" / "case2" / "files.json").read_text(encoding="utf-8"))["files"]
    owners = {entry["file"]: entry["annotator"] for entry in files}
    assert owners["errors_Dr. A_B.nrrd"] == "Dr. A/B"
    assert owners["errors_Dr. A_B-2.nrrd"] == "Dr. A:B"
