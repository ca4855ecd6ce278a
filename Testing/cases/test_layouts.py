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
