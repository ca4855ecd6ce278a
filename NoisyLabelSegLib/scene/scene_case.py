"""A case made of nodes of the scene, to be fused and reviewed like one that comes from files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Annotation, Case, Image
from NoisyLabelSegLib.cases.label_findings import Marked
from NoisyLabelSegLib.cases.label_matches import LabelMatch, merge_labels, proposed_matches
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.progress import finished
from NoisyLabelSegLib.scene.arrays import Node, arrayOf
from NoisyLabelSegLib.scene.case_images import NO_IMAGE_REMARK, isEmpty
from NoisyLabelSegLib.scene.colors import RGB, annotatorColor
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.placing import geometryOf
from NoisyLabelSegLib.scene.segments import showAsOutline
from NoisyLabelSegLib.scene.sources import AnnotatorSource, className, readingLabels, segmentSources


@dataclass(frozen=True)
class SceneCase:
    """A case in memory, its classes (background first), and sentences about what had to be done to the labels."""

    case: Case
    classes: tuple[str, ...]
    remarks: tuple[str, ...] = ()
    resampled: tuple[str, ...] = ()
    """The annotators whose labels are on another grid than the image."""
    values: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """The classes above 0 that occur, by annotator."""

    @property
    def proposals(self) -> list[LabelMatch]:
        """Labels that probably mean the same although they are different classes."""
        marked = [Marked(self.case.id, name, tuple(sorted(each))) for name, each in self.values.items()]
        return proposed_matches(marked, self.classes)


def matched(found: SceneCase, matches: Iterable[LabelMatch], names: Mapping[str, str]) -> SceneCase:
    """The same case with matched labels as one class, and classes under other names (by their names before)."""
    matches, case = list(matches), found.case
    if not matches and not names:
        return found
    before = {name: case.readings(name)[0] for name in case.annotators}
    labels, classes = merge_labels(before, found.classes, matches)
    annotations = {
        name: each if labels[name] is before[name] else replace(each, source=Image(labels[name], case.geometry))
        for name, each in case.annotations.items()
    }
    values = {name: frozenset(_valuesIn(array) - {0}) for name, array in labels.items()} if matches else found.values
    return replace(
        found,
        case=replace(case, annotations=annotations, classes=len(classes)),
        classes=tuple(names.get(each, each) for each in classes),
        values=values,
    )


def caseFromScene(
    volumes: Sequence[Node], sources: Iterable[AnnotatorSource], *, id: str = "", classes: Sequence[str] = ()
) -> SceneCase:
    """The volumes are the channels; the first sets the grid, and the others must be on it already.

    Classes are those given, or the names of the segments, or as many as there are labels. Two annotators of the same
    name are told apart by a number. Image voxels are shared with the nodes, labels are copies.
    """
    return finished(readingCase(volumes, sources, id=id, classes=classes))


def readingCase(
    volumes: Sequence[Node], sources: Iterable[AnnotatorSource], *, id: str = "", classes: Sequence[str] = ()
) -> Generator[str, None, SceneCase]:
    """caseFromScene() in steps: yields the name of every annotator before reading the labels."""
    if not volumes:
        raise UserError("No volume is chosen", remedy="choose the image that was outlined")
    reference = volumes[0]
    grid = geometryOf(reference)
    images = tuple(_channel(volume, reference) for volume in volumes if not isEmpty(volume))
    named = _withUniqueNames(list(sources))
    segmentNames = tuple(classes) or _segmentClasses(named)
    found, values = {}, {}
    for source in named:
        found[source.name] = yield from readingLabels(source, reference, segmentNames)
        yield source.name
        values[source.name] = _valuesIn(found[source.name].labels)
    masks = _masksOf255(values)
    for name in masks:
        yield name
        labels = found[name].labels
        labels[labels == 255] = 1
        values[name] = {0, 1}
    remarks = [] if images else [NO_IMAGE_REMARK]
    remarks += [remark for each in found.values() for remark in each.remarks]
    if masks:
        remarks.append(f"{', '.join(masks)}: 255 is taken as class 1, since these are masks of 0 and 255.")
    names = segmentNames or _plainClasses(max((max(each) for each in values.values()), default=1))
    annotations = {name: Annotation(Image(each.labels, grid)) for name, each in found.items()}
    case = Case(id or reference.GetName(), images, annotations, classes=len(names))
    resampled = tuple(name for name, each in found.items() if each.resampled)
    return SceneCase(
        case, names, tuple(remarks), resampled, {name: frozenset(each - {0}) for name, each in values.items()}
    )


def caseOfFolder(folder: CaseFolder, *, classes: Sequence[str] = ()) -> SceneCase:
    """The case whose nodes are in a folder, with the labels as they are in the scene now."""
    return finished(readingFolder(folder, classes=classes))


def readingFolder(folder: CaseFolder, *, classes: Sequence[str] = ()) -> Generator[str, None, SceneCase]:
    """caseOfFolder() in steps."""
    return (yield from readingCase(folder.nodes(Role.IMAGE), sourcesOf(folder), id=folder.case, classes=classes))


def sourcesOf(folder: CaseFolder) -> list[AnnotatorSource]:
    """The annotators whose nodes, or the segments of whose node, are in a folder."""
    whole = [
        AnnotatorSource(name, node)
        for name in folder.annotators
        if (node := folder.find(Role.ANNOTATOR, annotator=name)) is not None
    ]
    single = [source for node in folder.nodes(Role.ANNOTATORS) for source in segmentSources(node)]
    return [*whole, *single]


def adoptNodes(
    scene: Node, id: str, volumes: Iterable[Node], sources: Iterable[AnnotatorSource], *, study: str = ""
) -> CaseFolder:
    """Makes nodes that someone loaded into a case of ours, so that results are put beside them.

    Their segmentations are drawn as outlines in the annotators' colors, since a fill would cover the error map.
    """
    return finished(adoptingNodes(scene, id, volumes, sources, study=study))


def adoptingNodes(
    scene: Node, id: str, volumes: Iterable[Node], sources: Iterable[AnnotatorSource], *, study: str = ""
) -> Generator[str, None, CaseFolder]:
    """adoptNodes() in steps: yields the name of every annotator."""
    folder = CaseFolder(scene, id, study)
    for channel, volume in enumerate(volumes):
        folder.adopt(volume, Role.IMAGE, label=str(channel))
    for place, source in enumerate(_withUniqueNames(list(sources))):
        yield source.name
        _showAsAnnotator(source, annotatorColor(place))
        if source.segmentId:
            folder.adopt(source.node, Role.ANNOTATORS)
        else:
            folder.adopt(source.node, Role.ANNOTATOR, annotator=source.name)
    return folder


def _showAsAnnotator(source: AnnotatorSource, color: RGB) -> None:
    """Outlines; the color is the annotator's where there is one class only, else those of the classes stay."""
    if not source.node.IsA("vtkMRMLSegmentationNode"):
        return
    showAsOutline(source.node, thickness=1)
    if len(source.segmentIds) == 1:
        source.node.GetSegmentation().GetSegment(source.segmentIds[0]).SetColor(*color)


