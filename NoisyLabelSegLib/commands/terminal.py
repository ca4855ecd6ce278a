"""What a verb says to its user: lines, tables and a progress bar for people, or one JSON event per line."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, NoReturn

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from NoisyLabelSegLib.commands.wide_tables import side_by_side
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.jobs.protocol import Event, TimeLeft, progress_event
from NoisyLabelSegLib.progress import Progress
from NoisyLabelSegLib.words import shown

SECONDS_BETWEEN_LINES = 5.0
"""Progress lines in a log file are at least so far apart; work that is done sooner writes none."""


class _Console(Console):
    def on_broken_pipe(self) -> NoReturn:
        """Leaves it to `output_written` what to do; Rich would end the process with exit code 1."""
        raise BrokenPipeError("its reader has closed its end")


class Terminal:
    """Listens to a verb; as a context manager it closes the progress bar whatever happens.

    Pass `terminal.progress` wherever the library asks for a `Report`.
    """

    def __init__(self, *, json: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self.json = json
        self.interrupted = False
        """Whether a signal asked to stop: the exception that says so is lost where Python calls back from C code."""
        self._console = _Console(highlight=False, soft_wrap=True)
        self._errors = _Console(stderr=True, highlight=False, soft_wrap=True)
        self._time_left = TimeLeft(clock)
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._stage = ""
        self._clock = clock
        self._last_line = clock()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *exception: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._close_bar()

    def started(self, verb: str) -> None:
        if self.json:
            self._emit(Event("started", {"verb": verb}))

    def progress(self, progress: Progress) -> None:
        """Moves the bar on a terminal, writes a line every few seconds into a log, or writes a `progress` event."""
        if self.interrupted:
            raise KeyboardInterrupt
        if self.json:
            self._emit(progress_event(progress, self._time_left.after(progress)))
            return
        if self._errors.is_terminal:
            self._move_bar(progress)
        if not (self._errors.is_terminal and self._console.is_terminal):
            self._write_line(progress)

    def say(self, sentence: str) -> None:
        """A line worth keeping after the run."""
        if self.json:
            self._emit(Event("log", {"text": sentence}))
        else:
            self._print(shown(sentence))

    def table(self, title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """A table for people; with --json the same figures belong in the result, so nothing is written here.

        Columns that do not fit beside each other go into a further table below, behind the first column again.
        """
        if self.json:
            return
        console = self._console if self._console.is_terminal else _Console(highlight=False, width=160)
        with output_written():
            console.print(shown(title), markup=False)
            for table in side_by_side(columns, rows, console.width):
                console.print(table)

    def result(self, values: dict[str, Any]) -> None:
        self._close_bar()
        if self.json:
            self._emit(Event("result", values))

    def error(self, sentence: str) -> None:
        """One sentence on stderr, and the `error` event where events were asked for."""
        self._close_bar()
        if self.json:
            with contextlib.suppress(UserError):  # what is wrong may be that nobody reads events
                self._emit(Event("error", {"message": sentence}))
        with contextlib.suppress(OSError):
            self._errors.print(shown(sentence), markup=False)

    def _write_line(self, progress: Progress) -> None:
        """What is being done, how much of it is done and how long it will take."""
        left, now = self._time_left.after(progress), self._clock()
        if now - self._last_line < SECONDS_BETWEEN_LINES:
            return
        self._last_line = now
        share = (progress.done + progress.part) / max(progress.total, 1)
        parts = [f"{progress.stage}: {100 * share:.0f} %"]
        parts += [f"about {_duration(left)} left"] if left is not None and share < 1 else []
        parts += [f"{name} {value:.4g}" for name, value in progress.metrics.items()]
        self._print(", ".join(parts))

    def _move_bar(self, progress: Progress) -> None:
        if self._bar is None:
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self._bar = Bar(*columns, TextColumn("{task.fields[figures]}"), console=self._errors, transient=True)
            self._bar.start()
        if self._task is None or progress.stage != self._stage:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task(progress.stage, total=progress.total, figures="")
            self._stage = progress.stage
        reached = progress.done + progress.part
        self._bar.update(self._task, completed=reached, total=progress.total)
        if progress.metrics:
            figures = "  ".join(f"{name} {value:.4g}" for name, value in progress.metrics.items())
            self._bar.update(self._task, figures=figures)

    def _close_bar(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar, self._task = None, None

    def _print(self, line: str) -> None:
        with output_written():
            self._console.print(line, markup=False)

    def _emit(self, event: Event) -> None:
        with output_written():
            sys.stdout.write(event.line() + "\n")
            sys.stdout.flush()


@contextmanager
def output_written() -> Iterator[None]:
    """Ends the run with a sentence where what it says cannot be written: the reader has gone, or the disk is full."""
    try:
        yield
    except OSError as error:
        with contextlib.suppress(OSError, ValueError):  # else Python tries again when it exits
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise UserError(f"The output of this command cannot be written ({error.strerror or error})") from error


def _duration(seconds: float) -> str:
    """Seconds below two minutes, minutes below two hours, hours above."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"
