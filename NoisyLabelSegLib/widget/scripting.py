"""The panel's work for scripts: no widget is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from NoisyLabelSegLib.fusion import DEFAULT, fuse
from NoisyLabelSegLib.scene.nodes import Tag
from NoisyLabelSegLib.scene.results import ResultNodes
from NoisyLabelSegLib.scene.scene_case import adoptNodes, caseFromScene
from NoisyLabelSegLib.scene.sources import AnnotatorSource


def fuseNodes(scene: Any, volume: Any, annotatorNodes: Sequence[Any], method: str = DEFAULT) -> Any:
    """Fuses labelmap or segmentation nodes of a volume; returns the segmentation node of the estimated truth."""
    sources = [AnnotatorSource(node.GetName(), node) for node in annotatorNodes]
    found = caseFromScene([volume], sources)
    tag = Tag.read(volume)
    case, study = (tag.case, tag.study) if tag is not None else (found.case.id, "")
    folder = adoptNodes(scene, case, [volume], sources, study=study)
    fusion = fuse(found.case.all_labels(found.case.annotators), method, classes=len(found.classes))
    nodes = ResultNodes(folder, found.case.geometry, found.classes)
    nodes.probability(fusion.probabilities)
    return nodes.truth(fusion.labels)
