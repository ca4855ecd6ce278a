"""What VTK renders off-screen, in a Qt label that is as large as its place."""

from __future__ import annotations

from typing import Any

import vtk
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QLabel, QSizePolicy
from vtk.util import numpy_support


class RenderedLabel(QLabel):
    """Shows a render window, which has the size that the label has on the screen."""

    def __init__(self, window: Any) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setStyleSheet("background: black")
        self._window = window

    def draw(self) -> None:
        size = self.size() * self.devicePixelRatio()
        width, height = max(size.width(), 1), max(size.height(), 1)
        self._window.SetSize(width, height)
        self._window.Render()
        pixels = vtk.vtkUnsignedCharArray()
        self._window.GetPixelData(0, 0, width - 1, height - 1, 0, pixels, 0)
        rows = numpy_support.vtk_to_numpy(pixels).reshape(height, width, 3)[::-1].copy()
        pixmap = QPixmap.fromImage(QImage(rows.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888))
        pixmap.setDevicePixelRatio(self.devicePixelRatio())
        self.setPixmap(pixmap)
