"""The section that compares readers with each other: a table of agreement and its plots."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import qt
from slicer.i18n import tr as _

from NoisyLabelSegLib.jobs.job import Job
from NoisyLabelSegLib.jobs.reports import Finished
from NoisyLabelSegLib.widget.agreement_logic import SCENE, STUDY, AgreementLogic
from NoisyLabelSegLib.widget.charts import showChart
from NoisyLabelSegLib.widget.job_button import JobButton, TimerPoller
from NoisyLabelSegLib.widget.steps import explain, saidIn, say
from NoisyLabelSegLib.widget.tables import fitColumns, fitRows
from NoisyLabelSegLib.widget.work import Work

MOST_ROWS = 12
_COLUMNS = ("dice", "surface_dice", "hd95")


class AgreementSection:
    def __init__(self, ui: Any, logic: AgreementLogic) -> None:
        self._ui, self.logic = ui, logic
        self._isFilling = False
        self._job = JobButton(ui.agreementButton, ui.agreementProgress, ui.agreementMessage)
        ui.agreementSource.addItem(_("Cases of this scene"), SCENE)
        ui.agreementSource.addItem(_("A study on disk"), STUDY)
        ui.agreementSource.currentIndexChanged.connect(self.onSource)
        ui.agreementStudy.currentPathChanged.connect(self.update)
        ui.agreementButton.clicked.connect(self.onCompare)
        ui.agreementPlot.currentIndexChanged.connect(self.onPlot)
        fitColumns(ui.agreementTable, stretched=(0,))
        self._fill()
        self.update()

    @property
    def isComparing(self) -> bool:
        return self._job.running

    def leaveScene(self) -> None:
        """Ends what runs and forgets what was found: the scene goes away."""
        self._job.close()
        self.logic.clear()
        self._fill()

    def update(self) -> None:
        """Shows what can be done now, and why not where it cannot."""
        ui, fromStudy = self._ui, self._source() == STUDY
        ui.agreementStudy.visible = ui.agreementStudyLabel.visible = fromStudy
        if not self._job.running:
            reason = self.logic.problem(self._source(), ui.agreementStudy.currentPath)
            explain(ui.agreementButton, reason, _("Compares every reader with every other; Slicer stays usable."))

    def onSource(self) -> None:
        if self._source() == STUDY and not self._ui.agreementStudy.currentPath:
            self._ui.agreementStudy.currentPath = self.logic.openedStudyFile()
        self.update()

    def onCompare(self) -> None:
        if self._job.running:
            self._job.cancel()
            return
        with saidIn(self._ui.agreementMessage):
            self._job.run(self._preparing(), self._onCompared, self._onOver, large=True)

    def onPlot(self) -> None:
        title = self._ui.agreementPlot.currentText
        if not self._isFilling and title in self.logic.plots:
            with saidIn(self._ui.agreementMessage):
                showChart(self.logic.chart(title))

    def _preparing(self) -> Generator[str, None, Job]:
        ui = self._ui
        settings = yield from self.logic.preparing(self._source(), ui.agreementStudy.currentPath, ui.toleranceBox.value)
        return Job(settings, poller=TimerPoller())

    def _onCompared(self, news: Finished) -> Work:
        yield ""
        self.logic.take(str(news.result["out"]))
        self._fill()

    def _onOver(self) -> None:
        self.logic.forget()
        self.update()

    def _source(self) -> str:
        return str(self._ui.agreementSource.itemData(self._ui.agreementSource.currentIndex))

    def _fill(self) -> None:
        """The table, the plots to choose from and the sentences, from what the logic knows."""
        ui, rows = self._ui, self.logic.rows
        self._isFilling = True
        ui.agreementTable.rowCount = len(rows)
        for number, row in enumerate(rows):
            ui.agreementTable.setItem(number, 0, _item(_short(row), _readers(row)))
            for column, key in enumerate(_COLUMNS, start=1):
                ui.agreementTable.setItem(number, column, _item(_text(row, key), _interval(row, key)))
        fitRows(ui.agreementTable, MOST_ROWS)
        ui.agreementPlot.clear()
        ui.agreementPlot.addItem(_("Choose a plot"), "")
        for title in self.logic.plots:
            ui.agreementPlot.addItem(title, "")
        ui.agreementPlot.enabled = ui.agreementTable.visible = bool(rows)
        ui.agreementPlot.visible = ui.agreementPlotLabel.visible = bool(rows)
        say(ui.agreementSummary, " ".join(self.logic.sentences))
        self._isFilling = False


def _item(text: str, toolTip: str) -> Any:
    item = qt.QTableWidgetItem(text)
    item.setToolTip(toolTip)
    return item


def _short(row: dict[str, Any]) -> str:
    """The readers in few words; the tooltip has all of them."""
    templates = {"pair": _("{a} and {b}"), "consensus": _("{a} and others"), "repeat": _("{a} repeated")}
    return str(templates[row["kind"]].format(a=row["a"], b=row["b"]))


def _readers(row: dict[str, Any]) -> str:
    templates = {
        "pair": _("{a} and {b}"),
        "consensus": _("{a} and the consensus of the others"),
        "repeat": _("{a}, first and repeated reading"),
    }
    return str(templates[row["kind"]].format(a=row["a"], b=row["b"]))


def _text(row: dict[str, Any], key: str) -> str:
    value = row.get(key)
    return "–" if value is None else f"{value:.{1 if key == 'hd95' else 3}f}"


def _interval(row: dict[str, Any], key: str) -> str:
    """The interval and the number of cases, for a tooltip."""
    cases = _("{count} cases").format(count=row["cases"])
    low, high = row.get(f"{key}_low"), row.get(f"{key}_high")
    if low is None or high is None:
        return str(cases)
    words = _("95 % interval {low} to {high}, {cases}")
    return str(words.format(low=f"{low:.3g}", high=f"{high:.3g}", cases=cases))
