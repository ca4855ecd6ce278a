"""What "Add from scene" finds: labelmaps and segmentations of a volume, or labels that were loaded without an image."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from slicer.i18n import tr as _

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.scene.candidates import findImages, findingCandidates
from NoisyLabelSegLib.scene.case_images import addEmptyImage
from NoisyLabelSegLib.scene.sources import AnnotatorSource
from NoisyLabelSegLib.widget.work import told


def volumeForLabels(scene: Any) -> Any:
    """An empty volume for the labels of a scene that holds no image; where it holds one, people are to choose."""
    if findImages(scene):
        raise UserError(_("No volume is chosen"), remedy=_("choose the image that was outlined"))
    return addEmptyImage(scene)


def findingNew(
    scene: Any, volume: Any, before: Sequence[AnnotatorSource]
) -> Generator[str, None, tuple[tuple[Any, ...], list[AnnotatorSource]]]:
    """The channels that belong to a volume, and who outlined it and is not known yet, in steps."""
    known = {(source.node.GetID(), source.segmentId) for source in before}
    candidates = yield from told(_("Looking at {step}..."), findingCandidates(scene))
    found = [candidate for candidate in candidates if volume in candidate.volumes]
    new = [
        each for candidate in found for each in candidate.sources if (each.node.GetID(), each.segmentId) not in known
    ]
    if not new:
        raise UserError(
            f"No further labelmap or segmentation in the scene lies on {volume.GetName()}",
            remedy="load one, or open the demo case",
        )
    return found[0].volumes, new
