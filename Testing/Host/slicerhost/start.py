"""Starts the host: once per process, because Qt allows one application."""

from __future__ import annotations

import ctypes
import os
import sys
import time
import types
from pathlib import Path
from typing import Any

import slicer
from PySide6 import QtWidgets

from slicerhost import names, util
from slicerhost.application import Application, Module
from slicerhost.dialogs import Answers, answers
from slicerhost.mrml_widgets import qSlicerScriptedLoadableModuleWidget
from slicerhost.slicers_own import use_slicers_own
from slicerhost.sources import HostFinder, load_source

REPOSITORY = Path(__file__).resolve().parents[3]
MODULE = "NoisyLabelSeg"
PATIENCE_SECONDS = 1200.0
"""Long enough for a worker on a slow computer with much else to do; nobody waits longer than needed."""
REST_SECONDS = 0.001
SLICER_PYTHON = "SLICER_PYTHON"
"""Names the folder Base/Python/slicer of Slicer's sources, to run its own files instead of the stand-ins."""


class Host:
    """The running stand-in: opens the module as Slicer does, and remembers what went wrong in slots."""

    def __init__(self, qt_application: QtWidgets.QApplication, application: Application) -> None:
        self.qt_application, self.application = qt_application, application
        self.faults: list[BaseException] = []
        self._isInterrupted = False
        application.open_module = self.open_module
        sys.excepthook = self._remember

    @property
    def scene(self) -> Any:
        return slicer.mrmlScene

    @property
    def answers(self) -> Answers:
        return answers

    def load(self, name: str, path: Path) -> types.ModuleType:
        """Executes a file as the panel's sources are executed."""
        return load_source(name, path)

    def open_module(self, path: Path | None = None) -> Any:
        """Loads the module file and makes its panel; returns the widget object, entered where there is a window."""
        path = path or REPOSITORY / MODULE / f"{MODULE}.py"
        source = self.load(MODULE, path)
        module = types.SimpleNamespace(path=str(path))
        source.NoisyLabelSeg(module)
        self.application.startupCompleted()
        parent = qSlicerScriptedLoadableModuleWidget()
        QtWidgets.QVBoxLayout(parent)
        parent.setMRMLScene(slicer.mrmlScene)
        panel = source.NoisyLabelSegWidget(parent)
        self.application.widgets[MODULE] = panel
        panel.setup()
        if self.application.window is not None:  # else no module is ever in front
            parent.isEntered = True
            panel.enter()
        parent.setWindowTitle(module.title)
        return panel

    def close_scene(self) -> None:
        """What File > Close Scene does."""
        self.scene.GetSubjectHierarchyNode().RemoveAllItems()  # the application does so, the wheel does not
        self.scene.Clear(0)

    def wait_for(self, condition: Any, *, seconds: float = PATIENCE_SECONDS) -> None:
        """Runs the event loop until the condition holds; ends as other programs do when somebody cancels it."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(f"nothing happened in {seconds} s")
            # Without arguments: to convert an enum, PySide runs Python code, in which a Ctrl-C or SIGTERM may arrive,
            # and calls that "Overflow: Value 20 exceeds limits".
            self.qt_application.processEvents()
            time.sleep(REST_SECONDS)  # leaves the processor to the workers
            if self._isInterrupted:
                self._isInterrupted = False
                raise KeyboardInterrupt

    def _remember(self, kind: Any, error: BaseException, trace: Any) -> None:
        """Called for what a slot raises, which PySide does not pass on."""
        if isinstance(error, KeyboardInterrupt):
            self._isInterrupted = True
            self.qt_application.quit()  # where people have a window
            return
        self.faults.append(error)
        sys.__excepthook__(kind, error, trace)


_host: Host | None = None


def start() -> Host:
    """The host of this process, started at the first call."""
    global _host
    if _host is None:
        _make_none_immortal()
        qt_application = QtWidgets.QApplication.instance() or QtWidgets.QApplication(["NoisyLabelSeg host"])
        qt_application.setOrganizationName("NoisyLabelSeg")
        qt_application.setApplicationName("Host")
        _host = Host(qt_application, _become_slicer())
    return _host


def is_running() -> bool:
    """Whether the host of this process has been started."""
    return _host is not None


def _become_slicer() -> Application:
    """Puts the stand-ins where the extension's imports look for them."""
    names.install("qt", names.qt_module())
    names.install("ctk", names.ctk_module())
    names.add_mrml_widgets(slicer)
    sys.path.insert(0, str(REPOSITORY))
    from NoisyLabelSegLib.scene.headless import HeadlessSlicer

    headless = HeadlessSlicer()
    slicer.mrmlScene = headless.scene
    slicer.app = Application(headless)
    slicer.modules = _modules(headless)
    for function in util.REPLACED:
        setattr(slicer.util, function.__name__, function)
    _install_slicer_modules()
    sys.meta_path.insert(0, HostFinder([MODULE, "NoisyLabelSegLib.widget"]))
    return slicer.app


def _install_slicer_modules() -> None:
    from slicerhost import module_base, parameters, sample_data, translation

    names.install("SampleData", sample_data)
    if os.environ.get(SLICER_PYTHON):
        use_slicers_own(Path(os.environ[SLICER_PYTHON]))
        return
    names.install("slicer.ScriptedLoadableModule", module_base)
    names.install("slicer.parameterNodeWrapper", parameters)
    names.install("slicer.i18n", translation)
    for name, module in {
        "ScriptedLoadableModule": module_base,
        "parameterNodeWrapper": parameters,
        "i18n": translation,
    }.items():
        setattr(slicer, name, module)


def _make_none_immortal() -> None:
    """PySide 6.12 counts on Python 3.12, where None is never freed; before that, some thousand clicks would free it."""
    if sys.version_info < (3, 12):
        ctypes.c_ssize_t.from_address(id(None)).value += 1 << 40


def _modules(headless: Any) -> types.SimpleNamespace:
    """slicer.modules with the logics that the extension asks for."""
    plots = slicer.vtkSlicerPlotsLogic()
    plots.SetMRMLApplicationLogic(headless.applicationLogic)
    plots.SetMRMLScene(headless.scene)
    return types.SimpleNamespace(
        plots=Module(plots),
        segmentations=Module(headless.applicationLogic.GetModuleLogic("Segmentations")),
        colors=Module(headless.applicationLogic.GetColorLogic()),
    )
