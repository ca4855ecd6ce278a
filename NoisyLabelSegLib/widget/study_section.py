"""The section that fuses or reviews all cases of the opened study in the background."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import qt
from slicer.i18n import tr as _

from NoisyLabelSegLib.jobs.reports import Finished
from NoisyLabelSegLib.widget.job_button import JobButton, TimerPoller
from NoisyLabelSegLib.widget.once import Once
from NoisyLabelSegLib.widget.steps import explain, say
from NoisyLabelSegLib.widget.study_logic import StudyLogic
from NoisyLabelSegLib.widget.work import Work


class StudySection:
    """One of both runs at a time; the other button waits."""

    def __init__(self, ui: Any, logic: StudyLogic, method: Callable[[], str]) -> None:
        self._ui, self._logic, self._method = ui, logic, method
        self._fusing = JobButton(ui.fuseAllButton, ui.studyProgress, ui.studyMessage)
        self._reviewing = JobButton(ui.reviewAllButton, ui.studyProgress, ui.studyMessage)
        for job in (self._fusing, self._reviewing):
            job.canceledText = _("Canceled.")
        self._over = Once(self.update)  # the last step of a run is still under way when it says that it is over
        ui.fuseAllButton.clicked.connect(self.onFuse)
        ui.reviewAllButton.clicked.connect(self.onReview)
        ui.openReportButton.clicked.connect(self.onReport)
        ui.studyFolder.currentPathChanged.connect(self.onFolder)
        self.update()

    @property
    def running(self) -> bool:
        return self._fusing.running or self._reviewing.running

    def update(self) -> None:
        ui, problem = self._ui, self._logic.problem(self._folder)
        for button, job, other, tip in (
            (ui.fuseAllButton, self._fusing, self._reviewing, _("Estimates the truth of every case of the study.")),
            (
                ui.reviewAllButton,
                self._reviewing,
                self._fusing,
                _("Compares the annotators with the truth everywhere."),
            ),
        ):
            if not job.running:
                waiting = _("Wait until the other work has ended.") if other.running else ""
                explain(button, problem or waiting, tip)
        ui.openReportButton.visible = bool(self._folder) and self._logic.report(self._folder).is_file()

    def onFolder(self) -> None:
        self.update()

    def onFuse(self) -> None:
        if self._fusing.running:
            self._fusing.cancel()
            return
        work = self._logic.fusing(self._folder, self._method(), TimerPoller())
        self._fusing.run(work, self._onFused, self._over.start, large=True)
        self.update()

    def onReview(self) -> None:
        if self._reviewing.running:
            self._reviewing.cancel()
            return
        work = self._logic.reviewing(self._folder, self._method(), TimerPoller())
        self._reviewing.run(work, self._onReviewed, self._over.start, large=True)
        self.update()

    def onReport(self) -> None:
        qt.QDesktopServices.openUrl(qt.QUrl.fromLocalFile(str(self._logic.report(self._folder))))

    def leaveScene(self) -> None:
        self._over.stop()
        self._fusing.close()
        self._reviewing.close()

    @property
    def _folder(self) -> str:
        return str(self._ui.studyFolder.currentPath)

    def _onFused(self, news: Finished) -> Work:
        yield ""
        text = _("The truths of {cases} cases are in {folder}.")
        self._say(text.format(cases=len(news.result["cases"]), folder=self._logic.fused(self._folder)))

    def _onReviewed(self, _news: Finished) -> Work:
        yield ""
        self._say(_("All cases are reviewed; the report can be opened."))

    def _say(self, sentence: str) -> None:
        say(self._ui.studyMessage, sentence)
