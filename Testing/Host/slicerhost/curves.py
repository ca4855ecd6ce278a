"""A plot view: the newest chart of the scene as VTK draws it, which Slicer's plot view uses, too."""

from __future__ import annotations

from typing import Any

import slicer
import vtk

from slicerhost.rendered import RenderedLabel

_LEFT, _BOTTOM = vtk.vtkAxis.LEFT, vtk.vtkAxis.BOTTOM
_LETTERS = {"title": 14, "axis": 12, "ticks": 11}


class Curves(RenderedLabel):
    def __init__(self) -> None:
        from NoisyLabelSegLib.scene.offscreen import _window

        window, renderer = _window((400, 400))
        super().__init__(window)
        renderer.SetBackground(1.0, 1.0, 1.0)
        self._view = vtk.vtkContextActor()
        self.chart = vtk.vtkChartXY()
        self._view.GetScene().AddItem(self.chart)
        renderer.AddActor(self._view)
        self._view.GetScene().SetRenderer(renderer)

    @property
    def has_chart(self) -> bool:
        return _newest() is not None

    def draw(self) -> None:
        """Reads the chart of the scene anew."""
        node = _newest()
        if node is None:
            return
        self.chart.ClearPlots()
        for index in range(node.GetNumberOfPlotSeriesNodes()):
            _add(self.chart, node.GetNthPlotSeriesNode(index))
        self.chart.SetTitle(node.GetTitle())
        self.chart.GetTitleProperties().SetFontSize(_LETTERS["title"])
        self.chart.SetShowLegend(True)
        _title_axis(self.chart.GetAxis(_BOTTOM), node.GetXAxisTitle(), _range_of(node, "X"))
        _title_axis(self.chart.GetAxis(_LEFT), node.GetYAxisTitle(), _range_of(node, "Y"))
        super().draw()


def _newest() -> Any:
    charts = slicer.mrmlScene.GetNodesByClass("vtkMRMLPlotChartNode")
    charts.UnRegister(None)
    return charts.GetItemAsObject(charts.GetNumberOfItems() - 1) if charts.GetNumberOfItems() else None


def _range_of(chart: Any, axis: str) -> tuple[float, float] | None:
    if getattr(chart, f"Get{axis}AxisRangeAuto")():
        return None
    low, high = getattr(chart, f"Get{axis}AxisRange")()
    return low, high


def _title_axis(axis: Any, title: str, limits: tuple[float, float] | None) -> None:
    axis.SetTitle(title)
    axis.GetTitleProperties().SetFontSize(_LETTERS["axis"])
    axis.GetLabelProperties().SetFontSize(_LETTERS["ticks"])
    axis.SetBehavior(vtk.vtkAxis.AUTO if limits is None else vtk.vtkAxis.FIXED)
    if limits is not None:
        axis.SetRange(*limits)


def _add(chart: Any, series: Any) -> None:
    isLine = series.GetLineStyle() != slicer.vtkMRMLPlotSeriesNode.LineStyleNone
    plot = chart.AddPlot(vtk.vtkChart.LINE if isLine else vtk.vtkChart.POINTS)
    plot.SetInputData(series.GetTableNode().GetTable(), series.GetXColumnName(), series.GetYColumnName())
    plot.SetColorF(*series.GetColor())
    plot.SetLabel(series.GetName())
    plot.SetWidth(2.0)
    if not isLine:
        plot.SetMarkerStyle(vtk.vtkPlotPoints.CIRCLE)
        plot.SetMarkerSize(8.0)
