"""Table nodes from rows and back, and curves as a chart in a plot view."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import slicer
import vtk

from NoisyLabelSegLib.scene.arrays import Node
from NoisyLabelSegLib.scene.colors import annotatorColor, drawable
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.nodes import Role, Tag, removeNodes

Row = Mapping[str, Any]
_ROOM_FOR_LEGEND = 1.4
"""The part of the x axis that points take is 1 of this."""
_LEGEND_LETTERS, _TICK_LETTERS, _MOST_TICKS = 24, 14, 12


def fillTable(node: Node, rows: Sequence[Row]) -> None:
    """Replaces the columns of a table node: numbers as numbers (missing ones as NaN), everything else as text."""
    modified = node.StartModify()
    node.RemoveAllColumns()
    for name in dict.fromkeys(name for row in rows for name in row):
        values = [row.get(name) for row in rows]
        node.AddColumn(_numbers(name, values) if _areNumbers(values) else _texts(name, values))
    node.SetUseColumnTitleAsColumnHeader(True)
    node.SetLocked(True)
    node.EndModify(modified)


def rowsOf(node: Node) -> list[dict[str, Any]]:
    """The rows of a table node; a number that does not exist is None."""
    table = node.GetTable()
    columns = [table.GetColumn(index) for index in range(table.GetNumberOfColumns())]
    return [{column.GetName(): _value(column, row) for column in columns} for row in range(table.GetNumberOfRows())]


@dataclass(frozen=True)
class Axes:
    """What a chart says about its axes: their titles with units, how far the x axis goes, and names of curves."""

    x: str = ""
    y: str = ""
    last: float | None = None
    """The end of the x axis, which then begins at 0; None where it follows the curves."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The words for curves in the legend, where the table has other names."""


def showCurves(
    folder: CaseFolder,
    title: str,
    x: tuple[str, Sequence[float]],
    curves: Mapping[str, Sequence[float | None]],
    axes: Axes | None = None,
) -> Node:
    """The chart node of curves over a common x axis (its name and values); the same title updates the same chart."""
    axes = axes or Axes()
    rows = [dict(zip([x[0], *curves], values, strict=True)) for values in zip(x[1], *curves.values(), strict=True)]
    chart = _chart(folder, title, x[0], rows, list(curves), axes.names)
    chart.SetXAxisTitle(axes.x or x[0])
    chart.SetYAxisTitle(axes.y)
    chart.SetXAxisRangeAuto(axes.last is None)
    if axes.last is not None:
        chart.SetXAxisRange(0.0, axes.last)
    return chart


def showPoints(
    folder: CaseFolder, title: str, x: tuple[str, Sequence[str]], points: Mapping[str, Sequence[float | None]]
) -> Node:
    """The chart node of points from 0 to 1 at named places (what they are and their names), without lines between."""
    place, names = x
    number, count = f"{place} number", len(names)
    rows = [
        {place: name, number: float(n), **{who: values[n - 1] for who, values in points.items()}}
        for n, name in enumerate(names, 1)
    ]
    chart = _chart(folder, title, number, rows, list(points))
    for index in range(chart.GetNumberOfPlotSeriesNodes()):
        series = chart.GetNthPlotSeriesNode(index)
        series.SetLineStyle(slicer.vtkMRMLPlotSeriesNode.LineStyleNone)
        series.SetMarkerStyle(slicer.vtkMRMLPlotSeriesNode.MarkerStyleCircle)
        series.SetLabelColumnName(place)
    chart.SetXAxisTitle(place)
    chart.SetYAxisTitle("Dice")
    chart.SetXAxisRangeAuto(False)
    chart.SetXAxisRange(0.5, 0.5 + _ROOM_FOR_LEGEND * count)  # the legend stands at the right
    chart.SetYAxisRangeAuto(False)
    chart.SetYAxisRange(0.0, 1.0)
    return chart


def nameTicks(chart: Node, names: Sequence[str]) -> None:
    """Lets the x axis of a vtkChartXY have these names at 1, 2, 3, ...; none brings the numbers back."""
    axis = chart.GetAxis(vtk.vtkAxis.BOTTOM)
    if not names:
        axis.SetCustomTickPositions(None, None)
        return
    places, words = vtk.vtkDoubleArray(), vtk.vtkStringArray()
    every = -(-len(names) // _MOST_TICKS)
    for number, name in list(enumerate(names, 1))[::every]:
        places.InsertNextValue(number)
        words.InsertNextValue(drawable(name, _TICK_LETTERS, otherwise=str(number)))
    axis.SetCustomTickPositions(places, words)


def _chart(
    folder: CaseFolder,
    title: str,
    x: str,
    rows: Sequence[Row],
    names: Sequence[str],
    words: Mapping[str, str] | None = None,
) -> Node:
    table = folder.put("vtkMRMLTableNode", Role.CURVES, title, label=title)
    fillTable(table, rows)
    chart = folder.put("vtkMRMLPlotChartNode", Role.CHART, f"{title} chart", label=title)
    chart.SetTitle(title)
    chart.SetXAxisTitle(x)
    chart.RemoveAllPlotSeriesNodeIDs()
    for index, name in enumerate(names):
        series = folder.put("vtkMRMLPlotSeriesNode", Role.CURVE, name, label=f"{title}/{name}")
        short = drawable(name, _LEGEND_LETTERS, otherwise=f"Annotator {index + 1}")
        series.SetName((words or {}).get(name, short))
        series.SetAndObserveTableNodeID(table.GetID())
        series.SetXColumnName(x)
        series.SetYColumnName(name)
        series.SetPlotType(slicer.vtkMRMLPlotSeriesNode.PlotTypeScatter)  # lines between points that have an x
        series.SetColor(*annotatorColor(index))
        chart.AddAndObservePlotSeriesNodeID(series.GetID())
    _forgetOthers(folder, title, chart)
    return chart


def _areNumbers(values: Sequence[Any]) -> bool:
    return all(value is None or isinstance(value, (int, float)) for value in values)


def _numbers(name: str, values: Sequence[Any]) -> Node:
    whole = all(isinstance(value, int) for value in values)
    column = vtk.vtkIntArray() if whole else vtk.vtkDoubleArray()
    column.SetName(name)
    for value in values:
        column.InsertNextValue(math.nan if value is None else value)
    return column


def _texts(name: str, values: Sequence[Any]) -> Node:
    column = vtk.vtkStringArray()
    column.SetName(name)
    for value in values:
        column.InsertNextValue("" if value is None else str(value))
    return column


def _value(column: Node, row: int) -> Any:
    value = column.GetValue(row)
    return None if isinstance(value, float) and math.isnan(value) else value


def _forgetOthers(folder: CaseFolder, title: str, chart: Node) -> None:
    """Removes the series of this chart that it no longer shows."""
    shown = {chart.GetNthPlotSeriesNodeID(index) for index in range(chart.GetNumberOfPlotSeriesNodes())}
    tags = {node: Tag.read(node) for node in folder.nodes(Role.CURVE)}
    ours = [node for node, tag in tags.items() if tag is not None and tag.label.startswith(f"{title}/")]
    removeNodes(folder.scene, [node for node in ours if node.GetID() not in shown])
