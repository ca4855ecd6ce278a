"""The panel: its sections in the order people work, its parameter node, and what one section does to the others."""

from __future__ import annotations

from typing import Annotated, Any

import qt
import slicer
from slicer import vtkMRMLNode, vtkMRMLScalarVolumeNode
from slicer.i18n import tr as _
from slicer.parameterNodeWrapper import Choice, Decimals, WithinRange, parameterNodeWrapper

from NoisyLabelSegLib.fusion import DEFAULT
from NoisyLabelSegLib.resources import resource_path
from NoisyLabelSegLib.scene.loading import showOutlinesOf
from NoisyLabelSegLib.scene.views import ReviewViews
from NoisyLabelSegLib.widget.adjudication_logic import AdjudicationLogic
from NoisyLabelSegLib.widget.adjudication_section import AdjudicationSection
from NoisyLabelSegLib.widget.annotators_logic import AnnotatorsLogic
from NoisyLabelSegLib.widget.annotators_section import AnnotatorsSection
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.case_section import CaseSection
from NoisyLabelSegLib.widget.classes_section import ClassesSection
from NoisyLabelSegLib.widget.compare_logic import CompareLogic
from NoisyLabelSegLib.widget.compare_section import CompareSection
from NoisyLabelSegLib.widget.display_logic import DisplayLogic
from NoisyLabelSegLib.widget.display_section import DisplaySection
from NoisyLabelSegLib.widget.edit_watch import EditWatch
from NoisyLabelSegLib.widget.export_logic import ExportLogic
from NoisyLabelSegLib.widget.export_section import ExportSection
from NoisyLabelSegLib.widget.handed_over import NewestInBackground
from NoisyLabelSegLib.widget.job_button import TimerPoller
from NoisyLabelSegLib.widget.keys import Keys
from NoisyLabelSegLib.widget.models import ModelShelf
from NoisyLabelSegLib.widget.names_logic import NamesLogic
from NoisyLabelSegLib.widget.opening import Opening
from NoisyLabelSegLib.widget.practice_logic import PracticeLogic
from NoisyLabelSegLib.widget.practice_section import PracticeSection, recordPath
from NoisyLabelSegLib.widget.prediction_logic import PredictionLogic
from NoisyLabelSegLib.widget.preselection import probableVolume
from NoisyLabelSegLib.widget.reader_study import ReaderStudy
from NoisyLabelSegLib.widget.steps import Steps, say
from NoisyLabelSegLib.widget.structures import Structures
from NoisyLabelSegLib.widget.study_logic import StudyLogic
from NoisyLabelSegLib.widget.study_section import StudySection
from NoisyLabelSegLib.widget.torch_support import TorchSupport
from NoisyLabelSegLib.widget.train_logic import TrainLogic
from NoisyLabelSegLib.widget.train_section import TrainSection
from NoisyLabelSegLib.widget.truth_logic import TruthLogic
from NoisyLabelSegLib.widget.truth_section import TruthSection

DEVICES = ["auto", "cuda", "mps", "cpu"]
SECTIONS = (
    *("CaseSection", "TruthSection", "AnnotatorsSection", "DisplaySection"),
    *("ClassesSection", "CompareSection", "AdjudicationSection", "PracticeSection"),
    *("StudySection", "TrainSection", "ExportSection"),
)
TELLING = (
    *("TruthSection", "AnnotatorsSection", "DisplaySection"),
    *("ClassesSection", "CompareSection", "AdjudicationSection"),
)
"""The sections that tell what a trainee is to find out."""
MODELS_SETTING = "NoisyLabelSeg/Models"


