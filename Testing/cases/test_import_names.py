"""Names come from files and folders and always can be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from NoisyLabelSegLib.cases.import_plan import case_names, distinct, file_names, stem, usable_name
from NoisyLabelSegLib.cases.study_rules import name_problem


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a/b:c", "a_b_c"),
        (" nodule. ", "nodule"),
        ("..", "unnamed"),
        ("", "unnamed"),
        ("ü\n", "ü_"),
        ("x" * 200, "x" * 100),
    ],
)
def test_any_text_becomes_a_name_that_can_be_used(text: str, name: str):
    assert usable_name(text) == name
    assert name_problem(name) is None


def test_only_endings_of_known_kinds_are_cut_off():
    assert [stem(Path(name)) for name in ("label.seg", "a.DCM", "1.2.840.113")] == ["label", "a", "1.2.840.113"]


def test_one_case_is_named_by_its_source_and_several_by_what_tells_them_apart(tmp_path: Path):
    root = tmp_path / "all"
    assert case_names([root / "p1" / "ct"], root) == ["all"]
    assert case_names([root / "p1" / "ct", root / "p2" / "ct"], root) == ["p1", "p2"]
    assert case_names([root / "p1" / "a", root / "p1" / "b"], root) == ["p1_a", "p1_b"]


def test_files_are_named_by_their_stems_or_by_the_folders_that_tell_them_apart(tmp_path: Path):
    def names(*paths: str) -> list[str]:
        return file_names([tmp_path / path for path in paths], tmp_path)

    assert names("p1/ann.dcm") == ["ann"]
    assert names("p1/a/ann.dcm", "p1/b/bob.dcm") == ["ann", "bob"]
    assert names("p1/ann/1-1.dcm", "p1/bob/1-1.dcm") == ["ann", "bob"]
    assert names("p1/ann/1.dcm", "p1/ann/2.dcm", "p1/bob/1.dcm") == ["ann_1", "ann_2", "bob_1"]
    assert names("1.dcm", "ann/1.dcm") == ["1", "ann"]
    assert names("ann/1.dcm", "ann/1", "eve.dcm") == ["ann_1", "ann_1_2", "eve"]


def test_repeated_names_are_numbered_whatever_their_case():
    assert distinct(["a", "A", "b", "a"]) == ["a", "A_2", "b", "a_3"]
