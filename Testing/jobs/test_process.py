"""Processes that do not do what they are asked: none survives its job, nor anything it started."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import pytest

from NoisyLabelSegLib.jobs.job import Job, State
from NoisyLabelSegLib.jobs.reports import Cancelled, Started

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

OBEDIENT = "sys.stdin.readline()\nsys.exit(130)"
DEAF = "time.sleep(600)"
SECONDS = 900.0


def test_cancel_asks_first(run: Any, script: Any, eventually: Any) -> None:
    def cancel(job: Job, heard: Any) -> None:
        eventually(lambda: heard.of(Started))
        job.cancel()

    job, heard = run(script(OBEDIENT), during=cancel, grace_seconds=SECONDS)
    assert job.state is State.CANCELLED
    assert heard.ending == Cancelled(forced=False)


def test_a_worker_that_does_not_listen_is_ended_with_its_children(
    run: Any, script: Any, eventually: Any, processes: Any
) -> None:
    code = "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
    children = []

    def cancel(job: Job, heard: Any) -> None:
        eventually(lambda: heard.log)
        children.append(int(heard.log[0]))
        job.cancel()

    job, heard = run(script(code + "print(child.pid, flush=True)\ntime.sleep(600)"), during=cancel, grace_seconds=0.2)
    assert job.state is State.CANCELLED
    assert heard.ending == Cancelled(forced=True)
    eventually(lambda: not processes.alive(children[0]))


def test_a_child_that_a_finished_worker_left_is_ended(run: Any, script: Any, eventually: Any, processes: Any) -> None:
    code = """
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], stdin=-3, stdout=-3, stderr=-3)
say(event='result', child=child.pid)
"""
    _, heard = run(script(code))
    eventually(lambda: not processes.alive(heard.ending.result["child"]))


def test_a_stranger_who_holds_the_output_open_does_not_hold_the_job(run: Any, script: Any) -> None:
    code = """
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)
say(event='result', child=child.pid)
"""
    job, heard = run(script(code), grace_seconds=0.2)
    os.kill(heard.ending.result["child"], signal.SIGKILL)
    assert job.state is State.FINISHED


def test_a_hang_is_noticed_and_ended(run: Any, script: Any) -> None:
    job, heard = run(script(DEAF), silence_seconds=0.5, grace_seconds=0.2)
    assert job.state is State.FAILED
    assert heard.ending.sentence == "The worker said nothing for 0.5 seconds and was stopped."


def test_a_stopped_process_is_a_hang_too(run: Any, script: Any) -> None:
    _, heard = run(script("os.kill(os.getpid(), signal.SIGSTOP)"), silence_seconds=0.5, grace_seconds=0.2)
    assert heard.ending.sentence == "The worker said nothing for 0.5 seconds and was stopped."


def test_the_death_of_the_launcher_ends_the_worker_behind_it(
    run: Any, script: Any, launcher: list[str], eventually: Any, processes: Any
) -> None:
    def kill(_job: Job, heard: Any) -> None:
        eventually(lambda: heard.of(Started))
        os.kill(processes.parent(heard.process), signal.SIGKILL)

    job, heard = run(script(DEAF), interpreter=launcher, during=kill, grace_seconds=0.2)
    assert job.state is State.FAILED
    assert heard.ending.sentence.startswith("The worker was killed (SIGKILL)")
    eventually(lambda: not processes.alive(heard.process))


def test_the_death_of_the_worker_behind_a_launcher_is_reported(
    run: Any, script: Any, launcher: list[str], eventually: Any
) -> None:
    def kill(_job: Job, heard: Any) -> None:
        eventually(lambda: heard.of(Started))
        os.kill(heard.process, signal.SIGKILL)

    _, heard = run(script(DEAF), interpreter=launcher, during=kill)
    assert heard.ending.sentence.startswith("The worker was killed (SIGKILL)")


def test_cancel_reaches_the_worker_behind_a_launcher(
    run: Any, script: Any, launcher: list[str], eventually: Any, processes: Any
) -> None:
    def cancel(job: Job, heard: Any) -> None:
        eventually(lambda: heard.of(Started))
        job.cancel()

    _, heard = run(script(OBEDIENT), interpreter=launcher, during=cancel, grace_seconds=SECONDS)
    assert heard.ending == Cancelled(forced=False)
    _, heard = run(script(DEAF), interpreter=launcher, during=cancel, grace_seconds=0.2)
    assert heard.ending == Cancelled(forced=True)
    eventually(lambda: not processes.alive(heard.process))
