"""The study file is opened quickly, written without loss, and refused with a reason."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, Study, write_labels
from NoisyLabelSegLib.cases.study_rules import study_problem
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.resources import resource_path

STUDY: dict[str, Any] = {
    "format": "noisylabelseg-study/1",
    "name": "nodules",
    "site": "kept although unknown",
    "classes": ["background", "nodule"],
    "annotators": ["reader1", "reader2", "Dr. Müller"],
    "experience": {"reader1": 12, "Dr. Müller": 0.5},
    "cases": [
        {
            "id": "0001_0",
            "images": ["0001/ct.nrrd"],
            "split": "train",
            "annotations": {
                "reader1": "0001/r1.nrrd",
                "Dr. Müller": {"file": "0001/m.nrrd", "date": "2026-03-01", "tool": "pen"},
            },
            "truth": "0001/truth.nrrd",
            "scanner": "A",
            "patient": "0001",
            "repeats": {"reader1": ["0001/again.nrrd", {"file": "0001/third.nrrd", "seconds": 61.5}]},
        },
        {"id": "0002", "images": [], "annotations": {"reader2": "0002/r2.nrrd"}},
    ],
}


def changed(*path: str | int, to: Any = None, drop: bool = False) -> Any:
    content = copy.deepcopy(STUDY)
    place: Any = content
    for key in path[:-1]:
        place = place[key]
    if drop:
        del place[path[-1]]
    else:
        place[path[-1]] = to
    return content


# What is wrong, and a word that the sentence must hold.
WRONG = {
    "not an object": ([1], "object"),
    "other version": (changed("format", to="noisylabelseg-study/2"), "noisylabelseg-study/2"),
    "no format": (changed("format", drop=True), "format"),
    "no name": (changed("name", drop=True), "name"),
    "blank name": (changed("name", to=" "), "name"),
    "one class": (changed("classes", to=["background"]), "classes"),
    "classes repeat": (changed("classes", to=["a", "a"]), "repeat"),
    "classes not text": (changed("classes", to=[0, 1]), "names"),
    "257 classes": (changed("classes", to=[str(i) for i in range(257)]), "256"),
    "no annotators": (changed("annotators", to=[]), "annotators"),
    "annotators repeat": (changed("annotators", to=["reader1", "reader1", "reader2", "Dr. Müller"]), "repeat"),
    "annotator with a line break": (changed("annotators", to=["reader1", "reader2", "Dr. Müller", "a\nb"]), "printed"),
    "annotator ends with a blank": (changed("annotators", to=["reader1", "reader2", "Dr. Müller", "a "]), "blank"),
    "annotator is dots": (changed("annotators", 0, to=".."), "dot"),
    "annotator leaves the folder": (changed("annotators", to=["reader1", "reader2", "Dr. Müller", "../a"]), "dots"),
    "no cases": (changed("cases", to=[]), "cases"),
    "case not an object": (changed("cases", 1, to="0002"), "number 2"),
    "case without id": (changed("cases", 0, "id", drop=True), "id"),
    "id leaves the folder": (changed("cases", 0, "id", to="../x"), "'/'"),
    "id too long": (changed("cases", 0, "id", to="x" * 121), "120"),
    "images missing": (changed("cases", 0, "images", drop=True), "images"),
    "path is absolute": (changed("cases", 0, "images", 0, to="/etc/passwd"), "absolute"),
    "path on a drive": (changed("cases", 0, "images", 0, to="C:/x.nrrd"), "absolute"),
    "path leaves the study": (changed("cases", 0, "truth", to="0001/../../x.nrrd"), "leaves"),
    "path with backslash": (changed("cases", 0, "truth", to="0001\\x.nrrd"), "backslash"),
    "path is a number": (changed("cases", 0, "truth", to=3), "text"),
    "path with a zero": (changed("cases", 0, "truth", to="a\0b"), "zero"),
    "annotations missing": (changed("cases", 0, "annotations", drop=True), "annotations"),
    "annotation without file": (changed("cases", 0, "annotations", "reader1", to={"date": "2026-03-01"}), "file"),
    "date that is none": (changed("cases", 0, "annotations", "Dr. Müller", "date", to="1st of March"), "date"),
    "started at no time": (changed("cases", 0, "repeats", "reader1", 1, "started", to="noon"), "started"),
    "less than no time": (changed("cases", 0, "repeats", "reader1", 1, "seconds", to=-3), "seconds"),
    "repeats not lists": (changed("cases", 0, "repeats", "reader1", to="0001/again.nrrd"), "list"),
    "repeats not an object": (changed("cases", 0, "repeats", to=["0001/again.nrrd"]), "object"),
    "repeat leaves the study": (changed("cases", 0, "repeats", "reader1", 0, to="../x.nrrd"), "leaves"),
    "blank patient": (changed("cases", 0, "patient", to=" "), "patient"),
    "empty split": (changed("cases", 0, "split", to=""), "split"),
    "curated neither true nor false": (
        changed("cases", 0, "truth", to={"file": "0001/truth.nrrd", "curated": "yes"}),
        "curated",
    ),
    "experience not an object": (changed("experience", to=[12]), "experience"),
    "experience below zero": (changed("experience", to={"reader1": -1}), "0 to 100"),
    "experience not a number": (changed("experience", to={"reader1": "long"}), "0 to 100"),
    "case with nothing": (changed("cases", 1, "annotations", to={}), "neither"),
}
# These need more than a schema can say.
BEYOND_THE_SCHEMA = {
    "experience of a stranger": (changed("experience", to={"reader9": 3}), "reader9"),
    "unknown annotator": (changed("cases", 1, "annotations", to={"reader9": "x.nrrd"}), "reader9"),
    "repeat without a first reading": (
        changed("cases", 0, "repeats", to={"reader2": ["x.nrrd"]}),
        "no annotation of it",
    ),
    "duplicate ids": (changed("cases", 1, "id", to="0001_0"), "0001_0"),
    "ids that differ in case only": (
        {**STUDY, "cases": [{**STUDY["cases"][1], "id": "A"}, {**STUDY["cases"][1], "id": "a"}]},
        "'a'",
    ),
}


def write(folder: Path, content: Any) -> Path:
    path = folder / "study.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_a_study_is_read_and_written_without_loss(tmp_path: Path) -> None:
    study = Study.read(write(tmp_path, STUDY))
    study.write(force=True)
    assert json.loads((tmp_path / "study.json").read_text(encoding="utf-8")) == STUDY


def test_a_study_opens_from_its_folder_and_knows_its_cases(tmp_path: Path) -> None:
    write(tmp_path, STUDY)
    study = Study.read(tmp_path)
    case = study.case("0001_0")
    assert case.annotators == ("reader1", "Dr. Müller")
    assert case.annotations["Dr. Müller"].date == "2026-03-01"
    assert case.images == (tmp_path / "0001" / "ct.nrrd",)
    assert case.labels("reader2") is None
    assert case.truth_source == tmp_path / "0001" / "truth.nrrd"


def test_every_reading_of_a_reader_is_found_first_one_first(tmp_path: Path) -> None:
    for number, name in enumerate(("r1", "again", "third", "m")):
        labels = np.zeros((4, 4), np.uint8)
        labels[0, : number + 1] = 1
        write_labels(tmp_path / "0001" / f"{name}.nrrd", labels, Geometry.plain((4, 4)))
    case = Study.read(write(tmp_path, changed("cases", 0, "images", to=[]))).cases[0]
    assert case.patient == "0001"
    assert [int(labels.sum()) for labels in case.readings("reader1")] == [1, 2, 3]
    assert case.repeats["reader1"][1].extra == {"seconds": 61.5}
    assert case.readings("reader2") == []
    assert tmp_path / "0001" / "again.nrrd" in list(case.sources())


def test_a_study_of_ten_thousand_cases_makes_no_case_until_asked(tmp_path: Path, monkeypatch: Any) -> None:
    cases = [{"id": str(i), "images": [f"{i}.nrrd"], "annotations": {"reader1": f"r{i}.nrrd"}} for i in range(10_000)]
    write(tmp_path, {**STUDY, "cases": cases})
    made = []
    monkeypatch.setattr(
        "NoisyLabelSegLib.cases.study._case_from_json", lambda entry, **_: made.append(entry["id"]) or entry["id"]
    )
    study = Study.read(tmp_path)
    assert len(study.cases) == 10_000
    assert made == []
    assert study.cases[-1] == "9999"
    assert made == ["9999"]


def test_a_split_keeps_its_cases_and_a_study_without_splits_keeps_all(tmp_path: Path) -> None:
    study = Study.read(write(tmp_path, STUDY))
    assert [case.id for case in study.split("train").cases] == ["0001_0"]
    without = changed("cases", 0, "split", drop=True)
    assert len(Study.read(write(tmp_path, without)).split("train").cases) == 2


def test_a_split_that_is_asked_for_by_name_must_be_there(tmp_path: Path) -> None:
    study = Study.read(write(tmp_path, STUDY))
    assert [case.id for case in study.only_split("train").cases] == ["0001_0"]
    with pytest.raises(UserError, match="is in the split test; it has train"):
        study.only_split("test")


def test_nothing_is_overwritten_unless_forced(tmp_path: Path) -> None:
    study = Study.read(write(tmp_path, STUDY))
    with pytest.raises(UserError, match="exists already"):
        study.write()


def test_a_missing_file_is_named_before_long_work_begins(tmp_path: Path) -> None:
    (tmp_path / "0002").mkdir()
    write_labels(tmp_path / "0002" / "r2.nrrd", np.zeros((2, 2, 2)), Geometry.plain((2, 2, 2)))
    study = Study.read(write(tmp_path, {**STUDY, "cases": [STUDY["cases"][1]]}))
    study.require_files()
    (tmp_path / "0002" / "r2.nrrd").unlink()
    with pytest.raises(UserError, match=r"r2\.nrrd: is missing"):
        study.require_files()


@pytest.mark.parametrize(
    ("content", "word"), [*WRONG.values(), *BEYOND_THE_SCHEMA.values()], ids=[*WRONG, *BEYOND_THE_SCHEMA]
)
def test_a_wrong_study_is_refused_with_a_reason(content: Any, word: str, tmp_path: Path) -> None:
    path = write(tmp_path, content)
    with pytest.raises(UserError) as caught:
        Study.read(path)
    assert caught.value.sentence.startswith(f"{path}: ")
    assert word in caught.value.sentence


def test_the_schema_and_the_rules_give_the_same_verdicts() -> None:
    schema = json.loads(resource_path("schema/study.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    accepts = jsonschema.Draft202012Validator(schema).is_valid
    assert accepts(STUDY)
    assert study_problem(STUDY) is None
    assert [name for name, (content, _) in WRONG.items() if accepts(content)] == []
