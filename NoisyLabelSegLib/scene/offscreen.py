"""Slice views drawn off-screen by Slicer's own slice logic, and whole pictures of a review."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import slicer
import vtk
from numpy.typing import NDArray
from vtk.util import numpy_support

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import output_file
from NoisyLabelSegLib.scene.arrays import Node, imageFromArray
from NoisyLabelSegLib.scene.colors import announceLegends
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.headless import HeadlessSlicer
from NoisyLabelSegLib.scene.layout import columnsFor, viewName
from NoisyLabelSegLib.scene.nodes import CORNER_TEXT
from NoisyLabelSegLib.scene.views import ReviewViews

Picture = NDArray[np.uint8]
"""(rows, columns, 3) uint8, the top row first."""


class OffscreenView:
    """One slice view of a scene; `name` is that of the slice node, which is made where it is missing."""

    def __init__(self, scene: Node, applicationLogic: Node, name: str, size: tuple[int, int] = (400, 400)) -> None:
        self._applicationLogic = applicationLogic
        self.logic = slicer.vtkMRMLSliceLogic()
        self.logic.SetMRMLApplicationLogic(applicationLogic)
        self.logic.SetMRMLScene(scene)
        known = scene.GetNodeByID(f"vtkMRMLSliceNode{name}")
        if known is None:
            self.logic.AddSliceNode(name)
        else:
            self.logic.SetSliceNode(known)
        applicationLogic.GetSliceLogics().AddItem(self.logic)
        self._window, self._renderer = _window(size)
        self._rgb, self._alpha = vtk.vtkImageExtractComponents(), vtk.vtkImageExtractComponents()
        self._inside = vtk.vtkImageMask()  # black beside the image, as in Slicer, whatever the gray window
        self._rgb.SetComponents(0, 1, 2)
        self._alpha.SetComponents(3)
        self._inside.SetInputConnection(0, self._rgb.GetOutputPort())
        self._inside.SetInputConnection(1, self._alpha.GetOutputPort())
        self._inside.SetMaskedOutputValue(0, 0, 0)
        self._image = _imageActor()
        self._renderer.AddViewProp(self._image)
        self._corner = _cornerText()
        self._renderer.AddViewProp(self._corner)
        self._managers = self._displayableManagers()
        announceLegends(self.compositeNode)
        self.logic.ResizeSliceNode(*size)

    @property
    def node(self) -> Node:
        return self.logic.GetSliceNode()

    @property
    def compositeNode(self) -> Node:
        return self.logic.GetSliceCompositeNode()

    def fit(self) -> None:
        """Zooms so that the whole background image is seen, and moves onto its middle slice."""
        self.logic.ResizeSliceNode(*self._window.GetSize())
        self.logic.FitSliceToBackground()
        self.logic.SnapSliceOffsetToIJK()

    def render(self) -> None:
        """Draws the view as the scene is now."""
        layers = self.logic.GetImageDataConnection()
        self._image.SetVisibility(layers is not None)
        if layers is not None:
            # Slicer 5.12 blends alpha, too: drawn with it, the layers would mix with the black window once more.
            self._rgb.SetInputConnection(layers)
            self._alpha.SetInputConnection(layers)
            self._image.GetMapper().SetInputConnection(self._inside.GetOutputPort())
        self._corner.SetText(vtk.vtkCornerAnnotation.UpperLeft, self.node.GetAttribute(CORNER_TEXT) or "")
        isPatient = self._showsVolume()
        self._corner.SetText(vtk.vtkCornerAnnotation.LeftEdge, _sideOfPatient(self.node, 0, -1) if isPatient else "")
        self._corner.SetText(vtk.vtkCornerAnnotation.UpperEdge, _sideOfPatient(self.node, 1, 1) if isPatient else "")
        self._window.Render()

    def picture(self) -> Picture:
        """Draws the view and reads it back, (rows, columns, 3) uint8."""
        self.render()
        columns, rows = self._window.GetSize()
        pixels = vtk.vtkUnsignedCharArray()
        self._window.GetPixelData(0, 0, columns - 1, rows - 1, 0, pixels, 0)
        picture = numpy_support.vtk_to_numpy(pixels).reshape(rows, columns, 3)[::-1]
        return np.ascontiguousarray(picture)

    def pixelOf(self, ras: tuple[float, float, float]) -> tuple[int, int]:
        """The (row, column) of the picture at which a point of the patient lies, if it lies in this slice."""
        inverse = vtk.vtkMatrix4x4()
        vtk.vtkMatrix4x4.Invert(self.node.GetXYToRAS(), inverse)
        x, y, _, _ = inverse.MultiplyPoint((*ras, 1.0))
        return self._window.GetSize()[1] - 1 - round(y), round(x)

    def close(self) -> None:
        """Lets go of the window and of everything that watches the scene."""
        self._managers.SetMRMLDisplayableNode(None)
        self._applicationLogic.GetSliceLogics().RemoveItem(self.logic)
        self._image.GetMapper().RemoveAllInputConnections(0)
        for step in (self._rgb, self._alpha):
            step.RemoveAllInputConnections(0)
        self.logic.DeleteSliceModel()  # else its nodes would stay in the scene
        self.logic.SetMRMLScene(None)
        self._window.Finalize()

    def _showsVolume(self) -> bool:
        """Whether the background has several slices; a single picture may show anything, so it has no sides."""
        volume = self.logic.GetBackgroundLayer().GetVolumeNode()
        return (
            volume is not None and volume.GetImageData() is not None and min(volume.GetImageData().GetDimensions()) > 1
        )

    def _displayableManagers(self) -> Node:
        group = slicer.vtkMRMLDisplayableManagerGroup()
        group.SetRenderer(self._renderer)
        for kind in (
            slicer.vtkMRMLSegmentationsDisplayableManager2D,
            slicer.vtkMRMLColorLegendDisplayableManager,
            slicer.vtkMRMLCrosshairDisplayableManager,
        ):
            manager = kind()
            manager.SetMRMLApplicationLogic(self._applicationLogic)
            group.AddDisplayableManager(manager)
        group.SetMRMLDisplayableNode(self.node)
        return group


def reviewPicture(
    app: HeadlessSlicer,
    folder: CaseFolder,
    *,
    annotators: Sequence[str] | None = None,
    orientation: str = "Axial",
    place: Sequence[float] | None = None,
    confidence: bool = False,
    zoom: float = 1.0,
    size: tuple[int, int] = (320, 320),
) -> Picture:
    """What ReviewViews.showEach() shows of a case that is in the scene, at a place (LPS, mm) or in its middle.

    With `zoom` above 1 the views come closer to the place; the scene is afterwards as it was before.
    """
    views = ReviewViews(app.scene, app.applicationLogic)
    names = tuple(folder.annotators if annotators is None else annotators)
    views.showEach(folder, names, planes=(orientation,))
    if confidence:
        views.showConfidence(folder)
    opened = [OffscreenView(app.scene, app.applicationLogic, viewName(index), size) for index in range(len(names))]
    try:
        views.fit()
        if place is not None:
            views.jumpTo(folder, place, centered=zoom > 1, mark=False)
        for view in opened:
            width, height, depth = view.node.GetFieldOfView()
            view.node.SetFieldOfView(width / zoom, height / zoom, depth)
        return gridOf([view.picture() for view in opened], columnsFor(len(names)))
    finally:
        for view in opened:
            view.close()
        views.restore()


def gridOf(pictures: list[Picture], columns: int, *, gap: int = 2) -> Picture:
    """Pictures of the same size beside and below each other, thin gray lines between them, free places black."""
    rows, width = -(-len(pictures) // columns), pictures[0].shape[1]
    height = pictures[0].shape[0]
    whole = np.full((rows * (height + gap) - gap, columns * (width + gap) - gap, 3), 90, dtype=np.uint8)
    for place in range(rows * columns):
        top, left = (place // columns) * (height + gap), (place % columns) * (width + gap)
        whole[top : top + height, left : left + width] = pictures[place] if place < len(pictures) else 0
    return whole


def writePng(path: str | Path, picture: Picture) -> None:
    """Writes a picture as PNG, whole or not at all."""
    with output_file(path) as partial:
        writer = vtk.vtkPNGWriter()
        writer.SetCompressionLevel(9)
        writer.SetFileName(str(partial))
        writer.SetInputData(imageFromArray(np.moveaxis(picture[::-1], -1, 0)[:, None]))
        writer.Write()
        if writer.GetErrorCode():
            raise UserError("cannot be written", file=path, remedy="check the free space on the disk")


def _window(size: tuple[int, int]) -> tuple[Node, Node]:
    """A hidden render window with an interactor, which the displayable managers need, and its renderer."""
    # Without a display VTK would try X first and complain before it falls back to EGL.
    needsEgl = sys.platform == "linux" and not os.environ.get("DISPLAY") and hasattr(vtk, "vtkEGLRenderWindow")
    window: Any = vtk.vtkEGLRenderWindow() if needsEgl else vtk.vtkRenderWindow()
    window.SetOffScreenRendering(True)
    window.SetMultiSamples(0)  # every pixel has the color of one voxel
    window.SetSize(*size)
    renderer = vtk.vtkRenderer()
    renderer.GetActiveCamera().ParallelProjectionOn()
    window.AddRenderer(renderer)
    interactor = vtk.vtkRenderWindowInteractor()
    interactor.SetRenderWindow(window)
    interactor.Initialize()
    return window, renderer


def _imageActor() -> Node:
    """Shows the blended layers, RGB from 0 to 255."""
    mapper = vtk.vtkImageMapper()
    mapper.SetColorWindow(255)
    mapper.SetColorLevel(127.5)
    actor = vtk.vtkActor2D()
    actor.SetMapper(mapper)
    actor.GetProperty().SetDisplayLocationToBackground()
    return actor


def _cornerText() -> Node:
    text = vtk.vtkCornerAnnotation()
    text.SetMaximumFontSize(18)
    text.SetMinimumFontSize(12)
    text.GetTextProperty().ShadowOn()
    return text


def _sideOfPatient(sliceNode: Node, screenAxis: int, sign: int) -> str:
    """The letter of the patient's side at an edge of the screen: to the left (axis 0, -1) or at the top (axis 1, 1)."""
    toRas = [sign * sliceNode.GetSliceToRAS().GetElement(axis, screenAxis) for axis in range(3)]
    axis = int(np.argmax(np.abs(toRas)))
    return ("RL", "AP", "SI")[axis][0 if toRas[axis] > 0 else 1]
