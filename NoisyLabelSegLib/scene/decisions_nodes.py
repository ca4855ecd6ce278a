"""Decisions about disagreements in the scene: a text node per case, so that they are saved with it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import slicer
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.decisions import Conflict, Decisions
from NoisyLabelSegLib.metrics.components import Box
from NoisyLabelSegLib.scene.arrays import Node, imageFromArray
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.nodes import PREFIX, Role, Tag, removeNodes
from NoisyLabelSegLib.scene.placing import ijkToRas, orientedImage
from NoisyLabelSegLib.scene.segments import BINARY_LABELMAP, setReferenceGeometry

_COUNT, _LEFT = PREFIX + "disagreements", PREFIX + "undecided"
_REGION, _REGION_COLOR, _REGION_OPACITY = "region", (0.2, 0.8, 1.0), 0.2


@dataclass(frozen=True)
class StoredDecisions:
    """What the scene holds about an adjudicated case; `count` disagreements, of which `undecided` are left."""

    decisions: Decisions
    conflicts: tuple[Conflict, ...] = ()
    count: int = 0
    undecided: int = 0


def storedDecisions(folder: CaseFolder) -> StoredDecisions | None:
    """The decisions about a case, None where nobody has decided anything."""
    node = folder.find(Role.DECISIONS)
    if node is None or not node.GetText():
        return None
    pairs = folder.find(Role.CONFLICTS)
    entries = Decisions.from_text(pairs.GetText()).decisions if pairs is not None and pairs.GetText() else ()
    conflicts = tuple(Conflict(*pair) for pair in zip(entries[::2], entries[1::2], strict=True))
    count, left = (int(node.GetAttribute(name) or 0) for name in (_COUNT, _LEFT))
    return StoredDecisions(Decisions.from_text(node.GetText()), conflicts, count, left)


def storeDecisions(folder: CaseFolder, stored: StoredDecisions) -> Node:
    """Puts decisions into the scene in place of those that it holds about the case."""
    node = folder.put("vtkMRMLTextNode", Role.DECISIONS, f"{folder.case} decisions")
    node.SetText(stored.decisions.text())
    node.SetForceCreateStorageNode(True)
    node.SetAttribute(_COUNT, str(stored.count))
    node.SetAttribute(_LEFT, str(stored.undecided))
    entries = [decision for conflict in stored.conflicts for decision in (conflict.first, conflict.second)]
    if entries or folder.find(Role.CONFLICTS) is not None:
        pairs = folder.put("vtkMRMLTextNode", Role.CONFLICTS, f"{folder.case} conflicts")
        pairs.SetText(replace(stored.decisions, decisions=tuple(entries)).text())
    return node


def retireDecisions(folder: CaseFolder) -> None:
    """Keeps the decisions about a reference that is replaced as text, apart from those about the new one."""
    node = folder.find(Role.DECISIONS)
    if node is not None:
        number = len([each for each in folder.nodes(Role.DECISIONS) if each is not node]) + 1
        Tag(Role.DECISIONS, folder.case, folder.study, label=f"replaced {number}").write(node)
        node.SetName(f"{folder.case} decisions, replaced {number}")
    removeNodes(folder.scene, folder.nodes(Role.ADJUDICATED, Role.CONFLICTS, Role.DISPUTED))


def showDisagreement(folder: CaseFolder, box: Box, mask: NDArray[np.bool_], geometry: Geometry) -> Node:
    """Marks one disagreement in the views: `mask` lies at `box` in the volume."""
    node = folder.put("vtkMRMLSegmentationNode", Role.DISPUTED, f"{folder.case} disagreement")
    setReferenceGeometry(node, geometry)
    parts = box if len(box) == 3 else (slice(0, 1), *box)
    image = imageFromArray(mask.astype(np.uint8))
    image.SetExtent(*[bound for part in reversed(parts) for bound in (part.start, part.stop - 1)])
    segmentation = node.GetSegmentation()
    segment = segmentation.GetSegment(_REGION)
    isNew = segment is None
    if isNew:
        segment = slicer.vtkSegment()
        segment.SetName("disagreement")
        segment.SetColor(*_REGION_COLOR)
    segment.RemoveAllRepresentations()
    segment.AddRepresentation(BINARY_LABELMAP, orientedImage(image, ijkToRas(geometry)))
    if isNew:
        segmentation.AddSegment(segment, _REGION)
        node.CreateDefaultDisplayNodes()
        node.GetDisplayNode().SetOpacity2DFill(_REGION_OPACITY)
        node.GetDisplayNode().SetVisibility2DOutline(False)
        node.GetDisplayNode().SetVisibility3D(False)
    node.GetDisplayNode().SetVisibility(True)
    return node


def hideDisagreement(folder: CaseFolder) -> None:
    removeNodes(folder.scene, folder.nodes(Role.DISPUTED))
