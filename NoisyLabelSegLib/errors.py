"""The one exception that is meant for people, and how any exception ends a run."""

from __future__ import annotations

from pathlib import Path

DONE, FAULT, BAD_INPUT, CANCELLED = 0, 1, 2, 130
"""Exit codes of the command and of the worker."""


class UserError(Exception):
    """A problem a user can solve: which file, what is wrong, what to do; shown as one sentence, never as a traceback.

    `detail` is for the log only (for example what a file library said).
    """

    def __init__(self, problem: str, *, file: str | Path | None = None, remedy: str = "", detail: str = "") -> None:
        self.problem = problem.strip().rstrip(".")
        self.file = None if file is None else Path(file)
        self.remedy = remedy.strip().rstrip(".")
        self.detail = detail
        super().__init__(self.sentence)

    @property
    def sentence(self) -> str:
        place = f"{self.file}: " if self.file is not None else ""
        remedy = f"; {self.remedy}" if self.remedy else ""
        return " ".join(f"{place}{self.problem}{remedy}.".split())


def ending(error: BaseException, *, remedy: str) -> tuple[int, str]:
    """The exit code and the sentence that an exception ends a run with; `remedy` is for a fault of ours."""
    if isinstance(error, KeyboardInterrupt):
        return CANCELLED, "Cancelled: nothing half-written was left behind."
    if isinstance(error, UserError):
        return BAD_INPUT, error.sentence
    if isinstance(error, MemoryError):
        return BAD_INPUT, "This machine ran out of memory; try fewer or smaller cases at once."
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    return FAULT, f"NoisyLabelSeg failed ({reason}); {remedy}."
