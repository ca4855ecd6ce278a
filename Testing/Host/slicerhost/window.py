"""The host's main window: the panel on the left, real slice views on the right, and the curves below them."""

from __future__ import annotations

from typing import Any

import slicer
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QImage, QPixmap, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QMainWindow, QScrollArea, QSizePolicy, QSplitter, QWidget

from slicerhost.curves import Curves

STANDARD = {"Red": "Axial", "Yellow": "Sagittal", "Green": "Coronal"}
REDRAW_MILLISECONDS = 150
PIXELS = 480


class SliceView(QLabel):
    """Shows one slice node, drawn by Slicer's own slice logic; the wheel moves through the slices."""

    def __init__(self, name: str, orientation: str) -> None:
        from NoisyLabelSegLib.scene.offscreen import OffscreenView

        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setStyleSheet("background: black")
        self._view = OffscreenView(slicer.mrmlScene, slicer.app.applicationLogic(), name, (PIXELS, PIXELS))
        if orientation:
            self._view.node.SetOrientation(orientation)
        self._pixmap = QPixmap()

    def draw(self) -> None:
        picture = self._view.picture()
        height, width, _ = picture.shape
        image = QImage(picture.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888)
        self._pixmap = QPixmap.fromImage(image)
        self._fit()

    def close_view(self) -> None:
        self._view.close()

    def resizeEvent(self, _event: QResizeEvent) -> None:
        self._fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        node, logic = self._view.node, self._view.logic
        step = logic.GetLowestVolumeSliceSpacing()[2] * (1 if event.angleDelta().y() > 0 else -1)
        node.SetSliceOffset(node.GetSliceOffset() + step)

    def _fit(self) -> None:
        if not self._pixmap.isNull():
            size = self.size() * self.devicePixelRatio()
            mode = Qt.TransformationMode.SmoothTransformation
            fitted = self._pixmap.scaled(size, Qt.AspectRatioMode.KeepAspectRatio, mode)
            fitted.setDevicePixelRatio(self.devicePixelRatio())
            self.setPixmap(fitted)


class ViewArea(QWidget):
    """The views that the scene's layout node asks for: the three standard ones, or one per annotator."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(2)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setStyleSheet("background: #404040")  # cells without a view are no part of the panel
        self._views: dict[str, SliceView] = {}
        self._curves = Curves()
        self._stamp = -1
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.redraw)
        self._timer.start(REDRAW_MILLISECONDS)

    def redraw(self) -> None:
        """Draws what has changed since the last time."""
        stamp = max((node.GetMTime() for node in slicer.mrmlScene.GetNodes()), default=0)
        if stamp == self._stamp:
            return
        self._arrange()
        self._curves.update()
        for view in self._views.values():
            view.draw()
        self._stamp = max((node.GetMTime() for node in slicer.mrmlScene.GetNodes()), default=0)

    def _arrange(self) -> None:
        from NoisyLabelSegLib.scene.layout import columnsFor

        wanted = self._names()
        if list(self._views) == wanted:
            return
        for view in self._views.values():
            self._grid.removeWidget(view)
            view.close_view()
            view.deleteLater()
        self._views = {name: SliceView(name, STANDARD.get(name, "")) for name in wanted}
        slicer.app.resetSliceViews()
        cells: list[QWidget] = [*self._views.values(), *([self._curves] if wanted == list(STANDARD) else [])]
        self._curves.setVisible(self._curves in cells)
        columns = columnsFor(len(cells))
        for place, cell in enumerate(cells):
            self._grid.addWidget(cell, place // columns, place % columns)

    def _names(self) -> list[str]:
        from NoisyLabelSegLib.scene.layout import LAYOUT_ID, viewName

        layout = slicer.mrmlScene.GetFirstNodeByClass("vtkMRMLLayoutNode")
        if layout is None or layout.GetViewArrangement() != LAYOUT_ID:
            return list(STANDARD)
        count = layout.GetCurrentLayoutDescription().count("singletontag")
        return [viewName(index) for index in range(count)]


class Window(QMainWindow):
    """What people without Slicer see after `make panel`."""

    def __init__(self, panel: Any) -> None:
        super().__init__()
        self.setWindowTitle("NoisyLabelSeg (host)")
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(panel.parent)
        self.views = ViewArea()
        splitter = QSplitter()
        splitter.addWidget(scroll)
        splitter.addWidget(self.views)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([500, 860])
        self.setCentralWidget(splitter)
        self.scroll = scroll
        self.resize(1360, 900)
