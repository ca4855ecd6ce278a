"""A job: one worker process, watched, with its events turned into signals."""

from __future__ import annotations

import enum
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from NoisyLabelSegLib.errors import BAD_INPUT, CANCELLED, DONE, FAULT, UserError
from NoisyLabelSegLib.jobs.pollers import Poller, ThreadPoller
from NoisyLabelSegLib.jobs.process import Process
from NoisyLabelSegLib.jobs.reports import Cancelled, Failed, Finished, Logged, Progressed, Started, Transcript
from NoisyLabelSegLib.output import remove_partials
from NoisyLabelSegLib.signals import Signal

MEMORY = "the machine ran out of memory; close other programs, or try fewer or smaller cases at once"
_CRASHES = ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP")
_WINDOWS = {
    0xC0000005: "crashed (access violation)",
    0xC00000FD: "crashed (stack overflow)",
    0xC0000409: "crashed (stack buffer overrun)",
    0xC000013A: "was told to stop from outside (Ctrl-C)",
    0xC0000017: f"ended because {MEMORY}",
    0xC000012D: f"ended because {MEMORY}",
}


def death_in_words(exit_code: int, *, out_of_memory: bool = False) -> str:
    """What an exit code says that came without a result or an error event, as one sentence.

    Negative codes are signals; a launcher passes its child's signal on as 128 plus its number.
    """
    if exit_code == 0:
        return "The worker ended without a result; see the last lines of the log."
    if (exit_code & 0xFFFFFFFF) in _WINDOWS:
        return f"The worker {_WINDOWS[exit_code & 0xFFFFFFFF]}."
    name = _signal_name(exit_code)
    if name == "SIGKILL" and out_of_memory:
        return f"The worker was killed (SIGKILL) because {MEMORY}."
    if name == "SIGKILL":
        return "The worker was killed (SIGKILL) by the system or by another program; if memory was short, free some."
    if name in _CRASHES:
        return f"The worker crashed ({name}); the last lines of the log say where."
    if name:
        return f"The worker was told to stop from outside ({name})."
    return f"The worker ended with exit code {exit_code}; see the last lines of the log."


def memory_kills() -> int:
    """How often this system has ended a process for want of memory since it started; 0 where it does not say."""
    try:
        lines = Path("/proc/vmstat").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), 0)


def _signal_name(exit_code: int) -> str:
    number = -exit_code if exit_code < 0 else exit_code - 128
    try:
        return signal.Signals(number).name
    except ValueError:
        return ""


WORKER = Path(__file__).with_name("worker.py")


class State(enum.Enum):
    """FINISHED, FAILED and CANCELLED are final."""

    NEW = "new"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


class JobSettings(Protocol):
    """What a job needs of the settings of a verb; `NoisyLabelSegLib.verbs` has them."""

    @property
    def out(self) -> str: ...

    def problems(self) -> list[str]: ...

    def to_json(self) -> str: ...


