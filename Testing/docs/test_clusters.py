"""The batch scripts of the page on clusters run, with local processes in place of SLURM's tasks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from Testing.conftest import write_disk_study
from Testing.spoiling import snapshot

pytestmark = [pytest.mark.soak, pytest.mark.skipif(sys.platform == "win32", reason="scripts for bash")]

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = {
    "srun": 'for task in 1 2; do "$@" & done; wait',
    "scontrol": "echo localhost",
    "hostname": "echo localhost",
    "torchrun": f'exec "{sys.executable}" -m torch.distributed.run "$@"',
    "dask": f'exec "{sys.executable}" -m dask "$@"',
    "noisylabelseg": f'exec "{sys.executable}" -m NoisyLabelSegLib "$@"',
}
"""What the scripts call: SLURM's own programs for two tasks on this machine, and the programs of this environment."""
SLURM = {"SLURM_NNODES": "2", "SLURM_JOB_ID": "7", "SLURM_CPUS_PER_TASK": "1", "SLURM_JOB_NODELIST": "localhost"}


def script(name: str) -> str:
    blocks = (ROOT / "docs" / "clusters.md").read_text(encoding="utf-8").split("```text\n")[1:]
    (found,) = (block.partition("```")[0] for block in blocks if f"--job-name={name}" in block)
    return found


def submit(folder: Path, name: str, *options: str) -> None:
    programs = folder / "bin"
    programs.mkdir()
    for program, content in PROGRAMS.items():
        (programs / program).write_text(f"#!/bin/bash\n{content}\n", encoding="utf-8")
        (programs / program).chmod(0o755)
    environment = {**os.environ, **SLURM, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    environment["PATH"] = f"{programs}:{environment['PATH']}"
    (folder / "job.sh").write_text(script(name), encoding="utf-8")
    command = ["bash", "job.sh", *options]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_cases_are_fused_by_the_workers_of_a_job(tmp_path: Path) -> None:
    write_disk_study(tmp_path / "my-study")
    submit(tmp_path, "fuse", "--method", "staple")
    words = [sys.executable, "-m", "NoisyLabelSegLib", "fuse", "my-study", "--method", "staple", "--out", "alone"]
    subprocess.run(words, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True, capture_output=True)
    assert snapshot(tmp_path / "fused") == snapshot(tmp_path / "alone")


def test_two_nodes_train_one_model(tmp_path: Path) -> None:
    write_disk_study(tmp_path / "my-study")
    submit(tmp_path, "train", "--set", "widths=[4,8]", "epochs=2", "device=cpu")
    assert (tmp_path / "my-run" / "model.nlseg").is_file()
    assert len((tmp_path / "my-run" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()) == 2
