"""The open case: a volume, and who outlined it; kept in the parameter node, so that it is saved with the scene."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Generator, Sequence
from dataclasses import replace
from typing import Any

from slicer.i18n import tr as _

from NoisyLabelSegLib.cases import Case, Geometry, Image
from NoisyLabelSegLib.cases.label_matches import LabelMatch
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.progress import finished
from NoisyLabelSegLib.scene.candidates import countLabels
from NoisyLabelSegLib.scene.case_images import fileGeometry, isEmpty
from NoisyLabelSegLib.scene.colors import annotatorColor
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.nodes import Role, Tag
from NoisyLabelSegLib.scene.outlines import movedOntoGrid
from NoisyLabelSegLib.scene.placing import geometryOf
from NoisyLabelSegLib.scene.scene_case import SceneCase, adoptingNodes, matched, readingCase, sourcesOf
from NoisyLabelSegLib.scene.sources import AnnotatorSource, labelsOnGrid
from NoisyLabelSegLib.signals import Signal
from NoisyLabelSegLib.widget.adding import findingNew, volumeForLabels
from NoisyLabelSegLib.widget.annotator_list import AnnotatorList
from NoisyLabelSegLib.widget.drawn_outlines import DrawnOutlines
from NoisyLabelSegLib.widget.work import AtOnce, Runner, Work, isLarge, told


class CaseLogic:
    """`changed` follows another case or other annotators, `usedChanged` a tick, `shownChanged` who is drawn.

    Labels (z, y, x) uint8 are read from the scene once and kept until something changes. Those of a large case are read
    ahead, step by step: `changed` comes once before and once after, and only then the case is ready.
    """

    def __init__(self, scene: Any, runner: Runner | None = None) -> None:
        self.changed: Signal[None] = Signal()
        self.usedChanged: Signal[None] = Signal()
        self.shownChanged: Signal[None] = Signal()
        self._scene = scene
        self._parameters: Any = None
        self._runner: Runner = runner or AtOnce()
        self._read: SceneCase | None = None
        self._isPending = False
        self._drawn = DrawnOutlines(self)

    def setParameters(self, parameters: Any) -> None:
        """The panel's parameter node wrapper, or None while there is no scene."""
        self._parameters = parameters
        self.refresh()

    def forget(self) -> None:
        """Reads the labels anew when they are next needed: someone may have edited the outlines."""
        self._read = None

    def refresh(self) -> None:
        """Tells everyone that the case is another one now."""
        self._runner.cancel()
        self.forget()
        self._isPending = self.isLarge
        self.changed.emit(None)
        if self._isPending:
            self._runner.run(self._readAhead(), large=True)

    @property
    def isOpen(self) -> bool:
        return self._parameters is not None and self._parameters.volume is not None and bool(self._parameters.case)

    @property
    def isReady(self) -> bool:
        """Whether nothing is to be waited for."""
        return not self._isPending

    @property
    def isLarge(self) -> bool:
        """Whether work on the labels of this case would keep people waiting."""
        image = self._parameters.volume.GetImageData() if self.isOpen else None
        if image is None:
            return False
        sources = self.sources
        classes = max([len(self._parameters.classes), *(1 + len(source.segmentIds) for source in sources)])
        return isLarge(image.GetNumberOfPoints(), len(sources), classes)

    @property
    def folder(self) -> CaseFolder:
        """Where the nodes of the open case are."""
        if not self.isOpen:
            raise UserError("No case is open", remedy="choose a volume, open a study or the demo case")
        return CaseFolder(self._scene, self._parameters.case, self._parameters.study)

    @property
    def volume(self) -> Any:
        return self._parameters.volume

    @property
    def geometry(self) -> Geometry:
        """The grid of the volume, always of three dimensions."""
        return geometryOf(self._parameters.volume)

    @property
    def fileGeometry(self) -> Geometry:
        """The grid of files: of two dimensions where the case was opened from a picture."""
        return fileGeometry(self._parameters.volume)

    @property
    def hasImage(self) -> bool:
        """Whether the open case is more than labels."""
        return self.isOpen and not isEmpty(self._parameters.volume)

    @property
    def classes(self) -> tuple[str, ...]:
        return self.read().classes

    @property
    def annotators(self) -> tuple[str, ...]:
        return tuple(source.name for source in self.sources)

    @property
    def used(self) -> tuple[str, ...]:
        """Those who are ticked."""
        return self._list.used if self.isOpen else ()

    def nameClasses(self, classes: Sequence[str]) -> None:
        """Says what the classes are, background first, where no annotator does."""
        self._parameters.classes = list(classes)
        self.forget()

    def read(self) -> SceneCase:
        """The images and everybody's labels on the volume's grid, in memory."""
        return finished(self.reading())

    def reading(self) -> Generator[str, None, SceneCase]:
        """read() in steps; only the first time there is anything to do."""
        if self._read is None:
            classes = tuple(self._parameters.classes)
            work = readingCase(self._volumes(), self.sources, id=self.folder.case, classes=classes)
            found = yield from told(_("Reading the outlines of {step}..."), work)
            names = zip(self._parameters.renamedFrom, self._parameters.renamedTo, strict=True)
            self._read = matched(found, map(LabelMatch.parse, self._parameters.matches), dict(names))
        return self._read

    @property
    def questions(self) -> tuple[LabelMatch, ...]:
        """Labels that probably mean the same, which people are asked about before anything is fused."""
        if not self.isOpen or not self.isReady or self._parameters.keptApart or len(self.annotators) < 2:
            return ()
        with contextlib.suppress(UserError):  # whoever asks for the labels hears it
            return tuple(self.read().proposals)
        return ()

    def case(self, truth: Any = None) -> Case:
        """The open case as the library knows cases, with this truth (z, y, x) if there is one."""
        return replace(self.read().case, truth_source=None if truth is None else Image(truth, self.geometry))

    def labels(self) -> dict[str, Any]:
        """What everybody drew."""
        case = self.read().case
        return {name: case.labels(name) for name in self.annotators}

    def channels(self) -> list[str]:
        """The names of the volumes that are the channels of the case."""
        return [volume.GetName() for volume in self._volumes()] if self.isOpen else []

    def remarks(self) -> tuple[str, ...]:
        """What people should know about the labels of this case, in sentences."""
        return self.read().remarks if self.isOpen and self.isReady else ()

    @property
    def isResampled(self) -> bool:
        """Whether labels of somebody are on another grid than the volume."""
        return bool(self.isOpen and self.isReady and self.read().resampled)

    def dropMissing(self) -> None:
        """Takes annotators whose node was deleted off the list."""
        if self.isOpen and self._list.hasMissing:
            self._setSources(self.sources)

    def use(self, name: str, *, used: bool) -> None:
        """Ticks or unticks an annotator."""
        self._list.use(name, used=used)
        self.usedChanged.emit(None)

    def chooseVolume(self, volume: Any) -> None:
        """Opens the case that a volume belongs to, or a new one of its name; a result of ours is no volume to open."""
        tag = None if volume is None else Tag.read(volume)
        if tag is not None and tag.role is not Role.IMAGE:
            volume = None
        if self._parameters is None or (self.isOpen and volume is self.folder.image):
            return
        found = next((folder for folder in CaseFolder.all(self._scene) if volume in folder.nodes(Role.IMAGE)), None)
        if found is not None:
            self.openFolder(found)
        else:
            self._parameters.volume = volume
            self._parameters.case, self._parameters.study = ("" if volume is None else volume.GetName()), ""
            self._forgetNames()
            self._setSources([])

    def addFromScene(self) -> None:
        """Adds what looks like annotators of the volume, in steps where the scene holds much."""
        if self._parameters.volume is None:
            self.chooseVolume(volumeForLabels(self._scene))
        image = self._parameters.volume.GetImageData()
        voxels = 0 if image is None else image.GetNumberOfPoints()
        self._runner.run(self._adding(), large=isLarge(voxels, *countLabels(self._scene)))

    def _adding(self) -> Work:
        before = self.sources
        volumes, new = yield from findingNew(self._scene, self._parameters.volume, before)
        if not self._parameters.study:  # the classes of a study are those that its file names
            self._parameters.classes = []
        sources = [*before, *new]
        folder = self.folder
        work = adoptingNodes(self._scene, folder.case, volumes, sources, study=folder.study)
        yield from told(_("Adding {step}..."), work)
        self._setSources(sources)

    def openFolder(self, folder: CaseFolder, classes: tuple[str, ...] = ()) -> None:
        """Opens a case that the scene holds."""
        self._parameters.case, self._parameters.study = folder.case, folder.study
        self._parameters.volume = folder.image
        self._parameters.classes = list(folder.keepClasses(classes))
        self._forgetNames()
        self._setSources(sourcesOf(folder))

    def remove(self, names: list[str]) -> None:
        """Takes annotators off the list; their nodes stay."""
        self._setSources([source for source in self.sources if source.name not in names])

    def resample(self) -> None:
        """Replaces outlines that lie on another grid by copies on the volume's grid, for good."""
        moved = [movedOntoGrid(source, place, self.folder, self.classes) for place, source in enumerate(self.sources)]
        self._setSources(moved)

    def show(self, name: str, *, shown: bool) -> None:
        """Draws an annotator's outlines in the views, or not."""
        self._drawn.show(self._source(name), shown=shown)

    def showOnly(self, names: Collection[str]) -> None:
        """Draws the outlines of these annotators and hides the others."""
        for name in self.annotators:
            self.show(name, shown=name in names)
        self.shownChanged.emit(None)

    def isShown(self, name: str) -> bool:
        return self._drawn.isShown(self._source(name))

    def color(self, name: str) -> tuple[float, float, float]:
        return annotatorColor(self.annotators.index(name))

    def where(self, name: str) -> str:
        """The node, or the segment of it, that holds the outlines."""
        source = self._source(name)
        return " / ".join([source.node.GetName(), *(source.classNames if source.segmentId else ())])

    def savedTruth(self) -> Any:
        """The truth that the scene holds for the open case (z, y, x), or None."""
        node = self.folder.find(Role.TRUTH) if self.isOpen and self.isReady else None
        if node is None:
            return None
        return labelsOnGrid(AnnotatorSource("truth", node), self._parameters.volume, self.classes).labels

    def _readAhead(self) -> Work:
        with contextlib.suppress(UserError):  # whoever asks for the labels next hears it
            yield from self.reading()
            self._isPending = False
            for source in self.sources:
                yield _("Drawing the outlines of {name}...").format(name=source.name)
                self._drawn.update(source)
        self._isPending = False
        self.changed.emit(None)

    def _forgetNames(self) -> None:
        """What was said about the classes of another case."""
        self._parameters.matches, self._parameters.keptApart = [], False
        self._parameters.renamedFrom, self._parameters.renamedTo = [], []

    def _volumes(self) -> list[Any]:
        return self.folder.nodes(Role.IMAGE) or [self._parameters.volume]

    @property
    def sources(self) -> list[AnnotatorSource]:
        """Everybody in the table whose node is still in the scene."""
        return self._list.sources if self.isOpen else []

    @property
    def _list(self) -> AnnotatorList:
        return AnnotatorList(self._parameters)

    def _setSources(self, sources: list[AnnotatorSource]) -> None:
        self._drawn.keepOnly([source.name for source in sources])
        self._list.put(sources)
        self.refresh()

    def _source(self, name: str) -> AnnotatorSource:
        return next(source for source in self.sources if source.name == name)
