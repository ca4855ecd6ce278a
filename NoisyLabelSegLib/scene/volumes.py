"""Fills volume nodes: error maps as labelmaps, probabilities as heat maps."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.scene.arrays import Node, imageFromArray
from NoisyLabelSegLib.scene.placing import ijkToRas

LABELMAP, SCALAR, VECTOR = "vtkMRMLLabelMapVolumeNode", "vtkMRMLScalarVolumeNode", "vtkMRMLVectorVolumeNode"
HIDDEN_BELOW = 0.05
"""Probabilities below this are not drawn, so that the image shows through where nothing is likely."""


def fillVolume(node: Node, array: NDArray[Any], geometry: Geometry) -> None:
    """Puts an array (*shape) or (C, *shape) into a volume node, on this grid."""
    if geometry.dimension == 2:
        array = array.reshape(*array.shape[:-2], 1, *array.shape[-2:])
    node.SetIJKToRASMatrix(ijkToRas(geometry))
    node.SetAndObserveImageData(imageFromArray(array))
    node.CreateDefaultDisplayNodes()


def showAsHeatMap(node: Node, colors: Node) -> None:
    """Colors a volume of values between 0 and 1."""
    display = node.GetDisplayNode()
    display.SetAndObserveColorNodeID(colors.GetID())
    display.AutoWindowLevelOff()
    display.SetWindowLevelMinMax(0.0, 1.0)
    display.AutoThresholdOff()
    display.SetThreshold(HIDDEN_BELOW, 1.0)
    display.ApplyThresholdOn()


def showAsCodes(node: Node, colors: Node) -> None:
    """Colors a labelmap of error codes."""
    node.GetDisplayNode().SetAndObserveColorNodeID(colors.GetID())
