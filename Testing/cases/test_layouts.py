"""`import folder` prints what it recognized in a folder, and why, and makes a study of it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.cli import main
from Testing.cases.layouts import LAYOUTS, Layout

PRINTED = dict(
    re.findall(r"^# (.+)\n((?:[^#\n].*\n)*)", Path(__file__).with_name("layouts.txt").read_text("utf-8"), re.MULTILINE)
)


def test_there_is_a_printed_plan_for_every_layout() -> None:
    assert list(PRINTED) == list(LAYOUTS)
    assert len(LAYOUTS) >= 25


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_plan_is_printed_and_becomes_a_study(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout: Layout = LAYOUTS[name]
    source = layout.make(tmp_path / "data")
    assert main(["import", "folder", str(source), "--out", str(tmp_path / "out"), *layout.options]) == 0
    assert printed_plan(capsys.readouterr().out) == PRINTED[name]
    study = Study.read(tmp_path / "out")
    rows = [line.split("|")[1:4] for line in PRINTED[name].splitlines() if line.startswith("|")]
    readers = {id.strip(): names.strip() for id, _, names in rows}
    assert {case.id: ", ".join(case.annotators) for case in study.cases} == readers
    for case in study.cases:
        assert all(np.isin(labels, range(len(study.classes))).all() for labels in case.all_labels(case.annotators))
        assert not case.images or case.image().shape[1:] == case.geometry.shape


def test_a_dry_run_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = LAYOUTS["names in one folder"].make(tmp_path / "data")
    assert main(["import", "folder", str(source), "--out", str(tmp_path / "out"), "--dry-run"]) == 0
    assert "sub-01" in capsys.readouterr().out
    assert not (tmp_path / "out").exists()


def test_channels_of_a_4d_file_keep_their_order_and_grid(tmp_path: Path) -> None:
    source = LAYOUTS["Decathlon"].make(tmp_path / "data")
    assert main(["import", "folder", str(source), "--out", str(tmp_path / "out")]) == 0
    case = Study.read(tmp_path / "out").cases[0]
    assert case.image()[:, 0, 0, 0].tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(case.geometry.spacing, (0.7, 0.7, 2.5), rtol=1e-6)


def printed_plan(output: str) -> str:
    """What was printed without the lines of the table and the last sentence, which names the folder."""
    lines = [re.sub(r" +", " ", line.replace("│", "|")) for line in output.splitlines()]
    return "".join(f"{line}\n" for line in lines if line[0] not in "┏┡└┃" and not line.startswith("Wrote"))


BAD = {
    "a field that is not known": (("--layout", "{patient}/{reader}.nrrd"), "{patient}"),
    "a pattern without a case": (("--layout", "{reader}.nrrd"), "{case}"),
    "a pattern that nothing fits": (("--layout", "{case}/by-{reader}.nrrd"), "p1/anna.nrrd"),
}


@pytest.mark.parametrize(("options", "word"), BAD.values(), ids=BAD.keys())
def test_a_layout_that_cannot_be_used_is_explained(
    options: tuple[str, ...], word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = LAYOUTS["one reader"].make(tmp_path / "data")
    assert main(["import", "folder", str(source), "--out", str(tmp_path / "out"), *options]) == 2
    assert word in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("name,image\np1,x.nrrd\n", "no column 'case'"),
        ("case,image,anna\np1,image.nrrd,absent.nrrd\n", "absent.nrrd, which does not exist"),
        ("case,image\np1,image.nrrd\n", "no labels"),
        ("", "no column 'case'"),
    ],
    ids=["no case", "no file", "no labels", "empty"],
)
def test_a_table_that_cannot_be_used_is_explained(
    text: str, word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    LAYOUTS["the folder is the case"].make(tmp_path)
    (tmp_path / "cases.csv").write_text(text, encoding="utf-8")
    assert main(["import", "folder", str(tmp_path / "cases.csv"), "--out", str(tmp_path / "out")]) == 2
    assert word in capsys.readouterr().err


def test_files_of_no_layout_are_listed_with_a_way_to_describe_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Layout("a/image.nrrd b/image.nrrd", "").make(tmp_path / "data")
    assert main(["import", "folder", str(tmp_path / "data"), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert "a/image.nrrd, b/image.nrrd" in error
    assert "--layout" in error


def test_a_mask_of_a_high_value_is_no_mask_where_its_reader_uses_other_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = Layout("p1/image.nrrd p2/image.nrrd", "p1/anna.nrrd p2/anna.nrrd", values={"p1/anna.nrrd": 1000})
    source = layout.make(tmp_path / "data")
    assert main(["import", "folder", str(source), "--out", str(tmp_path / "out")]) == 2
    assert "1000" in capsys.readouterr().err
