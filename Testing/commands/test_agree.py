"""`noisylabelseg agree` as people run it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.cli import main


@pytest.fixture
def study(make_disk_study: Callable[..., Study]) -> str:
    return str(make_disk_study(cases=4).folder)


def test_agreement_is_told_and_written(study: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["agree", study, "--out", str(tmp_path / "out"), "--tolerance", "1", "--resamples", "200", "--png"]
    assert main(words) == 0
    told = capsys.readouterr().out
    assert "ICC(2,1)" in told
    assert "all pairs of readers" in told
    content = json.loads((tmp_path / "out" / "agreement.json").read_text(encoding="utf-8"))
    assert content["settings"]["tolerance_mm"] == 1
    picture = (tmp_path / "out" / "figures" / "bland_altman.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 10_000


def test_two_jobs_find_what_one_finds(study: str, tmp_path: Path) -> None:
    for jobs in ("1", "2"):
        out = str(tmp_path / jobs)
        assert main(["agree", study, "--out", out, "--jobs", jobs, "--resamples", "200", "--seed", "3"]) == 0
    one, two = ((tmp_path / jobs / "agreement.json").read_bytes() for jobs in ("1", "2"))
    assert one == two


def test_events_end_with_the_figures(study: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agree", study, "--out", str(tmp_path / "out"), "--json"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["event"] for event in events[:2]] == ["started", "progress"]
    assert events[-1]["event"] == "result"
    assert events[-1]["cases"] == 4
    assert set(events[-1]["leave_one_out"]) == {"over", "under", "good"}


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--method", "voodoo"), "no fusion method 'voodoo'"),
        (("--tolerance", "-1"), "tolerance must be 0 mm or more"),
        (("--jobs", "0"), "--jobs 0"),
        (("--split", "test"), "in the split test"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(
    study: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], reason: str
) -> None:
    assert main(["agree", study, "--out", str(tmp_path / "out"), *words]) == 2
    told = capsys.readouterr().err
    assert reason in told
    assert len(told.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_an_earlier_agreement_is_replaced_only_when_told_so(study: str, tmp_path: Path) -> None:
    words = ["agree", study, "--out", str(tmp_path / "out"), "--resamples", "200"]
    assert main(words) == 0
    assert main(words) == 2
    assert main([*words, "--force"]) == 0
