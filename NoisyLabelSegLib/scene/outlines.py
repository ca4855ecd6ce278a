"""What an annotator drew as lines in the views; for labelmaps, which Slicer fills, in a segmentation of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.scene.arrays import Node
from NoisyLabelSegLib.scene.colors import annotatorColor, classColor
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.placing import geometryOf
from NoisyLabelSegLib.scene.segments import fillSegmentation, showAsOutline
from NoisyLabelSegLib.scene.sources import AnnotatorSource, labelsOnGrid


def fillAnnotator(
    node: Node, annotator: str, place: int, labels: NDArray[np.uint8], geometry: Geometry, classes: Sequence[str]
) -> None:
    """Puts labels (*shape) into a segmentation node: in the annotator's color, several classes in those of classes.

    `place` is that of the annotator among all, `classes` are the names, background first.
    """
    if len(classes) == 2:
        fillSegmentation(node, labels, geometry, [annotator], [annotatorColor(place)])
    else:
        colors = [classColor(label) for label in range(1, len(classes))]
        fillSegmentation(node, labels, geometry, classes[1:], colors)


def movedOntoGrid(source: AnnotatorSource, place: int, folder: CaseFolder, classes: Sequence[str]) -> AnnotatorSource:
    """An annotator whose labels are on the image's grid: the same, or a new segmentation node with resampled labels."""
    found = labelsOnGrid(source, folder.image, classes)
    if not found.remarks:
        return source
    node = folder.scene.AddNewNodeByClass("vtkMRMLSegmentationNode", f"{source.node.GetName()} resampled")
    fillAnnotator(node, source.name, place, found.labels, geometryOf(folder.image), classes)
    showAsOutline(node, thickness=1)
    return AnnotatorSource(source.name, node)


def outlineLabelmap(
    folder: CaseFolder,
    annotator: str,
    place: int,
    labels: NDArray[np.uint8],
    geometry: Geometry,
    classes: Sequence[str],
) -> Node:
    """The segmentation node that draws the labels of an annotator whose node is a labelmap; hidden at first."""
    isNew = folder.find(Role.OUTLINE, annotator=annotator) is None
    name = f"{folder.case} outline of {annotator}"
    node = folder.put("vtkMRMLSegmentationNode", Role.OUTLINE, name, annotator=annotator)
    fillAnnotator(node, annotator, place, labels, geometry, classes)
    if isNew:
        showAsOutline(node, thickness=1)
        node.GetDisplayNode().SetVisibility(False)
    return node
