"""Cases whose image is no plain volume: a picture of two dimensions, or none at all, where there are labels only."""

from __future__ import annotations

import numpy as np
import slicer
import vtk

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.scene.arrays import Node
from NoisyLabelSegLib.scene.candidates import findLabels
from NoisyLabelSegLib.scene.nodes import PREFIX
from NoisyLabelSegLib.scene.placing import arrayFromMatrix, geometryFromMatrix, geometryOf, inTwoDimensions
from NoisyLabelSegLib.scene.volumes import SCALAR, fillVolume

_EMPTY, _PICTURE = PREFIX + "empty", PREFIX + "picture"
"""Attributes of a volume node."""
NO_IMAGE_REMARK = "There is no image: the labels are shown over an empty one."


def isEmpty(volume: Node) -> bool:
    """Whether a volume only stands for an image that there is not."""
    return bool(volume.GetAttribute(_EMPTY))


def fillEmpty(volume: Node, geometry: Geometry) -> None:
    """Makes a volume one that stands for an image that there is not, on the grid of the labels."""
    volume.SetAttribute(_EMPTY, "yes")
    rememberPicture(volume, geometry)
    fillVolume(volume, np.zeros(geometry.shape, dtype=np.uint8), geometry)


def rememberPicture(volume: Node, geometry: Geometry) -> None:
    """Keeps with a volume whether the file of its image has two dimensions, which Slicer does not know."""
    if geometry.dimension == 2:
        volume.SetAttribute(_PICTURE, "yes")


def fileGeometry(volume: Node) -> Geometry:
    """The grid that files of a case have: of two dimensions where its image was opened from a picture."""
    geometry = geometryOf(volume)
    return inTwoDimensions(geometry) if volume.GetAttribute(_PICTURE) else geometry


def addEmptyImage(scene: Node) -> Node:
    """A volume for labels that somebody loaded without an image: on the grid of the first of them."""
    labels = findLabels(scene)
    if not labels:
        raise UserError("The scene holds no labelmap or segmentation", remedy="load some, or open the demo case")
    volume = scene.AddNewNodeByClass(SCALAR, scene.GenerateUniqueName("Labels"))
    fillEmpty(volume, _gridOf(labels[0]))
    volume.SetAndObserveTransformNodeID(labels[0].GetTransformNodeID())
    return volume


def _gridOf(node: Node) -> Geometry:
    """The grid of a labelmap, or the one on which a segmentation is edited and exported."""
    if not node.IsA("vtkMRMLSegmentationNode"):
        return geometryOf(node)
    segmentation, converter = node.GetSegmentation(), slicer.vtkSegmentationConverter
    name = converter.GetReferenceImageGeometryParameterName()
    everywhere = segmentation.EXTENT_UNION_OF_SEGMENTS_PADDED
    serialized = segmentation.GetConversionParameter(name)
    serialized = serialized or segmentation.DetermineCommonLabelmapGeometry(everywhere, None)
    matrix, extent = vtk.vtkMatrix4x4(), [0, -1, 0, -1, 0, -1]
    converter.DeserializeImageGeometry(serialized, matrix, extent)
    shape = tuple(extent[2 * axis + 1] - extent[2 * axis] + 1 for axis in (2, 1, 0))
    if not all(shape):
        raise UserError(f"The grid of {node.GetName()} is not known", remedy="load the image that was outlined")
    found = arrayFromMatrix(matrix)
    found[:, 3] = found @ [extent[0], extent[2], extent[4], 1]
    return geometryFromMatrix(found, shape)