class Panel:
    """Lives as long as the module's widget; `parameters` come and go with scenes."""

    def __init__(self, layout: Any, scene: Any) -> None:
        self._widgets = [slicer.util.loadUI(str(resource_path(f"UI/{name}.ui"))) for name in SECTIONS]
        uis: dict[str, Any] = {}
        for name, widget in zip(SECTIONS, self._widgets, strict=True):
            layout.addWidget(widget)
            uis[name.removesuffix("Section")] = slicer.util.childWidgetVariables(widget)
            widget.setMRMLScene(scene)
        layout.addStretch(1)
        self._parameters: Any = None
        self._tags: list[int] = []
        self._shownImage: Any = None
        self._isOutdated = False  # outlines were edited while another module was in front
        views, torch = ReviewViews(scene, slicer.app.applicationLogic()), TorchSupport()
        self.case = CaseLogic(scene, Steps(uis["Case"].caseMessage))
        message = uis["Case"].caseMessage
        imports = NewestInBackground("import", Steps(message), TimerPoller, lambda sentence: say(message, sentence))
        self.opening = Opening(scene, self.case, Steps(message), imports)
        self.truth = TruthLogic(self.case, views)
        self.annotators = AnnotatorsLogic(self.case, self.truth, views, _)
        prediction = PredictionLogic(self.case, self.truth)
        self.names = NamesLogic(self.case)
        self.caseSection = CaseSection(uis["Case"], self.case, self.opening, self.names)
        self.structures = Structures(self.case, self.annotators)
        self.classesSection = ClassesSection(uis["Classes"], self.names, self.structures)
        shelf = ModelShelf(_rememberedModels, _rememberModels)
        self.truthSection = TruthSection(uis["Truth"], self.truth, prediction, torch, shelf)
        keysOf = slicer.util.mainWindow() or self._widgets[SECTIONS.index("AnnotatorsSection")]
        self.annotatorsSection = AnnotatorsSection(uis["Annotators"], self.annotators, keysOf)
        self.display = DisplayLogic(self.case, self.truth, self.annotators, views, scene)
        self.displaySection = DisplaySection(uis["Display"], self.display, uis["Truth"].confidenceBox)
        self.adjudication = AdjudicationLogic(self.case, self.truth, views)
        self.adjudicationSection = AdjudicationSection(
            uis["Adjudication"], self.case, self.adjudication, self.opening, keysOf
        )
        self.compareSection = CompareSection(
            uis["Compare"], CompareLogic(self.case, self.truth, self.annotators, views, self.display.placer)
        )
        self.studySection = StudySection(
            uis["Study"], StudyLogic(self.opening.openedStudy), lambda: self.truthSection.method
        )
        self._keys = Keys(
            keysOf,
            {
                "Shift+C": self.caseSection.onNextCase,
                "Shift+X": self.caseSection.onPreviousCase,
                "Shift+S": self.classesSection.onNext,
                "Shift+A": self.classesSection.onPrevious,
            },
        )
        self.readerStudy = ReaderStudy(layout, scene, self.case, self.opening)
        self.practice = PracticeLogic(self.case, self.truth, self.display, views, recordPath())
        curtain = [widget for name, widget in zip(SECTIONS, self._widgets, strict=True) if name in TELLING]
        curtain += [uis["Case"].annotatorTable, self.readerStudy.agreementWidget]
        self.practiceSection = PracticeSection(uis["Practice"], self.practice, curtain)
        self.watch = EditWatch(self.case)
        self.trainSection = TrainSection(uis["Train"], TrainLogic(scene, self.case, self.opening.openedStudy), torch)
        self.exportSection = ExportSection(uis["Export"], ExportLogic(self.case, self.truth, _))
        self._scene = scene
        self._observer = scene.AddObserver(scene.NodeRemovedEvent, self._onNodeRemoved)
        self.case.changed.connect(lambda _news: self._onCaseChanged())
        self.case.usedChanged.connect(lambda _news: self.truthSection.estimateIfLive())
        self.truth.estimated.connect(lambda _news: self._onEstimated())
        self.trainSection.trained.connect(self.truthSection.selectModel)
        self.watch.truthEdited.connect(lambda _news: self.adjudicationSection.onTruthEdited())
        self.watch.outlinesEdited.connect(lambda _news: self._onOutlinesEdited())
        self.annotators.reviewed.connect(lambda _news: self.adjudicationSection.showViewsAgain())
        self.adjudicationSection.connectTo(
            uis["Annotators"], [uis["Case"].caseSection, uis["Annotators"].annotatorsSection]
        )

    def setParameterNode(self, node: Any) -> None:
        """Shows the state kept in a parameter node; None leaves the panel without a state."""
        self._isOutdated = node is not None and self._parameters is not None and self.watch.hasEditedOutlines()
        if self._parameters is not None:
            for tag in self._tags:
                self._parameters.disconnectGui(tag)
        self.case.setParameters(None)  # connectGui() fires the volume selector before the case logic has the new node
        self._parameters = None if node is None else Parameters(node)  # type: ignore[call-arg]
        if self._parameters is not None and self._parameters.case:  # a scene keeps where its views are
            self._shownImage = self._parameters.volume
        self._tags = [] if node is None else [self._parameters.connectGui(widget) for widget in self._widgets]
        sections = (self.truthSection, self.annotatorsSection, self.adjudicationSection)
        for section in (*sections, self.trainSection, self.exportSection):
            section.setParameters(self._parameters)
        self.names.setParameters(self._parameters)
        self.practice.setParameters(self._parameters)
        self.case.setParameters(self._parameters)

    def setActive(self, *, active: bool) -> None:
        """Whether the panel is the one that people see."""
        self.annotatorsSection.setActive(active=active)
        self.adjudicationSection.setActive(active=active)
        if active:
            self.preselectVolume()
        self.watch.pause(paused=not active)
        self.annotators.showLegends(visible=active)
        self.displaySection.setActive(active=active)
        self._keys.enable(enabled=active)

    def preselectVolume(self) -> None:
        """Chooses the volume that people look at, where they have chosen none."""
        if self._parameters is not None and self._parameters.volume is None:
            self.caseSection.preselect(probableVolume(self._scene))

    def leaveScene(self) -> None:
        """Ends what runs and lets go of the parameter node: the scene goes away."""
        self.opening.leaveScene()
        self.displaySection.leaveScene()
        self.truthSection.leaveScene()
        self.annotatorsSection.leaveScene()
        self.adjudicationSection.leaveScene()
        self.watch.forget()
        self.trainSection.leaveScene()
        self.exportSection.leaveScene()
        self.compareSection.leaveScene()
        self.studySection.leaveScene()
        self.practiceSection.leaveScene()
        self.annotators.leaveScene()
        self.readerStudy.leaveScene()
        self.setParameterNode(None)

    def close(self) -> None:
        """Leaves no process, observer or timer behind: the panel goes away."""
        self._scene.RemoveObserver(self._observer)
        self.setActive(active=False)  # the keys belong to the main window, which stays
        self.leaveScene()
        self.annotatorsSection.close()
        self.trainSection.close()
        self.opening.close()

    def _onNodeRemoved(self, _caller: Any, _event: str) -> None:
        if not self._scene.IsClosing():
            self.case.dropMissing()

    def _onOutlinesEdited(self) -> None:
        """Somebody edited the outlines of annotators: the estimate and the comparison follow."""
        self.truth.forget()
        self.adjudication.leave()
        self.truthSection.estimateIfLive()
        self._onEstimated()

    def _onCaseChanged(self) -> None:
        self._showImage()
        self.watch.follow()
        if self.case.isReady and (self.truth.truth is None or self._isOutdated):
            self.truthSection.estimateIfLive()
            self._isOutdated = self._isOutdated and not self.case.isOpen
        self._updateSections()

    def _showImage(self) -> None:
        """Lets the views show the volume of a case that was just opened, whole, and no outlines of another one."""
        image = self.case.folder.image if self.case.isOpen else None
        if image is not None and image is not self._shownImage:
            showOutlinesOf(self.case.folder)
            slicer.util.setSliceViewerLayers(background=image, foreground=None, label=None)
            self.annotators.leaveMistake()
            manager = slicer.app.layoutManager()
            if manager is not None:  # there is none without a main window
                manager.resetSliceViews()
        self._shownImage = image

    def _onEstimated(self) -> None:
        self.annotatorsSection.reviewSoon()
        self.watch.follow()
        self._updateSections()

    def _updateSections(self) -> None:
        self.truthSection.update()
        self.adjudicationSection.update()
        self.trainSection.update()
        self.exportSection.update()
        self.compareSection.update()
        self.studySection.update()


