"""A case made of nodes of the scene, to be fused and reviewed like one that comes from files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass

from NoisyLabelSegLib.cases import Annotation, Case, Image
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.progress import finished
from NoisyLabelSegLib.scene.arrays import Node, arrayOf
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.placing import geometryOf
from NoisyLabelSegLib.scene.roles import Role
from NoisyLabelSegLib.scene.sources import AnnotatorSource, labelsOnGrid, segmentSources


@dataclass(frozen=True)
class SceneCase:
    """A case in memory, its classes (background first), and sentences about what had to be done to the labels."""

    case: Case
    classes: tuple[str, ...]
    remarks: tuple[str, ...] = ()


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
    images = tuple(_channel(volume, reference) for volume in volumes)
    named = _withUniqueNames(list(sources))
    segmentNames = tuple(classes) or _segmentClasses(named)
    found = {}
    for source in named:
        yield source.name
        found[source.name] = labelsOnGrid(source, reference, segmentNames)
    names = segmentNames or _plainClasses(max((int(each.labels.max(initial=0)) for each in found.values()), default=1))
    annotations = {name: Annotation(Image(each.labels, images[0].geometry)) for name, each in found.items()}
    case = Case(id or reference.GetName(), images, annotations, classes=len(names))
    return SceneCase(case, names, tuple(remark for each in found.values() for remark in each.remarks))


def caseOfFolder(folder: CaseFolder, *, classes: Sequence[str] = ()) -> SceneCase:
    """The case whose nodes are in a folder, with the labels as they are in the scene now."""
    return finished(readingFolder(folder, classes=classes))


def readingFolder(folder: CaseFolder, *, classes: Sequence[str] = ()) -> Generator[str, None, SceneCase]:
    """caseOfFolder() in steps."""
    whole = [
        AnnotatorSource(name, node)
        for name in folder.annotators
        if (node := folder.find(Role.ANNOTATOR, annotator=name)) is not None
    ]
    single = [source for node in folder.nodes(Role.ANNOTATORS) for source in segmentSources(node)]
    return (yield from readingCase(folder.nodes(Role.IMAGE), [*whole, *single], id=folder.case, classes=classes))


def adoptNodes(scene: Node, id: str, volumes: Iterable[Node], sources: Iterable[AnnotatorSource]) -> CaseFolder:
    """Makes nodes that someone loaded into a case of ours, so that results are put beside them."""
    folder = CaseFolder(scene, id)
    for channel, volume in enumerate(volumes):
        folder.adopt(volume, Role.IMAGE, label=str(channel))
    for source in _withUniqueNames(list(sources)):
        if source.segmentId:
            folder.adopt(source.node, Role.ANNOTATORS)
        else:
            folder.adopt(source.node, Role.ANNOTATOR, annotator=source.name)
    return folder


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
    """Background and the names of all segments, where anyone drew more than one; empty otherwise."""
    if all(len(source.classNames) <= 1 for source in sources):
        return ()
    return ("background", *dict.fromkeys(name for source in sources for name in source.classNames))


def _plainClasses(highest: int) -> tuple[str, ...]:
    if highest <= 1:
        return ("background", "foreground")
    return ("background", *(f"class {number}" for number in range(1, highest + 1)))
