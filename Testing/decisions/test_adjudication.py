"""Decisions give the truth that they say, on arrays and on whole studies."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, Study, read_labels, write_labels
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.decisions import (
    Decision,
    Decisions,
    Region,
    adjudicate_case,
    find_disagreements,
    labels_digest,
)
from NoisyLabelSegLib.errors import UserError

GRID = Geometry.plain((3, 12, 12))


def drawn(*columns: int) -> np.ndarray:
    """Objects of 2 x 2 pixels in the middle slice, the first pixel in these columns."""
    labels = np.zeros(GRID.shape, dtype=np.uint8)
    for column in columns:
        labels[1, 4:6, column : column + 2] = 1
    return labels


LABELS = {"anna": drawn(1, 4), "bert": drawn(4, 7), "carla": drawn(4, 10)}
REFERENCE = drawn(4)


def region_at(column: int) -> Region:
    found = find_disagreements(LABELS, REFERENCE, GRID)
    for number in range(1, len(found) + 1):
        bounds = found[number].region.bounds
        if bounds[0] == -column - 1:
            return found[number].region
    raise AssertionError(column)


def decided(**choices: str) -> Decisions:
    columns = {"first": 1, "second": 7, "third": 10}
    entries = (Decision("case", region_at(columns[key]), choice, by="X") for key, choice in choices.items())
    return Decisions("majority", decisions=tuple(entries))


def test_each_choice_takes_the_labels_it_names() -> None:
    done = adjudicate_case(
        "case", LABELS, REFERENCE, GRID, decided(first="annotator:anna", second="majority", third="unclear")
    )
    np.testing.assert_array_equal(done.labels, drawn(1, 4))
    assert len(done.unclear) == 1
    assert not done.undecided


def test_without_decisions_the_reference_stays() -> None:
    done = adjudicate_case("case", LABELS, REFERENCE, GRID, Decisions())
    np.testing.assert_array_equal(done.labels, REFERENCE)
    assert len(done.undecided) == 3


def test_a_later_decision_about_a_region_replaces_an_earlier_one() -> None:
    decisions = decided(first="annotator:anna")
    undone = replace(decisions, decisions=(*decisions.decisions, replace(decisions.decisions[0], choice="estimate")))
    np.testing.assert_array_equal(adjudicate_case("case", LABELS, REFERENCE, GRID, undone).labels, REFERENCE)


def test_an_edit_applies_in_its_region_and_where_all_agreed() -> None:
    edited = drawn(4, 7)  # the second region as bert drew it
    edited[0, 0, 0] = 1  # what nobody marked
    edited[1, 4, 10] = 1  # in the third region, about which anna decides otherwise
    decisions = decided(second="edited", third="estimate")
    decisions = replace(
        decisions, decisions=(replace(decisions.decisions[0], edit="edits/case.nrrd"), decisions.decisions[1])
    )
    done = adjudicate_case("case", LABELS, REFERENCE, GRID, decisions, lambda _file: edited)
    expected = drawn(4, 7)
    expected[0, 0, 0] = 1
    np.testing.assert_array_equal(done.labels, expected)
    assert done.is_edited


def test_a_region_that_is_not_there_is_refused() -> None:
    decisions = decided(first="annotator:anna")
    changed = {**LABELS, "anna": drawn(4)}
    with pytest.raises(UserError, match="no disagreement at RAS"):
        adjudicate_case("case", changed, REFERENCE, GRID, decisions)


def test_changed_labels_are_noticed() -> None:
    decisions = replace(decided(first="annotator:anna"), labels_sha256={"case": labels_digest(LABELS)})
    assert not adjudicate_case("case", LABELS, REFERENCE, GRID, decisions).changed_labels
    later = {**LABELS, "bert": drawn(4, 7) * 0 + drawn(4)}
    assert adjudicate_case("case", later, REFERENCE, GRID, decisions).changed_labels


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    for name, labels in LABELS.items():
        write_labels(folder / f"{name}.nrrd", labels, GRID)
    content = {
        "format": "noisylabelseg-study/1",
        "name": "readers",
        "classes": ["background", "lesion"],
        "annotators": list(LABELS),
        "cases": [{"id": "case", "images": [], "annotations": {name: f"{name}.nrrd" for name in LABELS}}],
    }
    (folder / "study.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def call(*words: object) -> int:
    return main([str(word) for word in words])


def test_disagreements_are_listed_and_the_list_can_be_filled_in(study: Path, tmp_path: Path) -> None:
    listed, done = tmp_path / "listed", tmp_path / "done"
    assert call("adjudicate", study, "--truth", "majority", "--out", listed) == 0
    rows = (listed / "disagreements.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 1 + 3
    decisions = replace(Decisions.read(listed / "decisions.json"), decisions=decided(first="annotator:anna").decisions)
    decisions.write(tmp_path / "decisions.json")
    words = ("adjudicate", study, "--truth", "majority", "--decisions", tmp_path / "decisions.json", "--out", done)
    assert call(*words) == 0
    np.testing.assert_array_equal(read_labels(done / "case" / "truth.nrrd").array, drawn(1, 4))
    assert call(*words) == 2  # nothing is overwritten
    again = tmp_path / "again"
    words = ("adjudicate", study, "--truth", "majority", "--decisions", done / "decisions.json", "--out", again)
    assert call(*words) == 0
    np.testing.assert_array_equal(read_labels(again / "case" / "truth.nrrd").array, drawn(1, 4))


def test_edited_truths_are_kept_beside_the_decisions(study: Path, tmp_path: Path) -> None:
    write_labels(tmp_path / "edits" / "case.nrrd", drawn(4, 7), GRID)
    entry = replace(decided(second="edited").decisions[0], edit="edits/case.nrrd")
    Decisions("majority", decisions=(entry,)).write(tmp_path / "decisions.json")
    words = ("--truth", "majority", "--decisions", tmp_path / "decisions.json", "--out", tmp_path / "done")
    assert call("adjudicate", study, *words) == 0
    np.testing.assert_array_equal(read_labels(tmp_path / "done" / "edits" / "case.nrrd").array, drawn(4, 7))
    np.testing.assert_array_equal(read_labels(tmp_path / "done" / "case" / "truth.nrrd").array, drawn(4, 7))


def test_conflicts_are_listed_and_prevent_signing_off(study: Path, tmp_path: Path) -> None:
    decided(first="annotator:anna").write(tmp_path / "x.json")
    decided(first="majority").write(tmp_path / "y.json")
    words = ["adjudicate", study, "--truth", "majority", "--decisions", tmp_path / "x.json", tmp_path / "y.json"]
    assert call(*words, "--out", tmp_path / "merged") == 0
    assert len((tmp_path / "merged" / "conflicts.csv").read_text(encoding="utf-8").splitlines()) == 2
    assert call(*words, "--out", tmp_path / "signed", "--sign-off", "Dr. X") == 2
    assert not (tmp_path / "signed").exists()


def test_signing_off_writes_the_truth_into_the_study_with_its_provenance(study: Path, tmp_path: Path) -> None:
    decided(first="annotator:anna").write(tmp_path / "decisions.json")
    words = ("--truth", "majority", "--decisions", tmp_path / "decisions.json", "--out", tmp_path / "done")
    assert call("adjudicate", study, *words, "--sign-off", "Dr. X") == 0
    case = Study.read(study).cases[0]
    np.testing.assert_array_equal(case.truth(), drawn(1, 4))
    assert case.provenance["signed_off_by"] == "Dr. X"
    assert case.provenance["method"] == "adjudicated majority"
    assert case.provenance["annotators"] == ["anna", "bert", "carla"]


def test_a_decision_about_an_unknown_case_is_refused(study: Path, tmp_path: Path) -> None:
    Decisions(decisions=(Decision("nobody", region_at(1), "majority"),)).write(tmp_path / "decisions.json")
    words = ("--truth", "majority", "--decisions", tmp_path / "decisions.json", "--out", tmp_path / "done")
    assert call("adjudicate", study, *words) == 2
