"""Moves all slice views of a scene to a place, zooms in on what is there, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import slicer

from NoisyLabelSegLib.scene.arrays import Node
from NoisyLabelSegLib.scene.ct_windows import chooseCtWindow
from NoisyLabelSegLib.scene.layout import nodesOfClass
from NoisyLabelSegLib.scene.nodes import PREFIX
from NoisyLabelSegLib.scene.placing import rasOf

ZOOM, SMALLEST_VIEW_MM = 4.0, 60.0
"""A view that jumps to something shows this many times its size, and at least this many mm."""

_MARKED = PREFIX + "marked"
"""The attribute of a crosshair node that was off before it marked a place."""


class ViewPlaces:
    """Remembers how much the views showed before a jump zoomed in."""

    def __init__(self, scene: Node) -> None:
        self._scene = scene
        self._beforeZoom: dict[str, tuple[float, ...]] = {}

    def jumpTo(
        self, image: Node | None, center: Sequence[float], *, centered: bool, mark: bool, extent: float | None
    ) -> tuple[float, float, float]:
        """Moves all slice views to a place of an image (LPS, mm); returns it in RAS. See ReviewViews.jumpTo()."""
        if extent is not None:
            self._zoomIn(max(ZOOM * extent, SMALLEST_VIEW_MM))
            if image is not None:
                chooseCtWindow(image, center, extent)
        ras = list(rasOf(tuple(center)))
        if image is not None:
            image.TransformPointToWorld(ras, ras)
        mode = slicer.vtkMRMLSliceNode.CenteredJumpSlice if centered else slicer.vtkMRMLSliceNode.OffsetJumpSlice
        slicer.vtkMRMLSliceNode.JumpAllSlices(self._scene, *ras, mode)
        for crosshair in nodesOfClass(self._scene, "vtkMRMLCrosshairNode"):
            crosshair.SetCrosshairRAS(*ras)
            if mark and crosshair.GetCrosshairMode() == slicer.vtkMRMLCrosshairNode.NoCrosshair:
                crosshair.SetCrosshairMode(slicer.vtkMRMLCrosshairNode.ShowSmallBasic)
                crosshair.SetAttribute(_MARKED, "yes")
        return ras[0], ras[1], ras[2]

    def unmark(self) -> None:
        """Hides a crosshair that jumpTo() showed."""
        for crosshair in nodesOfClass(self._scene, "vtkMRMLCrosshairNode"):
            if crosshair.GetAttribute(_MARKED):
                crosshair.SetCrosshairMode(slicer.vtkMRMLCrosshairNode.NoCrosshair)
                crosshair.RemoveAttribute(_MARKED)

    def zoomBack(self) -> None:
        """Shows as much as before the first jump that zoomed in; the place stays in the middle of the views."""
        for id, fieldOfView in self._beforeZoom.items():
            node = self._scene.GetNodeByID(id)
            if node is not None:
                width, height, depth = node.GetFieldOfView()
                scale = fieldOfView[0] / max(width, 1e-6)  # the shape of the view may be another one now
                node.SetFieldOfView(width * scale, height * scale, depth)
        self.forget()

    def forget(self) -> None:
        """Lets go of what the views showed before."""
        self._beforeZoom = {}

    def _zoomIn(self, edge: float) -> None:
        """Lets the shorter edge of every slice view be at most this long, in mm."""
        for node in nodesOfClass(self._scene, "vtkMRMLSliceNode"):
            width, height, depth = node.GetFieldOfView()
            factor = edge / max(min(width, height), 1e-6)
            if factor < 1:
                self._beforeZoom.setdefault(node.GetID(), (width, height, depth))
                node.SetFieldOfView(width * factor, height * factor, depth)


def positionOf(row: Mapping[str, Any]) -> tuple[float, ...]:
    """The place (LPS, mm) of a row of the table of mistakes, as jumpTo() wants it."""
    ras = [row[name] for name in ("center_r", "center_a", "center_s") if row.get(name) is not None]
    return (-ras[0], -ras[1], *ras[2:])
