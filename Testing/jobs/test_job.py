"""A job and its process: every way it can go ends in one state, with one sentence, and leaves nothing behind."""

from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.jobs.job import Job, State
from NoisyLabelSegLib.jobs.pollers import ManualPoller
from NoisyLabelSegLib.jobs.reports import Cancelled, Finished, Logged, Progressed, Started
from NoisyLabelSegLib.verbs import FuseSettings

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

DEAF = "time.sleep(600)"


def test_events_become_signals_and_the_result_comes_last(run: Any, script: Any) -> None:
    code = """
    say(event="progress", stage="read", done=1, total=1, secondsLeft=0)
    say(event="progress", stage="train", done=0, total=2, secondsLeft=None)
    say(event="log", text="A sentence with ümlauts.")
    say(event="progress", stage="train", done=1, total=2, secondsLeft=4.5, metrics={"loss": 0.5})
    say(event="result", cases=3)
    """
    job, heard = run(script(code))
    assert job.state is State.FINISHED
    assert [type(news) for news in heard.news] == [Started, Progressed, Progressed, Logged, Progressed, Finished]
    assert heard.of(Progressed)[2] == Progressed("train", 1, 2, 4.5, {"loss": 0.5})
    assert heard.of(Progressed)[2].fraction == 0.5
    assert heard.log == ["A sentence with ümlauts."]
    assert heard.ending.result == {"cases": 3}


def test_garbage_on_stdout_goes_to_the_log(run: Any, script: Any) -> None:
    code = r"""
    out = sys.stdout.buffer
    out.write(b'epoch 3\n{"event": "progress", "stage": 3}\n{"event": "weather"}\n{"half": \n\xff\xfe\x00\r\n')
    out.write(b"x" * 3_000_000 + b"\n")
    out.flush()
    print("from a library", file=sys.stderr, flush=True)
    say(event="result")
    """
    job, heard = run(script(code))
    assert job.state is State.FINISHED
    expected = ["epoch 3", '{"event": "progress", "stage": 3}', '{"half": ', "\ufffd\ufffd\x00"]
    assert [line for line in heard.log if line in expected] == expected
    assert "from a library" in heard.log
    assert not any("weather" in line for line in heard.log), "an event of another version is ignored"
    assert sum(line.count("x") for line in heard.log if line.startswith("xx")) == 3_000_000
    assert max(map(len, heard.log)) < 2_000_000, "a line without an end is cut"
    assert heard.of(Progressed) == []


def test_a_flood_of_lines_arrives_whole(run: Any, script: Any) -> None:
    job, heard = run(script("for n in range(20_000): print(n)\nsay(event='result')"))
    assert job.state is State.FINISHED
    assert heard.log == [str(number) for number in range(20_000)]


def test_progress_never_falls_within_a_stage(run: Any, script: Any) -> None:
    code = "for n in (0, 3, 1, 4, 2, 5): say(event='progress', stage='train', done=n, total=5)\nsay(event='result')"
    _, heard = run(script(code))
    assert [news.done for news in heard.of(Progressed)] == [0, 3, 3, 4, 4, 5]


def test_progress_within_a_step_counts(run: Any, script: Any) -> None:
    code = """
    for done, part in ((1, 0.5), (1, 0.25), (2, 0), (1, 0.75), (2, 0.5)):
        say(event="progress", stage="train", done=done, total=4, part=part)
    say(event="result")
    """
    _, heard = run(script(code))
    assert [news.fraction for news in heard.of(Progressed)] == [0.375, 0.375, 0.5, 0.5, 0.625]


def test_a_killed_worker_is_reported_with_its_last_lines(run: Any, script: Any) -> None:
    job, heard = run(script("print('last words', flush=True)\nos.kill(os.getpid(), signal.SIGKILL)"))
    assert job.state is State.FAILED
    assert heard.ending.sentence.startswith("The worker was killed (SIGKILL)")
    assert heard.ending.exit_code == -signal.SIGKILL
    assert heard.ending.last_lines == ("last words",)


