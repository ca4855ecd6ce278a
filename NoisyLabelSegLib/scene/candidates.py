"""Searches a scene for what looks like a case: images on one grid, and those who outlined them."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.progress import finished
from NoisyLabelSegLib.scene.arrays import Node
from NoisyLabelSegLib.scene.layout import nodesOfClass
from NoisyLabelSegLib.scene.nodes import Role, Tag
from NoisyLabelSegLib.scene.placing import geometryOf
from NoisyLabelSegLib.scene.sources import AnnotatorSource, Box, maskedBox, segmentSources

_SHARED_PART = 0.5
"""Labels on another grid belong to a volume when at least this share of their box lies in its box."""


@dataclass(frozen=True)
class Candidate:
    """Volumes that can be channels of one case, and sources that look like annotators of it."""

    volumes: tuple[Node, ...]
    sources: tuple[AnnotatorSource, ...]

    @property
    def sentence(self) -> str:
        """For people: `3 annotators of MRHead: reader1, reader2, reader3`."""
        names = ", ".join(source.name for source in self.sources)
        count = "1 annotator" if len(self.sources) == 1 else f"{len(self.sources)} annotators"
        return f"{count} of {self.volumes[0].GetName()}: {names}"


def findCandidates(scene: Node) -> list[Candidate]:
    """The cases a scene seems to hold, those with most annotators first; results of earlier runs are left out."""
    return finished(findingCandidates(scene))


def findingCandidates(scene: Node) -> Generator[str, None, list[Candidate]]:
    """findCandidates() in steps: yields the name of what is looked at next."""
    groups = _channelGroups(findImages(scene))
    found: list[list[Node]] = [[] for _ in groups]
    for node in findLabels(scene):
        yield node.GetName()
        place = _bestGroup(node, groups)
        if place is not None:
            found[place].append(node)
    candidates = []
    for group, nodes in zip(groups, found, strict=True):
        sources: list[AnnotatorSource] = []
        for node in nodes:
            sources += yield from _sourcesOf(node, group[0])
        if nodes:
            candidates.append(Candidate(tuple(group), tuple(sources)))
    return sorted(candidates, key=lambda candidate: -len(candidate.sources))


def countLabels(scene: Node) -> tuple[int, int]:
    """How many nodes of a scene may be annotators, and the most classes that one of them has, background included."""
    nodes = findLabels(scene)
    counts = [node.GetSegmentation().GetNumberOfSegments() for node in nodes if node.IsA("vtkMRMLSegmentationNode")]
    return len(nodes), 1 + max(counts, default=1)


def untaggedLabels(scene: Node, volume: Node) -> list[Node]:
    """Labelmaps and segmentations that lie on a volume and belong to no case of ours."""
    return [node for node in findLabels(scene) if Tag.read(node) is None and _bestGroup(node, [[volume]]) is not None]


def findImages(scene: Node) -> list[Node]:
    """The volumes that may be images of cases."""
    return [node for node in nodesOfClass(scene, "vtkMRMLScalarVolumeNode") if _isImage(node)]


def _isImage(node: Node) -> bool:
    tag = Tag.read(node)
    isPlain = node.IsA("vtkMRMLScalarVolumeNode") and not node.IsA("vtkMRMLLabelMapVolumeNode")
    hasVoxels = node.GetImageData() is not None and node.GetImageData().GetNumberOfPoints() > 0
    return bool(isPlain and hasVoxels and (tag is None or tag.role is Role.IMAGE))


def findLabels(scene: Node) -> list[Node]:
    """The labelmaps and segmentations that may be of annotators."""
    nodes = [
        *(node for node in nodesOfClass(scene, "vtkMRMLLabelMapVolumeNode") if node.GetImageData() is not None),
        *(
            node
            for node in nodesOfClass(scene, "vtkMRMLSegmentationNode")
            if node.GetSegmentation().GetNumberOfSegments()
        ),
    ]
    tags = [Tag.read(node) for node in nodes]
    annotators = (Role.ANNOTATOR, Role.ANNOTATORS)
    return [node for node, tag in zip(nodes, tags, strict=True) if tag is None or tag.role in annotators]


def _channelGroups(volumes: Sequence[Node]) -> list[list[Node]]:
    """Volumes on the same grid under the same transform, together."""
    groups: list[list[Node]] = []
    for volume in volumes:
        for group in groups:
            if _sameGrid(volume, group[0]):
                group.append(volume)
                break
        else:
            groups.append([volume])
    return groups


def _sameGrid(one: Node, other: Node) -> bool:
    sameTransform = one.GetParentTransformNode() is other.GetParentTransformNode()
    return sameTransform and not geometryOf(other).differences(geometryOf(one))


def _bestGroup(node: Node, groups: Sequence[Sequence[Node]]) -> int | None:
    """The group a label node belongs to: by its grid or its reference volume, else by where it lies."""
    isSegmentation = node.IsA("vtkMRMLSegmentationNode")
    for place, group in enumerate(groups):
        if isSegmentation:
            reference = node.GetNodeReference(node.GetReferenceImageGeometryReferenceRole())
            if any(volume is reference for volume in group):
                return place
        elif _sameGrid(node, group[0]):
            return place
    shares = [_sharedPart(node, group[0]) for group in groups]
    best = int(np.argmax(shares)) if shares else 0
    return best if shares and shares[best] >= _SHARED_PART else None


def _sharedPart(node: Node, volume: Node) -> float:
    """How much of a node's box lies in the box of a volume, both in the world."""
    inner, outer = np.zeros(6), np.zeros(6)
    node.GetRASBounds(inner)
    volume.GetRASBounds(outer)
    low, high = np.maximum(inner[::2], outer[::2]), np.minimum(inner[1::2], outer[1::2])
    sizes = np.maximum(inner[1::2] - inner[::2], 1e-6)  # a flat outline still lies somewhere
    return float(np.prod(np.clip((high - low) / sizes, 0, 1)))


