"""The fuse verb as people and clusters run it: real files, real processes."""

from __future__ import annotations

import filecmp
import json
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, read_labels, write_labels
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.fusion import METHODS, fuse

GRID = Geometry((4, 6, 5), (0.5, 0.6, 3.0), (1.0, 2.0, 3.0), (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))


@pytest.fixture
def masks(tmp_path: Path) -> list[str]:
    """Three label files of one case, drawn as 0 and 255."""
    rng = np.random.default_rng(1)
    files = [tmp_path / f"reader{number}.nrrd" for number in range(3)]
    for file in files:
        write_labels(file, (rng.random(GRID.shape) < 0.4) * 255, GRID)
    return [str(file) for file in files]


def _same(first: Path, second: Path) -> bool:
    names = sorted(str(path.relative_to(first)) for path in first.rglob("*") if path.is_file())
    others = sorted(str(path.relative_to(second)) for path in second.rglob("*") if path.is_file())
    return names == others and not filecmp.cmpfiles(first, second, names, shallow=False)[1]


@pytest.mark.parametrize("method", METHODS)
def test_label_files_are_one_case_named_after_the_first(masks, tmp_path, method, capsys):
    assert main(["fuse", *masks, "--method", method, "--out", str(tmp_path / "out")]) == 0
    truth = read_labels(tmp_path / "out" / "reader0" / "truth.nrrd")
    expected = fuse([read_labels(file).array // 255 for file in masks], method)
    np.testing.assert_array_equal(truth.array, expected.labels)
    assert GRID.differences(truth.geometry) == []
    assert "255 is taken as class 1" in capsys.readouterr().out


def test_the_case_of_label_files_can_be_named(masks, tmp_path):
    assert main(["fuse", *masks, "--case", "patient 7", "--out", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out" / "patient 7" / "truth.nrrd").is_file()


def test_a_study_is_fused_and_told_as_events(make_disk_study, tmp_path, capsys):
    study = make_disk_study(cases=2)
    assert main(["fuse", str(study.folder), "--method", "majority", "--out", str(tmp_path / "out"), "--json"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert events[-1]["event"] == "result"
    assert events[-1]["cases"] == ["case0", "case1"]
    assert [row["annotator"] for row in events[-1]["annotators"]] == ["over", "under", "good"]
    assert {event["stage"] for event in events if event["event"] == "progress"} == {"fuse"}


def test_the_last_line_says_what_was_written_and_what_comes_next(make_disk_study, masks, tmp_path, capsys):
    study, out = make_disk_study(cases=2), tmp_path / "out"
    assert main(["fuse", str(study.folder), "--out", str(out)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == (
        f"Wrote {out}/<case id>/truth.nrrd for 2 cases. "
        f"Next: noisylabelseg review {study.folder} --truth {out} --out review"
    )
    assert main(["fuse", *masks, "--out", str(tmp_path / "loose")]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"Wrote {tmp_path}/loose/reader0/truth.nrrd."


def test_options_and_annotators_can_be_chosen(masks, tmp_path):
    words = ["--set", "threshold=0.2", "--annotators", "reader0,reader2", "--out", str(tmp_path / "out")]
    assert main(["fuse", *masks, "--method", "mean", *words]) == 0
    truth = read_labels(tmp_path / "out" / "reader0" / "truth.nrrd").array
    first, _, third = (read_labels(file).array > 0 for file in masks)
    np.testing.assert_array_equal(truth, first | third)


def test_files_of_the_same_name_are_told_apart_by_their_folders(tmp_path, capsys):
    for reader in ("anna", "ben"):
        write_labels(tmp_path / reader / "mask.nrrd", np.ones(GRID.shape), GRID)
    files = [str(tmp_path / reader / "mask.nrrd") for reader in ("anna", "ben")]
    assert main(["fuse", *files, "--out", str(tmp_path / "out"), "--json"]) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [row["annotator"] for row in result["annotators"]] == ["anna_mask", "ben_mask"]
    assert result["cases"] == ["mask"]


def test_files_on_different_grids_are_refused_by_name(masks, tmp_path, capsys):
    write_labels(tmp_path / "moved.nrrd", np.zeros(GRID.shape), Geometry.plain(GRID.shape))
    assert main(["fuse", *masks, str(tmp_path / "moved.nrrd"), "--out", str(tmp_path / "out")]) == 2
    assert "moved.nrrd: is not on the grid of reader0.nrrd" in capsys.readouterr().err


def test_folders_are_told_what_fuse_takes(tmp_path, capsys):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    assert main(["fuse", str(tmp_path / "a"), str(tmp_path / "b"), "--out", str(tmp_path / "out")]) == 2
    assert f"{tmp_path / 'a'}: is a folder; fuse takes one study" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--method", "magic"], "no fusion method 'magic'"),
        (["--set", "prior"], "OPTION=VALUE"),
        (["--method", "staple", "--set", "magic=1"], "STAPLE has no option 'magic'"),
        (["--method", "staple", "--set", "caution=much"], "STAPLE cannot work with caution='much'"),
        (["--annotators", "nobody"], "no annotator 'nobody'"),
        (["--jobs", "0"], "--jobs 0 leaves no process to work"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(masks, tmp_path, words, sentence, capsys):
    assert main(["fuse", *masks, *words, "--out", str(tmp_path / "out")]) == 2
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_two_jobs_give_the_files_that_one_gives(make_disk_study, tmp_path):
    study = make_disk_study(cases=3, shape=(4, 16, 16), case1=["under"])
    for jobs in ("1", "2"):
        assert main(["fuse", str(study.folder), "--out", str(tmp_path / jobs), "--jobs", jobs, "--confusion"]) == 0
    assert _same(tmp_path / "1", tmp_path / "2")


def write_values(folder: Path, **values: int) -> list[str]:
    files = []
    for name, value in values.items():
        labels = np.zeros((4, 6, 6), dtype=np.uint8)
        labels[1:3, 2:5, 2:5] = value
        write_labels(folder / f"{name}.nrrd", labels, Geometry.plain(labels.shape))
        files.append(str(folder / f"{name}.nrrd"))
    return files


def test_different_values_for_one_structure_are_named_and_matched_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = write_values(tmp_path, a=1, b=7, c=1)
    assert main(["fuse", *files, "--out", str(tmp_path / "apart")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "b uses class 7 (value 7) where others use class 1 (value 1)" in said
    assert "--relabel b:7=1" in said
    assert main(["fuse", *files, "--out", str(tmp_path / "one"), "--relabel", "b:7=1"]) == 0
    assert "--relabel" not in capsys.readouterr().out
    truth = read_labels(tmp_path / "one" / "a" / "truth.nrrd").array
    assert sorted(np.unique(truth)) == [0, 1]
    assert np.count_nonzero(truth) == 18


def test_labels_of_an_unknown_reader_are_not_matched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = write_values(tmp_path, a=1, b=7)
    assert main(["fuse", *files, "--out", str(tmp_path / "out"), "--relabel", "z:7=1"]) == 2
    assert "no annotator 'z'" in capsys.readouterr().err