def test_a_crash_says_where(run: Any, script: Any) -> None:
    _, heard = run(script("import faulthandler; faulthandler.enable(); faulthandler._sigsegv()"))
    assert heard.ending.sentence == "The worker crashed (SIGSEGV); the last lines of the log say where."
    assert any("script.py" in line for line in heard.ending.last_lines)


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("sys.exit(0)", "The worker ended without a result; see the last lines of the log."),
        ("sys.exit(3)", "The worker ended with exit code 3; see the last lines of the log."),
        ("say(event='error', message='ct.nrrd is missing.'); sys.exit(2)", "ct.nrrd is missing."),
        ("sys.exit(130)", "The worker was told to stop from outside; nothing half-written was left behind."),
        ("os.kill(os.getpid(), signal.SIGHUP)", "The worker was told to stop from outside (SIGHUP)."),
    ],
)
def test_a_worker_that_ends_without_a_result_has_failed(run: Any, script: Any, code: str, sentence: str) -> None:
    job, heard = run(script(code))
    assert job.state is State.FAILED
    assert heard.ending.sentence == sentence


def test_a_result_counts_even_if_the_interpreter_dies_at_its_end(run: Any, script: Any) -> None:
    job, heard = run(script("say(event='result', cases=1)\nos.kill(os.getpid(), signal.SIGABRT)"))
    assert job.state is State.FINISHED
    assert heard.log[-1] == "The worker crashed (SIGABRT) after its result."


def test_an_interpreter_that_is_not_there_is_a_failure_with_its_name(run: Any, script: Any) -> None:
    job, heard = run(script(""), interpreter=["/no/such/python"])
    assert job.state is State.FAILED
    assert heard.ending.sentence == "The worker could not be started (No such file or directory: /no/such/python)."


def test_what_a_killed_worker_had_half_written_is_removed(run: Any, script: Any, settings: FuseSettings) -> None:
    code = """
    from pathlib import Path
    out = Path(OUT)
    (out / "mine").mkdir(parents=True)
    for name in (f".out.partial-{os.getpid()}-abc", f".out.partial-{os.getpid()}0-abc"):
        (out.parent / name).mkdir()
    (out / "mine" / f".partial-{os.getpid()}-abc").mkdir()
    os.kill(os.getpid(), signal.SIGKILL)
    """
    out = Path(settings.out)
    _, heard = run(script(code.replace("OUT", repr(settings.out))))
    assert [path.name for path in out.parent.glob(".out*")] == [f".out.partial-{heard.process}0-abc"]
    assert list((out / "mine").iterdir()) == []


def test_everything_is_heard_on_the_thread_that_polls(
    script: Any, settings: FuseSettings, listen: Any, eventually: Any
) -> None:
    poller, threads = ManualPoller(), set()
    job = Job(settings, worker=script("print(1)\nsay(event='result')"), poller=poller)
    heard = listen(job)
    for signal_ in (job.started, job.logged, job.finished):
        signal_.connect(lambda _news: threads.add(threading.current_thread()))
    job.start()
    assert heard.news == []

    def tick() -> bool:
        poller.tick()
        return job.state is State.FINISHED

    eventually(tick)
    assert threads == {threading.current_thread()}


def test_closing_waits_until_nothing_is_left(
    temporary: Path, script: Any, settings: FuseSettings, listen: Any, processes: Any
) -> None:
    job = Job(settings, worker=script(DEAF), grace_seconds=0.2)
    heard = listen(job)
    job.start()
    job.close()
    assert isinstance(heard.ending, Cancelled)
    assert processes.naming(temporary) == []


def test_a_receiver_may_close_the_job(run: Any, script: Any) -> None:
    job, heard = run(
        script("for n in range(9): print(n, flush=True)\ntime.sleep(600)"),
        before=lambda job: job.logged.connect(lambda _news: job.close()),
        grace_seconds=0.2,
    )
    assert job.state is State.CANCELLED
    assert isinstance(heard.ending, Cancelled)


def test_a_receiver_that_fails_does_not_disturb_the_job(run: Any, script: Any) -> None:
    called = []

    def fail(news: Started) -> None:
        called.append(news)
        raise ZeroDivisionError

    job, _ = run(script("say(event='result')"), before=lambda job: job.started.connect(fail))
    assert called
    assert job.state is State.FINISHED


def test_settings_with_problems_are_refused_before_anything_starts(tmp_path: Path) -> None:
    job = Job(FuseSettings(study=str(tmp_path / "none.json"), out=str(tmp_path / "out")))
    with pytest.raises(UserError, match="does not exist"):
        job.start()
    assert job.state is State.NEW


def test_a_job_runs_once(run: Any, script: Any) -> None:
    job, _ = run(script("say(event='result')"))
    with pytest.raises(RuntimeError, match="once"):
        job.start()
