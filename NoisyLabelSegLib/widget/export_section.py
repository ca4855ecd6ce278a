"""The section that writes files: the truth, the figures, the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import qt
import slicer
from slicer.i18n import tr as _

from NoisyLabelSegLib.jobs.job import Job
from NoisyLabelSegLib.widget.export_logic import ExportLogic, Format
from NoisyLabelSegLib.widget.job_button import TimerPoller
from NoisyLabelSegLib.widget.steps import Steps, explain, say
from NoisyLabelSegLib.widget.work import Work


class ExportSection:
    def __init__(self, ui: Any, logic: ExportLogic) -> None:
        self._ui, self.logic = ui, logic
        self._parameters: Any = None
        self._steps = Steps(ui.exportMessage)
        self._job: Job | None = None
        self._boxes = {
            Format.NRRD: ui.exportNrrd,
            Format.NIFTI: ui.exportNifti,
            Format.SEGMENTATION: ui.exportSegmentation,
            Format.DICOM: ui.exportDicom,
            Format.LABELMAP: ui.exportLabelmap,
            Format.REVIEW: ui.exportReview,
        }
        for box in self._boxes.values():
            box.toggled.connect(self.update)
        ui.exportPath.currentPathChanged.connect(self.onPathChanged)
        ui.exportButton.clicked.connect(self.onExport)
        self.update()

    def setParameters(self, parameters: Any) -> None:
        self._parameters = parameters
        if parameters is not None:
            self._ui.exportPath.currentPath = parameters.exportFolder

    def leaveScene(self) -> None:
        self._steps.cancel()
        if self._job is not None and self._job.is_running():
            self._job.close()
        self.logic.forget()
        say(self._ui.exportMessage, "")

    def update(self) -> None:
        reason = self.logic.problem(self._formats(), self._ui.exportPath.currentPath)
        explain(self._ui.exportButton, reason, _("Writes what is ticked into the folder."))

    def onPathChanged(self) -> None:
        if self._parameters is not None:
            self._parameters.exportFolder = self._ui.exportPath.currentPath
        self.update()

    def onExport(self) -> None:
        if self.isExporting:
            return
        formats = self._formats()
        self._steps.run(self._exporting(formats, self._askForSeries(formats)), large=self.logic.isLarge)

    def _exporting(self, formats: list[Format], series: Path | None) -> Work:
        folder, inWorker = Path(self._ui.exportPath.currentPath), self.logic.isLarge and Format.REVIEW in formats
        here = [each for each in formats if not (inWorker and each is Format.REVIEW)]
        made = yield from self.logic.exporting(here, folder, dicomSeries=series)
        if not inWorker:
            self._sayExported(made)
            return
        settings = yield from self.logic.askingForReport(folder)
        self._job = job = Job(settings, poller=TimerPoller())
        job.progressed.connect(lambda _news: say(self._ui.exportMessage, _("Writing the report...")))
        job.finished.connect(lambda _news: self._onReport([*made, Path(settings.out).name]))
        job.failed.connect(lambda news: self._onNoReport(news.sentence))
        job.start()

    @property
    def isExporting(self) -> bool:
        return self._steps.running or (self._job is not None and self._job.is_running())

    def _onReport(self, made: list[str]) -> None:
        self.logic.forget()
        self._sayExported(made)

    def _onNoReport(self, sentence: str) -> None:
        self.logic.forget()
        say(self._ui.exportMessage, sentence)

    def _sayExported(self, made: list[str]) -> None:
        say(self._ui.exportMessage, _("Exported: {names}.").format(names=", ".join(made)))

    def _formats(self) -> list[Format]:
        return [wanted for wanted, box in self._boxes.items() if box.checked]

    def _askForSeries(self, formats: list[Format]) -> Path | None:
        """A DICOM SEG must name the images it belongs to, and a scene does not keep where they came from."""
        if Format.DICOM not in formats:
            return None
        path = qt.QFileDialog.getExistingDirectory(
            slicer.util.mainWindow(), _("Folder of the DICOM series that was outlined"), ""
        )
        return Path(path) if path else None
