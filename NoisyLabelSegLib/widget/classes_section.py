"""The section of the classes: their names, one after the other in the views, and labels that may mean the same."""

from __future__ import annotations

from typing import Any

import qt
from slicer.i18n import tr as _

from NoisyLabelSegLib.widget.names_logic import NamesLogic
from NoisyLabelSegLib.widget.steps import explain, saidIn, say
from NoisyLabelSegLib.widget.structures import Structures
from NoisyLabelSegLib.widget.tables import fitColumns, fitRows, numberItem

CLASS, COUNT = range(2)
ROWS_SEEN = 6


class ClassesSection:
    """Opens by itself where there is something to ask, because nothing is fused before it is answered."""

    def __init__(self, ui: Any, logic: NamesLogic, structures: Structures) -> None:
        self._ui, self._logic, self._structures = ui, logic, structures
        fitColumns(ui.classTable, stretched=(CLASS,))
        ui.classTable.itemChanged.connect(self.onRenamed)
        ui.matchButton.clicked.connect(self.onMatch)
        ui.apartButton.clicked.connect(self.onApart)
        ui.nextStructureButton.clicked.connect(self.onNext)
        ui.previousStructureButton.clicked.connect(self.onPrevious)
        structures.changed.connect(lambda _news: self.update())
        self.update()

    def update(self) -> None:
        """Shows the classes and what is to be asked about them."""
        with saidIn(self._ui.classesMessage):
            question = self._logic.question()
            say(self._ui.questionText, question)
            self._ui.matchButton.visible = self._ui.apartButton.visible = bool(question)
            if question:
                self._ui.classesSection.collapsed = False
            self._fill(self._logic.classes())
        self._explain()

    def onMatch(self) -> None:
        with saidIn(self._ui.classesMessage):
            self._logic.match()

    def onApart(self) -> None:
        with saidIn(self._ui.classesMessage):
            self._logic.keepApart()

    def onRenamed(self, item: Any) -> None:
        if item.column() == CLASS:
            with saidIn(self._ui.classesMessage):
                say(self._ui.classesMessage, "")
                self._logic.renameClass(item.row(), item.text())
            self.update()

    def onNext(self) -> None:
        self._step(1)

    def onPrevious(self) -> None:
        self._step(-1)

    def _step(self, by: int) -> None:
        with saidIn(self._ui.classesMessage):
            self._structures.step(by)

    def _fill(self, classes: list[tuple[str, int]]) -> None:
        table = self._ui.classTable
        table.blockSignals(True)
        table.clearSelection()
        table.rowCount = len(classes)
        for row, (name, count) in enumerate(classes):
            item = qt.QTableWidgetItem(name)
            item.setToolTip(name)
            table.setItem(row, CLASS, item)
            number = numberItem(str(count), str(count))
            number.setFlags(qt.Qt.ItemIsEnabled | qt.Qt.ItemIsSelectable)
            table.setItem(row, COUNT, number)
            if name == self._structures.current:
                table.selectRow(row)
        table.blockSignals(False)
        fitRows(table, ROWS_SEEN)

    def _explain(self) -> None:
        several = "" if len(self._structures.names) > 1 else _("There is one structure only.")
        explain(self._ui.nextStructureButton, several, _("Shows the next structure, the others faintly (Shift+S)."))
        explain(
            self._ui.previousStructureButton, several, _("Shows the structure before, the others faintly (Shift+A).")
        )
