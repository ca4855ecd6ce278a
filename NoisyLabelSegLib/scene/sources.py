"""What an annotator drew, as a scene holds it, brought onto the grid of a volume."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

import numpy as np
import slicer
import vtk
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.cases.geometry import SAME_GRID_TOLERANCE
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.metrics.components import busy_box
from NoisyLabelSegLib.progress import finished
from NoisyLabelSegLib.scene.arrays import Node, arrayFromImage, arrayOf, labelsFrom
from NoisyLabelSegLib.scene.placing import (
    arrayFromMatrix,
    geometryFromMatrix,
    geometryOf,
    ijkToRas,
    matrixBetween,
    orientedImage,
    transformBetween,
)
from NoisyLabelSegLib.scene.segments import BINARY_LABELMAP, setReferenceGeometry

Labels = NDArray[np.uint8]
Shape = tuple[int, ...]
Box = tuple[slice, ...]


@dataclass(frozen=True)
class AnnotatorSource:
    """An annotator's name and node: a labelmap, a segmentation, or one segment of it (`segmentId`)."""

    name: str
    node: Node
    segmentId: str = ""

    @property
    def segmentIds(self) -> tuple[str, ...]:
        """The segments that are meant; empty for a labelmap."""
        if not self.node.IsA("vtkMRMLSegmentationNode"):
            return ()
        known = tuple(self.node.GetSegmentation().GetSegmentIDs())
        if not self.segmentId:
            return known
        if self.segmentId not in known:
            raise UserError(f"{self.node.GetName()} has no segment {self.segmentId} any more", remedy="choose another")
        return (self.segmentId,)

    @property
    def classNames(self) -> tuple[str, ...]:
        """The names of the segments that are meant."""
        return tuple(self.node.GetSegmentation().GetSegment(id).GetName() for id in self.segmentIds)


def segmentSources(node: Node) -> list[AnnotatorSource]:
    """Every segment of a segmentation node as an annotator, named like the segment."""
    segmentation = node.GetSegmentation()
    return [AnnotatorSource(segmentation.GetSegment(id).GetName(), node, id) for id in segmentation.GetSegmentIDs()]


@dataclass
class OnGrid:
    """Labels (z, y, x) uint8 on a volume's grid; `remarks` are sentences about what had to be done for it."""

    labels: Labels
    remarks: list[str] = field(default_factory=list)
    resampled: bool = False


def labelsOnGrid(source: AnnotatorSource, reference: Node, classes: Sequence[str] = ()) -> OnGrid:
    """What the annotator drew, on the grid of the reference volume; parent transforms of both are taken into account.

    `classes` are the names, background first, by which segments become labels. Without it, or where the annotator has
    a single segment, segments are numbered in their order. The labels of labelmaps stay as they are.
    """
    return finished(readingLabels(source, reference, classes))


def readingLabels(
    source: AnnotatorSource, reference: Node, classes: Sequence[str] = ()
) -> Generator[str, None, OnGrid]:
    """labelsOnGrid() in steps: yields the annotator's name before every segment."""
    yield source.name
    if source.node.IsA("vtkMRMLSegmentationNode"):
        return (yield from _fromSegments(source, reference, classes))
    if source.node.IsA("vtkMRMLVolumeNode"):
        return _fromVolume(source, reference)
    raise UserError(f"{source.node.GetName()} is neither a labelmap nor a segmentation", remedy="choose another node")


def _fromVolume(source: AnnotatorSource, reference: Node) -> OnGrid:
    node = source.node
    array = arrayOf(node)
    if array.ndim == 4:
        raise UserError(
            f"{node.GetName()} has {len(array)} components per voxel, so it holds no labels",
            remedy="choose a labelmap with one value per voxel",
        )
    labels, geometry = labelsFrom(array, node.GetName()), geometryOf(node)
    difference = _difference(geometry, node, reference)
    if not difference:
        return OnGrid(labels.copy())  # the node's own voxels may change while someone works on the labels
    image = orientedImage(node.GetImageData(), ijkToRas(geometry))
    remark = f"{source.name}: resampled onto the image, since {difference}."
    return OnGrid(_resampled(image, node, reference), [remark], resampled=True)


def _fromSegments(source: AnnotatorSource, reference: Node, classes: Sequence[str]) -> Generator[str, None, OnGrid]:
    remarks, overlap = [], 0
    result = np.zeros(tuple(reversed(reference.GetImageData().GetDimensions())), dtype=np.uint8)
    numbers = _numbers(source, classes)
    if not numbers:
        remarks.append(f"{source.name}: the segmentation {source.node.GetName()} has no segments.")
    voxels = _withLabelmaps(source.node, reference)
    for place, id in enumerate(source.segmentIds):
        if place:
            yield source.name
        mask, target = _maskOnGrid(voxels, id, source.node, reference)
        part = result[target]
        overlap += int(np.count_nonzero(mask & (part != 0))) if place else 0
        np.copyto(part, np.uint8(numbers[place]), where=mask)
    if overlap:  # as Slicer's own export does, the later segment wins
        remarks.append(f"{source.name}: segments overlap in {overlap} voxels, where the later segment is kept.")
    return OnGrid(result, remarks)


