"""`noisylabelseg train` as people and clusters run it: real processes, killed and resumed, one or several."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.networks.package import load_package

MakeStudy = Callable[..., Study]
TINY = ["--set", "widths=[4,8]", "batch=2", "device=cpu"]
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path(__file__).resolve().parents[2])}


def start(*words: str | Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "NoisyLabelSegLib", *map(str, words)]
    return subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def finish(process: subprocess.Popen[str]) -> str:
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0, output
    return output


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_package(folder / "model.nlseg")[0].state_dict()


def test_a_run_killed_at_random_moments_and_resumed_ends_with_the_same_weights(
    make_disk_study: MakeStudy, tmp_path: Path
) -> None:
    kills = int(os.environ.get("NOISYLABELSEG_KILLS", "3"))
    study = make_disk_study(cases=8)
    epochs = 10 * kills
    words: list[str | Path] = [study.folder, *TINY, f"epochs={epochs}", "--seed", "5"]
    finish(start("train", *words, "--out", tmp_path / "whole"))
    rng = random.Random(0)
    killed = 0
    process = start("train", *words, "--out", tmp_path / "run")
    while killed < kills:
        before = _epochs(tmp_path / "run")
        while process.poll() is None and _epochs(tmp_path / "run") <= before:
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.1))
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGKILL)
        process.communicate()
        killed += 1
        process = start("train", study.folder, "--out", tmp_path / "run", "--resume")
    finish(process)
    assert killed == kills
    whole, resumed = weights(tmp_path / "whole"), weights(tmp_path / "run")
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)
    assert (tmp_path / "run/metrics.jsonl").read_text() == (tmp_path / "whole/metrics.jsonl").read_text()


def _epochs(run: Path) -> int:
    file = run / "metrics.jsonl"
    return len(file.read_text().splitlines()) if file.exists() else 0


def test_two_processes_under_torchrun_train_to_the_same_metrics_as_one(
    make_disk_study: MakeStudy, tmp_path: Path
) -> None:
    study = make_disk_study(cases=8)
    words = ["train", str(study.folder), *TINY, "epochs=8", "learning_rate=0.01", "--out"]
    assert main([*words, str(tmp_path / "one")]) == 0
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    command = [*launcher, "-m", "NoisyLabelSegLib", *words, str(tmp_path / "two")]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    one, two = (
        [json.loads(line)["likelihood"] for line in (tmp_path / name / "metrics.jsonl").read_text().splitlines()]
        for name in ("one", "two")
    )
    assert two == pytest.approx(one, rel=0.1)
    assert two[-1] < 0.8 * two[0]
    assert done.stdout.count("The model is") == 1


def test_events_tell_how_training_goes(
    make_disk_study: MakeStudy, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = make_disk_study(cases=2)
    words = ["train", str(study.folder), "--out", str(tmp_path / "run"), *TINY, "epochs=2", "--json"]
    assert main(words) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    trained = [event for event in events if event["event"] == "progress" and event["stage"] == "train"]
    epochs = [event for event in trained if "metrics" in event]
    assert trained[0]["done"] == 0
    assert [event["done"] for event in epochs] == [1, 2]
    assert "likelihood" in epochs[0]["metrics"]
    assert Path(events[-1]["model"]).is_file()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--preset", "nonsense"], "There is no preset 'nonsense'"),
        (["--set", "epochs"], "key=value"),
        (["--set", "epochs=-1"], "epochs must be from 1"),
        (["--set", "device=abacus"], "There is no device 'abacus'"),
        (["--set", "target=spoon"], "target must be one of"),
        (["--set", "trunk=Spoon"], "MONAI has no network 'Spoon'"),
        (["--set", "dimensions=3"], "set dimensions=2"),
        (["--resume"], "holds no run to resume"),
    ],
)
def test_bad_words_are_answered_with_one_sentence(
    make_disk_study: MakeStudy, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    study = make_disk_study(cases=1)
    assert main(["train", str(study.folder), "--out", str(tmp_path / "run"), *words]) == 2
    errors = capsys.readouterr().err
    assert said in errors
    assert errors.count("\n") == 1


def test_a_run_is_not_resumed_with_other_settings(
    make_disk_study: MakeStudy, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = make_disk_study(cases=1)
    words = ["train", str(study.folder), "--out", str(tmp_path / "run")]
    assert main([*words, *TINY, "epochs=1"]) == 0
    assert main([*words, "--resume", "--set", "epochs=2"]) == 2
    assert "other settings" in capsys.readouterr().err
    assert main([*words, "--resume"]) == 0
