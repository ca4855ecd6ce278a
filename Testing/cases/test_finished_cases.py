"""A run that was killed or interrupted is gone on with: finished cases are not worked on again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases.case import Annotation
from NoisyLabelSegLib.cases.finished_cases import read_result, write_result
from Testing.spoiling import snapshot

ROOT = Path(__file__).resolve().parents[2]
INTERRUPTED = """
import os, signal, sys
from NoisyLabelSegLib.cases import finished_cases
from NoisyLabelSegLib.cli import main
keep, kept = finished_cases.write_result, []
def keep_and_stop(path, result):
    keep(path, result)
    kept.append(path)
    if len(kept) == int(sys.argv[1]):
        os.kill(os.getpid(), getattr(signal, sys.argv[2]))
finished_cases.write_result = keep_and_stop
code = main(sys.argv[3:])
print(len(kept))
sys.exit(code)
"""
"""A command that is stopped as soon as so many results are finished; it prints how many it worked out."""
COMMANDS = {
    "fuse": ["--method", "staple", "--confusion"],
    "review": ["--truth", "weighted-majority"],
    "agree": ["--resamples", "100"],
}


def start(results: int, number: str, *words: str) -> tuple[int, str]:
    command = [sys.executable, "-c", INTERRUPTED, str(results), number, *words]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
@pytest.mark.parametrize("verb", COMMANDS)
@pytest.mark.parametrize("number", ["SIGKILL", "SIGINT"])
def test_an_interrupted_run_goes_on_where_it_was(make_disk_study, tmp_path: Path, verb: str, number: str) -> None:
    study = make_disk_study(cases=5)
    words = [verb, str(study.folder), *COMMANDS[verb], "--out"]
    code, said = start(-1, number, *words, str(tmp_path / "whole"))
    assert code == 0
    whole = int(said.splitlines()[-1])
    results = tmp_path / "results"
    code, _ = start(3, number, *words, str(results / "out"))
    assert code == (-signal.SIGKILL if number == "SIGKILL" else 130)
    assert not (results / "out").exists()
    code, said = start(-1, number, *words, str(results / "out"))
    assert (code, int(said.splitlines()[-1])) == (0, whole - 3)
    assert snapshot(results / "out") == snapshot(tmp_path / "whole")
    assert [path.name for path in results.iterdir()] == ["out"]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_nothing_is_kept_once_a_file_or_a_setting_is_another(make_disk_study, tmp_path: Path) -> None:
    study = make_disk_study(cases=4)
    words = ["fuse", str(study.folder), "--out", str(tmp_path / "results" / "out"), "--force", "--method"]
    start(2, "SIGKILL", *words, "majority")
    assert start(-1, "SIGKILL", *words, "mean")[1].splitlines()[-1] == "4"
    start(2, "SIGKILL", *words, "majority")
    os.utime(study.cases[0].annotations["good"].source)
    assert start(-1, "SIGKILL", *words, "majority")[1].splitlines()[-1] == "4"
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["out"]


@dataclass(frozen=True)
class Stranger:
    number: int


def test_a_result_comes_back_as_it_was(tmp_path: Path) -> None:
    result = (1, 2.5, float("inf"), None, "a", [True], {("a", 1): np.arange(3)}, np.float32(0.1), {3}, b"\0a")
    write_result(tmp_path / "a.npz", (result, Annotation(Path("b.nrrd"))))
    found, annotation = read_result(tmp_path / "a.npz")
    assert annotation == Annotation(Path("b.nrrd"))
    np.testing.assert_array_equal(found[6].pop(("a", 1)), result[6].pop(("a", 1)))
    assert found == result
    assert type(found[7]) is np.float32


def test_only_results_of_this_library_are_made(tmp_path: Path) -> None:
    write_result(tmp_path / "a.npz", Stranger(1))
    with pytest.raises(ValueError, match="is no class of a result"):
        read_result(tmp_path / "a.npz")
    with pytest.raises(TypeError, match="cannot be kept"):
        write_result(tmp_path / "b.npz", object())
    assert not (tmp_path / "b.npz").exists()
