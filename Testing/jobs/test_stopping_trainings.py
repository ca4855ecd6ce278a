"""Trainings cancelled at any moment: the run's folder is as before, or whole and resumable."""

from __future__ import annotations

import dataclasses
import random
import shutil
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from NoisyLabelSegLib.jobs import Cancelled, Finished, Job, Progressed
from NoisyLabelSegLib.verbs import TrainSettings
from Testing.jobs.real_work import RUN_FILES, SECONDS, TINY, contents, wait_for_news

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def test_a_training_is_cancelled_within_an_epoch(do: Any, larger_study: Path, tmp_path: Path, eventually: Any) -> None:
    def cancel_within_an_epoch(job: Job, heard: Any) -> None:
        eventually(lambda: any(news.part for news in heard.of(Progressed)))
        job.cancel()

    slow = {**TINY, "batch": 1}
    settings = TrainSettings(study=str(larger_study), out=str(tmp_path / "run"), preset="quick", overrides=slow)
    heard = do(settings, cancel_within_an_epoch, grace_seconds=SECONDS)
    assert heard.ending == Cancelled(forced=False)
    assert contents(tmp_path / "run").keys() <= RUN_FILES


class TestStoppingATraining:
    """At any moment the run's folder is as before, or that of the new run: whole, resumable, the older model in it.

    The older model goes only when the new one takes its place.
    """

    @pytest.fixture
    def settings(self, study: Path, tmp_path: Path) -> TrainSettings:
        out = str(tmp_path / "results" / "out")
        return TrainSettings(study=str(study), out=out, preset="quick", overrides={**TINY, "seed": 1}, force=True)

    @pytest.mark.parametrize("rounds", [2, pytest.param(20, marks=pytest.mark.soak)])
    def test_cancelled_at_random_moments(self, do: Any, settings: TrainSettings, rounds: int, tmp_path: Path) -> None:
        moments, out = random.Random(rounds), Path(settings.out)
        older, alone = tmp_path / "older", tmp_path / "alone"
        do(dataclasses.replace(settings, out=str(older), overrides={**TINY, "seed": 2}))
        (older / "notes.txt").write_text("old")
        do(dataclasses.replace(settings, out=str(alone)))
        assert weights(older) != weights(alone)

        def cancel_some_time(job: Job, heard: Any) -> None:
            wait_for_news(job, heard, moments.randint(1, 18))
            time.sleep(moments.uniform(0, 0.05))
            job.cancel()

        for _ in range(rounds):
            shutil.rmtree(out, ignore_errors=True)
            shutil.copytree(older, out)
            heard = do(settings, cancel_some_time, grace_seconds=SECONDS)
            assert [path.name for path in out.parent.iterdir()] == ["out"], "nothing is left beside the run's folder"
            found, before = contents(out), contents(older)
            assert found["notes.txt"] == b"old"
            if isinstance(heard.ending, Finished):
                assert found.keys() == before.keys()
            elif found != before:
                assert found["model.nlseg"] == before["model.nlseg"]
                assert found["settings.json"] == contents(alone)["settings.json"]
                assert found.keys() <= before.keys()
                epochs = found.get("metrics.jsonl", b"")
                assert contents(alone)["metrics.jsonl"].startswith(epochs)
                assert epochs == b"" or epochs.endswith(b"\n"), "every epoch on record is whole"
                assert isinstance(do(dataclasses.replace(settings, force=False, resume=True)).ending, Finished)
            if contents(out) != before:
                assert weights(out) == weights(alone)
                assert contents(out)["metrics.jsonl"] == contents(alone)["metrics.jsonl"]


def weights(run: Path) -> bytes:
    """The weights of a run's model; the rest of a package names the day it was made."""
    with zipfile.ZipFile(run / "model.nlseg") as package:
        return package.read("weights.safetensors")
