"""What a job tells its listeners, and the parser of what a worker has written so far."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from NoisyLabelSegLib.jobs.protocol import Event, parse_any_event, progress_of


@dataclass(frozen=True)
class Started:
    """The worker has read its settings and begins; `process` is the worker's own number, behind any launcher."""

    verb: str
    process: int


@dataclass(frozen=True)
class Progressed:
    """`done` of `total` steps of a stage are finished, and a `part` of the next; they never fall within a stage."""

    stage: str
    done: int
    total: int
    seconds_left: float | None = None
    """Measured from the steps so far; None before the first one has finished."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    """Figures of the step that has just been finished; none between two steps."""
    part: float = 0.0

    @property
    def fraction(self) -> float:
        return (self.done + self.part) / self.total if self.total else 1.0


@dataclass(frozen=True)
class Logged:
    """A line for the log: said by the worker, or printed by a library it uses."""

    text: str


@dataclass(frozen=True)
class Finished:
    """The work is done; `result` is what the verb answers with --json, and all output is in place."""

    result: Mapping[str, Any]
    seconds: float


@dataclass(frozen=True)
class Failed:
    """The work ended without a result; `sentence` is for people, the last lines of the log for whoever helps them."""

    sentence: str
    exit_code: int | None = None
    last_lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cancelled:
    """The work was stopped as asked; `forced` when it did not stop by itself in time and was ended."""

    forced: bool = False


LAST_LINES = 20


class Transcript:
    """Turns lines into reports and keeps what decides how the job ended."""

    def __init__(self) -> None:
        self.process: int | None = None
        """The worker's own process number, once it has started."""
        self.result: Mapping[str, Any] | None = None
        self.error = ""
        self._last_lines: deque[str] = deque(maxlen=LAST_LINES)
        self._last: Progressed | None = None

    @property
    def last_lines(self) -> tuple[str, ...]:
        """The last lines of the log."""
        return tuple(self._last_lines)

    def hear(self, line: str, *, is_output: bool) -> Started | Progressed | Logged | None:
        """The report of a line, if it has one; a line that is no event belongs to the log."""
        event = parse_any_event(line) if is_output else None
        if event is None:
            return self._log(line)
        if event.kind == "result":
            self.result = event.values
            return None
        if event.kind == "error":
            self.error = str(event.values.get("message", ""))
            return self._log(self.error)
        if event.kind == "log":
            return self._log(str(event.values.get("text", "")))
        if event.kind == "started":
            return self._start(event, line)
        return self._progress(event, line) if event.kind == "progress" else None  # None: an event of another version

    def _start(self, event: Event, line: str) -> Started | Logged:
        verb, process = event.values.get("verb"), event.values.get("process")
        if not isinstance(verb, str) or not isinstance(process, int):
            return self._log(line)
        self.process = process
        return Started(verb, process)

    def _progress(self, event: Event, line: str) -> Progressed | Logged:
        told = progress_of(event)
        if told is None:
            return self._log(line)
        progress, left = told
        news = Progressed(progress.stage, progress.done, progress.total, left, progress.metrics, progress.part)
        last = self._last
        if last is not None and last.stage == news.stage and news.fraction < last.fraction:
            # A stage that begins anew moves on once it is further than before.
            news = replace(news, done=last.done, total=last.total, part=last.part)
        self._last = news
        return news

    def _log(self, text: str) -> Logged:
        self._last_lines.extend(text.splitlines())
        return Logged(text)
