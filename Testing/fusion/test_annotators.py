"""The figures of annotators: those that anyone can recount from the written truth, whatever the margin."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from scipy import ndimage

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Study, read_labels, write_labels
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.fusion.reliability import ALONE, TWO
from NoisyLabelSegLib.fusion.study import FusionPlan, fuse_study
from NoisyLabelSegLib.metrics import dice

GRID = Geometry.plain((12, 40, 40), (0.9, 0.9, 3.0))
READERS = Path(__file__).resolve().parents[3] / "shared" / "data" / "lidc-ct-xml" / "LIDC-IDRI-0001"


def study_of(folder: Path, cases: dict[str, dict[str, np.ndarray]], classes: tuple[str, ...], grid: Geometry) -> Study:
    made = []
    for id, labels in cases.items():
        annotations = {name: Annotation(folder / id / f"{name}.nrrd") for name in labels}
        for name, array in labels.items():
            write_labels(annotations[name].source, array, grid)
        made.append(Case(id, annotations=annotations, classes=len(classes)))
    names = tuple(dict.fromkeys(name for labels in cases.values() for name in labels))
    return Study("study", classes, names, tuple(made), folder)


def balls(*radii: float, grid: Geometry = GRID) -> list[np.ndarray]:
    away = (np.stack(np.indices(grid.shape), axis=-1) - np.array(grid.shape) // 2) * grid.spacing_zyx
    return [(np.linalg.norm(away, axis=-1) <= radius).astype(np.uint8) for radius in radii]


def recounted(drawn: np.ndarray, truth: np.ndarray, union: np.ndarray, spacing: tuple[float, ...]) -> dict[str, float]:
    """The figures as anyone would count them; the image holds the whole region."""
    near = ndimage.distance_transform_edt(union == 0, sampling=spacing) <= 10
    both = np.count_nonzero(drawn & truth)
    return {
        "sensitivity": both / np.count_nonzero(truth),
        "precision": both / np.count_nonzero(drawn),
        "dice": dice(drawn, truth, 2),
        "specificity": np.count_nonzero(near & (drawn == 0) & (truth == 0)) / np.count_nonzero(near & (truth == 0)),
    }


@pytest.mark.parametrize("method", ["staple", "majority"])
def test_figures_are_those_of_the_truth_that_was_written(tmp_path, method):
    drawn = dict(zip("abc", balls(5, 7, 6), strict=True))
    table = fuse_study(
        study_of(tmp_path / "in", {"one": drawn}, ("background", "ball"), GRID), tmp_path / "out", FusionPlan(method)
    )
    truth = read_labels(tmp_path / "out" / "one" / "truth.nrrd").array
    union = np.any(list(drawn.values()), axis=0)
    for row in table.rows():
        expected = recounted(drawn[row["annotator"]], truth, union, GRID.spacing_zyx)
        assert {key: row[key] for key in expected} == {
            key: pytest.approx(value, abs=1e-6) for key, value in expected.items()
        }


def test_figures_over_a_study_are_means_over_its_cases(tmp_path):
    cases = {"one": dict(zip("abc", balls(5, 7, 6), strict=True)), "two": dict(zip("abc", balls(8, 6, 4), strict=True))}
    table = fuse_study(
        study_of(tmp_path / "in", cases, ("background", "ball"), GRID), tmp_path / "out", FusionPlan("majority")
    )
    truths = {id: read_labels(tmp_path / "out" / id / "truth.nrrd").array for id in cases}
    for row in table.rows():
        found = [dice(cases[id][row["annotator"]], truths[id], 2) for id in cases]
        assert row["dice"] == pytest.approx(np.mean(found), abs=1e-6)
        assert row["dice_low"] <= row["dice"] <= row["dice_high"]


def test_the_reference_without_own_labels_is_the_other_of_two(tmp_path):
    drawn = dict(zip("ab", balls(5, 7), strict=True))
    table = fuse_study(study_of(tmp_path / "in", {"one": drawn}, ("background", "ball"), GRID), tmp_path / "out")
    expected = dice(drawn["a"], drawn["b"], 2)
    assert [row["dice_leave_one_out"] for row in table.rows()] == [pytest.approx(expected, abs=1e-6)] * 2


def test_each_class_has_a_row_and_says_what_it_was_taken_for(tmp_path):
    grid = Geometry.plain((1, 8))
    labels = {"a": [0, 1, 1, 1, 1, 2, 2, 0], "b": [0, 1, 1, 1, 1, 2, 2, 0], "c": [0, 1, 2, 2, 0, 2, 2, 0]}
    drawn = {name: np.array([array], np.uint8) for name, array in labels.items()}
    study = study_of(tmp_path / "in", {"one": drawn}, ("background", "core", "edema"), grid)
    fuse_study(study, tmp_path / "out", FusionPlan("majority"))
    with (tmp_path / "out" / "annotators.csv").open(newline="") as file:
        rows = {(row["annotator"], row["class"]): row for row in csv.DictReader(file)}
    assert [key for key in rows if key[0] == "c"] == [("c", "core"), ("c", "edema"), ("c", "all classes")]
    core = rows["c", "core"]
    assert [float(core[f"marked_as_{name}"]) for name in ("background", "core", "edema")] == [0.25, 0.25, 0.5]
    assert float(core["sensitivity"]) == 0.25
    assert float(rows["c", "edema"]["precision"]) == 0.5
    assert float(rows["c", "all classes"]["dice"]) == pytest.approx(10 / 11, abs=1e-5)
    content = json.loads((tmp_path / "out" / "annotators.json").read_text())
    assert [entry["annotator"] for entry in content["annotators"]] == ["a", "b", "c"]
    assert [entry["class"] for entry in content["annotators"][2]["classes"]] == ["core", "edema"]
    assert content["annotators"][2]["classes"][0]["marked_as"] == {"background": 0.25, "core": 0.25, "edema": 0.5}
    assert content["annotators"][2]["dice"] == pytest.approx(10 / 11, abs=1e-5)


@pytest.mark.parametrize("method", ["staple", "majority"])
def test_neither_figures_nor_labels_depend_on_empty_margin(tmp_path, method):
    drawn = dict(zip("abc", balls(5, 7, 6), strict=True))
    box = np.s_[3:10, 11:30, 11:30]  # as tight as the largest ball
    cut = {name: np.ascontiguousarray(array[box]) for name, array in drawn.items()}
    rows = []
    for name, labels in (("whole", drawn), ("cut", cut)):
        grid = Geometry.plain(labels["a"].shape, GRID.spacing)
        study = study_of(tmp_path / name, {"one": labels}, ("background", "ball"), grid)
        rows.append(fuse_study(study, tmp_path / f"{name}-out", FusionPlan(method)).rows())
    truths = [read_labels(tmp_path / f"{name}-out" / "one" / "truth.nrrd").array for name in ("whole", "cut")]
    np.testing.assert_array_equal(truths[0][box], truths[1])
    assert rows[0] == rows[1]


@pytest.mark.parametrize(
    ("cases", "sentence"),
    [
        ({"one": "a"}, ALONE),
        ({"one": "a", "two": "b", "three": "c"}, ALONE),
        ({"one": "ab", "two": "ab"}, TWO),
        ({"one": "ab", "two": "bc"}, ""),
        ({"one": "abc"}, ""),
    ],
)
def test_where_reliability_cannot_be_told_it_is_said(tmp_path, cases, sentence):
    drawn = dict(zip("abc", balls(5, 7, 6), strict=True))
    study = study_of(
        tmp_path / "in",
        {id: {name: drawn[name] for name in who} for id, who in cases.items()},
        ("background", "ball"),
        GRID,
    )
    table = fuse_study(study, tmp_path / "out", FusionPlan("majority"))
    assert table.reliability == sentence
    assert json.loads((tmp_path / "out" / "annotators.json").read_text())["reliability"] == sentence


@pytest.mark.skipif(not READERS.is_dir(), reason="the LIDC readers are not here")
def test_two_radiologists_of_lidc_get_the_figures_of_the_written_truth_on_the_frame_and_on_a_crop(tmp_path, capsys):
    readers = {f"reader{number}": read_labels(READERS / f"reader{number}.nrrd") for number in (1, 2)}
    union = np.any([image.array for image in readers.values()], axis=0)
    found = np.argwhere(union)
    box = tuple(
        slice(max(low - 2, 0), high + 3) for low, high in zip(found.min(axis=0), found.max(axis=0), strict=True)
    )
    shown = []
    for name, part in (("frame", np.s_[:]), ("crop", box)):
        files = []
        for reader, image in readers.items():
            array = np.ascontiguousarray(image.array[part])
            files.append(str(tmp_path / name / f"{reader}.nrrd"))
            write_labels(files[-1], array, Geometry.plain(array.shape, image.geometry.spacing))
        assert main(["fuse", *files, "--method", "staple", "--out", str(tmp_path / f"{name}-out")]) == 0
        shown.append(capsys.readouterr().out.replace(str(tmp_path / f"{name}-out"), ""))
    assert shown[0] == shown[1]
    assert TWO in shown[0]
    truth = read_labels(tmp_path / "frame-out" / "reader1" / "truth.nrrd").array
    line = {row.split("│")[1].strip(): row for row in shown[0].splitlines() if row.startswith("│")}
    for reader, image in readers.items():
        counted = recounted(image.array, truth, union, image.geometry.spacing_zyx)
        for key in ("sensitivity", "precision", "dice"):
            assert f" {counted[key]:.3f} " in line[reader]
