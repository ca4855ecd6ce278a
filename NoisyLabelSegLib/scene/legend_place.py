"""Keeps the legends of the slice views away from what they explain: into a free corner, or out of the view."""

from __future__ import annotations

from typing import Any

import numpy as np
import slicer
import vtk
from numpy.typing import NDArray

from NoisyLabelSegLib.scene.arrays import Node, arrayOf
from NoisyLabelSegLib.scene.colors import fitLegend
from NoisyLabelSegLib.scene.layout import nodesOfClass
from NoisyLabelSegLib.scene.nodes import PREFIX
from NoisyLabelSegLib.scene.placing import arrayFromMatrix, geometryOf, ijkToRas
from NoisyLabelSegLib.scene.volumes import HIDDEN_BELOW
from NoisyLabelSegLib.signals import Signal

CORNERS = ((0.94, 0.03), (0.94, 0.9), (0.04, 0.03), (0.04, 0.9))
"""Where a legend may stand, the best first: lower right, upper right, lower left, upper left."""
_EDGE, _TITLE = 0.11, 0.09
"""Shares of a view: what the distance from the edge adds to the width of a legend, and its title to its height."""
_SAMPLES = 48
_HIDDEN = PREFIX + "hiddenLegend"
"""The attribute of a legend that is out of its view because no corner is free."""


class LegendPlacer:
    """`hidden` tells, after every placing, whether a legend had to leave its view (the volume node), or None."""

    def __init__(self, scene: Node) -> None:
        self.hidden: Signal[Any] = Signal()
        self._scene = scene
        self._observers: list[tuple[Node, int]] = []

    def follow(self) -> None:
        """Places the legends now, and again whenever a slice view moves."""
        self.stop()
        for node in nodesOfClass(self._scene, "vtkMRMLSliceNode"):
            self._observers.append((node, node.AddObserver(vtk.vtkCommand.ModifiedEvent, self._onMoved)))
        self.place()

    def stop(self) -> None:
        for node, tag in self._observers:
            node.RemoveObserver(tag)
        self._observers = []

    def place(self) -> None:
        """Moves every legend that is shown in one view into a corner that is free of what it explains."""
        outside = None
        for legend in nodesOfClass(self._scene, "vtkMRMLColorLegendDisplayNode"):
            volume = legend.GetDisplayableNode()
            isWanted = bool(legend.GetVisibility() or legend.GetAttribute(_HIDDEN)) and legend.GetNumberOfViewNodeIDs()
            view = self._scene.GetNodeByID(legend.GetNthViewNodeID(0)) if isWanted else None
            if view is None or volume is None or not view.IsA("vtkMRMLSliceNode"):
                continue
            columns, rows, _ = view.GetDimensions()
            width, height = fitLegend(legend, max(columns, 1), max(rows, 1))
            corner = freeCorner(view, volume, height + _TITLE, width + _EDGE)
            legend.SetAttribute(_HIDDEN, None if corner else "yes")
            legend.SetVisibility(corner is not None)
            if corner is not None and tuple(legend.GetPosition()) != corner:
                legend.SetPosition(*corner)
            outside = volume if corner is None else outside
        self.hidden.emit(outside)

    def _onMoved(self, _caller: Any, _event: str) -> None:
        if not self._scene.IsBatchProcessing():
            self.place()


def isLegendHidden(legend: Node) -> bool:
    """Whether a legend is out of its view because it would cover what it explains."""
    return bool(legend.GetAttribute(_HIDDEN))


def freeCorner(sliceNode: Node, volume: Node, height: float = 0.34, width: float = 0.26) -> tuple[float, float] | None:
    """The first corner of a view where the volume shows nothing in the current slice; None where there is none.

    `height` and `width` are the shares of the view that have to be free.
    """
    if volume.GetImageData() is None:
        return CORNERS[0]
    toIjk = _xyToIjk(sliceNode, volume)
    columns, rows, _ = sliceNode.GetDimensions()
    values = arrayOf(volume)
    least = HIDDEN_BELOW if values.dtype.kind == "f" else 0
    for corner in CORNERS:
        if not (_seen(values, toIjk, _points(corner, (width, height), columns, rows)) > least).any():
            return corner
    return None


def _points(corner: tuple[float, float], size: tuple[float, float], columns: int, rows: int) -> NDArray[np.float64]:
    """Pixels (4, N) of a corner of a view, whose y points upwards."""
    width, height = size
    left = 1 - width if corner[0] > 0.5 else 0.0
    bottom = 1 - height if corner[1] > 0.5 else 0.0
    x = (left + width * np.linspace(0, 1, _SAMPLES)) * (columns - 1)
    y = (bottom + height * np.linspace(0, 1, _SAMPLES)) * (rows - 1)
    xs, ys = np.meshgrid(x, y)
    return np.stack([xs.ravel(), ys.ravel(), np.zeros(xs.size), np.ones(xs.size)])


def _xyToIjk(sliceNode: Node, volume: Node) -> NDArray[np.float64]:
    """From pixels of a view to voxels of a volume; a transform that is not linear counts as none."""
    matrix = vtk.vtkMatrix4x4()
    slicer.vtkMRMLTransformNode.GetMatrixTransformBetweenNodes(None, volume.GetParentTransformNode(), matrix)
    toVolume = np.linalg.inv(arrayFromMatrix(ijkToRas(geometryOf(volume)))) @ arrayFromMatrix(matrix)
    return np.asarray(toVolume @ arrayFromMatrix(sliceNode.GetXYToRAS()))


def _seen(values: NDArray[Any], toIjk: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[Any]:
    """The voxels of the volume (z, y, x) that pixels of a view show; none where there is no volume."""
    i, j, k = np.rint((toIjk @ points)[:3]).astype(np.int64)
    z, y, x = values.shape
    inside = (i >= 0) & (i < x) & (j >= 0) & (j < y) & (k >= 0) & (k < z)
    return np.asarray(values[k[inside], j[inside], i[inside]])
