"""Remembers what the views showed, so that a review can be left without a trace in them."""

from __future__ import annotations

from typing import Any

import vtk

from NoisyLabelSegLib.scene.arrays import Node

_REMEMBERED: dict[str, tuple[str, ...]] = {
    "vtkMRMLSliceCompositeNode": (
        "BackgroundVolumeID",
        "ForegroundVolumeID",
        "LabelVolumeID",
        "ForegroundOpacity",
        "LabelOpacity",
        "LinkedControl",
    ),
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


def nodesOfClass(scene: Node, className: str) -> list[Node]:
    collection = scene.GetNodesByClass(className)
    collection.UnRegister(None)
    return list(collection)


def _placeOf(sliceNode: Node) -> tuple[Node, tuple[float, ...]]:
    matrix = vtk.vtkMatrix4x4()
    matrix.DeepCopy(sliceNode.GetSliceToRAS())
    return matrix, tuple(sliceNode.GetFieldOfView())
