"""The decisions file is read, written, checked and merged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from NoisyLabelSegLib.decisions import Decision, Decisions, Region, merge_decisions
from NoisyLabelSegLib.errors import UserError

HERE, THERE = Region((1.0, 2.0, 3.0), 5, (0.0, 1.0, 0.0, 2.0, 3.0, 3.0)), Region((9.0, 2.0, 3.0), 7)
TAKEN = Decision("case1", HERE, "annotator:anna", by="Dr. X", date="2026-03-01", comment="clear")


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    graded = Decision("case1", THERE, grade="disagree")
    decisions = Decisions("majority", ("anna", "bert"), {"case1": "abc"}, 0.75, 26, (TAKEN, graded))
    decisions.write(tmp_path / "decisions.json")
    assert Decisions.read(tmp_path / "decisions.json") == replace(decisions, folder=tmp_path)
    assert decisions.of("case1") == [TAKEN]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "other"}, "not a decisions file"),
        ({"agreed_share": 0.2}, "agreed_share"),
        ({"connectivity": 7}, "connectivity"),
        ({"decisions": None}, "no list of 'decisions'"),
        ({"decisions": [{"case": "a"}]}, "'center_ras'"),
        ({"decisions": [{"case": "a", "region": {"center_ras": [1, 2, 3]}}]}, "neither a 'choice' nor a 'grade'"),
        ({"decisions": [{"case": "a", "region": {"center_ras": [1, 2, 3]}, "choice": "anna"}]}, "choice 'anna'"),
        ({"decisions": [{"case": "a", "region": {"center_ras": [1, 2, 3]}, "choice": "annotator:"}]}, "'annotator:'"),
        (
            {
                "decisions": [
                    {"case": "a", "region": {"center_ras": [1, 2, 3]}, "choice": "edited", "edit": "../x.nrrd"}
                ]
            },
            "leaves the study's folder",
        ),
        ({"decisions": [{"case": "a", "region": {"center_ras": [1, 2, float("nan")]}, "choice": "unclear"}]}, "NaN"),
    ],
)
def test_a_wrong_file_is_one_sentence_that_names_it(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    path = tmp_path / "decisions.json"
    path.write_text(json.dumps({"format": "noisylabelseg-decisions/1", "decisions": [], **change}), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        Decisions.read(path)
    assert str(path) in caught.value.sentence
    assert words in caught.value.sentence


def test_equal_decisions_merge_and_different_ones_are_conflicts() -> None:
    one = Decisions("majority", decisions=(TAKEN, Decision("case1", THERE, "majority", by="X")))
    two = Decisions("majority", decisions=(TAKEN, Decision("case1", THERE, "estimate", by="Y")))
    merged, conflicts = merge_decisions([one, two])
    assert merged.decisions == (TAKEN,)
    assert [(each.first.by, each.second.by) for each in conflicts] == [("X", "Y")]


def test_the_last_decision_of_an_adjudicator_counts() -> None:
    changed = Decisions(decisions=(TAKEN, replace(TAKEN, choice="majority")))
    merged, conflicts = merge_decisions([changed, Decisions(decisions=(replace(TAKEN, choice="majority"),))])
    assert not conflicts
    assert [decision.choice for decision in merged.decisions] == ["majority"]


def test_files_about_different_references_are_not_merged() -> None:
    with pytest.raises(UserError, match="differ in 'method'"):
        merge_decisions([Decisions("majority"), Decisions("staple")])
