"""Several cases at once, and going on after a case that cannot be used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from NoisyLabelSegLib import simulate
from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.cli import main


@pytest.fixture
def damaged(make_disk_study) -> Study:
    """Four cases; a label file of the second is cut off."""
    study = make_disk_study(cases=4)
    study.cases[1].annotations["under"].source.write_bytes(b"NRRD0004\n")
    return study


def commands(study: Study, out: Path) -> dict[str, list[str]]:
    return {
        "fuse staple": ["fuse", str(study.folder), "--method", "staple", "--out", str(out)],
        "fuse majority": ["fuse", str(study.folder), "--method", "majority", "--out", str(out)],
        "review staple": ["review", str(study.folder), "--truth", "staple", "--out", str(out)],
        "review majority": ["review", str(study.folder), "--truth", "majority", "--out", str(out)],
        "agree": ["agree", str(study.folder), "--resamples", "100", "--out", str(out)],
    }


KINDS = ("fuse staple", "fuse majority", "review staple", "review majority", "agree")
TABLES = {"fuse": "annotators.json", "review": "statistics.json"}


@pytest.mark.parametrize("kind", KINDS[:-1])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_other_cases_are_finished_and_the_bad_one_is_reported(damaged, tmp_path, capsys, kind, jobs):
    words = [*commands(damaged, tmp_path / "out")[kind], "--keep-going", "--jobs", jobs]
    assert main(words) == 2
    shown = capsys.readouterr()
    assert "under.nrrd" in shown.out
    assert "One case failed and was left out; everything else is finished" in shown.err
    assert sorted(path.name for path in (tmp_path / "out").iterdir() if path.is_dir()) == ["case0", "case2", "case3"]
    content = json.loads((tmp_path / "out" / TABLES[kind.split()[0]]).read_text(encoding="utf-8"))
    assert [failure["case"] for failure in content["failed"]] == ["case1"]


def test_agreement_is_measured_on_the_cases_that_can_be_used(tmp_path, capsys):
    study = simulate("lesions", tmp_path / "study", cases=4, size=(40, 40, 6))
    next(iter(study.cases[1].annotations.values())).source.write_bytes(b"NRRD0004\n")
    words = ["agree", str(tmp_path / "study"), "--resamples", "100", "--out", str(tmp_path / "out"), "--keep-going"]
    assert main(words) == 2
    assert "One case failed" in capsys.readouterr().err
    content = json.loads((tmp_path / "out" / "agreement.json").read_text(encoding="utf-8"))
    assert [failure["case"] for failure in content["failed"]] == [study.cases[1].id]


@pytest.mark.parametrize("kind", KINDS)
def test_without_the_option_the_first_bad_case_ends_the_work(damaged, tmp_path, kind):
    assert main(commands(damaged, tmp_path / "out")[kind]) == 2
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_where_every_case_fails_nothing_is_written(damaged, tmp_path, capsys, kind):
    for case in damaged.cases:
        case.annotations["good"].source.unlink()
    assert main([*commands(damaged, tmp_path / "out")[kind], "--keep-going"]) == 2
    assert "Every case failed" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["review staple", "review majority"])
def test_a_review_of_two_cases_at_once_is_that_of_one_after_the_other(make_disk_study, tmp_path, kind):
    study = make_disk_study(cases=3, case1=["under"])
    for jobs in ("1", "2"):
        assert main([*commands(study, tmp_path / jobs)[kind], "--jobs", jobs]) == 0
    for path in (tmp_path / "1").rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / "2" / path.relative_to(tmp_path / "1")).read_bytes()


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_case_that_cannot_be_scored_does_not_stop_the_others(make_disk_study, tmp_path, capsys, jobs):
    study = make_disk_study(cases=3)
    assert main(["fuse", str(study.folder), "--method", "majority", "--out", str(tmp_path / "fused")]) == 0
    (tmp_path / "fused" / "case1" / "truth.nrrd").write_bytes(b"NRRD0004\n")
    words = ["evaluate", str(tmp_path / "fused"), str(study.folder), "--out", str(tmp_path / "scores.json")]
    assert main([*words, "--jobs", jobs]) == 2
    assert not (tmp_path / "scores.json").exists()
    capsys.readouterr()
    assert main([*words, "--keep-going", "--jobs", jobs]) == 2
    assert "One case failed" in capsys.readouterr().err
    content = json.loads((tmp_path / "scores.json").read_text(encoding="utf-8"))
    assert [case["id"] for case in content["cases"]] == ["case0", "case2"]
    assert [failure["case"] for failure in content["failed"]] == ["case1"]


def test_with_events_the_result_comes_before_the_error(damaged, tmp_path, capsys):
    assert main([*commands(damaged, tmp_path / "out")["fuse majority"], "--keep-going", "--json"]) == 2
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["event"] for event in events][-2:] == ["result", "error"]
    assert events[-2]["failed"] == ["case1"]


@pytest.mark.parametrize("verb", ["agree", "evaluate"])
def test_a_rerun_and_several_jobs_give_the_same_bytes(make_disk_study, tmp_path, verb):
    study = make_disk_study(cases=3, case1=["under"])
    assert main(["fuse", str(study.folder), "--out", str(tmp_path / "fused"), "--confusion"]) == 0
    words = {
        "agree": ["agree", str(study.folder), "--resamples", "100"],
        "evaluate": ["evaluate", str(tmp_path / "fused"), str(study.folder)],
    }
    for seed, jobs in (("1", "1"), ("2", "1"), ("3", "2")):  # sets of names change their order with the seed
        out = tmp_path / f"out{seed}" / "scores.json"
        where = str(out if verb == "evaluate" else out.parent)
        command = [sys.executable, "-m", "NoisyLabelSegLib", *words[verb], "--out", where, "--jobs", jobs]
        subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, check=True, capture_output=True)
    files = [path.relative_to(tmp_path / "out1") for path in (tmp_path / "out1").rglob("*") if path.is_file()]
    assert files
    for name in files:
        assert len({(tmp_path / f"out{seed}" / name).read_bytes() for seed in (1, 2, 3)}) == 1, name
