"""Damaged files of every kind through all readers: a result or a sentence, never a crash, a hang or a stray file."""

from __future__ import annotations

import json
import os
import random
import select
import shutil
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from Testing.soak.fuzzing import Seed, damage, make_seeds
from Testing.spoiling import snapshot

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of its child processes")

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 30.0
"""Seconds that a command may take, on a machine that does nothing else."""


class Worker:
    """A child process that carries out commands, and is started again after one that killed it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def run(self, command: list[str]) -> tuple[int | str, str]:
        """The exit code, or how the process died, and what it said on standard error."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "Testing.soak.fuzz_worker"],
                cwd=ROOT,
                env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        stdin, stdout = _pipes(self._process)
        stdin.write(json.dumps(command) + "\n")
        stdin.flush()
        if not select.select([stdout], [], [], LONGEST + 60)[0]:  # starting it takes some seconds, too
            self.stop()
            return "hangs", ""
        if not (line := stdout.readline()):
            code = self._process.wait()
            self.stop()
            return f"died with {code}", ""
        code, errors = json.loads(line)
        return code, errors

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def _pipes(process: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


def problem_with(seed: Seed, number: int, place: Path, worker: Worker) -> str:
    """What is wrong with how a damaged copy of the seed is treated, "" if nothing is."""
    folder = place / "in"
    shutil.copytree(seed.folder, folder)
    file = folder / seed.file
    file.write_bytes(damage(file.read_bytes(), random.Random(f"{seed.file} {number}")))
    before = snapshot(folder)
    code, errors = worker.run([word.format(folder=folder, file=seed.file, out=place / "out") for word in seed.command])
    if code not in (0, 2):
        return f"exit code {code}: {errors}"
    if code == 2 and (errors.count("\n") != 1 or (place / "out").exists()):
        return f"not one sentence, or something written: {errors}"
    if snapshot(folder) != before or {path.name for path in place.iterdir()} - {"in", "out"}:
        return "files outside of the output"
    return ""


@pytest.mark.parametrize("each", [1, pytest.param(100, marks=pytest.mark.soak)])
def test_damaged_files_give_a_result_or_a_sentence(tmp_path: Path, each: int) -> None:
    seeds = make_seeds(tmp_path / "seeds")
    assert each < 100 or each * len(seeds) >= 2000
    worker, problems = Worker(), []
    try:
        for number in range(each):
            for name, seed in seeds.items():
                place = tmp_path / "now"
                if problem := problem_with(seed, number, place, worker):
                    problems.append(f"{name}, number {number}: {problem}")
                shutil.rmtree(place)
    finally:
        worker.stop()
    assert not problems, "\n".join(problems)