def _valuesIn(labels: NDArray[np.uint8]) -> set[int]:
    """The labels that occur."""
    highest = int(labels.max(initial=0))
    if highest <= 1:
        return set(range(highest + 1))
    occurs = np.zeros(256, dtype=bool)
    occurs[labels.ravel()] = True
    return set(np.flatnonzero(occurs).tolist())


def _masksOf255(values: Mapping[str, set[int]]) -> list[str]:
    """Whose labels are masks of 0 and 255; nobody's where anybody uses another label than 0, 1 and 255."""
    if any(each - {0, 1, 255} for each in values.values()):
        return []
    return [name for name, each in values.items() if 255 in each]


def _channel(volume: Node, reference: Node) -> Image:
    image = Image(arrayOf(volume), geometryOf(volume))
    differences = geometryOf(reference).differences(image.geometry)
    if volume.GetParentTransformNode() is not reference.GetParentTransformNode():
        differences.append("it is under another transform")
    if differences:
        raise UserError(
            f"{volume.GetName()} cannot be a channel beside {reference.GetName()}: {' and '.join(differences)}",
            remedy="resample it onto that volume first",
        )
    return image


def _withUniqueNames(sources: list[AnnotatorSource]) -> list[AnnotatorSource]:
    seen: Counter[str] = Counter()
    taken = {source.name.lower() for source in sources}
    named = []
    for source in sources:
        seen[source.name.lower()] += 1
        name, number = source.name, seen[source.name.lower()]
        while number > 1 and name.lower() in taken:
            name, number = f"{source.name} ({number})", number + 1
        taken.add(name.lower())
        named.append(AnnotatorSource(name, source.node, source.segmentId))
    return named


def _segmentClasses(sources: Sequence[AnnotatorSource]) -> tuple[str, ...]:
    """Background and the names of all segments, where anyone drew more than one, or all one of the same name."""
    if all(len(source.classNames) <= 1 for source in sources):
        shared = {className(name): name for source in sources for name in source.classNames or ("",)}
        isTheirs = len(sources) > 1 and len(shared) == 1 and "" not in shared
        return ("background", *shared.values()) if isTheirs else ()
    names: dict[str, str] = {}
    for source in sources:
        for name in source.classNames:
            names.setdefault(className(name), name)
    return ("background", *names.values())


def _plainClasses(highest: int) -> tuple[str, ...]:
    if highest <= 1:
        return ("background", "foreground")
    return ("background", *(f"class {number}" for number in range(1, highest + 1)))
