"""Asks another process what the networks would run on: importing torch takes seconds and would lock its files here."""

from __future__ import annotations

import json
import os

from slicer.i18n import tr as _

from NoisyLabelSegLib.jobs.job import default_interpreter
from NoisyLabelSegLib.jobs.pollers import Poller
from NoisyLabelSegLib.jobs.process import Process
from NoisyLabelSegLib.signals import Signal

QUESTION = """
import json, torch
if torch.cuda.is_available():
    found = torch.cuda.get_device_properties(0)
    answer = {"name": found.name, "gigabytes": found.total_memory / 1e9}
elif torch.backends.mps.is_available():
    answer = {"name": "Apple GPU", "gigabytes": None}
else:
    answer = {"name": None}
print(json.dumps(answer))
"""


class DeviceProbe:
    """Asks once; `answered` carries a sentence, or nothing where torch is missing."""

    def __init__(self, poller: Poller) -> None:
        self.answered: Signal[str] = Signal()
        self._poller = poller
        self._process: Process | None = None
        self._answer = ""

    def ask(self) -> None:
        if self._process is None:
            command = [*default_interpreter(), "-c", QUESTION]
            self._process = Process(command, environment=dict(os.environ), grace_seconds=1.0)
            self._poller.start(self._tick)

    def close(self) -> None:
        self._poller.stop()
        if self._process is not None:
            self._process.close()

    def _tick(self) -> None:
        assert self._process is not None
        for line, isOutput in self._process.lines():
            self._answer = line if isOutput else self._answer
        if self._process.tend():
            self.close()
            self.answered.emit(sentenceOf(self._answer))


def sentenceOf(answer: str) -> str:
    """What the answer means for people; empty where there is none."""
    try:
        found = json.loads(answer)
    except ValueError:
        return ""
    sentence: str
    if found["name"] is None:
        sentence = _("No GPU was found: networks run on the CPU, which takes longer.")
        return sentence
    if found["gigabytes"] is None:
        sentence = _("Networks can run on this computer's {name}.")
        return sentence.format(name=found["name"])
    sentence = _("Networks can run on {name} with {gigabytes} GB of memory.")
    return sentence.format(name=found["name"], gigabytes=f"{found['gigabytes']:.0f}")
