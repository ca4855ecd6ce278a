"""Where results may go, and what happens where the words of a command cannot be written."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.resources import resource_path
from Testing.spoiling import snapshot

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = {
    "fuse": ["fuse", "{study}"],
    "review": ["review", "{study}", "--truth", "majority"],
    "adjudicate": ["adjudicate", "{study}", "--truth", "majority"],
    "predict": ["predict", "{model}", "{study}", "--device", "cpu"],
}


@pytest.mark.parametrize("verb", COMMANDS)
def test_the_files_of_a_study_are_not_replaced_even_with_force(
    make_disk_study: Callable[..., Study], tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    folder = make_disk_study(cases=2).folder
    before = snapshot(tmp_path)
    places = {"study": folder, "model": resource_path("models") / "demo-nodules.nlseg"}
    words = [word.format(**places) for word in COMMANDS[verb]]
    assert main([*words, "--force", "--out", str(folder)]) == 2
    errors = capsys.readouterr().err
    assert "holds files of the study, such as" in errors
    assert errors.count("\n") == 1
    assert snapshot(tmp_path) == before
    assert main([*words, "--out", str(folder / "results")]) == 0
    assert {name: content for name, content in snapshot(tmp_path).items() if name in before} == before


def test_loose_label_files_are_not_replaced_either(
    make_disk_study: Callable[..., Study], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = make_disk_study(cases=1)
    first, *others = (annotation.source for annotation in study.cases[0].annotations.values())
    label = Path(str(first)).rename(study.folder / "truth.nrrd")
    case, out = study.folder.name, study.folder.parent
    before = snapshot(tmp_path)
    words = ["fuse", str(label), *map(str, others), "--case", case, "--out", str(out), "--force"]
    assert main(words) == 2
    assert "holds files of the study, such as" in capsys.readouterr().err
    assert snapshot(tmp_path) == before


def say_into(words: list[str], redirection: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command with its standard output sent elsewhere by the shell; says its exit code on the last line."""
    script = f'{sys.executable} -m NoisyLabelSegLib "$@" {redirection}; echo "${{PIPESTATUS[0]}}"'
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    command = ["bash", "-c", script, "bash", *words]
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=True, encoding="utf-8")


@pytest.mark.skipif(sys.platform != "linux", reason="has /dev/full")
@pytest.mark.parametrize("more", [[], ["--json"]])
@pytest.mark.parametrize("redirection", ["| head -c 1", "> /dev/full"])
def test_words_that_cannot_be_written_end_the_run_with_a_sentence(
    make_disk_study: Callable[..., Study], tmp_path: Path, redirection: str, more: list[str]
) -> None:
    study = make_disk_study(cases=20)
    out = tmp_path / "results"
    out.mkdir()
    done = say_into(["agree", str(study.folder), *more, "--out", str(out / "out")], redirection)
    assert done.stdout.splitlines()[-1].endswith("2")
    assert done.stderr.startswith("The output of this command cannot be written (")
    assert done.stderr.count("\n") == 1
    assert {path.name for path in out.iterdir()} <= {"out"}, "something is left"


def test_letters_that_a_log_file_does_not_have_do_not_end_the_run(
    make_disk_study: Callable[..., Study], tmp_path: Path
) -> None:
    study, log = make_disk_study(cases=2), tmp_path / "log"
    words = ["fuse", str(study.folder), "--out", str(tmp_path / "fünf – 五")]
    done = say_into(words, f"> {log}", PYTHONIOENCODING="ascii")
    assert (done.stdout, done.stderr) == ("0\n", "")
    assert "f?nf ? ?" in log.read_text(encoding="ascii")
    events = say_into([*words, "--force", "--json"], "", PYTHONIOENCODING="ascii")
    assert "fünf – 五" in events.stdout
