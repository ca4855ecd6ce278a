"""Agreement of readers as a table node and plot nodes, from the same figures as the files of `agree`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import slicer

from NoisyLabelSegLib.agreement.plots import GRAY, Axes, Cell, Dot, Stroke, color
from NoisyLabelSegLib.scene.arrays import Node
from NoisyLabelSegLib.scene.colors import drawable
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.nodes import Role, Tag, removeNodes
from NoisyLabelSegLib.scene.tables import fillTable

FOLDER, TABLE = "Agreement", "Agreement of readers"
_LEGEND_LETTERS = 24
_X = "x"
_Curve = list[tuple[float, float]]


def showAgreementTable(scene: Node, rows: Sequence[Mapping[str, Any]]) -> Node:
    """The table node of a study's agreement, one row per comparison."""
    node = CaseFolder(scene, FOLDER).put("vtkMRMLTableNode", Role.STATISTICS, TABLE, label=TABLE)
    fillTable(node, rows)
    return node


def canBePlotted(axes: Axes) -> bool:
    """Whether a plot view can draw it: squares of a heat map it cannot."""
    return not any(isinstance(mark, Cell) for mark in axes.marks)


def showAxes(scene: Node, axes: Axes) -> Node:
    """The chart node of one pair of axes; it takes the place of the one that was shown before."""
    folder = CaseFolder(scene, FOLDER)
    removeNodes(scene, _owned(folder))
    chart = folder.put("vtkMRMLPlotChartNode", Role.CHART, f"{axes.title} chart", label=FOLDER)
    chart.SetTitle(_plain(axes.title, len(axes.title), otherwise=FOLDER))
    chart.SetXAxisTitle(axes.x_label)
    chart.SetYAxisTitle(axes.y_label)
    for setAuto, setRange, (low, high) in (
        (chart.SetXAxisRangeAuto, chart.SetXAxisRange, axes.x_range),
        (chart.SetYAxisRangeAuto, chart.SetYAxisRange, axes.y_range),
    ):
        setAuto(False)
        setRange(low, high)
    chart.RemoveAllPlotSeriesNodeIDs()
    for number, (name, place, points, isLine, isDashed) in enumerate(_curves(axes)):
        series = _series(folder, number, name, points)
        series.SetColor(*_rgb(place))
        solid, dashed, none = (getattr(slicer.vtkMRMLPlotSeriesNode, f"LineStyle{kind}") for kind in _LINES)
        series.SetLineStyle((dashed if isDashed else solid) if isLine else none)
        kind = "None" if isLine else "Circle"
        series.SetMarkerStyle(getattr(slicer.vtkMRMLPlotSeriesNode, f"MarkerStyle{kind}"))
        chart.AddAndObservePlotSeriesNodeID(series.GetID())
    return chart


_LINES = ("Solid", "Dash", "None")


def _curves(axes: Axes) -> Iterable[tuple[str, int, _Curve, bool, bool]]:
    """Name, color, points, whether they are joined and whether by dashes; lines come before points."""
    legend = {number: name for name, number in axes.legend}
    rows = {round(position): name for position, name in axes.y_ticks if not _isNumber(name)}
    segments = [mark for mark in axes.marks if isinstance(mark, Stroke)]
    for place, isDashed in dict.fromkeys((mark.color, mark.dashed) for mark in segments):
        chosen = [mark for mark in segments if (mark.color, mark.dashed) == (place, isDashed)]
        plain = "mean" if place == GRAY and not rows else "interval"
        name = legend.get(place, "95 % limits" if isDashed else plain)
        yield name, place, _joined(chosen), True, isDashed
    groups: dict[tuple[int, int], _Curve] = {}
    for mark in axes.marks:
        if isinstance(mark, Dot):
            groups.setdefault((mark.color, round(mark.y) if rows else 0), []).append((mark.x, mark.y))
    for (place, row), points in groups.items():
        yield legend.get(place, rows.get(row, axes.title)), place, points, False, False


def _joined(segments: Sequence[Stroke]) -> _Curve:
    """The ends of segments, with a gap between those that do not touch."""
    points: _Curve = []
    for segment in segments:
        if points and points[-1] != (segment.x1, segment.y1):
            points.append((math.nan, math.nan))
        if not points or points[-1] != (segment.x1, segment.y1):
            points.append((segment.x1, segment.y1))
        points.append((segment.x2, segment.y2))
    return points


def _isNumber(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _series(folder: CaseFolder, number: int, name: str, points: _Curve) -> Node:
    label = f"{FOLDER}/{number}"
    table = folder.put("vtkMRMLTableNode", Role.CURVES, f"{FOLDER} {name}", label=label)
    yColumn = name if name != _X else f"{name} values"
    points = points * 2 if len(points) == 1 else points  # views complain about lines of one point
    fillTable(table, [{_X: x, yColumn: y} for x, y in points])
    series = folder.put("vtkMRMLPlotSeriesNode", Role.CURVE, name, label=label)
    series.SetName(_plain(name, _LEGEND_LETTERS, otherwise=f"Series {number + 1}"))
    series.SetAndObserveTableNodeID(table.GetID())
    series.SetXColumnName(_X)
    series.SetYColumnName(yColumn)
    series.SetPlotType(slicer.vtkMRMLPlotSeriesNode.PlotTypeScatter)
    return series


def _owned(folder: CaseFolder) -> list[Node]:
    """The chart that is shown, its series and their tables."""
    nodes = folder.nodes(Role.CHART, Role.CURVE, Role.CURVES)
    tags = [(node, Tag.read(node)) for node in nodes]
    return [node for node, tag in tags if tag is not None and tag.label.startswith(FOLDER)]


def _plain(text: str, letters: int, *, otherwise: str) -> str:
    """The text in letters that the font of the views has."""
    return drawable(text.replace("–", "-"), letters, otherwise=otherwise)


def _rgb(place: int) -> tuple[float, float, float]:
    text = color(place)
    red, green, blue = (int(text[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return red, green, blue
