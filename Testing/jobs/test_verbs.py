"""The real work in real workers: fuse, review, train and predict, watched, cancelled, killed and out of space."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from NoisyLabelSegLib.cases import read_labels
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.jobs import (
    Cancelled,
    Finished,
    FuseSettings,
    Job,
    JobSettings,
    PredictSettings,
    Progressed,
    ReviewSettings,
    State,
    TrainSettings,
)
from NoisyLabelSegLib.jobs.verbs import perform
from NoisyLabelSegLib.progress import silent

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

TINY = {"widths": [4, 8], "samples": 0, "epochs": 12, "batch": 4, "device": "cpu"}
SECONDS = 900.0
OLD = {
    "fuse": ("annotators.csv", "case0/truth.nrrd"),
    "review": ("report.html", "case0/errors_wide.nrrd"),
    "predict": ("case0/truth.nrrd", "case0/truth_probability.nrrd"),
}
"""What an earlier job of the verb may have left."""


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


@pytest.fixture
def do(listen: Any) -> Callable[..., Any]:
    """Runs a job to its end and returns what was heard; `during(job, heard)` is called while it runs."""

    def do(settings: Any, during: Callable[[Job, Any], None] | None = None, **options: Any) -> Any:
        job = Job(settings, **options)
        heard = listen(job)
        job.start()
        try:
            if during is not None:
                during(job, heard)
            assert job.wait(SECONDS) is not State.RUNNING
        finally:
            job.close()
        return heard

    return do


def assert_progress_is_sane(heard: Any) -> None:
    """Within a stage nothing goes back, the time left is sane and ends at zero."""
    news = heard.of(Progressed)
    assert news
    for before, after in pairwise(news):
        assert before.stage != after.stage or before.fraction <= after.fraction
    assert all(item.seconds_left is None or 0 <= item.seconds_left < 3600 for item in news)
    assert news[-1].fraction == 1
    assert news[-1].seconds_left == 0


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden ones too; empty where there is none."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_training_is_cancelled_and_resumed_and_its_model_predicts(do: Any, study: Path, tmp_path: Path) -> None:
    def cancel_after_an_epoch(job: Job, _heard: Any) -> None:
        job.progressed.connect(lambda news: job.cancel() if news.metrics else None)

    run, training = tmp_path / "run", {"study": str(study), "out": str(tmp_path / "run")}
    many = {**TINY, "epochs": 60}  # so that it does not end before it hears that it is cancelled
    heard = do(TrainSettings(**training, preset="quick", overrides=many), cancel_after_an_epoch, grace_seconds=SECONDS)
    assert heard.ending == Cancelled(forced=False)
    assert "checkpoint.pt" in contents(run)
    assert contents(run).keys() <= {"checkpoint.pt", "metrics.jsonl", "settings.json"}

    heard = do(TrainSettings(**training, resume=True))
    assert_progress_is_sane(heard)
    epochs = [news for news in heard.of(Progressed) if news.stage == "train"]
    assert epochs[0].done >= 1, "the epochs before the cancellation are not trained again"
    assert epochs[-1].done == many["epochs"]
    assert epochs[-1].metrics.keys() >= {"loss", "likelihood"}
    assert heard.ending.result["model"] == str(run / "model.nlseg")

    predicted = tmp_path / "predicted"
    heard = do(PredictSettings(model=str(run / "model.nlseg"), study=str(study), out=str(predicted), annotators=True))
    assert_progress_is_sane(heard)
    assert heard.ending.result == {"out": str(predicted), "cases": ["case0", "case1", "case2", "case3"]}
    names = ("annotator_right", "annotator_tight", "annotator_wide", "truth", "truth_probability")
    assert list(contents(predicted)) == [f"case{number}/{name}.nrrd" for number in range(4) for name in names]


def test_a_study_is_fused_and_the_annotators_are_judged(do: Any, study: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    heard = do(FuseSettings(study=str(study), out=str(out), annotators=("right", "wide"), confusion=True))
    assert_progress_is_sane(heard)
    assert heard.ending.result["cases"] == ["case0", "case1", "case2", "case3"]
    assert [row["annotator"] for row in heard.ending.result["annotators"]] == ["right", "wide"]
    names = ("confusion_right", "confusion_wide", "truth", "truth_probability")
    cases = [f"case{number}/{name}.nrrd" for number in range(4) for name in names]
    assert list(contents(out)) == ["annotators.csv", "annotators.json", *cases]


def test_label_files_are_fused_as_one_case(study: Path, tmp_path: Path) -> None:
    labels = tuple(str(study / "case0" / f"{name}.nrrd") for name in ("right", "wide", "tight"))
    settings = FuseSettings(labels=labels, method="majority", out=str(tmp_path / "out"))
    result = perform(settings, silent, lambda _sentence: None)
    assert result["cases"] == ["right"]
    truth = read_labels(tmp_path / "out" / "right" / "truth.nrrd").array
    assert np.array_equal(truth, read_labels(study / "case0" / "right.nrrd").array)


def test_a_review_is_written_and_says_what_the_annotators_do(do: Any, study: Path, tmp_path: Path) -> None:
    heard = do(ReviewSettings(study=str(study), truth="majority", out=str(tmp_path / "out"), options={"pictures": 1}))
    assert_progress_is_sane(heard)
    assert heard.ending.result["cases"] == 4
    assert any("wide draws" in sentence and "outside" in sentence for sentence in heard.ending.result["sentences"])
    assert {"case0/errors_wide.nrrd", "report.html", "mistakes.csv"} <= contents(tmp_path / "out").keys()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"picture": 1}, "A review has no option 'picture'; the options are"),
        ({"pictures": 1.5}, "The option pictures of a review must be a whole number, not 1.5"),
    ],
)
def test_an_option_that_a_review_does_not_have_is_refused(
    study: Path, tmp_path: Path, options: dict[str, float], words: str
) -> None:
    settings = ReviewSettings(study=str(study), truth="majority", out=str(tmp_path / "out"), options=options)
    with pytest.raises(UserError) as error:
        perform(settings, silent, lambda _sentence: None)
    assert words in error.value.sentence


def test_a_training_is_cancelled_within_an_epoch(do: Any, larger_study: Path, tmp_path: Path, eventually: Any) -> None:
    def cancel_within_an_epoch(job: Job, heard: Any) -> None:
        eventually(lambda: any(news.part for news in heard.of(Progressed)))
        job.cancel()

    slow = {**TINY, "batch": 1}
    settings = TrainSettings(study=str(larger_study), out=str(tmp_path / "run"), preset="quick", overrides=slow)
    heard = do(settings, cancel_within_an_epoch, grace_seconds=SECONDS)
    assert heard.ending == Cancelled(forced=False)
    assert contents(tmp_path / "run").keys() <= {"checkpoint.pt", "metrics.jsonl", "settings.json"}


class TestStopping:
    """At any moment, the output folder is as before or complete."""

    @pytest.fixture
    def model(self, do: Any, study: Path, tmp_path: Path) -> str:
        overrides = {**TINY, "epochs": 1}
        settings = TrainSettings(study=str(study), out=str(tmp_path / "run"), preset="quick", overrides=overrides)
        return str(do(settings).ending.result["model"])

    @pytest.fixture
    def settings(self, study: Path, tmp_path: Path, verb: str, request: pytest.FixtureRequest) -> JobSettings:
        """Settings for a folder that already holds older results and somebody's notes."""
        common = {"study": str(study), "out": str(tmp_path / "results" / "out"), "force": True}
        if verb == "fuse":
            return FuseSettings(**common)
        if verb == "predict":
            return PredictSettings(**common, model=request.getfixturevalue("model"))
        return ReviewSettings(**common, truth="majority", options={"pictures": 0})

    @pytest.fixture
    def complete(self, do: Any, settings: JobSettings, tmp_path: Path) -> set[str]:
        """The files of a folder in which the job has finished."""
        other = tmp_path / "other"
        do(dataclasses.replace(settings, out=str(other)))
        return {*contents(other), "notes.txt"}

    @staticmethod
    def fill(out: Path, verb: str) -> None:
        shutil.rmtree(out, ignore_errors=True)
        (out / "case0").mkdir(parents=True)
        for name in ("notes.txt", *OLD[verb]):
            (out / name).write_text("old")

    @staticmethod
    def is_complete(out: Path, verb: str, complete: set[str]) -> bool:
        """Whether the job's results are there, all of them; else everything must be as it was before."""
        assert [path.name for path in out.parent.iterdir()] == ["out"], "nothing is left beside the output folder"
        found = contents(out)
        if set(found.values()) == {b"old"}:
            assert found.keys() == {"notes.txt", *OLD[verb]}
            return False
        assert found.keys() == complete
        assert [name for name, content in found.items() if content == b"old"] == ["notes.txt"]
        return True

    @pytest.mark.parametrize(
        ("verb", "rounds"),
        [
            ("review", 5),
            ("predict", 2),
            pytest.param("review", 20, marks=pytest.mark.soak),
            pytest.param("fuse", 20, marks=pytest.mark.soak),
            pytest.param("predict", 20, marks=pytest.mark.soak),
        ],
    )
    def test_cancelled_at_random_moments(
        self, do: Any, settings: JobSettings, complete: set[str], rounds: int, eventually: Any
    ) -> None:
        moments = random.Random(rounds)

        def cancel_some_time(job: Job, heard: Any) -> None:
            wait_for_news(job, heard, moments.randint(0, 9))
            time.sleep(moments.uniform(0, 0.2))
            job.cancel()

        for _ in range(rounds):
            self.fill(Path(settings.out), settings.verb)
            heard = do(settings, cancel_some_time, grace_seconds=SECONDS)
            assert isinstance(heard.ending, (Cancelled, Finished))
            assert self.is_complete(Path(settings.out), settings.verb, complete) or heard.ending == Cancelled()
            eventually(lambda: not [thread for thread in threading.enumerate() if thread.name.startswith("job ")])

    @pytest.mark.parametrize(("verb", "rounds"), [("fuse", 5), pytest.param("fuse", 50, marks=pytest.mark.soak)])
    def test_started_and_cancelled_again_and_again(
        self, do: Any, settings: JobSettings, rounds: int, temporary: Path, processes: Any, eventually: Any
    ) -> None:
        self.fill(Path(settings.out), settings.verb)
        for number in range(rounds):

            def cancel_soon(job: Job, _heard: Any, seconds: float = number / rounds) -> None:
                time.sleep(seconds * 0.3)  # hardly enough for Python to start
                job.cancel()

            heard = do(settings, cancel_soon, grace_seconds=SECONDS)
            assert isinstance(heard.ending, (Cancelled, Finished))
            assert list(temporary.iterdir()) == []
            eventually(lambda: not processes.naming(temporary))
            eventually(lambda: not [thread for thread in threading.enumerate() if thread.name.startswith("job ")])

    @pytest.mark.parametrize("victim", ["worker", "launcher"])
    @pytest.mark.parametrize("verb", ["fuse"])
    def test_killed_in_the_middle(
        self,
        do: Any,
        settings: JobSettings,
        large_study: Path,
        victim: str,
        launcher: list[str],
        processes: Any,
        eventually: Any,
    ) -> None:
        def kill(_job: Job, heard: Any) -> None:
            eventually(lambda: any(news.done for news in heard.of(Progressed)))
            os.kill(heard.process if victim == "worker" else processes.parent(heard.process), signal.SIGKILL)

        self.fill(Path(settings.out), settings.verb)
        heard = do(dataclasses.replace(settings, study=str(large_study)), kill, interpreter=launcher)
        assert heard.ending.sentence.startswith("The worker was killed (SIGKILL)")
        assert not self.is_complete(Path(settings.out), settings.verb, set())
        eventually(lambda: not processes.alive(heard.process))

    @pytest.mark.parametrize(("verb", "rounds"), [("fuse", 2), pytest.param("fuse", 20, marks=pytest.mark.soak)])
    def test_killed_at_random_moments(
        self,
        do: Any,
        settings: JobSettings,
        complete: set[str],
        rounds: int,
        launcher: list[str],
        processes: Any,
        eventually: Any,
    ) -> None:
        """A worker may have finished before the kill arrives."""
        moments = random.Random(rounds)

        def kill_some_time(job: Job, heard: Any) -> None:
            wait_for_news(job, heard, moments.randint(1, 4))
            with contextlib.suppress(OSError):  # it has ended already
                os.kill(heard.process if moments.random() < 0.5 else processes.parent(heard.process), signal.SIGKILL)

        for _ in range(rounds):
            self.fill(Path(settings.out), settings.verb)
            heard = do(settings, kill_some_time, interpreter=launcher)
            if not isinstance(heard.ending, Finished):
                assert heard.ending.sentence.startswith("The worker was killed (SIGKILL)")
            is_complete = self.is_complete(Path(settings.out), settings.verb, complete)
            assert is_complete or not isinstance(heard.ending, Finished)
            eventually(lambda heard=heard: not processes.alive(heard.process))


