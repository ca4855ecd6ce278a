"""Every kind of learner trains in two processes to the figures that one process gives."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from Testing.conftest import write_disk_study
from Testing.training.train_each import NAMES, TINY, train_each

ROOT = Path(__file__).resolve().parents[2]
DRAWING = {"probabilistic-unet", "phiseg", "conditioned"}
"""Learners that draw random codes: other ones in each process, so that the figures agree less closely."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folders `one` and `two` of the same trainings, in one process and in two."""
    root = tmp_path_factory.mktemp("runs")
    missing = {"case0": ["over", "under"], "case1": ["under", "good"], "case2": ["over", "good"]}
    study = write_disk_study(root / "study", cases=8, **missing).folder
    train_each(study, root / "one")
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    command = [*launcher, "-m", "Testing.training.train_each", str(study), str(root / "two")]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return root


def figures(run: Path) -> list[dict[str, float]]:
    return [json.loads(line) for line in (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", NAMES)
def test_two_processes_take_the_steps_of_one(runs: Path, name: str) -> None:
    one, two = figures(runs / "one" / name), figures(runs / "two" / name)
    assert len(one) == len(two) == TINY.epochs
    for key in ("loss", "likelihood"):
        close = pytest.approx([epoch[key] for epoch in one], rel=0.3 if name in DRAWING else 0.01)
        assert [epoch[key] for epoch in two] == close
