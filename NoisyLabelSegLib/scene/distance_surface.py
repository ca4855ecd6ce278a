"""The surface of the truth in 3D, colored by how far outside or inside of it an annotator drew."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
import slicer
import vtk
from numpy.typing import NDArray
from vtk.util import numpy_support

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.metrics.signed_distance import finding_signed_distances
from NoisyLabelSegLib.progress import finished
from NoisyLabelSegLib.scene.arrays import Node
from NoisyLabelSegLib.scene.colors import DISTANCE, addLegend, rampColors
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.nodes import Role, removeNodes
from NoisyLabelSegLib.scene.placing import arrayFromMatrix, ijkToRas, inThreeDimensions

LIMIT_MM = 5.0
"""Distances beyond this have the color of this one, so that small ones can still be told apart."""
SCALARS = "signed distance (mm)"
ITERATIONS, PASS_BAND = 20, 0.01
"""Of the windowed sinc filter that takes the steps between voxels off the surface."""


def showDistanceSurface(
    folder: CaseFolder,
    annotator: str,
    labels: NDArray[Any],
    geometry: Geometry,
    *,
    limit: float = LIMIT_MM,
    label: str = "",
) -> Node:
    """A model node in the 3D views: the truth's surface, blue where the annotator missed, orange where too much.

    `labels` (*shape) are the annotator's; everything marked counts. `label` is the one class of the truth that
    does, all of them if empty. One surface per case: that of the last annotator.
    """
    return finished(showingDistanceSurface(folder, annotator, labels, geometry, limit=limit, label=label))


def showingDistanceSurface(
    folder: CaseFolder,
    annotator: str,
    labels: NDArray[Any],
    geometry: Geometry,
    *,
    limit: float = LIMIT_MM,
    label: str = "",
) -> Generator[str, None, Node]:
    """showDistanceSurface() in steps; making, smoothing and shading the surface take one each."""
    geometry = inThreeDimensions(geometry)
    yield annotator
    closed = _closedSurface(folder, label)
    yield annotator
    smooth = _smoothed(closed)
    yield annotator
    surface = _withNormals(smooth)
    yield annotator
    points = numpy_support.vtk_to_numpy(surface.GetPoints().GetData())
    toVoxels = np.linalg.inv(arrayFromMatrix(ijkToRas(geometry)))
    zyx = (points @ toVoxels[:3, :3].T + toVoxels[:3, 3])[:, ::-1]
    mask = (np.asarray(labels) != 0).reshape(geometry.shape)
    yield annotator
    distances = yield from finding_signed_distances(mask, geometry.spacing_zyx, zyx, limit=limit)
    scalars = numpy_support.numpy_to_vtk(distances, deep=True)
    scalars.SetName(SCALARS)
    surface.GetPointData().AddArray(scalars)
    surface.GetPointData().SetActiveScalars(SCALARS)
    node = folder.put("vtkMRMLModelNode", Role.DISTANCE, f"{folder.case} signed distance")
    node.SetAndObservePolyData(surface)
    node.SetName(f"{folder.case} signed distance of {annotator} {label}".strip())
    _color(node, folder, limit)
    return node


def hideDistanceSurface(folder: CaseFolder) -> None:
    """Takes the surface out of the scene."""
    removeNodes(folder.scene, folder.nodes(Role.DISTANCE))


def _closedSurface(folder: CaseFolder, label: str) -> Node:
    """The surface of a segment of the truth, or of all, along its voxels, in the coordinates of the image."""
    truth = folder.find(Role.TRUTH)
    if truth is None:
        raise UserError(f"Case {folder.case} has no truth", remedy="estimate the truth first")
    copy = slicer.vtkSegmentation()
    copy.DeepCopy(truth.GetSegmentation())
    for parameter in ("Smoothing factor", "Compute surface normals"):  # both are steps of their own
        copy.SetConversionParameter(parameter, "0")
    name = slicer.vtkSegmentationConverter.GetSegmentationClosedSurfaceRepresentationName()
    copy.CreateRepresentation(name)
    joined = vtk.vtkAppendPolyData()
    for id in [copy.GetSegmentIdBySegmentName(label)] if label else copy.GetSegmentIDs():
        part = copy.GetSegment(id).GetRepresentation(name) if id else None
        if part is not None and part.GetNumberOfPoints():
            joined.AddInputData(part)
    if not joined.GetNumberOfInputConnections(0):
        raise UserError(f"The truth of {folder.case} is empty", remedy="there is no surface to show")
    joined.Update()
    return joined.GetOutput()


def _smoothed(closed: Node) -> Node:
    smoothing = vtk.vtkWindowedSincPolyDataFilter()
    smoothing.SetInputData(closed)
    smoothing.SetNumberOfIterations(ITERATIONS)
    smoothing.SetPassBand(PASS_BAND)
    smoothing.BoundarySmoothingOff()
    smoothing.FeatureEdgeSmoothingOff()
    smoothing.NonManifoldSmoothingOn()
    smoothing.NormalizeCoordinatesOn()
    smoothing.Update()
    return smoothing.GetOutput()


def _withNormals(smooth: Node) -> Node:
    normals = vtk.vtkPolyDataNormals()
    normals.SetInputData(smooth)
    normals.SplittingOff()
    normals.Update()
    surface = vtk.vtkPolyData()
    surface.DeepCopy(normals.GetOutput())
    return surface


def _color(node: Node, folder: CaseFolder, limit: float) -> None:
    node.CreateDefaultDisplayNodes()
    display = node.GetDisplayNode()
    display.SetAndObserveColorNodeID(rampColors(folder.scene, DISTANCE).GetID())
    display.SetActiveScalar(SCALARS, vtk.vtkAssignAttribute.POINT_DATA)
    display.SetScalarRangeFlag(slicer.vtkMRMLDisplayNode.UseManualScalarRange)
    display.SetScalarRange(-limit, limit)
    display.SetScalarVisibility(True)
    display.SetVisibility2D(False)
    display.SetVisibility(True)
    legend = addLegend(node, "Distance (mm)", numbers="%+12.0f")
    legend.SetVisibility(True)
