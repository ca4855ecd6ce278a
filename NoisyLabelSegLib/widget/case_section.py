"""The section where a case is put together: the volume, and who outlined it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import qt
import slicer
from slicer.i18n import tr as _

from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.names_logic import NamesLogic
from NoisyLabelSegLib.widget.opening import Opening
from NoisyLabelSegLib.widget.stepping import addingFromDatabase, stepCase
from NoisyLabelSegLib.widget.steps import explain, saidIn, say
from NoisyLabelSegLib.widget.tables import fitColumns, fitRows, textItem

NAME, SHOWN, SOURCE = range(3)
ROWS_SEEN = 5
"""The table grows up to so many rows, then it scrolls, so that the sections below stay in sight."""


class CaseSection:
    """Fills the table of annotators from the logic and hands every tick back to it."""

    def __init__(self, ui: Any, logic: CaseLogic, opening: Opening, names: NamesLogic) -> None:
        self._ui, self._logic, self._opening, self._names = ui, logic, opening, names
        fitColumns(ui.annotatorTable, stretched=(NAME, SOURCE))
        ui.annotatorTable.itemChanged.connect(self.onItemChanged)
        ui.annotatorTable.itemSelectionChanged.connect(self.updateButtons)
        ui.volumeSelector.currentNodeChanged.connect(self.onVolumeChanged)
        ui.caseSelector.activated.connect(self.onCaseChosen)
        ui.addFromSceneButton.clicked.connect(self.onAddFromScene)
        ui.openButton.setMenu(self._openMenu())
        ui.demoButton.clicked.connect(self.onDemo)
        ui.removeButton.clicked.connect(self.onRemove)
        ui.resampleButton.clicked.connect(self.onResample)
        logic.changed.connect(lambda _news: self.update())
        logic.shownChanged.connect(lambda _news: self._fillTable())
        self.update()

    def update(self) -> None:
        """Shows the case as it is now."""
        self._fillCases()
        self._fillTable()
        channels = self._logic.channels()
        say(self._ui.channelsText, _("Channels: {names}").format(names=", ".join(channels)) if channels[1:] else "")
        self.updateButtons()
        with saidIn(self._ui.caseMessage):
            remarks = self._logic.remarks()
            self._ui.resampleButton.visible = self._logic.isResampled
            say(self._ui.caseMessage, " ".join(remarks) or self._nextStep())

    def updateButtons(self) -> None:
        explain(
            self._ui.removeButton,
            "" if self._selected() else _("Select an annotator in the table first."),
            _("Takes the selected annotators off the list; their nodes stay in the scene."),
        )

    def onVolumeChanged(self) -> None:
        with saidIn(self._ui.caseMessage):
            self._logic.chooseVolume(self._ui.volumeSelector.currentNode())
            if not self._logic.isOpen:  # Slicer offers another volume when the chosen one is deleted
                self._ui.volumeSelector.setCurrentNode(None)
        self.updateButtons()

    def preselect(self, volume: Any) -> None:
        """Chooses a volume for people who have chosen none."""
        if volume is not None:
            self._ui.volumeSelector.setCurrentNode(volume)

    def onCaseChosen(self) -> None:
        with saidIn(self._ui.caseMessage), slicer.util.WaitCursor():
            self._opening.openCase(*self._cases[self._ui.caseSelector.currentIndex])

    def onItemChanged(self, item: Any) -> None:
        name = self._logic.annotators[item.row()]
        checked = item.checkState() == qt.Qt.Checked
        with saidIn(self._ui.caseMessage):
            if item.column() == NAME and item.text() != name:
                self._rename(name, item.text())
            elif item.column() == NAME:
                self._logic.use(name, used=checked)
            elif item.column() == SHOWN:
                self._logic.show(name, shown=checked)

    def _rename(self, name: str, new: str) -> None:
        try:
            self._names.renameAnnotator(name, new)
        finally:  # the old name comes back where the new one cannot be used
            self._fillTable()

    def onNextCase(self) -> None:
        self._stepCase(1)

    def onPreviousCase(self) -> None:
        self._stepCase(-1)

    def _stepCase(self, by: int) -> None:
        with saidIn(self._ui.caseMessage), slicer.util.WaitCursor():
            stepCase(self._logic, self._opening, by)

    def onAddFromDatabase(self) -> None:
        """All DICOM SEG objects of the database that refer to the loaded scan."""
        with saidIn(self._ui.caseMessage), slicer.util.WaitCursor():
            for _step in addingFromDatabase(slicer.mrmlScene, self._logic):
                pass

    def onAddFromScene(self) -> None:
        with saidIn(self._ui.caseMessage), slicer.util.WaitCursor():
            self._logic.addFromScene()

    def onOpenStudy(self) -> None:
        path = qt.QFileDialog.getOpenFileName(
            slicer.util.mainWindow(), _("Open a study"), "", _("Study (study.json);;All files (*)")
        )
        self._open(path, self._opening.openPath)

    def onOpenFolder(self) -> None:
        path = qt.QFileDialog.getExistingDirectory(
            slicer.util.mainWindow(), _("Open a folder of images and labels"), ""
        )
        self._open(path, self._opening.openPath)

    def onImport(self) -> None:
        path = qt.QFileDialog.getExistingDirectory(
            slicer.util.mainWindow(), _("Open an LIDC scan or DICOM SEG objects"), ""
        )
        self._open(path, self._opening.importPath)

    def onDemo(self) -> None:
        with saidIn(self._ui.caseMessage), slicer.util.WaitCursor():
            self._opening.openDemo()

    def onRemove(self) -> None:
        with saidIn(self._ui.caseMessage):
            self._logic.remove(self._selected())

    def onResample(self) -> None:
        with saidIn(self._ui.caseMessage), slicer.util.WaitCursor():
            self._logic.resample()

    def _open(self, path: str, work: Callable[[Path], None]) -> None:
        """Nothing happens for an empty path: the dialog was canceled."""
        if path:
            with saidIn(self._ui.caseMessage), slicer.util.WaitCursor():
                work(Path(path))

    def _openMenu(self) -> Any:
        menu = qt.QMenu(self._ui.openButton)
        for text, slot in (
            (_("Study..."), self.onOpenStudy),
            (_("Folder of images and labels..."), self.onOpenFolder),
            (_("LIDC scan or DICOM SEG..."), self.onImport),
            (_("All DICOM SEG of this scan in the DICOM database"), self.onAddFromDatabase),
        ):
            menu.addAction(text).triggered.connect(slot)
        return menu

    def _nextStep(self) -> str:
        sentence: str = ""
        if not self._logic.isOpen:
            sentence = _("Choose a volume, open a study, or try the demo case.")
        elif not self._logic.annotators:
            sentence = _("Add the annotators of this volume, or use a trained model under Truth.")
        elif len(self._logic.annotators) == 1:
            sentence = _("There is one annotator only: add others to compare, or use a trained model under Truth.")
        return sentence

    def _selected(self) -> list[str]:
        rows = sorted({index.row() for index in self._ui.annotatorTable.selectionModel().selectedRows()})
        return [self._ui.annotatorTable.item(row, NAME).text() for row in rows]

    def _fillCases(self) -> None:
        combo = self._ui.caseSelector
        combo.clear()
        folder = self._logic.folder if self._logic.isOpen else None
        self._cases = self._opening.cases()
        for place, (case, study) in enumerate(self._cases):
            combo.addItem(f"{case} ({study})" if study else case)
            if folder is not None and (case, study) == (folder.case, folder.study):
                combo.currentIndex = place
        combo.enabled = combo.count > 1

    def _fillTable(self) -> None:
        table = self._ui.annotatorTable
        table.blockSignals(True)
        table.rowCount = len(self._logic.annotators)
        for row, name in enumerate(self._logic.annotators):
            used = _checkItem(name, checked=name in self._logic.used, color=self._logic.color(name))
            used.setFlags(_CHECKED | qt.Qt.ItemIsEditable)
            table.setItem(row, NAME, used)
            table.setItem(row, SHOWN, _checkItem("", checked=self._logic.isShown(name)))
            table.setItem(row, SOURCE, textItem(self._logic.where(name)))
            table.item(row, SOURCE).setFlags(qt.Qt.ItemIsEnabled | qt.Qt.ItemIsSelectable)
            for column in (NAME, SOURCE):  # what is long is cut in the table
                table.item(row, column).setToolTip(table.item(row, column).text())
        table.blockSignals(False)
        fitRows(table, ROWS_SEEN)


_CHECKED = qt.Qt.ItemIsEnabled | qt.Qt.ItemIsSelectable | qt.Qt.ItemIsUserCheckable


def _checkItem(text: str, *, checked: bool, color: tuple[float, float, float] | None = None) -> Any:
    item = qt.QTableWidgetItem(text)
    item.setFlags(_CHECKED)
    item.setCheckState(qt.Qt.Checked if checked else qt.Qt.Unchecked)
    if color is not None:
        pixmap = qt.QPixmap(12, 12)
        pixmap.fill(qt.QColor.fromRgbF(*color))
        item.setIcon(qt.QIcon(pixmap))
    return item
