"""Labels that can be read but look wrong are named, with what to do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.cases.import_folder import plan_folder
from NoisyLabelSegLib.cases.label_findings import Marked, label_findings, same_class
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.errors import UserError
from Testing.cases.layouts import LAYOUTS

BOTH = [Marked("p1", "a", (1,)), Marked("p1", "b", (1,))]
TWO = ("background", "lesion")


def test_labels_of_two_readers_who_agree_on_values_need_no_sentence() -> None:
    assert label_findings(BOTH, TWO) == []
    assert label_findings([Marked("p1", "a", (1, 2)), Marked("p1", "b", (2,))], ("background", "x", "y")) == []


def test_the_reader_with_other_values_is_told_from_the_majority() -> None:
    marked = [Marked("p1", "a", (7,)), Marked("p1", "b", (1,)), Marked("p1", "c", (1,)), Marked("p2", "c", (1,))]
    sentence = label_findings([*marked, Marked("p2", "a", (7,))], ("background", *"1234567"))[0]
    assert "b, c 1; a 7" in sentence
    assert "--relabel a:7=1" in sentence


def test_readers_connected_through_a_third_use_the_same_values() -> None:
    marked = [Marked("p1", "a", (1,)), Marked("p1", "b", (2,)), Marked("p1", "c", (1, 2))]
    assert label_findings(marked, ("background", "x", "y")) == []


@pytest.mark.parametrize("name", ["Edema", "edema", "Oedema", "OEDEMA ", "œdema", "edemas"])
def test_spellings_of_one_class(name: str) -> None:
    assert same_class(name) == "edema"


def test_classes_that_only_resemble_each_other_stay_apart() -> None:
    names = ("lesion 1", "lesion 2", "left kidney", "right kidney", "肝", "肾", "T1", "T2")
    assert len({same_class(name) for name in names}) == len(names)
    assert same_class("tumour core") == same_class("Tumor_Core")


def test_classes_that_differ_by_spelling_are_named_with_the_option() -> None:
    (sentence,) = label_findings(BOTH, ("background", "Edema", "core", "oedema"))
    assert sentence.startswith("The classes Edema and oedema differ only by spelling;")
    assert "--relabel 3=1" in sentence


def test_empty_labels_are_named_only_where_another_reader_marked_something() -> None:
    empty = [Marked("p2", "a", ()), Marked("p2", "b", ())]
    assert label_findings([*BOTH, *empty], TWO) == []
    found = label_findings([*BOTH, Marked("p2", "a", ()), Marked("p2", "b", (1,))], TWO)
    assert len(found) == 1
    assert found[0].startswith("The labels of a are empty on p2;")


def test_many_cases_are_counted_and_not_listed() -> None:
    marked = [*BOTH, *(Marked(f"c{number}", "a", (1,)) for number in range(9))]
    assert "c0, c1, c2, c3, c4 and 4 more" in label_findings(marked, TWO)[0]


@pytest.mark.parametrize(
    ("layout", "word"),
    [
        ("values that differ between readers", "--relabel bert:7=1"),
        ("an empty label", "bert are empty on p1"),
        ("one reader", "only one reader, anna"),
    ],
)
def test_check_names_what_import_found(
    layout: str, word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = plan_folder(LAYOUTS[layout].make(tmp_path / "data"))
    assert word in plan.findings[0]
    plan.write(tmp_path / "out")
    assert main(["check", str(tmp_path / "out")]) == 0
    assert f"Note: {plan.findings[0]}" in capsys.readouterr().out.splitlines()


def test_relabeled_values_are_the_same_class(tmp_path: Path) -> None:
    source = LAYOUTS["values made the same"].make(tmp_path / "data")
    assert main(["import", "folder", str(source), "--out", str(tmp_path / "out"), "--relabel", "bert:7=1"]) == 0
    study = Study.read(tmp_path / "out")
    assert study.classes == ("background", "foreground")
    np.testing.assert_array_equal(study.cases[0].labels("anna"), study.cases[0].labels("bert"))


def test_segments_may_be_renamed_and_unknown_ones_are_refused(tmp_path: Path) -> None:
    source = LAYOUTS["one scan and segmentations of Slicer"].make(tmp_path / "data")
    assert plan_folder(source, relabel=["bert:oedema=Core"]).classes == ("background", "Edema", "Core")
    assert plan_folder(source, classes=["background", "Edema", "oedema"]).classes == ("background", "Edema", "oedema")
    with pytest.raises(UserError, match=r"anna\.seg\.nrrd: has the segment Edema, which is not among"):
        plan_folder(source, classes=["background", "Core"])


@pytest.mark.parametrize("text", ["7", "=1", "7=", "bert:=1"])
def test_a_relabeling_that_cannot_be_understood_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="READER:OLD=NEW"):
        plan_folder(LAYOUTS["one reader"].make(tmp_path), relabel=[text])


def test_a_relabeling_of_somebody_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="names the reader carla"):
        plan_folder(LAYOUTS["one reader"].make(tmp_path), relabel=["carla:1=2"])
