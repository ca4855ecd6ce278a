"""The one exception that is meant for people."""

from __future__ import annotations

from pathlib import Path


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
