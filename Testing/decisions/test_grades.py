"""Grades of errors, as a report saves them, are read, named by their cases, kept by merging and listed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from NoisyLabelSegLib.decisions import Decisions, merge_decisions
from NoisyLabelSegLib.errors import UserError

REGION = {"center_ras": [1.0, -2.0, 3.5], "voxels": 4, "bounds": [0, 1, -2, -1, 3, 4]}


def written(path: Path, *entries: dict[str, Any]) -> Decisions:
    path.write_text(json.dumps({"format": "noisylabelseg-decisions/1", "decisions": entries}), encoding="utf-8")
    return Decisions.read(path)


def graded(grade: str, **other: Any) -> dict[str, Any]:
    return {"region": REGION, "grade": grade, "error_of": "anna", "error": "missed object", **other}


def test_a_case_without_a_name_is_found_by_its_number(tmp_path: Path) -> None:
    decisions = written(tmp_path / "a.json", graded("agree", case_number=2), graded("unclear", case="one"))
    assert [item.case for item in decisions.with_case_ids(["one", "two"]).decisions] == ["two", "one"]
    assert decisions.of("two") == []
    with pytest.raises(UserError, match="about case number 2, but the study has 1 case"):
        decisions.with_case_ids(["one"])


@pytest.mark.parametrize("number", [0, -1, 1.5, True, "2", None])
def test_a_number_that_is_none_is_refused(tmp_path: Path, number: Any) -> None:
    with pytest.raises(UserError, match="names no 'case'"):
        written(tmp_path / "a.json", graded("agree", case_number=number))


def test_grades_survive_writing_and_merging(tmp_path: Path) -> None:
    first = written(tmp_path / "a.json", graded("agree", case_number=1, comment="so it is", by="A"))
    other = written(tmp_path / "b.json", graded("disagree", case="one", by="B"))
    merged, conflicts = merge_decisions([first, other])
    merged.write(tmp_path / "c.json")
    again = Decisions.read(tmp_path / "c.json").with_case_ids(["one"])
    assert conflicts == []
    assert [(item.case, item.grade, item.by, item.error_of) for item in again.grades] == [
        ("one", "agree", "A", "anna"),
        ("one", "disagree", "B", "anna"),
    ]
