"""Stand-ins for slicer.app and slicer.modules, over the real application logic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6 import QtWidgets
from PySide6.QtCore import QTimer


class Application:
    """slicer.app, as far as the extension uses it. `testing` is what testingEnabled() answers."""

    def __init__(self, logic: Any) -> None:
        self.testing = False
        self.widgets: dict[str, Any] = {}
        self.open_module: Callable[[], Any]
        self.cachePath = ""
        self._logic = logic
        self._startup: list[Callable[[], None]] = []
        self._views = {node.GetID() for node in self._slice_nodes()}
        scene = logic.GetMRMLScene()
        for event in (scene.NodeAddedEvent, scene.NodeRemovedEvent):
            scene.AddObserver(event, lambda *_: self._reset_new_views())

    def applicationLogic(self) -> Any:
        return self._logic

    def layoutManager(self) -> Application:
        return self

    def resetSliceViews(self) -> None:
        """Zooms all slice views so that the whole background is seen."""
        logics = self._logic.GetSliceLogics()
        for logic in (logics.GetItemAsObject(index) for index in range(logics.GetNumberOfItems())):
            logic.FitSliceToBackground()
            logic.SnapSliceOffsetToIJK()

    def _slice_nodes(self) -> list[Any]:
        scene = self._logic.GetMRMLScene()
        nodes = scene.GetNodesByClass("vtkMRMLSliceNode")
        nodes.UnRegister(None)
        return list(nodes)

    def _reset_new_views(self) -> None:
        """As in Slicer, the first event loop after a new slice view appears sets its offset to 0."""
        known, self._views = self._views, {node.GetID() for node in self._slice_nodes()}
        if new := self._views - known:
            QTimer.singleShot(
                0, lambda: [node.SetSliceOffset(0) for node in self._slice_nodes() if node.GetID() in new]
            )

    def moduleManager(self) -> Application:
        return self

    def testingEnabled(self) -> bool:
        return self.testing

    def clipboard(self) -> Any:
        return QtWidgets.QApplication.clipboard()

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


class Module:
    """slicer.modules.<name>"""

    def __init__(self, logic: Any) -> None:
        self._logic = logic

    def logic(self) -> Any:
        return self._logic
