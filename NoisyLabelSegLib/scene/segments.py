"""Fills segmentation nodes from label arrays: one segment per class, all in one shared labelmap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import slicer
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.metrics.components import busy_box
from NoisyLabelSegLib.scene.arrays import Node, imageFromArray
from NoisyLabelSegLib.scene.colors import RGB
from NoisyLabelSegLib.scene.placing import ijkToRas, inThreeDimensions, orientedImage

_ID_PREFIX = "class"
_NOTE = "NoisyLabelSeg"
BINARY_LABELMAP = slicer.vtkSegmentationConverter.GetSegmentationBinaryLabelmapRepresentationName()


def fillSegmentation(
    node: Node, labels: NDArray[np.uint8], geometry: Geometry, names: Sequence[str], colors: Sequence[RGB]
) -> None:
    """Puts labels (*shape) into a segmentation node; `names` and `colors` are those of the classes 1 and up.

    Segments that are there already keep what people set on them: visibility, opacity, status.
    """
    image = _labelmap(labels.reshape(inThreeDimensions(geometry).shape), geometry)
    setReferenceGeometry(node, geometry)
    segmentation = node.GetSegmentation()
    for label, (name, color) in enumerate(zip(names, colors, strict=True), start=1):
        segment = segmentation.GetSegment(_segmentId(label))
        isNew = segment is None
        if isNew:
            segment = slicer.vtkSegment()
            segment.SetColor(*color)
        segment.RemoveAllRepresentations()
        segment.SetName(name)
        segment.SetLabelValue(label)
        segment.AddRepresentation(BINARY_LABELMAP, image)
        if isNew:
            segmentation.AddSegment(segment, _segmentId(label))
    for id in segmentation.GetSegmentIDs():
        if _isBeyond(id, len(names)):
            segmentation.RemoveSegment(id)


def setReferenceGeometry(node: Node, geometry: Geometry) -> None:
    """Tells a segmentation node the grid on which its segments are exported and edited."""
    geometry = inThreeDimensions(geometry)
    z, y, x = geometry.shape
    serialized = slicer.vtkSegmentationConverter.SerializeImageGeometry(
        ijkToRas(geometry), [0, x - 1, 0, y - 1, 0, z - 1]
    )
    node.GetSegmentation().SetConversionParameter(
        slicer.vtkSegmentationConverter.GetReferenceImageGeometryParameterName(), serialized
    )


def noteInSegments(node: Node, note: str) -> None:
    """Keeps in every segment how it came about; the tag is saved with .seg.nrrd files."""
    for id in node.GetSegmentation().GetSegmentIDs():
        node.GetSegmentation().GetSegment(id).SetTag(_NOTE, note.replace("|", "/").replace(":", ""))


def showSurface(node: Node, *, visible: bool = True) -> None:
    """Makes (or hides) the 3D surface of a segmentation; it is not made before someone asks for it."""
    if visible:
        node.CreateClosedSurfaceRepresentation()
    node.GetDisplayNode().SetVisibility3D(visible)


def showAsOutline(node: Node, *, thickness: int = 2) -> None:
    """Lines instead of fills, so that the image and the error map below stay visible."""
    node.CreateDefaultDisplayNodes()
    display = node.GetDisplayNode()
    display.SetVisibility2DFill(False)
    display.SetVisibility2DOutline(True)
    display.SetSliceIntersectionThickness(thickness)


def _segmentId(label: int) -> str:
    return f"{_ID_PREFIX}{label}"


def _isBeyond(id: str, classes: int) -> bool:
    """Whether a segment of ours is left over from labels with more classes."""
    number = id.removeprefix(_ID_PREFIX)
    return id.startswith(_ID_PREFIX) and number.isdigit() and int(number) > classes


def _labelmap(labels: NDArray[np.uint8], geometry: Geometry) -> Node:
    """The box around the labels as an oriented image; one empty voxel where there are none."""
    box = busy_box([labels], labels.shape)
    image = imageFromArray(labels[box])
    extent = [bound for part in reversed(box) for bound in (part.start, part.stop - 1)]
    image.SetExtent(*extent)
    return orientedImage(image, ijkToRas(geometry))