@parameterNodeWrapper
class Parameters:
    """The open case: its volume, its name and its study's, its classes, and the annotators with node and segment.

    `ignored` are the annotators who are not ticked, `annotator` is the one whose errors are shown. `matches` are labels
    that mean the same (as `reader:7=1`), unless they are all kept apart; classes are renamed from one name to another.
    """

    volume: vtkMRMLScalarVolumeNode
    case: str
    study: str
    classes: list[str]
    names: list[str]
    nodes: list[vtkMRMLNode]
    segments: list[str]
    ignored: list[str]
    matches: list[str]
    keptApart: bool = False
    practicing: bool = False
    renamedFrom: list[str]
    renamedTo: list[str]
    annotator: str
    method: str = DEFAULT
    model: str
    live: bool = True
    veil: bool = False  # the confidence overlay, by the name that saved scenes have
    oneViewEach: bool = False
    agreedPercent: Annotated[int, WithinRange(50, 99)] = 50
    hideNames: bool = False
    trainingSource: str = "scene"
    trainingStudy: str
    preset: str = "default"
    epochs: Annotated[int, WithinRange(1, 10000)] = 40
    traceWeight: Annotated[float, WithinRange(0.0, 10.0), Decimals(3)] = 0.1
    rank: Annotated[int, WithinRange(0, 16)] = 0
    device: Annotated[str, Choice(DEVICES)] = "auto"
    seed: Annotated[int, WithinRange(0, 1000000)] = 0
    runFolder: str
    exportFolder: str


def _rememberedModels() -> str:
    return str(slicer.util.settingsValue(MODELS_SETTING, ""))


def _rememberModels(paths: str) -> None:
    qt.QSettings().setValue(MODELS_SETTING, paths)
