"""The section that writes files: the truth, the figures, the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import qt
import slicer
from slicer.i18n import tr as _

from NoisyLabelSegLib.widget.export_logic import ExportLogic, Format
from NoisyLabelSegLib.widget.steps import explain, saidIn, say


class ExportSection:
    def __init__(self, ui: Any, logic: ExportLogic) -> None:
        self._ui, self.logic = ui, logic
        self._parameters: Any = None
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

    def update(self) -> None:
        reason = self.logic.problem(self._formats(), self._ui.exportPath.currentPath)
        explain(self._ui.exportButton, reason, _("Writes what is ticked into the folder."))

    def onPathChanged(self) -> None:
        if self._parameters is not None:
            self._parameters.exportFolder = self._ui.exportPath.currentPath
        self.update()

    def onExport(self) -> None:
        with saidIn(self._ui.exportMessage), slicer.util.WaitCursor():
            formats, folder = self._formats(), Path(self._ui.exportPath.currentPath)
            made = self.logic.export(formats, folder, dicomSeries=self._askForSeries(formats))
            say(self._ui.exportMessage, _("Exported: {names}.").format(names=", ".join(made)))

    def _formats(self) -> list[Format]:
        return [wanted for wanted, box in self._boxes.items() if box.checked]

    def _askForSeries(self, formats: list[Format]) -> Path | None:
        """A DICOM SEG must name the images it belongs to, and a scene does not keep where they came from."""
        if Format.DICOM not in formats:
            return None
        path = qt.QFileDialog.getExistingDirectory(None, _("Folder of the DICOM series that was outlined"), "")
        return Path(path) if path else None
