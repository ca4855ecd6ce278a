"""Where a worker speaks: stdout, kept for events alone."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from typing import Any

from NoisyLabelSegLib.jobs.protocol import Event, TimeLeft, progress_event
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
