"""How long work runs outside the caller's process, and the line protocol between the two processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from NoisyLabelSegLib.lazy import attach

if TYPE_CHECKING:
    from NoisyLabelSegLib.jobs.job import Job, State
    from NoisyLabelSegLib.jobs.pollers import (
        ManualPoller,
        Poller,
        ThreadPoller,
    )
    from NoisyLabelSegLib.jobs.reports import (
        Cancelled,
        Failed,
        Finished,
        Logged,
        Progressed,
        Started,
    )

__getattr__, __all__ = attach(__name__, __file__)
