"""The section that trains networks in the background, with curves as it goes."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import slicer
from slicer.i18n import tr as _

from NoisyLabelSegLib.jobs.job import Job
from NoisyLabelSegLib.jobs.reports import Finished, Progressed
from NoisyLabelSegLib.scene.layout import arrange, arrangementOf
from NoisyLabelSegLib.signals import Signal
from NoisyLabelSegLib.widget.charts import showChart
from NoisyLabelSegLib.widget.job_button import JobButton, TimerPoller
from NoisyLabelSegLib.widget.steps import explain, saidIn, say
from NoisyLabelSegLib.widget.torch_support import DeviceProbe, TorchSupport
from NoisyLabelSegLib.widget.train_logic import SCENE, STUDY, TrainLogic, aboutPreset, curveTitles, epochsOf, presets
from NoisyLabelSegLib.widget.work import Work


class TrainSection:
    """`trained` carries the path of a model that is ready."""

    def __init__(self, ui: Any, logic: TrainLogic, torch: TorchSupport) -> None:
        self.trained: Signal[str] = Signal()
        self._ui, self._logic, self._torch = ui, logic, torch
        self._parameters: Any = None
        self._arrangement: int | None = None
        """The layout from before this training showed its curves."""
        self._job = JobButton(ui.trainButton, ui.trainProgress, ui.trainMessage)
        self._job.canceledText = _("Canceled; the last checkpoint is kept, so that Resume can go on from it.")
        self._job.words = {"train": _("Training, epoch"), **curveTitles()}
        ui.sourceSelector.addItem(_("Cases of this scene"), SCENE)
        ui.sourceSelector.addItem(_("A study on disk"), STUDY)
        for name, about in presets().items():
            ui.presetSelector.addItem(name)
            ui.presetSelector.setItemData(ui.presetSelector.count - 1, about, _TOOL_TIP_ROLE)
        ui.sourceSelector.currentIndexChanged.connect(self.onChanged)
        ui.presetSelector.currentIndexChanged.connect(self.onPreset)
        ui.studyPath.currentPathChanged.connect(self.onChanged)
        ui.runPath.currentPathChanged.connect(self.onChanged)
        ui.trainButton.clicked.connect(self.onTrain)
        ui.copyLogButton.clicked.connect(self.onCopyLog)
        ui.trainSection.contentsCollapsed.connect(self.onCollapsed)
        self._probe = DeviceProbe(TimerPoller())
        self._probe.answered.connect(lambda sentence: say(ui.deviceText, sentence))
        say(ui.deviceText, "")
        self.update()

    def setParameters(self, parameters: Any) -> None:
        self._parameters = None  # so that filling the widgets writes nothing
        if parameters is not None:
            ui = self._ui
            ui.sourceSelector.currentIndex = max(ui.sourceSelector.findData(parameters.trainingSource), 0)
            ui.presetSelector.currentIndex = max(ui.presetSelector.findText(parameters.preset), 0)
            ui.studyPath.currentPath = parameters.trainingStudy
            ui.runPath.currentPath = parameters.runFolder
        self._parameters = parameters
        self.update()

    def update(self) -> None:
        """Shows what can be done now, and why not where it cannot."""
        fromStudy = self._source() == STUDY
        self._ui.studyPath.visible = self._ui.studyPathLabel.visible = fromStudy
        say(self._ui.presetText, aboutPreset(self._ui.presetSelector.currentText))
        if not self._job.running and self._parameters is not None:
            reason = self._logic.problem(self._parameters)
            explain(self._ui.trainButton, reason, _("Trains the networks in the background; Slicer stays usable."))
            say(self._ui.trainMessage, self._torch.remark() or self._logic.remark(self._parameters))

    def onPreset(self) -> None:
        """The preset says how many epochs there are, until somebody changes them."""
        if self._parameters is not None:
            self._parameters.epochs = epochsOf(self._ui.presetSelector.currentText)
        self.onChanged()

    def onChanged(self) -> None:
        if self._parameters is not None:
            if self._source() == STUDY and not self._ui.studyPath.currentPath:
                self._ui.studyPath.currentPath = self._logic.openedStudyFile()
            self._parameters.trainingSource = self._source()
            self._parameters.preset = self._ui.presetSelector.currentText
            self._parameters.trainingStudy = self._ui.studyPath.currentPath
            self._parameters.runFolder = self._ui.runPath.currentPath
        self.update()

    def onTrain(self) -> None:
        if self._job.running:
            self._job.cancel()
            return
        with saidIn(self._ui.trainMessage):
            if not self._torch.ensure():
                return
            self._ui.trainLog.plainText = ""
            self._job.run(self._preparing(), self._onTrained, self._logic.forget, large=self._logic.isLarge)

    def _preparing(self) -> Generator[str, None, Job]:
        settings = yield from self._logic.preparing(self._parameters, resume=self._ui.resumeBox.checked)
        job = Job(settings, poller=TimerPoller())
        job.logged.connect(lambda news: self._ui.trainLog.appendPlainText(news.text))
        job.progressed.connect(self._onProgress)
        job.cancelled.connect(lambda _news: self._onCanceled())
        return job

    def onCopyLog(self) -> None:
        slicer.app.clipboard().setText(self._ui.trainLog.plainText)

    def onCollapsed(self) -> None:
        """Looks for a GPU when the section is opened for the first time."""
        if not self._ui.trainSection.collapsed and not self._torch.missing():
            self._probe.ask()

    def leaveScene(self) -> None:
        self._job.close()

    def close(self) -> None:
        self._probe.close()

    def _onProgress(self, news: Progressed) -> None:
        isFirst = not self._logic.hasCurves
        chart = self._logic.addToCurves(news)
        if chart is not None and isFirst:
            self._arrangement = arrangementOf(slicer.mrmlScene)
            showChart(chart)

    def _onCanceled(self) -> None:
        """The curves of a training before this one come back, or else the views without a plot."""
        if not self._logic.takeCurvesBack() and self._arrangement is not None:
            arrange(slicer.mrmlScene, self._arrangement)
        self._arrangement = None

    def _onTrained(self, news: Finished) -> Work:
        yield ""
        remarks = [str(remark) for remark in news.result.get("remarks", [])]  # the last one says how it ended
        say(self._ui.trainMessage, " ".join([_("The model is ready and chosen under Truth."), *remarks[-1:]]))
        self.trained.emit(str(news.result["model"]))

    def _source(self) -> str:
        return str(self._ui.sourceSelector.itemData(self._ui.sourceSelector.currentIndex))


_TOOL_TIP_ROLE = 3
"""Qt::ToolTipRole as a number, which both kinds of Qt for Python take."""
