"""Stand-ins for slicer.app, its layout manager and slicer.modules, over the real application logic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6 import QtWidgets
from PySide6.QtCore import QObject, QTimer

_VIEW_CLASSES = ("vtkMRMLLayoutNode", "vtkMRMLViewNode", "vtkMRMLSliceNode", "vtkMRMLSliceCompositeNode")


class Application:
    """slicer.app, as far as the extension uses it. `testing` is what testingEnabled() answers.

    `window` is the main window; without one there is no layout manager, and there are no views.
    """

    def __init__(self, headless: Any) -> None:
        self.testing = False
        self.widgets: dict[str, Any] = {}
        self.open_module: Callable[[], Any]
        self.cachePath = ""
        self.window: QtWidgets.QMainWindow | None = QtWidgets.QMainWindow()
        self._first = self.window  # keys belong to it, also where another one takes its place
        self._headless = headless  # its logics watch the scene as long as they live
        self._startup: list[Callable[[], None]] = []
        self._layouts = qSlicerLayoutManager(headless.applicationLogic)

    def applicationLogic(self) -> Any:
        return self._headless.applicationLogic

    def layoutManager(self) -> qSlicerLayoutManager | None:
        return None if self.window is None else self._layouts

    def use_main_window(self, *, used: bool) -> None:
        """As Slicer starts by itself, or with --no-main-window: then the scene has no layout and no views."""
        if used == (self.window is not None):
            return
        self.window = QtWidgets.QMainWindow() if used else None
        self._headless._layoutLogic.SetMRMLScene(self._headless.scene if used else None)
        if not used:
            _remove_views(self._headless.scene)

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


class qSlicerLayoutManager(QObject):
    """Fits views, and does to new ones what Slicer does."""

    def __init__(self, logic: Any) -> None:
        super().__init__()
        self._logic = logic
        self._plot: qMRMLPlotWidget | None = None
        self._views = {node.GetID() for node in self._slice_nodes()}
        scene = logic.GetMRMLScene()
        for event in (scene.NodeAddedEvent, scene.NodeRemovedEvent):
            scene.AddObserver(event, lambda *_: self._reset_new_views())

    def plotWidget(self, _index: int) -> qMRMLPlotWidget | None:
        """There is none before a window has a plot view."""
        return self._plot

    def use_chart(self, chart: Any) -> None:
        """The vtkChartXY of a window's plot view."""
        self._plot = qMRMLPlotWidget(chart)

    def resetSliceViews(self) -> None:
        """Zooms all slice views so that the whole background is seen."""
        logics = self._logic.GetSliceLogics()
        for logic in (logics.GetItemAsObject(index) for index in range(logics.GetNumberOfItems())):
            logic.FitSliceToBackground()
            logic.SnapSliceOffsetToIJK()

    def resetThreeDViews(self) -> None:
        """The host has no 3D views; tests draw them with VTK."""

    def _slice_nodes(self) -> list[Any]:
        return _nodes(self._logic.GetMRMLScene(), "vtkMRMLSliceNode")

    def _reset_new_views(self) -> None:
        """As in Slicer, the first event loop after a new slice view appears sets its offset to 0."""
        known, self._views = self._views, {node.GetID() for node in self._slice_nodes()}
        if new := self._views - known:
            QTimer.singleShot(
                0, lambda: [node.SetSliceOffset(0) for node in self._slice_nodes() if node.GetID() in new]
            )


class qMRMLPlotWidget:
    """The plot widget with its view, as far as the extension asks for its chart."""

    def __init__(self, chart: Any) -> None:
        self._chart = chart

    def plotView(self) -> qMRMLPlotWidget:
        return self

    def chart(self) -> Any:
        return self._chart


class Module:
    """slicer.modules.<name>"""

    def __init__(self, logic: Any) -> None:
        self._logic = logic

    def logic(self) -> Any:
        return self._logic


def _remove_views(scene: Any) -> None:
    for name in _VIEW_CLASSES:
        for node in _nodes(scene, name):
            scene.RemoveNode(node)


def _nodes(scene: Any, class_name: str) -> list[Any]:
    nodes = scene.GetNodesByClass(class_name)
    nodes.UnRegister(None)
    return list(nodes)
