"""What came back is checked, resolved and added; what was there before stays."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, Study, read_labels, write_labels
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.reader_study import HandoutKey, collect, hand_out

Read = Callable[..., None]


@pytest.fixture
def key(scans: Study, tmp_path: Path) -> HandoutKey:
    return hand_out(scans, ["anna", "bert"], tmp_path / "out", repeats=0.25, seed=1)


def change(package: Path, place: int, **values: Any) -> Path:
    """Writes values into an entry of the worklist; returns the path of its labels."""
    worklist = json.loads((package / "worklist.json").read_text(encoding="utf-8"))
    worklist["cases"][place] |= values
    (package / "worklist.json").write_text(json.dumps(worklist), encoding="utf-8")
    return package / worklist["cases"][place]["id"] / "labels.nrrd"


def test_labels_arrive_at_their_cases_with_date_and_time(
    key: HandoutKey, scans: Study, tmp_path: Path, read: Read
) -> None:
    read(tmp_path / "out" / "anna", 50)
    found = collect([tmp_path / "out" / "anna"], tmp_path / "study")
    assert (found.added, found.replaced, found.problems) == (10, 0, ())
    study = Study.read(tmp_path / "study")
    assert study.annotators == ("senior", "anna")
    for case in study.cases:
        labels = case.labels("anna")
        assert labels is not None
        assert np.array_equal(labels, scans.case(case.id).image()[0] > 50)
        assert case.annotations["anna"].date == "2026-03-01"
        assert case.annotations["anna"].extra == {"started": "2026-03-01T09:30:00", "seconds": 90}
    repeated = {item.case for item in key.readers["anna"] if item.reading == 2}
    assert {case.id for case in study.cases if case.repeats} == repeated
    assert found.progress[0] == {
        "reader": "anna",
        "readings": 10,
        "finished": 10,
        "begun": 0,
        "open": 0,
        "missing": 0,
        "broken": 0,
        "not_returned": 0,
        "minutes": 15.0,
    }
    assert found.progress[1]["not_returned"] == 10


def test_a_later_version_replaces_an_earlier_one_which_is_kept(
    key: HandoutKey, scans: Study, tmp_path: Path, read: Read
) -> None:
    package = tmp_path / "out" / "anna"
    read(package, 50)
    collect([package], tmp_path / "study")
    assert collect([package], tmp_path / "study").unchanged == 10
    read(package, 98, only=1)
    found = collect([package], tmp_path / "study")
    assert (found.added, found.replaced, found.unchanged) == (0, 1, 9)
    item = key.readers["anna"][0]
    annotation = Study.read(tmp_path / "study").case(item.case).annotations["anna"]
    image = scans.case(item.case).image()[0]
    assert np.array_equal(read_labels(annotation.source).array, image > 98)
    (before,) = annotation.extra["versions"]
    assert np.array_equal(read_labels(tmp_path / "study" / before).array, image > 50)


def test_everything_that_is_wrong_is_said_and_the_rest_is_added(key: HandoutKey, tmp_path: Path, read: Read) -> None:
    package = tmp_path / "out" / "anna"
    read(package, 50)
    grid = read_labels(change(package, 0)).geometry
    write_labels(change(package, 0), np.ones((6, 24, 25), np.uint8), Geometry.plain((6, 24, 25)))
    write_labels(change(package, 1), np.full(grid.shape, 7), grid)
    change(package, 2).write_bytes(b"NRRD0004\nthis is not one")
    change(package, 3).unlink()
    change(package, 4, finished=False)
    write_labels(change(package, 5, finished=None), np.zeros(grid.shape), grid)
    write_labels(change(package, 6, finished=True, started="yesterday", seconds="long"), np.zeros(grid.shape), grid)
    found = collect([package], tmp_path / "study")
    row = found.progress[0]
    states = {name: row[name] for name in ("finished", "begun", "open", "missing", "broken")}
    assert states == {"finished": 4, "begun": 1, "open": 1, "missing": 1, "broken": 3}
    said = " ".join(found.problems)
    for words in ("its size is 25 x 24 x 6", "has label 7", "there is no file of labels"):
        assert words in said
    empty = key.readers["anna"][6]
    case = Study.read(tmp_path / "study").case(empty.case)
    readings = case.readings("anna")
    if empty.reading == 1:
        assert not readings[0].any()
        assert "started" not in case.annotations["anna"].extra


def test_a_repeat_waits_for_its_first_reading(key: HandoutKey, tmp_path: Path, read: Read) -> None:
    package = tmp_path / "out" / "anna"
    read(package, 50)
    items = key.readers["anna"]
    again = next(place for place, item in enumerate(items) if item.reading == 2)
    first = next(place for place, item in enumerate(items) if item.case == items[again].case and item.reading == 1)
    change(package, first, finished=False)
    found = collect([package], tmp_path / "study")
    assert any("waits until the first reading is finished" in sentence for sentence in found.problems)
    change(package, first, finished=True)
    assert collect([package], tmp_path / "study").added == 2


@pytest.mark.usefixtures("key")
def test_a_new_study_gets_the_images_of_the_packages(scans: Study, tmp_path: Path, read: Read) -> None:
    read(tmp_path / "out" / "bert", 50)
    collect([tmp_path / "out"], tmp_path / "new")
    study = Study.read(tmp_path / "new")
    assert study.name == scans.name
    assert {case.id for case in study.cases} == {case.id for case in scans.cases}
    case = study.cases[3]
    assert case.patient == scans.case(case.id).patient
    assert np.array_equal(case.image(), scans.case(case.id).image())
    assert case.annotators == ("bert",)


@pytest.mark.usefixtures("key")
def test_zip_files_are_read_as_they_are_or_with_a_folder_inside(tmp_path: Path, read: Read) -> None:
    read(tmp_path / "out" / "anna", 50)
    read(tmp_path / "out" / "bert", 55)
    (tmp_path / "mail").mkdir()
    shutil.make_archive(str(tmp_path / "mail" / "a"), "zip", tmp_path / "out" / "anna")
    shutil.make_archive(str(tmp_path / "mail" / "b"), "zip", tmp_path / "out", "bert")
    archives = [tmp_path / "mail" / "a.zip", tmp_path / "mail" / "b.zip"]
    found = collect(archives, tmp_path / "study", key=tmp_path / "out" / "key.json")
    assert found.added == 20


@pytest.mark.usefixtures("key")
def test_bad_packages_are_refused_and_the_study_stays_as_it_was(scans: Study, tmp_path: Path) -> None:
    before = (tmp_path / "study" / "study.json").read_bytes()
    hand_out(scans, ["anna"], tmp_path / "other", seed=2)
    (tmp_path / "broken.zip").write_bytes(b"PK no")
    (tmp_path / "empty").mkdir()
    own = tmp_path / "out" / "key.json"
    for place, key_file, words in (
        (tmp_path / "other" / "anna", own, "another hand-out"),
        (tmp_path / "broken.zip", own, "not a zip file"),
        (tmp_path / "empty", own, "holds no worklist.json"),
        (tmp_path / "nowhere", own, "does not exist"),
        (tmp_path / "out" / "anna", tmp_path / "study" / "study.json", "is not a key"),
    ):
        with pytest.raises(UserError, match=words):
            collect([place], tmp_path / "study", key=key_file)
    (tmp_path / "out" / "anna" / "worklist.json").write_text("{", encoding="utf-8")
    with pytest.raises(UserError, match="not valid JSON"):
        collect([tmp_path / "out" / "anna"], tmp_path / "study")
    assert (tmp_path / "study" / "study.json").read_bytes() == before
    assert not (tmp_path / "study" / "collected").exists()


@pytest.mark.usefixtures("key")
def test_labels_are_not_added_to_a_study_of_other_cases(tmp_path: Path) -> None:
    content = json.loads((tmp_path / "study" / "study.json").read_text(encoding="utf-8"))
    content["cases"] = content["cases"][1:]
    (tmp_path / "study" / "study.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(UserError, match="has no case Miller_0"):
        collect([tmp_path / "out"], tmp_path / "study")


@pytest.mark.usefixtures("key")
def test_a_package_without_a_key_beside_it_asks_for_one(tmp_path: Path) -> None:
    shutil.move(tmp_path / "out" / "anna", tmp_path / "mail" / "anna")
    with pytest.raises(UserError, match="--key"):
        collect([tmp_path / "mail" / "anna"], tmp_path / "study")


@pytest.mark.parametrize(
    ("change", "value"),
    [("pseudonym", "../../outside"), ("pseudonym", 3), ("reading", "1"), ("case", None)],
)
def test_a_key_that_was_tampered_with_is_refused(key: HandoutKey, tmp_path: Path, change: str, value: Any) -> None:
    content = json.loads(key.text())
    content["readers"]["anna"][0][change] = value
    (tmp_path / "bad.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(UserError, match="is a damaged key"):
        HandoutKey.read(tmp_path / "bad.json")
    content = json.loads(key.text())
    content["cases"] = {"../outside": {}}
    (tmp_path / "bad.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(UserError, match="is a damaged key"):
        HandoutKey.read(tmp_path / "bad.json")


@pytest.mark.usefixtures("key")
@pytest.mark.parametrize("value", [[], {"a": 1}, None, 5, "unknown"])
def test_an_entry_of_the_worklist_without_a_usable_id_is_passed_over(tmp_path: Path, read: Read, value: Any) -> None:
    read(tmp_path / "out" / "anna", 50)
    path = tmp_path / "out" / "anna" / "worklist.json"
    worklist = json.loads(path.read_text(encoding="utf-8"))
    worklist["cases"][0]["id"] = value
    path.write_text(json.dumps(worklist), encoding="utf-8")
    assert collect([path.parent], tmp_path / "study").added == 10


@pytest.mark.usefixtures("key")
@pytest.mark.parametrize("facts", [[], "text", None, 5, "removed"])
def test_a_key_whose_cases_are_unknown_or_no_objects_is_refused(tmp_path: Path, facts: Any) -> None:
    path = tmp_path / "out" / "key.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    case = next(iter(content["cases"]))
    if facts == "removed":
        del content["cases"][case]
    else:
        content["cases"][case] = facts
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(UserError, match="damaged key"):
        HandoutKey.read(path)


@pytest.mark.usefixtures("key")
def test_a_zip_file_that_would_fill_the_memory_or_the_disk_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = tmp_path / "out" / "anna.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("worklist.json", "a.nrrd", "b.nrrd"):
            archive.writestr(name, bytes(3_000_000))
    monkeypatch.setenv("NOISYLABELSEG_LARGEST_IMAGE_GB", "0.002")
    with pytest.raises(UserError, match=r"anna.zip: unpacks to 3.0 MB, more than the limit of 2.0 MB"):
        collect([bomb], tmp_path / "study")
    monkeypatch.delenv("NOISYLABELSEG_LARGEST_IMAGE_GB")
    monkeypatch.setattr("NoisyLabelSegLib.reader_study.hand_ins._KEPT_FREE", shutil.disk_usage(tmp_path).free)
    with pytest.raises(UserError, match=r"anna.zip: unpacks to 9.0 MB, and .* of the disk are free"):
        collect([bomb], tmp_path / "study")
    monkeypatch.setattr("NoisyLabelSegLib.reader_study.hand_ins._MOST_FILES", 2)
    with pytest.raises(UserError, match=r"anna.zip: holds 3 files"):
        collect([bomb], tmp_path / "study")


@pytest.mark.usefixtures("key")
def test_a_zip_file_writes_nothing_outside_of_its_folder(tmp_path: Path, read: Read) -> None:
    read(tmp_path / "out" / "anna", 50)
    before = {path for path in tmp_path.rglob("*") if "collected" not in str(path)}
    packed = tmp_path / "out" / "anna.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for file in sorted((tmp_path / "out" / "anna").rglob("*.*")):
            archive.write(file, file.relative_to(tmp_path / "out" / "anna"))
        for name in ("../../outside", "/tmp/noisylabelseg-outside", "..\\outside"):
            archive.writestr(name, "x")
        link = zipfile.ZipInfo("link")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    assert collect([packed], tmp_path / "study").added == 10
    study = tmp_path / "study"
    new = {path for path in tmp_path.rglob("*") if study not in path.parents} - before
    assert new == {packed}
    assert not Path("/tmp/noisylabelseg-outside").exists()
