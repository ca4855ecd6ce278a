"""The section that shows who erred where: figures, a sentence each, error maps in the views, mistake by mistake."""

from __future__ import annotations

from typing import Any

import qt
import slicer
from slicer.i18n import tr as _

from NoisyLabelSegLib.review.compare.mistakes import Mistake
from NoisyLabelSegLib.widget.annotators_logic import AnnotatorsLogic
from NoisyLabelSegLib.widget.background_review import BackgroundReview
from NoisyLabelSegLib.widget.charts import diceOverCases, showChart
from NoisyLabelSegLib.widget.job_button import TimerPoller
from NoisyLabelSegLib.widget.mistakes_table import MistakesTable
from NoisyLabelSegLib.widget.once import Once
from NoisyLabelSegLib.widget.statistics_table import StatisticsTable
from NoisyLabelSegLib.widget.steps import Steps, explain, saidIn, say
from NoisyLabelSegLib.widget.work import Work

OBSERVED, EXPECTED = 0, 1
REVIEW_DELAY_MILLISECONDS = 150


class AnnotatorsSection:
    """Reviews shortly after the truth has changed, so that quick changes of mind cost one review only."""

    def __init__(self, ui: Any, logic: AnnotatorsLogic, shortcutParent: Any) -> None:
        self._ui, self._logic = ui, logic
        self._parameters: Any = None
        self._isStale = False
        self._background = BackgroundReview(
            logic, Steps(ui.annotatorsMessage), TimerPoller, lambda sentence: say(ui.annotatorsMessage, sentence)
        )
        self._viewSteps = Steps(ui.annotatorsMessage)
        self._delay = Once(self.review, REVIEW_DELAY_MILLISECONDS)
        self._settle = Once(logic.settleViews)
        self._fit = Once(ui.errorTabs.updateGeometry)  # tables and texts grow faster than Qt tells the sections
        self._statistics = StatisticsTable(ui.statisticsTable, ui.figureSelector)
        self._mistakes = MistakesTable(ui.mistakesTable, self._goTo)
        ui.statisticsTable.itemSelectionChanged.connect(self.onSelected)
        ui.classSelector.activated.connect(self.onClass)
        ui.nextButton.clicked.connect(self.onNext)
        ui.previousButton.clicked.connect(self.onPrevious)
        ui.errorTabs.currentChanged.connect(self.onTab)
        ui.expectedSelector.activated.connect(self.onExpected)
        ui.oneViewEachBox.toggled.connect(self.onViews)
        ui.wholeImageButton.clicked.connect(self.onWholeImage)
        ui.plotButton.clicked.connect(self.onPlot)
        ui.annotatorsSection.contentsCollapsed.connect(self.onCollapsed)
        self._shortcuts = [
            self._shortcut(shortcutParent, "Shift+N", self.onNext),
            self._shortcut(shortcutParent, "Shift+P", self.onPrevious),
        ]
        logic.reviewed.connect(lambda _news: self.update())
        self.update()

    @property
    def annotator(self) -> str:
        """The selected annotator, empty if none."""
        return self._statistics.annotator

    def setParameters(self, parameters: Any) -> None:
        self._parameters = parameters

    def setActive(self, *, active: bool) -> None:
        """The keys belong to the panel only while it is shown."""
        for shortcut in self._shortcuts:
            shortcut.enabled = active

    def reviewSoon(self) -> None:
        """Reviews in a moment, or when the section is opened."""
        self._isStale = True
        self._viewSteps.cancel()  # it works on another case, or on labels and a truth as they were
        self._updateSentence(self.annotator)
        if not self._ui.annotatorsSection.collapsed:
            self._delay.start()

    def onCollapsed(self) -> None:
        if self._isStale:
            self.reviewSoon()

    def review(self) -> None:
        """Compares everybody with the truth now, a large case in the background."""
        self._delay.stop()
        self._isStale = False
        self._background.cancel()
        if self._logic.isLarge and self._logic.canReview:
            self._background.start()
            return
        with saidIn(self._ui.annotatorsMessage), slicer.util.WaitCursor(), slicer.util.RenderBlocker():
            say(self._ui.annotatorsMessage, "")
            self._logic.update()

    @property
    def isReviewing(self) -> bool:
        return self._background.running or self._delay.isWaiting or self._viewSteps.running

    def leaveScene(self) -> None:
        """Ends what runs: the scene goes away."""
        self.close()
        self._background.close()

    def close(self) -> None:
        self._delay.stop()
        self._settle.stop()
        self._fit.stop()
        self._viewSteps.cancel()

    def update(self) -> None:
        """Shows the figures as they are now and keeps the selection."""
        before = self.annotator or (self._parameters.annotator if self._parameters is not None else "")
        self._fillClasses()
        self._statistics.show(self._logic.rows(), before, severalClasses=bool(self._logic.classes()))
        self.onSelected()

    def onClass(self) -> None:
        self._logic.shownClass = str(self._ui.classSelector.itemData(self._ui.classSelector.currentIndex) or "")
        self.update()

    def _fillClasses(self) -> None:
        """Offers the classes of the case; where there is one only there is nothing to choose."""
        combo, classes = self._ui.classSelector, self._logic.classes()
        if self._logic.shownClass not in classes:
            self._logic.shownClass = ""
        combo.clear()
        combo.addItem(_("All classes"), "")
        for name in classes:
            combo.addItem(name, name)
        combo.currentIndex = max(combo.findData(self._logic.shownClass), 0)
        combo.visible = bool(classes)

    def onSelected(self) -> None:
        annotator = self.annotator
        if self._parameters is not None and annotator:
            self._parameters.annotator = annotator
        self._listMistakes(annotator)
        self._updateSentence(annotator)
        self._updateButtons(annotator)
        self._updateExpected(annotator)
        if annotator:
            self.onViews()

    def onNext(self) -> None:
        self._step(1)

    def onPrevious(self) -> None:
        self._step(-1)

    def onTab(self) -> None:
        if self._ui.errorTabs.currentIndex == EXPECTED:
            self.onExpected()
        else:
            self.onViews()

    def onExpected(self) -> None:
        combo = self._ui.expectedSelector
        if combo.count and self.annotator:
            with saidIn(self._ui.annotatorsMessage):
                self._logic.expected.show(self.annotator, str(combo.itemData(combo.currentIndex)))

    def onViews(self) -> None:
        """Lets the views follow the selection."""
        if not self.annotator:
            return
        if self._ui.errorTabs.currentIndex == EXPECTED:
            self.onExpected()
            return
        annotator, each = self.annotator, bool(self._ui.oneViewEachBox.checked)
        isLong = self._logic.isLarge and not self._logic.isPrepared(annotator, oneViewEach=each)
        self._viewSteps.run(self._showing(annotator, each), large=isLong)

    def _showing(self, annotator: str, each: bool) -> Work:
        yield from self._logic.preparing(annotator, oneViewEach=each)
        if self._logic.show(annotator, oneViewEach=each):
            self._settle.start()

    def onWholeImage(self) -> None:
        """Zooms out again after a jump to an error."""
        self._logic.zoomBack()

    def onPlot(self) -> None:
        with saidIn(self._ui.annotatorsMessage), slicer.util.WaitCursor():
            showChart(*diceOverCases(self._logic.folder))

    def _step(self, by: int) -> None:
        with saidIn(self._ui.annotatorsMessage):
            self._logic.step(self.annotator, by, self._mistakes.order)
            self._listMistakes(self.annotator)

    def _goTo(self, mistake: Mistake) -> None:
        with saidIn(self._ui.annotatorsMessage):
            self._logic.goTo(mistake)
            self._updateMistake(mistake.annotator)

    def _listMistakes(self, annotator: str) -> None:
        self._mistakes.show(self._logic.mistakes(annotator), self._logic.mistake)
        self._updateMistake(annotator)

    def _updateMistake(self, annotator: str) -> None:
        self._fit.start()
        where = self._logic.current(annotator)
        if where is None:
            say(self._ui.mistakeText, "")
            return
        all = _("Error {number} of {total}:")
        largest = _("Error {number} of the {total} largest ({found} in all):")
        place = (all if where.found == where.total else largest).format(
            number=where.number, total=where.total, found=where.found
        )
        say(self._ui.mistakeText, f"{place} {where.words}")

    def _updateSentence(self, annotator: str) -> None:
        if not self._ui.statisticsTable.rowCount:
            say(self._ui.annotatorSentence, self._whyNothing())
        elif not annotator:
            say(self._ui.annotatorSentence, _("Select an annotator to see the errors in the views."))
        else:
            say(self._ui.annotatorSentence, self._logic.sentence(annotator))

    def _whyNothing(self) -> str:
        """Why there are no figures yet."""
        if self._logic.canReview:
            return str(_("The annotators are being compared with the truth."))
        return str(_("Estimate the truth first; then the annotators are compared with it."))

    def _updateButtons(self, annotator: str) -> None:
        reason = "" if annotator else _("Select an annotator in the table first.")
        if annotator and not self._logic.mistakes(annotator):
            reason = _("{annotator} made no errors worth a jump.").format(annotator=annotator)
        explain(self._ui.nextButton, reason, _("Jump to the next error, largest first (Shift+N)."))
        explain(self._ui.previousButton, reason, _("Jump back to the error before (Shift+P)."))
        explain(self._ui.wholeImageButton, reason, _("Zoom out again after a jump to an error."))
        nothing = "" if self._ui.statisticsTable.rowCount else self._whyNothing()
        explain(self._ui.oneViewEachBox, nothing, _("A slice view for every annotator, all at the same position."))
        explain(self._ui.plotButton, nothing, _("Plots the Dice of every annotator over the cases of this scene."))

    def _updateExpected(self, annotator: str) -> None:
        combo, titles = self._ui.expectedSelector, _expectedTitles()
        combo.clear()
        for kind in self._logic.expected.kinds(annotator) if annotator else []:
            combo.addItem(titles[kind], kind)
        combo.visible = self._ui.expectedLabel.visible = combo.count > 0
        if combo.count:
            text = _("How likely {annotator} errs at each place, whatever was drawn here.").format(annotator=annotator)
        else:
            text = _("Expected errors come from a trained model: choose Trained model under Truth.")
        say(self._ui.expectedText, text)

    def _shortcut(self, parent: Any, keys: str, slot: Any) -> Any:
        shortcut = qt.QShortcut(qt.QKeySequence(keys), parent)
        shortcut.activated.connect(slot)
        return shortcut


def _expectedTitles() -> dict[str, str]:
    return {
        "false positive": _("Marks what is not there"),
        "false negative": _("Misses what is there"),
        "wrong class": _("Takes one class for another"),
    }
