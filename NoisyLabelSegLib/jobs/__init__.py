"""How long work runs outside the caller's process, and the language both sides speak."""

from NoisyLabelSegLib.jobs.job import Job, State
from NoisyLabelSegLib.jobs.pollers import ManualPoller, Poller, ThreadPoller
from NoisyLabelSegLib.jobs.reports import Cancelled, Failed, Finished, Logged, Progressed, Started
from NoisyLabelSegLib.jobs.settings import (
    CompareSettings,
    FuseSettings,
    JobSettings,
    PredictSettings,
    ReviewSettings,
    TrainSettings,
)

__all__ = [
    "Cancelled",
    "CompareSettings",
    "Failed",
    "Finished",
    "FuseSettings",
    "Job",
    "JobSettings",
    "Logged",
    "ManualPoller",
    "Poller",
    "PredictSettings",
    "Progressed",
    "ReviewSettings",
    "Started",
    "State",
    "ThreadPoller",
    "TrainSettings",
]
