"""`noisylabelseg review` as people run it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Study, write_labels


def noisylabelseg(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "NoisyLabelSegLib", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Two pictures; `wide` draws two pixels too far."""
    cases = []
    for number in range(2):
        truth, wide = np.zeros((2, 40, 40), np.uint8)
        truth[10:25, 10 : 25 + number] = 1
        wide[8:27, 8 : 27 + number] = 1
        drawn = {"right": truth, "wide": wide}
        files = {name: tmp_path / "study" / f"{number}_{name}.nrrd" for name in drawn}
        for name, labels in drawn.items():
            write_labels(files[name], labels, Geometry.plain((40, 40)))
        cases.append(
            Case(f"case{number}", (), {name: Annotation(path) for name, path in files.items()}, files["right"])
        )
    Study("pictures", ("background", "cell"), ("right", "wide"), tuple(cases)).write(tmp_path / "study")
    return tmp_path / "study"


def test_a_review_tells_what_it_found(study: Path, tmp_path: Path) -> None:
    done = noisylabelseg("review", study, "--truth", "study", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "wide draws 2.0 px outside the border and finds every object." in done.stdout
    assert "report.html" in done.stdout
    assert (tmp_path / "out" / "case1" / "errors_wide.nrrd").exists()


def test_events_carry_the_same_sentences(study: Path, tmp_path: Path) -> None:
    done = noisylabelseg("review", study, "--truth", "staple", "--out", tmp_path / "out", "--json", "--cost", "wide=2")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["event"] for event in events][:2] == ["started", "progress"]
    assert events[-1]["event"] == "result"
    assert events[-1]["cases"] == 2
    assert len(events[-1]["sentences"]) == 2


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--truth", "voodoo"), "neither a folder of truths nor a fusion method"),
        (("--truth", "study", "--cost", "wide"), "'wide' is not a cost; write NAME=NUMBER"),
        (("--truth", "study", "--cost", "anna=1"), "no annotator 'anna'"),
        (("--truth", "study", "--pictures", "-1"), "pictures must be 0 or more"),
        ((), "--truth"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(
    study: Path, tmp_path: Path, words: tuple[str, ...], reason: str
) -> None:
    done = noisylabelseg("review", study, "--out", tmp_path / "out", *words)
    assert done.returncode == 2
    assert reason in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_an_earlier_review_is_replaced_only_when_told_so(study: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("keep")
    words = ("review", study, "--truth", "study", "--out", tmp_path / "out")
    assert noisylabelseg(*words).returncode == 2
    assert noisylabelseg(*words, "--force").returncode == 0
    assert (tmp_path / "out" / "mine.txt").read_text() == "keep"
