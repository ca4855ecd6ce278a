"""Jobs cancelled and killed at any moment: the output folder is as before, or complete."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import random
import shutil
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from NoisyLabelSegLib.jobs import Cancelled, Finished, Job, Progressed
from NoisyLabelSegLib.verbs import FuseSettings, PredictSettings, ReviewSettings, TrainSettings, VerbSettings
from Testing.jobs.real_work import SECONDS, TINY, contents, wait_for_news

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

OLD = {
    "fuse": ("annotators.csv", "case0/truth.nrrd"),
    "review": ("report.html", "case0/errors_wide.nrrd"),
    "predict": ("case0/truth.nrrd", "case0/truth_probability.nrrd"),
}
"""What an earlier job of the verb may have left."""


class TestStopping:
    """At any moment, the output folder is as before or complete."""

    @pytest.fixture
    def model(self, do: Any, study: Path, tmp_path: Path) -> str:
        overrides = {**TINY, "epochs": 1}
        settings = TrainSettings(study=str(study), out=str(tmp_path / "run"), preset="quick", overrides=overrides)
        return str(do(settings).ending.result["model"])

    @pytest.fixture
    def settings(self, study: Path, tmp_path: Path, verb: str, request: pytest.FixtureRequest) -> VerbSettings:
        """Settings for a folder that already holds older results and somebody's notes."""
        common = {"study": str(study), "out": str(tmp_path / "results" / "out"), "force": True}
        if verb == "fuse":
            return FuseSettings(**common)
        if verb == "predict":
            return PredictSettings(**common, model=request.getfixturevalue("model"))
        return ReviewSettings(**common, truth="majority", options={"pictures": 0})

    @pytest.fixture
    def complete(self, do: Any, settings: VerbSettings, tmp_path: Path) -> set[str]:
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
        self, do: Any, settings: VerbSettings, complete: set[str], rounds: int, eventually: Any
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
        self, do: Any, settings: VerbSettings, rounds: int, temporary: Path, processes: Any, eventually: Any
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
        settings: VerbSettings,
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
        settings: VerbSettings,
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
