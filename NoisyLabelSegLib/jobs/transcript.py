"""What a worker has said so far, each line understood once."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from NoisyLabelSegLib.jobs.protocol import Event, parse_any_event, progress_of
from NoisyLabelSegLib.jobs.reports import Logged, Progressed, Started

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
