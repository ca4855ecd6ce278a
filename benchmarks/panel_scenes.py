"""Scenes like those that people have, and the actions on them that `bench panel` times."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.panel_actions import listen

Action = tuple[str, Callable[[], Any], Callable[[], bool]]


@dataclass(frozen=True)
class Scene:
    """A volume of this shape (z, y, x), and readers who drew so many classes in it."""

    title: str
    shape: tuple[int, int, int]
    readers: int
    classes: int = 1
    mark: int = 1
    """What a mask of one class holds where something is marked."""

    def add_nodes(self) -> Any:
        """Adds the nodes; returns the volume."""
        return _add_nodes(self)


class AnyScene(Protocol):
    """Nodes that somebody has loaded, made up or real."""

    @property
    def title(self) -> str: ...
    def add_nodes(self) -> Any:
        """Adds the nodes; returns the volume."""


SCENES = (
    Scene("CT of 512 x 512 x 133, four readers", (133, 512, 512), 4),
    Scene("chest CT of 256 x 256 x 136, eight classes, three readers", (136, 256, 256), 3, classes=8),
    Scene("128 x 128 x 64, twelve readers", (64, 128, 128), 12),
    Scene("512 x 512 x 64, four readers with masks of 0 and 255", (64, 512, 512), 4, mark=255),
)


class SceneActions:
    """Goes through what people do with nodes that they have loaded, one action at a time."""

    def __init__(self, host: Any, panel: Any, heartbeat: Callable[[], Any]) -> None:
        self._host, self._panel, self._heartbeat = host, panel, heartbeat

    def heard(self, scene: AnyScene) -> dict[str, Any]:
        """A heartbeat for every action: by how much the event loop was late, again and again."""
        with tempfile.TemporaryDirectory(prefix="noisylabelseg-bench-") as folder:
            volume = scene.add_nodes()
            self._panel.case.chooseVolume(volume)
            return {
                what: listen(self._host, self._heartbeat(), act, done)
                for what, act, done in self._actions(Path(folder))
            }

    def _actions(self, folder: Path) -> list[Action]:
        panel = self._panel
        case, truth, annotators, export = (
            panel.caseSection,
            panel.truthSection,
            panel.annotatorsSection,
            panel.exportSection,
        )
        deciding = panel.adjudicationSection
        panel.adjudication.setAdjudicator("Ann")
        methods, table = truth._ui.methodSelector, annotators._ui.statisticsTable
        export._ui.exportPath.currentPath = str(folder)
        export._ui.exportSegmentation.setChecked(True)
        each = annotators._ui.oneViewEachBox

        def at_rest() -> bool:
            isReady = panel.case.isReady and not panel.case._runner.running
            isDone = not truth._steps.running and not export.isExporting and not annotators.isReviewing
            return bool(isReady and isDone and panel.annotators.review is not None)

        def listed() -> bool:
            return at_rest() and panel.adjudication.session is not None and not deciding.running

        def choose(method: str) -> Callable[[], None]:
            return lambda: methods.setProperty("currentIndex", methods.findData(method))

        return [
            ("add from scene, estimate and review", case._ui.addFromSceneButton.click, at_rest),
            ("another method", choose("majority"), at_rest),
            ("untick a reader", lambda: panel.case.use(panel.case.annotators[0], used=False), at_rest),
            ("select a reader", lambda: table.selectRow(1), at_rest),
            ("next error", annotators._ui.nextButton.click, at_rest),
            ("next structure, if there are several", panel.classesSection.onNext, at_rest),
            ("one view each", lambda: each.setChecked(True), at_rest),
            ("next structure in one view each", panel.classesSection.onNext, at_rest),
            ("back to the usual views", lambda: each.setChecked(False), at_rest),
            ("show how sure it is", lambda: truth._ui.confidenceBox.setChecked(True), at_rest),
            ("plot over cases", annotators._ui.plotButton.click, at_rest),
            ("list the disagreements", lambda: setattr(deciding._ui.adjudicationSection, "collapsed", False), listed),
            ("take the majority", deciding._ui.majorityButton.click, listed),
            ("export NRRD and segmentation", export._ui.exportButton.click, at_rest),
        ]


def _add_nodes(scene: Scene) -> Any:
    """The volume node; several classes come as segmentations, one class as labelmaps."""
    import slicer

    from NoisyLabelSegLib.scene.colors import classColor
    from NoisyLabelSegLib.scene.placing import geometryOf
    from NoisyLabelSegLib.scene.segments import fillSegmentation

    random = np.random.default_rng(0)
    image = random.integers(-1000, 400, scene.shape, dtype=np.int16)
    volume = slicer.util.addVolumeFromArray(image, name="scan")
    for reader in range(scene.readers):
        labels = _drawn(scene, reader)
        if scene.classes == 1:
            kind = "vtkMRMLLabelMapVolumeNode"
            slicer.util.addVolumeFromArray(labels * np.uint8(scene.mark), name=f"reader{reader}", nodeClassName=kind)
            continue
        node = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSegmentationNode", f"reader{reader}")
        node.CreateDefaultDisplayNodes()
        node.SetNodeReferenceID(node.GetReferenceImageGeometryReferenceRole(), volume.GetID())
        names = [f"structure {number}" for number in range(1, scene.classes + 1)]
        colors = [classColor(number) for number in range(1, scene.classes + 1)]
        fillSegmentation(node, labels, geometryOf(volume), names, colors)
    return volume


def _drawn(scene: Scene, reader: int) -> NDArray[np.uint8]:
    """Boxes beside each other, one per class, which every reader draws a little aside and larger or smaller."""
    labels = np.zeros(scene.shape, dtype=np.uint8)
    z, y, x = scene.shape
    width = x // (scene.classes + 1)
    for number in range(1, scene.classes + 1):
        left = number * width - width // 2 + reader % 3
        labels[z // 4 : 3 * z // 4 + reader % 2, y // 4 + reader % 4 : y // 2 + reader, left : left + width - 2] = (
            number
        )
    return labels
