"""Fills volume nodes: error maps as labelmaps, probabilities as heat maps, the truth with its confidence as opacity."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.scene.arrays import Node, arrayOf, imageFromArray, imageInSteps
from NoisyLabelSegLib.scene.colors import CONFIDENCE, RAMP_STEPS, addLegend, rampColors
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.nodes import PREFIX, Role
from NoisyLabelSegLib.scene.placing import geometryOf, ijkToRas

LABELMAP, SCALAR, VECTOR = "vtkMRMLLabelMapVolumeNode", "vtkMRMLScalarVolumeNode", "vtkMRMLVectorVolumeNode"
HIDDEN_BELOW = 0.05
"""Probabilities below this are not drawn, so that the image shows through where nothing is likely."""
MANY_VOXELS = 16_000_000
"""From here on Slicer's own search for the window of a scan keeps people waiting."""
_WINDOW = PREFIX + "window"
"""The attribute of a volume with the window and level that were chosen here, which stay until people choose others."""
_SAMPLED_PLACES = 64
_WINDOW_PERCENTILES = (0.1, 99.9)
"""Those that Slicer uses."""


def fillVolume(node: Node, array: NDArray[Any], geometry: Geometry) -> None:
    """Puts an array (*shape) or (C, *shape) into a volume node, on this grid."""
    if geometry.dimension == 2:
        array = array.reshape(*array.shape[:-2], 1, *array.shape[-2:])
    node.SetIJKToRASMatrix(ijkToRas(geometry))
    node.SetAndObserveImageData(imageFromArray(array))
    node.CreateDefaultDisplayNodes()


def chooseWindow(node: Node, array: NDArray[Any]) -> None:
    """Sets the gray window of a scan (z, y, x) by a sample of its voxels; Slicer would look at all of them at once."""
    node.CreateDefaultDisplayNodes()
    low, high = np.percentile(sampled(array), _WINDOW_PERCENTILES)
    display = node.GetDisplayNode()
    display.AutoWindowLevelOff()
    display.SetWindowLevelMinMax(float(low), float(max(high, low + 1e-6)))
    node.SetAttribute(_WINDOW, _windowOf(display))


def hasChosenWindow(node: Node) -> bool:
    """Whether people have chosen the gray window, instead of Slicer or chooseWindow()."""
    display = node.GetDisplayNode()
    isAutomatic = display.GetAutoWindowLevel() or node.GetAttribute(_WINDOW) == _windowOf(display)
    return not isAutomatic


def _windowOf(display: Node) -> str:
    return f"{display.GetWindow():.6g} {display.GetLevel():.6g}"


def sampled(array: NDArray[Any]) -> NDArray[Any]:
    """Some of the voxels, from all over an image (*shape)."""
    return array[tuple(slice(None, None, max(1, length // _SAMPLED_PLACES)) for length in array.shape)]


def attachImage(node: Node, image: Node, geometry: Geometry) -> None:
    """Gives a volume node that knows its colors an image (z, y, x) on this grid; no voxel is looked at."""
    node.SetIJKToRASMatrix(ijkToRas(geometry))
    node.SetAndObserveImageData(image)


def showAsHeatMap(node: Node, colors: Node, *, highest: float = 1.0) -> None:
    """Colors a volume of values between 0 and the highest."""
    node.CreateDefaultDisplayNodes()  # before it has an image, else Slicer looks for the window of all voxels
    display = node.GetDisplayNode()
    display.SetAndObserveColorNodeID(colors.GetID())
    display.AutoWindowLevelOff()
    display.SetWindowLevelMinMax(0.0, highest)
    display.AutoThresholdOff()
    display.SetThreshold(HIDDEN_BELOW, highest)
    display.ApplyThresholdOn()


def showAsCodes(node: Node, colors: Node) -> None:
    """Colors a labelmap of error codes."""
    node.CreateDefaultDisplayNodes()
    node.GetDisplayNode().SetAndObserveColorNodeID(colors.GetID())


def makingConfidenceOverlay(folder: CaseFolder) -> Generator[str, None, Node]:
    """A labelmap of the probability in 256 grades: of all volumes only labelmaps are drawn with graded opacity."""
    probability = folder.find(Role.PROBABILITY)
    if probability is None:
        raise UserError(f"Case {folder.case} has no probabilities", remedy="estimate the truth first")
    values = arrayOf(probability)
    image = yield from imageInSteps(values.shape, np.uint8, lambda few: np.rint(values[few] * (RAMP_STEPS - 1)))
    node = folder.put(LABELMAP, Role.CONFIDENCE, f"{folder.case} confidence")
    showAsCodes(node, rampColors(folder.scene, CONFIDENCE))
    attachImage(node, image, geometryOf(probability))
    addLegend(node, "How sure (%)", numbers="%12.0f")
    return node
