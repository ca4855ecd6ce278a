"""The volume that people most probably mean when they come to the panel: the one that they look at."""

from __future__ import annotations

from typing import Any

from NoisyLabelSegLib.scene.candidates import findImages
from NoisyLabelSegLib.scene.layout import nodesOfClass


def probableVolume(scene: Any) -> Any:
    """The volume in the background of a slice view, else the first of the scene; None where there is none."""
    volumes = findImages(scene)
    shown = [composite.GetBackgroundVolumeID() for composite in nodesOfClass(scene, "vtkMRMLSliceCompositeNode")]
    return next((node for node in volumes if node.GetID() in shown), next(iter(volumes), None))
