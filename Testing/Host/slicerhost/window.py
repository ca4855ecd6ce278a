"""The host's main window: the panel, as wide as in Slicer at first, and beside it real slice views and the curves."""

from __future__ import annotations

import re
from typing import Any

import slicer
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QImage, QPixmap, QWheelEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QMainWindow,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from slicerhost.curves import Curves
from slicerhost.rendered import RenderedLabel
from slicerhost.three_d import ThreeD

STANDARD = {"Red": "Axial", "Green": "Coronal", "Yellow": "Sagittal"}
BAR_COLORS = {"Red": "#f34a33", "Green": "#6eb04b", "Yellow": "#edd54c"}
OTHER_BAR_COLOR = "#8a8a8a"
AXES = {"Axial": "S", "Coronal": "A", "Sagittal": "R"}
PANEL_WIDTH, WINDOW_SIZE = 300, (1280, 800)
"""Of Slicer's module panel when it starts for the first time, and of a window as people have it on a small screen."""
REDRAW_MILLISECONDS = 150
PIXELS = 480


class SliceView(QLabel):
    """Shows one slice node, drawn by Slicer's own slice logic; the wheel moves through the slices.

    It is drawn at the size that it has on the screen: the letters of a legend follow the shape of the view.
    """

    def __init__(self, name: str, orientation: str) -> None:
        from NoisyLabelSegLib.scene.offscreen import OffscreenView

        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setStyleSheet("background: black")
        self._view = OffscreenView(slicer.mrmlScene, slicer.app.applicationLogic(), name, (PIXELS, PIXELS))
        if orientation:
            self._view.node.SetOrientation(orientation)

    def draw(self) -> None:
        self._follow_size()
        picture = self._view.picture()
        height, width, _ = picture.shape
        image = QImage(picture.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888)
        pixmap = QPixmap.fromImage(image)
        pixmap.setDevicePixelRatio(self.devicePixelRatio())
        self.setPixmap(pixmap)

    def title(self) -> str:
        """What stands on the bar above: the view's name and where it is."""
        node = self._view.node
        axis = AXES.get(node.GetOrientation(), "")
        return f"{node.GetLayoutLabel() or node.GetLayoutName()}    {axis}: {node.GetSliceOffset():.4f}mm"

    def close_view(self) -> None:
        self._view.close()

    def wheelEvent(self, event: QWheelEvent) -> None:
        node, logic = self._view.node, self._view.logic
        step = logic.GetLowestVolumeSliceSpacing()[2] * (1 if event.angleDelta().y() > 0 else -1)
        node.SetSliceOffset(node.GetSliceOffset() + step)

    def _follow_size(self) -> None:
        size = self.size() * self.devicePixelRatio()
        wanted = (max(size.width(), 1), max(size.height(), 1))
        if tuple(self._view._window.GetSize()) != wanted:
            self._view._window.SetSize(*wanted)
            self._view.logic.ResizeSliceNode(*wanted)


class BarredView(QWidget):
    """A slice view below its bar, which has the color of the view."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.view, self._bar = SliceView(name, STANDARD.get(name, "")), QLabel()
        self._bar.setStyleSheet(f"background: {BAR_COLORS.get(name, OTHER_BAR_COLOR)}; color: black; padding: 1px 4px")
        self._bar.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._bar)
        layout.addWidget(self.view, 1)

    def draw(self) -> None:
        self._bar.setText(self.view.title())
        self.view.draw()


class FourthCell(QStackedWidget):
    """Where Slicer has its 3D view: the newest chart, if there is one, else the surfaces of the scene."""

    def __init__(self) -> None:
        super().__init__()
        self.curves, self._surfaces = Curves(), ThreeD()
        self._empty = QLabel()
        self._empty.setStyleSheet("background: black")
        for view in (self._empty, self._surfaces, self.curves):
            self.addWidget(view)

    def draw(self) -> None:
        self._surfaces.follow()  # a view shows only what comes into the scene while it is there
        shown = self._surfaces if self._surfaces.has_models else self.curves if self.curves.has_chart else self._empty
        self.setCurrentWidget(shown)
        if isinstance(shown, RenderedLabel):
            shown.draw()


class ViewArea(QWidget):
    """The views that the scene's layout node asks for: the three standard ones, or one per annotator."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(2)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setStyleSheet("background: #404040")  # cells without a view are no part of the panel
        self._views: dict[str, BarredView] = {}
        self._fourth = FourthCell()
        slicer.app.layoutManager().use_chart(self._fourth.curves.chart)
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
        self._fourth.draw()
        for view in self._views.values():
            view.draw()
        self._stamp = max((node.GetMTime() for node in slicer.mrmlScene.GetNodes()), default=0)

    def close_views(self) -> None:
        """Lets go of the views; nothing is drawn any more."""
        self._timer.stop()
        for view in self._views.values():
            self._grid.removeWidget(view)
            view.hide()  # it is deleted later
            view.view.close_view()
            view.deleteLater()
        self._views = {}

    def _arrange(self) -> None:
        from NoisyLabelSegLib.scene.layout import columnsFor

        wanted = self._names()
        if list(self._views) == wanted:
            return
        self.close_views()
        self._timer.start(REDRAW_MILLISECONDS)
        self._views = {name: BarredView(name) for name in wanted}
        slicer.app.layoutManager().resetSliceViews()
        cells: list[QWidget] = list(self._views.values())
        if wanted == list(STANDARD):
            cells.insert(1, self._fourth)
        self._fourth.setVisible(self._fourth in cells)
        columns = self._columns() or columnsFor(len(cells))
        for place, cell in enumerate(cells):
            self._grid.addWidget(cell, place // columns, place % columns)
        for line in range(self._grid.columnCount()):  # a grid keeps the lines of earlier layouts
            self._grid.setColumnStretch(line, int(line < columns))
        for line in range(self._grid.rowCount()):
            self._grid.setRowStretch(line, int(line < -(-len(cells) // columns)))
        self._grid.activate()  # so that the first pictures have the right size

    def _names(self) -> list[str]:
        from NoisyLabelSegLib.scene.layout import viewName

        count = self._description().count("singletontag")
        return [viewName(index) for index in range(count)] or list(STANDARD)

    def _columns(self) -> int:
        """How many columns our layout has; 0 for Slicer's own."""
        found = [int(column) for column in re.findall(r'column="(\d+)"', self._description())]
        return max(found, default=-1) + 1

    def _description(self) -> str:
        """Our layout, empty while another one is shown."""
        from NoisyLabelSegLib.scene.layout import LAYOUT_ID

        layout = slicer.mrmlScene.GetFirstNodeByClass("vtkMRMLLayoutNode")
        isOurs = layout is not None and layout.GetViewArrangement() == LAYOUT_ID
        return layout.GetCurrentLayoutDescription() if isOurs else ""


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
        splitter.setSizes([PANEL_WIDTH, WINDOW_SIZE[0] - PANEL_WIDTH])
        self.setCentralWidget(splitter)
        self.scroll = scroll
        self.resize(*WINDOW_SIZE)
