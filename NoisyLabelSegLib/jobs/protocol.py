"""The line protocol: one JSON object per line, from a worker or from any command run with --json.

Events: `started`, `progress`, `log`, `result`, `error`. A reader ignores events it does not know and lines that are not
JSON objects, so versions may differ and libraries may print.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from NoisyLabelSegLib.progress import Progress

KNOWN_EVENTS = ("started", "progress", "log", "result", "error")


@dataclass(frozen=True)
class Event:
    """One line of the protocol: its kind and everything else it carries."""

    kind: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def line(self) -> str:
        """The event as one line of strict JSON (no NaN: what is not finite becomes null)."""
        return json.dumps(_finite({"event": self.kind, **self.values}), ensure_ascii=False, allow_nan=False)


def parse_line(line: str) -> Event | None:
    """The event of a line, or None where the line is ordinary text or an event this version does not know."""
    try:
        content = json.loads(line)
    except ValueError:
        return None
    if not isinstance(content, dict) or content.get("event") not in KNOWN_EVENTS:
        return None
    kind = content.pop("event")
    return Event(kind, content)


class TimeLeft:
    """Estimates the seconds left in a stage from what its steps have really taken."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._stage: str | None = None
        self._start = 0.0
        self._first = 0

    def after(self, progress: Progress) -> float | None:
        """Seconds left after this report, or None before a step of the stage has finished."""
        if progress.stage != self._stage:
            self._stage, self._start, self._first = progress.stage, self._clock(), progress.done
        done = progress.done - self._first
        if progress.done >= progress.total:
            return 0.0
        if done <= 0:
            return None
        return (self._clock() - self._start) / done * (progress.total - progress.done)


def progress_event(progress: Progress, seconds_left: float | None) -> Event:
    """The `progress` line for a report."""
    values: dict[str, Any] = {"stage": progress.stage, "done": progress.done, "total": progress.total}
    values["secondsLeft"] = None if seconds_left is None else round(seconds_left, 1)
    if progress.metrics:
        values["metrics"] = dict(progress.metrics)
    return Event("progress", values)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value
