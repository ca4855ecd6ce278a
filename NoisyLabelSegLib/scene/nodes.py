"""The tags by which the nodes of this module are found again, and their removal from a scene."""

from __future__ import annotations

import ctypes
import sys
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum

import vtk

from NoisyLabelSegLib.scene.arrays import Node

PREFIX = "NoisyLabelSeg."
IMAGE_REFERENCE = PREFIX + "image"
"""The node reference from every result to the image it belongs to."""
TRUTH_REFERENCE = PREFIX + "truth"
ANNOTATOR_REFERENCE = PREFIX + "annotator"
CORNER_TEXT = PREFIX + "corner"
"""The attribute of a slice node that holds the text for the corner of its view."""
_RUN = PREFIX + "run"


class Role(Enum):
    """What a node is in a review; the value is the node's attribute."""

    IMAGE = "image"
    ANNOTATOR = "annotator"
    ANNOTATORS = "annotators"
    """A segmentation node with one annotator per segment."""
    OUTLINE = "outline"
    """What an annotator drew in a labelmap, as a segmentation that the views draw as lines."""
    TRUTH = "truth"
    KNOWN_TRUTH = "knownTruth"
    EDITED_TRUTH = "editedTruth"
    """A truth that was edited or adjudicated and then replaced."""
    ADJUDICATED = "adjudicated"
    """The estimate or reference that decisions about a case begin with."""
    DECISIONS = "decisions"
    CONFLICTS = "conflicts"
    GRADES = "grades"
    """What somebody thinks of errors that a report shows."""
    DISPUTED = "disputed"
    """The region that is decided about."""
    PROBABILITY = "probability"
    CONFIDENCE = "veil"  # the value is part of saved scenes
    AGREEMENT = "agreement"
    """How many annotators marked each voxel."""
    DISAGREEMENT = "disagreement"
    """The entropy of the annotators' labels."""
    ERRORS = "errors"
    EXPECTED_ERRORS = "expectedErrors"
    DISTANCE = "distance"
    """The surface of the truth, colored by how far outside or inside an annotator drew."""
    REFERENCE = "reference"
    """One of two references that are compared; `label` says which."""
    DIFFERENCE = "difference"
    DRAWING = "drawing"
    """What a trainee draws before the truth is revealed; never an annotator."""
    STATISTICS = "statistics"
    MISTAKES = "mistakes"
    EXPORTED = "exported"
    """The truth as a labelmap for other modules; never an annotator."""
    CURVES = "curves"
    CURVE = "curve"
    CHART = "chart"


_ROLES = {role.value: role for role in Role}


@dataclass(frozen=True)
class Tag:
    """The attributes of a node. `label` tells nodes of the same role apart: a class, a channel, a kind of error."""

    role: Role
    case: str
    study: str = ""
    annotator: str = ""
    label: str = ""

    def write(self, node: Node) -> None:
        node.SetAttribute(PREFIX + "role", self.role.value)
        for name in ("case", "study", "annotator", "label"):
            node.SetAttribute(PREFIX + name, getattr(self, name) or None)

    @classmethod
    def read(cls, node: Node) -> Tag | None:
        """The node's tag, or None for a node that is not ours."""
        role = node.GetAttribute(PREFIX + "role")
        if role not in _ROLES:
            return None
        case, study, annotator, label = (
            node.GetAttribute(PREFIX + name) or "" for name in ("case", "study", "annotator", "label")
        )
        return cls(_ROLES[role], case, study, annotator, label)


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


def runs(scene: Node) -> list[str]:
    """The runs whose nodes are in the scene, oldest first."""
    names = (node.GetAttribute(_RUN) for node in scene.GetNodes())
    return list(dict.fromkeys(name for name in names if name))


def removeNodes(scene: Node, nodes: Iterable[Node]) -> None:
    """Removes the nodes with their display and storage nodes and items, and color tables of ours that none uses now."""
    hierarchy = scene.GetSubjectHierarchyNode()
    for node in list(nodes):
        for companion in sorted(_companions(node), key=lambda each: not each.IsA("vtkMRMLColorLegendDisplayNode")):
            scene.RemoveNode(companion)  # legends first: views look up the display node that they belong to
        item = hierarchy.GetItemByDataNode(node)
        if item:
            hierarchy.RemoveItem(item, False, False)  # the wheel keeps the item when its node goes
        if scene.IsNodePresent(node):
            scene.RemoveNode(node)
    _removeUnusedColors(scene)


def giveBackMemory() -> None:
    """Lets the system have the memory of removed volumes at once.

    The C library of Linux keeps freed blocks below 32 MB for later, hundreds of megabytes after a few large cases; a
    program that shows one case after the other would look as if it leaked. Elsewhere there is nothing to ask for.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


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
