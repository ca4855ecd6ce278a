"""What a job tells those who listen: one frozen record per kind of news."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


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
