"""Layouts with one slice view per annotator, and the way back to what the views showed before."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any
from xml.etree import ElementTree

import vtk

from NoisyLabelSegLib.scene.arrays import Node
from NoisyLabelSegLib.scene.colors import drawable

LAYOUT_ID = 7430
"""The id of our layout; Slicer's own are below 100, and so are few of other extensions' in the thousands."""
VIEW_GROUP = 74
"""Views of one group are linked among themselves and apart from Slicer's standard views."""
_TITLE_LETTERS = 40
"""How many letters of titles fit beside each other above the views."""
ORIENTATIONS = ("Axial", "Coronal", "Sagittal")
_REMEMBERED: dict[str, tuple[str, ...]] = {
    "vtkMRMLSliceCompositeNode": (
        "BackgroundVolumeID",
        "ForegroundVolumeID",
        "LabelVolumeID",
        "ForegroundOpacity",
        "LabelOpacity",
        "LinkedControl",
    ),
    "vtkMRMLSliceNode": ("UseLabelOutline",),
    "vtkMRMLCrosshairNode": ("CrosshairMode",),
    "vtkMRMLColorLegendDisplayNode": ("Visibility", "ViewNodeIDs"),
    "vtkMRMLSegmentationDisplayNode": ("Visibility", "ViewNodeIDs"),
}
"""The properties, by node class, that a review may change."""


class ViewMemory:
    """Takes note of layers, positions, crosshair and visibilities when made; restore() brings them back."""

    def __init__(self, scene: Node) -> None:
        self._scene = scene
        self._values: dict[str, dict[str, Any]] = {}
        for className, properties in _REMEMBERED.items():
            for node in nodesOfClass(scene, className):
                self._values[node.GetID()] = {name: getattr(node, f"Get{name}")() for name in properties}
        self._places = {node.GetID(): _placeOf(node) for node in nodesOfClass(scene, "vtkMRMLSliceNode")}

    def restore(self) -> None:
        """Nodes that are gone stay gone; views that were made since show nothing."""
        for id, values in self._values.items():
            node = self._scene.GetNodeByID(id)
            if node is not None:
                for name, value in values.items():
                    getattr(node, f"Set{name}")(self._present(name, value))
        for node in nodesOfClass(self._scene, "vtkMRMLSliceCompositeNode"):
            if node.GetID() not in self._values:
                for layer in ("Background", "Foreground", "Label"):
                    getattr(node, f"Set{layer}VolumeID")(None)
        for id, (matrix, fieldOfView) in self._places.items():
            node = self._scene.GetNodeByID(id)
            if node is not None:
                node.GetSliceToRAS().DeepCopy(matrix)
                node.SetFieldOfView(*fieldOfView)
                node.UpdateMatrices()

    def _present(self, name: str, value: Any) -> Any:
        """The value, or None for the id of a volume that was removed meanwhile."""
        return None if name.endswith("VolumeID") and value and self._scene.GetNodeByID(value) is None else value


def viewName(index: int) -> str:
    """The name of the view at this place of the grid, which is the singleton tag of its nodes."""
    return f"NoisyLabelSeg{index + 1}"


def columnsFor(count: int) -> int:
    """How many views stand beside each other, so that the grid is about square and rather wide than high."""
    return math.ceil(math.sqrt(count))


def viewTitles(names: Sequence[str]) -> list[str]:
    """The names, cut so that they fit above the views; those that are the same then have their number in front."""
    titles = [drawable(name, max(8, _TITLE_LETTERS // columnsFor(len(names)))) for name in names]
    return [f"{n}: {title}" if titles.count(title) > 1 else title for n, title in enumerate(titles, 1)]


def layoutXml(names: Sequence[str], planes: Sequence[str] = ("Axial",)) -> str:
    """The description of a grid with slice views per name, in Slicer's layout language.

    With several planes every name has a row, and every plane a column.
    """
    for plane in planes:
        if plane not in ORIENTATIONS:
            raise ValueError(f"{plane} is not one of {', '.join(ORIENTATIONS)}")
    columns = columnsFor(len(names)) if len(planes) == 1 else len(planes)
    layout = ElementTree.Element("layout", type="grid")
    for index, (name, plane) in enumerate(product(names, planes)):
        item = ElementTree.SubElement(
            layout, "item", row=str(index // columns), column=str(index % columns), multiple="false"
        )
        view = ElementTree.SubElement(item, "view", {"class": "vtkMRMLSliceNode", "singletontag": viewName(index)})
        properties = {"orientation": plane, "viewlabel": name, "viewgroup": str(VIEW_GROUP)}
        for key, value in properties.items():
            ElementTree.SubElement(view, "property", name=key, action="default").text = value
    return ElementTree.tostring(layout, encoding="unicode")


def arrangementOf(scene: Node) -> int | None:
    """The number of the layout that is shown; None where Slicer runs without a main window."""
    layout = scene.GetFirstNodeByClass("vtkMRMLLayoutNode")
    return None if layout is None else int(layout.GetViewArrangement())


def arrange(scene: Node, arrangement: int) -> None:
    """Shows the layout of this number, where there is a main window."""
    layout = scene.GetFirstNodeByClass("vtkMRMLLayoutNode")
    if layout is not None:
        layout.SetViewArrangement(arrangement)


def nodesOfClass(scene: Node, className: str) -> list[Node]:
    collection = scene.GetNodesByClass(className)
    collection.UnRegister(None)
    return list(collection)


def _placeOf(sliceNode: Node) -> tuple[Node, tuple[float, ...]]:
    matrix = vtk.vtkMatrix4x4()
    matrix.DeepCopy(sliceNode.GetSliceToRAS())
    return matrix, tuple(sliceNode.GetFieldOfView())
