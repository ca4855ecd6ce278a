"""The life of a worker: reads its settings, watches its parent, reports events and ends with an exit code."""

from __future__ import annotations

import _thread
import contextlib
import faulthandler
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from types import FrameType
from typing import Any, NoReturn

from NoisyLabelSegLib.errors import DONE, FAULT, ending
from NoisyLabelSegLib.jobs.protocol import Event, TimeLeft, progress_event
from NoisyLabelSegLib.output import remove_partials
from NoisyLabelSegLib.progress import Progress


class Channel:
    """Takes stdout for the events; what libraries print there from now on goes to stderr and so into the log."""

    def __init__(self) -> None:
        sys.stdout.flush()
        self._stream = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", newline="\n")
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        self._time_left = TimeLeft()
        self._lock = threading.Lock()

    def started(self, verb: str) -> None:
        self._emit(Event("started", {"verb": verb, "process": os.getpid()}))

    def progress(self, progress: Progress) -> None:
        self._emit(progress_event(progress, self._time_left.after(progress)))

    def say(self, sentence: str) -> None:
        self._emit(Event("log", {"text": sentence}))

    def result(self, values: dict[str, Any]) -> None:
        self._emit(Event("result", values))

    def alive(self) -> None:
        """A sign of life; readers need not know it, it is a line."""
        with contextlib.suppress(KeyboardInterrupt):
            self._emit(Event("alive"))

    def error(self, sentence: str, *, detail: str = "") -> None:
        """The sentence for people, after the detail for the log."""
        with contextlib.suppress(KeyboardInterrupt):
            if detail:
                self.say(detail)
            self._emit(Event("error", {"message": sentence}))

    def _emit(self, event: Event) -> None:
        try:
            with self._lock:
                self._stream.write(event.line() + "\n")
                self._stream.flush()
        except OSError as error:
            raise KeyboardInterrupt from error  # nobody listens any more, so nobody wants the work


EVERY_SECONDS = 20.0
LEAST_WORK = 0.01
"""The share of the time that must have gone into computing; the threads that only watch need far less."""


class Pulse:
    """Calls `beat` every few seconds from a thread of its own, but only while the process really computes.

    A process that waits for a lock that never opens, or for a disk that never answers, has no pulse.
    """

    def __init__(
        self,
        beat: Callable[[], None],
        *,
        every_seconds: float = EVERY_SECONDS,
        work_clock: Callable[[], float] = time.process_time,
    ) -> None:
        self._beat, self._every, self._work_clock = beat, every_seconds, work_clock
        self._over = threading.Event()

    def __enter__(self) -> Pulse:
        threading.Thread(target=self._run, name="pulse", daemon=True).start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._over.set()

    def _run(self) -> None:
        before = self._work_clock()
        while not self._over.wait(self._every):
            now = self._work_clock()
            if now - before >= LEAST_WORK * self._every:
                self._beat()
            before = now


LOOK_EVERY_SECONDS = 0.5


class Watch:
    """Watches stdin and the parent; the first reason to stop raises KeyboardInterrupt in the main thread, once.

    Stdin ends with a caller that dies. A launcher in between may die alone, so the parent is watched too (where there
    is no way to ask for it, on Windows, the caller closes stdin in its place).
    """

    def __init__(self) -> None:
        self.asked = False
        self._over = False
        self._lock = threading.Lock()

    def start(self) -> None:
        threading.Thread(target=self._watch_stdin, daemon=True).start()
        if sys.platform != "win32":
            threading.Thread(target=self._watch_parent, args=(os.getppid(),), daemon=True).start()

    def end(self) -> None:
        """From now on nothing is interrupted: the work is done, or already stopping."""
        with self._lock:
            self._over = True

    def _watch_stdin(self) -> None:
        rest = b""
        while chunk := _read_stdin():
            *lines, rest = (rest + chunk).split(b"\n")
            if any(line.strip() == b"cancel" for line in lines):
                break
        self._stop()

    def _watch_parent(self, parent: int) -> None:
        while os.getppid() == parent:
            time.sleep(LOOK_EVERY_SECONDS)
        self._stop()

    def _stop(self) -> None:
        with self._lock:
            if self.asked or self._over:
                return
            self.asked = True
        if sys.platform == "win32":
            _thread.interrupt_main()
        else:  # a real signal also ends a wait
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


def _read_stdin() -> bytes:
    """What has arrived; nothing at the end. Past Python's buffer, whose lock would outlive the main thread."""
    try:
        return os.read(0, 4096)
    except OSError:
        return b""


MODESTY = 5
"""How far the worker steps back behind Slicer's window, in steps of `nice`."""


def work(settings_file: str, *, scratch: str | None = None) -> int:
    """Does the job of a settings file and returns the exit code; `scratch` is removed at the end."""
    channel, watch = Channel(), Watch()
    try:
        _prepare(scratch)
        watch.start()
        channel.result(_do(settings_file, channel, watch))
        return DONE
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - people get a sentence, the log the rest
        watch.end()
        code, sentence = ending(error, remedy="please report it together with the log")
        channel.error(sentence, detail=traceback.format_exc() if code == FAULT else getattr(error, "detail", ""))
        return code
    finally:
        if scratch:
            shutil.rmtree(scratch, ignore_errors=True)


def _prepare(scratch: str | None) -> None:
    faulthandler.enable()  # a crash leaves its place in the log
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    if hasattr(os, "nice"):
        os.nice(MODESTY)
    if scratch:
        tempfile.tempdir = scratch
        os.environ.update(TMPDIR=scratch, TEMP=scratch, TMP=scratch)


def _do(settings_file: str, channel: Channel, watch: Watch) -> dict[str, object]:
    def report(progress: Progress) -> None:
        if watch.asked:  # an interrupt can get lost where Python cannot raise it, in a destructor for example
            raise KeyboardInterrupt
        channel.progress(progress)

    from NoisyLabelSegLib.verbs import perform, read_settings

    settings = read_settings(settings_file)
    channel.started(settings.verb)
    try:
        with Pulse(channel.alive):
            result = perform(settings, report, channel.say)
        watch.end()
    finally:
        remove_partials(settings.out, os.getpid())
    return result


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
