"""Segmentations of the scene that annotators can be compared with, in place of an estimate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.scene.arrays import Node
from NoisyLabelSegLib.scene.candidates import plainName, untaggedLabels
from NoisyLabelSegLib.scene.colors import classColor
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.nodes import Role, Tag
from NoisyLabelSegLib.scene.segments import fillSegmentation, showAsOutline
from NoisyLabelSegLib.scene.sources import AnnotatorSource

SCENE = "scene:"
"""How the names of these references begin, so that none is taken for a method."""
KNOWN = SCENE + "known"
_ANNOTATOR, _COPY, _NODE = SCENE + "annotator:", SCENE + "copy:", SCENE + "node:"


@dataclass(frozen=True)
class Reference:
    """A segmentation of the scene; `key` is its name among the methods, `annotator` who drew it, if on the list."""

    key: str
    title: str
    source: AnnotatorSource
    annotator: str = ""


def referencesOf(folder: CaseFolder, annotators: Sequence[AnnotatorSource]) -> list[Reference]:
    """The known truth, what every annotator drew, truths that were replaced, and other segmentations on the image."""
    return list(_references(folder, annotators))


def _references(folder: CaseFolder, annotators: Sequence[AnnotatorSource]) -> Iterator[Reference]:
    known = folder.find(Role.KNOWN_TRUTH)
    if known is not None:
        yield Reference(KNOWN, "the known truth", AnnotatorSource("known truth", known))
    for source in annotators:
        yield Reference(f"{_ANNOTATOR}{source.name}", source.name, source, source.name)
    for node in folder.nodes(Role.EDITED_TRUTH):
        tag = Tag.read(node)
        label = "" if tag is None else tag.label
        yield Reference(f"{_COPY}{label}", node.GetName(), AnnotatorSource(node.GetName(), node))
    mine = {source.node.GetID() for source in annotators}
    for node in untaggedLabels(folder.scene, folder.image) if folder.image is not None else []:
        if node.GetID() not in mine:
            name = plainName(node, folder.image)
            yield Reference(f"{_NODE}{node.GetName()}", name, AnnotatorSource(name, node))


def keepCopy(
    folder: CaseFolder, labels: NDArray[np.uint8], geometry: Geometry, classes: Sequence[str], title: str
) -> Node:
    """A truth that is about to be replaced, as a hidden segmentation of its own; `title` says how it came about."""
    number = str(len(folder.nodes(Role.EDITED_TRUTH)) + 1)
    name = f"{folder.case} earlier truth {number}"
    node = folder.put("vtkMRMLSegmentationNode", Role.EDITED_TRUTH, name, label=number)
    colors = [classColor(label) for label in range(1, len(classes))]
    fillSegmentation(node, labels, geometry, classes[1:], colors)
    node.SetDescription(title)
    showAsOutline(node)
    node.GetDisplayNode().SetVisibility(False)
    return node
