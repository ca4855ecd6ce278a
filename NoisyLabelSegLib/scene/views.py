"""The views of a review: who is shown where, at which place, and the way back to what was before."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import product

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
from NoisyLabelSegLib.scene.places import ViewPlaces
from NoisyLabelSegLib.scene.volumes import makingConfidenceOverlay

_DESCRIPTION, _BEFORE = PREFIX + "layout", PREFIX + "layoutBefore"
"""Attributes of the layout node: what our layout looks like, and which one it took the place of."""


@dataclass(frozen=True)
class ErrorStyle:
    """How error maps are drawn: filled or as outlines of the errors, and how opaque (times that of the colors)."""

    filled: bool = True
    opacity: float = 1.0


class ReviewViews:
    """Arranges a scene's slice views for a case. What is shown is kept in nodes only, so it is saved with the scene."""

    def __init__(self, scene: Node, applicationLogic: Node) -> None:
        self.scene, self._applicationLogic = scene, applicationLogic
        self._memory: ViewMemory | None = None
        self._arrangement: int | None = None
        self.places = ViewPlaces(scene)
        self._style = ErrorStyle()

    def drawErrors(self, style: ErrorStyle) -> None:
        """Draws error maps like this from now on, in all views."""
        self._style = style
        for composite in self._compositeNodes():
            composite.SetLabelOpacity(style.opacity)
        self._outlineErrors()

    def showEach(
        self,
        folder: CaseFolder,
        annotators: Sequence[str] | None = None,
        *,
        planes: Sequence[str] = ("Axial",),
        label: str = "",
    ) -> None:
        """Linked views of every annotator, one per plane: the image, this annotator's errors, the name in the corner.

        Views of the same plane move together. `label` is a class, whose errors are shown alone.
        """
        names = tuple(folder.annotators if annotators is None else annotators)
        if not names:
            raise UserError(f"Case {folder.case} has no annotators to show", remedy="add annotators first")
        errors = [folder.find(Role.ERRORS, annotator=name, label=label) for name in names]
        self.arrangeViews(names, folder.image, errors, planes)
        self.keepOutlinesOut(folder)
        self._showLegend(folder, errors[0], [self._sliceNode(viewName(0)).GetID()])

    def arrangeViews(
        self,
        names: Sequence[str],
        image: Node | None,
        labels: Sequence[Node | None],
        planes: Sequence[str] = ("Axial",),
    ) -> None:
        """Linked views, one per name and plane, with the name in the corner and these labels over the image."""
        if self._layoutNode() is None:
            raise UserError("There are no views to arrange", remedy="start Slicer with its main window")
        self._remember()
        titles = viewTitles(names)
        description = layoutXml(titles, planes)
        isShown = self._shows(description, image)
        if not isShown:
            self._arrange(description)
        for place, (index, plane) in enumerate(product(range(len(names)), planes)):
            view, title = viewName(place), titles[index]
            self._fillView(view, image, labels[index])
            sliceNode = self._sliceNode(view)
            sliceNode.SetLayoutLabel(title)
            corner = drawable(title, len(title), otherwise=f"Annotator {index + 1}")
            sliceNode.SetAttribute(CORNER_TEXT, corner)
            if not isShown:
                self._turn(view, plane, image)
        self._outlineErrors()
        if not isShown:  # else people stay where they are
            self.fit()

    def showOne(self, folder: CaseFolder, annotator: str, *, label: str = "") -> None:
        """The error map of one annotator, of all classes or of one, with its legend, in all views."""
        self._remember()
        image, errors = folder.image, folder.find(Role.ERRORS, annotator=annotator, label=label)
        for composite in self._compositeNodes():
            self._setLayers(composite, image, errors)
        self._outlineErrors()
        self._showLegend(folder, errors, self._legendViews())

    def showHeatMap(self, node: Node | None, *, opacity: float = 0.6) -> None:
        """A probability or an expected error over the images of all views, with its legend; None takes it away.

        Error maps go, so that colors of two meanings never mix.
        """
        self._remember()
        for composite in self._compositeNodes():
            for id in (composite.GetForegroundVolumeID(), composite.GetLabelVolumeID() if node is not None else None):
                shown = self.scene.GetNodeByID(id or "")
                if shown is not None:
                    showLegend(shown, visible=False)
            if node is not None:
                composite.SetLabelVolumeID(None)
            composite.SetForegroundVolumeID(None if node is None else node.GetID())
            composite.SetForegroundOpacity(opacity)
        if node is not None:
            showLegend(node, visible=True, viewIds=self._legendViews())
            self.announceLegends()

    def showNothing(self) -> None:
        """The images alone, and the outlines."""
        self.showHeatMap(None)
        for composite in self._compositeNodes():
            shown = self.scene.GetNodeByID(composite.GetLabelVolumeID() or "")
            if shown is not None:
                showLegend(shown, visible=False)
            composite.SetLabelVolumeID(None)

    def showConfidence(self, folder: CaseFolder, *, visible: bool = True) -> None:
        """Lays the estimated truth over the images of all views, the more opaque the surer it is."""
        if visible:
            finished(self.showingConfidence(folder))
            return
        overlays = folder.nodes(Role.CONFIDENCE)
        for composite in self._compositeNodes():
            if composite.GetForegroundVolumeID() in {node.GetID() for node in overlays}:
                composite.SetForegroundVolumeID(None)
        removeNodes(self.scene, overlays)

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
        return self.places.jumpTo(folder.image, center, centered=centered, mark=mark, extent=extent)

    def fit(self) -> None:
        """Zooms our views so that the whole image is seen, all at the same slice."""
        for node in nodesOfClass(self.scene, "vtkMRMLSliceNode"):
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
        self.places.forget()

    def restore(self) -> None:
        """Brings back the layout, the layers, places, legends and crosshair from before the review."""
        if self._memory is None or self._arrangement is None:
            return
        layout = self._layoutNode()
        if layout is not None:
            layout.SetViewArrangement(self._arrangement)
        self._memory.restore()
        for folder in CaseFolder.all(self.scene):
            removeNodes(self.scene, folder.nodes(Role.CONFIDENCE))
        self.forget()

    def _remember(self) -> None:
        if self._memory is not None:
            return
        self._memory = ViewMemory(self.scene)
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

    def _fillView(self, view: str, image: Node | None, labels: Node | None) -> None:
        composite = self._compositeNode(view)
        self._setLayers(composite, image, labels)
        composite.SetLinkedControl(True)

    def _outlineErrors(self) -> None:
        """Slicer draws the label layer of a view filled or as outlines, by its slice node."""
        for node in nodesOfClass(self.scene, "vtkMRMLSliceNode"):
            node.SetUseLabelOutline(not self._style.filled)

    def _turn(self, view: str, orientation: str, image: Node | None) -> None:
        self._sliceNode(view).SetOrientation(orientation)
        if image is not None:
            self._sliceNode(view).RotateToVolumePlane(image)  # an oblique volume is shown in its own slices

    def keepOutlinesOut(self, folder: CaseFolder) -> None:
        """Annotators' outlines stay in Slicer's own views: in ours the error map says the same in fewer colors."""
        views = [*nodesOfClass(self.scene, "vtkMRMLSliceNode"), *nodesOfClass(self.scene, "vtkMRMLViewNode")]
        others = [view.GetID() for view in views if view.GetViewGroup() != VIEW_GROUP]
        for node in folder.nodes(Role.ANNOTATOR, Role.ANNOTATORS, Role.OUTLINE):
            if node.IsA("vtkMRMLSegmentationNode") and node.GetDisplayNode() is not None:
                node.GetDisplayNode().SetViewNodeIDs(others)

    def _showLegend(self, folder: CaseFolder, errors: Node | None, viewIds: list[str]) -> None:
        for node in folder.nodes(Role.ERRORS):
            showLegend(node, visible=node is errors, viewIds=viewIds)
        self.announceLegends()

    def _legendViews(self) -> list[str]:
        """The one view that has the legend: the first that is shown, or just the first."""
        nodes = nodesOfClass(self.scene, "vtkMRMLSliceNode")
        shown = [node for node in nodes if node.IsMappedInLayout()] or nodes
        return [node.GetID() for node in shown[:1]]

    def announceLegends(self) -> None:
        for composite in self._compositeNodes():
            announceLegends(composite)

    def _sliceNode(self, view: str) -> Node:
        """Made by Slicer's layout logic when the layout is shown."""
        return self.scene.GetNodeByID(f"vtkMRMLSliceNode{view}")

    def _compositeNode(self, view: str) -> Node:
        """Made here where the view itself is not there yet to make it."""
        node = self.scene.GetNodeByID(f"vtkMRMLSliceCompositeNode{view}")
        if node is None:
            node = slicer.vtkMRMLSliceCompositeNode()
            node.SetSingletonTag(view)
            node.SetLayoutName(view)
            node = self.scene.AddNode(node)
        return node

    def _compositeNodes(self) -> list[Node]:
        return nodesOfClass(self.scene, "vtkMRMLSliceCompositeNode")

    def _layoutNode(self) -> Node:  # None without a main window
        return self.scene.GetFirstNodeByClass("vtkMRMLLayoutNode")

    def _setLayers(self, composite: Node, image: Node | None, labels: Node | None) -> None:
        composite.SetBackgroundVolumeID(None if image is None else image.GetID())
        composite.SetForegroundVolumeID(None)
        composite.SetLabelVolumeID(None if labels is None else labels.GetID())
        composite.SetLabelOpacity(self._style.opacity)  # times that of the color table
