"""What each kind of settings makes the library do; the rooms are imported only when their verb is wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.jobs.settings import JobSettings
from NoisyLabelSegLib.progress import Report

Say = Callable[[str], None]


def perform(settings: JobSettings, report: Report, say: Say) -> dict[str, Any]:
    """Does the job and returns its result; what to keep is in the output folder by then."""
    problems = settings.problems()
    if problems:
        raise UserError(problems[0])
    raise UserError("not yet")