class TestStoppingATraining:
    """At any moment the run's folder is as before, or that of the new run: whole, resumable, the older model in it.

    The older model goes only when the new one takes its place.
    """

    @pytest.fixture
    def settings(self, study: Path, tmp_path: Path) -> TrainSettings:
        out = str(tmp_path / "results" / "out")
        return TrainSettings(study=str(study), out=out, preset="quick", overrides={**TINY, "seed": 1}, force=True)

    @staticmethod
    def epochs_on_record(out: Path) -> list[int]:
        metrics = out / "metrics.jsonl"
        return [json.loads(line)["epoch"] for line in metrics.read_text().splitlines()] if metrics.exists() else []

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
                epochs = self.epochs_on_record(out)
                assert epochs == list(range(1, len(epochs) + 1))
                assert isinstance(do(dataclasses.replace(settings, force=False, resume=True)).ending, Finished)
            if contents(out) != before:
                assert weights(out) == weights(alone)
                assert contents(out)["metrics.jsonl"] == contents(alone)["metrics.jsonl"]


def wait_for_news(job: Job, heard: Any, count: int) -> None:
    """Waits until a job has said so much, or has ended."""
    while len(heard.news) < count and job.is_running():
        time.sleep(0.001)


def weights(run: Path) -> bytes:
    """The weights of a run's model; the rest of a package names the day it was made."""
    with zipfile.ZipFile(run / "model.nlseg") as package:
        return package.read("weights.safetensors")


def test_a_full_disk_is_a_sentence_and_leaves_nothing(do: Any, large_study: Path, small_disk: Path) -> None:
    heard = do(ReviewSettings(study=str(large_study), truth="majority", out=str(small_disk / "out")))
    words = rf"{re.escape(str(small_disk))}/out/case\d+/\w+.nrrd: cannot be written \(No space left on device\); check"
    assert re.match(words, heard.ending.sentence)
    assert heard.ending.exit_code == 2
    assert list(small_disk.iterdir()) == []


def test_a_full_disk_for_temporary_files_keeps_the_job_from_starting(
    do: Any, study: Path, small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (small_disk / "filling").write_bytes(bytes(256 * 1024))
    monkeypatch.setattr(tempfile, "tempdir", str(small_disk))
    heard = do(ReviewSettings(study=str(study), truth="majority", out=str(tmp_path / "out")))
    assert heard.ending.sentence.startswith("The worker could not be started (No space left on device")
    assert [path.name for path in small_disk.iterdir()] == ["filling"]
