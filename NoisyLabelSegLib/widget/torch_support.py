"""Whether networks can run, and how to get there: PyTorch comes from Slicer's PyTorch extension, with consent only."""

from __future__ import annotations

import importlib.metadata
from typing import Any

import slicer
from slicer.i18n import tr as _

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.resources import resource_path


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
