"""Takes nodes out of a scene together with what exists only for them, and takes back whole runs."""

from __future__ import annotations

import ctypes
import sys
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import vtk

from NoisyLabelSegLib.scene.arrays import Node
from NoisyLabelSegLib.scene.roles import PREFIX

_RUN = PREFIX + "run"


def removeNodes(scene: Node, nodes: Iterable[Node]) -> None:
    """Removes the nodes with their display and storage nodes and items, and color tables of ours that none uses now."""
    hierarchy = scene.GetSubjectHierarchyNode()
    for node in list(nodes):
        for companion in _companions(node):
            scene.RemoveNode(companion)
        item = hierarchy.GetItemByDataNode(node)
        if item:
            hierarchy.RemoveItem(item, False, False)  # the wheel keeps the item when its node goes
        if scene.IsNodePresent(node):
            scene.RemoveNode(node)
    _removeUnusedColors(scene)


@contextmanager
def run(scene: Node) -> Iterator[str]:
    """Marks every node that the block adds, and yields the run's name for undoRun, also for a scene saved meanwhile."""
    name = uuid.uuid4().hex
    before = {node.GetID() for node in scene.GetNodes()}
    folders = set(_items(scene))
    try:
        yield name
    finally:
        for node in scene.GetNodes():
            if node.GetID() not in before:
                node.SetAttribute(_RUN, name)
        for item in set(_items(scene)) - folders:
            scene.GetSubjectHierarchyNode().SetItemAttribute(item, _RUN, name)


def undoRun(scene: Node, name: str) -> None:
    """Removes exactly what the run added; what it only changed stays as it is now."""
    added = [node for node in scene.GetNodes() if node.GetAttribute(_RUN) == name]
    removeNodes(scene, [node for node in added if not node.GetAttribute(PREFIX + "colors")])  # others may use these
    hierarchy = scene.GetSubjectHierarchyNode()
    for item in reversed(_items(scene)):
        if hierarchy.GetItemAttribute(item, _RUN) == name and not hierarchy.GetNumberOfItemChildren(item):
            hierarchy.RemoveItem(item)
    giveBackMemory()


def giveBackMemory() -> None:
    """Lets the system have the memory of removed volumes at once.

    The C library of Linux keeps freed blocks below 32 MB for later, hundreds of megabytes after a few large cases; a
    program that shows one case after the other would look as if it leaked. Elsewhere there is nothing to ask for.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def runs(scene: Node) -> list[str]:
    """The runs whose nodes are in the scene, oldest first."""
    names = (node.GetAttribute(_RUN) for node in scene.GetNodes())
    return list(dict.fromkeys(name for name in names if name))


def _companions(node: Node) -> list[Node]:
    """Display nodes (legends are among them) and storage nodes of a node."""
    found = []
    for kind in ("Display", "Storage"):
        count = getattr(node, f"GetNumberOf{kind}Nodes", None)
        if count is not None:
            found += [getattr(node, f"GetNth{kind}Node")(index) for index in range(count())]
    return [companion for companion in found if companion is not None]


def _removeUnusedColors(scene: Node) -> None:
    used = {node.GetColorNodeID() for node in scene.GetNodes() if node.IsA("vtkMRMLDisplayNode")}
    for node in list(scene.GetNodes()):
        if node.GetAttribute(PREFIX + "colors") and node.GetID() not in used:
            for companion in _companions(node):
                scene.RemoveNode(companion)
            scene.RemoveNode(node)


def _items(scene: Node) -> list[int]:
    hierarchy = scene.GetSubjectHierarchyNode()
    items = vtk.vtkIdList()
    hierarchy.GetItemChildren(hierarchy.GetSceneItemID(), items, True)
    return [items.GetId(index) for index in range(items.GetNumberOfIds())]