def _sourcesOf(node: Node, volume: Node) -> Generator[str, None, list[AnnotatorSource]]:
    """One annotator per node, or one per segment where the segments overlap, as classes of one person would not."""
    tag = Tag.read(node)
    if tag is not None and tag.role is Role.ANNOTATOR:
        return [AnnotatorSource(tag.annotator, node)]
    segments = segmentSources(node) if node.IsA("vtkMRMLSegmentationNode") else []
    if tag is not None or (yield from _overlap(segments, volume)):
        return segments
    return [AnnotatorSource(plainName(node, volume), node)]


def _overlap(segments: Sequence[AnnotatorSource], volume: Node) -> Generator[str, None, bool]:
    """Whether any two segments share at least half of the smaller one; those of one labelmap cannot."""
    if len(segments) < 2 or segments[0].node.GetSegmentation().GetNumberOfLayers() == 1:
        return False
    masks, sizes = [], []
    for segment in segments:
        yield segment.name
        masks.append(maskedBox(segment, volume))
        sizes.append(np.count_nonzero(masks[-1][0]))
    for one, other in combinations(range(len(masks)), 2):
        smaller = min(sizes[one], sizes[other])
        if smaller and _shared(masks[one], masks[other]) >= smaller / 2:
            return True
        yield segments[one].name
    return False


def _shared(one: tuple[NDArray[np.bool_], Box], other: tuple[NDArray[np.bool_], Box]) -> int:
    """How many voxels two masks share, each given within its box of the same grid."""
    common = [(max(a.start, b.start), min(a.stop, b.stop)) for a, b in zip(one[1], other[1], strict=True)]
    if any(low >= high for low, high in common):
        return 0
    parts = [
        mask[tuple(slice(low - side.start, high - side.start) for (low, high), side in zip(common, box, strict=True))]
        for mask, box in (one, other)
    ]
    return int(np.count_nonzero(parts[0] & parts[1]))


def plainName(node: Node, volume: Node) -> str:
    """The node's name without that of the volume in front and without "label" or "segmentation" behind."""
    name: str = node.GetName().removeprefix(volume.GetName()).strip(" _-.")
    for ending in ("segmentation", "label", "labels", "seg"):
        if name.lower().endswith(ending) and name[: -len(ending)].strip(" _-."):
            name = name[: -len(ending)].strip(" _-.")
    return name or str(node.GetName())
