"""Curves as a chart in a plot view: one table, a series per column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import slicer

from NoisyLabelSegLib.scene.arrays import Node
from NoisyLabelSegLib.scene.colors import annotatorColor
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.removal import removeNodes
from NoisyLabelSegLib.scene.roles import Role, Tag
from NoisyLabelSegLib.scene.tables import fillTable


def showCurves(
    folder: CaseFolder, title: str, x: tuple[str, Sequence[float]], curves: Mapping[str, Sequence[float | None]]
) -> Node:
    """The chart node of curves over a common x axis (its name and values); the same title updates the same chart."""
    table = folder.put("vtkMRMLTableNode", Role.CURVES, title, label=title)
    names = [x[0], *curves]
    fillTable(table, [dict(zip(names, values, strict=True)) for values in zip(x[1], *curves.values(), strict=True)])
    chart = folder.put("vtkMRMLPlotChartNode", Role.CHART, f"{title} chart", label=title)
    chart.SetTitle(title)
    chart.SetXAxisTitle(x[0])
    chart.RemoveAllPlotSeriesNodeIDs()
    for index, name in enumerate(curves):
        series = folder.put("vtkMRMLPlotSeriesNode", Role.CURVE, name, label=f"{title}/{name}")
        series.SetAndObserveTableNodeID(table.GetID())
        series.SetXColumnName(x[0])
        series.SetYColumnName(name)
        series.SetPlotType(slicer.vtkMRMLPlotSeriesNode.PlotTypeScatter)  # lines between points that have an x
        series.SetColor(*annotatorColor(index))
        chart.AddAndObservePlotSeriesNodeID(series.GetID())
    _forgetOthers(folder, title, chart)
    return chart


def _forgetOthers(folder: CaseFolder, title: str, chart: Node) -> None:
    """Removes the series of this chart that it no longer shows."""
    shown = {chart.GetNthPlotSeriesNodeID(index) for index in range(chart.GetNumberOfPlotSeriesNodes())}
    tags = {node: Tag.read(node) for node in folder.nodes(Role.CURVE)}
    ours = [node for node, tag in tags.items() if tag is not None and tag.label.startswith(f"{title}/")]
    removeNodes(folder.scene, [node for node in ours if node.GetID() not in shown])
