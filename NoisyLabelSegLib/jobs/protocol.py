"""The line protocol: one JSON object per line, from a worker or from any command run with --json.

Events: `started`, `progress`, `log`, `result`, `error`; a worker also says `alive` during long steps. A reader ignores
events it does not know and lines that are not JSON objects, so versions may differ and libraries may print.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from NoisyLabelSegLib.progress import Progress

LEAST_MEASURED_SECONDS = 1.0
"""The first steps of a stage pay for imports and caches; an estimate made from them alone would be far too long."""
KNOWN_EVENTS = ("started", "progress", "log", "result", "error")


@dataclass(frozen=True)
class Event:
    """One line of the protocol: its kind and everything else it carries."""

    kind: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def line(self) -> str:
        """The event as one line of strict JSON (no NaN: what is not finite becomes null; other objects, their text)."""
        content = _finite({"event": self.kind, **self.values})
        return json.dumps(content, ensure_ascii=False, allow_nan=False, default=str)


def parse_line(line: str) -> Event | None:
    """The event of a line, or None where the line is ordinary text or an event this version does not know."""
    event = parse_any_event(line)
    return event if event is not None and event.kind in KNOWN_EVENTS else None


def parse_any_event(line: str) -> Event | None:
    """The event of a line, known or not, or None where the line is ordinary text."""
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return None
    kind = content.pop("event", None) if isinstance(content, dict) else None
    return Event(kind, content) if isinstance(kind, str) else None


class TimeLeft:
    """Estimates the seconds left in a stage from what its steps have really taken.

    A stage that begins anew (fewer steps done than before) is measured anew.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._stage: str | None = None
        self._start = 0.0
        self._first = self._last = 0.0

    def after(self, progress: Progress) -> float | None:
        """Seconds left after this report, or None while too little has been measured to tell."""
        reached = progress.done + progress.part
        if progress.stage != self._stage or reached < self._last:
            self._stage, self._start, self._first = progress.stage, self._clock(), reached
        self._last = reached
        done = reached - self._first
        if reached >= progress.total:
            return 0.0
        elapsed = self._clock() - self._start
        if done <= 0 or (elapsed < LEAST_MEASURED_SECONDS and reached * 2 < progress.total):
            return None
        return elapsed / done * (progress.total - reached)


def progress_event(progress: Progress, seconds_left: float | None) -> Event:
    """The `progress` line for a report."""
    values: dict[str, Any] = {"stage": progress.stage, "done": progress.done, "total": progress.total}
    if progress.part:
        values["part"] = progress.part
    values["secondsLeft"] = None if seconds_left is None else round(seconds_left, 1)
    if progress.metrics:
        values["metrics"] = dict(progress.metrics)
    return Event("progress", values)


def progress_of(event: Event) -> tuple[Progress, float | None] | None:
    """The report and the seconds left that a `progress` event carries, or None where its values make no sense."""
    values = event.values
    stage, done, total, left = (values.get(name) for name in ("stage", "done", "total", "secondsLeft"))
    if not isinstance(stage, str) or not _is_count(done) or not _is_count(total) or done > total:
        return None
    part = values.get("part", 0.0)
    if not _is_number(part) or not 0 <= part < 1 or done + part > total:
        part = 0.0
    metrics = values.get("metrics")
    figures = {str(name): value for name, value in metrics.items() if _is_number(value)} if _is_map(metrics) else {}
    return Progress(stage, done, total, figures, part), max(0.0, left) if _is_number(left) else None


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_map(value: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, Mapping)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return _finite(value.item()) if hasattr(value, "item") else value  # a number of numpy's or torch's
