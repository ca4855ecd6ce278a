"""A plot view in plain Qt: draws the newest chart of the scene, as Slicer's plot view would."""

from __future__ import annotations

import math
from typing import Any

import slicer
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

MARGIN = 44


class Curves(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self._title, self._curves = "", []  # type: ignore[var-annotated]

    def update(self) -> None:
        """Reads the chart anew."""
        charts = slicer.mrmlScene.GetNodesByClass("vtkMRMLPlotChartNode")
        charts.UnRegister(None)
        chart = charts.GetItemAsObject(charts.GetNumberOfItems() - 1) if charts.GetNumberOfItems() else None
        self._title = chart.GetTitle() if chart else ""
        count = chart.GetNumberOfPlotSeriesNodes() if chart else 0
        self._curves = [_curve(chart.GetNthPlotSeriesNode(index)) for index in range(count)]
        super().update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor("white" if self._curves else "black"))
        points = [point for _, _, curve in self._curves for point in curve]
        if not points:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        low, high = (min(y for _, y in points), max(y for _, y in points))
        last = max(max(x for x, _ in points), 2)
        area = QRectF(MARGIN, MARGIN, self.width() - 2 * MARGIN, self.height() - 2 * MARGIN)
        painter.setPen(QColor("black"))
        painter.drawText(self.rect().adjusted(0, 8, 0, 0), Qt.AlignmentFlag.AlignHCenter, self._title)
        painter.drawRect(area)
        painter.drawText(QPointF(4, area.top() + 10), f"{high:.3g}")
        painter.drawText(QPointF(4, area.bottom()), f"{low:.3g}")
        painter.drawText(QPointF(area.right() - 20, area.bottom() + 16), f"{last:.0f}")
        for place, (name, color, curve) in enumerate(self._curves):
            painter.setPen(QPen(QColor.fromRgbF(*color), 2))
            painter.drawPolyline(QPolygonF([_place(point, area, last, low, high) for point in curve]))
            # On the right: what a training plots falls.
            painter.drawText(area.adjusted(0, 6 + 16 * place, -8, 0), Qt.AlignmentFlag.AlignRight, name)


def _curve(series: Any) -> tuple[str, tuple[float, ...], list[tuple[float, float]]]:
    table = series.GetTableNode().GetTable()
    columns = [table.GetColumnByName(name) for name in (series.GetXColumnName(), series.GetYColumnName())]
    pairs = [tuple(column.GetValue(row) for column in columns) for row in range(table.GetNumberOfRows())]
    return series.GetYColumnName(), series.GetColor(), [(x, y) for x, y in pairs if math.isfinite(y)]


def _place(point: tuple[float, float], area: QRectF, last: float, low: float, high: float) -> QPointF:
    x, y = (point[0] - 1) / max(last - 1, 1), (point[1] - low) / ((high - low) or 1)
    return QPointF(area.left() + x * area.width(), area.bottom() - y * area.height())
