"""Stand-ins for slicer.app, its layout manager and slicer.modules, over the real scene and the real module logics."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import slicer
from PySide6 import QtWidgets


class Application:
    """slicer.app, as far as the extension uses it. `testing` is what testingEnabled() answers."""

    def __init__(self, scene: Any, logic: Any) -> None:
        self.testing = False
        self.cachePath = ""
        self._scene, self._logic = scene, logic
        self._layouts = LayoutManager(scene, logic)
        self._startup: list[Callable[[], None]] = []

    def applicationLogic(self) -> Any:
        return self._logic

    def layoutManager(self) -> LayoutManager:
        return self._layouts

    def moduleManager(self) -> Application:
        return self

    def testingEnabled(self) -> bool:
        return self.testing

    def translate(self, _context: str, text: str) -> str:
        return text

    def processEvents(self) -> None:
        QtWidgets.QApplication.processEvents()

    def connect(self, signal: str, receiver: Callable[[], None]) -> None:
        """Keeps what waits for the end of the start; other signals of the application never come here."""
        if signal == "startupCompleted()":
            self._startup.append(receiver)

    def disconnect(self, _signal: str, _receiver: Callable[[], None]) -> None:
        """Nothing that the host sends is ever disconnected."""

    def startupCompleted(self) -> None:
        for receiver in self._startup:
            receiver()

    def pauseRender(self) -> None:
        """The host draws only when asked to."""

    def resumeRender(self) -> None:
        """The host draws only when asked to."""


class LayoutManager:
    """Layouts by number; the real layout logic makes the slice nodes that a layout asks for."""

    def __init__(self, scene: Any, application_logic: Any) -> None:
        self._logic = slicer.vtkMRMLLayoutLogic()
        self._logic.SetMRMLApplicationLogic(application_logic)
        self._logic.SetMRMLScene(scene)

    def layoutLogic(self) -> Any:
        return self._logic

    @property
    def layout(self) -> int:
        return int(self._logic.GetLayoutNode().GetViewArrangement())

    def setLayout(self, layout: int) -> None:
        self._logic.GetLayoutNode().SetViewArrangement(layout)

    def resetSliceViews(self) -> None:
        """Real views fit the background here; the host's views do so whenever they are drawn."""


def real_logics() -> tuple[Any, Any]:
    """A real scene and application logic with the module logics that the extension uses; fills slicer.modules."""
    scene, application = slicer.vtkMRMLScene(), slicer.vtkSlicerApplicationLogic()
    application.SetMRMLScene(scene)
    logics = {
        "Colors": slicer.vtkMRMLColorLogic(),
        "Segmentations": slicer.vtkSlicerSegmentationsModuleLogic(),
        "Volumes": slicer.vtkSlicerVolumesLogic(),
        "Plots": slicer.vtkSlicerPlotsLogic(),
    }
    for name, logic in logics.items():
        logic.SetMRMLScene(scene)
        logic.SetMRMLApplicationLogic(application)
        application.SetModuleLogic(name, logic)
    logics["Colors"].AddDefaultColorNodes()
    slicer.vtkMRMLSliceNode.AddDefaultSliceOrientationPresets(scene, True)
    scene.RegisterNodeClass(slicer.vtkMRMLColorLegendDisplayNode())
    slicer.modules = types.SimpleNamespace(**{name.lower(): _Module(logic) for name, logic in logics.items()})
    return scene, application


class _Module:
    """slicer.modules.<name>"""

    def __init__(self, logic: Any) -> None:
        self._logic = logic

    def logic(self) -> Any:
        return self._logic
