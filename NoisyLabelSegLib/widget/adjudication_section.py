"""The section where somebody decides about the disagreements of a case, one by one, and signs the truth off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import qt
import slicer
from slicer.i18n import tr as _

from NoisyLabelSegLib.decisions.record import ANNOTATOR, ESTIMATE, MAJORITY, UNCLEAR
from NoisyLabelSegLib.widget.adjudication_display import MOST_ROWS, READER_KEYS, AdjudicationDisplay
from NoisyLabelSegLib.widget.adjudication_logic import AdjudicationLogic
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.disagreement_search import DisagreementSearch
from NoisyLabelSegLib.widget.grades import merging
from NoisyLabelSegLib.widget.job_button import TimerPoller
from NoisyLabelSegLib.widget.keys import Keys
from NoisyLabelSegLib.widget.next_case import nextCase
from NoisyLabelSegLib.widget.opening import Opening
from NoisyLabelSegLib.widget.segment_editor import editInSegmentEditor
from NoisyLabelSegLib.widget.sign_off import signOff
from NoisyLabelSegLib.widget.steps import Steps, saidIn, say
from NoisyLabelSegLib.widget.work import Work

NO_SHARE = 50
"""The spin box at its lowest: everything on which anybody differs is listed."""
ADJUDICATOR_SETTING = "NoisyLabelSeg/Adjudicator"


class AdjudicationSection:
    """Lists the disagreements when it is opened, and again after every other truth."""

    def __init__(
        self, ui: Any, case: CaseLogic, logic: AdjudicationLogic, opening: Opening, shortcutParent: Any
    ) -> None:
        self._ui, self._case, self._logic, self._opening = ui, case, logic, opening
        self._parameters: Any = None
        self._number = 0
        self._hasViews, self._jumps, self._isActive = False, False, False
        self._blinded: Sequence[Any] = ()
        self._display = AdjudicationDisplay(ui, logic, self._take)
        self._steps = Steps(ui.adjudicationMessage)
        self._search = DisagreementSearch(
            case, logic, self._steps, TimerPoller, lambda sentence: say(ui.adjudicationMessage, sentence)
        )
        ui.adjudicatorEdit.text = str(slicer.util.settingsValue(ADJUDICATOR_SETTING, ""))
        logic.setAdjudicator(ui.adjudicatorEdit.text)
        ui.adjudicationSection.contentsCollapsed.connect(self.onCollapsed)
        ui.disagreementTable.itemSelectionChanged.connect(self.onSelected)
        ui.adjudicatorEdit.textChanged.connect(self.onAdjudicator)
        ui.commentEdit.editingFinished.connect(self.onComment)
        ui.shareBox.valueChanged.connect(self.onShare)
        ui.hideNamesBox.toggled.connect(self.onHideNames)
        buttons = {
            ui.majorityButton: self.onMajority,
            ui.estimateChoiceButton: self.onEstimate,
            ui.unclearButton: self.onUnclear,
            ui.editButton: self.onEdit,
            ui.undoButton: self.onUndo,
            ui.nextUndecidedButton: self.onNext,
            ui.mergeButton: self.onMerge,
            ui.saveDecisionsButton: self.onSave,
            ui.signOffButton: self.onSignOff,
        }
        for button, slot in buttons.items():
            button.clicked.connect(slot)
        keys = {"Shift+M": self.onMajority, "Shift+E": self.onEstimate, "Shift+U": self.onUnclear}
        keys |= {"Shift+D": self.onEdit, "Shift+Z": self.onUndo, "Shift+J": self.onNext}
        keys |= {f"Alt+{place + 1}": self._taking(place) for place in range(READER_KEYS)}
        self._keys = Keys(shortcutParent, keys)
        logic.changed.connect(lambda _news: self._onChanged())
        self.update()

    @property
    def running(self) -> bool:
        """Whether something is still under way."""
        return self._steps.running or self._search.running

    def connectTo(self, annotators: Any, blinded: Sequence[Any]) -> None:
        """Gives the views back when an annotator is selected; `blinded` are the sections that show names."""
        annotators.statisticsTable.itemSelectionChanged.connect(self.leaveViews)
        annotators.nextButton.clicked.connect(self.leaveViews)
        annotators.previousButton.clicked.connect(self.leaveViews)
        self._blinded = blinded

    def setParameters(self, parameters: Any) -> None:
        self._parameters = parameters
        if parameters is not None:
            self.onShare()
            self.onHideNames()

    def setActive(self, *, active: bool) -> None:
        """The keys belong to the section while it is open and the panel is shown."""
        self._isActive = active
        self._updateKeys()

    def _updateKeys(self) -> None:
        self._keys.enable(enabled=self._isActive and not self._ui.adjudicationSection.collapsed)

    def leaveScene(self) -> None:
        self._parameters = None
        self._search.close()
        self._steps.cancel()
        self._logic.leave()
        say(self._ui.adjudicationMessage, "")

    def onCollapsed(self) -> None:
        self._updateKeys()
        self._jumps = not self._ui.adjudicationSection.collapsed
        self.update()
        if not self._jumps:
            self.leaveViews()  # the blue of the region would be taken for that of missed voxels
        elif self._logic.session is not None:
            self._goTo(self._number or self._logic.session.next_undecided() or 0)

    def update(self) -> None:
        """Lists the disagreements where they are wanted and not known, and shows what can be done."""
        isOpen, problem = not self._ui.adjudicationSection.collapsed, self._logic.problem()
        isWanted = isOpen and self._parameters is not None and not problem
        if isWanted and self._logic.session is None and not self.running:
            self._search.start()
        if self._logic.session is None and not self.running:
            say(self._ui.disagreementText, problem)
        self._blind()
        self._display.update(self._number)

    def _blind(self) -> None:
        """While names are hidden, the sections that show them are closed."""
        blind = self._logic.namesHidden and self._logic.session is not None
        for button in self._blinded:
            if blind:
                button.collapsed = True
            if button.enabled == blind:
                button.enabled = not blind
                button.toolTip = _("Closed while the names of the readers are hidden.") if blind else ""

    def onTruthEdited(self) -> None:
        """Somebody edited the truth in the scene."""
        if self._logic.noticeEdit():
            self._steps.run(self._logic.takingEdit(), large=self._logic.isLarge)

    def onSelected(self) -> None:
        row = self._ui.disagreementTable.currentRow()
        if self._logic.session is not None and row >= 0:
            self._number = row + 1
            self._hasViews = True
            with saidIn(self._ui.adjudicationMessage), slicer.util.RenderBlocker():
                self._logic.jumpTo(self._number)
            self._display.update(self._number)

    def leaveViews(self) -> None:
        """The views show an annotator's errors now."""
        self._hasViews = False
        self._logic.hideRegion()

    def showViewsAgain(self) -> None:
        """After a review, which shows an annotator's errors, the views show the disagreement again."""
        if self._hasViews and self._logic.session is not None and not self._ui.adjudicationSection.collapsed:
            with saidIn(self._ui.adjudicationMessage), slicer.util.RenderBlocker():
                self._logic.showViews()

    def onAdjudicator(self, _text: str) -> None:
        name = str(self._ui.adjudicatorEdit.text).strip()
        self._logic.setAdjudicator(name)
        qt.QSettings().setValue(ADJUDICATOR_SETTING, name)
        self._display.update(self._number)

    def onComment(self) -> None:
        self._logic.comment(self._number, str(self._ui.commentEdit.text).strip())

    def onShare(self) -> None:
        percent = self._ui.shareBox.value
        share = None if percent <= NO_SHARE else percent / 100
        if share != self._logic.agreedShare and self._logic.canChooseShare:
            self._logic.agreedShare = share
            self._logic.leave()

    def onHideNames(self) -> None:
        self._logic.namesHidden = self._ui.hideNamesBox.checked
        self._display.fill(self._number)
        self.update()

    def onMajority(self) -> None:
        self._decide(MAJORITY)

    def onEstimate(self) -> None:
        self._decide(ESTIMATE)

    def onUnclear(self) -> None:
        self._decide(UNCLEAR)

    def onEdit(self) -> None:
        if self._ui.editButton.enabled:
            with saidIn(self._ui.adjudicationMessage):
                self._logic.jumpTo(self._number)
                self._logic.beginEdit()
                editInSegmentEditor(self._case.folder)

    def onUndo(self) -> None:
        if self._ui.undoButton.enabled:
            self._steps.run(self._logic.undo(), large=self._logic.isLarge)

    def onNext(self) -> None:
        """The next disagreement of this case that is undecided, or the next case that has any."""
        session = self._logic.session
        number = None if session is None else session.next_undecided(self._number)
        if number is not None:
            self._goTo(number)
            return
        following = nextCase(self._case, self._opening)
        if following is None:
            say(self._ui.adjudicationMessage, _("Everything is decided in all cases that can be opened."))
            return
        self._jumps = True
        with saidIn(self._ui.adjudicationMessage):
            self._opening.openCase(*following)

    def onMerge(self) -> None:
        path = qt.QFileDialog.getOpenFileName(
            slicer.util.mainWindow(), _("Decisions of another adjudicator"), "", "decisions (*.json)"
        )
        if path:
            self._steps.run(self._merging(Path(path)), large=self._logic.isLarge)

    def _merging(self, path: Path) -> Work:
        yield from merging(self._logic, self._case, self._opening, path, self._ui.adjudicationMessage)
        session = self._logic.session
        if session is not None and session.conflicts:
            text = _("Decided differently: {count}. These are undecided again, and come first.")
            say(self._ui.adjudicationMessage, text.format(count=len(session.conflicts)))
            self._goTo(session.next_undecided() or 0)

    def onSave(self) -> None:
        path = qt.QFileDialog.getSaveFileName(
            slicer.util.mainWindow(), _("Save the decisions"), "decisions.json", "decisions (*.json)"
        )
        if path:
            self._steps.run(self._saving(Path(path)), large=self._logic.isLarge)

    def _saving(self, path: Path) -> Work:
        yield from self._logic.saving(path)
        say(self._ui.adjudicationMessage, _("Saved: {name}.").format(name=path.name))

    def onSignOff(self) -> None:
        session = self._logic.session
        if session is None or not self._ui.signOffButton.enabled:
            return
        left = len(session.undecided)
        question = _("Undecided: {count}. These keep the estimate. Sign off all the same?")
        if not left or slicer.util.confirmYesNoDisplay(question.format(count=left)):
            self._steps.run(self._signing(), large=self._logic.isLarge)

    def _signing(self) -> Work:
        written = yield from signOff(self._case, self._logic, self._opening.openedStudy())
        say(self._ui.adjudicationMessage, written)

    def _taking(self, place: int) -> Callable[[], None]:
        return lambda: self._take(place)

    def _take(self, place: int) -> None:
        """Takes the labels of the readers on a button."""
        groups = self._logic.shown.groups(self._number) if self._ui.majorityButton.enabled else []
        if place < len(groups):
            self._decide(f"{ANNOTATOR}{groups[place][0]}")

    def _decide(self, choice: str) -> None:
        if self._ui.majorityButton.enabled:
            self._steps.run(self._deciding(choice), large=self._logic.isLarge)

    def _deciding(self, choice: str) -> Work:
        yield from self._logic.decide(self._number, choice, str(self._ui.commentEdit.text).strip())
        following = None if self._logic.session is None else self._logic.session.next_undecided(self._number)
        if following is not None:
            self._goTo(following)
        else:
            say(self._ui.adjudicationMessage, _("Everything is decided in this case. Sign off when you are content."))

    def _goTo(self, number: int) -> None:
        """Selects a disagreement, which shows it in the views."""
        if number > MOST_ROWS or not number:
            return
        if self._ui.disagreementTable.currentRow() == number - 1:
            self.onSelected()
        else:
            self._ui.disagreementTable.selectRow(number - 1)

    def _onChanged(self) -> None:
        session = self._logic.session
        if session is None:
            self._number, self._hasViews = 0, False
        self._display.fill(self._number)
        self.update()
        if session is not None and not self._number:
            self._number = session.next_undecided() or 0
            if self._jumps:
                self._goTo(self._number)
            self._display.update(self._number)
