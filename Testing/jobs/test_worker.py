"""The worker as anyone may start it: a settings file in, events out, and the end when nobody wants it any more."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from NoisyLabelSegLib.verbs import PredictSettings, ReviewSettings

ROOT = Path(__file__).resolve().parents[2]
WORKER = ROOT / "NoisyLabelSegLib" / "jobs" / "worker.py"


@pytest.fixture
def start(tmp_path: Path) -> Any:
    """Starts a worker in another folder than the package's, with no PYTHONPATH, and pipes on its streams."""
    started = []

    def start(settings: Any, command: list[str] | None = None, **options: Any) -> subprocess.Popen[str]:
        file = tmp_path / "job.json"
        file.write_text(settings if isinstance(settings, str) else settings.to_json(), encoding="utf-8")
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        options = {"env": {**environment, "OMP_NUM_THREADS": "1"}, "cwd": tmp_path, **options}
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        started.append(
            subprocess.Popen([*(command or [sys.executable, str(WORKER)]), str(file)], text=True, **pipes, **options)
        )
        return started[-1]

    yield start
    for process in started:
        with process:
            process.kill()


def events_of(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def finished(process: subprocess.Popen[str]) -> tuple[int, list[dict[str, Any]], str]:
    """The exit code, the events and stderr of a worker whose stdin stays open to the end."""
    assert process.stdout is not None
    assert process.stderr is not None
    events = events_of(process.stdout.read())
    return process.wait(), events, process.stderr.read()


def wait_for_a_step(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert any(json.loads(line).get("done") for line in process.stdout)


@pytest.fixture
def busy(large_study: Path, tmp_path: Path, start: Any) -> subprocess.Popen[str]:
    """A worker with a long review before it, and the first case behind."""
    process = start(ReviewSettings(study=str(large_study), out=str(tmp_path / "out"), truth="majority"))
    wait_for_a_step(process)
    return process


@pytest.mark.parametrize("as_module", [False, True])
def test_every_line_of_stdout_is_an_event_and_the_last_is_the_result(
    study: Path, tmp_path: Path, start: Any, as_module: bool
) -> None:
    command = [sys.executable, "-m", "NoisyLabelSegLib.jobs.worker"] if as_module else None
    settings = ReviewSettings(study=str(study), out=str(tmp_path / "out"), truth="majority")
    process = start(settings, command, **({"cwd": ROOT} if as_module else {}))
    code, events, _ = finished(process)
    assert code == 0
    assert [event["event"] for event in events][:1] == ["started"]
    assert events[0]["verb"] == "review"
    assert events[0]["process"] == process.pid
    progress = [event for event in events if event["event"] == "progress"]
    assert [event["done"] for event in progress] == [0, 1, 2, 3, 4]
    assert progress[0]["secondsLeft"] is None
    assert all(event["secondsLeft"] is None or event["secondsLeft"] >= 0 for event in progress)
    assert progress[-1]["secondsLeft"] == 0
    assert events[-1]["event"] == "result"
    assert events[-1]["cases"] == 4


@pytest.mark.parametrize("how", ["a line", "the end of stdin", "SIGTERM", "SIGINT"])
def test_it_stops_cleanly_and_leaves_nothing(busy: subprocess.Popen[str], how: str, tmp_path: Path) -> None:
    assert busy.stdin is not None
    if how == "a line":
        busy.stdin.write("nothing to see\ncancel\n")
        busy.stdin.flush()
    elif how == "the end of stdin":
        busy.stdin.close()
    else:
        busy.send_signal(signal.Signals[how])
    code, events, _ = finished(busy)
    assert code == 130
    assert events[-1] == {"event": "error", "message": "Cancelled: nothing half-written was left behind."}
    assert left(tmp_path) == ["job.json", "temporary files"]


def test_a_dead_launcher_stops_it_although_stdin_stays_open(
    large_study: Path, tmp_path: Path, start: Any, launcher: list[str]
) -> None:
    settings = ReviewSettings(study=str(large_study), out=str(tmp_path / "out"), truth="majority")
    process = start(settings, [*launcher, str(WORKER)])
    wait_for_a_step(process)
    process.kill()
    assert events_of(process.stdout.read())[-1]["message"].startswith("Cancelled")


def test_a_reader_that_goes_away_stops_it(busy: subprocess.Popen[str], tmp_path: Path) -> None:
    busy.stdout.close()
    assert busy.wait() == 130
    assert left(tmp_path) == ["job.json", "temporary files"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not valid JSON"),
        ("[]", "are not a JSON object"),
        ('{"format": "noisylabelseg-job/1", "verb": "dance"}', "There is no job 'dance'; choose one of adjudicate"),
    ],
)
def test_bad_settings_are_one_sentence_that_names_the_file(start: Any, tmp_path: Path, text: str, words: str) -> None:
    code, events, errors = finished(start(text))
    assert code == 2
    message = events[-1]["message"]
    assert message.startswith(f"{tmp_path / 'job.json'}: ")
    assert words in message
    assert "Traceback" not in errors


def test_a_bad_study_is_the_sentence_of_the_library(start: Any, tmp_path: Path) -> None:
    (tmp_path / "study.json").write_text("{}", encoding="utf-8")
    code, events, _ = finished(start(ReviewSettings(study=str(tmp_path / "study.json"), out=str(tmp_path / "out"))))
    assert code == 2
    assert str(tmp_path / "study.json") in events[-1]["message"]


def test_without_torch_it_says_what_is_missing(start: Any, study: Path, tmp_path: Path) -> None:
    (tmp_path / "model.nlseg").write_text("")
    without_torch = f"""
import runpy, sys
sys.modules["torch"] = None
runpy.run_path({str(WORKER)!r}, run_name="__main__")
"""
    settings = PredictSettings(model=str(tmp_path / "model.nlseg"), study=str(study), out=str(tmp_path / "out"))
    code, events, _ = finished(start(settings, [sys.executable, "-c", without_torch]))
    assert code == 2
    assert "needs the Python package torch, which is not installed" in events[-1]["message"]


def test_its_scratch_folder_goes_with_it(start: Any, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    (scratch / "left.txt").write_text("left")
    start("{", [sys.executable, str(WORKER), "--scratch", str(scratch)]).communicate()
    assert not scratch.exists()
