"""Names come from files and folders and always can be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from NoisyLabelSegLib.cases.import_names import case_names, distinct, file_names, stem, usable_name
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


def test_files_are_named_by_their_stem_or_path(tmp_path: Path):
    paths = [tmp_path / "a" / "1.dcm", tmp_path / "b" / "1.dcm", tmp_path / "c.dcm"]
    assert file_names(paths, tmp_path) == ["a_1", "b_1", "c"]


def test_repeated_names_are_numbered_whatever_their_case():
    assert distinct(["a", "A", "b", "a"]) == ["a", "A_2", "b", "a_3"]
