"""How long work runs outside the caller's process, and the line protocol between the two processes."""

from NoisyLabelSegLib.jobs.job import Job, State
from NoisyLabelSegLib.jobs.pollers import ManualPoller, Poller, ThreadPoller
from NoisyLabelSegLib.jobs.reports import Cancelled, Failed, Finished, Logged, Progressed, Started

__all__ = [
    "Cancelled",
    "Failed",
    "Finished",
    "Job",
    "Logged",
    "ManualPoller",
    "Poller",
    "Progressed",
    "Started",
    "State",
    "ThreadPoller",
]
