"""DICOM SEG objects of a DICOM database that refer to a loaded series, as segmentation nodes on its volume."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
import slicer

from NoisyLabelSegLib.cases.dicom_seg import read_dicom_seg, references
from NoisyLabelSegLib.scene.arrays import Node, imageFromArray
from NoisyLabelSegLib.scene.colors import classColor
from NoisyLabelSegLib.scene.placing import geometryOf, ijkToRas, orientedImage
from NoisyLabelSegLib.scene.segments import BINARY_LABELMAP, setReferenceGeometry, showAsOutline

MODALITY, SERIES, STUDY = "0008,0060", "0020,000e", "0020,000d"
DESCRIPTION, CREATOR = "0008,103e", "0070,0084"
INSTANCES = "DICOM.instanceUIDs"
"""The attribute of a volume node that DICOM import sets."""
SOURCE = "NoisyLabelSeg.dicomSeg"
"""The attribute of a segmentation node that names the SEG object it was read from."""


def segsOf(database: Any, volume: Node) -> list[Path]:
    """The files of all SEG objects in a ctkDICOMDatabase that refer to the series a volume was loaded from."""
    instances = (volume.GetAttribute(INSTANCES) or "").split()
    file = database.fileForInstance(instances[0]) if instances else ""
    if not file:
        return []
    series = database.fileValue(file, SERIES)
    found = []
    for other in database.seriesForStudy(database.fileValue(file, STUDY)):
        for path in database.filesForSeries(other):
            if database.fileValue(path, MODALITY) != "SEG":
                break
            names = references(path)
            if series in names.series or not names.instances.isdisjoint(instances):
                found.append(Path(path))
    return sorted(found)


def addingSegs(scene: Node, database: Any, volume: Node) -> Generator[str, None, list[Node]]:
    """A segmentation node for every SEG of segsOf() that the scene does not hold yet, in steps that yield its name."""
    known = {node.GetAttribute(SOURCE) for node in scene.GetNodes() if node.IsA("vtkMRMLSegmentationNode")}
    added = []
    for path in segsOf(database, volume):
        if str(path.name) in known:
            continue
        name = database.fileValue(str(path), CREATOR) or database.fileValue(str(path), DESCRIPTION) or path.stem
        yield name
        added.append(_add(scene, path, volume, name))
    return added


def _add(scene: Node, path: Path, volume: Node, name: str) -> Node:
    geometry = geometryOf(volume)
    found = read_dicom_seg(path, images=geometry)
    node = scene.AddNewNodeByClass("vtkMRMLSegmentationNode", scene.GenerateUniqueName(name))
    node.CreateDefaultDisplayNodes()
    setReferenceGeometry(node, geometry)
    node.SetNodeReferenceID(node.GetReferenceImageGeometryReferenceRole(), volume.GetID())
    node.SetAttribute(SOURCE, path.name)
    for place, each in enumerate(found.segments):
        segment = slicer.vtkSegment()
        segment.SetName(each.name)
        segment.SetColor(*(each.color or classColor(place + 1)))
        mask = (found.layers[each.layer] == each.value).astype(np.uint8)
        segment.AddRepresentation(BINARY_LABELMAP, orientedImage(imageFromArray(mask), ijkToRas(found.geometry)))
        node.GetSegmentation().AddSegment(segment)
    showAsOutline(node, thickness=1)
    return node
