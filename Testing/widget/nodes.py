"""Nodes as people have them in a scene, and edits as they make them."""

from __future__ import annotations

import numpy as np
import slicer

from NoisyLabelSegLib.scene.arrays import imageFromArray
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.placing import geometryOf, ijkToRas, orientedImage
from NoisyLabelSegLib.scene.segments import BINARY_LABELMAP, fillSegmentation


def labelmap(array, name):
    return slicer.util.addVolumeFromArray(array, name=name, nodeClassName="vtkMRMLLabelMapVolumeNode")


def segmentation(name, masks, volume):
    """A segmentation node with a segment per name, from masks (z, y, x), which may overlap."""
    node = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSegmentationNode", name)
    node.CreateDefaultDisplayNodes()
    node.SetNodeReferenceID(node.GetReferenceImageGeometryReferenceRole(), volume.GetID())
    for segmentName, mask in masks.items():
        segment = slicer.vtkSegment()
        segment.SetName(segmentName)
        image = orientedImage(imageFromArray(mask.astype(np.uint8)), ijkToRas(geometryOf(volume)))
        segment.AddRepresentation(BINARY_LABELMAP, image)
        node.GetSegmentation().AddSegment(segment)
    return node


def edit(panel):
    """Adds a block of voxels to the truth, as somebody does in Segment Editor; returns how many voxels it has then."""
    labels, node = panel.case.savedTruth(), panel.case.folder.find(Role.TRUTH)
    labels[0:2, 0:5, 0:5] = 1
    fillSegmentation(node, labels, panel.case.geometry, panel.case.classes[1:], [(1.0, 1.0, 0.0)])
    return int(np.count_nonzero(labels))


def voxels(panel):
    return int(np.count_nonzero(panel.case.savedTruth()))