class Job:
    """Runs settings in a process of their own; no call but close() and wait() takes time.

    All signals are emitted from the poller's tick. Exactly one of `finished`, `failed` and `cancelled` comes last,
    when the process, everything it started and its temporary folder are gone.

        job = Job(FuseSettings(study="my-study", out="fused"))
        job.progressed.connect(lambda news: bar.show(news.fraction, news.seconds_left))
        job.failed.connect(lambda news: status.show(news.sentence))
        job.start()
    """

    def __init__(
        self,
        settings: JobSettings,
        *,
        poller: Poller | None = None,
        interpreter: Sequence[str] = (),
        worker: str | Path = WORKER,
        grace_seconds: float = 5.0,
        silence_seconds: float | None = 900.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`interpreter` is the command of a Python (Slicer's or the current one if empty). A worker that was asked to
        stop is ended after `grace_seconds`; one that says nothing for `silence_seconds` is taken for hung."""
        self.started: Signal[Started] = Signal()
        self.progressed: Signal[Progressed] = Signal()
        self.logged: Signal[Logged] = Signal()
        self.finished: Signal[Finished] = Signal()
        self.failed: Signal[Failed] = Signal()
        self.cancelled: Signal[Cancelled] = Signal()
        self.settings, self.state = settings, State.NEW
        self._poller = poller or ThreadPoller()
        self._command = [*(interpreter or default_interpreter()), "-u", str(worker)]
        self._grace, self._silence, self._clock = grace_seconds, silence_seconds, clock
        self._process: Process | None = None
        self._transcript = Transcript()
        self._scratch: Path | None = None
        self._cancel_asked, self._ended = threading.Event(), threading.Event()
        self._hung = False
        self._start_error = ""
        self._begin, self._memory_kills = 0.0, 0

    def start(self) -> None:
        """Starts the worker; settings that cannot work raise a UserError here, everything later is a signal."""
        if self.state is not State.NEW:
            raise RuntimeError("a job runs once; make another")
        problems = self.settings.problems()
        if problems:
            raise UserError(problems[0])
        text = self.settings.to_json()
        self.state, self._begin, self._memory_kills = State.RUNNING, self._clock(), memory_kills()
        try:
            self._process = self._start_process(text)
        except OSError as error:
            self._start_error = f"The worker could not be started ({error.strerror or error}: {error.filename})."
        self._poller.start(self._tick)

    def is_running(self) -> bool:
        return self.state is State.RUNNING

    def cancel(self) -> None:
        """Asks the worker to stop; `cancelled` follows, or `finished` if it was done before it heard."""
        self._cancel_asked.set()

    def wait(self, seconds: float | None = None) -> State:
        """Waits until the last signal has been emitted; only for a caller whose poller ticks on another thread."""
        self._ended.wait(seconds)
        return self.state

    def close(self) -> None:
        """Cancels and waits until nothing is left, for at most about the grace time: for a caller that goes away."""
        self.cancel()
        self._poller.stop()
        while self.is_running():
            self._tick()
            time.sleep(0.02)

    def _start_process(self, settings: str) -> Process:
        self._scratch = Path(tempfile.mkdtemp(prefix="noisylabelseg-job-"))
        settings_file = self._scratch / "settings.json"
        settings_file.write_text(settings, encoding="utf-8")
        return Process(
            [*self._command, str(settings_file), "--scratch", str(self._scratch)],
            environment={**os.environ, "PYTHONUTF8": "1"},
            grace_seconds=self._grace,
            clock=self._clock,
        )

    def _tick(self) -> None:
        if not self.is_running():
            return
        if self._process is None:
            self._conclude(Failed(self._start_error))
            return
        for line, is_output in self._process.lines():
            self._tell(self._transcript.hear(line, is_output=is_output))
        if not self.is_running():  # a receiver closed the job
            return
        if self._silence is not None and self._process.silent_seconds > self._silence:
            self._hung = True
        if self._hung or self._cancel_asked.is_set():
            self._process.stop()
        if self._process.tend():
            self._conclude(self._outcome(self._process))

    def _tell(self, news: Started | Progressed | Logged | None) -> None:
        if isinstance(news, Progressed):
            self.progressed.emit(news)
        elif isinstance(news, Logged):
            self.logged.emit(news)
        elif news is not None:
            self.started.emit(news)

    def _outcome(self, process: Process) -> Finished | Failed | Cancelled:
        transcript, code = self._transcript, process.exit_code
        assert code is not None
        if transcript.result is not None:  # said when all output is in place, so a crash at the very end costs nothing
            if code != DONE:
                self.logged.emit(Logged(f"{death_in_words(code).partition(';')[0].rstrip('.')} after its result."))
            return Finished(transcript.result, self._clock() - self._begin)
        if self._cancel_asked.is_set():
            return Cancelled(process.forced)
        if self._hung:
            sentence = f"The worker said nothing for {_duration(self._silence or 0)} and was stopped."
        elif transcript.error and code in (BAD_INPUT, FAULT):
            sentence = transcript.error
        elif code == CANCELLED:
            sentence = "The worker was told to stop from outside; nothing half-written was left behind."
        else:
            sentence = death_in_words(code, out_of_memory=memory_kills() > self._memory_kills)
        return Failed(sentence, code, transcript.last_lines)

    def _conclude(self, outcome: Finished | Failed | Cancelled) -> None:
        self._poller.stop()
        self._clean_up()
        if isinstance(outcome, Finished):
            self.state = State.FINISHED
            self.finished.emit(outcome)
        elif isinstance(outcome, Failed):
            self.state = State.FAILED
            self.failed.emit(outcome)
        else:
            self.state = State.CANCELLED
            self.cancelled.emit(outcome)
        self._ended.set()

    def _clean_up(self) -> None:
        if self._process is not None:
            self._process.close()
        if self._transcript.process is not None:
            remove_partials(self.settings.out, self._transcript.process)
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)


def default_interpreter() -> list[str]:
    """Slicer's Python inside Slicer, the current one elsewhere."""
    launcher = shutil.which("PythonSlicer") if "slicer" in sys.modules else None
    return [launcher or sys.executable]


def _duration(seconds: float) -> str:
    return f"{seconds:g} seconds" if seconds < 120 else f"{seconds / 60:.0f} minutes"
