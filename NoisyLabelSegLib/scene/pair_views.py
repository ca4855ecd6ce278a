"""Two references side by side in linked views, each with its outline, over a map of where they differ."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.scene.arrays import Node
from NoisyLabelSegLib.scene.colors import addLegend, classColor, errorColors, showLegend
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.layout import viewName
from NoisyLabelSegLib.scene.nodes import Role, removeNodes
from NoisyLabelSegLib.scene.segments import fillSegmentation, showAsOutline
from NoisyLabelSegLib.scene.views import ReviewViews
from NoisyLabelSegLib.scene.volumes import LABELMAP, fillVolume, showAsCodes

_LINE = (1.0, 1.0, 1.0)
"""White: the color of the first class is that of what only the first reference marks."""
DIFFERENCES = "differences"
"""The table of colors in Resources/colors."""


def showPair(
    views: ReviewViews,
    folder: CaseFolder,
    titles: Sequence[str],
    references: Sequence[NDArray[np.uint8]],
    differences: NDArray[np.uint8],
    geometry: Geometry,
    classes: Sequence[str],
) -> None:
    """Shows two references (*shape); `differences` (*shape) has the codes of ReferenceComparison."""
    difference = folder.put(LABELMAP, Role.DIFFERENCE, f"{folder.case} differences")
    fillVolume(difference, differences, geometry)
    showAsCodes(difference, errorColors(folder.scene, DIFFERENCES, wrongClass=len(classes) > 2))
    addLegend(difference, "Differences")
    views.arrangeViews(titles, folder.image, [difference] * len(titles))
    ids = [f"vtkMRMLSliceNode{viewName(place)}" for place in range(len(titles))]
    for place, labels in enumerate(references):
        _outline(folder, place, labels, geometry, classes).GetDisplayNode().SetViewNodeIDs([ids[place]])
    views.keepOutlinesOut(folder)
    showLegend(difference, visible=True, viewIds=ids[:1])
    views.announceLegends()


def forgetPair(folder: CaseFolder) -> None:
    """Takes both references and their differences out of the scene."""
    removeNodes(folder.scene, folder.nodes(Role.REFERENCE, Role.DIFFERENCE))


def _outline(
    folder: CaseFolder, place: int, labels: NDArray[np.uint8], geometry: Geometry, classes: Sequence[str]
) -> Node:
    label = "first" if place == 0 else "second"
    node = folder.put("vtkMRMLSegmentationNode", Role.REFERENCE, f"{folder.case} {label} reference", label=label)
    several = len(classes) > 2
    colors = [classColor(number) if several else _LINE for number in range(1, len(classes))]
    fillSegmentation(node, labels, geometry, classes[1:], colors)
    showAsOutline(node)
    return node