def _numbers(source: AnnotatorSource, classes: Sequence[str]) -> list[int]:
    """The label of each segment."""
    names, known = source.classNames, [className(each) for each in classes]
    if len(names) == 1 and className(names[0]) not in known[1:]:
        return [1]
    if not classes:
        return list(range(1, len(names) + 1))
    for name in names:
        if className(name) not in known[1:]:
            raise UserError(
                f"{source.name} has a segment {name}, which is none of the classes {', '.join(classes[1:])}",
                remedy="rename the segment or choose single segments",
            )
    return [known.index(className(name)) for name in names]


def className(name: str) -> str:
    """The name by which two classes count as the same: upper and lower case and outer spaces do not matter."""
    return name.strip().casefold()


def maskedBox(source: AnnotatorSource, reference: Node) -> tuple[NDArray[np.bool_], Box]:
    """Where a single segment lies on the reference volume's grid: a mask, and the box of the grid that it fills."""
    voxels = _withLabelmaps(source.node, reference)
    mask, target = _maskOnGrid(voxels, source.segmentId, source.node, reference)
    inner = busy_box([mask], mask.shape, margin=0) if mask.size else (slice(0, 0),) * 3
    box = tuple(
        slice(part.start + kept.start, part.start + kept.stop) for part, kept in zip(target, inner, strict=True)
    )
    return mask[inner], box


def _withLabelmaps(node: Node, reference: Node) -> Node:
    """The segmentation node itself, or a copy with labelmaps where it holds surfaces or contours only."""
    segmentation = node.GetSegmentation()
    if not segmentation.GetNumberOfSegments() or segmentation.ContainsRepresentation(BINARY_LABELMAP):
        return node
    copy = slicer.vtkMRMLSegmentationNode()
    copy.GetSegmentation().DeepCopy(segmentation)
    setReferenceGeometry(copy, geometryOf(reference))
    if not copy.GetSegmentation().CreateRepresentation(BINARY_LABELMAP):
        raise UserError(
            f"{node.GetName()} cannot be turned into voxels",
            remedy="create its binary labelmap in the Segmentations module",
        )
    return copy


def _maskOnGrid(voxels: Node, id: str, node: Node, reference: Node) -> tuple[NDArray[np.bool_], Box]:
    """Where a segment lies within a box of the reference volume's grid, and that box."""
    whole = tuple(reversed(reference.GetImageData().GetDimensions()))
    shared = voxels.GetBinaryLabelmapInternalRepresentation(id)
    if shared is None or shared.IsEmpty():
        return np.zeros((0, 0, 0), dtype=bool), (slice(0, 0),) * 3
    offset = _offsetOnGrid(shared, node, reference)
    if offset is not None:  # the voxels that all segments share are read where they are: a copy takes long
        array = arrayFromImage(shared)
        kept, target = _overlap(array.shape, offset, whole)
        return array[kept] == voxels.GetSegmentation().GetSegment(id).GetLabelValue(), target
    image = slicer.vtkOrientedImageData()
    voxels.GetBinaryLabelmapRepresentation(id, image)
    return _resampled(image, node, reference) != 0, tuple(slice(0, size) for size in whole)


def _offsetOnGrid(image: Node, node: Node, reference: Node) -> tuple[int, ...] | None:
    """The first voxel (z, y, x) of a cropped image within the grid of the reference, None if it is on another grid."""
    between = matrixBetween(node, reference)
    if between is None:
        return None
    matrix = vtk.vtkMatrix4x4()
    image.GetImageToWorldMatrix(matrix)
    toReference = np.linalg.inv(arrayFromMatrix(ijkToRas(geometryOf(reference)))) @ between @ arrayFromMatrix(matrix)
    bend = np.abs(toReference[:3, :3] - np.eye(3)).max() * max(image.GetDimensions())
    shift = toReference[:3, 3]
    if bend + np.abs(shift - np.rint(shift)).max() > SAME_GRID_TOLERANCE:
        return None
    first = np.rint(shift).astype(int) + image.GetExtent()[::2]
    return tuple(first[::-1].tolist())


def _overlap(shape: Shape, offset: Shape, whole: Shape) -> tuple[Box, Box]:
    """Which part of an array that begins at `offset` lies within the whole, and where."""
    spans = [(max(start, 0), min(start + size, limit)) for size, start, limit in zip(shape, offset, whole, strict=True)]
    target = tuple(slice(low, max(low, high)) for low, high in spans)
    kept = tuple(slice(part.start - start, part.stop - start) for part, start in zip(target, offset, strict=True))
    return kept, target


def _difference(geometry: Geometry, node: Node, reference: Node) -> str:
    """In words how a node's grid differs from the reference's, empty where it is the same."""
    between = matrixBetween(node, reference)
    if between is None:
        return "it is under a transform that is not linear"
    moved = geometryFromMatrix(between @ arrayFromMatrix(ijkToRas(geometry)), geometry.shape)
    return " and ".join(geometryOf(reference).differences(moved))


def _resampled(image: Node, node: Node, reference: Node) -> Labels:
    """An oriented image in the node's space, brought onto the reference's grid by nearest neighbor."""
    grid = orientedImage(reference.GetImageData(), ijkToRas(geometryOf(reference)))
    output = slicer.vtkOrientedImageData()
    succeeded = slicer.vtkOrientedImageDataResample.ResampleOrientedImageToReferenceOrientedImage(
        image, grid, output, False, False, transformBetween(node, reference)
    )
    if not succeeded:
        raise UserError(
            f"{node.GetName()} cannot be resampled onto {reference.GetName()}",
            remedy="harden its transform or resample it with Slicer's modules first",
        )
    return labelsFrom(arrayFromImage(output), node.GetName()).copy()
