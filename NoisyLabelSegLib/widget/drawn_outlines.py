"""Who is drawn in the views: whole segmentations, single segments, and labelmaps by an outline of ours."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Protocol

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.nodes import Role, Tag, removeNodes
from NoisyLabelSegLib.scene.outlines import outlineLabelmap
from NoisyLabelSegLib.scene.sources import AnnotatorSource


class OpenCase(Protocol):
    """What is to be known of the open case."""

    @property
    def isOpen(self) -> bool: ...
    @property
    def isReady(self) -> bool: ...
    @property
    def folder(self) -> CaseFolder: ...
    @property
    def geometry(self) -> Geometry: ...
    @property
    def classes(self) -> tuple[str, ...]: ...
    @property
    def annotators(self) -> tuple[str, ...]: ...
    def labels(self) -> Mapping[str, Any]: ...


class DrawnOutlines:
    """Slicer fills labelmaps and shows one of them at a time, so each has a segmentation that draws its outline."""

    def __init__(self, case: OpenCase) -> None:
        self._case = case
        self._drawn: dict[str, Any] = {}
        """The labels whose outlines were drawn last, of annotators whose node is a labelmap."""

    def show(self, source: AnnotatorSource, *, shown: bool) -> None:
        if shown:
            self.update(source)
        display = self._display(source)
        if display is None:
            return
        if source.segmentId:  # others may be segments of the same node
            display.SetSegmentVisibility(source.segmentId, shown)
        if shown or not source.segmentId:
            display.SetVisibility(shown)

    def isShown(self, source: AnnotatorSource) -> bool:
        display = self._display(source)
        if display is None or not display.GetVisibility():
            return False
        return not source.segmentId or bool(display.GetSegmentVisibility(source.segmentId))

    def update(self, source: AnnotatorSource) -> None:
        """Makes the outline of a labelmap, or draws it anew where the labels are others now."""
        if source.node.IsA("vtkMRMLSegmentationNode") or not self._case.isReady:
            return
        case, labels = self._case, self._case.labels()[source.name]
        if self._drawn.get(source.name) is not labels:
            place = case.annotators.index(source.name)
            outlineLabelmap(case.folder, source.name, place, labels, case.geometry, case.classes)
            self._drawn[source.name] = labels

    def keepOnly(self, names: Collection[str]) -> None:
        """Takes the outlines of other labelmaps out of the scene: their annotators are not on the list any more."""
        self._drawn = {}
        for node in self._case.folder.nodes(Role.OUTLINE) if self._case.isOpen else []:
            tag = Tag.read(node)
            if tag is not None and tag.annotator not in names:
                removeNodes(node.GetScene(), [node])

    def _display(self, source: AnnotatorSource) -> Any:
        if source.node.IsA("vtkMRMLSegmentationNode"):
            return source.node.GetDisplayNode()
        outline = self._case.folder.find(Role.OUTLINE, annotator=source.name)
        return None if outline is None else outline.GetDisplayNode()
