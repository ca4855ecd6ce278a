"""`noisylabelseg train` as people and clusters run it: real processes, killed and resumed, one or several."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.networks.package import load_package
from NoisyLabelSegLib.training.loop import Loop

MakeStudy = Callable[..., Study]
TINY = ["--set", "widths=[4,8]", "samples=0", "batch=2", "device=cpu"]
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path(__file__).resolve().parents[2])}


SECONDS = 1800

KILLED = """
import os, signal, sys, threading
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.training.checkpoints import Checkpoint
write, seconds = Checkpoint.write, float(sys.argv[1])
def write_and_die_soon(self, folder):
    write(self, folder)
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGKILL)).start()
Checkpoint.write = write_and_die_soon
sys.exit(main(sys.argv[2:]))
"""
"""The command with a clock inside that kills it, started by the first epoch: a slow machine cannot come too late."""


def start(*words: str | Path, before: Sequence[str] = ("-m", "NoisyLabelSegLib")) -> subprocess.Popen[str]:
    command = [sys.executable, *before, *map(str, words)]
    return subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def finish(process: subprocess.Popen[str]) -> str:
    output, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, output
    return output


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_package(folder / "model.nlseg")[0].state_dict()


@pytest.mark.parametrize("kills", [3, pytest.param(10, marks=pytest.mark.soak)])
def test_a_run_killed_at_random_moments_and_resumed_ends_with_the_same_weights(
    make_disk_study: MakeStudy, tmp_path: Path, kills: int
) -> None:
    study, run, moments = make_disk_study(cases=8), tmp_path / "run", random.Random(0)
    words: list[str | Path] = [study.folder, *TINY, f"epochs={20 * kills}", "--seed", "5"]
    finish(start("train", *words, "--out", tmp_path / "whole"))
    for kill in range(kills):
        how = [*words, "--out", run] if kill == 0 else [study.folder, "--out", run, "--resume"]
        process = start("train", *how, before=["-c", KILLED, str(moments.uniform(0, 0.05))])
        output, _ = process.communicate(timeout=SECONDS)
        assert process.returncode == -signal.SIGKILL, output
    finish(start("train", study.folder, "--out", run, "--resume"))
    whole, resumed = weights(tmp_path / "whole"), weights(run)
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)
    assert (run / "metrics.jsonl").read_text() == (tmp_path / "whole/metrics.jsonl").read_text()


def test_two_processes_under_torchrun_train_to_the_same_metrics_as_one(
    make_disk_study: MakeStudy, tmp_path: Path
) -> None:
    missing = {"case0": ["over", "under"], "case1": ["under", "good"], "case2": ["over", "good"]}
    study = make_disk_study(cases=8, **missing)  # with one label each, so that the others' are guessed
    words = ["train", str(study.folder), *TINY, "epochs=8", "learning_rate=0.01", "restarts=0", "--out"]
    assert main([*words, str(tmp_path / "one")]) == 0
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    command = [*launcher, "-m", "NoisyLabelSegLib", *words, str(tmp_path / "two")]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=SECONDS, check=False)
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
        (["--set", "device=abacus"], "device must be one of auto, cpu, cuda, mps, not abacus"),
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


def test_a_cancelled_run_says_what_is_kept_and_the_next_one_offers_to_go_on(
    make_disk_study: MakeStudy, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    study, run = make_disk_study(cases=1), tmp_path / "run"
    words = ["train", str(study.folder), "--out", str(run)]
    real = Loop.epoch

    def interrupted(loop: Loop, moved: Callable[[float], None]) -> Any:
        if (run / "checkpoint.pt").exists():
            raise KeyboardInterrupt
        return real(loop, moved)

    with monkeypatch.context() as patch:
        patch.setattr(Loop, "epoch", interrupted)
        assert main([*words, *TINY, "epochs=3"]) == 130
    go_on = f"go on with: noisylabelseg train {study.folder} --out {run} --resume"
    assert capsys.readouterr().err.strip() == f"Cancelled after epoch 1 of 3, which is kept; {go_on}"
    assert main([*words, *TINY, "epochs=3"]) == 2
    assert (
        "holds a training that was stopped after epoch 1 of 3, which is kept; add --resume" in capsys.readouterr().err
    )
    assert main([*words, "--resume"]) == 0
    assert "Trained for 3 epochs, 1 of them in an earlier run, in" in capsys.readouterr().out
    assert main([*words, "--resume"]) == 0
    assert "This training had already ended after 3 epochs." in capsys.readouterr().out
    assert main(words) == 2
    assert "exists already" in capsys.readouterr().err


def test_a_run_is_not_resumed_with_other_settings(
    make_disk_study: MakeStudy, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = make_disk_study(cases=1)
    words = ["train", str(study.folder), "--out", str(tmp_path / "run")]
    assert main([*words, *TINY, "epochs=1"]) == 0
    assert main([*words, "--resume", "--set", "epochs=2"]) == 2
    assert "other settings" in capsys.readouterr().err
    assert main([*words, "--resume"]) == 0
