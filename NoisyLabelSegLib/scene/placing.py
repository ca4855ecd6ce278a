"""Where voxels lie: between the library's grids (LPS, two or three dimensions) and Slicer's matrices (RAS)."""

from __future__ import annotations

from typing import Any

import numpy as np
import slicer
import vtk
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.scene.arrays import Node

_LPS_TO_RAS = np.diag([-1.0, -1.0, 1.0, 1.0])


def geometryOf(volume: Node) -> Geometry:
    """The grid of a volume node in its own space, that is without its parent transforms."""
    image = volume.GetImageData()
    if image is None or not image.GetNumberOfPoints():
        raise UserError(f"{volume.GetName()} holds no voxels", remedy="load it again or choose another volume")
    matrix = vtk.vtkMatrix4x4()
    volume.GetIJKToRASMatrix(matrix)
    return geometryFromMatrix(arrayFromMatrix(matrix), tuple(reversed(image.GetDimensions())))


def geometryFromMatrix(ijkToRas: NDArray[np.float64], shape: tuple[int, ...]) -> Geometry:
    """The grid with this index-to-RAS matrix (4, 4); `shape` is (z, y, x)."""
    lps = _LPS_TO_RAS @ ijkToRas
    spacing = np.linalg.norm(lps[:3, :3], axis=0)
    direction = lps[:3, :3] / spacing
    return Geometry(shape, tuple(spacing.tolist()), tuple(lps[:3, 3].tolist()), tuple(direction.ravel().tolist()))


def inThreeDimensions(geometry: Geometry) -> Geometry:
    """The grid as Slicer holds it: a picture becomes a volume of one slice, 1 mm thick, at height 0."""
    if geometry.dimension == 3:
        return geometry
    direction = np.eye(3)
    direction[:2, :2] = np.reshape(geometry.direction, (2, 2))
    return Geometry(
        (1, *geometry.shape),
        (*geometry.spacing, 1.0),
        (*geometry.origin, 0.0),
        tuple(direction.ravel().tolist()),
    )


def inTwoDimensions(geometry: Geometry) -> Geometry:
    """The grid of the picture that Slicer holds as a volume of one slice."""
    return Geometry(
        geometry.shape[1:],
        geometry.spacing[:2],
        geometry.origin[:2],
        tuple(np.reshape(geometry.direction, (3, 3))[:2, :2].ravel().tolist()),
    )


def ijkToRas(geometry: Geometry) -> Node:
    """The vtkMatrix4x4 from a voxel index (x, y, z) to RAS millimeters."""
    geometry = inThreeDimensions(geometry)
    matrix = np.eye(4)
    matrix[:3, :3] = geometry.index_to_point_matrix
    matrix[:3, 3] = geometry.origin
    return matrixFromArray(_LPS_TO_RAS @ matrix)


def rasOf(point: tuple[float, ...]) -> tuple[float, float, float]:
    """A patient position (LPS, mm, two or three numbers) as Slicer counts it (RAS)."""
    x, y, z = (*point, 0.0)[:3]
    return -x, -y, z


def matrixFromArray(array: NDArray[np.float64]) -> Node:
    matrix = vtk.vtkMatrix4x4()
    matrix.DeepCopy(np.asarray(array, dtype=np.float64).ravel().tolist())
    return matrix


def arrayFromMatrix(matrix: Node) -> NDArray[np.float64]:
    return np.array([[matrix.GetElement(i, j) for j in range(4)] for i in range(4)])


def orientedImage(image: Node, matrix: Node) -> Node:
    """A vtkOrientedImageData that shares the voxels of `image` and lies where `matrix` (index to RAS) says."""
    oriented = slicer.vtkOrientedImageData()
    oriented.ShallowCopy(image)
    oriented.SetOrigin(0.0, 0.0, 0.0)
    oriented.SetSpacing(1.0, 1.0, 1.0)
    oriented.SetGeometryFromImageToWorldMatrix(matrix)
    return oriented


def matrixBetween(node: Node, reference: Node) -> NDArray[np.float64] | None:
    """The (4, 4) matrix from a node's own space to that of another node; None where it is not linear."""
    source, target = _parent(node), _parent(reference)
    if source is target:
        return np.eye(4)
    matrix = vtk.vtkMatrix4x4()
    linear = slicer.vtkMRMLTransformNode.GetMatrixTransformBetweenNodes(source, target, matrix)
    return arrayFromMatrix(matrix) if linear else None


def transformBetween(node: Node, reference: Node) -> Any:
    """The vtkGeneralTransform from a node's own space to that of another node, linear or not."""
    transform = vtk.vtkGeneralTransform()
    slicer.vtkMRMLTransformNode.GetTransformBetweenNodes(_parent(node), _parent(reference), transform)
    return transform


def _parent(node: Node) -> Node:
    return node.GetParentTransformNode()
