"""The review as a folder: every file of the contract, with what it says."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import (
    Annotation,
    Case,
    Geometry,
    Study,
    read_image,
    read_labels,
    write_components,
    write_labels,
)
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.study import FusionPlan, fuse_study
from NoisyLabelSegLib.metrics import dice
from NoisyLabelSegLib.review import ReviewOptions, error_map, write_review


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_everything_is_there_and_on_the_grid_of_the_case(small_study: Study, tmp_path: Path) -> None:
    out = tmp_path / "out"
    review = write_review(small_study, "study", out)
    names = {path.name for path in out.iterdir() if path.is_file()}
    reports = {"report.html", "report_careful.html", "report_wide.html", "report_blank.html"}
    assert names == reports | {f"{name}.{kind}" for name in ("statistics", "mistakes") for kind in ("csv", "json")} | {
        "suggestions.csv"
    }
    for case in small_study.cases:
        for name in case.annotators:
            image = read_labels(out / case.id / f"errors_{name}.nrrd")
            assert case.geometry.differences(image.geometry) == []
            np.testing.assert_array_equal(image.array, error_map(case.labels(name), case.truth()))
    assert not (out / "PATIENT-3" / "errors_blank.nrrd").exists()
    assert len(review.statistics) == 11


def test_the_tables_say_what_the_annotators_did(small_study: Study, tmp_path: Path) -> None:
    write_review(small_study, "study", tmp_path / "out")
    statistics = rows(tmp_path / "out" / "statistics.csv")
    wide = [row for row in statistics if row["annotator"] == "wide"]
    assert [row["case"] for row in wide] == [f"PATIENT-{n}" for n in range(4)]
    assert all(float(row["boundary_bias_mm"]) > 1 and row["sensitivity"] == "1" for row in wide)
    mistakes = rows(tmp_path / "out" / "mistakes.csv")
    assert {row["kind"] for row in mistakes if row["annotator"] == "blank"} == {"missed object"}
    assert [float(row["size"]) for row in mistakes] == sorted((float(row["size"]) for row in mistakes), reverse=True)
    content = json.loads((tmp_path / "out" / "statistics.json").read_text(encoding="utf-8"))
    assert content["format"] == "noisylabelseg-review/1"
    sentences = {entry["annotator"]: entry["sentence"] for entry in content["annotators"]}
    assert "outside the border" in sentences["wide"]
    assert "marks nothing" in sentences["blank"]
    assert content["cases"][0]["agreement"].keys() == {"wide", "blank"}
    assert np.array(content["annotators"][0]["confusion"]).tolist() == [[1, 0], [0, 1]]


def test_a_fusion_as_the_reference_brings_a_dice_without_own_labels(small_study: Study, tmp_path: Path) -> None:
    write_review(small_study, "majority", tmp_path / "direct")
    fuse_study(small_study, tmp_path / "fused", FusionPlan("majority"))
    write_review(small_study, str(tmp_path / "fused"), tmp_path / "stored")
    direct, stored = (rows(tmp_path / name / "statistics.csv") for name in ("direct", "stored"))
    assert stored == direct
    # In the last case `blank` is absent: each of the two is compared with the other.
    careful, wide = (small_study.cases[3].labels(name) for name in ("careful", "wide"))
    found = {row["annotator"]: row["dice_leave_one_out"] for row in direct if row["case"] == "PATIENT-3"}
    assert {name: float(value) for name, value in found.items()} == {
        name: pytest.approx(dice(careful, wide, 2), abs=1e-5) for name in ("careful", "wide")
    }
    page = (tmp_path / "direct" / "report.html").read_text(encoding="utf-8")
    assert "Dice without own labels" in page
    write_review(small_study, "study", tmp_path / "known")
    assert {row["dice_leave_one_out"] for row in rows(tmp_path / "known" / "statistics.csv")} == {""}
    assert "Dice without own labels" not in (tmp_path / "known" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("chosen", [("careful",), ("careful", "wide")])
def test_too_few_annotators_are_told_plainly_and_not_asked_again(
    small_study: Study, tmp_path: Path, chosen: tuple[str, ...]
) -> None:
    cases = tuple(
        replace(case, annotations={name: case.annotations[name] for name in chosen}) for case in small_study.cases
    )
    review = write_review(replace(small_study, cases=cases, annotators=chosen), "staple", tmp_path / "out")
    assert "reliability cannot be told" in review.reliability
    assert not review.suggestions
    assert rows(tmp_path / "out" / "suggestions.csv") == []
    for name in ("report.html", "report_careful.html"):
        page = (tmp_path / "out" / name).read_text(encoding="utf-8").partition("<script")[0]
        assert "reliability cannot be told" in page
        assert "every voxel" not in page
        assert "again" not in page
    content = json.loads((tmp_path / "out" / "statistics.json").read_text(encoding="utf-8"))
    assert content["reliability"] == review.reliability


def test_suggestions_prefer_those_who_did_not_label_the_case_yet(small_study: Study, tmp_path: Path) -> None:
    write_review(small_study, "study", tmp_path / "out", costs={"careful": 4})
    found = rows(tmp_path / "out" / "suggestions.csv")
    assert (found[0]["case"], found[0]["annotator"], found[0]["labeled_before"]) == ("PATIENT-3", "blank", "False")
    assert {row["cost"] for row in found if row["annotator"] == "careful"} == {"4"}
    assert [int(row["rank"]) for row in found] == list(range(1, 13))


def test_a_case_that_nobody_labeled_is_asked_about_first(small_study: Study, tmp_path: Path) -> None:
    untouched = replace(small_study.cases[1], annotations={}, truth_source=None)
    study = replace(small_study, cases=(small_study.cases[0], untouched, *small_study.cases[2:]))
    review = write_review(study, "majority", tmp_path / "out")
    assert review.left_out == ("PATIENT-1",)
    found = rows(tmp_path / "out" / "suggestions.csv")
    assert {row["case"] for row in found[:2]} == {"PATIENT-1"}
    assert found[0]["sentence"].startswith("Ask careful to label PATIENT-1: this should settle ")


def test_a_model_that_hesitates_is_asked_about_where_nobody_labeled(small_study: Study, tmp_path: Path) -> None:
    for number, case in enumerate(small_study.cases):
        probability = np.stack([1.0 - case.truth(), case.truth()])
        if number == 1:
            probability[:, 5, 20:25, 20:25] = 0.5
        write_components(tmp_path / "truths" / case.id / "truth_probability.nrrd", probability, case.geometry)
    study = replace(small_study, cases=(small_study.cases[0], replace(small_study.cases[1], annotations={})))
    review = write_review(study, str(tmp_path / "truths"), tmp_path / "out")
    first = next(item for item in review.suggestions if item.case == "PATIENT-1")
    assert first.doubt == pytest.approx(25 * 0.8 * 0.8 * 2)
    assert review.regions["PATIENT-1"][0].slice == 6


def test_the_same_review_twice_gives_the_same_bytes(small_study: Study, tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_review(small_study, "majority", tmp_path / name)
    for path in (tmp_path / "one").rglob("*.*"):
        assert path.read_bytes() == (tmp_path / "two" / path.relative_to(tmp_path / "one")).read_bytes(), path.name


def test_a_folder_of_truths_with_confusion_gives_expected_errors(small_study: Study, tmp_path: Path) -> None:
    case = small_study.cases[0]
    place, shape = tmp_path / "truths" / case.id, case.geometry.shape
    write_components(place / "truth_probability.nrrd", np.full((2, *shape), 0.5), case.geometry)
    write_labels(place / "truth.nrrd", case.truth(), case.geometry)
    confusion = np.broadcast_to(np.array([0.9, 0.2, 0.1, 0.8]).reshape(4, 1, 1, 1), (4, *shape))
    write_components(place / "confusion_wide.nrrd", confusion, case.geometry)
    review = write_review(small_study, str(tmp_path / "truths"), tmp_path / "out")
    expected = read_image(tmp_path / "out" / case.id / "expected_wide.nrrd")
    assert expected.channels.shape == (3, *shape)
    np.testing.assert_allclose(expected.channels[:, 0, 0, 0], [0.05, 0.1, 0], atol=1e-6)
    assert review.left_out == ("PATIENT-1", "PATIENT-2", "PATIENT-3")


def test_spatial_staple_gives_expected_errors_on_the_fly(small_study: Study, tmp_path: Path) -> None:
    write_review(replace(small_study, cases=small_study.cases[:1]), "spatial-staple", tmp_path / "out")
    expected = read_image(tmp_path / "out" / "PATIENT-0" / "expected_wide.nrrd").channels
    assert expected.shape[0] == 3
    assert np.isfinite(expected).all()


def test_several_classes_have_maps_of_their_own(tmp_path: Path) -> None:
    geometry = Geometry.plain((12, 12))
    truth = np.zeros((12, 12), np.uint8)
    truth[2:6, 2:10], truth[6:10, 2:10] = 1, 2
    drawn = np.where(truth == 2, 1, truth)
    write_labels(tmp_path / "truth.nrrd", truth, geometry)
    write_labels(tmp_path / "r.nrrd", drawn, geometry)
    case = Case("c", (), {"r": Annotation(tmp_path / "r.nrrd")}, tmp_path / "truth.nrrd", classes=3)
    study = Study("s", ("background", "core", "edema/rim"), ("r",), (case,))
    review = write_review(study, "study", tmp_path / "out")
    assert (read_labels(tmp_path / "out/c/errors_r.nrrd").array[6:10, 2:10] == 4).all()
    assert (read_labels(tmp_path / "out/c/errors_r_core.nrrd").array[6:10, 2:10] == 3).all()
    assert (read_labels(tmp_path / "out/c/errors_r_edema_rim.nrrd").array[6:10, 2:10] == 2).all()
    assert review.labels == ("core", "edema/rim", "all classes")
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "r marks exactly what is there. The class is wrong in 32 px." in report
    assert "edema/rim: r marks nothing and so missed everything there is to mark (32 px)." in report


def test_the_order_in_which_cases_were_drawn_decides_the_trend(small_study: Study, tmp_path: Path) -> None:
    dates = ("2026-03-04", "2026-03-01", "2026-03-03", "2026-03-02")
    cases = [
        replace(case, annotations={name: replace(item, date=date) for name, item in case.annotations.items()})
        for case, date in zip(small_study.cases, dates, strict=True)
    ]
    review = write_review(replace(small_study, cases=tuple(cases)), "study", tmp_path / "out")
    assert [row.case[-1] for row in review.statistics if row.annotator == "wide"] == ["1", "3", "2", "0"]


def test_a_failure_leaves_nothing_behind(small_study: Study, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match=r"empty: has no truth for any case of the study; .* such as PATIENT-0/ with"):
        write_review(small_study, str(tmp_path / "empty"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_bad_settings_and_costs_are_refused_with_a_reason(small_study: Study, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="matching_share must be above 0"):
        write_review(small_study, "study", tmp_path / "out", settings=ReviewOptions(matching_share=0))
    with pytest.raises(UserError, match="no annotator 'nobody'"):
        write_review(small_study, "study", tmp_path / "out", costs={"nobody": 1})
    with pytest.raises(UserError, match="cost of wide is -1"):
        write_review(small_study, "study", tmp_path / "out", costs={"wide": -1})
