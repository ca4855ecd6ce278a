"""The worklist of a package is read, changed and written without losing what it does not know."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.reader_study import Worklist, hand_out


@pytest.fixture
def package(scans: Study, tmp_path: Path) -> Path:
    hand_out(scans, ["anna"], tmp_path / "out", repeats=0, seed=1)
    return tmp_path / "out" / "anna"


def content_of(package: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((package / "worklist.json").read_text(encoding="utf-8"))
    return content


def test_what_was_not_changed_stays_as_it_was(package: Path) -> None:
    before = content_of(package)
    before["cases"][1]["remark"] = "blurred"
    (package / "worklist.json").write_text(json.dumps(before), encoding="utf-8")
    Worklist.read(package).write()
    assert content_of(package) == before


def test_time_adds_up_and_the_first_start_counts(package: Path) -> None:
    worklist = Worklist.read(package).begun(0, datetime(2026, 3, 1, 9, 30)).worked(0, 40.2)
    worklist = worklist.begun(0, datetime(2026, 3, 2, 8, 0)).worked(0, 19.85).done(0, finished=True)
    worklist.write()
    entry = content_of(package)["cases"][0]
    assert (entry["started"], entry["finished"]) == ("2026-03-01T09:30:00", True)
    assert entry["seconds"] == pytest.approx(60.05, abs=0.06)
    assert (Worklist.read(package).finished, Worklist.read(package).next_open) == (1, 1)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "other/1"}, "is not a worklist of the format"),
        ({"reader": "../x"}, "names no reader"),
        ({"classes": ["background"]}, "has no list of classes"),
        ({"cases": []}, "has no list of cases"),
        ({"cases": [{"id": "a", "labels": "../../labels.nrrd"}]}, "without an id and labels below its folder"),
        ({"cases": [{"id": "a", "labels": "a/labels.nrrd", "seconds": 1e300}]}, "'seconds' are not a number"),
        ({"cases": [{"id": "a", "labels": "a/labels.nrrd", "finished": "yes"}]}, "'finished' or 'started'"),
    ],
)
def test_a_wrong_worklist_is_refused_in_a_sentence(package: Path, change: dict[str, Any], words: str) -> None:
    (package / "worklist.json").write_text(json.dumps({**content_of(package), **change}), encoding="utf-8")
    with pytest.raises(UserError, match=words):
        Worklist.read(package)
