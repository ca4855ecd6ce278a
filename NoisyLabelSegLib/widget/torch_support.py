"""Whether networks can run in this Slicer, on which device, and how to install what is missing."""

from __future__ import annotations

import importlib.metadata
import json
import os
from typing import Any

import slicer
from slicer.i18n import tr as _

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.jobs.job import default_interpreter
from NoisyLabelSegLib.jobs.pollers import Poller
from NoisyLabelSegLib.jobs.process import Process
from NoisyLabelSegLib.resources import resource_path
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


class TorchSupport:
    """Never imports torch: that costs seconds and locks its files; the worker imports it."""

    def missing(self) -> list[str]:
        """The packages of Resources/requirements.txt that are not installed."""
        return [line for line in _requirements() if not _installed(line)]

    def remark(self) -> str:
        """What people should know before they press a button that needs networks; empty when all is there."""
        sentence: str = _(
            "This needs PyTorch, which is not installed. You will be asked before anything is downloaded (about 1 GB)."
        )
        return sentence if self.missing() else ""

    def ensure(self) -> bool:
        """True when networks can run, after asking and installing what is missing; False when people declined."""
        missing = self.missing()
        if not missing:
            return True
        names = ", ".join(line.partition(">")[0] for line in missing)
        question = _("Networks need packages that are not installed: {names}. Download and install them now?")
        if not slicer.util.confirmOkCancelDisplay(question.format(names=names), windowTitle=_("Install PyTorch")):
            return False
        with slicer.util.WaitCursor():
            self._install(missing)
        return True

    def _install(self, missing: list[str]) -> None:
        others = [line for line in missing if not line.startswith("torch")]
        if len(others) < len(missing) and _torchLogic().installTorch(askConfirmation=False) is None:
            raise UserError("PyTorch was not installed", remedy="try again, or install it in the PyTorch module")
        for line in others:
            slicer.util.pip_install(line)


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


def _torchLogic() -> Any:
    try:
        import PyTorchUtils
    except ModuleNotFoundError as error:
        raise UserError(
            "The PyTorch extension is missing",
            remedy="install PyTorch in the Extensions Manager, restart Slicer and try again",
        ) from error
    return PyTorchUtils.PyTorchUtilsLogic()


def _requirements() -> list[str]:
    lines = resource_path("requirements.txt").read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def _installed(requirement: str) -> bool:
    try:
        importlib.metadata.version(requirement.partition(">")[0])
    except importlib.metadata.PackageNotFoundError:
        return False
    return True
