"""The views of a review: who is shown where, at which place, and the way back to what was before."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

import slicer

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.progress import finished
from NoisyLabelSegLib.scene.arrays import Node
from NoisyLabelSegLib.scene.colors import announceLegends, drawable, showLegend
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.layout import (
    LAYOUT_ID,
    VIEW_GROUP,
    ViewMemory,
    layoutXml,
    nodesOfClass,
    viewName,
    viewTitles,
)
from NoisyLabelSegLib.scene.nodes import CORNER_TEXT, PREFIX, Role, removeNodes
from NoisyLabelSegLib.scene.placing import rasOf
from NoisyLabelSegLib.scene.volumes import makingConfidenceOverlay

_DESCRIPTION, _BEFORE = PREFIX + "layout", PREFIX + "layoutBefore"
"""Attributes of the layout node: what our layout looks like, and which one it took the place of."""

_MARKED = PREFIX + "marked"
"""The attribute of a crosshair node that was off before it marked a place."""

ZOOM, SMALLEST_VIEW_MM = 4.0, 60.0
"""A view that jumps to something shows this many times its size, and at least this many mm."""


class ReviewViews:
    """Arranges a scene's slice views for a case. What is shown is kept in nodes only, so it is saved with the scene."""

    def __init__(self, scene: Node, applicationLogic: Node) -> None:
        self._scene, self._applicationLogic = scene, applicationLogic
        self._memory: ViewMemory | None = None
        self._arrangement: int | None = None

    def showEach(
        self, folder: CaseFolder, annotators: Sequence[str] | None = None, *, orientation: str = "Axial"
    ) -> None:
        """One linked view per annotator: the image, the error map of this annotator only, the name in the corner."""
        names = tuple(folder.annotators if annotators is None else annotators)
        if self._layoutNode() is None:
            raise UserError("There are no views to arrange", remedy="start Slicer with its main window")
        if not names:
            raise UserError(f"Case {folder.case} has no annotators to show", remedy="add annotators first")
        self._remember()
        titles = viewTitles(names)
        description, image = layoutXml(titles, orientation), folder.image
        isShown = self._shows(description, image)
        if not isShown:
            self._arrange(description)
        for index, name in enumerate(names):
            self._fillView(folder, viewName(index), name)
            sliceNode = self._sliceNode(viewName(index))
            sliceNode.SetLayoutLabel(titles[index])
            corner = drawable(titles[index], len(titles[index]), otherwise=f"Annotator {index + 1}")
            sliceNode.SetAttribute(CORNER_TEXT, corner)
            if not isShown:
                self._turn(viewName(index), orientation, image)
        self._keepOutlinesOut(folder)
        self._showLegend(folder, names[0], [self._sliceNode(viewName(0)).GetID()])
        if not isShown:  # else people stay where they are
            self.fit()

    def showOne(self, folder: CaseFolder, annotator: str) -> None:
        """The error map of one annotator, with its legend, in all views."""
        self._remember()
        image, errors = folder.image, folder.find(Role.ERRORS, annotator=annotator)
        for composite in self._compositeNodes():
            _setLayers(composite, image, errors)
        self._showLegend(folder, annotator, [])

    def showHeatMap(self, node: Node | None, *, opacity: float = 0.6) -> None:
        """A probability or an expected error over the images of all views, with its legend; None takes it away."""
        self._remember()
        for composite in self._compositeNodes():
            shown = self._scene.GetNodeByID(composite.GetForegroundVolumeID() or "")
            if shown is not None:
                showLegend(shown, visible=False)
            composite.SetForegroundVolumeID(None if node is None else node.GetID())
            composite.SetForegroundOpacity(opacity)
        if node is not None:
            showLegend(node, visible=True)
            self._announceLegends()

    def showConfidence(self, folder: CaseFolder, *, visible: bool = True) -> None:
        """Lays the estimated truth over the images of all views, the more opaque the surer it is."""
        if visible:
            finished(self.showingConfidence(folder))
            return
        overlays = folder.nodes(Role.CONFIDENCE)
        for composite in self._compositeNodes():
            if composite.GetForegroundVolumeID() in {node.GetID() for node in overlays}:
                composite.SetForegroundVolumeID(None)
        removeNodes(self._scene, overlays)

    def showingConfidence(self, folder: CaseFolder) -> Generator[str, None, None]:
        """showConfidence() in steps."""
        overlay = yield from makingConfidenceOverlay(folder)
        self.showHeatMap(overlay, opacity=1.0)  # the color table holds the opacity

    def jumpTo(
        self,
        folder: CaseFolder,
        center: Sequence[float],
        *,
        centered: bool = True,
        mark: bool = True,
        extent: float | None = None,
    ) -> tuple[float, float, float]:
        """Moves all slice views to a place of the case (LPS, mm, as in a Mistake); returns it in RAS.

        With `centered` the place comes to the middle of every view, else the views only change their slice. With `mark`
        the crosshair shows it. With `extent`, the size in mm of what is there, views that show much more zoom in on it.
        """
        self._remember()
        if extent is not None:
            self._zoomIn(max(ZOOM * extent, SMALLEST_VIEW_MM))
        ras = list(rasOf(tuple(center)))
        if folder.image is not None:
            folder.image.TransformPointToWorld(ras, ras)
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

    def _zoomIn(self, edge: float) -> None:
        """Lets the shorter edge of every slice view be at most this long, in mm."""
        for node in nodesOfClass(self._scene, "vtkMRMLSliceNode"):
            width, height, depth = node.GetFieldOfView()
            factor = edge / max(min(width, height), 1e-6)
            if factor < 1:
                node.SetFieldOfView(width * factor, height * factor, depth)

    def fit(self) -> None:
        """Zooms our views so that the whole image is seen, all at the same slice."""
        for node in nodesOfClass(self._scene, "vtkMRMLSliceNode"):
            logic = self._applicationLogic.GetSliceLogic(node) if node.GetViewGroup() == VIEW_GROUP else None
            if logic is not None:
                logic.FitSliceToBackground()
                logic.SnapSliceOffsetToIJK()

    def reopen(self) -> bool:
        """Puts our layout back into a scene that was saved with it; False where it was not."""
        layout = self._layoutNode()
        description = "" if layout is None else layout.GetAttribute(_DESCRIPTION)
        if layout is None or layout.GetViewArrangement() != LAYOUT_ID or not description:
            return False
        self._remember()
        self._arrange(description)
        return True

    def forget(self) -> None:
        """Lets go of what the views showed: the scene it belongs to is being closed."""
        self._memory = self._arrangement = None

    def restore(self) -> None:
        """Brings back the layout, the layers, places, legends and crosshair from before the review."""
        if self._memory is None or self._arrangement is None:
            return
        layout = self._layoutNode()
        if layout is not None:
            layout.SetViewArrangement(self._arrangement)
        self._memory.restore()
        for folder in CaseFolder.all(self._scene):
            removeNodes(self._scene, folder.nodes(Role.CONFIDENCE))
        self.forget()

    def _remember(self) -> None:
        if self._memory is not None:
            return
        self._memory = ViewMemory(self._scene)
        layout, self._arrangement = self._layoutNode(), slicer.vtkMRMLLayoutNode.SlicerLayoutFourUpView
        if layout is None:
            return
        if layout.GetViewArrangement() != LAYOUT_ID:
            layout.SetAttribute(_BEFORE, str(layout.GetViewArrangement()))
        self._arrangement = int(layout.GetAttribute(_BEFORE) or slicer.vtkMRMLLayoutNode.SlicerLayoutFourUpView)

    def _shows(self, description: str, image: Node | None) -> bool:
        """Whether the views are arranged like this for this image already."""
        layout = self._layoutNode()
        shown = self._compositeNode(viewName(0)).GetBackgroundVolumeID()
        isArranged = layout.GetViewArrangement() == LAYOUT_ID and layout.GetAttribute(_DESCRIPTION) == description
        return bool(isArranged and image is not None and shown == image.GetID())

    def _arrange(self, description: str) -> None:
        layout = self._layoutNode()
        if not layout.AddLayoutDescription(LAYOUT_ID, description):
            layout.SetLayoutDescription(LAYOUT_ID, description)
        layout.SetAttribute(_DESCRIPTION, description)
        layout.SetViewArrangement(LAYOUT_ID)

    def _fillView(self, folder: CaseFolder, view: str, annotator: str) -> None:
        composite = self._compositeNode(view)
        _setLayers(composite, folder.image, folder.find(Role.ERRORS, annotator=annotator))
        composite.SetLinkedControl(True)

    def _turn(self, view: str, orientation: str, image: Node | None) -> None:
        self._sliceNode(view).SetOrientation(orientation)
        if image is not None:
            self._sliceNode(view).RotateToVolumePlane(image)  # an oblique volume is shown in its own slices

    def _keepOutlinesOut(self, folder: CaseFolder) -> None:
        """Annotators' outlines stay in Slicer's own views: in ours the error map says the same in fewer colors."""
        views = [*nodesOfClass(self._scene, "vtkMRMLSliceNode"), *nodesOfClass(self._scene, "vtkMRMLViewNode")]
        others = [view.GetID() for view in views if view.GetViewGroup() != VIEW_GROUP]
        for node in folder.nodes(Role.ANNOTATOR, Role.ANNOTATORS, Role.OUTLINE):
            if node.IsA("vtkMRMLSegmentationNode") and node.GetDisplayNode() is not None:
                node.GetDisplayNode().SetViewNodeIDs(others)

    def _showLegend(self, folder: CaseFolder, annotator: str, viewIds: list[str]) -> None:
        for node in folder.nodes(Role.ERRORS):
            showLegend(node, visible=node.GetAttribute(PREFIX + "annotator") == annotator, viewIds=viewIds)
        self._announceLegends()

    def _announceLegends(self) -> None:
        for composite in self._compositeNodes():
            announceLegends(composite)

    def _sliceNode(self, view: str) -> Node:
        """Made by Slicer's layout logic when the layout is shown."""
        return self._scene.GetNodeByID(f"vtkMRMLSliceNode{view}")

    def _compositeNode(self, view: str) -> Node:
        """Made here where the view itself is not there yet to make it."""
        node = self._scene.GetNodeByID(f"vtkMRMLSliceCompositeNode{view}")
        if node is None:
            node = slicer.vtkMRMLSliceCompositeNode()
            node.SetSingletonTag(view)
            node.SetLayoutName(view)
            node = self._scene.AddNode(node)
        return node

    def _compositeNodes(self) -> list[Node]:
        return nodesOfClass(self._scene, "vtkMRMLSliceCompositeNode")

    def _layoutNode(self) -> Node:
        """None where Slicer runs without a main window."""
        return self._scene.GetFirstNodeByClass("vtkMRMLLayoutNode")


def positionOf(row: Mapping[str, Any]) -> tuple[float, ...]:
    """The place (LPS, mm) of a row of the table of mistakes, as jumpTo() wants it."""
    return tuple(row[name] for name in (f"center_{axis}_lps" for axis in "xyz") if row.get(name) is not None)


def _setLayers(composite: Node, image: Node | None, errors: Node | None) -> None:
    composite.SetBackgroundVolumeID(None if image is None else image.GetID())
    composite.SetForegroundVolumeID(None)
    composite.SetLabelVolumeID(None if errors is None else errors.GetID())
    composite.SetLabelOpacity(1.0)  # the color table holds the opacity
