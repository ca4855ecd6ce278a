"""The volume that people most probably mean when they come to the panel: the one that they look at."""

from __future__ import annotations

from typing import Any

from NoisyLabelSegLib.scene.layout import nodesOfClass
from NoisyLabelSegLib.scene.nodes import Role, Tag


def probableVolume(scene: Any) -> Any:
    """The volume in the background of a slice view, else the first of the scene; None where there is none."""
    volumes = [node for node in nodesOfClass(scene, "vtkMRMLScalarVolumeNode") if _isImage(node)]
    shown = [composite.GetBackgroundVolumeID() for composite in nodesOfClass(scene, "vtkMRMLSliceCompositeNode")]
    return next((node for node in volumes if node.GetID() in shown), next(iter(volumes), None))


def _isImage(node: Any) -> bool:
    """Whether a volume is an image: no labels, and no result of ours."""
    tag = Tag.read(node)
    isOurs = tag is not None and tag.role is not Role.IMAGE
    return not (isOurs or node.IsA("vtkMRMLLabelMapVolumeNode") or node.GetHideFromEditors())
