"""The panel's work for scripts: no widget is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from NoisyLabelSegLib.fusion import fuse
from NoisyLabelSegLib.scene.results import ResultNodes
from NoisyLabelSegLib.scene.scene_case import adoptNodes, caseFromScene
from NoisyLabelSegLib.scene.sources import AnnotatorSource


def fuseNodes(scene: Any, volume: Any, annotatorNodes: Sequence[Any], method: str = "staple") -> Any:
    """Fuses labelmap or segmentation nodes of a volume; returns the segmentation node of the estimated truth."""
    sources = [AnnotatorSource(node.GetName(), node) for node in annotatorNodes]
    found = caseFromScene([volume], sources)
    folder = adoptNodes(scene, found.case.id, [volume], sources)
    fusion = fuse(found.case.all_labels(found.case.annotators), method, classes=len(found.classes))
    nodes = ResultNodes(folder, found.case.geometry, found.classes)
    nodes.probability(fusion.probabilities)
    return nodes.truth(fusion.labels)
