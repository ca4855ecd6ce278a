"""Cases and studies as nodes: loading the same case again changes its nodes and adds none."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Annotation, Case, Image, Study, read_image, read_labels, resample
from NoisyLabelSegLib.cases.case import Source
from NoisyLabelSegLib.cases.file_kinds import plain_stem
from NoisyLabelSegLib.cases.files import reading_image
from NoisyLabelSegLib.cases.import_folder import plan_folder
from NoisyLabelSegLib.cases.import_plan import PlannedCase, PlannedSource
from NoisyLabelSegLib.cases.label_values import is_mask_of_255
from NoisyLabelSegLib.cases.study import LazyCases
from NoisyLabelSegLib.progress import Report, finished, silent, steps
from NoisyLabelSegLib.scene.arrays import Node
from NoisyLabelSegLib.scene.case_images import fillEmpty, rememberPicture
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.nodes import PREFIX, Role
from NoisyLabelSegLib.scene.outlines import fillAnnotator
from NoisyLabelSegLib.scene.results import ResultNodes
from NoisyLabelSegLib.scene.segments import showAsOutline
from NoisyLabelSegLib.scene.volumes import MANY_VOXELS, SCALAR, VECTOR, chooseWindow, fillVolume

_OUTLINES = (
    *(Role.ANNOTATOR, Role.ANNOTATORS, Role.OUTLINE, Role.TRUTH, Role.KNOWN_TRUTH),
    *(Role.EDITED_TRUTH, Role.ADJUDICATED, Role.DISPUTED),
)
_HIDDEN = PREFIX + "hiddenWithCase"
"""The attribute of a node that people would see if its case were open."""


def openStudy(path: str | Path) -> Study:
    """A study file, a folder with one, or any folder of images and labels that `import folder` understands.

    Of a folder without a study file nothing is written: its cases are read into memory one by one when asked for.
    """
    path = Path(path)
    if path.is_file() or (path / "study.json").is_file():
        return Study.read(path)
    plan = plan_folder(path)
    cases = LazyCases(plan.cases, partial(_inMemory, classes=len(plan.classes)), keep=False)
    return Study(plan.name, plan.classes, plan.annotators, cases, path)


def loadStudy(
    scene: Node, study: Study, ids: Iterable[str] | None = None, *, report: Report = silent
) -> list[CaseFolder]:
    """Loads the cases with these ids, all of them if None."""
    cases = study.cases if ids is None else [study.case(id) for id in ids]
    return [
        loadCase(scene, case, study.classes, study=study.name, annotators=study.annotators)
        for case in steps(cases, "load", report)
    ]


def loadCase(
    scene: Node,
    case: Case,
    classes: Sequence[str] = ("background", "foreground"),
    *,
    study: str = "",
    annotators: Sequence[str] = (),
) -> CaseFolder:
    """Images as volumes, each annotator and the known truth as a segmentation.

    `annotators` are those of the whole study: an annotator has the same color in every case.
    """
    return finished(loadingCase(scene, case, classes, study=study, annotators=annotators))


def loadingCase(
    scene: Node,
    case: Case,
    classes: Sequence[str] = ("background", "foreground"),
    *,
    study: str = "",
    annotators: Sequence[str] = (),
) -> Generator[str, None, CaseFolder]:
    """loadCase() in steps: yields what comes next."""
    folder = CaseFolder(scene, case.id, study)
    for channel, source in enumerate(case.images):
        yield case.id
        image = source if isinstance(source, Image) else (yield from reading_image(source))
        yield case.id
        _loadImage(folder, source, image, channel, len(case.images))
    if not case.images:
        volume = folder.put(SCALAR, Role.IMAGE, f"{case.id} (no image)", label="0")
        fillEmpty(volume, case.geometry)
    everyone = list(dict.fromkeys([*annotators, *case.annotators]))
    for annotator in case.annotators:
        yield annotator
        labels = case.labels(annotator)
        assert labels is not None, "only annotators of the case are loaded"
        yield annotator
        _loadAnnotator(folder, case, annotator, labels, everyone.index(annotator), classes)
    if case.truth_source is not None:
        yield "truth"
    truth = case.truth()
    if truth is not None:
        results = ResultNodes(folder, case.geometry, classes)
        node = results.truth(truth, name="known truth", role=Role.KNOWN_TRUTH)
        node.GetDisplayNode().SetVisibility(False)  # people look for themselves first
    return folder


def showOutlinesOf(opened: CaseFolder) -> None:
    """Hides the outlines of all cases but this one; shows those of it that were hidden with their case."""
    for folder in CaseFolder.all(opened.scene):
        isOpen = (folder.case, folder.study) == (opened.case, opened.study)
        for node in folder.nodes(*_OUTLINES):
            if node.GetDisplayNode() is not None:
                _show(node) if isOpen else _hide(node)


def _inMemory(planned: PlannedCase, classes: int) -> Case:
    """The case as an import would write it: labels on the image's grid, masks of 255 as 1."""
    images = tuple(source if isinstance(source, Path) else _resolve(source, labels=False) for source in planned.images)
    grid = Case(planned.id, images, {}).geometry if images else None

    def labels(source: PlannedSource) -> Image:
        nonlocal grid
        image = _resolve(source, labels=True)
        grid = grid or image.geometry
        image = resample(image, grid) if grid.differences(image.geometry) else image
        isMask = classes == 2 and is_mask_of_255(image.array)
        return Image(image.array // 255, image.geometry) if isMask else image

    annotations = {name: Annotation(labels(source)) for name, source in planned.annotations.items()}
    truth = None if planned.truth is None else labels(planned.truth)
    return Case(planned.id, images, annotations, truth, classes=classes)


def _resolve(source: PlannedSource, *, labels: bool) -> Image:
    if isinstance(source, Image):
        return source
    if isinstance(source, Path):
        return read_labels(source) if labels else read_image(source)
    return source()


def _loadImage(folder: CaseFolder, source: Source, image: Image, channel: int, channels: int) -> None:
    isPhoto = len(image.channels) == 3 and image.array.dtype == np.uint8
    arrays = [image.array] if isPhoto else list(image.channels)
    for component, array in enumerate(arrays):
        several = channels > 1 or len(arrays) > 1
        what = plain_stem(source) if isinstance(source, Path) else f"channel {channel + 1}"
        name = f"{folder.case} {what}" if several else folder.case
        label = f"{channel}.{component}" if len(arrays) > 1 else str(channel)
        node = folder.put(VECTOR if isPhoto else SCALAR, Role.IMAGE, name, label=label)
        if not isPhoto and array.size > MANY_VOXELS:
            chooseWindow(node, array)
        rememberPicture(node, image.geometry)
        fillVolume(node, array, image.geometry)


def _loadAnnotator(
    folder: CaseFolder, case: Case, annotator: str, labels: NDArray[np.uint8], place: int, classes: Sequence[str]
) -> None:
    isNew = folder.find(Role.ANNOTATOR, annotator=annotator) is None
    node = folder.put("vtkMRMLSegmentationNode", Role.ANNOTATOR, f"{folder.case} {annotator}", annotator=annotator)
    fillAnnotator(node, annotator, place, labels, case.geometry, classes)
    if isNew:
        showAsOutline(node, thickness=1)


def _show(node: Node) -> None:
    if node.GetAttribute(_HIDDEN):
        node.GetDisplayNode().SetVisibility(True)
        node.RemoveAttribute(_HIDDEN)


def _hide(node: Node) -> None:
    if node.GetDisplayNode().GetVisibility():
        node.GetDisplayNode().SetVisibility(False)
        node.SetAttribute(_HIDDEN, "yes")
