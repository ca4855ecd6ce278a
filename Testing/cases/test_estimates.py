"""The estimate folder: its names, what is written is what is read, and one module that knows all of it."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import numpy as np
import pytest

import NoisyLabelSegLib
from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Image, Study
from NoisyLabelSegLib.cases.estimates import EstimateFiles, EstimateWriter, FileKind
from NoisyLabelSegLib.cases.stored_estimates import StoredEstimate, stored_estimates
from NoisyLabelSegLib.errors import UserError

GRID = Geometry.plain((3, 4, 5), (0.5, 0.5, 2.0))
CASE = Case("one", (Image(np.zeros(GRID.shape, dtype=np.float32), GRID),))


def some_labels(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, GRID.shape).astype(np.uint8)


def some_field(components: int) -> np.ndarray:
    return np.random.default_rng(components).random((components, *GRID.shape), dtype=np.float32)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_the_files_are_named_as_documented(tmp_path: Path) -> None:
    writer = EstimateWriter(tmp_path, GRID)
    writer.write_truth(some_labels(0))
    writer.write_probabilities(some_field(2))
    writer.write_annotator("Ann B", some_labels(1))
    writer.write_confusion("Ann B", some_field(4).reshape(2, 2, *GRID.shape))
    writer.write_errors("Ann B", some_labels(2))
    writer.write_errors("Ann B", some_labels(2), "edema")
    writer.write_expected("Ann B", some_field(3))
    assert names(tmp_path) == {
        "truth.nrrd",
        "truth_probability.nrrd",
        "annotator_Ann B.nrrd",
        "confusion_Ann B.nrrd",
        "errors_Ann B.nrrd",
        "errors_Ann B_edema.nrrd",
        "expected_Ann B.nrrd",
    }


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    truth, drawn = some_labels(0), some_labels(1)
    probabilities, confusion = some_field(2), some_field(4).reshape(2, 2, *GRID.shape)
    writer = EstimateWriter(tmp_path, GRID)
    writer.write_truth(truth)
    writer.write_probabilities(probabilities)
    writer.write_annotator("a", drawn)
    writer.write_confusion("a", confusion)
    everywhere = np.eye(2, dtype=np.float32)
    estimate = StoredEstimate(tmp_path, CASE, 2, {"b": everywhere}).read()
    np.testing.assert_array_equal(estimate.truth, truth)
    np.testing.assert_array_equal(estimate.probabilities, probabilities)
    np.testing.assert_array_equal(estimate.annotators["a"], drawn)
    np.testing.assert_array_equal(estimate.confusion["a"], confusion)
    np.testing.assert_array_equal(estimate.confusion["b"], everywhere)


def test_the_most_probable_class_is_the_truth_and_the_lower_on_a_tie(tmp_path: Path) -> None:
    probabilities = np.full((2, *GRID.shape), 0.5)
    probabilities[:, 0, 0, 0] = 0.2, 0.8
    EstimateWriter(tmp_path, GRID).write_probabilities(probabilities)
    truth = StoredEstimate(tmp_path, CASE, 2).truth()
    assert truth.dtype == np.uint8
    assert (truth[0, 0, 0], truth.sum()) == (1, 1)


def test_names_that_would_meet_are_numbered_and_listed(tmp_path: Path) -> None:
    writer = EstimateWriter(tmp_path, GRID)
    people = ["Ann", "ann", "a/b", "a:b", "x"]
    for number, name in enumerate(people):
        writer.write_annotator(name, np.full(GRID.shape, number))
    files = {"annotator_Ann", "annotator_ann-2", "annotator_a_b", "annotator_a_b-2", "annotator_x"}
    assert names(tmp_path) == {f"{name}.nrrd" for name in files} | {"files.json"}
    listed = json.loads((tmp_path / "files.json").read_text(encoding="utf-8"))["files"]
    assert {"file": "annotator_a_b-2.nrrd", "kind": "annotator", "annotator": "a:b"} in listed
    assert set(EstimateFiles(tmp_path).annotators(FileKind.ANNOTATOR)) == set(people)
    stored = StoredEstimate(tmp_path, CASE, len(people))
    for number, name in enumerate(people):
        labels = stored.labels(name)
        assert labels is not None
        assert (labels == number).all()


def test_an_annotators_class_and_another_annotator_do_not_share_a_file(tmp_path: Path) -> None:
    writer = EstimateWriter(tmp_path, GRID)
    writer.write_errors("a", some_labels(1), "b")
    writer.write_errors("a_b", some_labels(2))
    found = EstimateFiles(tmp_path)
    assert found.find(FileKind.ERRORS, "a", "b") == tmp_path / "errors_a_b.nrrd"
    assert found.find(FileKind.ERRORS, "a_b") == tmp_path / "errors_a_b-2.nrrd"
    assert found.find(FileKind.ERRORS, "nobody") is None


def test_a_list_that_names_files_elsewhere_is_refused(tmp_path: Path) -> None:
    entry = {"file": "../other.nrrd", "kind": "annotator", "annotator": "a"}
    (tmp_path / "files.json").write_text(json.dumps({"files": [entry]}), encoding="utf-8")
    with pytest.raises(UserError, match=r"files\.json: names the file '\.\./other\.nrrd', which is not in this folder"):
        EstimateFiles(tmp_path).find(FileKind.ANNOTATOR, "a")


def test_estimates_of_a_study_are_found_by_case_and_their_absence_is_explained(tmp_path: Path) -> None:
    labels = {"a": Annotation(Image(some_labels(0), GRID))}
    study = Study("s", ("background", "lesion"), ("a",), (CASE, Case("two", annotations=labels)))
    with pytest.raises(UserError, match="is not a folder of predictions"):
        stored_estimates(tmp_path / "none", study)
    with pytest.raises(UserError, match=r"has no folder for any case of the study s; .* such as one/ with truth\.nrrd"):
        stored_estimates(tmp_path, study)
    EstimateWriter(tmp_path / "two", GRID).write_truth(some_labels(3))
    [found] = stored_estimates(tmp_path, study)
    np.testing.assert_array_equal(found.truth(), some_labels(3))


def test_every_name_of_an_estimate_folder_is_computed_in_one_module() -> None:
    name = re.compile(
        r"(truth|truth_probability)\.nrrd|truth_probability|(annotator|confusion|errors|expected)_|files\.json"
    )
    package = Path(NoisyLabelSegLib.__file__).parent
    found = set()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and name.fullmatch(node.value):
                found.add(path.relative_to(package).as_posix())
    assert found == {"cases/estimates.py"}


def test_long_names_of_annotators_and_classes_fit_into_file_names(tmp_path: Path) -> None:
    annotators, classes = ("五" * 119 + "a", "五" * 119 + "b"), ("\U0001f600" * 100, "x" * 300)
    writer = EstimateWriter(tmp_path, Geometry.plain((2, 3, 4)))
    for annotator in annotators:
        for place, label in enumerate(classes):
            writer.write_errors(annotator, np.full((2, 3, 4), place), label)
    files = EstimateFiles(tmp_path)
    found = {files.find(FileKind.ERRORS, annotator, label) for annotator in annotators for label in classes}
    assert None not in found
    assert len(found) == 4
