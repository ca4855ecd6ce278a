"""Packages: blinded, in random order, with hidden repeats and empty labels of the right geometry."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import nrrd
import numpy as np
import pytest

from NoisyLabelSegLib.cases import Case, Study, read_image, read_labels
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.reader_study import HandoutKey, hand_out
from NoisyLabelSegLib.reader_study.handout import _items


def test_a_package_is_a_study_with_empty_labels_on_the_grid_of_the_images(scans: Study, tmp_path: Path) -> None:
    key = hand_out(scans, ["anna"], tmp_path / "out", repeats=0.25, seed=1)
    package = Study.read(tmp_path / "out" / "anna")
    assert len(package.cases) == 10
    for case, item in zip(package.cases, key.readers["anna"], strict=True):
        labels = case.labels("anna")
        assert labels is not None
        assert not labels.any()
        original = scans.case(item.case)
        assert original.geometry.differences(case.geometry) == []
        assert np.array_equal(case.image(), original.image())


def test_nothing_in_a_package_names_a_patient_a_case_or_another_reader(scans: Study, tmp_path: Path) -> None:
    hand_out(scans, ["anna", "bert"], tmp_path / "out", seed=1)
    allowed = {
        *("type", "dimension", "space", "sizes", "space directions", "kinds", "endian", "encoding", "space origin"),
    }
    for path in (tmp_path / "out" / "anna").rglob("*"):
        assert "miller" not in str(path.relative_to(tmp_path / "out")).lower()
        if path.is_file():
            head = path.read_bytes()[:5000].lower()
            assert not [word for word in (b"miller", b"patient0", b"bert", b"senior") if word in head]
            if path.suffix == ".nrrd":
                assert set(nrrd.read_header(str(path))) <= allowed


def test_every_reader_has_an_order_and_names_of_their_own(scans: Study, tmp_path: Path) -> None:
    key = hand_out(scans, ["anna", "bert"], tmp_path / "out", seed=1)
    anna, bert = key.readers["anna"], key.readers["bert"]
    assert [item.case for item in anna] != [item.case for item in bert]
    assert not {item.pseudonym for item in anna} & {item.pseudonym for item in bert}
    again = hand_out(scans, ["anna", "bert"], tmp_path / "again", seed=1)
    assert again.readers == key.readers
    assert hand_out(scans, ["anna", "bert"], tmp_path / "other").readers != key.readers
    assert HandoutKey.read(tmp_path / "out" / "key.json") == key


@pytest.mark.parametrize(
    ("cases", "share", "expected"), [(20, 0.1, 2), (20, 0.0, 0), (3, 0.01, 1), (6, 1.0, 6), (1, 0.5, 1)]
)
def test_repeats_come_well_after_the_first_reading(cases: int, share: float, expected: int) -> None:
    for seed in range(20):
        items = _items([str(number) for number in range(cases)], share, np.random.default_rng(seed))
        places = {(item.case, item.reading): place for place, item in enumerate(items)}
        repeats = [case for case, reading in places if reading == 2]
        assert len(repeats) == expected
        assert len(items) == cases + expected
        gaps = [places[case, 2] - places[case, 1] for case in repeats]
        assert all(gap > 0 for gap in gaps)
        if share <= 0.5 and cases > 2:
            assert all(gap > cases // 3 for gap in gaps)


def test_a_package_can_be_a_zip_file(scans: Study, tmp_path: Path) -> None:
    hand_out(scans, ["anna"], tmp_path / "out", seed=1, zipped=True)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["anna.zip", "key.json"]
    with zipfile.ZipFile(tmp_path / "out" / "anna.zip") as archive:
        names = archive.namelist()
        assert "worklist.json" in names
        assert json.loads(archive.read("worklist.json"))["reader"] == "anna"
    assert not [name for name in names if "Miller" in name]


@pytest.mark.parametrize(
    ("readers", "repeats", "words"),
    [
        ([], 0.1, "Nobody"),
        (["anna", "Anna"], 0.1, "same name"),
        (["a/b"], 0.1, "'/'"),
        (["key.json"], 0.1, "a file of the hand-out"),
        (["anna"], 1.5, "from 0 to 1"),
    ],
)
def test_what_cannot_be_handed_out_is_refused(
    scans: Study, tmp_path: Path, readers: list[str], repeats: float, words: str
) -> None:
    with pytest.raises(UserError, match=words):
        hand_out(scans, readers, tmp_path / "out", repeats=repeats)
    assert not (tmp_path / "out").exists()


def test_a_case_without_an_image_cannot_be_segmented(scans: Study, tmp_path: Path) -> None:
    study = Study(scans.name, scans.classes, scans.annotators, (*scans.cases, Case("labels only")))
    with pytest.raises(UserError, match=r"labels only.*has no image"):
        hand_out(study, ["anna"], tmp_path / "out")


def test_several_channels_keep_their_order(scans: Study, tmp_path: Path) -> None:
    first, second = (scans.cases[number].images[0] for number in (0, 1))
    study = Study("two", scans.classes, ("anna",), (Case("one", (second, first)),))
    key = hand_out(study, ["anna"], tmp_path / "out", repeats=0)
    folder = tmp_path / "out" / "anna" / key.readers["anna"][0].pseudonym
    assert np.array_equal(read_image(folder / "image_1.nrrd").array, read_image(second).array)
    assert read_labels(folder / "labels.nrrd").array.shape == read_image(first).array.shape
